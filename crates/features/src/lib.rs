//! Positions to planes and globals; actions to policy indices; labels from finished games.
