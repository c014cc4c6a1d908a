//! Published and independently computed counts: the 26 openings, and shape symmetry over all their four-stone positions
//! on 15x15.

use tengen_game::{Colour, Point, PointSet, Size, Symmetry};
use tengen_opening::{CanonicalOpening, ShapeSymmetries, fifth_moves, opening_of};

fn board() -> Size {
    Size::square(15).unwrap()
}

fn named(text: &str) -> Point {
    tengen_game::notation::Letters::WithI.point(board(), text).unwrap()
}

/// The table as players write it.
const STONES: [(&str, &str); 26] = [
    ("1D Kansei", "h9 h10"),
    ("2D Keigetsu", "h9 i10"),
    ("3D Sosei", "h9 j10"),
    ("4D Kagetsu", "h9 i9"),
    ("5D Zangetsu", "h9 j9"),
    ("6D Ugetsu", "h9 i8"),
    ("7D Kinsei", "h9 j8"),
    ("8D Shogetsu", "h9 h7"),
    ("9D Kyugetsu", "h9 i7"),
    ("10D Shingetsu", "h9 j7"),
    ("11D Zuisei", "h9 h6"),
    ("12D Sangetsu", "h9 i6"),
    ("13D Yusei", "h9 j6"),
    ("1I Chosei", "i9 j10"),
    ("2I Kyogetsu", "i9 j9"),
    ("3I Kosei", "i9 j8"),
    ("4I Suigetsu", "i9 j7"),
    ("5I Ryusei", "i9 j6"),
    ("6I Ungetsu", "i9 i8"),
    ("7I Hogetsu", "i9 i7"),
    ("8I Rangetsu", "i9 i6"),
    ("9I Gingetsu", "i9 h7"),
    ("10I Myojo", "i9 h6"),
    ("11I Shagetsu", "i9 g7"),
    ("12I Meigetsu", "i9 g6"),
    ("13I Suisei", "i9 f6"),
];

#[test]
fn the_26_openings_are_the_canonical_ones() {
    for (opening, (name, stones)) in CanonicalOpening::all().iter().zip(STONES) {
        let (second, third) = stones.split_once(' ').unwrap();
        let points = [named("h8"), named(second), named(third)];
        assert_eq!(opening.to_string(), name);
        assert_eq!(opening.points(board()), Some(points), "{name}");
        for &s in Symmetry::of(board()) {
            assert_eq!(opening_of(board(), points.map(|p| s.point(board(), p))), Some(*opening), "{name} {s:?}");
        }
    }
}

/// Every stone 2 of the 3x3 and 3 of the 5x5 is one of the 26, and each of the 26 occurs.
#[test]
fn squares_give_exactly_the_26() {
    let size = board();
    let near = |p: &Point, reach: usize| size.xy(*p).0.abs_diff(7) <= reach && size.xy(*p).1.abs_diff(7) <= reach;
    let centre = named("h8");
    let mut seen = std::collections::BTreeMap::new();
    for second in size.points().filter(|p| near(p, 1) && *p != centre) {
        for third in size.points().filter(|p| near(p, 2) && *p != centre && *p != second) {
            let opening = opening_of(size, [centre, second, third]).expect("all are canonical");
            *seen.entry(opening.code()).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), 26);
    assert_eq!(seen.values().sum::<i32>(), 8 * 23);
    let far = opening_of(size, [centre, named("h9"), named("h11")]);
    let shifted = opening_of(size, [named("h9"), named("h8"), named("h7")]);
    assert_eq!((far, shifted), (None, None));
    assert_eq!(opening_of(Size::square(6).unwrap(), [Point(0), Point(1), Point(2)]), None);
}

