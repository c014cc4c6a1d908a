//! Files that are either wholly there or not: written beside under a unique temporary name, synced, renamed, and the
//! directory synced, so that neither kill -9 nor power loss leaves half a file under a final name.
//!
//! A temporary is called `.<name>.<process tag>-<n>.tmp`, so leftovers of dead processes can be swept while others
//! write. Not here: what the files mean.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::Process;

/// A file operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("can't {action} {}{}: {source}", path.display(), size_text(*bytes))]
pub struct StoreError {
    /// What was tried: "write", "read", "rename" …
    pub action: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// How many bytes were to be written, where that matters.
    pub bytes: Option<u64>,
    /// What the system said.
    pub source: io::Error,
}

fn size_text(bytes: Option<u64>) -> String {
    bytes.map(|n| format!(" ({n} bytes)")).unwrap_or_default()
}

impl StoreError {
    /// An error about `path`, for `map_err`.
    pub fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_path_buf();
        move |source| StoreError { action, path, bytes: None, source }
    }

    fn writing(path: &Path, bytes: u64) -> impl Fn(io::Error) -> StoreError {
        let path = path.to_path_buf();
        move |source| StoreError { action: "write", path: path.clone(), bytes: Some(bytes), source }
    }
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A name beside `path` that no other process and no other call uses.
pub(crate) fn temp_beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let n = COUNTER.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}-{n}.tmp", Process::this().tag()))
}

/// The directory that holds `path`; `.` for a bare name.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes renames and removals in a directory durable. Does nothing where directories can't be opened.
pub fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    if cfg!(unix) {
        File::open(dir).and_then(|d| d.sync_all()).map_err(StoreError::at("sync", dir))?;
    }
    Ok(())
}

/// Creates a directory and its parents, durably.
pub fn create_dir(dir: &Path) -> Result<(), StoreError> {
    if dir.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(dir).map_err(StoreError::at("create directory", dir))?;
    sync_dir(parent(dir))
}

/// Writes `fill` into a new file and syncs it. Removes it again if anything fails.
pub(crate) fn write_new(
    path: &Path,
    bytes: u64,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    let error = StoreError::writing(path, bytes);
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(&error)?;
    let written = fill(&mut file).and_then(|()| file.sync_all());
    drop(file);
    written.map_err(|e| {
        // The first error is the one worth telling.
        let _ = fs::remove_file(path);
        error(e)
    })
}

/// Replaces `path` by what `fill` writes, `bytes` long. The old content stays until the new one is complete; on an
/// error the temporary is removed and the error names `path`. A symbolic link at `path` is replaced, not followed.
pub fn write_atomic_with(
    path: &Path,
    bytes: u64,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    let error = StoreError::writing(path, bytes);
    let temp = temp_beside(path);
    write_new(&temp, bytes, fill).map_err(|e| error(e.source))?;
    fs::rename(&temp, path).map_err(|e| {
        let _ = fs::remove_file(&temp);
        error(e)
    })?;
    sync_dir(parent(path))
}

/// As `write_atomic_with`, from bytes at hand.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_atomic_with(path, bytes.len() as u64, |file| file.write_all(bytes))
}

/// Creates `path` whole, or returns false if it exists. Of several processes exactly one gets true.
pub fn create_once(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let error = StoreError::writing(path, bytes.len() as u64);
    let temp = temp_beside(path);
    write_new(&temp, bytes.len() as u64, |file| file.write_all(bytes)).map_err(|e| error(e.source))?;
    // A hard link never replaces, and the linked file is complete.
    let linked = fs::hard_link(&temp, path);
    let _ = fs::remove_file(&temp);
    match linked {
        Ok(()) => sync_dir(parent(path)).map(|()| true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // Filesystems without hard links: a reader may see the file before it is complete.
        Err(_) => match write_new(path, bytes.len() as u64, |file| file.write_all(bytes)) {
            Ok(()) => sync_dir(parent(path)).map(|()| true),
            Err(e) if e.source.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(e),
        },
    }
}

/// Reads a regular file of at most `cap` bytes. Devices, pipes and larger files are refused before a byte is read.
pub fn read_capped(path: &Path, cap: u64) -> Result<Vec<u8>, StoreError> {
    let error = |e| StoreError::at("read", path)(e);
    let refuse = |why: String| error(io::Error::new(io::ErrorKind::InvalidData, why));
    // Asked before opening: opening a pipe that nobody writes would wait for ever.
    let meta = fs::metadata(path).map_err(error)?;
    if !meta.is_file() {
        return Err(refuse("not a regular file".to_string()));
    }
    if meta.len() > cap {
        return Err(refuse(format!("{} bytes, at most {cap} expected", meta.len())));
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    File::open(path).and_then(|f| f.take(cap + 1).read_to_end(&mut bytes)).map_err(error)?;
    if bytes.len() as u64 > cap {
        return Err(refuse(format!("it grew beyond {cap} bytes while being read")));
    }
    Ok(bytes)
}

/// Names in a directory, sorted; temporaries and other dot files left out. A missing directory is an empty one.
pub fn list(dir: &Path) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(names),
        Err(e) => return Err(StoreError::at("list", dir)(e)),
    };
    for entry in entries {
        let name = entry.map_err(StoreError::at("list", dir))?.file_name();
        // Nothing of ours has a name that isn't UTF-8.
        names.extend(name.into_string().ok().filter(|n| !n.starts_with('.')));
    }
    names.sort();
    Ok(names)
}

/// Removes a file, or a directory with what it holds. A symbolic link is removed itself, never what it points to;
/// something already gone is fine.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(StoreError::at("remove", path)),
    }
}

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Temporaries removed.
    pub removed: Vec<PathBuf>,
    /// Temporaries left alone: their process runs, or runs where it can't be asked.
    pub kept: Vec<PathBuf>,
}

/// Whether the writer of a temporary is known to be gone; none if the name isn't a temporary's.
fn is_leftover(name: &str, here: &Process) -> Option<bool> {
    let tagged = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit('.').next()?;
    let (tag, n) = tagged.rsplit_once('-')?;
    n.parse::<u64>().ok()?;
    here.tag_is_gone(tag)
}

/// Removes temporaries in `dir` (not below it) whose process on this host is gone. Files with other names are never
/// touched.
pub fn sweep_temps(dir: &Path) -> Result<Swept, StoreError> {
    let here = Process::this();
    let mut swept = Swept::default();
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(swept),
        Err(e) => return Err(StoreError::at("list", dir)(e)),
    };
    for entry in entries {
        let entry = entry.map_err(StoreError::at("list", dir))?;
        let name = entry.file_name();
        match name.to_str().and_then(|n| is_leftover(n, &here)) {
            None => {}
            Some(false) => swept.kept.push(entry.path()),
            Some(true) => {
                remove(&entry.path())?;
                swept.removed.push(entry.path());
            }
        }
    }
    swept.removed.sort();
    swept.kept.sort();
    Ok(swept)
}
