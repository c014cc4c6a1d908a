//! The 26 canonical openings of renju: numbers, names, and recognition in any of the eight orientations.
//! Not here: who places them (`protocols::rif`) and what they are worth (`fairness`).

use std::fmt;

use tengen_game::{Point, Size};

/// One of the 26. Direct: stone 2 touches stone 1 along a line of the board; indirect: along a diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanonicalOpening {
    /// 1..=13.
    pub number: u8,
    /// Direct or indirect.
    pub direct: bool,
    /// Japanese name in Latin letters.
    pub name: &'static str,
    /// Stone 3 from the centre in the usual orientation (stone 2 is up, or up and to the right): columns to the right,
    /// rows up.
    third: (i8, i8),
}

const fn row(direct: bool, number: u8, name: &'static str, right: i8, up: i8) -> CanonicalOpening {
    CanonicalOpening { number, direct, name, third: (right, up) }
}

/// Direct 1 to 13, then indirect 1 to 13, in the numbering that RenjuNet and Wikipedia use.
static OPENINGS: [CanonicalOpening; 26] = [
    row(true, 1, "Kansei", 0, 2),
    row(true, 2, "Keigetsu", 1, 2),
    row(true, 3, "Sosei", 2, 2),
    row(true, 4, "Kagetsu", 1, 1),
    row(true, 5, "Zangetsu", 2, 1),
    row(true, 6, "Ugetsu", 1, 0),
    row(true, 7, "Kinsei", 2, 0),
    row(true, 8, "Shogetsu", 0, -1),
    row(true, 9, "Kyugetsu", 1, -1),
    row(true, 10, "Shingetsu", 2, -1),
    row(true, 11, "Zuisei", 0, -2),
    row(true, 12, "Sangetsu", 1, -2),
    row(true, 13, "Yusei", 2, -2),
    row(false, 1, "Chosei", 2, 2),
    row(false, 2, "Kyogetsu", 2, 1),
    row(false, 3, "Kosei", 2, 0),
    row(false, 4, "Suigetsu", 2, -1),
    row(false, 5, "Ryusei", 2, -2),
    row(false, 6, "Ungetsu", 1, 0),
    row(false, 7, "Hogetsu", 1, -1),
    row(false, 8, "Rangetsu", 1, -2),
    row(false, 9, "Gingetsu", 0, -1),
    row(false, 10, "Myojo", 0, -2),
    row(false, 11, "Shagetsu", -1, -1),
    row(false, 12, "Meigetsu", -1, -2),
    row(false, 13, "Suisei", -2, -2),
];

impl CanonicalOpening {
    /// All 26: direct 1 to 13, then indirect 1 to 13.
    pub fn all() -> &'static [CanonicalOpening; 26] {
        &OPENINGS
    }

    /// `4D`, `13I`.
    pub fn code(&self) -> String {
        format!("{}{}", self.number, if self.direct { 'D' } else { 'I' })
    }

    /// Its three stones in the usual orientation; none on a board without a central 5x5.
    pub fn points(&self, size: Size) -> Option<[Point; 3]> {
        let (cx, cy) = size.xy(size.centre()?);
        let at = |(right, up): (i8, i8)| size.point_at(cx as isize + right as isize, cy as isize - up as isize);
        Some([at((0, 0))?, at(self.second())?, at(self.third)?])
    }

    fn second(&self) -> (i8, i8) {
        if self.direct { (0, 1) } else { (1, 1) }
    }
}

impl fmt::Display for CanonicalOpening {
    /// `4D Kagetsu`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code(), self.name)
    }
}

/// The opening that stones 1, 2 and 3 (in the order played) form in any of the eight orientations; none if they don't,
/// or if the board has no centre.
pub fn opening_of(size: Size, stones: [Point; 3]) -> Option<CanonicalOpening> {
    let (cx, cy) = size.xy(size.centre()?);
    let offset = |p: Point| {
        let (x, y) = size.xy(p);
        (x as i32 - cx as i32, cy as i32 - y as i32)
    };
    let [first, second, third] = stones.map(offset);
    if first != (0, 0) {
        return None;
    }
    let turned = |turn: usize, (x, y): (i32, i32)| {
        let (x, y) = if turn & 4 != 0 { (y, x) } else { (x, y) };
        (if turn & 1 != 0 { -x } else { x }, if turn & 2 != 0 { -y } else { y })
    };
    let wide = |(x, y): (i8, i8)| (i32::from(x), i32::from(y));
    OPENINGS
        .iter()
        .find(|o| (0..8).any(|t| turned(t, second) == wide(o.second()) && turned(t, third) == wide(o.third)))
        .copied()
}
