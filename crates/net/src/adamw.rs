//! AdamW (Loshchilov & Hutter 2019, algorithm 2) over plain arrays. Not here: gradients, clipping, schedules; why it
//! isn't Burn's is said in `learner`.

use crate::config::Slot;
use crate::weights::Weights;

/// Settings of one update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamW {
    pub(crate) learning_rate: f32,
    pub(crate) beta1: f32,
    pub(crate) beta2: f32,
    pub(crate) epsilon: f32,
    pub(crate) weight_decay: f32,
}

/// Running means of the gradient and of its square, in the order of the weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) mean: Vec<f32>,
    pub(crate) square: Vec<f32>,
}

impl AdamW {
    /// Makes step number `step` (from 1). A finite, clipped gradient keeps finite weights finite: the quotient of the
    /// moments is bounded by the betas alone.
    pub(crate) fn update(&self, weights: &mut Weights, gradient: &[f32], moments: &mut Moments, step: u64) {
        let mean_scale = (1.0 / (1.0 - power(self.beta1, step))) as f32;
        let square_scale = (1.0 / (1.0 - power(self.beta2, step))) as f32;
        let (slots, values) = weights.slots_and_values_mut();
        let mut at = 0;
        for slot in slots {
            let range = at..at + Slot::len(slot);
            at = range.end;
            let decay = if slot.is_bias() { 0.0 } else { self.weight_decay };
            let arrays = values[range.clone()].iter_mut().zip(&gradient[range.clone()]);
            let moments = moments.mean[range.clone()].iter_mut().zip(&mut moments.square[range]);
            for ((w, &g), (m, s)) in arrays.zip(moments) {
                *m = self.beta1 * *m + (1.0 - self.beta1) * g;
                *s = self.beta2 * *s + (1.0 - self.beta2) * g * g;
                let direction = *m * mean_scale / ((*s * square_scale).sqrt() + self.epsilon);
                *w -= self.learning_rate * (direction + decay * *w);
            }
        }
    }
}

/// `base` to the `n`; written out because `powi` promises no fixed rounding.
fn power(base: f32, mut n: u64) -> f64 {
    let (mut result, mut square) = (1.0, f64::from(base));
    while n > 0 {
        if n & 1 == 1 {
            result *= square;
        }
        square *= square;
        n >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::NetConfig;

    #[test]
    fn two_updates_by_hand() {
        let config = NetConfig::preset("b1c1", 1, 0, 0).unwrap();
        let n = config.parameters();
        let mut weights = Weights::from_values(&config, vec![0.5; n]).unwrap();
        let mut moments = Moments { mean: vec![0.0; n], square: vec![0.0; n] };
        let adamw = AdamW { learning_rate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0.0, weight_decay: 0.5 };
        let mut gradient = vec![1.0; n];
        adamw.update(&mut weights, &gradient, &mut moments, 1);
        // The first direction is the gradient's sign; a weight also decays, a bias doesn't.
        let (weight, bias) = (weights.values()[0], weights.get("stem.conv.bias").unwrap().1[0]);
        assert!((weight - (0.5 - 0.1 - 0.1 * 0.5 * 0.5)).abs() < 1e-6, "{weight}");
        assert!((bias - 0.4).abs() < 1e-6, "{bias}");
        gradient.fill(-3.0);
        adamw.update(&mut weights, &gradient, &mut moments, 2);
        let mean = (0.9 * 0.1 - 0.1 * 3.0) / (1.0 - 0.81);
        let square: f32 = (0.99 * 0.01 + 0.01 * 9.0) / (1.0 - 0.9801);
        let expected = 0.4 - 0.1 * mean / square.sqrt();
        let bias = weights.get("stem.conv.bias").unwrap().1[0];
        assert!((bias - expected).abs() < 1e-5, "{bias} {expected}");
    }

    #[test]
    fn powers_agree_with_repeated_products() {
        let mut product = 1.0f64;
        for n in 0..50 {
            assert!((power(0.9, n) - product).abs() < 1e-12);
            product *= f64::from(0.9f32);
        }
        assert_eq!(power(0.99, u64::MAX), 0.0);
    }
}
