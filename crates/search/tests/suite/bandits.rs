//! Gumbel search on decisions with known values: budgets, few visits, improvement of the policy, small gaps.

use tengen_game::Action;
use tengen_game::testkit::TestRng;
use tengen_search::{Limits, Rule};

use crate::corridor::{Corridor, Plan, Table};
use crate::stub::{config, run};

fn random_table(rng: &mut TestRng, arms: usize) -> Table {
    let mut draw = || rng.below(10_001) as f32 / 10_000.0;
    let values: Vec<f32> = (0..arms).map(|_| draw() * 2.0 - 1.0).collect();
    let raw: Vec<f32> = (0..arms).map(|_| draw().powi(3) + 1e-3).collect();
    let sum: f32 = raw.iter().sum();
    Table { values, priors: raw.iter().map(|p| p / sum).collect() }
}

#[test]
fn visits_add_up_to_the_budget() {
    let mut rng = TestRng::new(1);
    for rule in [Rule::Gumbel, Rule::Puct] {
        for visits in [1, 2, 3, 7, 16, 33, 100, 257] {
            for arms in [2, 5, 40] {
                let table = random_table(&mut rng, arms);
                let game = Corridor::new(Plan::new(arms as u16));
                for limits in [Limits::playing(visits), Limits::training(visits)] {
                    let result = run(&config(rule), &game, limits, 9, |g, l| table.answer(g, l));
                    assert_eq!(result.visits.iter().map(|(_, n)| n).sum::<u32>(), visits, "{rule:?}");
                    assert_eq!((result.simulations, result.evaluations), (visits, visits + 1));
                    let considered = result.visits.len();
                    assert!(rule == Rule::Puct || considered == 16.min(arms).min(visits as usize), "{considered}");
                }
            }
        }
    }
}

#[test]
fn few_visits_choose_among_the_considered() {
    let game = Corridor::new(Plan::new(3));
    let table = Table { values: vec![-0.5, 0.1, 0.6], priors: vec![0.5, 0.3, 0.2] };
    let chosen =
        |visits| run(&config(Rule::Gumbel), &game, Limits::playing(visits), 1, |g, l| table.answer(g, l)).chosen;
    assert_eq!([chosen(1), chosen(2), chosen(3)], [Action(0), Action(1), Action(2)]);
}

#[test]
fn the_improved_policy_improves() {
    let mut rng = TestRng::new(2);
    let (mut gain, mut worse) = (0.0, 0);
    let rounds = 1500;
    for round in 0..rounds {
        let arms = 2 + rng.below(39);
        let table = random_table(&mut rng, arms);
        let game = Corridor::new(Plan::new(arms as u16));
        let limits = Limits::training(1 + rng.below(64) as u32);
        let result = run(&config(Rule::Gumbel), &game, limits, round, |g, l| table.answer(g, l));
        let target: f32 = result.policy.iter().map(|(a, p)| p * table.values[a.0 as usize]).sum();
        gain += f64::from(target - table.mean());
        worse += usize::from(target < table.mean() - 1e-3);
    }
    let gain = gain / rounds as f64;
    println!("mean gain {gain:.3}, worse in {worse} of {rounds}");
    assert!(gain > 0.2, "mean gain {gain}");
    // Values of unvisited actions are guesses, so a rare loss is inherent.
    assert!(worse < 8, "worse in {worse} of {rounds}");
}

#[test]
fn unequal_gaps_at_two_actions_give_unequal_certainty() {
    // Swap or keep at |v| = 0.05: the better side is nearly sure; at 0.001 it is close to even.
    let share = |v: f32| {
        let game = Corridor::new(Plan::new(2));
        let table = Table::even(&[v, -v]);
        let better =
            |seed| run(&config(Rule::Gumbel), &game, Limits::training(8), seed, |g, l| table.answer(g, l)).chosen;
        (0..2000).filter(|&seed| better(seed) == Action(0)).count() as f64 / 2000.0
    };
    let (small, tiny) = (share(0.05), share(0.001));
    println!("better side taken: {small:.3} at 0.05, {tiny:.3} at 0.001");
    assert!(small > 0.9, "{small}");
    assert!(tiny < 0.56, "{tiny}");
}
