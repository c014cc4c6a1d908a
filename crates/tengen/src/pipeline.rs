//! The loop: self-play, training, gate, promotion, and round again until the budget is spent.
//!
//! Every arrow is a file. `state.json` is written last in each round, so a kill at any moment repeats at most what the
//! round's stages find unfinished: each looks at the disk first. Not here: the stages themselves.

use std::time::Instant;

use crate::catalog::Table;
use anyhow::{Result, bail};
use tengen_arena::Verdict;
use tengen_data::rundir::iteration_name;
use tengen_data::{Retention, RunDir, RunLock, read_capped, write_atomic};
use tengen_features::means;

use crate::config::{Config, GateMode};
use crate::metrics::{Metrics, Round};
use crate::models::Model;
use crate::progress::span;
use crate::report;
use crate::stages::state::{STATE_VERSION, State};
use crate::stages::train::{Trained, Trainer, create, found};
use crate::stages::{Stage, gate::gate, selfplay::selfplay};

/// How a call of `run` ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The budget is spent and the closing match played.
    Finished,
    /// A stop was asked for; the same command goes on.
    Stopped,
}

/// Runs (or goes on with) the loop in a directory until the budget is spent.
pub fn run<G: Table>(config: Config, dir: RunDir, from: Option<Model>) -> Result<Ending> {
    let lock = RunLock::take(&dir.lock(), "tengen run", crate::version::now())?;
    if let Some(words) = lock.taken_over() {
        eprintln!("{words}");
    }
    dir.sweep()?;
    let mut stage = Stage::<G>::new(dir, config)?;
    stage.config = settle_config(&stage)?;
    let mut state = match State::read(&stage.dir)? {
        Some(state) => state,
        None if stage.dir.metrics().exists() => bail!(
            "{}: missing, though rounds were played here; restore it or use another --run directory",
            stage.dir.state().display()
        ),
        None => {
            if let Some(model) = &from {
                stage.spec = stage.spec.clone().with_globals(model.spec.globals);
            }
            begin(&stage, from.as_ref())?
        }
    };
    if let Some(why) = &state.finished {
        eprintln!("this run is finished ({why}); another --run directory with --from MODEL goes on from a model of it");
        say!("{}", report::summary(&stage.dir, &state)?);
        return Ok(Ending::Finished);
    }
    eprintln!("{}", report::headline(&stage, &state));
    let mut metrics = Metrics::open(&stage.dir, state.iteration)?;
    let mut trainer = Trainer::open(&stage, &state)?;
    let (evaluator, device) = (&stage.config.run.evaluator, &stage.config.run.device);
    eprintln!("evaluation: {evaluator}; training: {} on {device}", trainer.gradients());
    while state.finished.is_none() {
        if let Some(why) = spent(&stage.config, &state) {
            if report::final_match(&stage, &state)?.is_none() {
                return stopped(&stage.dir);
            }
            state.finished = Some(why);
            state.write(&stage.dir)?;
        } else if !round(&stage, &mut state, &mut trainer, &mut metrics)? {
            return stopped(&stage.dir);
        }
        if !lock.is_held() {
            bail!("{}: the lock was taken away; stopping before anything is overwritten", stage.dir.lock().display());
        }
    }
    report::curve(&stage.dir)?;
    say!("{}", report::summary(&stage.dir, &state)?);
    Ok(Ending::Finished)
}

fn stopped(dir: &RunDir) -> Result<Ending> {
    eprintln!("stopped; the same command goes on from {}", dir.root().display());
    Ok(Ending::Stopped)
}

