//! Simulations per second of the tree alone, with an evaluator that costs nothing: the overhead that a network's time is
//! added to. From the empty board, where most actions are legal. Not here: networks, batches, playing strength.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_game::{Game, Placement};
use tengen_go::GoBoard;
use tengen_opening::{Seated, SeatedSetup};
use tengen_renju::FiveBoard;
use tengen_search::{Limits, ProofConfig, Rule, Search, SearchConfig, Uniform, search_blocking};

fn game<P: Placement>(text: &str) -> Seated<P> {
    let setup: SeatedSetup<P> = text.parse().expect("a good setup");
    Seated::start(&setup)
}

fn one<G: Game>(c: &mut Criterion, name: &str, root: &G, config: SearchConfig, visits: u32) {
    let mut search = Search::new(config);
    let mut group = c.benchmark_group("search");
    group.throughput(Throughput::Elements(u64::from(visits))).sample_size(20);
    group.bench_function(name, |b| {
        b.iter(|| {
            let limits = Limits::training(visits);
            black_box(search_blocking(&mut search, root, limits, 1, &mut Uniform::default()).expect("never fails"))
        })
    });
    group.finish();
}

fn searches(c: &mut Criterion) {
    let go = game::<GoBoard>("game=go rules=tromp-taylor size=9x9 komi=7");
    let renju = game::<FiveBoard>("game=five rules=renju size=15x15");
    let freestyle = game::<FiveBoard>("game=five rules=freestyle size=15x15");
    let config = |rule, proof| SearchConfig { rule, proof, ..SearchConfig::default() };
    let off = ProofConfig { enabled: false, ..ProofConfig::default() };
    let cheap = ProofConfig { leaf: 0, root: 0, ..ProofConfig::default() };
    one(c, "go9/puct800/no_proofs", &go, config(Rule::Puct, off.clone()), 800);
    one(c, "go9/puct800", &go, config(Rule::Puct, ProofConfig::default()), 800);
    one(c, "go9/gumbel32", &go, config(Rule::Gumbel, ProofConfig::default()), 32);
    one(c, "freestyle15/puct800/no_proofs", &freestyle, config(Rule::Puct, off.clone()), 800);
    one(c, "renju15/puct800/no_proofs", &renju, config(Rule::Puct, off), 800);
    one(c, "renju15/puct800/cheap_proofs", &renju, config(Rule::Puct, cheap), 800);
    one(c, "renju15/puct800", &renju, config(Rule::Puct, ProofConfig::default()), 800);
    one(c, "renju15/gumbel32", &renju, config(Rule::Gumbel, ProofConfig::default()), 32);
}

criterion_group!(benches, searches);
criterion_main!(benches);
