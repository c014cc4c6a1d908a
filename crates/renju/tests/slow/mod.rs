//! A slow reference for five in a row: plain arrays and definitions taken literally, written without a look at the fast
//! core. Shared by the tests of this crate. Not here: speed.

use std::cell::Cell;
use std::collections::BTreeSet;

use tengen_game::{Colour, Point, PointSet, Size};
use tengen_renju::{FiveRules, Threes, Win};

type Xy = (i32, i32);
const DIRECTIONS: [Xy; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// What a black stone would make.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SlowKinds {
    pub(crate) five: bool,
    pub(crate) overline: bool,
    pub(crate) double_four: bool,
    pub(crate) double_three: bool,
}

impl SlowKinds {
    pub(crate) fn is_forbidden(&self) -> bool {
        self.overline || self.double_four || self.double_three
    }
}

/// A position as a list of cells.
#[derive(Clone)]
pub(crate) struct Slow {
    pub(crate) rules: FiveRules,
    pub(crate) cells: [Option<Colour>; 484],
    /// Deepest level of the forbidden-point recursion entered so far.
    pub(crate) deepest: Cell<usize>,
}

impl Slow {
    pub(crate) fn new(rules: &FiveRules) -> Slow {
        Slow { rules: *rules, cells: [None; 484], deepest: Cell::new(0) }
    }

