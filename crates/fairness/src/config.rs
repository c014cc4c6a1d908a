//! What can be set about a fairness study, with defaults that fit about ten minutes on two cores. Unknown keys are errors.
//! Not here: which openings and protocols are asked about (`run`).

use serde::{Deserialize, Serialize};
use tengen_play::{AgentConfig, GameLimits};
use tengen_search::{Limits, SearchConfig};

/// A playoff with fewer pairs says "not measured": intervals from fewer are too wide to be read, and tempt to be.
pub const PAIRS_MIN: u32 = 20;

/// Settings of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FairnessConfig {
    /// Simulations of one search of a position.
    pub visits: u32,
    /// Simulations of the search whose policy ranks fourth moves.
    pub visits_root: u32,
    /// Simulations of the short search that shortens lists; 0 takes the network's value as it is.
    pub visits_screen: u32,
    /// Fourth moves kept per opening: half of them by that policy, half whose screened value is nearest to even.
    pub fourths: u32,
    /// Classes of fifth moves kept per fourth move, by screened value. Half as many are the most offers looked at.
    pub fifths: u32,
    /// Searches per position in the set that choices are made on, each of another image of the board.
    pub images_choose: u32,
    /// Searches per position in the set that chosen lines are valued on; none of their images is in the other set.
    pub images_value: u32,
    /// Random three-stone openings beside the 26, for protocols that let a seat place three stones anywhere.
    pub triples: u32,
    /// Pairs of games in each playoff; 0 plays none.
    pub pairs: u32,
    /// Simulations per move in playoffs.
    pub visits_playoff: u32,
    /// Settings of all searches.
    pub search: SearchConfig,
    /// What ends a playoff game besides the rules.
    pub limits: GameLimits,
    /// Seed of searches, random openings and games.
    pub seed: u64,
    /// Worker threads, 1 to 1024. Results don't depend on it.
    pub threads: u32,
    /// Searches or games in flight per thread, 1 to 4096: the batch size.
    pub in_flight: u32,
}

impl Default for FairnessConfig {
    fn default() -> FairnessConfig {
        FairnessConfig {
            visits: 64,
            visits_root: 256,
            visits_screen: 4,
            fourths: 12,
            fifths: 24,
            images_choose: 2,
            images_value: 4,
            triples: 38,
            pairs: 24,
            visits_playoff: 16,
            search: SearchConfig::default(),
            limits: GameLimits::default(),
            seed: 1,
            threads: 1,
            in_flight: 64,
        }
    }
}

impl FairnessConfig {
    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        self.search.check().map_err(|e| format!("search.{e}"))?;
        self.limits.check().map_err(|e| format!("limits.{e}"))?;
        whole("visits", self.visits, 1, Limits::VISITS_MAX)?;
        whole("visits_root", self.visits_root, 1, Limits::VISITS_MAX)?;
        whole("visits_screen", self.visits_screen, 0, Limits::VISITS_MAX)?;
        whole("visits_playoff", self.visits_playoff, 1, Limits::VISITS_MAX)?;
        whole("fourths", self.fourths, 1, 625)?;
        whole("fifths", self.fifths, 2, 221)?;
        whole("images_choose", self.images_choose, 1, 7)?;
        // Eight images in all, so the rest is what the other set may use.
        whole("images_value", self.images_value, 1, 8 - self.images_choose)?;
        whole("triples", self.triples, 0, 10_000)?;
        whole("pairs", self.pairs, 0, 1_000_000)?;
        if self.pairs > 0 && self.pairs < PAIRS_MIN {
            return Err(format!("pairs is {}; allowed are 0 (no playoffs) and {PAIRS_MIN} or more", self.pairs));
        }
        if self.limits.opening.share > 0.0 {
            return Err("limits.opening.share must be 0: playoffs start from the position they are about".into());
        }
        whole("threads", self.threads, 1, 1024)?;
        whole("in_flight", self.in_flight, 1, 4096)
    }

    /// How both players of a playoff search: with noise at the root, so that games from one position differ.
    pub fn agent(&self) -> AgentConfig {
        AgentConfig { search: self.search.clone(), explore: true, ..AgentConfig::playing(self.visits_playoff) }
    }
}

fn whole(field: &str, value: u32, low: u32, high: u32) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} is {value}; allowed are {low} to {high}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_pass_and_errors_name_the_field() {
        FairnessConfig::default().check().unwrap();
        let err = |f: &dyn Fn(&mut FairnessConfig)| {
            let mut c = FairnessConfig::default();
            f(&mut c);
            c.check().unwrap_err()
        };
        assert!(err(&|c| c.pairs = 19).starts_with("pairs is 19; allowed are 0 (no playoffs) and 20"));
        assert!(err(&|c| c.images_value = 7).starts_with("images_value is 7; allowed are 1 to 6"));
        assert!(err(&|c| c.fifths = 0).starts_with("fifths is 0; allowed are 2"));
        assert!(err(&|c| c.search.gumbel.considered = 0).starts_with("search.gumbel.considered"));
        assert!(serde_json::from_str::<FairnessConfig>(r#"{"pears": 3}"#).unwrap_err().to_string().contains("pears"));
    }
}
