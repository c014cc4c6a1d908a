//! How agents search and how games are cut short. Plain data with checks; defaults are for matches.
//! Not here: how many games, against whom.

use serde::{Deserialize, Serialize};
use tengen_data::SearchKind;
use tengen_search::{Limits, SearchConfig};

use crate::starts::StartsConfig;
use crate::stream::Stream;

/// How one agent decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// The search itself.
    pub search: SearchConfig,
    /// Simulations of a full search.
    pub visits: u32,
    /// Simulations of a fast search, at most `visits`; only used when `full_share` is below 1.
    pub visits_fast: u32,
    /// Playout cap randomisation: the share of decisions that get a full search. 1 turns it off. Protocol choices and
    /// offers always get a full search. Fast searches don't explore.
    pub full_share: f32,
    /// Noise at the root and temperature in the choice, as the search's own settings say. For games to learn from; in
    /// matches variety comes from starts.
    pub explore: bool,
    /// Share of undecided moves that are drawn at random instead of searched, when exploring: variety for games that
    /// would all be alike. Recorded as `Book`; labels of earlier rows then use search values, not the result.
    pub random_share: f32,
}

impl Default for AgentConfig {
    fn default() -> AgentConfig {
        AgentConfig {
            search: SearchConfig::default(),
            visits: 64,
            visits_fast: 16,
            full_share: 1.0,
            explore: false,
            random_share: 0.0,
        }
    }
}

impl AgentConfig {
    /// The default search with that many visits, no noise.
    pub fn playing(visits: u32) -> AgentConfig {
        AgentConfig { visits, visits_fast: visits, ..AgentConfig::default() }
    }

    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        self.search.check().map_err(|e| format!("search.{e}"))?;
        if !(1..=Limits::VISITS_MAX).contains(&self.visits) {
            return Err(format!("visits is {}; allowed are 1 to {}", self.visits, Limits::VISITS_MAX));
        }
        if !(1..=self.visits).contains(&self.visits_fast) {
            return Err(format!("visits_fast is {}; allowed are 1 to visits ({})", self.visits_fast, self.visits));
        }
        if !(0.0..=1.0).contains(&self.full_share) {
            return Err(format!("full_share is {}; allowed are 0 to 1", self.full_share));
        }
        if !(0.0..=1.0).contains(&self.random_share) {
            return Err(format!("random_share is {}; allowed are 0 to 1", self.random_share));
        }
        Ok(())
    }

    /// What the next decision may spend. Takes one draw from the stream.
    pub fn limits(&self, choice: bool, stream: &mut Stream) -> (Limits, SearchKind) {
        let full = stream.chance(f64::from(self.full_share)) || choice;
        let visits = if full { self.visits } else { self.visits_fast };
        let limits = Limits { visits, noise: self.explore && full, temperature: self.explore };
        (limits, if full { SearchKind::Full } else { SearchKind::Fast })
    }
}

/// When a seat gives up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resignation {
    /// Off by default.
    pub enabled: bool,
    /// A seat resigns when the value of its root, in [-1, 1], stays at or below this.
    pub value: f32,
    /// For this many of its own searches in a row.
    pub streak: u32,
    /// Share of games that are played out all the same, to measure how often resigning would have been wrong.
    pub spare_share: f32,
}

impl Default for Resignation {
    fn default() -> Resignation {
        Resignation { enabled: false, value: -0.95, streak: 3, spare_share: 0.1 }
    }
}

/// Random plies that a game takes from its own stream when it's given no start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningPlies {
    /// Share of games that get random plies. 0 by default.
    pub share: f32,
    /// How they are drawn. Candidates that are decided are drawn again.
    pub starts: StartsConfig,
}

/// What ends a game besides the rules, and how it begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameLimits {
    /// Plies after which a game is cut; 0 means three times the board's area plus 64.
    pub plies_max: u32,
    /// Giving up.
    pub resign: Resignation,
    /// Random plies at the start.
    pub opening: OpeningPlies,
}

impl GameLimits {
    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        let r = &self.resign;
        if self.plies_max > 100_000 {
            return Err(format!("plies_max is {}; allowed are 0 to 100000", self.plies_max));
        }
        if !(-1.0..=0.0).contains(&r.value) {
            return Err(format!("resign.value is {}; allowed are -1 to 0", r.value));
        }
        if !(1..=1000).contains(&r.streak) {
            return Err(format!("resign.streak is {}; allowed are 1 to 1000", r.streak));
        }
        if !(0.0..=1.0).contains(&r.spare_share) {
            return Err(format!("resign.spare_share is {}; allowed are 0 to 1", r.spare_share));
        }
        if !(0.0..=1.0).contains(&self.opening.share) {
            return Err(format!("opening.share is {}; allowed are 0 to 1", self.opening.share));
        }
        self.opening.starts.check().map_err(|e| format!("opening.starts.{e}"))
    }

    /// The cap in plies on a board of `area` points.
    pub fn cap(&self, area: usize) -> usize {
        if self.plies_max == 0 { 3 * area + 64 } else { self.plies_max as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_pass_and_errors_name_the_field() {
        AgentConfig::default().check().unwrap();
        GameLimits::default().check().unwrap();
        assert!(AgentConfig { visits: 0, ..Default::default() }.check().unwrap_err().starts_with("visits is 0"));
        assert!(AgentConfig { full_share: f32::NAN, ..Default::default() }.check().unwrap_err().contains("full_share"));
        let mut limits = GameLimits::default();
        limits.resign.value = 0.5;
        assert!(limits.check().unwrap_err().contains("-1 to 0"));
        limits = GameLimits::default();
        limits.opening.starts.plies_min = 9;
        assert!(limits.check().unwrap_err().starts_with("opening.starts.plies_min"));
    }

    #[test]
    fn playout_cap_spares_choices_and_noise() {
        let agent = AgentConfig { visits: 100, visits_fast: 10, full_share: 0.25, explore: true, ..Default::default() };
        let mut stream = Stream::new(1, 1);
        let kinds: Vec<_> = (0..4000).map(|_| agent.limits(false, &mut stream)).collect();
        let full = kinds.iter().filter(|k| k.1 == SearchKind::Full).count();
        assert!((full as f64 / 1000.0 - 1.0).abs() < 0.1, "{full}");
        assert!(kinds.iter().all(|(l, k)| l.noise == (*k == SearchKind::Full) && l.temperature));
        assert!((0..100).all(|_| agent.limits(true, &mut stream).1 == SearchKind::Full));
    }
}
