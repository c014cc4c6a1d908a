//! The record of a game in progress, and the rules by which it ends besides the game's own.
//!
//! A game cut by the ply cap needs a result: it's a win for the side that the last searches favour by 0.2 or more (mean
//! of both seats' latest root values, from the first seat's view), else a draw; always flagged `Truncated`, so that
//! nobody takes it for a result of the rules. Not here: who decides (see `run`).

use tengen_data::{EndReason, GameRecord, MoveRow, SearchKind};
use tengen_game::{Action, Game, Outcome, Seat};

use crate::config::GameLimits;

/// Beyond this value a truncated game counts as won.
const TRUNCATED_WIN: f32 = 0.2;

/// A position with everything recorded on the way.
#[derive(Clone, Debug)]
pub struct Ledger<G: Game> {
    game: G,
    moves: Vec<MoveRow>,
    cap: usize,
    /// Latest root value by seat, each for its own seat.
    values: [Option<f32>; 2],
    /// Searches in a row at or below the resignation value, by seat.
    hopeless: [u32; 2],
    resign_at: Option<(f32, u32)>,
    end: Option<(Outcome, EndReason)>,
    /// Network evaluations asked for.
    pub(crate) evaluations: u64,
}

impl<G: Game> Ledger<G> {
    /// A new game. `may_resign` is false for games that are played out to check resignation.
    pub fn new(setup: &G::Setup, limits: &GameLimits, may_resign: bool) -> Ledger<G> {
        let game = G::start(setup);
        let cap = limits.cap(game.size().area());
        let resign = &limits.resign;
        Ledger {
            game,
            moves: Vec::new(),
            cap,
            values: [None; 2],
            hopeless: [0; 2],
            resign_at: (resign.enabled && may_resign).then_some((resign.value, resign.streak)),
            end: None,
            evaluations: 0,
        }
    }

    /// The position.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Rows so far.
    pub fn moves(&self) -> &[MoveRow] {
        &self.moves
    }

    /// Result and reason, once it has ended.
    pub fn end(&self) -> Option<(Outcome, EndReason)> {
        self.end
    }

    /// Plays an action of the start. It must be legal.
    pub fn book(&mut self, action: Action) {
        self.play(MoveRow {
            action,
            seat: self.game.to_act(),
            kind: SearchKind::Book,
            visits: 0,
            root_value: 0.0,
            best: true,
            policy: Vec::new(),
            weight: 1.0,
        });
    }

    /// Plays a row's action, which must be legal, and ends the game if the rules or the cap say so.
    pub fn play(&mut self, row: MoveRow) {
        debug_assert!(self.end.is_none() && self.game.is_legal(row.action));
        if row.kind != SearchKind::Book {
            self.values[row.seat.index()] = Some(row.root_value);
        }
        self.game.apply(row.action);
        self.moves.push(row);
        if let Some(outcome) = self.game.outcome() {
            self.end = Some((outcome, EndReason::Rules));
        } else if self.moves.len() >= self.cap {
            self.end = Some((self.estimate(), EndReason::Truncated));
        }
    }

    /// The value of the position that a decision without search should carry: the last known one, seen by `seat`.
    pub fn last_value(&self, seat: Seat) -> f32 {
        let last = self.moves.iter().rev().find(|m| m.kind != SearchKind::Book);
        last.map_or(0.0, |m| if m.seat == seat { m.root_value } else { -m.root_value })
    }

    /// Counts a search result towards resignation; true if the seat resigns, which ends the game.
    pub fn resigns(&mut self, seat: Seat, root_value: f32) -> bool {
        let Some((value, streak)) = self.resign_at else { return false };
        let count = &mut self.hopeless[seat.index()];
        *count = if root_value <= value { *count + 1 } else { 0 };
        if *count < streak {
            return false;
        }
        self.end = Some((Outcome::Win(seat.other()), EndReason::Resigned));
        true
    }

    /// `seat` broke the rules and loses.
    pub fn forfeit(&mut self, seat: Seat) {
        self.end = Some((Outcome::Win(seat.other()), EndReason::Forfeit));
    }

    /// See the module's head.
    fn estimate(&self) -> Outcome {
        let views = [self.values[0], self.values[1].map(|v| -v)];
        let known: Vec<f32> = views.into_iter().flatten().collect();
        let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
        if mean >= TRUNCATED_WIN {
            Outcome::Win(Seat::First)
        } else if mean <= -TRUNCATED_WIN {
            Outcome::Win(Seat::Second)
        } else {
            Outcome::Draw
        }
    }

    /// The finished record; none before the end.
    pub fn finish(&mut self, seed: u64, index: u64, models: [String; 2]) -> Option<GameRecord> {
        let (outcome, end) = self.end?;
        let margin = if end == EndReason::Rules { self.game.margin() } else { None };
        Some(GameRecord {
            setup: self.game.setup().to_string(),
            seed,
            index,
            models,
            moves: std::mem::take(&mut self.moves),
            outcome,
            end,
            margin,
            evaluations: self.evaluations,
        })
    }
}
