//! Settings of training. Not here: the network's shape (`net`) and where shards lie (`data`).

use serde::{Deserialize, Serialize};

use crate::schedule::Schedule;

/// How a network is trained from self-play games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Rows per step.
    pub batch: usize,
    /// How often each new row is used on average; steps per iteration follow from it.
    pub reuse: f32,
    /// Learning rate of AdamW at the start.
    pub learning_rate: f32,
    /// How the learning rate falls over the run.
    pub schedule: Schedule,
    /// Decoupled weight decay, on weights only.
    pub weight_decay: f32,
    /// Global gradient norm above which gradients are scaled down.
    pub clip_norm: f32,
    /// Half-life of the averaged weights, in steps; 0 turns averaging off.
    pub average_half_life: f32,
    /// Rows in the window while there is little data.
    pub window_min: usize,
    /// Exponent of the window's growth with all rows made so far (1 keeps everything, 0 nothing more).
    pub window_power: f32,
    /// Share of new rows that widens the window once it has grown past its minimum.
    pub window_expand: f32,
    /// Share of the search value in the value target, 0 = outcome only.
    pub search_share: f32,
    /// Horizon of the short-term value target, in plies.
    pub short_horizon: f32,
    /// Loss weight of the value.
    pub value_weight: f32,
    /// Loss weight of the short-term value (networks that have the head).
    pub short_weight: f32,
    /// Loss weight of the opponent's reply (networks that have the head).
    pub reply_weight: f32,
    /// Loss weight of the soft policy (networks that have the head).
    pub soft_weight: f32,
    /// Loss weight of the final margin (Go).
    pub margin_weight: f32,
    /// Loss weight of ownership (Go).
    pub ownership_weight: f32,
    /// Threads over which a batch is split; results repeat for the same number.
    pub threads: usize,
    /// Share of unreadable shards above which training stops.
    pub bad_shards_max: f32,
}

impl Default for TrainConfig {
    fn default() -> TrainConfig {
        TrainConfig {
            batch: 256,
            reuse: 3.0,
            learning_rate: 2e-3,
            schedule: Schedule::Steps,
            weight_decay: 1e-3,
            clip_norm: 4.0,
            average_half_life: 50.0,
            window_min: 15_000,
            window_power: 0.65,
            window_expand: 0.4,
            search_share: 0.25,
            short_horizon: 6.0,
            value_weight: 1.0,
            short_weight: 0.3,
            reply_weight: 0.15,
            soft_weight: 0.5,
            margin_weight: 0.05,
            ownership_weight: 0.3,
            threads: 2,
            bad_shards_max: 0.2,
        }
    }
}

impl TrainConfig {
    /// Checks every range; the error names the key and what it allows.
    pub fn check(&self) -> Result<(), String> {
        let range = |name: &str, value: f32, low: f32, high: f32| {
            if value.is_finite() && (low..=high).contains(&value) {
                return Ok(());
            }
            Err(format!("train.{name} = {value}: expected {low} to {high}"))
        };
        range("batch", self.batch as f32, 1.0, 65_536.0)?;
        range("reuse", self.reuse, 0.01, 100.0)?;
        range("learning_rate", self.learning_rate, 1e-7, 1.0)?;
        range("weight_decay", self.weight_decay, 0.0, 1.0)?;
        range("clip_norm", self.clip_norm, 1e-3, 1e6)?;
        range("average_half_life", self.average_half_life, 0.0, 1e6)?;
        range("window_min", self.window_min as f32, 1.0, 1e9)?;
        range("window_power", self.window_power, 0.0, 1.0)?;
        range("window_expand", self.window_expand, 0.0, 1.0)?;
        range("search_share", self.search_share, 0.0, 1.0)?;
        range("short_horizon", self.short_horizon, 0.1, 1000.0)?;
        range("threads", self.threads as f32, 1.0, 256.0)?;
        range("bad_shards_max", self.bad_shards_max, 0.0, 1.0)?;
        for (name, value) in [
            ("value_weight", self.value_weight),
            ("short_weight", self.short_weight),
            ("reply_weight", self.reply_weight),
            ("soft_weight", self.soft_weight),
            ("margin_weight", self.margin_weight),
            ("ownership_weight", self.ownership_weight),
        ] {
            range(name, value, 0.0, 100.0)?;
        }
        Ok(())
    }

    /// Rows the window holds when `rows` have been made in all: the minimum, then a power law (as KataGo's: linear in
    /// `rows` with slope `window_expand` at the minimum, ever slower after).
    pub fn window(&self, rows: usize) -> usize {
        let (min, x, a) = (self.window_min as f64, rows as f64, f64::from(self.window_power));
        if x <= min || a == 0.0 {
            return self.window_min;
        }
        let grown = (x.powf(a) - min.powf(a)) / (a * min.powf(a - 1.0));
        (min + f64::from(self.window_expand) * grown) as usize
    }

    /// Training steps owed for `new_rows` fresh rows.
    pub fn steps(&self, new_rows: usize) -> usize {
        (new_rows as f64 * f64::from(self.reuse) / self.batch as f64).ceil() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_ever_slower() {
        let c = TrainConfig { window_min: 1000, ..TrainConfig::default() };
        assert_eq!(c.window(10), 1000);
        assert_eq!(c.window(1000), 1000);
        let grown: Vec<usize> = [2000, 3000, 4000].iter().map(|&n| c.window(n)).collect();
        assert!(grown[0] > 1300 && grown[0] < 1400, "{grown:?}");
        assert!(grown[2] - grown[1] < grown[1] - grown[0]);
    }

    #[test]
    fn ranges_are_named() {
        let bad = TrainConfig { reuse: f32::NAN, ..TrainConfig::default() };
        assert!(bad.check().unwrap_err().contains("train.reuse"));
        assert_eq!(TrainConfig::default().check(), Ok(()));
    }

    #[test]
    fn steps_follow_new_rows() {
        let c = TrainConfig { batch: 100, reuse: 4.0, ..TrainConfig::default() };
        assert_eq!((c.steps(0), c.steps(1), c.steps(1000)), (0, 1, 40));
    }
}
