//! Taraguchi-N: a swap after every stone in growing squares; after stone 4 Black may instead offer N fifth moves.
//!
//! The choice after stone 4 is one decision of three: swap or keep (then 5 in the central 9x9 and one more swap), or
//! branch 0: stay Black and offer N fifths anywhere.

use tengen_game::{Action, Family};

use super::{FIFTHS_MAX, Needs, Numbered, Protocol};
use crate::course::{Course, Next, Region};

pub(super) const ROW: Protocol = Protocol {
    name: "taraguchi",
    aliases: &[],
    summary: "swap after each stone, in squares 1, 3, 5, 7, 9; after stone 4 black may offer N fifths instead",
    source: "RIF opening rules 2008 (N=5) and Taraguchi-10",
    number: Some(Numbered { low: 1, high: FIFTHS_MAX, default: 5 }),
    branches: &["stay black and offer fifth moves"],
    needs: Needs { family: Some(Family::Five), square: 9, stones: 5 },
    next,
    decide,
};

const OFFER: u8 = 10;

fn next(course: &Course, fifths: u16) -> Next {
    match course.step {
        7 => Next::Choose { seat: course.black, branches: 1 },
        step @ 0..=9 => swap_after_each(course, step),
        OFFER => Next::Offer { seat: course.black, count: fifths },
        11 => Next::Pick { seat: course.white() },
        _ => Next::Play,
    }
}

/// Even steps place stone `step / 2` in the next larger square, odd steps let the other seat swap.
pub(super) fn swap_after_each(course: &Course, step: u8) -> Next {
    let stone = step / 2;
    let (mover, other) =
        if stone.is_multiple_of(2) { (course.black, course.white()) } else { (course.white(), course.black) };
    match step % 2 {
        0 => Next::Place { seat: mover, region: Region::Square(2 * stone + 1) },
        _ => Next::Choose { seat: other, branches: 0 },
    }
}

fn decide(course: &mut Course, action: Action) {
    let step = course.step;
    course.advance(action);
    if action.as_branch().is_some() {
        course.step = OFFER;
    } else if step == 9 {
        course.step = Course::DONE;
    }
}
