//! One trainer per run directory: a lock file that names its process, so that a lock left by a dead one is recognised,
//! explained and taken over, and a live one is refused by pid and host.
//!
//! The file appears whole (a hard link of a finished temporary), so no reader sees half a lock. It is advisory and
//! doesn't rely on flock, which network filesystems may lack. Not here: what the holder may do.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::process::{Liveness, Process};
use crate::store::{self, StoreError};

/// Content of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockInfo {
    /// The holder.
    pub process: Process,
    /// When it was taken, in Unix seconds by the holder's clock; for people, never compared.
    pub since: u64,
    /// What the holder does, for people.
    pub purpose: String,
}

/// Why a lock wasn't taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A live process holds it.
    #[error("{} is in use by process {} on {} ({})", path.display(), info.process.pid, info.process.host, info.purpose)]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Its holder.
        info: Box<LockInfo>,
    },
    /// The holder can't be asked from here.
    #[error(
        "{} was taken by process {} on {} ({}); {why}. If that process is gone, remove the file",
        path.display(), info.process.pid, info.process.host, info.purpose
    )]
    Unsure {
        /// The lock file.
        path: PathBuf,
        /// Its holder.
        info: Box<LockInfo>,
        /// Why it can't be asked.
        why: String,
    },
    /// The file isn't a lock.
    #[error("{} is not a lock file of this program ({why}); if no other program uses the directory, remove it", path.display())]
    Damaged {
        /// The lock file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Another process was faster several times in a row.
    #[error("{} changes hands all the time; another process starts over and over", path.display())]
    Contended {
        /// The lock file.
        path: PathBuf,
    },
}

/// A held lock; given back when dropped.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    content: Vec<u8>,
    taken_over: Option<String>,
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, LockError> {
    match store::read_capped(path, 1 << 16) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Says why the lock may be taken over, or refuses.
fn judge(path: &Path, bytes: &[u8]) -> Result<String, LockError> {
    let path = path.to_path_buf();
    let info: LockInfo = match serde_json::from_slice(bytes) {
        Ok(info) => info,
        Err(e) => return Err(LockError::Damaged { path, why: e.to_string() }),
    };
    match info.process.liveness() {
        Liveness::Alive => Err(LockError::Held { path, info: Box::new(info) }),
        Liveness::Unknown(why) => Err(LockError::Unsure { path, info: Box::new(info), why }),
        Liveness::Gone(why) => Ok(format!(
            "took over {} from process {} on {} ({}): {why}",
            path.display(),
            info.process.pid,
            info.process.host,
            info.purpose
        )),
    }
}

/// Removes a lock judged stale. Only the holder of a marker beside it may, and looks again first, so that of several
/// processes that judged the same lock none removes the one that another has taken since.
fn clear(path: &Path, stale: &[u8], ours: &[u8]) -> Result<(), LockError> {
    let marker = path.with_extension("takeover");
    if !store::create_once(&marker, ours)? {
        // Someone else is at it; a marker whose process died on the way goes.
        if let Some(bytes) = read(&marker)? {
            let info = serde_json::from_slice::<LockInfo>(&bytes);
            if info.is_ok_and(|i| matches!(i.process.liveness(), Liveness::Gone(_))) {
                store::remove(&marker)?;
            }
        }
        return Ok(());
    }
    let removed = match read(path) {
        Ok(Some(now)) if now == stale => store::remove(path).map_err(LockError::from),
        other => other.map(|_| ()),
    };
    store::remove(&marker)?;
    removed
}

/// Whether a process that still runs (or may) holds the lock at `path`.
pub fn is_busy(path: &Path) -> bool {
    match read(path) {
        Ok(None) => false,
        Ok(Some(bytes)) => judge(path, &bytes).is_err(),
        Err(_) => true,
    }
}

impl RunLock {
    /// Takes the lock at `path`, or says who holds it. `since` is Unix seconds, for people.
    pub fn take(path: &Path, purpose: &str, since: u64) -> Result<RunLock, LockError> {
        let info = LockInfo { process: Process::this(), since, purpose: purpose.to_string() };
        let content = serde_json::to_vec_pretty(&info).unwrap_or_default();
        let mut taken_over = None;
        for _ in 0..100 {
            if store::create_once(path, &content)? {
                return Ok(RunLock { path: path.to_path_buf(), content, taken_over });
            }
            if let Some(bytes) = read(path)? {
                taken_over = Some(judge(path, &bytes)?);
                clear(path, &bytes, &content)?;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Err(LockError::Contended { path: path.to_path_buf() })
    }

    /// If a dead process's lock was taken over: whose, and how we know.
    pub fn taken_over(&self) -> Option<&str> {
        self.taken_over.as_deref()
    }

    /// Whether the file still is ours; false once someone removed it. To be asked before anything is promoted.
    pub fn is_held(&self) -> bool {
        read(&self.path).is_ok_and(|bytes| bytes.as_deref() == Some(&self.content[..]))
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        if self.is_held() {
            let _ = store::remove(&self.path);
        }
    }
}
