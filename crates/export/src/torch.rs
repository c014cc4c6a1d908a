//! Safetensors as PyTorch users expect it: the same tensor names, linear layers as `[out, in]`, the network's shape as
//! JSON under the metadata key `config`. The project's own weights file differs only in that linear layers are
//! `[in, out]`, as Burn has them. Not here: a PyTorch module; the names are the field paths one would give it.

use std::collections::{BTreeMap, HashMap};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use tengen_net::{NetConfig, Weights};

/// Rows and columns exchanged.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(values.len());
    for c in 0..columns {
        out.extend((0..rows).map(|r| values[r * columns + c]));
    }
    out
}

/// The file.
pub(crate) fn write(weights: &Weights, about: &[(&'static str, String)]) -> Result<Vec<u8>, String> {
    let mut data: BTreeMap<&str, (Vec<usize>, Vec<u8>)> = BTreeMap::new();
    for (name, shape, values) in weights.iter() {
        let (shape, values) = match *shape {
            [input, output] => (vec![output, input], transposed(values, input, output)),
            _ => (shape.to_vec(), values.to_vec()),
        };
        data.insert(name, (shape, values.iter().flat_map(|v| v.to_le_bytes()).collect()));
    }
    let mut views = Vec::with_capacity(data.len());
    for (name, (shape, bytes)) in &data {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).map_err(|e| format!("tensor {name}: {e}"))?;
        views.push((*name, view));
    }
    // One key only: the container writes metadata in the order of a hash map, and equal models must give equal bytes.
    let about: BTreeMap<&str, &String> = about.iter().map(|(k, v)| (*k, v)).collect();
    let config = serde_json::to_value(weights.config()).map_err(|e| e.to_string())?;
    let config = serde_json::json!({ "about": about, "network": config }).to_string();
    safetensors::serialize(views, Some(HashMap::from([("config".to_string(), config)]))).map_err(|e| e.to_string())
}

/// Reads such a file back.
pub(crate) fn read(bytes: &[u8]) -> Result<Weights, String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get("config")).ok_or("no metadata `config`")?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let config: NetConfig = serde_json::from_value(value["network"].clone()).map_err(|e| e.to_string())?;
    config.check().map_err(|e| e.to_string())?;
    let file = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
    let mut values = Vec::with_capacity(config.parameters());
    for slot in config.slots() {
        let tensor = file.tensor(&slot.name).map_err(|e| format!("tensor {}: {e}", slot.name))?;
        let flat: Vec<f32> = tensor.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        if flat.len() != slot.len() {
            return Err(format!("tensor {}: {} values, expected {}", slot.name, flat.len(), slot.len()));
        }
        match *slot.shape.as_slice() {
            [input, output] => values.extend(transposed(&flat, output, input)),
            _ => values.extend(flat),
        }
    }
    Weights::from_values(&config, values).map_err(|e| e.to_string())
}
