//! The command line as a user meets it: exit codes, one clear error per fault, engines that answer. Not here: long runs.

mod support;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use support::{finish, run_in, stderr, stdout, tengen, with_input};

fn code(args: &[&str]) -> (i32, String) {
    let output = tengen().args(args).output().unwrap();
    (output.status.code().unwrap(), stderr(&output))
}

#[test]
fn usage_and_version() {
    assert_eq!(code(&["nosuch"]).0, 2);
    assert_eq!(code(&["--help"]).0, 0);
    assert_eq!(code(&["run", "--help"]).0, 0);
    let version = tengen().arg("--version").output().unwrap();
    let text = stdout(&version);
    assert!(text.starts_with("tengen ") && text.contains("flex") && text.lines().count() == 1, "{text}");
}

#[test]
fn configuration_faults_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.toml");
    let check = |text: &str| {
        std::fs::write(&path, text).unwrap();
        code(&["config", "check", path.to_str().unwrap()])
    };
    assert_eq!(check("[train]\nbatch = 64\n").0, 0);
    let (exit, text) = check("[train]\n\nbacth = 64\n");
    assert!(exit == 2 && text.contains("line 3") && text.contains("train.batch"), "{text}");
    let (exit, text) = check("[train]\nreuse = 1e9\n");
    assert!(exit == 2 && text.contains("line 2") && text.contains("0.01 to 100"), "{text}");
    let (exit, text) = check("[train\n");
    assert!(exit == 2 && text.contains("line 1"), "{text}");
    let (exit, text) = code(&["run", "--set", "train.bach=1"]);
    assert!(exit == 2 && text.contains("train.batch"), "{text}");
    let (exit, text) = code(&["config", "check", "no-such-file.toml"]);
    assert!(exit == 2 && text.contains("no-such-file.toml"), "{text}");
    for name in ["quick", "renju15", "go9", "four6", "go5"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("configs/{name}.toml"));
        assert_eq!(code(&["config", "check", path.to_str().unwrap()]), (0, String::new()), "{name}");
    }
    let init = stdout(&tengen().args(["config", "init"]).output().unwrap());
    assert_eq!(check(&init).0, 0);
}

#[test]
fn katagos_inputs_are_told_of_games_and_of_replayed_sequences() {
    let mut command = tengen();
    command.arg("rules");
    let game = r#"{"id":1,"setup":"game=go rules=tromp-taylor size=5x5 opening=none","moves":"c3 d4 pass","ask":["katago-v7"]}"#;
    let row = r#"{"id":1,"size":[5,5],"rules":"tromp-taylor","moves":["b C3","w D4","b pass"],"to_move":"w","ask":["katago-v7"]}"#;
    let sequence = r#"{"id":2,"size":[5,5],"rules":{"formalisation":"katago-v2","start_phase":0,"ko":"SIMPLE","score":"TERRITORY"},"moves":["b C3","w D4","b pass","w pass","b A1"],"to_move":"b","ask":["katago-v7"],"query":{"type":"state_after_moves"}}"#;
    let text = stdout(&with_input(command, &format!("{game}\n{row}\n{sequence}\n")));
    let told: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0]["spatial"]["1"], serde_json::json!(["D4"]));
    assert_eq!(told[2]["global"][12], 1.0, "in the clean-up: {}", told[2]);
    assert_eq!(told[2]["spatial"]["1"], serde_json::json!(["D4"]), "White is to move: {}", told[2]);
}

#[test]
fn the_rules_oracle_answers_line_by_line() {
    let mut command = tengen();
    command.arg("rules");
    let board = "X".repeat(4) + &".".repeat(221);
    let rows = format!(
        "{{\"id\":\"a\",\"board\":\"{board}\",\"side\":\"B\"}}\nnot json\n{{\"id\":\"b\",\"board\":\"xyz\",\"side\":\"B\"}}\n{}\n",
        r#"{"id":"c","rules":{"ko":"simple","suicide":"none"},"size":[2,2],"to_move":"b","moves":[],"query":{"type":"legal_points","color":"b"}}"#
    );
    let text = stdout(&with_input(command, &rows));
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["fives"], serde_json::json!(["E15"]));
    assert!(lines[1]["error"].is_string() && lines[2]["error"].is_string());
    assert_eq!(lines[2]["id"], "b");
    assert_eq!(lines[3]["answer"].as_array().unwrap().len(), 4);
}

