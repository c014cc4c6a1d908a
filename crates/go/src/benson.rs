//! Pass-alive stones and territory: what the opponent can't take even if the owner always passes.
//!
//! Benson (1976): a chain lives when two or more regions are vital to it, a region being a maximal connected set of
//! points without the owner's stones, vital to a chain when all its empty points are liberties of that chain, and only
//! regions counting whose whole border lives. Where suicide is legal the opponent may refill a region and take its own
//! stones off, so then *all* points of a vital region, stones included, must touch the chain. Territory is a region
//! whose whole border lives and where at most one point doesn't touch the owner's stones: an opponent inside can't get
//! two eyes, since each needs such a point. Not here: life that needs an answer.

use tengen_game::{Colour, MAX_POINTS, Point, PointSet};

use crate::board::GoBoard;
use crate::chains::{EMPTY, NONE};
use crate::rules::Suicide;

/// One region of points without the owner's stones.
struct Region {
    /// Range of its points in the list of all regions' points.
    first: usize,
    end: usize,
    /// Heads of chains it is vital to; at most the four beside any one of its points.
    vital: [u16; 4],
    /// Range in the list of bordering heads (with repetitions).
    borders: (usize, usize),
    /// Points that touch no stone of the owner.
    inside: usize,
    /// Whether the whole border still counts as alive.
    whole: bool,
}

/// All regions of one colour, in flat lists.
struct Regions {
    list: Vec<Region>,
    points: Vec<u16>,
    borders: Vec<u16>,
}

impl GoBoard {
    /// Stones of `colour` that are pass-alive, and its pass-alive territory (empty points and the opponent's stones).
    pub fn pass_alive(&self, colour: Colour) -> (PointSet, PointSet) {
        let mut regions = self.regions(colour);
        let alive = self.live_heads(colour, &mut regions);
        let (mut stones, mut territory) = (PointSet::EMPTY, PointSet::EMPTY);
        for (p, &there) in self.stones.points().iter().enumerate() {
            if there == colour as u8 && alive[self.stones.cell(p as u16).head as usize] {
                stones.insert(Point(p as u16));
            }
        }
        for region in &regions.list {
            if region.whole && region.borders.0 < region.borders.1 && region.inside <= 1 {
                regions.points[region.first..region.end].iter().for_each(|&p| territory.insert(Point(p)));
            }
        }
        (stones, territory)
    }

    /// Whether every point is pass-alive or pass-alive territory of one colour.
    pub(crate) fn all_settled(&self) -> bool {
        if self.has_open_space() {
            return false;
        }
        let mut settled = 0;
        for colour in Colour::BOTH {
            let (stones, territory) = self.pass_alive(colour);
            settled += stones.len() + territory.len();
        }
        settled == self.size().area()
    }

    /// Whether two neighbouring empty points touch no stone at all, which rules out that everything is settled; quick
    /// where it matters, on open boards.
    fn has_open_space(&self) -> bool {
        let open =
            |p: u16| self.stones.at(p) == EMPTY && self.stones.near(p).iter().all(|&n| self.stones.at(n) >= EMPTY);
        let points = self.stones.points().len() as u16;
        (0..points).any(|p| open(p) && self.stones.near(p).iter().any(|&n| open(n)))
    }

    fn regions(&self, colour: Colour) -> Regions {
        let points = self.stones.points();
        let mut all = Regions {
            list: Vec::with_capacity(32),
            points: Vec::with_capacity(points.len()),
            borders: Vec::with_capacity(2 * points.len()),
        };
        // The entry past the board stays seen, so that edges need no check of their own.
        let mut seen = [true; MAX_POINTS + 1];
        seen[..points.len()].fill(false);
        for start in 0..points.len() {
            if points[start] != colour as u8 && !seen[start] {
                self.region(colour, start as u16, &mut seen, &mut all);
            }
        }
        all
    }

    /// Floods the region of `start` and notes its border.
    fn region(&self, colour: Colour, start: u16, seen: &mut [bool; MAX_POINTS + 1], all: &mut Regions) {
        let suicide = self.rules().suicide != Suicide::None;
        let (first, border) = (all.points.len(), all.borders.len());
        let (mut inside, mut vital, mut counted) = (0, [NONE; 4], false);
        seen[start as usize] = true;
        all.points.push(start);
        let mut next = first;
        while next < all.points.len() {
            let p = all.points[next];
            next += 1;
            let (mut heads, mut touches) = ([NONE; 4], false);
            for (i, n) in self.stones.near(p).into_iter().enumerate() {
                if self.stones.at(n) == colour as u8 {
                    let head = self.stones.cell(n).head;
                    (heads[i], touches) = (head, true);
                    if all.borders.last() != Some(&head) || all.borders.len() == border {
                        all.borders.push(head);
                    }
                } else if !seen[n as usize] {
                    seen[n as usize] = true;
                    all.points.push(n);
                }
            }
            inside += usize::from(!touches);
            if suicide || self.stones.at(p) == EMPTY {
                if !counted {
                    vital = keep_common(heads, heads);
                } else if vital != [NONE; 4] {
                    vital = keep_common(vital, heads);
                }
                counted = true;
            }
        }
        let borders = (border, all.borders.len());
        all.list.push(Region { first, end: all.points.len(), vital, borders, inside, whole: true });
    }

    /// Which heads stand for pass-alive chains; leaves in each region whether its whole border lives.
    fn live_heads(&self, colour: Colour, regions: &mut Regions) -> [bool; MAX_POINTS] {
        let mut alive = [false; MAX_POINTS];
        let mut heads: Vec<u16> = Vec::with_capacity(64);
        for (p, &there) in self.stones.points().iter().enumerate() {
            if there == colour as u8 && self.stones.cell(p as u16).head as usize == p {
                alive[p] = true;
                heads.push(p as u16);
            }
        }
        let mut eyes = [0u16; MAX_POINTS];
        loop {
            for region in regions.list.iter_mut().filter(|region| region.whole) {
                let border = &regions.borders[region.borders.0..region.borders.1];
                region.whole = border.iter().all(|&head| alive[head as usize]);
                if region.whole {
                    region.vital.iter().filter(|&&head| head != NONE).for_each(|&head| eyes[head as usize] += 1);
                }
            }
            let before = heads.len();
            heads.retain(|&head| {
                let lives = eyes[head as usize] >= 2;
                (alive[head as usize], eyes[head as usize]) = (lives, 0);
                lives
            });
            if heads.len() == before {
                return alive;
            }
        }
    }
}

/// The heads of `a` that are also in `b`, each once.
fn keep_common(a: [u16; 4], b: [u16; 4]) -> [u16; 4] {
    let mut out = [NONE; 4];
    for i in 0..4 {
        if a[i] != NONE && b.contains(&a[i]) && !a[..i].contains(&a[i]) {
            out[i] = a[i];
        }
    }
    out
}
