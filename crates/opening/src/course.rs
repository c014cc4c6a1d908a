//! The vocabulary protocols are written in: `Course` is what a protocol remembers, `Next` what it may ask for.
//!
//! Every protocol of the renju world is a walk through these kinds of demand. Not here: boards, legality of stones,
//! asymmetry of offers (`seated` and `shape` do that for all protocols alike).

use tengen_game::{Action, Colour, PointSet, Seat, Size};

/// How far a protocol has come and who holds which colour. Small and copied at every protocol ply, which makes undo
/// exact without each protocol writing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Course {
    /// The protocol's own counter, 0 at the start.
    pub(crate) step: u8,
    /// Who holds Black now.
    pub(crate) black: Seat,
    /// The number declared last; 0 before.
    pub(crate) declared: u16,
    /// Rejection system: the rules still open, a bit each; 0 before the first rejection and under other protocols.
    pub(crate) rules: u8,
    /// The komi that bids have settled, in half points and plus one; 0 as long as the rules' own holds.
    pub(crate) komi: u16,
    /// Offers owed in all at this offer stage and its pick; 0 elsewhere. Kept by `Seated`: protocols leave it alone.
    pub(crate) owed: u16,
    /// Where the offers of this stage begin in the list of all offers. Kept by `Seated`.
    pub(crate) offers_from: u16,
}

impl Course {
    /// A step that no protocol reaches by counting: by convention plain play.
    pub(crate) const DONE: u8 = u8::MAX;

    pub(crate) fn start(black: Seat) -> Course {
        Course { step: 0, black, declared: 0, rules: 0, komi: 0, owed: 0, offers_from: 0 }
    }

    /// The seat that holds a colour now.
    pub(crate) fn holder(&self, colour: Colour) -> Seat {
        match colour {
            Colour::Black => self.black,
            Colour::White => !self.black,
        }
    }

    /// The seat that holds White now.
    pub(crate) fn white(&self) -> Seat {
        !self.black
    }

    /// What a decision does in almost every protocol: a swap exchanges the colours, a number is remembered, and the
    /// next step follows.
    pub(crate) fn advance(&mut self, action: Action) {
        if action == Action::SWAP {
            self.black = !self.black;
        }
        if let Some(n) = action.as_number() {
            self.declared = n;
        }
        self.step = self.step.saturating_add(1);
    }
}

/// What a protocol asks for next, and of whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A stone of the colour to play, in a region. No pass.
    Place { seat: Seat, region: Region },
    /// Swap or keep the colours, or take one of the first `branches` branches of the protocol.
    Choose { seat: Seat, branches: u16 },
    /// One of the branches whose bit is set in `open`; no swap, no keeping.
    Branch { seat: Seat, open: u16 },
    /// A number in `low..=high`.
    Number { seat: Seat, low: u16, high: u16 },
    /// `count` points for the colour to play, no two equivalent by shape; as many as exist if there are fewer.
    Offer { seat: Seat, count: u16 },
    /// One of the offered points becomes a stone.
    Pick { seat: Seat },
    /// Plain play from here on: the protocol isn't asked again.
    Play,
}

/// Where a stone may be placed. Squares are central and have odd sides, so they need a board with a centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// The whole board.
    Anywhere,
    /// The central square of that side; side 1 is the centre point.
    Square(u8),
    /// All but that central square.
    Outside(u8),
    /// Where a given start goes on, in any orientation that fits the stones so far. `Seated` knows them; see `book`.
    Book,
}

impl Region {
    /// The centre point.
    pub(crate) const CENTRE: Region = Region::Square(1);

    fn holds(self, size: Size, x: usize, y: usize) -> bool {
        let near = |side: u8| {
            let reach = usize::from(side) / 2;
            x.abs_diff(size.width() / 2) <= reach && y.abs_diff(size.height() / 2) <= reach
        };
        match self {
            // A book is no place on the board: `Seated` asks the book itself.
            Region::Anywhere | Region::Book => true,
            Region::Square(side) => near(side),
            Region::Outside(side) => !near(side),
        }
    }

    /// Whether a point lies in it.
    pub(crate) fn contains(self, size: Size, p: tengen_game::Point) -> bool {
        let (x, y) = size.xy(p);
        self.holds(size, x, y)
    }

    /// Keeps the points of `set` that lie in it.
    pub(crate) fn clip(self, size: Size, set: &PointSet) -> PointSet {
        match self {
            Region::Anywhere | Region::Book => *set,
            Region::Square(_) | Region::Outside(_) => set.iter().filter(|&p| self.contains(size, p)).collect(),
        }
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Region::Anywhere => f.write_str("anywhere"),
            Region::Square(1) => f.write_str("on the centre"),
            Region::Square(n) => write!(f, "in the central {n}x{n}"),
            Region::Outside(n) => write!(f, "outside the central {n}x{n}"),
            Region::Book => f.write_str("as a given start says"),
        }
    }
}
