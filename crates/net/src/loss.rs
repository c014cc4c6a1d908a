//! What the network is trained to minimise: one term per head, each a weighted sum over rows. Not here: checks of the
//! targets (`targets`), the optimiser.
//!
//! Every term is divided by the total row weight of the *whole* batch, given from outside, so that the parts of a batch
//! that is split over threads add up to the loss of the whole, and a target that few rows have doesn't grow louder.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::config::NetConfig;
use crate::model::Output;
use crate::targets::Batch;

/// How much each term counts. Terms of heads that a network lacks are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossWeights {
    /// Cross-entropy of the policy.
    pub policy: f32,
    /// Cross-entropy of the opponent's reply (KataGo: 0.15).
    pub reply: f32,
    /// Cross-entropy of the softened policy; large, because its gradients are small (KataGo: 8).
    pub soft: f32,
    /// The softened policy is policy^(1 / this), normalised (KataGo: 4).
    pub soft_temperature: f32,
    /// Cross-entropy of win, draw and loss.
    pub wdl: f32,
    /// Cross-entropy of the short-term result.
    pub short: f32,
    /// Huber loss of the margin plus Gaussian likelihood of its spread.
    pub margin: f32,
    /// Squared error of ownership, mean over the board (KataGo: 1.5).
    pub ownership: f32,
}

impl Default for LossWeights {
    fn default() -> LossWeights {
        LossWeights {
            policy: 1.0,
            reply: 0.15,
            soft: 8.0,
            soft_temperature: 4.0,
            wdl: 1.0,
            short: 0.5,
            margin: 0.3,
            ownership: 1.5,
        }
    }
}

impl LossWeights {
    /// Whether the numbers make sense; the error names the field.
    pub fn check(&self) -> Result<(), String> {
        let weights = [
            ("policy", self.policy),
            ("reply", self.reply),
            ("soft", self.soft),
            ("wdl", self.wdl),
            ("short", self.short),
            ("margin", self.margin),
            ("ownership", self.ownership),
        ];
        for (name, value) in weights {
            if !(0.0..=1e3).contains(&value) {
                return Err(format!("loss weight {name} = {value}: allowed are 0 to 1000"));
            }
        }
        let t = self.soft_temperature;
        if (1.0..=100.0).contains(&t) { Ok(()) } else { Err(format!("soft_temperature = {t}: allowed are 1 to 100")) }
    }

    fn coefficients(&self) -> [f32; TERMS] {
        [self.policy, self.reply, self.soft, self.wdl, self.short, self.margin, self.ownership]
    }
}

/// Number of terms, in the order policy, reply, soft, wdl, short, margin, ownership.
pub(crate) const TERMS: usize = 7;

/// Mean of each term over the rows that have its target, before weighting; none where no row has it or the network
/// lacks the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LossParts {
    /// The weighted sum that is minimised.
    pub total: f32,
    /// Nats.
    pub policy: Option<f32>,
    /// Nats.
    pub reply: Option<f32>,
    /// Nats.
    pub soft: Option<f32>,
    /// Nats.
    pub wdl: Option<f32>,
    /// Nats.
    pub short: Option<f32>,
    /// In units of 20 points.
    pub margin: Option<f32>,
    /// Mean squared error per point.
    pub ownership: Option<f32>,
}

impl LossParts {
    /// From per-term sums over the whole batch, already divided by the total row weight.
    pub(crate) fn from_terms(
        terms: &[f32; TERMS],
        batch: &Batch,
        config: &NetConfig,
        weights: &LossWeights,
    ) -> LossParts {
        let t = &batch.targets;
        let all: f32 = t.weight.iter().sum();
        let mean = |term: f32, own: &[f32]| {
            let active: f32 = t.weight.iter().zip(own).map(|(w, o)| w * o).sum();
            (active > 0.0).then(|| term * all / active)
        };
        LossParts {
            total: terms.iter().zip(weights.coefficients()).map(|(t, c)| t * c).sum(),
            policy: mean(terms[0], &t.policy_weight),
            reply: mean(terms[1], &t.reply_weight),
            soft: if config.soft { mean(terms[2], &t.policy_weight) } else { None },
            wdl: mean(terms[3], &t.wdl_weight),
            short: mean(terms[4], &t.short_weight),
            margin: mean(terms[5], &t.board_weight),
            ownership: mean(terms[6], &t.board_weight),
        }
    }
}

