//! How games end. Not here: scores (see `Game::margin`) and why a game was stopped early (records say that).

use crate::seat::{Colour, Seat};

/// Result by colour, as the rules core sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardResult {
    /// That colour won.
    Win(Colour),
    /// Even.
    Draw,
    /// The rules give no result (a long cycle under simple ko). Counted apart from draws.
    NoResult,
}

/// Result by seat, as search, records and statistics see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// That seat won.
    Win(Seat),
    /// Even.
    Draw,
    /// No result; utility 0, counted apart from draws.
    NoResult,
}

impl Outcome {
    /// Utility for `seat` in {-1, 0, 1}.
    pub fn value(self, seat: Seat) -> f32 {
        match self {
            Outcome::Win(winner) if winner == seat => 1.0,
            Outcome::Win(_) => -1.0,
            Outcome::Draw | Outcome::NoResult => 0.0,
        }
    }

    /// Points for `seat` in {0, ½, 1}, as match tables count.
    pub fn points(self, seat: Seat) -> f64 {
        f64::from(self.value(seat)) / 2.0 + 0.5
    }

    /// One byte for records: 0 first wins, 1 second wins, 2 draw, 3 no result.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Win(Seat::First) => 0,
            Outcome::Win(Seat::Second) => 1,
            Outcome::Draw => 2,
            Outcome::NoResult => 3,
        }
    }

    /// Reads `code` back.
    pub fn from_code(code: u8) -> Option<Outcome> {
        [Outcome::Win(Seat::First), Outcome::Win(Seat::Second), Outcome::Draw, Outcome::NoResult]
            .get(code as usize)
            .copied()
    }
}
