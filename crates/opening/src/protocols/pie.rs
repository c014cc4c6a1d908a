//! The pie rule: one cuts, the other chooses. In five-in-a-row the same rule is known as swap after the first stone.
//!
//! Open to every family: Go and Hex players say pie, gomoku programs say swap1, and both mean this. The first move must
//! be a stone: a pass would offer nothing to choose between but the komi.

use tengen_game::Seat;

use super::{Form, Needs, Protocol, advance};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "pie",
    aliases: &["swap1"],
    summary: "first places a stone anywhere; second swaps or keeps",
    source: "pie rule (Hex, Go); swap1 of gomoku programs",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: None, square: 0, stones: 1 },
    next,
    decide: advance,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        0 => Next::Place { seat: Seat::First, region: Region::Anywhere },
        1 => Next::Choose { seat: Seat::Second, branches: 0 },
        _ => Next::Play,
    }
}
