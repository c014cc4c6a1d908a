//! What a run tells about itself while it runs: `metrics.jsonl` (one line per round, the truth) and TensorBoard event
//! files with the same numbers. Not here: terminal lines and pictures.

use anyhow::Result;
use serde_json::{Value, json};
use tengen_arena::Verdict;
use tengen_data::{MetricsLog, RunDir, rewind_metrics};
use tensorboard_rs::summary_writer::SummaryWriter;

use crate::stages::selfplay::Made;
use crate::stages::state::State;
use crate::stages::train::Trained;

/// One finished round.
pub struct Round<'a> {
    /// State after it.
    pub state: &'a State,
    /// Self-play.
    pub made: &'a Made,
    /// Training.
    pub trained: &'a Trained,
    /// Gate, when one was due.
    pub verdict: Option<&'a Verdict>,
}

/// Open logs.
pub struct Metrics {
    lines: MetricsLog,
    board: SummaryWriter,
}

impl Metrics {
    /// Opens the logs after `iteration` rounds; lines of later rounds (left by a kill) are dropped, so that no round is
    /// told twice.
    pub fn open(dir: &RunDir, iteration: u64) -> Result<Metrics> {
        let path = dir.metrics();
        rewind_metrics(&path, |line| line["iteration"].as_u64().is_some_and(|i| i <= iteration))?;
        Ok(Metrics { lines: MetricsLog::open(&path)?, board: SummaryWriter::new(dir.events()) })
    }

    /// Tells one round.
    pub fn round(&mut self, round: &Round<'_>) -> Result<()> {
        let line = line(round);
        self.lines.append(&line)?;
        self.lines.sync()?;
        let step = round.state.iteration as usize;
        for section in ["selfplay", "train", "gate", "run"] {
            let Some(values) = line[section].as_object() else { continue };
            for (name, value) in values {
                if let Some(v) = value.as_f64() {
                    self.board.add_scalar(&format!("{section}/{name}"), v as f32, step);
                }
            }
        }
        self.board.flush();
        Ok(())
    }
}

fn line(round: &Round<'_>) -> Value {
    let (s, m) = (round.state, round.made);
    let per_second = |n: u64| n as f64 / m.seconds.max(1e-3);
    let share = |n: u64| n as f64 / m.games.max(1) as f64;
    json!({
        "iteration": s.iteration,
        "model": round.trained.model,
        "selfplay": {
            "games": m.games,
            "rows": m.rows,
            "plies_per_game": share(m.plies),
            "first_wins": share(m.outcomes[0]),
            "second_wins": share(m.outcomes[1]),
            "draws": share(m.outcomes[2]),
            "no_results": share(m.outcomes[3]),
            "truncated": share(m.truncated),
            "evaluations": m.evaluations,
            "cache_share": m.hits as f64 / m.asked.max(1) as f64,
            "evaluations_per_second": per_second(m.evaluations),
            "rows_per_second": per_second(m.rows),
            "batch": m.batch,
            "device_idle": m.idle,
        },
        "train": round.trained.report,
        "gate": round.verdict.map(|v| json!({
            "accepted": u8::from(v.accepted),
            "undecided": u8::from(v.undecided),
            "llr": v.llr,
            "elo": v.elo,
            "pairs": v.pairs,
            "distinct_games": v.distinct_games,
        })),
        "run": {
            "games": s.games,
            "rows": s.rows,
            "evaluations": s.evaluations,
            "hits": s.hits,
            "steps": s.steps,
            "seconds": s.seconds,
            "refused": s.refused,
        },
    })
}
