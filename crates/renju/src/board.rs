//! The position: stones, turn, history, result, and the questions rules and features ask. Not here: pattern arithmetic
//! (`shape`), the forbidden-point judge (`forbidden`), seats and opening protocols.

use std::fmt;
use std::sync::Arc;

use tengen_game::{Action, BoardResult, Colour, Facts, Family, Placement, Point, PointSet, Proof, Size, zobrist};

use crate::forbidden::{Judge, Kinds};
use crate::lines::{DIRECTIONS, Geometry, Lines};
use crate::rules::{FiveRules, Win};
use crate::{shape, threats, vcf};

/// A five-in-a-row position. About 1.3 KB and a short list of moves; cloned freely.
#[derive(Clone)]
pub struct FiveBoard {
    geometry: Arc<Geometry>,
    lines: Lines,
    empty: PointSet,
    history: Vec<Action>,
    hash: u64,
    rules: FiveRules,
    stones: u16,
    passes: u8,
    to_play: Colour,
    result: Option<BoardResult>,
}

impl FiveBoard {
    /// A position with stones on it and no history: `undo` stops here, and `moves` counts from here. The result is that
    /// of a winning row on the board, Black's first, or of a full board. None if a point is off the board or holds both
    /// colours.
    pub fn position(rules: &FiveRules, black: &PointSet, white: &PointSet, to_play: Colour) -> Option<FiveBoard> {
        let mut board = FiveBoard::start(rules);
        let stones = black.or(white);
        if !black.and(white).is_empty() || !stones.minus(&board.empty).is_empty() {
            return None;
        }
        for (colour, set) in [(Colour::Black, black), (Colour::White, white)] {
            for p in set.iter() {
                board.lines.toggle(&board.geometry.slots[p.index()], colour);
                board.hash ^= zobrist::STONE[colour.index()][p.index()];
            }
        }
        board.empty = board.empty.minus(&stones);
        board.stones = stones.len() as u16;
        if to_play == Colour::White {
            board.to_play = Colour::White;
            board.hash ^= zobrist::WHITE_TO_PLAY;
        }
        let won =
            |(colour, set): (Colour, &PointSet)| set.iter().any(|p| board.wins_through(p, colour)).then_some(colour);
        let winner = won((Colour::Black, black)).or_else(|| won((Colour::White, white)));
        board.result = match winner {
            Some(colour) => Some(BoardResult::Win(colour)),
            None => board.empty.is_empty().then_some(BoardResult::Draw),
        };
        Some(board)
    }

    /// Points without a stone.
    pub fn empty_points(&self) -> &PointSet {
        &self.empty
    }

    /// Whether only a row of exactly the winning length wins for `colour`.
    pub fn is_exact(&self, colour: Colour) -> bool {
        match self.rules.win {
            Win::Freestyle { .. } => false,
            Win::Standard { .. } => true,
            Win::Renju => colour == Colour::Black,
        }
    }

