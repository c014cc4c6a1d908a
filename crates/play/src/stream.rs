//! Random streams of games: one per (run seed, game index), independent of threads and of other games.
//! Not here: noise inside a search, which gets a seed from here.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The stream of one game, or of one stage's other random decisions.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// Stream number `index` under `seed`.
    pub fn new(seed: u64, index: u64) -> Stream {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index);
        Stream(rng)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform below `n`; 0 for `n` = 0. The bias is below `n` / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// True with probability `p`; always takes one draw, so that a setting of 0 or 1 doesn't shift the stream.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Uniform in low..=high; `low` if the range is empty.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) as usize + 1) as u32
    }

    /// An index drawn in proportion to `weights`, which must be at least 0; uniform if all are 0.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let sum: f64 = weights.iter().sum();
        if sum.is_nan() || sum <= 0.0 {
            return self.below(weights.len());
        }
        let mut left = self.unit() * sum;
        for (i, w) in weights.iter().enumerate() {
            left -= w;
            if left < 0.0 {
                return i;
            }
        }
        // Rounding can leave a rest; the last action with any weight takes it.
        weights.iter().rposition(|&w| w > 0.0).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_index_alone() {
        let take = |seed, index| (0..4).map(|_| 0).scan(Stream::new(seed, index), |s, _| Some(s.next_u64())).collect();
        let a: Vec<u64> = take(1, 2);
        assert_eq!(a, take(1, 2));
        assert_ne!(a, take(1, 3));
        assert_ne!(a, take(2, 2));
    }

    #[test]
    fn draws_stay_in_range_and_follow_weights() {
        let mut s = Stream::new(5, 0);
        let mut seen = [0; 4];
        for _ in 0..8000 {
            seen[s.weighted(&[1.0, 0.0, 2.0, 1.0])] += 1;
            assert!((3..=5).contains(&s.between(3, 5)));
        }
        assert_eq!(seen[1], 0);
        assert!((seen[2] as f64 / 4000.0 - 1.0).abs() < 0.1, "{seen:?}");
        assert_eq!(s.between(9, 3), 9);
        assert!(s.weighted(&[0.0, 0.0]) < 2);
    }
}
