//! A stretch of training steps on the window. Every step's batch depends on the seed, the step number and the window
//! alone, so a run that was killed and resumed ends with the weights it would have had. Not here: checkpoints.

use std::time::Instant;

use tengen_features::FeatureSpec;
use tengen_net::{Learner, LearnerConfig, LossWeights, StepReport};

use crate::TrainError;
use crate::batch::{draw, stream};
use crate::config::TrainConfig;
use crate::report::{Report, Sums};
use crate::window::Window;

impl TrainConfig {
    /// The optimizer's settings.
    pub fn learner(&self) -> LearnerConfig {
        let decay = if self.average_half_life > 0.0 { 0.5f32.powf(1.0 / self.average_half_life) } else { 0.0 };
        LearnerConfig {
            loss: LossWeights {
                wdl: self.value_weight,
                short: self.short_weight,
                reply: self.reply_weight,
                soft: self.soft_weight,
                margin: self.margin_weight,
                ownership: self.ownership_weight,
                ..LossWeights::default()
            },
            weight_decay: self.weight_decay,
            clip_norm: self.clip_norm,
            average_decay: decay,
            threads: self.threads,
            ..LearnerConfig::default()
        }
    }
}

/// Takes `steps` steps at `progress` in [0, 1] of the whole run. `on_step` sees each; it returns false to stop early,
/// after which nothing of this stretch should be kept (it is repeated in full after a restart).
#[allow(
    clippy::too_many_arguments,
    reason = "one stage, one function; a struct of eight borrowed fields reads no better"
)]
pub fn run(
    learner: &mut Learner,
    window: &Window,
    spec: &FeatureSpec,
    config: &TrainConfig,
    seed: u64,
    steps: usize,
    progress: f32,
    on_step: &mut dyn FnMut(&StepReport) -> bool,
) -> Result<Report, TrainError> {
    let started = Instant::now();
    let rows = window.rows();
    if rows.is_empty() && steps > 0 {
        return Err(TrainError::Empty);
    }
    let rate = config.learning_rate * config.schedule.factor(progress);
    let net = learner.weights().config().clone();
    let mut sums = Sums::default();
    for _ in 0..steps {
        let mut rng = stream(seed, learner.steps());
        let batch = draw(&rows, config.batch, &mut rng, spec, &net);
        let report = learner.step(&batch, rate)?;
        sums.add(&report);
        if !on_step(&report) {
            break;
        }
    }
    Ok(Report {
        step: learner.steps(),
        window: rows.len(),
        learning_rate: rate,
        seconds: started.elapsed().as_secs_f64(),
        ..sums.report()
    })
}
