//! Learns: forward, loss, backward, AdamW, running average. Not here: where batches come from, learning-rate schedules,
//! when to stop, files (`train` and `data`).
//!
//! The master copy of the weights and the optimiser's moments are plain f32 arrays in the order of the slots, and AdamW
//! (Loshchilov & Hutter 2019) is written out over them instead of using Burn's: networks here have at most a few
//! million weights, so it costs nothing beside a backward pass; saving and restoring is exact to the bit with every
//! moment under its weight's name (Burn's optimiser state is keyed by parameter ids that are random per process);
//! and gradients of several threads are added in one fixed order.

use std::sync::{Mutex, PoisonError};

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use crate::adamw::{AdamW, Moments};
use crate::config::NetConfig;
use crate::gradient::{Fused, Job, Sums};
use crate::loss::{LossParts, LossWeights};
use crate::targets::Batch;
use crate::weights::{self, BYTES_MAX, Weights, WeightsError};

/// Who computes gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gradients {
    /// The fused passes on the CPU, Burn on other devices.
    #[default]
    Auto,
    /// Burn everywhere: the reference.
    Burn,
}

/// How to learn. The learning rate is given at every step, because schedules belong to `train`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnerConfig {
    /// Weights of the loss terms.
    pub loss: LossWeights,
    /// Decay of the gradient's running mean.
    pub beta1: f32,
    /// Decay of the squared gradient's running mean.
    pub beta2: f32,
    /// Added to the root of the latter.
    pub epsilon: f32,
    /// Share of each weight (not bias) taken off per step and unit of learning rate.
    pub weight_decay: f32,
    /// Largest norm of the whole gradient; larger ones are scaled down to it.
    pub clip_norm: f32,
    /// Share that the running average of the weights keeps per step; it starts lower and rises to this.
    pub average_decay: f32,
    /// Parts that a batch is split into, one thread each. Results repeat for a given number, not across numbers.
    pub threads: usize,
    /// Who computes gradients.
    pub gradients: Gradients,
}

impl Default for LearnerConfig {
    fn default() -> LearnerConfig {
        LearnerConfig {
            loss: LossWeights::default(),
            beta1: 0.9,
            beta2: 0.99,
            epsilon: 1e-8,
            weight_decay: 1e-2,
            clip_norm: 4.0,
            average_decay: 0.999,
            threads: 1,
            gradients: Gradients::Auto,
        }
    }
}

impl LearnerConfig {
    /// Whether the numbers make sense; the error names the field.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("beta1", self.beta1, 0.0, 0.9999),
            ("beta2", self.beta2, 0.0, 0.999_99),
            ("epsilon", self.epsilon, 1e-12, 1.0),
            ("weight_decay", self.weight_decay, 0.0, 10.0),
            ("clip_norm", self.clip_norm, 1e-6, 1e6),
            ("average_decay", self.average_decay, 0.0, 0.999_999),
        ];
        for (name, value, min, max) in rows {
            if !(min..=max).contains(&value) {
                return Err(format!("{name} = {value}: allowed are {min} to {max}"));
            }
        }
        if !(1..=THREADS_MAX).contains(&self.threads) {
            return Err(format!("threads = {}: allowed are 1 to {THREADS_MAX}", self.threads));
        }
        self.loss.check()
    }
}

const THREADS_MAX: usize = 256;

/// Why a step or a restore was refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// A setting is out of range.
    #[error("learner: {0}")]
    Config(String),
    /// The batch doesn't fit or holds nonsense.
    #[error("batch of step {step}: {why}")]
    Batch {
        /// The step that would have been made, from 1.
        step: u64,
        /// Array and row.
        why: String,
    },
    /// Loss or gradient is NaN or infinite.
    #[error("step {step}: {what} is not finite; weights are unchanged")]
    NotFinite {
        /// The step that would have been made, from 1.
        step: u64,
        /// Loss or gradient.
        what: &'static str,
    },
    /// The device failed.
    #[error("step {step}: {why}")]
    Device {
        /// The step that would have been made, from 1.
        step: u64,
        /// What it said.
        why: String,
    },
    /// The saved state is damaged or belongs to another network.
    #[error("learner state: {0}")]
    State(#[from] WeightsError),
    /// The saved state belongs to another network.
    #[error("learner state is of another network: saved {saved}, expected {expected}")]
    OtherNetwork {
        /// Its configuration.
        saved: String,
        /// This one's.
        expected: String,
    },
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Steps made so far, this one included.
    pub step: u64,
    /// Losses before the step.
    pub loss: LossParts,
    /// Norm of the gradient before clipping.
    pub grad_norm: f32,
}

/// A network being trained.
pub struct Learner {
    config: LearnerConfig,
    device: Device,
    /// None where Burn computes gradients.
    fused: Option<Mutex<Fused>>,
    weights: Weights,
    moments: Moments,
    average: Vec<f32>,
    step: u64,
}

/// What is saved beside the arrays.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    step: u64,
    network: NetConfig,
}

/// Prefixes of the four arrays in a saved state.
const SETS: [&str; 4] = ["weights.", "mean.", "square.", "average."];

