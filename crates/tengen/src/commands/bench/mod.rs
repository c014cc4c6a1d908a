//! `bench`: one table of what this machine does, in seconds. Each figure is the best of a few short runs, because other
//! work on the machine only ever slows a run down. Evaluation and training also tell what share of this machine's matrix
//! product they reach, in multiplications of a direct convolution (so a better algorithm may pass 100 %). Not here:
//! careful measurements (`cargo bench`).

mod network;
mod selfplay;

use std::cell::Cell;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tengen_data::{read_shard, write_shard};
use tengen_features::{Encode, Frame};
use tengen_game::{Game, testkit::TestRng};
use tengen_play::{Agent, AgentConfig, GameLimits, GameRun, GameTask, play_game};
use tengen_search::{Limits, Rule, Search, SearchConfig, Uniform, search_blocking};

use crate::catalog::{Five, Go};

/// What to measure.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// As JSON, one object per line
    #[arg(long)]
    json: bool,
    /// Print one hash per game for a fixed search with the uniform evaluator, and nothing else
    #[arg(long)]
    signature: bool,
    /// Seconds per figure
    #[arg(long, default_value_t = 0.6)]
    seconds: f64,
    /// A Burn device instead of the CPU: same outputs, evaluations, training steps
    #[arg(long)]
    device: Option<String>,
    /// Only figures whose name contains this, such as `evaluation` or `9x9`
    #[arg(long, default_value = "")]
    only: String,
}

struct Table {
    json: bool,
    seconds: f64,
    only: String,
    /// Figures told so far.
    told: Cell<u32>,
    /// Floating-point operations per second of a large matrix product on one thread; 0 if not measured.
    peak: f64,
}

impl Table {
    fn wants(&self, name: &str) -> bool {
        name.contains(&self.only)
    }

    /// Runs `work` (which returns units done) over and over; the best rate counts. Gives that rate.
    fn row(&self, name: &str, unit: &str, work: impl FnMut() -> f64) -> f64 {
        self.priced(name, unit, 0.0, work)
    }

    /// As `row`, where a unit costs so many floating-point operations.
    fn priced(&self, name: &str, unit: &str, operations: f64, mut work: impl FnMut() -> f64) -> f64 {
        if !self.wants(name) {
            return 0.0;
        }
        work();
        let end = Instant::now() + Duration::from_secs_f64(self.seconds);
        let mut best = 0.0f64;
        while Instant::now() < end || best == 0.0 {
            let started = Instant::now();
            let units = work();
            if units <= 0.0 {
                break;
            }
            best = best.max(units / started.elapsed().as_secs_f64());
        }
        self.tell(name, unit, best, operations);
        best
    }

    fn tell(&self, name: &str, unit: &str, rate: f64, operations: f64) {
        self.told.set(self.told.get() + 1);
        let share = (operations > 0.0 && self.peak > 0.0).then(|| rate * operations / self.peak);
        if self.json {
            say!("{}", json!({"name": name, "unit": unit, "per_second": rate, "share_of_matrix_product": share}));
        } else {
            let share = share.map_or(String::new(), |s| format!("  {:4.0} %", 100.0 * s));
            say!("{:54} {:>12}{share}", name, format!("{} {unit}/s", human(rate)));
        }
    }
}

fn human(x: f64) -> String {
    match x {
        x if x >= 1e9 => format!("{:.1} G", x / 1e9),
        x if x >= 1e6 => format!("{:.2} M", x / 1e6),
        x if x >= 1e4 => format!("{:.1} k", x / 1e3),
        x if x >= 100.0 => format!("{x:.0}"),
        x => format!("{x:.2}"),
    }
}

/// Setups that figures are taken on.
const GO9: &str = "game=go rules=tromp-taylor size=9x9 komi=7";
const GO19: &str = "game=go rules=tromp-taylor size=19x19 komi=7.5";
const RENJU: &str = "game=five rules=renju size=15x15 opening=none";

/// Measures.
pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    if args.signature {
        say!("go9    {:016x}", signature::<Go>(GO9)?);
        say!("renju  {:016x}", signature::<Five>(RENJU)?);
        say!("rif    {:016x}", signature::<Five>("game=five rules=renju size=15x15 opening=rif")?);
        return Ok(ExitCode::SUCCESS);
    }
    if !(args.seconds.is_finite() && (0.01..=60.0).contains(&args.seconds)) {
        return Err(super::bad(format!("--seconds {}: expected 0.01 to 60", args.seconds)));
    }
    let mut table =
        Table { json: args.json, seconds: args.seconds, only: args.only.clone(), told: Cell::new(0), peak: 0.0 };
    if !args.json {
        say!("{}; one thread unless told, best of short runs; share of the matrix product", crate::version::long());
    }
    table.peak = network::peak();
    table.tell("matrix product 384x384, one thread", "operations", table.peak, 1.0);
    if let Some(device) = &args.device {
        network::device(&table, device)?;
        return Ok(ExitCode::SUCCESS);
    }
    rules::<Go>(&table, "rules: random moves, Go 9x9", GO9)?;
    rules::<Go>(&table, "rules: random moves, Go 19x19", GO19)?;
    rules::<Five>(&table, "rules: random moves, renju 15x15", RENJU)?;
    features::<Go>(&table, "features: Go 9x9", GO9)?;
    features::<Five>(&table, "features: renju 15x15, threats", RENJU)?;
    tree::<Go>(&table, "tree: uniform, PUCT 800, Go 9x9", GO9)?;
    tree::<Go>(&table, "tree: uniform, PUCT 800, Go 19x19", GO19)?;
    tree::<Five>(&table, "tree: uniform, PUCT 800, renju 15x15", RENJU)?;
    for (preset, side) in [("b2c32", 9), ("b4c64", 9), ("b6c96", 9), ("b4c64", 15), ("b6c96", 15), ("b4c64", 19)] {
        network::evaluation(&table, preset, side)?;
    }
    for (preset, text) in [("b4c64", GO9), ("b6c96", RENJU)] {
        network::training(&table, preset, text)?;
    }
    shards(&table)?;
    selfplay::rates(&table)?;
    // The matrix product is always told.
    if table.told.get() < 2 {
        return Err(super::bad(format!("--only {}: no figure's name contains that", args.only)));
    }
    if !args.json && args.only.is_empty() {
        say!("{}", network::advice());
    }
    Ok(ExitCode::SUCCESS)
}

