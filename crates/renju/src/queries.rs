//! Questions about a position beyond playing it: forbidden points, threats, rows, proofs by fours. All hold for either
//! colour, whoever is to play. Not here: make and unmake (`board`), and how the answers are computed.

use tengen_game::{Action, Colour, Placement, Point, PointSet, Proof};

use crate::board::FiveBoard;
use crate::forbidden::{Judge, Kinds};
use crate::lines::Lines;
use crate::omok::{Omok, Verdict};
use crate::rules::{Threes, Win};
use crate::threats::Threats;
use crate::vcf::{self, Vcf};

impl FiveBoard {
    /// Whether only a row of exactly the winning length wins for `colour`.
    pub fn is_exact(&self, colour: Colour) -> bool {
        match self.rules.win {
            Win::Freestyle { .. } => false,
            Win::Standard { .. } => true,
            Win::Renju => colour == Colour::Black,
            Win::Caro { exact, .. } | Win::Omok { exact, .. } => exact,
        }
    }

    /// Whether `colour` has forbidden points: Black in renju, both in omok.
    pub fn is_restricted(&self, colour: Colour) -> bool {
        match self.rules.win {
            Win::Renju => colour == Colour::Black,
            Win::Omok { .. } => true,
            Win::Freestyle { .. } | Win::Standard { .. } | Win::Caro { .. } => false,
        }
    }

