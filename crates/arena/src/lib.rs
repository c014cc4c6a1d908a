//! Paired matches, the gate, the rating ladder.
