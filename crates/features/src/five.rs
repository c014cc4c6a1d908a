//! Planes of five in a row and relatives.
//!
//! | set | planes |
//! |---|---|
//! | `five-stones-1` | on board, own stones, other's stones: nothing but what lies on the board |
//! | `five-threats-1` | the same; points where own / other completes a five; forbidden points (below); last two moves |
//!
//! Forbidden points are Black's in renju, whoever is to play, and those of the colour to play in omok, where both have some.
//!
//! Globals of both: +1 if Black is to place, -1 if White. Not here: the threats' definitions (crate `renju`).

use tengen_game::{Colour, Placement};
use tengen_renju::{FiveBoard, FiveRules, Win};

use crate::encode::{BoardFeatures, Frame};

const SETS: &[(&str, usize, usize)] = &[("five-stones-1", 3, 1), ("five-threats-1", 8, 1)];

impl BoardFeatures for FiveBoard {
    fn sets() -> &'static [(&'static str, usize, usize)] {
        SETS
    }

    fn fill(&self, set: usize, frame: &mut Frame<'_>) {
        let size = self.size();
        let own = self.to_play();
        for p in size.points() {
            frame.set(0, size, p);
            if let Some(colour) = self.stone(p) {
                frame.set(if colour == own { 1 } else { 2 }, size, p);
            }
        }
        frame.globals[0] = if own == Colour::Black { 1.0 } else { -1.0 };
        if set == 0 {
            return;
        }
        for p in self.fives(own).iter() {
            frame.set(3, size, p);
        }
        for p in self.fives(own.other()).iter() {
            frame.set(4, size, p);
        }
        let forbidden = match self.rules().win {
            Win::Omok { .. } => self.forbidden(),
            _ => self.forbidden_for_black(),
        };
        for p in forbidden.iter() {
            frame.set(5, size, p);
        }
        for back in 0..2 {
            if let Some(p) = self.move_back(back).and_then(|(_, a)| a.as_point()) {
                frame.set(6 + back, size, p);
            }
        }
    }

    fn may_pass(rules: &FiveRules) -> bool {
        rules.win == Win::Renju
    }
}
