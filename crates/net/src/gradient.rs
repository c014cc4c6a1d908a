//! Loss and gradient of a batch, over one or more threads: by Burn's autodiff on any device, or on the CPU by the
//! fused passes with Burn for the loss alone. Not here: what is done with them.
//!
//! Each thread runs its own rows; sums are taken in the order of the rows, so results repeat bit for bit for a given
//! number of threads.

use std::thread;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor, TensorData};

use crate::config::NetConfig;
use crate::fused::backprop::{Backprop, Logits, Worker};
use crate::loss::{LossWeights, TERMS, loss};
use crate::model::{Input, Net, Output};
use crate::targets::Batch;
use crate::weights::Weights;

/// What to differentiate, and where.
pub(crate) struct Job<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) loss: &'a LossWeights,
    /// With autodiff for a gradient, without for losses alone.
    pub(crate) device: &'a Device,
}

/// The fused passes with their memory.
pub(crate) struct Fused {
    backprop: Backprop,
    workers: Vec<Worker>,
}

impl Fused {
    pub(crate) fn new(config: &NetConfig) -> Result<Fused, String> {
        Ok(Fused { backprop: Backprop::new(config)?, workers: Vec::new() })
    }

    /// The instructions in use.
    pub(crate) fn name(&self) -> &'static str {
        self.backprop.name()
    }

    #[cfg(test)]
    pub(crate) fn portable(self) -> Fused {
        Fused { backprop: self.backprop.portable(), ..self }
    }
}

/// Loss terms (divided by the batch's total row weight) and the gradient in the order of the weights.
pub(crate) struct Sums {
    pub(crate) terms: [f32; TERMS],
    /// Empty on a device without autodiff.
    pub(crate) gradient: Vec<f32>,
}

impl Job<'_> {
    /// Sums over a checked batch by Burn, split into at most `threads` parts of nearly equal size.
    pub(crate) fn run(&self, batch: &Batch, threads: usize) -> Result<Sums, String> {
        let weight_sum: f32 = batch.targets.weight.iter().sum();
        split(batch, &mut vec![(); threads], |(), part| self.part(part, weight_sum))
    }

    /// As `run`, by the fused passes.
    pub(crate) fn run_fused(&self, batch: &Batch, threads: usize, fused: &mut Fused) -> Result<Sums, String> {
        let weight_sum: f32 = batch.targets.weight.iter().sum();
        let Fused { backprop, workers } = fused;
        workers.resize_with(threads, Worker::default);
        backprop.load(self.weights.values(), &batch.input);
        let backprop = &*backprop;
        split(batch, workers, |worker, part| self.part_fused(part, weight_sum, backprop, worker))
    }

    fn part(&self, batch: &Batch, weight_sum: f32) -> Result<Sums, String> {
        let config = self.weights.config();
        let net = Net::new(self.weights, self.device);
        let output = net.forward(Input::from_raw(&batch.input, config, self.device));
        let loss = loss(output, batch, config, self.loss, weight_sum, self.device);
        let terms = read_terms(loss.terms)?;
        if !self.device.is_autodiff() {
            return Ok(Sums { terms, gradient: Vec::new() });
        }
        let gradients = loss.total.backward();
        let mut collect = Collect { gradients, values: Ok(Vec::with_capacity(self.weights.values().len())) };
        net.visit(&mut collect);
        let gradient = collect.values?;
        let (found, expected) = (gradient.len(), self.weights.values().len());
        if found != expected {
            return Err(format!("{found} gradients for {expected} weights"));
        }
        Ok(Sums { terms, gradient })
    }

    fn part_fused(
        &self,
        batch: &Batch,
        weight_sum: f32,
        backprop: &Backprop,
        worker: &mut Worker,
    ) -> Result<Sums, String> {
        let mut terms = [0.0; TERMS];
        let mut loss = |rows: &[usize], logits: &mut Logits| {
            let part = self.loss_of(&batch.pick(rows.iter().copied()), weight_sum, logits)?;
            terms.iter_mut().zip(part).for_each(|(t, p)| *t += p);
            Ok(())
        };
        backprop.run(worker, &batch.input, self.device.is_autodiff(), &mut loss)?;
        Ok(Sums { terms, gradient: worker.gradient.clone() })
    }

    /// Loss terms of outputs, which on an autodiff device become their gradient.
    fn loss_of(&self, batch: &Batch, weight_sum: f32, logits: &mut Logits) -> Result<[f32; TERMS], String> {
        let (config, input) = (self.weights.config(), &batch.input);
        let (n, area, policies) = (input.n, input.height * input.width, config.policies());
        let output = Output {
            policy: self.leaf(&logits.policy, [n, policies, area]),
            extra: (config.extras > 0).then(|| self.leaf(&logits.extra, [n, policies, config.extras])),
            wdl: self.leaf(&logits.wdl, [n, 3]),
            short: config.short_term.then(|| self.leaf(&logits.short, [n, 3])),
            margin: config.board_heads.then(|| self.leaf(&logits.margin, [n, 2])),
            ownership: config.board_heads.then(|| self.leaf(&logits.ownership, [n, area])),
        };
        let loss = loss(output.clone(), batch, config, self.loss, weight_sum, self.device);
        let terms = read_terms(loss.terms)?;
        if self.device.is_autodiff() {
            let mut all = loss.total.backward();
            logits.policy = taken(&output.policy, &mut all)?;
            logits.wdl = taken(&output.wdl, &mut all)?;
            if let Some(extra) = &output.extra {
                logits.extra = taken(extra, &mut all)?;
            }
            let vectors = [
                (&output.short, &mut logits.short),
                (&output.margin, &mut logits.margin),
                (&output.ownership, &mut logits.ownership),
            ];
            for (tensor, values) in vectors {
                if let Some(tensor) = tensor {
                    *values = taken(tensor, &mut all)?;
                }
            }
        }
        Ok(terms)
    }

    fn leaf<const D: usize>(&self, values: &[f32], shape: [usize; D]) -> Tensor<D> {
        let tensor = Tensor::from_data(TensorData::new(values.to_vec(), shape), self.device);
        if self.device.is_autodiff() { tensor.require_grad() } else { tensor }
    }
}