/// The total to minimise (a tensor of one value, with its graph) and all terms (`[TERMS]`, unweighted).
pub(crate) struct Loss {
    pub(crate) total: Tensor<1>,
    pub(crate) terms: Tensor<1>,
}

/// Makes every row's terms from outputs and targets.
struct Rows<'a> {
    batch: &'a Batch,
    device: &'a Device,
    /// Row weights divided by the total weight.
    shares: Vec<f32>,
}

/// Loss of checked rows. `weight_sum`: total row weight of the batch that these rows belong to.
pub(crate) fn loss(
    output: Output,
    batch: &Batch,
    config: &NetConfig,
    weights: &LossWeights,
    weight_sum: f32,
    device: &Device,
) -> Loss {
    let t = &batch.targets;
    let shares = t.weight.iter().map(|w| w / weight_sum).collect();
    let rows = Rows { batch, device, shares };
    let actions = batch.actions(config);
    let logits = match output.extra {
        Some(extra) => Tensor::cat(vec![output.policy, extra], 2),
        None => output.policy,
    };
    let channel = |i: usize| logits.clone().narrow(1, i, 1).squeeze_dim::<2>(1);
    let mut terms: Vec<Option<Tensor<1>>> = vec![None; TERMS];
    terms[0] = Some(rows.sum(rows.cross_entropy(channel(0), &t.policy, Some(&t.legal), actions), &t.policy_weight));
    if config.reply {
        let board = rows.board_actions(config.extras);
        terms[1] = Some(rows.sum(rows.cross_entropy(channel(1), &t.reply, Some(&board), actions), &t.reply_weight));
    }
    if config.soft {
        let soft = softened(&t.policy, actions, weights.soft_temperature);
        let ce = rows.cross_entropy(channel(config.policies() - 1), &soft, Some(&t.legal), actions);
        terms[2] = Some(rows.sum(ce, &t.policy_weight));
    }
    terms[3] = Some(rows.sum(rows.cross_entropy(output.wdl, &t.wdl, None, 3), &t.wdl_weight));
    if let Some(short) = output.short {
        terms[4] = Some(rows.sum(rows.cross_entropy(short, &t.short, None, 3), &t.short_weight));
    }
    if let Some(margin) = output.margin {
        terms[5] = Some(rows.sum(rows.margin(margin), &t.board_weight));
    }
    if let Some(ownership) = output.ownership {
        terms[6] = Some(rows.sum(rows.ownership(ownership), &t.board_weight));
    }
    let zero = Tensor::<1>::zeros([1], device);
    let list = terms.into_iter().map(|t| t.unwrap_or_else(|| zero.clone())).collect();
    let terms: Tensor<1> = Tensor::cat(list, 0);
    let coefficients = Tensor::from_data(TensorData::from(weights.coefficients()), device);
    Loss { total: (terms.clone() * coefficients).sum(), terms }
}

