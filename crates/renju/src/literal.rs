//! RIF 9.3 by the letter, beside the combined reading that is played (`forbidden`): a double-three is allowed if
//! "a) not more than one of the threes" has a completion that makes no overline and no double-four, *or* "b) not more
//! than one" has a completion that makes no forbidden double-three, each condition counting the threes by itself.
//!
//! Smallest known difference, Black alone on the board with C11 C10 G10 D9 F9 D8 F8 B7 C7 G7 D6 F5 H5: by the combined
//! reading D10 G9 E8 E5 I5 are forbidden, by the letter E9 too. Slower than the fast judge and nowhere on its path. Not
//! here: anything that the game is played by.

use tengen_game::{Point, PointSet};

use crate::forbidden::{Added, Judge, completions};

impl Judge<'_> {
    /// Whether a black stone would make a double-three that 9.3 by the letter doesn't allow. Overlines, fours and fives
    /// through the point itself don't matter here.
    fn double_three_by_letter(&self, p: Point, added: Option<&Added>) -> bool {
        let slots = self.geometry.slots[p.index()];
        let survey = self.survey(&slots, added);
        let here = Added { outer: added, slots };
        let (mut first, mut second) = (0, 0);
        for &three in survey.threes() {
            let (mut passes_a, mut passes_b) = (false, false);
            for q in completions(self.geometry, &slots, three) {
                let there = self.survey(&self.geometry.slots[q.index()], Some(&here));
                // The definition of a three: "without at the same time a five in a row is made".
                if there.five {
                    continue;
                }
                passes_a |= !there.overline && there.fours < 2;
                passes_b |= !self.double_three_by_letter(q, Some(&here));
            }
            first += usize::from(passes_a);
            second += usize::from(passes_b);
        }
        first >= 2 && second >= 2
    }

    /// Black's forbidden points among `empty` with 9.3 by the letter.
    pub(crate) fn map_by_letter(&self, empty: &PointSet) -> PointSet {
        let forbidden = |p: &Point| {
            let survey = self.survey(&self.geometry.slots[p.index()], None);
            !survey.five && (survey.overline || survey.fours >= 2 || self.double_three_by_letter(*p, None))
        };
        empty.iter().filter(forbidden).collect()
    }
}
