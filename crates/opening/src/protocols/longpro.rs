//! Long pro: as pro, with stone 3 at least four lines from the centre.

use tengen_game::Family;

use super::{Form, Needs, Protocol, advance, pro};

pub(super) const ROW: Protocol = Protocol {
    name: "longpro",
    aliases: &[],
    summary: "stone 1 on the centre, stone 3 outside the central 7x7",
    source: "gomoku tournaments, long pro opening",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: Some(Family::Five), square: 9, stones: 3 },
    next: |course, _| pro::next(course, 7),
    decide: advance,
};
