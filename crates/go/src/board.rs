//! A game of Go in progress: stones, whose turn, ko, superko history, passes, and the log that takes moves back.
//!
//! Not here: chains (`chains`), scores (`score`), pass-alive groups (`benson`), the `Placement` face (`placement`).

use tengen_game::zobrist::{KO, PASSES, STONE, WHITE_TO_PLAY};
use tengen_game::{Action, Colour, MAX_POINTS, Point, PointSet, SetupError, Size};

use crate::chains::{Change, EMPTY, NONE, Stones};
use crate::history::Past;
use crate::rules::{GoRules, Ko, Suicide};

/// Why a move may not be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// Not a point of this board and not a pass.
    #[error("not a point of this board")]
    OffBoard,
    /// A stone is there.
    #[error("occupied")]
    Occupied,
    /// Takes the mover's own stones, which these rules forbid.
    #[error("suicide")]
    Suicide,
    /// Retakes a ko at once.
    #[error("ko")]
    Ko,
    /// Makes an earlier position again.
    #[error("superko")]
    Superko,
    /// The game has ended.
    #[error("the game is over")]
    Over,
}

/// What `undo` needs to know of one move; 22 bytes.
#[derive(Clone, Copy, Debug)]
struct Done {
    action: u16,
    /// Ko point before.
    ko: u16,
    change: Change,
    colour: Colour,
    /// Colour to play before (another one if the colours didn't alternate).
    to_play: Colour,
    /// Passes in a row before.
    passes: u8,
    /// Whether this colour had never had a stone there.
    fresh: bool,
    /// `settled` before; true only where play went on after the end.
    settled: bool,
}

/// A position with the history its rules need. Cloning a game of 100 moves on 9x9 copies about 5 kB.
#[derive(Clone, Debug)]
pub struct GoBoard {
    rules: GoRules,
    pub(crate) stones: Stones,
    to_play: Colour,
    /// Point where the colour to play may not retake at once, or `NONE`.
    ko: u16,
    /// Passes in a row, counted up to 3.
    passes: u8,
    /// Whether every point was pass-alive or pass-alive territory after the last move (only with `early_end`).
    settled: bool,
    /// Stones taken by each colour; a suicide counts for the opponent.
    taken: [u32; 2],
    /// Where each colour has ever had a stone. A move to any other point makes a new position.
    touched: [PointSet; 2],
    past: Past,
    log: Vec<Done>,
}

impl GoBoard {
    /// The empty board.
    pub fn new(rules: &GoRules) -> GoBoard {
        GoBoard::with_stones(rules, &[], Colour::Black)
    }

    /// A board with stones laid in order; the caller has made sure that none of them takes any.
    pub(crate) fn with_stones(rules: &GoRules, stones: &[(Colour, Point)], to_play: Colour) -> GoBoard {
        let mut board = GoBoard {
            rules: *rules,
            stones: Stones::empty(rules.size),
            to_play,
            ko: NONE,
            passes: 0,
            settled: false,
            taken: [0; 2],
            touched: [PointSet::EMPTY; 2],
            past: Past::default(),
            log: Vec::new(),
        };
        for &(colour, p) in stones {
            board.stones.put(colour, p.0);
            board.touched[colour.index()].insert(p);
        }
        board.remember();
        board.settled = rules.early_end && board.all_settled();
        board
    }

    /// The rules in force.
    pub fn rules(&self) -> &GoRules {
        &self.rules
    }

    /// Changes the komi of the game in progress, as GTP's `komi` does.
    ///
    /// # Errors
    /// As `GoRules::set_komi`.
    pub fn set_komi(&mut self, komi: f32) -> Result<(), SetupError> {
        self.rules.set_komi(komi)
    }

    /// Board size.
    pub fn size(&self) -> Size {
        self.rules.size
    }

    /// Colour of the next stone.
    pub fn to_play(&self) -> Colour {
        self.to_play
    }

    /// Gives the turn to `colour`. A ko ban on the other colour is gone then.
    pub fn set_to_play(&mut self, colour: Colour) {
        if colour != self.to_play {
            self.to_play = colour;
            self.ko = NONE;
        }
    }

    /// The stone on a point of the board.
    pub fn stone(&self, p: Point) -> Option<Colour> {
        colour_of(self.stones.at(p.0))
    }

