//! Neighbour tables, one per board size, made on first use and shared by every position of that size.
//!
//! Points keep their public numbering, so nothing is ever converted between an inner and an outer index; the place of a
//! border is taken by one extra index, `area`, which stands for "off the board". Not here: what lies on the points.

use std::sync::OnceLock;

use tengen_game::{MAX_SIDE, PointSet, Size};

/// The four neighbours of every point of one board size.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Left, right, up, down; `area` where the board ends. Has `area + 1` entries, the last pointing at itself.
    pub(crate) near: Box<[[u16; 4]]>,
    width: usize,
    /// All points but those of the last, of the first column.
    not_last: PointSet,
    not_first: PointSet,
}

impl Geometry {
    /// The table of a size. Kept for the life of the program: at most 625 sizes of at most 5 kB.
    pub(crate) fn of(size: Size) -> &'static Geometry {
        static TABLES: [OnceLock<Geometry>; MAX_SIDE * MAX_SIDE] = [const { OnceLock::new() }; MAX_SIDE * MAX_SIDE];
        TABLES[(size.height() - 1) * MAX_SIDE + size.width() - 1].get_or_init(|| Geometry::build(size))
    }

    fn build(size: Size) -> Geometry {
        let off = size.area() as u16;
        let mut near = vec![[off; 4]; size.area() + 1];
        for p in size.points() {
            let (x, y) = size.xy(p);
            let (x, y) = (x as isize, y as isize);
            let at = |x, y| size.point_at(x, y).map_or(off, |q| q.0);
            near[p.index()] = [at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)];
        }
        let columns = |not: usize| size.points().filter(|&p| size.xy(p).0 != not).collect();
        let (not_last, not_first) = (columns(size.width() - 1), columns(0));
        Geometry { near: near.into_boxed_slice(), width: size.width(), not_last, not_first }
    }

    /// The points of `mask`, points of the board, that have a neighbour in the set.
    #[inline]
    pub(crate) fn beside(&self, set: &PointSet, mask: &PointSet) -> PointSet {
        let sides = set.moved_on(1).and(&self.not_first).or(&set.moved_back(1).and(&self.not_last));
        sides.or(&set.moved_on(self.width)).or(&set.moved_back(self.width)).and(mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::Point;

    #[test]
    fn neighbours_are_mutual_and_counted() {
        for (w, h) in [(1, 1), (1, 3), (2, 2), (7, 4), (19, 19), (25, 25)] {
            let size = Size::new(w, h).unwrap();
            let near = &Geometry::of(size).near;
            let off = size.area() as u16;
            let edges: usize = size.points().map(|p| near[p.index()].iter().filter(|&&n| n != off).count()).sum();
            assert_eq!(edges, 2 * (w * (h - 1) + h * (w - 1)));
            for p in size.points() {
                for &n in near[p.index()].iter().filter(|&&n| n != off) {
                    assert!(near[n as usize].contains(&p.0));
                }
            }
            assert_eq!(near[size.area()], [off; 4]);
            let set: PointSet = size.points().filter(|p| p.0 % 5 == 1).collect();
            let full = PointSet::full(size);
            let touching = |p: &Point| near[p.index()].iter().any(|&n| n != off && set.contains(Point(n)));
            assert_eq!(Geometry::of(size).beside(&set, &full), size.points().filter(touching).collect());
        }
    }
}
