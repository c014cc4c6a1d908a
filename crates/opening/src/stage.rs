//! A small stable description of a protocol stage, for network inputs and records. Not here: words for people (`words`).

use tengen_game::{Colour, PointSet};

/// What kind of decision is due. The numbers are stable: network inputs are built on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StageKind {
    /// Plain play (also once the game is over).
    Play = 0,
    /// A stone under the protocol: in a region, without pass, or with the other colour's next.
    Place = 1,
    /// Swap or keep.
    SwapChoice = 2,
    /// A branch of the protocol, mostly beside swap and keep.
    BranchChoice = 3,
    /// A number.
    Number = 4,
    /// One of several points of which the other seat will pick one.
    Offer = 5,
    /// The pick.
    Pick = 6,
}

impl StageKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [StageKind; 7] = [
        StageKind::Play,
        StageKind::Place,
        StageKind::SwapChoice,
        StageKind::BranchChoice,
        StageKind::Number,
        StageKind::Offer,
        StageKind::Pick,
    ];
}

/// The stage as a network may see it. Everything here is a function of what `Game::hash` covers, so two positions with
/// equal hashes have equal inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageInfo {
    /// What is due.
    pub kind: StageKind,
    /// Colour the seat to act holds now; a swap may change it.
    pub holds: Colour,
    /// Colour of the next stone.
    pub to_place: Colour,
    /// How many stones in a row the seat to act now places, this one included; 0 outside `Place`.
    pub stones_due: u16,
    /// The number declared, as long as it still matters; else 0. Offers owed may be fewer (see `offers_owed`).
    pub declared: u16,
    /// Offers owed in all at this offer stage or its pick; else 0.
    pub offers_owed: u16,
    /// Offers still to be made; 0 outside `Offer`.
    pub offers_due: u16,
    /// Offers made so far in this offer stage, and all of them at the pick; else empty.
    pub offers_made: PointSet,
    /// Rejection system: the rules still open, a bit each, and the one that is left while its protocol lasts; else 0.
    pub rules_open: u8,
}
