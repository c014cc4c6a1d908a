//! Which old files may go. A pure rule, stated once, and one function that applies it. Not here: when it is applied.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::rundir::{RunDir, RunError, checkpoint_step};
use crate::shard::{ShardError, inspect_shard};
use crate::store;

/// How much to keep. The rule:
///
/// * shards: the newest that together hold `keep_rows` rows stay, with the one that crosses the number;
/// * checkpoints: the newest `keep_checkpoints` stay (at least 1), and those at multiples of `milestone_steps`;
/// * models: the promoted one, its predecessor, every protected one, and the newest `keep_models` by name stay.
///
/// Zero for `keep_rows`, `keep_checkpoints` or `keep_models` keeps all. Nothing outside the listed kinds is ever removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Rows of self-play to keep; must be at least the training window.
    pub keep_rows: u64,
    /// Checkpoints to keep.
    pub keep_checkpoints: usize,
    /// Checkpoints at multiples of this many steps stay for good; 0 for none.
    pub milestone_steps: u64,
    /// Models to keep.
    pub keep_models: usize,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { keep_rows: 0, keep_checkpoints: 4, milestone_steps: 0, keep_models: 0 }
    }
}

/// What may be deleted now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Shard files.
    pub shards: Vec<PathBuf>,
    /// Checkpoint directories.
    pub checkpoints: Vec<PathBuf>,
    /// Model directories.
    pub models: Vec<PathBuf>,
    /// Shards whose rows couldn't be counted; they count as empty and stay, for a person to look at.
    pub unreadable: Vec<PathBuf>,
}

impl Retention {
    /// How many of `rows` (rows per shard, oldest first) may go: a prefix. `window_rows` is what training still reads.
    pub fn expired_shards(&self, rows: &[u64], window_rows: u64) -> usize {
        if self.keep_rows == 0 {
            return 0;
        }
        let needed = self.keep_rows.max(window_rows);
        let mut kept = 0u64;
        let mut first = rows.len();
        while first > 0 && kept < needed {
            first -= 1;
            kept = kept.saturating_add(rows[first]);
        }
        first
    }

    /// Which checkpoints (names, oldest first) may go. The newest and the `protected` always stay.
    pub fn expired_checkpoints(&self, names: &[String], protected: &[String]) -> Vec<String> {
        if self.keep_checkpoints == 0 {
            return Vec::new();
        }
        let old = names.len().saturating_sub(self.keep_checkpoints);
        let is_milestone =
            |n: &String| self.milestone_steps > 0 && checkpoint_step(n).is_some_and(|s| s % self.milestone_steps == 0);
        // What isn't named like a checkpoint was put there by a person.
        let may_go = |n: &&String| checkpoint_step(n).is_some() && !is_milestone(n) && !protected.contains(n);
        names[..old].iter().filter(may_go).cloned().collect()
    }

    /// Which models (ids, oldest first) may go; `protected` never.
    pub fn expired_models(&self, ids: &[String], protected: &[String]) -> Vec<String> {
        if self.keep_models == 0 {
            return Vec::new();
        }
        let old = ids.len().saturating_sub(self.keep_models);
        ids[..old].iter().filter(|id| !protected.contains(id)).cloned().collect()
    }

    /// Looks at a run directory. `protected` are models, `checkpoints` checkpoints that something else still needs.
    pub fn expired(
        &self,
        run: &RunDir,
        window_rows: u64,
        protected: &[String],
        checkpoints: &[String],
    ) -> Result<Expired, RunError> {
        let mut expired = Expired::default();
        let (mut shards, mut rows) = (Vec::new(), Vec::new());
        // Counting rows reads each file; not needed when all are kept.
        let all = if self.keep_rows == 0 { Vec::new() } else { run.shards()? };
        for path in all {
            match inspect_shard(&path) {
                Ok(info) => {
                    rows.push(info.rows);
                    shards.push(path);
                }
                Err(ShardError::Store(e)) => return Err(e.into()),
                Err(_) => expired.unreadable.push(path),
            }
        }
        shards.truncate(self.expired_shards(&rows, window_rows));
        expired.shards = shards;
        let names = self.expired_checkpoints(&run.checkpoint_names()?, checkpoints);
        expired.checkpoints = names.iter().map(|n| run.checkpoints().join(n)).collect();
        let mut protected = protected.to_vec();
        if let Some(promoted) = run.read_promoted()? {
            protected.push(promoted.model);
            protected.extend(promoted.previous);
        }
        let ids = self.expired_models(&run.model_ids()?, &protected);
        expired.models = ids.iter().map(|id| run.models().join(id)).collect();
        Ok(expired)
    }

    /// Deletes what `expired` lists, and tells.
    pub fn apply(
        &self,
        run: &RunDir,
        window_rows: u64,
        protected: &[String],
        checkpoints: &[String],
    ) -> Result<Expired, RunError> {
        let expired = self.expired(run, window_rows, protected, checkpoints)?;
        for path in expired.shards.iter().chain(&expired.checkpoints).chain(&expired.models) {
            store::remove(path)?;
        }
        Ok(expired)
    }
}