/// As code, reversed code, name, characters, and what is written; in either case.
#[test]
fn openings_are_read_by_any_of_their_names() {
    let kanji = "寒星 渓月 疎星 花月 残月 雨月 金星 松月 丘月 新月 瑞星 山月 遊星 長星 峡月 恒星 水月 流星 雲月 浦月 嵐月 銀月 明星 斜月 名月 彗星";
    for (opening, kanji) in CanonicalOpening::all().iter().zip(kanji.split(' ')) {
        let letter = if opening.direct { "D" } else { "I" };
        let reversed = format!("{letter}{}", opening.number);
        let texts = [opening.code(), reversed, opening.name.to_string(), kanji.to_string(), opening.to_string()];
        for text in texts.iter().flat_map(|t| [t.clone(), t.to_lowercase(), t.to_uppercase()]) {
            assert_eq!(text.parse::<CanonicalOpening>().unwrap(), *opening, "{text}");
        }
        assert_eq!(opening.kanji, kanji);
    }
    let kagetsu: CanonicalOpening = "D4".parse().unwrap();
    assert_eq!((kagetsu.number, kagetsu.direct, kagetsu.name, kagetsu.kanji), (4, true, "Kagetsu", "花月"));
    for bad in ["", "14D", "0I", "D", "4", "4X", "D4D", "Kagets"] {
        assert!(bad.parse::<CanonicalOpening>().unwrap_err().to_string().contains("26"), "{bad}");
    }
}

/// Positions say which opening they are without their order, in all orientations.
#[test]
fn positions_are_recognised() {
    let size = board();
    for opening in CanonicalOpening::all() {
        let [a, b, c] = opening.points(size).unwrap();
        for &s in Symmetry::of(size) {
            let stones = [(c, Colour::Black), (b, Colour::White), (a, Colour::Black)];
            let stones = stones.map(|(p, colour)| (s.point(size, p), colour));
            assert_eq!(CanonicalOpening::of_position(size, &stones), Some(*opening));
            assert_eq!(CanonicalOpening::of_position(size, &stones[..2]), None);
        }
        let aside = [(b, Colour::Black), (a, Colour::White), (named("a1"), Colour::Black)];
        assert_eq!(CanonicalOpening::of_position(size, &aside), None, "no black stone on the centre");
    }
    // The colours decide: 4D with the outer stones exchanged is 6I.
    let swapped = [(named("h8"), Colour::Black), (named("h9"), Colour::Black), (named("i9"), Colour::White)];
    assert_eq!(CanonicalOpening::of_position(size, &swapped), Some("6I".parse().unwrap()));
}

/// Column, row and colour of each stone.
type Form = [(i8, i8, u8); 5];

/// A coloured set of at most five stones up to isometry, edge ignored: the least of its eight turned forms moved to the
/// origin.
fn form(size: Size, stones: &[(Point, Colour)]) -> Form {
    let turned = |turn: u8| {
        let mut out = [(i8::MAX, i8::MAX, u8::MAX); 5];
        for (slot, &(p, c)) in out.iter_mut().zip(stones) {
            let (x, y) = size.xy(p);
            let (x, y) = if turn & 4 != 0 { (y as i8, x as i8) } else { (x as i8, y as i8) };
            *slot = (if turn & 1 != 0 { -x } else { x }, if turn & 2 != 0 { -y } else { y }, c.index() as u8);
        }
        let used = &mut out[..stones.len()];
        let (x0, y0) = used.iter().fold((i8::MAX, i8::MAX), |(x, y), s| (x.min(s.0), y.min(s.1)));
        used.iter_mut().for_each(|s| *s = (s.0 - x0, s.1 - y0, s.2));
        used.sort_unstable();
        out
    };
    (0..8).map(turned).min().unwrap()
}

/// Fifth moves by comparing the five-stone sets up to isometry: a second way to the same classes.
fn classes_by_congruence(size: Size, stones: &[(Point, Colour); 4], free: &PointSet) -> Vec<PointSet> {
    let mut classes: Vec<PointSet> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for fifth in free.iter() {
        let [a, b, c, d] = *stones;
        let form = form(size, &[a, b, c, d, (fifth, Colour::Black)]);
        let slot = *known.entry(form).or_insert_with(|| {
            classes.push(PointSet::EMPTY);
            classes.len() - 1
        });
        classes[slot].insert(fifth);
    }
    classes
}

