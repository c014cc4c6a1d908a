//! Game records as SGF: the record is replayed, stones become moves, protocol decisions and search values comments. And
//! what the root of anybody's file says of a game of Go: rules, komi, handicap. Not here: SGF's syntax (`data`).

use anyhow::{Result, bail};
use tengen_data::record::GameRecord;
use tengen_data::rundir::iteration_name;
use tengen_data::sgf::{SgfFamily, SgfGame, SgfMove, SgfResult, row_comment, write_sgf_file};
use tengen_data::{EndReason, RunDir};
use tengen_game::{BoardResult, Colour, Outcome, PointSet, Seat};
use tengen_go::GoRules;

use crate::catalog::{Kind, Table};
use crate::commands::gtp::words::rules_of_words;

/// Komi of a game of Go, where the file says one. More than the board has points is in some other unit: files with
/// hundredths of a stone are common.
pub fn komi_of(game: &SgfGame) -> Result<Option<f32>, String> {
    let Some(komi) = game.komi else { return Ok(None) };
    let area = game.size.area() as f32;
    if komi.abs() > area {
        return Err(format!("KM: `{komi}` is more than the {area} points of the board; expected points"));
    }
    let mut rules = GoRules::named("tromp-taylor", game.size).ok_or("RU: no rules")?;
    rules.set_komi(komi).map_err(|e| format!("KM: {}", e.why))?;
    Ok(Some(rules.komi))
}

/// Black's stones before the first move, where the file calls them a handicap.
pub fn handicap_of(game: &SgfGame) -> Result<PointSet, String> {
    let [black, white] = &game.stones;
    let told = game.properties.iter().find(|(id, _)| id == "HA").and_then(|(_, values)| values.first());
    let Some(told) = told.map(|text| text.trim()).filter(|text| !text.is_empty()) else { return Ok(PointSet::EMPTY) };
    match told.parse::<usize>() {
        // One stone is Black's first move.
        Ok(0 | 1) => Ok(PointSet::EMPTY),
        Ok(count) if count == black.len() && white.is_empty() => Ok(black.iter().copied().collect()),
        Ok(count) if count == black.len() => Ok(PointSet::EMPTY),
        Ok(count) => Err(format!("HA: `{count}`, but AB sets up {}; expected as many", black.len())),
        Err(_) => Err(format!("HA: `{told}` is not a number of stones")),
    }
}

/// The rules of a game of Go: the named set of `RU`, Tromp-Taylor without one, with the file's komi and handicap.
pub fn go_rules_of(game: &SgfGame) -> Result<GoRules, String> {
    let name = game.rules.trim().to_lowercase();
    let rules = match name.as_str() {
        "" => GoRules::named("tromp-taylor", game.size),
        name => GoRules::named(name, game.size),
    };
    let mut rules = match rules {
        Some(rules) => rules,
        None => rules_of_words(&game.rules, game.size).map_err(|e| format!("RU: {e}"))?,
    };
    if game.size.width() < 2 || game.size.height() < 2 {
        return Err(format!("SZ: `{}` is too small to play on; expected sides from 2", game.size));
    }
    rules.handicap = handicap_of(game)?;
    if let Some(komi) = rules.ruleset().and_then(|set| set.handicap_komi).filter(|_| !rules.handicap.is_empty()) {
        rules.komi = komi;
    }
    rules.komi = komi_of(game)?.unwrap_or(rules.komi);
    Ok(rules)
}

/// One record as an SGF game.
pub fn sgf_of<G: Table>(record: &GameRecord) -> Result<SgfGame> {
    let setup: G::Setup = record.setup.parse().map_err(|e| anyhow::anyhow!("setup `{}`: {e}", record.setup))?;
    let mut game = G::start(&setup);
    let family = if G::KIND == Kind::Go { SgfFamily::Go } else { SgfFamily::Five };
    let mut sgf = SgfGame::new(family, game.size());
    // Handicap stones: other programs don't read the setup text.
    for p in game.size().points() {
        if let Some(colour) = game.stone(p) {
            sgf.stones[colour.index()].push(p);
        }
    }
    if !sgf.stones[Colour::Black.index()].is_empty() {
        let handicap = sgf.stones[Colour::Black.index()].len().to_string();
        sgf.properties.push(("HA".to_string(), vec![handicap]));
    }
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
    if let Some(name) = game.opening_name() {
        sgf.properties.push(("ON".to_string(), vec![name]));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Five, Go};
    use tengen_data::SearchKind;
    use tengen_data::record::MoveRow;
    use tengen_data::sgf::ReadAs;
    use tengen_game::{Action, Game, Seat};

    fn row(action: Action, seat: Seat) -> MoveRow {
        let policy = vec![(action, 1.0)];
        MoveRow { action, seat, kind: SearchKind::Full, visits: 1, root_value: 0.0, best: true, policy, weight: 1.0 }
    }

    fn record(setup: &str, moves: Vec<MoveRow>) -> GameRecord {
        GameRecord {
            setup: setup.to_string(),
            seed: 1,
            index: 0,
            models: ["a".to_string(), "b".to_string()],
            moves,
            outcome: Outcome::Draw,
            end: EndReason::Truncated,
            margin: None,
            evaluations: 0,
        }
    }

    #[test]
    fn the_opening_is_named() {
        let setup = "game=five rules=renju size=15x15 opening=rif";
        let mut game = Five::start(&setup.parse().unwrap());
        let moves = [(7, 7), (7, 6), (8, 5)].map(|(x, y)| {
            let action = Action::point(game.size().point(x, y));
            let row = row(action, game.to_act());
            game.apply(action);
            row
        });
        let text = sgf_of::<Five>(&record(setup, moves.to_vec())).unwrap().to_sgf();
        assert!(text.contains("ON[2D Keigetsu]"), "{text}");
    }

    #[test]
    fn handicap_stones_are_set_up_in_the_file() {
        let setup = "game=go rules=aga size=9x9 komi=0.5 handicap=2 opening=none";
        let mut game = Go::start(&setup.parse().unwrap());
        let seat: Seat = game.to_act();
        let action = Action::point(game.size().point(4, 4));
        game.apply(action);
        let record = record(setup, vec![row(action, seat)]);
        let text = sgf_of::<Go>(&record).unwrap().to_sgf();
        assert!(text.contains("HA[2]"), "{text}");
        let read = SgfGame::parse(text.as_bytes(), ReadAs::Declared).unwrap();
        assert_eq!((read.stones[0].len(), read.stones[1].len()), (2, 0));
        assert_eq!(read.moves[0].colour, Colour::White);
    }
}