    fn judge(&self) -> Judge<'_> {
        Judge { geometry: &self.geometry, lines: &self.lines }
    }

    /// What a black stone on `p` would make in renju, whoever is to play; nothing for an occupied point and in other
    /// games.
    pub fn kinds(&self, p: Point) -> Kinds {
        if self.rules.win == Win::Renju && self.empty.contains(p) { self.judge().kinds(p) } else { Kinds::NONE }
    }

    /// Black's forbidden points if Black is to play and the game goes on; otherwise empty.
    pub fn forbidden(&self) -> PointSet {
        if self.to_play == Colour::Black && self.result.is_none() {
            self.forbidden_for_black()
        } else {
            PointSet::EMPTY
        }
    }

    /// Black's forbidden points, whoever is to play; empty in every game but renju.
    pub fn forbidden_for_black(&self) -> PointSet {
        if self.rules.win == Win::Renju { self.judge().map() } else { PointSet::EMPTY }
    }

    fn threats(&self, colour: Colour) -> threats::Threats<'_> {
        threats::Threats {
            geometry: &self.geometry,
            own: self.lines.of(colour),
            other: self.lines.of(!colour),
            length: self.rules.win.length().into(),
            exact: self.is_exact(colour),
        }
    }

    /// Empty points where a stone of `colour` completes a winning row, whoever is to play.
    pub fn fives(&self, colour: Colour) -> PointSet {
        self.threats(colour).fives()
    }

    /// Empty points where a stone of `colour` threatens to complete a winning row next, whoever is to play. Says nothing
    /// about forbidden points.
    pub fn fours(&self, colour: Colour) -> PointSet {
        self.threats(colour).fours()
    }

    /// Empty points where a stone of `colour` threatens to make a straight four next (two ways to a winning row),
    /// whoever is to play. Says nothing about forbidden points: in renju such a three may be unreal.
    pub fn open_threes(&self, colour: Colour) -> PointSet {
        self.threats(colour).open_threes()
    }

    /// Whether the stone on `p` is part of a winning row of `colour`.
    #[inline]
    fn wins_through(&self, p: Point, colour: Colour) -> bool {
        let slots = &self.geometry.slots[p.index()];
        let n = u32::from(self.rules.win.length());
        let own = self.lines.of(colour);
        (0..DIRECTIONS).any(|d| {
            let word = own[slots.line[d] as usize];
            shape::full(word, n) != 0 && {
                // Stones of the run above and below the point; the margin ends both.
                let bit = u32::from(slots.bit[d]);
                let above = (!(word >> bit)).trailing_zeros();
                let below = (!(word << (31 - bit))).leading_zeros();
                let run = above + below - 1;
                run == n || (run > n && !self.is_exact(colour))
            }
        })
    }

    /// A stone of the colour to play on an empty point, and its result; the turn is not changed.
    fn place_stone(&mut self, p: Point) {
        let colour = self.to_play;
        self.lines.toggle(&self.geometry.slots[p.index()], colour);
        self.empty.remove(p);
        self.stones += 1;
        self.hash ^= zobrist::STONE[colour.index()][p.index()];
        if self.wins_through(p, colour) {
            self.result = Some(BoardResult::Win(colour));
        } else if usize::from(self.stones) == self.size().area() {
            self.result = Some(BoardResult::Draw);
        }
    }

    fn set_passes(&mut self, passes: u8) {
        self.hash ^= zobrist::PASSES[usize::from(self.passes)] ^ zobrist::PASSES[usize::from(passes)];
        self.passes = passes;
    }

    fn turn(&mut self) {
        self.to_play = !self.to_play;
        self.hash ^= zobrist::WHITE_TO_PLAY;
    }

    /// What one ply of look-ahead proves: a five now, or a five of the opponent next.
    fn proven_at_once(&self) -> Option<Proof> {
        if self.result.is_some() {
            return None;
        }
        if let Some(p) = self.fives(self.to_play).iter().next() {
            return Some(Proof::Win(Action::point(p)));
        }
        let threats = self.fives(!self.to_play);
        // Right after a pass, a pass of our own ends the game as a draw, whatever the threats.
        if threats.is_empty() || (self.passes > 0 && self.pass_legal()) {
            return None;
        }
        let mut points = threats.iter();
        match (points.next(), points.next()) {
            (Some(p), None) if self.is_legal(Action::point(p)) => Some(Proof::Only(Action::point(p))),
            _ => Some(Proof::Loss),
        }
    }
}

impl Placement for FiveBoard {
    type Rules = FiveRules;

    fn facts(rules: &FiveRules) -> Facts {
        Facts {
            size: rules.size,
            family: Family::Five,
            win_length: Some(rules.win.length()),
            forbidden: rules.win == Win::Renju,
        }
    }

