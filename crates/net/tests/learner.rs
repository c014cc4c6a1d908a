//! Learning: losses fall, steps repeat and resume to the bit, bad numbers change nothing.

mod support;

use support::{all_heads, training};
use tengen_net::{Batch, Gradients, LearnError, Learner, LearnerConfig, LossParts, NetConfig, Weights, device};

const SIZES: [(usize, usize); 8] = [(5, 5), (6, 6), (5, 6), (6, 6), (6, 5), (4, 6), (6, 6), (6, 6)];

fn config() -> NetConfig {
    all_heads("b2c8", 3, 2, 4)
}

fn learner(threads: usize) -> Learner {
    let settings = LearnerConfig { threads, ..LearnerConfig::default() };
    Learner::new(Weights::random(&config(), 5).unwrap(), settings, &device("flex").unwrap()).unwrap()
}

fn batch(seed: u64) -> Batch {
    training(&config(), &SIZES, seed)
}

/// Everything a run leaves behind.
fn trace(learner: &mut Learner, steps: std::ops::Range<u64>) -> Vec<(u64, LossParts, f32)> {
    steps
        .map(|s| {
            let report = learner.step(&batch(s), 1e-3).unwrap();
            (report.step, report.loss, report.grad_norm)
        })
        .collect()
}

#[test]
fn every_loss_falls_on_a_fixed_batch() {
    let mut learner = learner(1);
    let batch = batch(1);
    let before = learner.evaluate(&batch).unwrap();
    for _ in 0..150 {
        learner.step(&batch, 3e-3).unwrap();
    }
    let after = learner.evaluate(&batch).unwrap();
    let fell = |name: &str, pick: fn(&LossParts) -> Option<f32>, by: f32| {
        let (b, a) = (pick(&before).unwrap(), pick(&after).unwrap());
        assert!(a < b - by, "{name}: {b} -> {a}");
    };
    fell("policy", |l| l.policy, 0.3);
    fell("reply", |l| l.reply, 0.5);
    fell("soft", |l| l.soft, 0.02);
    fell("wdl", |l| l.wdl, 0.3);
    fell("short", |l| l.short, 0.3);
    fell("margin", |l| l.margin, 0.02);
    fell("ownership", |l| l.ownership, 0.1);
    assert!(after.total < before.total);
}

/// A few hundred steps on ever new positions, by the fused passes and by Burn.
#[test]
fn both_kinds_of_gradient_learn_the_same() {
    let run = |gradients| {
        let settings = LearnerConfig { gradients, ..LearnerConfig::default() };
        let start = Weights::random(&config(), 5).unwrap();
        let mut learner = Learner::new(start, settings, &device("flex").unwrap()).unwrap();
        let losses: Vec<f32> = (0..200).map(|s| learner.step(&batch(s), 3e-3).unwrap().loss.total).collect();
        let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
        (learner.gradients(), losses[0], mean(&losses[..50]), mean(&losses[150..]))
    };
    let (fused, burn) = (run(Gradients::Auto), run(Gradients::Burn));
    assert!(fused.0.starts_with("fused") && burn.0 == "burn");
    assert!((fused.1 - burn.1).abs() < 1e-4 * burn.1, "{fused:?} {burn:?}");
    assert!(burn.3 < burn.2 - 0.1, "it learns: {burn:?}");
    assert!((fused.3 - burn.3).abs() < 0.01 * burn.3, "{fused:?} {burn:?}");
}

