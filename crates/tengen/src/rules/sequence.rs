//! Answers rows that give a game as a sequence: `{"id", "setup", "moves"}` or `{"id", "sgf"}`, any game, any protocol.
//!
//! | key | meaning |
//! |---|---|
//! | `setup` | a setup text, as `game=five rules=renju size=15x15 opening=rif` |
//! | `moves` | decisions in order, as a list or as text: `"h8 h9 i10 keep"`, also `"h8h9i10"` |
//! | `sgf` | instead of both: an SGF text; setup and decisions are taken from it where this program wrote it, rules, size and stones otherwise |
//! | `ask` | what to answer; [`ASKS`] and, for five in a row, those of `renju`, for Go [`GO_ASKS`] and `katago-v7`; all of `stage`, `legal`, `opening` if left out |
//! | `budget` | as in `renju` |
//!
//! `stage` is what the seat to act is asked, in words; `to_act` its name; `colour` what it holds; `legal` every legal
//! decision; `opening` number and name of the canonical opening on the board, null if it is none; `swaps` one letter for
//! every chance so far, `R` taken and `-` not; `history` the protocol's decisions in words; `offers` the points offered;
//! `outcome` `first`, `second`, `draw`, `no result`, or null while the game goes on; `board` a drawing with forbidden
//! points marked `*`. For Go, of the position as it stands: `dead` stones, `ownership`, `seki`, `dame`, `pass_alive` as in
//! `go`, `result` of a count without them, null after a cycle without result. Not here: positions without a history
//! (`renju`, `go`).

use serde_json::{Map, Value, json};
use tengen_data::sgf::{ReadAs, SgfFamily, SgfGame};
use tengen_game::{Action, Colour, Game, Outcome, Placement, Seat};
use tengen_opening::Seated;

use super::{go, katago, renju};
use crate::board::Drawn;
use crate::catalog::{Five, Go, Kind, Table};
use crate::maps::Position;
use crate::sgf::go_rules_of;
use crate::with_game;

/// What any row of this kind may ask for.
pub const ASKS: [&str; 10] =
    ["stage", "to_act", "colour", "legal", "opening", "swaps", "history", "offers", "outcome", "board"];
/// What a Go row may ask for besides.
pub const GO_ASKS: [&str; 6] = ["dead", "ownership", "seki", "dame", "pass_alive", "result"];
const DEFAULT_ASKS: [&str; 3] = ["stage", "legal", "opening"];
/// Most decisions of a row.
const MOVES_MAX: usize = 4096;

/// Whether a row is of this kind.
pub fn is_one(row: &Value) -> bool {
    row.get("setup").is_some_and(Value::is_string) || row.get("sgf").is_some()
}

/// The answer to a row; the error says which key is at fault and what was expected.
pub fn answer(row: &Value) -> Result<Value, String> {
    let id = row.get("id").ok_or("id: missing; expected a name or number to answer with")?;
    let (setup, moves) = game_of(row)?;
    let budget = renju::budget(row)?;
    let mut out = match Kind::of_setup(&setup).map_err(|e| format!("setup: {e}"))? {
        Kind::Five => {
            let known = [&ASKS[..], &renju::ASKS[..]].concat();
            let game = replay::<Five>(&setup, &moves)?;
            let asks = renju::asks(row, &known)?.unwrap_or(DEFAULT_ASKS.to_vec());
            let one = |ask: &&str| {
                (ask.to_string(), general(&game, ask).unwrap_or_else(|| renju::answer_one(game.board(), ask, budget)))
            };
            asks.iter().map(one).collect::<Map<_, _>>()
        }
        Kind::Go => {
            let game = replay::<Go>(&setup, &moves)?;
            let known = [&ASKS[..], &GO_ASKS[..], &[katago::ASK]].concat();
            let asks = renju::asks(row, &known)?.unwrap_or(DEFAULT_ASKS.to_vec());
            let mut out: Map<String, Value> =
                asks.iter().filter_map(|ask| general(&game, ask).map(|told| (ask.to_string(), told))).collect();
            if asks.iter().any(|ask| GO_ASKS.contains(ask)) {
                let told = go::told_of(game.board())?;
                out.extend(asks.iter().filter_map(|ask| told.get(*ask).map(|v| (ask.to_string(), v.clone()))));
            }
            if asks.contains(&katago::ASK) {
                let (spatial, global) = katago::inputs(game.board());
                out.extend([("spatial".to_string(), spatial), ("global".to_string(), global)]);
            }
            out
        }
    };
    out.insert("id".to_string(), id.clone());
    Ok(Value::Object(out))
}

