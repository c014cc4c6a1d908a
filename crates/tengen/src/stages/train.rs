//! Training in the run directory: checkpoint in, steps on the window, checkpoint and model out. A kill in the middle
//! repeats the iteration's steps from the checkpoint before, with the same result. Not here: steps (`train` crate).

use crate::catalog::Table;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use tengen_data::rundir::checkpoint_name;
use tengen_data::{Checkpoint, ModelCard, load_checkpoint, model_id, newest_checkpoint, save_checkpoint, save_model};
use tengen_net::{Learner, NetConfig, Weights};
use tengen_train::{Report, Window, run};

use super::Stage;
use super::selfplay::Made;
use super::state::State;
use crate::progress::Progress;

/// What a checkpoint remembers beside weights and optimizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainerNote {
    /// Iteration whose training it ends.
    pub iteration: u64,
    /// Steps in all, those rolled back included.
    pub steps: u64,
    /// Rows ever added to the window.
    pub rows: u64,
    /// Model written from it.
    pub model: String,
    /// Losses of the iteration.
    #[serde(default)]
    pub report: serde_json::Value,
}

/// A trainer between iterations: the learner and the window stay in memory.
pub struct Trainer {
    learner: Learner,
    window: Window,
}

/// What an iteration of training made.
#[derive(Clone, Debug)]
pub struct Trained {
    /// New model.
    pub model: String,
    /// New checkpoint.
    pub checkpoint: String,
    /// Steps in all.
    pub steps: u64,
    /// Mean losses; zeros when it was found done after a restart.
    pub report: serde_json::Value,
}

impl Trainer {
    /// The learner of a checkpoint, the window of all complete shards up to the state's iteration.
    pub fn open<G: Table>(stage: &Stage<G>, state: &State) -> Result<Trainer> {
        let learner = load_learner(stage, &state.checkpoint)?;
        let mut trainer = Trainer { learner, window: Window::default() };
        trainer.read_shards(stage, state.iteration, state.rows)?;
        Ok(trainer)
    }

    fn read_shards<G: Table>(&mut self, stage: &Stage<G>, iteration: u64, rows: u64) -> Result<()> {
        let bad = self.window.bad().len();
        self.window.add_shards::<G>(&stage.shards(iteration)?, rows as usize, &stage.spec, &stage.config.train)?;
        for why in &self.window.bad()[bad..] {
            eprintln!("warning: shard skipped: {why}");
        }
        Ok(())
    }

    /// Who computes gradients: `fused avx512`, `fused avx2`, `fused portable` or `burn`.
    pub fn gradients(&self) -> &'static str {
        self.learner.gradients()
    }

    /// Goes back to an earlier checkpoint; the window stays.
    pub fn roll_back<G: Table>(&mut self, stage: &Stage<G>, checkpoint: &str) -> Result<()> {
        self.learner = load_learner(stage, checkpoint)?;
        Ok(())
    }

    /// Trains iteration `iteration` for the rows that its self-play made. None when a stop was asked for.
    pub fn train<G: Table>(
        &mut self,
        stage: &Stage<G>,
        state: &State,
        iteration: u64,
        made: &Made,
        progress: f32,
    ) -> Result<Option<Trained>> {
        let new_rows = made.rows;
        self.read_shards(stage, iteration, state.rows + new_rows)?;
        let mut config = stage.config.train.clone();
        config.learning_rate *= state.rate_scale;
        let steps = config.steps(new_rows as usize);
        let mut bar = Progress::new(format!("train {iteration}"), "steps", steps as u64, 0);
        let seed = stage.seed("train", 0);
        let mut done = 0;
        let report = run(&mut self.learner, &self.window, &stage.spec, &config, seed, steps, progress, &mut |s| {
            done += 1;
            bar.set(done, &format!("loss {:.3}", s.loss.total));
            !crate::stop::asked()
        })?;
        bar.finish();
        if done < steps as u64 {
            self.learner = load_learner(stage, &state.checkpoint)?;
            return Ok(None);
        }
        self.save(stage, state, iteration, made, report).map(Some)
    }

    fn save<G: Table>(
        &self,
        stage: &Stage<G>,
        state: &State,
        iteration: u64,
        made: &Made,
        report: Report,
    ) -> Result<Trained> {
        let (rows, games) = (state.rows + made.rows, state.games + made.games);
        let steps = state.steps + report.steps;
        let weights = self.learner.averaged().to_bytes();
        let card = ModelCard {
            id: model_id(steps, &weights),
            parent: Some(state.model.clone()),
            steps: self.learner.steps(),
            rows,
            games,
            ..crate::models::card_for(
                &stage.config.game.setups(),
                &stage.spec,
                self.learner.weights().config(),
                stage.config.run.seed,
            )
        };
        let report = serde_json::to_value(&report)?;
        let note = TrainerNote { iteration, steps, rows, model: card.id.clone(), report: report.clone() };
        let checkpoint = checkpoint_name(steps);
        let model = card.id.clone();
        save_checkpoint(
            &stage.dir.checkpoints(),
            &checkpoint,
            &Checkpoint {
                card: card.clone(),
                weights: weights.clone(),
                optimizer: self.learner.state_bytes(),
                trainer: serde_json::to_value(&note)?,
            },
        )?;
        save_model(&stage.dir.models(), card, &weights)?;
        Ok(Trained { model, checkpoint, steps, report })
    }
}

