//! Maps of points that complete or threaten a row, for one colour. Not here: whether Black may play there.

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
}

impl Threats<'_> {
    /// Collects the cells that `cells(own, empty)` marks on any line.
    #[inline(always)]
    fn collect(&self, cells: impl Fn(u32, u32) -> u32) -> PointSet {
        let mut set = PointSet::EMPTY;
        let groups = self.own.chunks_exact(GROUP).zip(self.other.chunks_exact(GROUP));
        let groups = groups.zip(self.geometry.inside.chunks_exact(GROUP)).take(self.geometry.groups);
        for (group, ((own, other), inside)) in groups.enumerate() {
            let mut marks = [0; GROUP];
            for i in 0..GROUP {
                marks[i] = cells(own[i], inside[i] & !(own[i] | other[i]));
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

    /// One instance of `collect` for the usual length, so that its loops unroll, and one for the others.
    #[inline(always)]
    fn with_length(&self, cells: impl Fn(u32, u32, u32, bool) -> u32) -> PointSet {
        match (self.length, self.exact) {
            (5, true) => self.collect(|own, empty| cells(own, empty, 5, true)),
            (5, false) => self.collect(|own, empty| cells(own, empty, 5, false)),
            (n, exact) => self.collect(|own, empty| cells(own, empty, n, exact)),
        }
    }

    /// Points that complete a winning row.
    pub(crate) fn fives(&self) -> PointSet {
        self.with_length(shape::completing)
    }

    /// Points after which one more stone completes a winning row.
    pub(crate) fn fours(&self) -> PointSet {
        self.with_length(|own, empty, n, exact| shape::cells(shape::four_windows(own, empty, n, exact), n) & empty)
    }

    /// Points after which one more stone makes two ways to a winning row on one line.
    pub(crate) fn open_threes(&self) -> PointSet {
        self.with_length(|own, empty, n, exact| shape::cells(shape::three_windows(own, empty, n, exact), n - 1) & empty)
    }
}
