//! The stages of a run, each a function over a run directory, so that the loop and the single commands (`tengen
//! selfplay`, `train`, `gate`) run the same code. Not here: the order of stages (`pipeline`).

pub mod gate;
pub mod selfplay;
pub mod state;
pub mod train;

use std::path::PathBuf;

use anyhow::{Context, Result};
use tengen_data::RunDir;
use tengen_features::FeatureSpec;

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
    /// Opens what a configuration describes over a run directory.
    pub fn new(dir: RunDir, config: Config) -> Result<Stage<G>> {
        let setups: Result<Vec<G::Setup>, _> = config.game.setups().iter().map(|s| s.parse()).collect();
        let setups = setups.map_err(|e| anyhow::anyhow!("game.{e}"))?;
        let spec = G::spec(&setups, &config.net.features).context("net.features")?;
        let random = config.selfplay.orientation == tengen_selfplay::config::Orientation::Random;
        let models = Models::new(Some(dir.clone()), &config.run.evaluator, config.selfplay.cache)
            .turning(random.then_some(config.run.seed));
        Ok(Stage { dir, config, setups, spec, models })
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
