//! Victory by continuous fours against a brute-force solver under every rule, its lines replayed, its wins played out
//! against every reply. Not here: one-ply proofs (`reference.rs`).

use std::collections::HashMap;

use tengen_game::notation::Letters;
use tengen_game::testkit::TestRng;
use tengen_game::{Action, BoardResult, Colour, Placement, Point, PointSet, Proof};
use tengen_renju::{FiveBoard, FiveRules, Vcf};

#[allow(dead_code)] // each test file uses its part
mod slow;
use slow::Slow;

const BUDGET: u32 = 2000;
/// More than any position here needs.
const PLENTY: u32 = 1_000_000;

fn legal(board: &FiveBoard) -> Vec<Action> {
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    let pass = board.pass_legal().then_some(Action::PASS);
    points.iter().map(Action::point).chain(pass).collect()
}

/// Plays the proven move of the side to play and then every reply, down to the end of every game.
fn plays_out(board: &mut FiveBoard, longest: &mut usize, depth: usize) {
    let us = board.to_play();
    let Some(Proof::Win(action)) = board.proven(BUDGET) else {
        panic!("a proven win is proven after every reply\n{board:?}")
    };
    assert!(board.is_legal(action), "{action:?}\n{board:?}");
    *longest = depth.max(*longest);
    board.place(action);
    if let Some(result) = board.result() {
        assert_eq!(result, BoardResult::Win(us), "{board:?}");
    }
    for reply in legal(board) {
        board.place(reply);
        assert_eq!(board.result(), None, "a reply may not end the game\n{board:?}");
        plays_out(board, longest, depth + 1);
        board.undo();
    }
    board.undo();
}

/// Black and White each on about `share` of 100 points.
fn random_sets(rules: &FiveRules, rng: &mut TestRng, share: usize) -> [PointSet; 2] {
    let mut sets = [PointSet::EMPTY; 2];
    for p in rules.size.points() {
        match rng.below(100) {
            roll if roll < share => sets[0].insert(p),
            roll if roll < 2 * share => sets[1].insert(p),
            _ => {}
        }
    }
    sets
}

#[test]
fn proven_wins_beat_every_reply() {
    let mut rng = TestRng::new(11);
    for (text, positions) in [
        ("rules=freestyle size=6 win=4", 300),
        ("rules=standard size=8 win=4", 150),
        ("rules=renju size=9", 500),
        ("rules=renju size=15", 150),
        ("rules=caro size=8 win=4", 200),
        ("rules=caro:exact+edge-blocks size=9", 400),
        ("rules=omok size=9", 400),
        ("rules=omok:exact+real-threes size=9", 400),
    ] {
        let rules: FiveRules = text.parse().unwrap();
        let (mut wins, mut longest) = (0, 0);
        for _ in 0..positions {
            let share = 10 + rng.below(25);
            let [black, white] = random_sets(&rules, &mut rng, share);
            let colour = Colour::BOTH[rng.below(2)];
            let mut board = FiveBoard::position(&rules, &black, &white, colour).unwrap();
            if board.result().is_none() && board.proven(0).is_none() && board.proven(BUDGET).is_some() {
                wins += 1;
                plays_out(&mut board, &mut longest, 0);
            }
        }
        assert!(wins >= 10 && longest >= 2, "{text}: {wins} wins, longest {longest}");
    }
}

/// Whether `us`, to play, wins by continuous fours: every allowed stone that threatens to win while the opponent can't,
/// against every reply.
fn slow_vcf(slow: &Slow, us: Colour, memo: &mut HashMap<Vec<Option<Colour>>, bool>) -> bool {
    if !slow.fives(us).is_empty() {
        return true;
    }
    let key = slow.cells[..slow.rules.size.area()].to_vec();
    if let Some(&known) = memo.get(&key) {
        return known;
    }
    let allowed = |board: &Slow, p: Point, colour| board.is_empty(p) && !board.forbids(p, colour);
    let wins = slow.points().any(|p| {
        if !allowed(slow, p, us) {
            return false;
        }
        let four = slow.with(p, us);
        if four.fives(us).is_empty() || !four.fives(!us).is_empty() {
            return false;
        }
        let mut replies = four.points().filter(|&q| allowed(&four, q, !us)).peekable();
        // In omok a player without any allowed point ends the game as a draw; in renju Black passes and loses.
        if replies.peek().is_none() && slow.rules.win.name().starts_with("omok") {
            return false;
        }
        replies.all(|q| {
            let after = four.with(q, !us);
            !after.fives(us).is_empty() || slow_vcf(&after, us, memo)
        })
    });
    memo.insert(key, wins);
    wins
}

