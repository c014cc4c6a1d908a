//! `SeatedSetup`: rules plus opening protocol, as one line of text. Checked when made, so a game can start from any that
//! exists. Not here: the rules' own keys.

use std::fmt;
use std::str::FromStr;

use std::sync::Arc;

use tengen_game::notation::Letters;
use tengen_game::{Action, Facts, Placement, Point, SetupError, SetupText};

use crate::opening::Opening;

/// Rules of a placement game and the protocol that opens it; the two fit each other.
///
/// As text: the rules' `key=value` tokens, then `opening=…`; without that key it is `none`.
#[derive(Clone, Debug)]
pub struct SeatedSetup<P: Placement> {
    rules: P::Rules,
    opening: Opening,
    /// Given starts as points of this board; empty under most protocols.
    starts: Arc<[Vec<Point>]>,
}

impl<P: Placement> SeatedSetup<P> {
    /// Joins rules and protocol; an error about `opening` if the protocol can't open such a game, or if a given start
    /// isn't legal or not undecided under these rules.
    pub fn new(rules: P::Rules, opening: Opening) -> Result<SeatedSetup<P>, SetupError> {
        let facts = P::facts(&rules);
        opening.check(&facts)?;
        if opening.settles_komi() && P::start(&rules).komi_steps().is_none() {
            let why = format!("`{opening}` settles the komi, and these rules have none that could be settled");
            return Err(SetupError::new("opening", why));
        }
        let starts = opening.book().map_or(Ok(Vec::new()), |book| book.on(facts.size));
        let fail = |why: String| SetupError::new("opening", format!("`{opening}`: {why}"));
        let starts = starts.map_err(fail)?;
        starts.iter().try_for_each(|start| check_start::<P>(&rules, start)).map_err(fail)?;
        Ok(SeatedSetup { rules, opening, starts: starts.into() })
    }

    /// The setups of these rules with every protocol that can open them, numbers and rules as usual, given starts left
    /// out.
    pub fn every_opening(rules: &P::Rules) -> Vec<SeatedSetup<P>> {
        let plain = Opening::usual().filter(|o| o.book().is_none());
        plain.filter_map(|opening| SeatedSetup::new(rules.clone(), opening).ok()).collect()
    }

    /// The rules of the board.
    pub fn rules(&self) -> &P::Rules {
        &self.rules
    }

    /// The opening protocol.
    pub fn opening(&self) -> Opening {
        self.opening.clone()
    }

    /// As `opening`, without a copy.
    pub(crate) fn protocol(&self) -> &Opening {
        &self.opening
    }

    pub(crate) fn starts(&self) -> &[Vec<Point>] {
        &self.starts
    }

    /// What the protocol was checked against.
    pub fn facts(&self) -> Facts {
        P::facts(&self.rules)
    }
}

/// Places a given start on an empty board: every stone must be legal and the game still open after the last.
fn check_start<P: Placement>(rules: &P::Rules, start: &[Point]) -> Result<(), String> {
    let mut board = P::start(rules);
    for (i, &p) in start.iter().enumerate() {
        let (name, colour) = (Letters::WithI.name(board.size(), p), board.to_play());
        if !board.is_legal(Action::point(p)) {
            return Err(format!("stone {} ({colour} {name}) of a given start is not legal", i + 1));
        }
        board.place(Action::point(p));
        if board.result().is_some() {
            return Err(format!("stone {} ({colour} {name}) of a given start ends the game", i + 1));
        }
    }
    Ok(())
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
