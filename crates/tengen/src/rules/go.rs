//! Answers one Go case row by computation: positions, legality, scores, pass-alive stones, counts, notation.
//!
//! A row is what a line of a case file holds: `size`, `rules`, `setup` rows, `moves`, `to_move`, `query`. The answer has
//! the shape of the row's `expected`. Not here: reading files, comparing; and no query is answered that the rules core
//! can't compute: it is an error that says what is missing.
//!
//! `query.type`, with its further keys:
//!
//! | type | answer |
//! |---|---|
//! | `position`, `state_after_moves`, `phase_after` | the board, how the game has ended, its phase |
//! | `legal`, `why` (`move`), `legal_points` (`color`), `apply_illegal` (`move`) | legality; with the reason and captures; what a referee does |
//! | `ownership` | who has each point once dead stones are off: `black`, `white`, `neutral`, `dead` |
//! | `seki`, `dame`, `pass_alive` | stones and points in shared life by colour; points that nobody surrounds; stones and points that can't be taken, by colour |
//! | `maps` | all of it as the rules see it by themselves, all stones alive but those in pass-alive territory where the rules remove them |
//! | `suggest_dead` | stones that look dead |
//! | `area_score`, `territory_score`, `count_steps` (`dead`, `seki`, `prisoners_taken`), `score_if_all_pass` | scores; the count in sentences |
//! | `chinese_count`, `fill_in_score`, `winner_from_points` | counting from numbers alone |
//! | `pass_alive_stones`, `perft` (`depth`, `passes`), `count_legal_positions`, `count_games`, `optimal_black_margin` | Benson's stones; enumerations |
//! | `handicap_points` (`stones`), `star_points`, `sgf_to_gtp` (`point`, `size`), `gtp_vertex_valid` (`vertex`, `size`) | names of points |
//!
//! `ownership`, `seki` and `dame` take the lists `dead` and `seki`; without them it is what the board proposes where people
//! agree on the end, and what the rules take off by themselves elsewhere.

use serde_json::{Value, json};
use tengen_game::notation::{Letters, sgf_point};
use tengen_game::{
    Action, BoardResult, Colour, EndProtocol, IllegalMove, Placement, Point, PointSet, SetupError, Size,
};
use tengen_go::{
    Count, Cycle, End, Ended, Filled, GoBoard, GoRules, HalfCount, Illegal, Ko, Placing, RULESETS, Score, Scoring,
    czech_handicap, fixed_handicap, margin_text, star_points,
};

pub(super) const LETTERS: Letters = Letters::WithoutI;
/// Random games behind a suggestion of dead stones.
pub const DEAD_PLAYOUTS: u32 = 64;

/// Every `query.type`.
pub const KINDS: [&str; 29] = [
    "position",
    "state_after_moves",
    "phase_after",
    "legal",
    "why",
    "legal_points",
    "apply_illegal",
    "ownership",
    "seki",
    "dame",
    "pass_alive",
    "maps",
    "suggest_dead",
    "area_score",
    "territory_score",
    "count_steps",
    "score_if_all_pass",
    "chinese_count",
    "fill_in_score",
    "winner_from_points",
    "pass_alive_stones",
    "perft",
    "count_legal_positions",
    "count_games",
    "optimal_black_margin",
    "handicap_points",
    "star_points",
    "sgf_to_gtp",
    "gtp_vertex_valid",
];

/// Answers a row.
///
/// # Errors
/// A sentence: what is wrong with the row, or what is not supported yet.
pub fn answer(row: &Value) -> Result<Value, String> {
    let query = row.get("query").filter(|query| query.is_object());
    let query = query.ok_or_else(|| wrong(row, "query", "an object with `type`"))?;
    match text(query, "type").map_err(|e| format!("query.{e}"))? {
        "position" => Ok(position(&played(row)?)),
        "legal" => legal(row, query),
        "why" => why(row, query),
        "legal_points" => legal_points(row, query),
        "maps" => maps(row),
        kind @ ("ownership" | "seki" | "dame" | "pass_alive") => {
            standing_maps(row, query).map(|told| told[kind].clone())
        }
        "area_score" => area_score(row, query),
        "pass_alive_stones" => pass_alive(row),
        "perft" => perft_query(row, query),
        "count_legal_positions" => count_positions(row),
        "count_games" => count_games(row),
        "optimal_black_margin" => optimal_margin(row),
        "score_if_all_pass" => score_if_all_pass(row),
        "state_after_moves" => state_after_moves(row),
        "phase_after" => phase_after(row),
        "apply_illegal" => apply_illegal(row, query),
        "chinese_count" => chinese_count(row, query),
        "handicap_points" => handicap_points(row, query),
        "star_points" => star_query(row),
        "sgf_to_gtp" => sgf_to_gtp(query),
        "gtp_vertex_valid" => vertex_valid(query),
        "territory_score" => territory_score(row, query),
        "fill_in_score" => fill_in_score(row, query),
        "winner_from_points" => winner_from_points(row, query),
        "suggest_dead" => suggest_dead(row),
        "count_steps" => count_steps(row, query),
        other => Err(format!("query.type: `{other}` is unknown; there are {}", KINDS.join(", "))),
    }
}

