//! The fast core against the slow reference: random games under every rule, dense positions, and positions driven to
//! deep recursion by hill climbing. Not here: the case file (`cases.rs`), the trait contract (`contract.rs`).

use tengen_game::testkit::TestRng;
use tengen_game::{Action, BoardResult, Colour, Placement, Point, PointSet, Proof};
use tengen_renju::{FiveBoard, FiveRules, Kinds, Win};

mod slow;
use slow::Slow;

fn rules(text: &str) -> FiveRules {
    text.parse().expect(text)
}

/// Everything but turn and history.
fn check_maps(board: &FiveBoard, slow: &Slow) {
    for colour in Colour::BOTH {
        assert_eq!(board.fives(colour), slow.fives(colour), "fives of {colour}\n{board:?}");
        assert_eq!(board.fours(colour), slow.fours(colour), "fours of {colour}\n{board:?}");
        assert_eq!(board.open_threes(colour), slow.open_threes(colour), "open threes of {colour}\n{board:?}");
    }
    check_forbidden(board, slow);
}

fn check_forbidden(board: &FiveBoard, slow: &Slow) {
    let mut forbidden = PointSet::EMPTY;
    for p in slow.points() {
        let mut expected = Kinds::NONE;
        if slow.rules.win == Win::Renju && slow.is_empty(p) {
            let kinds = slow.kinds(p);
            let flags = [
                (kinds.five, Kinds::FIVE),
                (kinds.overline, Kinds::OVERLINE),
                (kinds.double_four, Kinds::DOUBLE_FOUR),
                (kinds.double_three, Kinds::DOUBLE_THREE),
            ];
            expected = flags.into_iter().filter(|f| f.0).fold(Kinds::NONE, |all, f| all.with(f.1));
        }
        assert_eq!(board.kinds(p), expected, "{:?}\n{board:?}", slow.rules.size.xy(p));
        if expected.is_forbidden() {
            forbidden.insert(p);
        }
    }
    assert_eq!(board.forbidden_for_black(), forbidden, "{board:?}");
}

/// Legal actions by the reference.
fn legal(slow: &Slow, to_play: Colour, passes: usize, over: bool) -> Vec<Action> {
    if over {
        return Vec::new();
    }
    let renju = slow.rules.win == Win::Renju;
    let allowed = |&p: &Point| slow.is_empty(p) && !(renju && to_play == Colour::Black && slow.kinds(p).is_forbidden());
    let mut legal: Vec<Action> = slow.points().filter(allowed).map(Action::point).collect();
    let stones = slow.cells.iter().flatten().count();
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
    let holds = |action: &&Action| match action.as_point() {
        None => passes == 1 || !threatened,
        Some(p) => slow.with(p, us).fives(!us).is_empty(),
    };
    let holding: Vec<Action> = legal.iter().filter(holds).copied().collect();
    let expected = match holding[..] {
        _ if !threatened || legal.is_empty() => None,
        [] => Some(Proof::Loss),
        [only] if only != Action::PASS => Some(Proof::Only(only)),
        _ => None,
    };
    assert_eq!(proof, expected, "holding {holding:?}\n{board:?}");
}

/// A random game with both boards side by side. `every` says how often the maps are compared.
fn game(rules: &FiveRules, rng: &mut TestRng, every: usize) {
    let mut board = FiveBoard::start(rules);
    let mut slow = Slow::new(rules);
    let (mut to_play, mut passes, mut result) = (Colour::Black, 0, None);
    loop {
        assert_eq!((board.to_play(), board.result()), (to_play, result), "{board:?}");
        let expected = legal(&slow, to_play, passes, result.is_some());
        let mut points = PointSet::EMPTY;
        board.legal_points(&mut points);
        assert_eq!(points, expected.iter().filter_map(|a| a.as_point()).collect(), "{board:?}");
        assert_eq!(board.pass_legal(), expected.contains(&Action::PASS));
        for a in (0..Action::END).map(Action) {
            assert_eq!(board.is_legal(a), expected.binary_search(&a).is_ok(), "{a:?}\n{board:?}");
        }
        if board.moves().is_multiple_of(every) || result.is_some() {
            check_maps(&board, &slow);
        }
        if result.is_some() {
            return;
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
        if result.is_none() && (passes == 2 || slow.cells.iter().all(Option::is_some)) {
            result = Some(BoardResult::Draw);
        }
        to_play = !to_play;
    }
}

#[test]
fn random_games_agree() {
    let mut rng = TestRng::new(1);
    for (text, games, every) in [
        ("game=five rules=freestyle size=3 win=3", 20, 1),
        ("game=five rules=freestyle size=6 win=4", 10, 1),
        ("game=five rules=freestyle size=22x3 win=6", 4, 2),
        ("game=five rules=freestyle size=9x15", 3, 4),
        ("game=five rules=freestyle size=22", 1, 48),
        ("game=five rules=standard size=7x5 win=3", 10, 1),
        ("game=five rules=standard size=8 win=4", 8, 1),
        ("game=five rules=standard size=4x22 win=6", 4, 2),
        ("game=five rules=standard size=15", 1, 8),
        ("game=five rules=renju size=5", 40, 1),
        ("game=five rules=renju size=7", 20, 1),
        ("game=five rules=renju size=9", 10, 2),
        ("game=five rules=renju size=15", 3, 6),
        ("game=five rules=renju size=22", 1, 64),
    ] {
        for _ in 0..games {
            game(&rules(text), &mut rng, every);
        }
    }
}

fn of_slow(slow: &Slow) -> FiveBoard {
    let (black, white) = (slow.set_of(Colour::Black), slow.set_of(Colour::White));
    FiveBoard::position(&slow.rules, &black, &white, Colour::Black).expect("sets are disjoint")
}

/// Random cells: of 100, `black` are black and `white` white.
fn random_position(rules: &FiveRules, rng: &mut TestRng, black: usize, white: usize) -> Slow {
    let mut slow = Slow::new(rules);
    for cell in &mut slow.cells {
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
    for text in ["rules=freestyle size=15", "rules=standard size=15", "rules=standard size=10x7 win=6"] {
        for _ in 0..15 {
            let black = 10 + rng.below(50);
            let slow = random_position(&rules(text), &mut rng, black, 25);
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
            let cell = rng.below(next.cells.len());
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

#[test]
#[ignore = "minutes: many more games, dense positions and climbs"]
fn long_agreement() {
    let mut rng = TestRng::new(99);
    for _ in 0..60 {
        game(&FiveRules::renju(), &mut rng, 2);
    }
    for _ in 0..3000 {
        let (black, white) = (8 + rng.below(45), rng.below(30));
        let slow = random_position(&FiveRules::renju(), &mut rng, black, white);
        check_forbidden(&of_slow(&slow), &slow);
    }
    for seed in 100..130 {
        climb(seed, 600);
    }
}
