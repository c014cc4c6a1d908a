//! A board as SVG: values of the next move as colours and numbers, stones, coordinates, legend.
//!
//! Colours run from blue (good for White) over near-white (even) to orange (good for Black), which people with any common
//! colour blindness tell apart; the scale is symmetric around even, and its ends are printed. Not here: other formats.

use std::fmt::Write;

use tengen_game::notation::Letters;

use crate::study::{Board, Judge};

/// Distance between lines, in pixels.
const STEP: f64 = 40.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 86.0;
/// Ends and middle of the scale: ColorBrewer's PuOr and RdBu, ends that differ in hue, middle light.
const WHITE_END: [f64; 3] = [33.0, 102.0, 172.0];
const MIDDLE: [f64; 3] = [247.0, 247.0, 247.0];
const BLACK_END: [f64; 3] = [179.0, 88.0, 6.0];

/// Largest distance from even on a board, rounded up to 0.05 and at least that: both ends of the scale.
fn reach(board: &Board) -> f64 {
    let most = board.values.iter().map(|v| (v.black - 0.5).abs()).fold(0.0, f64::max);
    ((most * 20.0 - 1e-9).ceil().max(1.0) / 20.0).min(0.5)
}

fn colour(score: f64, reach: f64) -> [u8; 3] {
    let t = ((score - 0.5) / reach).clamp(-1.0, 1.0);
    let end = if t < 0.0 { WHITE_END } else { BLACK_END };
    [0, 1, 2].map(|i| (MIDDLE[i] + (end[i] - MIDDLE[i]) * t.abs()).round() as u8)
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Black or white, whichever is read better on a colour.
fn ink([r, g, b]: [u8; 3]) -> &'static str {
    let light = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
    if light > 140.0 { "#111" } else { "#fff" }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The board, with a title and who judged.
pub fn board_svg(board: &Board, judge: &Judge, letters: Letters) -> String {
    let [columns, rows] = board.size;
    let (width, height) = (LEFT * 2.0 + STEP * (columns - 1) as f64, TOP + STEP * (rows - 1) as f64 + 130.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    head(&mut svg, board, judge);
    grid(&mut svg, board, letters);
    let reach = reach(board);
    for v in &board.values {
        let (x, y) = at(v.column, v.row);
        let fill = colour(v.black, reach);
        let (edge, weight) = if v.searched { (" stroke=\"#000\" stroke-width=\"2\"", "bold") } else { ("", "normal") };
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"34\" height=\"34\" rx=\"4\" fill=\"{}\"{edge}/>\
             <text x=\"{x}\" y=\"{}\" font-size=\"15\" font-weight=\"{weight}\" fill=\"{}\">{:.0}</text>",
            x - 17.0,
            y - 17.0,
            hex(fill),
            y + 5.0,
            ink(fill),
            100.0 * v.black
        );
    }
    for (i, stone) in board.stones.iter().enumerate() {
        let (x, y) = at(stone.column, stone.row);
        let (fill, ink) = if stone.black { ("#111", "#fff") } else { ("#fff", "#111") };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"18\" fill=\"{fill}\" stroke=\"#111\" stroke-width=\"1.5\"/>\
             <text x=\"{x}\" y=\"{}\" font-size=\"16\" fill=\"{ink}\">{}</text>",
            y + 5.5,
            i + 1
        );
    }
    legend(&mut svg, reach, width, TOP + STEP * (rows - 1) as f64 + 66.0);
    svg + "</svg>\n"
}

fn at(column: usize, row: usize) -> (f64, f64) {
    (LEFT + STEP * column as f64, TOP + STEP * row as f64)
}

fn head(svg: &mut String, board: &Board, judge: &Judge) {
    let title = format!("{} {}: move {}, score for Black in %", board.opening, board.name, board.stone);
    let mark = if judge.untrained() { "UNTRAINED, no meaning: " } else { "" };
    let who = format!("{mark}{}, {} training steps", judge.model, judge.steps);
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"28\" font-size=\"20\" text-anchor=\"start\" fill=\"#111\">{}</text>\n\
         <text x=\"{LEFT}\" y=\"48\" font-size=\"13\" text-anchor=\"start\" fill=\"#444\">{}</text>",
        escape(&title),
        escape(&who)
    );
}

fn grid(svg: &mut String, board: &Board, letters: Letters) {
    let [columns, rows] = board.size;
    let ((x0, y0), (x1, y1)) = (at(0, 0), at(columns - 1, rows - 1));
    let mut path = String::new();
    for c in 0..columns {
        let (x, _) = at(c, 0);
        let _ = write!(path, "M{x} {y0}V{y1}");
        let letter = letters.column_letter(c);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" font-size=\"14\" fill=\"#444\">{letter}</text>", y1 + 38.0);
    }
    for r in 0..rows {
        let (_, y) = at(0, r);
        let _ = write!(path, "M{x0} {y}H{x1}");
        let (x, n) = (x0 - 36.0, rows - r);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" font-size=\"14\" fill=\"#444\">{n}</text>", y + 5.0);
    }
    let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"#bbb\" fill=\"none\"/>");
}

fn legend(svg: &mut String, reach: f64, width: f64, y: f64) {
    let (bar, steps) = (300.0, 60);
    let x0 = (width - bar) / 2.0;
    let slice = bar / f64::from(steps);
    for i in 0..steps {
        let score = 0.5 - reach + 2.0 * reach * (f64::from(i) + 0.5) / f64::from(steps);
        let x = x0 + slice * f64::from(i);
        let fill = hex(colour(score, reach));
        // A hair wider than the slice, so that no gaps show between them.
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"14\" fill=\"{fill}\"/>", slice + 0.5);
    }
    let mark = |svg: &mut String, x: f64, text: &str| {
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" font-size=\"13\" fill=\"#111\">{text}</text>", y + 31.0);
    };
    mark(svg, x0, &format!("{:.0} White", 100.0 * (0.5 - reach)));
    mark(svg, x0 + bar / 2.0, "50 even");
    mark(svg, x0 + bar, &format!("{:.0} Black", 100.0 * (0.5 + reach)));

    let note = "bold and framed: searched; plain: screened by a very short search";
    let _ =
        writeln!(svg, "<text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"#444\">{note}</text>", width / 2.0, y + 50.0);
}
