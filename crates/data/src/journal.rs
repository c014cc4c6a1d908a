//! Finished games of one batch, appended as they finish, so that kill -9 loses none of them; sealed into shards when
//! the batch is complete.
//!
//! ```text
//! "tengenJ1"                        magic and version, 8 bytes
//! frame*                            the first frame's payload is the batch key as UTF-8, the others are one-game shards
//! frame = length u32 LE | first 8 bytes of blake3(length | payload) | payload
//! ```
//!
//! A torn tail (killed while appending, power lost) is dropped on opening; what was synced before is kept. Games are
//! known by `GameRecord::index`, so a restart plays only what is missing. One process writes a journal. Not here: which
//! games a batch has.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::record::GameRecord;
use crate::shard::{self, Load, ShardError, ShardInfo};
use crate::store::{self, StoreError};

const MAGIC: &[u8; 8] = b"tengenJ1";
const FRAME_HEAD: usize = 12;
/// Largest frame; one game of `PLIES_MAX` plies stays below.
const FRAME_BYTES_MAX: usize = 1 << 27;
/// Largest journal that is read, in bytes.
const JOURNAL_BYTES_MAX: u64 = 1 << 34;

/// Why a journal can't be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A game or shard in it is at fault.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The file is something else, or of a later version.
    #[error("{} is no journal of this version: {why}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// The journal belongs to another batch.
    #[error("{} belongs to the batch `{found}`, not to `{expected}`; finish that one or move the file away", path.display())]
    OtherBatch {
        /// The file.
        path: PathBuf,
        /// The key in the file.
        found: String,
        /// The key asked for.
        expected: String,
    },
    /// A game was given twice.
    #[error("game {index} is already in {}", path.display())]
    Duplicate {
        /// The file.
        path: PathBuf,
        /// `GameRecord::index`.
        index: u64,
    },
    /// Sealing came too early.
    #[error("{} has {found} games of {expected}", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// Games in it.
        found: usize,
        /// Games expected.
        expected: usize,
    },
}

/// When an appended game is synced to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// After every game: power loss costs nothing.
    EachGame,
    /// After every so many games (at least 1): kill -9 costs nothing, power loss at most these.
    EachGames(usize),
}

/// What the journal asks of a file; a test double stands in for a full disk.
trait Backing: Read + Write + Seek {
    fn sync(&mut self) -> io::Result<()>;
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

impl Backing for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

fn seal_of(len: [u8; 4], payload: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&len).update(payload);
    let mut out = [0; 8];
    hasher.finalize_xof().fill(&mut out);
    out
}

fn frame(payload: &[u8]) -> Vec<u8> {
    let len = (payload.len() as u32).to_le_bytes();
    [&len[..], &seal_of(len, payload), payload].concat()
}

/// Reads one frame; none at the end, at a torn frame, or at a damaged one.
fn read_frame(file: &mut dyn Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::with_capacity(FRAME_HEAD);
    file.take(FRAME_HEAD as u64).read_to_end(&mut head)?;
    let Some((len, seal)) = head.split_first_chunk::<4>() else { return Ok(None) };
    let bytes = u32::from_le_bytes(*len) as usize;
    if seal.len() != 8 || bytes > FRAME_BYTES_MAX {
        return Ok(None);
    }
    // Grows with what is there, not with what the length claims.
    let mut payload = Vec::new();
    file.take(bytes as u64).read_to_end(&mut payload)?;
    Ok((payload.len() == bytes && seal_of(*len, &payload) == seal).then_some(payload))
}

/// Where a game lies.
#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    load: Load,
}

/// What opening found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Games that were there.
    pub games: usize,
    /// Bytes of a torn tail that were dropped.
    pub dropped_bytes: u64,
}

/// An open journal.
pub struct Journal {
    path: PathBuf,
    file: Box<dyn Backing + Send>,
    /// Length of the intact part.
    len: u64,
    entries: BTreeMap<u64, Entry>,
    sync: Sync,
    unsynced: usize,
    recovery: Recovery,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Journal({}, {} games)", self.path.display(), self.entries.len())
    }
}

