//! The run directory: what lies where, and the promoted pointer.
//!
//! ```text
//! run.toml          resolved configuration            metrics.jsonl     one event per line
//! state.json        where the loop stands             promoted.json     the model that self-play uses
//! lock              the trainer's (see `lock`)        events/           for TensorBoard
//! lock.takeover     only while a stale lock is cleared
//! selfplay/<iteration>/*.npz, *.journal               models/<id>/      card and weights
//! checkpoints/<name>/                                 gate/  sgf/
//! ```
//!
//! Names sort in the order things were made, because they carry zero-padded numbers, never the clock. A symbolic link
//! inside is read through but never deleted through. Not here: when a stage writes what.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names::{NameError, check_name};
use crate::store::{self, StoreError, Swept};

/// Largest JSON file of a run directory, in bytes.
const JSON_BYTES_MAX: u64 = 1 << 24;
/// Version of `promoted.json`.
pub const PROMOTED_VERSION: u32 = 1;

/// Why the run directory can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A name from a caller or a file isn't one.
    #[error("{}: {source}", path.display())]
    Name {
        /// Where it would lie or was read.
        path: PathBuf,
        /// What is wrong with it.
        source: NameError,
    },
    /// A JSON file doesn't hold what it should.
    #[error("{}: {why}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What was found and expected.
        why: String,
    },
}

/// The model that self-play, engines and exports use; `promoted.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promoted {
    /// `PROMOTED_VERSION`.
    pub version: u32,
    /// Model id: a directory below `models`.
    pub model: String,
    /// What was promoted before.
    pub previous: Option<String>,
    /// How many promotions there have been, from 1.
    pub count: u64,
    /// What the gate said, for people and reports.
    pub verdict: serde_json::Value,
}

/// A run directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    root: PathBuf,
}

/// Reads a JSON file of at most 16 MiB. The error names file, line and column.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let bytes = store::read_capped(path, JSON_BYTES_MAX)?;
    serde_json::from_slice(&bytes).map_err(|e| RunError::Bad { path: path.to_path_buf(), why: e.to_string() })
}

