//! The interface between a position and network inputs, and its one implementation for every placement game under every
//! opening protocol. Board planes come from `five` and `go`; this file adds what the protocol needs. Not here: batches.
//!
//! Planes are by colour to place (own = the colour whose stone comes next); when somebody must decide a swap, the
//! globals say which colour the seat to act holds.

use tengen_game::{Action, Colour, Game, Placement, Size};
use tengen_opening::{Seated, StageKind};

use crate::spec::{FeatureError, FeatureSpec};

/// Where planes go: `[planes][height][width]`, zeroed by the caller; the board sits in the top-left corner.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Padded width.
    pub width: usize,
    /// Padded height.
    pub height: usize,
    /// `planes * height * width` numbers.
    pub planes: &'a mut [f32],
    /// `globals` numbers.
    pub globals: &'a mut [f32],
}

impl Frame<'_> {
    /// Sets one point of one plane to 1.
    #[inline]
    pub fn set(&mut self, plane: usize, size: Size, p: tengen_game::Point) {
        let (x, y) = size.xy(p);
        self.planes[(plane * self.height + y) * self.width + x] = 1.0;
    }
}

/// Board features of one placement game: one row per feature set.
pub trait BoardFeatures: Placement {
    /// Names of the feature sets with their numbers of planes and globals; of one name the newest version last.
    fn sets() -> &'static [(&'static str, usize, usize)];

    /// Which of them a new network gets that is to play under all of these rules, unless one is named.
    fn default_set(_rules: &[&Self::Rules]) -> usize {
        0
    }

    /// Fills the planes and the globals of a set, from the point of view of the colour to place.
    fn fill(&self, set: usize, frame: &mut Frame<'_>);

    /// Whether a pass can ever be legal under these rules.
    fn may_pass(rules: &Self::Rules) -> bool;

    /// Owner of each point at the end, where the game has owners: +1 Black, -1 White, 0 nobody.
    fn ownership(&self) -> Option<Vec<i8>> {
        None
    }
}

/// A game that a network can see.
pub trait Encode: Game {
    /// Shapes for a new network that is to play all of `setups`. `set` is a feature set's name; without its version it
    /// means the newest; empty, the simplest set that shows all of the state under the rules of `setups`. What a network
    /// that is there already takes is in its card, not here: versions are added and defaults move.
    fn spec(setups: &[Self::Setup], set: &str) -> Result<FeatureSpec, FeatureError>;

    /// Fills planes and globals of this position; `frame` is zeroed and has the spec's shape.
    fn encode(&self, spec: &FeatureSpec, frame: &mut Frame<'_>);

    /// Owner of each point at the end from the point of view of `Seat::First` (+1 first, -1 second), Go only.
    fn ownership(&self) -> Option<Vec<i8>>;

    /// Whether ownership and margin must change sign for the seat to act.
    fn owner_sign(&self) -> f32;
}

/// Globals the protocol adds: seat to act holds the colour to place; stage one-hot; declared number; offers due.
const PROTOCOL_GLOBALS: usize = 1 + StageKind::ALL.len() + 2;
/// Globals that the rejection system adds to those: which of its three rules are still open, once one is rejected and as
/// long as the opening lasts.
pub(crate) const OPEN_RULES: usize = 3;

fn set_row<P: BoardFeatures>(set: &str) -> Result<usize, FeatureError> {
    let rows = P::sets();
    let exact = rows.iter().position(|row| row.0 == set);
    exact.or_else(|| rows.iter().rposition(|row| means(set, row.0))).ok_or_else(|| FeatureError::UnknownSet {
        set: set.to_string(),
        known: rows.iter().map(|r| r.0).collect::<Vec<_>>().join(", "),
    })
}

/// Whether a feature set that was asked for, by its name, without its version or not at all, can be the set `name`.
pub fn means(asked: &str, name: &str) -> bool {
    asked.is_empty() || asked == name || name.rsplit_once('-').is_some_and(|(name, _)| name == asked)
}

impl<P: BoardFeatures> Encode for Seated<P> {
    fn spec(setups: &[Self::Setup], set: &str) -> Result<FeatureSpec, FeatureError> {
        if setups.is_empty() {
            return Err(FeatureError::NoSetup);
        }
        let row = match set {
            "" => P::default_set(&setups.iter().map(|s| s.rules()).collect::<Vec<_>>()),
            _ => set_row::<P>(set)?,
        };
        let (name, planes, globals) = P::sets()[row];
        let mut extras: Vec<Action> = Vec::new();
        if setups.iter().any(|s| P::may_pass(s.rules())) {
            extras.push(Action::PASS);
        }
        for setup in setups {
            extras.extend(setup.opening().actions());
        }
        extras.sort();
        extras.dedup();
        let protocol = setups.iter().any(|s| s.opening() != tengen_opening::Opening::NONE);
        let open_rules = setups.iter().any(|s| s.opening().rules().is_some());
        Ok(FeatureSpec {
            set: name.to_string(),
            planes: planes + usize::from(protocol),
            globals: globals + if protocol { PROTOCOL_GLOBALS } else { 0 } + if open_rules { OPEN_RULES } else { 0 },
            protocol,
            open_rules,
            extras,
            board_heads: setups[0].facts().family == tengen_game::Family::Go,
        })
    }

    fn encode(&self, spec: &FeatureSpec, frame: &mut Frame<'_>) {
        let Ok(set) = set_row::<P>(&spec.set) else {
            unreachable!("a spec is made by `spec`, which checks the set's name")
        };
        let (_, planes, globals) = P::sets()[set];
        self.board().fill(set, frame);
        if !spec.protocol {
            return;
        }
        let size = self.size();
        for &p in self.offers() {
            frame.set(planes, size, p);
        }
        let stage = self.stage();
        let g = &mut frame.globals[globals..];
        let holds = self.colour_of(self.to_act()) == self.board().to_play();
        g[0] = if holds { 1.0 } else { -1.0 };
        g[1 + stage.kind as usize] = 1.0;
        g[1 + StageKind::ALL.len()] = f32::from(stage.declared) / 10.0;
        g[2 + StageKind::ALL.len()] = f32::from(stage.offers_due) / 10.0;
        if spec.open_rules {
            let open = &mut g[PROTOCOL_GLOBALS..][..OPEN_RULES];
            (0..).zip(open).for_each(|(i, out)| *out = f32::from(stage.rules_open >> i & 1));
        }
    }

    fn ownership(&self) -> Option<Vec<i8>> {
        let sign = if self.seat_of(Colour::Black) == tengen_game::Seat::First { 1 } else { -1 };
        self.board().ownership().map(|o| o.into_iter().map(|v| v * sign).collect())
    }

    fn owner_sign(&self) -> f32 {
        if self.to_act() == tengen_game::Seat::First { 1.0 } else { -1.0 }
    }
}
