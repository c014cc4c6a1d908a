//! A fuzz target: after any sequence of moves of either colour, passes and undos, chains, liberties, counts and hashes kept
//! step by step equal a recount, and the board equals a fresh one on which the same moves were played.
//!
//! `cargo test` replays the committed inputs in `__fuzz__/moves_and_undos/corpus` and nothing random. Longer runs with
//! random inputs need no other tool or toolchain:
//!
//! ```text
//! BOLERO_RANDOM_TEST_TIME_MS=1800000 cargo test -p tengen-go --test fuzz
//! ```
//!
//! (`BOLERO_RANDOM_SEED` repeats a reported failure.) An input found there belongs in the corpus. The committed inputs are
//! one per rule set: the first byte names the rules, then two bytes per step. Not here: what is legal (`agreement.rs`).

use tengen_game::testkit::{random_inputs_asked, replay_corpus};
use tengen_game::zobrist::STONE;
use tengen_game::{Action, Colour, Placement, Point, PointSet};
use tengen_go::{GoBoard, RULESETS};

const RULES: [&str; 16] = [
    "rules=tromp-taylor size=2",
    "rules=tromp-taylor size=9 early_end=true",
    "rules=chinese size=5x3",
    "rules=aga size=4 suicide=multi",
    "rules=nz size=3 suicide=all",
    "rules=japanese size=3",
    "rules=japanese size=5 suicide=multi",
    "rules=czech size=4 suicide=all",
    "rules=stone-scoring size=2x3 handicap=A1",
    "rules=aga-button size=3",
    "rules=ing-like size=4x2",
    "rules=aga size=19 ko=spight",
    "rules=korean size=4",
    "rules=esperanto-japanese size=3",
    "rules=chinese-2.75 size=3 ko=simple cycle=draw",
    "rules=chinese-kgs size=5",
];

/// Stones and liberties of the chain on `p`, by flooding.
fn flood(board: &GoBoard, p: Point) -> (PointSet, PointSet) {
    let size = board.size();
    let (mut stones, mut liberties, mut todo) = (PointSet::EMPTY, PointSet::EMPTY, vec![p]);
    while let Some(q) = todo.pop() {
        if board.stone(q).is_none() {
            liberties.insert(q);
        }
        if board.stone(q) != board.stone(p) || stones.contains(q) {
            continue;
        }
        stones.insert(q);
        let (x, y) = size.xy(q);
        let (x, y) = (x as isize, y as isize);
        todo.extend(
            [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)].into_iter().filter_map(|(x, y)| size.point_at(x, y)),
        );
    }
    (stones, liberties)
}

fn recount(board: &GoBoard) {
    let (mut hash, mut stones) = (0, [0; 2]);
    for p in board.size().points() {
        let Some(colour) = board.stone(p) else {
            assert_eq!((board.liberties(p), board.chain(p)), (0, None));
            continue;
        };
        hash ^= STONE[colour.index()][p.index()];
        stones[colour.index()] += 1;
        let (chain, liberties) = flood(board, p);
        assert_eq!((board.chain(p), board.liberty_set(p)), (Some((chain, liberties.len())), liberties));
        assert!(!liberties.is_empty(), "a chain without liberties stays on the board");
    }
    assert_eq!(board.stones_hash(), hash);
    assert_eq!(Colour::BOTH.map(|colour| board.stone_count(colour)), stones);
    let of = |what: Option<Colour>| board.size().points().filter(|&p| board.stone(p) == what).collect::<PointSet>();
    assert_eq!((board.stone_sets(), *board.empty_points()), (Colour::BOTH.map(|colour| of(Some(colour))), of(None)));
    if !board.is_over() && board.phase() == 0 {
        let mut legal = PointSet::EMPTY;
        board.legal_points(&mut legal);
        assert_eq!(legal, choices(board, board.to_play()).into_iter().filter_map(Action::as_point).collect());
    }
}

/// Every answer of a board, for comparing two.
fn answers(board: &GoBoard) -> impl PartialEq + std::fmt::Debug {
    let moves: Vec<_> = (0..board.moves()).map(|back| board.move_back(back)).collect();
    let legal = Colour::BOTH.map(|colour| choices(board, colour));
    let captured: Vec<_> = board.last_captured().collect();
    let state = (board.to_play(), board.passes(), board.phase(), board.button(), board.end(), board.ko_point());
    let taken = Colour::BOTH.map(|colour| board.taken_by(colour));
    (board.rows(), board.hash(), moves, legal, captured, state, taken, board.score(), board.maps())
}

fn choices(board: &GoBoard, colour: Colour) -> Vec<Action> {
    let points = board.size().points().map(Action::point).chain([Action::PASS]);
    points.filter(|&action| board.check(colour, action).is_ok()).collect()
}

/// Plays the steps of an input; recounts after each, compares with a fresh board after undos and at the end.
fn play(input: &[u8]) {
    let Some((&which, steps)) = input.split_first() else { return };
    let rules = RULES[which as usize % RULES.len()].parse().expect("the list is valid");
    let mut board = GoBoard::new(&rules);
    let mut moves: Vec<(Colour, Action)> = Vec::new();
    let compare = |board: &GoBoard, moves: &[(Colour, Action)]| {
        let mut fresh = GoBoard::new(&rules);
        for &(colour, action) in moves {
            fresh.play_any(colour, action).expect("played before");
        }
        assert_eq!(answers(board), answers(&fresh), "after {moves:?}");
    };
    for (i, step) in steps.chunks_exact(2).enumerate() {
        if step[0] % 4 == 0 && moves.pop().is_some() {
            board.undo();
            if i % 4 == 0 {
                compare(&board, &moves);
            }
        } else {
            // One step in sixteen is out of turn; play goes on after every end.
            let colour = if step[0] % 16 == 1 { !board.to_play() } else { board.to_play() };
            let choices = choices(&board, colour);
            let action = choices[(usize::from(step[0] / 16) * 256 + usize::from(step[1])) % choices.len()];
            board.play_any(colour, action).expect("checked");
            moves.push((colour, action));
        }
        recount(&board);
    }
    compare(&board, &moves);
    while moves.pop().is_some() {
        board.undo();
    }
    compare(&board, &[]);
}

#[test]
fn moves_and_undos() {
    let target = bolero::check!();
    if random_inputs_asked() {
        target.for_each(|input: &[u8]| play(input));
    } else {
        target.with_iterations(0).for_each(|input: &[u8]| play(input));
    }
}

#[test]
fn every_rule_set_is_among_them() {
    for row in RULESETS {
        assert!(
            RULES.iter().any(|text| text.split(' ').any(|word| word == format!("rules={}", row.name))),
            "{}",
            row.name
        );
    }
}

/// The committed inputs are there, one for each rule set and one short.
#[test]
fn the_corpus_is_there() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/__fuzz__/moves_and_undos/corpus");
    replay_corpus(folder, RULES.len(), play);
}
