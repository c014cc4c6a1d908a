//! Victory by continuous fours: a search over moves that threaten a winning row, each with forced answers. Wins are
//! proven, and so is that there is none when the search ends within its budget.
//!
//! Exact under every rule: the attacker's fours must be allowed, an answer that the rules forbid is no answer (Black's
//! block in renju, either side's in omok), an answer that wins refutes, and a four that leaves the opponent's own winning
//! row open is none. In caro a row is also stopped at its last open end, so a four may have several answers; all must
//! lose. Not here: threes, and proofs of a loss.

use std::collections::HashSet;

use tengen_game::{Action, Placement, Point};

use crate::board::FiveBoard;

/// What a search for victory by continuous fours found, for the colour to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vcf {
    /// Wins by force. The line alternates between the attacker's fours and the forced answers and ends with the
    /// attacker's winning row, or with a four that no move stops. Where caro leaves the defender a choice, it follows the
    /// answer that holds out longest.
    Win(Vec<Point>),
    /// There is none.
    None,
    /// Not decided within the budget.
    OutOfBudget,
}

/// Searches at most `budget` fours.
pub(crate) fn search(board: &FiveBoard, budget: u32) -> Vcf {
    if board.result().is_some() {
        return Vcf::None;
    }
    let us = board.to_play();
    if let Some(p) = board.fives(us).iter().next() {
        return Vcf::Win(vec![p]);
    }
    if board.four_shapes(us).is_empty() {
        return Vcf::None;
    }
    let mut solver = Solver { board: board.clone(), left: budget, cut: false, failed: HashSet::new() };
    match solver.attack() {
        Some(mut line) => {
            line.reverse();
            Vcf::Win(line)
        }
        None if solver.cut => Vcf::OutOfBudget,
        None => Vcf::None,
    }
}

struct Solver {
    board: FiveBoard,
    /// Fours that may still be tried.
    left: u32,
    /// Whether a four was left untried for want of budget.
    cut: bool,
    /// Hashes of positions that were searched to the end without a win. Only asked, never listed.
    failed: HashSet<u64>,
}

impl Solver {
    /// A winning line of the side to play, last move first; the board is as before afterwards.
    fn attack(&mut self) -> Option<Vec<Point>> {
        let us = self.board.to_play();
        if let Some(p) = self.board.fives(us).iter().next() {
            return Some(vec![p]);
        }
        let key = self.board.hash();
        if self.failed.contains(&key) {
            return None;
        }
        let mut moves = self.board.four_shapes(us);
        // A four that leaves the opponent's winning row open loses; stopping it with a four is fine.
        if let Some(blocks) = self.board.blocks(!us) {
            moves = moves.and(&blocks);
        }
        for p in moves.iter() {
            if !self.board.is_legal(Action::point(p)) {
                continue;
            }
            if self.left == 0 {
                self.cut = true;
                return None;
            }
            self.left -= 1;
            self.board.place(Action::point(p));
            let line = self.answered();
            self.board.undo();
            if let Some(mut line) = line {
                line.push(p);
                return Some(line);
            }
        }
        if !self.cut {
            self.failed.insert(key);
        }
        None
    }

    /// The rest of a winning line after a four, last move first, with the answers that hold out longest.
    fn answered(&mut self) -> Option<Vec<Point>> {
        let us = !self.board.to_play();
        // Omok ends in a draw where the opponent has no allowed point at all.
        if self.board.result().is_some() {
            return None;
        }
        // The opponent has no winning row of his own to make: there was none, or the four took it.
        let blocks = self.board.blocks(us)?;
        let mut longest = Vec::new();
        for q in blocks.iter() {
            if !self.board.is_legal(Action::point(q)) {
                continue;
            }
            self.board.place(Action::point(q));
            let line = if self.board.result().is_none() { self.attack() } else { None };
            self.board.undo();
            let mut line = line?;
            line.push(q);
            if line.len() > longest.len() {
                longest = line;
            }
        }
        Some(longest)
    }
}