/// Runs `part` over nearly equal parts of the rows, each with a worker and thread of its own, and adds up in order.
fn split<W: Send>(
    batch: &Batch,
    workers: &mut [W],
    part: impl Fn(&mut W, &Batch) -> Result<Sums, String> + Sync,
) -> Result<Sums, String> {
    let n = batch.input.n;
    let threads = workers.len().min(n);
    if threads == 1 {
        return part(&mut workers[0], batch);
    }
    let cut = |k: usize| k * n / threads;
    let part = &part;
    let parts: Vec<Result<Sums, String>> = thread::scope(|scope| {
        let spawn = |(k, worker)| scope.spawn(move || part(worker, &batch.pick(cut(k)..cut(k + 1))));
        let handles: Vec<_> = workers.iter_mut().take(threads).enumerate().map(spawn).collect();
        let join = |h: thread::ScopedJoinHandle<'_, _>| h.join().unwrap_or(Err("a thread panicked".to_string()));
        handles.into_iter().map(join).collect()
    });
    let mut parts = parts.into_iter();
    let mut sums = parts.next().unwrap_or(Err("no rows".to_string()))?;
    for part in parts {
        let part = part?;
        sums.terms.iter_mut().zip(part.terms).for_each(|(s, p)| *s += p);
        sums.gradient.iter_mut().zip(part.gradient).for_each(|(s, p)| *s += p);
    }
    Ok(sums)
}

fn read_terms(terms: Tensor<1>) -> Result<[f32; TERMS], String> {
    read(terms.inner())?.try_into().map_err(|_| "the loss has another number of terms".to_string())
}

/// A leaf's gradient.
fn taken<const D: usize>(leaf: &Tensor<D>, all: &mut Gradients) -> Result<Vec<f32>, String> {
    leaf.grad_remove(all).ok_or_else(|| "an output has no gradient".to_string()).and_then(read)
}

/// Takes each parameter's gradient in the order of the module's fields, which is the order of the slots.
struct Collect {
    gradients: Gradients,
    values: Result<Vec<f32>, String>,
}

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Ok(values) = &mut self.values else { return };
        let gradient = param.val().grad_remove(&mut self.gradients);
        match gradient.ok_or_else(|| format!("weight {} has no gradient", param.id)).and_then(read) {
            Ok(part) => values.extend(part),
            Err(why) => self.values = Err(why),
        }
    }
}

