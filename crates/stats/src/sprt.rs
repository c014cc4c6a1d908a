//! Sequential probability ratio test on pentanomial counts (generalised: the nuisance distribution is estimated).
//!
//! Source: M. Van den Bergh, "The generalized sequential probability ratio test" and fishtest's public results, against
//! which the tests compare. Not here: when to look (only at pair boundaries in submission order; `arena`), and the Elo
//! to report after stopping (see `stopped`).

use crate::elo::{NORMALISED, score_of_elo};
use crate::normal::root;
use crate::pairs::{Moments, PairCounts};

/// What the two hypotheses are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scale {
    /// Logistic Elo: a score of 1 / (1 + 10^(-elo/400)).
    #[default]
    Logistic,
    /// Normalised Elo: multiples of the standard deviation, so that test length depends little on draws and openings.
    Normalised,
}

/// The two hypotheses and the error rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// H0: the true difference is this (or less). Elo.
    pub elo0: f64,
    /// H1: the true difference is this (or more). Elo; above `elo0`.
    pub elo1: f64,
    /// Chance to accept H1 although H0 holds, in (0, ½).
    pub alpha: f64,
    /// Chance to accept H0 although H1 holds, in (0, ½).
    pub beta: f64,
    /// What `elo0` and `elo1` are measured in.
    pub scale: Scale,
}

/// What the log likelihood ratio says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// At or below the lower bound.
    AcceptH0,
    /// At or above the upper bound.
    AcceptH1,
    /// Between the bounds: play on.
    Continue,
}

impl Sprt {
    /// Lower and upper bound of the log likelihood ratio: ln(β/(1−α)) and ln((1−β)/α).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Expected scores under the hypotheses; `deviation` is σ of a pair's score, used by the normalised scale.
    pub fn scores(&self, deviation: f64) -> (f64, f64) {
        let score = |elo: f64| match self.scale {
            Scale::Logistic => score_of_elo(elo),
            Scale::Normalised => (0.5 + elo / NORMALISED * 2f64.sqrt() * deviation).clamp(1e-6, 1.0 - 1e-6),
        };
        (score(self.elo0), score(self.elo1))
    }

    /// Log likelihood ratio, the usual approximation N·(s1−s0)(2ŝ−s0−s1)/(2σ²). 0 without pairs.
    ///
    /// Empty cells count 1e-3 pairs, so that it's finite for any counts.
    pub fn llr(&self, counts: &PairCounts) -> f64 {
        if counts.pairs() == 0 {
            return 0.0;
        }
        let cells = counts.regularised();
        let m = Moments::of(&cells);
        let (s0, s1) = self.scores(m.variance.sqrt());
        cells.iter().sum::<f64>() * (s1 - s0) * (2.0 * m.mean - s0 - s1) / (2.0 * m.variance)
    }

    /// Log likelihood ratio of the maximum likelihood distributions under each hypothesis. 0 without pairs.
    pub fn llr_exact(&self, counts: &PairCounts) -> f64 {
        if counts.pairs() == 0 {
            return 0.0;
        }
        let cells = counts.regularised();
        let (s0, s1) = self.scores(Moments::of(&cells).variance.sqrt());
        let (p0, p1) = (constrained(&cells, s0), constrained(&cells, s1));
        cells.iter().zip(p0.iter().zip(&p1)).map(|(n, (q0, q1))| n * (q1 / q0).ln()).sum()
    }

    /// Where a ratio stands between the bounds.
    pub fn decide(&self, llr: f64) -> Decision {
        let (low, high) = self.bounds();
        if llr <= low {
            Decision::AcceptH0
        } else if llr >= high {
            Decision::AcceptH1
        } else {
            Decision::Continue
        }
    }

    /// Whether the test makes sense; names the field and its range otherwise.
    pub fn check(&self) -> Result<(), String> {
        let inside = |x: f64| x > 0.0 && x < 0.5;
        if !(self.elo0.abs() <= 2000.0 && self.elo1.abs() <= 2000.0) {
            return Err("elo0 and elo1 must lie in -2000..2000".into());
        }
        if self.elo0 >= self.elo1 {
            return Err(format!("elo0 ({}) must be below elo1 ({})", self.elo0, self.elo1));
        }
        if !inside(self.alpha) {
            return Err(format!("alpha is {}; it must lie strictly between 0 and 0.5", self.alpha));
        }
        if !inside(self.beta) {
            return Err(format!("beta is {}; it must lie strictly between 0 and 0.5", self.beta));
        }
        Ok(())
    }
}

