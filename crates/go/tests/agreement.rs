//! Random games played on the fast and on a slow board side by side, under every ko and suicide rule, on squares and
//! rectangles: legality of every point for both colours, captures, ko point, liberties, hashes and scores must agree, and
//! so must everything after random undos.

use std::collections::HashMap;

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Placement, Point, PointSet, Size};
use tengen_go::{GoBoard, GoRules, Ko, Suicide};

mod slow;
use slow::Slow;

const KOS: [Ko; 6] = [Ko::None, Ko::Simple, Ko::LastPosition, Ko::Positional, Ko::Situational, Ko::Spight];
const SUICIDES: [Suicide; 3] = [Suicide::None, Suicide::Multi, Suicide::All];

fn rules(width: usize, height: usize, ko: Ko, suicide: Suicide) -> GoRules {
    let mut rules = GoRules::named("tromp-taylor", Size::new(width, height).unwrap()).unwrap();
    (rules.ko, rules.suicide) = (ko, suicide);
    rules
}

/// What decides the hash: stones, turn, ko point, passes.
type Position = (slow::Cells, Colour, Option<Point>, u8);

/// Hashes and positions met so far on one board size, both ways.
#[derive(Default)]
struct Seen {
    by_position: HashMap<Position, u64>,
    by_hash: HashMap<u64, Position>,
}

impl Seen {
    fn check(&mut self, position: Position, hash: u64, tag: &str) {
        assert_eq!(*self.by_position.entry(position.clone()).or_insert(hash), hash, "{tag}: equal positions");
        assert_eq!(*self.by_hash.entry(hash).or_insert_with(|| position.clone()), position, "{tag}: equal hashes");
    }
}

fn compare(fast: &GoBoard, slow: &Slow, tag: &str) {
    let size = slow.size;
    assert_eq!((fast.to_play(), fast.passes(), fast.ko_point()), (slow.to_play, slow.passes, slow.ko_point()), "{tag}");
    assert_eq!(Colour::BOTH.map(|c| fast.taken_by(c)), slow.taken, "{tag}: stones taken");
    for p in size.points() {
        assert_eq!(fast.stone(p), slow.cells[p.index()], "{tag}: stone at {p:?}");
        if fast.stone(p).is_some() {
            let liberties: PointSet = Slow::liberties(size, &slow.cells, p).into_iter().collect();
            assert_eq!(fast.liberty_set(p), liberties, "{tag}: liberties of {p:?}");
            let chain: PointSet = Slow::flood(size, &slow.cells, p).into_iter().collect();
            assert_eq!(fast.chain(p), Some((chain, liberties.len())), "{tag}: chain of {p:?}");
        }
        for colour in Colour::BOTH {
            let legal = slow.legal(colour, p);
            assert_eq!(fast.check(colour, Action::point(p)).is_ok(), legal, "{tag}: {colour} at {p:?}\n{fast}");
        }
    }
    let mut legal = PointSet::EMPTY;
    fast.legal_points(&mut legal);
    let expected: PointSet = size.points().filter(|&p| !fast.is_over() && slow.legal(slow.to_play, p)).collect();
    assert_eq!(legal, expected, "{tag}: legal points");
    let area = slow.area();
    assert_eq!(fast.area(), area, "{tag}: area\n{fast}");
    let count = |colour| area.iter().filter(|&&c| c == Some(colour)).count() as i32;
    let score = fast.score();
    assert_eq!((score.black, score.white), (count(Colour::Black), count(Colour::White)), "{tag}: score");
    assert_eq!(score.black + score.white + score.neutral, size.area() as i32, "{tag}: neutral points");
}

/// A legal random move; now and then a pass.
fn random_action(fast: &GoBoard, colour: Colour, rng: &mut TestRng) -> Action {
    let points: Vec<Action> =
        fast.size().points().map(Action::point).filter(|&a| fast.check(colour, a).is_ok()).collect();
    if points.is_empty() || rng.below(12) == 0 { Action::PASS } else { points[rng.below(points.len())] }
}

