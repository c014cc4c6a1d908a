//! ONNX files: the messages (`proto`), the network as a graph (`graph`), and a plain reader that runs such a graph
//! (`interpret`), so that what was written is checked by reading it, not by trusting the writer.
//!
//! Inputs: `planes` `[n, planes, h, w]`, `globals` `[n, globals]` (where the network has globals), `mask` `[n, 1, h, w]`
//! (1 on the board, 0 outside; all ones unless boards of several sizes share a batch). Outputs, all for the seat to
//! act: `policy` `[n, h, w]` and `extra` `[n, extras]` (logits that share one softmax), `wdl` `[n, 3]` (logits of win,
//! draw, loss), and where the network has them `short` `[n, 3]` (the same a few plies ahead), `margin` `[n]` (points)
//! and `ownership` `[n, h, w]` (in [-1, 1]). n, h and w are free. Heads that only training uses are left out.

mod graph;
mod interpret;
mod proto;

pub use graph::{about_of, write};
pub use interpret::{Graph, Value};

/// The operator set that files declare.
pub const OPSET: i64 = 18;
/// The version of the file format: the one that came with `OPSET`.
pub const IR_VERSION: i64 = 8;
