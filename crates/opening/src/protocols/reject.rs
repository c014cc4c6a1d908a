//! The rejection system: a tournament names three rules; the first seat rejects one, the second one of the two left, and
//! the rule that remains is played, the first seat starting.
//!
//! One of the three must be the old RIF rule and the other two official ones. The text that introduced the system (Czech
//! renju federation, 2008) describes as "the old system of opening, the RIF rules" three stones by the starter, one swap
//! and two fifth moves, which is `rif`; as official it describes Yamaguchi, Soosõrv and Taraguchi, whose later numbers
//! are taken too. Branch i = reject rule i. The clock is pressed after each rejection; that is conduct.

use tengen_game::{Action, Seat};

use super::{Form, Needs, Protocol};
use crate::course::{Course, Next};
use crate::opening::Opening;

pub(super) const ROW: Protocol = Protocol {
    name: "reject",
    aliases: &[],
    summary: "of three rules first rejects one, second one of the two left; the remaining rule is played",
    source: "rejection system of the Czech renju tournaments, 2008",
    form: Form::Rules { example: "rif,soosorv-8,taraguchi-10" },
    branches: &[],
    // Those of the three rules are checked one by one.
    needs: Needs { family: None, square: 0, stones: 0 },
    next,
    decide,
};

/// The old rule, of which there must be one.
const OLD: &str = "rif";
/// The rules that the other two may be.
const OFFICIAL: [&str; 3] = ["yamaguchi", "soosorv", "taraguchi"];
const ALL: u8 = 0b111;

fn next(course: &Course, _: &Opening) -> Next {
    let (seat, open) = if course.rules == 0 { (Seat::First, ALL) } else { (Seat::Second, course.rules) };
    Next::Branch { seat, open: u16::from(open) }
}

fn decide(course: &mut Course, action: Action, _: &Opening) {
    let Some(rejected) = action.as_branch() else { return };
    let before = if course.rules == 0 { ALL } else { course.rules };
    course.rules = before & !(1 << rejected);
    // The remaining rule begins at its own first step.
    course.step = u8::from(course.rules.count_ones() > 1);
}

/// Reads `A,B,C`; the error says what the system asks of the three.
pub(crate) fn read_rules(text: &str) -> Result<[Opening; 3], String> {
    let names: Vec<&str> = text.split(',').collect();
    let [a, b, c] = names[..] else {
        return Err(format!("the rejection system takes three rules, as in `reject:rif,A,B`, not {}", names.len()));
    };
    let read = |name: &str| name.parse::<Opening>().map_err(|e| e.why);
    let rules = [read(a)?, read(b)?, read(c)?];
    let old = rules.iter().filter(|rule| rule.protocol().name == OLD).count();
    if old != 1 {
        return Err(format!("one of the three rules must be the old RIF rule, `{OLD}`; `{text}` has {old} of it"));
    }
    let official = |rule: &&Opening| rule.protocol().name == OLD || OFFICIAL.contains(&rule.protocol().name);
    if let Some(other) = rules.iter().find(|rule| !official(rule)) {
        let known = OFFICIAL.join(", ");
        return Err(format!("`{other}` is no official rule beside `{OLD}`; the other two rules are of {known}"));
    }
    if rules[0] == rules[1] || rules[1] == rules[2] || rules[0] == rules[2] {
        return Err(format!("the three rules must differ; `{text}` names one twice"));
    }
    Ok(rules)
}
