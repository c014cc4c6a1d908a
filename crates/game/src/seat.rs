//! Seats (persons) and colours (stones). Not here: who holds which colour; that is the opening protocol's business.

use std::fmt;
use std::ops::Not;

/// A person at the board, named by who acts first. Stays the same when colours are swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Seat {
    /// Acts first (tentative Black).
    First = 0,
    /// The other person.
    Second = 1,
}

impl Seat {
    /// Both seats, in index order.
    pub const BOTH: [Seat; 2] = [Seat::First, Seat::Second];

    /// 0 for first, 1 for second.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The seat of that index; anything but 0 and 1 is none.
    pub fn from_index(index: usize) -> Option<Seat> {
        Seat::BOTH.get(index).copied()
    }

    /// The other seat.
    pub fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }
}

impl Not for Seat {
    type Output = Seat;
    fn not(self) -> Seat {
        self.other()
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Seat::First => "first",
            Seat::Second => "second",
        })
    }
}

/// A stone's colour. Black places first in every game here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// Places first.
    Black = 0,
    /// Places second.
    White = 1,
}

impl Colour {
    /// Both colours, in index order.
    pub const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    /// 0 for black, 1 for white.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The opponent's colour.
    pub fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// `B` or `W`, as SGF and GTP write it.
    pub fn letter(self) -> char {
        match self {
            Colour::Black => 'B',
            Colour::White => 'W',
        }
    }
}

impl Not for Colour {
    type Output = Colour;
    fn not(self) -> Colour {
        self.other()
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Colour::Black => "black",
            Colour::White => "white",
        })
    }
}
