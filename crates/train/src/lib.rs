//! Shards to batches to steps. Rows are made from stored games by the same `features` code that self-play uses.
//!
//! Deliberately not here: where files lie and checkpoints' bytes (`data`), the network and its optimizer (`net`), when
//! to train and what becomes of the result (the loop in the binary).

pub mod batch;
pub mod config;
pub mod report;
pub mod rows;
pub mod run;
pub mod schedule;
pub mod window;

pub use config::TrainConfig;
pub use report::Report;
pub use rows::{Row, RowError, rows_of};
pub use run::run;
pub use schedule::Schedule;
pub use window::Window;

/// Why training stopped.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// Too many shards can't be read.
    #[error("{bad} of {all} shards can't be used, more than train.bad_shards_max allows; the first: {first}")]
    BadShards {
        /// Unusable ones.
        bad: usize,
        /// All.
        all: usize,
        /// The first reason.
        first: String,
    },
    /// A game in memory can't be used.
    #[error(transparent)]
    Row(#[from] RowError),
    /// The window holds nothing.
    #[error("there are no rows to train on")]
    Empty,
    /// A step failed.
    #[error(transparent)]
    Learn(#[from] tengen_net::LearnError),
}
