//! Black's forbidden points in renju, exactly: overline, double-four, double-three with unbounded recursion.
//!
//! RIF rules of 1996, section 9: a five beats everything (9.2); a three counts only if a straight four can be made from
//! it on a point that neither makes a five nor is itself forbidden at that moment (definition of "three", 9.3). Every
//! level of the recursion has one more stone on the board, so it ends. Points under judgement are kept in a list on the
//! call stack instead of being placed.
//!
//! 9.3 is read as all strong engines do: a three is real if *one* completion passes both its conditions a) and b). Taken
//! by the letter, a double-three is allowed if a) holds *or* b) holds, each counting the threes by itself; the two
//! readings differ in 0.74 % of adversarial positions and in none of 1,400 like those of play. The smallest known
//! difference is in `literal`, which answers by the letter for those who want to compare. Not here: whose turn it is, and
//! whether the game is renju at all.

use tengen_game::{Colour, Point, PointSet};

use crate::lines::{DIRECTIONS, GROUP, Geometry, LINES, Lines, MARGIN, Slots};
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

/// Stones of the judged colour put on in thought, innermost first.
pub(crate) struct Added<'a> {
    pub(crate) outer: Option<&'a Added<'a>>,
    pub(crate) slots: Slots,
}

/// The eleven cells of one direction around a point: own stones with those put on in thought, and empty cells.
#[inline(always)]
pub(crate) fn around(
    geometry: &Geometry,
    [own, other]: [&[u32; LINES]; 2],
    slots: &Slots,
    d: usize,
    added: Option<&Added>,
) -> (u32, u32) {
    let line = slots.line[d] as usize;
    let mut own = own[line];
    let mut next = added;
    while let Some(stone) = next {
        if stone.slots.line[d] as usize == line {
            own |= 1 << stone.slots.bit[d];
        }
        next = stone.outer;
    }
    let empty = geometry.inside[line] & !(own | other[line]);
    let shift = u32::from(slots.bit[d]) - MARGIN;
    (own >> shift & 0x7ff, empty >> shift & 0x7ff)
}

/// The other cells of a point's line that, with the point, fill a window of four (see `shape::THROUGH_FOUR`): the
/// points that complete its three.
#[inline(always)]
pub(crate) fn completions<'a>(
    geometry: &'a Geometry,
    slots: &'a Slots,
    (d, windows, empty): Three,
) -> impl Iterator<Item = Point> + 'a {
    let mut rest = windows;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let low = rest.trailing_zeros();
            rest &= rest - 1;
            let other = empty & (0xf << low) & !(1 << CENTRE);
            let bit = u32::from(slots.bit[d]) + other.trailing_zeros() - CENTRE;
            geometry.point(slots.line[d] as usize, bit)
        })
    })
}

/// A line with a three through a point: direction, windows of four that complete it, empty cells of the view.
pub(crate) type Three = (usize, u32, u32);

/// Directions in which a stone makes a three, with the windows of each.
#[derive(Default)]
pub(crate) struct Survey {
    pub(crate) five: bool,
    pub(crate) overline: bool,
    pub(crate) fours: u32,
    three_count: usize,
    threes: [Three; DIRECTIONS],
}

impl Survey {
    /// Each line with a three.
    pub(crate) fn threes(&self) -> &[Three] {
        &self.threes[..self.three_count]
    }
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
    #[inline]
    pub(crate) fn survey(&self, slots: &Slots, added: Option<&Added>) -> Survey {
        let mut survey = Survey::default();
        for d in 0..DIRECTIONS {
            let lines = [self.lines.of(Colour::Black), self.lines.of(Colour::White)];
            let (own, empty) = around(self.geometry, lines, slots, d, added);
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
    fn is_real(&self, slots: &Slots, &three: &Three, here: &Added) -> bool {
        completions(self.geometry, slots, three).any(|p| self.verdict(p, Some(here)) == Verdict::Legal)
    }

    /// Whether a black stone on an empty point, allowed or not, makes a real three.
    pub(crate) fn makes_real_three(&self, p: Point) -> bool {
        let slots = self.geometry.slots[p.index()];
        let survey = self.survey(&slots, None);
        let here = Added { outer: None, slots };
        survey.threes().iter().any(|three| self.is_real(&slots, three, &here))
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
