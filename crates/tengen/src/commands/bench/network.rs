//! Figures of the network: the matrix product as a yardstick, evaluation, training steps, and what follows for settings.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use ndarray::Array2;
use tengen_features::Encode;
use tengen_game::testkit::TestRng;
use tengen_net::fused::FusedNet;
use tengen_net::{BurnNet, Learner, LearnerConfig, NetConfig, RawBatch, RawEvaluator, RawOutput, Weights};

use super::{Table, game_record, setup};
use crate::catalog::Kind;
use crate::with_game;

/// Floating-point operations per second of a matrix product that fits the cache, on one thread.
pub(super) fn peak() -> f64 {
    const SIDE: usize = 384;
    let a = Array2::<f32>::from_shape_fn((SIDE, SIDE), |(y, x)| (y * 7 + x) as f32 * 1e-3);
    let mut best = 0.0f64;
    let end = Instant::now() + Duration::from_millis(300);
    while Instant::now() < end {
        let started = Instant::now();
        black_box(a.dot(black_box(&a)));
        best = best.max(2.0 * (SIDE as f64).powi(3) / started.elapsed().as_secs_f64());
    }
    best
}

/// Operations of one position through a network on a board of so many points, convolutions taken directly.
fn operations(net: &NetConfig, area: usize) -> f64 {
    let each = |slot: &tengen_net::config::Slot| match slot.shape.len() {
        4 => 2 * slot.len() * area,
        2 => 2 * slot.len(),
        _ => 0,
    };
    net.slots().iter().map(each).sum::<usize>() as f64
}

fn batch_of(net: &NetConfig, n: usize, side: usize) -> RawBatch {
    let area = side * side;
    let mut rng = TestRng::new(7);
    let planes = (0..n * net.planes * area).map(|_| f32::from(u8::from(rng.below(4) == 0))).collect();
    RawBatch { n, height: side, width: side, planes, globals: vec![0.5; n * net.globals], mask: vec![1.0; n * area] }
}

/// The fused pass with small and large batches and on two threads, and Burn on the CPU.
pub(super) fn evaluation(table: &Table, preset: &str, side: usize) -> Result<()> {
    let net = NetConfig::preset(preset, 12, 4, 1)?;
    let weights = Weights::random(&net, 1)?;
    let fused = FusedNet::new(&|name| weights.get(name)).map_err(anyhow::Error::msg)?;
    let device = tengen_net::device("flex").map_err(anyhow::Error::msg)?;
    let cost = operations(&net, side * side);
    let name = |runner: &str, n: usize| format!("evaluation: {preset} {side}x{side}, {runner}, batch {n}");
    let mut out = RawOutput::default();
    for n in [1, 16] {
        let (mut runner, batch) = (fused.clone(), batch_of(&net, n, side));
        let mut run = || runner.run(&batch, &mut out).map_or(0.0, |()| n as f64);
        table.priced(&name("fused", n), "positions", cost, &mut run);
    }
    let batch = batch_of(&net, 16, side);
    table.priced(&name("fused, 2 threads", 16), "positions", cost / 2.0, || {
        let each = || {
            let (mut runner, mut out) = (fused.clone(), RawOutput::default());
            (0..4).map(|_| runner.run(&batch, &mut out).map_or(0.0, |()| 16.0)).sum::<f64>()
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(each);
            each() + other.join().unwrap_or(0.0)
        })
    });
    let mut burn = BurnNet::new(&weights, device, "flex");
    table.priced(&name("flex", 16), "positions", cost, || burn.run(&batch, &mut out).map_or(0.0, |()| 16.0));
    Ok(())
}

/// Training steps of batch 128 on one and two threads. Forward and both backward products count as three evaluations.
pub(super) fn training(table: &Table, preset: &str, text: &str) -> Result<()> {
    with_game!(Kind::of_setup(text)?, G => steps::<G>(table, preset, text))
}

