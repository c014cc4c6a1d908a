//! `state.json`: where the loop stands. Written last in every iteration, so it never claims what isn't on disk.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use tengen_data::RunDir;
use tengen_data::rundir::{read_json_if_there, write_json};

/// Version of the file.
pub const STATE_VERSION: u32 = 1;

/// Where the loop stands after the last complete iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// `STATE_VERSION`.
    pub version: u32,
    /// Complete iterations.
    pub iteration: u64,
    /// Model that self-play uses next.
    pub model: String,
    /// The model that the run began with.
    pub first: String,
    /// The last model that a gate didn't refuse, and the checkpoint it came from.
    pub good_model: String,
    /// As above.
    pub good_checkpoint: String,
    /// Checkpoint to go on from.
    pub checkpoint: String,
    /// Training steps in all, those rolled back included.
    pub steps: u64,
    /// Rows made.
    pub rows: u64,
    /// Games made.
    pub games: u64,
    /// Network evaluations in self-play and gate.
    pub evaluations: u64,
    /// Positions that the cache answered.
    pub hits: u64,
    /// Work done, in seconds, over all restarts.
    pub seconds: f64,
    /// Factor on the learning rate; halved by every roll-back.
    pub rate_scale: f32,
    /// Candidates that a gate refused.
    pub refused: u64,
    /// Models promoted.
    pub promoted: u64,
    /// Why the run is over, once it is.
    pub finished: Option<String>,
}

impl State {
    /// Reads the state; none in a fresh directory.
    pub fn read(dir: &RunDir) -> Result<Option<State>> {
        let state: Option<State> = read_json_if_there(&dir.state())?;
        if let Some(s) = &state
            && s.version > STATE_VERSION
        {
            anyhow::bail!(
                "{}: version {} is newer than this program's {STATE_VERSION}; use the program that wrote it",
                dir.state().display(),
                s.version
            );
        }
        Ok(state)
    }

    /// Replaces the file.
    pub fn write(&self, dir: &RunDir) -> Result<()> {
        Ok(write_json(&dir.state(), self)?)
    }
}