impl Rows<'_> {
    fn tensor<const D: usize>(&self, values: &[f32], shape: [usize; D]) -> Tensor<D> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), self.device)
    }

    /// Sum over rows of `per_row` (`[n]`), weighted by row share and the term's own weight.
    fn sum(&self, per_row: Tensor<1>, own: &[f32]) -> Tensor<1> {
        let share: Vec<f32> = self.shares.iter().zip(own).map(|(s, o)| s * o).collect();
        (per_row * self.tensor(&share, [share.len()])).sum()
    }

    /// `[n]` from logits `[n, width]`; entries whose `allowed` is 0 take no part in the softmax.
    fn cross_entropy(&self, logits: Tensor<2>, target: &[f32], allowed: Option<&[f32]>, width: usize) -> Tensor<1> {
        let n = self.batch.input.n;
        let logits = match allowed {
            // Large but finite: 0 times it stays 0, which infinity would not.
            Some(allowed) => {
                let bias: Vec<f32> = allowed.iter().map(|a| if *a > 0.0 { 0.0 } else { -1e9 }).collect();
                logits + self.tensor(&bias, [n, width])
            }
            None => logits,
        };
        (log_softmax(logits, 1) * self.tensor(target, [n, width])).sum_dim(1).squeeze_dim::<1>(1).neg()
    }

    /// Points of the board and all extras: what some next position may allow.
    fn board_actions(&self, extras: usize) -> Vec<f32> {
        let i = &self.batch.input;
        let area = i.height * i.width;
        i.mask.chunks(area).flat_map(|m| m.iter().copied().chain(std::iter::repeat_n(1.0, extras))).collect()
    }

    /// Huber loss (linear beyond one unit of 20 points) for the mean; Gaussian negative log-likelihood for the spread
    /// around that mean, which it doesn't pull.
    fn margin(&self, margin: Tensor<2>) -> Tensor<1> {
        let n = self.batch.input.n;
        let target: Vec<f32> = self.batch.targets.margin.iter().map(|m| m / MARGIN_UNIT).collect();
        let mean = margin.clone().narrow(1, 0, 1).squeeze_dim::<1>(1);
        let log_std = margin.narrow(1, 1, 1).squeeze_dim::<1>(1).clamp(-5.0, 3.0);
        let error = mean - self.tensor(&target, [n]);
        let size = error.clone().abs();
        let inside = size.clone().clamp_max(1.0);
        let huber = inside.clone().powi_scalar(2).mul_scalar(0.5) + (size.clone() - inside);
        let scaled = size.detach() * log_std.clone().neg().exp();
        let spread = log_std + scaled.powi_scalar(2).clamp_max(100.0).mul_scalar(0.5);
        huber + spread.mul_scalar(SPREAD_WEIGHT)
    }

    /// Mean squared error over the points of each board.
    fn ownership(&self, ownership: Tensor<2>) -> Tensor<1> {
        let i = &self.batch.input;
        let area = i.height * i.width;
        let share: Vec<f32> = i
            .mask
            .chunks(area)
            .flat_map(|m| {
                let points: f32 = m.iter().sum();
                m.iter().map(move |v| v / points)
            })
            .collect();
        let error = ownership.tanh() - self.tensor(&self.batch.targets.ownership, [i.n, area]);
        (error.powi_scalar(2) * self.tensor(&share, [i.n, area])).sum_dim(1).squeeze_dim::<1>(1)
    }
}

/// Points per unit of the margin head.
pub const MARGIN_UNIT: f32 = 20.0;
const SPREAD_WEIGHT: f32 = 0.1;

/// Each row to the power 1 / temperature, normalised; zeros stay zero, rows without mass too.
fn softened(policy: &[f32], actions: usize, temperature: f32) -> Vec<f32> {
    let mut soft: Vec<f32> = policy.iter().map(|p| if *p > 0.0 { p.powf(1.0 / temperature) } else { 0.0 }).collect();
    for row in soft.chunks_mut(actions) {
        let sum: f32 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|p| *p /= sum);
        }
    }
    soft
}

#[cfg(test)]
mod tests {
    use super::softened;

    #[test]
    fn softening_flattens_and_keeps_zeros() {
        let soft = softened(&[0.0, 0.0625, 0.9375, 0.0, 1.0, 0.0], 3, 4.0);
        assert_eq!(soft[0], 0.0);
        assert!((soft[1] - 0.5 / (0.5 + 0.9375f32.powf(0.25))).abs() < 1e-6);
        assert_eq!(soft[3..], [0.0, 1.0, 0.0]);
    }
}
