//! Settings of self-play. Not here: the search's own (`search`), the game's (`game`).

use serde::{Deserialize, Serialize};
use tengen_play::{AgentConfig, GameLimits, OpeningPlies, Resignation, StartsConfig};
use tengen_search::SearchConfig;

/// In which of its orientations the network sees a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Orientation {
    /// All positions that are alike up to symmetry in the same one (without a cache: as they lie).
    #[default]
    Canonical,
    /// In one drawn from the position, the model and the run's seed.
    Random,
}

/// How games are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Games per iteration.
    pub games: usize,
    /// Games in flight per thread; each contributes one leaf per batch (a device gets half of them per batch, the other
    /// half is advanced meanwhile).
    pub in_flight: usize,
    /// Simulations of a full search.
    pub visits: u32,
    /// Simulations of a fast search.
    pub visits_fast: u32,
    /// Share of moves with a full search (playout cap randomisation); 1 turns it off.
    pub full_share: f32,
    /// Share of undecided moves that are drawn at random instead of searched, for variety.
    pub random_share: f32,
    /// Plies after which a game is cut; 0 means three times the board's area plus 64.
    pub plies_max: u32,
    /// Share of games that begin with random plies.
    pub random_start_share: f32,
    /// Fewest random plies of such a start.
    pub random_plies_min: u32,
    /// Most random plies of such a start.
    pub random_plies_max: u32,
    /// How far random stones lie from the centre, as a share of the board's side; 0 is anywhere.
    pub random_spread: f32,
    /// Whether seats may resign.
    pub resign: bool,
    /// A seat resigns when its root value stays at or below this.
    pub resign_value: f32,
    /// For so many of its own moves in a row.
    pub resign_streak: u32,
    /// Share of games played out all the same, to measure wrong resignations.
    pub resign_spare_share: f32,
    /// Positions in the evaluation cache; 0 turns it off.
    pub cache: usize,
    /// How positions are turned before they are evaluated.
    pub orientation: Orientation,
}

impl Default for SelfplayConfig {
    fn default() -> SelfplayConfig {
        let (starts, resign) = (StartsConfig::default(), Resignation::default());
        SelfplayConfig {
            games: 120,
            in_flight: 32,
            visits: 24,
            visits_fast: 8,
            full_share: 1.0,
            random_share: 0.0,
            plies_max: 0,
            random_start_share: 0.0,
            random_plies_min: starts.plies_min,
            random_plies_max: starts.plies_max,
            random_spread: starts.spread,
            resign: false,
            resign_value: resign.value,
            resign_streak: resign.streak,
            resign_spare_share: resign.spare_share,
            cache: 65_536,
            orientation: Orientation::default(),
        }
    }
}

impl SelfplayConfig {
    /// What the players of `play` need.
    pub fn agent(&self, search: &SearchConfig) -> AgentConfig {
        AgentConfig {
            search: search.clone(),
            visits: self.visits,
            visits_fast: self.visits_fast.min(self.visits),
            full_share: self.full_share,
            explore: true,
            random_share: self.random_share,
        }
    }

    /// What ends and opens games.
    pub fn limits(&self) -> GameLimits {
        GameLimits {
            plies_max: self.plies_max,
            resign: Resignation {
                enabled: self.resign,
                value: self.resign_value,
                streak: self.resign_streak,
                spare_share: self.resign_spare_share,
            },
            opening: OpeningPlies {
                share: self.random_start_share,
                starts: StartsConfig {
                    plies_min: self.random_plies_min,
                    plies_max: self.random_plies_max,
                    spread: self.random_spread,
                    ..StartsConfig::default()
                },
            },
        }
    }

    /// Checks every range; the error names the key and what it allows.
    pub fn check(&self) -> Result<(), String> {
        let whole = |name: &str, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(format!("selfplay.{name} = {value}: expected {low} to {high}"))
        };
        whole("games", self.games, 1, 10_000_000)?;
        whole("in_flight", self.in_flight, 1, 65_536)?;
        whole("cache", self.cache, 0, 100_000_000)?;
        if self.full_share < 1.0 {
            whole("visits_fast", self.visits_fast as usize, 1, self.visits as usize)?;
        }
        let named = |why: String| format!("selfplay.{why}");
        self.agent(&SearchConfig::default()).check().map_err(named)?;
        self.limits().check().map_err(|why| {
            let why = why.replacen("opening.share", "random_start_share", 1).replacen("resign.", "resign_", 1);
            named(why.replacen("opening.starts.", "random_", 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_pass_and_faults_are_named() {
        SelfplayConfig::default().check().unwrap();
        let fault = |change: fn(&mut SelfplayConfig)| {
            let mut c = SelfplayConfig::default();
            change(&mut c);
            c.check().unwrap_err()
        };
        assert!(fault(|c| c.games = 0).starts_with("selfplay.games = 0"));
        assert!(fault(|c| c.full_share = 2.0).contains("selfplay.full_share"));
        assert!(fault(|c| c.resign_value = 0.5).contains("selfplay.resign_value"));
        assert!(fault(|c| c.random_start_share = -1.0).contains("selfplay.random_start_share"));
        assert!(fault(|c| c.random_plies_min = 99).contains("selfplay.random_plies_min"));
    }
}
