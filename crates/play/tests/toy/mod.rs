//! Tic-tac-toe with optional passes and a conduct of choice, to test what real boards don't need. Two passes in a row
//! draw. Not here: speed.

use std::fmt;
use std::str::FromStr;

use tengen_game::{Action, Conduct, EndProtocol, Game, IllegalMove, Outcome, Point, Seat, SetupError, SetupText, Size};

/// `passes=yes|no illegal=refuse|pass|loses`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToySetup {
    pub(crate) passes: bool,
    pub(crate) illegal: IllegalMove,
}

impl fmt::Display for ToySetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let illegal = match self.illegal {
            IllegalMove::Refuse => "refuse",
            IllegalMove::VoidAndPass => "pass",
            IllegalMove::Loses => "loses",
        };
        write!(f, "passes={} illegal={illegal}", if self.passes { "yes" } else { "no" })
    }
}

impl FromStr for ToySetup {
    type Err = SetupError;
    fn from_str(text: &str) -> Result<ToySetup, SetupError> {
        let mut parts = SetupText::parse(text)?;
        let passes = parts.take("passes").as_deref() == Some("yes");
        let illegal = match parts.take("illegal").as_deref() {
            Some("pass") => IllegalMove::VoidAndPass,
            Some("loses") => IllegalMove::Loses,
            _ => IllegalMove::Refuse,
        };
        parts.finish(&["passes", "illegal"])?;
        Ok(ToySetup { passes, illegal })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Toy {
    setup: ToySetup,
    moves: Vec<Action>,
}

const LINES: [[u16; 3]; 8] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

impl Toy {
    fn owner(&self, p: u16) -> Option<Seat> {
        let at = self.moves.iter().position(|m| *m == Action(p))?;
        Seat::from_index(at % 2)
    }
}

impl Game for Toy {
    type Setup = ToySetup;

    fn start(setup: &ToySetup) -> Toy {
        Toy { setup: setup.clone(), moves: Vec::new() }
    }

    fn setup(&self) -> &ToySetup {
        &self.setup
    }

    fn size(&self) -> Size {
        Size::square(3).unwrap()
    }

    fn to_act(&self) -> Seat {
        Seat::from_index(self.moves.len() % 2).unwrap()
    }

    fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        if self.outcome().is_some() {
            return;
        }
        out.extend((0..9).filter(|&p| self.owner(p).is_none()).map(|p| Action::point(Point(p))));
        if self.setup.passes {
            out.push(Action::PASS);
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        let mut legal = Vec::new();
        self.legal(&mut legal);
        legal.contains(&action)
    }

    fn apply(&mut self, action: Action) {
        self.moves.push(action);
    }

    fn undo(&mut self) {
        self.moves.pop();
    }

    fn outcome(&self) -> Option<Outcome> {
        for line in LINES {
            let owners = line.map(|p| self.owner(p));
            if owners[0].is_some() && owners[0] == owners[1] && owners[1] == owners[2] {
                return owners[0].map(Outcome::Win);
            }
        }
        let full = (0..9).all(|p| self.owner(p).is_some());
        let passed = self.moves.ends_with(&[Action::PASS, Action::PASS]);
        (full || passed).then_some(Outcome::Draw)
    }

    fn hash(&self) -> u64 {
        let mut h = self.moves.len() as u64;
        for p in 0..9 {
            let code = self.owner(p).map_or(0, |s| 1 + s.index() as u64);
            h ^= tengen_game::zobrist::key(u64::from(p), code);
        }
        h
    }

    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn conduct(&self) -> Conduct {
        Conduct { illegal: self.setup.illegal, end: EndProtocol::Automatic }
    }
}
