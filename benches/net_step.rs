//! Seconds per training step on this machine's CPU: the fused passes and Burn in turn, so that other load meets both,
//! on one thread and on two: the median of the rounds, and the best, which other load disturbs least. Not here:
//! evaluation (`net`), drawing of batches.
//!
//! Words name what to run, all without any, and a number how many rounds: `net_step b4c64 own 9`.

use std::time::Instant;

use tengen_net::{Batch, Gradients, Learner, LearnerConfig, NetConfig, Weights, device};

#[path = "../crates/net/tests/support/mod.rs"]
mod support;

/// Network, board side, rows, rounds.
const RUNS: [(&str, usize, usize, usize); 3] = [("b4c64", 9, 128, 5), ("b6c96", 15, 128, 1), ("b3c22", 6, 256, 9)];

fn learner(name: &str, threads: usize, gradients: Gradients) -> Learner {
    let config = NetConfig::preset(name, 8, 1, 2).expect("a known size");
    let settings = LearnerConfig { threads, gradients, ..LearnerConfig::default() };
    let weights = Weights::random(&config, 1).expect("a checked configuration");
    Learner::new(weights, settings, &device("flex").expect("always there")).expect("default settings")
}

fn seconds(learner: &mut Learner, batch: &Batch) -> f64 {
    let started = Instant::now();
    learner.step(batch, 1e-3).expect("finite numbers");
    started.elapsed().as_secs_f64()
}

/// Median and least.
fn summary(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[0])
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let named = |names: &[&str]| {
        let chosen: Vec<&String> = words.iter().filter(|w| names.contains(&w.as_str())).collect();
        move |name: &str| chosen.is_empty() || chosen.iter().any(|w| *w == name)
    };
    let (net, kind) = (named(&["b4c64", "b6c96", "b3c22"]), named(&["own", "burn"]));
    let more = words.iter().find_map(|word| word.parse::<usize>().ok());
    let heads = ["own median", "best", "burn median", "best", "ratio", "best"];
    println!("{:16} {:>7} {}", "step", "threads", heads.map(|head| format!("{head:>12}")).concat());
    for (name, side, rows, rounds) in RUNS.into_iter().filter(|run| net(run.0)) {
        for threads in [1, 2] {
            let mut pair = [("own", Gradients::Auto), ("burn", Gradients::Burn)]
                .map(|(word, gradients)| kind(word).then(|| learner(name, threads, gradients)));
            let batch = support::training(
                pair.iter().flatten().next().expect("one of two").weights().config(),
                &vec![(side, side); rows],
                1,
            );
            let mut times = [Vec::new(), Vec::new()];
            for round in 0..=more.unwrap_or(rounds) {
                for (learner, times) in pair.iter_mut().zip(&mut times) {
                    let taken = learner.as_mut().map_or(f64::NAN, |learner| seconds(learner, &batch));
                    if round > 0 {
                        times.push(taken);
                    }
                }
            }
            let [own, burn] = times.map(summary);
            let what = format!("{name} {side}x{side} b{rows}");
            let numbers = [own.0, own.1, burn.0, burn.1, burn.0 / own.0, burn.1 / own.1];
            println!("{what:16} {threads:>7} {}", numbers.map(|number| format!("{number:>12.4}")).concat());
        }
    }
}