/// Writes the resolved configuration into a fresh directory; in an old one it must be the same, key for key. Returns it
/// as the directory has it.
fn settle_config<G: Table>(stage: &Stage<G>) -> Result<Config> {
    let (dir, mut config) = (&stage.dir, stage.resolved());
    let path = dir.config();
    if !path.exists() {
        if dir.state().exists() {
            bail!(
                "{}: missing, though a run was begun here; restore it or use another --run directory",
                path.display()
            );
        }
        let text = format!(
            "# Resolved configuration of this run; see `tengen config list`.\n{}{CONFIG_END}",
            config.to_text()
        );
        write_atomic(&path, text.as_bytes())?;
        return Ok(config);
    }
    let text = String::from_utf8_lossy(&read_capped(&path, CONFIG_BYTES_MAX)?).into_owned();
    if !text.ends_with(CONFIG_END) {
        bail!(
            "{}: cut short (its last line, `{}`, is missing); restore it or use another --run directory",
            path.display(),
            CONFIG_END.trim()
        );
    }
    let old = crate::config::load(Some(&path), &[])?;
    // Runs of earlier versions kept the set's name as it was given, and their journals are known by the whole text.
    if means(&old.net.features, &config.net.features) {
        config.net.features = old.net.features.clone();
    }
    let changed = crate::config::keys::differences(&old, &config);
    if !changed.is_empty() {
        bail!(
            "{} was begun with other settings ({}); use the old ones or another --run directory (--from MODEL takes weights \
             along)",
            dir.root().display(),
            changed.join("; ")
        );
    }
    Ok(config)
}

/// Last line of `run.toml`, so that half a file isn't taken for one with defaults.
const CONFIG_END: &str = "# end\n";
/// Largest `run.toml` that is read.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

fn begin<G: Table>(stage: &Stage<G>, from: Option<&Model>) -> Result<State> {
    let first = create(stage, from)?;
    stage.dir.promote(&first.model, serde_json::json!("the first model"))?;
    let state = State {
        version: STATE_VERSION,
        model: first.model.clone(),
        first: first.model.clone(),
        good_model: first.model.clone(),
        good_checkpoint: first.checkpoint.clone(),
        checkpoint: first.checkpoint,
        rate_scale: 1.0,
        ..State::default()
    };
    state.write(&stage.dir)?;
    Ok(state)
}

/// Why the budget is spent, if it is.
fn spent(config: &Config, state: &State) -> Option<String> {
    let b = &config.budget;
    // A round that would be over its time by more than half isn't begun.
    let half_round = state.seconds / state.iteration.max(1) as f64 / 2.0;
    let minutes = (state.seconds + half_round) / 60.0;
    if b.iterations > 0 && state.iteration >= u64::from(b.iterations) {
        return Some(format!("{} iterations", b.iterations));
    }
    if b.minutes > 0.0 && minutes >= b.minutes {
        return Some(format!("{} minutes", b.minutes));
    }
    (b.evaluations > 0 && state.evaluations >= b.evaluations).then(|| format!("{} evaluations", b.evaluations))
}

/// How much of the run is behind, in [0, 1], by whichever limit is nearest.
fn progress(config: &Config, state: &State) -> f32 {
    let b = &config.budget;
    let share = |done: f64, limit: f64| if limit > 0.0 { done / limit } else { 0.0 };
    let iterations = share(state.iteration as f64, f64::from(b.iterations));
    let minutes = share(state.seconds / 60.0, b.minutes);
    iterations.max(minutes).max(share(state.evaluations as f64, b.evaluations as f64)).min(1.0) as f32
}

/// One round; false when a stop was asked for in the middle.
fn round<G: Table>(stage: &Stage<G>, state: &mut State, trainer: &mut Trainer, metrics: &mut Metrics) -> Result<bool> {
    let iteration = state.iteration + 1;
    let Some(made) = selfplay(stage, iteration, &state.model)? else { return Ok(false) };
    // Self-play tells its own time, that of earlier sessions included.
    let started = Instant::now();
    let trained = match found(stage, state, iteration)? {
        Some(trained) => {
            trainer.roll_back(stage, &trained.checkpoint)?;
            trained
        }
        None => {
            let done = progress(&stage.config, state);
            let Some(trained) = trainer.train(stage, state, iteration, &made, done)? else { return Ok(false) };
            trained
        }
    };
    let due = stage.config.gate.mode != GateMode::Off && iteration.is_multiple_of(u64::from(stage.config.gate.every));
    let verdict = if due {
        let Some(verdict) = gate(stage, iteration, &trained.model, &state.good_model)? else { return Ok(false) };
        Some(verdict)
    } else {
        None
    };
    let mut next = state.clone();
    next.iteration = iteration;
    next.games += made.games;
    next.rows += made.rows;
    next.evaluations += made.evaluations + verdict.as_ref().map_or(0, |v| v.evaluations);
    next.hits += made.hits;
    next.steps = trained.steps;
    next.seconds += made.seconds + started.elapsed().as_secs_f64();
    follow(stage, &mut next, trainer, &trained, verdict.as_ref())?;
    metrics.round(&Round { state: &next, made: &made, trained: &trained, verdict: verdict.as_ref() })?;
    next.write(&stage.dir)?;
    *state = next;
    tidy(stage, state)?;
    eprintln!("{}", line(&stage.config, state, &made, &trained, verdict.as_ref()));
    Ok(true)
}

