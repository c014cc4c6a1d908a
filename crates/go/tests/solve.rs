//! Exact values of the smallest boards by alpha-beta over the real history, against published ones: positional superko,
//! area, komi 0 (see van der Werf, "AI techniques for the game of Go", 2004, for 3x3).

use tengen_game::{Action, Colour, Placement, Point, PointSet, Size};
use tengen_go::{GoBoard, GoRules, Ko};

struct Solver {
    /// Positions looked at, and how many may be.
    nodes: u64,
}

impl Solver {
    /// Black minus White with best play: exact between `low` and `high`, else a bound.
    fn solve(&mut self, board: &mut GoBoard, mut low: i32, mut high: i32) -> i32 {
        self.nodes += 1;
        assert!(self.nodes < 60_000_000, "too many positions");
        if board.is_over() {
            let score = board.score();
            return score.black - score.white;
        }
        // What is pass-alive stays; the rest can go to either.
        let area = board.size().area() as i32;
        let settled = Colour::BOTH.map(|colour| {
            let (stones, territory) = board.pass_alive(colour);
            (stones.len() + territory.len()) as i32
        });
        let (least, most) = (2 * settled[0] - area, area - 2 * settled[1]);
        if least >= high {
            return least;
        }
        if most <= low {
            return most;
        }
        let black = board.to_play() == Colour::Black;
        let mut best = if black { i32::MIN } else { i32::MAX };
        for action in actions(board) {
            board.place(action);
            let value = self.solve(board, low, high);
            board.undo();
            if black {
                best = best.max(value);
                low = low.max(best);
            } else {
                best = best.min(value);
                high = high.min(best);
            }
            if low >= high {
                break;
            }
        }
        best
    }
}

/// The pass first where the opponent has just passed, which ends the game and gives a bound; else last. Points with most
/// neighbours first.
fn actions(board: &GoBoard) -> Vec<Action> {
    let (size, mut points) = (board.size(), PointSet::EMPTY);
    board.legal_points(&mut points);
    let mut list: Vec<Point> = points.iter().collect();
    list.sort_by_key(|&p| {
        let (x, y) = size.xy(p);
        [x == 0, y == 0, x + 1 == size.width(), y + 1 == size.height()].iter().filter(|&&edge| edge).count()
    });
    let list = list.into_iter().map(Action::point);
    if board.passes() > 0 {
        [Action::PASS].into_iter().chain(list).collect()
    } else {
        list.chain([Action::PASS]).collect()
    }
}

fn value(width: usize, height: usize, ko: Ko) -> i32 {
    let mut rules = GoRules::named("tromp-taylor", Size::new(width, height).unwrap()).unwrap();
    (rules.ko, rules.komi) = (ko, 0.0);
    let area = (width * height) as i32;
    let mut solver = Solver { nodes: 0 };
    let value = solver.solve(&mut GoBoard::new(&rules), -area, area);
    println!("{width}x{height} {ko:?}: {value}, {} positions", solver.nodes);
    value
}

#[test]
fn tiny_boards() {
    for (width, height, expected) in [(1, 1, 0), (2, 1, 0), (3, 1, 3), (4, 1, 4), (2, 2, 1)] {
        assert_eq!(value(width, height, Ko::Positional), expected, "{width}x{height}");
    }
    assert_eq!(value(2, 2, Ko::Situational), 1);
}

/// Whether `colour` can force a margin of at least `target` for itself within `depth` moves, whatever the other does.
fn forces(board: &mut GoBoard, colour: Colour, target: i32, depth: u32, nodes: &mut u64) -> bool {
    *nodes += 1;
    let area = board.size().area() as i32;
    let sign = if colour == Colour::Black { 1 } else { -1 };
    if board.is_over() {
        let score = board.score();
        return sign * (score.black - score.white) >= target;
    }
    let settled = |colour| {
        let (stones, territory) = board.pass_alive(colour);
        (stones.len() + territory.len()) as i32
    };
    if 2 * settled(colour) - area >= target {
        return true;
    }
    if depth == 0 || area - 2 * settled(!colour) < target {
        return false;
    }
    let own = board.to_play() == colour;
    for action in actions(board) {
        board.place(action);
        let forced = forces(board, colour, target, depth - 1, nodes);
        board.undo();
        if forced == own {
            return own;
        }
    }
    !own
}

fn forces_at_last(width: usize, height: usize, colour: Colour, target: i32, depth: u32) -> bool {
    let mut rules = GoRules::named("tromp-taylor", Size::new(width, height).unwrap()).unwrap();
    (rules.ko, rules.komi) = (Ko::Positional, 0.0);
    let mut nodes = 0;
    let found = (1..=depth).find(|&depth| forces(&mut GoBoard::new(&rules), colour, target, depth, &mut nodes));
    println!("{width}x{height} {colour} forces {target}: depth {found:?}, {nodes} positions");
    found.is_some()
}

#[test]
fn three_by_three_is_all_black() {
    assert!(forces_at_last(3, 3, Colour::Black, 9, 12));
}

#[test]
fn one_by_five_is_even() {
    assert_eq!(value(5, 1, Ko::Positional), 0);
}

#[test]
#[ignore = "a minute: six million positions"]
fn two_by_three_is_even() {
    assert_eq!(value(3, 2, Ko::Positional), 0);
}

#[test]
fn two_by_three_both_sides_force_it() {
    assert!(forces_at_last(3, 2, Colour::Black, 0, 40));
    assert!(forces_at_last(3, 2, Colour::White, 0, 40));
}
