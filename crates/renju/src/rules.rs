//! Which five-in-a-row game is played: board size and win rule, and their text form. Not here: how wins and forbidden
//! points are found (`shape`, `forbidden`, `omok`), and opening protocols (another crate).

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
/// Row length when the text doesn't say, and always in renju and omok.
pub const LENGTH_DEFAULT: u8 = 5;

/// The setup keys this game takes.
pub const KEYS: [&str; 4] = ["game", "rules", "size", "win"];

/// The words of `rules=`, each with its options. Options follow a colon and are joined by `+`, in any order:
/// `caro:exact+edge-blocks`.
pub const RULES: [(&str, &[&str]); 5] = [
    ("freestyle", &[]),
    ("standard", &[]),
    ("renju", &[]),
    ("caro", &["exact", "edge-blocks"]),
    ("omok", &["exact", "real-threes"]),
];

/// Which threes count for omok's double-three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Threes {
    /// By shape: one more stone makes a straight four, whether or not that stone may be played. This is the usual
    /// wording of the rule ("two open rows of three", the English Wikipedia on gomoku; "a three that leads to an
    /// undefendable four", the free-three of the 42 school's gomoku exercise), and the default.
    Shape,
    /// Real: as in renju (RIF 9.3), the stone that makes the straight four must itself be allowed and make no five.
    Real,
}

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
    /// Caro or gomoku+: an unbroken row of exactly `length` wins unless both its ends are blocked by the opponent; for
    /// both. Without options this is rule 8 of the Gomocup manager (Piskvork 9.0): only stones of the opponent block,
    /// and a longer row wins even when blocked.
    Caro {
        /// Stones in a row, 3..=6.
        length: u8,
        /// Option `exact`: longer rows count for nothing. Rule 9 (8 + 1, "exactly five") of the same manager, and
        /// Board Game Arena's gomoku+. (That site also wants *both* ends free, which is not offered here.)
        exact: bool,
        /// Option `edge-blocks`: the edge of the board blocks like a stone of the opponent. A house rule (whatever keeps
        /// a row from growing blocks it) of which no rule text is known to us; the Gomocup manager says no.
        edge_blocks: bool,
    },
    /// Omok: five or more in a row wins, and neither colour may make a double-three unless the same stone wins;
    /// double-fours and overlines are allowed (English Wikipedia on gomoku; always five in a row). A line on which the
    /// stone makes a four has no three. A player without any allowed point can't go on: that is a draw, since omok
    /// knows no pass.
    Omok {
        /// Option `exact`: longer rows are allowed but don't win, as some Korean programs play it.
        exact: bool,
        /// Option `real-threes`: which threes count.
        threes: Threes,
    },
}

impl Win {
    /// Stones in a row that win.
    pub fn length(self) -> u8 {
        match self {
            Win::Freestyle { length } | Win::Standard { length } | Win::Caro { length, .. } => length,
            Win::Renju | Win::Omok { .. } => LENGTH_DEFAULT,
        }
    }

