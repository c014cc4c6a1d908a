//! Players that decide at once, without a network: the interface and the fixed ones used as yardsticks.
//! Not here: search over an evaluator (see `run`), other programs (see the engines' crate).

use tengen_game::{Action, Game};

use crate::PlayError;
use crate::rollouts::Rollouts;
use crate::stream::Stream;

/// One decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is to be played. May be illegal; the referee sees to that.
    pub action: Action,
    /// Simulations spent.
    pub visits: u32,
    /// Value of the position in [-1, 1] for the seat to act; 0 if the player has no opinion.
    pub root_value: f32,
    /// (action, probability), ascending by action, sum 1; may be empty.
    pub policy: Vec<(Action, f32)>,
}

impl Choice {
    /// An action without further opinion.
    pub fn plain(action: Action) -> Choice {
        Choice { action, visits: 0, root_value: 0.0, policy: Vec::new() }
    }
}

/// Something that picks actions by itself.
pub trait Player<G: Game>: Send {
    /// Name for records.
    fn name(&self) -> String;

    /// Called before each game.
    fn begin(&mut self) {}

    /// Decides; `game` isn't over. Randomness comes from `stream` alone.
    fn choose(&mut self, game: &G, stream: &mut Stream) -> Choice;
}

/// Plays uniformly random legal actions. Name `random`.
#[derive(Clone, Debug, Default)]
pub struct RandomMover {
    legal: Vec<Action>,
}

impl<G: Game> Player<G> for RandomMover {
    fn name(&self) -> String {
        "random".to_string()
    }

    fn choose(&mut self, game: &G, stream: &mut Stream) -> Choice {
        game.legal(&mut self.legal);
        Choice::plain(self.legal[stream.below(self.legal.len())])
    }
}

/// Plays a given list of actions, then (or where the list has nothing for it) the first legal one.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    /// This player's own decisions, in order.
    pub actions: Vec<Action>,
    next: usize,
}

impl Scripted {
    /// Will play `actions`.
    pub fn new(actions: Vec<Action>) -> Scripted {
        Scripted { actions, next: 0 }
    }
}

impl<G: Game> Player<G> for Scripted {
    fn name(&self) -> String {
        "scripted".to_string()
    }

    fn begin(&mut self) {
        self.next = 0;
    }

    fn choose(&mut self, game: &G, _: &mut Stream) -> Choice {
        let action = self.actions.get(self.next).copied().unwrap_or_else(|| {
            let mut legal = Vec::new();
            game.legal(&mut legal);
            legal[0]
        });
        self.next += 1;
        Choice::plain(action)
    }
}

/// The fixed player of that name: `random` or `rollouts:N`. None for any other name (a model's, for example); an error
/// for `rollouts:` with a bad number.
pub fn fixed_player<G: Game>(name: &str) -> Result<Option<Box<dyn Player<G>>>, PlayError> {
    if name == "random" {
        return Ok(Some(Box::new(RandomMover::default())));
    }
    let Some(number) = name.strip_prefix("rollouts:") else { return Ok(None) };
    match number.parse::<u32>() {
        Ok(n @ 1..=1_000_000) => Ok(Some(Box::new(Rollouts::new(n)))),
        _ => Err(PlayError::UnknownPlayer(name.to_string())),
    }
}
