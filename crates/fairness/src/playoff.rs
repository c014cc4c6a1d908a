//! Playoffs: pairs of games from one position between equal agents, seats exchanged, to see what it's worth when played.
//!
//! Each pair begins from another image of the board, and agents explore at their roots, so games differ; those that don't
//! are counted. A pair is one observation. A game is a function of position, seed and its number, so results depend
//! neither on threads nor on what else is played. Not here: which positions, and what a seat makes of them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_data::{EndReason, GameRecord};
use tengen_game::{Action, Colour, Game, Outcome, Placement, Symmetry};
use tengen_opening::{Seated, SeatedSetup};
use tengen_play::{Agent, GameRun, GameTask, Need, canonical_actions, seat_of_first};
use tengen_search::{Evaluation, Evaluator, EvaluatorSource, Query, ask};
use tengen_stats::{Interval, PairCounts};

use crate::config::{FairnessConfig, PAIRS_MIN};
use crate::position::Position;
use crate::{FairnessError, Watch};

/// What a playoff came to, seen by Black.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Playoff {
    /// Pairs of games.
    pub pairs: u64,
    /// Pairs in which Black made 0, ½, 1, 1½ and 2 points.
    pub counts: [u64; 5],
    /// Drawn games, those without result included.
    pub draws: u64,
    /// Games with different actions, rotated and reflected ones counted once.
    pub distinct: u64,
    /// Games cut by the ply cap; their results are estimates.
    pub truncated: u64,
}

impl Playoff {
    /// Black's share of the points in [0, 1].
    pub fn score(&self) -> f64 {
        PairCounts(self.counts).score()
    }

    /// Its 95 % interval.
    pub fn interval(&self) -> Interval {
        PairCounts(self.counts).score_interval(0.95)
    }

    fn of<P: Placement>(empty: &Seated<P>, games: &[(Outcome, GameRecord)]) -> Playoff {
        let mut playoff = Playoff::default();
        let mut counts = PairCounts::default();
        let mut seen = BTreeSet::new();
        for pair in games.chunks_exact(2) {
            let points = |(outcome, _): &(Outcome, GameRecord)| outcome.points(empty.seat_of(Colour::Black));
            counts.add(points(&pair[0]), points(&pair[1]));
            for (outcome, record) in pair {
                playoff.draws += u64::from(matches!(outcome, Outcome::Draw | Outcome::NoResult));
                playoff.truncated += u64::from(record.end == EndReason::Truncated);
                seen.insert(canonical_actions(empty, &record.actions().collect::<Vec<Action>>()));
            }
        }
        playoff.pairs = counts.pairs();
        playoff.counts = counts.0;
        playoff.distinct = seen.len() as u64;
        playoff
    }
}

/// Takes the result of the position with that index.
pub type Done<'a> = &'a mut dyn FnMut(usize, Playoff, &mut dyn Watch) -> Result<(), FairnessError>;

/// Who plays and how.
pub struct Playoffs<'a, P: Placement> {
    /// Where evaluators come from.
    pub source: &'a dyn EvaluatorSource<Seated<P>>,
    /// The two players, who are exchanged within a pair; for equal agents twice the same.
    pub models: [&'a str; 2],
    /// Plain play under the rules.
    pub setup: &'a SeatedSetup<P>,
    /// Settings.
    pub config: &'a FairnessConfig,
}

struct Shared<'a, P: Placement> {
    plan: &'a Playoffs<'a, P>,
    starts: Vec<Start>,
    next: AtomicU64,
    stop: AtomicBool,
}

/// A position's games: the actions of each image.
struct Start {
    code: u64,
    images: Vec<Vec<Action>>,
}

