//! What was exported and how closely it agrees; lies beside the exported file as JSON.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Format;

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportReport {
    /// Id of the model.
    pub model: String,
    /// Blake3 of its weights file, in hex.
    pub weights_blake3: String,
    /// What was written.
    pub format: Format,
    /// Length of the file.
    pub bytes: u64,
    /// Blake3 of the file, in hex.
    pub blake3: String,
    /// Positions that were compared.
    pub positions: usize,
    /// Largest difference of each output to the model's own, as (name, difference).
    pub differences: Vec<(String, f32)>,
    /// The program that wrote it.
    pub program: String,
}

impl ExportReport {
    /// The largest difference of any output.
    pub fn largest(&self) -> f32 {
        self.differences.iter().map(|d| d.1).fold(0.0, f32::max)
    }

    /// For people.
    pub fn text(&self) -> String {
        let each: Vec<String> = self.differences.iter().map(|(name, d)| format!("{name} {d:.1e}")).collect();
        format!(
            "{}: {} bytes of {}; read again and compared on {} positions: largest difference {:.1e} ({})",
            self.model,
            self.bytes,
            self.format.name(),
            self.positions,
            self.largest(),
            each.join(", ")
        )
    }
}

/// Where the report of an exported file lies: its name with `.json` added.
pub fn report_path(exported: &Path) -> PathBuf {
    let mut name = exported.file_name().unwrap_or_default().to_os_string();
    name.push(".json");
    exported.with_file_name(name)
}