/// What follows from the verdict: which model plays next, what is promoted, whether training goes back.
fn follow<G: Table>(
    stage: &Stage<G>,
    state: &mut State,
    trainer: &mut Trainer,
    trained: &Trained,
    verdict: Option<&Verdict>,
) -> Result<()> {
    let mode = stage.config.gate.mode;
    let refused = verdict.is_some_and(|v| !v.accepted && !v.undecided);
    state.refused += u64::from(refused);
    state.checkpoint = trained.checkpoint.clone();
    if mode == GateMode::Alarm && refused {
        // A proven regression: back to the last good weights and optimizer, with smaller steps from here.
        trainer.roll_back(stage, &state.good_checkpoint)?;
        state.checkpoint = state.good_checkpoint.clone();
        state.model = state.good_model.clone();
        state.rate_scale *= 0.5;
        stage.dir.promote(&state.model, serde_json::to_value(verdict)?)?;
        return Ok(());
    }
    let passed = match mode {
        GateMode::Promote => verdict.is_some_and(|v| v.accepted),
        GateMode::Alarm => verdict.is_some(),
        GateMode::Off => true,
    };
    if passed {
        state.good_model = trained.model.clone();
        state.good_checkpoint = trained.checkpoint.clone();
    }
    if mode != GateMode::Promote || passed {
        state.model = trained.model.clone();
        state.promoted += 1;
        let words = verdict.map(serde_json::to_value).transpose()?;
        stage.dir.promote(&state.model, words.unwrap_or_else(|| serde_json::json!("newest, no match due")))?;
    }
    Ok(())
}

/// Deletes what the retention rule lets go and forgets models that won't be asked for.
fn tidy<G: Table>(stage: &Stage<G>, state: &State) -> Result<()> {
    let window = stage.config.train.window(state.rows as usize) as u64;
    let keep = &stage.config.keep;
    let rule = Retention {
        keep_rows: window + keep.spare_rows,
        keep_checkpoints: keep.checkpoints,
        milestone_steps: keep.milestone_steps,
        keep_models: keep.models,
    };
    let protected = [state.model.clone(), state.first.clone(), state.good_model.clone()];
    let checkpoints = [state.checkpoint.clone(), state.good_checkpoint.clone()];
    rule.apply(&stage.dir, window, &protected, &checkpoints)?;
    stage.models.forget(&[&state.model, &state.first, &state.good_model]);
    Ok(())
}

fn line(
    config: &Config,
    state: &State,
    made: &crate::stages::selfplay::Made,
    trained: &Trained,
    verdict: Option<&Verdict>,
) -> String {
    let number = |key: &str| trained.report[key].as_f64().unwrap_or(f64::NAN);
    let share = progress(config, state);
    let left = if share > 0.0 { span(state.seconds * f64::from(1.0 / share - 1.0)) } else { "?".to_string() };
    let left = if config.budget.final_pairs > 0 { format!("{left} and a closing match") } else { left };
    let gate = verdict.map_or(String::new(), |v| {
        let word = if v.accepted {
            "accepted"
        } else if v.undecided {
            "undecided"
        } else {
            "refused"
        };
        format!(" | gate {word} {}", v.elo.map_or(String::new(), |e| format!("{e:+.0} Elo")))
    });
    format!(
        "round {} {:3.0} % | {} games, {} rows, {:.0} plies/game | {:.0} evals/s | policy {:.3} value {:.3}{gate} | {} so far, about {left} left",
        iteration_name(state.iteration).trim_start_matches('0'),
        100.0 * share,
        made.games,
        made.rows,
        made.plies as f64 / made.games.max(1) as f64,
        made.evaluations as f64 / made.seconds.max(1e-3),
        number("policy"),
        number("wdl"),
        span(state.seconds),
    )
}