impl<P: Placement> Playoffs<'_, P> {
    /// Plays all positions, the first ones first. `done` gets each result by index of the position as it's complete;
    /// when time is up, the unfinished ones that have pairs enough. Returns whether all were finished.
    pub fn play(&self, positions: &[Position], watch: &mut dyn Watch, done: Done<'_>) -> Result<bool, FairnessError> {
        let per = 2 * u64::from(self.config.pairs);
        let total = per * positions.len() as u64;
        if total == 0 {
            return Ok(true);
        }
        let starts: Option<Vec<Start>> = positions.iter().map(|p| self.start(p)).collect();
        let starts = starts.ok_or(FairnessError::Unplayable)?;
        let shared = Shared { plan: self, starts, next: AtomicU64::new(0), stop: AtomicBool::new(false) };
        let mut table: Vec<Vec<Option<(Outcome, GameRecord)>>> = vec![vec![None; per as usize]; positions.len()];
        let mut left: Vec<u64> = vec![per; positions.len()];
        let empty = Seated::start(self.setup);
        let (send, receive) = channel();
        let finished = std::thread::scope(|scope| {
            for _ in 0..self.config.threads {
                let (send, shared) = (send.clone(), &shared);
                scope.spawn(move || {
                    if let Err(error) = work(shared, &send) {
                        // The receiver is gone only when the outcome is settled.
                        let _ = send.send(Err(error));
                    }
                });
            }
            drop(send);
            let mut played = 0;
            let result = loop {
                if watch.expired() {
                    break Ok(false);
                }
                match receive.recv_timeout(Duration::from_millis(50)) {
                    Ok(Ok((game, record))) => {
                        let (cell, i) = ((game / per) as usize, (game % per) as usize);
                        table[cell][i] = Some((record.outcome, record));
                        left[cell] -= 1;
                        played += 1;
                        watch.played(played);
                        if left[cell] == 0 {
                            let games: Vec<_> = std::mem::take(&mut table[cell]).into_iter().flatten().collect();
                            if let Err(error) = done(cell, Playoff::of(&empty, &games), watch) {
                                break Err(error);
                            }
                        }
                    }
                    Ok(Err(error)) => break Err(error),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break Ok(true),
                }
            };
            shared.stop.store(true, Ordering::Relaxed);
            result
        })?;
        for (cell, games) in table.into_iter().enumerate() {
            // Only an unbroken row of pairs: short games finish first, and their results are of one kind.
            let row: Vec<_> = games.into_iter().map_while(|g| g).collect();
            let playoff = Playoff::of(&empty, &row);
            if playoff.pairs >= u64::from(PAIRS_MIN) {
                done(cell, playoff, watch)?;
            }
        }
        Ok(finished)
    }

    fn start(&self, position: &Position) -> Option<Start> {
        let size = Seated::start(self.setup).size();
        let image = |&s: &Symmetry| position.actions(self.setup, s);
        let images: Option<Vec<_>> = Symmetry::of(size).iter().map(image).collect();
        Some(Start { code: position.code(), images: images? })
    }
}

impl<P: Placement> Shared<'_, P> {
    fn claim(&self) -> Option<(u64, GameTask)> {
        let per = 2 * u64::from(self.plan.config.pairs);
        let game = self.next.fetch_add(1, Ordering::Relaxed);
        let start = self.starts.get((game / per) as usize)?;
        let index = game % per;
        let image = &start.images[(index / 2) as usize % start.images.len()];
        let seed = self.plan.config.seed ^ start.code;
        let exchanged = seat_of_first(index) != tengen_game::Seat::First;
        Some((game, GameTask { start: image.clone(), seed, index, exchanged }))
    }
}

type Sent = Result<(u64, GameRecord), FairnessError>;

fn work<P: Placement>(shared: &Shared<'_, P>, out: &Sender<Sent>) -> Result<(), FairnessError> {
    let &Playoffs { source, models, setup, config } = shared.plan;
    let mut evaluators = vec![source.open(models[0])?];
    if models[1] != models[0] {
        evaluators.push(source.open(models[1])?);
    }
    let mut runs: Vec<(u64, GameRun<Seated<P>>)> = Vec::new();
    while runs.len() < config.in_flight as usize {
        let Some((game, task)) = shared.claim() else { break };
        let agents = models.iter().map(|m| Agent::search(m, config.agent())).collect();
        let mut run = GameRun::new(agents, config.limits.clone(), runs.len())?;
        run.begin(setup, task)?;
        runs.push((game, run));
    }
    let mut active: Vec<usize> = (0..runs.len()).collect();
    let mut answers = Vec::new();
    while !active.is_empty() && !shared.stop.load(Ordering::Relaxed) {
        let mut waiting = vec![Vec::new(); evaluators.len()];
        let mut left = Vec::with_capacity(active.len());
        for &slot in &active {
            if let Some(agent) = settle(&mut runs[slot], shared, out)? {
                waiting[agent.min(evaluators.len() - 1)].push(slot);
                left.push(slot);
            }
        }
        active = left;
        for (slots, evaluator) in waiting.iter().zip(&mut evaluators) {
            answer(&mut runs, slots, &mut **evaluator, &mut answers)?;
        }
    }
    Ok(())
}

/// Advances a run to its next leaf, through as many games as it takes; none when there are no more.
fn settle<P: Placement>(
    (game, run): &mut (u64, GameRun<Seated<P>>),
    shared: &Shared<'_, P>,
    out: &Sender<Sent>,
) -> Result<Option<usize>, FairnessError> {
    loop {
        if let Need::Leaf { agent } = run.advance() {
            return Ok(Some(agent));
        }
        if let Some(record) = run.take_record()
            && out.send(Ok((*game, record))).is_err()
        {
            return Ok(None);
        }
        let Some((next, task)) = shared.claim() else { return Ok(None) };
        *game = next;
        run.begin(shared.plan.setup, task)?;
    }
}

fn answer<P: Placement>(
    runs: &mut [(u64, GameRun<Seated<P>>)],
    slots: &[usize],
    evaluator: &mut dyn Evaluator<Seated<P>>,
    answers: &mut Vec<Evaluation>,
) -> Result<(), FairnessError> {
    let batch: Vec<Query<'_, Seated<P>>> = slots.iter().filter_map(|&slot| runs[slot].1.query()).collect();
    if batch.is_empty() {
        return Ok(());
    }
    ask(evaluator, &batch, answers)?;
    drop(batch);
    slots.iter().zip(answers.iter()).for_each(|(&slot, answer)| runs[slot].1.answer(answer));
    Ok(())
}
