//! Learning-rate schedules over a run's progress; a new one is a variant here. Not here: the base rate.

use serde::{Deserialize, Serialize};

/// How the learning rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Never.
    Constant,
    /// Full until 60 % of the run, a third until 90 %, then a tenth.
    #[default]
    Steps,
    /// Half a cosine down to a twentieth.
    Cosine,
}

impl Schedule {
    /// Factor on the base rate at `progress` in [0, 1] of the run.
    pub fn factor(self, progress: f32) -> f32 {
        let p = progress.clamp(0.0, 1.0);
        match self {
            Schedule::Constant => 1.0,
            Schedule::Steps if p < 0.6 => 1.0,
            Schedule::Steps if p < 0.9 => 1.0 / 3.0,
            Schedule::Steps => 0.1,
            Schedule::Cosine => 0.05 + 0.95 * 0.5 * (1.0 + (p * std::f32::consts::PI).cos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_never_rise() {
        for s in [Schedule::Constant, Schedule::Steps, Schedule::Cosine] {
            let f: Vec<f32> = (0..=20).map(|i| s.factor(i as f32 / 20.0)).collect();
            assert!(f.windows(2).all(|w| w[1] <= w[0] + 1e-6) && f[0] == 1.0 && f[20] >= 0.04, "{s:?} {f:?}");
        }
    }
}
