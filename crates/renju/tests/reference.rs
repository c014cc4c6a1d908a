//! The fast core against the slow reference: random games under every rule, dense positions, and positions driven to
//! deep recursion by hill climbing. The default tests compare some 10,000 positions; the long ones (`--ignored`) several
//! 100,000. Not here: the case file (`cases.rs`), the trait contract (`contract.rs`), fours in a row (`fours.rs`).

use tengen_game::testkit::TestRng;
use tengen_game::{Action, BoardResult, Colour, Placement, Point, PointSet, Proof};
use tengen_renju::{FiveBoard, FiveRules, Kinds, Win};

#[allow(dead_code)] // each test file uses its part
mod slow;
use slow::Slow;

fn rules(text: &str) -> FiveRules {
    text.parse().expect(text)
}

/// Everything but turn and history.
fn check_maps(board: &FiveBoard, slow: &Slow) {
    for colour in Colour::BOTH {
        assert_eq!(board.fives(colour), slow.fives(colour), "fives of {colour}\n{board:?}");
        assert_eq!(board.four_shapes(colour), slow.four_shapes(colour), "four shapes of {colour}\n{board:?}");
        assert_eq!(board.three_shapes(colour), slow.three_shapes(colour), "three shapes of {colour}\n{board:?}");
        assert_eq!(board.fours(colour), slow.fours(colour), "fours of {colour}\n{board:?}");
        assert_eq!(board.open_threes(colour), slow.open_threes(colour), "open threes of {colour}\n{board:?}");
    }
    check_forbidden(board, slow);
}

fn expected_kinds(slow: &Slow, p: Point, colour: Colour) -> Kinds {
    match slow.rules.win {
        _ if !slow.is_empty(p) => Kinds::NONE,
        Win::Renju if colour == Colour::Black => {
            let kinds = slow.kinds(p);
            let flags = [
                (kinds.five, Kinds::FIVE),
                (kinds.overline, Kinds::OVERLINE),
                (kinds.double_four, Kinds::DOUBLE_FOUR),
                (kinds.double_three, Kinds::DOUBLE_THREE),
            ];
            flags.into_iter().filter(|f| f.0).fold(Kinds::NONE, |all, f| all.with(f.1))
        }
        Win::Omok { .. } if slow.with(p, colour).won_at(p) => Kinds::FIVE,
        Win::Omok { .. } if slow.forbids(p, colour) => Kinds::DOUBLE_THREE,
        _ => Kinds::NONE,
    }
}

fn check_forbidden(board: &FiveBoard, slow: &Slow) {
    for colour in Colour::BOTH {
        let mut forbidden = PointSet::EMPTY;
        for p in slow.points() {
            let expected = expected_kinds(slow, p, colour);
            assert_eq!(board.kinds_for(p, colour), expected, "{colour} {:?}\n{board:?}", slow.rules.size.xy(p));
            if expected.is_forbidden() {
                forbidden.insert(p);
            }
        }
        assert_eq!(board.forbidden_for(colour), forbidden, "{colour}\n{board:?}");
    }
}

/// Legal actions by the reference.
fn legal(slow: &Slow, to_play: Colour, passes: usize, over: bool) -> Vec<Action> {
    if over {
        return Vec::new();
    }
    let renju = slow.rules.win == Win::Renju;
    let allowed = |&p: &Point| slow.is_empty(p) && !slow.forbids(p, to_play);
    let mut legal: Vec<Action> = slow.points().filter(allowed).map(Action::point).collect();
    let stones = slow.points().filter(|&p| !slow.is_empty(p)).count();
    if renju && stones >= 3 && passes < 2 {
        legal.push(Action::PASS);
    }
    legal
}

/// What `proven(0)` may say, by trying every action and every reply.
fn check_proof(board: &FiveBoard, slow: &Slow, legal: &[Action], passes: usize) {
    let us = board.to_play();
    let wins = slow.fives(us);
    let proof = board.proven(0);
    if let Some(p) = wins.iter().next() {
        assert_eq!(proof, Some(Proof::Win(Action::point(p))), "{board:?}");
        return;
    }
    let threatened = !slow.fives(!us).is_empty();
    if !threatened {
        assert_eq!(proof, None, "{board:?}");
        return;
    }
    let holds = |action: &&Action| match action.as_point() {
        None => passes == 1,
        Some(p) => slow.with(p, us).fives(!us).is_empty(),
    };
    let holding: Vec<Action> = legal.iter().filter(holds).copied().collect();
    let expected = match holding[..] {
        _ if legal.is_empty() => None,
        [] => Some(Proof::Loss),
        [only] if only != Action::PASS => Some(Proof::Only(only)),
        _ => None,
    };
    assert_eq!(proof, expected, "holding {holding:?}\n{board:?}");
}

