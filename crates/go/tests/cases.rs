//! Every row of the case file, answered by the module that the command line uses; and rows that make no sense.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::Value;

// `pub` because it is public in the crate it belongs to.
#[path = "../../tengen/src/rules/go.rs"]
pub mod rules;

/// Per group and query type: how many rows there are, so that none gets lost.
const EXPECTED: &[(&str, &str, usize)] = &[
    ("area", "area_score", 15),
    ("benson", "pass_alive_stones", 20),
    ("capture", "position", 3),
    ("chinese-count", "chinese_count", 6),
    ("count", "count_games", 2),
    ("count", "count_legal_positions", 2),
    ("end", "phase_after", 3),
    ("eternal", "legal", 2),
    ("handicap", "handicap_points", 23),
    ("illegal-is-pass", "apply_illegal", 1),
    ("katago-seq", "state_after_moves", 17),
    ("ko", "legal", 3),
    ("named", "area_score", 2),
    ("named", "position", 2),
    ("named", "territory_score", 1),
    ("notation", "gtp_vertex_valid", 6),
    ("notation", "sgf_to_gtp", 9),
    ("perft", "perft", 9),
    ("play", "position", 8),
    ("random", "legal_points", 36),
    ("random", "position", 12),
    ("seed", "fill_in_score", 1),
    ("seed", "position", 1),
    ("seed", "winner_from_points", 2),
    ("six-scorings", "score_if_all_pass", 24),
    ("stars", "star_points", 1),
    ("suicide", "legal", 5),
    ("suicide", "position", 2),
    ("superko", "legal", 4),
    ("superko", "legal_points", 1),
    ("territory", "territory_score", 4),
    ("tripleko", "legal", 2),
    ("tripleko", "legal_points", 1),
    ("tripleko", "position", 1),
    ("value", "optimal_black_margin", 1),
];

