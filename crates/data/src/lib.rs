//! Every byte that stages share: game records, shards, SGF, the run directory, model cards, promotion.
//!
//! Stages never import each other; they meet in the files this crate defines. Deliberately not here: rules (a setup is
//! text to this crate), features and networks (a model's weights are bytes with a checksum to it).

pub mod card;
pub mod check;
pub mod checkpoint;
pub mod journal;
pub mod lock;
pub mod metrics;
pub mod names;
pub mod process;
pub mod record;
pub mod retention;
pub mod rundir;
#[cfg(test)]
mod samples;
pub mod sgf;
pub mod shard;
pub mod store;

pub use card::{CardError, FeatureSet, ModelCard, load_model, model_id, save_model};
pub use check::RecordFault;
pub use checkpoint::{Checkpoint, load_checkpoint, newest_checkpoint, save_checkpoint};
pub use journal::{Journal, JournalError, Sync};
pub use lock::{LockError, RunLock};
pub use metrics::{MetricsLog, read_metrics, rewind_metrics};
pub use names::{NameError, check_name, safe_name};
pub use record::{EndReason, GameRecord, MoveRow, SearchKind};
pub use retention::Retention;
pub use rundir::{Promoted, RunDir, RunError};
pub use sgf::{ReadAs, SgfError, SgfFamily, SgfGame, SgfMove, SgfResult, WinBy, read_sgf_file, write_sgf_file};
pub use shard::{ShardError, ShardInfo, inspect_shard, read_shard, write_shard};
pub use store::{StoreError, read_capped, write_atomic};