/// Setup and decisions of a row.
fn game_of(row: &Value) -> Result<(String, Vec<String>), String> {
    match row.get("sgf") {
        Some(sgf) => from_sgf(sgf.as_str().ok_or("sgf: not a string")?),
        None => {
            let setup = row.get("setup").and_then(Value::as_str).ok_or("setup: not a string")?;
            Ok((setup.to_string(), given(row.get("moves"))?))
        }
    }
}

/// What a row's game looks like, and for Go what its position comes to.
pub fn drawn(row: &Value) -> Result<(Drawn, Option<Position>), String> {
    let (setup, moves) = game_of(row)?;
    Ok(match Kind::of_setup(&setup).map_err(|e| format!("setup: {e}"))? {
        Kind::Five => (Drawn::of(&replay::<Five>(&setup, &moves)?), None),
        Kind::Go => {
            let game = replay::<Go>(&setup, &moves)?;
            (Drawn::of(&game), Position::of(game.board()))
        }
    })
}

/// Plays the decisions. The error says at which it stopped.
fn replay<G: Table + Acts>(setup: &str, moves: &[String]) -> Result<G, String> {
    let setup: G::Setup = setup.parse().map_err(|e| format!("setup: {e}"))?;
    let mut game = G::start(&setup);
    for (i, text) in moves.iter().enumerate() {
        game.act_next(text).map_err(|why| format!("moves: number {} is `{text}`: {why}", i + 1))?;
    }
    Ok(game)
}

/// What rows need of a game beyond `Table`.
trait Acts: Sized {
    fn act_next(&mut self, text: &str) -> Result<(), String>;
    fn opening(&self) -> Value;
    fn swap_letters(&self) -> String;
    fn offered(&self) -> Vec<Action>;
}

impl<P: Placement> Acts for Seated<P>
where
    Seated<P>: Game,
{
    fn act_next(&mut self, text: &str) -> Result<(), String> {
        let seat = self.to_act();
        self.act(seat, text).map(|_| ()).map_err(|why| why.to_string())
    }

    fn opening(&self) -> Value {
        self.canonical_opening().map_or(Value::Null, |o| json!({ "code": o.code(), "name": o.name, "kanji": o.kanji }))
    }

    fn swap_letters(&self) -> String {
        self.swap_code()
    }

    fn offered(&self) -> Vec<Action> {
        self.offers().iter().map(|&p| Action::point(p)).collect()
    }
}

/// One of [`ASKS`]; none for another.
fn general<G: Table + Acts>(game: &G, ask: &str) -> Option<Value> {
    let letters = G::KIND.letters();
    let names = |actions: &[Action]| json!(actions.iter().map(|&a| letters.action(game.size(), a)).collect::<Vec<_>>());
    let over = game.outcome();
    let open = |value: Value| if over.is_some() { Value::Null } else { value };
    Some(match ask {
        "stage" => json!(game.describe()),
        "to_act" => open(json!(game.to_act().to_string())),
        "colour" => open(json!(game.colour_of(game.to_act()).to_string())),
        "legal" => {
            let mut legal = Vec::new();
            if over.is_none() {
                game.legal(&mut legal);
            }
            names(&legal)
        }
        "opening" => game.opening(),
        "swaps" => json!(game.swap_letters()),
        "history" => json!(game.history()),
        "offers" => names(&game.offered()),
        "outcome" => match over {
            Some(Outcome::Win(Seat::First)) => json!("first"),
            Some(Outcome::Win(Seat::Second)) => json!("second"),
            Some(Outcome::Draw) => json!("draw"),
            Some(Outcome::NoResult) => json!("no result"),
            None => Value::Null,
        },
        "board" => json!(Drawn::of(game).text()),
        _ => return None,
    })
}

/// `moves` as a list of words.
fn given(moves: Option<&Value>) -> Result<Vec<String>, String> {
    let words = match moves {
        None => Vec::new(),
        Some(Value::String(text)) => words(text),
        Some(Value::Array(list)) => {
            let word = |v: &Value| v.as_str().map(str::to_string).ok_or(format!("moves: {v} isn't a string"));
            list.iter().map(word).collect::<Result<_, _>>()?
        }
        Some(_) => return Err("moves: neither a list nor a string".to_string()),
    };
    if words.len() > MOVES_MAX {
        return Err(format!("moves: {} given; at most {MOVES_MAX} are read", words.len()));
    }
    Ok(words)
}

/// Splits move text at spaces, commas and semicolons, and words such as `h8h9i10` into their points.
pub fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|w| !w.is_empty());
    parts.flat_map(|word| points_in(word).unwrap_or_else(|| vec![word.to_string()])).collect()
}

/// The points of a word that is nothing but letters each followed by one or two digits.
fn points_in(word: &str) -> Option<Vec<String>> {
    let mut points: Vec<String> = Vec::new();
    for c in word.chars() {
        let digits = points.last().map_or(0, |p| p.len() - 1);
        match c {
            'a'..='z' | 'A'..='Z' if points.is_empty() || digits > 0 => points.push(c.to_string()),
            '0'..='9' if !points.is_empty() && digits < 2 => points.last_mut()?.push(c),
            _ => return None,
        }
    }
    points.last().is_some_and(|p| p.len() > 1).then_some(points)
}

