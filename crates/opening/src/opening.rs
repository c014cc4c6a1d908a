//! `Opening`: one protocol by name, with what its name carries: a number, three rules to reject from, given starts.
//! Text, description, and which actions it can use. Not here: what the protocols do (`protocols`), the reading of given
//! starts (`book`) and which game they open (`setup`).

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tengen_game::zobrist::mix;
use tengen_game::{Action, Facts, Seat, SetupError, Size};

use crate::book::Book;
use crate::course::{Course, Next};
use crate::protocols::{Form, PROTOCOLS, Protocol};

/// An opening protocol: `none`, `rif`, `swap2`, `soosorv-8`, `reject:rif,soosorv-8,taraguchi-10`, `given:h8,h9,i9` …
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Opening {
    row: u8,
    /// The N of `name-N`; 0 for protocols without one.
    number: u16,
    detail: Option<Arc<Detail>>,
}

/// What follows the colon.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Detail {
    Rules([Opening; 3]),
    Starts(Book),
}

/// What `tengen` tells a person about one protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningInfo {
    /// As written in setups; `-N` stands for a number, `:A,B,C` for rules, `:STONES` for points.
    pub name: String,
    /// A text that is read as it stands.
    pub example: String,
    /// Other names that are read.
    pub aliases: Vec<&'static str>,
    /// One line.
    pub summary: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
}

impl Opening {
    /// Plain play.
    pub const NONE: Opening = Opening { row: 0, number: 0, detail: None };

    /// Every protocol, with a description and its source.
    pub fn all() -> Vec<OpeningInfo> {
        let info = |p: &Protocol| {
            let (name, example) = match p.form {
                Form::Plain => (p.name.to_string(), p.name.to_string()),
                Form::Number { default, .. } | Form::Bids { default, .. } => {
                    (format!("{}-N", p.name), format!("{}-{default}", p.name))
                }
                Form::Rules { example } => (format!("{}:A,B,C", p.name), format!("{}:{example}", p.name)),
                Form::Starts { example } => (format!("{}:STONES", p.name), format!("{}:{example}", p.name)),
            };
            OpeningInfo { name, example, aliases: p.aliases.to_vec(), summary: p.summary, source: p.source }
        };
        PROTOCOLS.iter().map(info).collect()
    }

    /// The protocols that can open such a game: numbered ones with their usual number, rejection with its usual rules.
    /// Given starts are left out (any position can be one), and bids for komi, which need more than facts tell: see
    /// `SeatedSetup::every_opening`.
    pub fn fitting(facts: &Facts) -> Vec<Opening> {
        let usual = |o: &Opening| o.book().is_none() && !o.settles_komi() && o.check(facts).is_ok();
        Opening::usual().filter(usual).collect()
    }

    /// Every protocol as its example has it.
    pub(crate) fn usual() -> impl Iterator<Item = Opening> {
        Opening::all().into_iter().filter_map(|info| info.example.parse::<Opening>().ok())
    }

    /// Whether it settles the komi.
    pub(crate) fn settles_komi(&self) -> bool {
        matches!(self.protocol().form, Form::Bids { .. })
    }

