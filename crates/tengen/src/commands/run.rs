//! `run` and its single stages. Not here: the loop (`pipeline`), the stages (`stages`).

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use tengen_data::{RunDir, RunLock};

use super::bad;
use crate::cli::ConfigArgs;
use crate::config::{Config, load};
use crate::models::Model;
use crate::pipeline;
use crate::stages::state::State;
use crate::stages::train::Trainer;
use crate::stages::{Stage, selfplay as stage_selfplay};
use crate::with_game;

/// The loop.
pub fn run(args: &ConfigArgs, run: Option<&PathBuf>, from: Option<&Path>) -> Result<ExitCode> {
    let mut config = args.load()?;
    let from = from.map(Model::read).transpose()?;
    if let Some(model) = &from {
        // The network comes with the model; its shape wins over the file's.
        let net = model.weights.config();
        (config.net.blocks, config.net.channels) = (net.blocks, net.channels);
        (config.net.reply, config.net.soft, config.net.short_term) = (net.reply, net.soft, net.short_term);
        config.net.features = model.spec.set.clone();
        let setup = &config.game.setups()[0];
        with_game!(config.game.kind, G => {
            let setup = setup.parse::<<G as tengen_game::Game>::Setup>()?;
            if let Some(warning) = model.fits::<G>(&setup).map_err(bad)? {
                eprintln!("warning: {warning}");
            }
        });
    }
    crate::stop::listen(crate::stop::KEPT);
    let dir = RunDir::create(args.run_dir(run))?;
    // A stop that was asked for is no failure; `status` tells whether the run is finished.
    with_game!(config.game.kind, G => pipeline::run::<G>(config, dir, from))?;
    Ok(ExitCode::SUCCESS)
}

fn open(root: &Path) -> Result<(RunDir, Config, State)> {
    // Messages show the whole path: a wrong directory is the usual reason for missing rows.
    let root = std::path::absolute(root)?;
    let dir = RunDir::at(&root);
    let Some(state) = State::read(&dir)? else {
        let root = root.display();
        return Err(bad(format!(
            "{root}: no run here, so 0 games and 0 rows; `tengen run CONFIG --run {root}` begins one"
        )));
    };
    let config = load(Some(&dir.config()), &[])?;
    Ok((dir, config, state))
}

/// One iteration of self-play with the model that is due.
pub fn selfplay(root: &Path) -> Result<ExitCode> {
    let (dir, config, state) = open(root)?;
    crate::stop::listen(crate::stop::KEPT);
    let _lock = RunLock::take(&dir.lock(), "tengen selfplay", crate::version::now())?;
    with_game!(config.game.kind, G => {
        let stage = Stage::<G>::new(dir, config)?;
        eprintln!("{}", crate::report::headline(&stage, &state));
        match stage_selfplay::selfplay(&stage, state.iteration + 1, &state.model)? {
            Some(made) => say!("{} games, {} rows, {} evaluations", made.games, made.rows, made.evaluations),
            None => return Ok(ExitCode::from(1)),
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// Trains the iteration whose games are there.
pub fn train(root: &Path, no_wait: bool) -> Result<ExitCode> {
    let (dir, config, state) = open(root)?;
    crate::stop::listen(crate::stop::KEPT);
    let _lock = RunLock::take(&dir.lock(), "tengen train", crate::version::now())?;
    with_game!(config.game.kind, G => {
        let stage = Stage::<G>::new(dir, config)?;
        let made = loop {
            if let Some(made) = stage_selfplay::made(&stage, state.iteration + 1)? {
                break made;
            }
            let words = stage_selfplay::missing(&stage, state.iteration + 1)?;
            if no_wait {
                return Err(anyhow::anyhow!(words));
            }
            eprintln!("{words}; waiting");
            for _ in 0..50 {
                std::thread::sleep(std::time::Duration::from_millis(100));
                if crate::stop::asked() {
                    return Ok(ExitCode::from(1));
                }
            }
        };
        let mut trainer = Trainer::open(&stage, &state)?;
        match crate::stages::train::found(&stage, &state, state.iteration + 1)? {
            Some(trained) => say!("already trained: model {}", trained.model),
            None => match trainer.train(&stage, &state, state.iteration + 1, &made, 0.0)? {
                Some(trained) => say!("model {} after {} steps", trained.model, trained.steps),
                None => return Ok(ExitCode::from(1)),
            },
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// Tests the newest checkpoint's model against the last good one.
pub fn gate(root: &Path) -> Result<ExitCode> {
    let (dir, config, state) = open(root)?;
    crate::stop::listen(crate::stop::KEPT);
    let _lock = RunLock::take(&dir.lock(), "tengen gate", crate::version::now())?;
    with_game!(config.game.kind, G => {
        let stage = Stage::<G>::new(dir, config)?;
        let iteration = state.iteration + 1;
        let trained = crate::stages::train::found(&stage, &state, iteration)?;
        let Some(trained) = trained else {
            return Err(anyhow::anyhow!("iteration {iteration} has no trained model; `tengen train --run {}` makes it", root.display()));
        };
        match crate::stages::gate::gate(&stage, iteration, &trained.model, &state.good_model)? {
            Some(verdict) => say_part!("{}", tengen_arena::gate_text(&verdict)),
            None => return Ok(ExitCode::from(1)),
        }
    });
    Ok(ExitCode::SUCCESS)
}
