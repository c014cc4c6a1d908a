//! The end as people settle it: after play has stopped they mark dead chains and accept the count, or one of them
//! disputes it and play goes on.
//!
//! Chinese text, article 12: the one who disputes moves; if both have stopped a second time, chains still in dispute stay
//! as shared life. Japanese rules of 1989, article 9.3: who asks to play on gives the first move to the opponent. Not
//! here: clocks, messages, and who speaks for a player.

use tengen_game::{Colour, Point, PointSet};

use crate::board::GoBoard;
use crate::count::{Count, CountError};
use crate::rules::Resume;

/// Marks on a stopped game.
#[derive(Clone, Debug)]
pub struct Agreement {
    board: GoBoard,
    dead: PointSet,
    seki: PointSet,
    accepted: [bool; 2],
}

impl Agreement {
    /// Of a game whose play has ended; none before. Starts without marks.
    pub fn new(board: &GoBoard) -> Option<Agreement> {
        let (dead, seki) = (PointSet::EMPTY, PointSet::EMPTY);
        board.play_ended().then(|| Agreement { board: board.clone(), dead, seki, accepted: [false; 2] })
    }

    /// The stopped game.
    pub fn board(&self) -> &GoBoard {
        &self.board
    }

    /// Stones marked as dead.
    pub fn dead(&self) -> &PointSet {
        &self.dead
    }

    /// Stones marked as in seki.
    pub fn seki(&self) -> &PointSet {
        &self.seki
    }

    /// Marks the chain on `p` as dead, or as alive again; anything accepted before is open again. False on an empty
    /// point.
    pub fn toggle_dead(&mut self, p: Point) -> bool {
        let Some((chain, _)) = self.board.chain(p) else { return false };
        self.dead = if self.dead.contains(p) { self.dead.minus(&chain) } else { self.dead.or(&chain) };
        self.seki = self.seki.minus(&chain);
        self.accepted = [false; 2];
        true
    }

    /// As `toggle_dead`, for seki.
    pub fn toggle_seki(&mut self, p: Point) -> bool {
        let Some((chain, _)) = self.board.chain(p) else { return false };
        self.seki = if self.seki.contains(p) { self.seki.minus(&chain) } else { self.seki.or(&chain) };
        self.dead = self.dead.minus(&chain);
        self.accepted = [false; 2];
        true
    }

    /// A player accepts the marks as they are; whether both have.
    pub fn accept(&mut self, colour: Colour) -> bool {
        self.accepted[colour.index()] = true;
        self.is_agreed()
    }

    /// Whether both have accepted the present marks.
    pub fn is_agreed(&self) -> bool {
        self.accepted == [true; 2]
    }

    /// The count by the present marks.
    ///
    /// # Errors
    /// None but programming errors: marks are whole chains.
    pub fn count(&self) -> Result<Count, CountError> {
        self.board.count(&self.dead, &self.seki)
    }

    /// `claimant` disputes the marks: the game to play on, with whose move it is as the rule set says.
    pub fn dispute(self, claimant: Colour) -> GoBoard {
        let mut board = self.board;
        let first = match board.rules().ruleset().map_or(Resume::Alternate, |row| row.resume) {
            Resume::Alternate => board.to_play(),
            Resume::Claimant => claimant,
            Resume::Opponent => !claimant,
        };
        board.resume(first);
        board
    }

    /// Both stop although they disagree about the chains of `disputed`: these stay, as shared life (Chinese text, article
    /// 12.2), and both are taken to accept.
    pub fn stop_in_dispute(&mut self, disputed: &PointSet) {
        for p in disputed.iter() {
            if let Some((chain, _)) = self.board.chain(p) {
                self.dead = self.dead.minus(&chain);
                self.seki = self.seki.or(&chain);
            }
        }
        self.accepted = [true; 2];
    }
}
