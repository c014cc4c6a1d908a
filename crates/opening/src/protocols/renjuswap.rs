//! The swap rule of renju (to 1995): as RIF, but the second seat places stone 2.
//!
//! The sources say that two of the 26 openings were forbidden, but not which; so all are allowed. Gomoku's rule of the
//! same name, three stones anywhere, is `swap`.

use tengen_game::{Family, Seat};

use super::{Form, Needs, Protocol, advance, rif};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "renjuswap",
    aliases: &["oldrif"],
    summary: "first places 1 and 3, second 2, in squares 1, 3, 5; second swaps or keeps; white plays 4; black offers 2 \
              fifths, white picks",
    source: "swap rule of the renju world championships 1989 to 1995",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 5, stones: 5 },
    next,
    decide: advance,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        0 => Next::Place { seat: Seat::First, region: Region::CENTRE },
        1 => Next::Place { seat: Seat::Second, region: Region::Square(3) },
        2 => Next::Place { seat: Seat::First, region: Region::Square(5) },
        step => rif::swap_and_two_fifths(course, step - 3),
    }
}