/// What is wrong with a key: its value, or that it is missing, and what was expected.
fn wrong(value: &Value, key: &str, expected: &str) -> String {
    match value.get(key) {
        None | Some(Value::Null) => format!("{key}: missing; expected {expected}"),
        Some(found) => format!("{key}: {found} is not {expected}"),
    }
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| wrong(value, key, "a text"))
}

fn number(value: &Value, key: &str) -> Result<f64, String> {
    value.get(key).and_then(Value::as_f64).ok_or_else(|| wrong(value, key, "a number"))
}

fn count(value: &Value, key: &str) -> Result<usize, String> {
    let n = value.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    n.ok_or_else(|| wrong(value, key, "a whole number from 0"))
}

/// The texts of a list; an absent list is empty.
pub(super) fn texts<'a>(value: &'a Value, key: &str) -> Result<Vec<&'a str>, String> {
    let Some(list) = value.get(key) else { return Ok(Vec::new()) };
    let texts = list.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
    texts.ok_or_else(|| wrong(value, key, "a list of texts"))
}

pub(super) fn board_size(row: &Value) -> Result<Size, String> {
    let sides: Option<Vec<u64>> =
        row.get("size").and_then(Value::as_array).and_then(|s| s.iter().map(Value::as_u64).collect());
    let size = match sides.as_deref() {
        Some(&[width, height]) => Size::new(width.min(99) as usize, height.min(99) as usize),
        _ => None,
    };
    size.ok_or_else(|| wrong(row, "size", "[width, height] of 1 to 25"))
}

pub(super) fn colour(key: &str, word: &str) -> Result<Colour, String> {
    match word {
        "b" => Ok(Colour::Black),
        "w" => Ok(Colour::White),
        _ => Err(format!("{key}: `{word}` is neither b nor w")),
    }
}

/// `b C3` or `w pass`, under `key`.
pub(super) fn coloured_move(size: Size, key: &str, words: &str) -> Result<(Colour, Action), String> {
    let (who, what) = words.split_once(' ').ok_or_else(|| format!("{key}: `{words}` is no move such as `b C3`"))?;
    let action = LETTERS.parse_action(size, what).filter(|a| *a == Action::PASS || a.as_point().is_some());
    Ok((colour(key, who)?, action.ok_or_else(|| format!("{key}: `{what}` is neither pass nor a point of {size}"))?))
}

/// An error of rules, with its path.
fn in_rules(e: SetupError) -> String {
    if e.field == "rules" { e.to_string() } else { format!("rules.{e}") }
}

/// Rules of a row: a text as KataGo writes them, or an object: the named set (Tromp-Taylor if none) with the row's own
/// values, by our keys or KataGo's; komi only where the row states one.
fn rules(row: &Value) -> Result<GoRules, String> {
    if let Some(text) = row.get("rules").and_then(Value::as_str) {
        return GoRules::from_katago(text, board_size(row)?, true).map_err(in_rules);
    }
    let expected = "KataGo's text or an object of rules";
    let given = row.get("rules").and_then(Value::as_object).ok_or_else(|| wrong(row, "rules", expected))?;
    let preset = given
        .get("preset")
        .map_or(Ok("tromp-taylor"), |_| text(&row["rules"], "preset").map_err(|e| format!("rules.{e}")))?;
    let known = || RULESETS.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
    let mut rules = GoRules::named(preset, board_size(row)?)
        .ok_or_else(|| format!("rules.preset: `{preset}` is not a rule set; there is {}", known()))?;
    rules.komi = 0.0;
    for (key, value) in given {
        one_rule(&mut rules, key, value).map_err(in_rules)?;
    }
    rules.check().map_err(in_rules)?;
    if given.contains_key("cycle") {
        rules.check_cycle().map_err(in_rules)?;
    }
    // KataGo's second rule text also clears pass-alive territory before it counts area; cycles under simple ko and
    // repeated passes end its games.
    if given.get("formalisation").is_some() {
        rules.early_end = rules.scoring == Scoring::Area;
        if rules.ko == Ko::Simple {
            (rules.cycle, rules.end) = (Cycle::NoResult, End::Repeat);
        }
    }
    Ok(rules)
}

