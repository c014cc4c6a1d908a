//! How even is each opening, under each protocol.
//!
//! Four steps, one file each: [`census`] says which positions are asked about, [`searches`] values them in large batches,
//! [`walk`] finds what both seats do under a protocol and where that ends, [`playoff`] plays those ends out between equal
//! agents. [`run`] puts them together, opening by opening, so that a study that is cut short keeps what is finished;
//! [`report`] and [`svg`] write it down. [`samples`] keeps the values that choose apart from those that are reported.
//!
//! Values of positions are in [-1, 1] for Black inside, and scores in [0, 1] (a draw is half a point, even is 0.5) in
//! everything that is written. Deliberately not here: networks (a model is a name behind an `EvaluatorSource`), time (the
//! [`Watch`] says when it's up), names of protocols, statistics over several networks or strengths.

pub mod census;
pub mod config;
pub mod playoff;
pub mod position;
pub mod report;
pub mod run;
pub mod samples;
pub mod searches;
pub mod study;
pub mod svg;
pub mod walk;

mod boards;

pub use config::{FairnessConfig, PAIRS_MIN};
pub use report::{boards_csv, columns_text, curves_csv, openings_csv, repro_line, table_text};
pub use run::{Question, measure};
pub use study::{Board, BoardValue, CurvePoint, Judge, PlayoffRow, Report, Row, Stone, Verdict};
pub use svg::board_svg;

use tengen_play::PlayError;
use tengen_search::EvalError;

/// The two long parts of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Positions are searched, opening by opening.
    Searches,
    /// Games are played.
    Playoffs,
}

/// Sees a study from outside: shows progress, keeps what is finished, says when time is up. `()` does nothing.
pub trait Watch {
    /// A part begins, with so many openings or games to come.
    fn begin(&mut self, phase: Phase, total: u64) {
        let _ = (phase, total);
    }

    /// More positions were searched.
    fn searched(&mut self, positions: u64) {
        let _ = positions;
    }

    /// So many openings are finished, this one the last.
    fn opening(&mut self, done: u64, label: &str) {
        let _ = (done, label);
    }

    /// So many games are finished.
    fn played(&mut self, games: u64) {
        let _ = games;
    }

    /// Something was finished: the report so far. An error ends the study and is passed on.
    fn save(&mut self, report: &Report) -> Result<(), String> {
        let _ = report;
        Ok(())
    }

    /// Asked now and then; true ends the part that `begin` named last.
    fn expired(&mut self) -> bool {
        false
    }
}

impl Watch for () {}

/// Why a study failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FairnessError {
    /// A setting is out of range, or protocol, opening and rules don't fit; the text names what.
    #[error("{0}")]
    Config(String),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] EvalError),
    /// A game couldn't be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A position can't be set up in plain play.
    #[error("a position of the census can't be set up in plain play")]
    Unplayable,
    /// Positions that a line needs have no value. A fault of this program.
    #[error("{0} positions of {1} have no value")]
    Missing(usize, String),
    /// `Watch::save` failed.
    #[error("the report couldn't be kept: {0}")]
    Watch(String),
    /// `Watch::expired` said so. Doesn't leave [`measure`].
    #[error("out of time")]
    Expired,
}
