//! Offer stages: N offers, the opponent picks; worth the N-th best class.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Game, Seat};
use tengen_search::{Limits, Rule};

use crate::corridor::{Corridor, Plan, Table};
use crate::stub::{config, flat, run};

/// Values by arm, equal within a class.
fn by_class(classes: &[f32], size: usize) -> Vec<f32> {
    classes.iter().flat_map(|&v| std::iter::repeat_n(v, size)).collect()
}

#[test]
fn the_value_is_that_of_the_nth_best_class() {
    let mut rng = TestRng::new(3);
    for round in 0..120 {
        let (classes, size, due) = (4 + rng.below(30), 1 + rng.below(3), 2 + rng.below(7));
        let values: Vec<f32> = (0..classes).map(|_| rng.below(2001) as f32 / 1000.0 - 1.0).collect();
        let decider = Seat::BOTH[round % 2];
        let plan = Plan { offers: due as u16, class: size as u16, decider, ..Plan::new((classes * size) as u16) };
        let table = Table::even(&by_class(&values, size));
        let game = Corridor::new(plan);
        let mut config = config([Rule::Gumbel, Rule::Puct][round / 2 % 2]);
        config.gumbel.considered = 64;
        let result = run(&config, &game, Limits::playing(400), 1, |g, l| table.answer(g, l));
        assert_eq!(result.offers.len(), due.min(classes * size));
        let mut distinct = result.offers.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), result.offers.len(), "offers are distinct");
        let mut best = values.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        let nth = best[due.min(classes) - 1];
        assert!((result.root_value - nth).abs() < 1e-3, "{} for {nth} of {values:?}, {due} due", result.root_value);
        assert!(result.offers.iter().all(|a| table.values[a.0 as usize] >= nth - 1e-3), "only the best are offered");
        assert_eq!(result.chosen, result.offers[0]);
    }
}

#[test]
fn members_of_a_class_share_its_mass_and_offers_share_the_target() {
    let plan = Plan { offers: 2, class: 2, ..Plan::new(12) };
    let table = Table::even(&by_class(&[0.9, -0.5, 0.8, -0.6, -0.7, -0.9], 2));
    let result = run(&config(Rule::Gumbel), &Corridor::new(plan), Limits::training(60), 1, |g, l| table.answer(g, l));
    let share = |a: u16| result.policy.iter().find(|(b, _)| b.0 == a).map_or(0.0, |(_, p)| *p);
    for arm in [0, 1, 4, 5] {
        assert!((share(arm) - 0.25).abs() < 0.01, "arm {arm}: {}", share(arm));
    }
    assert_eq!(result.offers, [Action(0), Action(4)]);
}

#[test]
fn as_many_classes_as_offers_are_considered() {
    let plan = Plan { offers: 20, ..Plan::new(50) };
    let values: Vec<f32> = (0..50).map(|i| i as f32 / 50.0).collect();
    let table = Table::even(&values);
    for visits in [5, 20, 60] {
        let game = Corridor::new(plan.clone());
        let result = run(&config(Rule::Gumbel), &game, Limits::training(visits), 1, |g, l| table.answer(g, l));
        assert_eq!(result.offers.len(), 20);
        assert_eq!(result.visits.len(), visits.min(20) as usize);
    }
}

#[test]
fn inside_the_tree_an_offer_stage_is_a_leaf() {
    let plan = Plan { offers: 3, lead: 1, ..Plan::new(9) };
    let game = Corridor::new(plan);
    for rule in [Rule::Gumbel, Rule::Puct] {
        let result = run(&config(rule), &game, Limits::playing(30), 1, |g: &Corridor, l| {
            assert!(g.plies() <= 1, "nothing below the offers is asked");
            flat(l, if g.plies() == 1 { 0.4 } else { -0.2 })
        });
        assert_eq!((result.evaluations, result.simulations), (3, 30), "root and both offer stages");
        assert!((result.root_value + 0.4).abs() < 0.05, "{rule:?} {}", result.root_value);
    }
}

#[test]
fn a_resumed_offer_stage_owes_the_rest() {
    let mut game = Corridor::new(Plan { offers: 3, ..Plan::new(8) });
    game.apply(Action(7));
    let table = Table::even(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
    let result = run(&config(Rule::Gumbel), &game, Limits::playing(50), 1, |g, l| table.answer(g, l));
    assert_eq!(result.offers, [Action(6), Action(5)]);
}
