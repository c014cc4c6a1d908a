//! What a rules author writes. Not here: seats, opening protocols, policies, networks.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::action::Action;
use crate::board::{Point, PointSet, Size};
use crate::conduct::Conduct;
use crate::game::Proof;
use crate::outcome::BoardResult;
use crate::seat::Colour;
use crate::setup::SetupError;

/// Which family of games a placement game belongs to; opening protocols ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Five in a row and relatives.
    Five,
    /// Go.
    Go,
}

/// What an opening protocol may need to know before a game starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Board size.
    pub size: Size,
    /// Family.
    pub family: Family,
    /// Stones in a row that win, for the five family.
    pub win_length: Option<u8>,
    /// Whether Black has forbidden points (renju).
    pub forbidden: bool,
}

/// A placement game: colours alternate, a move is a stone or a pass, results are automatic.
///
/// `place` and `undo` must be exact inverses: afterwards every query answers as before. A position is cheap to clone.
pub trait Placement: Clone + Debug + Send + Sync + 'static {
    /// Size, win rule, ko, scoring …; prints as space-separated `key=value` and reads the same back.
    type Rules: Clone + Debug + PartialEq + Display + FromStr<Err = SetupError> + Send + Sync + 'static;

    /// Facts for opening protocols.
    fn facts(rules: &Self::Rules) -> Facts;

    /// The empty board.
    fn start(rules: &Self::Rules) -> Self;

    /// The rules this game is played under.
    fn rules(&self) -> &Self::Rules;

    /// Board size.
    fn size(&self) -> Size;

    /// Colour of the next stone.
    fn to_play(&self) -> Colour;

    /// The stone on a point.
    fn stone(&self, p: Point) -> Option<Colour>;

    /// Overwrites `out` with the points where the colour to play may place. Empty once the game is over.
    fn legal_points(&self, out: &mut PointSet);

    /// Whether the colour to play may pass. False once the game is over.
    fn pass_legal(&self) -> bool;

    /// Whether a point or a pass is legal now; false for every other action.
    fn is_legal(&self, action: Action) -> bool;

    /// Places a stone or passes. The action must be legal (checked at the door, not here).
    fn place(&mut self, action: Action);

    /// Takes the last `place` back. There must have been one.
    fn undo(&mut self);

    /// The result by colour, once the game is over.
    fn result(&self) -> Option<BoardResult>;

    /// Black's points minus White's (komi included), once a game with a score is over.
    fn margin(&self) -> Option<f32> {
        None
    }

    /// Hash of all that decides what may follow, except superko history: stones, colour to play, ko ban, passes.
    /// Equal positions reached by different move orders have equal hashes; stable across runs and versions.
    fn hash(&self) -> u64;

    /// Stones and passes so far.
    fn moves(&self) -> usize;

    /// The move `back` plies ago (0 = the last) with its colour.
    fn move_back(&self, back: usize) -> Option<(Colour, Action)>;

    /// What is proven for the colour to play with about `budget` nodes of work; 0 asks for the cheapest checks only.
    /// See `Proof`. Must be exact: search backs it up as truth.
    fn proven(&self, budget: u32) -> Option<Proof> {
        let _ = budget;
        None
    }

    /// Komi in half points for White, where an opening protocol may settle it (bids); none where there is none to settle.
    fn komi_steps(&self) -> Option<i16> {
        None
    }

    /// Plays on with this komi. Only called where `komi_steps` is some, before the first stone and to take that back;
    /// `rules` then tells the new komi. The hash stays: whoever settles a komi mixes it in.
    fn set_komi_steps(&mut self, steps: i16) {
        let _ = steps;
    }

    /// Tournament conduct of these rules.
    fn conduct(&self) -> Conduct {
        Conduct::default()
    }
}