/// The distribution nearest the observed one (in likelihood) with mean `s`: p_i/(1 + x(a_i − s)), where x solves
/// Σ p_i(a_i − s)/(1 + x(a_i − s)) = 0. All cells must be positive and `s` strictly inside (0, 1).
fn constrained(cells: &[f64; 5], s: f64) -> [f64; 5] {
    let sum: f64 = cells.iter().sum();
    let a = |i: usize| i as f64 / 4.0 - s;
    // The denominators stay positive for x in (-1/(1-s), 1/s); there the sum falls strictly from +inf to -inf.
    let x = root(-1.0 / (1.0 - s), 1.0 / s, |x| -(0..5).map(|i| cells[i] / sum * a(i) / (1.0 + x * a(i))).sum::<f64>());
    std::array::from_fn(|i| cells[i] / sum / (1.0 + x * a(i)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(elo0: f64, elo1: f64, scale: Scale) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, scale }
    }

    #[test]
    fn bounds_are_the_published_ones() {
        let (low, high) = test(0.0, 5.0, Scale::Logistic).bounds();
        assert!((low + 2.944_438_979_166_44).abs() < 1e-12 && (high - 2.944_438_979_166_44).abs() < 1e-12);
        let skew = Sprt { alpha: 0.02, beta: 0.1, ..test(0.0, 5.0, Scale::Logistic) };
        assert!((skew.bounds().0 - (0.1f64 / 0.98).ln()).abs() < 1e-15);
    }

    #[test]
    fn published_ratios() {
        // Public fishtest results (Stockfish pull requests 3209, 3098, 2971, 2950 of 2020; 6633 and 3514 normalised).
        use Scale::{Logistic, Normalised};
        let cases = [
            ([253, 4282, 17604, 4431, 286], -0.25, 1.25, Logistic, 2.94),
            ([58, 3302, 33130, 3518, 84], 0.25, 1.25, Logistic, 2.97),
            ([491, 7345, 29693, 7670, 465], -0.25, 1.25, Logistic, 2.96),
            ([17, 253, 1042, 337, 39], -0.5, 1.5, Logistic, 2.96),
            ([11, 407, 3238, 513, 11], 0.25, 1.75, Logistic, 2.93),
            ([133, 1751, 5094, 1849, 165], -0.5, 1.5, Logistic, 2.94),
            ([677, 25001, 61196, 24940, 714], -1.75, 0.25, Normalised, 2.95),
            ([307, 619, 1202, 725, 353], 0.0, 5.0, Normalised, 2.95),
        ];
        for (counts, elo0, elo1, scale, published) in cases {
            let exact = test(elo0, elo1, scale).llr_exact(&PairCounts(counts));
            let approximate = test(elo0, elo1, scale).llr(&PairCounts(counts));
            assert!((exact - published).abs() < 0.0065, "{counts:?}: {exact}, published {published}");
            assert!((approximate - published).abs() < 0.02, "{counts:?}: {approximate}, published {published}");
        }
    }

    #[test]
    fn hand_computed_ratio() {
        // 20 pairs: s = 0.65, variance (4·0.0225 + 12·0.0025… written out below), H0 0.5, H1 score of 100 Elo.
        let counts = PairCounts([1, 2, 6, 6, 5]);
        let t = test(0.0, 100.0, Scale::Logistic);
        let mean: f64 = (0.25 * 2.0 + 0.5 * 6.0 + 0.75 * 6.0 + 5.0) / 20.0;
        let square: f64 = (0.0625 * 2.0 + 0.25 * 6.0 + 0.5625 * 6.0 + 5.0) / 20.0;
        let s1 = 1.0 / (1.0 + 10f64.powf(-0.25));
        let expected = 20.0 * (s1 - 0.5) * (2.0 * mean - 0.5 - s1) / (2.0 * (square - mean * mean));
        assert!((t.llr(&counts) - expected).abs() < 1e-12);
    }

    #[test]
    fn constrained_distribution_has_the_mean() {
        for cells in [[1.0, 2.0, 3.0, 4.0, 5.0], [1e-3, 1e-3, 40.0, 1e-3, 1e-3], [30.0, 1e-3, 1e-3, 1e-3, 1e-3]] {
            for s in [0.1, 0.5, 0.507, 0.9] {
                let p = constrained(&cells, s);
                let mean: f64 = p.iter().enumerate().map(|(i, q)| q * i as f64 / 4.0).sum();
                let mass: f64 = p.iter().sum();
                assert!((mean - s).abs() < 1e-9 && (mass - 1.0).abs() < 1e-9, "{cells:?} {s}: {mean} {mass}");
                assert!(p.iter().all(|&q| q > 0.0));
            }
        }
    }

    #[test]
    fn any_counts_give_finite_ratios() {
        for scale in [Scale::Logistic, Scale::Normalised] {
            let t = test(0.0, 50.0, scale);
            for counts in [[0; 5], [0, 0, 9, 0, 0], [0, 0, 0, 0, 9], [9, 0, 0, 0, 0], [1, 0, 0, 0, 1]] {
                let counts = PairCounts(counts);
                assert!(t.llr(&counts).is_finite() && t.llr_exact(&counts).is_finite(), "{counts:?}");
            }
            assert!(t.llr(&PairCounts([0, 0, 0, 0, 9])) > 0.0 && t.llr(&PairCounts([9, 0, 0, 0, 0])) < 0.0);
            assert!(t.llr_exact(&PairCounts([0, 0, 0, 0, 9])) > 0.0);
        }
        assert!(test(5.0, 0.0, Scale::Logistic).check().is_err());
        assert!(Sprt { alpha: 0.5, ..test(0.0, 5.0, Scale::Logistic) }.check().unwrap_err().contains("alpha"));
        assert!(Sprt { elo0: f64::NAN, ..test(0.0, 5.0, Scale::Logistic) }.check().is_err());
    }
}
