//! Faults that users of such programs reported elsewhere, each as a kind that must not happen here: waiting without a
//! word, models for another game, odd paths, rules that aren't told, damaged files. Not here: those that belong to one
//! crate (search, arena, net and data have their own), kills (`loop`), GTP's grammar (`cli`).

mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{essence, files, finish, run_in, stderr, stdout, tengen};
use tengen_data::RunDir;

/// One round, no closing match.
const ONE: &[&str] = &["budget.iterations=1", "budget.final_pairs=0"];
const GO5: &[&str] = &[
    "game.kind=go",
    "game.rules=tromp-taylor",
    "game.sizes=[\"5\"]",
    "game.win=5",
    "game.komi=3",
    "selfplay.games=4",
    "budget.iterations=1",
    "budget.final_pairs=0",
];

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The promoted model of a run.
fn model_of(run: &Path) -> PathBuf {
    run.join("models").join(RunDir::at(run).read_promoted().unwrap().unwrap().model)
}

/// Runs with no input and gives everything back.
fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

fn both(output: &Output) -> String {
    stdout(output) + &stderr(output)
}

/// A failure as a user should meet it: the code, and one clear line that has all the words.
fn assert_refused(output: &Output, code: i32, words: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{text}");
    let errors: Vec<&str> = text.lines().filter(|l| l.starts_with("error: ")).collect();
    assert!(errors.len() == 1, "one error: {text}");
    for word in words {
        assert!(errors[0].contains(word), "`{word}` is missing: {text}");
    }
}

/// The trainer's words within five seconds, when it waits; it is then ended.
fn waiting_words(run: &Path) -> String {
    let started = Instant::now();
    let mut child = tengen().args(["train", "--run"]).arg(run).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let took = started.elapsed();
    assert!(child.try_wait().unwrap().is_none(), "it waits: {line}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(took < Duration::from_secs(5), "{took:?}");
    line
}

#[test]
fn a_trainer_without_rows_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    // No run at all: there is nothing to wait for, with and without the flag.
    for flag in [&["--no-wait"][..], &[]] {
        let out = output(tengen().args(["train", "--run", "."]).args(flag).current_dir(dir.path()));
        let resolved = dir.path().canonicalize().unwrap();
        assert_refused(&out, 2, &[path_text(&resolved), "no run here", "tengen run CONFIG --run"]);
    }

    // A run whose next round has no games.
    let run = dir.path().join("run");
    finish(run_in(&run, ONE));
    let words = ["000002", "0 of 12 games", "`tengen selfplay --run ", path_text(&run)];
    assert_refused(&output(tengen().args(["train", "--no-wait", "--run"]).arg(&run)), 1, &words);
    let line = waiting_words(&run);
    assert!(words.iter().all(|w| line.contains(w)) && line.contains("waiting"), "{line}");

    // The command it names makes the rows, and training goes through.
    finish({
        let mut c = tengen();
        c.args(["selfplay", "--run"]).arg(&run);
        c
    });
    finish({
        let mut c = tengen();
        c.args(["train", "--no-wait", "--run"]).arg(&run);
        c
    });
}

