//! What network inputs need to see of a game besides its stones: the last moves as far as they count, earlier boards,
//! what a pass would do, and the state of the clean-up. Part of `board` because all of it lies in the log.
//!
//! Deliberately not here: planes and their order (the features crate), ladders (`ladder`).

use tengen_game::zobrist::STONE;
use tengen_game::{Action, Colour, Point, PointSet};

use super::{GoBoard, colour_of};
use crate::chains::{EMPTY, NONE};
use crate::legality::Illegal;
use crate::rules::{End, Ko};

impl GoBoard {
    /// The moves of the present phase, the last first; a game that went on after its end counts the one move before that.
    pub fn recent_moves(&self) -> impl Iterator<Item = (Colour, Action)> + '_ {
        let len = self.log.len();
        let mut left = len;
        let mut known = len;
        std::iter::from_fn(move || {
            let i = known.checked_sub(1).filter(|_| left > 0)?;
            if self.phase_before(i) != self.phase() {
                return None;
            }
            (known, left) = (i, if self.over_before(i) { left.min(1) } else { left - 1 });
            let done = &self.log[i];
            Some((done.colour, Action(done.action)))
        })
    }

    /// The phase in which the move of this number was played.
    fn phase_before(&self, i: usize) -> u8 {
        self.flow.as_ref().map_or(0, |flow| flow.before(i).0)
    }

    /// Whether the game had ended before the move of this number.
    fn over_before(&self, i: usize) -> bool {
        let done = &self.log[i];
        done.settled
            || match &self.flow {
                None => done.passes >= 2,
                Some(flow) => flow.before(i).1,
            }
    }

    /// Whether a pass of the colour to play would end the game or, under territory scoring, its present phase.
    pub fn pass_would_end(&self) -> bool {
        let colour = self.to_play;
        let Some(flow) = &self.flow else { return self.passes >= 1 };
        if self.rules.button && flow.button().is_none() {
            return false;
        }
        let passes = self.passes + 1;
        let in_a_row = match self.rules.end {
            _ if flow.phase() > 0 => passes >= 2,
            _ if self.rules.ko == Ko::Spight => false,
            End::Passes | End::Repeat => passes >= 2,
            End::WhiteLast => passes >= 2 && colour == Colour::White || passes >= 3,
            End::Pairs => passes >= 4,
        };
        in_a_row || self.pass_would_repeat()
    }

    /// Whether the colour to play has passed in this very situation before, under rules where that ends the phase.
    pub fn pass_would_repeat(&self) -> bool {
        let situation = self.full_situation(self.to_play);
        self.flow.as_ref().is_some_and(|flow| flow.passed_before(&self.rules, self.to_play, situation))
    }

    /// Points that the colour to play may not take because of repetition: the ko point and what superko forbids; in the
    /// clean-up, kos it has taken before from these stones.
    pub fn repetition_bans(&self) -> PointSet {
        let mut bans = PointSet::EMPTY;
        let colour = self.to_play;
        if let Some(flow) = self.flow.as_ref().filter(|flow| flow.phase() > 0) {
            flow.taken_from(self.stones.hash, colour).for_each(|p| bans.insert(Point(p)));
            return bans;
        }
        if self.ko != NONE {
            bans.insert(Point(self.ko));
        }
        if self.superko() || self.rules.ko == Ko::Spight {
            // Nowhere else can the position come back.
            let where_it_matters = self.stones.empty_set().minus(&self.quick_points(colour));
            for p in where_it_matters.iter() {
                if self.check_empty(colour, p.0) == Err(Illegal::Superko) {
                    bans.insert(p);
                }
            }
        }
        bans
    }

    /// Points where a stone of the colour to play would end the game as a long cycle. Not told in the clean-up, where a
    /// stone also blocks and frees kos and cycles are rarer still.
    pub fn cycle_ends(&self) -> PointSet {
        let mut ends = PointSet::EMPTY;
        let Some(flow) = self.flow.as_ref().filter(|flow| flow.phase() == 0 && self.rules.counts_cycles()) else {
            return ends;
        };
        // Each time that stones come back as they were, at least two have been played and as many taken.
        if self.taken[0] + self.taken[1] < 2 {
            return ends;
        }
        let colour = self.to_play;
        for p in self.stones.empty_set().iter().filter(|p| self.check_empty(colour, p.0).is_ok()) {
            let suicide = self.stones.cell(p.0).libs == 0 && self.is_suicide(colour, p.0).is_some();
            let after = self.situation(self.hash_after(colour, p.0, suicide), !colour);
            if flow.times(after) >= 2 {
                ends.insert(p);
            }
        }
        ends
    }

    /// Black's and White's stones.
    pub fn stone_sets(&self) -> [PointSet; 2] {
        let [black, white, _] = *self.stones.sets();
        [black, white]
    }

    /// In the clean-up: stones that took a ko and may not be retaken before the block is lifted.
    pub fn blocked_kos(&self) -> PointSet {
        self.flow.as_ref().map_or(PointSet::EMPTY, |flow| flow.blocked())
    }

    /// Black's and White's stones at the start of the second phase of the clean-up; none before.
    pub fn clean_up_start(&self) -> Option<[PointSet; 2]> {
        let start = self.flow.as_ref()?.start()?;
        let mut sets = [PointSet::EMPTY; 2];
        for (p, &value) in start.iter().enumerate() {
            if let Some(colour) = colour_of(value) {
                sets[colour.index()].insert(Point(p as u16));
            }
        }
        Some(sets)
    }

    /// Hash of the stones alone `back` moves ago; `back` is at most the number of moves.
    pub(crate) fn past_stones(&self, back: usize) -> u64 {
        let mut hash = self.stones.hash;
        self.each_change(back, |p, colour, _| hash ^= STONE[colour.index()][p as usize]);
        hash
    }

    /// The ko point `back` moves ago, or `NONE`.
    pub(crate) fn past_ko(&self, back: usize) -> u16 {
        back.checked_sub(1).map_or(self.ko, |i| self.log[self.log.len() - 1 - i].ko)
    }

    /// The stone whose placing, and what it took, led from the stones `back + 1` moves ago to those `back` moves ago; none
    /// if there was no such move, or none that others would make, being suicide.
    pub(crate) fn past_stone(&self, back: usize) -> Option<(Colour, u16)> {
        let done = &self.log[self.log.len().checked_sub(back + 1)?];
        (done.stone && !done.change.suicide).then_some((done.colour, done.action))
    }

    /// What lay on the points `back` moves ago; for now itself also the head of each stone's chain, and then true. Both
    /// lists have an entry for each point.
    pub(crate) fn past_points(&self, back: usize, out: &mut [u8], heads: &mut [u16]) -> bool {
        out.copy_from_slice(self.stones.points());
        if back == 0 {
            (0..).zip(heads).for_each(|(p, head)| *head = self.stones.cell(p).head);
            return true;
        }
        self.each_change(back, |p, colour, comes| out[p as usize] = if comes { colour as u8 } else { EMPTY });
        false
    }

    /// The changes that lead from now to `back` moves ago, in order: a point, a colour, whether its stone comes back.
    fn each_change(&self, back: usize, mut f: impl FnMut(u16, Colour, bool)) {
        let (mut chains, mut stones) = (0, 0);
        for done in self.log.iter().rev().take(back).filter(|done| done.stone) {
            let gone = if done.change.suicide { done.colour } else { !done.colour };
            chains += done.change.removed;
            let mut seen = 0;
            for p in self.stones.last_removed(chains).skip(stones) {
                f(p, gone, true);
                seen += 1;
            }
            stones += seen;
            // Last, because a suicide removed this stone too.
            f(done.action, done.colour, false);
        }
    }
}
