//! What the rule texts say, position by position: the two diagrams of the renju rules' definitions, 9.3, passes, caro's
//! blocked rows, omok's double-three, and the number of three-stone openings. Not here: agreement with the reference
//! (`reference.rs`), renju's fouls in general (the case file, `cases.rs`).

use std::collections::BTreeMap;

use tengen_game::notation::Letters;
use tengen_game::{Action, BoardResult, Colour, Placement, Point, PointSet, Proof, Size, Symmetry};
use tengen_renju::{FiveBoard, FiveRules, Kinds, Row};

/// First diagram of section 3, row 15 first: every letter a black stone, `@` white. "a and b form a row (a even an
/// unbroken one), c and d don't. f doesn't, h does."
const ROWS: [&str; 15] = [
    "...............",
    ".aaa.b.........",
    "...............",
    "...,...b...,...",
    "........b......",
    ".c.cc@c........",
    "..........b....",
    ".d.dded,...b...",
    "............@..",
    ".fffg..........",
    "...............",
    ".hhh.i.....,...",
    "...............",
    "...............",
    "...............",
];

/// Second diagram: fives, fours, threes.
const SHAPES: [&str; 15] = [
    "...............",
    ".aaaaa.........",
    ".bbbbbb........",
    "..@,.......,...",
    ".cdef.......n..",
    ".cd.f......n...",
    ".cde......n....",
    ".cdef..,..lll..",
    "...ef....x...x.",
    ".........x...x.",
    ".ggg.....x...x.",
    ".hh,h....x.,.x.",
    ".iii.@..m.mm...",
    "..jjj@.........",
    ".k.kk@.........",
];

/// The position of a diagram and the points of each letter.
fn diagram(rows: [&str; 15]) -> (FiveBoard, BTreeMap<char, PointSet>) {
    let rules = FiveRules::renju();
    let (mut groups, mut white): (BTreeMap<char, PointSet>, _) = (BTreeMap::new(), PointSet::EMPTY);
    for (y, row) in rows.iter().enumerate() {
        for (x, c) in row.chars().enumerate() {
            let p = rules.size.point(x, y);
            match c {
                '.' | ',' => {}
                '@' => white.insert(p),
                letter => groups.entry(letter).or_insert(PointSet::EMPTY).insert(p),
            }
        }
    }
    let black = groups.values().fold(PointSet::EMPTY, |all, set| all.or(set));
    (FiveBoard::position(&rules, &black, &white, Colour::Black).expect("disjoint"), groups)
}

fn points(size: Size, names: &str) -> PointSet {
    names.split_whitespace().map(|name| Letters::WithI.point(size, name).expect(name)).collect()
}

fn names(set: &PointSet) -> String {
    let size = FiveRules::renju().size;
    set.iter().map(|p| Letters::WithI.name(size, p)).collect::<Vec<_>>().join(" ")
}

#[test]
fn rows_of_the_first_diagram() {
    let (board, groups) = diagram(ROWS);
    let row = |letter: char| board.row(&groups[&letter]);
    assert!(row('a').is_some_and(|row| row.is_unbroken()));
    assert!(row('b').is_some_and(|row| !row.is_unbroken()), "b has gaps");
    assert!(row('c').is_none(), "a white stone inside");
    assert!(row('d').is_none(), "another black stone inside");
    assert!(row('f').is_none(), "stops at a black stone");
    assert!(row('h').is_some_and(|row| row.is_unbroken()));
    let row_of = |letters: &str| {
        let stones = letters.chars().fold(PointSet::EMPTY, |all, letter| all.or(&groups[&letter]));
        board.row(&stones).map(|row| (row.stones().len(), row.is_unbroken()))
    };
    assert_eq!(row_of("de"), Some((5, false)), "the whole of it is a row");
    assert_eq!(row_of("fg"), Some((4, true)));
    assert_eq!(row_of("hi"), Some((4, false)), "i belongs to a longer row, and h is one without it");
    assert_eq!(row_of("ab"), None, "not on one line");
    assert_eq!(row_of("g"), None, "one stone is no row");
    let lone: PointSet = [Point(0), Point(1)].into_iter().collect();
    assert!(board.row(&lone).is_none() && board.row(&PointSet::EMPTY).is_none(), "empty points");
    let off: PointSet = [Point(300), Point(301)].into_iter().collect();
    assert!(board.row(&off).is_none(), "off the board");
}

