//! Every byte that stages share: game records, shards, SGF, the run directory, model cards, promotion.
//!
//! Stages never import each other; they meet in the files this crate defines. Deliberately not here: rules (a setup is
//! text to this crate), features and networks (a model's weights are bytes with a checksum to it).

pub mod record;

pub use record::{EndReason, GameRecord, MoveRow, SearchKind};