/// Copies a tensor to plain numbers, row-major.
pub(crate) fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, String> {
    let data = tensor.try_into_data().map_err(|e| format!("{e:?}"))?;
    data.try_into_vec::<f32>().map_err(|e| format!("{e:?}"))
}

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
pub(crate) mod support;

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::support::{all_heads, lively, training};
    use super::*;

    fn total(weights: &Weights, loss: &LossWeights, batch: &Batch) -> f64 {
        let device = Device::flex();
        let terms = Job { weights, loss, device: &device }.run(batch, 1).unwrap().terms;
        let parts = crate::loss::LossParts::from_terms(&terms, batch, weights.config(), loss);
        f64::from(parts.total)
    }

    fn weights() -> Weights {
        lively(&all_heads("b2c6", 3, 2, 4), 5)
    }

    fn gradient(weights: &Weights, loss: &LossWeights, batch: &Batch) -> Weights {
        let device = Device::flex().autodiff();
        let gradient = Job { weights, loss, device: &device }.run(batch, 2).unwrap().gradient;
        Weights::from_values(weights.config(), gradient).unwrap()
    }

    /// For every tensor, the loss's slope along its gradient is the gradient's norm. Not for the margin, whose spread
    /// term holds its mean fixed on purpose.
    #[test]
    fn gradients_agree_with_differences() {
        let weights = weights();
        let batch = training(weights.config(), &[(5, 5), (4, 6), (6, 6), (5, 4), (6, 5)], 1);
        let loss = LossWeights { margin: 0.0, soft: 0.5, ..LossWeights::default() };
        let gradient = gradient(&weights, &loss, &batch);
        let mut at = 0;
        for (name, _, part) in gradient.iter() {
            let range = at..at + part.len();
            at = range.end;
            let norm = part.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
            assert_eq!(norm < 1e-4, name.starts_with("value.margin"), "{name}: gradient {norm}");
            if norm < 1e-4 {
                continue;
            }
            let step = 4e-3;
            let moved = |sign: f64| {
                let mut values = weights.values().to_vec();
                for (value, g) in values[range.clone()].iter_mut().zip(part) {
                    *value += (sign * step * f64::from(*g) / norm) as f32;
                }
                total(&Weights::from_values(weights.config(), values).unwrap(), &loss, &batch)
            };
            // A ReLU or maximum may bend within the step on one side, so one of the two sides is enough.
            let (ahead, here, behind) = (moved(1.0), moved(0.0), moved(-1.0));
            let slopes = [(ahead - here) / step, (here - behind) / step, (ahead - behind) / (2.0 * step)];
            let error = slopes.iter().map(|s| (s - norm).abs()).fold(f64::MAX, f64::min);
            assert!(error < 0.02 * norm + 1e-3, "{name}: slopes {slopes:?}, gradient {norm}");
        }
    }

    /// Huber pulls the mean by its clamped error; the likelihood pulls the spread alone.
    #[test]
    fn the_margins_gradient_is_what_its_formula_says() {
        let weights = weights();
        let batch = training(weights.config(), &[(6, 6); 4], 2);
        let loss = LossWeights { margin: 1.0, ..LossWeights::default() };
        let device = Device::flex();
        let net = Net::new(&weights, &device);
        let output = net.forward(Input::from_raw(&batch.input, weights.config(), &device));
        let margin = read(output.margin.unwrap()).unwrap();
        let t = &batch.targets;
        let all: f32 = t.weight.iter().sum();
        let (mut mean, mut spread) = (0.0, 0.0);
        for row in 0..batch.input.n {
            let share = t.weight[row] * t.board_weight[row] / all;
            let error = margin[2 * row] - t.margin[row] / 20.0;
            mean += share * error.clamp(-1.0, 1.0);
            spread += share * 0.1 * (1.0 - (error / margin[2 * row + 1].exp()).powi(2));
        }
        let gradient = gradient(&weights, &loss, &batch);
        let (_, bias) = gradient.get("value.margin.bias").unwrap();
        assert!((bias[0] - mean).abs() < 1e-5 && (bias[1] - spread).abs() < 1e-5, "{bias:?} {mean} {spread}");
    }
}