/// A random game with both boards side by side. `every` says how often the maps are compared. Returns the number of
/// positions compared.
fn game(rules: &FiveRules, rng: &mut TestRng, every: usize) -> usize {
    let mut board = FiveBoard::start(rules);
    let mut slow = Slow::new(rules);
    let (mut to_play, mut passes, mut result) = (Colour::Black, 0, None);
    loop {
        let expected = legal(&slow, to_play, passes, result.is_some());
        // Omok knows no pass: whoever may play nowhere ends the game.
        if result.is_none() && expected.is_empty() {
            result = Some(BoardResult::Draw);
        }
        assert_eq!((board.to_play(), board.result()), (to_play, result), "{board:?}");
        let mut points = PointSet::EMPTY;
        board.legal_points(&mut points);
        assert_eq!(points, expected.iter().filter_map(|a| a.as_point()).collect(), "{board:?}");
        assert_eq!(board.pass_legal(), expected.contains(&Action::PASS));
        let area = rules.size.area() as u16;
        for a in (0..area).chain(Action::PASS.0..Action::PASS.0 + 3).map(Action) {
            assert_eq!(board.is_legal(a), expected.binary_search(&a).is_ok(), "{a:?}\n{board:?}");
        }
        if board.moves().is_multiple_of(every) || result.is_some() {
            check_maps(&board, &slow);
        }
        if result.is_some() {
            return board.moves() + 1;
        }
        check_proof(&board, &slow, &expected, passes);
        // A block or a five now and then, so that games get long and proofs get work.
        let action = match board.proven(0) {
            Some(Proof::Only(a)) if rng.below(8) != 0 => a,
            _ => expected[rng.below(expected.len())],
        };
        board.place(action);
        match action.as_point() {
            None => passes += 1,
            Some(p) => {
                passes = 0;
                slow = slow.with(p, to_play);
                result = slow.won_at(p).then_some(BoardResult::Win(to_play));
            }
        }
        let full = slow.points().all(|p| !slow.is_empty(p));
        if result.is_none() && (passes == 2 || full) {
            result = Some(BoardResult::Draw);
        }
        to_play = !to_play;
    }
}

/// Rules, how many games of each in the default tests, and how often the maps are compared.
const GAMES: [(&str, usize, usize); 29] = [
    ("rules=freestyle size=3 win=3", 60, 1),
    ("rules=freestyle size=6 win=4", 20, 1),
    ("rules=freestyle size=22x3 win=6", 4, 3),
    ("rules=freestyle size=9x15", 2, 8),
    ("rules=freestyle size=22", 1, 64),
    ("rules=standard size=7x5 win=3", 20, 1),
    ("rules=standard size=8 win=4", 10, 2),
    ("rules=standard size=4x22 win=6", 4, 3),
    ("rules=standard size=15", 1, 16),
    ("rules=renju size=5", 60, 1),
    ("rules=renju size=6", 40, 1),
    ("rules=renju size=7", 30, 1),
    ("rules=renju size=9", 10, 2),
    ("rules=renju size=15", 2, 8),
    ("rules=renju size=22", 1, 96),
    ("rules=caro size=3 win=3", 60, 1),
    ("rules=caro size=6x7 win=4", 15, 1),
    ("rules=caro size=15", 1, 16),
    ("rules=caro:exact size=5x4 win=3", 40, 1),
    ("rules=caro:exact size=22x5", 1, 8),
    ("rules=caro:edge-blocks size=6 win=3", 40, 1),
    ("rules=caro:edge-blocks size=9 win=6", 4, 4),
    ("rules=caro:exact+edge-blocks size=7 win=4", 15, 1),
    ("rules=caro:exact+edge-blocks size=3x22 win=5", 4, 3),
    ("rules=omok size=6", 40, 1),
    ("rules=omok size=15", 1, 16),
    ("rules=omok:exact size=5x9", 12, 1),
    ("rules=omok:real-threes size=9", 6, 2),
    ("rules=omok:exact+real-threes size=7", 20, 1),
];

