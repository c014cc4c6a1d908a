//! Ladders against a reader that tries everything on a board of plain arrays, and by known shapes.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Point, PointSet, Size};
use tengen_go::{GoBoard, GoRules, LadderReader, Ladders};

/// A slow board: nothing is kept but what lies on the points (0 nothing, 1 black, 2 white) and the ko point.
#[derive(Clone, Debug, PartialEq)]
struct Slow {
    size: Size,
    at: Vec<u8>,
    ko: Option<usize>,
}

impl Slow {
    fn of(board: &GoBoard) -> Slow {
        let value = |p| board.stone(p).map_or(0, |colour| if colour == Colour::Black { 1 } else { 2 });
        Slow {
            size: board.size(),
            at: board.size().points().map(value).collect(),
            ko: board.ko_point().map(Point::index),
        }
    }

    fn near(&self, p: usize) -> Vec<usize> {
        let (x, y) = self.size.xy(Point(p as u16));
        let steps = [(-1, 0), (1, 0), (0, -1), (0, 1)];
        let all = steps.iter().filter_map(|(dx, dy)| self.size.point_at(x as isize + dx, y as isize + dy));
        all.map(Point::index).collect()
    }

    /// Stones and liberties of the chain on `p`, ascending.
    fn chain(&self, p: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut stones, mut libs, mut i) = (vec![p], Vec::new(), 0);
        while i < stones.len() {
            for n in self.near(stones[i]) {
                if self.at[n] == self.at[p] && !stones.contains(&n) {
                    stones.push(n);
                } else if self.at[n] == 0 && !libs.contains(&n) {
                    libs.push(n);
                }
            }
            i += 1;
        }
        stones.sort();
        libs.sort();
        (stones, libs)
    }

    /// The board after a stone; none if there is one, the ko is forbidden or the stone has no liberty.
    fn play(&self, p: usize, colour: u8) -> Option<Slow> {
        if self.at[p] != 0 || self.ko == Some(p) {
            return None;
        }
        let mut next = Slow { ko: None, ..self.clone() };
        next.at[p] = colour;
        let mut taken = Vec::new();
        for n in self.near(p) {
            if next.at[n] == 3 - colour && next.chain(n).1.is_empty() {
                let (stones, _) = next.chain(n);
                stones.iter().for_each(|&q| next.at[q] = 0);
                taken.extend(stones);
            }
        }
        let (stones, libs) = next.chain(p);
        if (taken.len(), stones.len(), libs.len()) == (1, 1, 1) {
            next.ko = Some(taken[0]);
        }
        (!libs.is_empty()).then_some(next)
    }

    /// Last liberties of enemies in atari beside the chain on `p`.
    fn takes(&self, p: usize) -> Vec<usize> {
        let beside = self.chain(p).0.into_iter().flat_map(|q| self.near(q));
        let enemies = beside.filter(|&n| self.at[n] == 3 - self.at[p]).map(|n| self.chain(n).1);
        enemies.filter(|libs| libs.len() == 1).map(|libs| libs[0]).collect()
    }

    fn takes_ko(&self, p: usize, colour: u8) -> bool {
        let near = self.near(p);
        let weak: Vec<usize> =
            near.iter().copied().filter(|&n| self.at[n] != 0 && self.chain(n).1.len() == 1).collect();
        near.iter().all(|&n| self.at[n] == 3 - colour) && weak.len() == 1 && self.chain(weak[0]).0.len() == 1
    }

    /// Whether the chain with `stone` is caught, the defender to move.
    fn defend(&self, stone: usize, root: bool) -> bool {
        let own = self.at[stone];
        let (_, libs) = self.chain(stone);
        if libs.len() >= 2 || self.ko.is_some() && !root {
            return false;
        }
        let board = Slow { ko: None, ..self.clone() };
        let moves = board.takes(stone).into_iter().chain(libs);
        moves.filter_map(|p| board.play(p, own)).all(|next| next.attack(stone))
    }

    fn attack(&self, stone: usize) -> bool {
        let own = self.at[stone];
        let (_, libs) = self.chain(stone);
        if libs.len() != 2 {
            return libs.len() < 2;
        }
        let mouths = libs.iter().all(|&p| {
            let filled = Slow { ko: None, ..self.clone() }.play(p, own);
            self.takes_ko(p, 3 - own) && filled.is_none_or(|next| next.chain(p).1.len() <= 2)
        });
        if mouths && self.takes(stone).is_empty() {
            return true;
        }
        libs.iter().filter_map(|&p| self.play(p, 3 - own)).any(|next| next.defend(stone, false))
    }

    fn ladders(&self) -> Ladders {
        let mut found = Ladders::NONE;
        let stones = |p: usize| self.chain(p).0.into_iter().map(|q| Point(q as u16)).collect::<PointSet>();
        for p in (0..self.at.len()).filter(|&p| self.at[p] != 0 && self.chain(p).0[0] == p) {
            let (own, libs) = (self.at[p], self.chain(p).1);
            if (1..=3).contains(&libs.len()) {
                found.few[libs.len() - 1] = found.few[libs.len() - 1].or(&stones(p));
            }
            let mut caught = libs.len() == 1 && self.defend(p, true);
            if libs.len() == 2 {
                for &q in &libs {
                    if self.play(q, 3 - own).is_some_and(|next| next.defend(p, true)) {
                        found.moves[own as usize - 1].insert(Point(q as u16));
                        caught = true;
                    }
                }
            }
            if caught {
                found.caught = found.caught.or(&stones(p));
            }
        }
        found
    }
}

