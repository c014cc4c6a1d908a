//! The rating ladder: a round robin with one rating per player, from a joint fit. Not here: the fit (`stats`).

use serde::{Deserialize, Serialize};
use tengen_data::GameRecord;
use tengen_game::Game;
use tengen_search::EvaluatorSource;
use tengen_stats::{Ladder, LadderFit, Meeting, SplitMix};

use crate::config::{LadderConfig, MatchConfig};
use crate::run::{MatchGames, MatchResult, match_starts, play_match};
use crate::tally::Tally;
use crate::{ArenaError, Watch};

/// One player's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderRow {
    /// Model id or player name.
    pub model: String,
    /// Elo relative to the anchor.
    pub elo: f64,
    /// 95 % interval of the difference to the anchor.
    pub interval: [f64; 2],
    /// Games played.
    pub games: u64,
    /// Share of points in [0, 1].
    pub score: f64,
}

/// A finished ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderTable {
    /// Rules and opening of the games.
    pub setup: String,
    /// Seed.
    pub seed: u64,
    /// Simulations per move of searching players.
    pub visits: u32,
    /// Whose rating is 0.
    pub anchor: String,
    /// Strongest first.
    pub rows: Vec<LadderRow>,
    /// Advantage of the first seat in Elo, and its 95 % interval.
    pub first_seat: f64,
    /// As above.
    pub first_seat_interval: [f64; 2],
    /// Every pairing.
    pub matches: Vec<MatchResult>,
}

/// Plays every two of `models` against each other. `done` are games of this ladder that finished earlier; they find
/// their pairing by players and seed. Names must differ.
pub fn play_ladder<G: Game>(
    source: &dyn EvaluatorSource<G>,
    setup: &G::Setup,
    models: &[String],
    config: &LadderConfig,
    mut done: Vec<GameRecord>,
    watch: &mut dyn Watch,
) -> Result<LadderTable, ArenaError> {
    config.check().map_err(ArenaError::Config)?;
    check_players(models, config)?;
    let mut matches = Vec::new();
    let mut meetings = Vec::new();
    for b in 1..models.len() {
        for a in 0..b {
            let pair = [models[a].as_str(), models[b].as_str()];
            let play = pairing(&config.play, a, b);
            let (mine, rest) = done.into_iter().partition(|record| is_of(record, pair, play.seed));
            done = rest;
            let starts = match_starts(source, setup, pair, &play, u64::from(config.pairs))?;
            let games = MatchGames { pairs: u64::from(config.pairs), starts: &starts, done: mine };
            let result = play_match(source, setup, pair, &play, games, watch, &mut |_| false)?;
            meetings.extend(seatings(a, b, &result.tally));
            matches.push(result);
        }
    }
    if let Some(record) = done.first() {
        let [first, second] = &record.models;
        let why = format!("no pairing of {first} and {second} has seed {}", record.seed);
        return Err(ArenaError::Done { index: record.index, why });
    }
    let task = Ladder { players: models.len(), meetings, anchor: config.anchor as usize, prior_games: 2.0 };
    let fit = task.fit().ok_or_else(|| ArenaError::Config("the ratings have no unique fit".into()))?;
    Ok(table(setup.to_string(), models, config, &fit, matches))
}

fn check_players(models: &[String], config: &LadderConfig) -> Result<(), ArenaError> {
    if models.len() < 2 {
        return Err(ArenaError::Config(format!("a ladder needs at least 2 players, not {}", models.len())));
    }
    if config.anchor as usize >= models.len() {
        let last = models.len() - 1;
        return Err(ArenaError::Config(format!("anchor is {}; allowed are 0 to {last}", config.anchor)));
    }
    let repeated = models.iter().enumerate().find(|(i, m)| models[..*i].contains(m));
    repeated.map_or(Ok(()), |(_, m)| Err(ArenaError::Config(format!("player {m} is listed twice"))))
}

/// Every pairing gets a seed of its own, from the ladder's seed and the players' places.
fn pairing(play: &MatchConfig, a: usize, b: usize) -> MatchConfig {
    let seed = SplitMix::new(play.seed ^ ((a as u64) << 32 | b as u64)).next_u64();
    MatchConfig { seed, ..play.clone() }
}

fn is_of(record: &GameRecord, pair: [&str; 2], seed: u64) -> bool {
    let [first, second] = [record.models[0].as_str(), record.models[1].as_str()];
    record.seed == seed && (pair == [first, second] || pair == [second, first])
}

/// A pairing's games as meetings by seat.
fn seatings(a: usize, b: usize, tally: &Tally) -> [Meeting; 2] {
    let count = |results: [u64; 3], first: usize, second: usize| {
        let [wins, draws, losses] = results.map(|n| n as f64);
        Meeting { first, second, wins, draws, losses }
    };
    [count(tally.as_first, a, b), count(tally.as_second, b, a)]
}

fn table(
    setup: String,
    models: &[String],
    config: &LadderConfig,
    fit: &LadderFit,
    matches: Vec<MatchResult>,
) -> LadderTable {
    let row = |(model, rating): (&String, &tengen_stats::Rating)| LadderRow {
        model: model.clone(),
        elo: rating.elo,
        interval: [rating.interval.low, rating.interval.high],
        games: rating.games as u64,
        score: rating.score,
    };
    let mut rows: Vec<LadderRow> = models.iter().zip(&fit.ratings).map(row).collect();
    rows.sort_by(|x, y| y.elo.total_cmp(&x.elo));
    LadderTable {
        setup,
        seed: config.play.seed,
        visits: config.play.agent.visits,
        anchor: models[config.anchor as usize].clone(),
        rows,
        first_seat: fit.first_seat.0,
        first_seat_interval: [fit.first_seat.1.low, fit.first_seat.1.high],
        matches,
    }
}
