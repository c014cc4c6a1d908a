//! Text protocols for other programs: GTP sessions and clocks.
