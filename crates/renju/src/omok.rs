//! Omok's double-three, forbidden to both colours: see `Win::Omok` for the options and their sources.
//!
//! A stone that wins is always allowed. Otherwise lines are counted on which the stone makes a three: no four of that
//! line, and a second stone would make a straight four. With real threes that second stone must be allowed itself and
//! make no five, with the first on the board; every level of that recursion has one more stone, so it ends. Not here:
//! renju, whose rules for Black know more kinds (`forbidden`).

use tengen_game::{Point, PointSet};

use crate::forbidden::{Added, Three, around, completions};
use crate::lines::{DIRECTIONS, Geometry, LINES};
use crate::shape::{self, CENTRE, THROUGH_FIVE, THROUGH_FOUR};

/// What a stone on a point comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Makes a winning row.
    Wins,
    /// Makes a double-three.
    Forbidden,
    /// Neither.
    Allowed,
}

/// The stones as the judged colour sees them.
pub(crate) struct Omok<'a> {
    pub(crate) geometry: &'a Geometry,
    /// Own words, then the other's.
    pub(crate) lines: [&'a [u32; LINES]; 2],
    /// Whether more than five don't win.
    pub(crate) exact: bool,
    /// Whether only real threes count.
    pub(crate) real: bool,
}

impl Omok<'_> {
    /// The threes of a stone and their number; none at all if the stone wins.
    fn threes(&self, p: Point, added: Option<&Added>) -> Option<([Three; DIRECTIONS], usize)> {
        let slots = &self.geometry.slots[p.index()];
        let mut threes = ([(0, 0, 0); DIRECTIONS], 0);
        for d in 0..DIRECTIONS {
            let (own, empty) = around(self.geometry, self.lines, slots, d, added);
            if shape::completing(own, empty, 5, self.exact, !0) >> CENTRE & 1 == 1 {
                return None;
            }
            let windows = shape::three_windows(own, empty, 5, self.exact) & THROUGH_FOUR;
            if windows != 0 && shape::four_windows(own, empty, 5, self.exact, !0) & THROUGH_FIVE == 0 {
                threes.0[threes.1] = (d, windows, empty);
                threes.1 += 1;
            }
        }
        Some(threes)
    }

    pub(crate) fn verdict(&self, p: Point, added: Option<&Added>) -> Verdict {
        let Some((threes, count)) = self.threes(p, added) else { return Verdict::Wins };
        let mut threes = threes[..count].iter();
        let double =
            count >= 2 && (!self.real || threes.by_ref().filter(|&t| self.is_real(p, t, added)).nth(1).is_some());
        if double { Verdict::Forbidden } else { Verdict::Allowed }
    }

    /// Whether some completion of a three is allowed and makes no five.
    fn is_real(&self, p: Point, &three: &Three, added: Option<&Added>) -> bool {
        let slots = self.geometry.slots[p.index()];
        let here = Added { outer: added, slots };
        completions(self.geometry, &slots, three).any(|q| self.verdict(q, Some(&here)) == Verdict::Allowed)
    }

    /// Whether a stone on an empty point makes a three whose completion is allowed.
    pub(crate) fn makes_real_three(&self, p: Point) -> bool {
        self.threes(p, None).is_some_and(|(threes, count)| threes[..count].iter().any(|t| self.is_real(p, t, None)))
    }

    /// Whether a stone may not be put on an empty point.
    pub(crate) fn is_forbidden(&self, p: Point) -> bool {
        self.verdict(p, None) == Verdict::Forbidden
    }

    /// The forbidden points among `empty`.
    pub(crate) fn map(&self, empty: &PointSet) -> PointSet {
        empty.iter().filter(|&p| self.is_forbidden(p)).collect()
    }
}
