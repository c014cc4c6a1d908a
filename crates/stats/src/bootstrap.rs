//! Percentile bootstrap over independent units (pairs, openings, games), seeded. Not here: which unit is independent;
//! for matches it's the pair, for fairness tables the opening.

use crate::interval::Interval;
use crate::rng::SplitMix;

/// Interval of `statistic` at `level`, from `resamples` draws of `units` indices with replacement.
///
/// The statistic gets the drawn indices, each below `units`. None when there are no units or no resamples, or when
/// fewer than half the resamples gave a finite value.
pub fn bootstrap(
    units: usize,
    resamples: usize,
    level: f64,
    rng: &mut SplitMix,
    mut statistic: impl FnMut(&[usize]) -> f64,
) -> Option<Interval> {
    if units == 0 || resamples == 0 {
        return None;
    }
    let mut drawn = vec![0; units];
    let mut values = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        drawn.iter_mut().for_each(|i| *i = rng.below(units));
        let value = statistic(&drawn);
        if value.is_finite() {
            values.push(value);
        }
    }
    if values.len() * 2 < resamples {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let tail = (1.0 - level.clamp(0.0, 1.0)) / 2.0;
    Some(Interval { low: at(&values, tail), high: at(&values, 1.0 - tail) })
}

/// Quantile of sorted values, linear between neighbours.
fn at(sorted: &[f64], q: f64) -> f64 {
    let x = q * (sorted.len() - 1) as f64;
    let i = x.floor() as usize;
    let next = sorted[(i + 1).min(sorted.len() - 1)];
    sorted[i] + (x - i as f64) * (next - sorted[i])
}

/// Interval of the mean of `values`; see [`bootstrap`].
pub fn bootstrap_mean(values: &[f64], resamples: usize, level: f64, rng: &mut SplitMix) -> Option<Interval> {
    bootstrap(values.len(), resamples, level, rng, |drawn| {
        drawn.iter().map(|&i| values[i]).sum::<f64>() / drawn.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_normal_interval_of_a_mean() {
        let mut rng = SplitMix::new(1);
        let values: Vec<f64> = (0..400).map(|_| rng.unit()).collect();
        let mean = values.iter().sum::<f64>() / 400.0;
        let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
        let i = bootstrap_mean(&values, 4000, 0.95, &mut rng).unwrap();
        let half = 1.96 * sd / 20.0;
        assert!((i.low - (mean - half)).abs() < 0.15 * half && (i.high - (mean + half)).abs() < 0.15 * half);
    }

    #[test]
    fn seeds_decide_and_edges_hold() {
        let values = [0.0, 1.0, 0.5, 0.5, 1.0];
        let run = |seed| bootstrap_mean(&values, 200, 0.9, &mut SplitMix::new(seed)).unwrap();
        assert_eq!(run(7), run(7));
        assert_eq!(bootstrap_mean(&[], 10, 0.95, &mut SplitMix::new(1)), None);
        assert_eq!(bootstrap_mean(&[1.0], 0, 0.95, &mut SplitMix::new(1)), None);
        assert_eq!(bootstrap_mean(&[f64::NAN], 9, 0.95, &mut SplitMix::new(1)), None);
        let i = bootstrap_mean(&[0.25; 9], 50, 0.95, &mut SplitMix::new(1)).unwrap();
        assert_eq!((i.low, i.high), (0.25, 0.25));
    }
}
