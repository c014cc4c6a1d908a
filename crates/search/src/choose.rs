//! The choice of one edge among weighted ones: the best, or drawn by temperature. Not here: where weights come from.

use rand_chacha::ChaCha8Rng;

use crate::noise;

/// The index below `count` with the largest key; the first of equals.
pub(crate) fn best<K: PartialOrd>(count: usize, key: impl Fn(usize) -> K) -> usize {
    (1..count).fold(0, |best, i| if key(i) > key(best) { i } else { best })
}

/// An index drawn by weight to the power 1 / `temperature`; none at temperature 0 (play the best instead).
pub(crate) fn by_temperature(weights: &[f32], temperature: f32, rng: &mut ChaCha8Rng) -> Option<usize> {
    if temperature <= 0.0 {
        return None;
    }
    let top = weights.iter().copied().fold(0.0, f32::max);
    let powered: Vec<f32> =
        weights.iter().map(|w| if top > 0.0 { (w / top).powf(1.0 / temperature) } else { 0.0 }).collect();
    noise::weighted(&powered, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn temperature_sharpens() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut share = |t: f32| {
            let hits = (0..4000).filter(|_| by_temperature(&[0.25, 0.75], t, &mut rng) == Some(1)).count();
            hits as f64 / 4000.0
        };
        assert!((share(1.0) - 0.75).abs() < 0.03);
        assert!((share(0.5) - 0.9).abs() < 0.03, "3 to 1 becomes 9 to 1");
        assert_eq!(by_temperature(&[0.25, 0.75], 0.0, &mut rng), None);
        assert_eq!(best(4, |i| [1, 3, 3, 2][i]), 1);
    }
}
