//! The definitions of section 3 of the renju rules, taken literally: row, unbroken row, five, overline, four, straight
//! four, three. For tests of the rule text's diagrams and for tools that explain a position; the fast core has its own
//! arithmetic (`shape`). A three is one by definition, before 9.3. Not here: whether a stone may be played.

use tengen_game::{Colour, Placement, Point, PointSet, Size};

use crate::board::FiveBoard;

/// Steps of the four directions, in columns and rows.
const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Two or more stones of one colour on one line, with none of the opponent's and no other of their own between them,
/// limited at both ends by the edge of the board, a stone of the opponent or an empty point. Gaps are allowed.
#[derive(Clone)]
pub struct Row<'a> {
    board: &'a FiveBoard,
    stones: PointSet,
    colour: Colour,
    step: (isize, isize),
    /// Column and row of the first stone along `step`.
    first: (isize, isize),
    /// Cells from the first stone to the last, both counted.
    span: usize,
}

/// The point `k` steps from a cell.
fn at(size: Size, from: (isize, isize), step: (isize, isize), k: isize) -> Option<Point> {
    size.point_at(from.0 + k * step.0, from.1 + k * step.1)
}

impl FiveBoard {
    /// The row that a set of stones forms, if it does: all on the board, of one colour, in one line, and a row by the
    /// definition (see [`Row`]). Five and more count as they do in renju for Black, whatever the rules of the board.
    pub fn row(&self, stones: &PointSet) -> Option<Row<'_>> {
        let size = self.size();
        let first = stones.iter().next()?;
        let colour = (first.index() < size.area()).then(|| self.stone(first)).flatten()?;
        STEPS.into_iter().find_map(|step| {
            // Point indices ascend along every step but the last, along which they descend.
            let (x, y) = if step.1 < 0 { size.xy(stones.iter().last()?) } else { size.xy(first) };
            let row = Row { board: self, stones: *stones, colour, step, first: (x as isize, y as isize), span: 0 };
            row.measured()
        })
    }
}

impl Row<'_> {
    /// The row with its span, if the stones are one along its step.
    fn measured(mut self) -> Option<Self> {
        let mut found = 0;
        let mut k = 0;
        while found < self.stones.len() {
            let p = self.cell(k)?;
            match self.board.stone(p) {
                Some(colour) if colour == self.colour && self.stones.contains(p) => found += 1,
                None => {}
                Some(_) => return None,
            }
            k += 1;
        }
        self.span = k as usize;
        let limited = |k| self.stone(k) != Some(self.colour);
        (found >= 2 && limited(-1) && limited(k)).then_some(self)
    }

    /// The point `k` steps after the first stone.
    fn cell(&self, k: isize) -> Option<Point> {
        at(self.board.size(), self.first, self.step, k)
    }

    fn stone(&self, k: isize) -> Option<Colour> {
        self.cell(k).and_then(|p| self.board.stone(p))
    }

    fn is_empty(&self, k: isize) -> bool {
        self.cell(k).is_some_and(|p| self.board.stone(p).is_none())
    }

    /// The colour of its stones.
    pub fn colour(&self) -> Colour {
        self.colour
    }

    /// Its stones.
    pub fn stones(&self) -> &PointSet {
        &self.stones
    }

    /// Whether there is no gap.
    pub fn is_unbroken(&self) -> bool {
        self.span == self.stones.len()
    }

    /// Five in a row: unbroken and exactly five.
    pub fn is_five(&self) -> bool {
        self.is_unbroken() && self.span == 5
    }

    /// Overline: unbroken and six or more.
    pub fn is_overline(&self) -> bool {
        self.is_unbroken() && self.span >= 6
    }

    /// The points that make a five of a row of four: one makes it a four, and none (or no four stones) means no four.
    pub fn four(&self) -> PointSet {
        if self.stones.len() != 4 {
            return PointSet::EMPTY;
        }
        self.extended(|row, _| row.is_five())
    }

    /// Straight four: an unbroken four with two different ways to a five.
    pub fn is_straight_four(&self) -> bool {
        self.is_unbroken() && self.four().len() == 2
    }

    /// The points that make a straight four of a row of three "without at the same time a five in a row is made"; if
    /// there is one, the row is a three.
    pub fn three(&self) -> PointSet {
        if self.stones.len() != 3 {
            return PointSet::EMPTY;
        }
        self.extended(|row, p| row.is_straight_four() && !row.is_in_other_five(p))
    }

    /// Empty points in and next to the row which make it a longer row for which `holds(row, point)`.
    fn extended(&self, holds: impl Fn(&Row, Point) -> bool) -> PointSet {
        let (mut black, mut white) = (PointSet::EMPTY, PointSet::EMPTY);
        let size = self.board.size();
        for p in size.points() {
            match self.board.stone(p) {
                Some(Colour::Black) => black.insert(p),
                Some(Colour::White) => white.insert(p),
                None => {}
            }
        }
        let mut out = PointSet::EMPTY;
        for k in -1..=self.span as isize {
            let Some(p) = self.cell(k).filter(|_| self.is_empty(k)) else { continue };
            let (mut with, mut stones) = ([black, white], self.stones);
            with[self.colour.index()].insert(p);
            stones.insert(p);
            let board = FiveBoard::position(self.board.rules(), &with[0], &with[1], self.colour);
            if board.is_some_and(|board| board.row(&stones).is_some_and(|row| holds(&row, p))) {
                out.insert(p);
            }
        }
        out
    }

    /// Whether a stone of the row is part of a five in a row of another direction.
    fn is_in_other_five(&self, p: Point) -> bool {
        let size = self.board.size();
        let is_own = |p: Option<Point>| p.is_some_and(|p| self.board.stone(p) == Some(self.colour));
        let (x, y) = size.xy(p);
        let from = (x as isize, y as isize);
        let run = |step, sign: isize| (1..).take_while(|&k| is_own(at(size, from, step, sign * k))).count();
        STEPS.into_iter().filter(|&step| step != self.step).any(|step| run(step, 1) + run(step, -1) + 1 == 5)
    }
}
