//! Mean losses over a stretch of training. Not here: how they are shown.

use tengen_net::StepReport;

/// Means over the steps of one iteration; a part that no row had is none.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Report {
    /// Step after the last one.
    pub step: u64,
    /// Steps taken.
    pub steps: u64,
    /// Rows in the window.
    pub window: usize,
    /// Learning rate of the last step.
    pub learning_rate: f32,
    /// Weighted sum of all parts.
    pub total: f32,
    /// Policy cross-entropy, nats.
    pub policy: Option<f32>,
    /// Result cross-entropy, nats.
    pub wdl: Option<f32>,
    /// Short-term result cross-entropy, nats.
    pub short: Option<f32>,
    /// Reply cross-entropy, nats.
    pub reply: Option<f32>,
    /// Soft policy cross-entropy, nats.
    pub soft: Option<f32>,
    /// Margin loss.
    pub margin: Option<f32>,
    /// Ownership loss, squared error per point.
    pub ownership: Option<f32>,
    /// Gradient norm before clipping.
    pub grad_norm: f32,
    /// Wall time, in seconds.
    pub seconds: f64,
}

/// Running sums behind a [`Report`].
#[derive(Debug, Default)]
pub(crate) struct Sums {
    values: [f64; 9],
    counts: [u64; 9],
}

impl Sums {
    pub(crate) fn add(&mut self, s: &StepReport) {
        let l = &s.loss;
        let parts =
            [Some(l.total), l.policy, l.wdl, l.short, l.reply, l.soft, l.margin, l.ownership, Some(s.grad_norm)];
        for (i, part) in parts.into_iter().enumerate() {
            if let Some(v) = part {
                self.values[i] += f64::from(v);
                self.counts[i] += 1;
            }
        }
    }

    pub(crate) fn report(&self) -> Report {
        let mean = |i: usize| (self.counts[i] > 0).then(|| (self.values[i] / self.counts[i] as f64) as f32);
        Report {
            steps: self.counts[0],
            total: mean(0).unwrap_or(0.0),
            policy: mean(1),
            wdl: mean(2),
            short: mean(3),
            reply: mean(4),
            soft: mean(5),
            margin: mean(6),
            ownership: mean(7),
            grad_norm: mean(8).unwrap_or(0.0),
            ..Report::default()
        }
    }
}
