//! The Go Text Protocol, version 2: reading lines, framing answers, dispatching to rows of `commands`. Standard output
//! carries answers only; logs belong on standard error. Not here: what commands do.

mod commands;
mod line;

use std::io::{BufRead, Write};

pub use line::{LINE_MAX, Request, parse};

use crate::clock::Clock;
use crate::session::Session;

/// Everything a command may touch.
pub struct Context<'a> {
    /// The program.
    pub session: &'a mut dyn Session,
    /// The clocks.
    pub clock: Clock,
    /// Set by `quit`.
    pub over: bool,
}

/// Serves one client until `quit` or the end of input. Errors are the stream's own.
pub fn serve(session: &mut dyn Session, input: &mut dyn BufRead, output: &mut dyn Write) -> std::io::Result<()> {
    let mut context = Context { session, clock: Clock::default(), over: false };
    let mut raw = Vec::new();
    while !context.over {
        let Some(fits) = line::read(input, &mut raw)? else { break };
        if !fits {
            answer(output, None, Err("line too long".to_string()))?;
            continue;
        }
        let Some(request) = parse(&String::from_utf8_lossy(&raw)) else { continue };
        let result = commands::run(&mut context, &request);
        answer(output, request.id, result)?;
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
