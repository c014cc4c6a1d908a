//! Opening protocols: turns any placement game into a game between seats.
//!
//! [`Seated`] is written once for every [`Placement`](tengen_game::Placement) and every protocol. A protocol is one file
//! in `protocols` with two small functions (what comes next and who decides; what a decision does) and one row in
//! `protocols/mod.rs`; nobody else asks for a protocol's name. Deliberately not here: win rules, forbidden moves and
//! captures (the placement's), clocks and claims (`play`), balanced random starts (`play`), values of openings
//! (`fairness`).

mod book;
mod canonical;
mod course;
mod door;
mod opening;
mod protocols;
mod seated;
mod setup;
mod shape;
mod stage;
mod words;

pub use canonical::{CanonicalOpening, opening_of};
pub use door::Refused;
pub use opening::{Opening, OpeningInfo};
pub use seated::Seated;
pub use setup::SeatedSetup;
pub use shape::{ShapeSymmetries, fifth_moves};
pub use stage::{StageInfo, StageKind};
pub use words::SwapDecision;
