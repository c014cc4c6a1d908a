//! Writes, reads again, compares, and only then gives the file its name.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use burn::tensor::{Device, Tensor};
use ndarray::IxDyn;
use tengen_data::store::sync_dir;
use tengen_data::{ModelCard, StoreError, read_capped};
use tengen_net::loss::MARGIN_UNIT;
use tengen_net::{Input, Net, RawBatch, Weights};

use crate::config::{ExportConfig, Format};
use crate::onnx::{self, Value, about_of};
use crate::report::{ExportReport, report_path};
use crate::torch;

/// Why a model wasn't exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A setting is out of range.
    #[error("export settings: {0}")]
    Config(String),
    /// No positions, or such that don't fit the network.
    #[error("positions to compare on: {0}")]
    Positions(String),
    /// The file can't be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was written can't be read back.
    #[error("{}: what was written can't be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// What was written says something else than the model.
    #[error("{}: output `{output}` differs by {difference:e}; at most {allowed:e} is allowed", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// Which output.
        output: String,
        /// By how much.
        difference: f32,
        /// The limit.
        allowed: f32,
    },
    /// The model can't be run.
    #[error("the model's own outputs: {0}")]
    Model(String),
}

/// Outputs by name, in the shapes that `onnx` documents.
type Outputs = BTreeMap<String, Value>;
/// What was written, as something that runs.
type Runner = Box<dyn Fn(&RawBatch) -> Result<Outputs, String>>;

/// Writes `weights` to `path`, compared on `batches`. On an error `path` is as it was before.
pub fn export(
    weights: &Weights,
    card: &ModelCard,
    batches: &[RawBatch],
    path: &Path,
    config: &ExportConfig,
) -> Result<ExportReport, ExportError> {
    config.check().map_err(ExportError::Config)?;
    let shape = weights.config();
    for batch in batches {
        batch.check(shape.planes, shape.globals).map_err(ExportError::Positions)?;
    }
    let positions = batches.iter().map(|b| b.n).sum();
    if positions == 0 {
        return Err(ExportError::Positions("none were given".to_string()));
    }
    let about = about_of(card);
    let bytes = match config.format {
        Format::Onnx => onnx::write(weights, &about),
        Format::Safetensors => torch::write(weights, &about).map_err(ExportError::Model)?,
    };
    let temp = path.with_file_name(format!(
        ".{}.{}.tmp",
        path.file_name().unwrap_or_default().to_string_lossy(),
        std::process::id()
    ));
    let checked = put(&temp, &bytes).and_then(|()| check(weights, batches, &temp, path, config));
    let renamed = checked.and_then(|differences| {
        fs::rename(&temp, path).map_err(StoreError::at("rename", &temp))?;
        Ok(differences)
    });
    let differences = renamed.inspect_err(|_| {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&temp);
    })?;
    let report = ExportReport {
        model: card.id.clone(),
        weights_blake3: card.weights_blake3.clone(),
        format: config.format,
        bytes: bytes.len() as u64,
        blake3: blake3::hash(&bytes).to_hex().to_string(),
        positions,
        differences,
        program: format!("tengen {}", env!("CARGO_PKG_VERSION")),
    };
    let mut text = serde_json::to_vec_pretty(&report).map_err(|e| ExportError::Model(e.to_string()))?;
    text.push(b'\n');
    tengen_data::write_atomic(&report_path(path), &text)?;
    Ok(report)
}

