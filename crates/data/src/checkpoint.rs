//! Checkpoints: all that training needs to go on as if it had never stopped, in one directory committed by one rename.
//!
//! ```text
//! checkpoints/<name>/checkpoint.json   version, length and blake3 of each file below
//! checkpoints/<name>/card.json         the model, as in `card`
//! checkpoints/<name>/weights.bin       (or what the card calls it)
//! checkpoints/<name>/optimizer.bin     opaque
//! checkpoints/<name>/trainer.json      schedule, random streams, data window
//! ```
//!
//! Not here: which checkpoint may go (see `retention`).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::card::{
    CARD_BYTES_MAX, CARD_FILE, CARD_VERSION, CardError, ModelCard, parse_versioned, read_checked, write_dir,
};
use crate::names::check_name;
use crate::store::{self, StoreError};

/// Version of the checkpoint format; goes with the card's.
pub const CHECKPOINT_VERSION: u32 = CARD_VERSION;
const MANIFEST: &str = "checkpoint.json";
const OPTIMIZER: &str = "optimizer.bin";
const TRAINER: &str = "trainer.json";

/// Everything training needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What the model is so far.
    pub card: ModelCard,
    /// Its weights.
    pub weights: Vec<u8>,
    /// The optimizer's state.
    pub optimizer: Vec<u8>,
    /// The trainer's state.
    pub trainer: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileMark {
    name: String,
    bytes: u64,
    blake3: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    program: String,
    files: Vec<FileMark>,
}

fn pretty<T: Serialize>(dir: &Path, value: &T) -> Result<Vec<u8>, CardError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|e| CardError::bad(dir, e.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

/// Writes `checkpoints/<name>`; one of that name stays until the new one is complete.
pub fn save_checkpoint(checkpoints: &Path, name: &str, checkpoint: &Checkpoint) -> Result<PathBuf, CardError> {
    check_name(name).map_err(|source| CardError::Name { path: checkpoints.to_path_buf(), source })?;
    let dir = checkpoints.join(name);
    let card = checkpoint.card.clone().sealed(&checkpoint.weights);
    card.check_names(&dir)?;
    let (card_text, trainer) = (pretty(&dir, &card)?, pretty(&dir, &checkpoint.trainer)?);
    let mut files: Vec<(&str, &[u8])> = vec![
        (&card.weights_file, &checkpoint.weights),
        (OPTIMIZER, &checkpoint.optimizer),
        (TRAINER, &trainer),
        (CARD_FILE, &card_text),
    ];
    if [MANIFEST, OPTIMIZER, TRAINER].contains(&card.weights_file.as_str()) {
        return Err(CardError::bad(&dir, format!("weights_file must not be called {}", card.weights_file)));
    }
    let mark = |(name, bytes): &(&str, &[u8])| FileMark {
        name: name.to_string(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    };
    let files_marked = files.iter().map(mark).collect();
    let manifest = Manifest { version: CHECKPOINT_VERSION, program: card.program.clone(), files: files_marked };
    let manifest = pretty(&dir, &manifest)?;
    files.push((MANIFEST, &manifest));
    write_dir(&dir, &files)?;
    Ok(dir)
}

/// Reads a checkpoint; every file's length and checksum must be right.
pub fn load_checkpoint(dir: &Path) -> Result<Checkpoint, CardError> {
    let path = dir.join(MANIFEST);
    let manifest: Manifest = parse_versioned(&path, &store::read_capped(&path, CARD_BYTES_MAX)?, CHECKPOINT_VERSION)?;
    let file = |name: &str| -> Result<Vec<u8>, CardError> {
        let mark = manifest.files.iter().find(|f| f.name == name);
        let mark = mark.ok_or_else(|| CardError::bad(&path, format!("doesn't list {name}")))?;
        read_checked(&dir.join(name), mark.bytes, &mark.blake3)
    };
    let card_path = dir.join(CARD_FILE);
    let card: ModelCard = parse_versioned(&card_path, &file(CARD_FILE)?, CARD_VERSION)?;
    card.check_names(&card_path)?;
    let weights = file(&card.weights_file)?;
    if card.weights_blake3 != blake3::hash(&weights).to_hex().as_str() {
        return Err(CardError::bad(&card_path, "the card belongs to other weights"));
    }
    let trainer_path = dir.join(TRAINER);
    let trainer = serde_json::from_slice(&file(TRAINER)?).map_err(|e| CardError::bad(&trainer_path, e.to_string()))?;
    Ok(Checkpoint { card, weights, optimizer: file(OPTIMIZER)?, trainer })
}

/// The newest checkpoint that is whole, and what is wrong with newer ones.
#[derive(Debug, Default)]
pub struct Newest {
    /// Name and content; none if no checkpoint is whole.
    pub found: Option<(String, Checkpoint)>,
    /// Broken ones that were passed over, newest first.
    pub broken: Vec<CardError>,
}

/// Finds the newest whole checkpoint by name. A checkpoint of a later program version is an error, not passed over: an
/// older program must not silently go on from an older state.
pub fn newest_checkpoint(checkpoints: &Path) -> Result<Newest, CardError> {
    let mut newest = Newest::default();
    for name in store::list(checkpoints)?.into_iter().rev() {
        match load_checkpoint(&checkpoints.join(&name)) {
            Ok(checkpoint) => {
                newest.found = Some((name, checkpoint));
                break;
            }
            Err(e @ CardError::Newer { .. }) => return Err(e),
            Err(CardError::Store(e)) if is_transient(&e) => return Err(e.into()),
            Err(e) => newest.broken.push(e),
        }
    }
    Ok(newest)
}

/// Errors of the machine, not of the checkpoint: going on from an older one would be wrong.
fn is_transient(e: &StoreError) -> bool {
    use std::io::ErrorKind::{InvalidData, NotADirectory, NotFound};
    !matches!(e.source.kind(), NotFound | InvalidData | NotADirectory)
}
