//! Sets of points as one word per board row, for flooding whole regions at once. Made for pass-alive groups and areas,
//! where a set is spread or flooded many times. Not here: anything about stones.

use tengen_game::{MAX_POINTS, MAX_SIDE, Point, PointSet, Size};

/// Words for one bit a point.
const WORDS: usize = MAX_POINTS.div_ceil(64);

/// Rows from `low` to `high`, counted from 1: where a set lies, so that work on small sets stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    low: usize,
    high: usize,
}

impl Span {
    /// All rows of a board.
    #[inline]
    pub(crate) fn all(size: Size) -> Span {
        Span { low: 1, high: size.height() }
    }

    /// One row more on both sides, as far as the board goes.
    #[inline]
    pub(crate) fn wider(self, size: Size) -> Span {
        Span { low: (self.low - 1).max(1), high: (self.high + 1).min(size.height()) }
    }

    #[inline]
    fn rows(self) -> std::ops::RangeInclusive<usize> {
        self.low..=self.high.min(MAX_SIDE)
    }
}

/// A set of points: bit `x` of word `y + 1`. The first word and those below the board stay zero, so that neighbouring
/// rows need no check of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowBits([u32; MAX_SIDE + 2]);

impl RowBits {
    pub(crate) const EMPTY: RowBits = RowBits([0; MAX_SIDE + 2]);

    pub(crate) fn full(size: Size) -> RowBits {
        let mut set = RowBits::EMPTY;
        set.0[1..=size.height()].fill((1 << size.width()) - 1);
        set
    }

    /// A set of points of the board.
    pub(crate) fn of(size: Size, set: &PointSet) -> RowBits {
        let mut out = RowBits::EMPTY;
        let (words, width, full) = (set.words(), size.width(), (1u32 << size.width()) - 1);
        for y in 0..size.height() {
            out.0[y + 1] = bits_from(words, y * width) & full;
        }
        out
    }

    /// The points in index order.
    pub(crate) fn each(&self, size: Size, mut f: impl FnMut(Point)) {
        for y in 0..size.height() {
            let mut row = self.0[y + 1];
            while row != 0 {
                f(Point((y * size.width()) as u16 + row.trailing_zeros() as u16));
                row &= row - 1;
            }
        }
    }

    pub(crate) fn points(&self, size: Size) -> PointSet {
        let mut set = PointSet::EMPTY;
        self.each(size, |p| set.insert(p));
        set
    }

    /// Adds a point.
    pub(crate) fn insert(&mut self, size: Size, p: Point) {
        let (x, y) = size.xy(p);
        self.0[y + 1] |= 1 << x;
    }

    /// Row from 1 and bit of the first point.
    #[inline]
    pub(crate) fn first(&self, span: Span) -> Option<(usize, u32)> {
        span.rows().find(|&y| self.0[y] != 0).map(|y| (y, self.0[y] & self.0[y].wrapping_neg()))
    }

