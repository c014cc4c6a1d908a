//! Start positions from rows of text, and a board's text. Not here: SGF and GTP.

use std::fmt;

use tengen_game::notation::Letters;
use tengen_game::{Colour, Point};

use crate::board::{GoBoard, colour_of};
use crate::chains::EMPTY;
use crate::rules::GoRules;

/// Why rows are no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Wrong number of rows.
    #[error("the position has {found} rows; the board has {expected}")]
    Rows {
        /// Rows given.
        found: usize,
        /// Height of the board.
        expected: usize,
    },
    /// A row of the wrong length.
    #[error("row {row} has {found} points; the board has {expected}")]
    Width {
        /// Row from the top, from 1.
        row: usize,
        /// Characters given.
        found: usize,
        /// Width of the board.
        expected: usize,
    },
    /// Neither a stone nor an empty point.
    #[error("row {row}: `{found}` is not `.`, `X` (black) or `O` (white)")]
    Character {
        /// Row from the top, from 1.
        row: usize,
        /// What stands there.
        found: char,
    },
    /// Stones that can't stay on the board.
    #[error("the chain of {point} has no liberty")]
    NoLiberty {
        /// A stone of the chain, in Go letters.
        point: String,
    },
}

impl GoBoard {
    /// A position from rows of `.`, `X` (black) and `O` (white), the top row first. No ko ban, no history but itself.
    ///
    /// # Errors
    /// When the rows don't fit the board, hold other characters, or leave a chain without liberties.
    pub fn from_position(rules: &GoRules, rows: &[&str], to_play: Colour) -> Result<GoBoard, PositionError> {
        let size = rules.size;
        if rows.len() != size.height() {
            return Err(PositionError::Rows { found: rows.len(), expected: size.height() });
        }
        let mut stones = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            let found = row.chars().count();
            if found != size.width() {
                return Err(PositionError::Width { row: y + 1, found, expected: size.width() });
            }
            for (x, found) in row.chars().enumerate() {
                match found {
                    '.' => {}
                    'X' | 'x' => stones.push((Colour::Black, size.point(x, y))),
                    'O' | 'o' => stones.push((Colour::White, size.point(x, y))),
                    _ => return Err(PositionError::Character { row: y + 1, found }),
                }
            }
        }
        check_liberties(rules, &stones)?;
        Ok(GoBoard::with_stones(rules, &stones, to_play))
    }

    /// The rows that `from_position` reads, the top row first.
    pub fn rows(&self) -> Vec<String> {
        let letter = |&value: &u8| match colour_of(value) {
            Some(Colour::Black) => 'X',
            Some(Colour::White) => 'O',
            None => '.',
        };
        self.stones.points().chunks(self.size().width()).map(|row| row.iter().map(letter).collect()).collect()
    }
}

/// Refuses chains without liberties. Must come before the stones are laid, because laying them would remove the chain.
fn check_liberties(rules: &GoRules, stones: &[(Colour, Point)]) -> Result<(), PositionError> {
    let mut colours = vec![EMPTY; rules.size.area()];
    stones.iter().for_each(|&(colour, p)| colours[p.index()] = colour as u8);
    let near = |p: Point| {
        let (x, y) = rules.size.xy(p);
        [(-1, 0), (1, 0), (0, -1), (0, 1)]
            .into_iter()
            .filter_map(move |(dx, dy)| rules.size.point_at(x as isize + dx, y as isize + dy))
    };
    // Liberty spreads from empty points along chains.
    let mut free: Vec<bool> = colours.iter().map(|&colour| colour == EMPTY).collect();
    let mut todo: Vec<Point> = rules.size.points().filter(|p| free[p.index()]).collect();
    while let Some(p) = todo.pop() {
        for n in near(p) {
            let reached = colours[p.index()] == EMPTY || colours[n.index()] == colours[p.index()];
            if reached && !free[n.index()] {
                free[n.index()] = true;
                todo.push(n);
            }
        }
    }
    match rules.size.points().find(|p| !free[p.index()]) {
        Some(p) => Err(PositionError::NoLiberty { point: Letters::WithoutI.name(rules.size, p) }),
        None => Ok(()),
    }
}

impl fmt::Display for GoBoard {
    /// The rows, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rows().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(size: &str) -> GoRules {
        GoRules::named("tromp-taylor", size.parse().unwrap()).unwrap()
    }

    #[test]
    fn rows_read_back() {
        let rows = ["X.O", ".XO", "OO."];
        assert_eq!(GoBoard::from_position(&rules("3"), &rows, Colour::White).unwrap().rows(), rows);
    }

    #[test]
    fn bad_rows_are_refused() {
        let read = |rows: &[&str]| GoBoard::from_position(&rules("3x2"), rows, Colour::Black).unwrap_err();
        assert_eq!(read(&["..."]), PositionError::Rows { found: 1, expected: 2 });
        assert_eq!(read(&["...", "...."]), PositionError::Width { row: 2, found: 4, expected: 3 });
        assert_eq!(read(&["...", ".é."]), PositionError::Character { row: 2, found: 'é' });
        assert_eq!(read(&["XO.", "OXO"]), PositionError::NoLiberty { point: "A2".into() });
        assert_eq!(read(&["XXX", "XXX"]), PositionError::NoLiberty { point: "A2".into() });
    }
}