/// As `read_json`; none if there is no such file.
pub fn read_json_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, RunError> {
    match read_json(path) {
        Err(RunError::Store(e)) if e.source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Replaces a JSON file, indented, ending in a line feed.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), RunError> {
    let bad = |e: serde_json::Error| RunError::Bad { path: path.to_path_buf(), why: e.to_string() };
    let mut bytes = serde_json::to_vec_pretty(value).map_err(bad)?;
    bytes.push(b'\n');
    Ok(store::write_atomic(path, &bytes)?)
}

impl RunDir {
    /// The directory at `root`, whether or not it is there.
    pub fn at(root: impl Into<PathBuf>) -> RunDir {
        RunDir { root: root.into() }
    }

    /// Creates the directory and those below it; existing ones are kept.
    pub fn create(root: impl Into<PathBuf>) -> Result<RunDir, RunError> {
        let run = RunDir::at(root);
        store::create_dir(&run.root)?;
        for dir in [run.events(), run.selfplay(), run.models(), run.checkpoints(), run.gate(), run.sgf()] {
            store::create_dir(&dir)?;
        }
        Ok(run)
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Resolved configuration.
    pub fn config(&self) -> PathBuf {
        self.root.join("run.toml")
    }

    /// One event per line; see `metrics`.
    pub fn metrics(&self) -> PathBuf {
        self.root.join("metrics.jsonl")
    }

    /// TensorBoard's directory.
    pub fn events(&self) -> PathBuf {
        self.root.join("events")
    }

    /// Where the loop stands.
    pub fn state(&self) -> PathBuf {
        self.root.join("state.json")
    }

    /// The pointer to the model in use.
    pub fn promoted(&self) -> PathBuf {
        self.root.join("promoted.json")
    }

    /// The trainer's lock.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Self-play of all iterations.
    pub fn selfplay(&self) -> PathBuf {
        self.root.join("selfplay")
    }

    /// Shards and journals of one iteration.
    pub fn iteration(&self, iteration: u64) -> PathBuf {
        self.selfplay().join(iteration_name(iteration))
    }

    /// All models.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// One model's directory; refuses an id that isn't a name.
    pub fn model(&self, id: &str) -> Result<PathBuf, RunError> {
        named(self.models(), id)
    }

    /// All checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// One checkpoint's directory; refuses what isn't a name.
    pub fn checkpoint(&self, name: &str) -> Result<PathBuf, RunError> {
        named(self.checkpoints(), name)
    }

    /// Match records and verdicts.
    pub fn gate(&self) -> PathBuf {
        self.root.join("gate")
    }

    /// Games for people.
    pub fn sgf(&self) -> PathBuf {
        self.root.join("sgf")
    }

    /// What is promoted; none before the first promotion.
    pub fn read_promoted(&self) -> Result<Option<Promoted>, RunError> {
        let path = self.promoted();
        let Some(value) = read_json_if_there::<serde_json::Value>(&path)? else { return Ok(None) };
        let bad = |why: String| RunError::Bad { path: path.clone(), why };
        match value["version"].as_u64() {
            Some(v) if v > u64::from(PROMOTED_VERSION) => {
                return Err(bad(format!("version {v}; this program reads versions up to {PROMOTED_VERSION}")));
            }
            None => return Err(bad("no version".to_string())),
            Some(_) => {}
        }
        let promoted: Promoted = serde_json::from_value(value).map_err(|e| bad(e.to_string()))?;
        for id in [Some(&promoted.model), promoted.previous.as_ref()].into_iter().flatten() {
            check_name(id).map_err(|source| RunError::Name { path: path.clone(), source })?;
        }
        Ok(Some(promoted))
    }

    /// Points to `model`, which must be there, by one rename.
    pub fn promote(&self, model: &str, verdict: serde_json::Value) -> Result<Promoted, RunError> {
        let dir = self.model(model)?;
        if !dir.is_dir() {
            return Err(RunError::Bad { path: dir, why: "no such model to promote".to_string() });
        }
        let before = self.read_promoted()?;
        let promoted = Promoted {
            version: PROMOTED_VERSION,
            model: model.to_string(),
            count: before.as_ref().map_or(0, |p| p.count) + 1,
            previous: before.map(|p| p.model),
            verdict,
        };
        write_json(&self.promoted(), &promoted)?;
        Ok(promoted)
    }

    /// All finished shards, by iteration, then by name.
    pub fn shards(&self) -> Result<Vec<PathBuf>, RunError> {
        let mut shards = Vec::new();
        for iteration in store::list(&self.selfplay())? {
            let dir = self.selfplay().join(iteration);
            if dir.is_dir() {
                shards.extend(store::list(&dir)?.iter().filter(|n| n.ends_with(".npz")).map(|n| dir.join(n)));
            }
        }
        Ok(shards)
    }

    /// Ids of all models, sorted.
    pub fn model_ids(&self) -> Result<Vec<String>, RunError> {
        Ok(store::list(&self.models())?)
    }

    /// Names of all checkpoints, oldest first.
    pub fn checkpoint_names(&self) -> Result<Vec<String>, RunError> {
        Ok(store::list(&self.checkpoints())?)
    }

    /// Removes what dead processes of this host left half written, everywhere in the directory.
    pub fn sweep(&self) -> Result<Swept, RunError> {
        let mut dirs =
            vec![self.root.clone(), self.models(), self.checkpoints(), self.gate(), self.sgf(), self.events()];
        dirs.extend(store::list(&self.selfplay())?.iter().map(|n| self.selfplay().join(n)));
        let mut swept = Swept::default();
        for dir in dirs.iter().filter(|d| d.is_dir()) {
            let one = store::sweep_temps(dir)?;
            swept.removed.extend(one.removed);
            swept.kept.extend(one.kept);
        }
        Ok(swept)
    }
}

fn named(dir: PathBuf, name: &str) -> Result<PathBuf, RunError> {
    match check_name(name) {
        Ok(name) => Ok(dir.join(name)),
        Err(source) => Err(RunError::Name { path: dir, source }),
    }
}

/// Name of an iteration's directory: sorts by number.
pub fn iteration_name(iteration: u64) -> String {
    format!("{iteration:06}")
}

/// Name of the checkpoint after `step` training steps: sorts by step.
pub fn checkpoint_name(step: u64) -> String {
    format!("step-{step:012}")
}

/// The step a checkpoint's name tells.
pub fn checkpoint_step(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("step-")?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}