    /// The points beside one point, as `first` would give them, that are in the set.
    #[inline]
    pub(crate) fn near(&self, (y, bit): (usize, u32)) -> impl Iterator<Item = (usize, u32)> + '_ {
        [(y, bit << 1), (y, bit >> 1), (y - 1, bit), (y + 1, bit)].into_iter().filter(|&(y, bit)| self.0[y] & bit != 0)
    }

    /// Whether the point that `first` gave for some set is in this one.
    #[inline]
    pub(crate) fn has(&self, (y, bit): (usize, u32)) -> bool {
        self.0[y] & bit != 0
    }

    #[inline]
    pub(crate) fn is_empty(&self, span: Span) -> bool {
        span.rows().all(|y| self.0[y] == 0)
    }

    #[inline]
    pub(crate) fn count(&self, span: Span) -> usize {
        span.rows().map(|y| self.0[y].count_ones() as usize).sum()
    }

    /// Whether every point is also in `other`.
    #[inline]
    pub(crate) fn within(&self, other: &RowBits, span: Span) -> bool {
        span.rows().all(|y| self.0[y] & !other.0[y] == 0)
    }

    #[inline]
    pub(crate) fn and(mut self, other: &RowBits, span: Span) -> RowBits {
        for y in span.rows() {
            self.0[y] &= other.0[y];
        }
        self
    }

    #[inline]
    pub(crate) fn or(mut self, other: &RowBits, span: Span) -> RowBits {
        for y in span.rows() {
            self.0[y] |= other.0[y];
        }
        self
    }

    #[inline]
    pub(crate) fn minus(mut self, other: &RowBits, span: Span) -> RowBits {
        for y in span.rows() {
            self.0[y] &= !other.0[y];
        }
        self
    }

    /// The points of `mask`, in the rows of the span, that have a neighbour in the set.
    #[inline]
    pub(crate) fn beside(&self, mask: &RowBits, span: Span) -> RowBits {
        let mut out = RowBits::EMPTY;
        for y in span.rows() {
            let row = self.0[y];
            out.0[y] = (row << 1 | row >> 1 | self.0[y - 1] | self.0[y + 1]) & mask.0[y];
        }
        out
    }

    /// Whether a point of `own` that isn't in `but` has a neighbour in the set.
    #[inline]
    pub(crate) fn touches(&self, own: &RowBits, but: &RowBits, span: Span) -> bool {
        span.rows().any(|y| {
            let row = self.0[y];
            (row << 1 | row >> 1 | self.0[y - 1] | self.0[y + 1]) & own.0[y] & !but.0[y] != 0
        })
    }

    /// The connected part of the set that holds the point `start` (as `first` gives it), which must be in the set, and
    /// the rows it lies in.
    pub(crate) fn part(&self, start: (usize, u32), size: Size) -> (RowBits, Span) {
        let mut out = RowBits::EMPTY;
        out.0[start.0] = fill_runs(self.0[start.0], start.1);
        let (mut low, mut high, last) = (start.0, start.0, size.height());
        loop {
            let mut grown = false;
            let mut y = low + 1;
            while y <= last && y <= high + 1 {
                let from = out.0[y - 1];
                grown |= self.grow(&mut out, y, from);
                high = if out.0[y] != 0 { high.max(y) } else { high };
                y += 1;
            }
            let mut y = high - 1;
            while y >= 1 && y + 1 >= low {
                let from = out.0[y + 1];
                grown |= self.grow(&mut out, y, from);
                low = if out.0[y] != 0 { low.min(y) } else { low };
                y -= 1;
            }
            if !grown {
                return (out, Span { low, high });
            }
        }
    }

    /// All points of the set that are connected to a point of `seeds`, which lies within the set.
    pub(crate) fn reached(&self, seeds: &RowBits, size: Size) -> RowBits {
        let mut out = RowBits::EMPTY;
        let last = size.height();
        for y in 1..=last {
            let row = self.0[y] & (seeds.0[y] | out.0[y - 1]);
            out.0[y] = if row == 0 { 0 } else { fill_runs(self.0[y], row) };
        }
        loop {
            let mut grown = false;
            for y in (1..last).rev() {
                let from = out.0[y + 1];
                grown |= self.grow(&mut out, y, from);
            }
            if !grown {
                return out;
            }
            grown = false;
            for y in 2..=last {
                let from = out.0[y - 1];
                grown |= self.grow(&mut out, y, from);
            }
            if !grown {
                return out;
            }
        }
    }

    /// Takes into row `y` of `out` what touches `from`, the row above or below; whether that was anything new.
    #[inline]
    fn grow(&self, out: &mut RowBits, y: usize, from: u32) -> bool {
        let new = from & self.0[y] & !out.0[y];
        if new != 0 {
            out.0[y] |= fill_runs(self.0[y], new);
        }
        new != 0
    }
}

/// 32 bits from `at` on, a point of the largest board; zeros beyond the last word.
#[inline]
fn bits_from(words: &[u64; WORDS], at: usize) -> u32 {
    let (word, bit) = (at / 64, at % 64);
    let next = words.get(word + 1).copied().unwrap_or(0);
    (words[word] >> bit | (next << 1) << (63 - bit)) as u32
}

/// The runs of ones in `mask` that hold a bit of `seeds`, all of which lie in `mask`; at most 25 bits.
#[inline]
fn fill_runs(mask: u32, seeds: u32) -> u32 {
    // Adding a seed flips its run to zeros from there upwards; further seeds of the run may stay ones.
    let up = mask & (!(mask + seeds) | seeds);
    // Downwards by doubling steps, through ones only.
    let (mut filled, mut through) = (up, mask);
    for step in [1, 2, 4, 8, 16] {
        filled |= through & (filled >> step);
        through &= through >> step;
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::testkit::TestRng;

    #[test]
    fn runs_are_filled_whole() {
        let mut rng = TestRng::new(3);
        for _ in 0..20_000 {
            let mask = (rng.next() | rng.next()) as u32 & 0x1ff_ffff;
            let seeds = mask & rng.next() as u32 & rng.next() as u32;
            let mut slow = seeds;
            (0..25).for_each(|_| slow |= mask & (slow << 1 | slow >> 1));
            assert_eq!(fill_runs(mask, seeds), slow, "{mask:b} {seeds:b}");
        }
    }

    #[test]
    fn parts_are_connected_and_complete() {
        let mut rng = TestRng::new(4);
        for (w, h) in [(1, 1), (1, 25), (25, 1), (5, 4), (9, 9), (19, 19), (25, 25)] {
            let size = Size::new(w, h).unwrap();
            for _ in 0..100 {
                let points: PointSet = size.points().filter(|_| rng.below(5) > 1).collect();
                let set = RowBits::of(size, &points);
                let all = Span::all(size);
                assert_eq!(set.points(size), points);
                let Some(first) = set.first(all) else { continue };
                let (part, span) = set.part(first, size);
                assert_eq!(part.count(span), part.count(all), "the span holds it all");
                let mut seed = RowBits::EMPTY;
                seed.0[first.0] = first.1;
                assert_eq!(part, set.reached(&seed, size));
                let mut slow = RowBits::EMPTY;
                slow.0[first.0] = first.1;
                loop {
                    let next = slow.or(&slow.beside(&set, all), all);
                    if next == slow {
                        break;
                    }
                    slow = next;
                }
                assert_eq!(part, slow);
                assert_eq!(part.points(size).len(), part.count(all));
            }
        }
    }
}
