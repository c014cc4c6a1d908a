//! Many games at once, written to shards. One thread drives many games and batches one leaf of each; finished games go
//! to a journal that survives a kill, and a complete journal becomes a shard.
//!
//! Answers come in one of two forms. On a CPU each thread evaluates its own leaves, with no queue in between. On a device
//! threads share, each sends one half of its games' leaves off and advances the other half meanwhile. The driver knows
//! the second form only as an evaluator with two lanes (`Evaluator::begin`, `finish`); threads' batches are merged behind
//! it (`tengen_search::SharedDevice`), where whoever encodes positions can use it and matches share it too.
//!
//! Deliberately not here: what a game or a network is, how a move is searched, what bytes look like.

pub mod config;
pub mod report;
pub mod run;

pub use config::SelfplayConfig;
pub use report::Report;
pub use run::{Job, SelfplayError, run};
