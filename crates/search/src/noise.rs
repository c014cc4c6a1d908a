//! Random draws of a search: Gumbel and Dirichlet noise, and choice by weight. All from one ChaCha stream that the
//! caller seeds. Not here: where noise is used (`select`).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Uniform in the open interval (0, 1).
pub(crate) fn unit(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Standard Gumbel: the maximum of logits plus such noise is a draw from their softmax.
pub(crate) fn gumbel(rng: &mut ChaCha8Rng) -> f32 {
    -(-unit(rng).ln()).ln() as f32
}

/// Standard normal (Box and Muller 1958).
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (-2.0 * unit(rng).ln()).sqrt() * (std::f64::consts::TAU * unit(rng)).cos()
}

/// Gamma with shape `alpha` and scale 1 (Marsaglia and Tsang 2000, with their boost below 1).
fn gamma(alpha: f64, rng: &mut ChaCha8Rng) -> f64 {
    if alpha < 1.0 {
        return gamma(alpha + 1.0, rng) * unit(rng).powf(1.0 / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && unit(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Overwrites `out` with `count` shares of a symmetric Dirichlet whose parameters add up to `total`.
pub(crate) fn dirichlet(count: usize, total: f32, rng: &mut ChaCha8Rng, out: &mut Vec<f32>) {
    let alpha = f64::from(total) / count as f64;
    out.clear();
    out.extend((0..count).map(|_| gamma(alpha, rng) as f32));
    let sum: f32 = out.iter().sum();
    // With tiny parameters every draw may round to 0.
    let even = 1.0 / count as f32;
    out.iter_mut().for_each(|x| *x = if sum > 0.0 { *x / sum } else { even });
}

/// An index drawn by weight; none if no weight is positive.
pub(crate) fn weighted(weights: &[f32], rng: &mut ChaCha8Rng) -> Option<usize> {
    let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    let mut left = unit(rng) * total;
    let mut last = None;
    for (i, &w) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        last = Some(i);
        left -= f64::from(w);
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn dirichlet_sums_to_one_and_has_the_right_spread() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut out = Vec::new();
        for count in [2, 9, 225] {
            let (mut mean, mut square, rounds) = (0.0, 0.0, 4000);
            for _ in 0..rounds {
                dirichlet(count, 10.83, &mut rng, &mut out);
                assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-3);
                mean += f64::from(out[0]) / f64::from(rounds);
                square += f64::from(out[0]).powi(2) / f64::from(rounds);
            }
            // A share's mean is 1/k and its variance m(1-m)/(total+1).
            let m = 1.0 / count as f64;
            let var = m * (1.0 - m) / 11.83;
            assert!((mean - m).abs() < 5.0 * (var / f64::from(rounds)).sqrt(), "mean {mean} of {count}");
            assert!(((square - mean * mean) / var - 1.0).abs() < 0.5, "variance at {count}");
        }
    }

    #[test]
    fn gumbel_maximum_draws_from_the_softmax() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let first = (0..20_000).filter(|_| 0.7f32.ln() + gumbel(&mut rng) > 0.3f32.ln() + gumbel(&mut rng)).count();
        assert!((first as f64 / 20_000.0 - 0.7).abs() < 0.015, "{first}");
    }

    #[test]
    fn weights_are_respected() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        assert_eq!(weighted(&[0.0, 0.0], &mut rng), None);
        let hits = (0..10_000).filter(|_| weighted(&[0.0, 1.0, 3.0], &mut rng) == Some(2)).count();
        assert!((hits as f64 / 10_000.0 - 0.75).abs() < 0.02);
    }
}
