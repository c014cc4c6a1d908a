//! Pairs of games: the same start twice, seats exchanged, so that a start that favours one seat favours nobody.
//! Not here: playing them.

use tengen_game::Seat;

use crate::starts::Start;

/// Two games from one start.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair<'a> {
    /// Number of the pair, from 0.
    pub index: u64,
    /// Where both games begin.
    pub start: &'a Start,
}

impl Pair<'_> {
    /// Indices of its games: 2·index with player A in the first seat, and 2·index + 1 with seats exchanged.
    pub fn games(&self) -> [u64; 2] {
        [2 * self.index, 2 * self.index + 1]
    }
}

/// The first `count` pairs over `starts`, in order; starts are used again only once all have been used.
pub fn pairs(starts: &[Start], count: u64) -> impl Iterator<Item = Pair<'_>> {
    (0..if starts.is_empty() { 0 } else { count })
        .map(|index| Pair { index, start: &starts[(index % starts.len() as u64) as usize] })
}

/// The seat of player A in the game of that index.
pub fn seat_of_first(game: u64) -> Seat {
    if game.is_multiple_of(2) { Seat::First } else { Seat::Second }
}
