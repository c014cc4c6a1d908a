//! `lz-analyze`, `kata-analyze` and the forms that also play: reports of a search while it runs, one line each, all moves
//! on it, until the next line of input. Winning rates are for the colour that the search is for. Not here: the search.
//!
//! KataGo's requests for more (`ownership`, `rootInfo`, `pvVisits`, …) are taken and go unanswered, as it allows; those
//! that narrow the search (`avoid`, `allow`) are refused.

use std::io::Write;
use std::time::{Duration, Instant};

use tengen_game::{Colour, Size};

use super::commands::{colour_of, said, vertex};
use super::{Context, answer};
use crate::session::{Candidate, Next, Session, Watcher};

/// Whose words are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// Rates from 0 to 10000.
    Leela,
    /// Rates from 0 to 1.
    Kata,
}

/// A request to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Analysis {
    words: Words,
    colour: Colour,
    interval: Duration,
    moves_max: usize,
    /// Whether the best move is played in the end; then input doesn't stop the search.
    plays: bool,
}

/// Keys of KataGo whose values don't change what is searched.
const UNANSWERED: [&str; 7] =
    ["minmoves", "rootInfo", "ownership", "ownershipStdev", "movesOwnership", "pvVisits", "pvEdgeVisits"];

impl Analysis {
    /// From `[COLOUR] [CENTISECONDS] [KEY VALUE]...`.
    pub(super) fn parse(session: &dyn Session, args: &[String], words: Words, plays: bool) -> Result<Analysis, String> {
        let mut analysis = Analysis {
            words,
            colour: session.to_play(),
            interval: Duration::from_secs(1),
            moves_max: usize::MAX,
            plays,
        };
        let mut rest = args.iter().map(String::as_str).peekable();
        if let Some(colour) = rest.peek().and_then(|word| colour_of(word)) {
            analysis.colour = colour;
            rest.next();
        }
        if let Some(centiseconds) = rest.next_if(|word| word.bytes().all(|b| b.is_ascii_digit())) {
            analysis.interval = centiseconds_of(centiseconds)?;
        }
        while let Some(key) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{key}: a value is missing"))?;
            match key {
                "interval" => analysis.interval = centiseconds_of(value)?,
                "maxmoves" => {
                    analysis.moves_max = value.parse().map_err(|_| format!("maxmoves: `{value}` is no number"))?;
                }
                key if UNANSWERED.contains(&key) => {}
                key => return Err(format!("{key}: not understood; expected interval, maxmoves or a report's option")),
            }
        }
        Ok(analysis)
    }

    /// Begins the answer, reports, and ends it. `waiting`: whether a line has come.
    pub(super) fn run(
        self,
        c: &mut Context<'_>,
        id: Option<u32>,
        waiting: &dyn Fn() -> bool,
        output: &mut dyn Write,
    ) -> std::io::Result<()> {
        let size = c.session.size();
        let time = c.clock.budget(self.colour.index(), c.session.moves(), size.area());
        let mut screen =
            Screen { analysis: &self, size, waiting, id, output, begun: false, last: Instant::now(), failed: None };
        let found = if self.plays {
            c.session.generate_watched(self.colour, time, &mut screen).map(Some)
        } else {
            c.session.analyze(self.colour, &mut screen).map(|()| None)
        };
        let (begun, failed) = (screen.begun, screen.failed.take());
        if let Some(e) = failed {
            return Err(e);
        }
        match found {
            Err(e) if !begun => return answer(output, id, Err(said(e))),
            // The answer has begun as a good one; its end is all that can still be told.
            Err(e) => eprintln!("analysis: {e}"),
            Ok(found) => {
                if !begun {
                    writeln!(output, "={}", id_text(id))?;
                }
                if let Some(action) = found {
                    writeln!(output, "play {}", vertex(size, action))?;
                }
            }
        }
        writeln!(output)?;
        output.flush()
    }

    /// One line of moves.
    fn line(&self, size: Size, candidates: &[Candidate]) -> String {
        let rate = |x: f32| match self.words {
            Words::Leela => format!("{:.0}", x * 10_000.0),
            Words::Kata => format!("{x:.6}"),
        };
        let info = |(order, found): (usize, &Candidate)| {
            let Candidate { action, visits, winrate, prior, pv } = found;
            let pv: Vec<String> = pv.iter().map(|&action| vertex(size, action)).collect();
            format!(
                "info move {} visits {visits} winrate {} prior {} order {order} pv {}",
                vertex(size, *action),
                rate(*winrate),
                rate(*prior),
                pv.join(" ")
            )
        };
        candidates.iter().take(self.moves_max).enumerate().map(info).collect::<Vec<_>>().join(" ")
    }
}

fn centiseconds_of(text: &str) -> Result<Duration, String> {
    let number: u32 = text.parse().map_err(|_| format!("interval: `{text}` is no number of centiseconds"))?;
    // Reports of nothing new would only keep the client busy.
    Ok(Duration::from_millis(10) * number.max(1))
}

fn id_text(id: Option<u32>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

/// Where reports go.
struct Screen<'a> {
    analysis: &'a Analysis,
    size: Size,
    waiting: &'a dyn Fn() -> bool,
    id: Option<u32>,
    output: &'a mut dyn Write,
    begun: bool,
    last: Instant,
    failed: Option<std::io::Error>,
}

impl Screen<'_> {
    fn put(&mut self, line: &str) -> std::io::Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            writeln!(self.output, "={}", id_text(self.id))?;
        }
        if !line.is_empty() {
            writeln!(self.output, "{line}")?;
        }
        self.output.flush()
    }
}

impl Watcher for Screen<'_> {
    fn next(&mut self) -> Next {
        if !self.begun {
            // The client learns at once that it is understood.
            self.failed = self.put("").err();
        }
        // Nobody reads any more, or there is something to do.
        if self.failed.is_some() || !self.analysis.plays && (self.waiting)() {
            return Next::Stop;
        }
        if self.last.elapsed() < self.analysis.interval {
            return Next::Search;
        }
        self.last = Instant::now();
        Next::Report
    }

    fn report(&mut self, candidates: &[Candidate]) {
        let line = self.analysis.line(self.size, candidates);
        if let Err(e) = self.put(&line) {
            self.failed = Some(e);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::stub::Stub;

    fn parse(text: &str) -> Result<Analysis, String> {
        let args: Vec<String> = text.split_whitespace().map(str::to_string).collect();
        Analysis::parse(&Stub::default(), &args, Words::Leela, false)
    }

    #[test]
    fn requests_are_understood_in_all_their_forms() {
        let tenths = Duration::from_millis(100);
        for (text, colour, interval) in [
            ("", Colour::Black, Duration::from_secs(1)),
            ("W 10", Colour::White, tenths),
            ("10", Colour::Black, tenths),
            ("white interval 10", Colour::White, tenths),
            ("b 0", Colour::Black, Duration::from_millis(10)),
            ("10 ownership true rootInfo true minmoves 3", Colour::Black, tenths),
        ] {
            let read = parse(text).unwrap();
            assert_eq!((read.colour, read.interval), (colour, interval), "{text}");
        }
        assert_eq!(parse("b 10 maxmoves 2").unwrap().moves_max, 2);
        for text in ["b 10 avoid b D4 1", "x", "b x 1", "interval", "interval x", "maxmoves -1", "99999999999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
