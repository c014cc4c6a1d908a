//! SGF: what others write, what we write, and what nobody should.

use tengen_data::sgf::{ReadAs, SgfFamily, SgfGame, SgfMove, SgfResult, WinBy, row_comment};
use tengen_data::{EndReason, read_sgf_file, write_sgf_file};
use tengen_game::testkit::TestRng;
use tengen_game::{Action, BoardResult, Colour, Size};

use crate::samples;

fn parse(text: &str) -> SgfGame {
    SgfGame::parse(text.as_bytes(), ReadAs::Declared).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refusal(text: &str) -> String {
    SgfGame::parse(text.as_bytes(), ReadAs::Declared).expect_err(text).to_string()
}

fn sample(family: SgfFamily, size: Size) -> SgfGame {
    let mut rng = TestRng::new(size.area() as u64);
    let mut game = SgfGame::new(family, size);
    game.komi = (family == SgfFamily::Go).then_some(-7.5);
    game.rules = "Chinese: a]b\\c".into();
    game.players = ["碁 ] набор".into(), "é\\".into()];
    game.result = SgfResult::Win(Colour::White, WinBy::Points(3.5));
    game.stones = [vec![size.point(0, 0)], vec![size.point(1, 0)]];
    game.first = Some(Colour::White);
    game.setup = Some("game=go size=9 komi=-7.5".into());
    game.seed = Some(u64::MAX);
    game.actions = vec![Action::point(size.point(0, 0)), Action::SWAP, Action::number(4), Action::PASS];
    game.comment = "root: [line] one\nline \\ two]".into();
    game.properties = vec![("EV".into(), vec!["a:b".into()]), ("XX".into(), vec!["1".into(), "]".into()])];
    for i in 0..40 {
        let point = (rng.below(5) > 0).then(|| size.point(rng.below(size.width()), rng.below(size.height())));
        let mut played = SgfMove::new(Colour::BOTH[rng.below(2)], point);
        if i % 3 == 0 {
            played.comment = row_comment(&samples::game(3, 5).moves[i % 5]);
        }
        game.moves.push(played);
    }
    game
}

#[test]
fn games_round_trip_on_every_size_and_read_the_same_elsewhere() {
    for (w, h) in [(2, 1), (9, 9), (15, 15), (19, 19), (21, 21), (25, 25), (19, 9), (25, 7)] {
        for family in [SgfFamily::Go, SgfFamily::Five] {
            let game = sample(family, Size::new(w, h).unwrap());
            let text = game.to_sgf();
            assert_eq!(parse(&text), game);
            assert!(!text.contains("\n\n") && text.ends_with(")\n"));
            assert!(text.contains("[]") && !text.contains("B[tt]"));
            let trees = sgf_parse::parse(&text).unwrap();
            let mut depth = 0;
            if family == SgfFamily::Go {
                let mut node = Some(trees[0].as_go_node().unwrap());
                while let Some(at) = node {
                    assert!(!at.properties().any(|p| matches!(p, sgf_parse::go::Prop::Invalid(..))), "{text}");
                    depth += 1;
                    node = at.children().next();
                }
                assert_eq!(depth, 1 + game.moves.len());
            }
        }
    }
}

#[test]
fn escapes_as_sabaki_reads_them() {
    for (text, nodes, comment) in [
        (r"(;C[\];B[aa];W[bb])", 2, "];B[aa"),
        (r"(;C[\\];B[aa];W[bb])", 3, r"\"),
        (r"(;C[\\\];B[aa];W[bb])", 2, r"\];B[aa"),
    ] {
        let game = parse(text);
        assert_eq!((game.moves.len() + 1, game.comment.as_str()), (nodes, comment), "{text}");
    }
    let text = "(;C[a\\:b\\\nc\\\r\nd\re\r\nf\tg\\\\\\]])";
    assert_eq!(parse(text).comment, "a:bcd\ne\nf g\\]");
    assert_eq!(parse("(;PB[two\nlines])").players[0], "two lines");
}

#[test]
fn tt_is_a_pass_only_up_to_19() {
    let last = |text: &str| parse(text).moves.last().unwrap().point;
    for text in ["(;SZ[19];B[])", "(;SZ[19];B[tt])", "(;SZ[9];W[tt])", "(;SZ[19:9];W[tt])", "(;;B[tt])"] {
        assert_eq!(last(text), None, "{text}");
    }
    assert_eq!(last("(;SZ[21];B[tt])"), Some(Size::square(21).unwrap().point(19, 19)));
    assert_eq!(last("(;SZ[21];B[])"), None);
    assert!(refusal("(;SZ[21:9];B[tt])").contains("21x9"));
    for side in [9, 18, 19, 21] {
        let mut game = SgfGame::new(SgfFamily::Go, Size::square(side).unwrap());
        game.moves.push(SgfMove::new(Colour::Black, None));
        assert!(game.to_sgf().contains(";B[]"), "{side}");
    }
}

#[test]
fn bad_values_are_errors_with_an_offset() {
    for size in ["1000000", "-1", "9:0", "0", "26", "9:", ":9", "9:9:9", "", "+9", "9x9", "99999999999999999999999"] {
        let error = refusal(&format!("(;GM[1]SZ[{size}];B[aa])"));
        assert!(error.starts_with("SGF, byte 7: SZ:") && error.contains("sides 1 to 25"), "{error}");
    }
    assert_eq!(parse("(;SZ[19:9])").size, Size::new(19, 9).unwrap());
    for (text, expect) in [
        ("", "no game"),
        ("hello", "no game"),
        ("(", "never closed"),
        ("()", "without a node"),
        ("(;B[aa]", "byte 0: the bracket"),
        ("(;B[aa", "byte 3: this value is never closed"),
        ("(;B[aa]\\", "expected ; ( or )"),
        ("(;B)", "without a value"),
        ("(;GM[2])", "neither 1 (Go) nor 4"),
        ("(;GM[x])", "neither"),
        ("(;SZ[9];B[jj])", "no point of a 9x9 board"),
        ("(;B[aaa])", "no point"),
        ("(;B[aa][bb])", "2 values"),
        ("(;B[aa]W[bb])", "in one node"),
        ("(;B[aa]B[bb])", "given twice"),
        ("(;KM[nan])", "KM: `nan`"),
        ("(;KM[1e9])", "KM"),
        ("(;AB[cc:aa])", "bottom or right"),
        ("(;AB[aa]AW[aa])", "set twice"),
        ("(;PL[x])", "neither B nor W"),
        ("(;;B[aa];AW[bb])", "behind move 1 (node 2)"),
        ("(;TGSEED[x])", "no seed"),
        ("(;TGACTIONS[zz99])", "no action"),
        ("(;B[aa](;W[bb]);B[cc])", "behind a variation"),
        ("((;B[aa]))", "before the first node"),
    ] {
        let error = refusal(text);
        assert!(error.contains(expect) && error.len() < 200, "{text}: {error}");
    }
}

#[test]
fn families_and_what_others_write() {
    let five = "(;GM[1]SZ[15]RU[renju];B[hh];W[gg])";
    assert_eq!(parse(five).family, SgfFamily::Go);
    let game = SgfGame::parse(five.as_bytes(), ReadAs::Five).unwrap();
    assert_eq!((game.family, game.rules.as_str(), game.moves.len()), (SgfFamily::Five, "renju", 2));
    assert_eq!(parse("(;GM[4])").size, Size::square(15).unwrap());
    assert_eq!(parse("(;FF[4])").size, Size::square(19).unwrap());
    // Older files: small letters in names, text around the game, variations, several games.
    let old =
        "mail header\n(;GaMe[1]SiZe[9] PlayerBlack[x];Black[aa](;White[bb](;B[cc])(;B[dd]))(;W[ee]))(;SZ[13])junk";
    let games = SgfGame::parse_all(old.as_bytes(), ReadAs::Declared).unwrap();
    let points: Vec<_> = games[0].moves.iter().map(|m| games[0].size.xy(m.point.unwrap())).collect();
    assert_eq!((points, games.len()), (vec![(0, 0), (1, 1), (2, 2)], 2));
    assert_eq!(parse("(;AB[aa:bb]AW[cc];AE[bb]AB[cc])").stones.each_ref().map(Vec::len), [4, 0]);
    let comments = parse("(;C[root];C[more];B[aa]C[x];C[y])");
    assert_eq!((comments.comment.as_str(), comments.moves[0].comment.as_str()), ("root\nmore", "x\ny"));
    let latin = SgfGame::parse(b"(;PB[Andr\xe9];B[aa])", ReadAs::Declared).unwrap();
    assert_eq!(latin.players[0], "André");
    let marked = SgfGame::parse("\u{feff}(;PB[é\u{0}x];B[aa])".as_bytes(), ReadAs::Declared).unwrap();
    assert_eq!(marked.players[0], "é x");
}

#[test]
fn results_are_by_colour() {
    for (text, expect) in [
        ("B+3.5", SgfResult::Win(Colour::Black, WinBy::Points(3.5))),
        ("W+R", SgfResult::Win(Colour::White, WinBy::Resign)),
        ("w+resign", SgfResult::Win(Colour::White, WinBy::Resign)),
        ("B+T", SgfResult::Win(Colour::Black, WinBy::Time)),
        ("B+F", SgfResult::Win(Colour::Black, WinBy::Forfeit)),
        ("B+", SgfResult::Win(Colour::Black, WinBy::Plain)),
        ("0", SgfResult::Draw),
        ("Void", SgfResult::Void),
        ("?", SgfResult::Unknown),
        ("B+nan", SgfResult::Win(Colour::Black, WinBy::Plain)),
        ("who knows", SgfResult::Unknown),
    ] {
        assert_eq!(parse(&format!("(;RE[{text}])")).result, expect, "{text}");
        let mut game = SgfGame::new(SgfFamily::Go, Size::square(9).unwrap());
        game.result = expect;
        assert_eq!(parse(&game.to_sgf()).result, expect);
    }
    let of = |result, end, margin| SgfResult::of(result, end, margin);
    let white = BoardResult::Win(Colour::White);
    assert_eq!(of(white, EndReason::Rules, Some(-2.5)), SgfResult::Win(Colour::White, WinBy::Points(2.5)));
    assert_eq!(of(white, EndReason::Resigned, None), SgfResult::Win(Colour::White, WinBy::Resign));
    assert_eq!(of(white, EndReason::Truncated, None), SgfResult::Unknown);
    assert_eq!(of(BoardResult::Draw, EndReason::Rules, Some(0.0)), SgfResult::Draw);
}

#[test]
fn text_has_no_empty_line_whatever_the_comment() {
    let mut game = SgfGame::new(SgfFamily::Five, Size::square(15).unwrap());
    for comment in ["a\n\nb", "\n\n\n", "\r\n\r\nx", "x\n", "\u{0}\n\u{1b}[0m"] {
        game.comment = comment.into();
        game.players[0] = comment.into();
        let text = game.to_sgf();
        assert!(!text.contains("\n\n") && !text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        parse(&text);
    }
    game.properties = vec![("B".into(), vec!["aa".into()]), ("x]y".into(), vec!["".into()]), ("OK".into(), vec![])];
    assert!(parse(&game.to_sgf()).moves.is_empty());
}

#[test]
fn hostile_texts_end_quickly_and_without_a_stack() {
    let deep = "(;".repeat(1_000_000);
    assert!(refusal(&deep).contains("deeper than 1000"));
    let nested = format!("{}{}", "(;".repeat(1000), ")".repeat(1000));
    assert!(parse(&nested).moves.is_empty());
    assert!(refusal(&format!("({}", ";".repeat(1 << 23))).contains("nodes and values"));
    assert!(refusal(&format!("(;AB{}", "[]".repeat(1 << 22))).contains("nodes and values"));
    assert!(refusal(&format!("(;{}", "A".repeat(1 << 23))).contains("64 letters"));
    assert!(refusal(&" ".repeat((1 << 24) + 1)).contains("longer than"));
    assert!(refusal(&format!("(;C[{}", "\\".repeat(1 << 23))).contains("never closed"));
    let long = format!("(;SZ[25]{})", ";B[aa];W[bb]".repeat(60_000));
    assert_eq!(parse(&long).moves.len(), 120_000);
    let sides = format!("(;B[aa]{})", "(;W[bb])".repeat(1_000_000));
    assert_eq!(parse(&sides).moves.len(), 2);
}

#[test]
fn mutated_texts_never_panic() {
    let whole = sample(SgfFamily::Go, Size::square(9).unwrap()).to_sgf().into_bytes();
    let mut rng = TestRng::new(4);
    for i in 0..whole.len() {
        let _ = SgfGame::parse(&whole[..i], ReadAs::Declared);
    }
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + rng.below(5) {
            let at = rng.below(bytes.len());
            match rng.below(3) {
                0 => bytes[at] = b"()[];\\:\n\xff\0Bt"[rng.below(12)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"()[];\\:"[rng.below(7)]),
            }
        }
        if let Ok(games) = SgfGame::parse_all(&bytes, ReadAs::Five) {
            // What can be read can be written and read again.
            let again = SgfGame::parse_all(games[0].to_sgf().as_bytes(), ReadAs::Declared).unwrap();
            assert_eq!(again[0].moves.len(), games[0].moves.len());
        }
    }
}

#[test]
fn files_under_any_name() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("碁 набор é.sgf");
    let games = [sample(SgfFamily::Go, Size::square(9).unwrap()), sample(SgfFamily::Five, Size::square(15).unwrap())];
    write_sgf_file(&path, &games).unwrap();
    assert_eq!(read_sgf_file(&path, ReadAs::Declared).unwrap(), games);
    std::fs::write(&path, "(;SZ[99])").unwrap();
    let error = read_sgf_file(&path, ReadAs::Declared).unwrap_err().to_string();
    assert!(error.contains("碁 набор é.sgf: SGF, byte 2: SZ"), "{error}");
    if cfg!(unix) {
        assert!(read_sgf_file(std::path::Path::new("/dev/zero"), ReadAs::Declared).is_err());
    }
}
