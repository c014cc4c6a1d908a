//! How a game goes on and ends beyond two passes in a row: clean-up phases, blocked kos, the button, long cycles, passes
//! from a situation passed from before.
//!
//! Formulas and order follow KataGo's rules, version 2, whose territory rules need no judge. Kept only for rules that
//! ask for it (`GoRules::has_flow`); one copy of the small state a move makes undo exact. Not here: stones, legality.

use tengen_game::zobrist::key;
use tengen_game::{Colour, Point, PointSet};

use crate::rules::{Cycle, End, GoRules, Ko, Scoring};

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// By passes; the score decides.
    Passes,
    /// Every point is settled (`early_end`); the score decides.
    Settled,
    /// A long cycle without a result.
    NoResult,
    /// A long cycle that counts as a draw.
    Draw,
}

const BLOCK_KIND: u64 = 0x626c_6f63;
const PHASE_KIND: u64 = 0x7068_6173;
const START_KIND: u64 = 0x7374_6172;
const MOVES_KIND: u64 = 0x6d6f_7665;
const BUTTON: u64 = key(0x6275_7474, 1);

/// The state that a move may change; copied for each move.
#[derive(Clone, Copy, Debug)]
struct State {
    /// 0 while the game is played, 1 and 2 in the clean-up.
    phase: u8,
    ended: Option<Ended>,
    /// Who has taken the button.
    button: Option<Colour>,
    /// Single stones that took a ko in the clean-up and may not be retaken before the block is lifted.
    blocked: PointSet,
    blocked_hash: u64,
    /// Stones played by each colour before the second clean-up, start positions included.
    moves: [i32; 2],
    /// Hash of the stones at the start of the second clean-up.
    start_hash: u64,
    /// Where the lists that count now begin, and how long they were before this move.
    situations: (u32, u32),
    passes: (u32, u32),
    captures: (u32, u32),
}

/// All of it, with what undo needs.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    now: State,
    log: Vec<State>,
    /// Situations after each move; those from `now.situations.0` on count for cycles.
    situations: Vec<u64>,
    /// Who passed, and the situation before it.
    passes: Vec<(Colour, u64)>,
    /// Kos taken in the clean-up: stones before, point, colour.
    captures: Vec<(u64, u16, Colour)>,
    /// What lay on the points when the second clean-up began.
    start: Vec<u8>,
}

impl Flow {
    /// `moves`: stones already on the board.
    pub(crate) fn new(moves: [i32; 2], situation: u64) -> Flow {
        let now = State {
            phase: 0,
            ended: None,
            button: None,
            blocked: PointSet::EMPTY,
            blocked_hash: 0,
            moves,
            start_hash: 0,
            situations: (0, 0),
            passes: (0, 0),
            captures: (0, 0),
        };
        let (log, passes, captures, start) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Flow { now, log, situations: vec![situation], passes, captures, start }
    }

    pub(crate) fn phase(&self) -> u8 {
        self.now.phase
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        self.now.ended
    }

    pub(crate) fn button(&self) -> Option<Colour> {
        self.now.button
    }

    /// Stones played by each colour before the second clean-up.
    pub(crate) fn moves(&self) -> [i32; 2] {
        self.now.moves
    }

    /// Notes stones that were played and taken before the start position.
    pub(crate) fn add_moves(&mut self, moves: [i32; 2]) {
        self.now.moves[0] += moves[0];
        self.now.moves[1] += moves[1];
    }

    /// What lay on the points when the second clean-up began; none before.
    pub(crate) fn start(&self) -> Option<&[u8]> {
        (self.now.phase == 2).then_some(&self.start)
    }

    pub(crate) fn is_blocked(&self, p: u16) -> bool {
        self.now.blocked.contains(Point(p))
    }

    /// Whether `colour` has taken this ko from these stones before, in this phase of the clean-up.
    pub(crate) fn took_before(&self, stones: u64, p: u16, colour: Colour) -> bool {
        self.captures[self.now.captures.0 as usize..].contains(&(stones, p, colour))
    }

    /// Whether the situation has been there since the last pass (Spight).
    pub(crate) fn was_there(&self, situation: u64) -> bool {
        self.situations[self.now.situations.0 as usize..].contains(&situation)
    }

