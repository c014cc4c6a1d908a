//! The configuration: one struct per section with its defaults in code; files state differences; the resolved text
//! travels with every run. Reading is in `load`, what each key means in `keys`, the game's section in `game`.

pub mod game;
pub mod keys;
pub mod load;

use serde::{Deserialize, Serialize};
use tengen_net::NetConfig;
use tengen_search::SearchConfig;
use tengen_selfplay::SelfplayConfig;
use tengen_train::TrainConfig;

pub use game::GameConfig;
pub use load::{ConfigError, from_text, load};

/// Everything a run is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Seed, threads, device.
    pub run: RunConfig,
    /// When the run ends.
    pub budget: BudgetConfig,
    /// The game.
    pub game: GameConfig,
    /// The network.
    pub net: ShapeConfig,
    /// Search in self-play, gate and matches.
    pub search: SearchConfig,
    /// How games are made.
    pub selfplay: SelfplayConfig,
    /// How networks are trained.
    pub train: TrainConfig,
    /// How candidates are tested.
    pub gate: GateConfig,
    /// What is kept.
    pub keep: KeepConfig,
}

/// The `[run]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// Seed of everything random.
    pub seed: u64,
    /// Threads for self-play and matches; 0 is all cores.
    pub threads: usize,
    /// Who evaluates in self-play and matches: `fused` (CPU) or one of Burn's devices.
    pub evaluator: String,
    /// Burn device for training.
    pub device: String,
}

impl Default for RunConfig {
    fn default() -> RunConfig {
        RunConfig { seed: 1, threads: 0, evaluator: "fused".to_string(), device: "flex".to_string() }
    }
}

impl RunConfig {
    /// Threads to use on this machine.
    pub fn threads(&self) -> usize {
        if self.threads > 0 {
            return self.threads;
        }
        std::thread::available_parallelism().map_or(1, |n| n.get())
    }
}

/// The `[budget]` section: the run ends at the first limit reached; 0 is no limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// Rounds of self-play and training.
    pub iterations: u32,
    /// Minutes of this run's own work, over all restarts.
    pub minutes: f64,
    /// Network evaluations in self-play and gate.
    pub evaluations: u64,
    /// Pairs of games of the closing match between the last and the first network; 0 plays none.
    pub final_pairs: u32,
    /// Simulations per move in the closing match.
    pub final_visits: u32,
}

impl Default for BudgetConfig {
    fn default() -> BudgetConfig {
        BudgetConfig { iterations: 0, minutes: 8.0, evaluations: 0, final_pairs: 40, final_visits: 32 }
    }
}

/// The `[net]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShapeConfig {
    /// Residual blocks.
    pub blocks: usize,
    /// Channels of the trunk.
    pub channels: usize,
    /// Feature set; empty is the game's default.
    pub features: String,
    /// Whether the opponent's reply is an auxiliary target.
    pub reply: bool,
    /// Whether a softened policy is an auxiliary target.
    pub soft: bool,
    /// Whether the value a few plies ahead is an auxiliary target.
    pub short_term: bool,
}

impl Default for ShapeConfig {
    fn default() -> ShapeConfig {
        ShapeConfig { blocks: 2, channels: 32, features: String::new(), reply: true, soft: false, short_term: true }
    }
}

impl ShapeConfig {
    /// The network for a feature spec.
    pub fn build(&self, spec: &tengen_features::FeatureSpec) -> Result<NetConfig, String> {
        let name = format!("b{}c{}", self.blocks, self.channels);
        let mut net = NetConfig::preset(&name, spec.planes, spec.globals, spec.extras.len())
            .map_err(|e| format!("net.blocks, net.channels: {e}"))?;
        net.reply = self.reply;
        net.soft = self.soft;
        net.short_term = self.short_term;
        net.board_heads = spec.board_heads;
        net.check().map_err(|e| format!("net.{e}"))?;
        Ok(net)
    }
}

/// How a freshly trained network becomes the one that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateMode {
    /// Self-play uses the best network; a candidate must prove that it's better.
    Promote,
    /// Self-play uses the newest network; a proven regression rolls weights and optimizer back.
    #[default]
    Alarm,
    /// No matches; the newest network is used.
    Off,
}

