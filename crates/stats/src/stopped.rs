//! Elo after a sequential test. The plain estimate is biased outwards, because the test stops on lucky streaks.
//!
//! The log likelihood ratio is taken as a Brownian motion between two absorbing bounds. Outcomes are ordered by stage:
//! crossing the upper bound earlier is better for the player, crossing the lower bound earlier is worse. The estimate is
//! the Elo at which the observed outcome is the median, the interval its 2.5 % and 97.5 % points (A. Tsiatis, G. Rosner,
//! C. Mehta, Biometrics 40, 1984, for the ordering). Not here: the minimum number of pairs, which it ignores.

use std::f64::consts::PI;

use crate::elo::elo_of_score;
use crate::interval::Interval;
use crate::normal::root;
use crate::pairs::{Moments, PairCounts};
use crate::sprt::Sprt;

/// A Brownian motion of one step per unit time between 0 and `width`, started at `start`.
#[derive(Clone, Copy, Debug)]
struct Corridor {
    start: f64,
    width: f64,
    /// Variance per unit time.
    variance: f64,
}

impl Corridor {
    /// Sum over eigenfunctions of `weight(k) * exp(-rate(k) t)`, to convergence.
    fn series(&self, drift: f64, t: f64, weight: impl Fn(f64, f64) -> f64) -> f64 {
        let mut sum = 0.0;
        for k in 1..4000 {
            let wave = f64::from(k) * PI / self.width;
            let rate = drift * drift / (2.0 * self.variance) + wave * wave * self.variance / 2.0;
            sum += weight(wave, rate) * (-rate * t).exp();
            if wave * wave * self.variance / 2.0 * t > 50.0 {
                break;
            }
        }
        sum
    }

    /// Chance to leave through the top before time `t`.
    fn top_before(&self, drift: f64, t: f64) -> f64 {
        let ever = self.top_ever(drift);
        let (z, a, v) = (self.start, self.width, self.variance);
        // Flux through the top, integrated from t on. exp() goes into the sum, so that large drifts don't overflow.
        let tilt = drift * (a - z) / v;
        let later =
            v / a * self.tilted(drift, t, tilt, |wave, rate| -(wave * z).sin() * (wave * a).cos() * wave / rate);
        (ever - later).clamp(0.0, 1.0)
    }

    fn tilted(&self, drift: f64, t: f64, tilt: f64, weight: impl Fn(f64, f64) -> f64) -> f64 {
        // The drift part of the rate completes the square with the tilt: tilt - drift² t / 2v stays bounded.
        let base = drift * drift / (2.0 * self.variance) * t;
        let free = Corridor { ..*self };
        let shift = (tilt - base).exp();
        shift * free.series(0.0, t, |wave, rate0| weight(wave, rate0 + drift * drift / (2.0 * self.variance)))
    }

    fn top_ever(&self, drift: f64) -> f64 {
        let m = 2.0 * drift / self.variance;
        if (m * self.width).abs() < 1e-9 {
            return self.start / self.width;
        }
        if m > 0.0 {
            (-(-m * self.start).exp_m1()) / (-(-m * self.width).exp_m1())
        } else {
            // Multiplied through by exp(m·width), so that both terms stay bounded.
            let e = (m * (self.width - self.start)).exp();
            e * (-(m * self.start).exp_m1()) / (-(m * self.width).exp_m1())
        }
    }

    /// Chance to be still inside at time `t` and at `y` or above.
    fn inside_above(&self, drift: f64, t: f64, y: f64) -> f64 {
        let (z, a, v) = (self.start, self.width, self.variance);
        let c = drift / v;
        // Integral of exp(c(x−z)) sin(wave x) over [y, a], times 2/a sin(wave z).
        let whole = |x: f64, wave: f64| (c * (x - z)).exp() * (c * (wave * x).sin() - wave * (wave * x).cos());
        let value = 2.0 / a
            * self.tilted(drift, t, 0.0, |wave, _| {
                (wave * z).sin() * (whole(a, wave) - whole(y, wave)) / (c * c + wave * wave)
            });
        value.clamp(0.0, 1.0)
    }

    /// The same walk seen upside down.
    fn flipped(&self) -> Corridor {
        Corridor { start: self.width - self.start, ..*self }
    }

    /// Chance of an outcome at least as good as having stopped at time `t` in position `y`.
    fn at_least(&self, drift: f64, t: f64, y: f64) -> f64 {
        if y >= self.width {
            self.top_before(drift, t)
        } else if y <= 0.0 {
            1.0 - self.flipped().top_before(-drift, t)
        } else {
            (self.top_before(drift, t) + self.inside_above(drift, t, y)).min(1.0)
        }
    }
}