    /// Writes the empty points to the front of `out`, in index order, and returns how many there are.
    #[inline]
    pub fn empty_points(&self, out: &mut [Point; MAX_POINTS]) -> usize {
        let mut n = 0;
        self.stones.each_empty(|p| {
            out[n] = Point(p);
            n += 1;
        });
        n
    }

    /// Number of stones of a colour on the board.
    pub fn stone_count(&self, colour: Colour) -> usize {
        usize::from(self.stones.count[colour.index()])
    }

    /// Stones that `colour` has taken; a suicide counts for the opponent.
    pub fn taken_by(&self, colour: Colour) -> u32 {
        self.taken[colour.index()]
    }

    /// Stones that the last move removed.
    pub fn last_captured(&self) -> impl Iterator<Item = Point> + '_ {
        let chains = self.log.last().map_or(0, |done| done.change.removed);
        self.stones.last_removed(chains).map(Point)
    }

    /// Passes in a row, counted up to 3.
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// Moves played so far, passes included; stones of a start position don't count.
    pub fn moves(&self) -> usize {
        self.log.len()
    }

    /// The move `back` plies ago (0 = the last) with its colour.
    pub fn move_back(&self, back: usize) -> Option<(Colour, Action)> {
        let done = &self.log[self.log.len().checked_sub(back + 1)?];
        Some((done.colour, Action(done.action)))
    }

    /// Two passes in a row, or everything settled under `early_end`.
    pub fn is_over(&self) -> bool {
        self.passes >= 2 || self.settled
    }

    /// Point that the colour to play may not retake at once. Also given under superko, where the ban follows from the
    /// history, and never without a ko rule.
    pub fn ko_point(&self) -> Option<Point> {
        (self.ko != NONE).then_some(Point(self.ko))
    }

    /// Liberties of the chain on `p`, counted once each; 0 for an empty point.
    pub fn liberties(&self, p: Point) -> usize {
        self.liberty_set(p).len()
    }

    /// The liberties of the chain on `p`; empty for an empty point.
    pub fn liberty_set(&self, p: Point) -> PointSet {
        let mut set = PointSet::EMPTY;
        if self.stones.at(p.0) < EMPTY {
            for stone in self.stones.ring(self.stones.cell(p.0).head) {
                for n in self.stones.near(stone) {
                    if self.stones.at(n) == EMPTY {
                        set.insert(Point(n));
                    }
                }
            }
        }
        set
    }

    /// The stones of the chain on `p`, and how many liberties it has; none for an empty point.
    pub fn chain(&self, p: Point) -> Option<(PointSet, usize)> {
        let stones = (self.stones.at(p.0) < EMPTY)
            .then(|| self.stones.ring(self.stones.cell(p.0).head).map(Point).collect::<PointSet>())?;
        Some((stones, self.liberties(p)))
    }

    /// Whether an empty point is a one-point eye of `colour` that random play must not fill: its own stones (or the
    /// edge) on all sides, and the opponent on at most one diagonal, on none at the edge. Without the diagonals, a ko
    /// would never be filled and games with two of them would never end.
    #[inline]
    pub fn is_one_point_eye(&self, colour: Colour, p: Point) -> bool {
        if self.stones.cell(p.0).libs != 0 || self.stones.at(p.0) != EMPTY {
            return false;
        }
        let own = colour as u8;
        let near = self.stones.near(p.0);
        // Beyond `EMPTY` is off the board.
        if !near.iter().all(|&n| self.stones.at(n) == own || self.stones.at(n) > EMPTY) {
            return false;
        }
        let [left, right, ..] = near;
        let (beside, across) = (self.stones.near(left), self.stones.near(right));
        let corners = [beside[2], beside[3], across[2], across[3]].map(|n| self.stones.at(n));
        let against = corners.iter().filter(|&&there| there == (!colour) as u8).count();
        let edge = corners.iter().any(|&there| there > EMPTY);
        against + usize::from(edge) < 2
    }

    /// Hash of stones, turn, ko ban and passes in a row.
    pub fn hash(&self) -> u64 {
        let mut hash = self.situation(self.stones.hash, self.to_play);
        if self.ko != NONE {
            hash ^= KO[self.ko as usize];
        }
        if self.passes > 0 {
            hash ^= PASSES[self.passes as usize];
        }
        hash
    }

    /// Hash of the stones alone.
    pub fn stones_hash(&self) -> u64 {
        self.stones.hash
    }

    fn situation(&self, stones: u64, to_play: Colour) -> u64 {
        if to_play == Colour::White { stones ^ WHITE_TO_PLAY } else { stones }
    }

    /// What superko remembers of a position; only asked under superko.
    fn superko_key(&self, stones: u64, to_play: Colour) -> u64 {
        if self.rules.ko == Ko::Situational { self.situation(stones, to_play) } else { stones }
    }

    #[inline]
    fn superko(&self) -> bool {
        matches!(self.rules.ko, Ko::Positional | Ko::Situational)
    }

    /// Whether `colour` may place or pass now, whoever's turn it is and whether or not the game is over. Tells why not.
    pub fn check(&self, colour: Colour, action: Action) -> Result<(), Illegal> {
        match action.as_point() {
            _ if action == Action::PASS => Ok(()),
            Some(p) if p.index() < self.size().area() => self.check_point(colour, p.0),
            _ => Err(Illegal::OffBoard),
        }
    }

    /// As `check`, for a point on the board.
    #[inline]
    pub(crate) fn check_point(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        if self.stones.at(p) != EMPTY {
            return Err(Illegal::Occupied);
        }
        self.check_empty(colour, p)
    }

    /// As `check`, for an empty point. With an empty neighbour there is no suicide, and no ko: a ko point has none.
    /// Then only superko is left, and it only where the colour has had a stone before.
    #[inline]
    pub(crate) fn check_empty(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        if self.stones.cell(p).libs == 0 {
            self.check_enclosed(colour, p)
        } else if self.superko() && self.touched[colour.index()].contains(Point(p)) {
            self.check_superko(colour, p, false)
        } else {
            Ok(())
        }
    }

    fn check_enclosed(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        let suicide = self.is_suicide(colour, p);
        if let Some(alone) = suicide {
            let allowed = match self.rules.suicide {
                Suicide::None => false,
                Suicide::Multi => !alone,
                Suicide::All => true,
            };
            if !allowed {
                return Err(Illegal::Suicide);
            }
        }
        match self.rules.ko {
            Ko::None => Ok(()),
            Ko::Simple if p == self.ko && colour == self.to_play => Err(Illegal::Ko),
            Ko::Simple => Ok(()),
            Ko::Positional | Ko::Situational => self.check_superko(colour, p, suicide.is_some()),
        }
    }

    /// For a point without empty neighbours: whether a stone there would be left without liberties, and if so whether
    /// it would be alone.
    #[inline]
    fn is_suicide(&self, colour: Colour, p: u16) -> Option<bool> {
        let near = self.stones.near(p);
        let heads = self.heads(near);
        let mut alone = true;
        for i in 0..4 {
            let there = self.stones.at(near[i]);
            if there >= EMPTY {
                continue;
            }
            let libs = self.stones.cell(heads[i]).libs;
            // A chain has at most four stones beside `p`; most have more liberties than that.
            let last_liberty = libs <= 4 && libs == count(&heads, heads[i]);
            if (there == colour as u8) != last_liberty {
                return None;
            }
            alone &= there != colour as u8;
        }
        Some(alone)
    }

    #[inline]
    fn heads(&self, near: [u16; 4]) -> [u16; 4] {
        let head = |n| self.stones.cell(n).head;
        [head(near[0]), head(near[1]), head(near[2]), head(near[3])]
    }

    fn check_superko(&self, colour: Colour, p: u16, suicide: bool) -> Result<(), Illegal> {
        if !suicide && !self.touched[colour.index()].contains(Point(p)) {
            return Ok(());
        }
        let hash = self.hash_after(colour, p, suicide);
        if self.past.contains(self.superko_key(hash, !colour)) { Err(Illegal::Superko) } else { Ok(()) }
    }

    /// Hash of the stones after a move.
    fn hash_after(&self, colour: Colour, p: u16, suicide: bool) -> u64 {
        let mut hash = self.stones.hash ^ STONE[colour.index()][p as usize];
        let gone = if suicide { colour } else { !colour };
        if suicide {
            hash ^= STONE[colour.index()][p as usize];
        }
        let near = self.stones.near(p);
        let heads = self.heads(near);
        for i in 0..4 {
            if self.stones.at(near[i]) != gone as u8 || heads[..i].contains(&heads[i]) {
                continue;
            }
            if self.stones.cell(heads[i]).libs == count(&heads, heads[i]) {
                for stone in self.stones.ring(heads[i]) {
                    hash ^= STONE[gone.index()][stone as usize];
                }
            }
        }
        hash
    }

    /// Places a stone or passes for the colour to play. Must be legal.
    #[inline]
    pub fn place(&mut self, action: Action) {
        let (to_play, ko) = (self.to_play, self.ko);
        self.place_as(self.to_play, action, to_play, ko);
    }

    /// Plays for any colour, as setup commands do: the turn need not be its own and a game that is over goes on. A ban
    /// of simple ko doesn't outlast a move out of turn.
    ///
    /// # Errors
    /// The move is refused, and nothing changes, when the rules forbid it to that colour.
    pub fn play_any(&mut self, colour: Colour, action: Action) -> Result<(), Illegal> {
        self.check(colour, action)?;
        let (to_play, ko) = (self.to_play, self.ko);
        self.set_to_play(colour);
        self.place_as(colour, action, to_play, ko);
        Ok(())
    }

    fn place_as(&mut self, colour: Colour, action: Action, to_play: Colour, ko: u16) {
        let mut done = Done {
            action: action.0,
            ko,
            change: Change::default(),
            colour,
            to_play,
            passes: self.passes,
            fresh: false,
            settled: self.settled,
        };
        self.ko = NONE;
        self.to_play = !colour;
        if action == Action::PASS {
            self.passes = (self.passes + 1).min(3);
        } else {
            self.passes = 0;
            self.place_stone(colour, action.0, &mut done);
        }
        if action != Action::PASS || self.rules.ko == Ko::Situational {
            self.remember();
        }
        self.log.push(done);
        self.settled = self.rules.early_end && self.all_settled();
    }

    #[inline]
    fn place_stone(&mut self, colour: Colour, p: u16, done: &mut Done) {
        let before = self.stones.count;
        let change = self.stones.put(colour, p);
        done.change = change;
        if change.removed > 0 {
            let gone = if change.suicide { colour } else { !colour };
            let own = u16::from(change.suicide);
            let stones = before[gone.index()] + own - self.stones.count[gone.index()];
            self.taken[(!gone).index()] += u32::from(stones);
            let cell = self.stones.cell(p);
            // One stone took one stone and can itself be taken there and nowhere else.
            if stones == 1 && !change.suicide && change.joins == 0 && cell.libs == 1 && self.rules.ko != Ko::None {
                self.ko = self.stones.last_removed(1).next().unwrap_or(NONE);
            }
        }
        if self.superko() {
            let touched = &mut self.touched[colour.index()];
            done.fresh = !touched.contains(Point(p));
            touched.insert(Point(p));
        }
    }

    fn remember(&mut self) {
        if self.superko() {
            self.past.push(self.superko_key(self.stones.hash, self.to_play));
        }
    }

    /// Takes the last move back, whoever played it. Does nothing on a board without moves.
    pub fn undo(&mut self) {
        let Some(done) = self.log.pop() else { return };
        if self.superko() && (done.action != Action::PASS.0 || self.rules.ko == Ko::Situational) {
            self.past.pop();
        }
        if done.action != Action::PASS.0 {
            let before = self.stones.count;
            self.stones.take_back(done.colour, done.action, done.change);
            let gone = if done.change.suicide { done.colour } else { !done.colour };
            let own = u16::from(done.change.suicide);
            let stones = self.stones.count[gone.index()] + own - before[gone.index()];
            self.taken[(!gone).index()] -= u32::from(stones);
            if done.fresh {
                self.touched[done.colour.index()].remove(Point(done.action));
            }
        }
        self.ko = done.ko;
        self.to_play = done.to_play;
        self.passes = done.passes;
        self.settled = done.settled;
    }
}

/// How many of four heads are this one.
#[inline]
fn count(heads: &[u16; 4], head: u16) -> u16 {
    heads.iter().map(|&h| u16::from(h == head)).sum()
}

/// The colour of a stored value.
#[inline]
pub(crate) fn colour_of(value: u8) -> Option<Colour> {
    match value {
        0 => Some(Colour::Black),
        1 => Some(Colour::White),
        _ => None,
    }
}
