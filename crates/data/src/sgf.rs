//! Games as SGF (FF[4], red-bean.com/sgf), out and in, for Go (GM[1]) and five in a row (GM[4]).
//!
//! The crate knows no rules: a game is stones and moves, and the caller replays it for legality. Passes are always
//! written `[]`; `tt` is read as a pass only where both sides are at most 19. What SGF has no word for goes into private
//! properties of the root: `TGSETUP` (setup text), `TGSEED` (seed), `TGACTIONS` (every action by name, swaps and
//! declarations included). Only the main line is read. Not here: which colour a seat holds.

mod read;
mod tree;
mod write;

use std::path::Path;

use tengen_game::{Action, BoardResult, Colour, Point, Size};

use crate::record::{EndReason, MoveRow};
use crate::store::{self, StoreError};

pub use tree::{SGF_BYTES_MAX, SGF_DEPTH_MAX, SGF_NODES_MAX};

/// Why a text isn't a game we can take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("SGF, byte {offset}: {why}")]
pub struct SgfError {
    /// Where, in bytes from the start of the text.
    pub offset: usize,
    /// What was found and expected.
    pub why: String,
}

/// Why an SGF file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum SgfFileError {
    /// The file can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its text is at fault.
    #[error("{}: {source}", path.display())]
    Sgf {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        source: SgfError,
    },
}

/// Which game an SGF holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SgfFamily {
    /// GM[1].
    Go,
    /// GM[4]: gomoku and renju.
    Five,
}

/// How to take the `GM` of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// As it says; a file that says nothing is Go.
    Declared,
    /// Five in a row, even if it says Go: renju programs often write GM[1] SZ[15].
    Five,
}

/// How a game was won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WinBy {
    /// By so many points, above 0.
    Points(f32),
    /// The other side resigned.
    Resign,
    /// On time.
    Time,
    /// By forfeit.
    Forfeit,
    /// Without a word; five in a row.
    Plain,
}

/// Result by the colour of the stones on the board, never by who is called what in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SgfResult {
    /// Not told, or the game was cut.
    #[default]
    Unknown,
    /// Even.
    Draw,
    /// No result under the rules.
    Void,
    /// That colour won.
    Win(Colour, WinBy),
}

impl SgfResult {
    /// Of a finished game; `margin` is Black's points minus White's. A truncated game's outcome is an estimate, so its
    /// result is unknown.
    pub fn of(result: BoardResult, end: EndReason, margin: Option<f32>) -> SgfResult {
        let by = match (end, margin) {
            (EndReason::Resigned, _) => WinBy::Resign,
            (EndReason::Forfeit, _) => WinBy::Forfeit,
            (_, Some(m)) if m.is_finite() && m != 0.0 => WinBy::Points(m.abs()),
            _ => WinBy::Plain,
        };
        match result {
            _ if end == EndReason::Truncated => SgfResult::Unknown,
            BoardResult::Win(colour) => SgfResult::Win(colour, by),
            BoardResult::Draw => SgfResult::Draw,
            BoardResult::NoResult => SgfResult::Void,
        }
    }
}

/// Properties this module has no field for: identifier (capital letters) and values, unescaped.
pub type Properties = Vec<(String, Vec<String>)>;

/// One move.
#[derive(Clone, Debug, PartialEq)]
pub struct SgfMove {
    /// Colour of the stone.
    pub colour: Colour,
    /// Where; none for a pass.
    pub point: Option<Point>,
    /// Comment; may be empty.
    pub comment: String,
    /// Other properties of the node.
    pub properties: Properties,
}

impl SgfMove {
    /// A move without a comment.
    pub fn new(colour: Colour, point: Option<Point>) -> SgfMove {
        SgfMove { colour, point, comment: String::new(), properties: Vec::new() }
    }
}

/// One game.
#[derive(Clone, Debug, PartialEq)]
pub struct SgfGame {
    /// Go or five.
    pub family: SgfFamily,
    /// Board size.
    pub size: Size,
    /// Points White is given.
    pub komi: Option<f32>,
    /// Name of the rules; empty if not told.
    pub rules: String,
    /// Names, Black's first; may be empty.
    pub players: [String; 2],
    /// By colour.
    pub result: SgfResult,
    /// Stones on the board before the first move, by colour index.
    pub stones: [Vec<Point>; 2],
    /// Who moves first, where the file says so.
    pub first: Option<Colour>,
    /// Main line.
    pub moves: Vec<SgfMove>,
    /// Setup text of this program.
    pub setup: Option<String>,
    /// Seed of the game's random stream.
    pub seed: Option<u64>,
    /// Every action of the game, protocol decisions included; empty if the file has none.
    pub actions: Vec<Action>,
    /// Comment of the root.
    pub comment: String,
    /// Other properties of the root.
    pub properties: Properties,
}

impl SgfGame {
    /// An empty game.
    pub fn new(family: SgfFamily, size: Size) -> SgfGame {
        SgfGame {
            family,
            size,
            komi: None,
            rules: String::new(),
            players: Default::default(),
            result: SgfResult::Unknown,
            stones: Default::default(),
            first: None,
            moves: Vec::new(),
            setup: None,
            seed: None,
            actions: Vec::new(),
            comment: String::new(),
            properties: Vec::new(),
        }
    }

    /// Reads the first game of a text. Bytes that aren't UTF-8 are taken as Latin-1, SGF's default.
    pub fn parse(text: &[u8], read_as: ReadAs) -> Result<SgfGame, SgfError> {
        SgfGame::parse_all(text, read_as).map(|mut games| games.swap_remove(0))
    }

    /// Reads all games of a text; at least one.
    pub fn parse_all(text: &[u8], read_as: ReadAs) -> Result<Vec<SgfGame>, SgfError> {
        let is_utf8 = std::str::from_utf8(text).is_ok();
        let lines = tree::main_lines(text)?;
        lines.iter().map(|nodes| read::game(nodes, is_utf8, read_as)).collect()
    }

    /// The text of the game; ends in a line feed and has no empty line, so a GTP answer may hold it. Deterministic.
    pub fn to_sgf(&self) -> String {
        write::game(self)
    }
}

/// Reads all games of a file of at most `SGF_BYTES_MAX` bytes; devices and pipes are refused.
pub fn read_sgf_file(path: &Path, read_as: ReadAs) -> Result<Vec<SgfGame>, SgfFileError> {
    let text = store::read_capped(path, SGF_BYTES_MAX as u64)?;
    SgfGame::parse_all(&text, read_as).map_err(|source| SgfFileError::Sgf { path: path.to_path_buf(), source })
}

/// Writes games to a file, beside and then renamed.
pub fn write_sgf_file(path: &Path, games: &[SgfGame]) -> Result<(), StoreError> {
    let text: String = games.iter().map(SgfGame::to_sgf).collect();
    store::write_atomic(path, text.as_bytes())
}

/// What search found at a move, for its comment: `value +0.123 visits 400 full`, value in [-1, 1] for the seat that
/// moves.
pub fn row_comment(row: &MoveRow) -> String {
    let kind = format!("{:?}", row.kind).to_lowercase();
    let explored = if row.best { "" } else { " explored" };
    format!("value {:+.3} visits {} {kind}{explored}", row.root_value, row.visits)
}
