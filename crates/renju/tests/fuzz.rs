//! A fuzz target: after any sequence of make and unmake, the board equals a fresh one built from the same moves.
//!
//! `cargo test` replays the committed inputs in `__fuzz__/make_and_unmake/corpus` and nothing random. Longer runs with
//! random inputs need no other tool or toolchain:
//!
//! ```text
//! BOLERO_RANDOM_TEST_TIME_MS=1800000 cargo test -p tengen-renju --test fuzz
//! ```
//!
//! (`BOLERO_RANDOM_SEED` repeats a reported failure.) `cargo bolero test -p tengen-renju make_and_unmake` would run the
//! same target under a coverage-guided engine. An input found there belongs in the corpus. The committed inputs are one
//! per rule set: the first byte names the rules, then two bytes per step. Not here: what the answers should be
//! (`reference.rs`).

use tengen_game::testkit::{random_inputs_asked, replay_corpus};
use tengen_game::{Action, Colour, Placement, PointSet};
use tengen_renju::FiveBoard;

const RULES: [&str; 12] = [
    "rules=renju size=6",
    "rules=renju size=15",
    "rules=freestyle size=6 win=4",
    "rules=standard size=7x5 win=3",
    "rules=caro size=7",
    "rules=caro:exact+edge-blocks size=6 win=4",
    "rules=omok size=6",
    "rules=omok:exact+real-threes size=9x7",
    "rules=renju size=9",
    "rules=freestyle size=22x3 win=6",
    "rules=omok:real-threes size=15",
    "rules=renju size=22",
];

fn legal(board: &FiveBoard) -> Vec<Action> {
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    let pass = board.pass_legal().then_some(Action::PASS);
    points.iter().map(Action::point).chain(pass).collect()
}

/// Every answer but proofs by fours, which are computed from these.
fn answers(board: &FiveBoard) -> impl PartialEq + std::fmt::Debug {
    let maps = Colour::BOTH.map(|colour| {
        (board.fives(colour), board.four_shapes(colour), board.three_shapes(colour), board.forbidden_for(colour))
    });
    let moves: Vec<_> = (0..board.moves()).map(|back| board.move_back(back)).collect();
    let facts = (board.result(), board.to_play(), board.hash(), board.pass_legal(), board.proven(0));
    (format!("{board:?}"), *board.empty_points(), legal(board), maps, moves, facts)
}

/// Plays the steps of an input and compares after every undo and at the end.
fn play(input: &[u8]) {
    let Some((&which, steps)) = input.split_first() else { return };
    let rules = RULES[which as usize % RULES.len()].parse().expect("the list is valid");
    let mut board = FiveBoard::start(&rules);
    let mut moves: Vec<Action> = Vec::new();
    let compare = |board: &FiveBoard, moves: &[Action]| {
        let mut fresh = FiveBoard::start(&rules);
        moves.iter().for_each(|&action| fresh.place(action));
        assert_eq!(answers(board), answers(&fresh), "after {moves:?}");
    };
    for step in steps.chunks_exact(2) {
        let choices = legal(&board);
        // An undo for one step in four, and wherever there is nothing left to play.
        if step[0] % 4 == 0 || choices.is_empty() {
            if moves.pop().is_some() {
                board.undo();
                compare(&board, &moves);
            }
        } else {
            let action = choices[(usize::from(step[0] / 4) * 256 + usize::from(step[1])) % choices.len()];
            board.place(action);
            moves.push(action);
        }
    }
    compare(&board, &moves);
    while moves.pop().is_some() {
        board.undo();
    }
    compare(&board, &[]);
}

#[test]
fn make_and_unmake() {
    let target = bolero::check!();
    if random_inputs_asked() {
        target.for_each(|input: &[u8]| play(input));
    } else {
        target.with_iterations(0).for_each(|input: &[u8]| play(input));
    }
}

/// The committed inputs are there, one for each rule set and one short, and reach the end of games.
#[test]
fn the_corpus_is_there() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/__fuzz__/make_and_unmake/corpus");
    replay_corpus(folder, RULES.len(), play);
}