/// Counts the intact games of a journal without touching it: another process may be writing. 0 for a foreign file.
pub fn count_games(path: &Path) -> Result<usize, JournalError> {
    // Asked before opening: opening a pipe that nobody writes would wait for ever.
    if !std::fs::metadata(path).map_err(StoreError::at("read", path))?.is_file() {
        return Ok(0);
    }
    let file = File::open(path).map_err(StoreError::at("open", path))?;
    let mut file = io::BufReader::new(file);
    let mut magic = Vec::new();
    let read = |e| JournalError::from(StoreError::at("read", path)(e));
    (&mut file).take(MAGIC.len() as u64).read_to_end(&mut magic).map_err(read)?;
    if magic != MAGIC || read_frame(&mut file).map_err(read)?.is_none() {
        return Ok(0);
    }
    let mut games = 0;
    while read_frame(&mut file).map_err(read)?.is_some() {
        games += 1;
    }
    Ok(games)
}

impl Journal {
    /// Opens or creates the journal of a batch. `key` says what the batch is (setup, model, seed, settings): a journal
    /// of another key is refused and left alone. A torn tail is cut off; `recovery` tells.
    pub fn open(path: &Path, key: &str, sync: Sync) -> Result<Journal, JournalError> {
        let head = [&MAGIC[..], &frame(key.as_bytes())].concat();
        if !path.exists() {
            store::create_once(path, &head)?;
        }
        let size = std::fs::metadata(path).map_err(StoreError::at("read", path))?;
        if !size.is_file() || size.len() > JOURNAL_BYTES_MAX {
            let why = format!("not a regular file of at most {JOURNAL_BYTES_MAX} bytes");
            return Err(JournalError::Foreign { path: path.to_path_buf(), why });
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(StoreError::at("open", path))?;
        let mut journal = Journal {
            path: path.to_path_buf(),
            file: Box::new(file),
            len: head.len() as u64,
            entries: BTreeMap::new(),
            sync,
            unsynced: 0,
            recovery: Recovery::default(),
        };
        journal.check_head(key)?;
        journal.recover(size.len())?;
        Ok(journal)
    }

    fn io<T>(&self, action: &'static str, result: io::Result<T>) -> Result<T, JournalError> {
        result.map_err(|e| StoreError::at(action, &self.path)(e).into())
    }

    fn check_head(&mut self, key: &str) -> Result<(), JournalError> {
        let mut magic = Vec::new();
        let read = (&mut self.file).take(MAGIC.len() as u64).read_to_end(&mut magic);
        self.io("read", read)?;
        if magic != MAGIC {
            let found = String::from_utf8_lossy(&magic).escape_debug().to_string();
            let why = format!("it starts with {found:?}, expected {:?}", String::from_utf8_lossy(MAGIC));
            return Err(JournalError::Foreign { path: self.path.clone(), why });
        }
        let found = read_frame(&mut self.file);
        match self.io("read", found)? {
            Some(found) if found == key.as_bytes() => Ok(()),
            Some(found) => Err(JournalError::OtherBatch {
                path: self.path.clone(),
                found: String::from_utf8_lossy(&found).chars().take(300).collect(),
                expected: key.to_string(),
            }),
            None => Err(JournalError::Foreign { path: self.path.clone(), why: "its head is damaged".to_string() }),
        }
    }

    /// Indexes the intact games and cuts off the rest.
    fn recover(&mut self, size: u64) -> Result<(), JournalError> {
        loop {
            let next = read_frame(&mut io::BufReader::new(&mut *self.file));
            let Some(payload) = self.io("read", next)? else { break };
            let Ok(records) = shard::decode(&payload, &self.path) else { break };
            let [record] = records.as_slice() else { break };
            self.entries.entry(record.index).or_insert(Entry { offset: self.len, load: Load::of(record) });
            self.len += (FRAME_HEAD + payload.len()) as u64;
            let at = self.file.seek(SeekFrom::Start(self.len));
            self.io("read", at)?;
        }
        self.recovery = Recovery { games: self.entries.len(), dropped_bytes: size - self.len };
        if self.recovery.dropped_bytes > 0 {
            let cut = self.file.cut(self.len).and_then(|()| self.file.sync());
            self.io("cut the torn tail of", cut)?;
        }
        Ok(())
    }

    /// What opening found.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Number of games in it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no game yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the game of that index is done.
    pub fn has(&self, index: u64) -> bool {
        self.entries.contains_key(&index)
    }

    /// Indices of the games that are done, ascending.
    pub fn indices(&self) -> impl Iterator<Item = u64> + '_ {
        self.entries.keys().copied()
    }

