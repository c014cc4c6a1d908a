//! Given starts: the stones of a list, as Gomocup's openings are, then plain play or a swap.
//!
//! The stones are placed one by one by the seats that hold their colours (with `:swap` all by the first, as the second
//! chooses then), in any of the board's orientations; which one shows in the record. Where several starts are given,
//! whoever places chooses among those that fit so far. What the texts look like is `book`'s business.

use tengen_game::{Family, Seat};

use super::{Form, Needs, Protocol, advance};
use crate::book::{Book, Colours};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "given",
    aliases: &[],
    summary: "a given start, or one of several (h8,h9,i9/h8,i9,j10), in any orientation; then plain play, with `:white` \
              as the first seat's colour, or `:swap` for a choice of colour by the second",
    source: "Gomocup and engine matches: openings from lists",
    form: Form::Starts { example: "h8,h9,i9" },
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 0, stones: 0 },
    next,
    decide: advance,
};

fn next(course: &Course, opening: &Opening) -> Next {
    let stones = opening.book().map_or(0, Book::stones);
    let colours = opening.book().map_or(Colours::default(), Book::colours);
    let step = usize::from(course.step);
    match step {
        _ if step < stones => {
            let holder = if step % 2 == 0 { course.black } else { course.white() };
            let seat = if colours == Colours::SecondChooses { Seat::First } else { holder };
            Next::Place { seat, region: Region::Book }
        }
        _ if step == stones && colours == Colours::SecondChooses => Next::Choose { seat: Seat::Second, branches: 0 },
        _ => Next::Play,
    }
}
