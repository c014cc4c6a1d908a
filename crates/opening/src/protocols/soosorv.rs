//! Soosõrv-N: White plays 4 and declares how many fifth moves there will be, and then colours may change once more.

use tengen_game::{Family, Seat};

use super::{FIFTHS_MAX, Form, Needs, Protocol, advance, rif};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "soosorv",
    aliases: &[],
    summary: "first places one of the 26 openings; swap; white plays 4 and declares n of 1..N; swap; black offers n fifths",
    source: "RIF opening rules 2008 (N=4) and 2011; world championships since 2017 (N=8)",
    form: Form::Number { low: 1, high: FIFTHS_MAX, default: 4 },
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 5, stones: 5 },
    next,
    decide: advance,
};

fn next(course: &Course, opening: &Opening) -> Next {
    match course.step {
        i @ 0..=2 => rif::canonical(i),
        3 => Next::Choose { seat: Seat::Second, branches: 0 },
        4 => Next::Place { seat: course.white(), region: Region::Anywhere },
        5 => Next::Number { seat: course.white(), low: 1, high: opening.number().unwrap_or(1) },
        6 => Next::Choose { seat: course.black, branches: 0 },
        7 => Next::Offer { seat: course.black, count: course.declared },
        8 => Next::Pick { seat: course.white() },
        _ => Next::Play,
    }
}