#[test]
fn losses_of_an_even_network_are_known_numbers() {
    let config = config();
    let zeros = Weights::from_values(&config, vec![0.0; config.parameters()]).unwrap();
    let learner = Learner::new(zeros, LearnerConfig::default(), &device("flex").unwrap()).unwrap();
    let batch = batch(3);
    let parts = learner.evaluate(&batch).unwrap();
    let t = &batch.targets;
    let actions = 36 + 4;
    let mean = |own: &[f32], per_row: &dyn Fn(usize) -> f32| {
        let w: Vec<f32> = t.weight.iter().zip(own).map(|(a, b)| a * b).collect();
        w.iter().enumerate().map(|(i, w)| w * per_row(i)).sum::<f32>() / w.iter().sum::<f32>()
    };
    let near = |a: Option<f32>, b: f32| assert!((a.unwrap() - b).abs() < 1e-5, "{a:?} {b}");
    let legal = |row: usize| t.legal[row * actions..][..actions].iter().sum::<f32>();
    let points = |row: usize| batch.input.mask[row * 36..][..36].iter().sum::<f32>();
    near(parts.policy, mean(&t.policy_weight, &|row| legal(row).ln()));
    near(parts.soft, mean(&t.policy_weight, &|row| legal(row).ln()));
    near(parts.reply, mean(&t.reply_weight, &|row| (points(row) + 4.0).ln()));
    near(parts.wdl, 3f32.ln());
    near(parts.short, 3f32.ln());
    let squares = |row: usize| t.ownership[row * 36..][..36].iter().map(|o| o * o).sum::<f32>() / points(row);
    near(parts.ownership, mean(&t.board_weight, &squares));
    let margin = |row: usize| {
        let e = (t.margin[row] / 20.0).abs();
        let huber = if e <= 1.0 { 0.5 * e * e } else { e - 0.5 };
        huber + 0.1 * (0.5 * e * e)
    };
    near(parts.margin, mean(&t.board_weight, &margin));
}

#[test]
fn ten_and_ten_steps_are_twenty() {
    for threads in [1, 2] {
        let mut straight = learner(threads);
        let first = trace(&mut straight, 0..20);
        let mut half = learner(threads);
        let mut second = trace(&mut half, 0..10);
        let saved = half.state_bytes();
        let mut resumed = learner(threads);
        resumed.restore(&saved).unwrap();
        assert_eq!((resumed.steps(), resumed.state_bytes()), (10, saved));
        second.extend(trace(&mut resumed, 10..20));
        assert_eq!(first, second);
        assert!(straight.state_bytes() == resumed.state_bytes());
        assert_eq!(straight.averaged(), resumed.averaged());
        assert_ne!(straight.averaged(), *straight.weights());
    }
}

#[test]
fn steps_repeat_and_threads_agree() {
    let run = |threads| {
        let mut learner = learner(threads);
        let trace = trace(&mut learner, 0..3);
        (trace, learner.state_bytes())
    };
    let (one, three) = (run(1), run(3));
    assert!(one == run(1) && three == run(3));
    for (a, b) in one.0.iter().zip(&three.0) {
        assert!((a.1.total - b.1.total).abs() < 1e-3 * a.1.total.abs(), "{a:?} {b:?}");
        assert!((a.2 - b.2).abs() < 1e-3 * a.2, "{a:?} {b:?}");
    }
    // More threads than rows.
    assert!(run(20).0[0].1.total.is_finite());
}

#[test]
fn numbers_that_overflow_are_refused_and_change_nothing() {
    let mut learner = learner(1);
    trace(&mut learner, 0..2);
    let before = learner.state_bytes();
    let mut bad = batch(9);
    bad.input.planes.iter_mut().for_each(|p| *p *= 3e38);
    let error = learner.step(&bad, 1e-3).unwrap_err();
    assert!(matches!(error, LearnError::NotFinite { step: 3, .. }), "{error}");
    assert_eq!(error.to_string(), "step 3: the loss is not finite; weights are unchanged");
    assert!(learner.state_bytes() == before);
    bad.input.planes[0] = f32::NAN;
    let error = learner.step(&bad, 1e-3).unwrap_err().to_string();
    assert_eq!(error, "batch of step 3: planes holds NaN in row 0");
    assert!(learner.step(&batch(1), f32::NAN).is_err() && learner.step(&batch(1), 2.0).is_err());
    assert!(learner.state_bytes() == before);
}

