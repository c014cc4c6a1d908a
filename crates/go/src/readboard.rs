//! A board for reading: chains with their stones and exact liberties as bit sets, moves that are made and taken back
//! quickly, and nothing else. Not here: rules beyond capture, suicide and simple ko; what is read (`ladder`).

use tengen_game::{Colour, MAX_POINTS, Size};

use crate::chains::{EMPTY, NONE};
use crate::geometry::Geometry;

const OFF_BOARD: u8 = 3;
/// Points and the one that stands for "off the board".
const POINTS: usize = MAX_POINTS + 1;

/// A chain; it keeps its data after it has joined another or was taken, for undoing that.
#[derive(Clone, Copy, Debug)]
struct Chain<const W: usize> {
    stones: [u64; W],
    libs: [u64; W],
    size: u16,
    libs_count: u16,
    colour: Colour,
}

/// One move, as far as undoing it needs.
#[derive(Clone, Copy, Debug)]
struct Done {
    p: u16,
    ko: u16,
    colour: Colour,
    /// The chain that the stone joined, which lies in `saved` as it was; `NONE` for a new chain.
    kept: u16,
    absorbed: Ids,
    taken: Ids,
}

/// Up to four chains.
#[derive(Clone, Copy, Debug, Default)]
struct Ids {
    ids: [u16; 4],
    len: usize,
}

impl Ids {
    fn add(&mut self, id: u16) -> bool {
        let new = !self.list().contains(&id);
        if new {
            self.ids[self.len] = id;
            self.len += 1;
        }
        new
    }

    fn list(&self) -> &[u16] {
        &self.ids[..self.len]
    }
}

/// Stones for reading; `W` words hold a bit for each point.
#[derive(Debug)]
pub(crate) struct ReadBoard<const W: usize> {
    geometry: &'static Geometry,
    size: Size,
    colours: [u8; POINTS],
    ids: [u16; POINTS],
    /// While loading: which provisional names belong together, and their chains' numbers.
    links: [u16; POINTS],
    numbers: [u16; POINTS],
    chains: Vec<Chain<W>>,
    stones: [[u64; W]; 2],
    /// All points but those of the first, of the last column.
    not_first: [u64; W],
    not_last: [u64; W],
    ko: u16,
    /// Hash of the stones, if any have been loaded.
    held: Option<u64>,
    done: Vec<Done>,
    saved: Vec<Chain<W>>,
}

#[inline]
fn has<const W: usize>(set: &[u64; W], p: u16) -> bool {
    set[p as usize >> 6] >> (p & 63) & 1 != 0
}

#[inline]
fn add<const W: usize>(set: &mut [u64; W], p: u16) {
    set[p as usize >> 6] |= 1 << (p & 63);
}

#[inline]
fn remove<const W: usize>(set: &mut [u64; W], p: u16) {
    set[p as usize >> 6] &= !(1 << (p & 63));
}

#[inline]
fn first<const W: usize>(set: &[u64; W]) -> u16 {
    let i = set.iter().position(|&word| word != 0).unwrap_or(0);
    i as u16 * 64 + (set[i].trailing_zeros() as u16 & 63)
}