fn four_stones(opening: &CanonicalOpening) -> impl Iterator<Item = [(Point, Colour); 4]> {
    let [a, b, c] = opening.points(board()).unwrap();
    let free = board().points().filter(move |p| ![a, b, c].contains(p));
    free.map(move |d| [(a, Colour::Black), (b, Colour::White), (c, Colour::Black), (d, Colour::White)])
}

#[test]
fn shape_symmetry_of_all_four_stone_positions() {
    let size = board();
    let (mut positions, mut shaped, mut mirrored, mut differ, mut whole, mut fifths) = (0, 0, 0, 0, 0, 0);
    let mut least = std::collections::BTreeMap::new();
    for opening in CanonicalOpening::all() {
        for stones in four_stones(opening) {
            let shape = ShapeSymmetries::of(size, &stones);
            let taken: PointSet = stones.iter().map(|s| s.0).collect();
            let free = PointSet::full(size).minus(&taken);
            let classes = fifth_moves(size, &stones);
            assert_eq!(classes.len(), shape.classes(&free));
            positions += 1;
            fifths += classes.len();
            shaped += usize::from(shape.order() > 1);
            mirrored += usize::from(shape.board_order() > 1);
            whole += usize::from(classes.len() == 221);
            differ += usize::from(classes.len() != classes_by_board_symmetry(size, &stones, &free));
            // The same partition by congruence, in every one of the positions.
            assert_eq!(classes, classes_by_congruence(size, &stones, &free), "{opening} {:?}", stones[3]);
            for class in &classes {
                let first = class.iter().next().unwrap();
                assert!(class.iter().all(|p| shape.representative(p) == first));
            }
            let entry = least.entry(opening.code()).or_insert((usize::MAX, stones[3].0));
            *entry = (*entry).min((classes.len(), stones[3].0));
        }
    }
    assert_eq!((positions, shaped, mirrored, differ, whole), (5772, 163, 84, 85, 5609));
    assert_eq!(fifths, 1_259_575, "all five-stone positions, fifths by class");
    assert_eq!(least["8D"], (62, named("h6")));
    let minima: Vec<usize> = ["4D", "11I", "11D", "3I", "13I"].iter().map(|code| least[*code].0).collect();
    assert_eq!(minima, [69, 69, 70, 70, 76]);
    let others = least.iter().filter(|(code, _)| !["8D", "4D", "11I", "11D", "3I", "13I"].contains(&code.as_str()));
    assert!(others.map(|(_, l)| l.0).all(|n| (116..=132).contains(&n)));
    let [a, b, c, _] = four_stones(&"8D".parse().unwrap()).next().unwrap();
    let stones = [a, b, c, (named("h6"), Colour::White)];
    let free: PointSet = size.points().filter(|p| stones.iter().all(|s| s.0 != *p)).collect();
    assert_eq!(classes_by_board_symmetry(size, &stones, &free), 116, "8D with h6 by symmetries of the board");
}

/// The test that is too narrow, for comparison.
fn classes_by_board_symmetry(size: Size, stones: &[(Point, Colour)], free: &PointSet) -> usize {
    let keeps = |s: &&Symmetry| stones.iter().all(|&(p, c)| stones.contains(&(s.point(size, p), c)));
    let group: Vec<_> = Symmetry::of(size).iter().filter(keeps).collect();
    let least = |p: Point| group.iter().map(|s| s.point(size, p)).min().unwrap();
    free.iter().map(least).collect::<PointSet>().len()
}

/// The example of the RenjuNet discussion: g8, g7, i8, i7 are one move, though no axis of the board says so.
#[test]
fn meritees_example() {
    let size = board();
    let stones = [("h8", Colour::Black), ("h9", Colour::White), ("h7", Colour::Black), ("h6", Colour::White)];
    let shape = ShapeSymmetries::of(size, &stones.map(|(p, c)| (named(p), c)));
    let class: Vec<Point> = shape.class_of(named("g8")).iter().collect();
    let expected: PointSet = ["g8", "g7", "i8", "i7"].iter().map(|p| named(p)).collect();
    assert_eq!(class, expected.iter().collect::<Vec<_>>());
    assert_eq!((shape.order(), shape.board_order()), (4, 2));
}
