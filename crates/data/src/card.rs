//! Models on disk: a directory of one self-describing card and one file of weights.
//!
//! ```text
//! models/<id>/card.json          what the model is, and length and blake3 of the weights
//! models/<id>/<weights_file>     opaque bytes
//! ```
//!
//! The directory is filled beside and renamed, so it is whole or absent. Not here: what the weights mean.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::names::{NameError, check_name};
use crate::store::{self, StoreError};

/// Version of the card that this program writes; it reads all up to this.
pub const CARD_VERSION: u32 = 1;
/// Name of the card in a model's directory.
pub const CARD_FILE: &str = "card.json";
/// Largest card, in bytes.
pub(crate) const CARD_BYTES_MAX: u64 = 1 << 20;
/// Largest file of weights or optimizer state, in bytes.
pub const WEIGHTS_BYTES_MAX: u64 = 1 << 32;

/// Why a model or checkpoint can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// A file can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A name isn't one.
    #[error("{}: {source}", path.display())]
    Name {
        /// The directory or file it was read from.
        path: PathBuf,
        /// What is wrong with it.
        source: NameError,
    },
    /// The file doesn't hold what it should.
    #[error("{}: {why}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What was found and expected.
        why: String,
    },
    /// A later version of this program wrote it.
    #[error("{} has version {found}, written by {program}; this program reads versions up to {CARD_VERSION}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The program that wrote it, as the file says.
        program: String,
    },
}

impl CardError {
    pub(crate) fn bad(path: &Path, why: impl Into<String>) -> CardError {
        CardError::Bad { path: path.to_path_buf(), why: why.into() }
    }
}

/// Which inputs a network takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureSet {
    /// Name of the feature set.
    pub name: String,
    /// Its version; the same name and version always means the same planes.
    pub version: u32,
}

/// As feature sets are named: `go-basic-1`.
impl fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.name, self.version)
    }
}

/// What a model is. Everything a user may ask of it, and everything needed to use it rightly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCard {
    /// `CARD_VERSION` at writing; set by `save_model`.
    pub version: u32,
    /// Name of the model; its directory is called so.
    pub id: String,
    /// Id of the model training started from.
    pub parent: Option<String>,
    /// Setup texts it was trained on.
    pub setups: Vec<String>,
    /// Board sizes it was trained on, as `15x15`.
    pub sizes: Vec<String>,
    /// Inputs.
    pub features: FeatureSet,
    /// Shape of the network; `net` knows the fields.
    pub network: serde_json::Value,
    /// Names of the outputs beside the board's points, in order.
    pub extras: Vec<String>,
    /// Training steps.
    pub steps: u64,
    /// Rows trained on, repeats counted.
    pub rows: u64,
    /// Games that gave them.
    pub games: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Program and version that made it.
    pub program: String,
    /// When, in Unix seconds by that machine's clock; for people, never compared.
    pub created: u64,
    /// Name of the file with the weights.
    pub weights_file: String,
    /// Its length; set by `save_model`.
    pub weights_bytes: u64,
    /// Its blake3 in hex; set by `save_model`.
    pub weights_blake3: String,
}

impl Default for ModelCard {
    fn default() -> ModelCard {
        ModelCard {
            version: CARD_VERSION,
            id: String::new(),
            parent: None,
            setups: Vec::new(),
            sizes: Vec::new(),
            features: FeatureSet::default(),
            network: serde_json::Value::Null,
            extras: Vec::new(),
            steps: 0,
            rows: 0,
            games: 0,
            seed: 0,
            program: format!("tengen {}", env!("CARGO_PKG_VERSION")),
            created: 0,
            weights_file: "weights.bin".to_string(),
            weights_bytes: 0,
            weights_blake3: String::new(),
        }
    }
}

/// An id that sorts by steps and names the weights: `s<steps>-<first 8 hex digits of blake3>`.
pub fn model_id(steps: u64, weights: &[u8]) -> String {
    format!("s{steps:010}-{}", &blake3::hash(weights).to_hex()[..8])
}

/// Reads `version` before anything else, so that a newer file is refused as newer, not as odd.
pub(crate) fn parse_versioned<T: serde::de::DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    most: u32,
) -> Result<T, CardError> {
    let bad = |e: serde_json::Error| CardError::bad(path, e.to_string());
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(bad)?;
    match value["version"].as_u64() {
        None | Some(0) => return Err(CardError::bad(path, "no version number")),
        Some(found) if found > u64::from(most) => {
            let program = value["program"].as_str().unwrap_or("an unknown program").chars().take(60).collect();
            return Err(CardError::Newer { path: path.to_path_buf(), found, program });
        }
        Some(_) => {}
    }
    serde_json::from_value(value).map_err(bad)
}

