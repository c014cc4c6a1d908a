//! The contract of `Placement`: conformance, make and unmake, hashes, set-up positions, known counts and positions.
//! Not here: agreement with the reference (`reference.rs`).

use tengen_game::notation::Letters;
use tengen_game::testkit::{TestRng, conformance};
use tengen_game::{Action, BoardResult, Colour, Game, Outcome, Placement, Point, PointSet, Proof, Seat, Size};
use tengen_renju::{FiveBoard, FiveRules, Kinds};

/// Seats are colours: the least that makes a game of a board.
#[derive(Clone, Debug)]
struct Plain(FiveBoard);

impl Game for Plain {
    type Setup = FiveRules;

    fn start(setup: &FiveRules) -> Plain {
        Plain(FiveBoard::start(setup))
    }
    fn setup(&self) -> &FiveRules {
        self.0.rules()
    }
    fn size(&self) -> Size {
        self.0.size()
    }
    fn to_act(&self) -> Seat {
        Seat::BOTH[self.0.to_play().index()]
    }
    fn legal(&self, out: &mut Vec<Action>) {
        let mut points = PointSet::EMPTY;
        self.0.legal_points(&mut points);
        out.clear();
        out.extend(points.iter().map(Action::point));
        if self.0.pass_legal() {
            out.push(Action::PASS);
        }
    }
    fn is_legal(&self, action: Action) -> bool {
        self.0.is_legal(action)
    }
    fn apply(&mut self, action: Action) {
        self.0.place(action);
    }
    fn undo(&mut self) {
        self.0.undo();
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.result().map(|result| match result {
            BoardResult::Win(colour) => Outcome::Win(Seat::BOTH[colour.index()]),
            BoardResult::Draw => Outcome::Draw,
            BoardResult::NoResult => Outcome::NoResult,
        })
    }
    fn hash(&self) -> u64 {
        self.0.hash()
    }
    fn plies(&self) -> usize {
        self.0.moves()
    }
}

#[test]
fn conforms() {
    for (text, games) in [
        ("rules=freestyle size=3 win=3", 30),
        ("rules=freestyle size=6 win=4", 10),
        ("rules=freestyle size=9x5", 6),
        ("rules=standard size=7x9 win=4", 6),
        ("rules=standard size=15", 2),
        ("rules=renju size=5", 20),
        ("rules=renju size=9", 6),
        ("rules=renju size=15", 3),
        ("rules=renju size=22", 1),
        ("rules=caro size=6x5 win=4", 10),
        ("rules=caro:exact+edge-blocks size=9", 6),
        ("rules=omok size=6", 10),
        ("rules=omok:exact size=5x11", 6),
        ("rules=omok:exact+real-threes size=8", 6),
    ] {
        let rules: FiveRules = text.parse().unwrap();
        assert_eq!(conformance::<Plain>(&rules, 7, games, 2000), games, "{text}: every game ends");
    }
}

fn play(rules: &str, moves: &str) -> FiveBoard {
    let mut board = FiveBoard::start(&rules.parse().unwrap());
    for (i, name) in moves.split_whitespace().enumerate() {
        let action = Letters::WithI.parse_action(board.size(), name).expect(name);
        assert!(board.is_legal(action), "move {} {name}\n{board:?}", i + 1);
        board.place(action);
    }
    board
}

fn at(board: &FiveBoard, name: &str) -> Point {
    Letters::WithI.point(board.size(), name).expect(name)
}

fn set_up(black: &str, white: &str, to_play: Colour) -> FiveBoard {
    let rules = FiveRules::renju();
    let points = |names: &str| -> PointSet {
        names.split_whitespace().map(|name| Letters::WithI.point(rules.size, name).expect(name)).collect()
    };
    FiveBoard::position(&rules, &points(black), &points(white), to_play).unwrap()
}

/// Every answer of a position, as text.
fn answers(board: &FiveBoard) -> String {
    let mut legal = PointSet::EMPTY;
    board.legal_points(&mut legal);
    let maps = Colour::BOTH.map(|c| [board.fives(c), board.fours(c), board.open_threes(c), board.forbidden_for(c)]);
    let back = board.move_back(0);
    let facts = (board.result(), board.pass_legal(), board.hash(), board.proven(0), board.moves(), back);
    format!("{board:?}{legal:?}{maps:?}{facts:?}")
}

