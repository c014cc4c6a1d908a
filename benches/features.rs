//! Speed of the inputs of Go: all planes and numbers of a set at every position of random games, on one core.
//!
//! Games are those of `playouts`, without suicide. Rates are positions per second and include the move itself and
//! clearing the frame. `forgetful` reads the ladders of the two earlier boards anew each time; ordinarily they are known
//! from the position before. Not here: five in a row, networks.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_features::{BoardFeatures, Frame, katago};
use tengen_game::Size;
use tengen_go::{GoBoard, GoRules, LadderReader, Suicide};

mod playouts;
use playouts::playout;

const GAMES: u64 = 20;

/// Plays the games, calling `visit` before every move; returns the number of moves.
fn playouts(rules: &GoRules, mut visit: impl FnMut(&GoBoard)) -> u64 {
    (0..GAMES).map(|seed| playout(rules, seed, &mut visit).1).sum()
}

fn features(c: &mut Criterion) {
    for side in [9, 19] {
        let size = Size::square(side).expect("a board");
        let mut rules = GoRules::named("tromp-taylor", size).expect("a rule set");
        rules.suicide = Suicide::None;
        let mut group = c.benchmark_group(format!("features/{side}x{side}"));
        group.sample_size(10).throughput(Throughput::Elements(playouts(&rules, |_| {})));
        for (set, (name, planes, globals)) in GoBoard::sets().iter().enumerate() {
            let (mut planes, mut globals) = (vec![0.0; planes * size.area()], vec![0.0; *globals]);
            group.bench_function(*name, |b| {
                b.iter(|| {
                    playouts(&rules, |board| {
                        planes.fill(0.0);
                        globals.fill(0.0);
                        let (width, height) = (side, side);
                        board.fill(set, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
                        black_box(&planes);
                    })
                });
            });
        }
        let mut planes = vec![0.0; katago::PLANES * size.area()];
        group.bench_function("katago-v7, forgetful", |b| {
            let mut reader = LadderReader::forgetful();
            b.iter(|| {
                playouts(&rules, |board| {
                    planes.fill(0.0);
                    let mut globals = [0.0; katago::GLOBALS];
                    let mut frame = Frame { width: side, height: side, planes: &mut planes, globals: &mut globals };
                    katago::fill_with(board, &mut frame, &mut reader);
                    black_box(&frame);
                })
            });
        });
        group.bench_function("random moves alone", |b| b.iter(|| playouts(&rules, |_| {})));
        group.finish();
    }
}

criterion_group!(benches, features);
criterion_main!(benches);
