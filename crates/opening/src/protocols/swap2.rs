//! Swap2, the rule of gomoku world championships since 2009: as swap, but the chooser may add two stones and hand the
//! choice back.
//!
//! Swap = take Black, so the first seat plays 4; keep = stay White and play 4; branch 0 = place 4 (white) and 5 (black),
//! after which the first seat chooses and White plays 6.

use tengen_game::{Action, Family, Seat};

use super::{Form, Needs, Protocol};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "swap2",
    aliases: &[],
    summary: "first places three stones anywhere; second swaps, keeps, or places two more and lets first choose",
    source: "gomoku world championships since 2009, Gomocup",
    form: Form::Plain,
    branches: &["place two more stones and let the other choose"],
    needs: Needs { family: Some(Family::Five), square: 0, stones: 5 },
    next,
    decide,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        0..=2 => Next::Place { seat: Seat::First, region: Region::Anywhere },
        3 => Next::Choose { seat: Seat::Second, branches: 1 },
        4..=5 => Next::Place { seat: Seat::Second, region: Region::Anywhere },
        6 => Next::Choose { seat: Seat::First, branches: 0 },
        _ => Next::Play,
    }
}

fn decide(course: &mut Course, action: Action, _: &Opening) {
    let colours_chosen = course.step == 3 && action.as_branch().is_none();
    course.advance(action);
    if colours_chosen {
        course.step = Course::DONE;
    }
}
