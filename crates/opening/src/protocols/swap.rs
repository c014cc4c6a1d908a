//! Gomoku's swap: three stones by one, the choice of colour by the other.

use tengen_game::{Family, Seat};

use super::{Needs, Protocol};
use crate::course::{Course, Next, Region};

pub(super) const ROW: Protocol = Protocol {
    name: "swap",
    aliases: &[],
    summary: "first places three stones anywhere; second swaps or keeps; white plays 4",
    source: "gomoku tournaments before swap2",
    number: None,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 0, stones: 3 },
    next,
    decide: Course::advance,
};

fn next(course: &Course, _: u16) -> Next {
    match course.step {
        0..=2 => Next::Place { seat: Seat::First, region: Region::Anywhere },
        3 => Next::Choose { seat: Seat::Second, branches: 0 },
        _ => Next::Play,
    }
}
