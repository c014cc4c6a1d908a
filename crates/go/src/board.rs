//! A game of Go in progress: stones, whose turn, ko, superko history, passes, and the log that takes moves back.
//!
//! Not here: what is legal (`legality`), chains (`chains`), scores (`score`), pass-alive groups (`benson`), the `Placement` face (`placement`).

use tengen_game::zobrist::{KO, PASSES, WHITE_TO_PLAY, key};
use tengen_game::{Action, Colour, Point, PointSet, SetupError, Size};

use crate::chains::{Change, EMPTY, NONE, Stones};
use crate::flow::{Ended, Flow};
use crate::history::Past;
use crate::legality::Illegal;
use crate::rules::{End, GoRules, Ko};

mod inputs;

const FOURTH_PASS: u64 = key(0x7061_7373, 4);

/// What `undo` needs to know of one move; 24 bytes.
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
    /// Whether a stone was put down, not a pass or a pass for a ko.
    stone: bool,
    /// Whether the position was added to `past`.
    remembered: bool,
}

/// A position with the history its rules need. Cloning a game of 100 moves on 9x9 copies about 5 kB.
#[derive(Clone, Debug)]
pub struct GoBoard {
    pub(crate) rules: GoRules,
    pub(crate) stones: Stones,
    pub(crate) to_play: Colour,
    /// Point where the colour to play may not retake at once, or `NONE`.
    pub(crate) ko: u16,
    /// Passes in a row, counted up to 3.
    passes: u8,
    /// Whether every point was pass-alive or pass-alive territory after the last move (only with `early_end`).
    settled: bool,
    /// Stones taken by each colour; a suicide counts for the opponent.
    taken: [u32; 2],
    /// Where each colour has ever had a stone. A move to any other point makes a new position.
    pub(crate) touched: [PointSet; 2],
    pub(crate) past: Past,
    log: Vec<Done>,
    /// Clean-up phases, the button, cycles; only under rules that have them.
    pub(crate) flow: Option<Box<Flow>>,
}

impl GoBoard {
    /// The start of a game: an empty board, or the handicap stones of the rules and White to play.
    pub fn new(rules: &GoRules) -> GoBoard {
        let stones: Vec<_> = rules.handicap.iter().map(|p| (Colour::Black, p)).collect();
        let to_play = if stones.is_empty() { Colour::Black } else { Colour::White };
        GoBoard::with_stones(rules, &stones, to_play)
    }

    /// A board with stones laid in order; the caller has made sure that none of them takes any.
    pub(crate) fn with_stones(rules: &GoRules, stones: &[(Colour, Point)], to_play: Colour) -> GoBoard {
        let mut board = GoBoard {
            rules: *rules,
            stones: Stones::none(rules.size),
            to_play,
            ko: NONE,
            passes: 0,
            settled: false,
            taken: [0; 2],
            touched: [PointSet::EMPTY; 2],
            past: Past::default(),
            log: Vec::new(),
            flow: None,
        };
        for &(colour, p) in stones {
            board.stones.put(colour, p.0);
            board.touched[colour.index()].insert(p);
        }
        if rules.has_flow() {
            let moves = board.stones.count.map(i32::from);
            board.flow = Some(Box::new(Flow::new(moves, board.situation(board.stones.hash, to_play))));
        }
        if board.superko() {
            board.remember();
        }
        board.settled = rules.early_end && board.all_settled();
        board
    }