/// One tiny run serves several checks of models and shards.
#[test]
fn models_and_shards_are_checked_at_the_door() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    finish(run_in(&run, &["budget.iterations=1", "budget.final_pairs=0"]));
    let status = tengen().arg("status").arg(&run).arg("--json").output().unwrap();
    let status: serde_json::Value = serde_json::from_str(&stdout(&status)).unwrap();
    let model = run.join("models").join(status["promoted"]["model"].as_str().unwrap());

    let shown = stdout(&tengen().arg("inspect").arg(&model).output().unwrap());
    for word in ["freestyle", "6x6", "five-stones-1", "parameters", "blake3"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    // A model for one game can't play another, and says so in a sentence.
    let mut command = tengen();
    command.arg("gtp").arg(&model);
    let go = with_input(command, "genmove b\n");
    assert_eq!(go.status.code(), Some(2));
    assert!(stderr(&go).contains("was made for") && !stderr(&go).contains("panicked"), "{}", stderr(&go));

    // Matches repeat, count draws and distinct games, and write SGF that names the rules.
    let out = dir.path().join("match");
    let play = || {
        let mut c = tengen();
        c.args(["match", "--a", model.to_str().unwrap(), "--b", "uniform", "--games", "4", "--visits", "4"]);
        c.arg("--out").arg(&out);
        stdout(&finish(c))
    };
    let table = play();
    assert!(table.contains("distinct") && table.contains("95 %"), "{table}");
    assert_eq!(play(), table);
    let sgf = std::fs::read_to_string(out.join("game-00000.sgf")).unwrap();
    assert!(sgf.contains("GM[4]") && sgf.contains("SZ[6]") && sgf.contains("freestyle"), "{sgf}");

    // A flipped bit in the weights is found by the checksum.
    let weights = model.join("weights.safetensors");
    let good = std::fs::read(&weights).unwrap();
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    for bytes in [bad, good[..good.len() / 2].to_vec(), Vec::new()] {
        std::fs::write(&weights, bytes).unwrap();
        let (exit, text) = code(&["inspect", model.to_str().unwrap()]);
        assert!(exit == 2 && text.contains("weights.safetensors") && !text.contains("panicked"), "{text}");
    }
    std::fs::write(&weights, good).unwrap();

    let shard = tengen_data::RunDir::at(&run).shards().unwrap()[0].clone();
    assert!(stdout(&tengen().arg("inspect").arg(&shard).output().unwrap()).contains("rows"));
    let mut bytes = std::fs::read(&shard).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&shard, bytes).unwrap();
    let (exit, text) = code(&["inspect", shard.to_str().unwrap()]);
    assert!(exit == 2 && text.contains(".npz") && !text.contains("panicked"), "{text}");
}

#[test]
fn playing_at_the_terminal_goes_to_the_end() {
    let mut command = tengen();
    command.args([
        "play",
        "uniform",
        "--visits",
        "4",
        "--setup",
        "game=five rules=freestyle size=6x6 win=4 opening=swap2",
    ]);
    let out = with_input(command, "A1\nundo\nA1\nz9\nB1\nC1\nhelp\nquit\n");
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    assert!(
        text.contains("freestyle")
            && text.contains("place stone")
            && text.contains("isn't legal") | text.contains("no point"),
        "{text}"
    );
}

/// `tengen config list | head -1`: who has read enough leaves, and that is no failure.
#[cfg(unix)]
#[test]
fn a_reader_may_leave_early() {
    for args in [&["config", "list"][..], &["doctor"], &["rules"], &["gtp", "uniform"]] {
        let mut command = tengen();
        let mut child =
            command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let _ = child.stdin.take().unwrap().write_all("{}\nname\n".repeat(50).as_bytes());
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", stderr(&out));
        assert!(!stderr(&out).contains("panicked"), "{args:?}: {}", stderr(&out));
    }
}

