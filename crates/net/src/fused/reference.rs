//! The network's forward pass as its definition reads, in double precision and without a single shortcut, and random
//! networks and batches to run it on. For tests alone; deliberately not here: anything the real passes use.

use std::collections::BTreeMap;

use crate::loss::MARGIN_UNIT;
use crate::raw::{RawBatch, RawOutput};

/// A random stream (splitmix64), so that test networks are the same everywhere.
pub(super) struct Stream(pub(super) u64);

impl Stream {
    /// A 64-bit number.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub(super) fn number(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// What a random network looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) planes: usize,
    pub(super) globals: usize,
    pub(super) blocks: usize,
    pub(super) channels: usize,
    /// Every block whose index is 1 modulo this has a pooling branch.
    pub(super) pool_every: usize,
    pub(super) pool: usize,
    pub(super) policy: usize,
    pub(super) policy_channels: usize,
    pub(super) extras: usize,
    pub(super) value: usize,
    pub(super) hidden: usize,
    pub(super) margin: bool,
}

/// Tensors by name.
pub(super) type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// One of them.
pub(super) fn tensor<'a>(tensors: &'a Tensors, name: &str) -> Option<(&'a [usize], &'a [f32])> {
    tensors.get(name).map(|(shape, data)| (shape.as_slice(), data.as_slice()))
}

/// A random network of that shape.
pub(super) fn network(shape: Shape, seed: u64) -> Tensors {
    let s = shape;
    let mut list: Vec<(String, Vec<usize>)> = Vec::new();
    let mut conv = |name: String, outputs: usize, inputs: usize, side: usize| {
        list.push((format!("{name}.bias"), vec![outputs]));
        list.push((format!("{name}.weight"), vec![outputs, inputs, side, side]));
    };
    conv("stem.conv".into(), s.channels, s.planes, 3);
    for i in 0..s.blocks {
        conv(format!("blocks.{i}.conv1"), s.channels, s.channels, 3);
        conv(format!("blocks.{i}.conv2"), s.channels, s.channels, 3);
        if i % s.pool_every == 1 {
            conv(format!("blocks.{i}.pool_conv"), s.pool, s.channels, 3);
        }
    }
    conv("policy.point".into(), s.policy, s.channels, 1);
    conv("policy.pool".into(), s.policy, s.channels, 1);
    conv("value.conv".into(), s.value, s.channels, 1);
    for i in (0..s.blocks).filter(|i| i % s.pool_every == 1) {
        list.push((format!("blocks.{i}.pool_linear.weight"), vec![3 * s.pool, s.channels]));
    }
    let mut linear = |name: &str, inputs: usize, outputs: usize, bias: bool| {
        list.push((format!("{name}.weight"), vec![inputs, outputs]));
        if bias {
            list.push((format!("{name}.bias"), vec![outputs]));
        }
    };
    if s.globals > 0 {
        linear("stem.globals", s.globals, s.channels, false);
    }
    linear("policy.mix", 3 * s.policy, s.policy, false);
    if s.extras > 0 {
        linear("policy.extra", 3 * s.policy, s.policy_channels * s.extras, true);
    }
    linear("value.hidden", 3 * s.value, s.hidden, true);
    linear("value.wdl", s.hidden, 3, true);
    if s.margin {
        linear("value.margin", s.hidden, 2, true);
    }
    list.push(("policy.out.weight".into(), vec![s.policy_channels, s.policy, 1, 1]));
    let mut stream = Stream(seed);
    list.into_iter()
        .map(|(name, sizes)| {
            let fan_in = match sizes.len() {
                4 => sizes[1] * sizes[2] * sizes[3],
                2 => sizes[0],
                _ => 25,
            };
            let scale = (3.0 / fan_in as f32).sqrt();
            let data = (0..sizes.iter().product()).map(|_| stream.number() * scale).collect();
            (name, (sizes, data))
        })
        .collect()
}

/// Random positions, padded to `sides`; each board has its own height and width.
pub(super) fn batch(shape: Shape, sides: (usize, usize), boards: &[(usize, usize)], seed: u64) -> RawBatch {
    let mut stream = Stream(seed);
    let mut batch = RawBatch { n: boards.len(), height: sides.0, width: sides.1, ..RawBatch::default() };
    for &(height, width) in boards {
        let inside = |y: usize, x: usize| y < height && x < width;
        for plane in 0..shape.planes {
            for (y, x) in (0..sides.0).flat_map(|y| (0..sides.1).map(move |x| (y, x))) {
                let value = if plane % 4 == 3 { stream.number() } else { f32::from(stream.bits().is_multiple_of(4)) };
                batch.planes.push(if inside(y, x) { value } else { 0.0 });
            }
        }
        batch.globals.extend((0..shape.globals).map(|_| stream.number()));
        for (y, x) in (0..sides.0).flat_map(|y| (0..sides.1).map(move |x| (y, x))) {
            batch.mask.push(f32::from(inside(y, x)));
        }
    }
    batch
}

/// `[channels][height * width]` of one position.
type Maps = Vec<Vec<f64>>;

/// The definition, for one position at a time.
pub(super) struct Reference<'a> {
    tensors: &'a Tensors,
    height: usize,
    width: usize,
    mask: Vec<f64>,
}

