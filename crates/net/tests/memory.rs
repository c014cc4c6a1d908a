//! A training run's memory is flat: a library upgrade that leaks (tracel-ai/burn#4792 was one) fails here. In a file of
//! its own, because other tests in the same process would disturb the measurement.

mod support;

use support::training;
use tengen_net::{Learner, LearnerConfig, NetConfig, Weights, device};

/// Resident pages of this process; none where the system has no /proc.
fn resident_pages() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn two_thousand_steps_stay_within_their_memory() {
    if resident_pages().is_none() {
        return;
    }
    let config = NetConfig::preset("b1c4", 2, 0, 0).unwrap();
    let weights = Weights::random(&config, 1).unwrap();
    let settings = LearnerConfig { threads: 2, ..LearnerConfig::default() };
    let mut learner = Learner::new(weights, settings, &device("flex").unwrap()).unwrap();
    let batches: Vec<_> = (0..4).map(|s| training(&config, &[(4, 4), (3, 4)], s)).collect();
    let mut samples = Vec::new();
    for step in 0..2000 {
        learner.step(&batches[step % 4], 1e-3).unwrap();
        if step % 100 == 0 {
            learner.evaluate(&batches[0]).unwrap();
        }
        if step >= 500 && step % 50 == 0 {
            samples.extend(resident_pages());
        }
    }
    let (first, last) = (samples[0], samples[samples.len() - 1]);
    assert!(last as f64 <= first as f64 * 1.02 + 64.0, "resident pages grew from {first} to {last}: {samples:?}");
}
