//! Yamaguchi: RIF where the opener also declares how many fifth moves will be offered.
//!
//! The number is declared before move 4 is known; if the board then has fewer inequivalent points, all are owed.

use tengen_game::{Family, Seat};

use super::{FIFTHS_MAX, Form, Needs, Protocol, advance, rif};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "yamaguchi",
    aliases: &[],
    summary: "first places one of the 26 openings and declares n; second swaps or keeps; white plays 4; black offers n fifths",
    source: "RIF opening rule 2008, world championships 2009 to 2015",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 5, stones: 5 },
    next,
    decide: advance,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        i @ 0..=2 => rif::canonical(i),
        3 => Next::Number { seat: Seat::First, low: 1, high: FIFTHS_MAX },
        4 => Next::Choose { seat: Seat::Second, branches: 0 },
        5 => Next::Place { seat: course.white(), region: Region::Anywhere },
        6 => Next::Offer { seat: course.black, count: course.declared },
        7 => Next::Pick { seat: course.white() },
        _ => Next::Play,
    }
}