#[test]
fn a_trainer_with_too_few_games_says_how_many() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    // Far more games than can be finished before the kill.
    let mut child =
        run_in(&run, &["selfplay.games=100000"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = RunDir::at(&run).iteration(1).join("games.journal");
    let end = Instant::now() + Duration::from_secs(60);
    let count = || tengen_data::journal::count_games(&journal).unwrap_or(0);
    while count() < 3 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let found = count();
    assert!((3..100_000).contains(&found));
    let words = [&format!("{found} of 100000 games"), path_text(&run), "`tengen selfplay --run "];
    let started = Instant::now();
    let out = output(tengen().args(["train", "--no-wait", "--run"]).arg(&run));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_refused(&out, 1, &words);
    let line = {
        // The dead owner of the lock may be told first.
        let first = waiting_words(&run);
        if first.contains("of 100000 games") { first } else { waiting_words(&run) }
    };
    assert!(words.iter().all(|w| line.contains(w)), "{line}");
}

#[test]
fn models_for_something_else_are_told_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let (five, go) = (dir.path().join("five"), dir.path().join("go"));
    finish(run_in(&five, ONE));
    finish(run_in(&go, GO5));
    let (five, go) = (model_of(&five), model_of(&go));
    let play = |setup: &str, model: &Path| {
        let args = ["--games", "2", "--visits", "2", "--b", "uniform", "--setup", setup, "--a"];
        output(tengen().arg("match").args(args).arg(model))
    };
    // Another game, another protocol, another win rule with decisions that the network lacks.
    assert_refused(&play("game=go rules=tromp-taylor size=5x5 komi=3", &five), 2, &["was made for", "size=6x6"]);
    assert_refused(&play("game=five rules=freestyle size=6x6 win=4", &go), 2, &["was made for", "size=5x5"]);
    assert_refused(&play("game=five rules=freestyle size=6x6 win=4 opening=swap2", &five), 2, &["was made for"]);
    assert_refused(&play("game=five rules=renju size=15x15", &five), 2, &["was made for", "freestyle"]);
    assert_refused(&output(tengen().arg("gtp").arg(&five)), 2, &["was made for", "size=6x6", "game=go"]);

    // Another size works, with a word; other rules with the same decisions as well.
    let larger = play("game=five rules=freestyle size=9x9 win=4", &five);
    assert!(larger.status.success(), "{}", stderr(&larger));
    assert!(stderr(&larger).contains("was trained on 6x6, not on 9x9"), "{}", stderr(&larger));
    let other = play("game=five rules=standard size=6x6 win=5", &five);
    assert!(other.status.success(), "{}", stderr(&other));
    let told = stderr(&other);
    assert!(told.contains("warning") && told.contains("freestyle") && told.contains("standard"), "{told}");
    let same = play("game=five rules=freestyle size=6x6 win=4", &five);
    assert!(same.status.success() && !stderr(&same).contains("warning"), "{}", stderr(&same));

    // An engine takes the model's own rules and size unless told otherwise.
    let out = output(tengen().arg("gtp").arg(&go).args(["--visits", "2"]));
    assert!(out.status.success());
    assert!(stderr(&out).contains("size=5x5") && !stderr(&out).contains("warning"), "{}", stderr(&out));
    let larger = ["--visits", "2", "--setup", "game=go rules=tromp-taylor size=9x9 komi=7"];
    let out = output(tengen().arg("gtp").arg(&go).args(larger));
    assert!(out.status.success());
    assert!(stderr(&out).contains("was trained on 5x5, not on 9x9"), "{}", stderr(&out));

    // Not a model at all.
    for nothing in ["no-such-model", path_text(dir.path())] {
        let out = output(tengen().args(["match", "--b", "uniform", "--a", nothing]));
        assert_refused(&out, 2, &[nothing]);
    }
}

/// A run can't go on from a network with other inputs, and says so before it plays.
#[test]
fn a_network_of_other_inputs_begins_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let (pie, plain) = (dir.path().join("pie"), dir.path().join("plain"));
    finish(run_in(&pie, &[ONE, &["game.opening=pie"]].concat()));
    let from = model_of(&pie);
    let out = output(run_in(&plain, ONE).arg("--from").arg(&from));
    assert_refused(&out, 1, &["--from", from.file_name().unwrap().to_str().unwrap(), "this game needs (3, 1, 0)"]);
    assert!(!plain.join("state.json").exists());
}