fn put(temp: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let write = || {
        let mut file = fs::File::create(temp)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(StoreError::at("write", temp))?;
    let dir = temp.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(sync_dir(dir)?)
}

/// The largest difference of every output.
fn check(
    weights: &Weights,
    batches: &[RawBatch],
    temp: &Path,
    path: &Path,
    config: &ExportConfig,
) -> Result<Vec<(String, f32)>, ExportError> {
    let unreadable = |why: String| ExportError::Unreadable { path: path.to_path_buf(), why };
    let bytes = read_capped(temp, tengen_data::card::WEIGHTS_BYTES_MAX)?;
    let other: Runner = match config.format {
        Format::Onnx => {
            let graph = onnx::Graph::read(&bytes).map_err(unreadable)?;
            Box::new(move |batch| graph.run(inputs(batch)?))
        }
        Format::Safetensors => {
            let read = torch::read(&bytes).map_err(unreadable)?;
            Box::new(move |batch| own(&read, batch))
        }
    };
    let mut differences: Vec<(String, f32)> = Vec::new();
    for batch in batches {
        let expected = own(weights, batch).map_err(ExportError::Model)?;
        let found = other(batch).map_err(unreadable)?;
        for (name, expected) in expected {
            let found = found.get(&name).ok_or_else(|| unreadable(format!("no output {name}")))?;
            let difference = difference(&expected, found).map_err(unreadable)?;
            if difference.is_nan() || difference > config.tolerance {
                let (path, allowed) = (path.to_path_buf(), config.tolerance);
                return Err(ExportError::Differs { path, output: name, difference, allowed });
            }
            match differences.iter_mut().find(|d| d.0 == name) {
                Some(known) => known.1 = known.1.max(difference),
                None => differences.push((name, difference)),
            }
        }
    }
    Ok(differences)
}

/// Largest difference, in proportion for numbers above 1.
fn difference(a: &Value, b: &Value) -> Result<f32, String> {
    if a.shape() != b.shape() {
        return Err(format!("an output of {:?}, expected {:?}", b.shape(), a.shape()));
    }
    let each = a.iter().zip(b).map(|(a, b)| (a - b).abs() / a.abs().max(1.0));
    Ok(each.fold(0.0, |most, d| if d.is_nan() || d > most { d } else { most }))
}

fn array(shape: &[usize], values: Vec<f32>) -> Result<Value, String> {
    Value::from_shape_vec(IxDyn(shape), values).map_err(|e| e.to_string())
}

fn inputs(batch: &RawBatch) -> Result<BTreeMap<String, Value>, String> {
    let (n, h, w) = (batch.n, batch.height, batch.width);
    let planes = batch.planes.len() / (n * h * w);
    let mut inputs = BTreeMap::from([
        ("planes".to_string(), array(&[n, planes, h, w], batch.planes.clone())?),
        ("mask".to_string(), array(&[n, 1, h, w], batch.mask.clone())?),
    ]);
    if !batch.globals.is_empty() {
        inputs.insert("globals".to_string(), array(&[n, batch.globals.len() / n], batch.globals.clone())?);
    }
    Ok(inputs)
}

/// The model's own outputs, by Burn on the CPU.
fn own(weights: &Weights, batch: &RawBatch) -> Result<Outputs, String> {
    let device = Device::flex();
    let config = weights.config();
    let (n, h, w) = (batch.n, batch.height, batch.width);
    let out = Net::new(weights, &device).forward(Input::from_raw(batch, config, &device));
    let mut outputs = Outputs::new();
    let mut put = |name: &str, shape: &[usize], values: Vec<f32>| -> Result<(), String> {
        outputs.insert(name.to_string(), array(shape, values)?);
        Ok(())
    };
    put("policy", &[n, h, w], read(out.policy.narrow(1, 0, 1))?)?;
    if let Some(extra) = out.extra {
        put("extra", &[n, config.extras], read(extra.narrow(1, 0, 1))?)?;
    }
    put("wdl", &[n, 3], read(out.wdl)?)?;
    if let Some(short) = out.short {
        put("short", &[n, 3], read(short)?)?;
    }
    if let Some(margin) = out.margin {
        put("margin", &[n], read(margin.narrow(1, 0, 1).mul_scalar(MARGIN_UNIT))?)?;
    }
    if let Some(ownership) = out.ownership {
        put("ownership", &[n, h, w], read(ownership.tanh())?)?;
    }
    Ok(outputs)
}

fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, String> {
    let data = tensor.try_into_data().map_err(|e| format!("{e:?}"))?;
    data.try_into_vec::<f32>().map_err(|e| format!("{e:?}"))
}