#[test]
fn nonsense_targets_are_named() {
    let learner = learner(1);
    let complain = |change: &dyn Fn(&mut Batch), expected: &str| {
        let mut bad = batch(2);
        change(&mut bad);
        let text = learner.evaluate(&bad).unwrap_err().to_string();
        assert!(text.contains(expected), "{text} / {expected}");
    };
    complain(&|b| b.targets.wdl[4] += 0.5, "wdl of row 1 isn't a distribution");
    complain(&|b| b.targets.legal[40..80].fill(0.0), "legal of row 1");
    complain(&|b| b.targets.policy.iter_mut().for_each(|p| *p *= 2.0), "policy of row 0");
    complain(&|b| b.targets.weight[3] = -1.0, "weight is -1 in row 3");
    complain(&|b| b.targets.weight.fill(0.0), "all rows have weight 0");
    complain(&|b| b.targets.short.clear(), "short has 0 values");
    complain(&|b| b.input.mask[..36].fill(0.0), "mask of row 0");
    complain(&|b| b.targets.ownership[0] = 1.5, "ownership of row 0");
    complain(
        &|b| {
            let best = (0..40).max_by(|&i, &j| b.targets.policy[i].total_cmp(&b.targets.policy[j])).unwrap();
            b.targets.legal[best] = 0.0;
        },
        "isn't legal",
    );
}

#[test]
fn a_row_without_weight_teaches_nothing() {
    let mut a = batch(4);
    a.targets.weight[2] = 0.0;
    let mut b = a.clone();
    let actions = 40;
    b.targets.wdl[6..9].copy_from_slice(&[1.0, 0.0, 0.0]);
    b.targets.policy[2 * actions..3 * actions].copy_from_slice(&batch(4).targets.legal[2 * actions..3 * actions]);
    let sum: f32 = b.targets.policy[2 * actions..3 * actions].iter().sum();
    b.targets.policy[2 * actions..3 * actions].iter_mut().for_each(|p| *p /= sum);
    let (mut x, mut y) = (learner(1), learner(1));
    assert_eq!(x.step(&a, 1e-3).unwrap(), y.step(&b, 1e-3).unwrap());
    assert!(x.state_bytes() == y.state_bytes());
}

#[test]
fn a_damaged_state_is_refused_and_changes_nothing() {
    let mut learner = learner(1);
    trace(&mut learner, 0..1);
    let good = learner.state_bytes();
    let header = 8 + u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    for cut in (0..good.len()).step_by(good.len() / 50) {
        assert!(learner.restore(&good[..cut]).is_err());
    }
    for at in (0..header).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 0x11;
        let _ = learner.restore(&bad);
    }
    learner.restore(&good).unwrap();
    // A weights file alone has no moments.
    let error = learner.restore(&learner.weights().to_bytes()).unwrap_err();
    assert!(error.to_string().contains("metadata `learner`: missing"), "{error}");
    let other = NetConfig::preset("b2c8", 3, 2, 4).unwrap();
    let mut other =
        Learner::new(Weights::random(&other, 1).unwrap(), LearnerConfig::default(), &device("flex").unwrap()).unwrap();
    assert!(matches!(other.restore(&good), Err(LearnError::OtherNetwork { .. })));
}

#[test]
fn a_state_that_lacks_one_moment_is_refused() {
    let mut learner = learner(1);
    trace(&mut learner, 0..1);
    let file = learner.state_bytes();
    let (_, header) = safetensors::SafeTensors::read_metadata(&file).unwrap();
    let all = safetensors::SafeTensors::deserialize(&file).unwrap();
    let kept: Vec<_> = all.tensors().into_iter().filter(|(name, _)| name != "square.value.wdl.bias").collect();
    assert_eq!(kept.len() + 1, all.len());
    let bytes = safetensors::serialize(kept, header.metadata().clone()).unwrap();
    let before = learner.state_bytes();
    let error = learner.restore(&bytes).unwrap_err().to_string();
    assert!(error.contains("tensor `square.value.wdl.bias`: missing"), "{error}");
    assert!(learner.state_bytes() == before);
}

#[test]
fn settings_are_checked() {
    let make = |settings| {
        let weights = Weights::random(&config(), 5).unwrap();
        Learner::new(weights, settings, &device("flex").unwrap()).err().map(|e| e.to_string())
    };
    assert_eq!(make(LearnerConfig::default()), None);
    let text = make(LearnerConfig { beta2: 1.0, ..Default::default() }).unwrap();
    assert!(text.contains("beta2 = 1"), "{text}");
    assert!(make(LearnerConfig { threads: 0, ..Default::default() }).is_some());
    assert!(make(LearnerConfig { clip_norm: f32::NAN, ..Default::default() }).is_some());
    let mut settings = LearnerConfig::default();
    settings.loss.soft_temperature = 0.0;
    assert!(make(settings).unwrap().contains("soft_temperature"));
}
