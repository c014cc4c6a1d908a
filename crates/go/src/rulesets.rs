//! Named rule sets, one row each. A new one is a row; a rule that no row has yet is a value in `rules` first.
//!
//! Where a text is silent, the row's comment says what was chosen. Not here: what the values do, other programs' names
//! (`katago`), and Ing's own ko rules, which no row has.

use tengen_game::{EndProtocol, IllegalMove, SetupError};

use crate::rules::{Bonus, Cycle, End, Ko, Placing, Resume, Scoring, Suicide, Tax, Tie};

/// One named rule set; its fields are where a game's `GoRules` start from.
#[derive(Clone, Debug)]
pub struct Ruleset {
    /// Name in setup text.
    pub name: &'static str,
    /// Repetition.
    pub ko: Ko,
    /// What a long cycle does where `ko` allows it.
    pub cycle: Cycle,
    /// Suicide.
    pub suicide: Suicide,
    /// What is counted.
    pub scoring: Scoring,
    /// What is taken off.
    pub tax: Tax,
    /// Points for White in an even game.
    pub komi: f32,
    /// Points for White in a handicap game, where the set says so.
    pub handicap_komi: Option<f32>,
    /// Equal points.
    pub tie: Tie,
    /// Handicap compensation.
    pub bonus: Bonus,
    /// Where handicap stones go.
    pub placing: Placing,
    /// Whether the first pass is worth half a point.
    pub button: bool,
    /// How play ends by itself.
    pub end: End,
    /// What a referee does about an illegal move; self-play doesn't ask.
    pub illegal: IllegalMove,
    /// Whether people agree on dead stones after play has ended; self-play doesn't ask.
    pub finish: EndProtocol,
    /// Who moves first when people play on after a disputed end.
    pub resume: Resume,
}

/// Tromp-Taylor; the other rows say what differs. Its komi is today's usual one, the text itself has none. Positional
/// superko rules out single-stone suicide.
const PLAIN: Ruleset = Ruleset {
    name: "tromp-taylor",
    ko: Ko::Positional,
    cycle: Cycle::Allowed,
    suicide: Suicide::Multi,
    scoring: Scoring::Area,
    tax: Tax::None,
    komi: 7.5,
    handicap_komi: None,
    tie: Tie::Draw,
    bonus: Bonus::Zero,
    placing: Placing::Fixed,
    button: false,
    end: End::Passes,
    illegal: IllegalMove::Refuse,
    finish: EndProtocol::Automatic,
    resume: Resume::Alternate,
};

/// Superko as the Chinese text has it (article on global repetition); rare cycles may instead be left to a referee, who
/// declares a draw or a replay (article 11.3): `ko=simple cycle=draw` or `cycle=no-result`. Area is counted in halves of
/// the board. An illegal move is void and counts as a pass (articles 10, 11.1); the end is agreed, and who disputes it
/// moves (article 12.1). 7.5 points are 3 3/4 stones, today's komi.
const CHINESE: Ruleset = Ruleset {
    name: "chinese",
    suicide: Suicide::None,
    scoring: Scoring::HalfArea,
    bonus: Bonus::PerStone,
    illegal: IllegalMove::VoidAndPass,
    finish: EndProtocol::Agreement,
    resume: Resume::Claimant,
    ..PLAIN
};

/// Japanese rules of 1989 as far as they can be played without a judge: clean-up phases with passes for a ko stand for
/// the confirmation of life and death. Who asks to play on gives the first move away (article 9.3).
const JAPANESE: Ruleset = Ruleset {
    name: "japanese",
    ko: Ko::Simple,
    cycle: Cycle::NoResult,
    suicide: Suicide::None,
    scoring: Scoring::Territory,
    tax: Tax::Seki,
    komi: 6.5,
    end: End::Repeat,
    finish: EndProtocol::Agreement,
    resume: Resume::Opponent,
    ..PLAIN
};

