//! The one place that names concrete games. Everything else is generic over [`tengen_features::Encode`] and reached
//! through [`with_game!`]; a new game is a row here.

use serde::{Deserialize, Serialize};
use tengen_game::{SetupError, SetupText};
use tengen_opening::Seated;

use crate::settling::{Ending, Settling};

/// Five in a row and relatives under any opening protocol.
pub type Five = Seated<tengen_renju::FiveBoard>;
/// Go under any opening protocol.
pub type Go = Seated<tengen_go::GoBoard>;

/// The families of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Five in a row and relatives.
    Five,
    /// Go.
    Go,
}

impl Kind {
    /// The family that a setup text names in `game=…`.
    pub fn of_setup(setup: &str) -> Result<Kind, SetupError> {
        let mut text = SetupText::parse(setup)?;
        match text.take("game").as_deref() {
            Some("five") => Ok(Kind::Five),
            Some("go") => Ok(Kind::Go),
            Some(other) => Err(SetupError::new("game", format!("`{other}` is unknown; expected five or go"))),
            None => Err(SetupError::new("game", "missing; expected game=five or game=go")),
        }
    }

    /// Letters that name points of this family.
    pub fn letters(self) -> tengen_game::notation::Letters {
        match self {
            Kind::Five => tengen_game::notation::Letters::WithI,
            Kind::Go => tengen_game::notation::Letters::WithoutI,
        }
    }
}

/// Runs a generic expression with the game type of a [`Kind`]: `with_game!(kind, G => run::<G>(config))`.
#[macro_export]
macro_rules! with_game {
    ($kind:expr, $game:ident => $body:expr) => {
        match $kind {
            $crate::catalog::Kind::Five => {
                type $game = $crate::catalog::Five;
                $body
            }
            $crate::catalog::Kind::Go => {
                type $game = $crate::catalog::Go;
                $body
            }
        }
    };
}

/// Whether a setup text is one that a game accepts.
pub fn check_setup(setup: &str) -> Result<(), SetupError> {
    use tengen_game::Game;
    with_game!(Kind::of_setup(setup)?, G => setup.parse::<<G as Game>::Setup>().map(|_| ()))
}

/// Whether there is a feature set of that name (empty for the default) for setups that a game accepts.
pub fn check_features(setups: &[String], set: &str) -> Result<(), String> {
    use tengen_features::Encode;
    use tengen_game::Game;
    let Some(first) = setups.first() else { return Ok(()) };
    with_game!(Kind::of_setup(first).map_err(|e| e.to_string())?, G => {
        let setups: Result<Vec<<G as Game>::Setup>, _> = setups.iter().map(|s| s.parse()).collect();
        let setups = setups.map_err(|e| format!("{e}"))?;
        <G as Encode>::spec(&setups, set).map(|_| ()).map_err(|e| e.to_string())
    })
}

/// What the binary asks of a game beyond playing it: stones for records and terminals.
pub trait Table: tengen_features::Encode {
    /// The family.
    const KIND: Kind;
    /// Stones and passes so far.
    fn board_moves(&self) -> usize;
    /// The last stone or pass with its colour.
    fn last_move(&self) -> Option<(tengen_game::Colour, tengen_game::Action)>;
    /// The stone on a point.
    fn stone(&self, p: tengen_game::Point) -> Option<tengen_game::Colour>;
    /// Colour that a seat holds now.
    fn colour_of(&self, seat: tengen_game::Seat) -> tengen_game::Colour;
    /// What the seat to act is asked, in words.
    fn describe(&self) -> String;
    /// Protocol decisions so far, in words.
    fn history(&self) -> Vec<String>;
    /// Name of the rules.
    fn rules_name(&self) -> String;
    /// Number and name of the canonical opening that the first stones form, where they form one.
    fn opening_name(&self) -> Option<String>;
    /// Komi, where the game has one.
    fn komi(&self) -> Option<f32>;
    /// Points forbidden to the colour to place, for a person to see.
    fn forbidden(&self) -> tengen_game::PointSet;
    /// The end to be settled with `person`, where play has stopped and the rules leave the rest to the players. `again`:
    /// play had been resumed before.
    fn settling(&self, person: tengen_game::Seat, again: bool) -> Option<Settling>;
    /// Resumes play because `claimant` disputes the end that `settling` would settle; else nothing happens.
    fn play_on(&mut self, claimant: tengen_game::Seat);
}

macro_rules! table {
    ($board:ty, $kind:expr, |$b:ident| $rules:expr, |$k:ident| $komi:expr, |$f:ident| $forbidden:expr) => {
        impl Table for Seated<$board> {
            const KIND: Kind = $kind;
            fn board_moves(&self) -> usize {
                tengen_game::Placement::moves(self.board())
            }
            fn last_move(&self) -> Option<(tengen_game::Colour, tengen_game::Action)> {
                tengen_game::Placement::move_back(self.board(), 0)
            }
            fn stone(&self, p: tengen_game::Point) -> Option<tengen_game::Colour> {
                tengen_game::Placement::stone(self.board(), p)
            }
            fn colour_of(&self, seat: tengen_game::Seat) -> tengen_game::Colour {
                Seated::colour_of(self, seat)
            }
            fn describe(&self) -> String {
                self.describe_stage()
            }
            fn history(&self) -> Vec<String> {
                self.protocol_history()
            }
            fn opening_name(&self) -> Option<String> {
                let found = self.canonical_opening().filter(|_| Self::KIND == Kind::Five);
                found.map(|o| format!("{} {}", o.code(), o.name))
            }
            fn rules_name(&self) -> String {
                let $b = tengen_game::Placement::rules(self.board());
                $rules
            }
            fn komi(&self) -> Option<f32> {
                let $k = tengen_game::Placement::rules(self.board());
                $komi
            }
            fn forbidden(&self) -> tengen_game::PointSet {
                let $f = self.board();
                $forbidden
            }
            fn settling(&self, person: tengen_game::Seat, again: bool) -> Option<Settling> {
                let plain = self.stage().kind == tengen_opening::StageKind::Play;
                self.board().settling(self.colour_of(person), again).filter(|_| plain)
            }
            fn play_on(&mut self, claimant: tengen_game::Seat) {
                if let Some(board) = self.board().resumed(self.colour_of(claimant)) {
                    self.go_on_from(board);
                }
            }
        }
    };
}

table!(tengen_renju::FiveBoard, Kind::Five, |r| r.win.name().to_string(), |_r| None, |b| b.forbidden());
table!(
    tengen_go::GoBoard,
    Kind::Go,
    |r| r.ruleset().map_or("custom", |s| s.name).to_string(),
    |r| Some(r.komi),
    |_b| tengen_game::PointSet::EMPTY
);
