//! Many games at once, written to shards. One thread drives many games and batches one leaf of each; finished games go
//! to a journal that survives a kill, and a complete journal becomes a shard.
//!
//! Deliberately not here: what a game or a network is, how a move is searched, what bytes look like.

pub mod config;
pub mod report;
pub mod run;

pub use config::SelfplayConfig;
pub use report::Report;
pub use run::{Job, SelfplayError, run};