    /// The kos that `colour` has taken from these stones, in this phase of the clean-up.
    pub(crate) fn taken_from(&self, stones: u64, colour: Colour) -> impl Iterator<Item = u16> + '_ {
        let taken = self.captures[self.now.captures.0 as usize..].iter();
        taken.filter(move |ko| (ko.0, ko.2) == (stones, colour)).map(|ko| ko.1)
    }

    /// Single stones that may not be retaken.
    pub(crate) fn blocked(&self) -> PointSet {
        self.now.blocked
    }

    /// The phase before the move of this number, and whether the game had ended.
    pub(crate) fn before(&self, i: usize) -> (u8, bool) {
        self.log.get(i).map_or((0, false), |state| (state.phase, state.ended.is_some()))
    }

    /// Whether a pass of `colour` from `situation` would end the phase because it has passed from there before.
    pub(crate) fn passed_before(&self, rules: &GoRules, colour: Colour, situation: u64) -> bool {
        self.counts_repeats(rules) && self.passes[self.now.passes.0 as usize..].contains(&(colour, situation))
    }

    /// Part of a situation: blocked kos.
    pub(crate) fn situation_hash(&self) -> u64 {
        self.now.blocked_hash
    }

    /// What superko tells positions apart by besides stones: whether the button is gone.
    pub(crate) fn epoch(&self) -> u64 {
        if self.now.button.is_some() { BUTTON } else { 0 }
    }

    /// Part of a position's hash: all that changes what may follow or the score.
    pub(crate) fn hash(&self, rules: &GoRules) -> u64 {
        let now = &self.now;
        let mut hash = now.blocked_hash ^ now.start_hash;
        if now.phase > 0 {
            hash ^= key(PHASE_KIND, u64::from(now.phase));
        }
        if let Some(colour) = now.button {
            hash ^= BUTTON ^ key(BUTTON, colour as u64);
        }
        if rules.scoring == Scoring::Territory {
            hash ^= key(MOVES_KIND, (now.moves[0] - now.moves[1]) as u32 as u64);
        }
        hash
    }

    /// Before every move.
    pub(crate) fn begin(&mut self) {
        let lengths = [self.situations.len(), self.passes.len(), self.captures.len()].map(|n| n as u32);
        [self.now.situations.1, self.now.passes.1, self.now.captures.1] = lengths;
        self.log.push(self.now);
        self.now.ended = None;
    }

    /// Takes the last move back.
    pub(crate) fn undo(&mut self) {
        if let Some(before) = self.log.pop() {
            self.situations.truncate(before.situations.1 as usize);
            self.passes.truncate(before.passes.1 as usize);
            self.captures.truncate(before.captures.1 as usize);
            self.now = before;
        }
    }

    /// A pass takes the button if it is there.
    pub(crate) fn take_button(&mut self, rules: &GoRules, colour: Colour) -> bool {
        let takes = rules.button && self.now.button.is_none();
        if takes {
            self.now.button = Some(colour);
            self.now.situations.0 = self.situations.len() as u32;
            self.now.passes.0 = self.passes.len() as u32;
        }
        takes
    }

    fn counts_repeats(&self, rules: &GoRules) -> bool {
        self.now.phase > 0 || rules.end == End::Repeat || rules.ko == Ko::Spight
    }

    /// A pass from `situation`; whether it ends the phase because this colour has passed from there before. A pass starts
    /// the count of cycles anew.
    pub(crate) fn pass(&mut self, rules: &GoRules, colour: Colour, situation: u64) -> bool {
        self.now.situations.0 = self.situations.len() as u32;
        let before = self.passes[self.now.passes.0 as usize..].contains(&(colour, situation));
        self.passes.push((colour, situation));
        before && self.counts_repeats(rules)
    }

    /// A stone was played, before the second clean-up or in it.
    pub(crate) fn stone(&mut self, colour: Colour) {
        if self.now.phase < 2 {
            self.now.moves[colour.index()] += 1;
        }
    }

    /// In the clean-up: the stone on `p` took a ko and is blocked; `stones` is the hash before.
    pub(crate) fn block(&mut self, stones: u64, p: u16, colour: Colour) {
        self.set_blocked(p, true);
        self.captures.push((stones, p, colour));
    }

    fn set_blocked(&mut self, p: u16, blocked: bool) {
        if self.now.blocked.contains(Point(p)) != blocked {
            self.now.blocked_hash ^= key(BLOCK_KIND, u64::from(p));
            if blocked {
                self.now.blocked.insert(Point(p));
            } else {
                self.now.blocked.remove(Point(p));
            }
        }
    }

    /// A pass for a ko.
    pub(crate) fn unblock(&mut self, p: u16) {
        self.set_blocked(p, false);
    }

    /// Blocks leave with their stones.
    pub(crate) fn drop_blocks(&mut self, empty: impl Fn(u16) -> bool) {
        let gone: PointSet = self.now.blocked.iter().filter(|p| empty(p.0)).collect();
        gone.iter().for_each(|p| self.set_blocked(p.0, false));
    }

    /// After a move that led to `situation`: whether it ends the phase or the game. `over`: passes say so. Returns
    /// whether a new phase began, so that passes count anew.
    pub(crate) fn advance(
        &mut self,
        rules: &GoRules,
        pass: bool,
        over: bool,
        situation: u64,
        stones: (&[u8], u64),
    ) -> bool {
        self.situations.push(situation);
        if over && rules.scoring == Scoring::Territory && self.now.phase < 2 {
            self.next_phase(situation, stones);
            return true;
        }
        if over {
            self.now.ended = Some(Ended::Passes);
        }
        if !pass && (self.now.phase > 0 || rules.counts_cycles()) && self.times(situation) >= 3 {
            let draw = self.now.phase == 0 && rules.cycle == Cycle::Draw;
            self.now.ended = Some(if draw { Ended::Draw } else { Ended::NoResult });
        }
        false
    }

    /// How often the situation has been there since the last pass.
    pub(crate) fn times(&self, situation: u64) -> usize {
        self.situations[self.now.situations.0 as usize..].iter().filter(|&&past| past == situation).count()
    }

    fn next_phase(&mut self, situation: u64, (points, hash): (&[u8], u64)) {
        self.now.phase += 1;
        let unblocked = situation ^ self.now.blocked_hash;
        (self.now.blocked, self.now.blocked_hash) = (PointSet::EMPTY, 0);
        self.now.passes.0 = self.passes.len() as u32;
        self.now.captures.0 = self.captures.len() as u32;
        self.now.situations.0 = self.situations.len() as u32;
        self.situations.push(unblocked);
        if self.now.phase == 2 {
            self.start.clear();
            self.start.extend_from_slice(points);
            self.now.start_hash = key(START_KIND, hash);
        }
    }

    /// Play goes on after the end as if there had been none: phase 0, no blocks.
    pub(crate) fn resume(&mut self) {
        self.now.phase = 0;
        self.now.ended = None;
        (self.now.blocked, self.now.blocked_hash, self.now.start_hash) = (PointSet::EMPTY, 0, 0);
        self.now.situations.0 = self.situations.len() as u32;
        self.now.passes.0 = self.passes.len() as u32;
    }
}