#[test]
fn unmaking_leaves_no_trace() {
    let mut rng = TestRng::new(3);
    for text in [
        "rules=renju size=9",
        "rules=freestyle size=7 win=4",
        "rules=renju size=15",
        "rules=caro size=7 win=4",
        "rules=omok:real-threes size=9",
    ] {
        let rules: FiveRules = text.parse().unwrap();
        let mut board = FiveBoard::start(&rules);
        let mut actions: Vec<Action> = Vec::new();
        for step in 0..600 {
            let mut legal = Vec::new();
            Plain(board.clone()).legal(&mut legal);
            if !legal.is_empty() && rng.below(5) < 3 {
                let action = legal[rng.below(legal.len())];
                board.place(action);
                actions.push(action);
            } else if actions.pop().is_some() {
                board.undo();
            }
            if step % 10 == 0 {
                let mut fresh = FiveBoard::start(&rules);
                actions.iter().for_each(|&a| fresh.place(a));
                assert_eq!(answers(&board), answers(&fresh));
                for (back, &action) in actions.iter().rev().enumerate() {
                    let colour = Colour::BOTH[(actions.len() - 1 - back) % 2];
                    assert_eq!(board.move_back(back), Some((colour, action)));
                }
                assert_eq!(board.move_back(actions.len()), None);
            }
        }
    }
}

#[test]
fn hashes_know_position_turn_and_passes_only() {
    let rules = "rules=renju";
    let one = play(rules, "h8 h9 i10 a1");
    assert_eq!(one.hash(), play(rules, "i10 a1 h8 h9").hash());
    assert_ne!(one.hash(), play(rules, "h8 h9 i10 a2").hash());
    assert_ne!(play(rules, "h8 h9 i10 pass").hash(), play(rules, "h8 h9 i10").hash());
    let set_up = set_up("h8 i10", "h9 a1", Colour::Black);
    assert_eq!(set_up.hash(), one.hash(), "a set-up position hashes as a played one");
}

#[test]
fn passes_in_renju() {
    let early = play("rules=renju", "h8 h9");
    assert!(!early.is_legal(Action::PASS));
    let mut board = play("rules=renju", "h8 h9 i10 pass");
    assert_eq!((board.result(), board.to_play()), (None, Colour::Black));
    board.place(Action::PASS);
    assert_eq!(board.result(), Some(BoardResult::Draw));
    assert_eq!(play("rules=renju", "h8 h9 i10 pass h7 pass").result(), None, "not in a row");
    assert!(!play("rules=freestyle", "h8 h9 i10 h11").is_legal(Action::PASS));
}

#[test]
fn who_wins_with_what() {
    let six = "a1 a15 b1 c15 c1 e15 e1 g15 f1 i15";
    let end = |rules: &str| {
        let mut board = play(rules, six);
        board.place(Action::point(at(&board, "d1")));
        board.result()
    };
    assert_eq!(end("rules=freestyle"), Some(BoardResult::Win(Colour::Black)));
    assert_eq!(end("rules=standard"), None);
    let board = play("rules=renju", six);
    assert_eq!(board.kinds(at(&board, "d1")), Kinds::OVERLINE);
    assert!(!board.is_legal(Action::point(at(&board, "d1"))));
    let white = "a15 a1 c15 b1 e15 c1 g15 e1 i15 f1 k15 d1";
    assert_eq!(play("rules=renju", white).result(), Some(BoardResult::Win(Colour::White)));
    assert_eq!(play("rules=standard", white).result(), None);
}

/// Report renju-note/quintet#124: H8 makes a horizontal split three with F8 and I8 and a vertical three; the only point
/// that would make the first a straight four, G8, is a double-four but also the five G4-G8. The report wants H8
/// forbidden. The definition of a three says "without at the same time a five in a row is made", and the engines behind
/// the case file agree (its row k0112 is of this kind), so here the row is no three and H8 is free.
#[test]
fn a_three_is_not_completed_by_a_five() {
    let stones = "f8 i8 h7 h6 g4 g5 g6 g7";
    let board = set_up(stones, "g3", Colour::Black);
    assert_eq!(board.kinds(at(&board, "g8")), Kinds::FIVE);
    assert_eq!(board.kinds(at(&board, "h8")), Kinds::NONE);
    // With a stone less there is no five, and G8 completes the three: now H8 is forbidden.
    let control = set_up("f8 i8 h7 h6", "g3", Colour::Black);
    assert_eq!(control.kinds(at(&control, "h8")), Kinds::DOUBLE_THREE);
    // A three with a second, harmless completion is real in spite of the five.
    let two = set_up("h8 i8 j7 j6 g4 g5 g6 g7", "g3", Colour::Black);
    assert_eq!(two.kinds(at(&two, "g8")), Kinds::FIVE);
    assert_eq!(two.kinds(at(&two, "j8")), Kinds::DOUBLE_THREE);
}

#[test]
fn a_three_whose_completion_is_forbidden_is_unreal() {
    // G8 would be a double-four (F8-I8 and G4 . G6 G7 with G8): no five, so F8 . H8 I8 is no three.
    let board = set_up("f8 i8 h7 h6 g4 g6 g7", "", Colour::Black);
    assert_eq!(board.kinds(at(&board, "h8")), Kinds::NONE);
}