    fn size(&self) -> Size {
        self.rules.size
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = Point> + use<> {
        self.size().points()
    }

    fn xy(&self, p: Point) -> Xy {
        let (x, y) = self.size().xy(p);
        (x as i32, y as i32)
    }

    fn point(&self, (x, y): Xy) -> Option<Point> {
        self.size().point_at(x as isize, y as isize)
    }

    fn is(&self, at: Xy, what: Option<Colour>) -> bool {
        self.point(at).is_some_and(|p| self.cells[p.index()] == what)
    }

    pub(crate) fn is_empty(&self, p: Point) -> bool {
        self.cells[p.index()].is_none()
    }

    pub(crate) fn set_of(&self, colour: Colour) -> PointSet {
        self.points().filter(|p| self.cells[p.index()] == Some(colour)).collect()
    }

    /// The same position with one more stone.
    pub(crate) fn with(&self, p: Point, colour: Colour) -> Slow {
        let mut next = self.clone();
        assert!(next.is_empty(p));
        next.cells[p.index()] = Some(colour);
        next
    }

    /// The first and the last cell of the unbroken row through a stone.
    fn ends(&self, at: Xy, (dx, dy): Xy, colour: Colour) -> (Xy, Xy, usize) {
        let (mut first, mut last, mut length) = (at, at, 1);
        while self.is((first.0 - dx, first.1 - dy), Some(colour)) {
            first = (first.0 - dx, first.1 - dy);
            length += 1;
        }
        while self.is((last.0 + dx, last.1 + dy), Some(colour)) {
            last = (last.0 + dx, last.1 + dy);
            length += 1;
        }
        (first, last, length)
    }

    fn exact(&self, colour: Colour) -> bool {
        match self.rules.win {
            Win::Freestyle { .. } => false,
            Win::Standard { .. } => true,
            Win::Renju => colour == Colour::Black,
            Win::Caro { exact, .. } | Win::Omok { exact, .. } => exact,
        }
    }

    /// Whether an end of a row is blocked in caro: by the opponent, and by the edge if the rules say so.
    fn blocked(&self, end: Xy, colour: Colour) -> bool {
        match self.point(end) {
            Some(p) => self.cells[p.index()] == Some(!colour),
            None => matches!(self.rules.win, Win::Caro { edge_blocks: true, .. }),
        }
    }

    /// Whether the unbroken row through a stone wins.
    fn row_wins(&self, at: Xy, d: Xy, colour: Colour) -> bool {
        let n = self.rules.win.length() as usize;
        let (first, last, length) = self.ends(at, d, colour);
        let ends = [(first.0 - d.0, first.1 - d.1), (last.0 + d.0, last.1 + d.1)];
        let caro = matches!(self.rules.win, Win::Caro { .. });
        if length == n {
            return !(caro && ends.into_iter().all(|end| self.blocked(end, colour)));
        }
        length > n && !self.exact(colour)
    }

    /// Whether the stone on `p` is part of a winning row.
    pub(crate) fn won_at(&self, p: Point) -> bool {
        let colour = self.cells[p.index()].unwrap();
        DIRECTIONS.iter().any(|&d| self.row_wins(self.xy(p), d, colour))
    }

    /// Points that complete a winning row.
    pub(crate) fn fives(&self, colour: Colour) -> PointSet {
        self.points().filter(|&p| self.is_empty(p) && self.with(p, colour).won_at(p)).collect()
    }

    /// Pairs of empty points on one line, up to `reach` apart.
    fn pairs(&self, p: Point, d: Xy, reach: i32) -> Vec<Point> {
        let (x, y) = self.xy(p);
        (-reach..=reach)
            .filter(|&k| k != 0)
            .filter_map(|k| self.point((x + k * d.0, y + k * d.1)))
            .filter(|&q| self.is_empty(q))
            .collect()
    }

    /// Whether a second stone on a line through the stone `p` stands with it in a winning row.
    fn four_on(&self, p: Point, d: Xy, colour: Colour) -> bool {
        let n = i32::from(self.rules.win.length());
        self.pairs(p, d, n - 1).into_iter().any(|q| {
            let both = self.with(q, colour);
            let (first, last, _) = both.ends(both.xy(p), d, colour);
            let q = both.xy(q);
            let inside = (first.0.min(last.0)..=first.0.max(last.0)).contains(&q.0)
                && (first.1.min(last.1)..=first.1.max(last.1)).contains(&q.1);
            inside && both.row_wins(q, d, colour)
        })
    }

    /// Points after which a second stone on the same line stands with the first in a winning row.
    pub(crate) fn four_shapes(&self, colour: Colour) -> PointSet {
        let makes = |p: Point| {
            let with = self.with(p, colour);
            DIRECTIONS.iter().any(|&d| with.four_on(p, d, colour))
        };
        self.points().filter(|&p| self.is_empty(p) && makes(p)).collect()
    }

    /// Whether a row of one less than wins, through `p` on line `d`, can be made a winning row at both ends.
    fn straight(&self, p: Point, q: Point, d: Xy, colour: Colour) -> bool {
        let n = self.rules.win.length() as usize;
        let (first, last, length) = self.ends(self.xy(p), d, colour);
        let (q_first, ..) = self.ends(self.xy(q), d, colour);
        let ends = [(first.0 - d.0, first.1 - d.1), (last.0 + d.0, last.1 + d.1)];
        first == q_first
            && length == n - 1
            && ends.into_iter().all(|end| {
                self.is(end, None) && {
                    let more = self.with(self.point(end).unwrap(), colour);
                    more.row_wins(end, d, colour)
                }
            })
    }

    /// Stones that with the stone `p` make a straight four (or its like) on a line.
    fn straights(&self, p: Point, d: Xy, colour: Colour) -> Vec<Point> {
        let reach = i32::from(self.rules.win.length()) - 1;
        let pairs = self.pairs(p, d, reach).into_iter();
        pairs.filter(|&q| self.with(q, colour).straight(p, q, d, colour)).collect()
    }

    /// Points after which a second stone on the same line makes a straight four (or its like) with the first.
    pub(crate) fn three_shapes(&self, colour: Colour) -> PointSet {
        let makes = |p: Point| {
            let with = self.with(p, colour);
            DIRECTIONS.iter().any(|&d| !with.straights(p, d, colour).is_empty())
        };
        self.points().filter(|&p| self.is_empty(p) && makes(p)).collect()
    }

    /// Whether `colour` may not play on an empty point.
    pub(crate) fn forbids(&self, p: Point, colour: Colour) -> bool {
        match self.rules.win {
            Win::Renju => colour == Colour::Black && self.kinds(p).is_forbidden(),
            Win::Omok { .. } => self.omok_forbids(p, colour),
            _ => false,
        }
    }

    /// Omok: two or more lines with a three and no four, unless the stone wins.
    fn omok_forbids(&self, p: Point, colour: Colour) -> bool {
        let board = self.with(p, colour);
        if board.won_at(p) {
            return false;
        }
        let Win::Omok { threes, .. } = self.rules.win else { unreachable!() };
        let counts = |q: &Point| {
            threes == Threes::Shape || (!board.with(*q, colour).won_at(*q) && !board.omok_forbids(*q, colour))
        };
        let three = |&&d: &&Xy| !board.four_on(p, d, colour) && board.straights(p, d, colour).iter().any(counts);
        DIRECTIONS.iter().filter(three).count() >= 2
    }

    /// Of some points, those where a stone is allowed and doesn't win.
    fn quiet(&self, points: PointSet, colour: Colour) -> PointSet {
        points.iter().filter(|&p| !self.forbids(p, colour) && !self.with(p, colour).won_at(p)).collect()
    }

    /// Points where a stone is allowed, doesn't win, and threatens a winning row.
    pub(crate) fn fours(&self, colour: Colour) -> PointSet {
        self.quiet(self.four_shapes(colour), colour)
    }

    /// Points where a stone is allowed and doesn't win, and where a second that makes a straight four is allowed; where
    /// there are forbidden points the second may not win, and in omok the first makes no four on that line.
    pub(crate) fn open_threes(&self, colour: Colour) -> PointSet {
        let quiet = self.quiet(self.three_shapes(colour), colour);
        let omok = matches!(self.rules.win, Win::Omok { .. });
        if !omok && (self.rules.win != Win::Renju || colour == Colour::White) {
            return quiet;
        }
        let makes = |&p: &Point| {
            let board = self.with(p, colour);
            let counts = |q: &Point| !board.with(*q, colour).won_at(*q) && !board.forbids(*q, colour);
            let three =
                |&d: &Xy| !(omok && board.four_on(p, d, colour)) && board.straights(p, d, colour).iter().any(counts);
            DIRECTIONS.iter().any(three)
        };
        quiet.iter().filter(makes).collect()
    }

    /// What a black stone on an empty point makes in renju.
    pub(crate) fn kinds(&self, p: Point) -> SlowKinds {
        self.kinds_at(p, 0)
    }

    fn kinds_at(&self, p: Point, level: usize) -> SlowKinds {
        self.deepest.set(self.deepest.get().max(level));
        let black = Colour::Black;
        let board = self.with(p, black);
        let at = self.xy(p);
        let rows: Vec<usize> = DIRECTIONS.iter().map(|&d| board.ends(at, d, black).2).collect();
        if rows.contains(&5) {
            return SlowKinds { five: true, ..SlowKinds::default() };
        }
        let fours: usize = DIRECTIONS.iter().map(|&d| board.fours_through(p, d)).sum();
        let threes: Vec<bool> = DIRECTIONS.iter().map(|&d| self.real_three(&board, p, d, level)).collect();
        SlowKinds {
            five: false,
            overline: rows.iter().any(|&row| row >= 6),
            double_four: fours >= 2,
            double_three: threes.into_iter().filter(|&real| real).count() >= 2,
        }
    }

    /// Different sets of four stones with `p` on one line that one more stone makes exactly five.
    fn fours_through(&self, p: Point, d: Xy) -> usize {
        let black = Colour::Black;
        let mut sets = BTreeSet::new();
        for e in self.pairs(p, d, 4) {
            let (first, _, length) = self.with(e, black).ends(self.xy(e), d, black);
            let row: BTreeSet<Xy> = (0..length as i32).map(|k| (first.0 + k * d.0, first.1 + k * d.1)).collect();
            if length == 5 && row.contains(&self.xy(p)) {
                sets.insert(row.into_iter().filter(|&c| c != self.xy(e)).collect::<Vec<Xy>>());
            }
        }
        sets.len()
    }

    /// Whether `p`, on `board` already, has a three on a line with a completion that is neither five nor forbidden.
    fn real_three(&self, board: &Slow, p: Point, d: Xy, level: usize) -> bool {
        board.pairs(p, d, 4).into_iter().any(|q| {
            board.with(q, Colour::Black).straight(p, q, d, Colour::Black) && {
                let kinds = board.kinds_at(q, level + 1);
                self.deepest.set(self.deepest.get().max(board.deepest.get()));
                !kinds.five && !kinds.is_forbidden()
            }
        })
    }

    /// Black's forbidden points.
    pub(crate) fn forbidden(&self) -> PointSet {
        self.points().filter(|&p| self.is_empty(p) && self.kinds(p).is_forbidden()).collect()
    }
}
