//! The Go Text Protocol as a controller meets it, through the binary. Not here: models (`cli`), strength.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Output, Stdio};

use support::{stderr, stdout, tengen, with_input};

fn gtp(args: &[&str], input: &str) -> Output {
    let mut command = tengen();
    command.arg("gtp").args(args);
    with_input(command, input)
}

/// Answers without their empty lines.
fn answers(args: &[&str], input: &str) -> Vec<String> {
    let text = stdout(&gtp(args, input));
    text.split("\n\n").map(str::to_string).collect()
}

#[test]
fn gtp_answers_as_the_protocol_says() {
    let out = gtp(&[], "7 nosuch\nnosuch\n7 known_command play\n# a comment\n\nquit\n");
    assert_eq!(stdout(&out), "?7 unknown command\n\n? unknown command\n\n=7 true\n\n=\n\n");
    assert_eq!(out.status.code(), Some(0));
    assert!(stderr(&out).contains("tromp-taylor") && stderr(&out).contains("9x9"), "rules are told: {}", stderr(&out));
}

#[test]
fn gtp_letters_skip_i_and_bad_moves_change_nothing() {
    for side in [9, 15, 19, 25] {
        let mut input = format!("boardsize {side}\nclear_board\n");
        input += "play b i5\nplay b J5\nplay w j4\nplay b j5\nplay purple a1\nplay b\nplay b z99\nkomi nan\nshowboard\nquit\n";
        let text = stdout(&gtp(&["uniform"], &input));
        let answers: Vec<&str> = text.split("\n\n").collect();
        assert!(answers[2].starts_with('?'), "I is no letter");
        assert!(answers[3].starts_with('=') && answers[4].starts_with('='));
        assert_eq!(answers[5], "? illegal move");
        assert_eq!((answers[6], answers[7]), ("? syntax error", "? syntax error"));
        assert!(answers[8].starts_with('?') && answers[9].starts_with('?'));
        // J is the ninth letter, because I is left out; the last stone is in brackets.
        let row = |n: &str| answers[10].lines().find(|l| l.trim_start().starts_with(&format!("{n} "))).unwrap();
        let stones = |n: &str| -> String { row(n).chars().filter(|c| ".XO".contains(*c)).collect() };
        let with = |mark: char| -> String { (1..=side).map(|i| if i == 9 { mark } else { '.' }).collect() };
        assert_eq!((stones("5"), stones("4"), stones("3")), (with('X'), with('O'), with('.')), "{}", answers[10]);
        assert!(row("4").contains("(O)"));
        assert!(!answers[10].lines().next().unwrap().contains(" I"), "{}", answers[10]);
    }
    let sizes = stdout(&gtp(&[], "boardsize 99\nboardsize x\nboardsize -3\nboardsize 0\nname\nquit\n"));
    let answers: Vec<&str> = sizes.split("\n\n").collect();
    assert_eq!(answers[0], "? unacceptable size");
    assert_eq!(answers[1], "? syntax error");
    assert!(answers[2].starts_with("? unacceptable size") && answers[3].starts_with("? unacceptable size"));
    assert_eq!(answers[4], "= tengen");
}

#[test]
fn gtp_plays_whole_games_in_any_colour_order() {
    let mut input = String::from("boardsize 5\nkomi 0.5\ngenmove b\ngenmove b\nplay w pass\nundo\n");
    for _ in 0..40 {
        input += "genmove w\ngenmove b\n";
    }
    input += "final_score\nlist_commands\nquit\n";
    let out = gtp(&["uniform", "--visits", "8"], &input);
    let text = stdout(&out);
    assert!(!text.contains('?'), "{text}");
    let score = text.split("\n\n").nth(86).unwrap();
    assert!(score.starts_with("= B+") || score.starts_with("= W+") || score == "= 0", "{score}");
    // End of input without quit is a clean end.
    assert_eq!(gtp(&[], "name\n").status.code(), Some(0));
}