/// If the iteration's training is on disk already: what it made. The model is written again where the kill came between.
pub fn found<G: Table>(stage: &Stage<G>, state: &State, iteration: u64) -> Result<Option<Trained>> {
    let newest = newest_checkpoint(&stage.dir.checkpoints())?;
    for broken in &newest.broken {
        eprintln!("warning: checkpoint skipped: {broken}");
    }
    let Some((name, checkpoint)) = newest.found else { return Ok(None) };
    let note: TrainerNote = serde_json::from_value(checkpoint.trainer)?;
    if note.iteration != iteration || name == state.checkpoint {
        return Ok(None);
    }
    save_model(&stage.dir.models(), checkpoint.card, &checkpoint.weights)?;
    Ok(Some(Trained { model: note.model, checkpoint: name, steps: note.steps, report: note.report }))
}

fn load_learner<G: Table>(stage: &Stage<G>, name: &str) -> Result<Learner> {
    let dir = stage.dir.checkpoint(name)?;
    let checkpoint = load_checkpoint(&dir)?;
    let weights = Weights::from_bytes(&checkpoint.weights).with_context(|| dir.display().to_string())?;
    let device = tengen_net::device(&stage.config.run.device).map_err(anyhow::Error::msg)?;
    let mut learner = Learner::new(weights, stage.config.train.learner(), &device)?;
    learner.restore(&checkpoint.optimizer).with_context(|| dir.display().to_string())?;
    Ok(learner)
}

/// The first checkpoint and model of a run: random weights, or those of another model.
pub fn create<G: Table>(stage: &Stage<G>, from: Option<&crate::models::Model>) -> Result<Trained> {
    let net = stage.config.net.build(&stage.spec).map_err(anyhow::Error::msg)?;
    let weights = match from {
        Some(model) => {
            let shape = |n: &NetConfig| (n.planes, n.globals, n.extras);
            let (has, needs) = (shape(model.weights.config()), shape(&net));
            if has != needs {
                let id = &model.card.id;
                bail!(
                    "--from {id}: it has {has:?} input planes, input numbers and outputs beside the board; this game needs {needs:?}"
                );
            }
            model.weights.clone()
        }
        None => Weights::random(&net, stage.seed("weights", 0))?,
    };
    let device = tengen_net::device(&stage.config.run.device).map_err(anyhow::Error::msg)?;
    let learner = Learner::new(weights.clone(), stage.config.train.learner(), &device)?;
    let bytes = weights.to_bytes();
    let card = ModelCard {
        id: model_id(0, &bytes),
        parent: from.map(|m| m.card.id.clone()),
        ..crate::models::card_for(&stage.config.game.setups(), &stage.spec, weights.config(), stage.config.run.seed)
    };
    let model = card.id.clone();
    let note = TrainerNote { model: model.clone(), ..TrainerNote::default() };
    let checkpoint = checkpoint_name(0);
    let whole = Checkpoint {
        card: card.clone(),
        weights: bytes.clone(),
        optimizer: learner.state_bytes(),
        trainer: serde_json::to_value(&note)?,
    };
    save_checkpoint(&stage.dir.checkpoints(), &checkpoint, &whole)?;
    save_model(&stage.dir.models(), card, &bytes)?;
    Ok(Trained { model, checkpoint, steps: 0, report: serde_json::Value::Null })
}
