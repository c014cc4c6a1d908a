//! Speed of protocol stages: what a search pays at offers, and what `Seated` adds to plain play. Not here: tree search.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tengen_game::{Action, Game, Placement, Size, notation::Letters};
use tengen_opening::{Seated, SeatedSetup};
use tengen_renju::FiveBoard;

fn start(opening: &str) -> Seated<FiveBoard> {
    let setup: SeatedSetup<FiveBoard> =
        format!("game=five rules=renju size=15x15 opening={opening}").parse().expect("a good setup");
    Seated::start(&setup)
}

fn at(name: &str) -> Action {
    Action::point(Letters::WithI.point(Size::square(15).expect("a size"), name).expect("a point"))
}

/// The offer stage of 8D with h6, which has four shape symmetries: legal offers, their classes, one `assume` and back.
fn offers(c: &mut Criterion) {
    let mut game = start("rif");
    for action in [at("h8"), at("h9"), at("h7"), Action::KEEP, at("h6")] {
        game.apply(action);
    }
    let (mut legal, mut classes) = (Vec::new(), Vec::new());
    c.bench_function("opening/offers_and_classes", |b| {
        b.iter(|| {
            game.legal(&mut legal);
            game.classes(&legal, &mut classes);
            black_box(classes.len())
        })
    });
    c.bench_function("opening/assume_and_undo", |b| {
        b.iter(|| {
            game.assume(black_box(at("g8")));
            game.undo();
        })
    });
    c.bench_function("opening/clone_at_offers", |b| b.iter(|| black_box(game.clone())));
}

/// One move and back, with legal moves: the board alone and the board seated.
fn plain_play(c: &mut Criterion) {
    let mut game = start("rif");
    for action in [at("h8"), at("h9"), at("h7"), Action::KEEP, at("h6"), at("g8"), at("f5"), at("g8"), at("j9")] {
        game.apply(action);
    }
    let mut board = game.board().clone();
    let mut legal = Vec::new();
    let mut points = tengen_game::PointSet::EMPTY;
    c.bench_function("opening/plain_board", |b| {
        b.iter(|| {
            board.place(black_box(at("c3")));
            board.legal_points(&mut points);
            board.undo();
        })
    });
    c.bench_function("opening/plain_seated", |b| {
        b.iter(|| {
            game.apply(black_box(at("c3")));
            game.legal(&mut legal);
            game.undo();
        })
    });
}

criterion_group!(benches, offers, plain_play);
criterion_main!(benches);
