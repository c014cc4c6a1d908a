//! The Go Text Protocol, version 2: reading lines, framing answers, dispatching to rows of `commands`. Standard output
//! carries answers only; logs belong on standard error. Not here: what commands do.

mod analysis;
mod commands;
mod line;
#[cfg(test)]
mod stub;

use std::io::{BufRead, Write};

use crossbeam::channel::Receiver;

pub use line::{LINE_MAX, Request, parse};

use crate::clock::Clock;
use crate::session::Session;
use analysis::Analysis;
use line::Heard;

/// Everything a command may touch.
pub struct Context<'a> {
    /// The program.
    pub session: &'a mut dyn Session,
    /// The clocks.
    pub clock: Clock,
    /// Set by `quit`.
    pub over: bool,
    /// Set by a command that reports a search while it runs, instead of an answer.
    analysis: Option<Analysis>,
}

/// Serves one client until `quit` or the end of input. Errors are the stream's own.
pub fn serve(
    session: &mut dyn Session,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> std::io::Result<()> {
    let lines: Receiver<Heard> = line::listen(input);
    let mut context = Context { session, clock: Clock::default(), over: false, analysis: None };
    while !context.over {
        let raw = match lines.recv() {
            Ok(Heard::Line(raw)) => raw,
            Ok(Heard::TooLong) => {
                answer(output, None, Err("line too long".to_string()))?;
                continue;
            }
            Ok(Heard::Failed(e)) => return Err(e),
            Ok(Heard::End) | Err(_) => break,
        };
        let Some(request) = parse(&String::from_utf8_lossy(&raw)) else { continue };
        let result = commands::run(&mut context, &request);
        match context.analysis.take() {
            Some(analysis) => analysis.run(&mut context, request.id, &|| !lines.is_empty(), output)?,
            None => answer(output, request.id, result)?,
        }
    }
    Ok(())
}

/// `=[id] text`, or `?[id] text`, then an empty line; never an empty line inside.
fn answer(output: &mut dyn Write, id: Option<u32>, result: Result<String, String>) -> std::io::Result<()> {
    let (mark, text) = match &result {
        Ok(text) => ('=', text),
        Err(text) => ('?', text),
    };
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let id = id.map(|i| i.to_string()).unwrap_or_default();
    let body = lines.join("\n");
    // A drawing keeps its columns when it begins on a line of its own; `=6` alone isn't an empty line.
    let space = match text.chars().next() {
        None => "",
        Some('\n') => "\n",
        Some(_) => " ",
    };
    write!(output, "{mark}{id}{space}{body}\n\n")?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::stub::Stub;
    use super::*;

    fn served(input: &'static str) -> (Vec<String>, Stub) {
        let (mut stub, mut output) = (Stub::default(), Vec::new());
        serve(&mut stub, input.as_bytes(), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        (text.split_terminator("\n\n").map(str::to_string).collect(), stub)
    }

    #[test]
    fn rules_and_files_reach_the_session_whole() {
        let (told, stub) = served(
            "kata-set-rules {\"ko\": \"SIMPLE\", \"tax\": \"NONE\"}\nkata-set-rule ko SIMPLE\nkata-set-rule ko\n\
             kgs-rules New_Zealand\nkgs-rules chinese\nkgs-rules ing\nloadsgf a b.sgf 12\nloadsgf 12\nloadsgf\n\
             printsgf\nkata-get-rules\n",
        );
        let expected = ["=", "=", "? syntax error", "=", "="];
        assert_eq!(told[..5], expected);
        assert!(told[5].starts_with("? unknown rules `ing`"), "{}", told[5]);
        assert_eq!(told[6..], ["=", "=", "? syntax error", "= (;)", "= {}"]);
        assert_eq!(
            stub.told,
            [
                "rules {\"ko\": \"SIMPLE\", \"tax\": \"NONE\"}",
                "rule ko SIMPLE",
                "rules new-zealand",
                "rules chinese-kgs",
                "load a b.sgf Some(12)",
                "load 12 None",
            ]
        );
    }

    #[test]
    fn a_search_is_reported_until_the_next_line() {
        let (told, _) =
            served("5 lz-analyze b 10\n\n6 kata-analyze 10 maxmoves 1\n7 name\n8 lz-analyze w\nlz-analyze b x\n");
        assert_eq!(
            told[0],
            "=5\ninfo move A9 visits 3 winrate 2500 prior 5000 order 0 pv A9 pass \
             info move pass visits 1 winrate 1250 prior 5000 order 1 pv pass"
        );
        assert_eq!(told[1], "=6\ninfo move A9 visits 3 winrate 0.250000 prior 0.500000 order 0 pv A9 pass");
        assert_eq!(told[2..], ["=7 stub", "?8 not for White", "? x: a value is missing"]);
    }

    #[test]
    fn a_watched_move_is_played_after_its_reports() {
        let (told, _) = served("1 kata-genmove_analyze b 10\nname\n");
        assert!(told[0].starts_with("=1\ninfo move A9 visits 3 ") && told[0].ends_with("\nplay A9"), "{}", told[0]);
        assert_eq!(told[1], "= stub");
        let (told, _) = served("lz-analyze b 10\n");
        assert_eq!(told.len(), 1, "the end of input stops a search too");
    }
}
