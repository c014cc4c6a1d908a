//! How fast the network evaluates and learns on this machine's CPU. Not here: the search around it.

fn main() {}
