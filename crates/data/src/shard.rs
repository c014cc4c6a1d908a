//! Shards: many game records in one npz file that Python opens with `np.load`.
//!
//! ```text
//! <prefix>-<first 16 hex digits of the content hash>.npz      a zip of npy arrays, deflated, one axis each
//!   meta               u8   JSON: format, version, counts, tables of setup texts and model ids
//!   game_setup         u32  [G]    index into meta.setups
//!   game_model_first   u32  [G]    index into meta.models, of the first seat; then game_model_second
//!   game_seed, game_index, game_evaluations            u64 [G]
//!   game_outcome, game_end                             u8  [G]    Outcome::code, EndReason
//!   game_margin        f32  [G]    first seat's points minus second's; NaN: no score
//!   game_first_move    u32  [G+1]  moves of game g are [first_move[g], first_move[g+1])
//!   move_action u16, move_seat u8, move_kind u8, move_visits u32, move_root_value f32, move_best u8, move_weight f32 [M]
//!   move_first_target  u32  [M+1]  targets of move m, the same way
//!   target_action u16, target_weight f32               [T]    sparse policy target, ascending action, sum 1 per move
//!   blake3             u8   [32]   content hash: of each member above in order: name, 0, length as u64 LE, npy bytes
//! ```
//!
//! Integers and floats are little-endian. The zip carries a CRC per member and no clock, so equal records give equal
//! bytes; the name depends on the content alone, not on how well it was compressed. A reader checks declared sizes
//! against the member's length and the caps below before it allocates, then every value (`GameRecord::check`), and gives
//! one error naming file and member. Not here: how games are played or batched; and no network input is stored.

mod columns;
mod npz;

use std::path::{Path, PathBuf};

pub use columns::{Meta, SHARD_VERSION};
use columns::{from_columns, read_columns, to_columns, write_columns};
use npz::{NpzReader, NpzWriter};

use crate::check::RecordFault;
use crate::names::{NameError, check_name};
use crate::record::GameRecord;
use crate::store::{self, StoreError};

/// Most games in one shard.
pub const GAMES_MAX: usize = 1 << 17;
/// Most moves in one shard.
pub const MOVES_MAX: usize = 1 << 22;
/// Most policy targets in one shard; their columns then take 400 MB.
pub const TARGETS_MAX: usize = 1 << 26;
/// Largest shard file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 29;

/// Why a shard can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The file can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file isn't a shard, is damaged, or breaks a promise.
    #[error("shard {}{}: {why}", path.display(), member_text(member))]
    Bad {
        /// The file; the name given by the caller for bytes in memory.
        path: PathBuf,
        /// The array at fault; empty for the file as a whole.
        member: String,
        /// What was found and expected.
        why: String,
    },
    /// A later version of this program wrote it.
    #[error("shard {} has version {found}; this program reads versions up to {SHARD_VERSION}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Records that must not be written.
    #[error("can't make a shard: {0}")]
    Record(#[from] RecordFault),
    /// More than a shard holds.
    #[error("can't make a shard: {found} {what}, at most {most} fit; write several")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many fit.
        most: usize,
    },
    /// The prefix can't be part of a file name.
    #[error("can't make a shard: {0}")]
    Name(#[from] NameError),
}

fn member_text(member: &str) -> String {
    if member.is_empty() { String::new() } else { format!(", member {member}") }
}

/// A fault found inside bytes, before the file's name is known.
#[derive(Debug)]
pub(crate) enum Fault {
    Bad { member: String, why: String },
    Newer(u32),
}

impl Fault {
    /// The reason becomes one line of bounded length, whatever a library says about a hostile file.
    pub(crate) fn new(member: &str, why: impl Into<String>) -> Fault {
        let why: String = why.into().split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect();
        Fault::Bad { member: member.to_string(), why }
    }

    fn at(self, path: &Path) -> ShardError {
        match self {
            Fault::Bad { member, why } => ShardError::Bad { path: path.to_path_buf(), member, why },
            Fault::Newer(found) => ShardError::Newer { path: path.to_path_buf(), found },
        }
    }
}

/// What a shard holds, known from its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardInfo {
    /// Where it lies.
    pub path: PathBuf,
    /// Number of games.
    pub games: u64,
    /// Number of moves of all games.
    pub moves: u64,
    /// Rows with a training target.
    pub rows: u64,
    /// Setup texts that occur.
    pub setups: Vec<String>,
    /// Model ids that occur.
    pub models: Vec<String>,
}

impl ShardInfo {
    fn new(path: &Path, meta: Meta) -> ShardInfo {
        let Meta { games, moves, rows, setups, models, .. } = meta;
        ShardInfo { path: path.to_path_buf(), games, moves, rows, setups, models }
    }
}

