//! One game between agents, pairs of games, starts, limits, resignation, records.
