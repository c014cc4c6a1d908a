//! How fast one thread drives many games with an evaluator that costs nothing: the driver's and the tree's share of
//! self-play. One iteration answers 10,000 leaves. Not here: networks.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_game::Game;
use tengen_opening::Seated;
use tengen_play::{Agent, AgentConfig, GameLimits, GameRun, GameTask, Need};
use tengen_renju::FiveBoard;
use tengen_search::{Query, Uniform, ask};

type Five = Seated<FiveBoard>;

fn runs(count: usize) -> Vec<GameRun<Five>> {
    let run = |slot| {
        let agents = vec![Agent::search("uniform", AgentConfig::playing(32))];
        GameRun::new(agents, GameLimits::default(), slot).expect("the defaults are in range")
    };
    (0..count).map(run).collect()
}

fn drive(runs: &mut [GameRun<Five>], setup: &<Five as Game>::Setup, leaves: usize, next: &mut u64) {
    let mut evaluator = Uniform::default();
    let mut answers = Vec::new();
    let mut done = 0;
    while done < leaves {
        for run in runs.iter_mut() {
            while run.advance() == Need::Finished {
                run.take_record();
                *next += 1;
                let task = GameTask { seed: 1, index: *next, ..GameTask::default() };
                run.begin(setup, task).expect("the start is empty");
            }
        }
        let batch: Vec<Query<'_, Five>> = runs.iter().filter_map(GameRun::query).collect();
        ask(&mut evaluator, &batch, &mut answers).expect("uniform doesn't fail");
        done += batch.len();
        drop(batch);
        runs.iter_mut().zip(&answers).for_each(|(run, answer)| run.answer(answer));
    }
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("play");
    group.throughput(Throughput::Elements(10_000)).sample_size(10);
    for text in [
        "game=five rules=freestyle size=6x6 win=4 opening=none",
        "game=five rules=freestyle size=15x15 win=5 opening=none",
        "game=five rules=renju size=15x15 opening=none",
    ] {
        let setup: <Five as Game>::Setup = text.parse().expect("a known setup");
        let (mut runs, mut next) = (runs(64), 0);
        group.bench_function(text, |b| b.iter(|| drive(&mut runs, &setup, 10_000, &mut next)));
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