/// Groups g and h are left out: on the drawn board their completions touch other stones. The rest is by definition, before
/// 9.3.
#[test]
fn shapes_of_the_second_diagram() {
    let (board, groups) = diagram(SHAPES);
    let size = board.size();
    let row = |letter: char| -> Row<'_> { board.row(&groups[&letter]).unwrap_or_else(|| panic!("{letter} is a row")) };
    assert!(row('a').is_five() && !row('a').is_overline());
    assert!(row('b').is_overline() && !row('b').is_five());
    for (letter, completion, unbroken) in
        [('c', "b7", true), ('d', "c7", true), ('e', "d10", false), ('f', "e9", false)]
    {
        let four = row(letter);
        assert_eq!(four.four(), points(size, completion), "{letter}");
        assert_eq!((four.is_unbroken(), four.is_straight_four()), (unbroken, false), "{letter}");
        assert!(four.three().is_empty());
    }
    for column in ["j4 j5 j6 j7", "n4 n5 n6 n7"] {
        let stones = points(size, column);
        assert!(stones.minus(&groups[&'x']).is_empty());
        assert!(board.row(&stones).unwrap().is_straight_four(), "{column}");
    }
    assert!(board.row(&groups[&'x']).is_none(), "the two columns are not one row");
    for (letter, why) in [
        ('i', "one side ends at the edge, the other at White"),
        ('j', "closed at the right"),
        ('k', "closed at the right"),
        ('l', "both completions make a five of the x columns"),
        ('m', "its completion makes a five of the x column"),
    ] {
        assert!(row(letter).three().is_empty(), "{letter}: {why}");
        assert!(row(letter).four().is_empty() && !row(letter).is_straight_four());
    }
    assert_eq!(row('n').three(), points(size, "n12"), "the other completion, J8, makes a five");
}

/// White's rows are rows too, and White stones are the opponent's for them only.
#[test]
fn rows_have_either_colour() {
    let size = FiveRules::renju().size;
    let white = points(size, "c3 d4 f6");
    let board = FiveBoard::position(&FiveRules::renju(), &points(size, "b2"), &white, Colour::Black).unwrap();
    let row = board.row(&white).unwrap();
    assert_eq!((row.colour(), row.is_unbroken()), (Colour::White, false));
    assert_eq!(row.three(), PointSet::EMPTY, "b2 closes it: C3-F6 would be a four, not a straight one");
    let rising = points(size, "c6 d5 e4");
    let board = FiveBoard::position(&FiveRules::renju(), &rising, &PointSet::EMPTY, Colour::Black).unwrap();
    assert_eq!(names(&board.row(&rising).unwrap().three()), "B7 F3");
}

/// The smallest position where the readings of 9.3 differ; the engines' combined reading is played (see `forbidden`).
#[test]
fn rule_9_3_is_read_as_engines_do() {
    let rules = FiveRules::renju();
    let black = points(rules.size, "c11 c10 g10 d9 f9 d8 f8 b7 c7 g7 d6 f5 h5");
    let board = FiveBoard::position(&rules, &black, &PointSet::EMPTY, Colour::Black).unwrap();
    assert_eq!(board.forbidden(), points(rules.size, "d10 g9 e8 e5 i5"));
    assert_eq!(board.forbidden_by_letter(), points(rules.size, "d10 g9 e9 e8 e5 i5"), "E9 by the letter too");
}

/// A board that leaves Black one point, an overline: he passes, and the game goes on.
#[test]
fn black_passes_when_only_forbidden_points_are_left() {
    let rules: FiveRules = "rules=renju size=6".parse().unwrap();
    let rows = ["OXOOXO", "XOXXOX", "OXOOXO", "XOXXOX", "OXOOXO", "XXX.XX"];
    let of =
        |colour| rules.size.points().filter(|&p| rows[p.index() / 6].as_bytes()[p.index() % 6] == colour).collect();
    let mut board = FiveBoard::position(&rules, &of(b'X'), &of(b'O'), Colour::Black).unwrap();
    assert_eq!(board.result(), None);
    let last = points(rules.size, "d1");
    assert_eq!(board.forbidden(), last);
    let mut legal = last;
    board.legal_points(&mut legal);
    assert!(legal.is_empty() && board.pass_legal() && board.is_legal(Action::PASS));
    assert_eq!((board.proven(0), board.proven(100)), (None, None));
    board.place(Action::PASS);
    assert_eq!((board.result(), board.to_play()), (None, Colour::White));
    board.place(Action::PASS);
    assert_eq!(board.result(), Some(BoardResult::Draw), "two passes in a row");
    board.undo();
    board.place(Action::point(last.iter().next().unwrap()));
    assert_eq!(board.result(), Some(BoardResult::Draw), "White may play there, and the board is full");
}

