//! The stages of a run, each a function over a run directory, so that the loop and the single commands (`tengen
//! selfplay`, `train`, `gate`) run the same code. Not here: the order of stages (`pipeline`).

pub mod gate;
pub mod selfplay;
pub mod state;
pub mod train;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use tengen_data::{ModelCard, RunDir};
use tengen_features::{FeatureSpec, means};
use tengen_net::NetConfig;

use crate::catalog::Table;

use crate::config::Config;
use crate::models::Models;

/// What every stage needs.
pub struct Stage<G: Table> {
    /// The run directory.
    pub dir: RunDir,
    /// The resolved configuration.
    pub config: Config,
    /// Setups as the game understands them; the first is the reference for matches.
    pub setups: Vec<G::Setup>,
    /// Inputs and extra outputs of the network.
    pub spec: FeatureSpec,
    /// Evaluators by model id.
    pub models: Models,
}

impl<G: Table> Stage<G> {
    /// Opens what a configuration describes over a run directory. A run that has begun keeps the inputs that its network
    /// takes, whatever a default or an unversioned name stands for by now.
    pub fn new(dir: RunDir, config: Config) -> Result<Stage<G>> {
        let setups: Result<Vec<G::Setup>, _> = config.game.setups().iter().map(|s| s.parse()).collect();
        let setups = setups.map_err(|e| anyhow::anyhow!("game.{e}"))?;
        let spec = match network_there(&dir)? {
            None => G::spec(&setups, &config.net.features).context("net.features")?,
            Some((set, net)) => {
                let asked = &config.net.features;
                if !means(asked, &set) {
                    bail!(
                        "net.features = {asked}: {} goes on with what its network takes, {set}",
                        dir.root().display()
                    );
                }
                G::spec(&setups, &set).context("net.features")?.with_globals(net.globals)
            }
        };
        let random = config.selfplay.orientation == tengen_selfplay::config::Orientation::Random;
        let models = Models::new(Some(dir.clone()), &config.run.evaluator, config.selfplay.cache)
            .turning(random.then_some(config.run.seed));
        Ok(Stage { dir, config, setups, spec, models })
    }

    /// The configuration with the feature set that is in force instead of a default, as `run.toml` keeps it.
    pub fn resolved(&self) -> Config {
        let mut config = self.config.clone();
        config.net.features = self.spec.set.clone();
        config
    }

    /// The first setup, for matches.
    pub fn reference(&self) -> &G::Setup {
        &self.setups[0]
    }

    /// A seed for one purpose, apart from every other.
    pub fn seed(&self, purpose: &str, number: u64) -> u64 {
        let mut seed = tengen_game::zobrist::mix(self.config.run.seed);
        for byte in purpose.bytes() {
            seed = tengen_game::zobrist::mix(seed ^ u64::from(byte));
        }
        // Configuration files hold signed integers; seeds in records stay in their range.
        tengen_game::zobrist::mix(seed ^ number) >> 1
    }

    /// Shards of iterations that are complete (their journal is gone), in order.
    pub fn shards(&self, up_to: u64) -> Result<Vec<PathBuf>> {
        let all = self.dir.shards()?;
        let complete = |path: &PathBuf| {
            let dir = path.parent().unwrap_or(path);
            let number = dir.file_name().and_then(|n| n.to_str()).and_then(|n| n.parse::<u64>().ok());
            number.is_none_or(|n| n <= up_to) && !dir.join(selfplay::JOURNAL).exists()
        };
        Ok(all.into_iter().filter(complete).collect())
    }
}

/// Feature set and shape of the network that a run is at, if it has begun.
fn network_there(dir: &RunDir) -> Result<Option<(String, NetConfig)>> {
    let Some(promoted) = dir.read_promoted()? else { return Ok(None) };
    let path = dir.model(&promoted.model)?;
    let card = ModelCard::read(&path)?;
    let net = serde_json::from_value(card.network).with_context(|| format!("{}: network", path.display()))?;
    Ok(Some((card.features.to_string(), net)))
}
