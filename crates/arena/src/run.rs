//! One match: starts, threads, results in order of index, resumption. Not here: when a test has seen enough (`gate`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_data::GameRecord;
use tengen_game::Game;
use tengen_play::{Start, pair_task, random_starts, seat_of_first};
use tengen_search::{Evaluator, EvaluatorSource, Query, ask};

use crate::config::MatchConfig;
use crate::tally::Tally;
use crate::workers::{Shared, evaluator, work};
use crate::{ArenaError, Watch};

/// A finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchResult {
    /// `Game::Setup` as text.
    pub setup: String,
    /// Players A and B.
    pub models: [String; 2],
    /// Seed of starts and games.
    pub seed: u64,
    /// Simulations per move of a searching player.
    pub visits: u32,
    /// The same for player B.
    #[serde(default)]
    pub visits_b: u32,
    /// Distinct starts there were.
    pub starts: u64,
    /// The count.
    pub tally: Tally,
}

/// Starts for `pairs` pairs: distinct up to symmetry, balanced by the mean value of the models if configured. Fewer if
/// the game has no more; the first position alone if `starts.plies_max` is 0.
pub fn match_starts<G: Game>(
    source: &dyn EvaluatorSource<G>,
    setup: &G::Setup,
    models: [&str; 2],
    config: &MatchConfig,
    pairs: u64,
) -> Result<Vec<Start>, ArenaError> {
    config.check().map_err(ArenaError::Config)?;
    if config.starts.plies_max == 0 {
        return Ok(vec![Start::trivial::<G>(setup)]);
    }
    let mut judges: Vec<Box<dyn Evaluator<G>>> = Vec::new();
    if config.balanced {
        for model in models {
            judges.extend(evaluator(model, source)?);
        }
    }
    let mut failure = None;
    let count = usize::try_from(pairs).unwrap_or(usize::MAX);
    let mut value = |game: &G| {
        mean_value(game, &mut judges).unwrap_or_else(|error| {
            failure.get_or_insert(error);
            f32::NAN
        })
    };
    let found = random_starts(setup, &config.starts, count, config.seed, Some(&mut value));
    if let Some(error) = failure {
        return Err(error);
    }
    if found.starts.is_empty() {
        let why = format!(
            "{} candidates were decided, {} too unbalanced; try fewer `starts` plies or `balanced` off",
            found.decided, found.unbalanced
        );
        return Err(ArenaError::NoStarts(why));
    }
    Ok(found.starts)
}

/// Mean of the models' values for the seat to act; 0 without models, and where there is nothing to decide.
fn mean_value<G: Game>(game: &G, judges: &mut [Box<dyn Evaluator<G>>]) -> Result<f32, ArenaError> {
    let (mut legal, mut answers, mut sum) = (Vec::new(), Vec::new(), 0.0);
    game.legal(&mut legal);
    if legal.len() < 2 {
        return Ok(0.0);
    }
    for judge in judges.iter_mut() {
        ask(&mut **judge, &[Query { game, legal: &legal, slot: 0 }], &mut answers)?;
        sum += answers[0].value.value();
    }
    Ok(sum / judges.len().max(1) as f32)
}

/// Plays up to `pairs` pairs and counts them in order until `enough` says so after some pair. `starts` must not be
/// empty. `done` are games finished earlier, in any order; their indices aren't played again, and the result is that
/// of an uninterrupted match. With fewer starts than pairs they are used again, which the tally shows as duplicates.
///
/// The result doesn't depend on threads or batch sizes as far as a model's answer doesn't depend on its batch.
pub fn play_match<G: Game>(
    source: &dyn EvaluatorSource<G>,
    setup: &G::Setup,
    models: [&str; 2],
    config: &MatchConfig,
    games: MatchGames<'_>,
    watch: &mut dyn Watch,
    enough: &mut dyn FnMut(&Tally) -> bool,
) -> Result<MatchResult, ArenaError> {
    config.check().map_err(ArenaError::Config)?;
    if games.starts.is_empty() {
        return Err(ArenaError::NoStarts("the list of starts is empty".into()));
    }
    let mut counter =
        Counter { empty: G::start(setup), pending: BTreeMap::new(), tally: Tally::default(), over: false };
    for record in games.done {
        belongs::<G>(&record, setup, models, config, games.starts)?;
        if record.index < 2 * games.pairs {
            counter.pending.insert(record.index, record);
        }
    }
    let todo: Vec<u64> = (0..2 * games.pairs).filter(|index| !counter.pending.contains_key(index)).collect();
    counter.count(games.pairs, watch, enough);
    if !counter.over {
        let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let shared = Shared::<G> { setup, config, models, starts: games.starts, todo, next, stop };
        play_rest(&shared, source, &mut counter, games.pairs, watch, enough)?;
    }
    Ok(MatchResult {
        setup: setup.to_string(),
        models: models.map(str::to_string),
        seed: config.seed,
        visits: config.agent.visits,
        visits_b: config.agent_of(1).visits,
        starts: games.starts.len() as u64,
        tally: counter.tally,
    })
}

