//! Gomoku's swap: three stones by one, the choice of colour by the other. Renju's old rule of that name is `renjuswap`.

use tengen_game::{Family, Seat};

use super::{Form, Needs, Protocol, advance};
use crate::course::{Course, Next, Region};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "swap",
    aliases: &["gomokuswap"],
    summary: "first places three stones anywhere; second swaps or keeps; white plays 4",
    source: "gomoku tournaments before swap2",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 0, stones: 3 },
    next,
    decide: advance,
};

fn next(course: &Course, _: &Opening) -> Next {
    match course.step {
        0..=2 => Next::Place { seat: Seat::First, region: Region::Anywhere },
        3 => Next::Choose { seat: Seat::Second, branches: 0 },
        _ => Next::Play,
    }
}
