//! The Burn network, its losses and weights, and the evaluators that run it.
