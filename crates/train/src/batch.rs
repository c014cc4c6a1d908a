//! Rows to a network batch: drawn from the window by seed and step alone, unpacked under a random symmetry of the board,
//! padded to the largest board among them. Not here: the window, the loss.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tengen_features::FeatureSpec;
use tengen_game::{Point, Symmetry};
use tengen_net::{Batch, NetConfig, RawBatch, Targets};

use crate::rows::Row;

/// The random stream of one step: depends on seed and step only, so a resumed run draws what it would have drawn.
pub fn stream(seed: u64, step: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(step);
    rng
}

/// Draws `n` rows uniformly with replacement, each under a random symmetry.
pub fn draw(rows: &[&Row], n: usize, rng: &mut impl Rng, spec: &FeatureSpec, net: &NetConfig) -> Batch {
    let picks: Vec<(&Row, Symmetry)> = (0..n)
        .map(|_| {
            let row = rows[rng.random_range(0..rows.len())];
            let all = Symmetry::of(row.size);
            (row, all[rng.random_range(0..all.len())])
        })
        .collect();
    assemble(&picks, spec, net)
}

/// A batch of given rows under given symmetries, in order.
pub fn assemble(picks: &[(&Row, Symmetry)], spec: &FeatureSpec, net: &NetConfig) -> Batch {
    let n = picks.len();
    let width = picks.iter().map(|(r, _)| r.size.width()).max().unwrap_or(1);
    let height = picks.iter().map(|(r, _)| r.size.height()).max().unwrap_or(1);
    let (area, actions) = (width * height, width * height + spec.extras.len());
    let board = if net.board_heads { n } else { 0 };
    let (reply, short) = (if net.reply { n } else { 0 }, if net.short_term { n } else { 0 });
    let mut batch = Batch {
        input: RawBatch {
            n,
            height,
            width,
            planes: vec![0.0; n * spec.planes * area],
            globals: Vec::with_capacity(n * spec.globals),
            mask: vec![0.0; n * area],
        },
        targets: Targets {
            weight: picks.iter().map(|(r, _)| r.weight).collect(),
            legal: vec![0.0; n * actions],
            policy: vec![0.0; n * actions],
            policy_weight: vec![1.0; n],
            reply: vec![0.0; reply * actions],
            reply_weight: vec![0.0; reply],
            wdl: picks.iter().flat_map(|(r, _)| r.wdl).collect(),
            wdl_weight: vec![1.0; n],
            short: picks.iter().take(short).flat_map(|(r, _)| r.short).collect(),
            short_weight: vec![1.0; short],
            margin: vec![0.0; board],
            ownership: vec![0.0; board * area],
            board_weight: vec![0.0; board],
        },
    };
    for (i, (row, s)) in picks.iter().enumerate() {
        fill(&mut batch, i, row, *s, spec, net);
    }
    batch
}

fn fill(batch: &mut Batch, i: usize, row: &Row, s: Symmetry, spec: &FeatureSpec, net: &NetConfig) {
    let (width, height) = (batch.input.width, batch.input.height);
    let (area, own) = (width * height, row.size.area());
    let actions = area + spec.extras.len();
    // Where point `p` of the row lands on the padded board under the symmetry.
    let at = |p: usize| {
        let (x, y) = row.size.xy(s.point(row.size, Point(p as u16)));
        y * width + x
    };
    let out = |index: usize| if index < own { at(index) } else { area + index - own };
    batch.input.globals.extend_from_slice(&row.globals);
    for p in 0..own {
        batch.input.mask[i * area + at(p)] = 1.0;
    }
    for bit in row.planes.ones() {
        let (plane, p) = (bit / own, bit % own);
        batch.input.planes[(i * spec.planes + plane) * area + at(p)] = 1.0;
    }
    for index in row.legal.ones() {
        batch.targets.legal[i * actions + out(index)] = 1.0;
    }
    for &(index, p) in &row.policy {
        batch.targets.policy[i * actions + out(index as usize)] = p;
    }
    if net.reply && !row.reply.is_empty() {
        batch.targets.reply_weight[i] = 1.0;
        for &(index, p) in &row.reply {
            batch.targets.reply[i * actions + out(index as usize)] = p;
        }
    }
    if net.board_heads
        && let Some(margin) = row.margin
        && !row.ownership.is_empty()
    {
        batch.targets.board_weight[i] = 1.0;
        batch.targets.margin[i] = margin;
        for (p, &owner) in row.ownership.iter().enumerate() {
            batch.targets.ownership[i * area + at(p)] = f32::from(owner);
        }
    }
}
