//! What search needs from a network, owned by search so that no network is needed to test it. `Uniform` is the double.

use tengen_game::{Action, Game};

use crate::device::DeviceUse;

/// Win, draw and loss probabilities for the seat to act; each in [0, 1], sum 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wdl {
    /// Probability that the seat to act wins.
    pub win: f32,
    /// Probability of a draw or no result.
    pub draw: f32,
    /// Probability that the other seat wins.
    pub loss: f32,
}

impl Wdl {
    /// Nothing known.
    pub const EVEN: Wdl = Wdl { win: 0.5, draw: 0.0, loss: 0.5 };

    /// Expected utility in [-1, 1] for the seat to act.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }
}

/// One position to evaluate.
#[derive(Debug)]
pub struct Query<'a, G> {
    /// The position; not over, and at least two legal actions.
    pub game: &'a G,
    /// Its legal actions, ascending.
    pub legal: &'a [Action],
    /// A number that stays with the asking game (its slot), for evaluators whose rounding depends on batch position.
    pub slot: usize,
}

/// What the network says of one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Prior probability per legal action, in the order of `Query::legal`; sum 1.
    pub priors: Vec<f32>,
    /// Value for the seat to act.
    pub value: Wdl,
    /// Expected final margin in points for the seat to act, where the game has one.
    pub margin: Option<f32>,
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation { priors: Vec::new(), value: Wdl::EVEN, margin: None }
    }
}

impl Evaluation {
    /// Mends or refuses priors: probability mass is normalised; zero mass becomes uniform (returns true, so that the
    /// caller can warn); a value that isn't finite is an error naming `model`.
    pub fn settle(&mut self, model: &str, position: &dyn std::fmt::Debug) -> Result<bool, EvalError> {
        let finite = self.priors.iter().all(|p| p.is_finite() && *p >= 0.0)
            && [self.value.win, self.value.draw, self.value.loss].iter().all(|v| v.is_finite());
        if !finite {
            return Err(EvalError::NotFinite { model: model.to_string(), position: format!("{position:?}") });
        }
        let sum: f32 = self.priors.iter().sum();
        if sum > 1e-20 {
            self.priors.iter_mut().for_each(|p| *p /= sum);
            return Ok(false);
        }
        let even = 1.0 / self.priors.len().max(1) as f32;
        self.priors.iter_mut().for_each(|p| *p = even);
        Ok(true)
    }
}

/// Why an evaluation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvalError {
    /// The network's output has NaN or infinity.
    #[error("model {model} gives a value that isn't finite; position: {position}")]
    NotFinite {
        /// Model name.
        model: String,
        /// Position as text.
        position: String,
    },
    /// The network can't take the position, or its device failed.
    #[error("model {model}: {why}")]
    Failed {
        /// Model name.
        model: String,
        /// What went wrong.
        why: String,
    },
}

/// Answers batches of positions. One evaluator belongs to one thread.
pub trait Evaluator<G: Game>: Send {
    /// Evaluates `batch[i]` into `out[i]`; both have the same length. Buffers in `out` are reused.
    fn evaluate(&mut self, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError>;

    /// How many batches may be on their way at once, each in a lane of its own: more than one where a device computes
    /// while this thread does something else.
    fn lanes(&self) -> usize {
        1
    }

    /// Sends a batch off in a lane that has none, without waiting for the answers. `finish` must follow, with the same
    /// lane, positions and `out`, unless the evaluator is dropped. By default nothing happens before `finish`.
    fn begin(&mut self, lane: usize, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        let _ = (lane, batch, out);
        Ok(())
    }

    /// Waits for the batch of that lane; then `out` is as after `evaluate`.
    fn finish(&mut self, lane: usize, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        let _ = lane;
        self.evaluate(batch, out)
    }

    /// How many positions the network itself has evaluated so far; cache hits don't count.
    fn evaluations(&self) -> u64;

    /// How many positions were answered from a cache.
    fn hits(&self) -> u64 {
        0
    }

    /// Name of the model, for records and errors.
    fn model(&self) -> &str;
}

/// Where stages that play get their evaluators: self-play, arena and engines know a model by its id only.
pub trait EvaluatorSource<G: Game>: Sync {
    /// An evaluator of that model for one thread.
    fn open(&self, model: &str) -> Result<Box<dyn Evaluator<G>>, EvalError>;

    /// What the device that runs this model for all threads has done so far; none where each thread evaluates by itself.
    fn device(&self, model: &str) -> Option<DeviceUse> {
        let _ = model;
        None
    }
}

/// The evaluator without a network: equal priors, even value. Name `uniform`.
#[derive(Clone, Debug, Default)]
pub struct Uniform {
    asked: u64,
}

impl<G: Game> Evaluator<G> for Uniform {
    fn evaluate(&mut self, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        for (query, answer) in batch.iter().zip(out) {
            answer.priors.clear();
            answer.priors.resize(query.legal.len(), 1.0 / query.legal.len() as f32);
            answer.value = Wdl::EVEN;
            answer.margin = None;
        }
        self.asked += batch.len() as u64;
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        self.asked
    }

    fn model(&self) -> &str {
        "uniform"
    }
}
