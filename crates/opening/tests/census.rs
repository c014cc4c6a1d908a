//! Published and independently computed counts: the 26 openings, and shape symmetry over all their four-stone positions
//! on 15x15.

use tengen_game::{Colour, Point, PointSet, Size, Symmetry};
use tengen_opening::{CanonicalOpening, ShapeSymmetries, opening_of};

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

/// Inequivalent fifth moves by comparing the five-stone sets up to isometry: a second way to the same classes.
fn classes_by_congruence(size: Size, stones: &[(Point, Colour)], free: &PointSet) -> usize {
    let form = |fifth: Point| {
        let all: Vec<(i32, i32, usize)> = stones
            .iter()
            .chain(&[(fifth, Colour::Black)])
            .map(|&(p, c)| (size.xy(p).0 as i32, size.xy(p).1 as i32, c.index()))
            .collect();
        let mut best: Option<Vec<(i32, i32, usize)>> = None;
        for turn in 0..8 {
            let image = |&(x, y, c): &(i32, i32, usize)| {
                let (x, y) = if turn & 4 != 0 { (y, x) } else { (x, y) };
                (if turn & 1 != 0 { -x } else { x }, if turn & 2 != 0 { -y } else { y }, c)
            };
            let mut turned: Vec<_> = all.iter().map(image).collect();
            let (x0, y0) = (turned.iter().map(|s| s.0).min().unwrap(), turned.iter().map(|s| s.1).min().unwrap());
            turned.iter_mut().for_each(|s| *s = (s.0 - x0, s.1 - y0, s.2));
            turned.sort();
            best = Some(best.map_or(turned.clone(), |b| b.min(turned)));
        }
        best.unwrap()
    };
    free.iter().map(form).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn shape_symmetry_of_all_four_stone_positions() {
    let size = board();
    let (mut positions, mut shaped, mut mirrored, mut differ) = (0, 0, 0, 0);
    let mut least = std::collections::BTreeMap::new();
    for opening in CanonicalOpening::all() {
        let [a, b, c] = opening.points(size).unwrap();
        for fourth in size.points().filter(|p| ![a, b, c].contains(p)) {
            let stones = [(a, Colour::Black), (b, Colour::White), (c, Colour::Black), (fourth, Colour::White)];
            let shape = ShapeSymmetries::of(size, &stones);
            let taken: PointSet = stones.iter().map(|s| s.0).collect();
            let free = PointSet::full(size).minus(&taken);
            let classes = shape.classes(&free);
            positions += 1;
            shaped += usize::from(shape.order() > 1);
            mirrored += usize::from(shape.board_order() > 1);
            differ += usize::from(classes != classes_by_board_symmetry(size, &stones, &free));
            if shape.order() > 1 {
                assert_eq!(classes, classes_by_congruence(size, &stones, &free), "{opening} {fourth:?}");
            } else {
                assert_eq!(classes, 221);
            }
            let entry = least.entry(opening.code()).or_insert((usize::MAX, fourth));
            *entry = (*entry).min((classes, fourth));
        }
    }
    assert_eq!((positions, shaped, mirrored, differ), (5772, 163, 84, 85));
    assert_eq!(least["8D"], (62, named("h6")));
    let minima: Vec<usize> = ["4D", "11I", "11D", "3I", "13I"].iter().map(|code| least[*code].0).collect();
    assert_eq!(minima, [69, 69, 70, 70, 76]);
    let others = least.iter().filter(|(code, _)| !["8D", "4D", "11I", "11D", "3I", "13I"].contains(&code.as_str()));
    assert!(others.map(|(_, l)| l.0).all(|n| (116..=132).contains(&n)));
}

/// The test that is too narrow, for comparison.
fn classes_by_board_symmetry(size: Size, stones: &[(Point, Colour)], free: &PointSet) -> usize {
    let keeps = |s: &&Symmetry| stones.iter().all(|&(p, c)| stones.contains(&(s.point(size, p), c)));
    let group: Vec<_> = Symmetry::of(size).iter().filter(keeps).collect();
    let least = |p: Point| group.iter().map(|s| s.point(size, p)).min().unwrap();
    free.iter().map(least).collect::<PointSet>().len()
}

/// Two congruence tests on positions without symmetry would take minutes; a sample keeps the second way honest there.
#[test]
fn congruence_agrees_where_there_is_no_symmetry() {
    let size = board();
    for (opening, fourth) in CanonicalOpening::all().iter().zip(["a1", "o15", "g9", "k6", "h12", "b7"].iter().cycle()) {
        let [a, b, c] = opening.points(size).unwrap();
        let fourth = named(fourth);
        if [a, b, c].contains(&fourth) {
            continue;
        }
        let stones = [(a, Colour::Black), (b, Colour::White), (c, Colour::Black), (fourth, Colour::White)];
        let free: PointSet = size.points().filter(|p| stones.iter().all(|s| s.0 != *p)).collect();
        let classes = ShapeSymmetries::of(size, &stones).classes(&free);
        assert_eq!(classes, classes_by_congruence(size, &stones, &free), "{opening} {fourth:?}");
    }
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
