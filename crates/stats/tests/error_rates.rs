//! Simulated sequential tests: error rates, mean lengths and the coverage of estimates after stopping. Seeded; bounds
//! are loose enough that only a wrong formula fails.

use tengen_stats::{Decision, PairCounts, Scale, SplitMix, Sprt, score_of_elo, stopped_elo};

/// One game's points for the player under test; `edge` is the opening's Elo for the seat it holds.
fn game(rng: &mut SplitMix, elo: f64, edge: f64, draws: f64) -> f64 {
    let u = rng.unit();
    let win = score_of_elo(elo + edge) - draws / 2.0;
    if u < win {
        1.0
    } else if u < win + draws {
        0.5
    } else {
        0.0
    }
}

/// The playing strength whose mean score over openings of ±`bias` is that of `elo`: biased openings flatten scores.
fn calibrated(elo: f64, bias: f64) -> f64 {
    let mean = |x: f64| (0..=200).map(|i| score_of_elo(x + bias * (f64::from(i) / 100.0 - 1.0))).sum::<f64>() / 201.0;
    tengen_stats::normal::root(-1000.0, 1000.0, |x| mean(x) - score_of_elo(elo))
}

/// Runs a test of at most `cap` pairs over openings whose seat edge is uniform in ±`bias`.
fn run(test: &Sprt, elo: f64, bias: f64, cap: u64, rng: &mut SplitMix) -> (Decision, PairCounts) {
    let mut counts = PairCounts::default();
    loop {
        let edge = (rng.unit() * 2.0 - 1.0) * bias;
        counts.add(game(rng, elo, edge, 0.05), game(rng, elo, -edge, 0.05));
        if counts.pairs() < 16 {
            continue;
        }
        let decision = test.decide(test.llr_exact(&counts));
        if decision != Decision::Continue || counts.pairs() >= cap {
            return (decision, counts);
        }
    }
}

fn sprt(elo0: f64, elo1: f64) -> Sprt {
    Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, scale: Scale::Logistic }
}

#[test]
fn error_rates_hold_with_biased_openings() {
    let test = sprt(0.0, 50.0);
    let mut rng = SplitMix::new(2026);
    let rate = |elo: f64, rng: &mut SplitMix| {
        let runs = 1500;
        let elo = calibrated(elo, 250.0);
        let accepted = (0..runs).filter(|_| run(&test, elo, 250.0, 5000, rng).0 == Decision::AcceptH1).count();
        accepted as f64 / runs as f64
    };
    let (at_h0, at_h1, below) = (rate(0.0, &mut rng), rate(50.0, &mut rng), rate(-50.0, &mut rng));
    assert!(at_h0 < 0.08, "accepts an equal player {at_h0}");
    assert!(at_h1 > 0.92, "accepts a +50 player {at_h1}");
    assert!(below < 0.01, "accepts a -50 player {below}");
}

#[test]
fn exact_and_approximate_ratios_agree_for_long_tests() {
    // With few pairs they differ (the approximation trusts the observed variance), hence the exact one in gates.
    let test = sprt(0.0, 10.0);
    let mut rng = SplitMix::new(5);
    for _ in 0..50 {
        let mut counts = PairCounts::default();
        for _ in 0..1500 {
            counts.add(game(&mut rng, 5.0, 100.0, 0.2), game(&mut rng, 5.0, -100.0, 0.2));
        }
        let (exact, approximate) = (test.llr_exact(&counts), test.llr(&counts));
        assert!((exact - approximate).abs() < 0.02 * approximate.abs() + 0.02, "{counts:?} {exact} {approximate}");
    }
}

#[test]
fn estimate_after_stopping_is_median_unbiased() {
    let test = sprt(0.0, 50.0);
    for (seed, truth) in [(1, 0.0), (2, 30.0), (3, 60.0)] {
        let mut rng = SplitMix::new(seed);
        let (mut above, mut covered, mut naive_above) = (0, 0, 0);
        let runs = 400;
        let strength = calibrated(truth, 150.0);
        for _ in 0..runs {
            let (_, counts) = run(&test, strength, 150.0, 200, &mut rng);
            let (elo, interval) = stopped_elo(&test, &counts).unwrap();
            above += usize::from(elo > truth);
            covered += usize::from(interval.contains(truth));
            naive_above += usize::from(tengen_stats::EloEstimate::of(&counts).elo > truth);
        }
        let share = above as f64 / runs as f64;
        let coverage = covered as f64 / runs as f64;
        assert!((share - 0.5).abs() < 0.1, "truth {truth}: above {share}, naive {naive_above}/{runs}");
        assert!(coverage > 0.89, "truth {truth}: coverage {coverage}");
    }
}

#[test]
fn fixed_length_intervals_cover() {
    let mut rng = SplitMix::new(77);
    for (elo, draws, pairs) in [(0.0, 0.05, 20), (120.0, 0.3, 30), (350.0, 0.02, 25), (0.0, 0.9, 20)] {
        let runs = 1000;
        let covered = (0..runs)
            .filter(|_| {
                let mut counts = PairCounts::default();
                for _ in 0..pairs {
                    counts.add(game(&mut rng, elo, 60.0, draws), game(&mut rng, elo, -60.0, draws));
                }
                let truth = (score_of_elo(elo + 60.0) + score_of_elo(elo - 60.0)) / 2.0;
                counts.score_interval(0.95).contains(truth)
            })
            .count();
        assert!(covered as f64 / f64::from(runs) > 0.93, "{elo} {draws} {pairs}: {covered}/{runs}");
    }
}