/// Plays on through double passes, sometimes out of turn, with random undos. Whole positions are compared at every so
/// many plies, moves and what they take at each.
fn play(rules: &GoRules, plies: usize, every: usize, seen: &mut Seen, rng: &mut TestRng) {
    let mut fast = GoBoard::new(rules);
    let mut stack = vec![(Slow::new(rules.size, rules.ko, rules.suicide), fast.clone())];
    for ply in 0..plies {
        let tag = format!("{rules} ply {ply}");
        let slow = &stack.last().expect("never empty").0;
        if ply % every == 0 {
            compare(&fast, slow, &tag);
        }
        seen.check((slow.cells.clone(), slow.to_play, slow.ko_point(), slow.passes), fast.hash(), &tag);
        if rng.below(10) == 0 {
            for _ in 0..rng.below(stack.len()) {
                fast.undo();
                stack.pop();
                let before = &stack.last().expect("never empty").1;
                assert_eq!(fast.hash(), before.hash(), "{tag}: undo");
                assert_eq!(fast.moves(), before.moves(), "{tag}: undo");
            }
            continue;
        }
        let colour = if rng.below(15) == 0 { !fast.to_play() } else { fast.to_play() };
        let action = random_action(&fast, colour, rng);
        assert!(action.as_point().is_none_or(|p| slow.legal(colour, p)), "{tag}: {action:?}");
        let mut next = slow.clone();
        let mut removed = next.play(colour, action.as_point());
        fast.play_any(colour, action).expect("checked");
        assert_eq!(fast.move_back(0), Some((colour, action)), "{tag}");
        let mut captured: Vec<Point> = fast.last_captured().collect();
        captured.sort();
        removed.sort();
        assert_eq!(captured, removed, "{tag}: captured stones");
        stack.push((next, fast.clone()));
    }
}

fn agree(sizes: &[(usize, usize)], games: usize, plies: usize, every: usize, seed: u64) {
    let mut rng = TestRng::new(seed);
    for &(width, height) in sizes {
        let mut seen = Seen::default();
        for ko in KOS {
            for suicide in SUICIDES {
                for _ in 0..games {
                    play(&rules(width, height, ko, suicide), plies, every, &mut seen, &mut rng);
                }
            }
        }
    }
}

#[test]
fn tiny_boards() {
    agree(&[(1, 2), (1, 3), (2, 2), (3, 2), (3, 3), (1, 7)], 8, 120, 1, 1);
}

#[test]
fn small_boards() {
    agree(&[(4, 4), (5, 3), (5, 5), (2, 6)], 2, 120, 1, 2);
}

/// Up to the stage where chains are taken and come back; the slow board takes its time over whole positions.
#[test]
fn larger_boards() {
    agree(&[(7, 7), (8, 8), (9, 9), (9, 5), (6, 6)], 1, 170, 13, 3);
}

#[test]
#[ignore = "minutes: the same on more and larger boards"]
fn many_boards() {
    agree(&[(2, 2), (3, 3), (4, 4), (5, 5), (6, 7), (9, 9), (13, 13), (25, 2), (19, 19)], 2, 300, 1, 4);
}

/// Counts arrangements in which every chain has a liberty (Tromp and Farnebäck, Combinatorics of Go), by laying stones
/// point by point in every way.
fn legal_positions(width: usize, height: usize) -> u64 {
    let rules = rules(width, height, Ko::Positional, Suicide::Multi);
    let mut rows = vec![vec!['.'; width]; height];
    fn fill(rules: &GoRules, rows: &mut Vec<Vec<char>>, at: usize) -> u64 {
        let width = rules.size.width();
        if at == rules.size.area() {
            let rows: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            return u64::from(GoBoard::from_position(rules, &rows, Colour::Black).is_ok());
        }
        ['.', 'X', 'O']
            .into_iter()
            .map(|stone| {
                rows[at / width][at % width] = stone;
                fill(rules, rows, at + 1)
            })
            .sum()
    }
    fill(&rules, &mut rows, 0)
}

#[test]
fn legal_positions_are_tromps_numbers() {
    // Rectangles from the same source, table of L(m, n).
    for (width, height, count) in [(1, 1, 1), (2, 1, 5), (3, 1, 15), (2, 2, 57), (3, 2, 489), (3, 3, 12675)] {
        assert_eq!(legal_positions(width, height), count, "{width}x{height}");
    }
}

