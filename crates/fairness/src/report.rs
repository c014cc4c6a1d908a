//! A study as text: CSV tables, the table for a terminal, and the line that makes it again. A number that wasn't measured
//! isn't printed; the cell says so. Not here: pictures (`svg`), files.

use std::fmt::Write;

use crate::study::{Report, Row, Verdict};

/// Columns of the table of openings, with their meaning.
pub const OPENING_COLUMNS: &[(&str, &str)] = &[
    ("opening", "code of the opening (4D: the fourth direct one); `-` is the protocol from its first decision"),
    ("name", "name of the opening"),
    ("protocol", "opening protocol"),
    ("first_score", "score in [0, 1] of the first seat when both seats choose best; 0.5 is even"),
    ("second_score", "the same of the second seat"),
    ("black_score", "the same of Black in the position where plain play begins"),
    ("score_sd", "standard deviation of the searches behind the score; what all searches get wrong isn't in it"),
    ("searches", "how many searches that is"),
    ("chosen_score", "first seat's score by the searches that chose the line; biased towards whoever chose last"),
    ("swap", "whether the first choice of colours is a swap: yes, no, or none"),
    ("first_holds", "colour of the first seat when plain play begins"),
    ("stones", "stones on the board then"),
    ("line", "decisions after the opening; of an offer only the move that is picked"),
    ("offers_even", "smallest number of offered fifths at which Black's score is at most even; empty if none is"),
    ("playoff_pairs", "pairs of games from the end of the line, equal agents, seats exchanged; at least 20"),
    ("playoff_first", "first seat's share of their points"),
    ("playoff_low", "lower end of its 95 % interval"),
    ("playoff_high", "upper end"),
    ("playoff_black", "Black's share of their points"),
    ("playoff_draws", "drawn games"),
    ("playoff_distinct", "games with different moves, symmetric copies counted once"),
    ("playoff_truncated", "games cut by the ply cap; their results are estimates"),
    ("verdict", "what the interval says: not distinguishable from even, better for first or second, or not measured"),
    ("model", "model id"),
    ("steps", "its training steps; 0 is untrained, and then no number here means anything about the game"),
    ("visits", "simulations per search"),
    ("playoff_visits", "simulations per move in playoffs"),
    ("seed", "seed"),
];

/// Columns of the table of curves, with their meaning.
pub const CURVE_COLUMNS: &[(&str, &str)] = &[
    ("opening", "code of the opening"),
    ("protocol", "opening protocol, which says where fourth moves may be"),
    ("offers", "N: fifth moves offered, nobody having swapped"),
    ("black_score", "Black's score in [0, 1]: White's best fourth against the N-th best class of fifths"),
    ("score_sd", "standard deviation of the searches behind it"),
    ("chosen_score", "the same by the searches that chose the moves; falls with N"),
    ("line", "the fourth move, and the N-th best fifth"),
    ("model", "model id"),
    ("steps", "its training steps"),
    ("visits", "simulations per search"),
    ("seed", "seed"),
];

/// Columns of the table of boards, with their meaning.
pub const BOARD_COLUMNS: &[(&str, &str)] = &[
    ("opening", "code of the opening"),
    ("stone", "number of the move that is valued, 4 or 5"),
    ("after", "stones on the board before the move, as column.row from 0 at the top left, in order"),
    ("point", "the move"),
    ("black_score", "Black's score in [0, 1] after it, in plain play"),
    ("searched", "yes, or no: then it was only screened by a very short search"),
];

const NOT_MEASURED: &str = "not measured";

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

fn csv(columns: &[(&str, &str)], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        debug_assert_eq!(row.len(), columns.len());
        text += &row.iter().map(|c| cell(c)).collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    text
}

fn number(x: f64) -> String {
    format!("{x:.4}")
}