/// Sets one rule of a row's object.
fn one_rule(rules: &mut GoRules, key: &str, value: &Value) -> Result<(), SetupError> {
    let wrong = |expected: &str| SetupError::new(key, format!("{value} is not {expected}"));
    let word = match value {
        Value::String(word) => word.to_ascii_lowercase(),
        other => other.to_string(),
    };
    match key {
        "preset" => Ok(()),
        "komi" => rules.set_komi(value.as_f64().ok_or_else(|| wrong("a number"))? as f32),
        "handicap" => rules.set_handicap(&word),
        "formalisation" => {
            if word == "katago-v2" {
                Ok(())
            } else {
                Err(wrong("\"katago-v2\""))
            }
        }
        "start_phase" => {
            if word == "0" {
                Ok(())
            } else {
                Err(wrong("0"))
            }
        }
        "placement" => {
            if word == "gtp-fixed" {
                Ok(())
            } else {
                Err(wrong("\"gtp-fixed\""))
            }
        }
        "illegal_move" => {
            if word == "void_and_pass" {
                rules.set("illegal", "pass")
            } else {
                Err(wrong("\"void_and_pass\""))
            }
        }
        "compensation_zi" => value.as_f64().map(|_| ()).ok_or_else(|| wrong("a number")),
        "hasButton" => rules.set("button", &word),
        "score" => rules.set("scoring", &word),
        "suicide" if value.is_boolean() => rules.set(key, if word == "true" { "multi" } else { "none" }),
        _ => rules.set(key, &word),
    }
}

/// The row's start position.
fn start(row: &Value) -> Result<GoBoard, String> {
    let rules = rules(row)?;
    let to_play = colour("to_move", text(row, "to_move")?)?;
    match row.get("setup") {
        Some(_) if !rules.handicap.is_empty() => {
            Err("rules.handicap: goes with an empty board; the row sets stones up".to_string())
        }
        None => {
            let mut board = GoBoard::new(&rules);
            board.set_to_play(to_play);
            Ok(board)
        }
        Some(_) => GoBoard::from_position(&rules, &texts(row, "setup")?, to_play).map_err(|e| format!("setup: {e}")),
    }
}

/// The position after the row's moves.
fn played(row: &Value) -> Result<GoBoard, String> {
    let mut board = start(row)?;
    for (i, words) in texts(row, "moves")?.into_iter().enumerate() {
        let key = format!("moves: number {}", i + 1);
        let (colour, action) = coloured_move(board.size(), &key, words)?;
        board.play_any(colour, action).map_err(|why| format!("{key} (`{words}`) is illegal: {why}"))?;
    }
    Ok(board)
}

fn names(size: Size, points: impl IntoIterator<Item = Point>) -> Vec<String> {
    let mut names: Vec<String> = points.into_iter().map(|p| LETTERS.name(size, p)).collect();
    names.sort();
    names
}

fn position(board: &GoBoard) -> Value {
    json!({
        "board": board.rows(),
        "taken_by_black": board.taken_by(Colour::Black),
        "taken_by_white": board.taken_by(Colour::White),
        "last_captured": names(board.size(), board.last_captured()),
    })
}

fn legal(row: &Value, query: &Value) -> Result<Value, String> {
    let board = played(row)?;
    let (colour, action) = coloured_move(board.size(), "move", text(query, "move")?)?;
    Ok(json!(board.check(colour, action).is_ok()))
}

