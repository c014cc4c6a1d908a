//! `inspect` and `status`: what a model, a shard or a run directory holds, for people or as JSON. Not here: changing
//! anything.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use tengen_data::{RunDir, inspect_shard, read_metrics};

use super::bad;
use crate::models::Model;
use crate::progress::span;
use crate::stages::state::State;

/// Finds out what lies at `path` and tells.
pub fn run(path: &Path, as_json: bool) -> Result<ExitCode> {
    let value = if path.is_dir() && path.join(tengen_data::card::CARD_FILE).is_file() {
        model(path)?
    } else if path.is_dir() && RunDir::at(path).state().is_file() {
        return status(path, as_json);
    } else if path.is_file() {
        shard(path)?
    } else if path.exists() {
        return Err(bad(format!("{}: neither a model (card.json) nor a run directory (state.json)", path.display())));
    } else {
        return Err(bad(format!("{}: no such file or directory", path.display())));
    };
    show(&value, as_json);
    Ok(ExitCode::SUCCESS)
}

fn show(value: &Value, as_json: bool) {
    if as_json {
        say!("{value}");
        return;
    }
    let Some(fields) = value.as_object() else { return };
    for (key, v) in fields {
        match v {
            Value::String(s) => say!("{key:14} {s}"),
            Value::Array(a) if a.iter().all(Value::is_string) => {
                let words: Vec<&str> = a.iter().filter_map(Value::as_str).collect();
                say!("{key:14} {}", words.join(", "));
            }
            other => say!("{key:14} {other}"),
        }
    }
}

fn model(path: &Path) -> Result<Value> {
    let model = Model::read(path)?;
    let c = &model.card;
    Ok(json!({
        "kind": "model",
        "id": c.id,
        "parent": c.parent,
        "setups": c.setups,
        "sizes": c.sizes,
        "features": c.features.to_string(),
        "network": c.network,
        "parameters": model.weights.config().parameters(),
        "extras": c.extras,
        "steps": c.steps,
        "rows": c.rows,
        "games": c.games,
        "seed": c.seed,
        "program": c.program,
        "weights_bytes": c.weights_bytes,
        "weights_blake3": c.weights_blake3,
    }))
}

fn shard(path: &Path) -> Result<Value> {
    let info = inspect_shard(path).map_err(|e| bad(e.to_string()))?;
    let records = tengen_data::read_shard(path).map_err(|e| bad(e.to_string()))?;
    let bytes = std::fs::metadata(path)?.len();
    Ok(json!({
        "kind": "shard",
        "games": info.games,
        "rows": info.rows,
        "bytes": bytes,
        "setups": info.setups,
        "models": info.models,
        "seeds": records.iter().map(|r| r.seed).collect::<std::collections::BTreeSet<_>>(),
    }))
}

/// Where a run stands.
pub fn status(root: &Path, as_json: bool) -> Result<ExitCode> {
    let dir = RunDir::at(root);
    let Some(state) = State::read(&dir)? else {
        return Err(bad(format!("{}: no run here (no state.json)", root.display())));
    };
    let promoted = dir.read_promoted()?;
    let last = read_metrics(&dir.metrics()).unwrap_or_default().pop();
    let journal = dir.iteration(state.iteration + 1).join(crate::stages::selfplay::JOURNAL);
    let playing = if journal.exists() { tengen_data::journal::count_games(&journal)? } else { 0 };
    if as_json {
        let value = json!({
            "kind": "run",
            "state": state,
            "promoted": promoted,
            "busy": tengen_data::lock::is_busy(&dir.lock()),
            "games_of_next_round": playing,
            "last": last,
        });
        say!("{value}");
        return Ok(ExitCode::SUCCESS);
    }
    let busy = if tengen_data::lock::is_busy(&dir.lock()) { "running" } else { "not running" };
    let over = state.finished.as_ref().map_or(busy.to_string(), |why| format!("finished: {why}"));
    say!("{}: {over}", root.display());
    say!(
        "round {} done in {}; {} games, {} rows, {} steps, {} evaluations; {playing} games of the next round",
        state.iteration,
        span(state.seconds),
        state.games,
        state.rows,
        state.steps,
        state.evaluations
    );
    if let Some(p) = promoted {
        say!("promoted {} (number {})", p.model, p.count);
    }
    if let Some(last) = last {
        let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
        say!(
            "last round: policy {:.3} value {:.3}, {:.0} evaluations/s",
            number(&last["train"]["policy"]),
            number(&last["train"]["wdl"]),
            number(&last["selfplay"]["evaluations_per_second"])
        );
    }
    Ok(ExitCode::SUCCESS)
}