    /// Given starts from a file, one opening for each line that isn't empty or a `#` comment, each self-contained.
    ///
    /// A line holds point names (`h8 i9 j10`, `h8i9j10`, `h8,i9,j10`) or, as Gomocup's opening files do, pairs
    /// `x,y` counted from the centre (side / 2, side / 2), x to the right and y down: `8,-3, 6,-4, 5,-4`. Errors name
    /// the line.
    pub fn read_starts(text: &str, size: Size) -> Result<Vec<Opening>, SetupError> {
        let mut found = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let book = Book::read_line(line, size);
            let book = book.map_err(|why| SetupError::new("opening", format!("line {}: {why}", i + 1)))?;
            found.push(Opening::given(book));
        }
        Ok(found)
    }

    fn given(book: Book) -> Opening {
        let row = PROTOCOLS.iter().position(|p| matches!(p.form, Form::Starts { .. })).unwrap_or(0) as u8;
        Opening { row, number: 0, detail: Some(Arc::new(Detail::Starts(book))) }
    }

    /// Whether it can open such a game; the error names `opening` and the reason.
    pub fn check(&self, facts: &Facts) -> Result<(), SetupError> {
        self.why_not(facts).map_err(|why| SetupError::new("opening", why))
    }

    fn why_not(&self, facts: &Facts) -> Result<(), String> {
        self.protocol().check(facts)?;
        match self.rules() {
            Some(rules) => rules.iter().try_for_each(|rule| rule.why_not(facts)),
            None => Ok(()),
        }
    }

    /// The number of `name-N`, if it has one.
    pub fn number(&self) -> Option<u16> {
        matches!(self.protocol().form, Form::Number { .. } | Form::Bids { .. }).then_some(self.number)
    }

    /// The three rules of the rejection system, if it is one.
    pub fn rules(&self) -> Option<&[Opening; 3]> {
        match self.detail.as_deref() {
            Some(Detail::Rules(rules)) => Some(rules),
            _ => None,
        }
    }

    /// The given starts, if it has any.
    pub(crate) fn book(&self) -> Option<&Book> {
        match self.detail.as_deref() {
            Some(Detail::Starts(book)) => Some(book),
            _ => None,
        }
    }

    /// All actions but points and pass that this protocol can ever use, ascending, whatever the board. A network for
    /// it needs an output for each. Found by walking the protocol itself, so it can't disagree with play.
    pub fn actions(&self) -> Vec<Action> {
        let mut open = vec![self.first_course(Seat::First)];
        let mut seen: HashSet<Course> = open.iter().copied().collect();
        let mut used = BTreeSet::new();
        while let Some(course) = open.pop() {
            for action in self.abstract_decisions(&course) {
                if action.as_point().is_none() {
                    used.insert(action);
                }
                let mut after = course;
                self.decide(&mut after, action);
                if seen.insert(after) {
                    open.push(after);
                }
            }
        }
        used.into_iter().collect()
    }

    /// The decisions that can make a difference to a protocol: it never looks at which point was chosen.
    fn abstract_decisions(&self, course: &Course) -> Vec<Action> {
        match self.next(course) {
            Next::Play => Vec::new(),
            Next::Place { .. } | Next::Offer { .. } | Next::Pick { .. } => vec![Action(0)],
            Next::Choose { branches, .. } => {
                [Action::SWAP, Action::KEEP].into_iter().chain((0..branches).map(Action::branch)).collect()
            }
            Next::Branch { open, .. } => branches_in(open).map(Action::branch).collect(),
            Next::Number { low, high, .. } => (low..=high).map(Action::number).collect(),
        }
    }

    /// The course before the first decision, where `first_colour` is the seat that acts first on an empty board.
    pub(crate) fn first_course(&self, first_colour: Seat) -> Course {
        let other = self.book().is_some_and(Book::first_holds_white);
        Course::start(if other { !first_colour } else { first_colour })
    }

    pub(crate) fn protocol(&self) -> &'static Protocol {
        &PROTOCOLS[self.row as usize]
    }

    /// The protocol in force: under the rejection system the rule that was left, once one is.
    pub(crate) fn active(&self, course: &Course) -> &Opening {
        match self.rules() {
            Some(rules) if course.rules.count_ones() == 1 => &rules[course.rules.trailing_zeros() as usize],
            _ => self,
        }
    }

    pub(crate) fn next(&self, course: &Course) -> Next {
        let active = self.active(course);
        (active.protocol().next)(course, active)
    }

    pub(crate) fn decide(&self, course: &mut Course, action: Action) {
        let active = self.active(course);
        (active.protocol().decide)(course, action, active);
    }

    /// What branch `i` means at a point of the course, for people.
    pub(crate) fn branch_words(&self, course: &Course, i: u16) -> String {
        let active = self.active(course);
        match active.rules() {
            Some(rules) => rules.get(i as usize).map_or(String::new(), |rule| format!("reject {rule}")),
            None => active.protocol().branches.get(i as usize).unwrap_or(&"branch").to_string(),
        }
    }

    /// A value for hashes of protocol stages: by name, so that a new row doesn't change old hashes.
    pub(crate) fn code(&self) -> u64 {
        let name = self.protocol().name.bytes();
        let plain = name.fold(u64::from(self.number), |h, b| mix(h ^ u64::from(b)));
        match self.detail.as_deref() {
            None => plain,
            Some(Detail::Rules(rules)) => rules.iter().fold(plain, |h, rule| mix(h ^ rule.code())),
            Some(Detail::Starts(book)) => mix(plain ^ book.code()),
        }
    }
}

