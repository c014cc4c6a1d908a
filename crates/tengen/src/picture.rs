//! A board as an SVG image: lines, stones, coordinates; of Go also who has each point, dead stones, shared life and what
//! can't be taken, told by shape as well as by colour. Not here: text drawings (`board`, `maps`).

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tengen_game::{Colour, Point};

use crate::board::Drawn;
use crate::maps::Position;

/// Distance between lines, in pixels; everything else is measured by it.
const STEP: i32 = 36;
/// From the image's edge to the first line.
const EDGE: i32 = 2 * STEP;
const LINE: i32 = 20;
/// Room for the longest line of the legend.
const WIDTH_MIN: i32 = 430;
/// Widest letter of the title.
const LETTER: i32 = 9;
/// Longest line of names of stones.
const NAMES_MAX: usize = 48;
const WOOD: RGBColor = RGBColor(0xf2, 0xdd, 0xae);
const GRID: RGBColor = RGBColor(0x8a, 0x73, 0x45);
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const LEGEND: [&str; 4] = [
    "small square: who has the point; no mark: nobody",
    "pale stone with a square: dead",
    "ring: in shared life (seki)",
    "dot: can't be taken (pass-alive)",
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawing = Result<(), Box<dyn Error>>;

/// The board as an SVG text, with what a Go position comes to if there is one; `title` stands above.
///
/// # Errors
/// What the drawing library says.
pub fn svg(drawn: &Drawn, position: Option<&Position>, title: &str) -> Result<String, String> {
    let (width, height) = (drawn.size.width() as i32, drawn.size.height() as i32);
    let below = if position.is_some() { LINE * (LEGEND.len() as i32 + 2) } else { 0 };
    let across = (2 * EDGE + STEP * (width - 1)).max(WIDTH_MIN).max(EDGE + LETTER * title.chars().count() as i32);
    let pixels = (across as u32, (2 * EDGE + STEP * (height - 1) + below) as u32);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, pixels).into_drawing_area();
        draw(&area, drawn, position, title).map_err(|e| e.to_string())?;
        area.present().map_err(|e| e.to_string())?;
    }
    Ok(text)
}

fn draw(area: &Area<'_>, drawn: &Drawn, position: Option<&Position>, title: &str) -> Drawing {
    area.fill(&WHITE)?;
    grid(area, drawn, title)?;
    for p in drawn.size.points() {
        let at = place(drawn, p);
        if let Some(colour) = drawn.stone(p) {
            let dead = position.is_some_and(|position| position.standing.dead.contains(p));
            stone(area, at, colour, dead)?;
        } else if drawn.forbidden.contains(p) {
            cross(area, at)?;
        }
        if let Some(position) = position {
            marks(area, drawn, position, p)?;
        }
        if drawn.last == Some(p) {
            area.draw(&Circle::new(at, STEP / 2 + 1, RED.stroke_width(2)))?;
        }
    }
    let Some(position) = position else { return Ok(()) };
    let top = EDGE + STEP * (drawn.size.height() as i32 - 1) + STEP + LINE;
    let verdict = position.verdict(drawn.letters, drawn);
    let (result, dead) = verdict.split_once("; ").unwrap_or((&verdict, ""));
    // The stones are marked; a long list of their names would run off the edge.
    let told = dead.split_once(": ").filter(|_| dead.len() > NAMES_MAX);
    let dead = told.map_or(dead.to_string(), |(who, names)| format!("{who}: {} stones", names.split(' ').count()));
    for (i, line) in [result, dead.as_str()].into_iter().chain(LEGEND).enumerate() {
        write(area, (EDGE / 2, top + LINE * i as i32), line, 16, HPos::Left)?;
    }
    Ok(())
}

fn place(drawn: &Drawn, p: Point) -> (i32, i32) {
    let (x, y) = drawn.size.xy(p);
    (EDGE + STEP * x as i32, EDGE + STEP * y as i32)
}

fn write(area: &Area<'_>, at: (i32, i32), text: &str, size: i32, across: HPos) -> Drawing {
    let style = ("sans-serif", size).into_font().color(&INK).pos(Pos::new(across, VPos::Center));
    Ok(area.draw(&Text::new(text.to_string(), at, style))?)
}

fn grid(area: &Area<'_>, drawn: &Drawn, title: &str) -> Drawing {
    let (width, height) = (drawn.size.width(), drawn.size.height());
    let (right, bottom) = (EDGE + STEP * (width as i32 - 1), EDGE + STEP * (height as i32 - 1));
    let half = STEP / 2 + 4;
    area.draw(&Rectangle::new([(EDGE - half, EDGE - half), (right + half, bottom + half)], WOOD.filled()))?;
    write(area, (EDGE / 2, STEP / 2), title, 16, HPos::Left)?;
    for x in 0..width {
        let at = EDGE + STEP * x as i32;
        area.draw(&PathElement::new(vec![(at, EDGE), (at, bottom)], GRID.stroke_width(1)))?;
        write(area, (at, bottom + STEP), &drawn.letters.column_letter(x).to_string(), 16, HPos::Center)?;
    }
    for y in 0..height {
        let at = EDGE + STEP * y as i32;
        area.draw(&PathElement::new(vec![(EDGE, at), (right, at)], GRID.stroke_width(1)))?;
        write(area, (EDGE - STEP, at), &(height - y).to_string(), 16, HPos::Center)?;
    }
    Ok(())
}

fn fill(colour: Colour) -> RGBColor {
    if colour == Colour::Black { RGBColor(0x11, 0x11, 0x11) } else { WHITE }
}

fn stone(area: &Area<'_>, at: (i32, i32), colour: Colour, dead: bool) -> Drawing {
    let shade = if dead { 0.45 } else { 1.0 };
    area.draw(&Circle::new(at, STEP / 2 - 1, fill(colour).mix(shade).filled()))?;
    Ok(area.draw(&Circle::new(at, STEP / 2 - 1, INK.mix(shade).stroke_width(1)))?)
}

fn cross(area: &Area<'_>, (x, y): (i32, i32)) -> Drawing {
    let d = STEP / 5;
    for (from, to) in [((x - d, y - d), (x + d, y + d)), ((x - d, y + d), (x + d, y - d))] {
        area.draw(&PathElement::new(vec![from, to], RED.stroke_width(2)))?;
    }
    Ok(())
}

/// Who has a point, where no living stone says so already; shared life; what can't be taken.
fn marks(area: &Area<'_>, drawn: &Drawn, position: &Position, p: Point) -> Drawing {
    let (x, y) = place(drawn, p);
    let maps = &position.maps;
    let alive = drawn.stone(p).filter(|_| !position.standing.dead.contains(p));
    let owner = Colour::BOTH.into_iter().find(|colour| maps.owned[colour.index()].contains(p));
    if let (None, Some(owner)) = (alive, owner) {
        let d = STEP / 6;
        let corners = [(x - d, y - d), (x + d, y + d)];
        area.draw(&Rectangle::new(corners, fill(owner).filled()))?;
        area.draw(&Rectangle::new(corners, INK.stroke_width(1)))?;
    }
    let Some(ink) = alive.map(|colour| fill(!colour)) else { return Ok(()) };
    let in_set = |sets: &[tengen_game::PointSet; 2]| sets.iter().any(|set| set.contains(p));
    if in_set(&maps.seki) {
        area.draw(&Circle::new((x, y), STEP / 4, ink.stroke_width(2)))?;
    }
    if in_set(&maps.pass_alive) {
        area.draw(&Circle::new((x, y), STEP / 10, ink.filled()))?;
    }
    Ok(())
}