fn rows() -> Vec<Value> {
    let packed: &[u8] = include_bytes!("data/go_rules.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).expect("a gzip file of text");
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

/// Whether `seen` says all that `expected` says; it may say more. Numbers are compared as numbers.
fn agrees(expected: &Value, seen: &Value) -> bool {
    match (expected, seen) {
        (Value::Object(expected), Value::Object(seen)) => {
            expected.iter().all(|(key, value)| seen.get(key).is_some_and(|seen| agrees(value, seen)))
        }
        (Value::Number(expected), Value::Number(seen)) => expected.as_f64() == seen.as_f64(),
        _ => expected == seen,
    }
}

#[test]
fn every_row_is_answered_rightly() {
    let (mut tally, mut wrong) = (BTreeMap::<(String, String), usize>::new(), Vec::new());
    for mut row in rows() {
        let id = row["id"].as_str().expect("an id").to_string();
        let key = (row["group"].as_str().expect("a group"), row["query"]["type"].as_str().expect("a type"));
        *tally.entry((key.0.to_string(), key.1.to_string())).or_default() += 1;
        let expected = row["expected"].clone();
        let fields = row.as_object_mut().expect("an object");
        ["expected", "source", "checked_by", "note"].iter().for_each(|key| {
            fields.remove(*key);
        });
        match rules::answer(&row) {
            Ok(seen) if agrees(&expected, &seen) => {}
            Ok(seen) => wrong.push(format!("{id}: expected {expected}, answered {seen}")),
            Err(why) => wrong.push(format!("{id}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
    let seen: Vec<_> = tally.iter().map(|((group, kind), &rows)| (group.as_str(), kind.as_str(), rows)).collect();
    assert_eq!(seen, EXPECTED);
    assert_eq!(tally.values().sum::<usize>(), 232);
}

/// Queries that no row of the file has.
#[test]
fn further_queries() {
    let ask = |query: Value| {
        let row = serde_json::json!({
            "size": [4, 4], "rules": { "preset": "chinese" }, "setup": [".XO.", "X..O", ".XO.", "...."], "to_move": "b",
            "moves": ["b C3", "w B3"], "query": query,
        });
        rules::answer(&row).unwrap()
    };
    assert_eq!(
        ask(serde_json::json!({ "type": "why", "move": "b C3" })),
        serde_json::json!({ "legal": false, "reason": "superko" })
    );
    assert_eq!(ask(serde_json::json!({ "type": "why", "move": "b C4" }))["reason"], "occupied");
    assert_eq!(
        ask(serde_json::json!({ "type": "why", "move": "b A1" })),
        serde_json::json!({ "legal": true, "captures": [] })
    );
    assert_eq!(ask(serde_json::json!({ "type": "why", "move": "w A4" }))["captures"], serde_json::json!(["B4"]));
    let maps = ask(serde_json::json!({ "type": "maps" }));
    assert_eq!(maps["black"], serde_json::json!(["A3", "A4", "B2", "B4"]));
    let steps = ask(serde_json::json!({ "type": "count_steps", "dead": [] }));
    assert_eq!(steps["steps"].as_array().map(Vec::len), Some(3), "{steps}");
    let row = serde_json::json!({ "size": [4, 4], "rules": "koSIMPLEscoreTERRITORYtaxSEKIsui0komi0.5", "to_move": "b",
        "moves": ["b B2", "w pass", "b pass"], "query": { "type": "phase_after" } });
    assert_eq!(rules::answer(&row).unwrap()["phase"], 1);
    let row = serde_json::json!({ "size": [4, 4], "rules": { "preset": "japanese", "komi": 0.5 }, "to_move": "b",
        "setup": [".XO.", ".XO.", "XXO.", ".XOX"], "query": { "type": "suggest_dead" } });
    assert_eq!(rules::answer(&row), Ok(serde_json::json!(["D1"])));
}

#[test]
fn every_kind_is_answered_and_documented() {
    let documents = [
        include_str!("../../tengen/src/rules/go.rs").split("use serde_json").next().unwrap(),
        include_str!("../../tengen/src/commands/rules.rs"),
    ];
    for kind in rules::KINDS {
        let row = serde_json::json!({ "query": { "type": kind } });
        assert!(!rules::answer(&row).is_err_and(|why| why.contains("is unknown")), "{kind}");
        for text in documents {
            assert!(text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == kind), "{kind}");
        }
    }
    let asked = EXPECTED.iter().all(|(_, kind, _)| rules::KINDS.contains(kind));
    assert!(asked && rules::answer(&serde_json::json!({ "query": { "type": "x" } })).unwrap_err().contains("seki"));
}

/// Maps of a position, each by itself.
#[test]
fn maps_are_answered_one_by_one() {
    use serde_json::json;
    // B6 is lost inside Black's area; the points between the walls are nobody's.
    let rows = ["..XX.O.", ".OX..O.", "XXXX.O.", "..X..OO", "XXX..O.", "..X..OO", "XXX..O."];
    let ask = |set: &str, setup: &[&str], query: Value| {
        let size = [setup[0].len(), setup.len()];
        let row = json!({ "size": size, "rules": { "preset": set }, "setup": setup, "to_move": "b", "query": query });
        rules::answer(&row)
    };
    let ownership = ask("japanese", &rows, json!({ "type": "ownership" })).unwrap();
    assert_eq!(ownership["dead"], json!(["B6"]));
    assert_eq!(ownership["neutral"], json!(["D1", "D2", "D3", "D4", "D6", "E1", "E2", "E3", "E4", "E5", "E6", "E7"]));
    assert_eq!(ownership["black"].as_array().map(Vec::len), Some(49 - 12 - 14), "{ownership}");
    assert_eq!(ask("japanese", &rows, json!({ "type": "dame" })).unwrap(), ownership["neutral"]);
    // Named as alive, it keeps its point and spoils those around.
    let alive = ask("japanese", &rows, json!({ "type": "ownership", "dead": [] })).unwrap();
    assert_eq!((&alive["dead"], alive["white"].as_array().unwrap().contains(&json!("B6"))), (&json!([]), true));
    let safe = ask("japanese", &rows, json!({ "type": "pass_alive" })).unwrap();
    assert_eq!(safe["black"], ownership["black"]);
    // An eye each and a shared liberty: nothing inside counts, nor is anything neutral but that.
    let seki = [".X.O."];
    let both = json!({ "black": ["A1", "B1"], "white": ["D1", "E1"] });
    assert_eq!(ask("japanese", &seki, json!({ "type": "seki", "dead": [] })), Ok(both.clone()));
    assert_eq!(ask("japanese", &seki, json!({ "type": "seki", "dead": [], "seki": [] })).unwrap()["black"], json!([]));
    assert_eq!(ask("japanese", &seki, json!({ "type": "seki", "seki": ["B1", "D1"] })), Ok(both));
    assert_eq!(ask("japanese", &seki, json!({ "type": "dame", "dead": [] })), Ok(json!(["C1"])));
    for (key, bad) in [("dead", json!(["A1"])), ("dead", json!(["Z9"])), ("seki", json!("B1")), ("dead", json!([1]))] {
        let why = ask("japanese", &seki, json!({ "type": "ownership", key: bad })).unwrap_err();
        assert!(why.contains(key), "{key}: {why}");
    }
}

#[test]
fn rows_that_make_no_sense_are_refused() {
    let base: Value = serde_json::json!({
        "size": [3, 3], "rules": {}, "setup": ["...", ".X.", "..."], "to_move": "w", "moves": ["w A1"],
        "query": { "type": "legal", "move": "b A2" },
    });
    assert_eq!(rules::answer(&base), Ok(Value::Bool(true)));
    use serde_json::json;
    // What is put in, under which key; how the message begins, and what it says was expected.
    for (key, bad, field, expected) in [
        ("size", json!([0, 3]), "size: [0,3]", "1 to 25"),
        ("size", json!([26, 3]), "size: [26,3]", "1 to 25"),
        ("size", json!([3, 3, 3]), "size: [3,3,3]", "[width, height]"),
        ("size", json!([3, 4]), "setup:", "4"),
        ("size", json!("3x3"), "size: \"3x3\"", "[width, height]"),
        ("rules", json!({ "ko": "maybe" }), "rules.ko: `maybe`", "simple"),
        ("rules", json!({ "ko": null }), "rules.ko: `null`", "simple"),
        ("rules", json!({ "suicide": 2 }), "rules.suicide: `2`", "multi"),
        ("rules", json!({ "tax": "double" }), "rules.tax: `double`", "seki"),
        ("rules", json!({ "score": "points" }), "rules.scoring: `points`", "territory"),
        ("rules", json!({ "end": "never" }), "rules.end: `never`", "pairs"),
        ("rules", json!({ "bonus": 3 }), "rules.bonus: `3`", "N-1"),
        ("rules", json!({ "tie": "me" }), "rules.tie: `me`", "white"),
        ("rules", json!({ "cycle": "draw" }), "rules.cycle: `draw`", "ko=simple"),
        ("rules", json!({ "komi": 1e30 }), "rules.komi: `1", "400"),
        ("rules", json!({ "komi": 7.3 }), "rules.komi: `7.3`", "0.5"),
        ("rules", json!({ "komi": "x" }), "rules.komi: \"x\"", "a number"),
        ("rules", json!({ "komi": null }), "rules.komi: null", "a number"),
        ("rules", json!({ "unheard": 1 }), "rules.unheard:", "scoring"),
        ("rules", json!({ "placement": 7 }), "rules.placement: 7", "gtp-fixed"),
        ("rules", json!({ "illegal_move": "explode" }), "rules.illegal_move:", "void_and_pass"),
        ("rules", json!({ "formalisation": "v3" }), "rules.formalisation:", "katago-v2"),
        ("rules", json!({ "hasButton": "perhaps" }), "rules.button: `perhaps`", "true"),
        ("rules", json!({ "preset": "japanese", "hasButton": true }), "rules.button:", "area"),
        ("rules", json!({ "preset": "unheard" }), "rules.preset: `unheard`", "tromp-taylor"),
        ("rules", json!({ "preset": 3 }), "rules.preset: 3", "text"),
        ("rules", json!({ "handicap": "A1" }), "rules.handicap:", "empty board"),
        ("rules", json!({ "handicap": 2 }), "rules.handicap:", "D4,Q16"),
        ("rules", json!("koFOO"), "rules.ko: \"FOO\"", "SIMPLE"),
        ("rules", json!("nosuch"), "rules: `nosuch`", "KataGo"),
        ("rules", json!(null), "rules: missing", "an object"),
        ("rules", json!(5), "rules: 5", "an object"),
        ("setup", json!(["...", ".X.", "..é"]), "setup: row 3: `é`", "`X`"),
        ("setup", json!(["XXX", "XXX", "XXX"]), "setup: the chain of A3", "liberty"),
        ("setup", json!([1, 2, 3]), "setup: [1,2,3]", "texts"),
        ("setup", json!("..."), "setup: \"...\"", "a list"),
        ("to_move", json!("black"), "to_move: `black`", "b nor w"),
        ("to_move", json!(null), "to_move: missing", "text"),
        ("moves", json!(["w B2"]), "moves: number 1 (`w B2`)", "occupied"),
        ("moves", json!(["w D4"]), "moves: number 1: `D4`", "3x3"),
        ("moves", json!(["w"]), "moves: number 1: `w`", "b C3"),
        ("moves", json!(["x A1"]), "moves: number 1: `x`", "b nor w"),
        ("moves", json!(["w swap"]), "moves: number 1: `swap`", "pass"),
        ("query", json!({ "type": "oracle" }), "query.type: `oracle`", "legal_points"),
        ("query", json!({ "type": "legal" }), "move: missing", "text"),
        ("query", json!({ "type": "perft", "depth": -1, "passes": true }), "depth: -1", "whole number"),
        ("query", json!({ "type": "perft", "depth": 4000000000u64, "passes": true }), "depth: 4000000000", "12"),
        ("query", json!({ "type": "perft", "depth": 1 }), "passes: missing", "true or false"),
        ("query", json!({ "type": "handicap_points" }), "stones: missing", "whole number"),
        ("query", json!({ "type": "area_score", "dead": ["A3"] }), "dead:", "no stone on A3"),
        ("query", json!({ "type": "count_steps", "prisoners_taken": 5 }), "prisoners_taken.black:", "whole number"),
        ("query", json!({ "type": "optimal_black_margin" }), "size: [3,3]", "4 points"),
        ("query", json!({ "type": "count_games" }), "size: [3,3]", "3 points"),
        ("query", json!({ "type": "apply_illegal", "move": "b A2" }), "move: \"b A2\"", "illegal"),
        ("query", json!({}), "query.type: missing", "text"),
        ("query", json!("legal"), "query: \"legal\"", "`type`"),
    ] {
        let mut row = base.clone();
        row[key] = bad.clone();
        let why = rules::answer(&row).expect_err(field);
        assert!(why.starts_with(field) && why.contains(expected), "{key} = {bad}: {why}");
    }
    // Two pairs of passes make a tree that has no end in sight.
    let row = json!({ "size": [4, 1], "rules": { "preset": "ing-like" }, "to_move": "b",
        "query": { "type": "optimal_black_margin" } });
    assert!(rules::answer(&row).unwrap_err().contains("end=passes"));
}
