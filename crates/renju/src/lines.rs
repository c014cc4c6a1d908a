//! Stones as bits of every line of the board, in four directions, so that a pattern is a few shifts.
//!
//! A line word has one bit per cell of a row, column or diagonal: cell `i` is bit `i + 5`, where `i` is the row number
//! on columns and the column number elsewhere. The five bits below and at least five above are margin and never hold a
//! stone. Not here: what a pattern means (`shape`), rules, turns.

use tengen_game::{Colour, Point, Size};

/// Directions of rows: along a row, a column, a falling and a rising diagonal.
pub(crate) const DIRECTIONS: usize = 4;
/// Margin bits below cell 0: no rule looks further than five cells from a stone.
pub(crate) const MARGIN: u32 = 5;
/// Lines are handled in groups of this many, so that the compiler can use vector registers.
pub(crate) const GROUP: usize = 8;
/// 22 + 22 + 43 + 43 lines of the largest board, rounded up to whole groups.
pub(crate) const LINES: usize = 136;

/// Where a point lies: per direction the line and the bit in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slots {
    pub(crate) line: [u8; DIRECTIONS],
    pub(crate) bit: [u8; DIRECTIONS],
}

/// The lines of one board size; shared by all positions of a game.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Bits of each line that are on the board; 0 for lines that don't exist.
    pub(crate) inside: [u32; LINES],
    /// Point index of bit 0 of each line, were it on the board.
    base: [i16; LINES],
    /// Point index step per bit of each line.
    step: [i16; LINES],
    /// Per point.
    pub(crate) slots: Vec<Slots>,
    /// Groups of lines that exist.
    pub(crate) groups: usize,
}

impl Geometry {
    pub(crate) fn new(size: Size) -> Geometry {
        let (w, h) = (size.width(), size.height());
        let first = [0, h, h + w, h + w + w + h - 1];
        let count = h + w + 2 * (w + h - 1);
        let mut geometry = Geometry {
            inside: [0; LINES],
            base: [0; LINES],
            step: [0; LINES],
            slots: vec![Slots::default(); size.area()],
            groups: count.div_ceil(GROUP),
        };
        let step = [1, w as i16, w as i16 + 1, 1 - w as i16];
        for p in size.points() {
            let (x, y) = size.xy(p);
            let lines = [y, x, x + h - 1 - y, x + y];
            let cells = [x, y, x, x];
            for d in 0..DIRECTIONS {
                let (line, bit) = (first[d] + lines[d], cells[d] as u32 + MARGIN);
                geometry.inside[line] |= 1 << bit;
                geometry.base[line] = p.0 as i16 - step[d] * bit as i16;
                geometry.step[line] = step[d];
                geometry.slots[p.index()].line[d] = line as u8;
                geometry.slots[p.index()].bit[d] = bit as u8;
            }
        }
        geometry
    }

    /// The point at a bit of a line; the bit must be inside.
    #[inline]
    pub(crate) fn point(&self, line: usize, bit: u32) -> Point {
        Point((self.base[line] + self.step[line] * bit as i16) as u16)
    }
}

/// The stones of both colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// `[colour][line]`
    words: [[u32; LINES]; 2],
}

impl Lines {
    pub(crate) const EMPTY: Lines = Lines { words: [[0; LINES]; 2] };

    #[inline]
    pub(crate) fn of(&self, colour: Colour) -> &[u32; LINES] {
        &self.words[colour.index()]
    }

    /// Puts a stone on an empty point, or takes it off again.
    #[inline]
    pub(crate) fn toggle(&mut self, slots: &Slots, colour: Colour) {
        let words = &mut self.words[colour.index()];
        for d in 0..DIRECTIONS {
            words[slots.line[d] as usize] ^= 1 << slots.bit[d];
        }
    }

    #[inline]
    pub(crate) fn has(&self, slots: &Slots, colour: Colour) -> bool {
        self.words[colour.index()][slots.line[0] as usize] >> slots.bit[0] & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_leads_back_to_its_point() {
        for (w, h) in [(3, 3), (3, 22), (22, 3), (15, 15), (22, 22), (9, 14)] {
            let size = Size::new(w, h).unwrap();
            let geometry = Geometry::new(size);
            for p in size.points() {
                let slots = geometry.slots[p.index()];
                for d in 0..DIRECTIONS {
                    assert_eq!(geometry.point(slots.line[d] as usize, slots.bit[d].into()), p);
                }
            }
            let cells: u32 = geometry.inside.iter().map(|w| w.count_ones()).sum();
            assert_eq!(cells as usize, 4 * size.area());
            assert!(geometry.inside.iter().all(|w| w & 0xf800_001f == 0), "margins stay free");
        }
    }
}
