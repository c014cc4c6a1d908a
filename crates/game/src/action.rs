//! One integer that runs from tree to shard to policy.
//!
//! Points come first, then pass, then what opening protocols decide. The numbering doesn't depend on the board size, so
//! that a record needs no table. Only `features` maps actions to a network's outputs. Not here: which actions are legal.

use crate::board::{MAX_POINTS, Point};

/// A decision of the seat to act.
///
/// | value | meaning |
/// |---|---|
/// | 0..625 | a point, `row * width + column`: a stone, or an offered or picked point where the stage says so |
/// | 625 | pass |
/// | 626 | swap: take the other colour |
/// | 627 | keep the colours |
/// | 628..640 | branch 0..12 of a protocol (for example "play on" or "offer five") |
/// | 640..896 | the number 0..=255 (declared offers, komi bids) |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action(pub u16);

impl Action {
    /// No stone.
    pub const PASS: Action = Action(MAX_POINTS as u16);
    /// Take the other colour.
    pub const SWAP: Action = Action(MAX_POINTS as u16 + 1);
    /// Keep the colours as they are.
    pub const KEEP: Action = Action(MAX_POINTS as u16 + 2);
    const BRANCH_BASE: u16 = MAX_POINTS as u16 + 3;
    /// How many branches a protocol may have at one decision.
    pub const BRANCHES: u16 = 12;
    const NUMBER_BASE: u16 = Self::BRANCH_BASE + Self::BRANCHES;
    /// Largest number that can be declared.
    pub const NUMBER_MAX: u16 = 255;
    /// One past the largest action.
    pub const END: u16 = Self::NUMBER_BASE + Self::NUMBER_MAX + 1;

    /// A stone, offer or pick at `p`.
    pub fn point(p: Point) -> Action {
        Action(p.0)
    }

    /// The point, if the action is one.
    #[inline]
    pub fn as_point(self) -> Option<Point> {
        (self.0 < MAX_POINTS as u16).then_some(Point(self.0))
    }

    /// Branch `i` of a protocol, below `BRANCHES`.
    pub fn branch(i: u16) -> Action {
        debug_assert!(i < Self::BRANCHES);
        Action(Self::BRANCH_BASE + i)
    }

    /// The branch, if the action is one.
    pub fn as_branch(self) -> Option<u16> {
        (Self::BRANCH_BASE..Self::NUMBER_BASE).contains(&self.0).then(|| self.0 - Self::BRANCH_BASE)
    }

    /// The number `n`, at most `NUMBER_MAX`.
    pub fn number(n: u16) -> Action {
        debug_assert!(n <= Self::NUMBER_MAX);
        Action(Self::NUMBER_BASE + n)
    }

    /// The number, if the action is one.
    pub fn as_number(self) -> Option<u16> {
        (Self::NUMBER_BASE..Self::END).contains(&self.0).then(|| self.0 - Self::NUMBER_BASE)
    }

    /// Whether a record may hold this value at all.
    pub fn is_valid(self) -> bool {
        self.0 < Self::END
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_exactly_one_kind() {
        for v in 0..Action::END {
            let a = Action(v);
            let kinds = [
                a.as_point().is_some(),
                a == Action::PASS,
                a == Action::SWAP,
                a == Action::KEEP,
                a.as_branch().is_some(),
                a.as_number().is_some(),
            ];
            assert_eq!(kinds.iter().filter(|&&k| k).count(), 1, "{v}");
        }
        assert_eq!(Action::number(221).as_number(), Some(221));
        assert!(!Action(Action::END).is_valid());
    }
}
