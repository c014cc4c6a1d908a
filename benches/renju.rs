//! Speed of the five-in-a-row rules core: legality of single moves, full forbidden maps, playouts, proofs. Work is one
//! game per iteration of a fixed set of random legal games (15x15, seed 20), so that 1 / time is games per second, which
//! is also printed at the end as the best of many short runs (other work on the machine can only slow a run down). Not
//! here: tree search and networks.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Placement, PointSet};
use tengen_renju::{FiveBoard, FiveRules};

const GAMES: usize = 200;
const SEED: u64 = 20;

/// Random games of legal stones (no passes while there is a point), played to the end.
fn games(rules: &FiveRules) -> Vec<Vec<Action>> {
    let mut rng = TestRng::new(SEED);
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

/// As `replay`, but every game starts from a fresh copy and nothing is taken back.
fn replay_forward<T>(start: &FiveBoard, games: &[Vec<Action>], ask: impl Fn(&FiveBoard, Action) -> T) {
    for game in games {
        let mut board = start.clone();
        for &action in game {
            black_box(ask(&board, action));
            board.place(action);
        }
        black_box(&board);
    }
}

/// Whether the move played is legal, asked of Black's moves only.
fn legality(board: &FiveBoard, action: Action) -> bool {
    board.to_play() == Colour::Black && board.is_legal(action)
}

/// All forbidden points, before every move of Black.
fn forbidden_map(board: &FiveBoard, _: Action) -> Option<PointSet> {
    (board.to_play() == Colour::Black).then(|| board.forbidden())
}

fn renju(c: &mut Criterion) {
    let rules = FiveRules::renju();
    let games = games(&rules);
    let plies: usize = games.iter().map(Vec::len).sum();
    println!("renju 15x15: {GAMES} games, mean {:.1} plies", plies as f64 / GAMES as f64);
    let start = FiveBoard::start(&rules);
    let mut group = c.benchmark_group("renju15");
    group.throughput(Throughput::Elements(GAMES as u64));
    group.bench_function("make_unmake", |b| b.iter(|| replay(&start, &games, |_, _| ())));
    group.bench_function("legality_of_black_moves", |b| b.iter(|| replay(&start, &games, legality)));
    group.bench_function("forbidden_map_before_black", |b| b.iter(|| replay(&start, &games, forbidden_map)));
    group.bench_function("forbidden_map_make_only", |b| b.iter(|| replay_forward(&start, &games, forbidden_map)));
    group.bench_function("proven_0", |b| b.iter(|| replay(&start, &games, |board, _| board.proven(0))));
    group.bench_function("proven_100", |b| b.iter(|| replay(&start, &games, |board, _| board.proven(100))));
    group.finish();
}

/// Games per second of the two paths that search needs, and of the map without unmake.
fn games_per_second(_: &mut Criterion) {
    let rules = FiveRules::renju();
    let games = games(&rules);
    let start = FiveBoard::start(&rules);
    let best = |run: &dyn Fn()| {
        let times = (0..60).map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed().as_secs_f64()
        });
        GAMES as f64 / times.fold(f64::INFINITY, f64::min) / 1000.0
    };
    println!("renju 15x15, best of 60 runs, one core:");
    println!("  legality of the move played  {:7.1} k games/s", best(&|| replay(&start, &games, legality)));
    println!("  full map before Black        {:7.1} k games/s", best(&|| replay(&start, &games, forbidden_map)));
    println!(
        "  full map, make only          {:7.1} k games/s",
        best(&|| replay_forward(&start, &games, forbidden_map))
    );
}

fn playouts(c: &mut Criterion) {
    let mut group = c.benchmark_group("playout");
    for text in [
        "rules=freestyle size=15x15",
        "rules=standard size=15x15",
        "rules=freestyle size=6x6 win=4",
        "rules=caro size=15x15",
        "rules=omok size=15x15",
    ] {
        let start = FiveBoard::start(&text.parse().expect("valid rules"));
        let mut rng = TestRng::new(5);
        let mut order: Vec<Action> = start.size().points().map(Action::point).collect();
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::from_parameter(text), |b| {
            b.iter(|| {
                let mut board = start.clone();
                let mut left = order.len();
                while board.result().is_none() && left > 0 {
                    let i = rng.below(left);
                    left -= 1;
                    order.swap(i, left);
                    // Omok forbids a point now and then: it is left out.
                    if board.is_legal(order[left]) {
                        board.place(order[left]);
                    }
                }
                black_box(board.result())
            })
        });
    }
    group.finish();
}

criterion_group!(benches, renju, playouts, games_per_second);
criterion_main!(benches);
