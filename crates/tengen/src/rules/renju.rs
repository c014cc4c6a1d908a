//! Answers one row of the rules oracle of five in a row: forbidden points, threats and victories by continuous fours.
//!
//! A row is `{"id", "board", "side"}`: a square board of 25 to 484 characters, top row first, `X` black, `O` white, `.`
//! empty; side `B` or `W` to play. The answer is `{"id", "forbidden": [{"p", "kind", "all"}], "fives": [..]}` with both
//! lists in board order, and both empty when White is to play. Three more keys are optional:
//!
//! | key | meaning |
//! |---|---|
//! | `rules` | what is played, as in a setup's `rules=`: `renju` (the default), `freestyle`, `caro:exact`, … |
//! | `ask` | what to answer, instead of the two lists above, for the side to play (White too): see [`ASKS`] |
//! | `budget` | fours that `vcf` may try, 1 to 10,000,000; 100,000 if left out |
//!
//! `fives`, `fours` and `threes` are lists of points where a stone that the rules allow wins, threatens to win, and makes
//! an open three. `vcf` is `{"result": "win", "line": [..]}` (fours and forced answers in turn, up to the win or to a four
//! that nothing stops), `{"result": "none"}`, or `{"result": "out-of-budget"}`. Other keys of a row are ignored. Not
//! here: reading lines, and any rule (see the renju crate).

use serde_json::{Map, Value, json};
use tengen_game::notation::Letters;
use tengen_game::{Colour, Placement, Point, PointSet, Size};
use tengen_renju::{FiveBoard, FiveRules, RENJU_SIDE_MIN, SIDE_MAX, Vcf};

/// What a row may ask for.
pub const ASKS: [&str; 5] = ["forbidden", "fives", "fours", "threes", "vcf"];
const BUDGET_DEFAULT: u32 = 100_000;
const BUDGET_MAX: u32 = 10_000_000;

/// The answer to a row; the error says which key is at fault and what was expected.
pub fn answer(row: &Value) -> Result<Value, String> {
    let id = row.get("id").ok_or("id: missing; expected a name or number to answer with")?;
    let text = row.get("board").and_then(Value::as_str).ok_or("board: missing or not a string")?;
    let side = match row.get("side").and_then(Value::as_str) {
        Some("B") => Colour::Black,
        Some("W") => Colour::White,
        _ => return Err("side: expected \"B\" or \"W\"".to_string()),
    };
    let rules = match row.get("rules") {
        None => "renju",
        Some(rules) => rules.as_str().ok_or("rules: expected a string such as \"renju\"")?,
    };
    let asks = asks(row, &ASKS)?;
    let budget = budget(row)?;
    let board = read_board(text, side, rules)?;
    let mut out = Map::new();
    out.insert("id".to_string(), id.clone());
    match asks {
        // The plain form of a row answers for Black alone.
        None => {
            let black = side == Colour::Black;
            for ask in ["forbidden", "fives"] {
                let value = if black { answer_one(&board, ask, budget) } else { json!([]) };
                out.insert(ask.to_string(), value);
            }
        }
        Some(asks) => {
            for ask in asks {
                out.insert(ask.to_string(), answer_one(&board, ask, budget));
            }
        }
    }
    Ok(Value::Object(out))
}

/// The names in `ask`, all known.
pub(super) fn asks<'a>(row: &'a Value, all: &[&str]) -> Result<Option<Vec<&'a str>>, String> {
    let Some(ask) = row.get("ask") else { return Ok(None) };
    let expected = || format!("expected a list of {}", all.join(", "));
    let list = ask.as_array().ok_or_else(|| format!("ask: not a list; {}", expected()))?;
    let known = |item: &'_ Value| item.as_str().filter(|name| all.contains(name)).is_some();
    if let Some(unknown) = list.iter().find(|item| !known(item)) {
        return Err(format!("ask: {unknown} is unknown; {}", expected()));
    }
    Ok(Some(list.iter().filter_map(Value::as_str).collect()))
}

pub(super) fn budget(row: &Value) -> Result<u32, String> {
    let Some(budget) = row.get("budget") else { return Ok(BUDGET_DEFAULT) };
    let given = budget.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=BUDGET_MAX).contains(n));
    given.ok_or_else(|| format!("budget: {budget} given; expected a whole number from 1 to {BUDGET_MAX}"))
}

/// What the side to play is told about one of [`ASKS`].
pub(super) fn answer_one(board: &FiveBoard, ask: &str, budget: u32) -> Value {
    let side = board.to_play();
    let name = |p: Point| Letters::WithI.name(board.size(), p);
    let list = |points: PointSet| json!(points.iter().map(name).collect::<Vec<_>>());
    match ask {
        "fives" => list(board.fives(side)),
        "fours" => list(board.fours(side)),
        "threes" => list(board.open_threes(side)),
        "vcf" => match board.vcf(budget) {
            Vcf::Win(line) => json!({ "result": "win", "line": line.into_iter().map(name).collect::<Vec<_>>() }),
            Vcf::None => json!({ "result": "none" }),
            Vcf::OutOfBudget => json!({ "result": "out-of-budget" }),
        },
        _ => {
            let kinds = |p: Point| {
                let all: Vec<&str> = board.kinds_for(p, side).names().collect();
                json!({ "p": name(p), "kind": all.first(), "all": all })
            };
            json!(board.forbidden_for(side).iter().map(kinds).collect::<Vec<_>>())
        }
    }
}

/// A position from one character per point.
fn read_board(text: &str, side: Colour, rules: &str) -> Result<FiveBoard, String> {
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
    let named = format!("rules={rules} size={size}");
    let rules: FiveRules = named.parse().map_err(|e: tengen_game::SetupError| e.to_string())?;
    FiveBoard::position(&rules, &black, &white, side).ok_or_else(|| "board: two stones on one point".to_string())
}
