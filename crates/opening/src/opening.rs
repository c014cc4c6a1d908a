//! `Opening`: one protocol by name, with its number if it has one. Text, description, and which actions it can use.
//! Not here: what the protocols do (`protocols`) and which game they open (`setup`).

use std::fmt;
use std::str::FromStr;

use tengen_game::{Action, Facts, Seat, SetupError};

use crate::course::{Course, Next};
use crate::protocols::{PROTOCOLS, Protocol};

/// An opening protocol: `none`, `rif`, `swap2`, `soosorv-8` …
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Opening {
    row: u8,
    /// The N of `name-N`; 0 for protocols without one.
    number: u16,
}

/// What `tengen` tells a person about one protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningInfo {
    /// As written in setups; `-N` stands for a number.
    pub name: String,
    /// Other names that are read.
    pub aliases: Vec<&'static str>,
    /// One line.
    pub summary: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
}

impl Opening {
    /// Plain play.
    pub const NONE: Opening = Opening { row: 0, number: 0 };

    /// Every protocol, with a description and its source.
    pub fn all() -> Vec<OpeningInfo> {
        let info = |p: &Protocol| OpeningInfo {
            name: if p.number.is_some() { format!("{}-N", p.name) } else { p.name.to_string() },
            aliases: p.aliases.to_vec(),
            summary: p.summary,
            source: p.source,
        };
        PROTOCOLS.iter().map(info).collect()
    }

    /// The protocols that can open such a game, numbered ones with their usual number.
    pub fn fitting(facts: &Facts) -> Vec<Opening> {
        let each = |(row, p): (usize, &Protocol)| Opening {
            row: row as u8,
            number: p.number.as_ref().map_or(0, |n| n.default),
        };
        PROTOCOLS.iter().enumerate().map(each).filter(|o| o.check(facts).is_ok()).collect()
    }

    /// Whether it can open such a game; the error names `opening` and the reason.
    pub fn check(self, facts: &Facts) -> Result<(), SetupError> {
        self.protocol().check(facts).map_err(|why| SetupError::new("opening", why))
    }

    /// The number of `name-N`, if it has one.
    pub fn number(self) -> Option<u16> {
        self.protocol().number.as_ref().map(|_| self.number)
    }

    /// All actions but points and pass that this protocol can ever use, ascending, whatever the board. A network for
    /// it needs an output for each. Found by walking the protocol itself, so it can't disagree with play.
    pub fn actions(self) -> Vec<Action> {
        let mut seen = vec![self.first_course()];
        let mut used = std::collections::BTreeSet::new();
        let mut i = 0;
        while i < seen.len() {
            let course = seen[i];
            i += 1;
            for action in self.abstract_decisions(&course) {
                if action.as_point().is_none() {
                    used.insert(action);
                }
                let mut after = course;
                self.decide(&mut after, action);
                if !seen.contains(&after) {
                    seen.push(after);
                }
            }
        }
        used.into_iter().collect()
    }

    /// The decisions that can make a difference to a protocol: it never looks at which point was chosen.
    fn abstract_decisions(self, course: &Course) -> Vec<Action> {
        match self.next(course) {
            Next::Play => Vec::new(),
            Next::Place { .. } | Next::Offer { .. } | Next::Pick { .. } => vec![Action(0)],
            Next::Choose { branches, .. } => {
                [Action::SWAP, Action::KEEP].into_iter().chain((0..branches).map(Action::branch)).collect()
            }
            Next::Number { low, high, .. } => (low..=high).map(Action::number).collect(),
        }
    }

    fn first_course(self) -> Course {
        Course::start(Seat::First)
    }

    pub(crate) fn protocol(self) -> &'static Protocol {
        &PROTOCOLS[self.row as usize]
    }

    pub(crate) fn next(self, course: &Course) -> Next {
        (self.protocol().next)(course, self.number)
    }

    pub(crate) fn decide(self, course: &mut Course, action: Action) {
        (self.protocol().decide)(course, action);
    }

    /// A value for hashes of protocol stages: by name, so that a new row doesn't change old hashes.
    pub(crate) fn code(self) -> u64 {
        let name = self.protocol().name.bytes();
        name.fold(u64::from(self.number), |h, b| tengen_game::zobrist::mix(h ^ u64::from(b)))
    }
}

impl Default for Opening {
    fn default() -> Opening {
        Opening::NONE
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opening({self})")
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = self.protocol();
        match p.number {
            Some(_) => write!(f, "{}-{}", p.name, self.number),
            None => f.write_str(p.name),
        }
    }
}

impl FromStr for Opening {
    type Err = SetupError;

    /// Reads a name or alias, with `-N` where the protocol has a number.
    fn from_str(text: &str) -> Result<Opening, SetupError> {
        let fail = |why: String| Err(SetupError::new("opening", why));
        let (name, number) = match text.split_once('-') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let Some(row) = PROTOCOLS.iter().position(|p| p.name == name || p.aliases.contains(&name)) else {
            let known: Vec<_> = Opening::all().into_iter().map(|i| i.name).collect();
            return fail(format!("`{text}` is not an opening protocol; known are {}", known.join(", ")));
        };
        let number = match (&PROTOCOLS[row].number, number) {
            (None, None) => 0,
            (Some(range), None) => range.default,
            (None, Some(_)) => return fail(format!("`{name}` takes no number, so `{text}` is not a protocol")),
            (Some(range), Some(n)) => match plain_number(n) {
                Some(n) if (range.low..=range.high).contains(&n) => n,
                _ => return fail(format!("the number of `{name}-N` is {} to {}, not `{n}`", range.low, range.high)),
            },
        };
        Ok(Opening { row: row as u8, number })
    }
}

/// Digits only: `parse` alone would also take a plus sign.
fn plain_number(text: &str) -> Option<u16> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}