/// Whether a move is legal; if not why, else what it takes.
fn why(row: &Value, query: &Value) -> Result<Value, String> {
    let mut board = played(row)?;
    let (colour, action) = coloured_move(board.size(), "move", text(query, "move")?)?;
    Ok(match board.play_any(colour, action) {
        Ok(()) => json!({ "legal": true, "captures": names(board.size(), board.last_captured()) }),
        Err(why) => json!({ "legal": false, "reason": why.to_string() }),
    })
}

/// Points of Black and of White.
fn by_colour(size: Size, [black, white]: &[PointSet; 2]) -> Value {
    json!({ "black": names(size, black.iter()), "white": names(size, white.iter()) })
}

/// What each point is: whose, neutral, in seki, pass-alive.
fn maps(row: &Value) -> Result<Value, String> {
    let board = played(row)?;
    let (maps, size) = (board.maps(), board.size());
    let mut out = by_colour(size, &maps.owned);
    out["counted"] = by_colour(size, &maps.counted);
    out["dame"] = json!(names(size, maps.dame.iter()));
    out["seki"] = by_colour(size, &maps.seki);
    out["pass_alive"] = by_colour(size, &maps.pass_alive);
    Ok(out)
}

/// What each point is once the dead stones are off: the row's `dead` and `seki` or the board's own.
fn standing_maps(row: &Value, query: &Value) -> Result<Value, String> {
    let board = played(row)?;
    let own = board.standing(DEAD_PLAYOUTS);
    let given = |key, own| if query.get(key).is_some() { stones_of(&board, query, key) } else { Ok(own) };
    let dead = given("dead", own.dead)?;
    let seki = given("seki", if dead == own.dead { own.seki } else { board.suggest_seki(&dead) })?;
    maps_told(&board, &dead, &seki)
}

/// The maps with some stones off, by the names of their queries.
fn maps_told(board: &GoBoard, dead: &PointSet, seki: &PointSet) -> Result<Value, String> {
    let (maps, size) = (board.maps_without(dead, seki).map_err(|e| format!("dead: {e}"))?, board.size());
    let (dame, dead) = (json!(names(size, maps.dame.iter())), json!(names(size, dead.iter())));
    let mut ownership = by_colour(size, &maps.owned);
    (ownership["neutral"], ownership["dead"]) = (dame.clone(), dead.clone());
    Ok(json!({
        "dead": dead,
        "ownership": ownership,
        "seki": by_colour(size, &maps.seki),
        "dame": dame,
        "pass_alive": by_colour(size, &maps.pass_alive),
    }))
}

/// The maps of a position as it stands, and its `result`.
pub fn told_of(board: &GoBoard) -> Result<Value, String> {
    let standing = board.standing(DEAD_PLAYOUTS);
    let mut told = maps_told(board, &standing.dead, &standing.seki)?;
    told["result"] = json!(standing.text());
    Ok(told)
}

fn legal_points(row: &Value, query: &Value) -> Result<Value, String> {
    let board = played(row)?;
    let colour = colour("color", text(query, "color")?)?;
    let points = board.size().points().filter(|&p| board.check(colour, Action::point(p)).is_ok());
    Ok(json!(names(board.size(), points)))
}

fn area_score(row: &Value, query: &Value) -> Result<Value, String> {
    let board = played(row)?;
    let dead = stones_of(&board, query, "dead")?;
    let score = board.score_without(&dead);
    Ok(json!({
        "black": score.black,
        "white": score.white,
        "neutral": score.neutral,
        "result": margin_text(score.margin(board.rules().komi)),
    }))
}

fn pass_alive(row: &Value) -> Result<Value, String> {
    let board = played(row)?;
    let stones = |colour| names(board.size(), board.pass_alive(colour).0.iter());
    Ok(json!({ "black": stones(Colour::Black), "white": stones(Colour::White) }))
}

fn perft_query(row: &Value, query: &Value) -> Result<Value, String> {
    let depth = count(query, "depth")?;
    let passes = query.get("passes").and_then(Value::as_bool).ok_or_else(|| wrong(query, "passes", "true or false"))?;
    if depth > 12 {
        return Err(wrong(query, "depth", "at most 12"));
    }
    Ok(json!(perft(&mut played(row)?, depth, passes)))
}

