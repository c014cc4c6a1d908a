//! The end as people settle it: after play has stopped they mark dead chains and accept the count, or one of them
//! disputes it and play goes on.
//!
//! Chinese text, article 12: the one who disputes moves; if both have stopped a second time, chains still in dispute stay
//! as shared life. Japanese rules of 1989, article 9.3: who asks to play on gives the first move to the opponent. Not
//! here: clocks, messages, and who speaks for a player.

use tengen_game::{BoardResult, Colour, EndProtocol, Point, PointSet};

use crate::board::GoBoard;
use crate::count::{Count, CountError, margin_text};
use crate::flow::Ended;
use crate::rules::Resume;

/// What a position comes to if nobody plays on: which stones go, which are in shared life, and the score of just that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Stones that are taken off.
    pub dead: PointSet,
    /// Stones in seki.
    pub seki: PointSet,
    /// Black's points minus White's and komi; none when a cycle has ended the game without a score.
    pub margin: Option<f32>,
    /// Who wins so.
    pub result: BoardResult,
    /// Whether `dead` is an opinion that players would have to agree to, because the rules let people settle the end.
    /// Otherwise it is what the rules take off by themselves.
    pub by_agreement: bool,
}

impl Standing {
    /// `B+3.5`, `W+0` where White wins equal points, `0` for a draw; none without a result.
    pub fn text(&self) -> Option<String> {
        let margin = self.margin.unwrap_or_default();
        match self.result {
            BoardResult::NoResult => None,
            BoardResult::Draw => Some("0".to_string()),
            BoardResult::Win(Colour::Black) if margin == 0.0 => Some("B+0".to_string()),
            BoardResult::Win(Colour::White) if margin == 0.0 => Some("W+0".to_string()),
            BoardResult::Win(_) => Some(margin_text(margin)),
        }
    }
}

impl GoBoard {
    /// The position as it stands. Where people agree on dead stones, the proposal that `playouts` random games make is
    /// taken; elsewhere what the rules say, which is nothing but stones inside the opponent's pass-alive territory, and
    /// those only under rules that remove them.
    pub fn standing(&self, playouts: u32) -> Standing {
        if self.conduct_end() == EndProtocol::Agreement && !self.ended_by_cycle() {
            let dead = self.suggest_dead(playouts);
            let seki = self.suggest_seki(&dead);
            if let Ok(count) = self.count(&dead, &seki) {
                let (margin, result) = (Some(count.margin()), count.result());
                return Standing { dead, seki, margin, result, by_agreement: true };
            }
        }
        let owner = self.area();
        let lost = |p: &Point| self.stone(*p).is_some_and(|colour| owner[p.index()] == Some(!colour));
        let dead: PointSet = self.size().points().filter(lost).collect();
        let seki = self.suggest_seki(&dead);
        let score = self.score();
        let (margin, result) = match self.end() {
            Some(Ended::NoResult) => (None, BoardResult::NoResult),
            Some(Ended::Draw) => (None, BoardResult::Draw),
            _ => (Some(score.margin(self.rules().komi)), score.result(self.rules())),
        };
        Standing { dead, seki, margin, result, by_agreement: false }
    }

    fn conduct_end(&self) -> EndProtocol {
        self.rules().conduct().end
    }

    /// Whether people would settle the end now: play has stopped, and the rules leave dead stones to the players.
    pub fn awaits_agreement(&self) -> bool {
        self.conduct_end() == EndProtocol::Agreement && self.play_ended() && !self.ended_by_cycle()
    }

    fn ended_by_cycle(&self) -> bool {
        matches!(self.end(), Some(Ended::NoResult | Ended::Draw))
    }
}

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
