//! The gate in the run directory: a candidate against a reference, games kept in a journal so that a killed match goes
//! on, the verdict as JSON. Not here: playing and statistics (`arena`), what follows from a verdict (`pipeline`).

use crate::catalog::Table;
use anyhow::{Result, bail};
use tengen_arena::{ArenaError, GateConfig, MatchConfig, Tally, Verdict, Watch, play_gate};
use tengen_data::rundir::{read_json_if_there, write_json};
use tengen_data::{GameRecord, Journal, Sync};
use tengen_play::{AgentConfig, GameLimits, StartsConfig};

use super::Stage;
use crate::progress::Progress;

/// Games in flight per thread in matches.
const IN_FLIGHT: u32 = 16;

impl<G: Table> Stage<G> {
    /// How games of a match are played: equal visits, no noise, distinct random starts.
    pub fn match_config(&self, visits: u32, seed: u64) -> MatchConfig {
        let c = &self.config;
        MatchConfig {
            agent: AgentConfig { search: c.search.clone(), ..AgentConfig::playing(visits) },
            limits: GameLimits { plies_max: c.selfplay.plies_max, ..GameLimits::default() },
            starts: StartsConfig {
                plies_min: c.gate.plies_min,
                plies_max: c.gate.plies_max,
                ..StartsConfig::default()
            },
            visits_b: 0,
            balanced: true,
            seed,
            threads: c.run.threads() as u32,
            games_in_flight: IN_FLIGHT,
        }
    }

    fn gate_config(&self, iteration: u64) -> GateConfig {
        let g = &self.config.gate;
        let (elo0, elo1) = g.hypotheses();
        GateConfig {
            elo0,
            elo1,
            alpha: g.alpha,
            beta: g.alpha,
            pairs_min: 16.min(g.pairs_max).max(2),
            pairs_max: g.pairs_max.max(2),
            play: self.match_config(g.visits, self.seed("gate", iteration)),
            ..GateConfig::default()
        }
    }
}

/// Keeps a match's games in a journal and shows progress.
pub struct Keeper {
    journal: Option<Journal>,
    bar: Progress,
}

impl Keeper {
    /// A keeper that shows `label` and writes to `journal`, where given.
    pub fn new(label: String, pairs: u64, journal: Option<Journal>) -> Keeper {
        Keeper { journal, bar: Progress::new(label, "pairs", pairs, 0) }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        self.bar.finish();
    }
}

impl Watch for Keeper {
    fn game(&mut self, record: &GameRecord) -> Result<(), String> {
        match &mut self.journal {
            Some(journal) => journal.append(record).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }

    fn pair(&mut self, tally: &Tally) {
        self.bar.set(tally.pairs, &format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses));
    }

    fn cancelled(&mut self) -> bool {
        crate::stop::asked()
    }
}

/// Tests `candidate` against `reference`. None when a stop was asked for.
pub fn gate<G: Table>(stage: &Stage<G>, iteration: u64, candidate: &str, reference: &str) -> Result<Option<Verdict>> {
    let verdict_path = stage.dir.gate().join(format!("{iteration:06}.json"));
    let journal_path = stage.dir.gate().join(format!("{iteration:06}.journal"));
    if let Some(verdict) = read_json_if_there::<Verdict>(&verdict_path)? {
        if verdict.models != [candidate, reference] {
            bail!("{}: a verdict on other models", verdict_path.display());
        }
        // A kill may have come between the verdict and this.
        if journal_path.exists() {
            std::fs::remove_file(&journal_path)?;
        }
        return Ok(Some(verdict));
    }
    let config = stage.gate_config(iteration);
    let key = format!("gate {iteration}: {candidate} against {reference}\n{}", stage.config.to_text());
    let mut journal = Journal::open(&journal_path, &key, Sync::EachGames(16))?;
    let done = journal.records()?;
    let mut keeper = Keeper::new(format!("gate {iteration}"), u64::from(config.pairs_max), Some(journal));
    let result = play_gate::<G>(&stage.models, stage.reference(), [candidate, reference], &config, done, &mut keeper);
    keeper.finish();
    match result {
        Ok(verdict) => {
            write_json(&verdict_path, &verdict)?;
            std::fs::remove_file(&journal_path)?;
            Ok(Some(verdict))
        }
        Err(ArenaError::Cancelled) => Ok(None),
        Err(e) => Err(e.into()),
    }
}
