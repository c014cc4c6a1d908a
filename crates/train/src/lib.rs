//! Shards to batches to steps to checkpoints.
