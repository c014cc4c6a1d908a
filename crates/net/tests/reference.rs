//! The network written a second time, in plain loops over f64 and from the weights file's names alone; the Burn model
//! must agree with it. Any other runner of the same weights can be held against this text too.

mod support;

use support::{all_heads, boards, lively};
use tengen_net::{Input, Net, NetConfig, RawBatch, Weights, device};

/// `[channels][rows * columns]` of one position.
type Image = Vec<Vec<f64>>;

struct Reference<'a> {
    weights: &'a Weights,
    height: usize,
    width: usize,
    mask: Vec<f64>,
}

impl Reference<'_> {
    fn get(&self, name: &str) -> (Vec<usize>, Vec<f64>) {
        let (shape, values) = self.weights.get(name).unwrap_or_else(|| panic!("no weight {name}"));
        (shape.to_vec(), values.iter().map(|&v| f64::from(v)).collect())
    }

    fn conv(&self, name: &str, x: &Image) -> Image {
        let (shape, w) = self.get(&format!("{name}.weight"));
        let (outs, ins, side) = (shape[0], shape[1], shape[2] as isize);
        let bias = self.weights.get(&format!("{name}.bias")).map(|b| b.1.to_vec()).unwrap_or(vec![0.0; outs]);
        let (h, wd) = (self.height as isize, self.width as isize);
        let mut out = vec![vec![0.0; self.height * self.width]; outs];
        for o in 0..outs {
            for y in 0..h {
                for xx in 0..wd {
                    let mut sum = f64::from(bias[o]);
                    for i in 0..ins {
                        for ky in 0..side {
                            for kx in 0..side {
                                let (sy, sx) = (y + ky - side / 2, xx + kx - side / 2);
                                if (0..h).contains(&sy) && (0..wd).contains(&sx) {
                                    let at = ((o * ins + i) as isize * side + ky) * side + kx;
                                    sum += w[at as usize] * x[i][(sy * wd + sx) as usize];
                                }
                            }
                        }
                    }
                    out[o][(y * wd + xx) as usize] = sum;
                }
            }
        }
        out
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (shape, w) = self.get(&format!("{name}.weight"));
        assert_eq!(shape[0], x.len());
        let bias = self.weights.get(&format!("{name}.bias")).map(|b| b.1.to_vec()).unwrap_or(vec![0.0; shape[1]]);
        (0..shape[1])
            .map(|o| f64::from(bias[o]) + (0..shape[0]).map(|i| x[i] * w[i * shape[1] + o]).sum::<f64>())
            .collect()
    }

    fn masked(&self, x: Image) -> Image {
        x.into_iter().map(|c| c.iter().zip(&self.mask).map(|(v, m)| v * m).collect()).collect()
    }

    fn pool(&self, x: &Image) -> Vec<f64> {
        let area: f64 = self.mask.iter().sum();
        let on_board = |c: &Vec<f64>| -> Vec<f64> {
            c.iter().zip(&self.mask).filter(|(_, m)| **m > 0.0).map(|(v, _)| *v).collect()
        };
        let means: Vec<f64> = x.iter().map(|c| on_board(c).iter().sum::<f64>() / area).collect();
        let scaled = means.iter().map(|m| m * (area.sqrt() - 14.0) / 10.0);
        let maxima = x.iter().map(|c| on_board(c).into_iter().fold(f64::MIN, f64::max));
        means.iter().copied().chain(scaled).chain(maxima).collect()
    }

    fn trunk(&self, config: &NetConfig, planes: &Image, globals: &[f64]) -> Image {
        let mut x = self.conv("stem.conv", planes);
        if config.globals > 0 {
            x = plus(x, &self.linear("stem.globals", globals));
        }
        x = self.masked(x);
        for i in 0..config.blocks {
            let a = relu(&x);
            let mut h = self.conv(&format!("blocks.{i}.conv1"), &a);
            if config.pool_blocks.contains(&i) {
                let g = self.masked(relu(&self.conv(&format!("blocks.{i}.pool_conv"), &a)));
                h = plus(h, &self.linear(&format!("blocks.{i}.pool_linear"), &self.pool(&g)));
            }
            let y = self.masked(self.conv(&format!("blocks.{i}.conv2"), &self.masked(relu(&h))));
            x.iter_mut().zip(y).for_each(|(a, b)| a.iter_mut().zip(b).for_each(|(a, b)| *a += b));
        }
        x
    }
}