fn setup<G: Game>(text: &str) -> Result<G::Setup> {
    text.parse().map_err(|e: tengen_game::SetupError| e.into())
}

fn rules<G: Encode>(table: &Table, name: &str, text: &str) -> Result<()> {
    let setup = setup::<G>(text)?;
    let (mut rng, mut legal) = (TestRng::new(1), Vec::new());
    table.row(name, "moves", || {
        let mut game = G::start(&setup);
        loop {
            game.legal(&mut legal);
            if legal.is_empty() || game.plies() > 800 {
                return game.plies() as f64;
            }
            game.apply(legal[rng.below(legal.len())]);
        }
    });
    Ok(())
}

/// A position after `plies` random moves.
fn middle<G: Game>(setup: &G::Setup, plies: usize, seed: u64) -> G {
    let (mut rng, mut legal, mut game) = (TestRng::new(seed), Vec::new(), G::start(setup));
    for _ in 0..plies {
        game.legal(&mut legal);
        if legal.is_empty() {
            break;
        }
        game.apply(legal[rng.below(legal.len())]);
    }
    game
}

fn features<G: Encode>(table: &Table, name: &str, text: &str) -> Result<()> {
    let setup = setup::<G>(text)?;
    let set = if text.contains("five") { "five-threats-1" } else { "" };
    let spec = G::spec(std::slice::from_ref(&setup), set)?;
    let games: Vec<G> = (0..16).map(|i| middle::<G>(&setup, 20 + 2 * i, i as u64)).collect();
    let size = games[0].size();
    let (mut planes, mut globals) = (vec![0.0; spec.planes * size.area()], vec![0.0; spec.globals]);
    table.row(name, "positions", || {
        for game in &games {
            planes.fill(0.0);
            globals.fill(0.0);
            let (width, height) = (size.width(), size.height());
            game.encode(&spec, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
        }
        games.len() as f64
    });
    Ok(())
}

fn tree<G: Game>(table: &Table, name: &str, text: &str) -> Result<()> {
    let game = G::start(&setup::<G>(text)?);
    let mut config = SearchConfig { rule: Rule::Puct, ..SearchConfig::default() };
    config.proof.leaf = 0;
    config.proof.root = 0;
    let mut search = Search::new(config);
    let mut uniform = Uniform::default();
    table.row(name, "simulations", || {
        search.reset();
        let result = search_blocking(&mut search, &game, Limits::playing(800), 1, &mut uniform);
        result.map_or(0.0, |r| f64::from(r.simulations))
    });
    Ok(())
}

fn game_record<G: Game>(text: &str, index: u64) -> Result<tengen_data::GameRecord> {
    let agent = Agent::search("uniform", AgentConfig { explore: true, ..AgentConfig::playing(8) });
    let mut run = GameRun::<G>::new(vec![agent], GameLimits::default(), 0)?;
    let mut uniform = Uniform::default();
    Ok(play_game(
        &mut run,
        &setup::<G>(text)?,
        GameTask { seed: 1, index, ..GameTask::default() },
        &mut [&mut uniform],
    )?)
}

fn shards(table: &Table) -> Result<()> {
    let records: Vec<_> = (0..64).map(|index| game_record::<Go>(GO9, index)).collect::<Result<_>>()?;
    let rows: f64 = records.iter().map(|r| r.rows() as f64).sum();
    let dir = std::env::temp_dir().join(format!("tengen-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let mut path = dir.clone();
    table.row("shards: write (with fsync)", "rows", || match write_shard(&dir, "bench", &records) {
        Ok(info) => {
            path = info.path;
            rows
        }
        Err(_) => 0.0,
    });
    table.row("shards: read", "rows", || read_shard(&path).map_or(0.0, |_| rows));
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

/// A number that a refactor of rules, protocols or search must not move: hash of what fixed searches find.
fn signature<G: Game>(text: &str) -> Result<u64> {
    let setup = setup::<G>(text)?;
    let mut sum = 0u64;
    for rule in [Rule::Gumbel, Rule::Puct] {
        let mut search = Search::new(SearchConfig { rule, ..SearchConfig::default() });
        for i in 0..12 {
            let game = middle::<G>(&setup, 3 * i, i as u64);
            if game.outcome().is_some() {
                continue;
            }
            search.reset();
            let limits = if i % 2 == 0 { Limits::training(48) } else { Limits::playing(48) };
            let result = search_blocking(&mut search, &game, limits, i as u64, &mut Uniform::default())?;
            for word in [game.hash(), u64::from(result.chosen.0), u64::from(result.root_value.to_bits())] {
                sum = tengen_game::zobrist::mix(sum ^ word);
            }
            for (action, visits) in &result.visits {
                sum = tengen_game::zobrist::mix(sum ^ (u64::from(action.0) << 32 | u64::from(*visits)));
            }
        }
    }
    Ok(sum)
}
