//! The 26 canonical openings of renju: numbers, names, and recognition in any of the eight orientations.
//! Not here: who places them (`protocols::rif`) and what they are worth (`fairness`).

use std::fmt;
use std::str::FromStr;

use tengen_game::{Colour, Point, SetupError, Size};

/// One of the 26. Direct: stone 2 touches stone 1 along a line of the board; indirect: along a diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanonicalOpening {
    /// 1..=13.
    pub number: u8,
    /// Direct or indirect.
    pub direct: bool,
    /// Japanese name in Latin letters.
    pub name: &'static str,
    /// The same in characters.
    pub kanji: &'static str,
    /// Stone 3 from the centre in the usual orientation (stone 2 is up, or up and to the right): columns to the right,
    /// rows up.
    third: (i8, i8),
}

const fn row(direct: bool, number: u8, name: &'static str, kanji: &'static str, right: i8, up: i8) -> CanonicalOpening {
    CanonicalOpening { number, direct, name, kanji, third: (right, up) }
}

/// Direct 1 to 13, then indirect 1 to 13, in the numbering that RenjuNet and Wikipedia use.
static OPENINGS: [CanonicalOpening; 26] = [
    row(true, 1, "Kansei", "寒星", 0, 2),
    row(true, 2, "Keigetsu", "渓月", 1, 2),
    row(true, 3, "Sosei", "疎星", 2, 2),
    row(true, 4, "Kagetsu", "花月", 1, 1),
    row(true, 5, "Zangetsu", "残月", 2, 1),
    row(true, 6, "Ugetsu", "雨月", 1, 0),
    row(true, 7, "Kinsei", "金星", 2, 0),
    row(true, 8, "Shogetsu", "松月", 0, -1),
    row(true, 9, "Kyugetsu", "丘月", 1, -1),
    row(true, 10, "Shingetsu", "新月", 2, -1),
    row(true, 11, "Zuisei", "瑞星", 0, -2),
    row(true, 12, "Sangetsu", "山月", 1, -2),
    row(true, 13, "Yusei", "遊星", 2, -2),
    row(false, 1, "Chosei", "長星", 2, 2),
    row(false, 2, "Kyogetsu", "峡月", 2, 1),
    row(false, 3, "Kosei", "恒星", 2, 0),
    row(false, 4, "Suigetsu", "水月", 2, -1),
    row(false, 5, "Ryusei", "流星", 2, -2),
    row(false, 6, "Ungetsu", "雲月", 1, 0),
    row(false, 7, "Hogetsu", "浦月", 1, -1),
    row(false, 8, "Rangetsu", "嵐月", 1, -2),
    row(false, 9, "Gingetsu", "銀月", 0, -1),
    row(false, 10, "Myojo", "明星", 0, -2),
    row(false, 11, "Shagetsu", "斜月", -1, -1),
    row(false, 12, "Meigetsu", "名月", -1, -2),
    row(false, 13, "Suisei", "彗星", -2, -2),
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

    /// The opening of a position of two black stones and a white one, in any orientation; stone 1 is the black one on the
    /// centre. None if it isn't one of the 26.
    pub fn of_position(size: Size, stones: &[(Point, Colour)]) -> Option<CanonicalOpening> {
        let of = |colour| stones.iter().filter(move |s| s.1 == colour).map(|s| s.0);
        let centre = size.centre()?;
        let (white, third) = (of(Colour::White).next()?, of(Colour::Black).find(|&p| p != centre)?);
        let complete = stones.len() == 3 && of(Colour::Black).count() == 2;
        if complete { opening_of(size, [of(Colour::Black).find(|&p| p == centre)?, white, third]) } else { None }
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

impl FromStr for CanonicalOpening {
    type Err = SetupError;

    /// Reads `4D`, `D4`, `Kagetsu`, `花月` and what `Display` writes; letters in either case.
    fn from_str(text: &str) -> Result<CanonicalOpening, SetupError> {
        let word = text.trim();
        let same = |a: &str| a.eq_ignore_ascii_case(word);
        let reversed = |o: &CanonicalOpening| format!("{}{}", if o.direct { 'D' } else { 'I' }, o.number);
        let named = |o: &&CanonicalOpening| {
            same(o.name) || o.kanji == word || same(&o.code()) || same(&reversed(o)) || same(&o.to_string())
        };
        OPENINGS.iter().find(named).copied().ok_or_else(|| {
            let why =
                format!("`{word}` is none of the 26 openings; expected 1D to 13D, 1I to 13I (or D1, I1) or a name");
            SetupError::new("opening", why)
        })
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
