//! Tarannikov: the other seat may swap after each of the first five stones, placed in growing central squares.

use tengen_game::Family;

use super::{Form, Needs, Protocol, advance, taraguchi};
use crate::course::{Course, Next};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "tarannikov",
    aliases: &[],
    summary: "swap after each of the first five stones, in squares 1, 3, 5, 7, 9",
    source: "RIF opening rule 2008",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 9, stones: 5 },
    next,
    decide: advance,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        step @ 0..=9 => taraguchi::swap_after_each(course, step),
        _ => Next::Play,
    }
}
