//! Threads that each drive many games in batches. Results arrive in the order of finishing; indices say which is which.
//! Not here: what the results mean, and when to stop (`run`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use tengen_data::GameRecord;
use tengen_game::Game;
use tengen_play::{Agent, GameRun, GameTask, Need, PlayError, Start, fixed_player, pair_task};
use tengen_search::{Evaluation, Evaluator, EvaluatorSource, Query, ask};

use crate::ArenaError;
use crate::config::MatchConfig;

/// What all workers share.
pub(crate) struct Shared<'a, G: Game> {
    pub(crate) setup: &'a G::Setup,
    pub(crate) config: &'a MatchConfig,
    pub(crate) models: [&'a str; 2],
    pub(crate) starts: &'a [Start],
    /// Indices still to be played, ascending.
    pub(crate) todo: Vec<u64>,
    pub(crate) next: AtomicU64,
    pub(crate) stop: AtomicBool,
}

impl<G: Game> Shared<'_, G> {
    fn claim(&self) -> Option<GameTask> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let index = *self.todo.get(at as usize)?;
        Some(pair_task(self.starts, self.config.seed, index))
    }
}

/// A player by name: the fixed ones decide for themselves, everything else is a model of the source.
pub(crate) fn agent<G: Game>(name: &str, player: usize, config: &MatchConfig) -> Result<Agent<G>, PlayError> {
    Ok(match fixed_player::<G>(name)? {
        Some(player) => Agent::own(player),
        None => Agent::search(name, config.agent_of(player)),
    })
}

/// Opens the model behind a name; none for fixed players.
pub(crate) fn evaluator<G: Game>(
    name: &str,
    source: &dyn EvaluatorSource<G>,
) -> Result<Option<Box<dyn Evaluator<G>>>, ArenaError> {
    match fixed_player::<G>(name)? {
        Some(_) => Ok(None),
        None => Ok(Some(source.open(name)?)),
    }
}

/// Plays games until there are none left or `stop` is set.
pub(crate) fn work<G: Game>(
    shared: &Shared<'_, G>,
    source: &dyn EvaluatorSource<G>,
    out: &Sender<Result<GameRecord, ArenaError>>,
) {
    if let Err(error) = drive(shared, source, out) {
        // The receiver is gone only when the match has ended already.
        let _ = out.send(Err(error));
    }
}

fn drive<G: Game>(
    shared: &Shared<'_, G>,
    source: &dyn EvaluatorSource<G>,
    out: &Sender<Result<GameRecord, ArenaError>>,
) -> Result<(), ArenaError> {
    let mut evaluators = [evaluator(shared.models[0], source)?, evaluator(shared.models[1], source)?];
    let mut runs: Vec<GameRun<G>> = Vec::new();
    while runs.len() < shared.config.games_in_flight as usize {
        let Some(task) = shared.claim() else { break };
        let agents = vec![agent(shared.models[0], 0, shared.config)?, agent(shared.models[1], 1, shared.config)?];
        let mut run = GameRun::new(agents, shared.config.limits.clone(), runs.len())?;
        run.begin(shared.setup, task)?;
        runs.push(run);
    }
    let mut active: Vec<usize> = (0..runs.len()).collect();
    let mut waiting: [Vec<usize>; 2] = Default::default();
    let mut answers: Vec<Evaluation> = Vec::new();
    while !active.is_empty() && !shared.stop.load(Ordering::Relaxed) {
        waiting.iter_mut().for_each(Vec::clear);
        let mut left = Vec::with_capacity(active.len());
        for &slot in &active {
            if let Some(agent) = settle(&mut runs[slot], shared, out)? {
                waiting[agent].push(slot);
                left.push(slot);
            }
        }
        active = left;
        for (slots, evaluator) in waiting.iter().zip(&mut evaluators) {
            if let Some(evaluator) = evaluator {
                answer(&mut runs, slots, &mut **evaluator, &mut answers)?;
            }
        }
    }
    Ok(())
}

/// Advances one run to its next leaf, through as many games as it takes; none when there are no more games.
fn settle<G: Game>(
    run: &mut GameRun<G>,
    shared: &Shared<'_, G>,
    out: &Sender<Result<GameRecord, ArenaError>>,
) -> Result<Option<usize>, ArenaError> {
    loop {
        if let Need::Leaf { agent } = run.advance() {
            return Ok(Some(agent));
        }
        if let Some(record) = run.take_record()
            && out.send(Ok(record)).is_err()
        {
            return Ok(None);
        }
        match shared.claim() {
            Some(task) => run.begin(shared.setup, task)?,
            None => return Ok(None),
        }
    }
}

/// One batch: the leaves of `slots`, all for one model.
fn answer<G: Game>(
    runs: &mut [GameRun<G>],
    slots: &[usize],
    evaluator: &mut dyn Evaluator<G>,
    answers: &mut Vec<Evaluation>,
) -> Result<(), ArenaError> {
    let batch: Vec<Query<'_, G>> = slots.iter().filter_map(|&slot| runs[slot].query()).collect();
    if batch.is_empty() {
        return Ok(());
    }
    ask(evaluator, &batch, answers)?;
    drop(batch);
    for (&slot, answer) in slots.iter().zip(answers.iter()) {
        runs[slot].answer(answer);
    }
    Ok(())
}
