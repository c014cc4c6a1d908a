//! Conduct for players whose answers can be wrong (other programs, people): what happens on an illegal action.
//!
//! Search never plays an illegal action, so self-play doesn't pass through here. Not here: clocks, draw offers, claims,
//! dead-stone agreement.

use tengen_game::{Action, Game, IllegalMove, Seat};

/// What becomes of a player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It stands.
    Play(Action),
    /// Void and counted as a pass, which is played instead.
    PassInstead,
    /// Refused; the same seat answers again.
    Again,
    /// The seat loses the game.
    Forfeit(Seat),
}

/// Keeps count of one game's illegal answers.
#[derive(Clone, Debug, Default)]
pub struct Referee {
    illegal: [u32; 2],
    in_a_row: u32,
}

impl Referee {
    /// A player that is refused this often in a row forfeits: a program that repeats itself would never end.
    pub const REFUSALS_MAX: u32 = 8;

    /// Rules on the answer of the seat to act.
    pub fn judge<G: Game>(&mut self, game: &G, action: Action) -> Ruling {
        if game.is_legal(action) {
            self.in_a_row = 0;
            return Ruling::Play(action);
        }
        let seat = game.to_act();
        self.illegal[seat.index()] += 1;
        self.in_a_row += 1;
        match game.conduct().illegal {
            IllegalMove::Loses => Ruling::Forfeit(seat),
            IllegalMove::VoidAndPass if game.is_legal(Action::PASS) => {
                self.in_a_row = 0;
                Ruling::PassInstead
            }
            IllegalMove::Refuse | IllegalMove::VoidAndPass if self.in_a_row < Self::REFUSALS_MAX => Ruling::Again,
            IllegalMove::Refuse | IllegalMove::VoidAndPass => Ruling::Forfeit(seat),
        }
    }

    /// Illegal answers so far, by seat.
    pub fn illegal(&self) -> [u32; 2] {
        self.illegal
    }
}
