//! What a protocol needs from a playing program. Not here: how moves are found.

use std::path::Path;
use std::time::Duration;

use tengen_game::{Colour, Point, Size};

/// A move of a colour: a stone, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A stone.
    Stone(Point),
    /// No stone.
    Pass,
    /// Gives up (only as an answer).
    Resign,
}

/// Why something was refused; the board is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// Against the rules.
    #[error("illegal move")]
    Illegal,
    /// A size the program or its network can't play.
    #[error("unacceptable size")]
    Size,
    /// A komi the rules refuse, and what they take.
    #[error("syntax error: {0}")]
    Komi(String),
    /// Handicap stones are for an empty board.
    #[error("board not empty")]
    NotEmpty,
    /// A number of handicap stones that can't be placed so.
    #[error("invalid number of stones")]
    Stones,
    /// Handicap points that aren't distinct, too few or too many.
    #[error("bad vertex list")]
    Vertices,
    /// Anything else, in one line.
    #[error("{0}")]
    Other(String),
}

/// What has become of stones once play has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// They stay.
    Alive,
    /// They are taken off before counting.
    Dead,
    /// They stay, in shared life.
    Seki,
}

/// What a search has found about one move; rates are in [0, 1], for the colour to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub action: Move,
    /// Simulations that went through it.
    pub visits: u32,
    /// How likely it is to win.
    pub winrate: f32,
    /// Its probability before the search.
    pub prior: f32,
    /// The expected continuation, starting with it.
    pub pv: Vec<Move>,
}

/// What a watched search is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Search on.
    Search,
    /// Tell what it has found, then search on.
    Report,
    /// Stop.
    Stop,
}

/// Who watches a search. Asked between simulations.
pub trait Watcher {
    /// What is to be done next.
    fn next(&mut self) -> Next;
    /// The moves found, best first.
    fn report(&mut self, candidates: &[Candidate]);
}

/// A game in progress, with a mind to find moves for either colour.
pub trait Session {
    /// Program name.
    fn name(&self) -> String;
    /// Program version.
    fn version(&self) -> String;
    /// Board size now.
    fn size(&self) -> Size;
    /// Colour of the next move in turn.
    fn to_play(&self) -> Colour;
    /// Empties the board at a new size.
    fn set_size(&mut self, size: Size) -> Result<(), PlayError>;
    /// Empties the board; keeps size and komi.
    fn clear(&mut self);
    /// Changes komi; never clears the board.
    fn set_komi(&mut self, komi: f32) -> Result<(), PlayError>;
    /// Places a stone or passes, for any colour at any time.
    fn play(&mut self, colour: Colour, action: Move) -> Result<(), PlayError>;
    /// Finds and plays a move; at most about `time`, where given.
    fn generate(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError>;
    /// As `generate`, but doesn't play it.
    fn consider(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError>;
    /// As `generate`; `watcher` gets reports. It can't stop the search.
    fn generate_watched(
        &mut self,
        colour: Colour,
        time: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Move, PlayError>;
    /// Searches for a colour until `watcher` says stop; plays nothing.
    fn analyze(&mut self, colour: Colour, watcher: &mut dyn Watcher) -> Result<(), PlayError>;
    /// As `generate`, but passes only when no stone of the opponent is left to be taken off.
    fn clean_up(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError>;
    /// Puts handicap stones on the points that are fixed for their number; says where.
    fn fixed_handicap(&mut self, stones: usize) -> Result<Vec<Point>, PlayError>;
    /// Puts handicap stones, as many or fewer, where the program likes; says where.
    fn free_handicap(&mut self, stones: usize) -> Result<Vec<Point>, PlayError>;
    /// Puts handicap stones on these points.
    fn set_handicap(&mut self, points: &[Point]) -> Result<(), PlayError>;
    /// Takes the last move back; false when there is none.
    fn undo(&mut self) -> bool;
    /// `B+3.5`, `W+0.5` or `0`, of the board as it lies.
    fn final_score(&self) -> Result<String, PlayError>;
    /// The chains of that status, as `final_score` counts them.
    fn final_status(&self, status: Status) -> Result<Vec<Vec<Point>>, PlayError>;
    /// The rules in force as KataGo's JSON, without komi.
    fn rules(&self) -> Result<String, PlayError>;
    /// Changes the rules but neither size nor komi; the game goes on if its moves are legal under the new ones. Takes
    /// KataGo's texts and whatever else the program understands.
    fn set_rules(&mut self, text: &str) -> Result<(), PlayError>;
    /// As `set_rules`, for one key of KataGo's JSON.
    fn set_rule(&mut self, key: &str, value: &str) -> Result<(), PlayError>;
    /// Takes the game of an SGF file up to before its move `before`, counted from 1; wholly without a number.
    fn load(&mut self, path: &Path, before: Option<usize>) -> Result<(), PlayError>;
    /// The game as SGF, without empty lines.
    fn record(&self) -> String;
    /// The same into a file.
    fn save(&self, path: &Path) -> Result<(), PlayError>;
    /// A drawing of the board without empty lines.
    fn show(&self) -> String;
    /// Moves played so far, an estimate of how far the game is.
    fn moves(&self) -> usize;
}
