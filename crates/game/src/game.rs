//! What everything above the rules sees: seats and actions. Absent on purpose: colours, stones, protocols, networks.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::action::Action;
use crate::board::Size;
use crate::conduct::Conduct;
use crate::outcome::Outcome;
use crate::seat::Seat;
use crate::setup::SetupError;
use crate::symmetry::Symmetry;

/// A fact about the position that holds for certain, from the point of view of the seat to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// This legal action wins by force.
    Win(Action),
    /// Every legal action loses.
    Loss,
    /// Best play draws.
    Draw,
    /// Every other legal action loses; this legal one may not. (A forced block.)
    Only(Action),
}

/// A stage where the seat to act owes `due` more distinct points of which the opponent will pick one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How many offers are still owed, at least 1.
    pub due: u16,
    /// How many have been made already.
    pub made: u16,
}

/// A two-seat game of perfect information.
///
/// `apply` and `undo` are exact inverses. The seat to act may stay the same over several plies (placing three stones,
/// swap after placing); signs follow `to_act`, never the ply count.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// All that fixes a game before its first action; prints as space-separated `key=value` and reads the same back.
    type Setup: Clone + Debug + PartialEq + Display + FromStr<Err = SetupError> + Send + Sync + 'static;

    /// The first position.
    fn start(setup: &Self::Setup) -> Self;

    /// What it was started from.
    fn setup(&self) -> &Self::Setup;

    /// Board size.
    fn size(&self) -> Size;

    /// Who decides now. Meaningless once the game is over.
    fn to_act(&self) -> Seat;

    /// Overwrites `out` with the legal actions, ascending. Never empty before the end, empty after it.
    fn legal(&self, out: &mut Vec<Action>);

    /// Whether one action is legal.
    fn is_legal(&self, action: Action) -> bool;

    /// Does it. The action must be legal.
    fn apply(&mut self, action: Action);

    /// Takes the last `apply` or `assume` back. There must have been one.
    fn undo(&mut self);

    /// The result by seat, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// First seat's points minus second's, once a game with a score is over.
    fn margin(&self) -> Option<f32> {
        None
    }

    /// Hash of the board, the stage and who owns which colour; order-free over offers made. Not superko history.
    fn hash(&self) -> u64;

    /// Actions so far.
    fn plies(&self) -> usize;

    /// The image of an action under a board symmetry; only points move.
    fn map(&self, symmetry: Symmetry, action: Action) -> Action {
        match action.as_point() {
            Some(p) => Action::point(symmetry.point(self.size(), p)),
            None => action,
        }
    }

    /// See `Proof`; about `budget` nodes of work, 0 for the cheapest checks only.
    fn proven(&self, budget: u32) -> Option<Proof> {
        let _ = budget;
        None
    }

    /// Whether this is an offer stage. Tree search treats it as a leaf; at the root it runs one search over classes.
    fn offer(&self) -> Option<Offer> {
        None
    }

    /// At an offer stage: plays on as if `action` alone had been offered and picked. Undone by `undo`.
    fn assume(&mut self, action: Action) {
        self.apply(action);
    }

    /// For `legal` as `legal()` gave it: overwrites `out` with one class number per action (the index of the first
    /// member of its class); actions of a class are equivalent for this decision. By default every action is alone.
    fn classes(&self, legal: &[Action], out: &mut Vec<u16>) {
        out.clear();
        out.extend(0..legal.len() as u16);
    }

    /// Whether the decision now is a protocol's (swap, keep, branch, number, offer, pick) rather than a move on the
    /// board.
    fn is_choice(&self) -> bool {
        false
    }

    /// Tournament conduct of the rules.
    fn conduct(&self) -> Conduct {
        Conduct::default()
    }
}