/// The `[gate]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// What the gate is for.
    pub mode: GateMode,
    /// A match after every so many iterations.
    pub every: u32,
    /// Simulations per move.
    pub visits: u32,
    /// Pairs after which an undecided match stops.
    pub pairs_max: u32,
    /// The smaller gain of the test, in Elo: `promote` takes a candidate that is `elo1` better rather than `elo0`,
    /// `alarm` refuses one that is `elo1` worse rather than `elo0` worse.
    pub elo0: f64,
    /// The larger.
    pub elo1: f64,
    /// Error rate of either kind.
    pub alpha: f64,
    /// Random plies of the openings, fewest.
    pub plies_min: u32,
    /// Random plies of the openings, most.
    pub plies_max: u32,
}

impl GateConfig {
    /// The two hypotheses about the candidate, in Elo: not good enough, good enough.
    pub fn hypotheses(&self) -> (f64, f64) {
        match self.mode {
            GateMode::Alarm => (-self.elo1, -self.elo0),
            GateMode::Promote | GateMode::Off => (self.elo0, self.elo1),
        }
    }
}

impl Default for GateConfig {
    fn default() -> GateConfig {
        GateConfig {
            mode: GateMode::Alarm,
            every: 5,
            visits: 16,
            pairs_max: 40,
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            plies_min: 2,
            plies_max: 6,
        }
    }
}

/// The `[keep]` section: what retention leaves on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeepConfig {
    /// Newest checkpoints kept; the promoted one is always kept.
    pub checkpoints: usize,
    /// Checkpoints at multiples of this many steps are kept for good; 0 keeps none.
    pub milestone_steps: u64,
    /// Newest models kept beside the promoted, the first and the last good one; 0 keeps all.
    pub models: usize,
    /// Rows kept beyond what the window needs, in shards.
    pub spare_rows: u64,
    /// Games per iteration that are also written as SGF.
    pub sgf: usize,
}

impl Default for KeepConfig {
    fn default() -> KeepConfig {
        KeepConfig { checkpoints: 4, milestone_steps: 0, models: 0, spare_rows: 1_000_000, sgf: 2 }
    }
}

impl Config {
    /// The configuration as TOML, complete.
    pub fn to_text(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_else(|e| format!("# can't be written: {e}\n"))
    }

    /// Checks every range; the error begins with the key.
    pub fn check(&self) -> Result<(), String> {
        let range = |key: &str, value: f64, low: f64, high: f64| {
            if value.is_finite() && (low..=high).contains(&value) {
                return Ok(());
            }
            Err(format!("{key} = {value}: expected {low} to {high}"))
        };
        range("run.threads", self.run.threads as f64, 0.0, 1024.0)?;
        if self.run.evaluator != "fused" {
            tengen_net::device(&self.run.evaluator)
                .map_err(|e| format!("run.evaluator = {}: `fused`, or {e}", self.run.evaluator))?;
        }
        tengen_net::device(&self.run.device).map_err(|e| format!("run.device = {}: {e}", self.run.device))?;
        let b = &self.budget;
        range("budget.iterations", f64::from(b.iterations), 0.0, 1e9)?;
        range("budget.minutes", b.minutes, 0.0, 1e9)?;
        range("budget.final_pairs", f64::from(b.final_pairs), 0.0, 1e6)?;
        range("budget.final_visits", f64::from(b.final_visits), 1.0, 1e6)?;
        if b.iterations == 0 && b.minutes == 0.0 && b.evaluations == 0 {
            return Err("budget.iterations = 0: expected a limit here, in budget.minutes or budget.evaluations".into());
        }
        self.game.check()?;
        crate::catalog::check_features(&self.game.setups(), &self.net.features)
            .map_err(|e| format!("net.features: {e}"))?;
        range("net.blocks", self.net.blocks as f64, 1.0, 64.0)?;
        range("net.channels", self.net.channels as f64, 4.0, 1024.0)?;
        self.search.check().map_err(|e| format!("search.{e}"))?;
        self.selfplay.check()?;
        self.train.check()?;
        let g = &self.gate;
        range("gate.every", f64::from(g.every), 1.0, 1e6)?;
        range("gate.visits", f64::from(g.visits), 1.0, 1e6)?;
        range("gate.pairs_max", f64::from(g.pairs_max), 1.0, 1e6)?;
        range("gate.alpha", g.alpha, 1e-6, 0.49)?;
        range("gate.elo0", g.elo0, -1000.0, g.elo1 - 0.1)?;
        range("gate.elo1", g.elo1, g.elo0 + 0.1, 1000.0)?;
        range("gate.plies_min", f64::from(g.plies_min), 0.0, f64::from(g.plies_max))?;
        range("gate.plies_max", f64::from(g.plies_max), f64::from(g.plies_min), 1000.0)?;
        range("keep.checkpoints", self.keep.checkpoints as f64, 1.0, 1e6)
    }
}