fn each<const W: usize>(set: &[u64; W], mut f: impl FnMut(u16)) {
    for (i, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            f(i as u16 * 64 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

/// Bits moved up by `n` points.
#[inline]
fn up<const W: usize>(set: &[u64; W], n: usize) -> [u64; W] {
    let mut out = [0; W];
    for i in 0..W {
        let below = if i == 0 { 0 } else { set[i - 1] };
        out[i] = set[i] << n | below >> (63 - n) >> 1;
    }
    out
}

/// Bits moved down by `n` points.
#[inline]
fn down<const W: usize>(set: &[u64; W], n: usize) -> [u64; W] {
    let mut out = [0; W];
    for i in 0..W {
        let above = if i + 1 == W { 0 } else { set[i + 1] };
        out[i] = set[i] >> n | above << (63 - n) << 1;
    }
    out
}

impl<const W: usize> ReadBoard<W> {
    /// A board of up to `64 * W` points.
    pub(crate) fn new(size: Size) -> ReadBoard<W> {
        let mut board = ReadBoard {
            geometry: Geometry::of(size),
            size,
            colours: [OFF_BOARD; POINTS],
            ids: [NONE; POINTS],
            links: [0; POINTS],
            numbers: [0; POINTS],
            chains: Vec::with_capacity(256),
            stones: [[0; W]; 2],
            not_first: [0; W],
            not_last: [0; W],
            ko: NONE,
            held: None,
            done: Vec::with_capacity(64),
            saved: Vec::with_capacity(64),
        };
        board.resize(size);
        board
    }

    fn resize(&mut self, size: Size) {
        (self.size, self.geometry) = (size, Geometry::of(size));
        (self.not_first, self.not_last) = ([0; W], [0; W]);
        for p in size.points() {
            let (x, _) = size.xy(p);
            if x > 0 {
                add(&mut self.not_first, p.0);
            }
            if x + 1 < size.width() {
                add(&mut self.not_last, p.0);
            }
        }
    }

    /// Whether the board holds the stones that have this hash.
    pub(crate) fn holds(&self, size: Size, hash: u64) -> bool {
        self.size == size && self.held == Some(hash)
    }

    /// Plays a move for good, unless it is time to load anew; `hash` is that of the stones after it.
    pub(crate) fn advance(&mut self, p: u16, colour: Colour, hash: u64) -> bool {
        // Chains that are gone keep their numbers, and with them some work at every reading.
        if self.chains.len() > 2 * self.area() {
            return false;
        }
        self.play(p, colour);
        if let Some(done) = self.done.pop() {
            done.absorbed.list().iter().for_each(|&id| self.chains[id as usize].libs_count = 0);
        }
        self.saved.clear();
        self.held = Some(hash);
        true
    }

    /// Takes over the stones of a position, whose hash is `hash`, without any ko ban. `fill` writes 0, 1 or 2 (empty) for every point; if it also knows the chains, it writes one
    /// of the points of its chain for every stone and says so.
    pub(crate) fn load(&mut self, size: Size, hash: u64, fill: impl FnOnce(&mut [u8], &mut [u16]) -> bool) {
        if size != self.size {
            self.resize(size);
        }
        let area = size.area();
        let named = fill(&mut self.colours[..area], &mut self.ids[..area]);
        self.colours[area] = OFF_BOARD;
        (self.stones, self.ko, self.held) = ([[0; W]; 2], NONE, Some(hash));
        self.chains.clear();
        self.done.clear();
        self.saved.clear();
        if named {
            (0..area).for_each(|p| self.links[p] = p as u16);
        } else {
            self.name_chains();
        }
        self.numbers[..area].fill(NONE);
        self.fill_chains();
    }

    /// Gives every stone a name in `ids` that leads, through `links`, to that of its chain.
    fn name_chains(&mut self) {
        let mut names = 0;
        for p in 0..self.size.area() {
            let value = self.colours[p];
            if value >= EMPTY {
                continue;
            }
            let [left, _, above, _] = self.geometry.near[p];
            let name = match [left, above].map(|n| self.colours[n as usize] == value) {
                [true, false] => self.ids[left as usize],
                [false, true] => self.ids[above as usize],
                [true, true] => {
                    let (a, b) = (self.root(self.ids[left as usize]), self.root(self.ids[above as usize]));
                    self.links[a as usize] = b;
                    b
                }
                [false, false] => {
                    self.links[names] = names as u16;
                    names += 1;
                    names as u16 - 1
                }
            };
            self.ids[p] = name;
        }
        // Names are links to lower or later ones; from here on each leads to its root at once.
        for name in 0..names {
            self.links[name] = self.root(name as u16);
        }
    }

    fn root(&self, name: u16) -> u16 {
        let mut at = name;
        while self.links[at as usize] != at {
            at = self.links[at as usize];
        }
        at
    }

    /// Numbers the chains by their first stones and collects stones and liberties.
    fn fill_chains(&mut self) {
        let mut empty = [0; W];
        for p in 0..self.size.area() as u16 {
            let value = self.colours[p as usize];
            if value >= EMPTY {
                add(&mut empty, p);
                self.ids[p as usize] = NONE;
                continue;
            }
            let colour = if value == 0 { Colour::Black } else { Colour::White };
            let number = &mut self.numbers[self.links[self.ids[p as usize] as usize] as usize];
            if *number == NONE {
                *number = self.chains.len() as u16;
                self.chains.push(Chain { stones: [0; W], libs: [0; W], size: 0, libs_count: 0, colour });
            }
            self.ids[p as usize] = *number;
            let chain = &mut self.chains[*number as usize];
            add(&mut chain.stones, p);
            chain.size += 1;
        }
        for chain in &self.chains {
            let all = &mut self.stones[chain.colour.index()];
            (0..W).for_each(|i| all[i] |= chain.stones[i]);
        }
        each(&empty, |p| {
            for n in self.geometry.near[p as usize] {
                if self.colours[n as usize] < EMPTY {
                    let chain = &mut self.chains[self.ids[n as usize] as usize];
                    chain.libs_count += u16::from(!has(&chain.libs, p));
                    add(&mut chain.libs, p);
                }
            }
        });
    }

    pub(crate) fn area(&self) -> usize {
        self.size.area()
    }

    /// Chains of the position, and among them some that are gone, which have no liberties; moves add more, and undoing
    /// them takes these away again.
    pub(crate) fn chains(&self) -> usize {
        self.chains.len()
    }

    #[inline]
    pub(crate) fn id(&self, stone: u16) -> usize {
        self.ids[stone as usize] as usize
    }

    #[inline]
    pub(crate) fn colour(&self, id: usize) -> Colour {
        self.chains[id].colour
    }

    #[inline]
    pub(crate) fn liberties(&self, id: usize) -> u16 {
        self.chains[id].libs_count
    }

    pub(crate) fn first_stone(&self, id: usize) -> u16 {
        first(&self.chains[id].stones)
    }

    pub(crate) fn each_stone(&self, id: usize, f: impl FnMut(u16)) {
        each(&self.chains[id].stones, f);
    }

    /// The liberty of a chain that has one.
    #[inline]
    pub(crate) fn one_liberty(&self, id: usize) -> u16 {
        first(&self.chains[id].libs)
    }

    /// The liberties of a chain that has two, in index order.
    #[inline]
    pub(crate) fn two_liberties(&self, id: usize) -> [u16; 2] {
        let mut libs = self.chains[id].libs;
        let one = first(&libs);
        remove(&mut libs, one);
        [one, first(&libs)]
    }

    /// Where the colour to play may not retake a ko.
    pub(crate) fn ko(&self) -> Option<u16> {
        (self.ko != NONE).then_some(self.ko)
    }

    /// Sets the ko point and returns the one before.
    pub(crate) fn set_ko(&mut self, ko: Option<u16>) -> Option<u16> {
        let before = self.ko();
        self.ko = ko.unwrap_or(NONE);
        before
    }

    /// Empty neighbours.
    pub(crate) fn room(&self, p: u16) -> u16 {
        let near = self.geometry.near[p as usize];
        near.iter().map(|&n| u16::from(self.colours[n as usize] == EMPTY)).sum()
    }

    /// Whether a stone on the empty point leaves its chain a liberty and is no forbidden ko.
    #[inline]
    pub(crate) fn may_play(&self, p: u16, colour: Colour) -> bool {
        p != self.ko
            && self.geometry.near[p as usize].iter().any(|&n| match self.colours[n as usize] {
                EMPTY => true,
                OFF_BOARD => false,
                there => (there == colour as u8) != (self.chains[self.id(n)].libs_count == 1),
            })
    }

    /// Liberties that a stone of `colour` would have at least and at most.
    pub(crate) fn liberties_after(&self, p: u16, colour: Colour) -> (u16, u16) {
        let (mut room, mut takes, mut taken, mut joined, mut longest) = (0, 0, 0, 0, 0);
        for n in self.geometry.near[p as usize] {
            match self.colours[n as usize] {
                EMPTY => room += 1,
                OFF_BOARD => {}
                there => {
                    let chain = &self.chains[self.id(n)];
                    if there == colour as u8 {
                        joined += chain.libs_count - 1;
                        longest = longest.max(chain.libs_count - 1);
                    } else if chain.libs_count == 1 {
                        takes += 1;
                        taken += chain.size;
                    }
                }
            }
        }
        (takes + longest.max(room), room + taken + joined)
    }

    /// The same exactly, by trying.
    pub(crate) fn exact_liberties_after(&mut self, p: u16, colour: Colour) -> u16 {
        self.play(p, colour);
        let libs = self.chains[self.id(p)].libs_count;
        self.undo();
        libs
    }

    /// Whether the chain of two liberties is caught by an atari at `p`, which leaves it `other`, as far as that can be
    /// told without playing. (The atari may still be forbidden where the answer is no.)
    pub(crate) fn told(&self, id: usize, p: u16, other: u16) -> Option<bool> {
        let colour = self.chains[id].colour as u8;
        let (mut room, mut longest, mut joined, mut takes) = (0, 0, 0, false);
        for n in self.geometry.near[other as usize] {
            match self.colours[n as usize] {
                EMPTY => room += u16::from(n != p),
                OFF_BOARD => {}
                there => {
                    let chain = &self.chains[self.id(n)];
                    if there == colour {
                        let libs = chain.libs_count - 1 - u16::from(has(&chain.libs, p));
                        longest = longest.max(libs);
                        joined += libs;
                    } else {
                        takes |= chain.libs_count == 1;
                    }
                }
            }
        }
        match room + joined {
            _ if room >= 3 || longest >= 3 => Some(false),
            0..=1 if !takes && self.is_safe_atari(p, colour) && self.takes_beside(id) == [0; W] => Some(true),
            _ => None,
        }
    }

    /// Whether a stone at `p` against `colour` takes nothing and is sure to have two liberties.
    fn is_safe_atari(&self, p: u16, colour: u8) -> bool {
        let (mut room, mut longest) = (0, 0);
        for n in self.geometry.near[p as usize] {
            match self.colours[n as usize] {
                EMPTY => room += 1,
                OFF_BOARD => {}
                there => {
                    let libs = self.chains[self.id(n)].libs_count - 1;
                    if there != colour {
                        longest = longest.max(libs);
                    } else if libs == 0 {
                        return false;
                    }
                }
            }
        }
        p != self.ko && (room >= 2 || longest >= 2)
    }

    /// Twice the liberties, less 3, of the chains of `colour` beside `p` that have more than one.
    pub(crate) fn joins_worth(&self, p: u16, colour: Colour) -> u16 {
        let near = self.geometry.near[p as usize];
        let own = near.iter().filter(|&&n| self.colours[n as usize] == colour as u8);
        own.map(|&n| (2 * self.chains[self.id(n)].libs_count).saturating_sub(3)).sum()
    }

    /// Whether a stone of `colour` on the empty point would take a single stone, and nothing else, among enemies alone.
    pub(crate) fn takes_ko(&self, p: u16, colour: Colour) -> bool {
        let mut single = None;
        for n in self.geometry.near[p as usize] {
            match self.colours[n as usize] {
                OFF_BOARD => {}
                there if there == EMPTY || there == colour as u8 => return false,
                _ if self.chains[self.id(n)].libs_count != 1 => {}
                _ if single.is_some() => return false,
                _ => single = Some(self.chains[self.id(n)].size),
            }
        }
        single == Some(1)
    }

    /// The last liberties of the enemy chains in atari beside a chain.
    pub(crate) fn takes_beside(&self, id: usize) -> [u64; W] {
        let Chain { stones, colour, .. } = &self.chains[id];
        let width = self.size.width();
        let (right, left) = (up(stones, 1), down(stones, 1));
        let (below, above) = (up(stones, width), down(stones, width));
        let enemies = &self.stones[(!*colour).index()];
        let mut beside = [0; W];
        for i in 0..W {
            beside[i] = (right[i] & self.not_first[i] | left[i] & self.not_last[i] | below[i] | above[i]) & enemies[i];
        }
        let mut takes = [0; W];
        for i in 0..W {
            while beside[i] != 0 {
                let n = i as u16 * 64 + beside[i].trailing_zeros() as u16;
                let chain = &self.chains[self.id(n)];
                for k in i..W {
                    beside[k] &= !chain.stones[k];
                }
                if chain.libs_count == 1 {
                    (0..W).for_each(|k| takes[k] |= chain.libs[k]);
                }
            }
        }
        takes
    }

    /// Plays a stone that `may_play` allows, takes what it takes.
    pub(crate) fn play(&mut self, p: u16, colour: Colour) {
        let near = self.geometry.near[p as usize];
        let (mut own, mut enemies, mut taken) = (Ids::default(), Ids::default(), Ids::default());
        let own_value = colour as u8;
        self.colours[p as usize] = own_value;
        add(&mut self.stones[colour.index()], p);
        for n in near {
            let there = self.colours[n as usize];
            if there >= EMPTY {
                continue;
            }
            let id = self.ids[n as usize];
            if there == own_value {
                own.add(id);
            } else if enemies.add(id) {
                let chain = &mut self.chains[id as usize];
                remove(&mut chain.libs, p);
                chain.libs_count -= 1;
                if chain.libs_count == 0 {
                    taken.add(id);
                }
            }
        }
        let mut done = Done { p, ko: self.ko, colour, kept: NONE, absorbed: Ids::default(), taken };
        let id = self.connect(p, colour, own, &mut done);
        for &gone in taken.list() {
            self.take(gone as usize, own_value);
        }
        let chain = &self.chains[id as usize];
        let one = taken.len == 1 && self.chains[taken.ids[0] as usize].size == 1;
        let ko = one && chain.size == 1 && chain.libs_count == 1;
        self.ko = if ko { first(&chain.libs) } else { NONE };
        self.done.push(done);
    }

    /// Makes the stone at `p` a part of the largest chain beside it, together with the others; returns its name.
    fn connect(&mut self, p: u16, colour: Colour, own: Ids, done: &mut Done) -> u16 {
        let largest = own.list().iter().copied().max_by_key(|&id| self.chains[id as usize].size);
        let id = largest.unwrap_or(self.chains.len() as u16);
        if largest.is_none() {
            self.chains.push(Chain { stones: [0; W], libs: [0; W], size: 0, libs_count: 0, colour });
        } else {
            done.kept = id;
            self.saved.push(self.chains[id as usize]);
        }
        let chain = &mut self.chains[id as usize];
        if largest.is_some() {
            remove(&mut chain.libs, p);
            chain.libs_count -= 1;
        }
        add(&mut chain.stones, p);
        chain.size += 1;
        self.ids[p as usize] = id;
        for n in self.geometry.near[p as usize] {
            if self.colours[n as usize] == EMPTY && !has(&chain.libs, n) {
                add(&mut chain.libs, n);
                chain.libs_count += 1;
            }
        }
        for &other in own.list().iter().filter(|&&other| other != id) {
            let Chain { stones, libs, size, .. } = self.chains[other as usize];
            each(&stones, |q| self.ids[q as usize] = id);
            let chain = &mut self.chains[id as usize];
            for i in 0..W {
                chain.stones[i] |= stones[i];
                chain.libs[i] |= libs[i];
            }
            remove(&mut chain.libs, p);
            chain.size += size;
            chain.libs_count = chain.libs.iter().map(|word| word.count_ones() as u16).sum();
            done.absorbed.add(other);
        }
        id
    }

    /// Takes a chain off; its neighbours of the value `own` get liberties.
    fn take(&mut self, gone: usize, own: u8) {
        let Chain { stones, colour, .. } = self.chains[gone];
        let all = &mut self.stones[colour.index()];
        (0..W).for_each(|i| all[i] &= !stones[i]);
        each(&stones, |q| {
            self.colours[q as usize] = EMPTY;
            for n in self.geometry.near[q as usize] {
                if self.colours[n as usize] == own {
                    let chain = &mut self.chains[self.ids[n as usize] as usize];
                    chain.libs_count += u16::from(!has(&chain.libs, q));
                    add(&mut chain.libs, q);
                }
            }
        });
    }

    /// The inverse of `take`.
    fn put_back(&mut self, gone: usize, own: u8) {
        let Chain { stones, colour, .. } = self.chains[gone];
        let all = &mut self.stones[colour.index()];
        (0..W).for_each(|i| all[i] |= stones[i]);
        each(&stones, |q| {
            self.colours[q as usize] = colour as u8;
            self.ids[q as usize] = gone as u16;
            for n in self.geometry.near[q as usize] {
                if self.colours[n as usize] == own {
                    let chain = &mut self.chains[self.ids[n as usize] as usize];
                    chain.libs_count -= u16::from(has(&chain.libs, q));
                    remove(&mut chain.libs, q);
                }
            }
        });
    }

    /// Takes the last move back.
    pub(crate) fn undo(&mut self) {
        let Some(done) = self.done.pop() else { return };
        let Done { p, ko, colour, kept, absorbed, taken } = done;
        for &gone in taken.list() {
            self.put_back(gone as usize, colour as u8);
        }
        for &other in absorbed.list() {
            let stones = self.chains[other as usize].stones;
            each(&stones, |q| self.ids[q as usize] = other);
        }
        if kept == NONE {
            self.chains.truncate(self.chains.len() - 1);
        } else if let Some(chain) = self.saved.pop() {
            self.chains[kept as usize] = chain;
        }
        self.colours[p as usize] = EMPTY;
        remove(&mut self.stones[colour.index()], p);
        self.ids[p as usize] = NONE;
        let mut enemies = Ids::default();
        for n in self.geometry.near[p as usize] {
            if self.colours[n as usize] == (!colour) as u8 && enemies.add(self.ids[n as usize]) {
                let chain = &mut self.chains[self.ids[n as usize] as usize];
                add(&mut chain.libs, p);
                chain.libs_count += 1;
            }
        }
        self.ko = ko;
    }
}