fn steps<G: Encode>(table: &Table, preset: &str, text: &str) -> Result<()> {
    for threads in [1, 2] {
        steps_on::<G>(table, preset, text, "flex", threads)?;
    }
    Ok(())
}

fn steps_on<G: Encode>(table: &Table, preset: &str, text: &str, device: &str, threads: usize) -> Result<()> {
    let setup = setup::<G>(text)?;
    let size = G::start(&setup).size();
    let on = if device == "flex" { format!("{threads} threads") } else { device.to_string() };
    let name = format!("training: {preset} {size}, batch 128, {on}");
    if !table.wants(&name) {
        return Ok(());
    }
    let spec = <G as Encode>::spec(std::slice::from_ref(&setup), "")?;
    let mut net = NetConfig::preset(preset, spec.planes, spec.globals, spec.extras.len())?;
    net.board_heads = spec.board_heads;
    let record = game_record::<G>(text, 0)?;
    let rows = tengen_train::rows_of::<G>(&record, &spec, &tengen_features::LabelConfig::default())?;
    let rows: Vec<&tengen_train::Row> = rows.iter().collect();
    let device = tengen_net::device(device).map_err(anyhow::Error::msg)?;
    let config = LearnerConfig { threads, ..LearnerConfig::default() };
    let mut learner = Learner::new(Weights::random(&net, 1)?, config, &device)?;
    let mut rng = tengen_train::batch::stream(1, 1);
    let batch = tengen_train::batch::draw(&rows, 128, &mut rng, &spec, &net);
    let cost = 3.0 * operations(&net, size.area()) / threads as f64;
    table.priced(&name, "rows", cost, || learner.step(&batch, 1e-4).map_or(0.0, |_| 128.0));
    Ok(())
}

/// Largest difference between a device and the CPU that counts as the same network.
const TOLERANCE: f32 = 2e-3;

/// A device against the CPU: equal outputs, evaluations and training steps with large batches.
pub(super) fn device(table: &Table, name: &str) -> Result<()> {
    const BATCH: usize = 256;
    let open = |name: &str| tengen_net::device(name).map_err(super::super::bad);
    let (device, cpu) = (open(name)?, open("flex")?);
    for (preset, text, side) in [("b6c96", super::GO9, 9), ("b10c128", super::GO19, 19)] {
        let net = NetConfig::preset(preset, 12, 4, 1)?;
        let weights = Weights::random(&net, 1)?;
        let mut here = BurnNet::new(&weights, device.clone(), name);
        let mut reference = BurnNet::new(&weights, cpu.clone(), "flex");
        let (mut out, mut expected) = (RawOutput::default(), RawOutput::default());
        let small = batch_of(&net, 4, side);
        here.run(&small, &mut out).map_err(anyhow::Error::msg)?;
        reference.run(&small, &mut expected).map_err(anyhow::Error::msg)?;
        let pairs = out.policy.iter().chain(&out.wdl).zip(expected.policy.iter().chain(&expected.wdl));
        let wider = |most: f32, d: f32| if d.is_nan() || d > most { d } else { most };
        let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, wider);
        say!("{preset} {side}x{side}: largest difference to the CPU {most:.1e}");
        if most.is_nan() || most > TOLERANCE {
            anyhow::bail!("{name} differs from the CPU by {most:e} on {preset}; at most {TOLERANCE:e} is allowed");
        }
        let batch = batch_of(&net, BATCH, side);
        table.row(&format!("evaluation: {preset} {side}x{side}, {name}, batch {BATCH}"), "positions", || {
            here.run(&batch, &mut out).map_or(0.0, |()| BATCH as f64)
        });
        steps_on::<crate::catalog::Go>(table, preset, text, name, 1)?;
    }
    Ok(())
}

/// What the machine suggests for a run. The fused pass is as fast alone as in a batch, so games in flight only have to
/// hide the ends of games; a device needs enough of them for full batches.
pub(super) fn advice() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "suggested on this machine: run.threads = {cores}, train.threads = {cores}, selfplay.in_flight = 32 (CPU) or \
         512 / threads (other devices)"
    )
}
