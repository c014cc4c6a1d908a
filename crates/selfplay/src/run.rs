//! The driver: threads take games by index, drive many at once, and hand finished ones to the caller's sink.
//!
//! A game depends on (seed, index, setup, model) alone: its random stream is its own, and evaluators answer a position
//! the same whatever else is in the batch. So the set of games is the same for any number of threads and after any
//! restart; only the order of finishing differs.
//!
//! Each thread deals its games into as many groups as its evaluator has lanes: one where the thread computes the answers
//! itself; two where a device does, so that one group is at the device while the thread advances the other. Groups keep
//! to themselves: each waits for its own answers alone, and one whose games have ended is passed over. Not here: files
//! (the sink writes them), the device and how it merges the threads' groups (`tengen_search::device`).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam::channel;
use tengen_data::GameRecord;
use tengen_game::Game;
use tengen_play::{Agent, AgentConfig, GameLimits, GameRun, GameTask, Need, PlayError, Stream};
use tengen_search::{EvalError, Evaluation, Evaluator, EvaluatorSource, Query, ask_begin, ask_finish};

use crate::report::Report;

/// What to play.
pub struct Job<'a, G: Game> {
    /// Setups; each game draws one from its stream.
    pub setups: &'a [G::Setup],
    /// Model id.
    pub model: &'a str,
    /// How both seats search.
    pub agent: &'a AgentConfig,
    /// What opens and ends games.
    pub limits: &'a GameLimits,
    /// Seed of this batch of games.
    pub seed: u64,
    /// Indices of the games still to play, ascending.
    pub games: &'a [u64],
    /// Threads.
    pub threads: usize,
    /// Games in flight per thread; a device gets half of them at once.
    pub in_flight: usize,
    /// Set from outside to stop: games in flight are dropped (they are replayed from their seeds later).
    pub stop: &'a AtomicBool,
}

/// Why self-play failed.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// A model failed or a setting is out of range.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// No setup was given.
    #[error("self-play needs at least one game setup")]
    NoSetup,
    /// The caller's sink couldn't keep a game.
    #[error("{0}")]
    Sink(String),
}

impl From<EvalError> for SelfplayError {
    fn from(e: EvalError) -> SelfplayError {
        SelfplayError::Play(PlayError::Evaluation(e))
    }
}

/// Counters that threads add to as they go.
#[derive(Default)]
struct Counters {
    evaluations: AtomicU64,
    hits: AtomicU64,
    batches: AtomicU64,
}

impl Counters {
    fn fill(&self, report: &mut Report) {
        report.evaluations = self.evaluations.load(Ordering::Relaxed);
        report.hits = self.hits.load(Ordering::Relaxed);
        report.batches = self.batches.load(Ordering::Relaxed);
    }
}

/// How many finished games may wait for the sink per thread before players pause: a slow disk slows play instead of
/// filling the memory.
const WAITING_MAX: usize = 64;

/// Plays all games of a job. `sink` gets every finished game with the report so far, on the calling thread, in the order
/// of finishing; its error stops play.
pub fn run<G: Game>(
    job: &Job<'_, G>,
    source: &dyn EvaluatorSource<G>,
    sink: &mut dyn FnMut(GameRecord, &Report) -> Result<(), String>,
) -> Result<Report, SelfplayError> {
    if job.setups.is_empty() {
        return Err(SelfplayError::NoSetup);
    }
    let started = Instant::now();
    let threads = job.threads.clamp(1, job.games.len().max(1));
    let counters = Counters::default();
    let next = AtomicUsize::new(0);
    let quit = AtomicBool::new(false);
    let mut report = Report::default();
    let mut failure: Option<SelfplayError> = None;
    let device_before = source.device(job.model).unwrap_or_default();
    let fill = |report: &mut Report| {
        report.seconds = started.elapsed().as_secs_f64();
        counters.fill(report);
        if let Some(used) = source.device(job.model) {
            report.fill_device(used.since(device_before));
        }
    };
    let (send, receive) = channel::bounded::<Result<GameRecord, SelfplayError>>(WAITING_MAX * threads);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (send, next, quit, counters) = (send.clone(), &next, &quit, &counters);
            scope.spawn(move || {
                let worker = Worker { job, next, quit, counters, send: &send, thread };
                if let Err(e) = worker.play(source) {
                    // A closed channel means that the run is over for another reason.
                    let _ = send.send(Err(e));
                }
            });
        }
        drop(send);
        for message in &receive {
            let result = message.and_then(|record| {
                report.add(&record);
                fill(&mut report);
                sink(record, &report).map_err(SelfplayError::Sink)
            });
            if let Err(e) = result {
                quit.store(true, Ordering::Relaxed);
                failure.get_or_insert(e);
            }
        }
    });
    fill(&mut report);
    failure.map_or(Ok(report), Err)
}

