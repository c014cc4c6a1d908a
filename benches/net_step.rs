//! Seconds per training step on this machine's CPU: the fused passes and Burn in turn, so that other load meets both,
//! on one thread and on two. The median of the rounds counts. Not here: evaluation (`net`), drawing of batches.
//!
//! Words name what to run, all without any: `net_step b4c64 own 9` leaves the rest out.

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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let named = |names: &[&str]| {
        let chosen: Vec<&String> = words.iter().filter(|w| names.contains(&w.as_str())).collect();
        move |name: &str| chosen.is_empty() || chosen.iter().any(|w| *w == name)
    };
    let (net, kind) = (named(&["b4c64", "b6c96", "b3c22"]), named(&["own", "burn"]));
    let more = words.iter().find_map(|word| word.parse::<usize>().ok());
    println!("{:20} {:>7} {:>10} {:>10} {:>7}", "step", "threads", "own s", "burn s", "ratio");
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
            let [own, burn] = times.map(median);
            let what = format!("{name} {side}x{side} b{rows}");
            println!("{what:20} {threads:>7} {own:>10.4} {burn:>10.4} {:>7.2}", burn / own);
        }
    }
}
