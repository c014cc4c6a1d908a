//! Elo and scores, and what pairs say about them. Formulas: `s = 1 / (1 + 10^(-elo/400))`; standard error by the delta
//! method; normalised Elo after M. Van den Bergh, "Normalized Elo". Not here: sequential tests (see `sprt`).

use std::f64::consts::LN_10;

use crate::interval::Interval;
use crate::normal;
use crate::pairs::{Moments, PairCounts};

/// Normalised Elo per standard deviation of one game's score, 800 / ln 10 (about 347.4).
pub const NORMALISED: f64 = 800.0 / LN_10;

/// Expected score in [0, 1] at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo difference of an expected score; infinite at 0 and 1, and scores outside count as 0 or 1.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if score >= 1.0 {
        return f64::INFINITY;
    }
    400.0 * (score / (1.0 - score)).log10()
}

/// What a match of fixed length says of the player under test. For a test that was stopped by its own results use
/// [`crate::stopped_elo`]: this estimate would be biased outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// Mean score in [0, 1].
    pub score: f64,
    /// Elo of that score; infinite if every game was won or lost.
    pub elo: f64,
    /// 95 % interval of the Elo difference; an infinite end is open.
    pub interval: Interval,
    /// Delta-method standard error of `elo`; none for a score of 0 or 1 or without pairs.
    pub standard_error: Option<f64>,
    /// Normalised Elo (ŝ − ½)/(σ√2)·800/ln 10; none where every pair gave the same.
    pub normalised: Option<f64>,
    /// Likelihood of superiority in [0, 1]: the chance that the true score is above ½.
    pub los: f64,
}

impl EloEstimate {
    /// From pentanomial counts; any counts are allowed, none at all included.
    pub fn of(counts: &PairCounts) -> EloEstimate {
        let n = counts.pairs() as f64;
        let score = counts.score();
        let sigma = counts.variance().sqrt();
        let inner = n > 0.0 && score > 0.0 && score < 1.0;
        EloEstimate {
            score,
            elo: elo_of_score(score),
            interval: counts.score_interval(0.95).map(elo_of_score),
            standard_error: inner.then(|| 400.0 / (LN_10 * score * (1.0 - score)) * sigma / n.sqrt()),
            normalised: (sigma > 0.0).then(|| (score - 0.5) / (sigma * 2f64.sqrt()) * NORMALISED),
            los: likelihood_of_superiority(counts),
        }
    }
}

/// Φ((ŝ − ½)√N/σ). Where all pairs gave the same, σ is that of the counts with one pair spread over the outcomes added,
/// so that one won pair isn't certainty.
fn likelihood_of_superiority(counts: &PairCounts) -> f64 {
    let n = counts.pairs() as f64;
    if n == 0.0 {
        return 0.5;
    }
    let observed = counts.variance();
    let variance = if observed > 0.0 { observed } else { Moments::of(&counts.0.map(|c| c as f64 + 0.2)).variance };
    normal::cdf((counts.score() - 0.5) * (n / variance).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points_of_the_curve() {
        assert_eq!(score_of_elo(0.0), 0.5);
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((elo_of_score(0.75) - 190.848_501_887_864_98).abs() < 1e-9);
        for elo in [-700.0, -3.0, 0.0, 55.5, 1200.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-7);
        }
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
    }

    #[test]
    fn published_matches() {
        // Fastchess reports of public engine tests: (counts, Elo, +/-, nElo, LOS %).
        let cases = [
            ([307, 619, 1202, 725, 353], 10.73, 6.70, 13.63, 99.92),
            ([84, 124, 343, 125, 164], 33.40, 14.24, 39.23, 100.0),
            ([12, 6, 25, 8, 9], -11.59, 56.66, -12.83, 34.29),
            ([11, 1, 32, 8, 48], 149.26, 55.24, 148.57, 100.0),
        ];
        for (counts, elo, error, normalised, los) in cases {
            let e = EloEstimate::of(&PairCounts(counts));
            assert!((e.elo - elo).abs() < 0.006, "{counts:?} {e:?}");
            assert!((e.normalised.unwrap() - normalised).abs() < 0.006, "{counts:?} {e:?}");
            assert!((100.0 * e.los - los).abs() < 0.006, "{counts:?} {e:?}");
            // They halve the interval of the mean mapped to Elo, the delta method is its first term.
            assert!((normal::Z95 * e.standard_error.unwrap() / error - 1.0).abs() < 0.03, "{counts:?} {e:?}");
            let half = e.interval.width() / 2.0;
            assert!((half / error - 1.0).abs() < 0.12, "{counts:?} {e:?}");
        }
    }

    #[test]
    fn nothing_is_nan() {
        for counts in [[0; 5], [0, 0, 9, 0, 0], [0, 0, 0, 0, 9], [9, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]] {
            let e = EloEstimate::of(&PairCounts(counts));
            assert!(!e.elo.is_nan() && (0.0..=1.0).contains(&e.los) && e.interval.low <= e.interval.high, "{e:?}");
            assert!(e.standard_error.is_none_or(f64::is_finite) && e.normalised.is_none_or(f64::is_finite));
        }
        let none = EloEstimate::of(&PairCounts::default());
        assert_eq!(none.interval, Interval { low: f64::NEG_INFINITY, high: f64::INFINITY });
        let won = EloEstimate::of(&PairCounts([0, 0, 0, 0, 16]));
        assert!(won.elo.is_infinite() && won.interval.low > 150.0 && won.interval.high.is_infinite());
        assert!(EloEstimate::of(&PairCounts([0, 0, 0, 0, 1])).los < 0.95);
    }
}
