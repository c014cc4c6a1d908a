//! Progress of long work: a bar on a terminal, plain lines otherwise, both with rate and time left. Everything goes to
//! standard error; standard output is for results. Not here: what the work is.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often plain lines appear.
const PLAIN_EVERY: Duration = Duration::from_secs(15);

/// One piece of work with a known length.
pub struct Progress {
    label: String,
    unit: &'static str,
    total: u64,
    begun_at: u64,
    started: Instant,
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Progress {
    /// Starts showing `label` at `done` of `total` units.
    pub fn new(label: impl Into<String>, unit: &'static str, total: u64, done: u64) -> Progress {
        let label = label.into();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
            let style = ProgressStyle::with_template("{prefix:22} [{bar:28}] {pos}/{len} {msg} ETA {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            bar.set_prefix(label.clone());
            bar.set_position(done);
            bar.reset_eta();
            bar
        });
        Progress { label, unit, total, begun_at: done, started: Instant::now(), bar, last_line: Instant::now() }
    }

    /// Units done so far, with more to say.
    pub fn set(&mut self, done: u64, message: &str) {
        let rate = (done - self.begun_at.min(done)) as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let text = format!("{rate:.1} {}/s {message}", self.unit);
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(text);
            return;
        }
        if self.last_line.elapsed() >= PLAIN_EVERY {
            self.last_line = Instant::now();
            let left = if rate > 0.0 { (self.total.saturating_sub(done)) as f64 / rate } else { 0.0 };
            eprintln!("{}: {done}/{} {text}, {} left", self.label, self.total, span(left));
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `1h05m`, `3m20s` or `12s`.
pub fn span(seconds: f64) -> String {
    let s = seconds.max(0.0).round() as u64;
    match s {
        0..60 => format!("{s}s"),
        60..3600 => format!("{}m{:02}s", s / 60, s % 60),
        _ => format!("{}h{:02}m", s / 3600, s % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn spans_read_well() {
        let all: Vec<String> = [0.4, 59.6, 200.0, 3900.0].map(super::span).into();
        assert_eq!(all, ["0s", "1m00s", "3m20s", "1h05m"]);
    }
}
