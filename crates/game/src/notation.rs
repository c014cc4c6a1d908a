//! Names of points. Rows count from 1 at the bottom in both; renju letters keep I, Go letters (GTP) skip it.
//! SGF letters count from the top left. Not here: whole-game formats.

use crate::action::Action;
use crate::board::{Point, Size};

/// Which letters name the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// A B C … with I (renju, RenLib).
    WithI,
    /// A … H J … Z (Go, GTP).
    WithoutI,
}

impl Letters {
    fn letter(self, x: usize) -> char {
        let skip = self == Letters::WithoutI && x >= 8;
        (b'A' + x as u8 + u8::from(skip)) as char
    }

    fn column(self, letter: char) -> Option<usize> {
        let letter = letter.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() {
            return None;
        }
        let x = (letter as u8 - b'A') as usize;
        match self {
            Letters::WithI => Some(x),
            Letters::WithoutI if letter == 'I' => None,
            Letters::WithoutI => Some(x - usize::from(letter > 'I')),
        }
    }

    /// `H8`: upper-case letter, then the row from the bottom.
    pub fn name(self, size: Size, p: Point) -> String {
        let (x, y) = size.xy(p);
        format!("{}{}", self.letter(x), size.height() - y)
    }

    /// Reads a point name in either case; none if it isn't one or is off the board.
    pub fn point(self, size: Size, text: &str) -> Option<Point> {
        let mut chars = text.chars();
        let x = self.column(chars.next()?)?;
        let digits = chars.as_str();
        if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let row: usize = digits.parse().ok()?;
        size.point_at(x as isize, size.height() as isize - row as isize)
    }

    /// A column's letter, for the frame of a printed board.
    pub fn column_letter(self, x: usize) -> char {
        self.letter(x)
    }

    /// Any action in words: a point name, `pass`, `swap`, `keep`, `branch2`, `declare4`.
    pub fn action(self, size: Size, action: Action) -> String {
        if let Some(p) = action.as_point() {
            return self.name(size, p);
        }
        if let Some(b) = action.as_branch() {
            return format!("branch{b}");
        }
        if let Some(n) = action.as_number() {
            return format!("declare{n}");
        }
        match action {
            Action::PASS => "pass",
            Action::SWAP => "swap",
            _ => "keep",
        }
        .to_string()
    }

    /// Reads what `action` writes, in either case.
    pub fn parse_action(self, size: Size, text: &str) -> Option<Action> {
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "pass" => return Some(Action::PASS),
            "swap" => return Some(Action::SWAP),
            "keep" => return Some(Action::KEEP),
            _ => {}
        }
        if let Some(b) = lower.strip_prefix("branch").and_then(|t| t.parse().ok()) {
            return (b < Action::BRANCHES).then(|| Action::branch(b));
        }
        if let Some(p) = self.point(size, text) {
            return Some(Action::point(p));
        }
        let n = lower.strip_prefix("declare").and_then(|t| t.parse().ok())?;
        (n <= Action::NUMBER_MAX).then(|| Action::number(n))
    }
}

/// A point as SGF writes it: `aa` is the top left.
pub fn sgf_name(size: Size, p: Point) -> String {
    let (x, y) = size.xy(p);
    [x, y].iter().map(|&i| (b'a' + i as u8) as char).collect()
}

/// Reads an SGF point; none if it isn't one or is off the board.
pub fn sgf_point(size: Size, text: &str) -> Option<Point> {
    let &[x, y] = text.as_bytes() else { return None };
    let index = |b: u8| b.is_ascii_lowercase().then(|| (b - b'a') as isize);
    size.point_at(index(x)?, index(y)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_on_every_size() {
        for side in [1, 2, 8, 9, 15, 19, 25] {
            let size = Size::square(side).unwrap();
            for letters in [Letters::WithI, Letters::WithoutI] {
                for p in size.points() {
                    let name = letters.name(size, p);
                    assert_eq!(letters.point(size, &name), Some(p));
                    assert_eq!(letters.point(size, &name.to_lowercase()), Some(p));
                }
            }
            for p in size.points() {
                assert_eq!(sgf_point(size, &sgf_name(size, p)), Some(p));
            }
        }
    }

    #[test]
    fn the_letter_i() {
        let size = Size::square(19).unwrap();
        assert_eq!(Letters::WithoutI.point(size, "I5"), None);
        assert_eq!(Letters::WithoutI.name(size, size.point(8, 15)), "J4");
        assert_eq!(Letters::WithI.name(size, size.point(8, 15)), "I4");
        assert_eq!(Letters::WithoutI.point(Size::square(25).unwrap(), "Z25"), Some(Point(24)));
    }

    #[test]
    fn nonsense_is_no_point() {
        let size = Size::square(9).unwrap();
        for text in ["", "a", "a0", "a10", "k1", "é1", "a1a", "11", "a-1", "a 1", "a99999999999999999999"] {
            assert_eq!(Letters::WithoutI.point(size, text), None, "{text}");
        }
        for text in ["", "a", "aaa", "AA", "zz", "é"] {
            assert_eq!(sgf_point(size, text), None, "{text}");
        }
    }

    #[test]
    fn actions_round_trip() {
        let size = Size::square(15).unwrap();
        let mut all: Vec<Action> = size.points().map(Action::point).collect();
        all.extend([Action::PASS, Action::SWAP, Action::KEEP, Action::branch(3), Action::number(221)]);
        for a in all {
            for letters in [Letters::WithI, Letters::WithoutI] {
                assert_eq!(letters.parse_action(size, &letters.action(size, a)), Some(a));
            }
        }
        assert_eq!(Letters::WithI.parse_action(size, "N3"), Some(Action::point(size.point(13, 12))));
    }
}
