//! Values of positions, kept apart by where they come from: model, visits, and the use that may be made of them.
//!
//! Choices and values must not come from one set. The best of many noisy estimates is too good to be true: with 221
//! classes of fifth moves, errors of 0.07 and eight offers, the estimate for Black is 0.08 and what Black gets is -0.05.
//! So lines are chosen by the set `Choose` and reported by the set `Value`, whose searches see other images of the board
//! under other seeds. What one network gets wrong in all images stays in both; that takes several networks, which is
//! why the model is part of the key. (A position that some symmetry keeps has fewer images than eight; its two sets may
//! share one and then differ by seed alone.) Not here: statistics over several models or strengths.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::position::Position;

/// What a value may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    /// Very short searches, or none, to shorten lists.
    Screen,
    /// Searches that choices are made on.
    Choose,
    /// Searches that chosen lines are valued on.
    Value,
}

/// Where values come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SampleKey {
    /// Model id.
    pub model: String,
    /// Simulations per search; 0 is the network alone.
    pub visits: u32,
    /// Their use.
    pub set: Set,
}

/// Several searches of one position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Mean value in [-1, 1] for Black.
    pub value: f64,
    /// Standard deviation over the searches (divisor n - 1); 0 for a single one. What all of them get wrong isn't in it.
    pub spread: f64,
    /// How many searches.
    pub searches: u32,
}

impl Estimate {
    fn of(values: &[f64]) -> Estimate {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n.max(1.0);
        let squares: f64 = values.iter().map(|v| (v - value).powi(2)).sum();
        let spread = if values.len() < 2 { 0.0 } else { (squares / (n - 1.0)).sqrt() };
        Estimate { value, spread, searches: values.len() as u32 }
    }
}

/// All values of a study.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    sets: BTreeMap<SampleKey, BTreeMap<Position, Estimate>>,
}

impl Samples {
    /// Adds the values of one position, in [-1, 1] for Black; the position must not be there yet.
    pub fn add(&mut self, key: &SampleKey, position: Position, values: &[f64]) {
        let set = match self.sets.get_mut(key) {
            Some(set) => set,
            None => self.sets.entry(key.clone()).or_default(),
        };
        set.insert(position, Estimate::of(values));
    }

    /// What is known of a position.
    pub fn get(&self, key: &SampleKey, position: &Position) -> Option<Estimate> {
        self.sets.get(key)?.get(position).copied()
    }

    /// Where values came from, with the number of positions and of searches.
    pub fn summary(&self) -> Vec<(SampleKey, usize, u64)> {
        let searches = |set: &BTreeMap<Position, Estimate>| set.values().map(|e| u64::from(e.searches)).sum();
        self.sets.iter().map(|(key, set)| (key.clone(), set.len(), searches(set))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_mean_and_spread() {
        let e = Estimate::of(&[0.1, 0.3]);
        assert!((e.value - 0.2).abs() < 1e-12 && (e.spread - 0.02f64.sqrt()).abs() < 1e-12 && e.searches == 2);
        assert_eq!(Estimate::of(&[0.5]), Estimate { value: 0.5, spread: 0.0, searches: 1 });
        assert_eq!(Estimate::of(&[]).value, 0.0);
    }
}
