//! `loadsgf` and `printsgf`: a game of Go out of SGF and into it. Main line only; other games are refused. Not here: SGF's
//! syntax (`data`), records of self-play (`crate::sgf`).

use std::path::Path;

use tengen_data::EndReason;
use tengen_data::sgf::{ReadAs, SgfFamily, SgfGame, SgfMove, SgfResult, read_sgf_file};
use tengen_game::{Action, Colour, PointSet};
use tengen_go::{GoBoard, GoRules};

use super::position::Position;
use super::words::{name_for_files, plain_rules, rules_of_words};
use crate::rules::go::DEAD_PLAYOUTS;
use crate::sgf::{handicap_of, komi_of};

/// Reads the first game of a file.
pub(super) fn read(path: &Path) -> Result<SgfGame, String> {
    let mut games = read_sgf_file(path, ReadAs::Declared).map_err(|e| e.to_string())?;
    let game = games.swap_remove(0);
    if game.family != SgfFamily::Go {
        return Err(format!("{}: GM[4] is five in a row; expected GM[1], Go", path.display()));
    }
    Ok(game)
}

/// The rules of a game: its own setup text where this program wrote it, else those it names, else `now`. What it doesn't
/// say about komi stays too. The flag: whether it says something about komi.
pub(super) fn rules(game: &SgfGame, now: &GoRules) -> Result<(GoRules, bool), String> {
    if game.size.width() < 2 || game.size.height() < 2 {
        return Err(format!("SZ: {} is too small to play on; sides are 2 to 25", game.size));
    }
    let kept = GoRules { size: game.size, handicap: PointSet::EMPTY, ..*now };
    let mut rules = match &game.setup {
        Some(setup) => plain_rules(setup).map_err(|e| format!("TGSETUP: {e}"))?,
        None if game.rules.is_empty() => kept,
        None => rules_of_words(&game.rules, game.size).unwrap_or_else(|_| {
            // Files hold all sorts of words here; the game is worth more than they are.
            eprintln!("warning: RU[{}] is no rule set known here; the rules stay as they are", game.rules);
            kept
        }),
    };
    if rules.size != game.size {
        return Err(format!("TGSETUP: of size {}, but SZ says {}", rules.size, game.size));
    }
    if let Some(komi) = komi_of(game)? {
        rules.komi = komi;
    } else if game.setup.is_none() {
        rules.komi = now.komi;
    }
    rules.handicap = handicap_of(game)?;
    Ok((rules, game.komi.is_some() || game.setup.is_some()))
}

/// The position before move `before`, counted from 1, or at the end.
pub(super) fn position(game: &SgfGame, rules: &GoRules, before: Option<usize>) -> Result<Position, String> {
    let mut rows = vec![vec!['.'; game.size.width()]; game.size.height()];
    for (mark, stones) in ['X', 'O'].into_iter().zip(&game.stones) {
        for (x, y) in stones.iter().map(|p| game.size.xy(*p)) {
            rows[y][x] = mark;
        }
    }
    let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    let usual = if rules.handicap.is_empty() { Colour::Black } else { Colour::White };
    let first = game.first.or(game.moves.first().map(|m| m.colour)).unwrap_or(usual);
    let mut position = Position::set_up(rules, &rows, first).map_err(|e| format!("AB, AW: {e}"))?;
    let count = before.map_or(usize::MAX, |n| n.saturating_sub(1));
    let moves = game.moves.iter().take(count).map(|m| (m.colour, m.point.map_or(Action::PASS, Action::point)));
    position.play_all(moves)?;
    Ok(position)
}

/// The game as SGF.
pub(super) fn sgf_of(position: &Position) -> SgfGame {
    let (board, start) = (position.board(), position.start());
    let (size, rules) = (board.size(), board.rules());
    let mut sgf = SgfGame::new(SgfFamily::Go, size);
    for p in size.points() {
        if let Some(colour) = start.stone(p) {
            sgf.stones[colour.index()].push(p);
        }
    }
    if !rules.handicap.is_empty() {
        sgf.properties.push(("HA".to_string(), vec![rules.handicap.len().to_string()]));
    }
    let moves: Vec<(Colour, Action)> = position.moves().collect();
    if sgf.stones.iter().any(|stones| !stones.is_empty()) {
        sgf.first = Some(moves.first().map_or(start.to_play(), |&(colour, _)| colour));
    }
    sgf.moves = moves.iter().map(|&(colour, action)| SgfMove::new(colour, action.as_point())).collect();
    sgf.komi = Some(rules.komi);
    sgf.rules = name_for_files(rules);
    sgf.setup = Some(format!("{rules} opening=none"));
    if !position.was_resumed() && plays_alike(&start, &moves) {
        sgf.actions = moves.into_iter().map(|(_, action)| action).collect();
    }
    if board.is_over() || board.awaits_agreement() {
        let standing = board.standing(DEAD_PLAYOUTS);
        sgf.result = SgfResult::of(standing.result, EndReason::Rules, standing.margin);
    }
    sgf
}

/// Whether the moves are a game in turn from the start that the setup text says, so that it can be replayed from that
/// alone.
fn plays_alike(start: &GoBoard, moves: &[(Colour, Action)]) -> bool {
    let mut board = GoBoard::new(start.rules());
    board.rows() == start.rows()
        && moves.iter().all(|&(colour, action)| {
            let alike = !board.is_over() && board.to_play() == colour && board.check(colour, action).is_ok();
            if alike {
                board.place(action);
            }
            alike
        })
}