    /// Sets how many stones each colour has taken before this position, for counting by territory.
    pub fn set_taken(&mut self, black: u32, white: u32) {
        if let Some(flow) = &mut self.flow {
            // What White lost, Black has taken: White had played it.
            let change = |now: u32, before: u32| i32::try_from(i64::from(now) - i64::from(before)).unwrap_or(0);
            flow.add_moves([change(white, self.taken[1]), change(black, self.taken[0])]);
        }
        self.taken = [black, white];
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

    /// The empty points.
    #[inline]
    pub fn empty_points(&self) -> &PointSet {
        self.stones.empty_set()
    }

    /// A move as random games need it: any legal point that is no one-point eye of the colour to play, each as likely as
    /// the others, or a pass when there is none. `below` draws a number below the one it is given.
    #[inline]
    pub fn random_move(&self, mut below: impl FnMut(usize) -> usize) -> Action {
        let mut rest = *self.stones.empty_set();
        let stones: u16 = self.stones.count.iter().sum();
        for left in (1..=self.size().area() - usize::from(stones)).rev() {
            let Some(p) = rest.nth(below(left)) else { break };
            if !self.is_one_point_eye(self.to_play, p) && self.check_point(self.to_play, p.0).is_ok() {
                return Action::point(p);
            }
            rest.remove(p);
        }
        Action::PASS
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

    /// Passes in a row, counted up to 3 (to 4 where four end the game). A pass that takes the button doesn't count, nor
    /// do those that ended a phase.
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

    /// Whether play has ended by itself: two passes in a row or what else the rules say, or everything settled under
    /// `early_end`.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.settled
            || match &self.flow {
                None => self.passes >= 2,
                Some(flow) => flow.ended().is_some(),
            }
    }

    /// How the game has ended, if it has. Passes and cycles go before `Settled`.
    pub fn end(&self) -> Option<Ended> {
        let ended = match &self.flow {
            None => (self.passes >= 2).then_some(Ended::Passes),
            Some(flow) => flow.ended(),
        };
        ended.or(self.settled.then_some(Ended::Settled))
    }

    /// 0 while the game is played; under territory scoring 1 and 2 in the clean-up after it. In the clean-up a stone that
    /// takes a ko is blocked: who would retake it lifts the block instead, which takes the turn (a pass for the ko).
    /// Stones played before the second phase cost a point each, so that clearing dead stones in it is free.
    pub fn phase(&self) -> u8 {
        self.flow.as_ref().map_or(0, |flow| flow.phase())
    }

    /// Whether the play that people know has ended: the game is over, or in its clean-up.
    pub fn play_ended(&self) -> bool {
        self.phase() > 0 || self.is_over()
    }

    /// Who has taken the button.
    pub fn button(&self) -> Option<Colour> {
        self.flow.as_ref().and_then(|flow| flow.button())
    }

    pub(crate) fn flow(&self) -> Option<&Flow> {
        self.flow.as_deref()
    }

    /// Plays on after an end that was disputed, `first` to move: no passes in a row, no clean-up, no ko ban. Positions
    /// that superko forbids stay forbidden. `undo` takes back the move before it.
    pub fn resume(&mut self, first: Colour) {
        (self.passes, self.settled, self.ko, self.to_play) = (0, false, NONE, first);
        if let Some(flow) = &mut self.flow {
            flow.resume();
        }
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
            hash ^= PASSES.get(self.passes as usize).copied().unwrap_or(FOURTH_PASS);
        }
        match &self.flow {
            None => hash,
            Some(flow) => hash ^ flow.hash(&self.rules),
        }
    }

    /// Hash of the stones alone.
    pub fn stones_hash(&self) -> u64 {
        self.stones.hash
    }

    pub(crate) fn situation(&self, stones: u64, to_play: Colour) -> u64 {
        if to_play == Colour::White { stones ^ WHITE_TO_PLAY } else { stones }
    }

    /// What superko remembers of a position; only asked under superko.
    #[inline]
    pub(crate) fn superko_key(&self, stones: u64, to_play: Colour) -> u64 {
        let key = if self.rules.ko == Ko::Positional { stones } else { self.situation(stones, to_play) };
        match &self.flow {
            None => key,
            Some(flow) => key ^ flow.epoch(),
        }
    }

    /// Whether positions are remembered for good.
    #[inline]
    pub(crate) fn superko(&self) -> bool {
        self.rules.ko.is_superko()
    }

    /// A situation as cycles count it: stones, turn, blocked kos.
    fn full_situation(&self, to_play: Colour) -> u64 {
        let blocked = self.flow.as_ref().map_or(0, |flow| flow.situation_hash());
        self.situation(self.stones.hash, to_play) ^ blocked
    }

