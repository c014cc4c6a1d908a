//! What a stretch of self-play came to, live and at its end. Not here: how it is shown.

use tengen_data::{EndReason, GameRecord};
use tengen_game::{Outcome, Seat};
use tengen_search::DeviceUse;

/// Sums over finished games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Games finished.
    pub games: u64,
    /// Rows with a target.
    pub rows: u64,
    /// Plies.
    pub plies: u64,
    /// Games that the first seat won, the second seat won, drawn, without result.
    pub outcomes: [u64; 4],
    /// Games cut by the ply cap.
    pub truncated: u64,
    /// Games resigned.
    pub resigned: u64,
    /// Positions that searches asked about.
    pub asked: u64,
    /// Positions that the network evaluated.
    pub evaluations: u64,
    /// Positions that the cache answered.
    pub hits: u64,
    /// Batches that reached the network; those of the device where threads share one.
    pub batches: u64,
    /// Share of the time in which a device that threads share waited for work, in [0, 1]; none without one. Copies to and
    /// from the device count as work, the first batch's delay as waiting.
    pub idle: Option<f64>,
    /// Wall time, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Adds one finished game.
    pub fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        self.rows += record.rows() as u64;
        self.plies += record.moves.len() as u64;
        self.outcomes[record.outcome.code() as usize] += 1;
        self.truncated += u64::from(record.end == EndReason::Truncated);
        self.resigned += u64::from(record.end == EndReason::Resigned);
        self.asked += record.evaluations;
    }

    /// Takes the figures of the device over `seconds`, which must be set.
    pub(crate) fn fill_device(&mut self, used: DeviceUse) {
        self.batches = used.batches;
        self.idle = Some((1.0 - used.busy / self.seconds.max(1e-9)).clamp(0.0, 1.0));
    }

    /// Positions per batch that reached the network.
    pub fn batch(&self) -> f64 {
        self.evaluations as f64 / self.batches.max(1) as f64
    }

    /// Share of points that went to the first seat, in [0, 1].
    pub fn first_share(&self) -> f64 {
        let points: f64 = (0..4)
            .filter_map(|c| Outcome::from_code(c).map(|o| o.points(Seat::First) * self.outcomes[c as usize] as f64))
            .sum();
        points / self.games.max(1) as f64
    }
}
