//! Answers rows that ask for KataGo's network inputs, version 7: `"ask": ["katago-v7"]`.
//!
//! A row gives `size` as [width, height], `rules` in KataGo's words (its JSON, a run-together string or a preset name),
//! `moves` as `"b E4"` or `"w pass"`, and `to_move`; `setup` rows are optional. The answer is `{"id", "spatial",
//! "global"}`: for each plane with a point in it, but not plane 0, its vertices from the top row down; and the 19
//! numbers. Rows that give a whole game by its setup text may ask for the same (`sequence`). Not here: what the inputs mean
//! (the features crate).

use serde_json::{Map, Value, json};
use tengen_features::{Frame, katago};
use tengen_game::Point;
use tengen_go::{GoBoard, GoRules};

use super::go::{LETTERS, board_size, colour, coloured_move, text, texts};

/// What a row asks for.
pub const ASK: &str = "katago-v7";

/// Whether a row is of this kind.
pub fn is_one(row: &Value) -> bool {
    row.get("ask").and_then(Value::as_array).is_some_and(|asks| asks.iter().any(|ask| ask == ASK))
        && row.get("size").is_some()
}

/// The answer to a row; the error says which key is at fault.
///
/// # Errors
/// A sentence: what is wrong with the row.
pub fn answer(row: &Value) -> Result<Value, String> {
    let id = row.get("id").ok_or("id: missing; expected a name or number to answer with")?;
    if let Some(other) = texts(row, "ask")?.into_iter().find(|ask| *ask != ASK) {
        return Err(format!("ask: `{other}` doesn't go with `{ASK}`"));
    }
    let (spatial, global) = inputs(&played(row)?);
    Ok(json!({ "id": id, "spatial": spatial, "global": global }))
}

/// `spatial` and `global` of a position.
pub fn inputs(board: &GoBoard) -> (Value, Value) {
    let size = board.size();
    let (width, height) = (size.width(), size.height());
    let (mut planes, mut globals) = (vec![0.0; katago::PLANES * size.area()], [0.0; katago::GLOBALS]);
    katago::fill(board, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
    let mut spatial = Map::new();
    for (i, plane) in planes.chunks(size.area()).enumerate().skip(1) {
        let on = size.points().filter(|p: &Point| plane[p.index()] != 0.0);
        let names: Vec<String> = on.map(|p| LETTERS.name(size, p)).collect();
        if !names.is_empty() {
            spatial.insert(i.to_string(), json!(names));
        }
    }
    // Single precision would print 0.075 with eight digits more.
    let rounded = globals.map(|v| (f64::from(v) * 1e6).round() / 1e6);
    (Value::Object(spatial), json!(rounded))
}

/// The position after the row's moves.
fn played(row: &Value) -> Result<GoBoard, String> {
    let rules = row.get("rules").ok_or("rules: missing; expected KataGo's rules")?;
    let mut rules = rules.clone();
    if let Some(fields) = rules.as_object_mut() {
        // What rows of replayed sequences say besides KataGo's own keys: that the rules are its second version's.
        for (key, value) in [("formalisation", json!("katago-v2")), ("start_phase", json!(0))] {
            if fields.get(key) == Some(&value) {
                fields.remove(key);
            }
        }
    }
    let rules = rules.as_str().map_or_else(|| rules.to_string(), str::to_string);
    let rules = GoRules::from_katago(&rules, board_size(row)?, true).map_err(|e| e.to_string())?;
    let moves = texts(row, "moves")?;
    let moves: Vec<_> =
        moves.iter().map(|words| coloured_move(rules.size, "moves", words)).collect::<Result<_, _>>()?;
    let to_move = colour("to_move", text(row, "to_move")?)?;
    let first = moves.first().map_or(to_move, |&(colour, _)| colour);
    let mut board = match row.get("setup") {
        None => GoBoard::new(&rules),
        Some(_) => GoBoard::from_position(&rules, &texts(row, "setup")?, first).map_err(|e| e.to_string())?,
    };
    board.set_to_play(first);
    for (i, (colour, action)) in moves.into_iter().enumerate() {
        board.play_any(colour, action).map_err(|why| format!("moves: number {} is illegal: {why}", i + 1))?;
    }
    // A row of a replayed sequence says who began, others who is to move now.
    if row.get("query").is_none() {
        board.set_to_play(to_move);
    }
    Ok(board)
}
