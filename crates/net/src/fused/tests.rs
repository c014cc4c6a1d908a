//! The fused pass against the definition, against itself in other batches, and with broken input.
//! Deliberately not here: the comparison with the Burn model (an integration test of the crate).

use super::reference::{Reference, Shape, Tensors, batch, network, tensor};
use super::winograd::Kind;
use super::*;

const PRESET: Shape = Shape {
    planes: 19,
    globals: 11,
    blocks: 2,
    channels: 32,
    pool_every: 2,
    pool: 12,
    policy: 16,
    policy_channels: 2,
    extras: 5,
    value: 16,
    hidden: 40,
    margin: true,
};

fn b2c32() -> Shape {
    PRESET
}

fn b4c64() -> Shape {
    Shape { blocks: 4, channels: 64, pool: 32, policy: 32, value: 32, hidden: 64, ..PRESET }
}

fn b6c96() -> Shape {
    Shape { blocks: 6, channels: 96, pool_every: 3, pool: 32, policy: 32, value: 40, hidden: 64, ..PRESET }
}

fn b3c22() -> Shape {
    Shape { blocks: 3, channels: 22, pool: 6, policy: 11, value: 9, hidden: 21, extras: 0, margin: false, ..PRESET }
}

fn fused(tensors: &Tensors) -> FusedNet {
    FusedNet::new(&|name| tensor(tensors, name)).expect("a network with all tensors")
}

fn run(net: &mut FusedNet, batch: &RawBatch) -> RawOutput {
    let mut out = RawOutput::default();
    net.run(batch, &mut out).expect("a batch that fits");
    out
}

/// Largest difference, over all arrays.
fn distance(a: &RawOutput, b: &RawOutput) -> f32 {
    let arrays = [(&a.policy, &b.policy), (&a.extra, &b.extra), (&a.wdl, &b.wdl), (&a.margin, &b.margin)];
    let mut worst = 0.0f32;
    for (a, b) in arrays {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            worst = if (a - b).abs() <= worst { worst } else { (a - b).abs() };
        }
    }
    worst
}

fn check(shape: Shape, sides: (usize, usize), boards: &[(usize, usize)], seed: u64) {
    let tensors = network(shape, seed);
    let batch = batch(shape, sides, boards, seed + 1);
    let expected = Reference::run(&tensors, &batch);
    let spread = expected.policy.iter().fold(0.0f32, |a, b| a.max(b.abs()));
    assert!(spread > 1e-2, "a reference of zeros would prove nothing");
    let mut net = fused(&tensors);
    let (plain, fast) = (run(&mut net.portable(), &batch), run(&mut net, &batch));
    for (a, b) in [(&plain, &expected), (&fast, &expected), (&plain, &fast)] {
        let found = distance(a, b);
        assert!(found < 1e-4, "off by {found} on {boards:?} in {sides:?} with {shape:?}");
    }
}

#[test]
fn every_size_agrees_with_the_definition() {
    for side in 5..=19 {
        check(b2c32(), (side, side), &[(side, side)], side as u64);
        check(b3c22(), (side, side), &[(side, side)], 100 + side as u64);
    }
}

#[test]
fn wide_networks_agree_with_the_definition() {
    for side in [6, 9, 13, 15, 19] {
        check(b4c64(), (side, side), &[(side, side)], side as u64);
    }
    check(b6c96(), (9, 9), &[(9, 9)], 7);
    check(b6c96(), (19, 19), &[(19, 19)], 8);
}

#[test]
fn rectangles_and_padded_boards_agree_with_the_definition() {
    for sides in [(5, 19), (19, 7), (1, 1), (1, 13), (2, 3), (8, 15), (25, 25)] {
        check(b3c22(), sides, &[sides], 3);
    }
    check(b2c32(), (19, 19), &[(9, 9), (19, 19), (13, 13), (9, 9), (9, 9), (5, 19)], 4);
    check(b3c22(), (9, 7), &[(6, 6), (6, 6), (6, 7), (9, 7), (1, 2)], 5);
}

#[test]
fn odd_networks_agree_with_the_definition() {
    check(Shape { blocks: 0, ..b2c32() }, (7, 7), &[(7, 7)], 1);
    check(Shape { channels: 1, pool: 1, policy: 3, value: 1, hidden: 1, ..b2c32() }, (7, 7), &[(7, 7)], 2);
    check(Shape { channels: 40, pool: 24, policy: 8, planes: 1, globals: 1, ..b2c32() }, (9, 9), &[(9, 9)], 3);
    check(Shape { pool_every: 99, extras: 0, globals: 0, ..b2c32() }, (9, 9), &[(9, 9)], 4);
}

