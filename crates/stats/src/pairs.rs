//! Pentanomial counts: two games from the same start with seats exchanged are one observation.
//!
//! An opening that favours one seat adds variance to single games but cancels within a pair; counting games one by one
//! overstates the variance and wastes games (M. Van den Bergh, "Normalized Elo"). Not here: playing them.

use crate::interval::{Interval, wilson, z_of_level};

/// How many pairs gave 0, ½, 1, 1½ and 2 points to the player under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PairCounts(pub [u64; 5]);

impl PairCounts {
    /// Adds one pair from the points of its two games, each 0, ½ or 1 (rounded to the nearest half).
    pub fn add(&mut self, first: f64, second: f64) {
        let halves = ((first + second) * 2.0).round().clamp(0.0, 4.0);
        self.0[halves as usize] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score in [0, 1]; ½ when there are no pairs.
    pub fn score(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        Moments::of(&self.0.map(|n| n as f64)).mean
    }

    /// Variance of one pair's score (population form, divisor N); 0 when there are no pairs.
    pub fn variance(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        Moments::of(&self.0.map(|n| n as f64)).variance
    }

    /// Interval of the true mean score at `level`, always inside [0, 1]; [0, 1] when there are no pairs.
    ///
    /// A Wilson interval whose number of trials is the effective one, N·s(1−s)/σ². Mean and variance of that ratio are
    /// taken after adding one pair spread evenly over the five outcomes: with all draws or all wins the observed
    /// variance is 0, yet few pairs prove little. The ratio is at least about N, since scores lie in [0, 1]. As the
    /// variance is estimated, the normal quantile z is widened to Student's, z(1 + (z² + 1)/4N) to first order.
    pub fn score_interval(&self, level: f64) -> Interval {
        let n = self.pairs() as f64;
        if n == 0.0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let smooth = Moments::of(&self.0.map(|c| c as f64 + 0.2));
        let student = 1.0 + (z_of_level(level).powi(2) + 1.0) / (4.0 * n);
        let effective = n * smooth.mean * (1.0 - smooth.mean) / smooth.variance / student.powi(2);
        wilson(self.score(), effective, level)
    }

    /// The same pairs seen by the other player.
    pub fn reversed(&self) -> PairCounts {
        let mut counts = self.0;
        counts.reverse();
        PairCounts(counts)
    }

    /// Counts with empty cells raised to 1e-3, so that likelihood ratios exist (the convention of fishtest).
    pub(crate) fn regularised(&self) -> [f64; 5] {
        self.0.map(|n| (n as f64).max(1e-3))
    }
}

/// Mean and variance of weights over the scores 0, ¼, ½, ¾, 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl Moments {
    /// The weights must not all be 0.
    pub(crate) fn of(weights: &[f64; 5]) -> Moments {
        let sum: f64 = weights.iter().sum();
        let over = |f: &dyn Fn(f64) -> f64| -> f64 {
            weights.iter().enumerate().map(|(i, w)| w * f(i as f64 / 4.0)).sum::<f64>() / sum
        };
        let mean = over(&|a| a);
        Moments { mean, variance: over(&|a| (a - mean).powi(2)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed_moments() {
        // One pair each of 0, 1 and 2 points: mean ½, variance (¼ + 0 + ¼)/3.
        let counts = PairCounts([1, 0, 1, 0, 1]);
        assert_eq!(counts.score(), 0.5);
        assert!((counts.variance() - 1.0 / 6.0).abs() < 1e-15);
        let mut counts = PairCounts::default();
        for (a, b) in [(1.0, 1.0), (0.0, 1.0), (0.5, 0.5), (0.5, 0.0), (0.5, 1.0)] {
            counts.add(a, b);
        }
        assert_eq!(counts, PairCounts([0, 1, 2, 1, 1]));
        assert_eq!(counts.reversed(), PairCounts([1, 1, 2, 1, 0]));
    }

    #[test]
    fn intervals_stay_inside_and_shrink() {
        let none = PairCounts::default().score_interval(0.95);
        assert_eq!((none.low, none.high), (0.0, 1.0));
        for shape in [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 1], [0, 1, 0, 0, 0]] {
            let mut width = 1.0;
            for n in [1u64, 4, 16, 256, 65_536] {
                let counts = PairCounts(shape.map(|c| c * n));
                let i = counts.score_interval(0.95);
                assert!(0.0 <= i.low && i.high <= 1.0 && i.contains(counts.score()), "{counts:?} {i:?}");
                assert!(i.width() < width && i.width() > 0.0, "{counts:?} {i:?}");
                width = i.width();
            }
        }
    }
}
