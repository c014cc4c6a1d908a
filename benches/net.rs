//! How fast the network evaluates and learns on this machine's CPU, one thread. Not here: the search around it, and the
//! encoding of positions.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_net::fused::FusedNet;
use tengen_net::{BurnNet, Learner, LearnerConfig, NetConfig, RawEvaluator, RawOutput, Weights, device};

#[path = "../crates/net/tests/support/mod.rs"]
mod support;

fn weights(name: &str) -> Weights {
    let config = NetConfig::preset(name, 8, 1, 2).expect("a known size");
    Weights::random(&config, 1).expect("a checked configuration")
}

fn evaluation(c: &mut Criterion) {
    let mut group = c.benchmark_group("evaluate");
    group.sample_size(20);
    for name in ["b2c32", "b4c64"] {
        let weights = weights(name);
        for (side, n) in [(9, 1), (9, 16), (15, 1), (15, 16)] {
            let batch = support::boards(weights.config(), &vec![(side, side); n], 1);
            let fused = FusedNet::new(&|tensor| weights.get(tensor)).expect("own weights");
            let burn = BurnNet::new(&weights, device("flex").expect("always there"), "flex");
            let runners: [(&str, Box<dyn RawEvaluator>); 2] = [("flex", Box::new(burn)), ("fused", Box::new(fused))];
            group.throughput(Throughput::Elements(n as u64));
            for (runner, mut net) in runners {
                let mut out = RawOutput::default();
                group.bench_function(format!("{name}/{side}x{side}/batch{n}/{runner}"), |b| {
                    b.iter(|| net.run(&batch, &mut out).expect("a fitting batch"));
                });
            }
        }
    }
    group.finish();
}

fn training(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    group.sample_size(10);
    for (name, side) in [("b2c32", 9), ("b2c32", 15), ("b4c64", 9)] {
        let n = 64;
        let start = weights(name);
        let batch = support::training(start.config(), &vec![(side, side); n], 1);
        let device = device("flex").expect("always there");
        let mut learner = Learner::new(start, LearnerConfig::default(), &device).expect("default settings");
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(format!("{name}/{side}x{side}/batch{n}"), |b| {
            b.iter(|| learner.step(&batch, 1e-3).expect("finite numbers"));
        });
    }
    group.finish();
}

criterion_group!(benches, evaluation, training);
criterion_main!(benches);
