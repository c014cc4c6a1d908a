//! One game between agents, and pairs of games: starts, limits, resignation, conduct, records.
//!
//! [`GameRun`] is a game that can be paused wherever a network has to answer, so that one thread drives many games with
//! one leaf of each per batch; self-play and the arena are loops over it, and so is [`play_game`] for a single game.
//! Deliberately not here: many games at once, files, statistics, clocks, and what a position looks like to a network.

pub mod config;
pub mod ledger;
pub mod pairs;
pub mod player;
pub mod referee;
pub mod rollouts;
pub mod run;
pub mod single;
pub mod starts;
pub mod stream;

pub use config::{AgentConfig, GameLimits, OpeningPlies, Resignation};
pub use pairs::{pair_task, seat_of_first};
pub use player::{Choice, Player, RandomMover, Scripted, fixed_player};
pub use referee::{Referee, Ruling};
pub use rollouts::Rollouts;
pub use run::{Agent, GameRun, GameTask, Mind, Need};
pub use single::play_game;
pub use starts::{
    Start, Starts, StartsConfig, canonical_actions, canonical_hash, most_balanced, random_start, random_starts,
    three_stone_classes,
};
pub use stream::Stream;

use tengen_game::Action;
use tengen_search::EvalError;

/// Why a game couldn't be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlayError {
    /// A given start holds an action that isn't legal there.
    #[error("start: ply {ply} (action {}) isn't legal under `{setup}`", action.0)]
    BadStart {
        /// Index of the ply, from 0.
        ply: usize,
        /// The action.
        action: Action,
        /// The setup as text.
        setup: String,
    },
    /// A model failed.
    #[error(transparent)]
    Evaluation(#[from] EvalError),
    /// A setting is out of range; the text names it.
    #[error("{0}")]
    Config(String),
    /// A name that no fixed player has.
    #[error("`{0}` is no player; expected `random`, `rollouts:N` with N from 1 to 1000000, or a model")]
    UnknownPlayer(String),
}
