//! Tree search over any [`tengen_game::Game`]. It asks an [`Evaluator`] about leaves and nothing else.
//!
//! Deliberately not here: stones, opening protocols, networks, clocks, records. One tree belongs to one game and one
//! thread; batching happens across games (each contributes one leaf), so there are no locks and no virtual loss.
//!
//! [`Search`] is the resumable search, [`drive`] runs it, [`config`] says what can be set, [`device`] shares one device
//! among the evaluators of many threads (the one place here that starts threads). Inside: `tree` holds nodes
//! and proofs, `select` has one file per selection rule, `offer` is about stages where one of N offers will be picked.

pub mod config;
pub mod device;
pub mod drive;
pub mod evaluator;

mod choose;
mod noise;
mod offer;
mod result;
mod search;
mod select;
mod tree;

pub use config::{GumbelConfig, Limits, ProofConfig, PuctConfig, Rule, SearchConfig};
pub use device::{Client, DeviceUse, Parcel, SharedDevice};
pub use drive::{ask, ask_begin, ask_finish, search_all, search_blocking};
pub use evaluator::{EvalError, Evaluation, Evaluator, EvaluatorSource, Query, Uniform, Wdl};
pub use result::{Candidate, SearchResult};
pub use search::{Search, Step};
