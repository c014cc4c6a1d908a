//! Positions to network inputs, actions to policy outputs, finished games to labels. The one place that knows both a
//! game's stones and a network's shape; self-play, training, engines and exports all call this same code, so training
//! and inference can't drift apart.
//!
//! Planes are binary (0 or 1), so that training rows pack into bits; everything graded goes into globals. Deliberately
//! not here: batches, tensors, losses (`net`), and reading records (`train`).

pub mod encode;
pub mod five;
pub mod go;
pub mod katago;
pub mod labels;
pub mod policy;
pub mod spec;

pub use encode::{BoardFeatures, Encode, Frame, means};
pub use labels::{Label, LabelConfig, Ply};
pub use policy::PolicyLayout;
pub use spec::{FeatureError, FeatureSpec};