#[test]
fn every_command_takes_odd_paths() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("碁 набор é").join("второй 盤");
    std::fs::create_dir_all(&odd).unwrap();
    let config = odd.join("настройки é.toml");
    std::fs::write(&config, "# odd\n[train]\nbatch = 16\n").unwrap();
    let run = odd.join("run 一");
    let check = output(tengen().args(["config", "check"]).arg(&config));
    assert!(check.status.success(), "{}", stderr(&check));
    let list = {
        let mut c = run_in(&run, ONE);
        c.arg("--set").arg("train.batch=16").arg(&config);
        finish(c)
    };
    assert!(both(&list).contains(path_text(&run)), "the path is readable: {}", both(&list));

    let model = model_of(&run);
    let shard = RunDir::at(&run).shards().unwrap()[0].clone();
    for path in [&model, &shard, &run] {
        for flag in [&["--json"][..], &[]] {
            let out = output(tengen().arg("inspect").arg(path).args(flag));
            assert!(out.status.success(), "{}", stderr(&out));
        }
    }
    let status = output(tengen().arg("status").arg(&run));
    assert!(status.status.success() && stdout(&status).contains(path_text(&run)), "{}", both(&status));

    let out = odd.join("партии");
    let mut games = tengen();
    games.args(["match", "--games", "2", "--visits", "2", "--b", "uniform", "--a"]).arg(&model);
    games.arg("--out").arg(&out);
    let table = stdout(&finish(games));
    assert!(table.contains(path_text(&model)), "{table}");
    let told: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("match.json")).unwrap()).unwrap();
    assert_eq!(told["models"][0].as_str(), Some(path_text(&model)), "JSON round-trips it: {told}");
    let sgf = files(&out).into_iter().find(|(p, _)| p.extension().is_some_and(|e| e == "sgf")).unwrap();
    assert!(!sgf.1.is_empty());

    // Stages, engines and errors.
    for stage in ["selfplay", "train"] {
        let mut c = tengen();
        c.arg(stage).arg("--run").arg(&run);
        finish(c);
    }
    let resumed = output(tengen().arg("train").arg("--no-wait").arg("--run").arg(odd.join("нет")));
    assert_refused(&resumed, 2, &["碁 набор é", "нет"]);
    std::fs::write(&config, "[train]\nbatch = \"é\"\n").unwrap();
    assert_refused(&output(tengen().args(["config", "check"]).arg(&config)), 2, &["настройки é.toml", "line 2"]);
    let go = odd.join("go 碁");
    finish(run_in(&go, GO5));
    let gtp = output(tengen().arg("gtp").arg(model_of(&go)));
    assert!(gtp.status.success() && stderr(&gtp).contains("碁 набор é"), "{}", stderr(&gtp));
}

/// What is in force is told in the first lines of every command that plays, and in what it writes.
#[test]
fn rules_in_force_are_told_first() {
    let dir = tempfile::tempdir().unwrap();
    let (five, go) = (dir.path().join("five"), dir.path().join("go"));
    let first_lines = |out: &Output| {
        let twenty = |text: String| text.lines().take(20).collect::<Vec<_>>().join("\n");
        twenty(stdout(out)) + "\n" + &twenty(stderr(out))
    };
    let says = |out: &Output, words: &[&str]| {
        let text = first_lines(out);
        assert!(out.status.success(), "{text}");
        for word in words {
            assert!(text.contains(word), "`{word}` is missing: {text}");
        }
    };
    let five_words = ["game=five", "rules=freestyle", "size=6x6", "win=4", "opening=swap2"];
    let go_words = ["game=go", "rules=tromp-taylor", "size=5x5", "komi=3", "opening=none"];
    let five_run = finish(run_in(&five, &[ONE, &["game.opening=swap2"]].concat()));
    says(&five_run, &five_words);
    let go_run = finish(run_in(&go, GO5));
    says(&go_run, &go_words);
    // The headline names the model that begins.
    let first = |run: &Path| RunDir::at(run).model_ids().unwrap()[0].clone();
    says(&five_run, &[&first(&five)]);
    says(&go_run, &[&first(&go)]);

    for (run, words) in [(&five, five_words), (&go, go_words)] {
        let model = model_of(run);
        let name = path_text(&model);
        let played = output(tengen().args(["match", "--games", "2", "--visits", "2", "--b", "uniform", "--a", name]));
        says(&played, &words);
        says(&played, &[name, "uniform"]);
        let sat = output(tengen().args(["play", name, "--visits", "2"]));
        says(&sat, &words);
        says(&sat, &[name]);
        // Written as well.
        let shard = RunDir::at(run).shards().unwrap()[0].clone();
        let shown = stdout(&output(tengen().arg("inspect").arg(&shard)));
        assert!(words.iter().all(|w| shown.contains(w)) && shown.contains(&first(run)), "{shown}");
        let shown = stdout(&output(tengen().arg("inspect").arg(&model)));
        assert!(words.iter().all(|w| shown.contains(w)), "{shown}");
    }
    let model = model_of(&go);
    let setup = "game=go rules=tromp-taylor size=5x5 komi=3";
    let gtp = output(tengen().arg("gtp").arg(&model).args(["--setup", setup]));
    says(&gtp, &go_words);
    says(&gtp, &[path_text(&model)]);
    assert!(!stdout(&gtp).contains("rules="), "standard output is for answers: {}", stdout(&gtp));
}

