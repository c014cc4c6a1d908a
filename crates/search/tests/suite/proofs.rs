//! Proofs: sound against exact play, exact in value, and never a question about what is decided.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Game, Proof, Seat};
use tengen_search::{Limits, ProofConfig, Rule, SearchConfig};

use crate::line::{Line, exact};
use crate::nim::{Heap, Nim};
use crate::stub::{config, flat, run};

/// A position after some random plies that isn't over.
fn random_position(text: &str, rng: &mut TestRng, plies: usize) -> Line {
    loop {
        let mut game = Line::new(text);
        let mut legal = Vec::new();
        for _ in 0..plies {
            game.legal(&mut legal);
            if !legal.is_empty() {
                let action = legal[rng.below(legal.len())];
                game.apply(action);
            }
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

#[test]
fn searches_agree_with_exact_play_in_rows() {
    let mut rng = TestRng::new(5);
    let mut decided = 0;
    for round in 0..240 {
        let text =
            ["size=3 row=3", "size=3 row=3 pie=true", "size=3 row=3 prove=true", "size=4x3 row=3 pie=true"][round % 4];
        let least = if text.contains("4x3") { 5 } else { 1 };
        let plies = least + rng.below(6);
        let mut game = random_position(text, &mut rng, plies);
        let seat = game.to_act();
        let value = exact(&mut game, seat);
        let rule = [Rule::Gumbel, Rule::Puct][round / 4 % 2];
        let limits = if round % 3 == 0 { Limits::training(1500) } else { Limits::playing(3000) };
        let result = run(&config(rule), &game, limits, round as u64, |_, legal| flat(legal, 0.0));
        let tag = format!("{rule:?} {text} {game:?} gives {result:?}, exact {value}");
        match result.proven {
            Some(Proof::Win(a)) => assert!(value == 1.0 && a == result.chosen && result.root_value == 1.0, "{tag}"),
            Some(Proof::Loss) => assert!(value == -1.0 && result.root_value == -1.0, "{tag}"),
            Some(Proof::Draw) => assert!(value == 0.0 && result.root_value == 0.0, "{tag}"),
            Some(Proof::Only(a)) => assert_eq!(result.policy, [(a, 1.0)], "{tag}"),
            None => {}
        }
        decided += usize::from(result.proven.is_some());
        game.apply(result.chosen);
        if !limits.temperature || value == 1.0 {
            assert_eq!(exact(&mut game, seat), value, "the best is played: {tag}");
        }
        game.undo();
        for (action, p) in &result.policy {
            game.apply(*action);
            let after = exact(&mut game, seat);
            game.undo();
            let proven_win = matches!(result.proven, Some(Proof::Win(_)));
            assert!(!proven_win || after == 1.0, "the target of a won root covers wins only ({p}): {tag}");
        }
    }
    assert!(decided > 150, "most of these are small enough to prove: {decided}");
}

#[test]
fn proofs_from_few_simulations_are_sound() {
    let mut rng = TestRng::new(6);
    let mut seen = [0; 4];
    for round in 0..3000 {
        let text = ["size=3 row=3", "size=3 row=3 pie=true", "size=3 row=3 prove=true"][round % 3];
        let plies = 3 + rng.below(5);
        let mut game = random_position(text, &mut rng, plies);
        let rule = [Rule::Gumbel, Rule::Puct][round / 3 % 2];
        let limits = Limits::training(1 + rng.below(24) as u32);
        let mut salt = TestRng::new(round as u64);
        let result =
            run(&config(rule), &game, limits, 1, move |_, legal| flat(legal, salt.below(2001) as f32 / 1000.0 - 1.0));
        let seat = game.to_act();
        let value = exact(&mut game, seat);
        let (index, claimed) = match result.proven {
            Some(Proof::Win(_)) => (0, 1.0),
            Some(Proof::Loss) => (1, -1.0),
            Some(Proof::Draw) => (2, 0.0),
            _ => (3, value),
        };
        seen[index] += 1;
        assert_eq!(value, claimed, "{text} {game:?} gives {result:?}");
    }
    assert!(seen.iter().all(|&n| n > 50), "each kind is met: {seen:?}");
}

#[test]
fn nim_is_solved_and_losing_everywhere_is_a_loss() {
    for rule in [Rule::Gumbel, Rule::Puct] {
        for heap in 2..=12u16 {
            let game = Nim::start(&Heap(heap));
            let result = run(&config(rule), &game, Limits::playing(3000), 1, |_, legal| flat(legal, 0.0));
            if heap % 4 == 0 {
                assert_eq!(result.proven, Some(Proof::Loss), "{rule:?} {heap}");
                assert_eq!(result.root_value, -1.0);
            } else {
                let win = Action::number(heap % 4);
                assert_eq!(result.proven, Some(Proof::Win(win)), "{rule:?} {heap}");
                assert_eq!(result.policy, [(win, 1.0)]);
            }
        }
    }
}

#[test]
fn forced_roots_ask_nothing() {
    // X on 0 1, O on 3 6: X wins at 2. O to act instead must block there.
    let text = "size=3 row=3 prove=true";
    let win = Line::after(text, &[0, 3, 1, 6]);
    let result = run(&config(Rule::Gumbel), &win, Limits::training(50), 1, |_, _| unreachable!());
    assert_eq!((result.proven, result.root_value, result.forced), (Some(Proof::Win(Action(2))), 1.0, true));
    let block = Line::after(text, &[0, 3, 1]);
    let result = run(&config(Rule::Puct), &block, Limits::training(50), 1, |_, _| unreachable!());
    assert_eq!((result.proven, &result.policy[..]), (Some(Proof::Only(Action(2))), &[(Action(2), 1.0)][..]));
    assert!(!result.has_value());
    let last = Nim::start(&Heap(1));
    let result = run(&config(Rule::Gumbel), &last, Limits::training(50), 1, |_, _| unreachable!());
    assert_eq!((result.chosen, result.forced, result.simulations), (Action::number(1), true, 0));
}

#[test]
fn forced_blocks_inside_the_tree_cost_no_evaluation() {
    // The stub refuses questions about decided positions; on this board nearly all are.
    let text = "size=3 row=3 prove=true";
    let game = Line::after(text, &[4]);
    for rule in [Rule::Gumbel, Rule::Puct] {
        let result = run(&config(rule), &game, Limits::playing(400), 1, |_, legal| flat(legal, 0.0));
        assert!(result.evaluations * 3 < result.simulations, "{rule:?}: {} asked", result.evaluations);
    }
}

#[test]
fn without_proofs_of_the_game_ends_are_still_exact() {
    let game = Line::after("size=3 row=3 prove=true", &[0, 3, 1, 6]);
    let proof = ProofConfig { enabled: false, ..ProofConfig::default() };
    for rule in [Rule::Gumbel, Rule::Puct] {
        let config = SearchConfig { rule, proof: proof.clone(), ..SearchConfig::default() };
        let mut stub = crate::stub::Stub::new(|_: &Line, legal: &[Action]| flat(legal, -0.5));
        stub.proof = None;
        let mut search = tengen_search::Search::new(config);
        let limits = Limits::playing(50);
        let result = tengen_search::search_blocking(&mut search, &game, limits, 1, &mut stub).unwrap();
        assert_eq!((result.proven, result.chosen), (Some(Proof::Win(Action(2))), Action(2)));
    }
}

#[test]
fn a_lost_root_still_resists_and_teaches() {
    // X threatens 3 and 4: O is lost, the game says so, and the search goes on all the same.
    let game = Line::after("size=3 row=3 prove=true", &[0, 8, 2, 1, 6]);
    assert!(matches!(game.proven(0), Some(Proof::Loss)), "{game:?}");
    for rule in [Rule::Gumbel, Rule::Puct] {
        let result = run(&config(rule), &game, Limits::training(20), 1, |_, legal| flat(legal, 0.0));
        assert_eq!((result.proven, result.root_value), (Some(Proof::Loss), -1.0));
        assert!(!result.policy.is_empty() && game.is_legal(result.chosen));
    }
    // Heap of 8 is lost; taking 1, 2 or 3 all lose in the same number of turns at the earliest.
    let nim = Nim::start(&Heap(8));
    let result = run(&config(Rule::Gumbel), &nim, Limits::playing(2000), 1, |_, legal| flat(legal, 0.0));
    assert_eq!(result.policy.len(), 3, "every action keeps a share: {result:?}");
    assert_eq!(nim.to_act(), Seat::First);
}