/// The bytes of a shard and its content hash. Equal records give equal bytes. Every record is checked first.
pub fn encode(records: &[GameRecord]) -> Result<(Vec<u8>, blake3::Hash), ShardError> {
    let columns = to_columns(records)?;
    let mut writer = NpzWriter::new();
    // Writing to memory with sizes below 4 GiB leaves nothing that can fail; an error is passed on all the same.
    write_columns(&columns, &mut writer).and_then(|()| writer.finish()).map_err(|f| f.at(Path::new("(in memory)")))
}

fn decode_bytes(bytes: &[u8]) -> Result<(Vec<GameRecord>, blake3::Hash), Fault> {
    let mut reader = NpzReader::new(bytes)?;
    let columns = read_columns(&mut reader)?;
    let hash = reader.finish()?;
    Ok((from_columns(&columns)?, hash))
}

/// Records from a shard's bytes; `name` stands for the file in errors.
pub fn decode(bytes: &[u8], name: &Path) -> Result<Vec<GameRecord>, ShardError> {
    decode_bytes(bytes).map(|(records, _)| records).map_err(|f| f.at(name))
}

/// The file name of a shard.
pub fn file_name(prefix: &str, hash: &blake3::Hash) -> String {
    format!("{prefix}-{}.npz", &hash.to_hex()[..16])
}

/// Writes records as `dir/<prefix>-<hash16>.npz`, beside and then renamed. Writing the same records again is harmless.
pub fn write_shard(dir: &Path, prefix: &str, records: &[GameRecord]) -> Result<ShardInfo, ShardError> {
    check_name(prefix)?;
    let (bytes, hash) = encode(records)?;
    let name = file_name(prefix, &hash);
    let path = dir.join(check_name(&name)?);
    store::write_atomic(&path, &bytes)?;
    Ok(ShardInfo::new(&path, Meta::of(records)))
}

/// The hash a file name claims: 16 hex digits between the last dash and `.npz`.
fn claimed_hash(path: &Path) -> Option<&str> {
    let digits = path.file_name()?.to_str()?.strip_suffix(".npz")?.rsplit_once('-')?.1;
    let is_hash = digits.len() == 16 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_hash.then_some(digits)
}

/// Reads a whole shard. Any damage is an error naming the file, the member and what was expected.
pub fn read_shard(path: &Path) -> Result<Vec<GameRecord>, ShardError> {
    let bytes = store::read_capped(path, FILE_BYTES_MAX)?;
    let (records, hash) = decode_bytes(&bytes).map_err(|f| f.at(path))?;
    let hex = hash.to_hex();
    match claimed_hash(path) {
        Some(claimed) if claimed != &hex[..16] => {
            Err(Fault::new("", format!("its content is {}, not what its name says", &hex[..16])).at(path))
        }
        _ => Ok(records),
    }
}

/// Reads only the head of a shard: counts and tables. The columns aren't looked at; damage there shows in `read_shard`.
pub fn inspect_shard(path: &Path) -> Result<ShardInfo, ShardError> {
    let bytes = store::read_capped(path, FILE_BYTES_MAX)?;
    let meta = NpzReader::new(&bytes).and_then(|mut r| columns::read_meta(&mut r)).map_err(|f| f.at(path))?;
    Ok(ShardInfo::new(path, meta))
}

/// Splits records, in order, into runs that each fit one shard and have at most `rows_max` rows (at least one game).
pub fn chunks(records: &[GameRecord], rows_max: usize) -> Vec<&[GameRecord]> {
    let mut out = Vec::new();
    let (mut start, mut load) = (0, Load::default());
    for (i, record) in records.iter().enumerate() {
        let next = Load::of(record);
        if i > start && !load.fits(&next, i - start, rows_max) {
            out.push(&records[start..i]);
            (start, load) = (i, Load::default());
        }
        load.add(&next);
    }
    if start < records.len() {
        out.push(&records[start..]);
    }
    out
}

/// How much of a shard's room records take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    rows: usize,
    moves: usize,
    targets: usize,
}

impl Load {
    pub(crate) fn of(record: &GameRecord) -> Load {
        let targets = record.moves.iter().map(|m| m.policy.len()).sum();
        Load { rows: record.rows(), moves: record.moves.len(), targets }
    }

    pub(crate) fn add(&mut self, other: &Load) {
        self.rows += other.rows;
        self.moves += other.moves;
        self.targets += other.targets;
    }

    /// Whether `next` still fits beside `games` games.
    pub(crate) fn fits(&self, next: &Load, games: usize, rows_max: usize) -> bool {
        games < GAMES_MAX
            && self.rows + next.rows <= rows_max
            && self.moves + next.moves <= MOVES_MAX
            && self.targets + next.targets <= TARGETS_MAX
    }
}
