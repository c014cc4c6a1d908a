//! Board geometry: sizes, points, sets of points. Not here: stones, and the names people give to points (`notation`).

/// Longest side of any board.
pub const MAX_SIDE: usize = 25;
/// Most points of any board; point indices are below this.
pub const MAX_POINTS: usize = MAX_SIDE * MAX_SIDE;

/// Width and height of a board, each 1..=25. Rectangles are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// A board of `width` columns and `height` rows; none outside 1..=25.
    pub fn new(width: usize, height: usize) -> Option<Size> {
        let ok = |side: usize| (1..=MAX_SIDE).contains(&side);
        (ok(width) && ok(height)).then_some(Size { width: width as u8, height: height as u8 })
    }

    /// A square board; none outside 1..=25.
    pub fn square(side: usize) -> Option<Size> {
        Size::new(side, side)
    }

    /// Columns.
    pub fn width(self) -> usize {
        self.width as usize
    }

    /// Rows.
    pub fn height(self) -> usize {
        self.height as usize
    }

    /// Number of points.
    pub fn area(self) -> usize {
        self.width() * self.height()
    }

    /// Whether rotations by a quarter turn keep the shape.
    pub fn is_square(self) -> bool {
        self.width == self.height
    }

    /// The point of column `x` (0 = left) and row `y` (0 = top).
    pub fn point(self, x: usize, y: usize) -> Point {
        debug_assert!(x < self.width() && y < self.height());
        Point((y * self.width() + x) as u16)
    }

    /// As `point`, or none when off the board.
    pub fn point_at(self, x: isize, y: isize) -> Option<Point> {
        let inside = x >= 0 && y >= 0 && (x as usize) < self.width() && (y as usize) < self.height();
        inside.then(|| self.point(x as usize, y as usize))
    }

    /// Column (0 = left) and row (0 = top) of a point.
    pub fn xy(self, p: Point) -> (usize, usize) {
        (p.index() % self.width(), p.index() / self.width())
    }

    /// All points in index order.
    pub fn points(self) -> impl Iterator<Item = Point> {
        (0..self.area() as u16).map(Point)
    }

    /// The centre point; none when a side is even.
    pub fn centre(self) -> Option<Point> {
        (self.width % 2 == 1 && self.height % 2 == 1).then(|| self.point(self.width() / 2, self.height() / 2))
    }
}

impl std::fmt::Display for Size {
    /// `15x15`: width, then height.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl std::str::FromStr for Size {
    type Err = String;
    /// Reads `15`, `15x15` or `19x9` (width x height).
    fn from_str(text: &str) -> Result<Size, String> {
        // Digits alone: `parse` would take a plus sign.
        let side = |t: &str| t.trim().parse::<usize>().ok().filter(|_| !t.contains('+'));
        let parsed = match text.split_once('x') {
            None => side(text).and_then(Size::square),
            Some((w, h)) => side(w).zip(side(h)).and_then(|(w, h)| Size::new(w, h)),
        };
        parsed.ok_or_else(|| format!("board size `{text}` is not N or WxH with sides 1 to {MAX_SIDE}"))
    }
}

/// A point of a board: `row * width + column`, row 0 on top. Means nothing without its `Size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub u16);

impl Point {
    /// Index for arrays of `Size::area()` entries.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

const WORDS: usize = MAX_POINTS.div_ceil(64);

/// A set of points, one bit each; 80 bytes, copied freely.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PointSet {
    words: [u64; WORDS],
}

impl PointSet {
    /// The empty set.
    pub const EMPTY: PointSet = PointSet { words: [0; WORDS] };

    /// All points of a board.
    pub fn full(size: Size) -> PointSet {
        let mut set = PointSet::EMPTY;
        let area = size.area();
        for (i, word) in set.words.iter_mut().enumerate() {
            let left = area.saturating_sub(i * 64);
            *word = if left >= 64 { u64::MAX } else { (1u64 << left) - 1 };
        }
        set
    }

    /// Adds a point.
    #[inline]
    pub fn insert(&mut self, p: Point) {
        self.words[p.index() >> 6] |= 1 << (p.0 & 63);
    }

    /// Takes a point out.
    #[inline]
    pub fn remove(&mut self, p: Point) {
        self.words[p.index() >> 6] &= !(1 << (p.0 & 63));
    }

    /// Whether the point is in.
    #[inline]
    pub fn contains(&self, p: Point) -> bool {
        self.words[p.index() >> 6] >> (p.0 & 63) & 1 == 1
    }

    /// Number of points in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there is no point in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// A bit for each point: point `p` is bit `p % 64` of word `p / 64`.
    #[inline]
    pub fn words(&self) -> &[u64; MAX_POINTS.div_ceil(64)] {
        &self.words
    }

