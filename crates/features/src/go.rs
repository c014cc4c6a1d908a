//! Planes of Go: the project's own small set, and the list of sets. Not here: how KataGo's inputs are filled (`katago`).
//!
//! `go-basic-1`: on board; own and other's stones; stones of chains with 1, 2, 3 liberties; the point banned by ko or
//! superko; own and other's pass-alive stones and territory; the last three moves.
//! `katago-v7-1`: see `katago`.
//!
//! Globals of `go-basic-1`: +1 if Black is to place, -1 if White; komi and what White has got besides, for the colour to place, / 20;
//! whether the last move was a pass; komi parity (a triangle wave: how far the komi is from the nearest one that can be
//! drawn, given the board's parity).

use tengen_game::{Action, Colour};
use tengen_go::{GoBoard, GoRules, Illegal};

use crate::encode::{BoardFeatures, Frame};
use crate::katago;

const SETS: &[(&str, usize, usize)] = &[("go-basic-1", 12, 4), (katago::SET, katago::PLANES, katago::GLOBALS)];
const LIBERTY_PLANES: usize = 3;
const LAST_MOVE_PLANES: usize = 3;

/// Distance of a komi from a drawable one, as a triangle wave in [-0.5, 0.5] with period 2: under area scoring without
/// seki the margin has the parity of the board's area, so komi 6.5 and 7.5 decide alike or not depending on parity.
pub(crate) fn parity_wave(self_komi: f32, area: usize) -> f32 {
    let parity = (area % 2) as f32;
    let delta = (self_komi - parity).rem_euclid(2.0);
    match delta {
        d if d < 0.5 => d,
        d if d < 1.5 => 1.0 - d,
        d => d - 2.0,
    }
}

impl BoardFeatures for GoBoard {
    fn sets() -> &'static [(&'static str, usize, usize)] {
        SETS
    }

    fn fill(&self, set: usize, frame: &mut Frame<'_>) {
        if SETS[set].0 == katago::SET {
            return katago::fill(self, frame);
        }
        let size = self.size();
        let own = self.to_play();
        for p in size.points() {
            frame.set(0, size, p);
            let Some(colour) = self.stone(p) else { continue };
            frame.set(if colour == own { 1 } else { 2 }, size, p);
            let liberties = self.liberties(p);
            if (1..=LIBERTY_PLANES).contains(&liberties) {
                frame.set(2 + liberties, size, p);
            }
        }
        for p in size.points() {
            if matches!(self.check(own, Action::point(p)), Err(Illegal::Ko | Illegal::Superko)) {
                frame.set(6, size, p);
            }
        }
        for (plane, colour) in [(7, own), (8, own.other())] {
            let (stones, territory) = self.pass_alive(colour);
            for p in stones.or(&territory).iter() {
                frame.set(plane, size, p);
            }
        }
        for back in 0..LAST_MOVE_PLANES {
            if let Some(p) = self.move_back(back).and_then(|(_, a)| a.as_point()) {
                frame.set(9 + back, size, p);
            }
        }
        // With the handicap bonus, and under territory scoring the stones played: what the board alone doesn't show.
        let komi = self.rules().komi + self.white_bonus();
        let self_komi = if own == Colour::White { komi } else { -komi };
        frame.globals[0] = if own == Colour::Black { 1.0 } else { -1.0 };
        frame.globals[1] = self_komi / 20.0;
        frame.globals[2] = if self.move_back(0).is_some_and(|(_, a)| a == Action::PASS) { 1.0 } else { 0.0 };
        frame.globals[3] = parity_wave(self_komi, size.area());
    }

    fn may_pass(_: &GoRules) -> bool {
        true
    }

    fn ownership(&self) -> Option<Vec<i8>> {
        Some(GoBoard::ownership(self))
    }
}

#[cfg(test)]
mod tests {
    use super::parity_wave;

    #[test]
    fn drawable_komi_is_zero_and_half_points_are_extreme() {
        assert_eq!(parity_wave(7.0, 81), 0.0);
        assert_eq!(parity_wave(7.5, 81), 0.5);
        assert_eq!(parity_wave(8.5, 81), -0.5);
        assert_eq!(parity_wave(8.0, 81), 0.0);
        assert_eq!(parity_wave(-6.0, 36), 0.0);
    }
}