/// The branches whose bits are set, ascending.
pub(crate) fn branches_in(open: u16) -> impl Iterator<Item = u16> {
    (0..Action::BRANCHES).filter(move |i| open >> i & 1 == 1)
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
        let name = self.protocol().name;
        match self.detail.as_deref() {
            Some(Detail::Rules([a, b, c])) => write!(f, "{name}:{a},{b},{c}"),
            Some(Detail::Starts(book)) => write!(f, "{name}:{book}"),
            None if self.number().is_some() => write!(f, "{name}-{}", self.number),
            None => f.write_str(name),
        }
    }
}

impl FromStr for Opening {
    type Err = SetupError;

    /// Reads a name or alias, with what belongs to it: `-N`, `:A,B,C` or `:STONES`.
    fn from_str(text: &str) -> Result<Opening, SetupError> {
        read(text).map_err(|why| SetupError::new("opening", why))
    }
}

fn read(text: &str) -> Result<Opening, String> {
    let (head, detail) = match text.split_once(':') {
        Some((head, detail)) => (head, Some(detail)),
        None => (text, None),
    };
    let row_of = |name: &str| PROTOCOLS.iter().position(|p| p.name == name || p.aliases.contains(&name));
    // Whole names first: an alias such as `swap-5` looks like a number.
    let (name, number) = match head.split_once('-') {
        Some((name, number)) if row_of(head).is_none() => (name, Some(number)),
        _ => (head, None),
    };
    let Some(row) = row_of(name) else {
        let known: Vec<_> = Opening::all().into_iter().map(|i| i.name).collect();
        return Err(format!("`{text}` is not an opening protocol; known are {}", known.join(", ")));
    };
    let form = &PROTOCOLS[row].form;
    if number.is_some() && !matches!(form, Form::Number { .. } | Form::Bids { .. }) {
        return Err(format!("`{name}` takes no number, so `{text}` is not a protocol"));
    }
    let mut opening = Opening { row: row as u8, number: 0, detail: None };
    match (form, detail) {
        (Form::Plain | Form::Number { .. } | Form::Bids { .. }, Some(detail)) => {
            return Err(format!("`{name}` takes nothing after a colon, so `:{detail}` is too much"));
        }
        (Form::Rules { example } | Form::Starts { example }, None) => {
            return Err(format!("`{name}` says what it is about after a colon, for example `{name}:{example}`"));
        }
        (Form::Plain, None) => {}
        (Form::Number { low, high, default }, None) => {
            opening.number = read_number(name, number, *low..=*high, *default)?
        }
        (Form::Bids { high, default }, None) => opening.number = read_number(name, number, 1..=*high, *default)?,
        (Form::Rules { .. }, Some(detail)) => {
            let rules = crate::protocols::reject::read_rules(detail)?;
            opening.detail = Some(Arc::new(Detail::Rules(rules)));
        }
        (Form::Starts { .. }, Some(detail)) => {
            opening.detail = Some(Arc::new(Detail::Starts(detail.parse()?)));
        }
    }
    Ok(opening)
}

fn read_number(
    name: &str,
    text: Option<&str>,
    range: std::ops::RangeInclusive<u16>,
    default: u16,
) -> Result<u16, String> {
    let Some(text) = text else { return Ok(default) };
    // Digits only: `parse` alone would also take a plus sign.
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<u16>() {
        Ok(n) if plain && range.contains(&n) => Ok(n),
        _ => Err(format!("the number of `{name}-N` is {} to {}, not `{text}`", range.start(), range.end())),
    }
}