#[test]
fn gtp_places_handicap_stones_on_an_empty_board() {
    let answers = |input: &str| -> Vec<String> {
        let text = stdout(&gtp(&["--setup", "game=go rules=chinese size=19"], input));
        text.split("\n\n").map(str::to_string).collect()
    };
    let told = answers(
        "fixed_handicap 3\nfixed_handicap 2\nclear_board\nfixed_handicap 10\nset_free_handicap D4 D4\n\
         set_free_handicap D4 pass\nset_free_handicap D4\nset_free_handicap D4 Q16 K10\nundo\nplay w C3\nplay w C4\n\
         undo\nfixed_handicap 2\n",
    );
    let expected = [
        "= D4 Q16 D16",
        "? board not empty",
        "=",
        "? invalid number of stones",
        "? bad vertex list",
        "? bad vertex list",
        "? bad vertex list",
        "=",
        "? cannot undo",
        "=",
        "=",
        "=",
        "? board not empty",
    ];
    assert_eq!(told[..expected.len()], expected);
    let free = answers("place_free_handicap 11\nplace_free_handicap 1\nclear_board\nplace_free_handicap 1\n");
    assert_eq!(free[0].split_whitespace().count(), 1 + 11, "{}", free[0]);
    assert_eq!((free[1].as_str(), free[3].as_str()), ("? board not empty", "? invalid number of stones"));
}

/// Two walls, each with a lone stone of the other colour behind it, and play stopped.
const STOPPED: &str = "play b D1\nplay b D2\nplay b D3\nplay b D4\nplay b D5\nplay b D6\nplay b D7\nplay b F4\nplay b B2\n\
                       play w E1\nplay w E2\nplay w E3\nplay w E4\nplay w E5\nplay w E6\nplay w E7\nplay w B6\nplay w G6\n\
                       play w G2\nplay b pass\nplay w pass\n";

#[test]
fn gtp_counts_what_it_calls_dead_and_plays_on_after_a_dispute() {
    let input = format!(
        "{STOPPED}final_status_list dead\nfinal_status_list seki\nfinal_score\nplay w C6\nplay b pass\nundo\nundo\n\
         final_status_list dead\nfinal_score\nplay b C6\nplay b B7\nplay b A6\nplay b B5\nplay w pass\nplay b pass\n\
         final_status_list dead\nfinal_score\nfinal_status_list bad\n"
    );
    let text = stdout(&gtp(&["--setup", "game=go rules=japanese size=7"], &input));
    let answers: Vec<&str> = text.split("\n\n").skip(STOPPED.lines().count()).collect();
    assert_eq!(answers[..3], ["= B6\nF4", "=", "= B+1.5"]);
    assert_eq!(answers[3..7], ["="; 4], "a stone after the passes is a move like any other");
    assert_eq!(answers[7..9], ["= B6\nF4", "= B+1.5"], "taken back, play has stopped again");
    // Black takes the disputed stone, with four moves of its own inside its territory.
    assert_eq!(answers[9..15], ["="; 6]);
    assert_eq!(answers[15..18], ["= F4", "= W+2.5", "? syntax error"]);
}