/// One row per opening and protocol; see `OPENING_COLUMNS`.
pub fn openings_csv(report: &Report) -> String {
    csv(OPENING_COLUMNS, report.rows.iter().map(|row| opening_cells(report, row)))
}

fn opening_cells(report: &Report, r: &Row) -> Vec<String> {
    let mut cells = vec![r.opening.clone(), r.name.clone(), r.protocol.clone()];
    cells.extend([r.first, 1.0 - r.first, r.black, r.spread].map(number));
    cells.extend([r.searches.to_string(), number(r.chosen), swap(r).to_string(), r.first_holds.clone()]);
    cells.extend([r.stones.to_string(), r.line.clone(), r.offers_even.map_or(String::new(), |n| n.to_string())]);
    match &r.playoff {
        Some(p) => {
            cells.push(p.pairs.to_string());
            cells.extend([p.first, p.low, p.high, p.black].map(number));
            cells.extend([p.draws, p.distinct, p.truncated].map(|n| n.to_string()));
        }
        None => cells.extend([NOT_MEASURED; 8].map(str::to_string)),
    }
    let (judge, config) = (&report.judge, &report.config);
    cells.extend([r.verdict().to_string(), judge.model.clone(), judge.steps.to_string()]);
    cells.extend([config.visits.to_string(), config.visits_playoff.to_string(), config.seed.to_string()]);
    cells
}

fn swap(row: &Row) -> &'static str {
    match row.swap {
        Some(true) => "yes",
        Some(false) => "no",
        None => "none",
    }
}

/// One row per opening, protocol and number of offers; see `CURVE_COLUMNS`.
pub fn curves_csv(report: &Report) -> String {
    let (judge, config) = (&report.judge, &report.config);
    let cells = report.curves.iter().map(|c| {
        let mut cells = vec![c.opening.clone(), c.protocol.clone(), c.offers.to_string()];
        cells.extend([c.black, c.spread, c.chosen].map(number));
        cells.extend([c.line.clone(), judge.model.clone(), judge.steps.to_string()]);
        cells.extend([config.visits.to_string(), config.seed.to_string()]);
        cells
    });
    csv(CURVE_COLUMNS, cells)
}

/// One row per valued move; see `BOARD_COLUMNS`.
pub fn boards_csv(report: &Report) -> String {
    let cells = report.boards.iter().flat_map(|b| {
        let after = b.stones.iter().map(|s| format!("{}.{}", s.column, s.row)).collect::<Vec<_>>().join(" ");
        b.values.iter().map(move |v| {
            let searched = if v.searched { "yes" } else { "no" };
            let (stone, score) = (b.stone.to_string(), number(v.black));
            vec![b.opening.clone(), stone, after.clone(), v.point.clone(), score, searched.to_string()]
        })
    });
    csv(BOARD_COLUMNS, cells)
}

/// What the columns of all tables mean.
pub fn columns_text() -> String {
    let tables = [("openings.csv", OPENING_COLUMNS), ("curves.csv", CURVE_COLUMNS), ("boards.csv", BOARD_COLUMNS)];
    let mut text = String::new();
    for (file, columns) in tables {
        let _ = writeln!(text, "{file}");
        let width = columns.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        columns.iter().for_each(|(name, meaning)| {
            let _ = writeln!(text, "  {name:width$}  {meaning}");
        });
        text.push('\n');
    }
    text
}

/// One line with all that makes the report again: command, program, model, checksum, seed, settings.
pub fn repro_line(report: &Report) -> String {
    let judge = &report.judge;
    let checksum = if judge.checksum.is_empty() { "none" } else { &judge.checksum };
    let settings = serde_json::to_string(&report.config).unwrap_or_default();
    format!(
        "repro: {}; {}; model {} (blake3 {checksum}); seed {}; settings {settings}",
        judge.command, judge.program, judge.model, report.config.seed
    )
}

