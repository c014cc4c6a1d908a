//! Victory by continuous fours: a search over moves that threaten a five, each with a forced answer. Finds wins only;
//! finding none proves nothing. Exact under the forbidden rule: Black's own fours must be legal, and a Black that may
//! not play on the blocking point can't block. Not here: threes, and proofs of a loss.

use std::collections::HashSet;

use tengen_game::{Action, Placement, Point};

use crate::board::FiveBoard;

/// The first move of a forced win of the side to play, or none within `budget` four-moves tried.
pub(crate) fn search(board: &FiveBoard, budget: u32) -> Option<Action> {
    if board.result().is_some() || board.fours(board.to_play()).is_empty() {
        return None;
    }
    let mut solver = Solver { board: board.clone(), left: budget, failed: HashSet::new() };
    solver.attack().map(Action::point)
}

struct Solver {
    board: FiveBoard,
    /// Four-moves that may still be tried.
    left: u32,
    /// Hashes of positions that were searched to the end without a win. Only asked, never listed.
    failed: HashSet<u64>,
}

impl Solver {
    /// A winning move of the side to play; the board is as before afterwards.
    fn attack(&mut self) -> Option<Point> {
        let us = self.board.to_play();
        if let Some(p) = self.board.fives(us).iter().next() {
            return Some(p);
        }
        let key = self.board.hash();
        if self.failed.contains(&key) {
            return None;
        }
        let mut moves = self.board.fours(us);
        // A four that leaves the opponent's five open loses; blocking it with a four is fine.
        let threats = self.board.fives(!us);
        if !threats.is_empty() {
            moves = if threats.len() == 1 { moves.and(&threats) } else { return None };
        }
        for p in moves.iter() {
            if self.left == 0 {
                return None;
            }
            if self.board.is_legal(Action::point(p)) {
                self.left -= 1;
                if self.wins_with(p) {
                    return Some(p);
                }
            }
        }
        if self.left > 0 {
            self.failed.insert(key);
        }
        None
    }

    /// Whether the four at `p`, a legal point, wins by force.
    fn wins_with(&mut self, p: Point) -> bool {
        let us = self.board.to_play();
        self.board.place(Action::point(p));
        let fives = self.board.fives(us);
        let mut answers = fives.iter();
        let won = match (answers.next(), answers.next()) {
            (None, _) => false,
            // The opponent has no five of his own here: there was none before, or `p` took it.
            (Some(_), Some(_)) => true,
            (Some(q), None) if !self.board.is_legal(Action::point(q)) => true,
            (Some(q), None) => {
                self.board.place(Action::point(q));
                let won = self.board.result().is_none() && self.attack().is_some();
                self.board.undo();
                won
            }
        };
        self.board.undo();
        won
    }
}
