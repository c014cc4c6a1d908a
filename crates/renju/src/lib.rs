//! Five-in-a-row rules core: freestyle, standard, renju, caro, omok; exact forbidden points.
//!
//! [`FiveBoard`] is the position (a [`tengen_game::Placement`]), [`FiveRules`] what it is played under. Stones are bits
//! of line words, so that a move is a few toggles, one point is judged from four views, and a whole map is a handful of
//! vector operations per line. Nothing is cached between questions, so make and unmake stay cheap.
//!
//! What a position answers is held against a slow reference in the tests: some 10,000 positions by default, several 100,000
//! by `cargo test --release -p tengen-renju -- --ignored`; `tests/fuzz.rs` says how to fuzz make and unmake for longer.
//!
//! Deliberately not here: opening protocols and swaps, claims and other conduct, network inputs.

mod board;
mod forbidden;
mod lines;
mod literal;
mod omok;
mod queries;
mod rows;
mod rules;
mod shape;
mod threats;
mod vcf;

pub use board::FiveBoard;
pub use forbidden::Kinds;
pub use rows::Row;
pub use rules::{
    FiveRules, KEYS, LENGTH_DEFAULT, LENGTH_MAX, LENGTH_MIN, RENJU_SIDE_MIN, RULES, SIDE_MAX, SIDE_MIN, Threes, Win,
};
pub use vcf::Vcf;