#[test]
fn gtp_keeps_time() {
    let started = std::time::Instant::now();
    let out = gtp(&["uniform", "--visits", "1000000"], "time_settings 0 1 1\ngenmove b\ngenmove w\ngenmove b\nquit\n");
    assert!(stdout(&out).split("\n\n").skip(1).take(3).all(|a| a.starts_with("= ")));
    // Three moves of one second; generous, because test machines are shared.
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn gtp_changes_rules_and_keeps_the_game() {
    let told = answers(
        &["--setup", "game=go rules=tromp-taylor size=5 komi=7"],
        "kata-get-rules\nkomi 0.5\nplay b C3\nplay w C4\nkata-set-rules japanese\nkata-get-rules\nshowboard\n\
         kata-set-rule tax NONE\nkata-set-rules {\"ko\": \"SITUATIONAL\", \"suicide\": true}\nkata-get-rules\n\
         kgs-rules new_zealand\nkgs-rules Chinese\nkgs-rules old\nkgs-rules\nkata-set-rules\nkata-set-rules nosuch\n\
         kata-set-rules {\"komi\":7}\nkata-set-rule ko SOMETIMES\nkata-set-rules esperanto-japanese\nkata-get-rules\n\
         undo\nundo\nundo\nkata-set-rules rules=czech tie=white size=5\nkata-set-rules rules=czech tie=draw\nshowboard\n",
    );
    assert_eq!(
        told[0],
        "= {\"friendlyPassOk\":false,\"hasButton\":false,\"ko\":\"POSITIONAL\",\"scoring\":\"AREA\",\"suicide\":true,\
         \"tax\":\"NONE\",\"whiteHandicapBonus\":\"0\"}"
    );
    assert!(told[5].contains("TERRITORY") && told[5].contains("SEKI"), "{}", told[5]);
    // Stones, turn and komi are as before; players settle the end.
    let shown = &told[6];
    assert!(shown.contains("black to play, game=go rules=japanese size=5x5 komi=0.5"), "{shown}");
    assert!(shown.contains("(O)") && shown.contains('X'), "{shown}");
    assert_eq!((told[7].as_str(), told[8].as_str()), ("=", "="));
    assert!(told[9].contains("SITUATIONAL") && told[9].contains("AREA") && told[9].contains("\"suicide\":true"));
    assert_eq!((told[10].as_str(), told[11].as_str()), ("=", "="));
    for (i, word) in
        [(12, "aga, chinese, japanese, new_zealand"), (13, "syntax"), (14, "syntax"), (15, "czech"), (16, "komi")]
    {
        assert!(told[i].starts_with("? ") && told[i].contains(word), "{}", told[i]);
    }
    assert!(told[17].starts_with("? ko: ") && told[17].contains("SPIGHT"), "{}", told[17]);
    assert_eq!(told[18], "=");
    assert!(told[19].starts_with("? tie: "), "KataGo has no such rules: {}", told[19]);
    assert_eq!(told[20..23], ["=", "=", "? cannot undo"]);
    assert!(told[23].starts_with("? size: "), "{}", told[23]);
    assert!(told[25].contains("rules=czech size=5x5 komi=0.5"), "{}", told[25]);
}

/// Where a move of the game would be illegal, the old rules stay. A stone that resumed play does so under new rules too.
#[test]
fn gtp_refuses_rules_that_forbid_what_was_played() {
    let suicide = "play b A2\nplay b B1\nplay b C1\nplay b B2\nplay w D4\nplay w A1\nplay w B3\n";
    let told = answers(
        &["--setup", "game=go rules=nz size=5 ko=simple suicide=all"],
        &format!("{suicide}kata-set-rules aga\nkata-get-rules\n"),
    );
    assert_eq!(told[..7], ["="; 7]);
    assert!(told[7].starts_with("? ") && told[7].contains("move 6, white A1, is illegal: suicide"), "{}", told[7]);
    assert!(told[8].starts_with("? suicide: "), "the rules are the old ones: {}", told[8]);

    let told = answers(
        &["--setup", "game=go rules=aga size=5"],
        "play b C3\nplay w pass\nplay b pass\nplay w C2\nkata-set-rules japanese\nundo\nfinal_score\nplay b pass\n",
    );
    assert_eq!(told[4..6], ["=", "="]);
    assert_eq!(told[6], "= B+16.5", "stopped under the new rules: 24 points for Black");
}

#[test]
fn gtp_reads_and_writes_games() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let plain =
        write("a game.sgf", "(;GM[1]FF[4]SZ[7]KM[5.5]RU[Japanese]PB[a];B[dd];W[ce](;B[ee]C[main];W[]C[end])(;B[aa]))");
    let told = answers(
        &[],
        &format!("loadsgf {plain}\nshowboard\nkata-get-rules\nundo\nundo\nloadsgf {plain} 2\nshowboard\nprintsgf\n"),
    );
    assert_eq!(told[0], "=");
    let shown = &told[1];
    assert!(shown.contains("black to play, game=go rules=japanese size=7x7 komi=5.5"), "{shown}");
    assert_eq!((shown.matches('X').count(), shown.matches('O').count()), (2, 1), "the main line: {shown}");
    assert!(told[2].contains("TERRITORY"));
    assert_eq!(told[3..6], ["="; 3]);
    assert!(told[6].contains("(X)") && !told[6].contains('O'), "before the second move: {}", told[6]);
    assert!(told[7].contains("RU[japanese]") && told[7].contains(";B[dd])"), "{}", told[7]);

    // What is written reads back: handicap, setup stones, rules without a name elsewhere, komi, the end.
    let out = dir.path().join("out.sgf").to_str().unwrap().to_string();
    let handicap = format!(
        "boardsize 9\nkata-set-rules rules=esperanto-japanese ko=positional\nkomi 0.5\nset_free_handicap C3 F7\n\
         play w E5\nplay b pass\nplay w pass\nfinal_score\nprintsgf {out}\nclear_board\nkata-set-rules aga\n\
         loadsgf {out}\nshowboard\nfinal_score\nprintsgf\n"
    );
    let told = answers(&[], &handicap);
    assert_eq!(told[8], "=", "{}", told[8]);
    assert!(
        told[12].contains("rules=esperanto-japanese size=9x9 komi=0.5 ko=positional handicap=F7,C3"),
        "{}",
        told[12]
    );
    assert_eq!(told[7], told[13]);
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(told[14], format!("= {}", text.trim_end()));
    assert!(text.contains("HA[2]") && text.contains("RE[W+0.5]"), "{text}");
    let setup = write("setup.sgf", "(;GM[1]SZ[5]AB[aa][ba]AW[cc]PL[B];W[dd])");
    let told = answers(&[], &format!("loadsgf {setup}\nprintsgf {out}\nloadsgf {out}\nshowboard\nundo\nundo\n"));
    let shown = &told[3];
    assert_eq!((shown.matches('X').count(), shown.matches('O').count()), (2, 2), "{shown}");
    assert!(shown.contains("rules=tromp-taylor size=5x5 komi=7\n") || shown.ends_with("komi=7"), "{shown}");
    assert_eq!(told[4..6], ["=", "? cannot undo"], "stones of the start are no moves");
    // The rules oracle replays what GTP has written.
    let game = format!("boardsize 5\nkata-set-rules chinese\nplay b C3\nplay w C2\nprintsgf {out}\n");
    assert!(answers(&[], &game)[4].starts_with('='));
    let replayed = tengen().args(["rules", "--sgf", &out, "--ask", "to_act,board"]).output().unwrap();
    assert!(stdout(&replayed).contains("\"to_act\":\"first\""), "{}{}", stdout(&replayed), stderr(&replayed));
}

