//! The weights of a network as plain numbers, and the one file format they travel in. No Burn types here, so that any
//! runner can read them. Not here: files and directories (crate `data` owns those; this is what lies in one of them).
//!
//! The file is a safetensors file: 8 bytes of header length, a JSON header, little-endian f32 data. Tensors are sorted
//! by name; the header's metadata holds one key, `config`, the [`NetConfig`] as JSON. Equal weights give equal bytes.

use std::collections::HashMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::config::{ConfigError, Init, NetConfig, Slot};

/// Largest weights file that is read: `PARAMETERS_MAX` numbers and a header.
pub const BYTES_MAX: usize = crate::config::PARAMETERS_MAX * 4 + (1 << 20);

/// Why bytes aren't the weights of a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The container is damaged or is something else.
    #[error("not a weights file (safetensors): {0}")]
    Container(String),
    /// More bytes than any network has.
    #[error("weights of {bytes} bytes; at most {max} are read")]
    TooLarge {
        /// Length.
        bytes: usize,
        /// Most allowed.
        max: usize,
    },
    /// The metadata doesn't describe a network.
    #[error("weights file, metadata `{key}`: {why}")]
    Metadata {
        /// Metadata key.
        key: &'static str,
        /// What is wrong.
        why: String,
    },
    /// The described network is impossible.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tensor is missing, unknown or has another shape or type.
    #[error("weights file, tensor `{name}`: {why}")]
    Tensor {
        /// Its name.
        name: String,
        /// What was found and expected.
        why: String,
    },
}

/// All weights of one network, each finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    config: NetConfig,
    slots: Vec<Slot>,
    values: Vec<f32>,
}

impl Weights {
    /// Fresh random weights. The same configuration and seed give the same bits on every platform: only exact
    /// arithmetic is used (a sum of twelve uniform numbers stands in for a normal one).
    pub fn random(config: &NetConfig, seed: u64) -> Result<Weights, ConfigError> {
        config.check()?;
        let slots = config.slots();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut values = Vec::with_capacity(config.parameters());
        for slot in &slots {
            let std = match slot.init {
                Init::Normal(std) => std,
                Init::Zero => 0.0,
            };
            values.extend((0..slot.len()).map(|_| if std == 0.0 { 0.0 } else { normal(&mut rng) * std }));
        }
        Ok(Weights { config: config.clone(), slots, values })
    }

    /// Weights from values in the order of [`NetConfig::slots`].
    pub fn from_values(config: &NetConfig, values: Vec<f32>) -> Result<Weights, WeightsError> {
        config.check()?;
        let slots = config.slots();
        let mut at = 0;
        for slot in &slots {
            let part = values.get(at..at + slot.len()).ok_or_else(|| WeightsError::Tensor {
                name: slot.name.clone(),
                why: format!("{} values for a network of {}", values.len(), config.parameters()),
            })?;
            check_finite(&slot.name, part)?;
            at += slot.len();
        }
        if at != values.len() {
            let why = format!("{} values for a network of {at}", values.len());
            return Err(WeightsError::Tensor { name: String::new(), why });
        }
        Ok(Weights { config: config.clone(), slots, values })
    }

    /// The network's shape.
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// Names and shapes, in the order of the values.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// All values, in the order of the slots.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// For the optimiser, which keeps them finite.
    pub(crate) fn slots_and_values_mut(&mut self) -> (&[Slot], &mut [f32]) {
        (&self.slots, &mut self.values)
    }

    /// Name, shape and values of every tensor, in the order of the slots.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[usize], &[f32])> {
        pieces(&self.slots, &self.values)
    }

    /// Shape and values of one tensor; none when the network has no such weight.
    pub fn get(&self, name: &str) -> Option<(&[usize], &[f32])> {
        self.iter().find(|(n, _, _)| *n == name).map(|(_, shape, values)| (shape, values))
    }

    /// The weights file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let config = serde_json::to_string(&self.config).expect("plain numbers and names");
        write(&self.slots, &[("", &self.values)], ("config", config))
    }

    /// Reads a weights file. Every size is checked against the bytes and the described network before memory is taken.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let (file, text) = open(bytes, "config", BYTES_MAX)?;
        let config: NetConfig = parse("config", &text)?;
        config.check()?;
        let slots = config.slots();
        if file.len() != slots.len() {
            return Err(surplus(&file, &slots, &[""]));
        }
        let values = read(&file, &slots, "")?;
        Ok(Weights { config, slots, values })
    }
}

/// Mean 0, variance 1, within ±6 (Irwin-Hall).
fn normal(rng: &mut ChaCha8Rng) -> f32 {
    let sum: u64 = (0..12).map(|_| u64::from(rng.next_u32())).sum();
    (sum as f64 / 4_294_967_296.0 - 6.0) as f32
}