/// Median-unbiased logistic Elo and its 95 % interval after a test that stopped at `counts`.
///
/// A bound that was crossed is moved to where the ratio ended, which allows for overshoot. A test that hit its cap
/// between the bounds is covered too. None without pairs. An infinite end is open.
pub fn stopped_elo(test: &Sprt, counts: &PairCounts) -> Option<(f64, Interval)> {
    let n = counts.pairs() as f64;
    if n == 0.0 {
        return None;
    }
    // One pair spread over the outcomes keeps the variance honest when all pairs were alike.
    let m = Moments::of(&counts.0.map(|c| c as f64 + 0.2));
    let (s0, s1) = test.scores(m.variance.sqrt());
    let llr = n * (s1 - s0) * (2.0 * counts.score() - s0 - s1) / (2.0 * m.variance);
    let (low, high) = test.bounds();
    let (low, high) = (low.min(llr), high.max(llr));
    let corridor = Corridor { start: -low, width: high - low, variance: (s1 - s0).powi(2) / m.variance };
    let drift = |s: f64| (s1 - s0) * (2.0 * s - s0 - s1) / (2.0 * m.variance);
    let score_at = |p: f64| root(0.0, 1.0, |s| corridor.at_least(drift(s), n, llr - low) - p);
    let open = |s: f64| {
        if s < 1e-9 {
            f64::NEG_INFINITY
        } else if s > 1.0 - 1e-9 {
            f64::INFINITY
        } else {
            elo_of_score(s)
        }
    };
    let interval = Interval { low: open(score_at(0.025)), high: open(score_at(0.975)) };
    Some((open(score_at(0.5)), interval))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix;

    #[test]
    fn corridor_agrees_with_a_random_walk() {
        // Steps of ±1/20; after an even number the walk is on tenths, so y lies between two of its places.
        let c = Corridor { start: 1.0, width: 2.5, variance: 1.0 };
        let (drift, t, y) = (0.3, 1.7, 1.45);
        let mut rng = SplitMix::new(3);
        let (runs, fine) = (20_000, 400.0f64);
        let step = (1.0 / fine).sqrt();
        let up = 0.5 + 0.5 * drift * step;
        let (mut top, mut above) = (0, 0);
        for _ in 0..runs {
            let mut x = c.start;
            let mut inside = true;
            for _ in 0..(t * fine) as usize {
                x += if rng.unit() < up { step } else { -step };
                if x >= c.width || x <= 0.0 {
                    inside = false;
                    break;
                }
            }
            top += usize::from(!inside && x >= c.width);
            above += usize::from(inside && x >= y);
        }
        let near = |seen: usize, p: f64| (seen as f64 / f64::from(runs) - p).abs() < 0.015;
        assert!(near(top, c.top_before(drift, t)), "{top} {}", c.top_before(drift, t));
        assert!(near(above, c.inside_above(drift, t, y)), "{above} {}", c.inside_above(drift, t, y));
        // Everything that can happen adds up.
        let all = c.top_before(drift, t) + c.flipped().top_before(-drift, t) + c.inside_above(drift, t, 0.0);
        assert!((all - 1.0).abs() < 1e-9, "{all}");
    }

    #[test]
    fn outcomes_are_ordered_and_finite() {
        let test = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, scale: crate::Scale::Logistic };
        let elo = |counts| stopped_elo(&test, &PairCounts(counts)).unwrap();
        let early = elo([0, 1, 8, 4, 9]);
        let late = elo([10, 20, 60, 32, 26]);
        let lost = elo([9, 6, 12, 2, 1]);
        assert!(early.0 > late.0 && late.0 > 0.0 && lost.0 < 0.0, "{early:?} {late:?} {lost:?}");
        for (estimate, interval) in [early, late, lost] {
            assert!(interval.contains(estimate), "{estimate} {interval:?}");
        }
        assert!(stopped_elo(&test, &PairCounts::default()).is_none());
        for counts in [[0, 0, 40, 0, 0], [0, 0, 0, 0, 16], [16, 0, 0, 0, 0], [1, 0, 0, 0, 0]] {
            let (estimate, interval) = elo(counts);
            assert!(!estimate.is_nan() && interval.low <= interval.high, "{counts:?} {estimate} {interval:?}");
        }
    }
}
