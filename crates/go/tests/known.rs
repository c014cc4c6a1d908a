//! Public reports against other programs, each as a small game: kos, passes, moves out of turn. And named positions.

use tengen_game::notation::Letters;
use tengen_game::{Action, BoardResult, Colour, Placement, Size};
use tengen_go::{GoBoard, GoRules, Illegal, Ko, RULESETS, Suicide};

fn rules(side: usize, ko: Ko) -> GoRules {
    let mut rules = GoRules::named("tromp-taylor", Size::square(side).unwrap()).unwrap();
    (rules.ko, rules.suicide) = (ko, Suicide::None);
    rules
}

/// Column and row from the top left, from 0.
fn at(board: &GoBoard, x: usize, y: usize) -> Action {
    Action::point(board.size().point(x, y))
}

fn named(board: &GoBoard, name: &str) -> Action {
    Letters::WithoutI.parse_action(board.size(), name).unwrap()
}

const KOS: [Ko; 6] = [Ko::None, Ko::Simple, Ko::LastPosition, Ko::Positional, Ko::Situational, Ko::Spight];

#[test]
fn a_pass_lifts_simple_ko_and_filling_a_ko_is_no_recapture() {
    // Sagebati/goban#14.
    let mut board = GoBoard::new(&rules(19, Ko::Simple));
    for (colour, (x, y)) in [
        (Colour::Black, (1, 1)),
        (Colour::White, (0, 1)),
        (Colour::Black, (2, 0)),
        (Colour::White, (1, 0)),
        (Colour::Black, (0, 0)),
    ] {
        let action = at(&board, x, y);
        board.play_any(colour, action).unwrap();
    }
    let retake = at(&board, 1, 0);
    assert_eq!(board.ko_point(), retake.as_point());
    assert_eq!(board.check(Colour::White, retake), Err(Illegal::Ko));
    assert_eq!(board.check(Colour::Black, retake), Ok(()));
    board.play_any(Colour::White, Action::PASS).unwrap();
    assert_eq!(board.ko_point(), None);
    assert_eq!(board.check(Colour::Black, retake), Ok(()), "filling the ko");
    assert_eq!(board.check(Colour::White, retake), Ok(()), "the pass lifted the ban");
}

/// A ko in the middle that Black may take at D4.
fn ko_position(ko: Ko) -> GoBoard {
    let rows = [".......", ".......", "..XO...", ".XO.O..", "..XO...", ".......", "......."];
    GoBoard::from_position(&rules(7, ko), &rows, Colour::Black).unwrap()
}

#[test]
fn retaking_a_ko_at_once_depends_on_the_rules() {
    for ko in KOS {
        let mut board = ko_position(ko);
        board.place(named(&board, "D4"));
        assert_eq!(board.taken_by(Colour::Black), 1);
        let expected = match ko {
            Ko::None => Ok(()),
            Ko::Simple | Ko::LastPosition => Err(Illegal::Ko),
            Ko::Positional | Ko::Situational | Ko::Spight => Err(Illegal::Superko),
        };
        assert_eq!(board.check(Colour::White, named(&board, "C4")), expected, "{ko:?}");
        board.place(named(&board, "A1"));
        board.place(named(&board, "A7"));
        assert!(board.is_legal(named(&board, "C4")), "{ko:?}: after a threat and its answer");
    }
}

#[test]
fn a_ban_does_not_outlast_moves_out_of_turn() {
    // Sabaki#294: whole positions sent as moves of any colour in any order.
    let mut board = ko_position(Ko::Simple);
    board.play_any(Colour::Black, named(&board, "D4")).unwrap();
    board.play_any(Colour::Black, named(&board, "A1")).unwrap();
    assert_eq!(board.ko_point(), None);
    assert_eq!(board.check(Colour::White, named(&board, "C4")), Ok(()));
    board.undo();
    assert_eq!(board.check(Colour::White, named(&board, "C4")), Err(Illegal::Ko), "undo brings the ban back");
    // Asked to play for the other colour, the ban is gone; one more undo restores whose turn it was.
    board.set_to_play(Colour::Black);
    assert_eq!(board.ko_point(), None);
    board.place(named(&board, "B1"));
    board.undo();
    board.undo();
    assert_eq!((board.to_play(), board.moves()), (Colour::Black, 0));
}

