//! One iteration of self-play into the run directory: games finish into a journal, the complete journal becomes shards.
//! A killed run goes on with the games that are missing. Not here: playing (`selfplay` crate), bytes (`data`).

use crate::catalog::Table;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use tengen_data::rundir::{read_json_if_there, write_json};
use tengen_data::{GameRecord, Journal, Sync};
use tengen_selfplay::{Job, Report, run};

use super::Stage;
use crate::progress::Progress;

/// Name of the journal in an iteration's directory.
pub const JOURNAL: &str = "games.journal";
const REPORT: &str = "report.json";
/// Counters of an iteration that isn't complete.
const SPENT: &str = "spent.json";
/// Rows per shard file.
const SHARD_ROWS: usize = 20_000;
/// Games between syncs; a kill loses nothing, a power cut at most these.
const SYNC_GAMES: usize = 16;

/// What an iteration of self-play made, kept beside its shards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// Games.
    pub games: u64,
    /// Rows.
    pub rows: u64,
    /// Plies.
    pub plies: u64,
    /// First seat's wins, second's, draws, no results.
    pub outcomes: [u64; 4],
    /// Games cut by the cap.
    pub truncated: u64,
    /// Positions that searches asked about.
    pub asked: u64,
    /// Network evaluations, those of interrupted sessions included (a kill loses the count of its last few games).
    pub evaluations: u64,
    /// Cache hits, likewise.
    pub hits: u64,
    /// Mean batch that reached the network.
    pub batch: f64,
    /// Share of the time in which a device that threads share waited for work, likewise; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<f64>,
    /// Seconds of play, likewise.
    pub seconds: f64,
}

/// What the sessions before this one have spent on an iteration that isn't complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Spent {
    evaluations: u64,
    hits: u64,
    batches: u64,
    /// Seconds in which a shared device waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<f64>,
    seconds: f64,
}

impl Spent {
    /// With what a session has done so far.
    fn with(&self, report: &Report) -> Spent {
        let idle = report.idle.map(|share| share * report.seconds);
        Spent {
            evaluations: self.evaluations + report.evaluations,
            hits: self.hits + report.hits,
            batches: self.batches + report.batches,
            idle: idle.map_or(self.idle, |seconds| Some(self.idle.unwrap_or(0.0) + seconds)),
            seconds: self.seconds + report.seconds,
        }
    }
}

impl Made {
    fn of(records: &[GameRecord], played: &Spent) -> Made {
        let mut all = Report::default();
        records.iter().for_each(|r| all.add(r));
        Made {
            games: all.games,
            rows: all.rows,
            plies: all.plies,
            outcomes: all.outcomes,
            truncated: all.truncated,
            asked: all.asked,
            evaluations: played.evaluations,
            hits: played.hits,
            batch: played.evaluations as f64 / played.batches.max(1) as f64,
            idle: played.idle.map(|seconds| seconds / played.seconds.max(1e-9)),
            seconds: played.seconds,
        }
    }
}

/// What a complete iteration made; none while it isn't.
pub fn made<G: Table>(stage: &Stage<G>, iteration: u64) -> Result<Option<Made>> {
    let dir = stage.dir.iteration(iteration);
    if dir.join(JOURNAL).exists() {
        return Ok(None);
    }
    Ok(read_json_if_there::<Made>(&dir.join(REPORT))?)
}

/// Where rows are missing, how many are there and needed, and the command that makes them.
pub fn missing<G: Table>(stage: &Stage<G>, iteration: u64) -> Result<String> {
    let dir = stage.dir.iteration(iteration);
    let journal = dir.join(JOURNAL);
    let found = match journal.exists() {
        true => tengen_data::journal::count_games(&journal)?,
        false => 0,
    };
    Ok(format!(
        "{}: {found} of {} games finished; `tengen selfplay --run {}` makes them",
        dir.display(),
        stage.config.selfplay.games,
        stage.dir.root().display()
    ))
}

/// Plays (or completes) iteration `iteration` with `model`. None when a stop was asked for before it was complete.
pub fn selfplay<G: Table>(stage: &Stage<G>, iteration: u64, model: &str) -> Result<Option<Made>> {
    let dir = stage.dir.iteration(iteration);
    let journal_path = dir.join(JOURNAL);
    let (report_path, spent_path) = (dir.join(REPORT), dir.join(SPENT));
    if let Some(made) = made(stage, iteration)? {
        return Ok(Some(made));
    }
    std::fs::create_dir_all(&dir)?;
    let c = &stage.config;
    let seed = stage.seed("selfplay", iteration);
    let key = format!("iteration {iteration} model {model} seed {seed}\n{}", c.to_text());
    let mut journal = Journal::open(&journal_path, &key, Sync::EachGames(SYNC_GAMES))?;
    let todo: Vec<u64> = (0..c.selfplay.games as u64).filter(|&i| !journal.has(i)).collect();
    let before: Spent = read_json_if_there(&spent_path)?.unwrap_or_default();
    let mut bar =
        Progress::new(format!("self-play {iteration}"), "games", c.selfplay.games as u64, journal.len() as u64);
    let agent = c.selfplay.agent(&c.search);
    let limits = c.selfplay.limits();
    let job = Job::<G> {
        setups: &stage.setups,
        model,
        agent: &agent,
        limits: &limits,
        seed,
        games: &todo,
        threads: c.run.threads(),
        in_flight: c.selfplay.in_flight,
        stop: crate::stop::flag(),
    };
    let played = run(&job, &stage.models, &mut |record, report| {
        journal.append(&record).map_err(|e| e.to_string())?;
        if journal.len().is_multiple_of(SYNC_GAMES) {
            write_json(&spent_path, &before.with(report)).map_err(|e| e.to_string())?;
        }
        let rate = |n: u64| n as f64 / report.seconds.max(1e-3);
        let idle = report.idle.map_or(String::new(), |share| format!(", device idle {:.0} %", 100.0 * share));
        let message = format!(
            "{:.0} evals/s, {:.0} % cached, batch {:.0}{idle}, {:.0} rows/s",
            rate(report.evaluations),
            100.0 * report.hits as f64 / (report.hits + report.evaluations).max(1) as f64,
            report.batch(),
            rate(report.rows),
        );
        bar.set(journal.len() as u64, &message);
        Ok(())
    })?;
    bar.finish();
    let spent = before.with(&played);
    write_json(&spent_path, &spent)?;
    if journal.len() < c.selfplay.games {
        if crate::stop::asked() {
            return Ok(None);
        }
        bail!("self-play ended with {} of {} games", journal.len(), c.selfplay.games);
    }
    let records = journal.records()?;
    let made = Made::of(&records, &spent);
    write_json(&report_path, &made)?;
    crate::sgf::write_samples::<G>(&stage.dir, iteration, &records, c.keep.sgf)?;
    journal.seal(&dir, "games", c.selfplay.games, SHARD_ROWS)?;
    std::fs::remove_file(&spent_path)?;
    Ok(Some(made))
}
