//! The whole loop on a tiny game: it repeats bit for bit, survives kills at any moment, and refuses what would spoil a
//! run. The long form (50 kills per phase) is ignored by default.

mod support;

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use support::{essence, files, finish, run_in, stderr, stdout};
use tengen_game::testkit::TestRng;

fn metrics(dir: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(dir.join("metrics.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Everything a finished run must be, whatever happened on the way.
fn assert_whole(dir: &Path, rounds: u64) {
    let seen: Vec<u64> = metrics(dir).iter().map(|l| l["iteration"].as_u64().unwrap()).collect();
    assert_eq!(seen, (1..=rounds).collect::<Vec<_>>(), "every round is told exactly once");
    let steps: Vec<u64> = metrics(dir).iter().map(|l| l["run"]["steps"].as_u64().unwrap()).collect();
    assert!(steps.windows(2).all(|w| w[0] < w[1]), "step counters go on: {steps:?}");
    for path in files(dir).keys() {
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(!name.contains(".tmp") && !name.ends_with(".journal"), "left over: {}", path.display());
    }
    for (path, bytes) in essence(dir) {
        assert!(!bytes.is_empty(), "{}", path.display());
        if path.extension().is_some_and(|e| e == "npz") {
            tengen_data::read_shard(&dir.join(&path)).unwrap();
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_bytes_and_the_end_is_told() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = finish(run_in(a.path(), &[]));
    finish(run_in(b.path(), &[]));
    assert_whole(a.path(), 4);
    let (one, two) = (essence(a.path()), essence(b.path()));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    assert!(one == two, "same seed, same bytes");
    assert!(one.len() >= 4 + 4, "shards and models: {:?}", one.keys());
    let text = stdout(&first);
    assert!(text.contains("4 rounds") && text.contains("against first"), "{text}");

    // Another seed makes other games.
    let c = tempfile::tempdir().unwrap();
    finish(run_in(c.path(), &["run.seed=8", "budget.iterations=1", "budget.final_pairs=0"]));
    assert!(essence(c.path()).keys().all(|k| !one.contains_key(k)));

    // The same command on the finished run says so and changes nothing.
    let again = finish(run_in(a.path(), &[]));
    assert!(stderr(&again).contains("finished"), "{}", stderr(&again));
    assert!(essence(a.path()) == one);

    // Other settings are refused, naming the keys.
    let other = run_in(a.path(), &["train.batch=33"]).output().unwrap();
    assert!(!other.status.success());
    assert!(stderr(&other).contains("train.batch: 32 -> 33"), "{}", stderr(&other));
    assert!(essence(a.path()) == one);
}

fn spawn(dir: &Path) -> Child {
    run_in(dir, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// What a run is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SelfPlay,
    Training,
    Gate,
}

const PHASES: [Phase; 3] = [Phase::SelfPlay, Phase::Training, Phase::Gate];

/// What the run in a directory is in the middle of, judged by its files alone; none between two stages, at the start and
/// in the closing match.
fn phase(dir: &Path) -> Option<Phase> {
    let text = std::fs::read_to_string(dir.join("state.json")).ok()?;
    let state: serde_json::Value = serde_json::from_str(&text).expect("state.json is whole at every moment");
    let next = state["iteration"].as_u64().unwrap() + 1;
    let games = dir.join(format!("selfplay/{next:06}"));
    if dir.join(format!("gate/{next:06}.journal")).exists() {
        let over = dir.join(format!("gate/{next:06}.json")).exists();
        return (!over).then_some(Phase::Gate);
    }
    if games.join("games.journal").exists() {
        return Some(Phase::SelfPlay);
    }
    let trained = format!("step-{:012}", state["steps"].as_u64().unwrap());
    let newer = |name: &std::ffi::OsStr| name.to_string_lossy().as_ref() > trained.as_str();
    let mut checkpoints = std::fs::read_dir(dir.join("checkpoints")).ok()?.flatten();
    let saved = checkpoints.any(|e| newer(&e.file_name()) && !e.file_name().to_string_lossy().contains(".tmp"));
    (games.join("report.json").exists() && !saved).then_some(Phase::Training)
}

/// Lets a run come into a phase, or end; says whether it came there.
fn wait_for(child: &mut Child, dir: &Path, wanted: Phase) -> bool {
    while child.try_wait().unwrap().is_none() {
        if phase(dir) == Some(wanted) {
            return true;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    false
}

/// Kills runs at random moments until each phase was hit `each` times, what was hit being judged after the kill. Every
/// run is then brought to its end and compared with an uninterrupted one.
fn kill_and_compare(each: usize, seed: u64) {
    const MORE: &[&str] = &["selfplay.games=16", "train.reuse=6", "gate.every=1", "gate.pairs_max=12"];
    let whole = tempfile::tempdir().unwrap();
    finish(run_in(whole.path(), MORE));
    let wanted = essence(whole.path());
    let mut rng = TestRng::new(seed);
    let mut hits = [0; PHASES.len()];
    let mut tries = 0;
    while hits.iter().any(|&h| h < each) {
        let killed = tempfile::tempdir().unwrap();
        // A run ends some time, however often it is killed, because every stage keeps what is finished.
        loop {
            let target = (0..PHASES.len()).min_by_key(|&i| hits[i]).unwrap();
            let mut child = run_in(killed.path(), MORE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            if hits[target] >= each || !wait_for(&mut child, killed.path(), PHASES[target]) {
                assert!(child.wait().unwrap().success());
                break;
            }
            std::thread::sleep(Duration::from_micros(rng.below(40_000) as u64));
            child.kill().unwrap();
            child.wait().unwrap();
            if let Some(hit) = phase(killed.path()) {
                hits[PHASES.iter().position(|&p| p == hit).unwrap()] += 1;
            }
            tries += 1;
            assert!(tries <= 40 * each, "phases are missed too often: {hits:?} of {PHASES:?} after {tries} kills");
        }
        assert_whole(killed.path(), 4);
        assert!(wanted == essence(killed.path()), "kills change neither games nor weights");
    }
    eprintln!("{tries} kills: {hits:?} of {PHASES:?}");
}

#[test]
fn kills_lose_nothing() {
    kill_and_compare(2, 1);
}

#[test]
#[ignore = "long: 50 kills in each phase; run before a release"]
fn many_kills_lose_nothing() {
    kill_and_compare(50, 100);
}

#[test]
fn a_busy_directory_is_refused_and_a_dead_owner_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = spawn(dir.path());
    let lock = dir.path().join("lock");
    let end = Instant::now() + Duration::from_secs(20);
    while !lock.exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = run_in(dir.path(), &[]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains(&first.id().to_string()), "names the owner: {}", stderr(&second));
    first.kill().unwrap();
    first.wait().unwrap();
    finish(run_in(dir.path(), &[]));
    assert_whole(dir.path(), 4);
}

#[test]
fn odd_names_work() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("碁 набор é");
    finish(run_in(&odd, &["budget.iterations=1", "budget.final_pairs=0"]));
    assert_whole(&odd, 1);
}

#[test]
fn every_gate_mode_and_protocol_runs() {
    for more in [
        ["gate.mode=promote", "game.opening=none", "gate.every=1"],
        ["gate.mode=off", "game.opening=none", "gate.every=1"],
        ["gate.mode=alarm", "game.opening=swap2", "gate.every=1"],
        ["search.rule=puct", "game.opening=pie", "gate.every=1"],
    ] {
        let dir = tempfile::tempdir().unwrap();
        finish(run_in(dir.path(), &[&more[..], &["budget.iterations=2", "budget.final_pairs=2"]].concat()));
        assert_whole(dir.path(), 2);
    }
}

/// SIGINT finishes cleanly: exit code 0, finished games kept, and the same command goes on to the same end.
#[cfg(unix)]
#[test]
fn an_interrupt_is_a_clean_stop() {
    let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    finish(run_in(whole.path(), &[]));
    let mut child = spawn(stopped.path());
    while !stopped.path().join("state.json").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0), "{status:?}");
    assert!(!stopped.path().join("lock").exists(), "the lock is given back");
    finish(run_in(stopped.path(), &[]));
    assert_whole(stopped.path(), 4);
    assert!(essence(whole.path()) == essence(stopped.path()));
    // What a session spent before it was stopped counts, and games in flight are played again.
    let spent = |dir: &Path| metrics(dir).last().unwrap()["run"]["evaluations"].as_u64().unwrap();
    assert!(spent(stopped.path()) >= spent(whole.path()), "{} {}", spent(stopped.path()), spent(whole.path()));
}

/// Half a file, or none, is never taken for one with defaults.
#[test]
fn damaged_run_files_are_named() {
    let dir = tempfile::tempdir().unwrap();
    const SHORT: &[&str] = &["budget.iterations=1", "budget.final_pairs=0"];
    finish(run_in(dir.path(), SHORT));
    let config = std::fs::read(dir.path().join("run.toml")).unwrap();
    let state = std::fs::read(dir.path().join("state.json")).unwrap();
    let refused = |what: &str| {
        let out = run_in(dir.path(), SHORT).output().unwrap();
        assert_eq!(out.status.code(), Some(1), "{what}: {}", stderr(&out));
        assert!(stderr(&out).contains(what), "{what}: {}", stderr(&out));
    };
    for cut in [0, 50, config.len() - 1] {
        std::fs::write(dir.path().join("run.toml"), &config[..cut]).unwrap();
        refused("cut short");
    }
    std::fs::remove_file(dir.path().join("run.toml")).unwrap();
    refused("run.toml: missing");
    std::fs::write(dir.path().join("run.toml"), &config).unwrap();
    std::fs::write(dir.path().join("state.json"), &state[..state.len() / 2]).unwrap();
    refused("state.json");
    std::fs::remove_file(dir.path().join("state.json")).unwrap();
    refused("state.json: missing");
    std::fs::write(dir.path().join("state.json"), &state).unwrap();
    assert!(stderr(&finish(run_in(dir.path(), SHORT))).contains("finished"));
}

/// A killed run isn't told as running, and a feature set is checked before a directory is begun.
#[test]
fn status_knows_the_dead_and_bad_keys_begin_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = spawn(dir.path());
    while !dir.path().join("state.json").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = || stdout(&support::tengen().arg("status").arg(dir.path()).output().unwrap());
    assert!(status().contains(": running"), "{}", status());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(status().contains(": not running"), "{}", status());

    let fresh = dir.path().join("fresh");
    let out = run_in(&fresh, &["net.features=nosuch"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    assert!(stderr(&out).contains("net.features") && !fresh.exists(), "{}", stderr(&out));
}

/// What a run writes down of its feature set, and that it goes on with what its network takes, whatever is the default.
#[test]
fn a_run_keeps_the_inputs_of_its_network() {
    const JAPANESE: &[&str] = &[
        "game.kind=go",
        "game.rules=japanese",
        "game.sizes=[\"3\"]",
        "game.win=5",
        "game.komi=1",
        "selfplay.games=3",
        "selfplay.visits=2",
        "gate.mode=off",
        "budget.final_pairs=0",
    ];
    let run = |dir: &Path, more: &[&str]| run_in(dir, &[JAPANESE, more].concat());
    let sets = |dir: &Path| -> Vec<String> {
        let cards = std::fs::read_dir(dir.join("models")).unwrap().map(|e| e.unwrap().path());
        cards.map(|card| tengen_data::ModelCard::read(&card).unwrap().features.to_string()).collect()
    };
    let config = |dir: &Path| std::fs::read_to_string(dir.join("run.toml")).unwrap();

    // The default here is another one than what the network of this run takes.
    let old = tempfile::tempdir().unwrap();
    finish(run(old.path(), &["budget.iterations=1", "net.features=go-basic-1"]));
    assert_eq!(sets(old.path()), ["go-basic-1"; 2]);
    // As a version of the program left it that knew no other default, one round before its end.
    let text = config(old.path()).replace("\"go-basic-1\"", "\"\"").replace("iterations = 1", "iterations = 2");
    std::fs::write(old.path().join("run.toml"), &text).unwrap();
    let state = std::fs::read_to_string(old.path().join("state.json")).unwrap();
    let mut state: serde_json::Value = serde_json::from_str(&state).unwrap();
    state["finished"] = serde_json::Value::Null;
    std::fs::write(old.path().join("state.json"), state.to_string()).unwrap();
    finish(run(old.path(), &["budget.iterations=2"]));
    assert_eq!((metrics(old.path()).len(), sets(old.path())), (2, vec!["go-basic-1".to_string(); 3]));
    assert_eq!(config(old.path()), text);
    // Other names for it are taken, other sets are not.
    for same in ["go-basic-1", "go-basic", ""] {
        finish(run(old.path(), &["budget.iterations=2", &format!("net.features={same}")]));
    }
    let out = run(old.path(), &["budget.iterations=2", "net.features=go-basic-2"]).output().unwrap();
    assert!(!out.status.success() && stderr(&out).contains("go-basic-1"), "{}", stderr(&out));

    // A new run writes down what it took, and goes on with the same words.
    let new = tempfile::tempdir().unwrap();
    finish(run(new.path(), &["budget.iterations=1"]));
    assert_eq!(sets(new.path()), ["go-basic-2"; 2]);
    assert!(config(new.path()).contains("features = \"go-basic-2\""), "{}", config(new.path()));
    assert!(stderr(&finish(run(new.path(), &["budget.iterations=1"]))).contains("finished"));
}
