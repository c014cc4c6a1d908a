//! Settings of matches, the gate and the ladder. Defaults once, here; unknown keys are errors.
//! Not here: which models, and the number of threads a machine has.

use serde::{Deserialize, Serialize};
use tengen_play::{AgentConfig, GameLimits, StartsConfig};
use tengen_stats::{Scale, Sprt};

/// How games of a match are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchConfig {
    /// Search of both players, the same for both but for `visits_b`.
    pub agent: AgentConfig,
    /// Simulations of player B where they differ (a handicap match); 0 is the same as A's.
    pub visits_b: u32,
    /// What ends a game besides the rules.
    pub limits: GameLimits,
    /// Random starts, distinct up to symmetry. `plies_max` 0 plays every game from the first position.
    pub starts: StartsConfig,
    /// Whether starts are drawn towards balance, by the mean value of both models.
    pub balanced: bool,
    /// Seed of starts and games.
    pub seed: u64,
    /// Worker threads, 1 to 1024. Results don't depend on it.
    pub threads: u32,
    /// Games in flight per thread, 1 to 4096: the batch size.
    pub games_in_flight: u32,
}

impl Default for MatchConfig {
    fn default() -> MatchConfig {
        MatchConfig {
            agent: AgentConfig::default(),
            visits_b: 0,
            limits: GameLimits::default(),
            starts: StartsConfig::default(),
            balanced: true,
            seed: 1,
            threads: 1,
            games_in_flight: 32,
        }
    }
}

impl MatchConfig {
    /// How player 0 (A) or 1 (B) searches.
    pub fn agent_of(&self, player: usize) -> AgentConfig {
        let mut agent = self.agent.clone();
        if player == 1 && self.visits_b > 0 {
            agent.visits = self.visits_b;
            agent.visits_fast = agent.visits_fast.min(self.visits_b);
        }
        agent
    }

    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        self.agent.check().map_err(|e| format!("agent.{e}"))?;
        self.agent_of(1).check().map_err(|e| format!("visits_b: {e}"))?;
        self.limits.check().map_err(|e| format!("limits.{e}"))?;
        self.starts.check().map_err(|e| format!("starts.{e}"))?;
        if self.limits.opening.share > 0.0 {
            return Err("limits.opening.share must be 0 in matches; both games of a pair need the same start".into());
        }
        whole("threads", self.threads, 1, 1024)?;
        whole("games_in_flight", self.games_in_flight, 1, 4096)
    }
}

fn whole(field: &str, value: u32, low: u32, high: u32) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} is {value}; allowed are {low} to {high}"))
}

/// Units of a gate's hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtScale {
    /// Logistic Elo.
    #[default]
    Elo,
    /// Normalised Elo.
    Normalised,
}

/// A sequential test of a candidate against the best. For an alarm (is the newest model much weaker?) set `elo0` to -50
/// and `elo1` to 0: refused then means a proven regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// H0: the candidate is this much stronger, or less.
    pub elo0: f64,
    /// H1: the candidate is this much stronger, or more.
    pub elo1: f64,
    /// Chance to accept under H0.
    pub alpha: f64,
    /// Chance to refuse under H1.
    pub beta: f64,
    /// Units of `elo0` and `elo1`.
    pub scale: SprtScale,
    /// No decision before this many pairs.
    pub pairs_min: u32,
    /// Undecided after this many pairs: not promoted, but no proof of weakness either.
    pub pairs_max: u32,
    /// How games are played.
    pub play: MatchConfig,
}

impl Default for GateConfig {
    fn default() -> GateConfig {
        GateConfig {
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            beta: 0.05,
            scale: SprtScale::Elo,
            pairs_min: 16,
            pairs_max: 200,
            play: MatchConfig::default(),
        }
    }
}

impl GateConfig {
    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        self.sprt().check()?;
        whole("pairs_min", self.pairs_min, 2, 100_000)?;
        whole("pairs_max", self.pairs_max, self.pairs_min, 1_000_000)?;
        self.play.check().map_err(|e| format!("play.{e}"))
    }

    /// The test.
    pub fn sprt(&self) -> Sprt {
        let scale = match self.scale {
            SprtScale::Elo => Scale::Logistic,
            SprtScale::Normalised => Scale::Normalised,
        };
        Sprt { elo0: self.elo0, elo1: self.elo1, alpha: self.alpha, beta: self.beta, scale }
    }
}

/// A round robin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LadderConfig {
    /// Pairs of games between every two players.
    pub pairs: u32,
    /// Position of the player whose rating is 0, in the list of players.
    pub anchor: u32,
    /// How games are played.
    pub play: MatchConfig,
}

impl Default for LadderConfig {
    fn default() -> LadderConfig {
        LadderConfig { pairs: 20, anchor: 0, play: MatchConfig::default() }
    }
}

impl LadderConfig {
    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        whole("pairs", self.pairs, 1, 1_000_000)?;
        self.play.check().map_err(|e| format!("play.{e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_pass_and_errors_name_the_field() {
        GateConfig::default().check().unwrap();
        LadderConfig::default().check().unwrap();
        let err = |f: &dyn Fn(&mut GateConfig)| {
            let mut c = GateConfig::default();
            f(&mut c);
            c.check().unwrap_err()
        };
        assert!(err(&|c| c.elo1 = -1.0).contains("elo0"));
        assert!(err(&|c| c.pairs_max = 3).starts_with("pairs_max is 3; allowed are 16"));
        assert!(err(&|c| c.play.threads = 0).starts_with("play.threads is 0; allowed are 1"));
        assert!(err(&|c| c.play.agent.search.gumbel.considered = 0).starts_with("play.agent.search.gumbel.considered"));
        assert!(err(&|c| c.play.limits.opening.share = 0.5).starts_with("play.limits.opening.share"));
    }

    #[test]
    fn unknown_keys_are_refused() {
        assert!(serde_json::from_str::<GateConfig>(r#"{"elo2": 3}"#).unwrap_err().to_string().contains("elo2"));
        let c: GateConfig = serde_json::from_str(r#"{"pairs_max": 30, "scale": "normalised"}"#).unwrap();
        assert_eq!((c.pairs_max, c.scale, c.elo1), (30, SprtScale::Normalised, 50.0));
    }
}