#[test]
fn gtp_refuses_files_that_are_no_game_of_go() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text, word) in [
        ("none.sgf", None, "none.sgf"),
        ("empty.sgf", Some(""), "empty.sgf"),
        ("words.sgf", Some("not a game"), "words.sgf"),
        ("renju.sgf", Some("(;GM[4]SZ[15];B[hh])"), "five in a row"),
        ("chess.sgf", Some("(;GM[3];B[hh])"), "GM"),
        ("size.sgf", Some("(;GM[1]SZ[1];B[])"), "SZ: 1x1 is too small"),
        ("komi.sgf", Some("(;GM[1]SZ[9]KM[7.3])"), "KM: `7.3`"),
        ("unit.sgf", Some("(;GM[1]SZ[9]KM[375])"), "KM: `375` is more than the 81 points"),
        ("handicap.sgf", Some("(;GM[1]SZ[9]HA[3]AB[cc][gg];W[ee])"), "HA: `3`, but AB sets up 2"),
        ("number.sgf", Some("(;GM[1]SZ[9]HA[two]AB[cc][gg];W[ee])"), "HA: `two`"),
        ("twice.sgf", Some("(;GM[1]SZ[9];B[ee];W[ee])"), "move 2, white E5, is illegal: occupied"),
        ("dead.sgf", Some("(;GM[1]SZ[2]AB[aa]AW[ab][ba];B[bb])"), "A2 has no liberty"),
        ("mixed.sgf", Some("(;GM[1]SZ[9]TGSETUP[game=go rules=aga size=5])"), "TGSETUP"),
    ] {
        let path = dir.path().join(name);
        if let Some(text) = text {
            std::fs::write(&path, text).unwrap();
        }
        let told = answers(&[], &format!("play b C3\nloadsgf {}\nplay w C3\nname\n", path.display()));
        assert!(told[1].starts_with("? cannot load file: "), "{name}: {}", told[1]);
        assert!(told[1].contains(name) && told[1].contains(word), "{name}: {}", told[1]);
        assert_eq!(told[2..4], ["? illegal move", "= tengen"], "{name}: the board is as it was");
    }
    let told = answers(&[], &format!("loadsgf\nprintsgf {}/no/such/dir.sgf\n", dir.path().display()));
    assert!(told[0] == "? syntax error" && told[1].starts_with("? can't "), "{told:?}");
    // Words for rules that nobody knows are no reason to refuse the game.
    let odd = dir.path().join("odd.sgf");
    std::fs::write(&odd, "(;GM[1]SZ[9]RU[Old Tibetan];B[ee])").unwrap();
    let out = gtp(&[], &format!("loadsgf {}\nshowboard\n", odd.display()));
    assert!(stdout(&out).contains("rules=tromp-taylor"), "{}", stdout(&out));
    assert!(stderr(&out).contains("Old Tibetan"), "{}", stderr(&out));
}

