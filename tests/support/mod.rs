//! Running the binary on a tiny whole run, for tests of the loop and the command line. Not here: assertions.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of this module")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program under test.
pub fn tengen() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tengen"))
}

/// Settings of a run that takes a few seconds: every stage, a gate, a closing match, one thread, bit-exact.
pub const TINY: &[&str] = &[
    "game.kind=five",
    "game.rules=freestyle",
    "game.sizes=[\"6\"]",
    "game.win=4",
    "net.blocks=1",
    "net.channels=8",
    "selfplay.games=12",
    "selfplay.visits=6",
    "selfplay.in_flight=4",
    "train.batch=32",
    "train.reuse=2",
    "game.komi_spread=0",
    "train.threads=1",
    "train.window_min=200",
    "gate.every=2",
    "gate.visits=4",
    "gate.pairs_max=6",
    "gate.plies_min=1",
    "gate.plies_max=3",
    "budget.iterations=4",
    "budget.minutes=0",
    "budget.final_pairs=4",
    "budget.final_visits=4",
    "run.threads=1",
    "run.seed=7",
    "keep.sgf=1",
];

/// `tengen run` with the tiny settings (later overrides win) in a directory.
pub fn run_in(dir: &Path, more: &[&str]) -> Command {
    let mut command = tengen();
    command.arg("run").arg("--run").arg(dir);
    for set in TINY.iter().chain(more) {
        command.arg("--set").arg(set);
    }
    command
}

/// Runs to the end and insists on success.
pub fn finish(mut command: Command) -> Output {
    let output = command.output().expect("the binary starts");
    assert!(
        output.status.success(),
        "{command:?}\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Runs with this on standard input.
pub fn with_input(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every file below a directory with its bytes, by relative path.
pub fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a readable directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("a readable file");
                found.insert(path.strip_prefix(dir).expect("below").to_path_buf(), bytes);
            }
        }
    }
    found
}

/// Shards and weights of a run: what must not depend on kills or repetition.
pub fn essence(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let keeps = |p: &PathBuf| {
        let ext = p.extension().and_then(|e| e.to_str()).unwrap_or_default();
        (ext == "npz" || ext == "safetensors") && !p.starts_with("checkpoints")
    };
    files(dir).into_iter().filter(|(p, _)| keeps(p)).collect()
}
