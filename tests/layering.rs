//! Holds the manifests to the table of crates: an edge not listed is forbidden. Development dependencies may go to equal
//! or lower levels. Not here: what crates are for (README).

use std::collections::BTreeMap;
use std::path::Path;

/// (crate, level, allowed dependencies). `*` is everything.
const TABLE: &[(&str, u8, &[&str])] = &[
    ("game", 0, &[]),
    ("stats", 0, &[]),
    ("go", 1, &["game"]),
    ("renju", 1, &["game"]),
    ("opening", 1, &["game"]),
    ("search", 1, &["game"]),
    ("data", 1, &["game"]),
    ("features", 2, &["game", "go", "renju", "opening"]),
    ("play", 2, &["game", "search", "data"]),
    ("engine", 2, &["game", "opening", "search", "data", "play"]),
    ("net", 3, &["game", "features", "search"]),
    ("selfplay", 3, &["game", "search", "data", "play"]),
    ("arena", 3, &["game", "search", "data", "play", "stats"]),
    ("fairness", 3, &["game", "opening", "search", "data", "play", "stats"]),
    ("train", 4, &["game", "features", "net", "data"]),
    ("export", 4, &["game", "features", "net", "data"]),
];

fn manifest(path: &Path) -> toml::Table {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Names of the project's crates among the dependencies of a section.
fn edges(manifest: &toml::Table, section: &str) -> Vec<String> {
    let Some(table) = manifest.get(section).and_then(toml::Value::as_table) else { return Vec::new() };
    table.keys().filter_map(|k| k.strip_prefix("tengen-")).map(str::to_string).collect()
}

fn crates() -> BTreeMap<String, toml::Table> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path().join("Cargo.toml");
        if path.exists() {
            let name = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
            found.insert(name, manifest(&path));
        }
    }
    found
}

#[test]
fn every_edge_is_in_the_table() {
    let level: BTreeMap<&str, u8> = TABLE.iter().map(|row| (row.0, row.1)).collect();
    for (name, manifest) in crates() {
        let row = TABLE.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("crate {name} isn't in the table"));
        assert_eq!(manifest["package"]["name"].as_str(), Some(format!("tengen-{name}").as_str()));
        for section in ["dependencies", "build-dependencies"] {
            for edge in edges(&manifest, section) {
                assert!(row.2.contains(&edge.as_str()), "{name} -> {edge} ({section}) is not allowed");
            }
        }
        for edge in edges(&manifest, "dev-dependencies") {
            assert!(level[edge.as_str()] <= row.1, "{name} -> {edge} (dev) goes up");
        }
    }
}

#[test]
fn only_a_few_crates_know_burn() {
    for (name, manifest) in crates() {
        let knows = manifest.get("dependencies").and_then(|d| d.get("burn")).is_some();
        assert!(!knows || ["net", "train", "export"].contains(&name.as_str()), "{name} depends on burn");
    }
}

#[test]
fn the_top_level_is_as_fixed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = ["Cargo.toml", "Cargo.lock", "crates", "configs", "scripts", "benches", "tests", "README.md"];
    // Made by builds and runs, and ignored by git.
    let made = ["target", "runs"];
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        let fine = name.starts_with('.') || known.contains(&name.as_str()) || made.contains(&name.as_str());
        assert!(fine, "{name} doesn't belong at the top level");
    }
    for name in known {
        assert!(root.join(name).exists(), "{name} is missing at the top level");
    }
}