/// The warning that stands over a table whose numbers mean nothing.
fn warning(report: &Report) -> Option<String> {
    let judge = &report.judge;
    judge.untrained().then(|| {
        format!("UNTRAINED: {} has 0 training steps; no number here says anything about the game", judge.model)
    })
}

/// The table for a terminal, nearest to even first.
pub fn table_text(report: &Report) -> String {
    let (judge, config) = (&report.judge, &report.config);
    let mut text = warning(report).map_or(String::new(), |w| w + "\n");
    let _ = writeln!(
        text,
        "{}; model {} ({} steps); {} visits x {} searches choose, x {} value; playoffs {} visits; seed {}",
        report.rules,
        judge.model,
        judge.steps,
        config.visits,
        config.images_choose,
        config.images_value,
        config.visits_playoff,
        config.seed
    );
    if !report.complete {
        let _ = writeln!(text, "cut short: some openings or playoffs are missing");
    }
    let lines = report.rows.iter().map(|r| r.line.chars().count());
    let width = lines.max().unwrap_or(0).clamp(4, 36);
    let kinds = report.rows.iter().map(|r| r.protocol.chars().count()).max().unwrap_or(0).max(8);
    let _ = writeln!(
        text,
        "{:<4} {:<9} {:<kinds$} {:>6} {:>6} {:>5} {:<4} {:<width$} {:<28} verdict",
        "code", "name", "protocol", "first", "black", "sd", "swap", "line", "playoff: first, 95 %, pairs"
    );
    let mut rows: Vec<&Row> = report.rows.iter().collect();
    rows.sort_by(|a, b| (a.first - 0.5).abs().total_cmp(&(b.first - 0.5).abs()));
    for r in rows {
        let playoff = match &r.playoff {
            Some(p) => format!("{:.3} ({:.3}..{:.3}) {}", p.first, p.low, p.high, p.pairs),
            None => NOT_MEASURED.to_string(),
        };
        let verdict = if r.verdict() == Verdict::NotMeasured { String::new() } else { r.verdict().to_string() };
        let line: String = r.line.chars().take(width).collect();
        let row = format!(
            "{:<4} {:<9} {:<kinds$} {:>6.3} {:>6.3} {:>5.3} {:<4} {line:<width$} {playoff:<28} {verdict}",
            r.opening,
            r.name,
            r.protocol,
            r.first,
            r.black,
            r.spread,
            swap(r),
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text + &summary(report)
}

/// How far searches and playoffs agree, then one line per protocol.
fn summary(report: &Report) -> String {
    let mut text = String::new();
    let played: Vec<_> = report.rows.iter().filter_map(|r| Some((r.first, r.playoff.as_ref()?))).collect();
    if !played.is_empty() {
        let inside = played.iter().filter(|(first, p)| (p.low..=p.high).contains(first)).count();
        let _ = writeln!(text, "searched score inside the playoff's 95 % interval: {inside} of {} rows", played.len());
    }
    let mut seen: Vec<&str> = Vec::new();
    for row in &report.rows {
        if seen.contains(&row.protocol.as_str()) {
            continue;
        }
        seen.push(&row.protocol);
        let rows: Vec<&Row> = report.rows.iter().filter(|r| r.protocol == row.protocol && r.opening != "-").collect();
        if rows.is_empty() {
            continue;
        }
        let count = |verdict| rows.iter().filter(|r| r.verdict() == verdict).count();
        let mean = rows.iter().map(|r| (r.first - 0.5).abs()).sum::<f64>() / rows.len() as f64;
        let swaps = rows.iter().filter(|r| r.swap == Some(true)).count();
        let _ = writeln!(
            text,
            "{}: {} openings, mean distance from even {mean:.3}, first choice swaps in {swaps}; playoffs: {} not \
             distinguishable from even, {} better for first, {} for second, {} not measured",
            row.protocol,
            rows.len(),
            count(Verdict::Even),
            count(Verdict::First),
            count(Verdict::Second),
            count(Verdict::NotMeasured)
        );
    }
    text
}