/// Cuts values into the slots' pieces.
pub(crate) fn pieces<'a>(
    slots: &'a [Slot],
    values: &'a [f32],
) -> impl Iterator<Item = (&'a str, &'a [usize], &'a [f32])> {
    slots.iter().scan(values, |rest, slot| {
        let (piece, tail) = rest.split_at(slot.len());
        *rest = tail;
        Some((slot.name.as_str(), slot.shape.as_slice(), piece))
    })
}

/// Writes one or more sets of values for the same slots, each under its prefix, and one metadata entry.
///
/// One entry, because the container keeps metadata in a hash map whose order isn't stable.
pub(crate) fn write(slots: &[Slot], sets: &[(&str, &[f32])], metadata: (&str, String)) -> Vec<u8> {
    let parts: Vec<(String, &[usize], Vec<u8>)> = sets
        .iter()
        .flat_map(|(prefix, values)| {
            pieces(slots, values).map(move |(name, shape, piece)| {
                (format!("{prefix}{name}"), shape, piece.iter().flat_map(|v| v.to_le_bytes()).collect())
            })
        })
        .collect();
    let views = parts.iter().map(|(name, shape, data)| {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), data).expect("data has its shape's length");
        (name.as_str(), view)
    });
    let metadata = HashMap::from([(metadata.0.to_string(), metadata.1)]);
    safetensors::serialize(views, Some(metadata)).expect("a header in memory")
}

/// Opens a container and takes its one metadata entry out.
pub(crate) fn open<'a>(
    bytes: &'a [u8],
    key: &'static str,
    max: usize,
) -> Result<(SafeTensors<'a>, String), WeightsError> {
    if bytes.len() > max {
        return Err(WeightsError::TooLarge { bytes: bytes.len(), max });
    }
    let container = |e: safetensors::SafeTensorError| WeightsError::Container(e.to_string());
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(container)?;
    let file = SafeTensors::deserialize(bytes).map_err(container)?;
    let text = header.metadata().as_ref().and_then(|m| m.get(key)).cloned();
    let text = text.ok_or(WeightsError::Metadata { key, why: "missing".to_string() })?;
    Ok((file, text))
}

/// Reads a metadata entry's JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(key: &'static str, text: &str) -> Result<T, WeightsError> {
    serde_json::from_str(text).map_err(|e| WeightsError::Metadata { key, why: e.to_string() })
}

/// Reads the values of all slots under a prefix.
pub(crate) fn read(file: &SafeTensors<'_>, slots: &[Slot], prefix: &str) -> Result<Vec<f32>, WeightsError> {
    let mut views = Vec::with_capacity(slots.len());
    for slot in slots {
        let name = format!("{prefix}{}", slot.name);
        let wrong = |why: String| WeightsError::Tensor { name: name.clone(), why };
        let view = file.tensor(&name).map_err(|_| wrong("missing".to_string()))?;
        if view.dtype() != Dtype::F32 || view.shape() != slot.shape {
            let found = format!("{:?} {:?}", view.dtype(), view.shape());
            return Err(wrong(format!("found {found}, expected F32 {:?}", slot.shape)));
        }
        views.push((name, view));
    }
    // The container vouches that each view has the bytes its shape needs, so the sum is below the input's length.
    let mut values = Vec::with_capacity(slots.iter().map(Slot::len).sum());
    for (name, view) in &views {
        let start = values.len();
        values.extend(view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        check_finite(name, &values[start..])?;
    }
    Ok(values)
}

fn check_finite(name: &str, values: &[f32]) -> Result<(), WeightsError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(WeightsError::Tensor { name: name.to_string(), why: format!("holds {v}") }),
        None => Ok(()),
    }
}