#[test]
fn both_tile_sizes_agree_with_the_definition_on_every_board() {
    let shape = Shape { blocks: 2, ..b3c22() };
    let tensors = network(shape, 5);
    for (side, kind) in [(6, Kind::Four), (9, Kind::Four), (15, Kind::Three), (15, Kind::Four), (19, Kind::Three)] {
        let batch = batch(shape, (side, side), &[(side, side)], 6);
        let expected = Reference::run(&tensors, &batch);
        let mut net = fused(&tensors);
        for net in [&mut net.portable(), &mut net] {
            let mut out = RawOutput::default();
            resize(&net.weights, &batch, &mut out);
            net.forward(Grid::of(kind, side, side), &batch, 0, &mut out);
            let found = distance(&out, &expected);
            assert!(found < 1e-4, "{} with {kind:?} is off by {found} on {side}", net.name());
        }
    }
}

/// Where the machine has only one width, this compares nothing.
#[test]
#[cfg(target_arch = "x86_64")]
fn registers_of_either_width_make_the_same_bits() {
    use super::kernels::{Kernels, Product};
    let Some(avx) = super::avx::Avx::detect() else { return };
    let mut state = 1u64;
    let mut draw = |least: usize, most: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        least + (state >> 33) as usize % (most + 1 - least)
    };
    for _ in 0..300 {
        let (freqs, rows, depth, width) = (draw(1, 3), draw(1, 60), draw(1, 40), 8 * draw(1, 5));
        let transposed = draw(0, 1) == 1;
        let (stride, step) = if transposed { (1, rows + draw(0, 3)) } else { (depth + draw(0, 3), 1) };
        let pitch = if transposed { depth * step } else { rows * stride };
        let mut numbers = |count: usize| (0..count).map(|_| draw(0, 2000) as f32 / 997.0 - 1.0).collect::<Vec<f32>>();
        let (left, right, start) =
            (numbers(freqs * pitch), numbers(freqs * depth * width), numbers(freqs * rows * width));
        let job = Product {
            freqs,
            rows,
            depth,
            stride,
            step,
            pitch,
            width,
            right_stride: width,
            right_pitch: depth * width,
            out_stride: width,
            out_pitch: rows * width,
            add: draw(0, 1) == 1,
            left: &left,
            right: &right,
        };
        let [wide, narrow] = [avx, avx.narrow()].map(|kernels| {
            let mut out = start.clone();
            kernels.multiply(&job, &mut out);
            out.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
        });
        assert!(wide == narrow, "{freqs} products of {rows} x {depth} x {width}, add {}", job.add);
    }
}

/// One position's part of an output, as bits; `board` cuts the policy of a padded board.
fn bits(out: &RawOutput, n: usize, position: usize, width: usize, board: (usize, usize)) -> Vec<u32> {
    let part = |data: &[f32]| data[position * (data.len() / n)..][..data.len() / n].to_vec();
    let policy = part(&out.policy);
    let points = (0..board.0).flat_map(|y| policy[y * width..][..board.1].to_vec());
    points.chain(part(&out.extra)).chain(part(&out.wdl)).chain(part(&out.margin)).map(f32::to_bits).collect()
}

#[test]
fn results_depend_on_the_position_alone() {
    for (shape, side) in [(b2c32(), 9), (b3c22(), 6), (b4c64(), 19), (b2c32(), 15)] {
        let boards = [(side, side), (side, side), (side - 1, side), (side, side), (5, 5), (5, 5), (5, 5), (side, side)];
        let tensors = network(shape, 9);
        let all = batch(shape, (side, side), &boards, 10);
        let net = fused(&tensors);
        for mut net in [net.portable(), net] {
            let together = run(&mut net, &all);
            for (position, &board) in boards.iter().enumerate() {
                let expected = bits(&together, all.n, position, side, board);
                let single = pick(&all, &[position]);
                assert_eq!(bits(&run(&mut net, &single), 1, 0, side, board), expected, "alone");
                let moved = pick(&all, &[7, position, 2, position]);
                assert_eq!(bits(&run(&mut net, &moved), 4, 1, side, board), expected, "another place");
                assert_eq!(bits(&run(&mut net, &moved), 4, 3, side, board), expected, "another place");
                let cut = crop(&single, board);
                assert_eq!(bits(&run(&mut net, &cut), 1, 0, board.1, board), expected, "without padding");
                assert_eq!(bits(&run(&mut net.clone(), &cut), 1, 0, board.1, board), expected, "in a clone");
            }
        }
    }
}

/// The batch of those positions.
fn pick(batch: &RawBatch, positions: &[usize]) -> RawBatch {
    let part = |data: &[f32]| {
        let each = data.len() / batch.n;
        positions.iter().flat_map(|p| data[p * each..][..each].to_vec()).collect::<Vec<f32>>()
    };
    let (planes, globals, mask) = (part(&batch.planes), part(&batch.globals), part(&batch.mask));
    RawBatch { n: positions.len(), planes, globals, mask, ..*batch }
}

/// The batch without the points outside `board`.
fn crop(batch: &RawBatch, board: (usize, usize)) -> RawBatch {
    let cut = |data: &[f32]| {
        let maps = data.chunks(batch.height * batch.width);
        maps.flat_map(|map| (0..board.0).flat_map(|y| map[y * batch.width..][..board.1].to_vec())).collect::<Vec<f32>>()
    };
    let (planes, mask) = (cut(&batch.planes), cut(&batch.mask));
    RawBatch { height: board.0, width: board.1, planes, mask, globals: batch.globals.clone(), n: batch.n }
}