fn relu(x: &Image) -> Image {
    x.iter().map(|c| c.iter().map(|v| v.max(0.0)).collect()).collect()
}

fn plus(x: Image, per_channel: &[f64]) -> Image {
    x.into_iter().zip(per_channel).map(|(c, b)| c.iter().map(|v| v + b).collect()).collect()
}

/// Policy (channels, then points), extra, wdl, short, margin, ownership, one after another.
fn reference(weights: &Weights, batch: &RawBatch, row: usize) -> Vec<f64> {
    let config = weights.config();
    let area = batch.height * batch.width;
    let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|&v| f64::from(v)).collect() };
    let mask = wide(&batch.mask[row * area..][..area]);
    let net = Reference { weights, height: batch.height, width: batch.width, mask };
    let planes: Image =
        (0..config.planes).map(|k| wide(&batch.planes[(row * config.planes + k) * area..][..area])).collect();
    let globals = wide(&batch.globals[row * config.globals..][..config.globals]);
    let t = relu(&net.trunk(config, &planes, &globals));

    let pooled = net.pool(&net.masked(relu(&net.conv("policy.pool", &t))));
    let p = plus(net.conv("policy.point", &t), &net.linear("policy.mix", &pooled));
    let mut out: Vec<f64> = net.conv("policy.out", &net.masked(relu(&p))).concat();
    if config.extras > 0 {
        out.extend(net.linear("policy.extra", &pooled));
    }
    let v = net.masked(relu(&net.conv("value.conv", &t)));
    let hidden: Vec<f64> = net.linear("value.hidden", &net.pool(&v)).iter().map(|v| v.max(0.0)).collect();
    out.extend(net.linear("value.wdl", &hidden));
    if config.short_term {
        out.extend(net.linear("value.short", &hidden));
    }
    if config.board_heads {
        out.extend(net.linear("value.margin", &hidden));
        out.extend(net.conv("value.ownership", &v).concat());
    }
    out
}

#[test]
fn burn_agrees_with_plain_loops() {
    for (config, seed) in [(all_heads("b3c8", 3, 2, 4), 1), (NetConfig::preset("b2c12", 2, 0, 0).unwrap(), 2)] {
        let weights = lively(&config, seed);
        let batch = boards(&config, &[(7, 7), (5, 6), (4, 7)], seed);
        let device = device("flex").unwrap();
        let out = Net::new(&weights, &device).forward(Input::from_raw(&batch, &config, &device));
        let flat = |t: burn::tensor::Tensor<2>| -> Vec<f32> { t.into_data().try_into_vec().unwrap() };
        let mut parts = vec![flat(out.policy.flatten::<2>(1, 2))];
        parts.extend(out.extra.map(|e| flat(e.flatten::<2>(1, 2))));
        parts.push(flat(out.wdl));
        parts.extend([out.short, out.margin, out.ownership].into_iter().flatten().map(flat));
        for row in 0..batch.n {
            let got: Vec<f32> =
                parts.iter().flat_map(|p| p[row * p.len() / batch.n..(row + 1) * p.len() / batch.n].to_vec()).collect();
            let want = reference(&weights, &batch, row);
            assert_eq!(got.len(), want.len());
            for (i, (g, w)) in got.iter().zip(&want).enumerate() {
                assert!((f64::from(*g) - w).abs() < 1e-5 * (1.0 + w.abs()), "row {row}, value {i}: {g} {w}");
            }
        }
    }
}
