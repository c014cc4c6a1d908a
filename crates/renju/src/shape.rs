//! Patterns on line words: every function looks at all windows of a line at once.
//!
//! A *window* of `n` cells is named by its lowest bit. `own` has the stones of one colour, `empty` the empty cells;
//! everything else (the opponent, the margin) blocks. *Exact* means that a longer row doesn't count: the cells next to
//! the window must not be own. `open` has the cells that leave a row open when they are next to its end: everything
//! (`!0`) except in caro, where a row of exactly `n` needs one such end. Definitions follow the RIF rules of 1996,
//! section 9 ("row", "four", "straight four", "three"). Not here: points, directions, forbidden moves.

/// Windows of `n` cells that are set everywhere.
#[inline(always)]
pub(crate) fn full(word: u32, n: u32) -> u32 {
    (1..n).fold(word, |all, j| all & (word >> j))
}

/// Windows of `n` cells with exactly one, and with exactly two cells not set.
#[inline(always)]
fn missing(word: u32, n: u32) -> (u32, u32) {
    let (mut none, mut one, mut two) = (!0u32, 0u32, 0u32);
    for j in 0..n {
        let set = word >> j;
        two = (two & set) | (one & !set);
        one = (one & set) | (none & !set);
        none &= set;
    }
    (one, two)
}

/// Cells of windows of `n` cells.
#[inline(always)]
pub(crate) fn cells(windows: u32, n: u32) -> u32 {
    (1..n).fold(windows, |all, j| all | (windows << j))
}

/// Cells that lie in two or more of the windows of `n` cells.
#[inline(always)]
fn shared_cells(windows: u32, n: u32) -> u32 {
    let (mut once, mut twice) = (windows, 0);
    for j in 1..n {
        twice |= once & (windows << j);
        once |= windows << j;
    }
    twice
}

/// Windows of `n` cells with no own stone next to them.
#[inline(always)]
fn alone(own: u32, n: u32) -> u32 {
    !(own << 1) & !(own >> n)
}

/// Windows of `n` cells that win when they are full: alone if `exact`, and with an open end. (`open` holds own stones
/// too: next to one, the row is longer than `n`, which no opponent's stones can spoil.)
#[inline(always)]
fn winning(own: u32, n: u32, exact: bool, open: u32) -> u32 {
    let ends = (open << 1) | (open >> n);
    if exact { ends & alone(own, n) } else { ends }
}

/// Windows of `n` cells, all own but one empty cell, where a stone wins.
#[inline(always)]
fn completing_windows(own: u32, empty: u32, n: u32, exact: bool, open: u32) -> u32 {
    let (one, _) = missing(own, n);
    one & full(own | empty, n) & winning(own, n, exact, open)
}

/// Cells where one stone makes a row of `n` or, if `exact`, of exactly `n`.
#[inline(always)]
pub(crate) fn completing(own: u32, empty: u32, n: u32, exact: bool, open: u32) -> u32 {
    let (one, _) = missing(own, n);
    cells(one & winning(own, n, exact, open), n) & empty
}

/// Empty cells where a stone of the opponent may keep some window from being completed: the missing cell itself, and
/// the cells next to the window, which matter where a row must have an open end.
#[inline(always)]
pub(crate) fn guards(own: u32, empty: u32, n: u32, exact: bool, open: u32) -> u32 {
    let windows = completing_windows(own, empty, n, exact, open);
    (cells(windows, n) | (windows >> 1) | (windows << n)) & empty
}

/// Windows of `n` cells, all own but two empty ones: a stone on either threatens a row of `n`.
#[inline(always)]
pub(crate) fn four_windows(own: u32, empty: u32, n: u32, exact: bool, open: u32) -> u32 {
    let (_, two) = missing(own, n);
    two & full(own | empty, n) & winning(own, n, exact, open)
}

/// Windows of `n - 1` cells, all own but two empty ones, with empty cells beyond both ends: stones on the two make a
/// straight four, that is, two ways to a row of `n`.
#[inline(always)]
pub(crate) fn three_windows(own: u32, empty: u32, n: u32, exact: bool) -> u32 {
    let (_, two) = missing(own, n - 1);
    let windows = two & full(own | empty, n - 1) & (empty << 1) & (empty >> (n - 1));
    if exact { windows & !(own << 2) & !(own >> n) } else { windows }
}

/// Cells of one line that may matter for a forbidden point (exact five).
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks {
    /// Cells that make a three of this line.
    pub(crate) threes: u32,
    /// Cells that make a four of this line.
    pub(crate) fours: u32,
    /// Cells that make an overline, or possibly two fours, of this line.
    pub(crate) heavy: u32,
}

/// The marks of one line.
#[inline(always)]
pub(crate) fn marks(own: u32, empty: u32) -> Marks {
    let fours = four_windows(own, empty, 5, true, !0);
    let (over, _) = missing(own, 6);
    Marks {
        threes: cells(three_windows(own, empty, 5, true), 4) & empty,
        fours: cells(fours, 5) & empty,
        heavy: (shared_cells(fours, 5) | cells(over, 6)) & empty,
    }
}

/// The bit that stands for the point itself in a view (below).
pub(crate) const CENTRE: u32 = 5;

/// Windows of five cells that hold the point of a view.
pub(crate) const THROUGH_FIVE: u32 = 0x3e;
/// Windows of four cells that hold the point of a view.
pub(crate) const THROUGH_FOUR: u32 = 0x3c;

/// What a stone on one empty point makes on one line, under an exact five.
#[derive(Clone, Copy, Default)]
pub(crate) struct View {
    pub(crate) five: bool,
    pub(crate) overline: bool,
    /// Different four-stone rows that one more stone makes a five; a straight four counts once.
    pub(crate) fours: u32,
    /// Windows of four cells in which a second stone makes a straight four.
    pub(crate) threes: u32,
}

/// Looks at the eleven cells around a point, which is bit 5 of both words and empty.
#[inline(always)]
pub(crate) fn view(own: u32, empty: u32) -> View {
    let placed = own | 1 << CENTRE;
    // Windows of five from the one that ends just below the point to the one that starts just above.
    let rows = full(placed, 5) & 0x7f;
    let overline = rows & (rows >> 1) & 0x3f != 0;
    let five = rows & 0x3e != 0 && !overline;
    let fours = four_windows(own, empty, 5, true, !0) & THROUGH_FIVE;
    // A straight four is one row seen through two windows.
    let straight = fours & (fours >> 1) & (full(placed, 4) >> 1);
    View {
        five,
        overline,
        fours: fours.count_ones() - straight.count_ones(),
        threes: three_windows(own, empty, 5, true) & THROUGH_FOUR,
    }
}
