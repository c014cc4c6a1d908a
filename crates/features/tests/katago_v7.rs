//! KataGo's own inputs for 200 positions, against ours, through the module that the command line uses.

use std::collections::BTreeSet;
use std::io::Read;

use serde_json::{Value, json};

// `pub` because they are public in the crate they belong to.
#[path = "../../tengen/src/rules/go.rs"]
pub mod go;
#[path = "../../tengen/src/rules/katago.rs"]
pub mod katago;

fn rows() -> Vec<Value> {
    let packed: &[u8] = include_bytes!("../../../tests/data/katago_v7.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).expect("a gzip file of text");
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

fn asked(row: &Value) -> Value {
    let mut row = row.clone();
    row["ask"] = json!(["katago-v7"]);
    assert!(katago::is_one(&row));
    let fields = row.as_object_mut().expect("a row");
    for answer in ["spatial", "global"] {
        fields.remove(answer);
    }
    katago::answer(&row).unwrap_or_else(|why| panic!("{}: {why}", row["id"]))
}

fn vertices(spatial: &Value, plane: usize) -> BTreeSet<&str> {
    let list = spatial.get(plane.to_string()).and_then(Value::as_array);
    list.into_iter().flatten().map(|name| name.as_str().expect("a vertex")).collect()
}

#[test]
fn every_plane_and_number_is_katagos() {
    let rows = rows();
    assert_eq!(rows.len(), 200);
    let (mut wrong, mut points) = (Vec::new(), 0);
    for row in &rows {
        let seen = asked(row);
        for plane in 1..22 {
            let (ours, theirs) = (vertices(&seen["spatial"], plane), vertices(&row["spatial"], plane));
            points += theirs.len();
            let (more, less): (Vec<_>, Vec<_>) =
                (ours.difference(&theirs).collect(), theirs.difference(&ours).collect());
            if ours != theirs {
                wrong.push(format!("{} plane {plane}: too many {more:?}, missing {less:?}", row["id"]));
            }
        }
        for i in 0..19 {
            let [ours, theirs] = [&seen, row].map(|row| row["global"][i].as_f64().expect("a number"));
            if (ours - theirs).abs() > 1e-5 {
                wrong.push(format!("{} number {i}: {ours}, not {theirs}", row["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(points > 40_000, "{points} points compared");
}

#[test]
fn rows_that_make_no_sense_are_refused() {
    let row = json!({"id": 1, "size": [9, 9], "rules": "tromp-taylor", "to_move": "w", "moves": ["b E5"], "ask": ["katago-v7"]});
    let answer = katago::answer(&row).expect("a position");
    assert_eq!((&answer["spatial"]["2"], &answer["spatial"]["9"]), (&json!(["E5"]), &json!(["E5"])));
    assert_eq!(answer["global"][5], json!(0.375));
    for (key, value, word) in [
        ("rules", json!("nosuch"), "rules"),
        ("rules", json!({"ko": "NEVER"}), "ko"),
        ("rules", Value::Null, "rules"),
        ("size", json!([0, 9]), "size"),
        ("size", json!(9), "size"),
        ("moves", json!(["b E5", "w E5"]), "number 2"),
        ("moves", json!(["b Z9"]), "Z9"),
        ("moves", json!([5]), "moves"),
        ("to_move", json!("x"), "neither b nor w"),
        ("ask", json!(["katago-v7", "legal"]), "legal"),
        ("setup", json!(["."]), "rows"),
    ] {
        let mut bad = row.clone();
        bad[key] = value;
        let why = katago::answer(&bad).expect_err(key);
        assert!(why.contains(word), "{key}: {why}");
    }
    assert!(!katago::is_one(&json!({"id": 1, "query": {}})));
}

/// Where players agree on the end, a second pass in a row isn't shown as ending the game, nor is the first.
#[test]
fn friendly_passes_are_hidden() {
    for (friendly, shown) in [(false, 1.0), (true, 0.0)] {
        let rules = json!({"ko": "POSITIONAL", "scoring": "AREA", "friendlyPassOk": friendly, "komi": 7});
        let row = json!({"id": 1, "size": [9, 9], "rules": rules, "to_move": "w", "moves": ["w E5", "b pass"]});
        let answer = katago::answer(&row).expect("a position");
        assert_eq!((&answer["global"][0], &answer["global"][14]), (&json!(shown), &json!(shown)));
        assert_eq!(answer["spatial"].get("10").is_some(), !friendly);
    }
}