impl Reference<'_> {
    /// Evaluates a batch.
    pub(super) fn run(tensors: &Tensors, batch: &RawBatch) -> RawOutput {
        let mut out = RawOutput::default();
        let area = batch.height * batch.width;
        for position in 0..batch.n {
            let part = |data: &[f32]| {
                let each = data.len() / batch.n;
                data[position * each..][..each].iter().map(|&v| f64::from(v)).collect::<Vec<f64>>()
            };
            let (height, width) = (batch.height, batch.width);
            let reference = Reference { tensors, height, width, mask: part(&batch.mask) };
            let planes = part(&batch.planes).chunks(area).map(<[f64]>::to_vec).collect();
            reference.position(&planes, &part(&batch.globals), &mut out);
        }
        out
    }

    fn position(&self, planes: &Maps, globals: &[f64], out: &mut RawOutput) {
        let t = self.trunk(planes, globals);
        let g = self.masked(relu(self.conv("policy.pool", &t)));
        let pooled = self.pooled(&g);
        let p = self.masked(relu(add(self.conv("policy.point", &t), &self.linear("policy.mix", &pooled))));
        let policy = self.conv("policy.out", &p);
        out.policy.extend(policy[0].iter().map(|&v| v as f32));
        if self.tensors.contains_key("policy.extra.weight") {
            let all = self.linear("policy.extra", &pooled);
            out.extra.extend(all[..all.len() / policy.len()].iter().map(|&v| v as f32));
        }
        let v = self.masked(relu(self.conv("value.conv", &t)));
        let hidden: Vec<f64> = self.linear("value.hidden", &self.pooled(&v)).iter().map(|h| h.max(0.0)).collect();
        out.wdl.extend(self.linear("value.wdl", &hidden).iter().map(|&v| v as f32));
        if self.tensors.contains_key("value.margin.weight") {
            out.margin.push((self.linear("value.margin", &hidden)[0] * f64::from(MARGIN_UNIT)) as f32);
        }
    }

    /// Up to the activation after the last block.
    fn trunk(&self, planes: &Maps, globals: &[f64]) -> Maps {
        let mut x = self.conv("stem.conv", planes);
        if !globals.is_empty() {
            x = add(x, &self.linear("stem.globals", globals));
        }
        let mut x = self.masked(x);
        for i in 0.. {
            let name = |part: &str| format!("blocks.{i}.{part}");
            if !self.tensors.contains_key(&name("conv1.weight")) {
                break;
            }
            let mut h = self.conv(&name("conv1"), &relu(x.clone()));
            if self.tensors.contains_key(&name("pool_conv.weight")) {
                let g = self.masked(relu(self.conv(&name("pool_conv"), &relu(x.clone()))));
                h = add(h, &self.linear(&name("pool_linear"), &self.pooled(&g)));
            }
            let h = self.masked(h);
            let y = self.masked(self.conv(&name("conv2"), &relu(h)));
            for (x, y) in x.iter_mut().flatten().zip(y.iter().flatten()) {
                *x += y;
            }
        }
        relu(x)
    }

    fn masked(&self, mut maps: Maps) -> Maps {
        for map in &mut maps {
            map.iter_mut().zip(&self.mask).for_each(|(v, m)| *v *= m);
        }
        maps
    }

    /// Mean, mean scaled by board size, maximum.
    fn pooled(&self, maps: &Maps) -> Vec<f64> {
        let area: f64 = self.mask.iter().sum();
        let means: Vec<f64> = maps.iter().map(|map| map.iter().sum::<f64>() / area).collect();
        let scaled = means.iter().map(|mean| mean * (area.sqrt() - 14.0) / 10.0);
        let peaks = maps.iter().map(|map| map.iter().copied().fold(f64::MIN, f64::max));
        means.iter().copied().chain(scaled).chain(peaks).collect()
    }

    fn bias(&self, name: &str, output: usize) -> f64 {
        self.tensors.get(&format!("{name}.bias")).map_or(0.0, |(_, bias)| f64::from(bias[output]))
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (shape, weight) = &self.tensors[&format!("{name}.weight")];
        let dot = |o: usize| x.iter().enumerate().map(|(k, v)| v * f64::from(weight[k * shape[1] + o])).sum::<f64>();
        (0..shape[1]).map(|o| dot(o) + self.bias(name, o)).collect()
    }

    fn conv(&self, name: &str, maps: &Maps) -> Maps {
        let (shape, weight) = &self.tensors[&format!("{name}.weight")];
        let (inputs, side) = (shape[1], shape[2]);
        let mut result = Vec::new();
        for output in 0..shape[0] {
            let mut map = vec![self.bias(name, output); self.height * self.width];
            for tap in 0..inputs * side * side {
                let weight = f64::from(weight[output * inputs * side * side + tap]);
                let (input, down, right) = (tap / (side * side), tap / side % side, tap % side);
                self.add_shifted(&mut map, weight, &maps[input], (down, right), side / 2);
            }
            result.push(map);
        }
        result
    }

    /// to(y, x) += weight * from(y + down - reach, x + right - reach), where that is on the padded board.
    fn add_shifted(&self, to: &mut [f64], weight: f64, from: &[f64], (down, right): (usize, usize), reach: usize) {
        let columns = reach.saturating_sub(right)..(self.width + reach - right).min(self.width);
        for y in reach.saturating_sub(down)..(self.height + reach - down).min(self.height) {
            for x in columns.clone() {
                to[y * self.width + x] += weight * from[(y + down - reach) * self.width + x + right - reach];
            }
        }
    }
}

fn relu(mut maps: Maps) -> Maps {
    maps.iter_mut().flatten().for_each(|v| *v = v.max(0.0));
    maps
}

/// Adds a number to each map.
fn add(mut maps: Maps, numbers: &[f64]) -> Maps {
    for (map, number) in maps.iter_mut().zip(numbers) {
        map.iter_mut().for_each(|v| *v += number);
    }
    maps
}
