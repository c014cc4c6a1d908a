//! Black's forbidden points in renju, exactly: overline, double-four, double-three with unbounded recursion.
//!
//! RIF rules of 1996, section 9: a five beats everything (9.2); a three counts only if a straight four can be made from
//! it on a point that neither makes a five nor is itself forbidden at that moment (definition of "three", 9.3). 9.3 is
//! read as all strong engines do: one completion must pass both its conditions a) and b). Every level of the recursion
//! has one more stone on the board, so it ends. Points under judgement are kept in a list on the call stack instead of
//! being placed. Not here: whose turn it is, and whether the game is renju at all.

use tengen_game::{Colour, Point, PointSet};

use crate::lines::{DIRECTIONS, GROUP, Geometry, Lines, MARGIN, Slots};
use crate::shape::{self, CENTRE, Marks, View};

/// What a black stone on a point would make. A five excludes the others; a point is forbidden if any of the others
/// holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// Nothing of note.
    pub const NONE: Kinds = Kinds(0);
    /// Exactly five in a row.
    pub const FIVE: Kinds = Kinds(1);
    /// Six or more in a row.
    pub const OVERLINE: Kinds = Kinds(2);
    /// Two or more fours.
    pub const DOUBLE_FOUR: Kinds = Kinds(4);
    /// Two or more real threes.
    pub const DOUBLE_THREE: Kinds = Kinds(8);
    /// The forbidden kinds with their names, in the order in which they are reported.
    pub const FORBIDDEN: [(Kinds, &'static str); 3] =
        [(Kinds::OVERLINE, "overline"), (Kinds::DOUBLE_FOUR, "double-four"), (Kinds::DOUBLE_THREE, "double-three")];

    /// Whether all of `other` is in.
    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    pub fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether Black may not play there.
    pub fn is_forbidden(self) -> bool {
        self.0 & !Kinds::FIVE.0 != 0
    }

    /// Names of the forbidden kinds that hold.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Kinds::FORBIDDEN.into_iter().filter(move |&(kind, _)| self.has(kind)).map(|(_, name)| name)
    }
}

/// Black stones put on in thought, innermost first.
struct Added<'a> {
    outer: Option<&'a Added<'a>>,
    slots: Slots,
}

/// Directions in which a stone makes a three, with the windows of each.
#[derive(Default)]
struct Survey {
    five: bool,
    overline: bool,
    fours: u32,
    three_count: usize,
    /// `(direction, windows, empty cells of the view)`
    threes: [(usize, u32, u32); DIRECTIONS],
}

/// What a point is worth as the completion of a three.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Legal,
    Forbidden,
    Five,
}

/// The stones under judgement.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) lines: &'a Lines,
}

/// Cells up to four away from the point of a view: fewer than two own stones there make nothing.
const NEAR: u32 = 0b011_1101_1110;