#[test]
fn several_stones_retaken() {
    // OnlineGo#93: a stone that just took two stones is retaken. The whole position comes back with the other player to
    // move, so positional superko alone forbids it.
    let rows = [".O.XXO", "OXXXO.", "O.X.OO", "XX.OO.", "OOOO.O"];
    let expected = [
        (Ko::None, true),
        (Ko::Simple, true),
        (Ko::LastPosition, true),
        (Ko::Positional, false),
        (Ko::Situational, true),
        (Ko::Spight, true),
    ];
    for (ko, legal) in expected {
        let mut rules = rules(6, ko);
        rules.size = Size::new(6, 5).unwrap();
        let mut board = GoBoard::from_position(&rules, &rows, Colour::Black).unwrap();
        for name in ["F4", "pass", "D3", "C5", "A5"] {
            let action = named(&board, name);
            assert!(board.is_legal(action), "{ko:?} {name}");
            board.place(action);
        }
        assert_eq!(board.taken_by(Colour::Black), 3, "one, then two stones");
        assert_eq!(board.is_legal(named(&board, "B5")), legal, "{ko:?}");
        assert_eq!(board.ko_point(), None, "two stones taken make no ko");
    }
}

/// Superko belongs to the sets that have it, never to those with a plain ko rule (OnlineGo#93).
#[test]
fn whether_a_position_may_come_back_is_the_rule_sets_own() {
    let rows = [".O.XXO", "OXXXO.", "O.X.OO", "XX.OO.", "OOOO.O"];
    let mut plain = 0;
    for row in RULESETS {
        let rules = GoRules::named(row.name, Size::new(6, 5).unwrap()).unwrap();
        let mut board = GoBoard::from_position(&rules, &rows, Colour::Black).unwrap();
        for name in ["F4", "pass", "D3", "C5", "A5"] {
            board.place(named(&board, name));
        }
        // The whole position comes back, the other player to move.
        assert_eq!(board.is_legal(named(&board, "B5")), row.ko != Ko::Positional, "{}", row.name);
        plain += usize::from(matches!(row.ko, Ko::Simple | Ko::LastPosition));
    }
    assert!(plain >= 5, "{plain} sets with a plain ko rule");
}

#[test]
fn an_occupied_point_is_refused_and_changes_nothing() {
    // KataGo#911: never go on silently with another board.
    let mut board = ko_position(Ko::Simple);
    let before = board.rows();
    for (name, why) in [("C4", Illegal::Occupied), ("D5", Illegal::Occupied)] {
        assert_eq!(board.play_any(Colour::Black, named(&board, name)), Err(why));
    }
    for action in [Action::SWAP, Action::KEEP, Action(300), Action(u16::MAX)] {
        assert_eq!(board.play_any(Colour::Black, action), Err(Illegal::OffBoard), "{action:?}");
        assert!(!board.is_legal(action));
    }
    assert_eq!((board.rows(), board.moves()), (before, 0));
}

#[test]
fn two_passes_end_and_play_can_be_resumed() {
    let mut board = GoBoard::new(&rules(5, Ko::Positional));
    board.place(named(&board, "C3"));
    board.place(Action::PASS);
    assert!(!board.is_over() && board.result().is_none() && board.margin().is_none());
    board.place(Action::PASS);
    assert!(board.is_over() && !board.pass_legal() && !board.is_legal(named(&board, "A1")));
    assert_eq!((board.result(), board.margin()), (Some(BoardResult::Win(Colour::Black)), Some(25.0 - 7.5)));
    board.play_any(Colour::White, named(&board, "A1")).unwrap();
    assert!(!board.is_over());
    board.undo();
    assert!(board.is_over());
    // Undoing more than was played does nothing.
    (0..10).for_each(|_| board.undo());
    assert_eq!(board.moves(), 0);
}