/// A model of a tiny run in both formats; a damaged model and an unknown format are bad input.
#[test]
fn models_are_exported_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    finish(run_in(dir.path(), &["budget.iterations=1", "budget.final_pairs=0"]));
    let model = std::fs::read_dir(dir.path().join("models")).unwrap().next().unwrap().unwrap().path();
    for format in ["onnx", "safetensors"] {
        let out = dir.path().join(format!("x.{format}"));
        let mut command = tengen();
        command.arg("export").arg(&model).args(["--to", format, "--positions", "5"]).arg("--out").arg(&out);
        let told = finish(command);
        assert!(stdout(&told).contains("compared on 5 positions"), "{}", stdout(&told));
        let report = std::fs::read(dir.path().join(format!("x.{format}.json"))).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["bytes"].as_u64().unwrap(), std::fs::metadata(&out).unwrap().len());
    }
    // A run directory stands for its promoted model.
    let mut command = tengen();
    command
        .arg("export")
        .arg(dir.path())
        .args(["--to", "onnx", "--positions", "2"])
        .arg("--out")
        .arg(dir.path().join("run.onnx"));
    finish(command);
    // Half a weights file gives no exported file.
    let half = dir.path().join("half");
    std::fs::create_dir(&half).unwrap();
    for entry in std::fs::read_dir(&model).unwrap().flatten() {
        let bytes = std::fs::read(entry.path()).unwrap();
        let cut = if entry.file_name() == "card.json" { bytes.len() } else { bytes.len() / 2 };
        std::fs::write(half.join(entry.file_name()), &bytes[..cut]).unwrap();
    }
    for args in [&["--to", "keras"][..], &["--to", "onnx", "--positions", "0"], &["--to", "onnx", "--out", "y.onnx"]] {
        let source = if args.contains(&"y.onnx") { &half } else { &model };
        let out = tengen().arg("export").arg(source).args(args).current_dir(dir.path()).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
        assert!(!dir.path().join("y.onnx").exists());
    }
}

/// One game from move text or SGF, as JSON and as a drawing.
#[test]
fn the_rules_oracle_reads_games() {
    let moves = ["rules", "--moves", "h8 a1 i8 a3 h9 a5 i9 a7 h10 a9"];
    let drawn = finish({
        let mut command = tengen();
        command.args(moves).arg("--show");
        command
    });
    let asked = finish({
        let mut command = tengen();
        command.args(moves).args(["--ask", "forbidden,fours"]);
        command
    });
    let answer: serde_json::Value = serde_json::from_str(&stdout(&asked)).unwrap();
    let forbidden = answer["forbidden"].as_array().unwrap().len();
    assert!(forbidden > 0);
    assert_eq!(stdout(&drawn).matches('*').count(), forbidden, "{}", stdout(&drawn));
    assert!(stdout(&drawn).contains("black to play"), "{}", stdout(&drawn));

    let dir = tempfile::tempdir().unwrap();
    let (path, image) = (dir.path().join("a.sgf"), dir.path().join("a.svg"));
    // Go: B6 is lost in Black's corner, and the points between the walls are nobody's.
    let mut command = tengen();
    let moves = "c7 f7 d7 b6 c6 f6 a5 f5 b5 f4 c5 g4 d5 f3 c4 f2 \
                 a3 g2 b3 f1 c3 pass c2 pass a1 pass b1 pass c1 pass";
    command.args(["rules", "--setup", "game=go rules=chinese size=7", "--moves", moves, "--show", "--svg"]).arg(&image);
    let shown = stdout(&finish(command));
    for map in ["   ownership", " 6 x @ X . . O o 6", "   dame", "seki: none", "as it stands B+1.5"] {
        assert!(shown.contains(map), "{map}: {shown}");
    }
    assert!(std::fs::read_to_string(&image).unwrap().starts_with("<svg"));
    let mut command = tengen();
    command.args(["rules", "--setup", "game=go rules=chinese size=7", "--moves", moves, "--ask", "ownership,result"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&finish(command))).unwrap();
    assert_eq!(answer["ownership"]["dead"], serde_json::json!(["B6"]), "{answer}");
    std::fs::write(&path, "(;GM[4]SZ[15];B[hh];W[hg];B[if])").unwrap();
    let mut command = tengen();
    command.args(["rules", "--sgf"]).arg(&path).args(["--ask", "opening"]);
    assert!(stdout(&finish(command)).contains("Keigetsu"));
    for bad in [&["--moves", "h8 h8"][..], &["--moves", "h8", "--ask", "score"], &["--sgf", "/no/such"]] {
        let out = tengen().arg("rules").args(bad).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    }
}
