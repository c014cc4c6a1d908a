//! The rules oracle: JSON lines in, JSON lines out, one answer per row. A row that can't be answered gets an error under
//! its id and the rest goes on. Not here: what the answers are (`renju` and `go` for positions, `katago` for its
//! network inputs, `sequence` for games).

use std::io::{BufRead, Read, Write};

use serde_json::{Value, json};

pub mod go;
pub mod katago;
pub mod renju;
pub mod sequence;

/// Longest row, in bytes.
const ROW_MAX: u64 = 1 << 20;

/// Answers one line of text.
pub fn answer(line: &str) -> Value {
    let row: Value = match serde_json::from_str(line) {
        Ok(row) => row,
        Err(e) => return json!({ "id": null, "error": format!("not JSON: {e}") }),
    };
    let id = row.get("id").cloned().unwrap_or(Value::Null);
    if sequence::is_one(&row) {
        return sequence::answer(&row).unwrap_or_else(|error| json!({ "id": id, "error": error }));
    }
    if katago::is_one(&row) {
        return katago::answer(&row).unwrap_or_else(|error| json!({ "id": id, "error": error }));
    }
    let five = row.get("board").is_some() && row.get("side").is_some();
    let result = if five { renju::answer(&row) } else { go::answer(&row) };
    match result {
        // A renju answer is whole; a Go answer is only what stands under `answer`.
        Ok(whole) if five => whole,
        Ok(whole) if whole.get("answer").is_some() && whole.get("id").is_some() => whole,
        Ok(inner) => json!({ "id": id, "answer": inner }),
        Err(error) => json!({ "id": id, "error": error }),
    }
}

/// Answers every line until the end of input.
pub fn serve(mut input: &mut dyn BufRead, output: &mut dyn Write) -> std::io::Result<()> {
    let mut raw = Vec::new();
    loop {
        raw.clear();
        if Read::by_ref(&mut input).take(ROW_MAX).read_until(b'\n', &mut raw)? == 0 {
            return Ok(());
        }
        let reply = if raw.len() as u64 == ROW_MAX && raw.last() != Some(&b'\n') {
            skip_line(input)?;
            json!({ "id": null, "error": format!("row longer than {ROW_MAX} bytes") })
        } else {
            let text = String::from_utf8_lossy(&raw);
            if text.trim().is_empty() {
                continue;
            }
            answer(text.trim())
        };
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
}

fn skip_line(input: &mut dyn BufRead) -> std::io::Result<()> {
    loop {
        let chunk = input.fill_buf()?;
        let end = chunk.iter().position(|&b| b == b'\n');
        let (used, done) = match end {
            Some(i) => (i + 1, true),
            None => (chunk.len(), chunk.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}