    /// The rules must pass `FiveRules::check`, as all rules read from text have.
    fn start(rules: &FiveRules) -> FiveBoard {
        debug_assert!(rules.check().is_ok());
        FiveBoard {
            geometry: Arc::new(Geometry::new(rules.size)),
            lines: Lines::EMPTY,
            empty: PointSet::full(rules.size),
            history: Vec::with_capacity(rules.size.area() + 1),
            hash: zobrist::PASSES[0],
            rules: *rules,
            stones: 0,
            passes: 0,
            to_play: Colour::Black,
            result: None,
        }
    }

    fn rules(&self) -> &FiveRules {
        &self.rules
    }

    fn size(&self) -> Size {
        self.rules.size
    }

    fn to_play(&self) -> Colour {
        self.to_play
    }

    fn stone(&self, p: Point) -> Option<Colour> {
        let slots = &self.geometry.slots[p.index()];
        Colour::BOTH.into_iter().find(|&colour| self.lines.has(slots, colour))
    }

    fn legal_points(&self, out: &mut PointSet) {
        *out = match self.result {
            None => self.empty.minus(&self.forbidden()),
            Some(_) => PointSet::EMPTY,
        };
    }

    /// Only in renju, and not in the first three moves (RIF rule 12.9). Passes can't come before the third stone, so
    /// stones tell.
    fn pass_legal(&self) -> bool {
        self.rules.win == Win::Renju && self.stones >= 3 && self.result.is_none()
    }

    fn is_legal(&self, action: Action) -> bool {
        match action.as_point() {
            None => action == Action::PASS && self.pass_legal(),
            Some(p) => {
                let free = self.result.is_none() && self.empty.contains(p);
                let judged = self.rules.win == Win::Renju && self.to_play == Colour::Black;
                free && !(judged && self.judge().is_forbidden(p))
            }
        }
    }

    fn place(&mut self, action: Action) {
        debug_assert!(self.result.is_none());
        match action.as_point() {
            Some(p) => {
                self.place_stone(p);
                if self.passes != 0 {
                    self.set_passes(0);
                }
            }
            None => {
                self.set_passes(self.passes + 1);
                if self.passes == 2 {
                    self.result = Some(BoardResult::Draw);
                }
            }
        }
        self.history.push(action);
        self.turn();
    }

    fn undo(&mut self) {
        let Some(action) = self.history.pop() else { return };
        self.turn();
        self.result = None;
        if let Some(p) = action.as_point() {
            let colour = self.to_play;
            self.lines.toggle(&self.geometry.slots[p.index()], colour);
            self.empty.insert(p);
            self.stones -= 1;
            self.hash ^= zobrist::STONE[colour.index()][p.index()];
        }
        let passes = u8::from(self.history.last() == Some(&Action::PASS));
        if passes != self.passes {
            self.set_passes(passes);
        }
    }

    fn result(&self) -> Option<BoardResult> {
        self.result
    }

    fn hash(&self) -> u64 {
        self.hash
    }

    fn moves(&self) -> usize {
        self.history.len()
    }

    fn move_back(&self, back: usize) -> Option<(Colour, Action)> {
        let i = self.history.len().checked_sub(back + 1)?;
        let colour = if back.is_multiple_of(2) { !self.to_play } else { self.to_play };
        Some((colour, self.history[i]))
    }

    fn proven(&self, budget: u32) -> Option<Proof> {
        match self.proven_at_once() {
            Some(proof @ (Proof::Win(_) | Proof::Loss | Proof::Draw)) => Some(proof),
            other if budget == 0 || self.result.is_some() => other,
            other => vcf::search(self, budget).map(Proof::Win).or(other),
        }
    }
}

impl fmt::Debug for FiveBoard {
    /// Rules, turn and a diagram, `X` black, `O` white.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} to_play={} moves={}", self.rules, self.to_play, self.history.len())?;
        for y in 0..self.size().height() {
            for x in 0..self.size().width() {
                f.write_str(match self.stone(self.size().point(x, y)) {
                    Some(Colour::Black) => "X",
                    Some(Colour::White) => "O",
                    None => ".",
                })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
