//! The gate: a sequential test whether a candidate is stronger, on pairs in order of index.
//!
//! Short games finish first; counting them as they come would favour whoever wins quickly. So the test looks only after
//! complete pairs in order of submission; games beyond the deciding pair are thrown away. Every pair has a start of its
//! own: where the game has fewer distinct starts than `pairs_max`, the test ends there. Not here: promotion.

use serde::{Deserialize, Serialize};
use tengen_data::GameRecord;
use tengen_game::Game;
use tengen_search::EvaluatorSource;
use tengen_stats::{Decision, EloEstimate, Interval, stopped_elo};

use crate::config::GateConfig;
use crate::run::{MatchGames, MatchResult, match_starts, play_match};
use crate::tally::Tally;
use crate::{ArenaError, Watch};

/// The gate's numbers, for a file. Open ends of intervals are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Whether the candidate passed.
    pub accepted: bool,
    /// Whether the test ended without a decision; then `accepted` is false.
    pub undecided: bool,
    /// Log likelihood ratio at the end.
    pub llr: f64,
    /// Bounds of the ratio: at or below the first the candidate is refused, at or above the second it's accepted.
    pub bounds: [f64; 2],
    /// The hypotheses, in Elo.
    pub hypotheses: [f64; 2],
    /// Pairs counted.
    pub pairs: u64,
    /// Pairs at which an undecided test ends.
    pub pairs_max: u64,
    /// Pairs in which the candidate made 0, ½, 1, 1½ and 2 points.
    pub counts: [u64; 5],
    /// Candidate minus best in Elo: median-unbiased after stopping. Null if unbounded.
    pub elo: Option<f64>,
    /// Its 95 % interval.
    pub interval: [Option<f64>; 2],
    /// Normalised Elo (not corrected for stopping). Null if all pairs were alike.
    pub normalised: Option<f64>,
    /// Drawn games, games without result included.
    pub draws: u64,
    /// Games with different actions.
    pub distinct_games: u64,
    /// Candidate, then best.
    pub models: [String; 2],
    /// Positions the models were asked about.
    pub evaluations: u64,
    /// Seed of starts and games.
    pub seed: u64,
    /// Rules and opening of the games.
    pub setup: String,
    /// Simulations per move.
    pub visits: u32,
    /// All counts.
    pub tally: Tally,
}

/// Tests `models[0]`, the candidate, against `models[1]`, the best. `done` are games of this very test that finished
/// before an interruption; with them the verdict is that of an uninterrupted test.
pub fn play_gate<G: Game>(
    source: &dyn EvaluatorSource<G>,
    setup: &G::Setup,
    models: [&str; 2],
    config: &GateConfig,
    done: Vec<GameRecord>,
    watch: &mut dyn Watch,
) -> Result<Verdict, ArenaError> {
    config.check().map_err(ArenaError::Config)?;
    let starts = match_starts(source, setup, models, &config.play, u64::from(config.pairs_max))?;
    let pairs = (starts.len() as u64).min(u64::from(config.pairs_max));
    let mut enough = |tally: &Tally| decide(config, tally) != Decision::Continue;
    let games = MatchGames { pairs, starts: &starts, done };
    let result = play_match(source, setup, models, &config.play, games, watch, &mut enough)?;
    Ok(verdict(config, pairs, result))
}

/// What the test says after these pairs.
fn decide(config: &GateConfig, tally: &Tally) -> Decision {
    if tally.pairs < u64::from(config.pairs_min) {
        return Decision::Continue;
    }
    let test = config.sprt();
    test.decide(test.llr_exact(&tally.pair_counts()))
}

fn verdict(config: &GateConfig, pairs_max: u64, result: MatchResult) -> Verdict {
    let test = config.sprt();
    let tally = result.tally;
    let counts = tally.pair_counts();
    let decision = decide(config, &tally);
    let nothing = (0.0, Interval { low: f64::NEG_INFINITY, high: f64::INFINITY });
    let (elo, interval) = stopped_elo(&test, &counts).unwrap_or(nothing);
    let (low, high) = test.bounds();
    Verdict {
        accepted: decision == Decision::AcceptH1,
        undecided: decision == Decision::Continue,
        llr: test.llr_exact(&counts),
        bounds: [low, high],
        hypotheses: [config.elo0, config.elo1],
        pairs: tally.pairs,
        pairs_max,
        counts: tally.counts,
        elo: finite(elo),
        interval: [finite(interval.low), finite(interval.high)],
        normalised: EloEstimate::of(&counts).normalised,
        draws: tally.draws + tally.no_results,
        distinct_games: tally.distinct_games,
        models: result.models,
        evaluations: tally.evaluations,
        seed: result.seed,
        setup: result.setup,
        visits: result.visits,
        tally,
    }
}

/// JSON has no infinity.
pub(crate) fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
