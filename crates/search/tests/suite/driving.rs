//! Driving searches: batches over games, determinism, bad evaluations.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Game};
use tengen_search::{
    EvalError, Evaluation, Evaluator, Limits, Rule, Search, Step, Uniform, Wdl, search_all, search_blocking,
};

use crate::line::Line;
use crate::stub::{Stub, check, config, evaluation, flat, run};

/// An evaluation that depends on the position alone.
fn hashed(game: &Line, legal: &[Action]) -> Evaluation {
    let mut rng = TestRng::new(game.hash());
    let priors: Vec<f32> = legal.iter().map(|_| 0.01 + rng.below(100) as f32).collect();
    let sum: f32 = priors.iter().sum();
    evaluation(priors.iter().map(|p| p / sum).collect(), rng.below(1001) as f32 / 1000.0 - 0.5)
}

#[test]
fn a_batch_of_games_gives_what_each_gives_alone() {
    for rule in [Rule::Gumbel, Rule::Puct] {
        let games: Vec<Line> = (0..12).map(|i| Line::after("size=5 row=4", &[i, 24 - i])).collect();
        let mut searches: Vec<Search<Line>> = games.iter().map(|_| Search::new(config(rule))).collect();
        for (i, (search, game)) in searches.iter_mut().zip(&games).enumerate() {
            search.begin(game, Limits::training(20 + 3 * i as u32), i as u64);
        }
        search_all(&mut searches, &mut Stub::new(hashed)).unwrap();
        for (i, (search, game)) in searches.iter().zip(&games).enumerate() {
            let alone = run(&config(rule), game, Limits::training(20 + 3 * i as u32), i as u64, hashed);
            assert_eq!(search.result(), alone, "{rule:?} game {i}");
        }
    }
}

#[test]
fn seeds_matter_with_noise_only() {
    let game = Line::new("size=5 row=4");
    for rule in [Rule::Gumbel, Rule::Puct] {
        let result = |limits, seed| run(&config(rule), &game, limits, seed, hashed);
        assert_eq!(result(Limits::playing(50), 1), result(Limits::playing(50), 2));
        assert_eq!(result(Limits::training(50), 1), result(Limits::training(50), 1));
        assert_ne!(result(Limits::training(50), 1), result(Limits::training(50), 2));
    }
}

#[test]
fn a_search_in_progress_can_be_dropped() {
    let game = Line::new("size=5 row=4");
    let mut search = Search::new(config(Rule::Gumbel));
    assert_eq!(search.step(), Step::Done, "nothing begun");
    search.begin(&game, Limits::training(30), 1);
    for _ in 0..7 {
        assert_eq!(search.step(), Step::Leaf);
        assert_eq!(search.step(), Step::Leaf, "until answered");
        let (leaf, legal) = search.leaf();
        let answer = hashed(leaf, legal);
        search.answer(&answer);
    }
    let result = search_blocking(&mut search, &game, Limits::training(30), 1, &mut Stub::new(hashed)).unwrap();
    assert_eq!(result, run(&config(Rule::Gumbel), &game, Limits::training(30), 1, hashed));
}

#[test]
fn zero_mass_is_played_around_and_reported() {
    // A nearly full board; the network puts all its mass elsewhere, or next to nothing everywhere.
    let game = Line::after("size=3 row=3", &[0, 1, 2, 4, 3]);
    for mass in [0.0, 1e-30] {
        for rule in [Rule::Gumbel, Rule::Puct] {
            let mut search = Search::new(config(rule));
            search.begin(&game, Limits::training(20), 1);
            let mut stub = Stub::new(|_: &Line, legal: &[Action]| evaluation(vec![mass; legal.len()], 0.0));
            let massless = search_all(std::slice::from_mut(&mut search), &mut stub).unwrap();
            assert_eq!(massless as u64, stub.asked, "each is reported");
            check(&game, &search.result());
        }
    }
    // A proper zero among others is never a reason to fail either.
    let result = run(&config(Rule::Gumbel), &game, Limits::training(20), 1, |_, legal| {
        let mut priors = vec![0.0; legal.len()];
        priors[0] = 1.0;
        evaluation(priors, 0.0)
    });
    assert!(game.is_legal(result.chosen));
}

#[test]
fn values_that_are_not_finite_name_model_and_position() {
    let game = Line::new("size=3 row=3");
    let mut bad_prior = Stub::new(|_: &Line, legal: &[Action]| evaluation(vec![f32::NAN; legal.len()], 0.0));
    let nan = Wdl { win: f32::NAN, draw: 0.0, loss: 0.0 };
    let mut bad_value = Stub::new(move |_: &Line, legal: &[Action]| Evaluation { value: nan, ..flat(legal, 0.0) });
    let mut short = Stub::new(|_: &Line, _: &[Action]| evaluation(vec![1.0], 0.0));
    let evaluators: [&mut dyn Evaluator<Line>; 3] = [&mut bad_prior, &mut bad_value, &mut short];
    for (i, evaluator) in evaluators.into_iter().enumerate() {
        let mut search = Search::new(config(Rule::Gumbel));
        let error = search_blocking(&mut search, &game, Limits::training(20), 1, evaluator).unwrap_err();
        match error {
            EvalError::NotFinite { model, position } => assert!(i < 2 && model == "stub" && position.contains("Line")),
            EvalError::Failed { model, why } => assert!(i == 2 && model == "stub" && why.contains("1 priors for 9")),
        }
    }
}

#[test]
fn whole_games_end_with_no_network() {
    let mut uniform = Uniform::default();
    for (rule, seed) in [(Rule::Gumbel, 1), (Rule::Puct, 2)] {
        let mut search = Search::new(config(rule));
        let mut game = Line::new("size=4 row=3");
        while game.outcome().is_none() {
            let limits = Limits::training(24);
            let result = search_blocking(&mut search, &game, limits, seed + game.plies() as u64, &mut uniform).unwrap();
            check(&game, &result);
            game.apply(result.chosen);
            search.advance(result.chosen);
        }
        assert!(game.plies() >= 5);
    }
    assert!(Evaluator::<Line>::evaluations(&uniform) > 0);
}
