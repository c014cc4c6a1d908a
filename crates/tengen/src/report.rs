//! What a run made, for people: headline, closing match, summary, learning curve. Not here: live progress.

use crate::catalog::Table;
use anyhow::Result;
use plotters::prelude::*;
use tengen_arena::{ArenaError, MatchResult, match_starts, match_text, play_match, run::MatchGames};
use tengen_data::rundir::{read_json_if_there, write_json};
use tengen_data::{Journal, RunDir, Sync, read_metrics};

use crate::progress::span;
use crate::stages::Stage;
use crate::stages::gate::Keeper;
use crate::stages::state::State;

const FINAL: &str = "final.json";

/// Game, rules, size, opening, komi, model and network in one line, before work begins.
pub fn headline<G: Table>(stage: &Stage<G>, state: &State) -> String {
    let c = &stage.config;
    let net = c.net.build(&stage.spec).map_or(0, |n| n.parameters());
    let more = stage.setups.len() - 1;
    let others = if more > 0 { format!(" (and {more} more setups)") } else { String::new() };
    format!(
        "{}: {}{others}; b{}c{} ({net} parameters), {}; round {} begins with model {}; {} threads, seed {}",
        stage.dir.root().display(),
        stage.reference(),
        c.net.blocks,
        c.net.channels,
        stage.spec.set,
        state.iteration + 1,
        state.model,
        c.run.threads(),
        c.run.seed,
    )
}

/// The closing match of the last network against the first. None when a stop was asked for.
pub fn final_match<G: Table>(stage: &Stage<G>, state: &State) -> Result<Option<()>> {
    let b = &stage.config.budget;
    let path = stage.dir.gate().join(FINAL);
    let journal_path = stage.dir.gate().join("final.journal");
    if path.exists() && journal_path.exists() {
        // A kill came between the result and the end of its journal.
        std::fs::remove_file(&journal_path)?;
    }
    if b.final_pairs == 0 || state.model == state.first || path.exists() {
        return Ok(Some(()));
    }
    let models = [state.model.as_str(), state.first.as_str()];
    let config = stage.match_config(b.final_visits, stage.seed("final", 0));
    let starts = match_starts::<G>(&stage.models, stage.reference(), models, &config, u64::from(b.final_pairs))?;
    let key = format!("final: {} against {}\n{}", models[0], models[1], stage.config.to_text());
    let mut journal = Journal::open(&journal_path, &key, Sync::EachGames(16))?;
    let done = journal.records()?;
    let mut keeper = Keeper::new("closing match".to_string(), u64::from(b.final_pairs), Some(journal));
    let games = MatchGames { pairs: u64::from(b.final_pairs), starts: &starts, done };
    let result = play_match::<G>(&stage.models, stage.reference(), models, &config, games, &mut keeper, &mut |_| false);
    keeper.finish();
    match result {
        Ok(result) => {
            write_json(&path, &result)?;
            std::fs::remove_file(&journal_path)?;
            Ok(Some(()))
        }
        Err(ArenaError::Cancelled) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// What the run made and how strong it is against where it began.
pub fn summary(dir: &RunDir, state: &State) -> Result<String> {
    let mut text = format!(
        "{}: {} rounds in {}, {} games, {} rows, {} training steps, {} network evaluations ({} cache hits)\n",
        dir.root().display(),
        state.iteration,
        span(state.seconds),
        state.games,
        state.rows,
        state.steps,
        state.evaluations,
        state.hits,
    );
    text += &format!("model {}\n", dir.models().join(&state.model).display());
    if let Some(result) = read_json_if_there::<MatchResult>(&dir.gate().join(FINAL))? {
        text += "last network (A) against first (B), equal visits:\n";
        text += &match_text(&result);
    }
    Ok(text.trim_end().to_string())
}

/// Draws losses over rounds as `curve.svg` in the run directory.
pub fn curve(dir: &RunDir) -> Result<()> {
    let lines = read_metrics(&dir.metrics())?;
    let series = |key: &str| -> Vec<(f64, f64)> {
        let point = |l: &serde_json::Value| Some((l["iteration"].as_f64()?, l["train"][key].as_f64()?));
        lines.iter().filter_map(point).collect()
    };
    let all = [("policy", series("policy"), &BLUE), ("value", series("wdl"), &RED)];
    let rounds = lines.iter().filter_map(|l| l["iteration"].as_f64()).fold(1.0, f64::max);
    let top = all.iter().flat_map(|s| s.1.iter().map(|p| p.1)).fold(0.1, f64::max);
    let path = dir.root().join("curve.svg");
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (800, 420)).into_drawing_area();
        let draw = |e: &dyn std::fmt::Display| anyhow::anyhow!("{}: {e}", path.display());
        area.fill(&WHITE).map_err(|e| draw(&e))?;
        let mut chart = ChartBuilder::on(&area)
            .margin(16)
            .caption("Training losses by round (nats)", ("sans-serif", 18))
            .x_label_area_size(36)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..rounds, 0.0..top * 1.05)
            .map_err(|e| draw(&e))?;
        chart.configure_mesh().x_desc("round").y_desc("cross-entropy").draw().map_err(|e| draw(&e))?;
        for (name, points, colour) in all {
            let line = LineSeries::new(points, colour.stroke_width(2));
            let key = move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], *colour);
            chart.draw_series(line).map_err(|e| draw(&e))?.label(name).legend(key);
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()
            .map_err(|e| draw(&e))?;
        area.present().map_err(|e| draw(&e))?;
    }
    Ok(tengen_data::write_atomic(&path, text.as_bytes())?)
}
