//! The Burn network, its losses and weights, and the evaluators that run it.
//!
//! `config` says which weights a network has, `weights` carries them as plain numbers, `model` runs them in Burn, `raw`
//! is the interface to whoever encodes positions, `evaluator` and `fused` are its two runners, `joined` makes either of
//! them what search asks for (with `cache`), `shared` puts one behind a thread that others share, `learner` trains.
//! Deliberately not here: files, schedules, games.

// The made-up batches of `tests/support` serve unit tests too and name the crate as outsiders do.
#[cfg(test)]
extern crate self as tengen_net;

mod adamw;
pub mod cache;
pub mod config;
pub mod evaluator;
pub mod fused;
mod gradient;
pub mod joined;
pub mod learner;
pub mod loss;
pub mod model;
pub mod raw;
pub mod shared;
pub mod targets;
pub mod weights;

pub use cache::EvalCache;
pub use config::{ConfigError, NetConfig};
pub use evaluator::{BurnNet, device, device_names};
pub use joined::NetEvaluator;
pub use learner::{Gradients, LearnError, Learner, LearnerConfig, StepReport};
pub use loss::{LossParts, LossWeights};
pub use model::{Input, Net, Output};
pub use raw::{RawBatch, RawEvaluator, RawOutput};
pub use shared::{Exchange, share};
pub use targets::{Batch, Targets};
pub use weights::{Weights, WeightsError};
