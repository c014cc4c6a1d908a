//! The position: stones, turn, history, result, make and unmake. Not here: the other questions rules and features ask
//! (`queries`), pattern arithmetic (`shape`), the judges of forbidden points (`forbidden`, `omok`), seats and opening
//! protocols.

use std::fmt;
use std::sync::Arc;

use tengen_game::{Action, BoardResult, Colour, Facts, Family, Placement, Point, PointSet, Proof, Size, zobrist};

use crate::lines::{DIRECTIONS, Geometry, Lines};
use crate::rules::{FiveRules, Win};
use crate::shape;
use crate::vcf::{self, Vcf};

/// A five-in-a-row position. About 1.3 KB and a short list of moves; cloned freely.
#[derive(Clone)]
pub struct FiveBoard {
    pub(crate) geometry: Arc<Geometry>,
    pub(crate) lines: Lines,
    pub(crate) empty: PointSet,
    history: Vec<Action>,
    hash: u64,
    pub(crate) rules: FiveRules,
    stones: u16,
    pub(crate) passes: u8,
    pub(crate) to_play: Colour,
    pub(crate) result: Option<BoardResult>,
}

impl FiveBoard {
    /// A position with stones on it and no history: `undo` stops here, and `moves` counts from here. The result is that
    /// of a winning row on the board, Black's first, or of a board that leaves nothing to play. None if a point is off the board or holds both
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
            None => board.is_stuck(to_play).then_some(BoardResult::Draw),
        };
        Some(board)
    }

    /// Points without a stone.
    pub fn empty_points(&self) -> &PointSet {
        &self.empty
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
                let ends = 1 << (bit + above) | 1 << (bit - below);
                if run == n {
                    self.is_open(slots.line[d] as usize, ends, colour)
                } else {
                    run > n && !self.is_exact(colour)
                }
            }
        })
    }

    /// Whether a row of `colour` between these cells of a line is open enough to win: in caro not both may be blocked.
    #[inline]
    fn is_open(&self, line: usize, ends: u32, colour: Colour) -> bool {
        let Win::Caro { edge_blocks, .. } = self.rules.win else { return true };
        let inside = if edge_blocks { self.geometry.inside[line] } else { !0 };
        ends & inside & !self.lines.of(!colour)[line] != 0
    }

    /// Whether `colour` has no point to play on: the board is full, or all that is left of an omok board is forbidden.
    /// (In renju Black may pass.)
    fn is_stuck(&self, colour: Colour) -> bool {
        usize::from(self.stones) == self.size().area()
            || (matches!(self.rules.win, Win::Omok { .. }) && self.empty.iter().all(|p| self.is_forbidden(p, colour)))
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
        } else if self.is_stuck(!colour) {
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
}

impl Placement for FiveBoard {
    type Rules = FiveRules;

    fn facts(rules: &FiveRules) -> Facts {
        Facts {
            size: rules.size,
            family: Family::Five,
            win_length: Some(rules.win.length()),
            forbidden: matches!(rules.win, Win::Renju | Win::Omok { .. }),
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
                free && !self.is_forbidden(p, self.to_play)
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
            other => match vcf::search(self, budget) {
                Vcf::Win(line) => Some(Proof::Win(Action::point(line[0]))),
                Vcf::None | Vcf::OutOfBudget => other,
            },
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
