//! The Burn network, its losses and weights, and the evaluators that run it.

pub mod raw;

pub use raw::{RawBatch, RawEvaluator, RawOutput};
