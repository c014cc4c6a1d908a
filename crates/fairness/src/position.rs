//! A position of a few stones, up to the symmetries of the board: the unit that is searched and valued.
//!
//! Every protocol ends in plain play, and the value of a position in plain play doesn't depend on the decisions that led
//! there. So protocols share their values: a position is searched once, whoever got there. Not here: values (`samples`).

use tengen_game::{Action, Colour, Game, Placement, Point, Size, Symmetry, zobrist};
use tengen_opening::{Seated, SeatedSetup};

/// Most stones of one colour.
const STONES_MAX: usize = 4;
const NONE: u16 = u16::MAX;

/// The least image, among the board's symmetries, of a set of at most four stones per colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    stones: [[u16; STONES_MAX]; 2],
}

impl Position {
    /// The position on a board and a symmetry that maps the board onto it; none with more than four stones of a colour,
    /// or after a capture (then the stones alone don't say what may follow).
    pub fn of<P: Placement>(board: &P) -> Option<(Position, Symmetry)> {
        let raw = Position::raw(board)?;
        let size = board.size();
        Symmetry::of(size).iter().map(|&s| (raw.image(size, s), s)).min_by_key(|(position, _)| *position)
    }

    fn raw<P: Placement>(board: &P) -> Option<Position> {
        let mut stones = [[NONE; STONES_MAX]; 2];
        let mut counts = [0; 2];
        for back in 0..board.moves() {
            let (colour, action) = board.move_back(back)?;
            let Some(p) = action.as_point() else { continue };
            let (count, row) = (&mut counts[colour.index()], &mut stones[colour.index()]);
            if *count == STONES_MAX || board.stone(p) != Some(colour) {
                return None;
            }
            row[*count] = p.0;
            *count += 1;
        }
        stones.iter_mut().for_each(|row| row.sort_unstable());
        Some(Position { stones })
    }

    fn image(&self, size: Size, symmetry: Symmetry) -> Position {
        let mut image = *self;
        for row in &mut image.stones {
            row.iter_mut().filter(|p| **p != NONE).for_each(|p| *p = symmetry.point(size, Point(*p)).0);
            row.sort_unstable();
        }
        image
    }

    /// Whether a symmetry maps the stones onto themselves, colour by colour.
    pub(crate) fn is_kept_by(&self, size: Size, symmetry: Symmetry) -> bool {
        self.image(size, symmetry) == *self
    }

    /// Stones of a colour, ascending.
    pub fn stones(&self, colour: Colour) -> impl Iterator<Item = Point> + '_ {
        self.stones[colour.index()].iter().filter(|p| **p != NONE).map(|p| Point(*p))
    }

    /// How many stones.
    pub fn count(&self) -> usize {
        Colour::BOTH.map(|c| self.stones(c).count()).iter().sum()
    }

    /// A number that stays with the position, for seeds.
    pub fn code(&self) -> u64 {
        self.stones.iter().flatten().fold(0, |h, &p| zobrist::mix(h ^ u64::from(p)))
    }

    /// An image of it in plain play, reached by placing the colours in turn; none if that isn't legal. `setup` must be
    /// one without protocol.
    pub fn game<P: Placement>(&self, setup: &SeatedSetup<P>, symmetry: Symmetry) -> Option<Seated<P>> {
        let mut game = Seated::start(setup);
        for action in self.actions(setup, symmetry)? {
            game.apply(action);
        }
        Some(game)
    }

    /// The actions that lead to `game`.
    pub fn actions<P: Placement>(&self, setup: &SeatedSetup<P>, symmetry: Symmetry) -> Option<Vec<Action>> {
        let mut game = Seated::start(setup);
        let size = game.size();
        let mut left = Colour::BOTH.map(|c| self.stones(c).map(|p| symmetry.point(size, p)));
        let mut actions = Vec::with_capacity(self.count());
        for _ in 0..self.count() {
            let action = Action::point(left[game.board().to_play().index()].next()?);
            if game.outcome().is_some() || !game.is_legal(action) {
                return None;
            }
            game.apply(action);
            actions.push(action);
        }
        Some(actions)
    }
}

/// Of `legal`, one action of each kind that the board's symmetries tell apart, given the stones on the board. Actions
/// that are no points stay as they are.
pub(crate) fn distinct<P: Placement>(game: &Seated<P>, legal: &[Action]) -> Vec<Action> {
    let size = game.size();
    let Some(raw) = Position::raw(game.board()) else { return legal.to_vec() };
    let keep: Vec<Symmetry> = Symmetry::of(size).iter().copied().filter(|&s| raw.image(size, s) == raw).collect();
    let least = |a: &Action| keep.iter().map(|&s| game.map(s, *a)).min().unwrap_or(*a);
    legal.iter().copied().filter(|a| least(a) == *a || !legal.contains(&least(a))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_opening::{CanonicalOpening, Opening};
    use tengen_renju::{FiveBoard, FiveRules};

    fn plain() -> SeatedSetup<FiveBoard> {
        SeatedSetup::new(FiveRules::renju(), Opening::NONE).unwrap()
    }

    #[test]
    fn images_are_one_position_and_play_back() {
        let setup = plain();
        for opening in CanonicalOpening::all() {
            let size = Size::square(15).unwrap();
            let points = opening.points(size).unwrap();
            let mut seen = Vec::new();
            for &s in &Symmetry::ALL {
                let mut game = Seated::start(&setup);
                points.iter().for_each(|&p| game.apply(Action::point(s.point(size, p))));
                let (position, onto) = Position::of(game.board()).unwrap();
                assert!(points.iter().all(|&p| {
                    let image = onto.point(size, s.point(size, p));
                    Colour::BOTH.iter().any(|&c| position.stones(c).any(|q| q == image))
                }));
                seen.push(position);
                let back: Seated<FiveBoard> = position.game(&setup, s).unwrap();
                assert_eq!(Position::of(back.board()).unwrap().0, position);
            }
            assert!(seen.iter().all(|p| *p == seen[0]), "{opening}");
        }
    }

    #[test]
    fn first_stones_have_thirty_six_kinds() {
        let game = Seated::<FiveBoard>::start(&plain());
        let mut legal = Vec::new();
        game.legal(&mut legal);
        legal.retain(|a| a.as_point().is_some());
        // Renju starts on the centre.
        let all: Vec<Action> = game.size().points().map(Action::point).collect();
        assert_eq!(distinct(&game, &all).len(), 36);
        assert!(distinct(&game, &legal).len() <= legal.len());
    }
}