#[test]
fn random_games_agree() {
    let mut rng = TestRng::new(1);
    let mut positions = 0;
    for (text, games, every) in GAMES {
        for _ in 0..games {
            positions += game(&rules(text), &mut rng, every);
        }
    }
    assert!(positions >= 10_000, "only {positions} positions");
}

fn of_slow(slow: &Slow) -> FiveBoard {
    let (black, white) = (slow.set_of(Colour::Black), slow.set_of(Colour::White));
    FiveBoard::position(&slow.rules, &black, &white, Colour::Black).expect("sets are disjoint")
}

/// Random cells: of 100, `black` are black and `white` white.
fn random_position(rules: &FiveRules, rng: &mut TestRng, black: usize, white: usize) -> Slow {
    let mut slow = Slow::new(rules);
    for cell in &mut slow.cells[..rules.size.area()] {
        let roll = rng.below(100);
        *cell = if roll < black { Some(Colour::Black) } else { (roll < black + white).then_some(Colour::White) };
    }
    slow
}

#[test]
fn dense_positions_agree() {
    let mut rng = TestRng::new(2);
    for side in [5, 6, 9, 12, 15, 22] {
        let rules = rules(&format!("rules=renju size={side}"));
        for _ in 0..400 / side {
            let black = 8 + rng.below(45);
            let white = rng.below(30);
            let slow = random_position(&rules, &mut rng, black, white);
            check_maps(&of_slow(&slow), &slow);
        }
    }
    for text in [
        "rules=freestyle size=15",
        "rules=standard size=15",
        "rules=standard size=10x7 win=6",
        "rules=caro size=9",
        "rules=caro:exact+edge-blocks size=9x8 win=4",
        "rules=omok size=11",
        "rules=omok:exact size=9",
        "rules=omok:real-threes size=11",
        "rules=omok:exact+real-threes size=9x12",
    ] {
        for _ in 0..12 {
            let (black, white) = (10 + rng.below(40), 10 + rng.below(30));
            let slow = random_position(&rules(text), &mut rng, black, white);
            check_maps(&of_slow(&slow), &slow);
        }
    }
}

/// Climbs towards deep recursion from sparse black stones and compares on the way. Returns the deepest level.
fn climb(seed: u64, steps: usize) -> usize {
    let rules = FiveRules::renju();
    let mut rng = TestRng::new(seed);
    let depth = |slow: &Slow| {
        slow.deepest.set(0);
        let forbidden = slow.forbidden().len();
        (slow.deepest.get(), forbidden)
    };
    let mut best = random_position(&rules, &mut rng, 10, 0);
    let mut score = depth(&best);
    for _ in 0..steps {
        let mut next = best.clone();
        for _ in 0..1 + rng.below(3) {
            let cell = rng.below(rules.size.area());
            next.cells[cell] = match rng.below(8) {
                0..=3 => None,
                4..=6 => Some(Colour::Black),
                _ => Some(Colour::White),
            };
        }
        let reached = depth(&next);
        if reached >= score {
            check_forbidden(&of_slow(&next), &next);
            (best, score) = (next, reached);
        }
    }
    score.0
}

#[test]
fn deep_recursion_agrees() {
    let deepest = (0..4).map(|seed| climb(seed, 80)).max();
    assert!(deepest >= Some(4), "the climb should reach deep recursion, got {deepest:?}");
}

/// Every rule, several 100,000 positions of random games. `TENGEN_LONG` multiplies the default games.
#[test]
#[ignore = "minutes: 60 times the default games; every move's legality compared, maps as often as there"]
fn many_random_games_agree() {
    let times: usize = std::env::var("TENGEN_LONG").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut rng = TestRng::new(99);
    let mut positions = 0;
    for (text, games, every) in GAMES {
        for _ in 0..games * times {
            positions += game(&rules(text), &mut rng, every);
        }
    }
    println!("{positions} positions agree");
    assert!(positions >= 10_000 * times);
}

#[test]
#[ignore = "minutes: many dense positions, and climbs to recursion of depth 5 and more"]
fn many_deep_positions_agree() {
    let mut rng = TestRng::new(99);
    for _ in 0..3000 {
        let (black, white) = (8 + rng.below(45), rng.below(30));
        let slow = random_position(&FiveRules::renju(), &mut rng, black, white);
        check_forbidden(&of_slow(&slow), &slow);
    }
    let deepest = (100..130).map(|seed| climb(seed, 600)).max();
    println!("deepest recursion {deepest:?}");
    assert!(deepest >= Some(5), "the climbs should reach deep recursion, got {deepest:?}");
}
