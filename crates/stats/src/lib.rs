//! Pure numbers for matches: Elo, pentanomial SPRT, intervals, bootstrap, rating tables.
//!
//! Everything is a function of its arguments: no games, no files, no clock, no hidden randomness, no dependencies. Ends
//! of an interval that data can't bound are infinite and print as `open`; nothing here returns NaN for counts that can
//! occur (0 games, all draws, all wins).

pub mod bootstrap;
pub mod elo;
pub mod interval;
pub mod ladder;
pub mod normal;
pub mod pairs;
pub mod rng;
pub mod sprt;
pub mod stopped;

pub use bootstrap::{bootstrap, bootstrap_mean};
pub use elo::{EloEstimate, elo_of_score, score_of_elo};
pub use interval::{Interval, clopper_pearson, wilson};
pub use ladder::{Ladder, LadderFit, Meeting, Rating};
pub use pairs::PairCounts;
pub use rng::SplitMix;
pub use sprt::{Decision, Scale, Sprt};
pub use stopped::stopped_elo;
