//! Text protocols for other programs. A protocol talks to a [`Session`], which whoever wires the binary implements; so
//! this crate knows lines, commands and clocks, but no networks and no concrete game.
//!
//! Here now: GTP version 2 for Go, with reports of running searches. Deliberately not here: Gomocup and JSON analysis.

pub mod clock;
pub mod gtp;
pub mod session;

pub use clock::{Clock, TimeSettings};
pub use session::{Candidate, Move, Next, PlayError, Session, Status, Watcher};
