//! Many searches and evaluations at once: threads that each keep many in flight, one leaf of each per batch, and refill as
//! they end. An answer is a function of its job and the model, whatever the threads and batches. Not here: which
//! positions are asked about (`census`), what the answers are used for (`samples`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tengen_game::{Action, Colour, Game, Placement};
use tengen_opening::Seated;
use tengen_search::{
    EvalError, Evaluation, Evaluator, EvaluatorSource, Limits, Query, Search, SearchConfig, Step, ask,
};

use crate::{FairnessError, Watch};

/// One position to value.
#[derive(Clone, Debug)]
pub struct Job<P: Placement> {
    /// The position; must not be over.
    pub game: Seated<P>,
    /// Simulations; 0 asks the network once, without search.
    pub visits: u32,
    /// Seed of the noise at the root.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Value in [-1, 1] for Black.
    pub value: f64,
    /// The search's policy, ascending by action; empty without search.
    pub policy: Vec<(Action, f32)>,
}

/// How jobs are run.
pub struct Pool<'a, P: Placement> {
    /// Where evaluators come from.
    pub source: &'a dyn EvaluatorSource<Seated<P>>,
    /// The model that answers.
    pub model: &'a str,
    /// Settings of searches.
    pub search: &'a SearchConfig,
    /// Threads, at least 1.
    pub threads: usize,
    /// Jobs in flight per thread, at least 1.
    pub in_flight: usize,
}

struct Shared<'a, P: Placement> {
    pool: &'a Pool<'a, P>,
    jobs: &'a [Job<P>],
    next: AtomicUsize,
    stop: AtomicBool,
}

impl<P: Placement> Pool<'_, P> {
    /// Answers in the order of the jobs. Fails with `Expired` when the watch says that time is up.
    pub fn run(&self, jobs: &[Job<P>], watch: &mut dyn Watch) -> Result<Vec<Found>, FairnessError> {
        let shared = Shared { pool: self, jobs, next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
        let mut found: Vec<Option<Found>> = vec![None; jobs.len()];
        let (send, receive) = channel();
        let result = std::thread::scope(|scope| {
            for _ in 0..self.threads.min(jobs.len()) {
                let (send, shared) = (send.clone(), &shared);
                scope.spawn(move || {
                    if let Err(error) = work(shared, &send) {
                        // The receiver is gone only when the outcome is settled.
                        let _ = send.send(Err(error));
                    }
                });
            }
            drop(send);
            let result = loop {
                if watch.expired() {
                    break Err(FairnessError::Expired);
                }
                match receive.recv_timeout(Duration::from_millis(50)) {
                    Ok(Ok((i, answer))) => {
                        found[i] = Some(answer);
                        watch.searched(1);
                    }
                    Ok(Err(error)) => break Err(error),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break Ok(()),
                }
            };
            shared.stop.store(true, Ordering::Relaxed);
            result
        });
        result?;
        found.into_iter().collect::<Option<Vec<Found>>>().ok_or(FairnessError::Expired)
    }
}

type Sent = Result<(usize, Found), FairnessError>;

fn work<P: Placement>(shared: &Shared<'_, P>, out: &Sender<Sent>) -> Result<(), FairnessError> {
    let mut evaluator = shared.pool.source.open(shared.pool.model)?;
    let mut slots: Vec<Slot<P>> = (0..shared.pool.in_flight).map(|_| Slot::new(shared.pool.search)).collect();
    let mut answers = Vec::new();
    let mut waiting = Vec::new();
    while !shared.stop.load(Ordering::Relaxed) {
        waiting.clear();
        for (i, slot) in slots.iter_mut().enumerate() {
            while !slot.needs_answer() {
                if let Some(done) = slot.take()
                    && out.send(Ok(done)).is_err()
                {
                    return Ok(());
                }
                let job = shared.next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = shared.jobs.get(job) else { break };
                slot.begin(job, task);
            }
            if slot.job.is_some() {
                waiting.push(i);
            }
        }
        if waiting.is_empty() {
            return Ok(());
        }
        answer(&mut slots, &waiting, &mut *evaluator, &mut answers)?;
    }
    Ok(())
}

