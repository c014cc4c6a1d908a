//! Ladders: which chains of one or two liberties can be caught by ataris alone, and which first moves do it.
//!
//! A chain of one liberty is caught when it can't escape although it moves first; one of two liberties when an atari of
//! the opponent leads there. The defender extends or takes stones that surround it, the attacker only gives atari; the
//! defender is safe with two liberties after the attacker's move or three after its own. Kos favour the defender: it may
//! retake at once when reading starts, and a move that leaves a ko to be retaken is no atari. Only a defender whose two
//! liberties are both mouths of kos that gain nothing, with nothing to take, is caught. Suicide is never read. Reading
//! one chain stops after 25,000 moves, and the chain counts as free. These are the conventions of KataGo's inputs
//! (`Board::searchIsLadderCaptured`, v1.17), so that networks see the same.
//!
//! Works on its own small board with exact liberties; the game's counts them more than once. Not here: superko, life.

use tengen_game::zobrist::{KO, mix};
use tengen_game::{Colour, Point, PointSet};

use crate::board::GoBoard;
use crate::chains::NONE;
use crate::readboard::ReadBoard;

/// Most moves tried for one chain.
const NODES_MAX: u32 = 25_000;
/// Results kept, a power of two; half a kilobyte each.
const KEPT: usize = 1024;

/// What ladders there are in a position, whoever is to play, and how few liberties chains have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladders {
    /// Stones of chains that are caught.
    pub caught: PointSet,
    /// First moves of working ladders against chains of two liberties, by the colour of the chain, Black's first.
    pub moves: [PointSet; 2],
    /// Stones of chains with exactly one, two, three liberties.
    pub few: [PointSet; 3],
}

impl Ladders {
    /// No ladders.
    pub const NONE: Ladders =
        Ladders { caught: PointSet::EMPTY, moves: [PointSet::EMPTY; 2], few: [PointSet::EMPTY; 3] };
}

/// Reads ladders, with boards to do it on and the last results; they depend on stones and ko point alone, and whoever
/// reads a position has mostly read the one before. After the first positions of a size nothing is allocated.
#[derive(Debug)]
pub struct LadderReader {
    /// For up to 128, 384 and 640 points.
    small: Option<Box<ReadBoard<2>>>,
    middle: Option<Box<ReadBoard<6>>>,
    large: Option<Box<ReadBoard<10>>>,
    kept: Vec<Option<(u64, Ladders)>>,
}

impl Default for LadderReader {
    fn default() -> LadderReader {
        LadderReader::new()
    }
}

impl LadderReader {
    /// A reader that remembers its last results.
    pub fn new() -> LadderReader {
        LadderReader { kept: vec![None; KEPT], ..LadderReader::forgetful() }
    }

    /// A reader that remembers no result, for measuring.
    pub fn forgetful() -> LadderReader {
        LadderReader { small: None, middle: None, large: None, kept: Vec::new() }
    }

    /// Ladders on the board as it was `back` moves ago (0 = now). None if there were fewer moves.
    pub fn read(&mut self, board: &GoBoard, back: usize) -> Option<Ladders> {
        if back > board.moves() {
            return None;
        }
        let size = board.size();
        let (stones, ko) = (board.past_stones(back), board.past_ko(back));
        let key = stones ^ KO.get(ko as usize).copied().unwrap_or(0) ^ mix((size.width() * 32 + size.height()) as u64);
        if let Some(Some((known, ladders))) = self.kept.get(key as usize % KEPT)
            && *known == key
        {
            return Some(*ladders);
        }
        let ladders = match size.area() {
            0..=128 => read_on(&mut self.small, board, back, stones),
            129..=384 => read_on(&mut self.middle, board, back, stones),
            _ => read_on(&mut self.large, board, back, stones),
        };
        if let Some(entry) = self.kept.get_mut(key as usize % KEPT) {
            *entry = Some((key, ladders));
        }
        Some(ladders)
    }
}

impl GoBoard {
    /// Ladders on the board as it is. For many positions a `LadderReader` is quicker.
    pub fn ladders(&self) -> Ladders {
        LadderReader::forgetful().read(self, 0).unwrap_or(Ladders::NONE)
    }
}

/// Ladders on the board as it was `back` moves ago, when its stones had the hash `stones`.
fn read_on<const W: usize>(slot: &mut Option<Box<ReadBoard<W>>>, board: &GoBoard, back: usize, stones: u64) -> Ladders {
    let size = board.size();
    let on = slot.get_or_insert_with(|| Box::new(ReadBoard::new(size)));
    // Mostly the stones are those of the last reading, or one move on from there.
    let ready = on.holds(size, stones)
        || board
            .past_stone(back)
            .is_some_and(|(colour, p)| on.holds(size, board.past_stones(back + 1)) && on.advance(p, colour, stones));
    if !ready {
        on.load(size, stones, |points, names| board.past_points(back, points, names));
    }
    let ko = board.past_ko(back);
    on.set_ko((ko != NONE).then_some(ko));
    let mut found = Ladders::NONE;
    for id in 0..on.chains() {
        let colour = on.colour(id);
        if let few @ 1..=3 = on.liberties(id) {
            on.each_stone(id, |p| found.few[few as usize - 1].insert(Point(p)));
        }
        let caught = match on.liberties(id) {
            1 => Reading::new(on, id).defend_first(),
            2 => {
                let both = on.two_liberties(id);
                let works = [(both[0], both[1]), (both[1], both[0])].map(|(p, other)| {
                    let works = starts_ladder(on, id, p, other);
                    if works {
                        found.moves[colour.index()].insert(Point(p));
                    }
                    works
                });
                works[0] || works[1]
            }
            _ => false,
        };
        if caught {
            on.each_stone(id, |p| found.caught.insert(Point(p)));
        }
    }
    found
}

