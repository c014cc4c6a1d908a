//! What to export, and how closely it must agree. Not here: the model and the positions.

use serde::{Deserialize, Serialize};

/// A format of another runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// ONNX, operator set 18, batch and board size dynamic.
    Onnx,
    /// Safetensors with PyTorch's shapes: linear layers `[out, in]`.
    Safetensors,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 2] = [Format::Onnx, Format::Safetensors];

    /// Name on the command line and usual file extension.
    pub fn name(self) -> &'static str {
        match self {
            Format::Onnx => "onnx",
            Format::Safetensors => "safetensors",
        }
    }
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let known = || Format::ALL.map(Format::name).join(", ");
        Format::ALL
            .into_iter()
            .find(|f| f.name() == text)
            .ok_or_else(|| format!("no format `{text}`; known: {}", known()))
    }
}

/// How to export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportConfig {
    /// The format.
    pub format: Format,
    /// Largest difference of any output that passes, for outputs up to 1 in size; in proportion for larger ones.
    pub tolerance: f32,
}

impl Default for ExportConfig {
    fn default() -> ExportConfig {
        ExportConfig { format: Format::Onnx, tolerance: 1e-4 }
    }
}

impl ExportConfig {
    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        if !(1e-9..=1.0).contains(&self.tolerance) {
            return Err(format!("tolerance is {}; allowed are 1e-9 to 1", self.tolerance));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        let why = "ONNX".parse::<Format>().unwrap_err();
        assert!(why.contains("onnx, safetensors"), "{why}");
        assert!(ExportConfig { tolerance: f32::NAN, ..ExportConfig::default() }.check().is_err());
    }
}
