//! Named rule sets, one row each. A new one is a row; a rule that no row has yet is a value in `rules` first.
//!
//! Not here: rule sets that need territory scoring; `LATER` refuses them by name with the reason.

use tengen_game::{Conduct, EndProtocol, IllegalMove, SetupError};

use crate::rules::{Ko, Suicide, Tax, Tie};

/// Points that White gets back in a game with `n` handicap stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bonus {
    /// None.
    Zero,
    /// One for each stone (Chinese: half a stone each).
    PerStone,
    /// One for each stone but the first (AGA).
    PerStoneButFirst,
}

impl Bonus {
    /// Points for `stones` handicap stones; none without a handicap.
    pub fn points(self, stones: usize) -> f32 {
        match self {
            Bonus::Zero => 0.0,
            Bonus::PerStone => stones as f32,
            Bonus::PerStoneButFirst => stones.saturating_sub(1) as f32,
        }
    }
}

/// One named rule set; its fields are where a game's `GoRules` start from.
#[derive(Clone, Debug)]
pub struct Ruleset {
    /// Name in setup text.
    pub name: &'static str,
    /// Repetition.
    pub ko: Ko,
    /// Suicide.
    pub suicide: Suicide,
    /// Tax.
    pub tax: Tax,
    /// Points for White in an even game.
    pub komi: f32,
    /// Equal points.
    pub tie: Tie,
    /// Handicap compensation.
    pub bonus: Bonus,
    /// What a referee does; self-play doesn't ask.
    pub conduct: Conduct,
}

const AUTOMATIC: Conduct = Conduct { illegal: IllegalMove::Refuse, end: EndProtocol::Automatic };
const AGREEMENT: Conduct = Conduct { illegal: IllegalMove::Refuse, end: EndProtocol::Agreement };
/// Chinese text, articles 10 to 12: an illegal move is void and counts as a pass; the end is agreed.
const CHINESE: Conduct = Conduct { illegal: IllegalMove::VoidAndPass, end: EndProtocol::Agreement };

/// All rule sets that can be played.
pub const RULESETS: &[Ruleset] = &[
    // The komi is today's usual one; the text itself has none. Positional superko rules out single-stone suicide.
    Ruleset {
        name: "tromp-taylor",
        ko: Ko::Positional,
        suicide: Suicide::Multi,
        tax: Tax::None,
        komi: 7.5,
        tie: Tie::Draw,
        bonus: Bonus::Zero,
        conduct: AUTOMATIC,
    },
    // Superko as the text has it (article on global repetition). 7.5 points are 3 3/4 stones, today's komi.
    Ruleset {
        name: "chinese",
        ko: Ko::Positional,
        suicide: Suicide::None,
        tax: Tax::None,
        komi: 7.5,
        tie: Tie::Draw,
        bonus: Bonus::PerStone,
        conduct: CHINESE,
    },
    // As Go servers play it: the same on the board, an illegal move is refused.
    Ruleset {
        name: "chinese-kgs",
        ko: Ko::Positional,
        suicide: Suicide::None,
        tax: Tax::None,
        komi: 7.5,
        tie: Tie::Draw,
        bonus: Bonus::PerStone,
        conduct: AGREEMENT,
    },
    // Pass stones and White's last pass belong to counting by territory, which gives the same result.
    Ruleset {
        name: "aga",
        ko: Ko::Situational,
        suicide: Suicide::None,
        tax: Tax::None,
        komi: 7.5,
        tie: Tie::Draw,
        bonus: Bonus::PerStoneButFirst,
        conduct: AGREEMENT,
    },
    // The text also allows suicide of a single stone unless it repeats the situation; as with other programs it is
    // refused here, and `suicide=all` gives the text's rule.
    Ruleset {
        name: "nz",
        ko: Ko::Situational,
        suicide: Suicide::Multi,
        tax: Tax::None,
        komi: 7.0,
        tie: Tie::Draw,
        bonus: Bonus::Zero,
        conduct: AGREEMENT,
    },
];

/// Known names that can't be played yet, with the reason.
pub const LATER: &[(&str, &str)] = &[
    ("japanese", "needs territory scoring"),
    ("korean", "needs territory scoring"),
    ("esperanto-japanese", "needs territory scoring"),
    ("czech", "needs territory scoring"),
    ("ing", "needs Ing's own ko rules"),
    ("stone-scoring", "needs the rule for ending long cycles"),
    ("aga-button", "needs the button"),
];

/// The row of that name, or an error that says what there is.
pub(crate) fn ruleset(name: &str) -> Result<&'static Ruleset, SetupError> {
    if let Some(row) = RULESETS.iter().find(|row| row.name == name) {
        return Ok(row);
    }
    let known = RULESETS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    let why = match LATER.iter().find(|(later, _)| *later == name) {
        Some((_, why)) => format!("`{name}` is not supported yet: it {why}; there is {known}"),
        None => format!("`{name}` is not a rule set; there is {known}"),
    };
    Err(SetupError::new("rules", why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_refusals_give_the_reason() {
        for (i, row) in RULESETS.iter().enumerate() {
            assert!(RULESETS[..i].iter().all(|other| other.name != row.name));
            assert!(LATER.iter().all(|(later, _)| *later != row.name));
        }
        for (name, why) in LATER {
            assert!(ruleset(name).unwrap_err().why.contains(why));
        }
    }

    #[test]
    fn handicap_compensation() {
        let points = |name: &str, n| ruleset(name).unwrap().bonus.points(n);
        assert_eq!((points("chinese", 4), points("aga", 4), points("nz", 4), points("aga", 0)), (4.0, 3.0, 0.0, 0.0));
    }
}
