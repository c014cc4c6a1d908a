//! Exported files say what the model says, are whole or absent, and a wrong one is caught. Not here: other runtimes.

#[path = "../../net/tests/support/mod.rs"]
mod support;

use std::path::Path;

use support::{all_heads, boards, lively};
use tengen_data::{FeatureSet, ModelCard};
use tengen_export::onnx::{Graph, about_of, write};
use tengen_export::{ExportConfig, ExportError, ExportReport, Format, export, report_path};
use tengen_net::{NetConfig, RawBatch, Weights};

fn card() -> ModelCard {
    ModelCard {
        id: "s0000000100-01234567".to_string(),
        setups: vec!["game=go rules=tromp-taylor size=9x9 komi=7".to_string()],
        features: FeatureSet { name: "go-basic".to_string(), version: 1 },
        extras: vec!["pass".to_string()],
        ..ModelCard::default()
    }
}

/// Several sizes, alone and sharing a batch.
fn batches(config: &NetConfig) -> Vec<RawBatch> {
    vec![
        boards(config, &[(9, 9); 4], 1),
        boards(config, &[(5, 5), (7, 4), (6, 6)], 2),
        boards(config, &[(19, 19), (3, 3)], 3),
    ]
}

fn models() -> Vec<Weights> {
    let plain = NetConfig::preset("b2c8", 5, 0, 0).unwrap();
    vec![lively(&plain, 1), lively(&all_heads("b4c12", 6, 3, 4), 2), lively(&all_heads("b1c8", 3, 0, 1), 3)]
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_format_agrees_and_leaves_a_report() {
    for (i, weights) in models().iter().enumerate() {
        for format in Format::ALL {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("model.bin");
            let config = ExportConfig { format, ..ExportConfig::default() };
            let report = export(weights, &card(), &batches(weights.config()), &path, &config).unwrap();
            assert!(report.largest() <= 1e-4, "{report:?}");
            assert_eq!(report.positions, 9);
            assert_eq!(names(dir.path()), ["model.bin", "model.bin.json"]);
            let stored: ExportReport = serde_json::from_slice(&std::fs::read(report_path(&path)).unwrap()).unwrap();
            assert_eq!(stored, report);
            let outputs: Vec<&str> = report.differences.iter().map(|d| d.0.as_str()).collect();
            assert_eq!(outputs.contains(&"ownership"), i > 0, "{outputs:?}");
            assert_eq!(outputs.contains(&"extra"), i > 0);
            // Equal models give equal bytes.
            let first = std::fs::read(&path).unwrap();
            export(weights, &card(), &batches(weights.config()), &path, &config).unwrap();
            assert_eq!(first, std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn the_graph_has_named_inputs_outputs_and_tells_about_the_model() {
    let weights = &models()[1];
    let graph = Graph::read(&write(weights, &about_of(&card()))).unwrap();
    assert_eq!(graph.inputs().collect::<Vec<_>>(), ["planes", "globals", "mask"]);
    assert_eq!(graph.outputs().collect::<Vec<_>>(), ["policy", "extra", "wdl", "short", "margin", "ownership"]);
    assert_eq!(graph.about["model"], card().id);
    assert_eq!(graph.about["features"], "go-basic-1");
    let plain = Graph::read(&write(&models()[0], &[])).unwrap();
    assert_eq!(plain.inputs().collect::<Vec<_>>(), ["planes", "mask"]);
    assert_eq!(plain.outputs().collect::<Vec<_>>(), ["policy", "wdl"]);
}

#[test]
fn what_differs_is_refused_and_the_old_file_stays() {
    let weights = &models()[1];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.onnx");
    std::fs::write(&path, b"old").unwrap();
    // No two ways of summing agree to a millionth of a millionth.
    let config = ExportConfig { tolerance: 1e-9, ..ExportConfig::default() };
    let error = export(weights, &card(), &batches(weights.config()), &path, &config).unwrap_err();
    assert!(matches!(error, ExportError::Differs { .. }), "{error}");
    let none = export(weights, &card(), &[], &path, &ExportConfig::default()).unwrap_err();
    assert!(none.to_string().contains("none were given"));
    let mut wrong = batches(weights.config());
    wrong[0].planes.pop();
    assert!(matches!(
        export(weights, &card(), &wrong, &path, &ExportConfig::default()),
        Err(ExportError::Positions(_))
    ));
    assert_eq!(names(dir.path()), ["a.onnx"]);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    let nowhere = export(weights, &card(), &wrong[1..], &dir.path().join("no/a.onnx"), &ExportConfig::default());
    assert!(nowhere.unwrap_err().to_string().contains("no/"));
}

#[test]
fn damaged_files_are_refused_with_words() {
    let bytes = write(&models()[0], &[]);
    for cut in [0, 1, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(Graph::read(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    let mut state = 7u64;
    for _ in 0..200 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut bad = bytes.clone();
        let at = (state >> 33) as usize % bad.len();
        bad[at] ^= 1 << (state >> 61);
        // A flipped weight is still a file; nothing may panic.
        let _ = Graph::read(&bad);
    }
}