    /// The point that has `n` points of the set before it; none if there are no more than `n`.
    #[inline]
    pub fn nth(&self, n: usize) -> Option<Point> {
        let mut n = n as u32;
        for (i, &word) in self.words.iter().enumerate() {
            let here = word.count_ones();
            if n < here {
                return Some(Point((i as u32 * 64 + nth_bit(word, n)) as u16));
            }
            n -= here;
        }
        None
    }

    /// Every point moved on by `n` indices, 1 to 63; those that leave the largest board are gone.
    #[inline]
    pub fn moved_on(&self, n: usize) -> PointSet {
        let mut words = [0; WORDS];
        for i in 0..WORDS {
            let before = if i == 0 { 0 } else { self.words[i - 1] };
            words[i] = self.words[i] << n | before >> (64 - n);
        }
        PointSet { words }
    }

    /// Every point moved back by `n` indices, 1 to 63; those that would come before the first are gone.
    #[inline]
    pub fn moved_back(&self, n: usize) -> PointSet {
        let mut words = [0; WORDS];
        for i in 0..WORDS {
            let after = if i + 1 == WORDS { 0 } else { self.words[i + 1] };
            words[i] = self.words[i] >> n | after << (64 - n);
        }
        PointSet { words }
    }

    /// Points in both.
    pub fn and(mut self, other: &PointSet) -> PointSet {
        for (a, b) in self.words.iter_mut().zip(other.words) {
            *a &= b;
        }
        self
    }

    /// Points in either.
    pub fn or(mut self, other: &PointSet) -> PointSet {
        for (a, b) in self.words.iter_mut().zip(other.words) {
            *a |= b;
        }
        self
    }

    /// Points in `self` but not in `other`.
    pub fn minus(mut self, other: &PointSet) -> PointSet {
        for (a, b) in self.words.iter_mut().zip(other.words) {
            *a &= !b;
        }
        self
    }

    /// The points in index order.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    Point((i as u32 * 64 + bit) as u16)
                })
            })
        })
    }
}

/// Place of the one that has `n` ones below it; there must be more than `n`.
#[inline]
fn nth_bit(word: u64, n: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // Ones in each byte, then in it and all lower ones.
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let sums = ((fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
    // The bytes that end at or before the place keep their top bit, for no sum exceeds 64.
    let passed = ((u64::from(n).wrapping_mul(ONES) | TOPS) - sums) & TOPS;
    let at = ((passed >> 7).wrapping_mul(ONES) >> 56) as u32 * 8;
    let below = (sums << 8) >> at & 0xff;
    let mut rest = word >> at;
    for _ in below..u64::from(n) {
        rest &= rest - 1;
    }
    at + rest.trailing_zeros()
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::EMPTY;
        points.into_iter().for_each(|p| set.insert(p));
        set
    }
}

impl std::fmt::Debug for PointSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(|p| p.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        assert!(Size::new(0, 5).is_none() && Size::new(26, 5).is_none());
        assert_eq!("19x9".parse::<Size>().unwrap(), Size::new(19, 9).unwrap());
        assert_eq!("15".parse::<Size>().unwrap(), Size::square(15).unwrap());
        assert!("+9".parse::<Size>().is_err() && "9x+9".parse::<Size>().is_err());
        assert!("15x".parse::<Size>().is_err() && "-1".parse::<Size>().is_err() && "99x9".parse::<Size>().is_err());
    }

    #[test]
    fn counting_and_moving_agree_with_a_plain_list() {
        let mut rng = crate::testkit::TestRng::new(5);
        for _ in 0..300 {
            let thin = 1 + rng.below(9);
            let list: Vec<u16> = (0..MAX_POINTS as u16).filter(|_| rng.below(thin) == 0).collect();
            let set: PointSet = list.iter().copied().map(Point).collect();
            (0..list.len()).for_each(|n| assert_eq!(set.nth(n), Some(Point(list[n]))));
            assert_eq!(set.nth(list.len()), None);
            let n = 1 + rng.below(63);
            let back: PointSet = list.iter().filter_map(|p| p.checked_sub(n as u16)).map(Point).collect();
            assert_eq!(set.moved_back(n), back);
            let words = set.moved_on(n);
            (0..MAX_POINTS).for_each(|p| {
                assert_eq!(words.contains(Point(p as u16)), p >= n && set.contains(Point((p - n) as u16)));
            });
        }
    }

    #[test]
    fn sets_agree_with_a_plain_list() {
        for side in [1, 8, 15, 19, 25] {
            let size = Size::square(side).unwrap();
            assert_eq!(PointSet::full(size).iter().collect::<Vec<_>>(), size.points().collect::<Vec<_>>());
            let odd: PointSet = size.points().filter(|p| p.0 % 3 == 1).collect();
            assert_eq!(odd.len(), size.points().filter(|p| p.0 % 3 == 1).count());
            assert!(PointSet::full(size).minus(&odd).and(&odd).is_empty());
        }
    }
}