/// Names a tensor that the network doesn't have, or one that is missing.
pub(crate) fn surplus(file: &SafeTensors<'_>, slots: &[Slot], prefixes: &[&str]) -> WeightsError {
    let expected: Vec<String> =
        prefixes.iter().flat_map(|p| slots.iter().map(move |s| format!("{p}{}", s.name))).collect();
    let mut found: Vec<&str> = file.names();
    found.sort_unstable();
    let unknown = found.iter().find(|n| !expected.iter().any(|e| e == *n)).map(|n| (n.to_string(), "unknown"));
    let missing = expected.iter().find(|e| !found.contains(&e.as_str())).map(|e| (e.clone(), "missing"));
    let (name, why) = unknown.or(missing).unwrap_or((String::new(), "given twice"));
    WeightsError::Tensor { name, why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> NetConfig {
        let mut config = NetConfig::preset("b2c8", 4, 2, 3).unwrap();
        (config.reply, config.short_term, config.board_heads) = (true, true, true);
        config
    }

    #[test]
    fn random_weights_depend_on_the_seed_alone() {
        let a = Weights::random(&config(), 7).unwrap();
        assert_eq!(a.to_bytes(), Weights::random(&config(), 7).unwrap().to_bytes());
        assert_ne!(a.to_bytes(), Weights::random(&config(), 8).unwrap().to_bytes());
        let (_, stem) = a.get("stem.conv.weight").unwrap();
        let mean_square = stem.iter().map(|v| v * v).sum::<f32>() / stem.len() as f32;
        assert!((mean_square - 2.0 / 36.0).abs() < 0.012, "{mean_square}");
        assert!(a.get("blocks.0.conv1.bias").unwrap().1.iter().all(|&v| v == 0.0));
        assert!(a.get("nothing").is_none());
    }

    #[test]
    fn bytes_round_trip() {
        let a = Weights::random(&config(), 1).unwrap();
        let b = Weights::from_bytes(&a.to_bytes()).unwrap();
        assert_eq!(a, b);
        assert_eq!(a.to_bytes(), b.to_bytes());
        assert_eq!(Weights::from_values(&config(), a.values().to_vec()).unwrap(), a);
        assert!(Weights::from_values(&config(), a.values()[1..].to_vec()).is_err());
        assert!(Weights::from_values(&config(), [a.values(), &[0.0]].concat()).is_err());
    }

    #[test]
    fn values_that_are_not_finite_are_named() {
        let mut a = Weights::random(&config(), 1).unwrap();
        *a.values.last_mut().unwrap() = f32::NAN;
        let text = Weights::from_bytes(&a.to_bytes()).unwrap_err().to_string();
        assert_eq!(text, "weights file, tensor `value.ownership.bias`: holds NaN");
    }

    #[test]
    fn another_networks_tensors_are_named() {
        let small = Weights::random(&NetConfig::preset("b1c8", 4, 2, 3).unwrap(), 1).unwrap();
        let json = serde_json::to_string(&config()).unwrap();
        let text = |slots: &[Slot], values: &[f32]| {
            Weights::from_bytes(&write(slots, &[("", values)], ("config", json.clone()))).unwrap_err().to_string()
        };
        assert!(text(small.slots(), small.values()).contains("missing"));
        let mut slots = config().slots();
        let values = Weights::random(&config(), 1).unwrap().values;
        slots[0].shape.swap(2, 1);
        assert!(text(&slots, &values).contains("found F32 [8, 3, 4, 3], expected F32 [8, 4, 3, 3]"));
        slots[0] = Slot { name: "odd".into(), ..config().slots()[0].clone() };
        assert!(text(&slots, &values).contains("missing"));
    }

    #[test]
    fn damaged_bytes_are_refused_or_equal_but_never_panic() {
        let good = Weights::random(&NetConfig::preset("b1c8", 1, 0, 0).unwrap(), 3).unwrap();
        let bytes = good.to_bytes();
        for cut in (0..bytes.len()).step_by(13) {
            assert!(Weights::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        for at in 0..header {
            for flip in [1u8, 0x10, 0x80] {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                // A flip may hit white space or swap equal-sized tensors' places; what is read is then still finite.
                if let Ok(read) = Weights::from_bytes(&bad) {
                    assert!(read.values().iter().all(|v| v.is_finite()));
                }
            }
        }
    }

    #[test]
    fn absurd_declared_sizes_are_refused_before_memory_is_taken() {
        let header = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
        let huge_config = r#"{"__metadata__":{"config":"{\"channels\":1024,\"blocks\":64,\"pool_blocks\":[],
            \"pool_channels\":1024,\"policy_channels\":1024,\"value_channels\":1024,\"value_hidden\":1024,\"planes\":1,
            \"globals\":0,\"extras\":0,\"reply\":false,\"soft\":false,\"short_term\":false,\"board_heads\":false}"}}"#;
        for text in [
            r#"{"a":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}}"#,
            r#"{"a":{"dtype":"F32","shape":[18446744073709551615,2],"data_offsets":[0,8]}}"#,
            r#"{"__metadata__":{"config":"{}"}}"#,
            r#"{"__metadata__":{"config":"null"}}"#,
            &huge_config.replace('\n', ""),
            "{}",
        ] {
            assert!(Weights::from_bytes(&header(text)).is_err(), "{text}");
        }
        assert!(Weights::from_bytes(&u64::MAX.to_le_bytes()).is_err());
        let (max, bytes) = (10, [0u8; 11]);
        assert!(matches!(open(&bytes, "config", max), Err(WeightsError::TooLarge { .. })));
    }
}
