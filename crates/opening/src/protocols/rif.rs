//! The classic RIF rule of renju (1996 to 2008): the 26 openings, one swap, two fifth moves.
//!
//! Written for renju but played here with any win rule of the five-in-a-row family, so that fairness studies can ask
//! what the rule does for freestyle or standard. Stones 1 to 3 in the centre, the central 3x3 and the central 5x5 are
//! exactly the 26 canonical openings in their eight orientations. The form before 1996 is `renjuswap`.

use tengen_game::{Family, Seat};

use super::{Form, Needs, Protocol, advance};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "rif",
    aliases: &[],
    summary: "first places one of the 26 openings; second swaps or keeps; white plays 4; black offers 2 fifths, white picks",
    source: "RIF opening rule 1996",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 5, stones: 5 },
    next,
    decide: advance,
};

/// What follows stone 3 where it is a swap, stone 4, two fifths and a pick; `step` counts from 0.
pub(super) fn swap_and_two_fifths(course: &Course, step: u8) -> Next {
    match step {
        0 => Next::Choose { seat: Seat::Second, branches: 0 },
        1 => Next::Place { seat: course.white(), region: Region::Anywhere },
        2 => Next::Offer { seat: course.black, count: 2 },
        3 => Next::Pick { seat: course.white() },
        _ => Next::Play,
    }
}

/// Stone `i` (from 0) of the 26 openings: the centre, the central 3x3, the central 5x5, all by one seat.
pub(super) fn canonical(i: u8) -> Next {
    Next::Place { seat: Seat::First, region: Region::Square(2 * i + 1) }
}

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        i @ 0..=2 => canonical(i),
        step => swap_and_two_fifths(course, step - 3),
    }
}
