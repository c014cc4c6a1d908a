//! Open bidding for Black: by turns the seats raise the komi they would give to hold Black, until one accepts.
//!
//! The last bidder holds Black and White gets that komi. Numbers are half points. Bids only rise, so bidding ends. Sealed
//! bids aren't a game of perfect information and don't belong here.

use tengen_game::{Action, Family};

use super::{Form, Needs, Protocol};
use crate::course::{Course, Next};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "bid",
    aliases: &[],
    summary: "by turns the seats bid a komi of up to N half points for black, each more than the last; who accepts is white",
    source: "auction komi (Go)",
    form: Form::Bids { high: Action::NUMBER_MAX, default: 40 },
    branches: &["accept the bid and be white", "bid more"],
    needs: Needs { family: Some(Family::Go), square: 0, stones: 0 },
    next,
    decide,
};

const ACCEPT: u16 = 0;

/// Steps: 0 the first bid, 1 the other accepts or raises, 2 how much. The last bidder counts as Black.
fn next(course: &Course, opening: &Opening) -> Next {
    let most = opening.number().unwrap_or(0);
    match course.step {
        0 => Next::Number { seat: course.black, low: 0, high: most },
        1 => Next::Branch { seat: course.white(), open: if course.declared < most { 0b11 } else { 0b01 } },
        2 => Next::Number { seat: course.white(), low: course.declared + 1, high: most },
        _ => Next::Play,
    }
}

fn decide(course: &mut Course, action: Action, _: &Opening) {
    let step = course.step;
    course.advance(action);
    if step == 2 {
        course.black = !course.black;
        course.step = 1;
    } else if action.as_branch() == Some(ACCEPT) {
        course.komi = course.declared + 1;
        course.declared = 0;
        course.step = Course::DONE;
    }
}