fn plain(size: &str) -> GoRules {
    format!("rules=tromp-taylor size={size} ko=simple").parse().expect("rules")
}

#[test]
fn equal_to_trying_everything() {
    let mut rng = TestRng::new(21);
    let (mut caught, mut kos, mut moves) = (0, 0, 0);
    // One reader for all sizes, kept results included.
    let mut reader = LadderReader::new();
    for round in 0..25 {
        for size in ["3x3", "4x4", "5x4", "5x5", "6x6", "7x7", "2x9"] {
            let mut board = GoBoard::new(&plain(size));
            let mut before: Vec<Ladders> = Vec::new();
            for _ in 0..board.size().area() * 2 {
                let slow = Slow::of(&board);
                let expected = slow.ladders();
                assert_eq!(board.ladders(), expected, "{size}, round {round}:\n{board}\nko {:?}", board.ko_point());
                assert_eq!(reader.read(&board, 0), Some(expected));
                before.push(expected);
                // The oldest first, each one move on from the last.
                let mut cold = LadderReader::forgetful();
                for back in (0..before.len().min(4)).rev() {
                    assert_eq!(cold.read(&board, back), Some(before[before.len() - 1 - back]), "{back}:\n{board}");
                    let mut fresh = LadderReader::forgetful();
                    assert_eq!(
                        fresh.read(&board, back),
                        Some(before[before.len() - 1 - back]),
                        "{size} {back}:\n{board}"
                    );
                }
                caught += expected.caught.len();
                kos += usize::from(board.ko_point().is_some());
                moves += expected.moves[0].len() + expected.moves[1].len();
                let legal: Vec<Action> = board
                    .size()
                    .points()
                    .map(Action::point)
                    .filter(|&action| board.check(board.to_play(), action).is_ok())
                    .filter(|action| !action.as_point().is_some_and(|p| board.is_one_point_eye(board.to_play(), p)))
                    .collect();
                let action =
                    if legal.is_empty() || rng.below(12) == 0 { Action::PASS } else { legal[rng.below(legal.len())] };
                if board.play_any(board.to_play(), action).is_err() {
                    break;
                }
            }
        }
    }
    assert!(caught > 15_000 && kos > 40 && moves > 8_000, "{caught} {kos} {moves}");
}

#[test]
fn a_ladder_across_the_board_and_its_breaker() {
    let name = |board: &GoBoard, x, y| board.size().point(x, y);
    let mut rows = vec![".".repeat(19); 19];
    rows[15] = "...X...............".into();
    rows[14] = "..XOX..............".into();
    rows[13] = "..X................".into();
    let read = |rows: &[String]| {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        GoBoard::from_position(&plain("19x19"), &rows, Colour::Black).expect("a position")
    };
    // White's stone has two liberties up and to the right; only one direction leads to the edge.
    let board = read(&rows);
    let ladders = board.ladders();
    assert_eq!(ladders.few[0].iter().collect::<Vec<_>>(), [name(&board, 3, 14)]);
    assert!(ladders.caught.contains(name(&board, 3, 14)), "{board}");
    rows[4] = "............O......".into();
    rows[5] = "............O......".into();
    let broken = read(&rows);
    assert!(!broken.ladders().caught.contains(name(&broken, 3, 14)), "{broken}");
    assert_eq!(broken.ladders(), Slow::of(&broken).ladders());
}

#[test]
fn what_is_not_there_is_not_read() {
    let board = GoBoard::new(&plain("9x9"));
    assert_eq!(LadderReader::new().read(&board, 1), None);
    assert_eq!(board.ladders(), Ladders::NONE);
}