    fn judge(&self) -> Judge<'_> {
        Judge { geometry: &self.geometry, lines: &self.lines }
    }

    /// Omok's judge of `colour`; none in other games.
    fn omok(&self, colour: Colour) -> Option<Omok<'_>> {
        let Win::Omok { exact, threes } = self.rules.win else { return None };
        let lines = [self.lines.of(colour), self.lines.of(!colour)];
        Some(Omok { geometry: &self.geometry, lines, exact, real: threes == Threes::Real })
    }

    /// Whether the rules forbid a stone of `colour` on an empty point.
    #[inline]
    pub(crate) fn is_forbidden(&self, p: Point, colour: Colour) -> bool {
        match self.rules.win {
            Win::Renju => colour == Colour::Black && self.judge().is_forbidden(p),
            Win::Omok { .. } => self.omok(colour).is_some_and(|judge| judge.is_forbidden(p)),
            Win::Freestyle { .. } | Win::Standard { .. } | Win::Caro { .. } => false,
        }
    }

    /// What a black stone on `p` would make in renju, whoever is to play; nothing for an occupied point and in other
    /// games.
    pub fn kinds(&self, p: Point) -> Kinds {
        if self.rules.win == Win::Renju { self.kinds_for(p, Colour::Black) } else { Kinds::NONE }
    }

    /// What a stone of `colour` on `p` would make, where that colour has forbidden points (`is_restricted`): in omok a
    /// winning row counts as `FIVE`. Nothing for an occupied point and for colours without forbidden points.
    pub fn kinds_for(&self, p: Point, colour: Colour) -> Kinds {
        if !self.empty.contains(p) || !self.is_restricted(colour) {
            return Kinds::NONE;
        }
        match self.omok(colour).map(|judge| judge.verdict(p, None)) {
            None => self.judge().kinds(p),
            Some(Verdict::Wins) => Kinds::FIVE,
            Some(Verdict::Forbidden) => Kinds::DOUBLE_THREE,
            Some(Verdict::Allowed) => Kinds::NONE,
        }
    }

    /// Forbidden points of the colour to play; empty when the game is over.
    pub fn forbidden(&self) -> PointSet {
        if self.result.is_none() { self.forbidden_for(self.to_play) } else { PointSet::EMPTY }
    }

    /// Forbidden points of `colour`, whoever is to play.
    pub fn forbidden_for(&self, colour: Colour) -> PointSet {
        match self.rules.win {
            Win::Renju if colour == Colour::Black => self.judge().map(),
            Win::Omok { .. } => self.omok(colour).map_or(PointSet::EMPTY, |judge| judge.map(&self.empty)),
            _ => PointSet::EMPTY,
        }
    }

    /// Black's forbidden points, whoever is to play.
    pub fn forbidden_for_black(&self) -> PointSet {
        self.forbidden_for(Colour::Black)
    }

    /// Black's forbidden points in renju if 9.3 is read by the letter instead of as it is played (see `forbidden_for`);
    /// empty in other games. For comparing readings; slow.
    pub fn forbidden_by_letter(&self) -> PointSet {
        if self.rules.win == Win::Renju { self.judge().map_by_letter(&self.empty) } else { PointSet::EMPTY }
    }

    fn threats_on<'a>(&'a self, lines: &'a Lines, colour: Colour) -> Threats<'a> {
        let caro = match self.rules.win {
            Win::Caro { edge_blocks, .. } => Some(edge_blocks),
            _ => None,
        };
        Threats {
            geometry: &self.geometry,
            own: lines.of(colour),
            other: lines.of(!colour),
            length: self.rules.win.length().into(),
            exact: self.is_exact(colour),
            caro,
        }
    }

    fn threats(&self, colour: Colour) -> Threats<'_> {
        self.threats_on(&self.lines, colour)
    }

    /// Empty points where a stone of `colour` completes a winning row. Such a stone is allowed under every rule.
    pub fn fives(&self, colour: Colour) -> PointSet {
        self.threats(colour).fives()
    }

    /// Empty points after which one more stone of `colour` would complete a winning row, by shape alone: a stone there
    /// may be forbidden.
    pub fn four_shapes(&self, colour: Colour) -> PointSet {
        self.threats(colour).fours()
    }

    /// Empty points where a stone of `colour` makes a four: it is allowed, doesn't win itself, and one more completes a
    /// winning row.
    pub fn fours(&self, colour: Colour) -> PointSet {
        self.allowed(self.four_shapes(colour).minus(&self.fives(colour)), colour)
    }

    /// Empty points after which one more stone of `colour` would make a straight four (two ways to a winning row on one
    /// line), by shape alone: either stone may be forbidden.
    pub fn three_shapes(&self, colour: Colour) -> PointSet {
        self.threats(colour).open_threes()
    }

    /// Empty points where a stone of `colour` makes an open three: it is allowed, doesn't win itself, and a next one that
    /// makes a straight four is allowed too. Where there are forbidden points that next stone may make no five elsewhere
    /// (the definition of a three), and in omok a line with a four has no three.
    pub fn open_threes(&self, colour: Colour) -> PointSet {
        let shapes = self.allowed(self.three_shapes(colour).minus(&self.fives(colour)), colour);
        if !self.is_restricted(colour) {
            return shapes;
        }
        match self.omok(colour) {
            Some(judge) => shapes.iter().filter(|&p| judge.makes_real_three(p)).collect(),
            None => shapes.iter().filter(|&p| self.judge().makes_real_three(p)).collect(),
        }
    }

    /// The points of a set of empty points where `colour` may play.
    fn allowed(&self, points: PointSet, colour: Colour) -> PointSet {
        if self.is_restricted(colour) {
            points.iter().filter(|&p| !self.is_forbidden(p, colour)).collect()
        } else {
            points
        }
    }

    /// Empty points where a stone of the other colour leaves `attacker` without a point that wins at once; none if there
    /// is no such point to begin with. Says nothing about forbidden points.
    pub(crate) fn blocks(&self, attacker: Colour) -> Option<PointSet> {
        let fives = self.fives(attacker);
        if fives.is_empty() {
            return None;
        }
        if !matches!(self.rules.win, Win::Caro { .. }) {
            return Some(if fives.len() == 1 { fives } else { PointSet::EMPTY });
        }
        // A row with one end blocked is stopped at the other end too.
        let mut lines = self.lines.clone();
        let mut blocks = PointSet::EMPTY;
        for p in self.threats(attacker).guards().iter() {
            let slots = &self.geometry.slots[p.index()];
            lines.toggle(slots, !attacker);
            if self.threats_on(&lines, attacker).fives().is_empty() {
                blocks.insert(p);
            }
            lines.toggle(slots, !attacker);
        }
        Some(blocks)
    }

    /// Victory by continuous fours of the colour to play, trying at most `budget` fours.
    pub fn vcf(&self, budget: u32) -> Vcf {
        vcf::search(self, budget)
    }

    /// What one ply of look-ahead proves: a winning row now, or one of the opponent next.
    pub(crate) fn proven_at_once(&self) -> Option<Proof> {
        if self.result.is_some() {
            return None;
        }
        if let Some(p) = self.fives(self.to_play).iter().next() {
            return Some(Proof::Win(Action::point(p)));
        }
        let blocks = self.blocks(!self.to_play)?;
        // Right after a pass, a pass of our own ends the game as a draw, whatever the threats.
        if self.passes > 0 && self.pass_legal() {
            return None;
        }
        let mut allowed = blocks.iter().filter(|&p| !self.is_forbidden(p, self.to_play));
        match (allowed.next(), allowed.next()) {
            (None, _) => Some(Proof::Loss),
            (Some(p), None) => Some(Proof::Only(Action::point(p))),
            _ => None,
        }
    }
}
