//! Terminal text of matches, gates and ladders: counts with intervals, and warnings where numbers mean less than they
//! seem to. Not here: files and colours.

use std::fmt::Write;

use tengen_stats::{EloEstimate, Interval};

use crate::gate::Verdict;
use crate::ladder::LadderTable;
use crate::run::MatchResult;
use crate::tally::Tally;

/// One match.
pub fn match_text(result: &MatchResult) -> String {
    let t = &result.tally;
    let e = EloEstimate::of(&t.pair_counts());
    let mut text = header(&result.models, &result.setup, result.seed, [result.visits, result.visits_b]);
    text += &counts(t);
    let elo = if e.elo.is_finite() { format!("{:+.1}", e.elo) } else { "unbounded".to_string() };
    let _ = writeln!(text, "Elo {elo}, 95 % interval {:.1}; superiority {:.1} %", e.interval, 100.0 * e.los);
    text + &warnings(t)
}

/// One gate.
pub fn gate_text(v: &Verdict) -> String {
    let mut text = header(&v.models, &v.setup, v.seed, [v.visits; 2]);
    text += &counts(&v.tally);
    let word = match (v.accepted, v.undecided) {
        (true, _) => "accepted",
        (_, true) => "undecided",
        _ => "refused",
    };
    let [elo0, elo1] = v.hypotheses;
    let _ = writeln!(
        text,
        "{word}: LLR {:.2} ({:.2}, {:.2}) for [{elo0}, {elo1}] Elo after {} of at most {} pairs",
        v.llr, v.bounds[0], v.bounds[1], v.pairs, v.pairs_max
    );
    let elo = v.elo.map_or("unbounded".to_string(), |e| format!("{e:+.1}"));
    let interval =
        Interval { low: v.interval[0].unwrap_or(f64::NEG_INFINITY), high: v.interval[1].unwrap_or(f64::INFINITY) };
    let _ = writeln!(text, "Elo {elo} (corrected for stopping), 95 % interval {interval:.1}");
    text + &warnings(&v.tally)
}

/// One ladder.
pub fn ladder_text(table: &LadderTable) -> String {
    let width = table.rows.iter().map(|r| r.model.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!("{}; seed {}, {} visits\n", table.setup, table.seed, table.visits);
    let _ =
        writeln!(text, "{:width$}  {:>8}  {:>19}  {:>6}  {:>6}", "player", "Elo", "95 % interval", "games", "score");
    for r in &table.rows {
        let interval = format!("{:+.1}..{:+.1}", r.interval[0], r.interval[1]);
        let note = if r.model == table.anchor { "  (anchor)" } else { "" };
        let score = format!("{:.1} %", 100.0 * r.score);
        let _ = writeln!(text, "{:width$}  {:>+8.1}  {interval:>19}  {:>6}  {score:>6}{note}", r.model, r.elo, r.games);
    }
    let [low, high] = table.first_seat_interval;
    let _ = writeln!(text, "first seat {:+.1} Elo ({low:+.1}..{high:+.1})", table.first_seat);
    for m in &table.matches {
        let notes = warnings(&m.tally);
        if !notes.is_empty() {
            let _ = write!(text, "{} against {}: {notes}", m.models[0], m.models[1]);
        }
    }
    text
}

fn header(models: &[String; 2], setup: &str, seed: u64, visits: [u32; 2]) -> String {
    let [a, b] = visits;
    let visits = if a == b { format!("{a} visits") } else { format!("{a} against {b} visits") };
    format!("{} against {}\n{setup}; seed {seed}, {visits}\n", models[0], models[1])
}

fn counts(t: &Tally) -> String {
    let mut text = format!(
        "{} games in {} pairs: {} won, {} drawn, {} lost ({:.1} points); pairs 0-2: {:?}\n",
        t.games(),
        t.pairs,
        t.wins,
        t.draws + t.no_results,
        t.losses,
        t.points(),
        t.counts
    );
    let _ = writeln!(
        text,
        "{} distinct games ({} up to symmetry), first seat {:.1} %, {} evaluations",
        t.distinct_games,
        t.distinct_up_to_symmetry,
        100.0 * t.first_seat_share(),
        t.evaluations
    );
    text
}

/// Lines that start with `warning:`.
fn warnings(t: &Tally) -> String {
    let mut text = String::new();
    let repeats = t.games() - t.distinct_games;
    if repeats > 0 {
        let _ = writeln!(
            text,
            "warning: {repeats} of {} games repeat another move by move; intervals that count them are too narrow",
            t.games()
        );
    }
    if t.truncated > 0 {
        let _ = writeln!(text, "warning: {} games were cut by the ply cap; their results are estimates", t.truncated);
    }
    if t.forfeits > 0 {
        let _ = writeln!(text, "warning: {} games were lost by breaking the rules", t.forfeits);
    }
    text
}