/// Legal sequences of exactly `depth` moves; nothing follows the end of the game.
fn perft(board: &mut GoBoard, depth: usize, passes: bool) -> u64 {
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    let pass = passes && board.pass_legal();
    match depth {
        0 => return 1,
        1 => return (points.len() + usize::from(pass)) as u64,
        _ => {}
    }
    let mut total = 0;
    for action in points.iter().map(Action::point).chain(pass.then_some(Action::PASS)) {
        board.place(action);
        total += perft(board, depth - 1, passes);
        board.undo();
    }
    total
}

/// Arrangements of stones in which every chain has a liberty.
fn count_positions(row: &Value) -> Result<Value, String> {
    let rules = rules(row)?;
    let area = rules.size.area();
    if area > 9 {
        return Err(wrong(row, "size", "a board of at most 9 points, which can be counted"));
    }
    let mut total = 0u64;
    for code in 0..3usize.pow(area as u32) {
        let mut rest = code;
        let letters: Vec<char> = (0..area)
            .map(|_| {
                let letter = ['.', 'X', 'O'][rest % 3];
                rest /= 3;
                letter
            })
            .collect();
        let rows: Vec<String> = letters.chunks(rules.size.width()).map(|row| row.iter().collect()).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        total += u64::from(GoBoard::from_position(&rules, &rows, Colour::Black).is_ok());
    }
    Ok(json!(total.to_string()))
}

/// Games from the start where either colour may move at any time: paths that visit no position twice.
fn count_games(row: &Value) -> Result<Value, String> {
    let mut board = start(row)?;
    if board.size().area() > 3 {
        return Err(wrong(row, "size", "a board of at most 3 points, whose games can be counted"));
    }
    if board.rules().ko != Ko::Positional {
        return Err("rules.ko: counting games needs positional".to_string());
    }
    Ok(json!(paths(&mut board).to_string()))
}

fn paths(board: &mut GoBoard) -> u64 {
    let mut total = 1;
    for colour in Colour::BOTH {
        for p in board.size().points() {
            if board.play_any(colour, Action::point(p)).is_ok() {
                total += paths(board);
                board.undo();
            }
        }
    }
    total
}

/// The exact value of a tiny board, by alpha-beta over the real history.
fn optimal_margin(row: &Value) -> Result<Value, String> {
    let mut board = start(row)?;
    if board.size().area() > 4 {
        return Err(wrong(row, "size", "a board of at most 4 points, which can be solved"));
    }
    let rules = board.rules();
    // Longer ends make the tree too large, and other scores aren't known while a game goes on.
    let plain = (rules.end, rules.scoring, rules.button) == (End::Passes, Scoring::Area, false);
    if rules.ko != Ko::Positional || !plain {
        return Err("rules: solving needs ko=positional, end=passes, scoring=area and no button".to_string());
    }
    let bound = board.size().area() as i32;
    Ok(json!(solve(&mut board, -bound, bound)))
}

/// Black minus White with best play, between `low` and `high`.
fn solve(board: &mut GoBoard, mut low: i32, mut high: i32) -> i32 {
    let now = board.score();
    let now = now.black - now.white;
    if board.is_over() {
        return now;
    }
    let black = board.to_play() == Colour::Black;
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    let mut best = if black { i32::MIN } else { i32::MAX };
    // The pass first: once the opponent has passed, it gives a bound at once.
    for action in std::iter::once(Action::PASS).chain(points.iter().map(Action::point)) {
        board.place(action);
        let value = solve(board, low, high);
        board.undo();
        if black {
            best = best.max(value);
            low = low.max(best);
        } else {
            best = best.min(value);
            high = high.min(best);
        }
        if low >= high {
            break;
        }
    }
    best
}

fn score_if_all_pass(row: &Value) -> Result<Value, String> {
    let mut board = played(row)?;
    while !board.is_over() {
        board.place(Action::PASS);
    }
    Ok(json!({ "white_minus_black": 0.0 - board.score().margin(board.rules().komi) }))
}

/// The state of an automatic game after its moves: how it has ended, or in which phase it is.
fn state_after_moves(row: &Value) -> Result<Value, String> {
    let board = played(row)?;
    // Settled points alone don't end these games.
    let ended = board.end().filter(|&end| end != Ended::Settled);
    let mut state = json!({ "finished": ended.is_some(), "phase": board.phase(), "board": board.rows() });
    if let Some(end) = ended {
        let scored = end == Ended::Passes;
        state["no_result"] = json!(end == Ended::NoResult);
        state["white_minus_black"] = json!(if scored { 0.0 - board.score().margin(board.rules().komi) } else { 0.0 });
    }
    Ok(state)
}

