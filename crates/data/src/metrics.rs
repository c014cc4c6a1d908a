//! What happened, one JSON object per line: the crash-safe truth beside TensorBoard's files. One process writes; any
//! may read. Not here: which numbers there are.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::rundir::RunError;
use crate::store::{self, StoreError};

/// Largest file that is read, in bytes.
const METRICS_BYTES_MAX: u64 = 1 << 30;

/// A metrics file open for appending.
#[derive(Debug)]
pub struct MetricsLog {
    path: PathBuf,
    file: File,
}

impl MetricsLog {
    /// Opens or creates the file. A torn last line (killed while writing) is cut off.
    pub fn open(path: &Path) -> Result<MetricsLog, RunError> {
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(StoreError::at("open", path))?;
        // Devices and pipes have no tail to mend.
        if file.metadata().is_ok_and(|m| m.is_file()) {
            let bytes = store::read_capped(path, METRICS_BYTES_MAX)?;
            let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
            if whole < bytes.len() {
                file.set_len(whole as u64).map_err(StoreError::at("cut the torn line of", path))?;
            }
        }
        Ok(MetricsLog { path: path.to_path_buf(), file })
    }

    /// Appends one event, which must serialize as an object, in one write; kill -9 can't lose it after that.
    pub fn append(&mut self, event: &impl Serialize) -> Result<(), RunError> {
        let bad = |why: String| RunError::Bad { path: self.path.clone(), why };
        let value = serde_json::to_value(event).map_err(|e| bad(e.to_string()))?;
        if !value.is_object() {
            return Err(bad(format!("an event must be an object, not {value}")));
        }
        let line = format!("{value}\n");
        let bytes = line.len() as u64;
        let error =
            |source| StoreError { action: "append to", path: self.path.clone(), bytes: Some(bytes), source }.into();
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush()).map_err(error)
    }

    /// Makes all events so far durable against power loss.
    pub fn sync(&mut self) -> Result<(), RunError> {
        Ok(self.file.sync_data().map_err(StoreError::at("sync", &self.path))?)
    }
}

/// All events. A torn last line is left out; a bad line elsewhere is an error with its number.
pub fn read_metrics(path: &Path) -> Result<Vec<Value>, RunError> {
    let bytes = store::read_capped(path, METRICS_BYTES_MAX)?;
    let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let lines = bytes[..whole].split(|&b| b == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let bad = |n: usize, e| RunError::Bad { path: path.to_path_buf(), why: format!("line {}: {e}", n + 1) };
    lines.map(|(n, line)| serde_json::from_slice(line).map_err(|e| bad(n, e))).collect()
}

/// Keeps the events for which `keep` is true, so that a run resumed from an older checkpoint logs no step twice.
/// Returns how many were dropped. To be called before `MetricsLog::open`.
pub fn rewind_metrics(path: &Path, keep: impl Fn(&Value) -> bool) -> Result<usize, RunError> {
    if !path.exists() {
        return Ok(0);
    }
    let events = read_metrics(path)?;
    let kept: Vec<&Value> = events.iter().filter(|e| keep(e)).collect();
    let dropped = events.len() - kept.len();
    if dropped > 0 {
        let text: String = kept.iter().map(|e| format!("{e}\n")).collect();
        store::write_atomic(path, text.as_bytes())?;
    }
    Ok(dropped)
}