    /// Whether the opponent's last move left the stones as they were, and nothing came after it.
    pub(crate) fn last_changed_nothing(&self, colour: Colour) -> bool {
        self.log.last().is_some_and(|done| {
            let alone = done.change.suicide && self.stones.last_removed(1).count() == 1;
            done.colour != colour && colour == self.to_play && (!done.stone || alone)
        })
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
            stone: false,
            remembered: false,
        };
        self.ko = NONE;
        if self.flow.is_some() {
            self.place_in_flow(colour, action, &mut done);
        } else {
            self.to_play = !colour;
            if action == Action::PASS {
                self.passes = (self.passes + 1).min(3);
            } else {
                self.passes = 0;
                self.place_stone(colour, action.0, &mut done);
                if self.rules.ko == Ko::None {
                    self.ko = NONE;
                }
            }
            done.remembered = self.superko() && (done.stone || self.rules.ko == Ko::Situational);
        }
        if done.remembered {
            self.remember();
        }
        self.log.push(done);
        self.settled = self.rules.early_end && self.all_settled();
    }

    /// A move under rules with phases, the button or cycles. Kept out of the way of plain games.
    #[inline(never)]
    fn place_in_flow(&mut self, colour: Colour, action: Action, done: &mut Done) {
        let situation = self.full_situation(colour);
        let (stones, lifted) = (self.stones.hash, self.lifts_block(colour, action.0.min(self.size().area() as u16)));
        self.to_play = !colour;
        let Some(mut flow) = self.flow.take() else { return };
        flow.begin();
        let pass = action == Action::PASS;
        let (mut over, mut button) = (false, false);
        if pass {
            button = flow.take_button(&self.rules, colour);
            let most = if self.rules.end == End::Pairs { 4 } else { 3 };
            self.passes = if button { 0 } else { (self.passes + 1).min(most) };
            over = !button && (flow.pass(&self.rules, colour, situation) | self.passes_end(colour, flow.phase()));
        } else if let Some(stone) = lifted {
            self.passes = 0;
            flow.unblock(stone);
        } else {
            self.passes = 0;
            self.place_stone(colour, action.0, done);
            flow.stone(colour);
            if flow.phase() > 0 {
                if self.ko != NONE {
                    flow.block(stones, action.0, colour);
                    self.ko = NONE;
                }
                flow.drop_blocks(|p| self.stones.at(p) == EMPTY);
            } else if self.rules.ko == Ko::None {
                self.ko = NONE;
            }
        }
        let after = self.situation(self.stones.hash, self.to_play) ^ flow.situation_hash();
        if flow.advance(&self.rules, pass, over, after, (self.stones.points(), self.stones.hash)) {
            self.passes = 0;
        }
        self.flow = Some(flow);
        done.remembered = self.superko() && (done.stone || button || self.rules.ko == Ko::Situational);
    }

    /// Whether the passes in a row, the last by `colour`, end the phase.
    fn passes_end(&self, colour: Colour, phase: u8) -> bool {
        match self.rules.end {
            _ if phase > 0 => self.passes >= 2,
            _ if self.rules.ko == Ko::Spight => false,
            End::Passes | End::Repeat => self.passes >= 2,
            End::WhiteLast => self.passes >= 2 && colour == Colour::White || self.passes >= 3,
            End::Pairs => self.passes >= 4,
        }
    }

    // Plain games call it in one place and clean-ups in another; without the hint it becomes a call in both.
    #[inline(always)]
    fn place_stone(&mut self, colour: Colour, p: u16, done: &mut Done) {
        let before = self.stones.count;
        let change = self.stones.put(colour, p);
        done.change = change;
        done.stone = true;
        if change.removed > 0 {
            let gone = if change.suicide { colour } else { !colour };
            let own = u16::from(change.suicide);
            let stones = before[gone.index()] + own - self.stones.count[gone.index()];
            self.taken[(!gone).index()] += u32::from(stones);
            let cell = self.stones.cell(p);
            // One stone took one stone and can itself be taken there and nowhere else.
            if stones == 1 && !change.suicide && change.joins == 0 && cell.libs == 1 {
                self.ko = self.stones.last_removed(1).next().unwrap_or(NONE);
            }
        }
        if self.superko() {
            let touched = &mut self.touched[colour.index()];
            done.fresh = !touched.contains(Point(p));
            touched.insert(Point(p));
        }
    }

    /// Adds the position to those that superko forbids.
    fn remember(&mut self) {
        self.past.push(self.superko_key(self.stones.hash, self.to_play));
    }

    /// Takes the last move back, whoever played it. Does nothing on a board without moves.
    pub fn undo(&mut self) {
        let Some(done) = self.log.pop() else { return };
        if done.remembered {
            self.past.pop();
        }
        if let Some(flow) = &mut self.flow {
            flow.undo();
        }
        if done.stone {
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

/// The colour of a stored value.
#[inline]
pub(crate) fn colour_of(value: u8) -> Option<Colour> {
    match value {
        0 => Some(Colour::Black),
        1 => Some(Colour::White),
        _ => None,
    }
}
