//! GTP lines: comments, control characters, ids. A line has a cap, so that an endless one can't fill the memory.

use std::io::BufRead;

use crossbeam::channel::{Receiver, bounded};

/// Longest line that is kept, in bytes.
pub const LINE_MAX: usize = 64 * 1024;

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number to echo.
    pub id: Option<u32>,
    /// Command name.
    pub command: String,
    /// The rest, split at white space.
    pub args: Vec<String>,
}

/// Reads up to the next newline into `raw`. None at the end of input; false when the line was too long (it is skipped).
pub(super) fn read(input: &mut dyn BufRead, raw: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
    raw.clear();
    let mut seen = 0usize;
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok(if seen == 0 { None } else { Some(seen <= LINE_MAX) });
        }
        let newline = chunk.iter().position(|&b| b == b'\n');
        let take = newline.map_or(chunk.len(), |i| i);
        let room = LINE_MAX.saturating_sub(raw.len());
        raw.extend_from_slice(&chunk[..take.min(room)]);
        seen = seen.saturating_add(take).saturating_add(usize::from(newline.is_some()));
        let used = take + usize::from(newline.is_some());
        input.consume(used);
        if newline.is_some() {
            return Ok(Some(seen <= LINE_MAX + 1));
        }
    }
}

/// What comes in.
pub(super) enum Heard {
    /// A line.
    Line(Vec<u8>),
    /// A line that was too long to keep.
    TooLong,
    /// Nothing any more.
    End,
    /// The stream has failed.
    Failed(std::io::Error),
}

/// Lines that are read ahead at most.
const AHEAD: usize = 16;

/// Reads lines on a thread of their own, so that a search can see that something has come. The thread isn't waited for:
/// after `quit` it may still hang on an input that stays open.
pub(super) fn listen(mut input: impl BufRead + Send + 'static) -> Receiver<Heard> {
    let (sender, receiver) = bounded(AHEAD);
    std::thread::spawn(move || {
        let mut raw = Vec::new();
        loop {
            let heard = match read(&mut input, &mut raw) {
                Ok(Some(true)) => Heard::Line(std::mem::take(&mut raw)),
                Ok(Some(false)) => Heard::TooLong,
                Ok(None) => Heard::End,
                Err(e) => Heard::Failed(e),
            };
            let last = matches!(heard, Heard::End | Heard::Failed(_));
            if sender.send(heard).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// Takes a line apart; none when nothing is left after comments and control characters are gone.
pub fn parse(line: &str) -> Option<Request> {
    let line = line.split('#').next().unwrap_or_default();
    let clean: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    let mut words = clean.split_whitespace().peekable();
    let first = words.peek()?;
    let id = if first.bytes().all(|b| b.is_ascii_digit()) { first.parse::<u32>().ok() } else { None };
    if id.is_some() {
        words.next();
    }
    let command = words.next()?.to_string();
    Some(Request { id, command, args: words.map(str::to_string).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cleaned() {
        let r = parse("12\tplay  b  D4 # a comment\r").unwrap();
        assert_eq!((r.id, r.command.as_str(), r.args.join(" ")), (Some(12), "play", "b D4".to_string()));
        assert_eq!(parse("   # nothing"), None);
        assert_eq!(parse("\u{0}\u{1}\r"), None);
        assert_eq!(parse("99999999999999999999 name").unwrap().id, None);
        assert_eq!(parse("7"), None);
    }

    #[test]
    fn endless_lines_are_skipped_and_the_next_is_read() {
        let mut text = vec![b'x'; LINE_MAX * 3];
        text.extend_from_slice(b"\nname\n");
        let mut input = std::io::BufReader::new(&text[..]);
        let mut raw = Vec::new();
        assert_eq!(read(&mut input, &mut raw).unwrap(), Some(false));
        assert!(raw.len() <= LINE_MAX);
        assert_eq!(read(&mut input, &mut raw).unwrap(), Some(true));
        assert_eq!(raw, b"name");
        assert_eq!(read(&mut input, &mut raw).unwrap(), None);
    }
}
