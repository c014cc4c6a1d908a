//! Go rules core: board, capture, ko and superko, area scoring, pass-alive groups, named rule sets, handicap points.
//!
//! [`GoBoard`] is a `Placement`: it plays under any [`GoRules`] on any rectangle up to 25x25. Boards that are one
//! point wide work too (counting needs them), but rules read from text start at 2x2. Deliberately not here: territory
//! scoring and its end phases, agreement on dead stones (a matter of conduct), opening protocols, notations.

mod benson;
mod board;
mod chains;
mod geometry;
mod handicap;
mod history;
mod placement;
mod position;
mod rules;
mod rulesets;
mod score;

pub use board::{GoBoard, Illegal};
pub use handicap::{czech_handicap, fixed_handicap, star_points};
pub use position::PositionError;
pub use rules::{GoRules, Ko, Scoring, Suicide, Tax, Tie};
pub use rulesets::{Bonus, LATER, RULESETS, Ruleset};
pub use score::Score;
