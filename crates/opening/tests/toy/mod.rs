//! A placement game for tests: n in a row on plain arrays, obviously right. Not here: anything fast.

#![allow(dead_code)]

use std::fmt;
use std::str::FromStr;

use tengen_game::zobrist::{STONE, WHITE_TO_PLAY, key};
use tengen_game::{
    Action, BoardResult, Colour, Facts, Family, Placement, Point, PointSet, Proof, SetupError, SetupText, Size,
};
use tengen_opening::{Seated, SeatedSetup};

/// `game=toy row=5 size=9x9 family=five`; `family=go` only makes protocols believe so and adds a margin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToyRules {
    row: u8,
    size: Size,
    family: Family,
}

impl fmt::Display for ToyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = if self.family == Family::Go { "go" } else { "five" };
        write!(f, "game=toy row={} size={} family={family}", self.row, self.size)
    }
}

impl FromStr for ToyRules {
    type Err = SetupError;
    fn from_str(text: &str) -> Result<ToyRules, SetupError> {
        let mut parts = SetupText::parse(text)?;
        parts.take("game");
        let row = parts.take_parsed("row", "a length")?.unwrap_or(5);
        let size = parts.take_parsed("size", "a size")?.unwrap_or(Size::square(15).unwrap());
        let family = if parts.take("family").as_deref() == Some("go") { Family::Go } else { Family::Five };
        parts.finish(&["game", "row", "size", "family"])?;
        Ok(ToyRules { row, size, family })
    }
}

/// The board.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    rules: ToyRules,
    stones: Vec<Option<Colour>>,
    moves: Vec<Action>,
    /// Half points for White.
    komi: i16,
}

impl Toy {
    fn run_through(&self, p: Point, colour: Colour) -> bool {
        let size = self.rules.size;
        let (x, y) = size.xy(p);
        let own = |dx: isize, dy: isize, k: isize| {
            let q = size.point_at(x as isize + dx * k, y as isize + dy * k);
            q.is_some_and(|q| q == p || self.stones[q.index()] == Some(colour))
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)].iter().any(|&(dx, dy)| {
            let arm = |sign: isize| (1..25).take_while(|&k| own(dx, dy, sign * k)).count();
            1 + arm(1) + arm(-1) >= usize::from(self.rules.row)
        })
    }
}

impl Placement for Toy {
    type Rules = ToyRules;

    fn facts(rules: &ToyRules) -> Facts {
        let win_length = (rules.family == Family::Five).then_some(rules.row);
        Facts { size: rules.size, family: rules.family, win_length, forbidden: false }
    }
    fn start(rules: &ToyRules) -> Toy {
        Toy { rules: rules.clone(), stones: vec![None; rules.size.area()], moves: Vec::new(), komi: 1 }
    }
    fn rules(&self) -> &ToyRules {
        &self.rules
    }
    fn size(&self) -> Size {
        self.rules.size
    }
    fn to_play(&self) -> Colour {
        Colour::BOTH[self.moves.len() % 2]
    }
    fn stone(&self, p: Point) -> Option<Colour> {
        self.stones[p.index()]
    }
    fn legal_points(&self, out: &mut PointSet) {
        let free = |p: &Point| self.stones[p.index()].is_none() && self.result().is_none();
        *out = self.rules.size.points().filter(free).collect();
    }
    fn pass_legal(&self) -> bool {
        self.result().is_none()
    }
    fn is_legal(&self, action: Action) -> bool {
        self.result().is_none()
            && match action.as_point() {
                Some(p) => self.stones.get(p.index()).is_some_and(|s| s.is_none()),
                None => action == Action::PASS,
            }
    }
    fn place(&mut self, action: Action) {
        if let Some(p) = action.as_point() {
            self.stones[p.index()] = Some(self.to_play());
        }
        self.moves.push(action);
    }
    fn undo(&mut self) {
        if let Some(p) = self.moves.pop().unwrap().as_point() {
            self.stones[p.index()] = None;
        }
    }
    fn result(&self) -> Option<BoardResult> {
        let last = *self.moves.last()?;
        let mover = !self.to_play();
        if last.as_point().is_some_and(|p| self.run_through(p, mover)) {
            return Some(BoardResult::Win(mover));
        }
        let passed = self.moves.ends_with(&[Action::PASS, Action::PASS]);
        (passed || self.stones.iter().all(|s| s.is_some())).then_some(BoardResult::Draw)
    }
    fn margin(&self) -> Option<f32> {
        let count = |c: Colour| self.stones.iter().filter(|&&s| s == Some(c)).count() as f32;
        let over = self.rules.family == Family::Go && self.result().is_some();
        over.then(|| count(Colour::Black) - count(Colour::White) - f32::from(self.komi) / 2.0)
    }
    fn komi_steps(&self) -> Option<i16> {
        (self.rules.family == Family::Go).then_some(self.komi)
    }
    fn set_komi_steps(&mut self, steps: i16) {
        self.komi = steps;
    }
    fn hash(&self) -> u64 {
        let stones = self.rules.size.points().filter_map(|p| Some(STONE[self.stone(p)?.index()][p.index()]));
        let turn = if self.to_play() == Colour::White { WHITE_TO_PLAY } else { 0 };
        let passed = self.moves.last() == Some(&Action::PASS);
        stones.fold(turn ^ key(77, u64::from(passed)), |h, k| h ^ k)
    }
    fn moves(&self) -> usize {
        self.moves.len()
    }
    fn move_back(&self, back: usize) -> Option<(Colour, Action)> {
        let i = self.moves.len().checked_sub(back + 1)?;
        Some((Colour::BOTH[i % 2], self.moves[i]))
    }
    fn proven(&self, _budget: u32) -> Option<Proof> {
        let mut points = PointSet::EMPTY;
        self.legal_points(&mut points);
        let win = points.iter().find(|&p| self.run_through(p, self.to_play()))?;
        Some(Proof::Win(Action::point(win)))
    }
}

/// A started game; panics on a bad setup.
pub(crate) fn game(text: &str) -> Seated<Toy> {
    use tengen_game::Game;
    Seated::start(&setup(text))
}

/// A setup; panics on a bad one.
pub(crate) fn setup(text: &str) -> SeatedSetup<Toy> {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}
