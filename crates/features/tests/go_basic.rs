//! The project's own inputs of Go: every input that `go-basic-2` adds says what it should where it matters, and neither
//! set's inputs ever change, because models on disk were trained on them.

use tengen_features::{Encode, FeatureSpec, Frame};
use tengen_game::notation::Letters;
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Game, zobrist};
use tengen_go::GoBoard;
use tengen_opening::Seated;

type Go = Seated<GoBoard>;

/// Rules that between them have every value of every field.
const RULES: [&str; 10] = [
    "rules=tromp-taylor size=5 early_end=true",
    "rules=chinese size=4x5",
    "rules=japanese size=4",
    "rules=czech size=3 suicide=all cycle=draw",
    "rules=esperanto-japanese size=4 tax=all",
    "rules=aga size=4 end=white-last",
    "rules=aga-button size=4",
    "rules=ing-like size=3",
    "rules=stone-scoring size=4 ko=none",
    "rules=nz size=4 ko=spight suicide=all",
];

fn setup(rules: &str) -> <Go as Game>::Setup {
    format!("game=go {rules} opening=none").parse().unwrap_or_else(|e| panic!("{rules}: {e}"))
}

fn inputs(game: &Go, spec: &FeatureSpec) -> (Vec<f32>, Vec<f32>) {
    let size = game.size();
    let (width, height) = (size.width(), size.height());
    let (mut planes, mut globals) = (vec![0.0; spec.planes * size.area()], vec![0.0; spec.globals]);
    game.encode(spec, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
    (planes, globals)
}

/// Every position of random games under `RULES`.
fn each_position(mut visit: impl FnMut(&str, &Go)) {
    for (i, rules) in RULES.into_iter().enumerate() {
        let (setup, mut rng, mut legal) = (setup(rules), TestRng::new(i as u64), Vec::new());
        for _ in 0..4 {
            let mut game = Go::start(&setup);
            loop {
                visit(rules, &game);
                game.legal(&mut legal);
                if legal.is_empty() || game.plies() > 120 {
                    break;
                }
                game.apply(legal[rng.below(legal.len())]);
            }
        }
    }
}

fn sum(set: &str) -> u64 {
    let (mut sum, mut positions) = (0, 0);
    each_position(|rules, game| {
        let spec = Go::spec(&[setup(rules)], set).expect("a known set");
        let (planes, globals) = inputs(game, &spec);
        sum = planes.iter().chain(&globals).fold(sum, |h, v| zobrist::mix(h ^ u64::from(v.to_bits())));
        positions += 1;
    });
    assert!(positions > 1000, "{positions}");
    sum
}

#[test]
fn a_set_never_changes() {
    assert_eq!(sum("go-basic-1"), 215108250647269184);
    assert_eq!(sum("go-basic-2"), 3597325488410915589);
}

/// What every network of the first set has learned means the same in the second.
#[test]
fn the_second_set_begins_with_the_first() {
    each_position(|rules, game| {
        let [first, second] = ["go-basic-1", "go-basic-2"].map(|set| {
            let spec = Go::spec(&[setup(rules)], set).expect("a known set");
            inputs(game, &spec)
        });
        assert_eq!(first.0, second.0[..first.0.len()], "{rules}");
        assert_eq!(first.1, second.1[..first.1.len()], "{rules}");
    });
}

#[test]
fn a_new_network_gets_the_simplest_set_that_shows_the_state() {
    let set = |rules: &[&str], name: &str| {
        let setups: Vec<_> = rules.iter().map(|rules| setup(rules)).collect();
        Go::spec(&setups, name).expect("a set").set
    };
    for plain in ["tromp-taylor", "chinese", "chinese-kgs", "nz", "aga", "tromp-taylor size=9 early_end=true"] {
        assert_eq!(set(&[&format!("rules={plain}")], ""), "go-basic-1", "{plain}");
    }
    for other in [
        "japanese",
        "aga-button",
        "ing-like",
        "stone-scoring",
        "nz ko=spight",
        "aga end=white-last",
        "chinese ko=simple cycle=draw",
    ] {
        assert_eq!(set(&[&format!("rules={other}")], ""), "go-basic-2", "{other}");
    }
    assert_eq!(set(&["rules=nz komi=6.5", "rules=nz size=9 komi=7"], ""), "go-basic-1", "boards and komi are seen");
    assert_eq!(set(&["rules=nz", "rules=chinese"], ""), "go-basic-2", "which rules it is isn't");
    assert_eq!(set(&["rules=tromp-taylor"], "go-basic"), "go-basic-2", "the newest");
    assert_eq!(set(&["rules=japanese"], "go-basic-1"), "go-basic-1", "what is named goes");
}

/// A position under `rules`: from rows of stones (or the start), after some moves. Black begins.
fn position(rules: &str, rows: &[&str], moves: &str) -> Go {
    let setup = setup(rules);
    let board = match rows {
        [] => GoBoard::new(setup.rules()),
        rows => GoBoard::from_position(setup.rules(), rows, Colour::Black).expect("a position"),
    };
    let mut game = Go::from_board(setup, board).expect("plain play");
    for name in moves.split_whitespace() {
        let action = Letters::WithoutI.parse_action(game.size(), name).expect(name);
        assert!(game.is_legal(action), "{rules}: {name}");
        game.apply(action);
    }
    game
}

fn second(game: &Go) -> (Vec<f32>, Vec<f32>) {
    let spec = Go::spec(&[game.setup().clone()], "go-basic-2").expect("a known set");
    assert_eq!((spec.planes, spec.globals), (16, 26));
    inputs(game, &spec)
}

/// The points of a plane by name.
fn points(game: &Go, plane: usize) -> String {
    let (planes, size) = (second(game).0, game.size());
    let set = size.points().filter(|p| planes[plane * size.area() + p.index()] == 1.0);
    set.map(|p| Letters::WithoutI.name(size, p)).collect::<Vec<_>>().join(" ")
}

/// The numbers that aren't 0, of those that begin with `from`.
fn numbers(game: &Go, from: usize) -> Vec<(usize, f32)> {
    second(game).1.into_iter().enumerate().skip(from).filter(|&(_, v)| v != 0.0).collect()
}

#[test]
fn every_field_of_the_rules_has_its_number() {
    // Positional superko and suicide of several stones: the rules that the others are written as differences from.
    const POSITIONAL: (usize, f32) = (15, 1.0);
    const SUICIDE: (usize, f32) = (18, 1.0);
    let cases: [(&str, &[(usize, f32)]); 22] = [
        ("", &[POSITIONAL, SUICIDE]),
        ("scoring=half-area", &[POSITIONAL, SUICIDE]),
        ("illegal=loses finish=agreement bonus=N komi=3", &[POSITIONAL, SUICIDE]),
        ("button=true", &[(8, 1.0), POSITIONAL, SUICIDE]),
        ("scoring=territory", &[(9, 1.0), POSITIONAL, SUICIDE]),
        ("tax=seki", &[(10, 1.0), POSITIONAL, SUICIDE]),
        ("tax=all", &[(10, 1.0), (11, 1.0), POSITIONAL, SUICIDE]),
        ("tie=black", &[(12, 1.0), POSITIONAL, SUICIDE]),
        ("tie=white", &[(12, -1.0), POSITIONAL, SUICIDE]),
        ("ko=none", &[(13, 1.0), SUICIDE]),
        ("ko=last-position", &[(14, 1.0), SUICIDE]),
        ("ko=simple", &[SUICIDE]),
        ("ko=situational", &[(16, 1.0), SUICIDE]),
        ("ko=spight", &[(17, 1.0), SUICIDE]),
        ("suicide=none", &[POSITIONAL]),
        ("suicide=all", &[POSITIONAL, SUICIDE, (19, 1.0)]),
        ("ko=simple cycle=no-result", &[SUICIDE, (20, 1.0)]),
        ("ko=simple cycle=draw", &[SUICIDE, (20, 1.0), (21, 1.0)]),
        ("end=repeat", &[POSITIONAL, SUICIDE, (22, 1.0)]),
        ("end=white-last", &[POSITIONAL, SUICIDE, (23, 1.0)]),
        ("end=pairs", &[POSITIONAL, SUICIDE, (24, 1.0)]),
        ("early_end=true", &[POSITIONAL, SUICIDE, (25, 1.0)]),
    ];
    for (rules, expected) in cases {
        let rules = format!("rules=tromp-taylor size=5 {rules}");
        assert_eq!(numbers(&position(&rules, &[], ""), 4), expected, "{rules}");
    }
    // Whoever wins equal points does so for both colours.
    let white = position("rules=tromp-taylor size=5 tie=white", &[], "C3");
    assert_eq!(numbers(&white, 4), [(12, 1.0), POSITIONAL, SUICIDE]);
}

/// What passes do now, and how many there were.
#[test]
fn passes_are_told_as_the_rules_count_them() {
    let told = |rules: &str, moves: &str| {
        let game = position(&format!("rules={rules} size=5"), &[], moves);
        let globals = second(&game).1;
        (globals[6], globals[7])
    };
    assert_eq!(told("tromp-taylor", "C3"), (0.0, 0.0));
    assert_eq!(told("tromp-taylor", "C3 pass"), (1.0, 0.25));
    // Four passes, or two of which White's is the last, else three.
    assert_eq!(told("ing-like", "pass"), (0.0, 0.25));
    assert_eq!(told("ing-like", "pass pass"), (0.0, 0.5));
    assert_eq!(told("ing-like", "pass pass pass"), (1.0, 0.75));
    assert_eq!(told("aga end=white-last", "pass"), (1.0, 0.25));
    assert_eq!(told("aga end=white-last", "C3 pass"), (0.0, 0.25));
    assert_eq!(told("aga end=white-last", "C3 pass pass"), (1.0, 0.5));
    // The pass that takes the button doesn't count.
    assert_eq!(told("aga-button", "pass"), (0.0, 0.0));
    assert_eq!(told("aga-button", "pass pass"), (1.0, 0.25));
}

/// The number that says so is 1 exactly where a pass ends the game or its phase, be it because somebody has passed there
/// before.
#[test]
fn a_pass_that_ends_is_told() {
    let mut repeats = 0;
    each_position(|rules, game| {
        if game.board().is_over() {
            return;
        }
        let mut board = game.board().clone();
        let (phase, passes) = (board.phase(), board.passes());
        board.place(Action::PASS);
        let ends = board.is_over() || board.phase() != phase;
        assert_eq!(second(game).1[6] == 1.0, ends, "{rules} {}", game.board());
        repeats += usize::from(ends && passes == 0);
    });
    assert!(repeats > 0, "{repeats}");
}

/// The button is there until somebody has it, and then half a point of komi.
#[test]
fn the_button_is_there_or_paid() {
    let told = |moves: &str| {
        let globals = second(&position("rules=aga-button size=5", &[], moves)).1;
        (globals[8], globals[1] * 20.0)
    };
    assert_eq!(told(""), (1.0, -7.0));
    assert_eq!(told("C3 D3"), (1.0, -7.0));
    assert_eq!(told("pass C3"), (0.0, -6.5));
    assert_eq!(told("C3 pass"), (0.0, -7.5));
}

#[test]
fn the_clean_up_is_told() {
    let rows = [".XO..", "XO.O.", ".XO..", ".....", "....."];
    let at = |moves: &str| position("rules=japanese size=5", &rows, moves);
    let phase = |game: &Go| (second(game).1[4], second(game).1[5]);
    let sets = |game: &Go| [12, 13, 14].map(|plane| points(game, plane));
    assert_eq!((phase(&at("E1 pass")), sets(&at("E1 pass"))), ((0.0, 0.0), Default::default()));
    let first = at("pass pass C4");
    assert_eq!((phase(&first), sets(&first)), ((1.0, 0.0), ["C4", "", ""].map(String::from)));
    // White passes for the ko.
    assert_eq!(sets(&at("pass pass C4 B4"))[0], "");
    let second = at("pass pass C4 pass pass");
    assert_eq!((phase(&second)), (1.0, 1.0));
    assert_eq!(sets(&second), ["", "C5 D4 C3", "B5 A4 C4 B3"].map(String::from), "White is to play");
    assert_eq!(sets(&at("pass pass C4 pass pass A1"))[1..], ["B5 A4 C4 B3", "C5 D4 C3"].map(String::from));
}

#[test]
fn a_stone_that_ends_a_long_cycle_is_told() {
    let rows = ["OOOOOOO", "OXO.O.O", "X.XOXOX", "XXXXXXX", "OOOOOOO", "......."];
    let told = |cycle: &str, moves: &str| {
        points(&position(&format!("rules=chinese ko=simple size=7x6 cycle={cycle}"), &rows, moves), 15)
    };
    let round = "D5 B4 F5 D4 B5";
    for cycle in ["no-result", "draw"] {
        assert_eq!(told(cycle, round), "", "the second coming");
        assert_eq!(told(cycle, &format!("{round} F4 {round}")), "F4");
        assert_eq!(told(cycle, &format!("{round} F4 pass G1 {round}")), "", "a pass begins anew");
    }
    assert_eq!(told("allowed", &format!("{round} F4 {round}")), "");
}
