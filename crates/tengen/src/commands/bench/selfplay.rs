//! Self-play as a whole: rows, evaluations and cache hits with random weights, every move searched afresh and recorded.
//! Not here: files (`shards` has its own figures).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use serde_json::json;
use tengen_features::{Encode, FeatureSpec};
use tengen_net::fused::FusedNet;
use tengen_net::{EvalCache, NetConfig, NetEvaluator, Weights};
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
}

impl<G: Encode> EvaluatorSource<G> for Source {
    fn open(&self, model: &str) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        let raw = Box::new(self.fused.clone());
        Ok(Box::new(NetEvaluator::<G>::new(raw, self.spec.clone(), model.to_string(), self.cache.clone())))
    }
}

/// The figures.
pub(super) fn rates(table: &Table) -> Result<()> {
    one::<Go>(table, "self-play: Go 9x9, b2c32, 150 simulations, PUCT", GO9, "b2c32", Rule::Puct, 150, 4)?;
    one::<Go>(table, "self-play: Go 9x9, b2c32, 32 simulations, Gumbel", GO9, "b2c32", Rule::Gumbel, 32, 8)?;
    one::<Five>(table, "self-play: renju 15x15, b2c32, 32 simulations, Gumbel", RENJU, "b2c32", Rule::Gumbel, 32, 4)
}

fn one<G: Encode>(
    table: &Table,
    name: &str,
    text: &str,
    preset: &str,
    rule: Rule,
    visits: u32,
    games: u64,
) -> Result<()> {
    if !table.wants(name) {
        return Ok(());
    }
    let setups = [setup::<G>(text)?];
    let spec = G::spec(&setups, "")?;
    let net = NetConfig::preset(preset, spec.planes, spec.globals, spec.extras.len())?;
    let weights = Weights::random(&net, 1)?;
    let fused = FusedNet::new(&|name| weights.get(name)).map_err(anyhow::Error::msg)?;
    let source = Source { fused, spec, cache: EvalCache::new(CACHE).map(Arc::new) };
    let search = SearchConfig { rule, ..SearchConfig::default() };
    let agent = AgentConfig { search, explore: true, ..AgentConfig::playing(visits) };
    let indices: Vec<u64> = (0..games).collect();
    let job = Job::<G> {
        setups: &setups,
        model: "random",
        agent: &agent,
        limits: &GameLimits::default(),
        seed: 1,
        games: &indices,
        threads: 1,
        in_flight: games as usize,
        stop: &AtomicBool::new(false),
    };
    table.told.set(table.told.get() + 1);
    let report = run(&job, &source, &mut |_, _| Ok(()))?;
    let rate = |n: u64| n as f64 / report.seconds.max(1e-9);
    let hits = report.hits as f64 / (report.hits + report.evaluations).max(1) as f64;
    if table.json {
        say!(
            "{}",
            json!({"name": name, "unit": "rows", "per_second": rate(report.rows), "cache_share": hits,
                "evaluations_per_second": rate(report.evaluations)})
        );
    } else {
        let figure = format!("{} rows/h", human(3600.0 * rate(report.rows)));
        let more = format!("{} evaluations/s, {:.0} % from the cache", human(rate(report.evaluations)), 100.0 * hits);
        say!("{name:54} {figure:>12}  {more}");
    }
    Ok(())
}
