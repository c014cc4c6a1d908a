//! Super Taraguchi-N: Taraguchi with stones 2 to 5 in the central squares 5, 7, 9 and 9, which opens new openings.

use tengen_game::Family;

use super::{FIFTHS_MAX, Form, Needs, Protocol, taraguchi};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "supertaraguchi",
    aliases: &[],
    summary: "swap after each stone, in squares 1, 5, 7, 9, 9; after stone 4 black may offer N fifths instead",
    source: "Super Taraguchi-10, Renju Caffe tournament (renjunews)",
    form: Form::Number { low: 1, high: FIFTHS_MAX, default: 10 },
    branches: &["stay black and offer fifth moves"],
    needs: Needs { family: Some(Family::Five), square: 9, stones: 5 },
    next,
    decide: taraguchi::decide,
};

const SQUARES: [Region; 5] =
    [Region::CENTRE, Region::Square(5), Region::Square(7), Region::Square(9), Region::Square(9)];

fn next(course: &Course, opening: &Opening) -> Next {
    taraguchi::next_in(course, opening, &SQUARES)
}
