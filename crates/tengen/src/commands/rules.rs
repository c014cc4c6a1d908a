//! `rules`: the rules oracle. Without arguments JSON lines in, JSON lines out; with `--moves` or `--sgf` one game, as a
//! JSON line, as a drawing for a person with Go's maps, or as an image. Not here: the answers (`crate::rules`).

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};
use tengen_data::sgf::SGF_BYTES_MAX;

use super::bad;
use crate::maps::Map;
use crate::{picture, rules};

const ROWS: &str = r#"Rows on standard input, one JSON object a line, answered one a line; a bad row gets {"id", "error"}:
  {"id", "board", "side"}              five in a row, one character per point, top row first; optional "rules", "ask", "budget"
  {"id", "setup", "moves"}             any game and protocol: "setup" as in `config check`, "moves" a list or text; optional "ask"
  {"id", "sgf"}                        the same from an SGF text
  {"id", "size", "rules", "to_move", "query"}   a Go position from optional "setup" rows and "moves"; "query" {"type": …}:
      position state_after_moves phase_after | legal why legal_points apply_illegal | ownership seki dame pass_alive maps
      suggest_dead area_score territory_score count_steps score_if_all_pass | chinese_count fill_in_score
      winner_from_points | pass_alive_stones perft count_legal_positions count_games optimal_black_margin |
      handicap_points star_points sgf_to_gtp gtp_vertex_valid
"ask" of a board: forbidden, fives, fours, threes, vcf; of a game also stage, to_act, colour, legal, opening, swaps, history,
offers, outcome, board; of Go also dead, ownership, seki, dame, pass_alive, result, katago-v7."#;

/// What to answer.
#[derive(Args, Debug)]
#[command(after_help = ROWS)]
pub struct RulesArgs {
    /// Decisions of a game, such as "h8 h9 i10 keep" or "h8h9i10"; without this and --sgf, rows are read from standard input
    #[arg(long, conflicts_with = "sgf")]
    moves: Option<String>,
    /// A game in an SGF file
    #[arg(long)]
    sgf: Option<PathBuf>,
    /// What is played, for --moves
    #[arg(long, default_value = "game=five rules=renju size=15x15 opening=none")]
    setup: String,
    /// What to answer, separated by commas; `tengen rules --show` draws the board instead
    #[arg(long, value_delimiter = ',')]
    ask: Vec<String>,
    /// Fours that a search for a victory by continuous fours may try
    #[arg(long)]
    budget: Option<u32>,
    /// Draw the board and tell the stage instead of writing JSON: five in a row with forbidden points, Go with its maps
    #[arg(long)]
    show: bool,
    /// Maps that --show draws of a Go position
    #[arg(long, value_enum, value_delimiter = ',', default_value = "ownership,seki,dame,pass-alive")]
    maps: Vec<Map>,
    /// Write the board as an SVG image, a Go position with who has each point and dead stones
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl RulesArgs {
    /// The game as a row; none for rows from standard input.
    fn row(&self) -> Result<Option<Value>> {
        let mut row = match (&self.moves, &self.sgf) {
            (None, None) if !self.show && self.svg.is_none() => return Ok(None),
            (_, Some(path)) => {
                let bytes = tengen_data::read_capped(path, SGF_BYTES_MAX as u64).map_err(|e| bad(e.to_string()))?;
                json!({ "id": path.display().to_string(), "sgf": String::from_utf8_lossy(&bytes) })
            }
            (moves, None) => json!({ "id": "moves", "setup": self.setup, "moves": moves.as_deref().unwrap_or("") }),
        };
        if let Some(budget) = self.budget {
            row["budget"] = json!(budget);
        }
        Ok(Some(row))
    }
}

/// Answers.
pub fn run(args: &RulesArgs) -> Result<ExitCode> {
    let Some(mut row) = args.row()? else {
        rules::serve(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    };
    if args.show {
        row["ask"] = json!(["stage", "opening", "history"]);
        let told = answered(&row)?;
        let (drawn, position) = rules::sequence::drawn(&row).map_err(bad)?;
        say!("{}", drawn.text());
        if let (Some(code), Some(name)) = (told["opening"]["code"].as_str(), told["opening"]["name"].as_str()) {
            say!("opening {code} {name}");
        }
        for line in told["history"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            say!("{line}");
        }
        say!("{}", told["stage"].as_str().unwrap_or_default());
        if let Some(position) = position {
            say!("\n{}", position.text(&drawn, &args.maps));
        }
    }
    if let Some(path) = &args.svg {
        write_svg(path, &row)?;
    }
    if !args.ask.is_empty() {
        row["ask"] = json!(args.ask);
    }
    if !(args.show || args.svg.is_some()) || !args.ask.is_empty() {
        say!("{}", answered(&row)?);
    }
    Ok(ExitCode::SUCCESS)
}

fn write_svg(path: &Path, row: &Value) -> Result<()> {
    let (drawn, position) = rules::sequence::drawn(row).map_err(bad)?;
    let title = row["setup"].as_str().or(row["id"].as_str()).unwrap_or_default();
    let image = picture::svg(&drawn, position.as_ref(), title).map_err(|e| anyhow!("{}: {e}", path.display()))?;
    tengen_data::write_atomic(path, image.as_bytes())?;
    Ok(())
}

fn answered(row: &Value) -> Result<Value> {
    rules::sequence::answer(row).map_err(bad)
}
