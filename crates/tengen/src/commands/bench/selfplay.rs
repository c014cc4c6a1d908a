//! Self-play as a whole: rows, evaluations and cache hits with random weights, every move searched afresh and recorded;
//! and how long a thread is busy per evaluation with anything but the network. Not here: files (`shards` has its own
//! figures).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;
use tengen_features::{Encode, FeatureSpec};
use tengen_net::fused::FusedNet;
use tengen_net::{EvalCache, NetConfig, NetEvaluator, RawBatch, RawEvaluator, RawOutput, Weights};
use tengen_play::{AgentConfig, GameLimits};
use tengen_search::{EvalError, Evaluator, EvaluatorSource, Rule, SearchConfig};
use tengen_selfplay::{Job, run};

use super::{GO9, RENJU, Table, human, setup};
use crate::catalog::{Five, Go};

/// Positions that the cache holds.
const CACHE: usize = 1 << 16;

/// A network in memory for every thread.
struct Source {
    fused: FusedNet,
    spec: FeatureSpec,
    cache: Option<Arc<EvalCache>>,
    /// Nanoseconds inside the network, over all threads.
    inside: Arc<AtomicU64>,
}

/// The network under a stopwatch.
struct Timed {
    fused: FusedNet,
    inside: Arc<AtomicU64>,
}

impl RawEvaluator for Timed {
    fn run(&mut self, batch: &RawBatch, out: &mut RawOutput) -> Result<(), String> {
        let started = Instant::now();
        let ran = self.fused.run(batch, out);
        self.inside.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        ran
    }

    fn name(&self) -> &str {
        self.fused.name()
    }
}

impl<G: Encode> EvaluatorSource<G> for Source {
    fn open(&self, model: &str) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        let raw = Box::new(Timed { fused: self.fused.clone(), inside: self.inside.clone() });
        Ok(Box::new(NetEvaluator::<G>::new(raw, self.spec.clone(), model.to_string(), self.cache.clone())))
    }
}

/// One measurement.
struct Case {
    name: &'static str,
    setup: &'static str,
    preset: &'static str,
    rule: Rule,
    visits: u32,
    games: u64,
    threads: usize,
    /// Cut after so many seconds, so that no thread waits for the other's last games.
    seconds: Option<f64>,
}

/// The figures.
pub(super) fn rates(table: &Table) -> Result<()> {
    let case = |name, setup, preset, rule, visits| Case {
        name,
        setup,
        preset,
        rule,
        visits,
        games: 4,
        threads: 1,
        seconds: None,
    };
    one::<Go>(table, &case("self-play: Go 9x9, b2c32, 150 simulations, PUCT", GO9, "b2c32", Rule::Puct, 150))?;
    let short = case("self-play: Go 9x9, b2c32, 32 simulations, Gumbel", GO9, "b2c32", Rule::Gumbel, 32);
    one::<Go>(table, &Case { games: 8, ..short })?;
    let two = case("self-play: Go 9x9, b6c96, 150 simulations, 2 threads", GO9, "b6c96", Rule::Puct, 150);
    one::<Go>(table, &Case { threads: 2, games: 64, seconds: Some(3.0), ..two })?;
    one::<Five>(table, &case("self-play: renju 15x15, b2c32, 32 simulations, Gumbel", RENJU, "b2c32", Rule::Gumbel, 32))
}

fn one<G: Encode>(table: &Table, case: &Case) -> Result<()> {
    let Case { name, preset, .. } = *case;
    if !table.wants(name) {
        return Ok(());
    }
    let setups = [setup::<G>(case.setup)?];
    let spec = G::spec(&setups, "")?;
    let net = NetConfig::preset(preset, spec.planes, spec.globals, spec.extras.len())?;
    let weights = Weights::random(&net, 1)?;
    let fused = FusedNet::new(&|name| weights.get(name)).map_err(anyhow::Error::msg)?;
    let inside = Arc::new(AtomicU64::new(0));
    let source = Source { fused, spec, cache: EvalCache::new(CACHE).map(Arc::new), inside: inside.clone() };
    let search = SearchConfig { rule: case.rule, ..SearchConfig::default() };
    let agent = AgentConfig { search, explore: true, ..AgentConfig::playing(case.visits) };
    let indices: Vec<u64> = (0..case.games).collect();
    let stop = AtomicBool::new(false);
    let job = Job::<G> {
        setups: &setups,
        model: "random",
        agent: &agent,
        limits: &GameLimits::default(),
        seed: 1,
        games: &indices,
        threads: case.threads,
        in_flight: 8,
        stop: &stop,
    };
    table.told.set(table.told.get() + 1);
    let report = std::thread::scope(|scope| {
        if let Some(seconds) = case.seconds {
            let stop = &stop;
            scope.spawn(move || {
                std::thread::sleep(Duration::from_secs_f64(seconds));
                stop.store(true, Ordering::Relaxed);
            });
        }
        run(&job, &source, &mut |_, _| Ok(()))
    })?;
    let rate = |n: u64| n as f64 / report.seconds.max(1e-9);
    let hits = report.hits as f64 / (report.hits + report.evaluations).max(1) as f64;
    let network = inside.load(Ordering::Relaxed) as f64 * 1e-9;
    let outside = 1e6 * (report.seconds * case.threads as f64 - network) / report.evaluations.max(1) as f64;
    // A run that was cut has finished too few games to tell rows by.
    let (unit, done) = match case.seconds {
        Some(_) => ("evaluations", report.evaluations),
        None => ("rows", report.rows),
    };
    if table.json {
        say!(
            "{}",
            json!({"name": name, "unit": unit, "per_second": rate(done), "cache_share": hits,
                "evaluations_per_second": rate(report.evaluations), "microseconds_outside_network": outside})
        );
    } else {
        let figure = format!("{} {unit}/h", human(3600.0 * rate(done)));
        let more = format!(
            "{} evaluations/s, {:.0} % from the cache, {outside:.1} µs each outside the network",
            human(rate(report.evaluations)),
            100.0 * hits
        );
        say!("{name:54} {figure:>12}  {more}");
    }
    Ok(())
}
