//! Planes of Go: the project's own two sets, and the list of sets. Not here: how KataGo's inputs are filled (`katago`).
//!
//! `go-basic-1`, planes: 0 on board; 1, 2 own and other's stones; 3, 4, 5 stones of chains with 1, 2, 3 liberties; 6 the
//! points banned by ko or superko, in the clean-up kos that own has taken before from these stones; 7, 8 own and other's
//! pass-alive stones and territory; 9, 10, 11 the last three moves. Globals: 0 +1 if Black is to place, -1 if White; 1
//! komi and what White has got besides (handicap, button, stones played under territory scoring), for own, / 20; 2
//! whether the last move was a pass; 3 komi parity (a triangle wave: how far the komi is from the nearest one that can
//! be drawn, given the board's parity). Under plain area scoring that is the state of the game, under one set of rules.
//!
//! `go-basic-2`: all of that, then what other rules add and which rules they are. Planes: 12 stones blocked in the
//! clean-up; 13, 14 own and other's stones at the start of its second phase; 15 where a stone would end the game as a
//! long cycle. Globals: 4, 5 the clean-up has begun, its second phase has; 6 a pass would end the game or its phase; 7
//! passes in a row / 4; 8 the button is there; 9 territory scoring; 10, 11 tax on seki, on groups; 12 +1 if own wins
//! equal points, -1 if other; 13 to 17 the ko rule: none, by last position, positional, situational, Spight's (simple: none of
//! them); 18, 19 suicide of several stones, of one; 20, 21 long cycles end the game, as a draw; 22, 23, 24 play ends by
//! a repeated pass, by White's last pass, by four passes; 25 settled games end early. Not shown, because they change
//! no game that plays by itself: half-area scoring, what is done about illegal moves, whether people agree on the end. Long
//! cycles in the clean-up, and how often a situation has been there, aren't either.
//!
//! `katago-v7-1`: see `katago`.

use tengen_game::{Action, Colour, PointSet};
use tengen_go::{Cycle, End, GoBoard, GoRules, Illegal, Ko, Scoring, Suicide, Tax, Tie};

use crate::encode::{BoardFeatures, Frame};
use crate::katago;

const SETS: &[(&str, usize, usize)] = &[
    ("go-basic-1", PLANES, GLOBALS),
    ("go-basic-2", PLANES + STATE_PLANES, GLOBALS + STATE_GLOBALS + RULE_GLOBALS),
    (katago::SET, katago::PLANES, katago::GLOBALS),
];
/// Rows of `SETS`.
const BASIC_1: usize = 0;
const BASIC_2: usize = 1;
const KATAGO: usize = 2;
/// Of `go-basic-1`.
const PLANES: usize = 12;
const GLOBALS: usize = 4;
/// What `go-basic-2` adds: first what changes in a game, then the rules.
const STATE_PLANES: usize = 4;
const STATE_GLOBALS: usize = 5;
const RULE_GLOBALS: usize = 17;
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

    fn default_set(rules: &[&GoRules]) -> usize {
        let numbers = |r| rule_numbers(r, Colour::Black);
        let plain = rules.iter().all(|r| !r.has_flow());
        let alike = rules.windows(2).all(|pair| numbers(pair[0]) == numbers(pair[1]));
        if plain && alike { BASIC_1 } else { BASIC_2 }
    }

    fn fill(&self, set: usize, frame: &mut Frame<'_>) {
        if set == KATAGO {
            return katago::fill(self, frame);
        }
        basic(self, frame);
        if set == BASIC_2 {
            state(self, frame);
        }
    }

    fn may_pass(_: &GoRules) -> bool {
        true
    }

    fn ownership(&self) -> Option<Vec<i8>> {
        Some(GoBoard::ownership(self))
    }
}