#[test]
fn gtp_lists_what_it_knows() {
    let listed = answers(&[], "list_commands\n")[0].clone();
    let names: Vec<&str> = listed.trim_start_matches("= ").lines().collect();
    assert!(names.is_sorted() && names.len() > 25, "{names:?}");
    let asked: String = names.iter().map(|name| format!("known_command {name}\n")).collect();
    assert_eq!(answers(&[], &asked)[..names.len()], vec!["= true"; names.len()]);
    for name in [
        "kata-analyze",
        "lz-genmove_analyze",
        "kata-get-rules",
        "kata-set-rule",
        "kata-set-rules",
        "kgs-rules",
        "loadsgf",
        "printsgf",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}

/// Every other point of a board by name, and read back from the drawing (BUGOUT#227).
#[test]
fn gtp_names_every_point() {
    for side in [9, 15, 19, 25] {
        let letters: Vec<char> = ('A'..='Z').filter(|&c| c != 'I').take(side).collect();
        let named = |odd: usize| {
            let all = (0..side).flat_map(|x| (1..=side).map(move |y| (x, y)));
            all.filter(move |(x, y)| (x + y) % 2 == odd)
        };
        let mut input = format!("boardsize {side}\n");
        // Lower case is read too.
        named(0).for_each(|(x, y)| input += &format!("play b {}{y}\n", letters[x].to_ascii_lowercase()));
        let told = answers(&[], &(input + "showboard\n"));
        let shown = &told[1 + named(0).count()];
        for y in 1..=side {
            let row = shown.lines().find(|line| line.trim_start().starts_with(&format!("{y} "))).unwrap();
            let marks: String = row.chars().filter(|c| ".XO".contains(*c)).collect();
            let expected: String = (0..side).map(|x| if (x + y) % 2 == 0 { 'X' } else { '.' }).collect();
            assert_eq!(marks, expected, "row {y} of {side}: {shown}");
        }
    }
}

/// Public reports against other engines and controllers, as far as they are about Go and GTP.
#[test]
fn gtp_repeats_no_public_failures() {
    // Sabaki#99: a pass sent as a move without a vertex. goban#19: a size sent twice clears the board both times.
    let told = answers(&[], "boardsize 9\nplay b E5\nplay B\nshowboard\nboardsize 9\nshowboard\n");
    assert_eq!((told[1].as_str(), told[2].as_str()), ("=", "? syntax error"));
    assert!(told[3].contains("(X)") && !told[5].contains("X) "), "{told:?}");
    assert_eq!(told[5].matches('X').count(), 0, "{}", told[5]);
    // leela-zero#1875: an empty line ends an answer, so none may hold one; nothing else is written (Sabaki#643).
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let comment = file("comment.sgf", "(;GM[1]SZ[5]C[one\n\ntwo]PB[a\n\nb];B[cc]C[three\n\n\nfour])");
    let commands = format!(
        "loadsgf {comment}\nprintsgf\nshowboard\nlist_commands\nfinal_status_list alive\nkata-get-rules\ngenmove w\n\
         printsgf\nquit\n"
    );
    let told = answers(&["uniform", "--visits", "4"], &commands);
    assert_eq!(told.len(), commands.lines().count() + 1, "one answer a command: {told:?}");
    assert!(told[..8].iter().all(|answer| answer.starts_with('=')), "{told:?}");
    // KataGo#911: a retaken ko and a stone on a stone are refused with the number of the move.
    let ko = ";B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[];W[bb];B[cb]";
    for (tail, number) in [(";W[bb]", "10"), (";W[cb]", "10"), (";W[ea];B[ea]", "11")] {
        let path = file("ko.sgf", &format!("(;GM[1]SZ[5]RU[Japanese]{ko}{tail})"));
        let told = answers(&[], &format!("play b C3\nloadsgf {path}\nplay w C3\n"));
        assert!(told[1].contains(&format!("move {number}, ")) && told[1].contains("illegal"), "{tail}: {}", told[1]);
        assert_eq!(told[2], "? illegal move", "the board is as it was");
        let out = tengen().args(["rules", "--sgf", &path]).output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(&format!("number {number} is")), "{}", stderr(&out));
    }
    // Taking back after a threat and its answer is a game.
    let path = file("threat.sgf", &format!("(;GM[1]SZ[5]RU[Japanese]{ko};W[ee];B[ae];W[bb])"));
    assert_eq!(answers(&[], &format!("loadsgf {path}\n"))[0], "=");
    // KataGo#366: passes change neither the dead stones nor the score, where people agree on them.
    let (stones, passes) = STOPPED.split_at(STOPPED.find("play b pass").unwrap());
    let asked = "final_status_list dead\nfinal_score\n";
    for (rules, dead) in [("japanese", "= B6\nF4"), ("chinese", "= B6\nF4"), ("aga", "= B6\nF4"), ("tromp-taylor", "=")]
    {
        let setup = format!("game=go rules={rules} size=7");
        let out = gtp(&["--setup", &setup], &format!("{stones}{asked}{passes}{asked}"));
        let text = stdout(&out);
        let told: Vec<&str> = text.split("\n\n").collect();
        let (before, after) = (stones.lines().count(), STOPPED.lines().count() + 2);
        assert_eq!(told[before], dead, "{rules}");
        assert_eq!(told[before..before + 2], told[after..after + 2], "{rules}: {told:?}");
        // Which convention it is goes to the log, for the answer has no room for it.
        assert_eq!(stderr(&out).contains("by the rules alone"), dead == "=", "{rules}: {}", stderr(&out));
    }
}