    /// The word for it in setup text, with its options.
    pub fn name(self) -> &'static str {
        match self {
            Win::Freestyle { .. } => "freestyle",
            Win::Standard { .. } => "standard",
            Win::Renju => "renju",
            Win::Caro { exact: false, edge_blocks: false, .. } => "caro",
            Win::Caro { exact: true, edge_blocks: false, .. } => "caro:exact",
            Win::Caro { exact: false, edge_blocks: true, .. } => "caro:edge-blocks",
            Win::Caro { exact: true, edge_blocks: true, .. } => "caro:exact+edge-blocks",
            Win::Omok { exact: false, threes: Threes::Shape } => "omok",
            Win::Omok { exact: true, threes: Threes::Shape } => "omok:exact",
            Win::Omok { exact: false, threes: Threes::Real } => "omok:real-threes",
            Win::Omok { exact: true, threes: Threes::Real } => "omok:exact+real-threes",
        }
    }

    /// Reads `name` and its options; the error names `rules`, or `win` if the row length doesn't go with them.
    fn read(text: &str, length: u8) -> Result<Win, SetupError> {
        let (word, options) = text.split_once(':').map_or((text, None), |(word, options)| (word, Some(options)));
        let Some(&(word, known)) = RULES.iter().find(|row| row.0 == word) else {
            return Err(SetupError::new("rules", format!("`{word}` is not {}", words())));
        };
        let mut given = Vec::new();
        for option in options.into_iter().flat_map(|options| options.split('+')) {
            if !known.contains(&option) {
                let expected = if known.is_empty() { "none".to_string() } else { known.join(" or ") };
                let why = format!("`{option}` is not an option of {word}; expected {expected}");
                return Err(SetupError::new("rules", why));
            }
            if given.contains(&option) {
                return Err(SetupError::new("rules", format!("option `{option}` is given twice")));
            }
            given.push(option);
        }
        let has = |option| given.contains(&option);
        let win = match word {
            "freestyle" => Win::Freestyle { length },
            "standard" => Win::Standard { length },
            "caro" => Win::Caro { length, exact: has("exact"), edge_blocks: has("edge-blocks") },
            "omok" => {
                let threes = if has("real-threes") { Threes::Real } else { Threes::Shape };
                Win::Omok { exact: has("exact"), threes }
            }
            _ => Win::Renju,
        };
        if win.length() != length {
            return Err(SetupError::new("win", format!("{length} given, but {word} is always {}", win.length())));
        }
        Ok(win)
    }
}

/// `freestyle, standard, renju, caro or omok`.
fn words() -> String {
    let (last, others) = RULES.split_last().expect("not empty");
    format!("{} or {}", others.iter().map(|row| row.0).collect::<Vec<_>>().join(", "), last.0)
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
        let name = name.ok_or_else(|| SetupError::new("rules", format!("missing; expected {}", words())))?;
        FiveRules::new(size, Win::read(&name, given.unwrap_or(LENGTH_DEFAULT))?)
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
            "game=five rules=caro size=3x22 win=6",
            "game=five rules=caro:exact size=15x15",
            "game=five rules=caro:edge-blocks size=15x15 win=3",
            "game=five rules=caro:exact+edge-blocks size=20x20",
            "game=five rules=omok size=19x19",
            "game=five rules=omok:exact size=3x5",
            "game=five rules=omok:real-threes size=22x22",
            "game=five rules=omok:exact+real-threes size=15x15",
        ] {
            assert_eq!(text.parse::<FiveRules>().unwrap().to_string(), text);
        }
        assert_eq!("rules=renju".parse::<FiveRules>().unwrap(), FiveRules::renju());
        let other_order: FiveRules = "rules=caro:edge-blocks+exact".parse().unwrap();
        assert_eq!(other_order.win.name(), "caro:exact+edge-blocks");
    }

    #[test]
    fn refusals_name_the_field() {
        for (text, field) in [
            ("", "rules"),
            ("rules=gobang", "rules"),
            ("rules=caro:", "rules"),
            ("rules=caro:real-threes", "rules"),
            ("rules=caro:exact+exact", "rules"),
            ("rules=renju:exact", "rules"),
            ("rules=omok:edge-blocks", "rules"),
            ("rules=omok win=4", "win"),
            ("rules=omok size=4", "win"),
            ("rules=caro size=4", "win"),
            ("rules=caro win=7", "win"),
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
        let unknown = "rules=gobang".parse::<FiveRules>().unwrap_err().to_string();
        assert_eq!(unknown, "rules: `gobang` is not freestyle, standard, renju, caro or omok");
        let option = "rules=caro:exakt".parse::<FiveRules>().unwrap_err().to_string();
        assert_eq!(option, "rules: `exakt` is not an option of caro; expected exact or edge-blocks");
    }
}
