//! Swap after every stone: the other seat may swap right after each of the first five, placed anywhere.
//!
//! Tarannikov without squares; swap after the first stone alone is `pie`.

use tengen_game::Family;

use super::{Form, Needs, Protocol, advance, taraguchi};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "swap5",
    aliases: &["swap-5"],
    summary: "swap after each of the first five stones, placed anywhere",
    source: "gomoku, swap after the first five moves",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 0, stones: 5 },
    next,
    decide: advance,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        step @ 0..=9 => taraguchi::swap_after_each_in(course, step, &[Region::Anywhere; 5]),
        _ => Next::Play,
    }
}