impl ModelCard {
    /// The card with the weights' length and checksum filled in.
    pub(crate) fn sealed(mut self, weights: &[u8]) -> ModelCard {
        self.version = CARD_VERSION;
        self.weights_bytes = weights.len() as u64;
        self.weights_blake3 = blake3::hash(weights).to_hex().to_string();
        self
    }

    pub(crate) fn check_names(&self, path: &Path) -> Result<(), CardError> {
        let names = [Some(&self.id), Some(&self.weights_file), self.parent.as_ref()];
        for name in names.into_iter().flatten() {
            check_name(name).map_err(|source| CardError::Name { path: path.to_path_buf(), source })?;
        }
        if self.weights_file == CARD_FILE {
            return Err(CardError::bad(path, "weights_file is the card itself"));
        }
        Ok(())
    }

    /// Reads and checks the card of a model's directory; the weights aren't looked at.
    pub fn read(dir: &Path) -> Result<ModelCard, CardError> {
        let path = dir.join(CARD_FILE);
        let card: ModelCard = parse_versioned(&path, &store::read_capped(&path, CARD_BYTES_MAX)?, CARD_VERSION)?;
        card.check_names(&path)?;
        Ok(card)
    }

    /// Reads the weights and checks length and checksum. `dir` is the model's directory.
    pub fn read_weights(&self, dir: &Path) -> Result<Vec<u8>, CardError> {
        read_checked(&dir.join(&self.weights_file), self.weights_bytes, &self.weights_blake3)
    }
}

/// Reads a file whose length and blake3 are known.
pub(crate) fn read_checked(path: &Path, bytes: u64, hash: &str) -> Result<Vec<u8>, CardError> {
    if bytes > WEIGHTS_BYTES_MAX {
        return Err(CardError::bad(path, format!("claims {bytes} bytes, at most {WEIGHTS_BYTES_MAX} expected")));
    }
    let content = store::read_capped(path, bytes)?;
    if content.len() as u64 != bytes {
        return Err(CardError::bad(path, format!("{} bytes, {bytes} expected: it was cut short", content.len())));
    }
    if blake3::hash(&content).to_hex().as_str() != hash {
        return Err(CardError::bad(path, "the checksum differs from the card's: it was damaged or changed"));
    }
    Ok(content)
}

/// Fills a directory beside `dir` and renames it there. One that is there already stays until the new one is complete,
/// then is moved aside and removed. Files in the order given.
pub(crate) fn write_dir(dir: &Path, files: &[(&str, &[u8])]) -> Result<(), CardError> {
    let (temp, aside) = (store::temp_beside(dir), store::temp_beside(dir));
    let rename = |from: &Path, to: &Path| std::fs::rename(from, to).map_err(StoreError::at("rename to", to));
    let swap = || {
        let replaces = dir.exists();
        if replaces {
            rename(dir, &aside)?;
        }
        rename(&temp, dir)?;
        store::sync_dir(store::parent(dir))?;
        if replaces { store::remove(&aside) } else { Ok(()) }
    };
    fill_dir(&temp, files).and_then(|()| swap()).map_err(|e| {
        let _ = store::remove(&temp);
        e.into()
    })
}

fn fill_dir(temp: &Path, files: &[(&str, &[u8])]) -> Result<(), StoreError> {
    store::create_dir(store::parent(temp))?;
    std::fs::create_dir(temp).map_err(StoreError::at("create directory", temp))?;
    for (name, bytes) in files {
        store::write_new(&temp.join(name), bytes.len() as u64, |file| file.write_all(bytes))?;
    }
    store::sync_dir(temp)
}

/// Writes `models/<card.id>` and returns the card with the checksum. The same model again is fine; another one under
/// the same id is refused.
pub fn save_model(models: &Path, card: ModelCard, weights: &[u8]) -> Result<ModelCard, CardError> {
    let card = card.sealed(weights);
    card.check_names(models)?;
    let dir = models.join(&card.id);
    if dir.exists() {
        let old = ModelCard::read(&dir)?;
        return match old.weights_blake3 == card.weights_blake3 {
            true => Ok(old),
            false => Err(CardError::bad(&dir, "a model of that id with other weights is already there")),
        };
    }
    let mut text = serde_json::to_vec_pretty(&card).map_err(|e| CardError::bad(&dir, e.to_string()))?;
    text.push(b'\n');
    write_dir(&dir, &[(&card.weights_file, weights), (CARD_FILE, &text)])?;
    Ok(card)
}

/// Reads a model's directory: card and weights, checked.
pub fn load_model(dir: &Path) -> Result<(ModelCard, Vec<u8>), CardError> {
    let card = ModelCard::read(dir)?;
    let weights = card.read_weights(dir)?;
    Ok((card, weights))
}