/// One arrangement of each orbit under mirrors, transposition and exchange of colours, weighed by the orbit's size: the
/// eight symmetries and both colours are tested elsewhere.
#[test]
fn legal_positions_on_4x4() {
    // A row is a number of four ternary digits, left to right: empty, black, white.
    let digits: Vec<[usize; 4]> = (0..81).map(|row| [row / 27, row / 9 % 3, row / 3 % 3, row % 3]).collect();
    let text: Vec<String> =
        digits.iter().map(|row| row.iter().map(|&stone| ['.', 'X', 'O'][stone]).collect()).collect();
    let number = |row: [usize; 4]| row.iter().fold(0, |all, stone| 3 * all + stone);
    let mirrored: Vec<usize> = digits.iter().map(|&[a, b, c, d]| number([d, c, b, a])).collect();
    let exchanged: Vec<usize> = digits.iter().map(|row| number(row.map(|stone| [0, 2, 1][stone]))).collect();
    let transposed = |rows: [usize; 4]| [0, 1, 2, 3].map(|x| number(rows.map(|row| digits[row][x])));
    let images = |rows: [usize; 4]| {
        [rows, transposed(rows)].into_iter().flat_map(|[a, b, c, d]| [[a, b, c, d], [d, c, b, a]]).flat_map(|rows| {
            let exchanged = rows.map(|row| exchanged[row]);
            [rows, rows.map(|row| mirrored[row]), exchanged, exchanged.map(|row| mirrored[row])]
        })
    };
    let rules = rules(4, 4, Ko::Positional, Suicide::Multi);
    let mut total = 0;
    for a in 0..81 {
        // The first row of the least image is no greater than any edge of the board, turned as one likes.
        let least = |row: usize| a <= row.min(mirrored[row]).min(exchanged[row]).min(exchanged[mirrored[row]]);
        for d in (0..81).filter(|&d| least(a) && least(d)) {
            for (b, c) in (0..81 * 81).map(|both| (both / 81, both % 81)) {
                let rows = [a, b, c, d];
                if images(rows).any(|image| image < rows) {
                    continue;
                }
                let lines = rows.map(|row| text[row].as_str());
                if GoBoard::from_position(&rules, &lines, Colour::Black).is_ok() {
                    let mut orbit: Vec<[usize; 4]> = images(rows).collect();
                    orbit.sort_unstable();
                    orbit.dedup();
                    total += orbit.len();
                }
            }
        }
    }
    assert_eq!(total, 24_318_165);
}

/// Paths through the game graph that visit no position twice; either colour may move.
fn games(board: &mut GoBoard) -> u64 {
    let mut total = 1;
    for colour in Colour::BOTH {
        for p in board.size().points() {
            if board.play_any(colour, Action::point(p)).is_ok() {
                total += games(board);
                board.undo();
            }
        }
    }
    total
}

#[test]
fn games_under_positional_superko() {
    for (width, count) in [(1, 1), (2, 9), (3, 907)] {
        assert_eq!(games(&mut GoBoard::new(&rules(width, 1, Ko::Positional, Suicide::Multi))), count, "1x{width}");
    }
}

#[test]
#[ignore = "half an hour: two thousand million games"]
fn games_on_1x4() {
    assert_eq!(games(&mut GoBoard::new(&rules(4, 1, Ko::Positional, Suicide::Multi))), 2_098_407_841);
}

fn perft(board: &mut GoBoard, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    let pass = board.pass_legal().then_some(Action::PASS);
    let mut total = 0;
    for action in points.iter().map(Action::point).chain(pass) {
        board.place(action);
        total += perft(board, depth - 1);
        board.undo();
    }
    total
}

#[test]
fn perft_counts() {
    // Own enumerations that an independent program agrees with; passes count, nothing follows two of them.
    for (side, depth, count) in [(2, 4, 156), (2, 6, 604), (3, 5, 33_384), (9, 2, 6_643), (9, 3, 531_522)] {
        let mut board = GoBoard::new(&rules(side, side, Ko::Positional, Suicide::Multi));
        assert_eq!(perft(&mut board, depth), count, "{side}x{side} depth {depth}");
    }
}
