//! Tests of search on tiny games that are written here: rows on small boards, Nim, and corridors of known value.
//! No real rules, protocols or networks.

mod bandits;
mod corridor;
mod driving;
mod line;
mod nim;
mod offers;
mod proofs;
mod puct;
mod seats;
mod stub;
mod tuning;
