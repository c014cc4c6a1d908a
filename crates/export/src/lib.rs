//! Models for other runtimes: ONNX (`onnx`) and safetensors as PyTorch expects it (`torch`).
//!
//! A file is written beside its final name, read again, and its outputs are compared with the model's own on real
//! positions; only then it gets its name, with a report beside it. So an exported file is either right or absent. Not
//! here: which positions (the caller encodes them), and formats that need inputs this project's networks don't have.

pub mod config;
pub mod onnx;
pub mod report;
pub mod run;
mod torch;

pub use config::{ExportConfig, Format};
pub use report::{ExportReport, report_path};
pub use run::{ExportError, export};
