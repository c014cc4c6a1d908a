//! The case file of renju positions, whole, answered by the rules oracle as a user would ask it; and what else such a row
//! may ask. Not here: random positions (`reference.rs`).

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tengen_game::Size;
use tengen_game::notation::Letters;

// Public for the binary, which is where the file lives.
#[allow(unreachable_pub)]
#[path = "../../tengen/src/rules/renju.rs"]
mod rules;

const CASES: &[u8] = include_bytes!("../../../tests/data/renju_forbidden.jsonl.gz");

fn rows() -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(CASES).read_to_string(&mut text).expect("the case file unpacks");
    text.lines().map(|line| serde_json::from_str(line).expect("a row of JSON")).collect()
}

#[test]
fn every_row_of_the_case_file() {
    let rows = rows();
    assert_eq!(rows.len(), 3154);
    let by_hand = |row: &&Value| row["tags"].as_array().is_some_and(|tags| tags.contains(&json!("hand")));
    assert_eq!(rows.iter().filter(by_hand).count(), 114, "every row built by hand is among them");
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let expected = json!({ "id": row["id"], "forbidden": row["forbidden"], "fives": row["fives"] });
            let answer = rules::answer(row).expect("a well-formed row");
            (answer != expected).then(|| format!("{row}\nanswered {answer}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} rows are wrong, the first: {}", wrong.len(), wrong[0]);
}

/// Report renju-note/quintet#124 would forbid H8 here: F8 G8 H8 and the column make a double-three if I8, which makes
/// the row a straight four and the five I8-I12, counts. The case file says it doesn't, and the case file is followed.
#[test]
fn the_case_file_is_followed_against_a_report() {
    let row = rows().into_iter().find(|row| row["id"] == "k0112").expect("the row is there");
    assert_eq!(rules::answer(&row).unwrap(), json!({ "id": "k0112", "forbidden": [], "fives": ["I13", "I8"] }));
}

/// A 9x9 row of the oracle: stones as `X E5 F5`.
fn row_of(black: &str, white: &str, side: &str) -> Value {
    let size = Size::square(9).unwrap();
    let mut board = vec!['.'; 81];
    for (names, letter) in [(black, 'X'), (white, 'O')] {
        for name in names.split_whitespace() {
            board[Letters::WithI.point(size, name).expect(name).index()] = letter;
        }
    }
    json!({ "id": 7, "board": board.into_iter().collect::<String>(), "side": side })
}

fn ask(mut row: Value, asks: Value) -> Value {
    row["ask"] = asks;
    rules::answer(&row).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn rows_may_ask_for_threats_and_victories() {
    let cross = row_of("d5 f5 e4 e6", "a1 a3 a5 a7", "B");
    let forbidden = json!([{ "p": "E5", "kind": "double-three", "all": ["double-three"] }]);
    assert_eq!(ask(cross.clone(), json!(["forbidden"])), json!({ "id": 7, "forbidden": forbidden }));
    assert_eq!(ask(cross.clone(), json!([])), json!({ "id": 7 }));
    let threats = ask(cross, json!(["threes", "fours", "fives"]));
    assert_eq!((&threats["fours"], &threats["fives"]), (&json!([]), &json!([])));
    let threes = threats["threes"].as_array().unwrap();
    assert!(threes.contains(&json!("G5")) && !threes.contains(&json!("E5")), "E5 is forbidden: {threats}");
    // White may, and is told so.
    let white = row_of("a1 a3 a5 a7", "d5 f5 e4 e6", "W");
    let told = ask(white, json!(["threes", "forbidden"]));
    assert!(told["threes"].as_array().unwrap().contains(&json!("E5")), "{told}");
    assert_eq!(told["forbidden"], json!([]));
    let four = row_of("c3 d3 e3", "a1 a3 a5 b7", "B");
    assert_eq!(ask(four.clone(), json!(["fours"]))["fours"], json!(["B3", "F3", "G3"]));
    assert_eq!(ask(four.clone(), json!(["vcf"])), json!({ "id": 7, "vcf": { "result": "win", "line": ["F3"] } }));
    let answered = row_of("b8 c8 d8 e5 e6", "a8 i1 i3 i5 i7", "B");
    assert_eq!(ask(answered.clone(), json!(["vcf"]))["vcf"]["line"], json!(["E8", "F8", "E7"]));
    let mut short = answered;
    short["budget"] = json!(1);
    assert_eq!(ask(short, json!(["vcf"]))["vcf"], json!({ "result": "out-of-budget" }));
    assert_eq!(ask(row_of("e5", "a1", "B"), json!(["vcf"]))["vcf"], json!({ "result": "none" }));
}

#[test]
fn rows_may_name_other_rules() {
    let with = |rules: &str, mut row: Value| {
        row["rules"] = json!(rules);
        row
    };
    let white = row_of("a1 a3 a5 a7", "d5 f5 e4 e6", "W");
    let forbidden = json!([{ "p": "E5", "kind": "double-three", "all": ["double-three"] }]);
    assert_eq!(ask(with("omok", white.clone()), json!(["forbidden"]))["forbidden"], forbidden);
    assert_eq!(ask(with("freestyle", white), json!(["forbidden"]))["forbidden"], json!([]));
    let blocked = row_of("c3 d3 e3 f3", "b3 h3", "B");
    assert_eq!(ask(with("caro", blocked.clone()), json!(["fives"]))["fives"], json!([]));
    assert_eq!(ask(with("standard", blocked.clone()), json!(["fives"]))["fives"], json!(["G3"]));
    let error = rules::answer(&with("caro:open", blocked)).unwrap_err();
    assert_eq!(error, "rules: `open` is not an option of caro; expected exact or edge-blocks");
}

#[test]
fn unknown_asks_and_budgets_are_refused() {
    let refused = |key: &str, value: Value| {
        let mut row = row_of("e5", "a1", "B");
        row[key] = value;
        rules::answer(&row).unwrap_err()
    };
    assert_eq!(
        refused("ask", json!(["fours", "vct"])),
        "ask: \"vct\" is unknown; expected a list of forbidden, fives, fours, threes, vcf"
    );
    for value in [json!("fours"), json!([1]), json!(null), json!({})] {
        assert!(refused("ask", value).contains("fours, threes, vcf"));
    }
    for value in [json!(0), json!(-1), json!(1.5), json!(10_000_001), json!("9"), json!(null)] {
        let error = refused("budget", value);
        assert!(error.starts_with("budget: ") && error.contains("1 to 10000000"), "{error}");
    }
    assert!(refused("rules", json!(4)).starts_with("rules: "));
}

#[test]
fn malformed_rows_are_refused() {
    let blank = ".".repeat(225);
    for (row, key) in [
        (json!({ "board": blank, "side": "B" }), "id"),
        (json!({ "id": 1, "side": "B" }), "board"),
        (json!({ "id": 1, "board": 7, "side": "B" }), "board"),
        (json!({ "id": 1, "board": ".".repeat(224), "side": "B" }), "board"),
        (json!({ "id": 1, "board": ".".repeat(16), "side": "B" }), "board"),
        (json!({ "id": 1, "board": ".".repeat(23 * 23), "side": "B" }), "board"),
        (json!({ "id": 1, "board": blank.replacen('.', "x", 1), "side": "B" }), "board"),
        (json!({ "id": 1, "board": blank.replacen('.', "é", 1), "side": "B" }), "board"),
        (json!({ "id": 1, "board": blank }), "side"),
        (json!({ "id": 1, "board": blank, "side": "black" }), "side"),
        (json!([1, 2]), "id"),
    ] {
        let error = rules::answer(&row).expect_err(&format!("{row} is malformed"));
        assert!(error.starts_with(key), "{row}: {error}");
    }
}

#[test]
fn other_square_boards_are_read() {
    // A nine by nine board: the cross of two threes meets on E5.
    let mut board = vec!['.'; 81];
    for (x, y) in [(3, 4), (5, 4), (4, 3), (4, 5)] {
        board[y * 9 + x] = 'X';
    }
    let board: String = board.into_iter().collect();
    let answer = rules::answer(&json!({ "id": "a", "board": board, "side": "B" })).unwrap();
    let forbidden = answer["forbidden"].as_array().unwrap();
    assert!(forbidden.contains(&json!({ "p": "E5", "kind": "double-three", "all": ["double-three"] })), "{answer}");
    let white = rules::answer(&json!({ "id": "a", "board": board, "side": "W" })).unwrap();
    assert_eq!(white, json!({ "id": "a", "forbidden": [], "fives": [] }));
}
