//! Stones in chains, with liberties kept while stones come and go; every change can be taken back exactly.
//!
//! Liberties are *pseudo-liberties*: a chain counts an empty point once for each of its stones beside it. That is all
//! the rules need: a chain has none exactly when it has no liberty, and its only liberty is `p` exactly when the count
//! equals the number of its stones beside `p`. An empty point is kept as if it were a chain of one stone, so that its
//! count is the number of its empty neighbours; then placing a stone lowers four counts without asking what lies there,
//! and a new stone's count is already known. The stones of a chain form a ring (`next`); swapping two links joins two
//! rings or parts them again, which makes joins reversible. Not here: who may play where, ko, whose turn it is.

use tengen_game::zobrist::STONE;
use tengen_game::{Colour, Point, PointSet, Size};

use crate::geometry::Geometry;

/// No point.
pub(crate) const NONE: u16 = u16::MAX;
/// What lies on a point: 0 black, 1 white, or this.
pub(crate) const EMPTY: u8 = 2;
const OFF_BOARD: u8 = 3;

/// One point. `libs` and `size` mean something where `head` is the point itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The point that stands for the chain; an empty point stands for itself.
    pub(crate) head: u16,
    /// Next stone of the ring.
    pub(crate) next: u16,
    /// Pseudo-liberties of the chain; for an empty point, its empty neighbours.
    pub(crate) libs: u16,
    /// Stones in the chain.
    pub(crate) size: u16,
}

/// What `Stones::put` did, as far as `Stones::take_back` needs it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    /// Heads of rings that lost their name when they joined, in order.
    pub(crate) absorbed: [u16; 4],
    /// How many of `absorbed` are in use.
    pub(crate) joins: u8,
    /// How many chains were removed.
    pub(crate) removed: u8,
    /// Whether the chain removed was the mover's own.
    pub(crate) suicide: bool,
}

/// Stones on a board.
#[derive(Clone, Debug)]
pub(crate) struct Stones {
    geometry: &'static Geometry,
    /// `area + 1` entries, of which the last says that it is off the board.
    colours: Vec<u8>,
    /// `area + 1` entries; the last takes what is written beyond the edge and is never read.
    cells: Vec<Cell>,
    /// The points of each value in `colours`: Black's, White's, empty ones.
    sets: [PointSet; 3],
    /// Removed stones, oldest first: each chain from its head round the ring, then its length.
    removed: Vec<u16>,
    /// Zobrist hash of the stones alone.
    pub(crate) hash: u64,
    /// Stones on the board, by colour.
    pub(crate) count: [u16; 2],
}

impl Stones {
    pub(crate) fn none(size: Size) -> Stones {
        let area = size.area();
        let geometry = Geometry::of(size);
        let mut colours = vec![EMPTY; area];
        colours.push(OFF_BOARD);
        let cells = (0..=area as u16).map(|p| {
            let near = geometry.near[p as usize].iter().filter(|&&n| n != area as u16).count();
            Cell { head: p, next: p, libs: near as u16, size: 1 }
        });
        Stones {
            geometry,
            colours,
            cells: cells.collect(),
            sets: [PointSet::EMPTY, PointSet::EMPTY, PointSet::full(size)],
            removed: Vec::new(),
            hash: 0,
            count: [0; 2],
        }
    }

    /// What lies on every point: 0 black, 1 white, 2 nothing.
    #[inline]
    pub(crate) fn points(&self) -> &[u8] {
        &self.colours[..self.colours.len() - 1]
    }

    /// Black's stones, White's stones, empty points.
    #[inline]
    pub(crate) fn sets(&self) -> &[PointSet; 3] {
        &self.sets
    }

    /// The empty points.
    #[inline]
    pub(crate) fn empty_set(&self) -> &PointSet {
        &self.sets[EMPTY as usize]
    }

    /// The empty points with an empty neighbour.
    #[inline]
    pub(crate) fn open_set(&self) -> PointSet {
        self.geometry.beside(self.empty_set(), self.empty_set())
    }

    #[inline]
    pub(crate) fn at(&self, p: u16) -> u8 {
        self.colours[p as usize]
    }

    #[inline]
    pub(crate) fn near(&self, p: u16) -> [u16; 4] {
        self.geometry.near[p as usize]
    }

    #[inline]
    pub(crate) fn cell(&self, p: u16) -> Cell {
        self.cells[p as usize]
    }

