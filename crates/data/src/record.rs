//! One finished game with what search learned at each move. Games are stored, not network inputs: planes are made at
//! training time by the code that self-play uses, so training and inference can't drift apart, and a new feature set
//! doesn't make old data worthless. Not here: bytes (see `shard`).

use tengen_game::{Action, Outcome, Seat};

/// Which search produced a row's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SearchKind {
    /// No search: a random or given start. Never a policy target.
    Book = 0,
    /// A cheap search of a playout cap.
    Fast = 1,
    /// A full search.
    Full = 2,
    /// Decided by proof or the only legal action; the network wasn't asked at the root.
    Forced = 3,
}

impl SearchKind {
    /// Reads the number back.
    pub fn from_code(code: u8) -> Option<SearchKind> {
        [SearchKind::Book, SearchKind::Fast, SearchKind::Full, SearchKind::Forced].get(code as usize).copied()
    }
}

/// Why a game stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EndReason {
    /// The rules ended it.
    Rules = 0,
    /// A seat resigned.
    Resigned = 1,
    /// The move cap cut it; the outcome is an estimate and flagged.
    Truncated = 2,
    /// A player broke the rules or the clock (matches against other programs).
    Forfeit = 3,
}

impl EndReason {
    /// Reads the number back.
    pub fn from_code(code: u8) -> Option<EndReason> {
        [EndReason::Rules, EndReason::Resigned, EndReason::Truncated, EndReason::Forfeit].get(code as usize).copied()
    }
}

/// What is known about one ply.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveRow {
    /// Action played.
    pub action: Action,
    /// Who acted.
    pub seat: Seat,
    /// What chose it.
    pub kind: SearchKind,
    /// Simulations spent.
    pub visits: u32,
    /// Search value of the root in [-1, 1], for `seat`. 0 for `Book`.
    pub root_value: f32,
    /// Whether the played action was the search's best; a wrong protocol choice made for exploration is false.
    pub best: bool,
    /// Policy target: (action, probability), ascending by action, sum 1; empty for `Book`.
    pub policy: Vec<(Action, f32)>,
    /// Weight of the row in training; 1/N for each of N offers that share one board.
    pub weight: f32,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// `Game::Setup` as text: rules, size, komi, opening protocol.
    pub setup: String,
    /// Seed of this game's random stream.
    pub seed: u64,
    /// Index of the game in its batch (self-play iteration or match).
    pub index: u64,
    /// Model ids by seat.
    pub models: [String; 2],
    /// One entry per ply, in order.
    pub moves: Vec<MoveRow>,
    /// Result by seat.
    pub outcome: Outcome,
    /// Why it stopped.
    pub end: EndReason,
    /// First seat's points minus second's, where the game has a score.
    pub margin: Option<f32>,
    /// Positions that the game's searches asked about, answers from a cache included: what a cache holds depends on
    /// other games, and a record must not.
    pub evaluations: u64,
}

impl GameRecord {
    /// The actions alone.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.moves.iter().map(|m| m.action)
    }

    /// Rows with a training target.
    pub fn rows(&self) -> usize {
        self.moves.iter().filter(|m| m.kind != SearchKind::Book).count()
    }
}
