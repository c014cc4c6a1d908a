//! Maps of points that complete or threaten a row, for one colour, by shape alone. Not here: whether a stone may be
//! played there, and whether a three is real (`queries`).

use tengen_game::PointSet;

use crate::lines::{GROUP, Geometry, LINES};
use crate::shape;

/// The lines as one colour sees them.
pub(crate) struct Threats<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) own: &'a [u32; LINES],
    pub(crate) other: &'a [u32; LINES],
    /// Stones in a row that win.
    pub(crate) length: u32,
    /// Whether a longer row doesn't win.
    pub(crate) exact: bool,
    /// Whether both ends must not be blocked (caro), and if so whether the edge of the board blocks.
    pub(crate) caro: Option<bool>,
}

impl Threats<'_> {
    /// Collects the cells that `cells(own, empty, line)` marks on any line.
    #[inline(always)]
    fn collect(&self, cells: impl Fn(u32, u32, usize) -> u32) -> PointSet {
        let mut set = PointSet::EMPTY;
        let groups = self.own.chunks_exact(GROUP).zip(self.other.chunks_exact(GROUP));
        let groups = groups.zip(self.geometry.inside.chunks_exact(GROUP)).take(self.geometry.groups);
        for (group, ((own, other), inside)) in groups.enumerate() {
            let mut marks = [0; GROUP];
            for i in 0..GROUP {
                marks[i] = cells(own[i], inside[i] & !(own[i] | other[i]), group * GROUP + i);
            }
            for (i, mark) in marks.into_iter().enumerate() {
                let mut rest: u32 = mark;
                while rest != 0 {
                    set.insert(self.geometry.point(group * GROUP + i, rest.trailing_zeros()));
                    rest &= rest - 1;
                }
            }
        }
        set
    }

    /// One instance of `collect` for the usual length, so that its loops unroll, one for other lengths, and one for
    /// caro.
    #[inline(always)]
    fn with_rule(&self, cells: impl Fn(u32, u32, u32, bool, u32) -> u32) -> PointSet {
        match (self.caro, self.length, self.exact) {
            (None, 5, true) => self.collect(|own, empty, _| cells(own, empty, 5, true, !0)),
            (None, 5, false) => self.collect(|own, empty, _| cells(own, empty, 5, false, !0)),
            (None, n, exact) => self.collect(|own, empty, _| cells(own, empty, n, exact, !0)),
            (Some(edge_blocks), n, exact) => self.collect(|own, empty, line| {
                let inside = if edge_blocks { self.geometry.inside[line] } else { !0 };
                cells(own, empty, n, exact, inside & !self.other[line])
            }),
        }
    }

    /// Points that complete a winning row.
    pub(crate) fn fives(&self) -> PointSet {
        self.with_rule(shape::completing)
    }

    /// Points where a stone of the other colour may keep some winning row from being completed.
    pub(crate) fn guards(&self) -> PointSet {
        self.with_rule(shape::guards)
    }

    /// Points after which one more stone completes a winning row.
    pub(crate) fn fours(&self) -> PointSet {
        self.with_rule(|own, empty, n, exact, open| {
            shape::cells(shape::four_windows(own, empty, n, exact, open), n) & empty
        })
    }

    /// Points after which one more stone makes two ways to a winning row on one line.
    pub(crate) fn open_threes(&self) -> PointSet {
        self.with_rule(|own, empty, n, exact, _| {
            shape::cells(shape::three_windows(own, empty, n, exact), n - 1) & empty
        })
    }
}
