//! Draws how the share of kept values grows with network evaluations: for each run a thin line for the raw policy and a
//! thick one with search. Not here: scoring.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;

use super::four::Row;
use crate::commands::bad;

/// One line: evaluations and percent.
type Points = Vec<(f64, f64)>;

/// The curves of one run, in the order of its rows.
struct Curve {
    run: String,
    raw: Points,
    searched: Points,
}

/// Rows of the same run belong together; rows without a known number of evaluations have no place.
fn curves(rows: &[Row]) -> Vec<Curve> {
    let mut out: Vec<Curve> = Vec::new();
    for row in rows {
        let Some(evaluations) = row.evaluations else { continue };
        let at = out.iter().position(|c| c.run == row.run).unwrap_or_else(|| {
            out.push(Curve { run: row.run.clone(), raw: Vec::new(), searched: Vec::new() });
            out.len() - 1
        });
        out[at].raw.push((evaluations as f64, 100.0 * row.score.raw));
        out[at].searched.extend(row.score.searched.map(|s| (evaluations as f64, 100.0 * s)));
    }
    out
}

/// Writes the picture.
pub(super) fn draw(path: &Path, rows: &[Row]) -> Result<()> {
    let curves = curves(rows);
    if curves.is_empty() {
        return Err(bad("--svg: no model with a known number of evaluations; expected run directories"));
    }
    let mut text = String::new();
    picture(&mut text, &curves).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
    Ok(tengen_data::write_atomic(path, text.as_bytes())?)
}

fn picture(text: &mut String, curves: &[Curve]) -> Result<(), Box<dyn std::error::Error>> {
    let ends = curves.iter().flat_map(|c| c.raw.iter().map(|p| p.0));
    let right = ends.fold(1.0, f64::max);
    let area = SVGBackend::with_string(text, (900, 540)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .caption("Solved 6x6 four in a row: share of positions where the choice keeps the value", ("sans-serif", 18))
        .x_label_area_size(40)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..right * 1.02, 0.0..100.0)?;
    let million = |x: &f64| format!("{:.2} M", x / 1e6);
    chart.configure_mesh().x_desc("network evaluations").y_desc("%").x_label_formatter(&million).draw()?;
    for (i, curve) in curves.iter().enumerate() {
        let colour = Palette99::pick(i).to_rgba();
        for (points, what, width) in [(&curve.raw, "raw policy", 1), (&curve.searched, "with search", 3)] {
            if points.is_empty() {
                continue;
            }
            let style = colour.stroke_width(width);
            let key = move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style);
            let series = LineSeries::new(points.iter().copied(), style).point_size(2);
            chart.draw_series(series)?.label(format!("{}, {what}", curve.run)).legend(key);
        }
    }
    let mut labels = chart.configure_series_labels();
    labels.position(SeriesLabelPosition::LowerRight).background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::four::tests::row;
    use super::*;

    #[test]
    fn each_run_has_its_own_pair_of_lines() {
        let rows = [row("a", Some(0), 0.2), row("b", Some(0), 0.3), row("a", Some(1000), 0.5), row("c", None, 0.1)];
        let found = curves(&rows);
        assert_eq!(found.iter().map(|c| c.run.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(found[0].raw, [(0.0, 20.0), (1000.0, 50.0)]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("curve.svg");
        draw(&path, &rows).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("<svg") && text.contains("a, with search") && text.contains("b, raw policy"));
        assert!(crate::commands::is_input_error(&draw(&path, &rows[3..]).unwrap_err()));
    }
}