/// `go-basic-1`.
fn basic(board: &GoBoard, frame: &mut Frame<'_>) {
    let size = board.size();
    let own = board.to_play();
    for p in size.points() {
        frame.set(0, size, p);
        let Some(colour) = board.stone(p) else { continue };
        frame.set(if colour == own { 1 } else { 2 }, size, p);
        let liberties = board.liberties(p);
        if (1..=LIBERTY_PLANES).contains(&liberties) {
            frame.set(2 + liberties, size, p);
        }
    }
    for p in size.points() {
        if matches!(board.check(own, Action::point(p)), Err(Illegal::Ko | Illegal::Superko)) {
            frame.set(6, size, p);
        }
    }
    for (plane, colour) in [(7, own), (8, own.other())] {
        let (stones, territory) = board.pass_alive(colour);
        for p in stones.or(&territory).iter() {
            frame.set(plane, size, p);
        }
    }
    for back in 0..LAST_MOVE_PLANES {
        if let Some(p) = board.move_back(back).and_then(|(_, a)| a.as_point()) {
            frame.set(9 + back, size, p);
        }
    }
    // With the handicap bonus, and under territory scoring the stones played: what the board alone doesn't show.
    let komi = board.rules().komi + board.white_bonus();
    let self_komi = if own == Colour::White { komi } else { -komi };
    frame.globals[0] = if own == Colour::Black { 1.0 } else { -1.0 };
    frame.globals[1] = self_komi / 20.0;
    frame.globals[2] = if board.move_back(0).is_some_and(|(_, a)| a == Action::PASS) { 1.0 } else { 0.0 };
    frame.globals[3] = parity_wave(self_komi, size.area());
}

/// What `go-basic-2` has besides.
fn state(board: &GoBoard, frame: &mut Frame<'_>) {
    let (size, own, rules) = (board.size(), board.to_play(), board.rules());
    let [black, white] = board.clean_up_start().unwrap_or([PointSet::EMPTY; 2]);
    let (mine, theirs) = if own == Colour::Black { (black, white) } else { (white, black) };
    for (i, set) in [board.blocked_kos(), mine, theirs, board.cycle_ends()].iter().enumerate() {
        set.iter().for_each(|p| frame.set(PLANES + i, size, p));
    }
    let out = &mut frame.globals[GLOBALS..][..STATE_GLOBALS + RULE_GLOBALS];
    out[0] = flag(board.phase() >= 1);
    out[1] = flag(board.phase() >= 2);
    out[2] = flag(board.pass_would_end());
    out[3] = f32::from(board.passes()) / 4.0;
    out[4] = flag(rules.button && board.button().is_none());
    out[STATE_GLOBALS..].copy_from_slice(&rule_numbers(rules, own));
}

/// The rules as `own` sees them; the same for rules that play alike.
fn rule_numbers(rules: &GoRules, own: Colour) -> [f32; RULE_GLOBALS] {
    let tie = match (rules.tie, own) {
        (Tie::Draw, _) => 0.0,
        (Tie::Black, Colour::Black) | (Tie::White, Colour::White) => 1.0,
        (Tie::Black, Colour::White) | (Tie::White, Colour::Black) => -1.0,
    };
    [
        flag(rules.scoring == Scoring::Territory),
        flag(rules.tax != Tax::None),
        flag(rules.tax == Tax::All),
        tie,
        flag(rules.ko == Ko::None),
        flag(rules.ko == Ko::LastPosition),
        flag(rules.ko == Ko::Positional),
        flag(rules.ko == Ko::Situational),
        flag(rules.ko == Ko::Spight),
        flag(rules.suicide != Suicide::None),
        flag(rules.suicide == Suicide::All),
        flag(rules.counts_cycles()),
        flag(rules.counts_cycles() && rules.cycle == Cycle::Draw),
        flag(rules.end == End::Repeat),
        flag(rules.end == End::WhiteLast),
        flag(rules.end == End::Pairs),
        flag(rules.early_end),
    ]
}

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
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
