//! Answers one row of the renju rules oracle: Black's forbidden points and exact fives of a position.
//!
//! A row is `{"id", "board", "side"}`: a square board of 25 to 484 characters, top row first, `X` black, `O` white, `.`
//! empty; side `B` or `W` to play. The answer is `{"id", "forbidden": [{"p", "kind", "all"}], "fives": [..]}` with both
//! lists in board order, and both empty when White is to play. Other keys of a row are ignored. Not here: reading lines,
//! and any rule (see the renju crate).

use serde_json::{Value, json};
use tengen_game::notation::Letters;
use tengen_game::{Colour, Placement, Point, PointSet, Size};
use tengen_renju::{FiveBoard, FiveRules, RENJU_SIDE_MIN, SIDE_MAX, Win};

/// The answer to a row; the error says which key is at fault and what was expected.
pub fn answer(row: &Value) -> Result<Value, String> {
    let id = row.get("id").ok_or("id: missing; expected a name or number to answer with")?;
    let text = row.get("board").and_then(Value::as_str).ok_or("board: missing or not a string")?;
    let side = match row.get("side").and_then(Value::as_str) {
        Some("B") => Colour::Black,
        Some("W") => Colour::White,
        _ => return Err("side: expected \"B\" or \"W\"".to_string()),
    };
    let board = read_board(text, side)?;
    let name = |p: Point| Letters::WithI.name(board.size(), p);
    let (mut forbidden, mut fives) = (Vec::new(), Vec::new());
    if side == Colour::Black {
        for p in board.forbidden_for_black().iter() {
            let all: Vec<&str> = board.kinds(p).names().collect();
            forbidden.push(json!({ "p": name(p), "kind": all.first(), "all": all }));
        }
        fives.extend(board.fives(Colour::Black).iter().map(name));
    }
    Ok(json!({ "id": id, "forbidden": forbidden, "fives": fives }))
}

/// A position from one character per point.
fn read_board(text: &str, side: Colour) -> Result<FiveBoard, String> {
    let cells = text.chars().count();
    let size =
        (RENJU_SIDE_MIN..=SIDE_MAX).find(|side| side * side == cells).and_then(Size::square).ok_or_else(|| {
            format!(
                "board: {cells} characters; expected a square of side {RENJU_SIDE_MIN} to {SIDE_MAX}, as 225 for 15x15"
            )
        })?;
    let (mut black, mut white) = (PointSet::EMPTY, PointSet::EMPTY);
    for (i, c) in text.chars().enumerate() {
        match c {
            'X' => black.insert(Point(i as u16)),
            'O' => white.insert(Point(i as u16)),
            '.' => {}
            _ => return Err(format!("board: character {} is `{c}`; expected X, O or `.`", i + 1)),
        }
    }
    let rules = FiveRules::new(size, Win::Renju).map_err(|e| e.to_string())?;
    FiveBoard::position(&rules, &black, &white, side).ok_or_else(|| "board: two stones on one point".to_string())
}
