//! Which positions are asked about. All of them would be 1,259,575 five-stone positions, so lists are bounded, and here is
//! how:
//!
//! - *Fourth moves*: of the moves that the protocol allows, half the list by the policy of one search of the three-stone
//!   position in plain play, the rest by screened value nearest to even. The first half is what White wants without a
//!   swap to come, the second what anybody wants who must let the other choose colours.
//! - *Fifth moves*, offered or placed: all classes are screened by a very short search; the list keeps the best by what
//!   the protocol makes of those values (the best for Black in an offer, the most even before a swap).
//!   Numbers of offers are looked at up to half the list: on two positions of a small network, lists of 16 gave the N-th
//!   best of all 215 or so classes exactly up to N = 3, lists of 32 up to N = 4 and within 0.015 up to N = 10.
//! - *Stones 1 to 3 of one seat, anywhere* (swap, swap2): the 26 openings and some random triples near the centre.
//! - *Stones beyond the fifth* under a protocol: not looked at; who could ask for them takes another branch.
//! - *Everything else*: all moves that the board's symmetries tell apart.
//!
//! Not here: values, and what decisions follow from them (`walk`).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use tengen_game::{Action, Game, Placement, Point, Size, Symmetry};
use tengen_opening::{CanonicalOpening, Seated};
use tengen_play::Stream;

use crate::position::{Position, distinct};

/// How long lists may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Fourth moves.
    pub fourths: usize,
    /// Classes of fifth moves.
    pub fifths: usize,
    /// Offers: the tail of a shortened list is weaker than that of all classes, so numbers stop well before its end.
    pub offers: u16,
}

/// A fourth move in plain play, before anything is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fourth {
    /// Share of the search's policy, its symmetric copies included.
    pub policy: f32,
    /// The screened value in [-1, 1] for Black.
    pub value: f64,
}

/// Lists found so far. Points are those of the least image of the three-stone position.
#[derive(Debug)]
pub struct Census {
    bounds: Bounds,
    fourths: BTreeMap<Position, BTreeMap<Point, Fourth>>,
    triples: Vec<[Point; 3]>,
    /// Three-stone positions whose fourth moves were asked for in vain.
    missing: RefCell<BTreeSet<Position>>,
    /// Shortened offer lists by board.
    offers: RefCell<BTreeMap<u64, Vec<Action>>>,
}

impl Census {
    /// Empty lists; `triples` are drawn at once.
    pub fn new(size: Size, bounds: Bounds, triples: usize, seed: u64) -> Census {
        let mut found: Vec<[Point; 3]> = CanonicalOpening::all().iter().filter_map(|o| o.points(size)).collect();
        let mut stream = Stream::new(seed, u64::MAX - 1);
        let mut tries = 0;
        let wanted = found.len() + triples;
        while found.len() < wanted && tries < 100 * triples {
            tries += 1;
            let mut triple = [(); 3].map(|()| near_centre(size, &mut stream));
            // Stones 1 and 3 have one colour, so their order means nothing.
            if triple[0] > triple[2] {
                triple.swap(0, 2);
            }
            let apart = triple[0] != triple[1] && triple[1] != triple[2] && triple[0] != triple[2];
            if apart && !found.contains(&triple) {
                found.push(triple);
            }
        }
        Census {
            bounds,
            fourths: BTreeMap::new(),
            triples: found,
            missing: RefCell::default(),
            offers: RefCell::default(),
        }
    }

    /// The limits it was made with.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// What a seat that places three stones anywhere chooses from.
    pub(crate) fn triples(&self) -> &[[Point; 3]] {
        &self.triples
    }

    /// Adds what is known of the fourth moves of a three-stone position: (point, policy, value for Black) by moves that
    /// symmetry tells apart. `game` is its least image in plain play.
    pub fn add_fourths<P: Placement>(&mut self, position: Position, game: &Seated<P>, known: &[(Point, Fourth)]) {
        let mut legal = Vec::new();
        game.legal(&mut legal);
        let mut row = BTreeMap::new();
        for point in legal.iter().filter_map(|a| a.as_point()) {
            let copies = images(game.size(), position, point);
            if let Some((_, fourth)) = known.iter().find(|(p, _)| copies.contains(p)) {
                row.insert(point, *fourth);
            }
        }
        self.fourths.insert(position, row);
    }

    /// What is known of the fourth moves of a three-stone position, by point of its least image.
    pub fn fourths(&self, position: &Position) -> Option<&BTreeMap<Point, Fourth>> {
        self.fourths.get(position)
    }

    /// The fourth moves to look at, of those the protocol allows here; none if the position isn't known yet.
    pub(crate) fn fourth_list<P: Placement>(&self, game: &Seated<P>) -> Option<Vec<Action>> {
        let (position, onto) = Position::of(game.board())?;
        let Some(known) = self.fourths.get(&position) else {
            self.missing.borrow_mut().insert(position);
            return None;
        };
        let mut legal = Vec::new();
        game.legal(&mut legal);
        let fourth = |a: &Action| known.get(&onto.point(game.size(), a.as_point()?)).copied();
        let mut left: Vec<(Action, Fourth)> =
            distinct(game, &legal).iter().filter_map(|a| Some((*a, fourth(a)?))).collect();
        let count = self.bounds.fourths;
        left.sort_by(|(a, x), (b, y)| y.policy.total_cmp(&x.policy).then(x.value.total_cmp(&y.value)).then(a.cmp(b)));
        let mut rest = left.split_off(count.div_ceil(2).min(left.len()));
        rest.sort_by(|(a, x), (b, y)| x.value.abs().total_cmp(&y.value.abs()).then(a.cmp(b)));
        left.extend(rest.into_iter().take(count - left.len().min(count)));
        Some(left.into_iter().map(|(a, _)| a).collect())
    }

    /// Three-stone positions asked for in vain since the last call, ascending.
    pub(crate) fn take_missing(&self) -> Vec<Position> {
        std::mem::take(&mut *self.missing.borrow_mut()).into_iter().collect()
    }

    /// The shortened offer list of a board, made by `make` when it isn't known.
    pub(crate) fn offer_list(&self, board: u64, make: impl FnOnce() -> Option<Vec<Action>>) -> Option<Vec<Action>> {
        if let Some(list) = self.offers.borrow().get(&board) {
            return Some(list.clone());
        }
        let list = make()?;
        self.offers.borrow_mut().insert(board, list.clone());
        Some(list)
    }
}

/// Images of a point under the symmetries that keep the position, the point itself included.
pub(crate) fn images(size: Size, position: Position, p: Point) -> Vec<Point> {
    Symmetry::of(size).iter().filter(|s| position.is_kept_by(size, **s)).map(|s| s.point(size, p)).collect()
}

/// A point by a normal distribution around the centre whose standard deviation is a sixth of the side.
fn near_centre(size: Size, stream: &mut Stream) -> Point {
    let mut one = |side: usize| {
        // Twelve uniform draws less six are nearly normal.
        let normal: f64 = (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
        let middle = (side as f64 - 1.0) / 2.0;
        (middle + normal * side as f64 / 6.0).round().clamp(0.0, side as f64 - 1.0) as usize
    };
    let x = one(size.width());
    let y = one(size.height());
    size.point(x, y)
}