/// Replays a winning line: fours, forced answers, and an end that nothing stops.
fn check_line(board: &FiveBoard, line: &[Point]) {
    let mut board = board.clone();
    let us = board.to_play();
    for (i, &p) in line.iter().enumerate() {
        assert_eq!(board.result(), None, "nothing follows the end\n{board:?}");
        assert!(board.is_legal(Action::point(p)), "{p:?} of {line:?}\n{board:?}");
        board.place(Action::point(p));
        match board.result() {
            Some(result) => assert_eq!((result, i + 1), (BoardResult::Win(us), line.len()), "{board:?}"),
            None if i % 2 == 0 => {
                assert!(!board.fives(us).is_empty() && board.fives(!us).is_empty(), "{p:?} is no four\n{board:?}")
            }
            None => assert!(board.fives(us).is_empty() || i + 2 == line.len(), "{p:?} is no answer\n{board:?}"),
        }
    }
    if board.result().is_none() {
        assert_eq!(board.to_play(), !us, "the line ends with the attacker");
        for reply in legal(&board) {
            board.place(reply);
            assert!(board.result().is_none() && !board.fives(us).is_empty(), "{reply:?} stops it\n{board:?}");
            board.undo();
        }
    }
}

/// Compares a random position; returns the length of the winning line, 0 if there is none.
fn compare(rules: &FiveRules, rng: &mut TestRng, memo: &mut HashMap<Vec<Option<Colour>>, bool>) -> Option<usize> {
    let share = 8 + rng.below(27);
    let [black, white] = random_sets(rules, rng, share);
    let us = Colour::BOTH[rng.below(2)];
    let board = FiveBoard::position(rules, &black, &white, us).unwrap();
    if board.result().is_some() || !board.fives(us).is_empty() {
        return None;
    }
    let mut slow = Slow::new(rules);
    for (colour, set) in [(Colour::Black, black), (Colour::White, white)] {
        set.iter().for_each(|p| slow.cells[p.index()] = Some(colour));
    }
    memo.clear();
    let expected = slow_vcf(&slow, us, memo);
    let found = board.vcf(PLENTY);
    for budget in [0, 1, 3] {
        let early = board.vcf(budget);
        assert!(early == found || early == Vcf::OutOfBudget, "budget {budget}: {early:?}, {found:?}\n{board:?}");
    }
    match found {
        Vcf::Win(line) => {
            assert!(expected, "{line:?} is no win\n{board:?}");
            check_line(&board, &line);
            Some(line.len())
        }
        Vcf::None => {
            assert!(!expected, "a win is missed\n{board:?}");
            Some(0)
        }
        Vcf::OutOfBudget => panic!("the budget is plenty\n{board:?}"),
    }
}

/// Rules and how many random positions of each the default test compares.
const SOLVED: [(&str, usize); 16] = [
    ("rules=freestyle size=5 win=4", 200),
    ("rules=freestyle size=7x6", 200),
    ("rules=standard size=6 win=4", 150),
    ("rules=standard size=7", 150),
    ("rules=renju size=6", 400),
    ("rules=renju size=7", 300),
    ("rules=renju size=9", 60),
    ("rules=caro size=5 win=3", 200),
    ("rules=caro size=7 win=4", 100),
    ("rules=caro:exact size=6 win=4", 150),
    ("rules=caro:edge-blocks size=8x7", 250),
    ("rules=caro:exact+edge-blocks size=6 win=4", 150),
    ("rules=omok size=7", 150),
    ("rules=omok:exact size=7", 150),
    ("rules=omok:real-threes size=7", 100),
    ("rules=omok:exact+real-threes size=8x6", 100),
];