/// Pass stones and White's last pass (`end=white-last`) belong to counting by territory, which gives the same result.
const AGA: Ruleset = Ruleset {
    name: "aga",
    ko: Ko::Situational,
    suicide: Suicide::None,
    bonus: Bonus::PerStoneButFirst,
    finish: EndProtocol::Agreement,
    ..PLAIN
};

/// All rule sets that can be played.
pub const RULESETS: &[Ruleset] = &[
    PLAIN,
    CHINESE,
    // The compensation of the Chinese text itself, 2 3/4 stones.
    Ruleset { name: "chinese-2.75", komi: 5.5, ..CHINESE },
    // As Go servers play it: an illegal move is refused, area is counted in points.
    Ruleset {
        name: "chinese-kgs",
        scoring: Scoring::Area,
        illegal: IllegalMove::Refuse,
        resume: Resume::Alternate,
        ..CHINESE
    },
    JAPANESE,
    // Without passes for a ko in the confirmation of life and death; the automatic clean-up is the same.
    Ruleset { name: "korean", ..JAPANESE },
    // No komi, but White wins equal points. Silent on seki and on long cycles, which are as in the Japanese rules; "play
    // elsewhere" before retaking a ko is satisfied by a pass.
    Ruleset { name: "esperanto-japanese", komi: 0.0, tie: Tie::White, resume: Resume::Alternate, ..JAPANESE },
    // Ko by position, in the text's exact wording; no komi with a handicap; its own handicap order. Silent on long
    // cycles. Neutral points filled after the passes are played as ordinary moves before them.
    Ruleset {
        name: "czech",
        ko: Ko::LastPosition,
        handicap_komi: Some(0.0),
        placing: Placing::Czech,
        resume: Resume::Alternate,
        ..JAPANESE
    },
    AGA,
    // The first pass takes the button, half a point; draws are possible, as with any whole komi.
    Ruleset { name: "aga-button", komi: 7.0, button: true, ..AGA },
    // The text also allows suicide of a single stone unless it repeats the situation; as with other programs it is
    // refused here, and `suicide=all` gives the text's rule.
    Ruleset { name: "nz", ko: Ko::Situational, komi: 7.0, finish: EndProtocol::Agreement, ..PLAIN },
    // Two pairs of passes, 8 points of which Black wins ties; Ing's own ko rules (fighting and disturbing kos) are not
    // modelled, superko stands for them.
    Ruleset { name: "ing-like", komi: 8.0, tie: Tie::Black, end: End::Pairs, finish: EndProtocol::Agreement, ..PLAIN },
    // Counting stones only, after all has been filled in, is area less two points for each group.
    Ruleset {
        name: "stone-scoring",
        ko: Ko::Simple,
        cycle: Cycle::NoResult,
        suicide: Suicide::None,
        tax: Tax::All,
        end: End::Repeat,
        finish: EndProtocol::Agreement,
        ..PLAIN
    },
];

/// The row of that name, or an error that says what there is.
pub(crate) fn ruleset(name: &str) -> Result<&'static Ruleset, SetupError> {
    RULESETS.iter().find(|row| row.name == name).ok_or_else(|| {
        let known = RULESETS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        SetupError::new("rules", format!("`{name}` is not a rule set; there is {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_an_error_lists_them() {
        for (i, row) in RULESETS.iter().enumerate() {
            assert!(RULESETS[..i].iter().all(|other| other.name != row.name));
            assert!(ruleset("nosuch").unwrap_err().why.contains(row.name));
            let listed = format!("`{}`", row.name);
            assert!(include_str!("lib.rs").contains(&listed), "{listed} is in the table of setup text");
        }
    }

    #[test]
    fn handicap_compensation() {
        let points = |name: &str, n| ruleset(name).unwrap().bonus.points(n);
        assert_eq!((points("chinese", 4), points("aga", 4), points("nz", 4), points("aga", 0)), (4.0, 3.0, 0.0, 0.0));
    }
}
