//! Which five-in-a-row game is played: board size and win rule, and their text form. Not here: how wins and forbidden
//! points are found (`shape`, `forbidden`), and opening protocols (another crate).

use std::fmt;
use std::str::FromStr;

use tengen_game::{SetupError, SetupText, Size};

/// Shortest side of a board.
pub const SIDE_MIN: usize = 3;
/// Longest side of a board: 22 cells and five cells of margin on both sides fill a 32-bit line word.
pub const SIDE_MAX: usize = 22;
/// Shortest side of a renju board; a five must fit.
pub const RENJU_SIDE_MIN: usize = 5;
/// Shortest row that may be asked for.
pub const LENGTH_MIN: u8 = 3;
/// Longest row that may be asked for.
pub const LENGTH_MAX: u8 = 6;
/// Row length when the text doesn't say, and always in renju.
pub const LENGTH_DEFAULT: u8 = 5;

/// The setup keys this game takes.
pub const KEYS: [&str; 4] = ["game", "rules", "size", "win"];

/// What wins, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Win {
    /// `length` or more in a row wins, for both.
    Freestyle {
        /// Stones in a row, 3..=6.
        length: u8,
    },
    /// Exactly `length` in a row wins, for both; longer rows count for nothing.
    Standard {
        /// Stones in a row, 3..=6.
        length: u8,
    },
    /// Black wins with exactly five and may not make an overline, double-four or double-three; White wins with five or
    /// more (RIF rules 9.1 to 9.3, forbidden points illegal instead of claimed).
    Renju,
}

impl Win {
    /// Stones in a row that win.
    pub fn length(self) -> u8 {
        match self {
            Win::Freestyle { length } | Win::Standard { length } => length,
            Win::Renju => 5,
        }
    }

    /// The word for it in setup text.
    pub fn name(self) -> &'static str {
        match self {
            Win::Freestyle { .. } => "freestyle",
            Win::Standard { .. } => "standard",
            Win::Renju => "renju",
        }
    }
}

/// All that fixes a five-in-a-row game before its first stone. Text: `game=five rules=freestyle size=6x6 win=4`;
/// `win` is left out when it is 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FiveRules {
    /// Board size, sides 3..=22; a square of at least 5 in renju.
    pub size: Size,
    /// Win rule.
    pub win: Win,
}

impl FiveRules {
    /// Checked rules; the error names `size` or `win`.
    pub fn new(size: Size, win: Win) -> Result<FiveRules, SetupError> {
        let rules = FiveRules { size, win };
        rules.check()?;
        Ok(rules)
    }

    /// Renju on the usual 15x15 board.
    pub fn renju() -> FiveRules {
        FiveRules { size: Size::square(15).expect("15 is a side"), win: Win::Renju }
    }

    /// Whether `start` may be called with these; the error names `size` or `win`.
    pub fn check(&self) -> Result<(), SetupError> {
        let (w, h) = (self.size.width(), self.size.height());
        let side = SIDE_MIN..=SIDE_MAX;
        if !side.contains(&w) || !side.contains(&h) {
            let why = format!("{} has a side outside {SIDE_MIN}..={SIDE_MAX}", self.size);
            return Err(SetupError::new("size", why));
        }
        if self.win == Win::Renju {
            if !self.size.is_square() || w < RENJU_SIDE_MIN {
                let why = format!("{} is not a square of at least {RENJU_SIDE_MIN}, which renju needs", self.size);
                return Err(SetupError::new("size", why));
            }
            return Ok(());
        }
        let length = self.win.length();
        if !(LENGTH_MIN..=LENGTH_MAX).contains(&length) {
            return Err(SetupError::new("win", format!("{length} is outside {LENGTH_MIN}..={LENGTH_MAX}")));
        }
        if length as usize > w.max(h) {
            let why = format!("a row of {length} doesn't fit on {}; expected at most {}", self.size, w.max(h));
            return Err(SetupError::new("win", why));
        }
        Ok(())
    }

    /// Takes this game's keys out of a setup text and leaves the rest to others. `rules` is required; `size` is 15x15
    /// and `win` is 5 unless given; `game` may have been taken by whoever chose this game.
    pub fn take(text: &mut SetupText) -> Result<FiveRules, SetupError> {
        if let Some(game) = text.take("game")
            && game != "five"
        {
            return Err(SetupError::new("game", format!("`{game}` is not five")));
        }
        let name = text.take("rules");
        let size = match text.take("size") {
            Some(size) => size.parse().map_err(|why: String| SetupError::new("size", why))?,
            None => FiveRules::renju().size,
        };
        let given: Option<u8> = text.take_parsed("win", "a number of stones from 3 to 6")?;
        let length = given.unwrap_or(LENGTH_DEFAULT);
        let win = match name.as_deref() {
            Some("freestyle") => Win::Freestyle { length },
            Some("standard") => Win::Standard { length },
            Some("renju") if length == 5 => Win::Renju,
            Some("renju") => return Err(SetupError::new("win", format!("{length} given, but renju is always 5"))),
            Some(other) => {
                return Err(SetupError::new("rules", format!("`{other}` is not freestyle, standard or renju")));
            }
            None => return Err(SetupError::new("rules", "missing; expected freestyle, standard or renju")),
        };
        FiveRules::new(size, win)
    }
}

impl fmt::Display for FiveRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game=five rules={} size={}", self.win.name(), self.size)?;
        match self.win.length() {
            LENGTH_DEFAULT => Ok(()),
            length => write!(f, " win={length}"),
        }
    }
}

impl FromStr for FiveRules {
    type Err = SetupError;

    fn from_str(text: &str) -> Result<FiveRules, SetupError> {
        let mut text = SetupText::parse(text)?;
        let rules = FiveRules::take(&mut text)?;
        text.finish(&KEYS)?;
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in [
            "game=five rules=freestyle size=6x6 win=4",
            "game=five rules=standard size=15x15",
            "game=five rules=renju size=15x15",
            "game=five rules=standard size=7x3 win=6",
            "game=five rules=freestyle size=22x22",
        ] {
            assert_eq!(text.parse::<FiveRules>().unwrap().to_string(), text);
        }
        assert_eq!("rules=renju".parse::<FiveRules>().unwrap(), FiveRules::renju());
    }

    #[test]
    fn refusals_name_the_field() {
        for (text, field) in [
            ("", "rules"),
            ("rules=omok", "rules"),
            ("game=go rules=renju", "game"),
            ("rules=renju size=15x13", "size"),
            ("rules=renju size=4", "size"),
            ("rules=renju win=4", "win"),
            ("rules=freestyle size=23", "size"),
            ("rules=freestyle size=2x9", "size"),
            ("rules=freestyle size=oval", "size"),
            ("rules=freestyle size=4x3", "win"),
            ("rules=standard win=7", "win"),
            ("rules=standard win=2", "win"),
            ("rules=standard win=x", "win"),
            ("rules=renju komi=5", "komi"),
            ("rules=renju rules=renju", "rules"),
        ] {
            assert_eq!(text.parse::<FiveRules>().unwrap_err().field, field, "{text}");
        }
    }
}