/// No pass in the first three moves (12.9), and none outside renju.
#[test]
fn passing_is_renju_from_move_four() {
    for (text, from) in [("renju", 3), ("freestyle", 99), ("standard", 99), ("caro", 99), ("omok", 99)] {
        let mut board = FiveBoard::start(&format!("rules={text}").parse().unwrap());
        for (i, p) in [112, 0, 14, 1, 113, 28, 140].into_iter().enumerate() {
            assert_eq!(board.pass_legal(), i >= from, "{text} move {}", i + 1);
            board.place(Action::point(Point(p)));
        }
    }
}

/// The result of a black row on row 8 and white stones, as it stands on the board.
fn stands(rules: &str, black: &str, white: &str) -> Option<BoardResult> {
    let rules: FiveRules = rules.parse().unwrap();
    let (black, white) = (points(rules.size, black), points(rules.size, white));
    FiveBoard::position(&rules, &black, &white, Colour::White).unwrap().result()
}

#[test]
fn caro_rows_need_an_open_end() {
    let (five, six) = ("c8 d8 e8 f8 g8", "c8 d8 e8 f8 g8 h8");
    let (left, right) = ("a8 b8 c8 d8 e8", "o8 n8 m8 l8 k8");
    let won = Some(BoardResult::Win(Colour::Black));
    for (rules, expected) in [
        ("caro", [won, won, None, won, won, won, won]),
        ("caro:exact", [won, won, None, None, None, won, won]),
        ("caro:edge-blocks", [won, won, None, won, won, None, None]),
        ("caro:exact+edge-blocks", [won, won, None, None, None, None, None]),
    ] {
        let rules = format!("rules={rules}");
        let seen = [
            stands(&rules, five, ""),
            stands(&rules, five, "b8"),
            stands(&rules, five, "b8 h8"),
            stands(&rules, six, ""),
            stands(&rules, six, "b8 i8"),
            stands(&rules, left, "f8"),
            stands(&rules, right, "j8"),
        ];
        assert_eq!(seen, expected, "{rules}");
    }
}

/// A four with one end blocked is answered at the gap or at the other end; a blocked row wins nothing.
#[test]
fn caro_fours_have_two_answers() {
    let rules: FiveRules = "rules=caro".parse().unwrap();
    let set = |names| points(rules.size, names);
    let board = FiveBoard::position(&rules, &set("c8 d8 e8 f8"), &set("b8 k2 k4"), Colour::White).unwrap();
    assert_eq!(board.fives(Colour::Black), set("g8"));
    assert_eq!(board.proven(0), None, "G8 and H8 both hold");
    let board = FiveBoard::position(&rules, &set("c8 d8 e8 f8"), &set("b8 h8 k4"), Colour::White).unwrap();
    assert!(board.fives(Colour::Black).is_empty(), "blocked at both ends");
    let board = FiveBoard::position(&rules, &set("b8 c8 d8 e8"), &set("k2 k4 k6"), Colour::White).unwrap();
    assert_eq!(board.proven(0), Some(Proof::Loss), "an open four with room");
    let board = FiveBoard::position(&rules, &set("a8 b8 c8 d8"), &set("k2 k4 k6"), Colour::White).unwrap();
    let e8 = set("e8").iter().next().unwrap();
    assert_eq!(board.proven(0), Some(Proof::Only(Action::point(e8))), "the edge can't be taken");
}