#[test]
fn five_beats_everything_and_white_is_free() {
    // H8 closes five on row 8 and would be an overline on column H.
    let board = set_up("d8 e8 f8 g8 h4 h5 h6 h7 h9", "", Colour::Black);
    assert_eq!(board.kinds(at(&board, "h8")), Kinds::FIVE);
    assert!(board.is_legal(Action::point(at(&board, "h8"))));
    let white = set_up("", "h6 h7 f8 g8 i9 j10", Colour::White);
    assert!(white.is_legal(Action::point(at(&white, "h8"))));
    assert!(white.forbidden().is_empty());
}

#[test]
fn proofs_of_one_ply() {
    let proof = |black: &str, white: &str, to_play| {
        let board = set_up(black, white, to_play);
        board.proven(0).map(|proof| match proof {
            Proof::Win(a) => format!("win {}", Letters::WithI.action(board.size(), a)),
            Proof::Only(a) => format!("only {}", Letters::WithI.action(board.size(), a)),
            other => format!("{other:?}").to_lowercase(),
        })
    };
    let (black, white) = (Colour::Black, Colour::White);
    assert_eq!(proof("a1 b1 c1 d1", "a3 b3 c3 d3", black).as_deref(), Some("win E1"));
    assert_eq!(proof("a1 b1 c1 d1", "h8 h9 j9", white).as_deref(), Some("only E1"));
    assert_eq!(proof("b1 c1 d1 e1", "h8 h9 j9", white).as_deref(), Some("loss"));
    // Six in a row is no threat of Black, but one of White.
    assert_eq!(proof("a1 b1 c1 e1 f1", "h8 h9 j9", white), None);
    assert_eq!(proof("h8 h9 j9", "a1 b1 c1 e1 f1", black).as_deref(), Some("only D1"));
    // The one blocking point is forbidden to Black (an overline on column E).
    assert_eq!(proof("e2 e3 e4 e6 e7 n9", "a5 b5 c5 d5", black).as_deref(), Some("loss"));
    assert_eq!(proof("h8 h9 j9", "a1 b1 c1", black), None);
}

#[test]
fn a_pass_after_a_pass_draws_in_spite_of_a_threat() {
    // Black has four in a row and passes all the same; a pass of White ends the game.
    let board = play("rules=renju", "a1 h8 b1 h9 c1 j9 d1 l12 pass");
    assert_eq!(board.proven(0), None);
    assert_eq!(board.proven(100), None);
}

#[test]
fn continuous_fours_win() {
    // A three with room becomes a straight four.
    let board = set_up("h8 i8 j8", "a15 c15 e15", Colour::Black);
    let Some(Proof::Win(first)) = board.proven(100) else { panic!("a three wins when it is Black's turn") };
    assert!(board.fours(Colour::Black).contains(first.as_point().unwrap()));
    assert_eq!(board.proven(0), None, "the cheapest checks don't see it");
    // White has two threes to choose from.
    let white = set_up("a1 b3 n2", "h8 i8 j8 k10 k11 k12 k13", Colour::White);
    assert!(matches!(white.proven(100), Some(Proof::Win(_))));
}

/// Leaf counts of the full tree. The first two are arithmetic; the wins at depth 5 on 3x3 with three in a row are the
/// 1,440 games of noughts and crosses that end with the fifth stone.
#[test]
fn known_counts() {
    fn leaves(board: &mut FiveBoard, depth: usize, wins: &mut usize) -> usize {
        if depth == 0 || board.result().is_some() {
            *wins += usize::from(matches!(board.result(), Some(BoardResult::Win(_))));
            return 1;
        }
        let mut points = PointSet::EMPTY;
        board.legal_points(&mut points);
        let mut count = 0;
        for p in points.iter() {
            board.place(Action::point(p));
            count += leaves(board, depth - 1, wins);
            board.undo();
        }
        count
    }
    let run = |text: &str, depth| {
        let mut wins = 0;
        let count = leaves(&mut FiveBoard::start(&text.parse().unwrap()), depth, &mut wins);
        (count, wins)
    };
    assert_eq!(run("rules=renju", 2), (225 * 224, 0));
    assert_eq!(run("rules=freestyle size=3 win=3", 5), (15120, 1440));
    // All games of noughts and crosses: 255,168, of which 209,088 are won.
    assert_eq!(run("rules=freestyle size=3 win=3", 9), (255_168, 131_184 + 77_904));
}

#[test]
fn set_up_positions_are_checked() {
    let rules = FiveRules::renju();
    let one: PointSet = [Point(7)].into_iter().collect();
    let off: PointSet = [Point(225)].into_iter().collect();
    assert!(FiveBoard::position(&rules, &one, &one, Colour::Black).is_none());
    assert!(FiveBoard::position(&rules, &off, &PointSet::EMPTY, Colour::Black).is_none());
    let won = set_up("a1 b1 c1 d1 e1", "", Colour::White);
    assert_eq!(won.result(), Some(BoardResult::Win(Colour::Black)));
    assert!(!won.is_legal(Action::point(at(&won, "h8"))));
}

#[test]
fn positions_are_small() {
    assert!(size_of::<FiveBoard>() <= 1400, "{}", size_of::<FiveBoard>());
}
