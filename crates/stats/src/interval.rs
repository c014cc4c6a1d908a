//! Intervals of shares: Wilson and Clopper–Pearson. Not here: Elo (see `elo`), resampling (see `bootstrap`).

use std::fmt;

use crate::normal::{beta_cdf, quantile, root};

/// A closed interval; an infinite end is open: the data don't bound it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `x` lies inside.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Upper minus lower end.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Both ends through an increasing function.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Interval {
        Interval { low: f(self.low), high: f(self.high) }
    }
}

impl fmt::Display for Interval {
    /// `-12.3..45.6`; `open` for an infinite end. A precision applies to both ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let end = |x: f64| if x.is_finite() { format!("{x:+.digits$}") } else { "open".to_string() };
        write!(f, "{}..{}", end(self.low), end(self.high))
    }
}

/// Two-sided normal quantile of a level such as 0.95; levels are clamped to [0, 1 - 1e-12].
pub fn z_of_level(level: f64) -> f64 {
    quantile(0.5 + level.clamp(0.0, 1.0 - 1e-12) / 2.0)
}

/// Wilson score interval of a share observed as `share` in `n` trials; `n` may be an effective number and fractional.
/// [0, 1] when `n` is 0. E. B. Wilson, JASA 22 (1927).
pub fn wilson(share: f64, n: f64, level: f64) -> Interval {
    if n.is_nan() || n <= 0.0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let share = share.clamp(0.0, 1.0);
    if n.is_infinite() {
        return Interval { low: share, high: share };
    }
    let z2 = z_of_level(level).powi(2);
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = z2.sqrt() / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // Rounding may leave the ends a hair outside or exclude an extreme share.
    Interval { low: (centre - half).clamp(0.0, share), high: (centre + half).clamp(share, 1.0) }
}

/// Exact binomial interval of Clopper and Pearson (Biometrika 26, 1934): covers at least `level` for every true share.
/// [0, 1] when `n` is 0; `successes` above `n` counts as `n`.
pub fn clopper_pearson(successes: u64, n: u64, level: f64) -> Interval {
    let k = successes.min(n) as f64;
    let rest = n as f64 - k;
    let tail = (1.0 - level.clamp(0.0, 1.0)) / 2.0;
    let low = if k == 0.0 { 0.0 } else { root(0.0, 1.0, |p| beta_cdf(p, k, rest + 1.0) - tail) };
    let high = if rest == 0.0 { 1.0 } else { root(0.0, 1.0, |p| beta_cdf(p, k + 1.0, rest) - (1.0 - tail)) };
    Interval { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(i: Interval, low: f64, high: f64, eps: f64) {
        assert!((i.low - low).abs() < eps && (i.high - high).abs() < eps, "{i:?}, expected {low}..{high}");
    }

    #[test]
    fn published_values() {
        // R. G. Newcombe, Statistics in Medicine 17 (1998), table I: methods 3 (Wilson) and 5 (Clopper-Pearson).
        close(wilson(81.0 / 263.0, 263.0, 0.95), 0.2553, 0.3662, 6e-5);
        close(wilson(15.0 / 148.0, 148.0, 0.95), 0.0624, 0.1605, 6e-5);
        close(wilson(0.0, 20.0, 0.95), 0.0, 0.1611, 6e-5);
        close(wilson(1.0 / 29.0, 29.0, 0.95), 0.0061, 0.1718, 6e-5);
        close(clopper_pearson(81, 263, 0.95), 0.2527, 0.3676, 6e-5);
        close(clopper_pearson(15, 148, 0.95), 0.0578, 0.1617, 6e-5);
        close(clopper_pearson(0, 20, 0.95), 0.0, 0.1684, 6e-5);
        close(clopper_pearson(1, 29, 0.95), 0.0009, 0.1776, 6e-5);
    }

    #[test]
    fn extremes_stay_inside() {
        assert_eq!(wilson(0.3, 0.0, 0.95), Interval { low: 0.0, high: 1.0 });
        assert_eq!(clopper_pearson(0, 0, 0.95), Interval { low: 0.0, high: 1.0 });
        for n in [1u64, 2, 7, 1000, 1_000_000] {
            for k in [0, n / 2, n] {
                for i in [wilson(k as f64 / n as f64, n as f64, 0.95), clopper_pearson(k, n, 0.95)] {
                    assert!(0.0 <= i.low && i.low <= i.high && i.high <= 1.0, "{k}/{n}: {i:?}");
                    assert!(i.contains(k as f64 / n as f64), "{k}/{n}: {i:?}");
                }
            }
        }
    }

    #[test]
    fn exact_covers_at_least_its_level() {
        // Direct binomial sum, no simulation.
        for p in [0.02f64, 0.3, 0.5, 0.77] {
            let n = 25u64;
            let mut covered = 0.0;
            let mut mass = (1.0 - p).powi(n as i32);
            for k in 0..=n {
                if clopper_pearson(k, n, 0.95).contains(p) {
                    covered += mass;
                }
                mass *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
            assert!(covered >= 0.95, "{p}: {covered}");
        }
    }

    #[test]
    fn open_ends_say_so() {
        assert_eq!(Interval { low: 3.25, high: f64::INFINITY }.to_string(), "+3.2..open");
    }
}