fn omok(rules: &str, own: &str, other: &str, colour: Colour) -> (FiveBoard, impl Fn(&str) -> Kinds) {
    let rules: FiveRules = rules.parse().unwrap();
    let mut sets = [points(rules.size, own), points(rules.size, other)];
    if colour == Colour::White {
        sets.swap(0, 1);
    }
    let board = FiveBoard::position(&rules, &sets[0], &sets[1], colour).unwrap();
    let asked = board.clone();
    (board, move |name| asked.kinds_for(Letters::WithI.point(asked.size(), name).unwrap(), colour))
}

#[test]
fn omok_forbids_double_threes_to_both() {
    for colour in Colour::BOTH {
        let (board, kinds) = omok("rules=omok", "f8 g8 h7 h6", "a1 a3 a5 a7", colour);
        assert_eq!(kinds("h8"), Kinds::DOUBLE_THREE, "{colour}");
        assert_eq!(board.forbidden(), points(board.size(), "h8"));
        assert!(!board.is_legal(Action::point(points(board.size(), "h8").iter().next().unwrap())));
        // Closed at one end, a row of three is none.
        let (_, kinds) = omok("rules=omok", "f8 g8 h7 h6", "e8 a3 a5 a7", colour);
        assert_eq!(kinds("h8"), Kinds::NONE);
        // A four and a three, and two fours, are allowed.
        let (_, kinds) = omok("rules=omok", "e8 f8 g8 h7 h6", "a1 a3 a5 a7", colour);
        assert_eq!(kinds("h8"), Kinds::NONE);
        let (_, kinds) = omok("rules=omok", "e8 f8 g8 h7 h6 h5", "a1 a3 a5 a7", colour);
        assert_eq!(kinds("h8"), Kinds::NONE);
        // Winning comes first.
        let (_, kinds) = omok("rules=omok", "f8 g8 h7 h6 i9 j10 k11 l12", "a1 a3 a5 a7", colour);
        assert_eq!(kinds("h8"), Kinds::FIVE);
    }
}

#[test]
fn omok_overlines_are_an_option() {
    let six = "c8 d8 e8 f8 g8 h8";
    assert_eq!(stands("rules=omok", six, "a1"), Some(BoardResult::Win(Colour::Black)));
    assert_eq!(stands("rules=omok:exact", six, "a1"), None);
    let (board, kinds) = omok("rules=omok:exact", "c8 d8 e8 g8 h8", "a1 a3 a5", Colour::Black);
    assert_eq!(kinds("f8"), Kinds::NONE, "an overline is allowed and wins nothing");
    assert!(board.fives(Colour::Black).is_empty());
}

/// H8 makes F8 . H8 I8 and a column of three. The first becomes a straight four only on G8, which would itself be a
/// double-three: by shape the point is forbidden, by real threes it isn't.
#[test]
fn omok_threes_are_an_option() {
    let own = "f8 i8 h7 h6 g6 g7 e6 f7";
    let (_, kinds) = omok("rules=omok", own, "a1 a3", Colour::White);
    assert_eq!(kinds("h8"), Kinds::DOUBLE_THREE);
    let (board, kinds) = omok("rules=omok:real-threes", own, "a1 a3", Colour::White);
    assert_eq!(kinds("h8"), Kinds::NONE);
    assert!(board.open_threes(Colour::White).contains(points(board.size(), "h8").iter().next().unwrap()), "the column");
}

/// Two black stones and a white one, up to the symmetries of the board: 703,934 classes, by counting those that come
/// first among their images and by Burnside's lemma. (A thread of AlphaGomoku, #5, divides by eight and says 702,450.)
#[test]
fn three_stone_openings_are_counted() {
    let size = FiveRules::renju().size;
    let area = size.area();
    let maps: Vec<Vec<u32>> =
        Symmetry::of(size).iter().map(|s| size.points().map(|p| u32::from(s.point(size, p).0)).collect()).collect();
    let (mut firsts, mut fixed) = (0u32, 0u32);
    for a in 0..area {
        for b in a + 1..area {
            for w in (0..area).filter(|&w| w != a && w != b) {
                let image = |map: &Vec<u32>| (map[a].min(map[b]), map[a].max(map[b]), map[w]);
                let this = (a as u32, b as u32, w as u32);
                let images = maps.iter().map(image);
                firsts += u32::from(images.clone().all(|other| this <= other));
                fixed += images.filter(|&other| other == this).count() as u32;
            }
        }
    }
    assert_eq!((firsts, fixed), (703_934, 703_934 * 8));
}