fn answer<P: Placement>(
    slots: &mut [Slot<P>],
    waiting: &[usize],
    evaluator: &mut dyn Evaluator<Seated<P>>,
    answers: &mut Vec<Evaluation>,
) -> Result<(), EvalError> {
    let batch: Vec<Query<'_, Seated<P>>> = waiting.iter().map(|&i| slots[i].query(i)).collect();
    ask(evaluator, &batch, answers)?;
    drop(batch);
    waiting.iter().zip(answers.iter()).for_each(|(&i, answer)| slots[i].answer(answer));
    Ok(())
}

/// One job in flight.
struct Slot<P: Placement> {
    search: Search<Seated<P>>,
    job: Option<usize>,
    /// The position asked about now; further than the job's where moves were forced.
    game: Option<Seated<P>>,
    visits: u32,
    seed: u64,
    legal: Vec<Action>,
    found: Option<Found>,
    /// Policy of the job's own root, kept when a forced move leads the search on.
    policy: Vec<(Action, f32)>,
}

impl<P: Placement> Slot<P> {
    fn new(config: &SearchConfig) -> Slot<P> {
        Slot {
            search: Search::new(config.clone()),
            job: None,
            game: None,
            visits: 0,
            seed: 0,
            legal: Vec::new(),
            found: None,
            policy: Vec::new(),
        }
    }

    fn begin(&mut self, job: usize, task: &Job<P>) {
        (self.job, self.found, self.visits, self.seed) = (Some(job), None, task.visits, task.seed);
        self.policy.clear();
        self.enter(task.game.clone());
    }

    /// Sets out from a position. One whose end is known needs no answer.
    fn enter(&mut self, game: Seated<P>) {
        if let Some(outcome) = game.outcome() {
            let value = f64::from(outcome.value(game.seat_of(Colour::Black)));
            self.found = Some(Found { value, policy: std::mem::take(&mut self.policy) });
        } else if self.visits == 0 {
            game.legal(&mut self.legal);
        } else {
            let limits = Limits { visits: self.visits, noise: true, temperature: false };
            self.search.reset();
            self.search.begin(&game, limits, self.seed);
        }
        self.game = Some(game);
    }

    /// Runs until an answer is needed (true), or nothing more is to be done.
    fn needs_answer(&mut self) -> bool {
        loop {
            let Some(game) = &self.game else { return false };
            if self.found.is_some() {
                return false;
            }
            if self.visits == 0 {
                if self.legal.len() > 1 {
                    return true;
                }
                let next = after(game, self.legal[0]);
                self.enter(next);
                continue;
            }
            if self.search.step() == Step::Leaf {
                return true;
            }
            let result = self.search.result();
            if self.policy.is_empty() {
                self.policy = result.policy.clone();
            }
            if !result.has_value() {
                // The only move that may not lose was played without asking: the value is that of what follows.
                let next = after(game, result.chosen);
                self.enter(next);
                continue;
            }
            let value = for_black(game, f64::from(result.root_value));
            self.found = Some(Found { value, policy: std::mem::take(&mut self.policy) });
        }
    }

    fn query(&self, slot: usize) -> Query<'_, Seated<P>> {
        match &self.game {
            Some(game) if self.visits == 0 => Query { game, legal: &self.legal, slot },
            _ => {
                let (game, legal) = self.search.leaf();
                Query { game, legal, slot }
            }
        }
    }

    fn answer(&mut self, evaluation: &Evaluation) {
        match &self.game {
            Some(game) if self.visits == 0 => {
                let value = for_black(game, f64::from(evaluation.value.value()));
                self.found = Some(Found { value, policy: Vec::new() });
            }
            _ => self.search.answer(evaluation),
        }
    }

    fn take(&mut self) -> Option<(usize, Found)> {
        let found = self.found.take()?;
        self.game = None;
        Some((self.job.take()?, found))
    }
}

fn after<P: Placement>(game: &Seated<P>, action: Action) -> Seated<P> {
    let mut next = game.clone();
    next.apply(action);
    next
}

/// A value for the seat to act, as one for Black.
fn for_black<P: Placement>(game: &Seated<P>, value: f64) -> f64 {
    if game.to_act() == game.seat_of(Colour::Black) { value } else { -value }
}
