//! The contract everything else is written against.
//!
//! Two levels. [`Placement`] is what a rules author writes: stones, colours, captures, five in a row. [`Game`] is what
//! search, self-play, arena and engines see: *seats* that act, and one-integer *actions*. Under swap rules the same
//! person may decide twice in a row and colours change hands, so nothing above the rules may think in colours or flip a
//! sign "every ply"; values belong to the seat to act.
//!
//! Deliberately not here: any concrete rule, any opening protocol, any network input. Those live in the crates that
//! depend on this one. The crate has no dependencies but its error derive, so that rules build and test in seconds.

pub mod action;
pub mod board;
pub mod conduct;
pub mod game;
pub mod notation;
pub mod outcome;
pub mod placement;
pub mod seat;
pub mod setup;
pub mod symmetry;
pub mod testkit;
pub mod zobrist;

pub use action::Action;
pub use board::{MAX_POINTS, MAX_SIDE, Point, PointSet, Size};
pub use conduct::{Conduct, EndProtocol, IllegalMove};
pub use game::{Game, Offer, Proof};
pub use outcome::{BoardResult, Outcome};
pub use placement::{Facts, Family, Placement};
pub use seat::{Colour, Seat};
pub use setup::{SetupError, SetupText};
pub use symmetry::Symmetry;
