//! The eight symmetries of a board. Not here: shape symmetry of stone groups (`opening`).

use crate::board::{Point, Size};

/// One of the eight symmetries: first an optional transposition, then mirroring of columns and rows.
///
/// Bit 0 mirrors columns (x), bit 1 mirrors rows (y), bit 2 transposes. Rectangles keep only 0..4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves everything in place.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// All eight.
    pub const ALL: [Symmetry; 8] =
        [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3), Symmetry(4), Symmetry(5), Symmetry(6), Symmetry(7)];

    /// The symmetries that keep a board's shape: eight for squares, four otherwise.
    pub fn of(size: Size) -> &'static [Symmetry] {
        if size.is_square() { &Symmetry::ALL } else { &Symmetry::ALL[..4] }
    }

    /// Index 0..8.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The image of column `x`, row `y`.
    #[inline]
    pub fn xy(self, size: Size, x: usize, y: usize) -> (usize, usize) {
        let (x, y) = if self.0 & 4 != 0 { (y, x) } else { (x, y) };
        let x = if self.0 & 1 != 0 { size.width() - 1 - x } else { x };
        let y = if self.0 & 2 != 0 { size.height() - 1 - y } else { y };
        (x, y)
    }

    /// The image of a point. A transposition needs a square board.
    #[inline]
    pub fn point(self, size: Size, p: Point) -> Point {
        debug_assert!(self.0 < 4 || size.is_square());
        let (x, y) = size.xy(p);
        let (x, y) = self.xy(size, x, y);
        size.point(x, y)
    }

    /// The symmetry that undoes this one.
    pub fn inverse(self) -> Symmetry {
        // Transposing after mirroring columns equals mirroring rows after transposing.
        if self.0 & 4 != 0 { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) } else { self }
    }

    /// First `self`, then `next`.
    pub fn then(self, next: Symmetry) -> Symmetry {
        let mirrors = self.0 & 3;
        let moved = if next.0 & 4 != 0 { (mirrors & 1) << 1 | (mirrors & 2) >> 1 } else { mirrors };
        Symmetry((self.0 ^ next.0) & 4 | (moved ^ next.0 & 3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_laws_hold_pointwise() {
        for (w, h) in [(1, 1), (2, 2), (6, 6), (15, 15), (7, 4)] {
            let size = Size::new(w, h).unwrap();
            for &a in Symmetry::of(size) {
                for p in size.points() {
                    assert_eq!(a.inverse().point(size, a.point(size, p)), p);
                    for &b in Symmetry::of(size) {
                        assert_eq!(a.then(b).point(size, p), b.point(size, a.point(size, p)), "{a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_eight_are_distinct() {
        let size = Size::square(5).unwrap();
        let images: std::collections::HashSet<Vec<Point>> =
            Symmetry::ALL.iter().map(|s| size.points().map(|p| s.point(size, p)).collect()).collect();
        assert_eq!(images.len(), 8);
    }
}