impl Judge<'_> {
    /// The eleven cells of one direction around a point: Black's stones, and empty cells.
    #[inline(always)]
    fn around(&self, slots: &Slots, d: usize, added: Option<&Added>) -> (u32, u32) {
        let line = slots.line[d] as usize;
        let mut black = self.lines.of(Colour::Black)[line];
        let mut next = added;
        while let Some(stone) = next {
            if stone.slots.line[d] as usize == line {
                black |= 1 << stone.slots.bit[d];
            }
            next = stone.outer;
        }
        let white = self.lines.of(Colour::White)[line];
        let empty = self.geometry.inside[line] & !(black | white);
        let shift = u32::from(slots.bit[d]) - MARGIN;
        (black >> shift & 0x7ff, empty >> shift & 0x7ff)
    }

    #[inline]
    fn survey(&self, slots: &Slots, added: Option<&Added>) -> Survey {
        let mut survey = Survey::default();
        for d in 0..DIRECTIONS {
            let (own, empty) = self.around(slots, d, added);
            let near = own & NEAR;
            if near & near.wrapping_sub(1) == 0 {
                continue;
            }
            let View { five, overline, fours, threes } = shape::view(own, empty);
            survey.five |= five;
            survey.overline |= overline;
            survey.fours += fours;
            if threes != 0 {
                survey.threes[survey.three_count] = (d, threes, empty);
                survey.three_count += 1;
            }
        }
        survey
    }

    fn verdict(&self, p: Point, added: Option<&Added>) -> Verdict {
        let slots = self.geometry.slots[p.index()];
        let survey = self.survey(&slots, added);
        if survey.five {
            Verdict::Five
        } else if survey.overline || survey.fours >= 2 || self.double_three(&slots, &survey, added) {
            Verdict::Forbidden
        } else {
            Verdict::Legal
        }
    }

    /// Whether two or more of the threes are real.
    fn double_three(&self, slots: &Slots, survey: &Survey, added: Option<&Added>) -> bool {
        if survey.three_count < 2 {
            return false;
        }
        let here = Added { outer: added, slots: *slots };
        let mut real = 0;
        for (i, three) in survey.threes[..survey.three_count].iter().enumerate() {
            if real + survey.three_count - i < 2 {
                return false;
            }
            real += usize::from(self.is_real(slots, three, &here));
            if real == 2 {
                return true;
            }
        }
        false
    }

    /// Whether some completion of a three makes a straight four, no five, and is not forbidden.
    fn is_real(&self, slots: &Slots, &(d, windows, empty): &(usize, u32, u32), here: &Added) -> bool {
        let mut rest = windows;
        while rest != 0 {
            let low = rest.trailing_zeros();
            rest &= rest - 1;
            let other = empty & (0xf << low) & !(1 << CENTRE);
            let bit = u32::from(slots.bit[d]) + other.trailing_zeros() - CENTRE;
            let completion = self.geometry.point(slots.line[d] as usize, bit);
            if self.verdict(completion, Some(here)) == Verdict::Legal {
                return true;
            }
        }
        false
    }

    /// Whether Black may not play on an empty point.
    pub(crate) fn is_forbidden(&self, p: Point) -> bool {
        self.verdict(p, None) == Verdict::Forbidden
    }

    /// All that a black stone on an empty point would make.
    pub(crate) fn kinds(&self, p: Point) -> Kinds {
        let slots = self.geometry.slots[p.index()];
        let survey = self.survey(&slots, None);
        if survey.five {
            return Kinds::FIVE;
        }
        let mut kinds = Kinds::NONE;
        if survey.overline {
            kinds = kinds.with(Kinds::OVERLINE);
        }
        if survey.fours >= 2 {
            kinds = kinds.with(Kinds::DOUBLE_FOUR);
        }
        if self.double_three(&slots, &survey, None) {
            kinds = kinds.with(Kinds::DOUBLE_THREE);
        }
        kinds
    }

    /// All forbidden points: one sweep over all lines finds the few candidates, which are then judged one by one.
    pub(crate) fn map(&self) -> PointSet {
        let mut sweep = Sweep::default();
        let groups = self.lines.of(Colour::Black).chunks_exact(GROUP);
        let groups = groups.zip(self.lines.of(Colour::White).chunks_exact(GROUP));
        let groups = groups.zip(self.geometry.inside.chunks_exact(GROUP)).take(self.geometry.groups);
        for (group, ((black, white), inside)) in groups.enumerate() {
            let mut marks = [Marks::default(); GROUP];
            for i in 0..GROUP {
                marks[i] = shape::marks(black[i], inside[i] & !(black[i] | white[i]));
            }
            for (i, mark) in marks.iter().enumerate() {
                if mark.threes | mark.fours | mark.heavy != 0 {
                    sweep.add(self.geometry, group * GROUP + i, mark);
                }
            }
        }
        let mut forbidden = PointSet::EMPTY;
        for (i, &word) in sweep.candidates.iter().enumerate() {
            for bit in bits(word) {
                let p = Point((i * 64) as u16 + bit as u16);
                if self.is_forbidden(p) {
                    forbidden.insert(p);
                }
            }
        }
        forbidden
    }
}

/// Set bits of a word, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            bit
        })
    })
}

/// 22 x 22 points.
const WORDS: usize = 8;

/// Points with a mark, and those with marks enough to be forbidden.
#[derive(Default)]
struct Sweep {
    threes: [u64; WORDS],
    fours: [u64; WORDS],
    candidates: [u64; WORDS],
}

impl Sweep {
    fn add(&mut self, geometry: &Geometry, line: usize, mark: &Marks) {
        let place = |bit: u32| {
            let p = geometry.point(line, bit).index();
            (p / 64 % WORDS, 1u64 << (p % 64))
        };
        for bit in bits(mark.threes.into()) {
            let (word, mask) = place(bit);
            self.candidates[word] |= self.threes[word] & mask;
            self.threes[word] |= mask;
        }
        for bit in bits(mark.fours.into()) {
            let (word, mask) = place(bit);
            self.candidates[word] |= self.fours[word] & mask;
            self.fours[word] |= mask;
        }
        for bit in bits(mark.heavy.into()) {
            let (word, mask) = place(bit);
            self.candidates[word] |= mask;
        }
    }
}
