//! All opening protocols, one row each. Adding one = a file here and a row in `PROTOCOLS`.
//!
//! What a row says of its needs is checked by one function for all, so every refusal has its reason in one place. Not
//! here: the mechanism that carries the decisions out (`seated`).

mod bid;
mod given;
mod komipie;
mod longpro;
mod none;
mod pie;
mod pro;
pub(crate) mod reject;
mod renjuswap;
mod rif;
mod soosorv;
mod supersakata;
mod supertaraguchi;
mod swap;
mod swap2;
mod swap5;
mod taraguchi;
mod tarannikov;
mod yamaguchi;

use tengen_game::{Action, Facts, Family};

use crate::course::{Course, Next};
use crate::opening::Opening;

/// One protocol.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// Name in setups.
    pub(crate) name: &'static str,
    /// Other names that are read but never written.
    pub(crate) aliases: &'static [&'static str],
    /// One line for people.
    pub(crate) summary: &'static str,
    /// Where the rule comes from.
    pub(crate) source: &'static str,
    /// What its name carries.
    pub(crate) form: Form,
    /// What each branch means, for people; `Next::Choose` says how many are open.
    pub(crate) branches: &'static [&'static str],
    /// What it can be played on.
    pub(crate) needs: Needs,
    /// What comes next and who decides. Pure: it may look at nothing but the course and what the name carries.
    pub(crate) next: fn(&Course, &Opening) -> Next,
    /// What a decision does. Called once for a whole set of offers, with the last one.
    pub(crate) decide: fn(&mut Course, Action, &Opening),
}

/// What the name of a protocol carries.
#[derive(Debug)]
pub(crate) enum Form {
    /// Nothing.
    Plain,
    /// `name-N` with N in `low..=high`; the bare name means `default`.
    Number { low: u16, high: u16, default: u16 },
    /// `name-N` with bids for komi up to N half points; the game must have a komi that can be settled.
    Bids { high: u16, default: u16 },
    /// `name:A,B,C`, three rules.
    Rules { example: &'static str },
    /// `name:STONES`, given starts.
    Starts { example: &'static str },
}

/// What a decision does in almost every protocol, see [`Course::advance`].
pub(crate) fn advance(course: &mut Course, action: Action, _: &Opening) {
    course.advance(action);
}

/// What a protocol needs of the game it opens.
#[derive(Debug)]
pub(crate) struct Needs {
    /// Only this family; any if none.
    pub(crate) family: Option<Family>,
    /// Side of the largest central square it uses; 0 if it never looks at the centre.
    pub(crate) square: usize,
    /// Stones on the board once its last decision is made (a picked stone counts).
    pub(crate) stones: usize,
}

/// Largest number of fifth moves on 15x15: 225 points less four stones. On other boards it stays the limit of what may
/// be declared, so that a network has the same outputs on every size; what is owed is capped by what exists.
pub(crate) const FIFTHS_MAX: u16 = 221;

/// Every protocol.
pub(crate) static PROTOCOLS: &[Protocol] = &[
    none::ROW,
    pie::ROW,
    komipie::ROW,
    bid::ROW,
    swap::ROW,
    swap2::ROW,
    swap5::ROW,
    pro::ROW,
    longpro::ROW,
    given::ROW,
    renjuswap::ROW,
    rif::ROW,
    yamaguchi::ROW,
    soosorv::ROW,
    taraguchi::ROW,
    tarannikov::ROW,
    supertaraguchi::ROW,
    supersakata::ROW,
    reject::ROW,
];

impl Protocol {
    /// Why it can't open such a game, if it can't.
    pub(crate) fn check(&self, facts: &Facts) -> Result<(), String> {
        let Needs { family, square, stones } = self.needs;
        let (name, size) = (self.name, facts.size);
        if family.is_some_and(|f| f != facts.family) {
            let ours = |p: &&Protocol| p.needs.family.is_none_or(|f| f == facts.family);
            let fit: Vec<_> = PROTOCOLS.iter().filter(ours).map(|p| p.name).collect();
            let whose = match facts.family {
                Family::Five => "isn't made for five-in-a-row games",
                Family::Go => "is made for five-in-a-row games, not for Go",
            };
            return Err(format!("`{name}` {whose}; this game takes {}", fit.join(", ")));
        }
        if square > 0 && size.centre().is_none() {
            return Err(format!("`{name}` uses the centre point, and a {size} board has none; both sides must be odd"));
        }
        if size.width().min(size.height()) < square {
            return Err(format!("`{name}` uses the central {square}x{square}, which a {size} board doesn't have"));
        }
        if size.area() <= stones {
            return Err(format!("`{name}` sets up {stones} stones, and a {size} board has {} points", size.area()));
        }
        // Black places first, so of s stones ceil(s/2) are Black's. If they can be a whole row, someone who still owes
        // or awaits a decision may complete it: the board is decided before it is known who holds which colour.
        let blacks = stones.div_ceil(2);
        if facts.win_length.is_some_and(|win| usize::from(win) <= blacks) {
            return Err(format!(
                "`{name}` sets up {blacks} black stones before its last decision, so a row of {blacks} could win while \
                 colours are still open; rows must be longer than {blacks}",
            ));
        }
        Ok(())
    }
}
