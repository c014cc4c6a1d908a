//! Where the default of `c_scale` comes from: decisions with noisy evaluations, printed as a table. Arms have true values
//! with some spread; the prior leans to the better ones; every evaluation errs, half of it the same all along an arm.

use tengen_game::Game;
use tengen_game::testkit::TestRng;
use tengen_search::{Limits, Rule};

use crate::corridor::{Corridor, Plan, Table};
use crate::stub::{config, evaluation, run};

/// Roughly standard normal: the sum of twelve uniforms.
fn normal(rng: &mut TestRng) -> f32 {
    (0..12).map(|_| rng.below(1 << 20) as f32 / (1 << 20) as f32).sum::<f32>() - 6.0
}

fn table(rng: &mut TestRng, arms: usize, spread: f32) -> Table {
    let values: Vec<f32> = (0..arms).map(|_| (normal(rng) * spread).clamp(-0.95, 0.95)).collect();
    let raw: Vec<f32> = values.iter().map(|v| (1.5 * v / spread + 1.5 * normal(rng)).exp()).collect();
    let sum: f32 = raw.iter().sum();
    Table { values, priors: raw.iter().map(|p| p / sum).collect() }
}

/// Gain of the target over the prior, gain of the played arm, and root value minus the value of the played arm: mean and
/// mean square.
fn measure(c_scale: f32, visits: u32, spread: f32, error: f32) -> [f64; 4] {
    let mut sums = [0.0; 4];
    let rounds = 400;
    for round in 0..rounds {
        let mut rng = TestRng::new(round);
        let table = table(&mut rng, 40, spread);
        let game = Corridor::new(Plan::new(40));
        let mut config = config(Rule::Gumbel);
        config.gumbel.c_scale = c_scale;
        let result = run(&config, &game, Limits::training(visits), round, |g: &Corridor, legal| {
            let exact = table.answer(g, legal);
            let arm = normal(&mut TestRng::new(round * 1000 + g.arm().map_or(999, u64::from)));
            let own = normal(&mut TestRng::new(g.hash() ^ round));
            let flip = if g.to_act() == tengen_game::Seat::First { 1.0 } else { -1.0 };
            let noisy = exact.value.value() + flip * error * (arm + own) * std::f32::consts::FRAC_1_SQRT_2;
            evaluation(exact.priors, noisy.clamp(-1.0, 1.0))
        });
        let target: f32 = result.policy.iter().map(|(a, p)| p * table.values[a.0 as usize]).sum();
        let played = table.values[result.chosen.0 as usize];
        let error_of_value = result.root_value - played;
        let parts = [target - table.mean(), played - table.mean(), error_of_value, error_of_value * error_of_value];
        sums.iter_mut().zip(parts).for_each(|(s, x)| *s += f64::from(x) / rounds as f64);
    }
    sums
}

#[test]
#[ignore = "prints a table; run with --nocapture to see what c_scale does"]
fn c_scale_by_spread_error_and_visits() {
    for (spread, error) in [(0.03, 0.1), (0.1, 0.05), (0.1, 0.15), (0.3, 0.15), (0.3, 0.4)] {
        for visits in [8, 16, 32, 64] {
            print!("spread {spread} error {error} visits {visits:>2}:");
            for c_scale in [0.05, 0.1, 0.25, 0.5, 1.0, 2.0] {
                let [target, played, bias, square] = measure(c_scale, visits, spread, error);
                print!("  {c_scale}: {target:+.3} {played:+.3} {bias:+.3} {:.3}", square.sqrt());
            }
            println!();
        }
    }
}