/// Which games a match consists of.
#[derive(Debug, Default)]
pub struct MatchGames<'a> {
    /// Most pairs.
    pub pairs: u64,
    /// Starts, one per pair, in order.
    pub starts: &'a [Start],
    /// Games finished earlier.
    pub done: Vec<GameRecord>,
}

/// Counts pairs in order of index.
struct Counter<G: Game> {
    empty: G,
    pending: BTreeMap<u64, GameRecord>,
    tally: Tally,
    over: bool,
}

impl<G: Game> Counter<G> {
    /// Counts what is complete; sets `over` when all pairs are counted or `enough` says so.
    fn count(&mut self, pairs: u64, watch: &mut dyn Watch, enough: &mut dyn FnMut(&Tally) -> bool) {
        while !self.over && self.tally.pairs < pairs {
            let first = 2 * self.tally.pairs;
            if !(self.pending.contains_key(&first) && self.pending.contains_key(&(first + 1))) {
                return;
            }
            let (Some(a), Some(b)) = (self.pending.remove(&first), self.pending.remove(&(first + 1))) else { return };
            self.tally.add(&self.empty, &[a, b]);
            watch.pair(&self.tally);
            self.over = enough(&self.tally);
        }
        self.over |= self.tally.pairs >= pairs;
    }
}

fn play_rest<G: Game>(
    shared: &Shared<'_, G>,
    source: &dyn EvaluatorSource<G>,
    counter: &mut Counter<G>,
    pairs: u64,
    watch: &mut dyn Watch,
    enough: &mut dyn FnMut(&Tally) -> bool,
) -> Result<(), ArenaError> {
    let (send, receive) = channel();
    std::thread::scope(|scope| {
        for _ in 0..shared.config.threads {
            let send = send.clone();
            scope.spawn(move || work(shared, source, &send));
        }
        drop(send);
        let result = collect(&receive, counter, pairs, watch, enough);
        shared.stop.store(true, Ordering::Relaxed);
        result
    })
}

fn collect<G: Game>(
    receive: &Receiver<Result<GameRecord, ArenaError>>,
    counter: &mut Counter<G>,
    pairs: u64,
    watch: &mut dyn Watch,
    enough: &mut dyn FnMut(&Tally) -> bool,
) -> Result<(), ArenaError> {
    while !counter.over {
        if watch.cancelled() {
            return Err(ArenaError::Cancelled);
        }
        // The wait only bounds how late a cancellation is seen; results don't depend on it.
        match receive.recv_timeout(Duration::from_millis(100)) {
            Ok(record) => {
                let record = record?;
                watch.game(&record).map_err(ArenaError::Watch)?;
                counter.pending.insert(record.index, record);
                counter.count(pairs, watch, enough);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ArenaError::Config("workers ended before the match did".into()));
            }
        }
    }
    Ok(())
}

/// Whether a finished game is one of this match.
fn belongs<G: Game>(
    record: &GameRecord,
    setup: &G::Setup,
    models: [&str; 2],
    config: &MatchConfig,
    starts: &[Start],
) -> Result<(), ArenaError> {
    let differs = |why: String| Err(ArenaError::Done { index: record.index, why });
    if record.setup != setup.to_string() {
        return differs(format!("its setup is `{}`, not `{setup}`", record.setup));
    }
    if record.seed != config.seed {
        return differs(format!("its seed is {}, not {}", record.seed, config.seed));
    }
    let seat = seat_of_first(record.index);
    if [seat, seat.other()].map(|s| record.models[s.index()].as_str()) != models {
        let [first, second] = &record.models;
        return differs(format!("it was played by {first} and {second}, not {} and {}", models[0], models[1]));
    }
    let start = pair_task(starts, config.seed, record.index).start;
    if !record.actions().take(start.len()).eq(start.iter().copied()) {
        return differs("it begins from another start".into());
    }
    Ok(())
}