/// Whether the atari at `p` catches the chain.
fn starts_ladder<const W: usize>(on: &mut ReadBoard<W>, id: usize, p: u16, other: u16) -> bool {
    on.told(id, p, other).unwrap_or_else(|| {
        let colour = on.colour(id);
        on.may_play(p, !colour) && {
            on.play(p, !colour);
            let works = Reading::new(on, id).defend_first();
            on.undo();
            works
        }
    })
}

/// The reading of one chain.
struct Reading<'a, const W: usize> {
    on: &'a mut ReadBoard<W>,
    /// A stone of the chain; chains may be renamed when they join.
    stone: u16,
    defender: Colour,
    nodes: u32,
    depth_max: usize,
}

impl<'a, const W: usize> Reading<'a, W> {
    fn new(on: &'a mut ReadBoard<W>, id: usize) -> Reading<'a, W> {
        let (stone, defender) = (on.first_stone(id), on.colour(id));
        // A little more than the board, because stones are retaken.
        let depth_max = on.area() * 3 / 2;
        Reading { on, stone, defender, nodes: 0, depth_max }
    }

    /// Whether the chain of one liberty is caught although it moves first, free to retake a ko.
    fn defend_first(&mut self) -> bool {
        let ko = self.on.set_ko(None);
        let caught = self.defend(0);
        self.on.set_ko(ko);
        caught && self.nodes < NODES_MAX
    }

    /// Whether the chain is caught with the defender to move.
    fn defend(&mut self, depth: usize) -> bool {
        let id = self.on.id(self.stone);
        if self.on.liberties(id) >= 2 || self.on.ko().is_some() {
            return false;
        }
        if depth >= self.depth_max {
            return true;
        }
        let way_out = self.on.one_liberty(id);
        let (least, most) = self.on.liberties_after(way_out, self.defender);
        if least >= 3 {
            return false;
        }
        let mut takes = self.on.takes_beside(id);
        if most <= 1 && takes == [0; W] {
            return true;
        }
        while let Some(p) = pop(&mut takes) {
            if p != way_out && self.frees(p, depth) {
                return false;
            }
        }
        !self.frees(way_out, depth)
    }

    /// Whether the defender escapes by a move.
    fn frees(&mut self, p: u16, depth: usize) -> bool {
        if !self.on.may_play(p, self.defender) {
            return false;
        }
        if self.nodes >= NODES_MAX {
            return true;
        }
        self.nodes += 1;
        self.on.play(p, self.defender);
        let caught = self.attack(depth + 1);
        self.on.undo();
        !caught
    }

    /// Whether the chain is caught with the attacker to move.
    fn attack(&mut self, depth: usize) -> bool {
        let id = self.on.id(self.stone);
        match self.on.liberties(id) {
            ..=1 => return true,
            2 => {}
            _ => return false,
        }
        if depth >= self.depth_max {
            return true;
        }
        let [mut first, mut second] = self.on.two_liberties(id);
        let room = [first, second].map(|p| self.on.room(p));
        if room == [0, 0] && self.between_kos(id, first, second) {
            return true;
        }
        // The more useful move for the defender first.
        let worth =
            [(first, room[0]), (second, room[1])].map(|(p, room)| 2 * room + self.on.joins_worth(p, self.defender));
        if worth[1] > worth[0] {
            (first, second) = (second, first);
        }
        self.catches(id, first, second, depth) || self.catches(id, second, first, depth)
    }

    /// Both liberties are mouths of kos, filling one gains nothing, and nothing beside the chain can be taken.
    fn between_kos(&mut self, id: usize, first: u16, second: u16) -> bool {
        [first, second]
            .iter()
            .all(|&p| self.on.takes_ko(p, !self.defender) && self.on.exact_liberties_after(p, self.defender) <= 2)
            && self.on.takes_beside(id) == [0; W]
    }

    /// Whether the atari at `p`, which leaves the liberty `other`, catches the chain.
    fn catches(&mut self, id: usize, p: u16, other: u16, depth: usize) -> bool {
        if let Some(caught) = self.on.told(id, p, other) {
            return caught;
        }
        if !self.on.may_play(p, !self.defender) {
            return false;
        }
        if self.nodes >= NODES_MAX {
            return false;
        }
        self.nodes += 1;
        self.on.play(p, !self.defender);
        let caught = self.defend(depth + 1);
        self.on.undo();
        caught
    }
}

/// Takes the lowest point out of a set.
fn pop<const W: usize>(set: &mut [u64; W]) -> Option<u16> {
    let i = set.iter().position(|&word| word != 0)?;
    let p = i as u16 * 64 + set[i].trailing_zeros() as u16;
    set[i] &= set[i] - 1;
    Some(p)
}
