//! Game records as SGF: the record is replayed, stones become moves, protocol decisions and search values comments.
//! Not here: SGF's syntax (`data`).

use anyhow::{Result, bail};
use tengen_data::record::GameRecord;
use tengen_data::rundir::iteration_name;
use tengen_data::sgf::{SgfFamily, SgfGame, SgfMove, SgfResult, row_comment, write_sgf_file};
use tengen_data::{EndReason, RunDir};
use tengen_game::{BoardResult, Outcome, Seat};

use crate::catalog::{Kind, Table};

/// One record as an SGF game.
pub fn sgf_of<G: Table>(record: &GameRecord) -> Result<SgfGame> {
    let setup: G::Setup = record.setup.parse().map_err(|e| anyhow::anyhow!("setup `{}`: {e}", record.setup))?;
    let mut game = G::start(&setup);
    let family = if G::KIND == Kind::Go { SgfFamily::Go } else { SgfFamily::Five };
    let mut sgf = SgfGame::new(family, game.size());
    for (ply, row) in record.moves.iter().enumerate() {
        if !game.is_legal(row.action) {
            bail!("game {}: action {} at ply {ply} isn't legal", record.index, row.action.0);
        }
        let before = game.board_moves();
        game.apply(row.action);
        if game.board_moves() > before
            && let Some((colour, action)) = game.last_move()
        {
            sgf.moves.push(SgfMove { comment: row_comment(row), ..SgfMove::new(colour, action.as_point()) });
        }
    }
    sgf.komi = game.komi();
    sgf.rules = game.rules_name();
    for seat in Seat::BOTH {
        sgf.players[game.colour_of(seat).index()] = record.models[seat.index()].clone();
    }
    let board = match record.outcome {
        Outcome::Win(seat) => BoardResult::Win(game.colour_of(seat)),
        Outcome::Draw => BoardResult::Draw,
        Outcome::NoResult => BoardResult::NoResult,
    };
    sgf.result = SgfResult::of(board, record.end, record.margin);
    sgf.setup = Some(record.setup.clone());
    sgf.seed = Some(record.seed);
    sgf.actions = record.actions().collect();
    let mut comment = game.history();
    if record.end == EndReason::Truncated {
        comment.push("cut by the ply cap".to_string());
    }
    sgf.comment = comment.join("; ");
    Ok(sgf)
}

/// Writes the first `count` games of an iteration, where there are any.
pub fn write_samples<G: Table>(dir: &RunDir, iteration: u64, records: &[GameRecord], count: usize) -> Result<()> {
    for record in records.iter().take(count) {
        let path = dir.sgf().join(format!("{}-{:04}.sgf", iteration_name(iteration), record.index));
        write_sgf_file(&path, &[sgf_of::<G>(record)?])?;
    }
    Ok(())
}