    /// The stones of the chain headed by `head`, from the head round the ring.
    pub(crate) fn ring(&self, head: u16) -> impl Iterator<Item = u16> + '_ {
        let mut at = head;
        let mut left = self.cells[head as usize].size;
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let here = at;
            at = self.cells[at as usize].next;
            Some(here)
        })
    }

    /// The stones of the last `chains` removals.
    pub(crate) fn last_removed(&self, chains: u8) -> impl Iterator<Item = u16> + '_ {
        let mut end = self.removed.len();
        (0..chains).flat_map(move |_| {
            let length = self.removed[end - 1] as usize;
            let stones = &self.removed[end - 1 - length..end - 1];
            end -= length + 1;
            stones.iter().copied()
        })
    }

    /// Puts a stone on the empty point `p`, removes what it leaves without liberties: first the opponent's chains, then
    /// its own. Whether that is allowed is the caller's business.
    #[inline]
    pub(crate) fn put(&mut self, colour: Colour, p: u16) -> Change {
        let mut change = Change::default();
        self.lift(colour as u8, p);
        let near = self.near(p);
        for n in near {
            let head = self.cells[n as usize].head as usize;
            self.cells[head].libs = self.cells[head].libs.wrapping_sub(1);
        }
        let mut own = p;
        for n in near {
            let there = self.colours[n as usize];
            if there >= EMPTY {
                continue;
            }
            let head = self.cells[n as usize].head;
            if there != colour as u8 {
                if self.cells[head as usize].libs == 0 {
                    self.remove(head);
                    change.removed += 1;
                }
            } else if head != own {
                let (kept, lost) = if self.cell(head).size >= self.cell(own).size { (head, own) } else { (own, head) };
                self.join(kept, lost);
                change.absorbed[change.joins as usize] = lost;
                change.joins += 1;
                own = kept;
            }
        }
        if self.cells[own as usize].libs == 0 {
            self.remove(own);
            change.removed += 1;
            change.suicide = true;
        }
        change
    }

    /// The inverse of the last `put`.
    pub(crate) fn take_back(&mut self, colour: Colour, p: u16, change: Change) {
        let of = if change.suicide { colour } else { !colour };
        for _ in 0..change.removed {
            self.restore(of as u8);
        }
        for i in (0..change.joins as usize).rev() {
            self.part(self.cells[p as usize].head, change.absorbed[i]);
        }
        for n in self.near(p) {
            let head = self.cells[n as usize].head as usize;
            self.cells[head].libs = self.cells[head].libs.wrapping_add(1);
        }
        self.set(p, colour as u8, EMPTY);
        self.hash ^= STONE[colour as usize][p as usize];
        self.count[colour as usize] -= 1;
    }

    /// Lays one stone without any consequence.
    #[inline]
    fn lift(&mut self, colour: u8, p: u16) {
        debug_assert_eq!(self.at(p), EMPTY);
        self.set(p, EMPTY, colour);
        self.hash ^= STONE[colour as usize][p as usize];
        self.count[colour as usize] += 1;
    }

    /// Changes what lies on a point, and nothing else.
    #[inline]
    fn set(&mut self, p: u16, before: u8, now: u8) {
        self.colours[p as usize] = now;
        self.sets[before as usize].remove(Point(p));
        self.sets[now as usize].insert(Point(p));
    }

    #[inline]
    fn swap_links(&mut self, a: u16, b: u16) {
        let link = self.cells[a as usize].next;
        self.cells[a as usize].next = self.cells[b as usize].next;
        self.cells[b as usize].next = link;
    }

    /// Joins the ring of `lost` into that of `kept`; both are heads.
    #[inline]
    fn join(&mut self, kept: u16, lost: u16) {
        let mut at = lost;
        loop {
            self.cells[at as usize].head = kept;
            at = self.cells[at as usize].next;
            if at == lost {
                break;
            }
        }
        self.swap_links(kept, lost);
        let Cell { libs, size, .. } = self.cells[lost as usize];
        let into = &mut self.cells[kept as usize];
        into.libs = into.libs.wrapping_add(libs);
        into.size += size;
    }

    /// The inverse of `join`. The lost chain is counted again: its numbers may have been overwritten since.
    fn part(&mut self, kept: u16, lost: u16) {
        self.swap_links(kept, lost);
        let (mut libs, mut size, mut at) = (0u16, 0u16, lost);
        loop {
            self.cells[at as usize].head = lost;
            size += 1;
            libs += self.near(at).iter().filter(|&&n| self.colours[n as usize] == EMPTY).count() as u16;
            at = self.cells[at as usize].next;
            if at == lost {
                break;
            }
        }
        let from = &mut self.cells[kept as usize];
        from.libs = from.libs.wrapping_sub(libs);
        from.size -= size;
        let lost = &mut self.cells[lost as usize];
        (lost.libs, lost.size) = (libs, size);
    }

    /// Removes the chain headed by `head`, which has no liberty.
    fn remove(&mut self, head: u16) {
        let colour = self.colours[head as usize] as usize;
        let first = self.removed.len();
        let mut at = head;
        loop {
            let next = self.cells[at as usize].next;
            self.cells[at as usize] = Cell { head: at, next: at, libs: 0, size: 1 };
            self.set(at, colour as u8, EMPTY);
            self.hash ^= STONE[colour][at as usize];
            self.removed.push(at);
            at = next;
            if at == head {
                break;
            }
        }
        let size = self.removed.len() - first;
        for i in first..self.removed.len() {
            for n in self.near(self.removed[i]) {
                let head = self.cells[n as usize].head as usize;
                self.cells[head].libs = self.cells[head].libs.wrapping_add(1);
            }
        }
        self.count[colour] -= size as u16;
        self.removed.push(size as u16);
    }

    /// The inverse of the last `remove`.
    fn restore(&mut self, colour: u8) {
        let size = self.removed.pop().map_or(0, usize::from);
        let first = self.removed.len() - size;
        for i in first..self.removed.len() {
            for n in self.near(self.removed[i]) {
                let head = self.cells[n as usize].head as usize;
                self.cells[head].libs = self.cells[head].libs.wrapping_sub(1);
            }
        }
        let head = self.removed[first];
        let mut next = head;
        while self.removed.len() > first {
            let Some(at) = self.removed.pop() else { break };
            self.cells[at as usize] = Cell { head, next, libs: 0, size: size as u16 };
            self.set(at, EMPTY, colour);
            self.hash ^= STONE[colour as usize][at as usize];
            next = at;
        }
        self.count[colour as usize] += size as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::testkit::TestRng;

    /// Everything kept incrementally equals a recount from the colours alone.
    fn recount(stones: &Stones, size: Size) {
        let off = size.area() as u16;
        let (mut hash, mut count) = (0, [0; 2]);
        for p in 0..off {
            let colour = stones.at(p);
            let held: Vec<u8> = (0..3).filter(|&value| stones.sets()[value as usize].contains(Point(p))).collect();
            assert_eq!(held, [colour], "point {p}");
            let mut chain = vec![p];
            let mut next = 0;
            while colour < EMPTY && next < chain.len() {
                for n in stones.near(chain[next]) {
                    if n != off && stones.at(n) == colour && !chain.contains(&n) {
                        chain.push(n);
                    }
                }
                next += 1;
            }
            if colour < EMPTY {
                hash ^= STONE[colour as usize][p as usize];
                count[colour as usize] += 1;
            }
            let libs =
                chain.iter().flat_map(|&q| stones.near(q)).filter(|&n| n != off && stones.at(n) == EMPTY).count();
            let head = stones.cell(p).head;
            let mut ring: Vec<u16> = stones.ring(head).collect();
            chain.sort();
            ring.sort();
            assert_eq!((ring, stones.cell(head).libs as usize), (chain, libs), "point {p}");
        }
        assert_eq!((stones.hash, stones.count), (hash, count));
    }

    #[test]
    fn counts_stay_right_through_puts_and_take_backs() {
        let mut rng = TestRng::new(11);
        for (width, height) in [(1, 1), (1, 4), (2, 2), (3, 3), (4, 5), (7, 7)] {
            let size = Size::new(width, height).unwrap();
            let mut stones = Stones::none(size);
            let mut done = Vec::new();
            for _ in 0..1500 {
                let empty: Vec<u16> = (0..size.area() as u16).filter(|&p| stones.at(p) == EMPTY).collect();
                if !done.is_empty() && (rng.below(5) < 2 || empty.is_empty()) {
                    let (colour, p, change) = done.pop().expect("not empty");
                    stones.take_back(colour, p, change);
                } else {
                    let p = empty[rng.below(empty.len())];
                    let colour = Colour::BOTH[rng.below(2)];
                    done.push((colour, p, stones.put(colour, p)));
                }
                recount(&stones, size);
            }
            while let Some((colour, p, change)) = done.pop() {
                stones.take_back(colour, p, change);
            }
            recount(&stones, size);
            assert_eq!((stones.hash, stones.removed.len()), (0, 0));
        }
    }
}