fn phase_after(row: &Value) -> Result<Value, String> {
    if let Some(who) = texts(row, "moves")?.last().and_then(|words| words.strip_suffix(" resign")) {
        return Ok(json!({ "over": true, "result": format!("{}+R", colour("moves", who)?.other().letter()) }));
    }
    let board = played(row)?;
    let agreement = board.play_ended() && board.conduct().end == EndProtocol::Agreement;
    if board.is_over() && !agreement {
        let result = match board.final_margin() {
            Some(margin) => margin_text(margin),
            None => "Void".to_string(),
        };
        return Ok(json!({ "over": true, "needs_agreement": false, "result": result }));
    }
    Ok(json!({ "over": false, "needs_agreement": agreement, "phase": board.phase() }))
}

fn apply_illegal(row: &Value, query: &Value) -> Result<Value, String> {
    let mut board = played(row)?;
    let (colour, action) = coloured_move(board.size(), "move", text(query, "move")?)?;
    if board.check(colour, action).is_ok() {
        return Err(wrong(query, "move", "an illegal move"));
    }
    let counts_as_pass = board.conduct().illegal == IllegalMove::VoidAndPass;
    if counts_as_pass {
        board.play_any(colour, Action::PASS).map_err(|why: Illegal| why.to_string())?;
    }
    let to_move = board.to_play().letter().to_ascii_lowercase().to_string();
    Ok(json!({ "board": board.rows(), "to_move": to_move, "counts_as_pass": counts_as_pass }))
}

/// Chinese counting: Black's stones and points, less the compensation, against half of the board; margins in stones
/// (`zi`) and in points, which are twice that.
fn chinese_count(row: &Value, query: &Value) -> Result<Value, String> {
    let rules = row.get("rules").ok_or_else(|| wrong(row, "rules", "an object with `compensation_zi`"))?;
    let compensation = number(rules, "compensation_zi").map_err(|e| format!("rules.{e}"))? as f32;
    let count = HalfCount::new(board_size(row)?, number(query, "black_count")? as f32, compensation);
    let margin = count.margin();
    let winner = match margin {
        m if m > 0.0 => "b",
        m if m < 0.0 => "w",
        _ => "draw",
    };
    Ok(json!({ "winner": winner, "margin_zi": margin.abs(), "margin_points": margin.abs() * 2.0 }))
}

/// A list of points, all of them stones of the board.
fn stones_of(board: &GoBoard, query: &Value, key: &str) -> Result<PointSet, String> {
    let mut stones = PointSet::EMPTY;
    for name in texts(query, key)? {
        let p = LETTERS
            .point(board.size(), name)
            .ok_or_else(|| format!("{key}: `{name}` is not a point of {}", board.size()))?;
        board.stone(p).ok_or_else(|| format!("{key}: there is no stone on {name}"))?;
        stones.insert(p);
    }
    Ok(stones)
}

/// A pair `{"black": n, "white": n}` of counts; an absent pair is zeros.
fn pair(value: &Value, key: &str) -> Result<[u32; 2], String> {
    let Some(pair) = value.get(key) else { return Ok([0; 2]) };
    // Far beyond any game, and sums stay exact.
    let side = |side| match count(pair, side) {
        Ok(n) if n <= 1_000_000 => Ok(n as u32),
        Ok(_) => Err(format!("{key}.{}", wrong(pair, side, "at most 1000000"))),
        Err(why) => Err(format!("{key}.{why}")),
    };
    Ok([side("black")?, side("white")?])
}

/// The count that people make of the row's position by its `dead` and `seki` lists and `prisoners_taken`.
fn counted(row: &Value, query: &Value) -> Result<Count, String> {
    let mut board = played(row)?;
    if query.get("prisoners_taken").is_some() {
        let [black, white] = pair(query, "prisoners_taken")?;
        board.set_taken(black, white);
    }
    let (dead, seki) = (stones_of(&board, query, "dead")?, stones_of(&board, query, "seki")?);
    board.count(&dead, &seki).map_err(|e| format!("dead: {e}"))
}

