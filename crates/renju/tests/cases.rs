//! The case file of renju positions, answered by the rules oracle as a user would ask it. Not here: random positions
//! (`reference.rs`).

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

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
