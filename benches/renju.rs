//! Speed of the five-in-a-row rules core: legality of single moves, full forbidden maps, playouts, proofs. Work is one
//! game per iteration of a fixed set, so that 1 / time is games per second. Not here: tree search and networks.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Placement, PointSet};
use tengen_renju::{FiveBoard, FiveRules};

const GAMES: usize = 200;

/// Random games of legal stones (no passes while there is a point), played to the end.
fn games(rules: &FiveRules) -> Vec<Vec<Action>> {
    let mut rng = TestRng::new(20);
    (0..GAMES)
        .map(|_| {
            let mut board = FiveBoard::start(rules);
            let mut actions = Vec::new();
            let mut legal = PointSet::EMPTY;
            while board.result().is_none() {
                board.legal_points(&mut legal);
                let action = match legal.len() {
                    0 => Action::PASS,
                    n => Action::point(legal.iter().nth(rng.below(n)).expect("below the length")),
                };
                board.place(action);
                actions.push(action);
            }
            actions
        })
        .collect()
}

/// Replays all games, asks something before every move, and takes all moves back.
fn replay<T>(start: &FiveBoard, games: &[Vec<Action>], ask: impl Fn(&FiveBoard, Action) -> T) {
    let mut board = start.clone();
    for game in games {
        for &action in game {
            black_box(ask(&board, action));
            board.place(action);
        }
        for _ in game {
            board.undo();
        }
    }
}

fn renju(c: &mut Criterion) {
    let rules = FiveRules::renju();
    let games = games(&rules);
    let plies: usize = games.iter().map(Vec::len).sum();
    println!("renju 15x15: {GAMES} games, mean {:.1} plies", plies as f64 / GAMES as f64);
    let start = FiveBoard::start(&rules);
    let mut group = c.benchmark_group("renju15");
    group.throughput(Throughput::Elements(GAMES as u64));
    let black = |board: &FiveBoard| board.to_play() == Colour::Black;
    group.bench_function("make_unmake", |b| b.iter(|| replay(&start, &games, |_, _| ())));
    group.bench_function("legality_of_black_moves", |b| {
        b.iter(|| replay(&start, &games, |board, action| black(board) && board.is_legal(action)))
    });
    group.bench_function("forbidden_map_before_black", |b| {
        b.iter(|| replay(&start, &games, |board, _| black(board).then(|| board.forbidden())))
    });
    group.bench_function("proven_0", |b| b.iter(|| replay(&start, &games, |board, _| board.proven(0))));
    group.bench_function("proven_100", |b| b.iter(|| replay(&start, &games, |board, _| board.proven(100))));
    group.finish();
}

fn playouts(c: &mut Criterion) {
    let mut group = c.benchmark_group("playout");
    for text in ["rules=freestyle size=15x15", "rules=standard size=15x15", "rules=freestyle size=6x6 win=4"] {
        let start = FiveBoard::start(&text.parse().expect("valid rules"));
        let mut rng = TestRng::new(5);
        let mut order: Vec<Action> = start.size().points().map(Action::point).collect();
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::from_parameter(text), |b| {
            b.iter(|| {
                let mut board = start.clone();
                let mut left = order.len();
                while board.result().is_none() {
                    let i = rng.below(left);
                    left -= 1;
                    order.swap(i, left);
                    board.place(order[left]);
                }
                black_box(board.result())
            })
        });
    }
    group.finish();
}

criterion_group!(benches, renju, playouts);
criterion_main!(benches);