/// The result of a count in words; a tie that a colour wins says so.
fn result_in_words(count: &Count) -> String {
    match (count.margin(), count.result()) {
        (0.0, BoardResult::Win(Colour::White)) => "W+0 (white wins ties)".to_string(),
        (0.0, BoardResult::Win(Colour::Black)) => "B+0 (black wins ties)".to_string(),
        (margin, _) => margin_text(margin),
    }
}

fn territory_score(row: &Value, query: &Value) -> Result<Value, String> {
    let count = counted(row, query)?;
    if count.scoring != Scoring::Territory {
        return Err("rules.scoring: a territory score needs territory".to_string());
    }
    Ok(json!({
        "black": count.points(Colour::Black),
        "white": count.points(Colour::White),
        "result": result_in_words(&count),
    }))
}

/// The count of the row's position as people tell it, a sentence a step.
fn count_steps(row: &Value, query: &Value) -> Result<Value, String> {
    let count = counted(row, query)?;
    Ok(json!({ "steps": count.steps(), "result": result_in_words(&count) }))
}

/// Territories and prisoners to the points left after filling in.
fn fill_in_score(row: &Value, query: &Value) -> Result<Value, String> {
    let komi = row.get("rules").map_or(Ok(0.0), |rules| {
        rules.get("komi").map_or(Ok(0.0), |_| number(rules, "komi").map_err(|e| format!("rules.{e}")))
    })?;
    let filled = Filled::new(pair(query, "territory")?, pair(query, "prisoners_taken")?);
    let margin = filled.margin() as f32 - komi as f32;
    Ok(json!({
        "black_left": filled.left[0],
        "white_left": filled.left[1],
        "result": margin_text(margin),
    }))
}

fn winner_from_points(row: &Value, query: &Value) -> Result<Value, String> {
    let (rules, points) = (rules(row)?, |key| count(query, key).map(|n| n.min(1_000_000) as i32));
    let score = Score { black: points("black")?, white: points("white")?, neutral: 0, halves: 0 };
    let winner = match score.result(&rules) {
        BoardResult::Win(Colour::Black) => "b",
        BoardResult::Win(Colour::White) => "w",
        BoardResult::Draw | BoardResult::NoResult => "draw",
    };
    Ok(json!({ "winner": winner }))
}

/// Stones that look dead, for people to confirm.
fn suggest_dead(row: &Value) -> Result<Value, String> {
    let board = played(row)?;
    Ok(json!(names(board.size(), board.suggest_dead(DEAD_PLAYOUTS).iter())))
}

fn handicap_points(row: &Value, query: &Value) -> Result<Value, String> {
    let (size, stones) = (board_size(row)?, count(query, "stones")?);
    let given = row.get("rules").ok_or_else(|| wrong(row, "rules", "an object of rules"))?;
    let points = match (given.get("placement").and_then(Value::as_str), rules(row)?.ruleset().map(|set| set.placing)) {
        (None, Some(Placing::Czech)) => czech_handicap(size, stones),
        _ => fixed_handicap(size, stones),
    };
    Ok(points.map_or(Value::Null, |points| json!(names(size, points))))
}

fn star_query(row: &Value) -> Result<Value, String> {
    let size = board_size(row)?;
    let (stars, centre) = star_points(size).ok_or("size: star points are those of odd squares from 9x9 on")?;
    Ok(json!({ "stars": names(size, stars), "centre": LETTERS.name(size, centre) }))
}

fn query_size(query: &Value) -> Result<Size, String> {
    Size::square(count(query, "size")?).ok_or_else(|| wrong(query, "size", "1 to 25"))
}

/// An empty point is a pass, and so is `tt` on boards up to 19x19 (SGF FF[3]).
fn sgf_to_gtp(query: &Value) -> Result<Value, String> {
    let (size, name) = (query_size(query)?, text(query, "point")?);
    if name.is_empty() || name == "tt" && size.width() <= 19 {
        return Ok(json!("pass"));
    }
    let p = sgf_point(size, name).ok_or_else(|| format!("point: `{name}` is not a point of {size}"))?;
    Ok(json!(LETTERS.name(size, p)))
}

fn vertex_valid(query: &Value) -> Result<Value, String> {
    let action = LETTERS.parse_action(query_size(query)?, text(query, "vertex")?);
    Ok(json!(action.is_some_and(|a| a == Action::PASS || a.as_point().is_some())))
}