struct Worker<'a, G: Game> {
    job: &'a Job<'a, G>,
    next: &'a AtomicUsize,
    quit: &'a AtomicBool,
    counters: &'a Counters,
    send: &'a channel::Sender<Result<GameRecord, SelfplayError>>,
    thread: usize,
}

/// Games that are evaluated together, one leaf of each, in a lane of their own.
struct Group<G: Game> {
    lane: usize,
    runs: Vec<GameRun<G>>,
    answers: Vec<Evaluation>,
    /// Whether their leaves are on the way.
    asked: bool,
}

impl<G: Game> Group<G> {
    /// Every run is at a leaf when this is called, so that batch and runs match.
    fn batch(runs: &[GameRun<G>]) -> Vec<Query<'_, G>> {
        runs.iter().filter_map(|r| r.query()).collect()
    }
}

impl<G: Game> Worker<'_, G> {
    fn play(&self, source: &dyn EvaluatorSource<G>) -> Result<(), SelfplayError> {
        let mut evaluator = source.open(self.job.model)?;
        let mut groups = self.groups(evaluator.lanes().max(1))?;
        let (mut evaluations, mut hits) = (0, 0);
        while !self.stopped() && groups.iter().any(|g| !g.runs.is_empty()) {
            for group in &mut groups {
                self.turn(&mut *evaluator, group)?;
            }
            self.count(&*evaluator, &mut evaluations, &mut hits);
        }
        Ok(())
    }

    /// The first games of this thread, dealt out evenly.
    fn groups(&self, lanes: usize) -> Result<Vec<Group<G>>, SelfplayError> {
        let group = |lane| Group { lane, runs: Vec::new(), answers: Vec::new(), asked: false };
        let mut groups: Vec<Group<G>> = (0..lanes).map(group).collect();
        for i in 0..self.job.in_flight {
            let agent = Agent::search(self.job.model, self.job.agent.clone());
            let slot = self.thread * self.job.in_flight + i;
            let mut run = GameRun::new(vec![agent], self.job.limits.clone(), slot)?;
            if !self.begin_next(&mut run)? {
                break;
            }
            groups[i % lanes].runs.push(run);
        }
        Ok(groups)
    }

    /// Takes the answers that a group waits for, brings its games to their next leaves and sends those off.
    fn turn(&self, evaluator: &mut dyn Evaluator<G>, group: &mut Group<G>) -> Result<(), SelfplayError> {
        let Group { lane, runs, answers, asked } = group;
        if std::mem::take(asked) {
            ask_finish(evaluator, *lane, &Group::batch(runs), answers)?;
            for (run, answer) in runs.iter_mut().zip(&*answers) {
                run.answer(answer);
            }
        }
        self.advance_all(runs)?;
        if !runs.is_empty() && !self.stopped() {
            ask_begin(evaluator, *lane, &Group::batch(runs), answers)?;
            *asked = true;
        }
        Ok(())
    }

    fn stopped(&self) -> bool {
        self.quit.load(Ordering::Relaxed) || self.job.stop.load(Ordering::Relaxed)
    }

    /// Brings every run to a leaf; finished games are sent off and their runs take the next game or leave.
    fn advance_all(&self, runs: &mut Vec<GameRun<G>>) -> Result<(), SelfplayError> {
        let mut i = 0;
        while i < runs.len() {
            if let Need::Leaf { .. } = runs[i].advance() {
                i += 1;
                continue;
            }
            if let Some(record) = runs[i].take_record()
                && self.send.send(Ok(record)).is_err()
            {
                self.quit.store(true, Ordering::Relaxed);
            }
            if self.stopped() || !self.begin_next(&mut runs[i])? {
                runs.remove(i);
            }
        }
        Ok(())
    }

    fn begin_next(&self, run: &mut GameRun<G>) -> Result<bool, SelfplayError> {
        let Some(&index) = self.job.games.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
        let setup = &self.job.setups[setup_of(self.job.seed, index, self.job.setups.len())];
        run.begin(setup, GameTask { seed: self.job.seed, index, ..GameTask::default() })?;
        Ok(true)
    }

    fn count(&self, evaluator: &dyn Evaluator<G>, evaluations: &mut u64, hits: &mut u64) {
        let (e, h) = (evaluator.evaluations(), evaluator.hits());
        self.counters.evaluations.fetch_add(e - *evaluations, Ordering::Relaxed);
        self.counters.hits.fetch_add(h - *hits, Ordering::Relaxed);
        self.counters.batches.fetch_add(u64::from(e > *evaluations), Ordering::Relaxed);
        (*evaluations, *hits) = (e, h);
    }
}

/// Which setup a game draws: its own stream, apart from the one its moves use.
fn setup_of(seed: u64, index: u64, setups: usize) -> usize {
    Stream::new(seed ^ 0x5e7u64.rotate_left(40), index).below(setups)
}
