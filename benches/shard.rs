//! How fast games become shard bytes and back: rows per second, on games shaped like self-play's (60 plies of 15x15,
//! about 60 policy targets each). Not here: the disk.

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_data::record::{EndReason, GameRecord, MoveRow, SearchKind};
use tengen_data::shard::{decode, encode};
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Outcome, Seat};

const GAMES: usize = 100;
const PLIES: usize = 60;

fn row(ply: usize, rng: &mut TestRng) -> MoveRow {
    let visits: Vec<(u16, u32)> = (0..225).filter(|_| rng.below(4) == 0).map(|a| (a, 1)).collect();
    // Visit counts fall off steeply, as a search's do.
    let visits: Vec<(u16, u32)> = visits.iter().map(|&(a, n)| (a, n + (400 >> rng.below(12)))).collect();
    let total: u32 = visits.iter().map(|v| v.1).sum();
    MoveRow {
        action: Action(visits[0].0),
        seat: Seat::BOTH[ply % 2],
        kind: SearchKind::Full,
        visits: total,
        root_value: rng.below(2001) as f32 / 1000.0 - 1.0,
        best: true,
        policy: visits.iter().map(|&(a, n)| (Action(a), n as f32 / total as f32)).collect(),
        weight: 1.0,
    }
}

fn records() -> Vec<GameRecord> {
    let mut rng = TestRng::new(1);
    let game = |index, rng: &mut TestRng| GameRecord {
        setup: "game=renju size=15 opening=soosorv8".into(),
        seed: rng.next(),
        index,
        models: ["s0000001000-0badcafe".into(), "s0000001000-0badcafe".into()],
        moves: (0..PLIES).map(|ply| row(ply, rng)).collect(),
        outcome: Outcome::Win(Seat::First),
        end: EndReason::Rules,
        margin: None,
        evaluations: 24_000,
    };
    (0..GAMES as u64).map(|i| game(i, &mut rng)).collect()
}

fn shards(c: &mut Criterion) {
    let records = records();
    let (bytes, _) = encode(&records).expect("valid records");
    println!("{} bytes per row", bytes.len() / (GAMES * PLIES));
    let mut group = c.benchmark_group("shard");
    group.throughput(Throughput::Elements((GAMES * PLIES) as u64)).sample_size(10);
    group.bench_function("encode rows", |b| b.iter(|| encode(&records).expect("valid records").0.len()));
    group.bench_function("decode rows", |b| b.iter(|| decode(&bytes, Path::new("bench")).expect("own bytes").len()));
    group.throughput(Throughput::Elements(PLIES as u64));
    group.bench_function("encode one game", |b| b.iter(|| encode(&records[..1]).expect("valid records").0.len()));
    group.finish();
}

criterion_group!(benches, shards);
criterion_main!(benches);
