//! What can be set about a search, with defaults that were tested, and the checks at the door.
//!
//! All of it is plain data; nothing here knows a game. How many visits a particular move gets is in [`Limits`], which
//! the caller gives per search. Not here: how the numbers are used (see `select`).

use serde::{Deserialize, Serialize};

/// How moves are picked in the tree; each has a file under `select`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Gumbel-top-k with sequential halving and completed Q; for few visits (below about a hundred).
    #[default]
    Gumbel,
    /// AlphaZero's rule with KataGo's refinements; for many visits.
    Puct,
}

/// Settings of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// The selection rule.
    pub rule: Rule,
    /// Read by rule `gumbel`, and by every rule at an offer root.
    pub gumbel: GumbelConfig,
    /// Read by rule `puct`.
    pub puct: PuctConfig,
    /// Exact knowledge asked of the game.
    pub proof: ProofConfig,
}

/// Work that `Game::proven` may do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProofConfig {
    /// Whether the game is asked at all. Ends of games are seen either way.
    pub enabled: bool,
    /// Nodes per new tree node; 0 asks for the cheapest checks only.
    pub leaf: u32,
    /// Nodes at the root.
    pub root: u32,
}

impl Default for ProofConfig {
    fn default() -> ProofConfig {
        ProofConfig { enabled: true, leaf: 50, root: 2000 }
    }
}

/// Gumbel search (Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GumbelConfig {
    /// Root actions considered at most; never more than visits or legal actions.
    pub considered: u32,
    /// In sigma(q) = (c_visit + most visits of an action) * c_scale * q.
    pub c_visit: f32,
    /// As above. Utilities q are in [-1, 1] on a fixed scale, so that a small gap stays small.
    ///
    /// At 0.5 the better side of a swap worth 0.05 is taken 93 % of the time with 8 visits; over noisy decisions 0.5 and
    /// 1 play best where evaluations are good, 0.25 where they are bad (`tests/suite/tuning.rs` prints the table).
    pub c_scale: f32,
    /// Share of sigma in the policy whose mean is the root value: 0 is the prior's mean, 1 the target's, which is too
    /// high because it follows the errors of evaluations. At 0.2 the mean error was least over the same decisions.
    pub value_share: f32,
}

impl Default for GumbelConfig {
    fn default() -> GumbelConfig {
        GumbelConfig { considered: 16, c_visit: 50.0, c_scale: 0.5, value_share: 0.2 }
    }
}

/// PUCT (Silver et al. 2018) with growth, first-play urgency and noise as in KataGo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PuctConfig {
    /// Exploration at few visits.
    pub cpuct: f32,
    /// Exploration grows by cpuct_log * ln((visits + cpuct_base) / cpuct_base).
    pub cpuct_log: f32,
    /// As above.
    pub cpuct_base: f32,
    /// An unvisited action counts as the node's value minus this times the root of the visited policy mass.
    pub fpu_reduction: f32,
    /// As above, at a root with noise.
    pub fpu_reduction_root: f32,
    /// Share of Dirichlet noise in the root policy, when the limits ask for noise.
    pub noise_weight: f32,
    /// Sum of the Dirichlet parameters; each of k actions gets noise_alpha / k.
    pub noise_alpha: f32,
    /// Flattens the root policy (power 1 / temperature), when the limits ask for noise.
    pub root_temperature: f32,
    /// Moves are drawn by visits to the power 1 / temperature, when the limits ask for it; 0 plays the best.
    pub temperature: f32,
    /// For this many plies of the game; later the most visited action is played.
    pub temperature_plies: u32,
    /// Whether the tree below the played action is kept for the next search.
    pub reuse: bool,
}

