//! Speed of the Go rules core: random playouts, legality of all points, pass-alive stones, undo.
//!
//! A playout makes uniformly random legal moves that don't fill an own one-point eye, without suicide; the empty points
//! are found by scanning the board at each move; a player passes only when nothing else is left; two passes end the
//! game; each game starts fresh. Rates are moves (or positions) per second. Not here: networks, search.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, MAX_POINTS, Placement, Point, PointSet, Size};
use tengen_go::{GoBoard, GoRules, Ko, Suicide};

const GAMES: u64 = 100;

fn rules(side: usize, ko: Ko) -> GoRules {
    let size = Size::square(side).expect("a board");
    let mut rules = GoRules::named("tromp-taylor", size).expect("a rule set");
    (rules.ko, rules.suicide) = (ko, Suicide::None);
    rules
}

/// A random move, or a pass when every legal one fills an eye.
#[inline]
fn random_move(board: &GoBoard, rng: &mut TestRng, empty: &mut [Point; MAX_POINTS]) -> Action {
    let mut left = board.empty_points(empty);
    let colour = board.to_play();
    while left > 0 {
        let i = rng.below(left);
        let p = empty[i];
        if !board.is_one_point_eye(colour, p) && board.check(colour, Action::point(p)).is_ok() {
            return Action::point(p);
        }
        left -= 1;
        empty[i] = empty[left];
    }
    Action::PASS
}

/// Plays one game, calling `visit` before every move; returns the number of moves.
#[inline]
fn playout(rules: &GoRules, seed: u64, mut visit: impl FnMut(&GoBoard)) -> (GoBoard, u64) {
    let mut rng = TestRng::new(seed);
    let mut board = GoBoard::new(rules);
    let mut empty = [Point(0); MAX_POINTS];
    let mut moves = 0;
    // Simple ko allows endless games; three times the board is far beyond any ordinary one.
    while !board.is_over() && moves < 3 * rules.size.area() as u64 {
        visit(&board);
        let action = random_move(&board, &mut rng, &mut empty);
        board.place(action);
        moves += 1;
    }
    (board, moves)
}

fn moves_of(rules: &GoRules) -> u64 {
    (0..GAMES).map(|seed| playout(rules, seed, |_| {}).1).sum()
}

fn playouts(c: &mut Criterion) {
    for side in [9, 19] {
        for (ko, name) in [(Ko::Simple, "simple"), (Ko::Positional, "positional")] {
            let rules = rules(side, ko);
            let mut group = c.benchmark_group(format!("go/{side}x{side}/{name}"));
            group.sample_size(20).throughput(Throughput::Elements(moves_of(&rules)));
            group.bench_function("playout", |b| {
                b.iter(|| (0..GAMES).map(|seed| playout(&rules, seed, |_| {}).1).sum::<u64>());
            });
            let early = GoRules { early_end: true, ..rules };
            group.bench_function("playout that ends once all is settled", |b| {
                b.iter(|| (0..GAMES).map(|seed| playout(&early, seed, |_| {}).1).sum::<u64>());
            });
            group.bench_function("playout, area at the end", |b| {
                b.iter(|| (0..GAMES).map(|seed| playout(&rules, seed, |_| {}).0.score().black).sum::<i32>());
            });
            let mut legal = PointSet::EMPTY;
            group.bench_function("legality of all points at every position", |b| {
                b.iter(|| {
                    let visit = |board: &GoBoard| {
                        board.legal_points(&mut legal);
                        black_box(&legal);
                    };
                    let mut visit = visit;
                    (0..GAMES).map(|seed| playout(&rules, seed, &mut visit).1).sum::<u64>()
                });
            });
            group.finish();
        }
    }
}

fn undo(c: &mut Criterion) {
    for side in [9, 19] {
        let rules = rules(side, Ko::Positional);
        let games: Vec<(GoBoard, Vec<Action>)> = (0..GAMES)
            .map(|seed| {
                let board = playout(&rules, seed, |_| {}).0;
                let actions = (0..board.moves()).rev().filter_map(|i| board.move_back(i)).map(|(_, a)| a).collect();
                (board, actions)
            })
            .collect();
        let mut group = c.benchmark_group(format!("go/{side}x{side}/positional"));
        group.sample_size(20).throughput(Throughput::Elements(moves_of(&rules)));
        group.bench_function("undo and place again", |b| {
            let mut games = games.clone();
            b.iter(|| {
                for (board, actions) in &mut games {
                    actions.iter().for_each(|_| board.undo());
                    actions.iter().for_each(|&action| board.place(action));
                }
            });
        });
        group.finish();
    }
}

fn benson(c: &mut Criterion) {
    for side in [9, 19] {
        let rules = rules(side, Ko::Simple);
        let mut positions = Vec::new();
        for seed in 0..5 {
            playout(&rules, seed, |board| positions.push(board.clone()));
        }
        let mut group = c.benchmark_group(format!("go/{side}x{side}"));
        group.sample_size(20).throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function("pass-alive and area", |b| {
            b.iter(|| {
                for board in &positions {
                    black_box(Colour::BOTH.map(|colour| board.pass_alive(colour)));
                    black_box(board.score());
                }
            });
        });
        group.bench_function("pass-alive", |b| {
            b.iter(|| {
                for board in &positions {
                    black_box(Colour::BOTH.map(|colour| board.pass_alive(colour)));
                }
            });
        });
        group.bench_function("clone", |b| {
            b.iter(|| positions.iter().map(|board| black_box(board.clone()).moves()).sum::<usize>())
        });
        group.finish();
    }
}

criterion_group!(benches, playouts, undo, benson);
criterion_main!(benches);
