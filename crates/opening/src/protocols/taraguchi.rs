//! Taraguchi-N: a swap after every stone in growing squares; after stone 4 Black may instead offer N fifth moves.
//!
//! The choice after stone 4 is one decision of three: swap or keep (then 5 in the central 9x9 and one more swap), or
//! branch 0: stay Black and offer N fifths anywhere.

use tengen_game::{Action, Family};

use super::{FIFTHS_MAX, Form, Needs, Protocol};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "taraguchi",
    aliases: &[],
    summary: "swap after each stone, in squares 1, 3, 5, 7, 9; after stone 4 black may offer N fifths instead",
    source: "RIF opening rules 2008 (N=5) and Taraguchi-10",
    form: Form::Number { low: 1, high: FIFTHS_MAX, default: 5 },
    branches: &["stay black and offer fifth moves"],
    needs: Needs { family: Some(Family::Five), square: 9, stones: 5 },
    next,
    decide,
};

const OFFER: u8 = 10;

/// Where stones 1 to 5 go.
const SQUARES: [Region; 5] =
    [Region::CENTRE, Region::Square(3), Region::Square(5), Region::Square(7), Region::Square(9)];

fn next(course: &Course, opening: &Opening) -> Next {
    next_in(course, opening, &SQUARES)
}

/// As Taraguchi, with stones 1 to 5 in these regions.
pub(super) fn next_in(course: &Course, opening: &Opening, regions: &[Region; 5]) -> Next {
    match course.step {
        7 => Next::Choose { seat: course.black, branches: 1 },
        step @ 0..=9 => swap_after_each_in(course, step, regions),
        OFFER => Next::Offer { seat: course.black, count: opening.number().unwrap_or(1) },
        11 => Next::Pick { seat: course.white() },
        _ => Next::Play,
    }
}

/// Steps 0 to 9 of stones in growing squares with a swap after each.
pub(super) fn swap_after_each(course: &Course, step: u8) -> Next {
    swap_after_each_in(course, step, &SQUARES)
}

/// Even steps place stone `step / 2` in its region, odd steps let the other seat swap.
pub(super) fn swap_after_each_in(course: &Course, step: u8, regions: &[Region; 5]) -> Next {
    let stone = usize::from(step / 2);
    let (mover, other) =
        if stone.is_multiple_of(2) { (course.black, course.white()) } else { (course.white(), course.black) };
    match step % 2 {
        0 => Next::Place { seat: mover, region: regions[stone] },
        _ => Next::Choose { seat: other, branches: 0 },
    }
}

pub(super) fn decide(course: &mut Course, action: Action, _: &Opening) {
    let step = course.step;
    course.advance(action);
    if action.as_branch().is_some() {
        course.step = OFFER;
    } else if step == 9 {
        course.step = Course::DONE;
    }
}
