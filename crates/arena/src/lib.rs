//! Paired matches, the gate, the rating ladder.
//!
//! Two players meet in pairs of games from distinct starts, seats exchanged. Results don't depend on threads: a game is
//! a function of its index, and results are counted in the order of indices, whoever finishes first. Deliberately not
//! here: networks (players are names behind an `EvaluatorSource`), files (records go out through [`Watch`], verdicts are
//! returned), promotion.

pub mod config;
pub mod gate;
pub mod ladder;
pub mod report;
pub mod run;
pub mod tally;

mod workers;

pub use config::{GateConfig, LadderConfig, MatchConfig, SprtScale};
pub use gate::{Verdict, play_gate};
pub use ladder::{LadderRow, LadderTable, play_ladder};
pub use report::{gate_text, ladder_text, match_text};
pub use run::{MatchResult, match_starts, play_match};
pub use tally::Tally;

use tengen_data::GameRecord;
use tengen_play::PlayError;
use tengen_search::EvalError;

/// Sees a match from outside: saves games, shows progress, stops it. `()` does nothing.
pub trait Watch {
    /// A game has finished, in order of finishing, its index inside. Those given as done don't come again. An error
    /// stops the match and is passed on.
    fn game(&mut self, record: &GameRecord) -> Result<(), String> {
        let _ = record;
        Ok(())
    }

    /// Another pair was counted, in order of index.
    fn pair(&mut self, tally: &Tally) {
        let _ = tally;
    }

    /// Asked now and then; true ends the match with `ArenaError::Cancelled`. Finished games have been shown by then.
    fn cancelled(&mut self) -> bool {
        false
    }
}

impl Watch for () {}

/// Why a match didn't come to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArenaError {
    /// A setting is out of range; the text names field and range.
    #[error("{0}")]
    Config(String),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] EvalError),
    /// A game couldn't be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A game given as done doesn't belong to this match.
    #[error("finished game {index} doesn't belong to this match: {why}")]
    Done {
        /// Its index.
        index: u64,
        /// What differs.
        why: String,
    },
    /// `Watch::game` failed.
    #[error("a finished game couldn't be kept: {0}")]
    Watch(String),
    /// `Watch::cancelled` said so.
    #[error("stopped before the end")]
    Cancelled,
    /// The game offers no start that isn't decided.
    #[error("no undecided start found: {0}")]
    NoStarts(String),
}
