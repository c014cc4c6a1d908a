//! Speed of the five-in-a-row rules core: legality of single moves, full forbidden maps, playouts. Not here: tree search
//! and networks.
fn main() {}
