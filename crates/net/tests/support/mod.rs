//! Made-up positions and targets for tests and benches: seeded, of any size, with something to learn in them. Not here:
//! anything about a real game.

#![allow(dead_code)]

use tengen_net::config::Init;
use tengen_net::{Batch, NetConfig, RawBatch, Targets, Weights};

/// A small stream of numbers (SplitMix64).
pub(crate) struct Stream(pub(crate) u64);

impl Stream {
    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// `name` with every head.
pub(crate) fn all_heads(name: &str, planes: usize, globals: usize, extras: usize) -> NetConfig {
    let mut config = NetConfig::preset(name, planes, globals, extras).unwrap();
    (config.reply, config.soft, config.short_term, config.board_heads) = (true, true, true, true);
    config
}

/// Random weights where also those that start at 0 (biases, the ends of blocks) are not, so that every layer shows.
pub(crate) fn lively(config: &NetConfig, seed: u64) -> Weights {
    let start = Weights::random(config, seed).unwrap();
    let mut rng = Stream(seed);
    let mut values = start.values().to_vec();
    let mut rest = values.as_mut_slice();
    for slot in start.slots() {
        let (piece, tail) = rest.split_at_mut(slot.len());
        rest = tail;
        if slot.init == Init::Zero {
            let inputs = if slot.is_bias() { 400 } else { slot.shape[1..].iter().product() };
            let width = 2.0 / (inputs as f32).sqrt();
            piece.iter_mut().for_each(|v| *v = width * (rng.unit() - 0.5));
        }
    }
    Weights::from_values(config, values).unwrap()
}

/// Boards of the given `(height, width)`, padded to the largest, with random binary planes and small globals.
pub(crate) fn boards(config: &NetConfig, sizes: &[(usize, usize)], seed: u64) -> RawBatch {
    let mut rng = Stream(seed);
    let height = sizes.iter().map(|s| s.0).max().unwrap_or(1);
    let width = sizes.iter().map(|s| s.1).max().unwrap_or(1);
    let area = height * width;
    let mut batch = RawBatch {
        n: sizes.len(),
        height,
        width,
        planes: vec![0.0; sizes.len() * config.planes * area],
        globals: (0..sizes.len() * config.globals).map(|_| rng.unit() - 0.5).collect(),
        mask: vec![0.0; sizes.len() * area],
    };
    for (row, &(h, w)) in sizes.iter().enumerate() {
        for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
            batch.mask[row * area + y * width + x] = 1.0;
            for plane in 0..config.planes {
                let on = rng.below(3) == 0;
                batch.planes[(row * config.planes + plane) * area + y * width + x] = f32::from(u8::from(on));
            }
        }
    }
    batch
}

/// The same rows in another padded size, which must hold every board.
pub(crate) fn repadded(batch: &RawBatch, height: usize, width: usize) -> RawBatch {
    let grow = |values: &[f32]| -> Vec<f32> {
        let old = batch.height * batch.width;
        values
            .chunks(old)
            .flat_map(|image| {
                let mut out = vec![0.0; height * width];
                for y in 0..batch.height.min(height) {
                    for x in 0..batch.width.min(width) {
                        out[y * width + x] = image[y * batch.width + x];
                    }
                }
                out
            })
            .collect()
    };
    RawBatch { height, width, planes: grow(&batch.planes), mask: grow(&batch.mask), ..batch.clone() }
}

/// Targets with structure: the policy prefers points whose first plane is set beside a point whose second is, the
/// result says which of two planes has more points. Some rows lack some targets.
pub(crate) fn training(config: &NetConfig, sizes: &[(usize, usize)], seed: u64) -> Batch {
    let input = boards(config, sizes, seed);
    let (n, area, width) = (input.n, input.height * input.width, input.width);
    let actions = area + config.extras;
    let mut rng = Stream(seed ^ 0xabcd);
    let mut t = Targets { weight: (0..n).map(|i| if i % 4 == 3 { 0.5 } else { 1.0 }).collect(), ..Default::default() };
    for row in 0..n {
        let plane = |k: usize| &input.planes[(row * config.planes + k) * area..][..area];
        let (a, b, mask) = (plane(0), plane(config.planes - 1), &input.mask[row * area..][..area]);
        let legal: Vec<f32> =
            (0..actions).map(|i| if i >= area { 1.0 } else { mask[i] * (1.0 - a[i] * b[i]) }).collect();
        let beside = |p: usize| a[p] + 2.0 * if p >= width { b[p - width] } else { 0.0 };
        let mass: Vec<f32> =
            (0..actions).map(|i| legal[i] * if i < area { 0.01 + beside(i).powi(2) } else { 0.02 }).collect();
        let sum: f32 = mass.iter().sum();
        t.policy.extend(mass.iter().map(|m| m / sum));
        t.policy_weight.push(if row % 5 == 4 { 0.0 } else { 1.0 });
        t.legal.extend(legal);
        let edge: f32 = a.iter().sum::<f32>() - b.iter().sum::<f32>();
        let win = 1.0 / (1.0 + (-edge).exp());
        t.wdl.extend([0.9 * win, 0.1, 0.9 * (1.0 - win)]);
        t.wdl_weight.push(1.0);
        if config.reply {
            let point = (0..area).filter(|&p| mask[p] > 0.0).nth(rng.below(4)).unwrap_or(0);
            t.reply.extend((0..actions).map(|i| f32::from(u8::from(i == point))));
            t.reply_weight.push(f32::from(u8::from(row % 2 == 0)));
        }
        if config.short_term {
            t.short.extend([win, 0.0, 1.0 - win]);
            t.short_weight.push(1.0);
        }
        if config.board_heads {
            t.margin.push(edge);
            t.ownership.extend((0..area).map(|p| mask[p] * (a[p] - b[p])));
            t.board_weight.push(f32::from(u8::from(row % 3 != 1)));
        }
    }
    Batch { input, targets: t }
}
