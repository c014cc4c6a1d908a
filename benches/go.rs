//! Speed of the Go rules core: random playouts, legality of all points, pass-alive stones, undo.
//!
//! Playouts are those of `playouts`. Rates are moves (or positions) per second. Not here: networks, search.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_game::{Action, Colour, Placement, PointSet, Size};
use tengen_go::{GoBoard, GoRules, Ko, Suicide};

mod playouts;
use playouts::playout;

const GAMES: u64 = 100;

fn rules(side: usize, ko: Ko) -> GoRules {
    let size = Size::square(side).expect("a board");
    let mut rules = GoRules::named("tromp-taylor", size).expect("a rule set");
    (rules.ko, rules.suicide) = (ko, Suicide::None);
    rules
}

fn moves_of(rules: &GoRules) -> u64 {
    (0..GAMES).map(|seed| playout(rules, seed, |_| {}).1).sum()
}

fn whole_games(c: &mut Criterion) {
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

criterion_group!(benches, whole_games, undo, benson);
criterion_main!(benches);
