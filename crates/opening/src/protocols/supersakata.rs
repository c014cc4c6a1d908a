//! Super Sakata: two stones by one, then the other takes White, takes Black, or adds a pair and hands the choice back,
//! as often as they like.
//!
//! Whoever placed the last pair holds Black until the other has chosen, so keep = stay White and play the next stone,
//! swap = take Black, branch 0 = place a white and a black stone on any free points. The rule sets no limit to the
//! pairs: the board does, for a full board is a draw. A row completed while colours are open belongs to the seat that
//! would choose next (see `Seated::outcome`), so nobody gains by completing one. Forbidden points stay forbidden.

use tengen_game::{Action, Family, Seat};

use super::{Form, Needs, Protocol, rif};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "supersakata",
    aliases: &[],
    summary: "first places one of the 26 openings; second places 4 and 5 in squares 7 and 9; then by turns: keep white, \
              swap, or place two more anywhere",
    source: "renju.net, rule 17",
    form: Form::Plain,
    branches: &["place a white and a black stone and let the other choose"],
    needs: Needs { family: Some(Family::Five), square: 9, stones: 5 },
    next,
    decide,
};

/// Steps: 0 to 2 the opening, 3 and 4 second's pair, 5 first chooses, 6 and 7 first's pair, 8 second chooses, 9 and 10
/// second's pair, and again from 5.
fn next(course: &Course, _: &Opening) -> Next {
    let (first, second) = (Seat::First, Seat::Second);
    match course.step {
        i @ 0..=2 => rif::canonical(i),
        3 => Next::Place { seat: second, region: Region::Square(7) },
        4 => Next::Place { seat: second, region: Region::Square(9) },
        5 => Next::Choose { seat: first, branches: 1 },
        6 | 7 => Next::Place { seat: first, region: Region::Anywhere },
        8 => Next::Choose { seat: second, branches: 1 },
        9 | 10 => Next::Place { seat: second, region: Region::Anywhere },
        _ => Next::Play,
    }
}

fn decide(course: &mut Course, action: Action, _: &Opening) {
    let step = course.step;
    course.advance(action);
    match step {
        4 => course.black = Seat::Second,
        7 => course.black = Seat::First,
        10 => {
            course.black = Seat::Second;
            course.step = 5;
        }
        5 | 8 if action.as_branch().is_none() => course.step = Course::DONE,
        _ => {}
    }
}
