//! The pie rule with komi: one names the komi, the other chooses the colour.
//!
//! Numbers are half points for White, so that a whole komi (and a draw) can be named as well.

use tengen_game::{Action, Family, Seat};

use super::{Form, Needs, Protocol};
use crate::course::{Course, Next};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "komipie",
    aliases: &[],
    summary: "first names a komi of 0 to N half points; second swaps or keeps",
    source: "pie rule by komi (Go: one names the komi, the other chooses the colour)",
    form: Form::Bids { high: Action::NUMBER_MAX, default: 40 },
    branches: &[],
    needs: Needs { family: Some(Family::Go), square: 0, stones: 0 },
    next,
    decide,
};

fn next(course: &Course, opening: &Opening) -> Next {
    match course.step {
        0 => Next::Number { seat: Seat::First, low: 0, high: opening.number().unwrap_or(0) },
        1 => Next::Choose { seat: Seat::Second, branches: 0 },
        _ => Next::Play,
    }
}

fn decide(course: &mut Course, action: Action, _: &Opening) {
    if course.step == 0 {
        course.komi = action.as_number().unwrap_or(0) + 1;
    }
    course.advance(action);
}