/// Setup and decisions of an SGF text.
fn from_sgf(text: &str) -> Result<(String, Vec<String>), String> {
    let sgf = SgfGame::parse(text.as_bytes(), ReadAs::Declared).map_err(|e| format!("sgf: {e}"))?;
    if let Some(setup) = sgf.setup.clone().filter(|_| !sgf.actions.is_empty()) {
        let kind = Kind::of_setup(&setup).map_err(|e| format!("sgf: TGSETUP: {e}"))?;
        let size = with_game!(kind, G => setup.parse::<<G as Game>::Setup>().map(|setup| G::start(&setup).size()));
        let size = size.map_err(|e| format!("sgf: TGSETUP: {e}"))?;
        if size != sgf.size {
            return Err(format!("sgf: TGSETUP: of size {size}, but SZ says {}", sgf.size));
        }
        let letters = kind.letters();
        return Ok((setup, sgf.actions.iter().map(|&a| letters.action(sgf.size, a)).collect()));
    }
    let (setup, kind, first) = match sgf.family {
        SgfFamily::Five => {
            let rules = if sgf.rules.is_empty() { "renju".to_string() } else { sgf.rules.to_lowercase() };
            if rules.contains(|c: char| c.is_whitespace() || c == '=') {
                return Err(format!("sgf: RU: `{rules}` is no name of rules"));
            }
            (format!("game=five rules={rules} size={} opening=none", sgf.size), Kind::Five, Colour::Black)
        }
        SgfFamily::Go => {
            let rules = go_rules_of(&sgf).map_err(|e| format!("sgf: {e}"))?;
            let first = if rules.handicap.is_empty() { Colour::Black } else { Colour::White };
            (format!("{rules} opening=none"), Kind::Go, first)
        }
    };
    let handicap = kind == Kind::Go && first == Colour::White;
    if !handicap && sgf.stones.iter().any(|s| !s.is_empty()) {
        return Err(
            "sgf: AB, AW: stones set up before the first move that are no handicap (HA); expected a game from \
                    its start, or the position as a row with `board` or `setup` rows"
                .to_string(),
        );
    }
    let mut turn = first;
    for (i, m) in sgf.moves.iter().enumerate() {
        if m.colour != turn {
            return Err(format!("sgf: move {} is {}'s; expected {turn}'s", i + 1, m.colour));
        }
        turn = !turn;
    }
    let name = |p: Option<_>| p.map_or("pass".to_string(), |p| kind.letters().name(sgf.size, p));
    let moves = sgf.moves.iter().map(|m| name(m.point)).collect();
    Ok((setup, moves))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(row: Value) -> Value {
        answer(&row).unwrap()
    }

    #[test]
    fn move_text_is_split_where_people_do() {
        assert_eq!(words("h8, H9;i10  swap"), ["h8", "H9", "i10", "swap"]);
        assert_eq!(words("h8h9i10"), ["h8", "h9", "i10"]);
        assert_eq!(words("declare4 branch0 h123 8h"), ["declare4", "branch0", "h123", "8h"]);
    }

    #[test]
    fn protocol_stages_are_told() {
        let setup = "game=five rules=renju size=15x15 opening=soosorv-8";
        let all = json!(["stage", "to_act", "colour", "legal", "opening", "swaps", "history", "outcome"]);
        let row = ask(json!({"id": 1, "setup": setup, "moves": "h8h9i10 swap j8", "ask": all}));
        assert_eq!(row["opening"]["code"], "2D");
        assert_eq!(row["opening"]["name"], "Keigetsu");
        assert_eq!(row["swaps"], "R");
        assert_eq!(
            row["legal"],
            json!(["declare1", "declare2", "declare3", "declare4", "declare5", "declare6", "declare7", "declare8"])
        );
        assert_eq!((&row["to_act"], &row["colour"]), (&json!("first"), &json!("white")));
        assert_eq!(row["outcome"], Value::Null);
        let start = ask(json!({"id": 2, "setup": setup, "ask": ["legal"]}));
        assert_eq!(start["legal"], json!(["H8"]));
    }

    #[test]
    fn five_rows_take_the_questions_of_positions_too() {
        let setup = "game=five rules=renju size=15x15 opening=none";
        let moves = "h8 a1 i8 a3 h9 a5 i9 a7 h10 a9";
        let row = ask(json!({"id": "x", "setup": setup, "moves": moves, "ask": ["forbidden", "fours", "board"]}));
        assert!(!row["forbidden"].as_array().unwrap().is_empty(), "{row}");
        let drawing = row["board"].as_str().unwrap();
        assert_eq!(drawing.matches('*').count(), row["forbidden"].as_array().unwrap().len());
        let end = ask(
            json!({"id": 1, "setup": setup, "moves": "h8 a1 h9 a3 h10 a5 h11 a7 h12", "ask": ["outcome", "legal"]}),
        );
        assert_eq!((&end["outcome"], &end["legal"]), (&json!("first"), &json!([])));
    }

    #[test]
    fn games_in_sgf_are_replayed() {
        let row = ask(json!({"id": 1, "sgf": "(;GM[4]SZ[15];B[hh];W[hg];B[if])", "ask": ["opening", "to_act"]}));
        assert_eq!(row["opening"]["code"], "2D");
        assert_eq!(row["to_act"], "second");
        let go = ask(json!({"id": 1, "sgf": "(;GM[1]SZ[9]RU[chinese];B[ee])", "ask": ["to_act", "outcome"]}));
        assert_eq!(go["to_act"], "second");
    }

    #[test]
    fn what_a_file_of_go_says_is_taken_or_refused_by_name() {
        let result = |sgf: &str| answer(&json!({"id": 1, "sgf": sgf, "ask": ["result", "colour"]}));
        let one = |root: &str| result(&format!("(;GM[1]SZ[5]{root};B[cc];W[];B[])")).map(|row| row["result"].clone());
        // Black has the board, 25 points.
        assert_eq!(one("RU[japanese]KM[6.5]"), Ok(json!("B+17.5")));
        assert_eq!(one("RU[Tromp-Taylor]"), Ok(json!("B+17.5")));
        assert_eq!(one("RU[New Zealand]KM[0.5]"), Ok(json!("B+24.5")));
        assert_eq!(one("RU[GOE]KM[-3]"), Ok(json!("B+28")));
        assert_eq!(one("RU[koPOSITIONALscoreAREAtaxNONEsui1]KM[0]HA[0]"), Ok(json!("B+25")));
        let handicap = result("(;GM[1]SZ[9]RU[aga]KM[0.5]HA[2]AB[cc][gg];W[ee])").unwrap();
        assert_eq!(handicap["colour"], "black");
        for (root, word, expected) in [
            ("KM[nan]", "KM: `nan`", "number of points"),
            ("KM[7.3]", "KM: `7.3`", "0.5"),
            ("KM[375]", "KM: `375`", "points of the board"),
            ("KM[x]", "KM: `x`", "number of points"),
            ("RU[nosuch]", "RU: rules: `nosuch`", "tromp-taylor"),
            ("RU[japanese komi=3]", "RU: japanese:", "key=value"),
            ("RU[rules=japanese komi=3]", "RU: komi:", "on its own"),
            ("RU[rules=japanese button=true]", "RU:", "area"),
            ("HA[x]AB[bb][dd]", "HA: `x`", "number of stones"),
            ("HA[-1]", "HA: `-1`", "number of stones"),
            ("HA[3]AB[bb][dd]", "HA: `3`", "AB sets up 2"),
            ("HA[2]", "HA: `2`", "AB sets up 0"),
            ("AB[bb]", "AB, AW:", "HA"),
            ("AB[bb]AW[bb]", "AW:", "twice"),
            ("AW[bb]", "AB, AW:", "HA"),
            ("AB[zz]", "AB: `zz`", "5x5"),
            ("TGSETUP[game=go size=5 komi=nan]TGACTIONS[C3]", "TGSETUP: komi:", "0.5"),
            ("TGSETUP[game=go size=7]TGACTIONS[C3]", "TGSETUP: of size 7x7", "SZ"),
            ("TGSETUP[game=go rules=japanese button=true]TGACTIONS[C3]", "TGSETUP: button:", "area"),
        ] {
            let why = one(root).expect_err(root);
            assert!(why.starts_with("sgf: ") && why.contains(word) && why.contains(expected), "{root}: {why}");
        }
    }

    #[test]
    fn faults_are_named() {
        let setup = "game=five rules=renju size=15x15 opening=rif";
        for (row, word) in [
            (json!({"id": 1, "setup": setup, "moves": "h8 a1"}), "moves: number 2"),
            (json!({"id": 1, "setup": setup, "moves": 5}), "moves:"),
            (json!({"id": 1, "setup": "game=chess"}), "setup:"),
            (json!({"id": 1, "setup": setup, "ask": ["colour", "score"]}), "ask:"),
            (json!({"id": 1, "sgf": "(;GM[4]SZ[15];W[hh])"}), "sgf: move 1"),
            (json!({"id": 1, "sgf": "no"}), "sgf:"),
            (json!({"setup": setup}), "id:"),
        ] {
            let why = answer(&row).unwrap_err();
            assert!(why.starts_with(word), "{why}");
        }
    }
}
