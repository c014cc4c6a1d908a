//! Pro: Black starts on the centre and places stone 3 at least three lines away. No swap.

use tengen_game::Family;

use super::{Form, Needs, Protocol, advance};
use crate::course::{Course, Next, Region};

pub(super) const ROW: Protocol = Protocol {
    name: "pro",
    aliases: &[],
    summary: "stone 1 on the centre, stone 3 outside the central 5x5",
    source: "gomoku tournaments, pro opening",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 7, stones: 3 },
    next: |course, _| next(course, 5),
    decide: advance,
};

/// Stone 1 on the centre, 2 anywhere, 3 outside the central square of side `inner`.
pub(super) fn next(course: &Course, inner: u8) -> Next {
    match course.step {
        0 => Next::Place { seat: course.black, region: Region::CENTRE },
        1 => Next::Place { seat: course.white(), region: Region::Anywhere },
        2 => Next::Place { seat: course.black, region: Region::Outside(inner) },
        _ => Next::Play,
    }
}
