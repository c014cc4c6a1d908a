//! One heap; a turn takes one to three; who takes the last wins. Multiples of four are lost for the seat to act.

use std::fmt;
use std::str::FromStr;

use tengen_game::{Action, Game, Outcome, Seat, SetupError, Size};

/// Stones in the heap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heap(pub(crate) u16);

impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heap={}", self.0)
    }
}

impl FromStr for Heap {
    type Err = SetupError;
    fn from_str(text: &str) -> Result<Heap, SetupError> {
        let number = text.strip_prefix("heap=").and_then(|n| n.parse().ok());
        number.map(Heap).ok_or_else(|| SetupError::new("heap", "expected heap=N"))
    }
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) struct Nim {
    setup: Heap,
    taken: Vec<u16>,
}

impl Nim {
    fn left(&self) -> u16 {
        self.setup.0 - self.taken.iter().sum::<u16>()
    }
}

impl Game for Nim {
    type Setup = Heap;

    fn start(setup: &Heap) -> Nim {
        Nim { setup: setup.clone(), taken: Vec::new() }
    }

    fn setup(&self) -> &Heap {
        &self.setup
    }

    fn size(&self) -> Size {
        Size::square(1).unwrap()
    }

    fn to_act(&self) -> Seat {
        Seat::BOTH[self.taken.len() % 2]
    }

    fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        out.extend((1..=self.left().min(3)).map(Action::number));
    }

    fn is_legal(&self, action: Action) -> bool {
        action.as_number().is_some_and(|n| (1..=self.left().min(3)).contains(&n))
    }

    fn apply(&mut self, action: Action) {
        self.taken.push(action.as_number().unwrap());
    }

    fn undo(&mut self) {
        self.taken.pop().unwrap();
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.left() == 0).then(|| Outcome::Win(self.to_act().other()))
    }

    fn hash(&self) -> u64 {
        u64::from(self.left()) * 2 + self.taken.len() as u64 % 2
    }

    fn plies(&self) -> usize {
        self.taken.len()
    }
}
