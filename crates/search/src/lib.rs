//! Tree search over any [`tengen_game::Game`]. It asks an [`Evaluator`] about leaves and nothing else.
//!
//! Deliberately not here: stones, opening protocols, networks, clocks, records. One tree belongs to one game and one
//! thread; batching happens across games (each contributes one leaf), so there are no locks and no virtual loss.

pub mod evaluator;

pub use evaluator::{EvalError, Evaluation, Evaluator, EvaluatorSource, Query, Uniform, Wdl};
