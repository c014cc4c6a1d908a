//! `SeatedSetup`: rules plus opening protocol, as one line of text. Checked when made, so a game can start from any that
//! exists. Not here: the rules' own keys.

use std::fmt;
use std::str::FromStr;

use tengen_game::{Facts, Placement, SetupError, SetupText};

use crate::opening::Opening;

/// Rules of a placement game and the protocol that opens it; the two fit each other.
///
/// As text: the rules' `key=value` tokens, then `opening=…`; without that key it is `none`.
#[derive(Clone, Debug)]
pub struct SeatedSetup<P: Placement> {
    rules: P::Rules,
    opening: Opening,
}

impl<P: Placement> SeatedSetup<P> {
    /// Joins rules and protocol; an error about `opening` if the protocol can't open such a game.
    pub fn new(rules: P::Rules, opening: Opening) -> Result<SeatedSetup<P>, SetupError> {
        opening.check(&P::facts(&rules))?;
        Ok(SeatedSetup { rules, opening })
    }

    /// The rules of the board.
    pub fn rules(&self) -> &P::Rules {
        &self.rules
    }

    /// The opening protocol.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// What the protocol was checked against.
    pub fn facts(&self) -> Facts {
        P::facts(&self.rules)
    }
}

impl<P: Placement> PartialEq for SeatedSetup<P> {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules && self.opening == other.opening
    }
}

impl<P: Placement> fmt::Display for SeatedSetup<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} opening={}", self.rules, self.opening)
    }
}

impl<P: Placement> FromStr for SeatedSetup<P> {
    type Err = SetupError;

    fn from_str(text: &str) -> Result<SeatedSetup<P>, SetupError> {
        let mut parts = SetupText::parse(text)?;
        let opening = match parts.take("opening") {
            None => Opening::NONE,
            Some(name) => name.parse()?,
        };
        SeatedSetup::new(parts.rest().parse()?, opening)
    }
}
