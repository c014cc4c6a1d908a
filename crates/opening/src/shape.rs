//! Shape symmetry of stone groups: which points are the same offer.
//!
//! The renju rule says that offered fifth moves must differ in all respects. Board symmetries are too narrow a test: in
//! the position h8 h9 h7 h6 the moves g8, g7, i8 and i7 are four forms of one move, though the axis between rows 7 and
//! 8 is no axis of the board (A. Meritee, RenjuNet 2008). So two points are equivalent iff some isometry of the grid
//! (one of the eight rotations and mirrors, then any translation) maps the black stones onto themselves, the white ones
//! onto themselves, and one point onto the other. The edge is ignored; a point whose image is off the board has no
//! partner there. Not here: symmetries of the board (`tengen_game::Symmetry`).

use tengen_game::{Colour, Point, PointSet, Size};

/// One isometry of the grid: mirror columns (bit 0), mirror rows (bit 1), transpose first (bit 2), then move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Isometry {
    turn: u8,
    dx: i16,
    dy: i16,
}

impl Isometry {
    fn turned(turn: u8, (x, y): (i32, i32)) -> (i32, i32) {
        let (x, y) = if turn & 4 != 0 { (y, x) } else { (x, y) };
        (if turn & 1 != 0 { -x } else { x }, if turn & 2 != 0 { -y } else { y })
    }

    fn image(self, size: Size, p: Point) -> Option<Point> {
        let (x, y) = size.xy(p);
        let (x, y) = Isometry::turned(self.turn, (x as i32, y as i32));
        size.point_at((x + i32::from(self.dx)) as isize, (y + i32::from(self.dy)) as isize)
    }
}

/// The isometries that map a coloured set of stones onto itself; a group of at most eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeSymmetries {
    size: Size,
    maps: [Isometry; 8],
    count: u8,
}

impl ShapeSymmetries {
    /// Those of the stones on a board of that size. With no stones at all only the identity is meant.
    pub fn of(size: Size, stones: &[(Point, Colour)]) -> ShapeSymmetries {
        let mut sets = [PointSet::EMPTY; 2];
        stones.iter().for_each(|&(p, colour)| sets[colour.index()].insert(p));
        ShapeSymmetries::of_sets(size, &sets)
    }

    /// As `of`, for black and white stones as sets.
    pub(crate) fn of_sets(size: Size, sets: &[PointSet; 2]) -> ShapeSymmetries {
        let mut out = ShapeSymmetries { size, maps: [Isometry::default(); 8], count: 1 };
        let all = sets[0].or(&sets[1]);
        let n = all.len() as i32;
        if n == 0 {
            return out;
        }
        let (sx, sy) = all.iter().map(|p| size.xy(p)).fold((0, 0), |(a, b), (x, y)| (a + x as i32, b + y as i32));
        for turn in 1..8 {
            // An isometry of a finite set onto itself keeps its centroid, which leaves one translation per turn.
            let (tx, ty) = Isometry::turned(turn, (sx, sy));
            let (dx, dy) = (sx - tx, sy - ty);
            if dx % n != 0 || dy % n != 0 {
                continue;
            }
            let map = Isometry { turn, dx: (dx / n) as i16, dy: (dy / n) as i16 };
            // Injective, so mapping each finite set into itself is mapping it onto itself.
            let keeps = |set: &PointSet| set.iter().all(|p| map.image(size, p).is_some_and(|q| set.contains(q)));
            if keeps(&sets[0]) && keeps(&sets[1]) {
                out.maps[out.count as usize] = map;
                out.count += 1;
            }
        }
        out
    }

    /// How many there are, the identity included: 1, 2, 4 or 8.
    pub fn order(&self) -> usize {
        self.count as usize
    }

    /// How many of them are symmetries of the board too, the identity included.
    pub fn board_order(&self) -> usize {
        let whole = |m: &&Isometry| self.size.points().all(|p| m.image(self.size, p).is_some());
        self.maps[..self.order()].iter().filter(whole).count()
    }

    /// All points of the board equivalent to `p`, with `p` itself.
    pub fn class_of(&self, p: Point) -> PointSet {
        self.maps[..self.order()].iter().filter_map(|m| m.image(self.size, p)).collect()
    }

    /// The smallest point equivalent to `p`: a name for its class.
    pub fn representative(&self, p: Point) -> Point {
        let images = self.maps[..self.order()].iter().filter_map(|m| m.image(self.size, p));
        images.min().unwrap_or(p)
    }

    /// A set of points taken apart into its classes, in the order of their smallest members: the first member of each is
    /// its representative.
    pub fn partition(&self, points: &PointSet) -> Vec<PointSet> {
        let mut left = *points;
        let mut classes = Vec::new();
        for p in points.iter() {
            if left.contains(p) {
                let class = self.class_of(p).and(&left);
                left = left.minus(&class);
                classes.push(class);
            }
        }
        classes
    }

    /// How many classes meet a set of points.
    pub fn classes(&self, points: &PointSet) -> usize {
        if self.count == 1 {
            return points.len();
        }
        points.iter().map(|p| self.representative(p)).collect::<PointSet>().len()
    }
}

/// The different fifth moves of a position: the free points of the board in classes of one move, the representative of
/// each first in index order. For any number of stones; legality is the caller's business.
pub fn fifth_moves(size: Size, stones: &[(Point, Colour)]) -> Vec<PointSet> {
    let taken: PointSet = stones.iter().map(|s| s.0).collect();
    ShapeSymmetries::of(size, stones).partition(&PointSet::full(size).minus(&taken))
}
