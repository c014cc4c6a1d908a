//! Stones in a row on a small board, with an optional pie opening: the first seat places one stone of each colour, the
//! second seat keeps or swaps the colours. And the exact value of any game small enough, by seats.

use std::fmt;
use std::str::FromStr;

use tengen_game::{Action, Game, Outcome, Point, Proof, Seat, SetupError, SetupText, Size};

/// Size, stones in a row that win, pie opening, and whether `proven` looks one move ahead.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rules {
    pub(crate) size: Size,
    pub(crate) row: usize,
    pub(crate) pie: bool,
    pub(crate) prove: bool,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "size={} row={} pie={} prove={}", self.size, self.row, self.pie, self.prove)
    }
}

impl FromStr for Rules {
    type Err = SetupError;
    fn from_str(text: &str) -> Result<Rules, SetupError> {
        let mut text = SetupText::parse(text)?;
        let rules = Rules {
            size: text.take_parsed("size", "a size")?.unwrap_or(Size::square(3).unwrap()),
            row: text.take_parsed("row", "a number")?.unwrap_or(3),
            pie: text.take_parsed("pie", "true or false")?.unwrap_or(false),
            prove: text.take_parsed("prove", "true or false")?.unwrap_or(false),
        };
        text.finish(&["size", "row", "pie", "prove"])?;
        Ok(rules)
    }
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    rules: Rules,
    stones: Vec<Option<u8>>,
    history: Vec<Action>,
    swapped: bool,
}

impl Line {
    pub(crate) fn new(text: &str) -> Line {
        Line::start(&text.parse().unwrap())
    }

    /// The position after stones on points, in turn.
    pub(crate) fn after(text: &str, points: &[u16]) -> Line {
        let mut game = Line::new(text);
        points.iter().for_each(|&p| game.apply(Action(p)));
        game
    }

    fn choosing(&self) -> bool {
        self.rules.pie && self.history.len() == 2
    }

    fn placed(&self) -> usize {
        self.history.len() - usize::from(self.rules.pie && self.history.len() > 2)
    }

    fn wins_at(&self, p: Point, colour: u8) -> bool {
        let size = self.rules.size;
        let (x, y) = size.xy(p);
        let count = |dx: isize, dy: isize| {
            let at = |k: isize| size.point_at(x as isize + dx * k, y as isize + dy * k);
            (1..).take_while(|&k| at(k).is_some_and(|q| self.stones[q.index()] == Some(colour))).count()
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)].iter().any(|&(dx, dy)| 1 + count(dx, dy) + count(-dx, -dy) >= self.rules.row)
    }

    fn wins(&self, colour: u8) -> Vec<Action> {
        let free = self.rules.size.points().filter(|p| self.stones[p.index()].is_none());
        free.filter(|&p| self.wins_at(p, colour)).map(Action::point).collect()
    }

    fn owner(&self, colour: u8) -> Seat {
        if (colour == 1) == self.swapped { Seat::First } else { Seat::Second }
    }
}

impl Game for Line {
    type Setup = Rules;

    fn start(rules: &Rules) -> Line {
        Line { rules: rules.clone(), stones: vec![None; rules.size.area()], history: Vec::new(), swapped: false }
    }

    fn setup(&self) -> &Rules {
        &self.rules
    }

    fn size(&self) -> Size {
        self.rules.size
    }

    fn to_act(&self) -> Seat {
        if self.choosing() {
            return Seat::Second;
        }
        if self.rules.pie && self.history.len() < 2 {
            return Seat::First;
        }
        self.owner((self.placed() % 2) as u8)
    }

    fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        if self.outcome().is_some() {
            return;
        }
        if self.choosing() {
            out.extend([Action::SWAP, Action::KEEP]);
            return;
        }
        out.extend(self.rules.size.points().filter(|p| self.stones[p.index()].is_none()).map(Action::point));
    }

    fn is_legal(&self, action: Action) -> bool {
        let mut legal = Vec::new();
        self.legal(&mut legal);
        legal.contains(&action)
    }

    fn apply(&mut self, action: Action) {
        let colour = (self.placed() % 2) as u8;
        match action.as_point() {
            Some(p) => self.stones[p.index()] = Some(colour),
            None => self.swapped = action == Action::SWAP,
        }
        self.history.push(action);
    }

    fn undo(&mut self) {
        match self.history.pop().unwrap().as_point() {
            Some(p) => self.stones[p.index()] = None,
            None => self.swapped = false,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let last = self.history.last()?.as_point()?;
        let colour = self.stones[last.index()]?;
        if self.wins_at(last, colour) {
            return Some(Outcome::Win(self.owner(colour)));
        }
        (self.placed() == self.rules.size.area()).then_some(Outcome::Draw)
    }

    fn hash(&self) -> u64 {
        let stones =
            self.stones.iter().fold(1u64, |h, s| h.wrapping_mul(3).wrapping_add(s.map_or(0, |c| u64::from(c) + 1)));
        stones ^ u64::from(self.swapped) << 63 ^ u64::from(self.choosing()) << 62
    }

    fn plies(&self) -> usize {
        self.history.len()
    }

    fn proven(&self, _budget: u32) -> Option<Proof> {
        if !self.rules.prove || self.choosing() || (self.rules.pie && self.history.len() < 2) {
            return None;
        }
        let colour = (self.placed() % 2) as u8;
        match (self.wins(colour).first(), &self.wins(1 - colour)[..]) {
            (Some(&win), _) => Some(Proof::Win(win)),
            (None, []) => None,
            (None, [only]) => Some(Proof::Only(*only)),
            (None, _) => Some(Proof::Loss),
        }
    }

    fn is_choice(&self) -> bool {
        self.choosing()
    }
}

/// The exact value for the seat to act, by full search; for a finished game, for `seat`.
pub(crate) fn exact<G: Game>(game: &mut G, seat: Seat) -> f32 {
    if let Some(outcome) = game.outcome() {
        return outcome.value(seat);
    }
    let mine = game.to_act();
    let mut legal = Vec::new();
    game.legal(&mut legal);
    let mut best = -2f32;
    for action in legal {
        game.apply(action);
        best = best.max(exact(game, mine));
        game.undo();
        if best == 1.0 {
            break;
        }
    }
    if mine == seat { best } else { -best }
}

#[test]
fn the_test_game_itself_conforms() {
    use tengen_game::testkit::conformance;
    for text in ["size=3 row=3", "size=4x3 row=3 prove=true", "size=3 row=3 pie=true"] {
        assert_eq!(conformance::<Line>(&text.parse().unwrap(), 1, 20, 100), 20);
    }
    assert_eq!(exact(&mut Line::new("size=3 row=3"), Seat::First), 0.0, "tic-tac-toe is drawn");
    assert_eq!(exact(&mut Line::new("size=4x3 row=3"), Seat::First), 1.0, "a wider board is a win");
}
