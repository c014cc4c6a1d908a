//! What a study found, as plain data: rows, curves, boards. Scores are in [0, 1], even is 0.5. Not here: text and files.

use serde::{Deserialize, Serialize};

use crate::config::FairnessConfig;
use crate::samples::SampleKey;

/// Who judged, and how to do it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    /// Model id.
    pub model: String,
    /// Checksum of its weights; empty without a network.
    pub checksum: String,
    /// Training steps; 0 is an untrained network or none at all.
    pub steps: u64,
    /// The command that makes this report again.
    pub command: String,
    /// Program and version.
    pub program: String,
}

impl Judge {
    /// Whether the numbers can't mean anything about the game.
    pub fn untrained(&self) -> bool {
        self.steps == 0
    }
}

/// A study, finished or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Rules of the board.
    pub rules: String,
    /// Who judged.
    pub judge: Judge,
    /// All settings.
    pub config: FairnessConfig,
    /// Whether time was enough for everything asked.
    pub complete: bool,
    /// One per opening and protocol, in the order asked.
    pub rows: Vec<Row>,
    /// Values over the number of offers.
    pub curves: Vec<CurvePoint>,
    /// Values over the board.
    pub boards: Vec<Board>,
    /// Where values came from: key, positions, searches.
    pub samples: Vec<(SampleKey, usize, u64)>,
}

/// One opening under one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `4D`; `-` for the protocol from its first decision.
    pub opening: String,
    /// Name of the opening; empty for `-`.
    pub name: String,
    /// The protocol.
    pub protocol: String,
    /// Decisions after the opening when both seats choose best; of an offer only the move that is picked.
    pub line: String,
    /// Stones on the board where plain play begins.
    pub stones: u32,
    /// Colour that the first seat holds there.
    pub first_holds: String,
    /// Whether the first choice of colours is a swap; none if there is no choice.
    pub swap: Option<bool>,
    /// Score of the first seat by the set of searches that chose the line: biased towards whoever chose last.
    pub chosen: f64,
    /// Score of the first seat by the other set.
    pub first: f64,
    /// Score of Black by the other set.
    pub black: f64,
    /// Standard deviation of its searches, as a score.
    pub spread: f64,
    /// How many searches.
    pub searches: u32,
    /// Smallest number of offered fifths at which Black's score is at most even; none if there is none or no offer.
    pub offers_even: Option<u16>,
    /// Games from the end of the line; none if too few were played.
    pub playoff: Option<PlayoffRow>,
}

/// A playoff as a row tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayoffRow {
    /// Pairs of games.
    pub pairs: u64,
    /// Score of the first seat.
    pub first: f64,
    /// 95 % interval.
    pub low: f64,
    /// As above.
    pub high: f64,
    /// Score of Black.
    pub black: f64,
    /// Drawn games.
    pub draws: u64,
    /// Games with different actions.
    pub distinct: u64,
    /// Games cut by the ply cap.
    pub truncated: u64,
}

/// What a row may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No playoff, or one with too few pairs.
    NotMeasured,
    /// The interval covers 0.5.
    Even,
    /// It lies above.
    First,
    /// It lies below.
    Second,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verdict::NotMeasured => "not measured",
            Verdict::Even => "not distinguishable from even",
            Verdict::First => "better for first",
            Verdict::Second => "better for second",
        })
    }
}

impl Row {
    /// What the playoff says.
    pub fn verdict(&self) -> Verdict {
        match &self.playoff {
            None => Verdict::NotMeasured,
            Some(p) if p.low > 0.5 => Verdict::First,
            Some(p) if p.high < 0.5 => Verdict::Second,
            Some(_) => Verdict::Even,
        }
    }
}

/// What an opening is worth to Black if nobody swaps and so many fifth moves are offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The opening.
    pub opening: String,
    /// The protocol, which says where fourth moves may be.
    pub protocol: String,
    /// Offers.
    pub offers: u16,
    /// Black's score by the choosing set; falls with the number of offers.
    pub chosen: f64,
    /// Black's score by the other set.
    pub black: f64,
    /// Standard deviation of its searches, as a score.
    pub spread: f64,
    /// Moves after the opening: the fourth, and the worst of the offers, which is picked.
    pub line: String,
}

/// Values of the next move all over the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// The opening.
    pub opening: String,
    /// Its name.
    pub name: String,
    /// Number of the move that is valued, 4 or 5.
    pub stone: u32,
    /// Columns and rows.
    pub size: [usize; 2],
    /// Stones, in the order placed.
    pub stones: Vec<Stone>,
    /// Moves with Black's score after them.
    pub values: Vec<BoardValue>,
}

/// A stone of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stone {
    /// Column, 0 on the left.
    pub column: usize,
    /// Row, 0 on top.
    pub row: usize,
    /// Its colour.
    pub black: bool,
}

/// One move on a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardValue {
    /// Name of the point.
    pub point: String,
    /// Column, 0 on the left.
    pub column: usize,
    /// Row, 0 on top.
    pub row: usize,
    /// Black's score after it.
    pub black: f64,
    /// Whether it was searched; otherwise it was only screened.
    pub searched: bool,
}