    /// Adds a finished game. When this returns, kill -9 can't lose it; power loss as `Sync` says. On an error (a full
    /// disk) the journal is as before and the game may be given again.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), JournalError> {
        if self.has(record.index) {
            return Err(JournalError::Duplicate { path: self.path.clone(), index: record.index });
        }
        let (payload, _) = shard::encode(std::slice::from_ref(record))?;
        let bytes = frame(&payload);
        let written = self.file.seek(SeekFrom::Start(self.len)).and_then(|_| self.file.write_all(&bytes));
        let due = match self.sync {
            Sync::EachGame => 1,
            Sync::EachGames(n) => n.max(1),
        };
        let is_due = self.unsynced + 1 >= due;
        let written = written.and_then(|()| if is_due { self.file.sync() } else { Ok(()) });
        if let Err(source) = written {
            // If cutting fails too, the half frame is a torn tail that the next append overwrites and opening drops.
            let _ = self.file.cut(self.len);
            let path = self.path.clone();
            return Err(StoreError { action: "append to", path, bytes: Some(bytes.len() as u64), source }.into());
        }
        self.unsynced = if is_due { 0 } else { self.unsynced + 1 };
        self.entries.insert(record.index, Entry { offset: self.len, load: Load::of(record) });
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn read_at(&mut self, offset: u64) -> Result<GameRecord, JournalError> {
        let at = self.file.seek(SeekFrom::Start(offset));
        self.io("read", at)?;
        let payload = read_frame(&mut io::BufReader::new(&mut *self.file));
        let damaged = || JournalError::Foreign { path: self.path.clone(), why: format!("damaged at byte {offset}") };
        let payload = self.io("read", payload)?.ok_or_else(damaged)?;
        shard::decode(&payload, &self.path)?.pop().ok_or_else(damaged)
    }

    /// All games in order of index.
    pub fn records(&mut self) -> Result<Vec<GameRecord>, JournalError> {
        let offsets: Vec<u64> = self.entries.values().map(|e| e.offset).collect();
        offsets.into_iter().map(|at| self.read_at(at)).collect()
    }

    /// Turns the games, in order of index, into shards of at most `rows_max` rows in `dir`, then removes the journal.
    /// The shards depend on the games alone, not on the order they finished in, so a seal cut short can be repeated.
    /// Refused unless exactly `games` games are there; without games no shard is written.
    pub fn seal(
        mut self,
        dir: &Path,
        prefix: &str,
        games: usize,
        rows_max: usize,
    ) -> Result<Vec<ShardInfo>, JournalError> {
        if self.len() != games {
            return Err(JournalError::Incomplete { path: self.path.clone(), found: self.len(), expected: games });
        }
        let entries: Vec<Entry> = self.entries.values().copied().collect();
        let (mut shards, mut batch, mut load) = (Vec::new(), Vec::new(), Load::default());
        for entry in entries {
            if !batch.is_empty() && !load.fits(&entry.load, batch.len(), rows_max) {
                shards.push(shard::write_shard(dir, prefix, &batch)?);
                batch.clear();
                load = Load::default();
            }
            batch.push(self.read_at(entry.offset)?);
            load.add(&entry.load);
        }
        if !batch.is_empty() {
            shards.push(shard::write_shard(dir, prefix, &batch)?);
        }
        store::remove(&self.path)?;
        store::sync_dir(store::parent(&self.path))?;
        Ok(shards)
    }
}

#[cfg(test)]
mod tests;
