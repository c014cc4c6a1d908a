//! Pass-alive stones and territory: what the opponent can't take even if the owner always passes.
//!
//! Benson (1976): a chain lives when two or more regions are vital to it, a region being a maximal connected set of
//! points without the owner's stones, vital to a chain when all its empty points are liberties of that chain, and only
//! regions counting whose whole border lives. Where suicide is legal the opponent may refill a region and take its own
//! stones off, so then *all* points of a vital region, stones included, must touch the chain. Territory is a region
//! whose whole border lives and where at most one point doesn't touch the owner's stones: an opponent inside can't get
//! two eyes, since each needs such a point. Not here: life that needs an answer.

use tengen_game::{Colour, PointSet, Size};

use crate::board::GoBoard;
use crate::rowbits::{RowBits, Span};
use crate::rules::Suicide;

/// Most chains that a region can be vital to: the four beside any one of its points.
const VITAL_MAX: usize = 4;

/// One region of points without the owner's stones.
struct Region {
    points: RowBits,
    span: Span,
    /// Indices of the chains it is vital to, and how many.
    vital: ([u16; VITAL_MAX], usize),
    /// Whether the whole border still counts as alive.
    whole: bool,
}

/// One chain of the owner.
struct Chain {
    stones: RowBits,
    span: Span,
    /// Points beside it without the owner's stones.
    beside: RowBits,
    alive: bool,
    eyes: u16,
}

impl GoBoard {
    /// Stones of `colour` that are pass-alive, and its pass-alive territory (empty points and the opponent's stones).
    pub fn pass_alive(&self, colour: Colour) -> (PointSet, PointSet) {
        let size = self.size();
        let (stones, territory) = self.pass_alive_rows(&self.rows_of(), colour);
        (stones.points(size), territory.points(size))
    }

    /// Black's stones, White's stones, empty points.
    pub(crate) fn rows_of(&self) -> [RowBits; 3] {
        self.stones.sets().each_ref().map(|set| RowBits::of(self.size(), set))
    }

    /// As `pass_alive`, from the sets that `rows_of` gave.
    pub(crate) fn pass_alive_rows(&self, sets: &[RowBits; 3], colour: Colour) -> (RowBits, RowBits) {
        let (size, all) = (self.size(), Span::all(self.size()));
        let suicide = self.rules().suicide != Suicide::None;
        let own = &sets[colour.index()];
        let others = RowBits::full(size).minus(own, all);
        let needed = if suicide { &others } else { &sets[2] };
        let none = (RowBits::EMPTY, RowBits::EMPTY);
        if own.is_empty(all) {
            return none;
        }
        let mut regions = regions(&others, size);
        // One region alone is nobody's second eye.
        if regions.len() < 2 {
            return none;
        }
        let mut chains = find_vital(&mut regions, own, &others, needed, size);
        if !chains.iter().any(|chain| chain.eyes >= 2) {
            return none;
        }
        let alive = live_stones(own, &mut regions, &mut chains, size);
        if alive.is_empty(all) {
            return none;
        }
        let mut territory = RowBits::EMPTY;
        let touched = own.beside(&others, all);
        for region in regions.iter().filter(|region| region.whole) {
            if region.points.minus(&touched, region.span).count(region.span) <= 1 {
                territory = territory.or(&region.points, region.span);
            }
        }
        (alive, territory)
    }

    /// Whether every point is pass-alive or pass-alive territory of one colour.
    pub(crate) fn all_settled(&self) -> bool {
        let all = Span::all(self.size());
        let sets = self.rows_of();
        if has_open_space(&sets, all) {
            return false;
        }
        let mut settled = 0;
        for colour in Colour::BOTH {
            let (stones, territory) = self.pass_alive_rows(&sets, colour);
            settled += stones.count(all) + territory.count(all);
        }
        settled == self.size().area()
    }
}

/// Whether two neighbouring empty points touch no stone at all, which rules out that everything is settled; quick where
/// it matters, on open boards.
fn has_open_space([black, white, empty]: &[RowBits; 3], all: Span) -> bool {
    let open = empty.minus(&black.or(white, all).beside(empty, all), all);
    !open.beside(&open, all).is_empty(all)
}

fn regions(others: &RowBits, size: Size) -> Vec<Region> {
    let mut list = Vec::with_capacity(32);
    let mut rest = *others;
    while let Some(start) = rest.first(Span::all(size)) {
        let (points, span) = others.part(start, size);
        rest = rest.minus(&points, span);
        list.push(Region { points, span, vital: ([0; VITAL_MAX], 0), whole: true });
    }
    list
}

/// Notes for each region the chains that touch all its points in `needed`, and counts them as eyes. Returns the chains
/// looked at; others have no eye at all.
fn find_vital(regions: &mut [Region], own: &RowBits, others: &RowBits, needed: &RowBits, size: Size) -> Vec<Chain> {
    let mut chains: Vec<Chain> = Vec::with_capacity(32);
    for region in regions {
        let must = region.points.and(needed, region.span);
        let Some(first) = must.first(region.span) else { continue };
        for stone in own.near(first) {
            let known = chains.iter().position(|chain| chain.stones.has(stone));
            let i = known.unwrap_or_else(|| {
                let (stones, span) = own.part(stone, size);
                let beside = stones.beside(others, span.wider(size));
                chains.push(Chain { stones, span, beside, alive: true, eyes: 0 });
                chains.len() - 1
            });
            let (list, used) = &mut region.vital;
            if !list[..*used].contains(&(i as u16)) && must.within(&chains[i].beside, region.span) {
                list[*used] = i as u16;
                *used += 1;
                chains[i].eyes += 1;
            }
        }
    }
    chains
}

/// Drops chains without two vital regions until none is left to drop; leaves in each region whether its border lives.
fn live_stones(own: &RowBits, regions: &mut [Region], chains: &mut [Chain], size: Size) -> RowBits {
    let mut alive = RowBits::EMPTY;
    for chain in chains.iter_mut() {
        chain.alive = chain.eyes >= 2;
        if chain.alive {
            alive = alive.or(&chain.stones, chain.span);
        }
    }
    loop {
        chains.iter_mut().for_each(|chain| chain.eyes = 0);
        for region in regions.iter_mut().filter(|region| region.whole) {
            region.whole = !region.points.touches(own, &alive, region.span.wider(size));
            if region.whole {
                region.vital.0[..region.vital.1].iter().for_each(|&i| chains[i as usize].eyes += 1);
            }
        }
        let mut dropped = false;
        for chain in chains.iter_mut().filter(|chain| chain.alive && chain.eyes < 2) {
            chain.alive = false;
            alive = alive.minus(&chain.stones, chain.span);
            dropped = true;
        }
        if !dropped {
            return alive;
        }
    }
}