#[test]
fn a_bad_shard_is_named_once_and_too_many_stop_the_trainer() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    finish(run_in(&run, ONE));
    let mut play = tengen();
    play.args(["selfplay", "--run"]).arg(&run);
    finish(play);
    let shards = RunDir::at(&run).shards().unwrap();
    assert_eq!(shards.len(), 2);
    let good = std::fs::read(&shards[0]).unwrap();
    let train = || output(tengen().args(["train", "--no-wait", "--run"]).arg(&run));

    // One of two is more than a fifth.
    std::fs::write(&shards[0], &good[..good.len() / 2]).unwrap();
    let name = shards[0].file_name().unwrap().to_str().unwrap();
    assert_refused(&train(), 1, &[name, "1 of "]);
    assert!(RunDir::at(&run).checkpoint_names().unwrap().len() == 2, "nothing was trained");

    // Beside enough good ones it is named, and skipped.
    std::fs::write(&shards[0], &good).unwrap();
    let records = tengen_data::read_shard(&shards[0]).unwrap();
    for part in records.chunks(2) {
        tengen_data::write_shard(shards[0].parent().unwrap(), "more", part).unwrap();
    }
    std::fs::write(shards[0].with_file_name("notes.npz"), "not a shard\n").unwrap();
    let out = train();
    assert!(out.status.success(), "{}", both(&out));
    assert_eq!(stderr(&out).matches("notes.npz").count(), 1, "{}", stderr(&out));
}

#[test]
fn a_damaged_checkpoint_is_one_clear_message() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    let two = ["budget.iterations=2", "budget.final_pairs=0"];
    finish(run_in(&whole, ONE));
    let newest = |run: &Path| {
        let names = RunDir::at(run).checkpoint_names().unwrap();
        run.join("checkpoints").join(names.last().unwrap())
    };
    // The same settings but for the end, so that the run goes on.
    let unfinished = |run: &Path| {
        for (path, bytes) in files(&whole) {
            let target = run.join(path);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(target, bytes).unwrap();
        }
        for name in ["run.toml", "state.json"] {
            let path = run.join(name);
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.replace("iterations = 1\n", "iterations = 2\n");
            std::fs::write(&path, text.replace("\"1 iterations\"", "null")).unwrap();
        }
    };
    for name in ["weights.safetensors", "optimizer.bin", "trainer.json", "card.json", "checkpoint.json"] {
        for half in [true, false] {
            let run = dir.path().join(format!("{name}-{half}"));
            unfinished(&run);
            let file = newest(&run).join(name);
            let bytes = std::fs::read(&file).unwrap();
            std::fs::write(&file, if half { &bytes[..bytes.len() / 2] } else { &[] }).unwrap();
            let before = essence(&run);
            let out = output(&mut run_in(&run, &two));
            assert_refused(&out, 1, &[name]);
            assert!(essence(&run) == before, "nothing is overwritten");
        }
    }
    // With nothing damaged it does go on.
    let run = dir.path().join("good");
    unfinished(&run);
    finish(run_in(&run, &two));
    // A damaged one that the state doesn't ask for is passed over with a word.
    let run = dir.path().join("later");
    unfinished(&run);
    let stray = run.join("checkpoints/step-000000009999");
    std::fs::create_dir_all(&stray).unwrap();
    std::fs::write(stray.join("checkpoint.json"), "{").unwrap();
    let out = finish(run_in(&run, &two));
    assert!(stderr(&out).contains("step-000000009999"), "{}", stderr(&out));
}

/// State and configuration of a run: damage is told with the file's name, never a panic.
#[test]
fn damaged_state_is_one_clear_message() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    finish(run_in(&run, ONE));
    for name in ["state.json", "run.toml", "promoted.json"] {
        let path = run.join(name);
        let good = std::fs::read(&path).unwrap();
        for bad in [&good[..good.len() / 2], b"\xff\xfe\0", b"[]"] {
            std::fs::write(&path, bad).unwrap();
            let out = output(tengen().arg("status").arg(&run));
            let text = both(&out);
            assert!(!text.contains("panicked"), "{text}");
            if name != "run.toml" {
                assert!(!out.status.success() && text.contains(name), "{name}: {text}");
            }
            let out = output(&mut run_in(&run, ONE));
            assert!(!both(&out).contains("panicked"), "{}", both(&out));
            if name != "promoted.json" {
                // Half a configuration may still be one: then it differs.
                let told = stderr(&out).contains(name) || stderr(&out).contains("begun with other settings");
                assert!(!out.status.success() && told, "{name}: {}", stderr(&out));
            }
        }
        std::fs::write(&path, good).unwrap();
    }
}
