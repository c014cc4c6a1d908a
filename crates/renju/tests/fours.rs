//! Wins by continuous fours are played out against every reply. Not here: one-ply proofs (`reference.rs`).

use tengen_game::testkit::TestRng;
use tengen_game::{Action, BoardResult, Colour, Placement, PointSet, Proof};
use tengen_renju::{FiveBoard, FiveRules};

const BUDGET: u32 = 2000;

fn legal(board: &FiveBoard) -> Vec<Action> {
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    let pass = board.pass_legal().then_some(Action::PASS);
    points.iter().map(Action::point).chain(pass).collect()
}

/// Plays the proven move of the side to play and then every reply, down to the end of every game.
fn plays_out(board: &mut FiveBoard, longest: &mut usize, depth: usize) {
    let us = board.to_play();
    let Some(Proof::Win(action)) = board.proven(BUDGET) else {
        panic!("a proven win is proven after every reply\n{board:?}")
    };
    assert!(board.is_legal(action), "{action:?}\n{board:?}");
    *longest = depth.max(*longest);
    board.place(action);
    if let Some(result) = board.result() {
        assert_eq!(result, BoardResult::Win(us), "{board:?}");
    }
    for reply in legal(board) {
        board.place(reply);
        assert_eq!(board.result(), None, "a reply may not end the game\n{board:?}");
        plays_out(board, longest, depth + 1);
        board.undo();
    }
    board.undo();
}

#[test]
fn proven_wins_beat_every_reply() {
    let mut rng = TestRng::new(11);
    for (text, positions) in [
        ("rules=freestyle size=6 win=4", 300),
        ("rules=standard size=8 win=4", 150),
        ("rules=renju size=9", 500),
        ("rules=renju size=15", 150),
    ] {
        let rules: FiveRules = text.parse().unwrap();
        let (mut wins, mut longest) = (0, 0);
        for _ in 0..positions {
            let (mut black, mut white) = (PointSet::EMPTY, PointSet::EMPTY);
            let share = 10 + rng.below(25);
            for p in rules.size.points() {
                match rng.below(100) {
                    roll if roll < share => black.insert(p),
                    roll if roll < 2 * share => white.insert(p),
                    _ => {}
                }
            }
            let colour = Colour::BOTH[rng.below(2)];
            let mut board = FiveBoard::position(&rules, &black, &white, colour).unwrap();
            if board.result().is_none() && board.proven(0).is_none() && board.proven(BUDGET).is_some() {
                wins += 1;
                plays_out(&mut board, &mut longest, 0);
            }
        }
        assert!(wins >= 10 && longest >= 2, "{text}: {wins} wins, longest {longest}");
    }
}
