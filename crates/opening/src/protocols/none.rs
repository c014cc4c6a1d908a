//! No protocol: who acts first holds the colour that plays first, and plays.

use super::{Form, Needs, Protocol, advance};
use crate::course::Next;

pub(super) const ROW: Protocol = Protocol {
    name: "none",
    aliases: &[],
    summary: "plain play from the empty board",
    source: "the rules alone",
    form: Form::Plain,
    branches: &[],
    needs: Needs { family: None, square: 0, stones: 0 },
    next: |_, _| Next::Play,
    decide: advance,
};