impl Default for PuctConfig {
    fn default() -> PuctConfig {
        PuctConfig {
            cpuct: 1.1,
            cpuct_log: 0.45,
            cpuct_base: 500.0,
            fpu_reduction: 0.2,
            fpu_reduction_root: 0.0,
            noise_weight: 0.25,
            noise_alpha: 10.83,
            root_temperature: 1.1,
            temperature: 1.0,
            temperature_plies: 30,
            reuse: true,
        }
    }
}

fn range(field: &str, value: f32, low: f32, high: f32) -> Result<(), String> {
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} = {value}: expected a number from {low} to {high}"))
}

fn whole(field: &str, value: u32, low: u32, high: u32) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} = {value}: expected a whole number from {low} to {high}"))
}

impl SearchConfig {
    /// Whether all values are in range; the error names the field and what was expected.
    pub fn check(&self) -> Result<(), String> {
        whole("proof.leaf", self.proof.leaf, 0, 1_000_000)?;
        whole("proof.root", self.proof.root, 0, 100_000_000)?;
        let g = &self.gumbel;
        whole("gumbel.considered", g.considered, 1, 1024)?;
        range("gumbel.c_visit", g.c_visit, 0.0, 10_000.0)?;
        range("gumbel.c_scale", g.c_scale, 0.001, 100.0)?;
        range("gumbel.value_share", g.value_share, 0.0, 1.0)?;
        let p = &self.puct;
        range("puct.cpuct", p.cpuct, 0.01, 100.0)?;
        range("puct.cpuct_log", p.cpuct_log, 0.0, 100.0)?;
        range("puct.cpuct_base", p.cpuct_base, 1.0, 1e9)?;
        range("puct.fpu_reduction", p.fpu_reduction, 0.0, 2.0)?;
        range("puct.fpu_reduction_root", p.fpu_reduction_root, 0.0, 2.0)?;
        range("puct.noise_weight", p.noise_weight, 0.0, 1.0)?;
        range("puct.noise_alpha", p.noise_alpha, 0.01, 10_000.0)?;
        range("puct.root_temperature", p.root_temperature, 0.1, 10.0)?;
        range("puct.temperature", p.temperature, 0.0, 10.0)?;
        whole("puct.temperature_plies", p.temperature_plies, 0, 100_000)
    }
}

/// What one search may spend, and whether it explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Simulations: the visits of all root actions together, 1 to `Limits::VISITS_MAX`. The evaluation of the root
    /// itself comes on top. With a tree kept from the last search, visits already there count.
    pub visits: u32,
    /// Gumbel noise, or Dirichlet noise and root temperature.
    pub noise: bool,
    /// Move choice by temperature (rule `puct` only; Gumbel noise does the same for rule `gumbel`).
    pub temperature: bool,
}

impl Limits {
    /// Most visits of one search: sums in the tree are exact enough up to here.
    pub const VISITS_MAX: u32 = 1_000_000;

    /// For games to learn from: explores.
    pub fn training(visits: u32) -> Limits {
        Limits { visits, noise: true, temperature: true }
    }

    /// For games that count: no noise; the same position always gets the same move.
    pub fn playing(visits: u32) -> Limits {
        Limits { visits, noise: false, temperature: false }
    }

    /// Whether visits are in range; the error names the field and what was expected.
    pub fn check(&self) -> Result<(), String> {
        whole("visits", self.visits, 1, Limits::VISITS_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_pass_and_errors_name_field_and_range() {
        SearchConfig::default().check().unwrap();
        let mut config = SearchConfig::default();
        config.gumbel.c_scale = f32::NAN;
        assert_eq!(config.check().unwrap_err(), "gumbel.c_scale = NaN: expected a number from 0.001 to 100");
        config = SearchConfig::default();
        config.gumbel.considered = 0;
        assert!(config.check().unwrap_err().starts_with("gumbel.considered = 0: expected a whole number from 1"));
        assert!(Limits::playing(0).check().is_err() && Limits::playing(Limits::VISITS_MAX + 1).check().is_err());
        assert!(Limits::training(1).check().is_ok());
    }
}
