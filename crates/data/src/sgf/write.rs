//! One game as text. Not here: files (see `sgf::write_sgf_file`).

use std::fmt::Write;

use tengen_game::notation::sgf_name;
use tengen_game::{Colour, Point, Size};

use super::read::letters;
use super::{SgfFamily, SgfGame, SgfMove, SgfResult, WinBy};

/// Properties with a field of their own; another value for them among `properties` isn't written.
const FIELDS: [&str; 19] = [
    "GM",
    "FF",
    "CA",
    "AP",
    "SZ",
    "KM",
    "RU",
    "PB",
    "PW",
    "RE",
    "AB",
    "AW",
    "PL",
    "C",
    "B",
    "W",
    "TGSETUP",
    "TGSEED",
    "TGACTIONS",
];

/// Escapes `\` and `]`, makes every line end `\n`, and puts a space on empty lines: an empty line would end a GTP answer.
fn escape(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n").replace('\\', "\\\\").replace(']', "\\]");
    let mut out = String::with_capacity(lines.len());
    for c in lines.chars() {
        if c == '\n' && out.ends_with('\n') {
            out.push(' ');
        }
        out.push(if c.is_control() && c != '\n' { ' ' } else { c });
    }
    out
}

fn put(out: &mut String, id: &str, value: &str) {
    // Writing to a string can't fail.
    let _ = write!(out, "{id}[{}]", escape(value));
}

/// As `put`, on one line, and nothing at all for an empty value.
fn put_line(out: &mut String, id: &str, value: &str) {
    if !value.is_empty() {
        put(out, id, &value.replace(['\n', '\r'], " "));
    }
}

fn put_points(out: &mut String, id: &str, size: Size, points: &[Point]) {
    if !points.is_empty() {
        out.push_str(id);
        points.iter().for_each(|&p| put(out, "", &sgf_name(size, p)));
    }
}

fn put_others(out: &mut String, properties: &super::Properties) {
    for (id, values) in properties {
        let is_id = !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_uppercase());
        if is_id && !values.is_empty() && !FIELDS.contains(&id.as_str()) {
            out.push_str(id);
            values.iter().for_each(|v| put(out, "", v));
        }
    }
}

fn result(result: SgfResult) -> String {
    let SgfResult::Win(colour, by) = result else {
        return match result {
            SgfResult::Draw => "0",
            SgfResult::Void => "Void",
            _ => "?",
        }
        .to_string();
    };
    let by = match by {
        WinBy::Points(p) => format!("{p}"),
        WinBy::Resign => "R".to_string(),
        WinBy::Time => "T".to_string(),
        WinBy::Forfeit => "F".to_string(),
        WinBy::Plain => String::new(),
    };
    format!("{}+{by}", colour.letter())
}

fn put_move(out: &mut String, size: Size, played: &SgfMove) {
    let point = played.point.map(|p| sgf_name(size, p)).unwrap_or_default();
    out.push_str(if played.colour == Colour::Black { ";B" } else { ";W" });
    put(out, "", &point);
    put_others(out, &played.properties);
    if !played.comment.is_empty() {
        put(out, "C", &played.comment);
    }
}

fn put_root(out: &mut String, game: &SgfGame) {
    let (size, gm) = (game.size, if game.family == SgfFamily::Go { "1" } else { "4" });
    put(out, "GM", gm);
    put(out, "FF", "4");
    put(out, "CA", "UTF-8");
    put(out, "AP", concat!("tengen:", env!("CARGO_PKG_VERSION")));
    let sides = if size.is_square() { size.width().to_string() } else { format!("{}:{}", size.width(), size.height()) };
    put(out, "SZ", &sides);
    if let Some(komi) = game.komi {
        put(out, "KM", &komi.to_string());
    }
    put_line(out, "RU", &game.rules);
    put_line(out, "PB", &game.players[0]);
    put_line(out, "PW", &game.players[1]);
    put(out, "RE", &result(game.result));
    put_points(out, "AB", size, &game.stones[0]);
    put_points(out, "AW", size, &game.stones[1]);
    if let Some(first) = game.first {
        put(out, "PL", &first.letter().to_string());
    }
    put_others(out, &game.properties);
    put_line(out, "TGSETUP", game.setup.as_deref().unwrap_or_default());
    if let Some(seed) = game.seed {
        put(out, "TGSEED", &seed.to_string());
    }
    if !game.actions.is_empty() {
        out.push_str("TGACTIONS");
        game.actions.iter().for_each(|&a| put(out, "", &letters(game.family).action(size, a)));
    }
    if !game.comment.is_empty() {
        put(out, "C", &game.comment);
    }
}

pub(super) fn game(game: &SgfGame) -> String {
    let mut out = String::from("(;");
    put_root(&mut out, game);
    for played in &game.moves {
        out.push('\n');
        put_move(&mut out, game.size, played);
    }
    out.push_str(")\n");
    out
}