#[test]
fn a_broken_network_shows_as_nan() {
    for name in ["stem.conv.weight", "blocks.0.conv1.bias", "blocks.1.conv2.weight", "value.conv.weight"] {
        let mut tensors = network(b2c32(), 1);
        tensors.get_mut(name).expect("a tensor").1.fill(f32::NAN);
        let net = fused(&tensors);
        for mut net in [net.portable(), net] {
            let out = run(&mut net, &batch(b2c32(), (7, 7), &[(7, 7)], 2));
            assert!(out.wdl.iter().all(|v| v.is_nan()), "{name} is hidden by {}", net.name());
        }
    }
}

#[test]
fn wrong_tensors_are_named() {
    let good = network(b2c32(), 1);
    assert_eq!(good.len(), 30);
    for name in good.keys() {
        let error = |tensors: &Tensors| FusedNet::new(&|name| tensor(tensors, name)).err();
        let mut without = good.clone();
        without.remove(name);
        // Its absence says that there are no globals.
        let optional = ["stem.globals.weight"];
        let found = error(&without);
        assert_eq!(found.is_none(), optional.contains(&name.as_str()), "{name}");
        assert!(found.is_none_or(|e| e.contains(name.as_str())), "{name}");
        let mut longer = good.clone();
        let torn = longer.get_mut(name).expect("listed");
        torn.0.push(1);
        assert!(error(&longer).expect("a rank too many").contains(name.as_str()));
        let mut torn = good.clone();
        torn.get_mut(name).expect("listed").1.pop();
        assert!(error(&torn).expect("a number too few").contains(name.as_str()));
    }
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let mut net = fused(&network(b2c32(), 1));
    let good = batch(b2c32(), (7, 7), &[(7, 7), (5, 6)], 2);
    let mut out = RawOutput::default();
    assert_eq!(net.run(&good, &mut out), Ok(()));
    let mut error = |change: &dyn Fn(&mut RawBatch)| {
        let mut bad = good.clone();
        change(&mut bad);
        net.run(&bad, &mut out).unwrap_err()
    };
    assert!(error(&|b| b.mask[3] = 0.0).contains("mask of position 0"));
    assert!(error(&|b| b.mask[0] = 0.0).contains("mask of position 0"));
    assert!(error(&|b| b.mask[97] = 1.0).contains("mask of position 1"));
    assert!(error(&|b| b.mask[0] = f32::NAN).contains("mask of position 0"));
    assert!(error(&|b| b.mask.fill(0.0)).contains("mask of position 0"));
    assert!(error(&|b| *b.planes.last_mut().expect("planes") = 1.0).contains("position 1 has planes"));
    assert!(error(&|b| b.globals.truncate(3)).contains("globals"));
    assert_eq!(net.run(&RawBatch { height: 9, width: 9, ..RawBatch::default() }, &mut out), Ok(()));
    assert!(out.policy.is_empty() && out.wdl.is_empty());
}

#[test]
fn memory_stays_where_it_is() {
    let mut net = fused(&network(b2c32(), 1));
    let batches = [(19, 19), (9, 9), (13, 7)].map(|sides| batch(b2c32(), sides, &[sides; 3], 2));
    let mut out = RawOutput::default();
    let mut places = || {
        batches.iter().for_each(|batch| net.run(batch, &mut out).expect("a batch that fits"));
        (net.scratch.places(), out.policy.as_ptr(), out.extra.as_ptr(), out.wdl.as_ptr(), out.margin.as_ptr())
    };
    assert_eq!(places(), places());
}

/// Few enough operations for an interpreter that checks every access (`scripts/miri.sh`).
#[test]
fn small_networks_agree_with_the_definition() {
    let shape = Shape { planes: 3, globals: 2, channels: 9, pool: 3, policy: 3, value: 3, hidden: 5, ..b2c32() };
    check(shape, (4, 4), &[(4, 4), (3, 2)], 1);
}

#[test]
fn a_clone_moves_to_another_thread() {
    let net = fused(&network(b3c22(), 1));
    let batch = batch(b3c22(), (6, 6), &[(6, 6)], 2);
    let there = std::thread::scope(|scope| scope.spawn(|| run(&mut net.clone(), &batch)).join().expect("no panic"));
    assert_eq!(there, run(&mut net.clone(), &batch));
}

#[test]
fn the_tile_size_follows_the_board_and_the_network() {
    use Kind::{Four, Three};
    let rows = [(6, Three, Three), (8, Four, Three), (9, Three, Three), (12, Four, Three), (13, Three, Three)];
    for (side, small, large) in rows.into_iter().chain([(15, Three, Three), (19, Four, Four)]) {
        assert_eq!(Grid::new(side, side, false).kind, small, "{side}");
        assert_eq!(Grid::new(side, side, true).kind, large, "{side}");
    }
    assert!(!fused(&network(b4c64(), 1)).large && fused(&network(b6c96(), 1)).large);
}
