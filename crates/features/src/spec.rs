//! What a network's inputs and outputs look like, as fixed in its model card. Not here: how planes are filled.

use tengen_game::Action;

use crate::encode::OPEN_RULES;

/// The shape of one feature set for given setups. Two models with equal specs accept the same positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureSpec {
    /// Name and version, for example `five-stones-1`.
    pub set: String,
    /// Binary planes per position.
    pub planes: usize,
    /// Numbers per position.
    pub globals: usize,
    /// Whether protocol inputs (stage, offers) are part of planes and globals.
    pub protocol: bool,
    /// Whether the rules that the rejection system leaves open are part of the globals, last.
    pub open_rules: bool,
    /// Actions that aren't points, in the order of the network's extra policy outputs.
    pub extras: Vec<Action>,
    /// Whether ownership and margin heads have labels (Go).
    pub board_heads: bool,
}

impl FeatureSpec {
    /// The same as a network of so many globals takes it: those made before the open rules were shown do without.
    pub fn with_globals(mut self, globals: usize) -> FeatureSpec {
        if self.open_rules && self.globals == globals + OPEN_RULES {
            (self.open_rules, self.globals) = (false, globals);
        }
        self
    }
}

/// Why features can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    /// No such feature set for the game.
    #[error("feature set `{set}` is unknown; this game has {known}")]
    UnknownSet {
        /// What was asked for.
        set: String,
        /// What exists.
        known: String,
    },
    /// A position needs an output that the network lacks.
    #[error("the model has no output for {action}; it was made for other rules or another opening protocol")]
    NoOutput {
        /// The action in words.
        action: String,
    },
    /// No setups were given.
    #[error("no game setup was given")]
    NoSetup,
}