fn solve_all(seed: u64, times: usize) -> usize {
    let mut memo = HashMap::new();
    let mut compared = 0;
    for (text, positions) in SOLVED {
        let rules: FiveRules = text.parse().unwrap();
        let mut rng = TestRng::new(seed);
        let lengths: Vec<usize> = (0..positions * times).filter_map(|_| compare(&rules, &mut rng, &mut memo)).collect();
        let wins = lengths.iter().filter(|&&length| length > 0).count();
        let longest = lengths.iter().max();
        assert!(wins >= 4 && wins < lengths.len() && longest >= Some(&3), "{text}: {wins} wins, longest {longest:?}");
        compared += lengths.len();
    }
    compared
}

#[test]
fn the_solver_agrees_with_brute_force() {
    assert!(solve_all(5, 1) >= 1000);
}

#[test]
#[ignore = "minutes: 40 times the default positions"]
fn the_solver_agrees_with_brute_force_on_many() {
    println!("{} positions agree", solve_all(6, 40));
}

fn set_up(black: &str, white: &str, to_play: Colour) -> FiveBoard {
    let rules = FiveRules::renju();
    let points = |names: &str| -> PointSet {
        names.split_whitespace().map(|name| Letters::WithI.point(rules.size, name).expect(name)).collect()
    };
    FiveBoard::position(&rules, &points(black), &points(white), to_play).unwrap()
}

fn line(board: &FiveBoard) -> String {
    match board.vcf(PLENTY) {
        Vcf::Win(line) => {
            check_line(board, &line);
            line.iter().map(|&p| Letters::WithI.name(board.size(), p)).collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn lines_are_told() {
    let (black, white) = (Colour::Black, Colour::White);
    assert_eq!(line(&set_up("a1 b1 c1 d1", "h8 h9 j9", black)), "E1", "a winning row is the whole line");
    // A four, its answer, and a straight four that nothing stops.
    let fours = "b8 c8 d8 e5 e6";
    assert_eq!(line(&set_up(fours, "a8 o1 o3 o5 o7", black)), "E8 F8 E7");
    assert_eq!(line(&set_up("h8 h9", "a1 c1", black)), "None");
    assert_eq!(set_up("h8 i8 j8", "a15 c15 e15", black).vcf(0), Vcf::OutOfBudget);
    assert_eq!(line(&set_up("a1 c1 e1", "h8 i8 j8 h9", white)).split(' ').count(), 1, "an open four ends the line");
}

/// An answer of White's can make a point forbidden: J10 spoils a four through it that made another point a double-four,
/// so that a three of H9 becomes real, and H9 a double-three.
#[test]
fn answers_change_what_is_forbidden() {
    let mut board = set_up("h12 j12 k12 f11 h11 g10 h10 j9 j8 h5 i4", "f6 g6 d5", Colour::Black);
    let at = |name| Letters::WithI.point(FiveRules::renju().size, name).unwrap();
    board.place(Action::point(at("j11")));
    assert_eq!(board.fives(Colour::Black).iter().collect::<Vec<_>>(), [at("j10")]);
    assert!(board.fours(Colour::Black).contains(at("h9")), "allowed before the answer");
    board.place(Action::point(at("j10")));
    assert!(board.four_shapes(Colour::Black).contains(at("h9")));
    assert!(!board.fours(Colour::Black).contains(at("h9")) && !board.is_legal(Action::point(at("h9"))));
    if let Vcf::Win(line) = board.vcf(PLENTY) {
        check_line(&board, &line);
    }
}

/// White wins by a four whose only answer is forbidden to Black, and not if that answer is allowed.
#[test]
fn a_forbidden_block_is_no_block() {
    // White's four on row 5 has its gap on E5, where Black would make six in column E.
    let white = "a5 b5 d5 o1";
    let board = set_up("e2 e3 e4 e6 e7 n9", white, Colour::White);
    assert_eq!(line(&board), "C5");
    let board = set_up("e2 e3 n8 e6 e7 n9", white, Colour::White);
    assert_eq!(line(&board), "None");
}

/// White's six is a win for White and nothing for Black, in the four as in the end.
#[test]
fn overlines_win_for_white_only() {
    // D8 makes C D . F G H: the stone on E8 would be a row of six.
    let (own, other) = ("c8 f8 g8 h8", "a1 a3 a5 a7");
    let black = set_up(own, other, Colour::Black);
    let white = set_up(other, own, Colour::White);
    let d8 = Letters::WithI.point(black.size(), "d8").unwrap();
    assert!(!black.fours(Colour::Black).contains(d8));
    assert!(white.fours(Colour::White).contains(d8));
}