impl Learner {
    /// Starts from given weights at step 0, on a device without autodiff (it is added here).
    pub fn new(weights: Weights, config: LearnerConfig, device: &Device) -> Result<Learner, LearnError> {
        config.check().map_err(LearnError::Config)?;
        let n = weights.values().len();
        let fused = match config.gradients {
            Gradients::Auto if *device == Device::flex() => {
                Some(Mutex::new(Fused::new(weights.config()).map_err(LearnError::Config)?))
            }
            _ => None,
        };
        Ok(Learner {
            config,
            device: device.clone().autodiff(),
            fused,
            moments: Moments { mean: vec![0.0; n], square: vec![0.0; n] },
            average: weights.values().to_vec(),
            weights,
            step: 0,
        })
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Who computes gradients, and how: `burn`, or the fused passes' instructions, such as `fused avx2`.
    pub fn gradients(&self) -> &'static str {
        self.fused.as_ref().map_or("burn", |fused| fused.lock().unwrap_or_else(PoisonError::into_inner).name())
    }

    /// The settings.
    pub fn config(&self) -> &LearnerConfig {
        &self.config
    }

    /// The weights that learn.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The running average of the weights: what should play.
    pub fn averaged(&self) -> Weights {
        Weights::from_values(self.weights.config(), self.average.clone()).expect("averages of finite weights")
    }

    /// One step of AdamW. On an error nothing has changed.
    pub fn step(&mut self, batch: &Batch, learning_rate: f32) -> Result<StepReport, LearnError> {
        let step = self.step + 1;
        if !(0.0..=1.0).contains(&learning_rate) {
            return Err(LearnError::Config(format!("learning rate {learning_rate}: allowed are 0 to 1")));
        }
        let (parts, mut gradient) = self.sums(batch, &self.device)?;
        let norm = gradient.iter().map(|g| f64::from(*g) * f64::from(*g)).sum::<f64>().sqrt() as f32;
        if !norm.is_finite() {
            return Err(LearnError::NotFinite { step, what: "the gradient" });
        }
        if norm > self.config.clip_norm {
            let scale = self.config.clip_norm / norm;
            gradient.iter_mut().for_each(|g| *g *= scale);
        }
        self.adamw(learning_rate).update(&mut self.weights, &gradient, &mut self.moments, step);
        // Rises from 2/11, so that the first weights are soon forgotten.
        let keep = self.config.average_decay.min((1 + step) as f32 / (10 + step) as f32);
        for (a, w) in self.average.iter_mut().zip(self.weights.values()) {
            *a = keep * *a + (1.0 - keep) * w;
        }
        self.step = step;
        Ok(StepReport { step, loss: parts, grad_norm: norm })
    }

    fn adamw(&self, learning_rate: f32) -> AdamW {
        let LearnerConfig { beta1, beta2, epsilon, weight_decay, .. } = self.config;
        AdamW { learning_rate, beta1, beta2, epsilon, weight_decay }
    }

    /// Losses of a batch, without learning from it.
    pub fn evaluate(&self, batch: &Batch) -> Result<LossParts, LearnError> {
        Ok(self.sums(batch, &self.device.clone().inner())?.0)
    }

    /// Weights, moments, average and step, as one safetensors file.
    pub fn state_bytes(&self) -> Vec<u8> {
        let saved = Saved { step: self.step, network: self.weights.config().clone() };
        let text = serde_json::to_string(&saved).expect("plain numbers and names");
        let values = [self.weights.values(), &self.moments.mean, &self.moments.square, &self.average];
        let sets: Vec<(&str, &[f32])> = SETS.into_iter().zip(values).collect();
        weights::write(self.weights.slots(), &sets, ("learner", text))
    }

    /// Continues where `state_bytes` was taken, to the bit. Every weight must come with its moments and average.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), LearnError> {
        let (file, text) = weights::open(bytes, "learner", SETS.len() * BYTES_MAX)?;
        let saved: Saved = weights::parse("learner", &text)?;
        if &saved.network != self.weights.config() {
            let text = |c: &NetConfig| serde_json::to_string(c).expect("plain numbers and names");
            let (saved, expected) = (text(&saved.network), text(self.weights.config()));
            return Err(LearnError::OtherNetwork { saved, expected });
        }
        let slots = self.weights.slots();
        if file.len() != SETS.len() * slots.len() {
            return Err(weights::surplus(&file, slots, &SETS).into());
        }
        let [values, mean, square, average] = {
            let read = |prefix| weights::read(&file, slots, prefix);
            [read(SETS[0])?, read(SETS[1])?, read(SETS[2])?, read(SETS[3])?]
        };
        if let Some(at) = square.iter().position(|&v| v < 0.0) {
            let why = format!("mean square {} at {at} is negative", square[at]);
            return Err(WeightsError::Tensor { name: SETS[2].to_string(), why }.into());
        }
        self.weights = Weights::from_values(&saved.network, values)?;
        (self.moments, self.average, self.step) = (Moments { mean, square }, average, saved.step);
        Ok(())
    }

    /// Losses of a batch, and on an autodiff device its gradient.
    fn sums(&self, batch: &Batch, device: &Device) -> Result<(LossParts, Vec<f32>), LearnError> {
        let step = self.step + 1;
        let config = self.weights.config();
        batch.check(config).map_err(|why| LearnError::Batch { step, why })?;
        let job = Job { weights: &self.weights, loss: &self.config.loss, device };
        let threads = self.config.threads;
        let sums = match &self.fused {
            // A panic leaves nothing behind that the next step reads.
            Some(fused) => job.run_fused(batch, threads, &mut fused.lock().unwrap_or_else(PoisonError::into_inner)),
            None => job.run(batch, threads),
        };
        let Sums { terms, gradient } = sums.map_err(|why| LearnError::Device { step, why })?;
        let parts = LossParts::from_terms(&terms, batch, config, &self.config.loss);
        if !parts.total.is_finite() {
            return Err(LearnError::NotFinite { step, what: "the loss" });
        }
        Ok((parts, gradient))
    }
}
