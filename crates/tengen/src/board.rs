//! Drawing a board as text: `X` black, `O` white, `.` empty, `*` forbidden, the last move in brackets. Not here: rules, Go
//! maps (`maps`), images (`picture`).

use tengen_game::notation::Letters;
use tengen_game::{Colour, Point, PointSet, Size};

use crate::catalog::Table;

/// What a drawing shows of a game.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Board size.
    pub size: Size,
    /// Names of columns.
    pub letters: Letters,
    /// Black's and White's stones.
    pub stones: [PointSet; 2],
    /// Points forbidden to the colour to play.
    pub forbidden: PointSet,
    /// Where the last stone went.
    pub last: Option<Point>,
}

impl Drawn {
    /// A game's board as it is now.
    pub fn of<G: Table>(game: &G) -> Drawn {
        let last = game.last_move().and_then(|(_, a)| a.as_point());
        let plain = Drawn::new(game.size(), G::KIND.letters(), &|p| game.stone(p), last);
        Drawn { forbidden: game.forbidden(), ..plain }
    }

    /// Stones alone.
    pub fn new(size: Size, letters: Letters, stone: &dyn Fn(Point) -> Option<Colour>, last: Option<Point>) -> Drawn {
        let of = |colour| size.points().filter(|&p| stone(p) == Some(colour)).collect();
        Drawn { size, letters, stones: Colour::BOTH.map(of), forbidden: PointSet::EMPTY, last }
    }

    /// The stone on a point.
    pub fn stone(&self, p: Point) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.stones[colour.index()].contains(p))
    }

    /// The board without empty lines, framed by letters and numbers.
    pub fn text(&self) -> String {
        let mark = |p| match self.stone(p) {
            Some(Colour::Black) => 'X',
            Some(Colour::White) => 'O',
            None if self.forbidden.contains(p) => '*',
            None => '.',
        };
        self.framed(&mark, self.last)
    }

    /// The board with a mark of `mark` on each point, `last` in brackets.
    pub fn framed(&self, mark: &dyn Fn(Point) -> char, last: Option<Point>) -> String {
        let size = self.size;
        let columns: String = (0..size.width()).map(|x| format!(" {}", self.letters.column_letter(x))).collect();
        let mut out = format!("  {columns}\n");
        for y in 0..size.height() {
            out += &format!("{:2}", size.height() - y);
            let mut after = false;
            for x in 0..size.width() {
                let p = size.point(x, y);
                let open = if last == Some(p) {
                    '('
                } else if after {
                    ')'
                } else {
                    ' '
                };
                after = last == Some(p);
                out.push(open);
                out.push(mark(p));
            }
            out.push(if after { ')' } else { ' ' });
            out += &format!("{}\n", size.height() - y);
        }
        out + &format!("  {columns}")
    }
}

/// Drawings beside each other, as many in a row as fit into `columns` characters, an empty line between rows.
pub fn beside(drawings: &[String], columns: usize) -> String {
    const GAP: usize = 3;
    let width = drawings.iter().flat_map(|d| d.lines()).map(|line| line.chars().count()).max().unwrap_or(0);
    let most = ((columns + GAP) / (width + GAP).max(1)).max(1);
    let row = |row: &[String]| -> String {
        let height = row.iter().map(|d| d.lines().count()).max().unwrap_or(0);
        let line = |i: usize| {
            let parts = row.iter().map(|d| format!("{:width$}", d.lines().nth(i).unwrap_or("")));
            parts.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_string()
        };
        (0..height).map(line).collect::<Vec<_>>().join("\n")
    };
    drawings.chunks(most).map(row).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_marks_are_where_they_belong() {
        let size = Size::square(3).unwrap();
        let black = size.point(2, 0);
        let drawn = Drawn {
            size,
            letters: Letters::WithI,
            stones: [[black].into_iter().collect(), PointSet::EMPTY],
            forbidden: [size.point(0, 2)].into_iter().collect(),
            last: Some(black),
        };
        let text = drawn.text();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines, ["   A B C", " 3 . .(X)3", " 2 . . . 2", " 1 * . . 1", "   A B C"]);
    }

    #[test]
    fn drawings_stand_beside_each_other_while_they_fit() {
        let two = ["ab\nc".to_string(), "d".to_string()];
        assert_eq!(beside(&two, 7), "ab   d\nc");
        assert_eq!(beside(&two, 6), "ab\nc\n\nd");
        assert_eq!(beside(&[], 80), "");
    }
}
