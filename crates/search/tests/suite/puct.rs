//! What only PUCT has: noise, temperature, and the tree kept from move to move.

use tengen_game::{Action, Game};
use tengen_search::{Limits, Query, Rule, Search, Step, ask, search_blocking};

use crate::corridor::{Corridor, Plan, Table};
use crate::line::Line;
use crate::stub::{Stub, check, config, flat, run};

#[test]
fn the_target_is_the_visit_count() {
    let table = Table::even(&[0.0, 0.5, 0.1]);
    let result =
        run(&config(Rule::Puct), &Corridor::new(Plan::new(3)), Limits::playing(300), 1, |g, l| table.answer(g, l));
    for ((a, p), (b, n)) in result.policy.iter().zip(&result.visits) {
        assert!(a == b && (p - *n as f32 / 300.0).abs() < 1e-4);
    }
    assert!(result.best && result.chosen == Action(1));
}

/// What is told of a search in progress grows into its result.
#[test]
fn candidates_are_told_at_any_time_best_first() {
    let table = Table::even(&[0.0, 0.5, 0.1]);
    let mut stub = Stub::new(|game: &Corridor, legal: &[Action]| table.answer(game, legal));
    let mut search = Search::new(config(Rule::Puct));
    assert!(search.candidates().is_empty(), "before the first search");
    search.begin(&Corridor::new(Plan::new(3)), Limits::playing(60), 1);
    let (mut answers, mut before) = (Vec::new(), 0);
    while search.step() == Step::Leaf {
        let now: u32 = search.candidates().iter().map(|c| c.visits).sum();
        assert!(now >= before);
        before = now;
        let (game, legal) = search.leaf();
        ask(&mut stub, &[Query { game, legal, slot: 0 }], &mut answers).unwrap();
        search.answer(&answers[0]);
    }
    let (found, result) = (search.candidates(), search.result());
    assert_eq!((found[0].action, &found[0].pv), (result.chosen, &result.pv));
    assert!(found.is_sorted_by(|a, b| a.visits >= b.visits) && before > 50, "{found:?}");
    assert_eq!(found.iter().map(|c| c.visits).sum::<u32>(), 60);
    assert!(found[0].value > 0.3 && found.iter().map(|c| c.prior).sum::<f32>() <= 1.001, "{found:?}");
}

#[test]
fn noise_finds_what_the_prior_hides() {
    let mut priors = vec![0.01 / 9.0; 10];
    priors[0] = 0.99;
    let mut values = vec![-0.2; 10];
    values[7] = 0.9;
    let table = Table { values, priors };
    let game = Corridor::new(Plan::new(10));
    let found = |limits: Limits| {
        (0..40)
            .filter(|&s| {
                let result = run(&config(Rule::Puct), &game, limits, s, |g, l| table.answer(g, l));
                result.visits.iter().any(|(a, n)| a.0 == 7 && *n > 0)
            })
            .count()
    };
    let quiet = Limits { noise: false, ..Limits::training(100) };
    assert!(found(Limits::training(100)) > 20);
    assert_eq!(found(quiet) % 40, 0, "without noise every seed does the same");
}

#[test]
fn temperature_draws_early_and_not_late() {
    let table = Table::even(&[0.1, 0.1, 0.1, 0.12]);
    let chosen = |plies| {
        let mut config = config(Rule::Puct);
        config.puct.temperature_plies = plies;
        let limits = Limits { noise: false, ..Limits::training(40) };
        let game = Corridor::new(Plan::new(4));
        let all: std::collections::BTreeSet<Action> =
            (0..30).map(|s| run(&config, &game, limits, s, |g, l| table.answer(g, l)).chosen).collect();
        all.len()
    };
    assert!(chosen(1) > 2 && chosen(0) == 1);
}

#[test]
fn the_tree_is_kept_and_pays() {
    let mut stub = Stub::new(|_: &Line, legal: &[Action]| flat(legal, 0.0));
    let mut search = Search::new(config(Rule::Puct));
    let mut game = Line::new("size=5 row=4");
    let first = search_blocking(&mut search, &game, Limits::playing(400), 1, &mut stub).unwrap();
    assert_eq!(first.simulations, 400);
    for _ in 0..6 {
        let action = search.result().chosen;
        search.advance(action);
        game.apply(action);
        let result = search_blocking(&mut search, &game, Limits::playing(400), 1, &mut stub).unwrap();
        check(&game, &result);
        assert!(result.simulations < 400, "some visits were kept: {}", result.simulations);
        assert_eq!(result.visits.iter().map(|(_, n)| n).sum::<u32>(), 400);
    }
    // Two plies at once (one's own move and the answer), and a position that isn't below the last root.
    let pv = search.result().pv;
    for &action in &pv[..2] {
        search.advance(action);
        game.apply(action);
    }
    let result = search_blocking(&mut search, &game, Limits::playing(400), 1, &mut stub).unwrap();
    assert!(result.simulations < 400);
    check(&game, &result);
    search.advance(result.chosen);
    let other = Line::after("size=5 row=4", &[0]);
    let result = search_blocking(&mut search, &other, Limits::playing(100), 1, &mut stub).unwrap();
    assert_eq!(result.simulations, 100, "another position starts afresh");
    assert_eq!(result, run(&config(Rule::Puct), &other, Limits::playing(100), 1, |_, l| flat(l, 0.0)));
}

#[test]
fn gumbel_starts_afresh_and_reset_forgets() {
    for rule in [Rule::Gumbel, Rule::Puct] {
        let mut stub = Stub::new(|_: &Line, legal: &[Action]| flat(legal, 0.0));
        let mut search = Search::new(config(rule));
        let mut game = Line::new("size=5 row=4");
        let first = search_blocking(&mut search, &game, Limits::playing(60), 1, &mut stub).unwrap();
        search.advance(first.chosen);
        game.apply(first.chosen);
        if rule == Rule::Puct {
            search.reset();
        }
        let result = search_blocking(&mut search, &game, Limits::playing(60), 1, &mut stub).unwrap();
        assert_eq!(result, run(&config(rule), &game, Limits::playing(60), 1, |_, l| flat(l, 0.0)));
    }
}