/// A controller that reads what the engine says while it waits.
#[test]
fn gtp_reports_a_search_until_the_next_line() {
    let mut child = tengen()
        .args(["gtp", "uniform", "--setup", "game=go rules=chinese size=5"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    input.write_all(b"play b C3\n1 kata-analyze 1\n").unwrap();
    assert_eq!([lines.next().unwrap(), lines.next().unwrap(), lines.next().unwrap()], ["=", "", "=1"]);
    let visits = |line: &str| -> u64 {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..2], ["info", "move"], "{line}");
        let of = |key| words.iter().zip(&words[1..]).filter(move |(w, _)| **w == key).map(|(_, v)| *v);
        assert!(of("winrate").all(|rate| (0.0..=1.0).contains(&rate.parse::<f64>().unwrap())), "{line}");
        assert!(of("order").eq((0..of("move").count()).map(|i| i.to_string()).collect::<Vec<_>>().iter()), "{line}");
        assert!(of("move").eq(of("pv")), "every line begins with its move: {line}");
        assert!(of("move").all(|point| point != "C3"), "{line}");
        of("visits").map(|n| n.parse::<u64>().unwrap()).sum()
    };
    let first = visits(&lines.next().unwrap());
    let later = visits(&lines.nth(3).unwrap());
    assert!(later > first && first > 0, "{first}, then {later}");
    // Whatever comes ends it, an empty line too; the game is as it was.
    input.write_all(b"\n2 lz-analyze w 1\n").unwrap();
    let rest: Vec<String> = lines.by_ref().skip_while(|line| line.starts_with("info ")).take(3).collect();
    assert_eq!(rest[..2], ["", "=2"]);
    assert!(rest[2].starts_with("info move "), "{}", rest[2]);
    input.write_all(b"showboard\n3 kata-genmove_analyze w 1\nlz-analyze b 1\n").unwrap();
    drop(input);
    let rest: Vec<String> = lines.filter(|line| !line.starts_with("info ")).collect();
    assert_eq!(rest[..2], ["", "="]);
    assert!(rest[9].starts_with("white to play"), "{rest:?}");
    let played = rest.iter().find(|line| line.starts_with("play ")).unwrap();
    assert_eq!(rest[11..], ["=3", played, "", "=", ""], "the end of input ends a search as well");
    assert!(child.wait().unwrap().success());
}

/// With nothing left to search there is still something to wait for.
#[test]
fn gtp_analyses_positions_that_are_over_or_settled() {
    for input in ["play b pass\nplay w pass\nlz-analyze b 1\n", "lz-analyze b 1 avoid b A1 3\n", "lz-analyze\n"] {
        let out = gtp(&["--setup", "game=go rules=tromp-taylor size=2"], input);
        assert!(out.status.success() && !stderr(&out).contains("panicked"), "{}", stderr(&out));
    }
    let told = answers(&[], "lz-analyze b 10 avoid b A1 3\nname\n");
    assert!(told[0].starts_with("? avoid: ") && told[1] == "= tengen", "{told:?}");
}
