//! How games end under the other rule sets: long cycles, repeated passes, the button, pairs of passes, clean-up phases;
//! disputes and resumption; handicap. Cases of our own, reasoned from the rule texts.

use tengen_game::notation::Letters;
use tengen_game::testkit::TestRng;
use tengen_game::{Action, BoardResult, Colour, IllegalMove, Placement, Point, PointSet, Size};
use tengen_go::{Agreement, Ended, GoBoard, GoRules, Illegal};

fn rules(text: &str) -> GoRules {
    text.parse().unwrap()
}

fn named(board: &GoBoard, name: &str) -> Action {
    Letters::WithoutI.parse_action(board.size(), name).unwrap()
}

fn play(board: &mut GoBoard, names: &str) {
    for name in names.split(' ') {
        let action = named(board, name);
        assert_eq!(board.check(board.to_play(), action), Ok(()), "{name}\n{board}");
        board.place(action);
    }
}

const TRIPLE_KO: [&str; 6] = ["OOOOOOO", "OXO.O.O", "X.XOXOX", "XXXXXXX", "OOOOOOO", "......."];
const ROUND: &str = "D5 B4 F5 D4 B5 F4";

#[test]
fn the_third_coming_of_a_situation_ends_as_the_rules_say() {
    for (cycle, ended, result) in [
        ("no-result", Some(Ended::NoResult), Some(BoardResult::NoResult)),
        ("draw", Some(Ended::Draw), Some(BoardResult::Draw)),
        ("allowed", None, None),
    ] {
        let rules = rules(&format!("rules=chinese ko=simple size=7x6 cycle={cycle}"));
        let mut board = GoBoard::from_position(&rules, &TRIPLE_KO, Colour::Black).unwrap();
        let before = board.hash();
        play(&mut board, ROUND);
        assert!(!board.is_over(), "the second coming");
        play(&mut board, ROUND);
        assert_eq!((board.end(), board.result(), board.margin()), (ended, result, None), "{cycle}");
        board.undo();
        assert!(!board.is_over());
        (0..11).for_each(|_| board.undo());
        assert_eq!(board.hash(), before);
        play(&mut board, ROUND);
        assert!(!board.is_over(), "undo forgot what was taken back");
    }
}

/// The points told as ending the game as a long cycle are those that do, in games that pass only when they must.
#[test]
fn points_that_end_a_cycle_are_told() {
    let mut told = 0;
    for (seed, text) in [
        "size=2 ko=simple",
        "size=2x3 ko=none",
        "size=3 ko=none suicide=all",
        "size=3 ko=simple suicide=multi",
        "size=3 ko=last-position end=repeat",
    ]
    .iter()
    .enumerate()
    {
        let rules = rules(&format!("rules=chinese cycle=draw {text}"));
        let mut rng = TestRng::new(seed as u64);
        for _ in 0..40 {
            let mut board = GoBoard::new(&rules);
            while !board.is_over() && board.moves() < 200 {
                let mut legal = PointSet::EMPTY;
                board.legal_points(&mut legal);
                let ends = legal.iter().filter(|&p| {
                    board.place(Action::point(p));
                    let draw = board.end() == Some(Ended::Draw);
                    board.undo();
                    draw
                });
                let ends: PointSet = ends.collect();
                assert_eq!(board.cycle_ends(), ends, "{text}\n{board}");
                told += ends.len();
                board.place(legal.nth(rng.below(legal.len().max(1))).map_or(Action::PASS, Action::point));
            }
        }
    }
    assert!(told > 50, "{told}");
}

#[test]
fn a_pass_breaks_a_cycle_and_passing_twice_from_one_situation_ends_play() {
    let mut board = GoBoard::from_position(&rules("rules=stone-scoring size=7x6"), &TRIPLE_KO, Colour::Black).unwrap();
    play(&mut board, &format!("{ROUND} {ROUND}").replace("B5 F4 D5", "B5 F4 pass A1 D5"));
    assert!(!board.is_over());
    // Eternal play with a pass in each round: the second pass from the same situation ends it.
    let mut board = GoBoard::from_position(
        &rules("rules=japanese scoring=area size=6x5"),
        &[".O.XXO", "OXXXO.", "O.X.OO", "XX.OO.", "OOOO.O"],
        Colour::Black,
    )
    .unwrap();
    // Black sends two and White returns one, for which Black passes.
    play(&mut board, "F4 pass D3");
    let mut rounds = 0;
    while !board.is_over() && rounds < 12 {
        let wanted = ["C5", "A5", "B5", "pass"].into_iter().map(|name| named(&board, name));
        let action = wanted.into_iter().find(|&a| board.check(board.to_play(), a).is_ok()).unwrap();
        board.place(action);
        rounds += 1;
    }
    assert_eq!(board.end(), Some(Ended::Passes));
}

#[test]
fn a_setup_position_may_not_come_back_under_superko() {
    let rows = [".XO..", "XO.O.", ".XO..", ".....", "....."];
    for (rule, legal) in [("positional", false), ("situational", false), ("simple", false), ("none", true)] {
        let rules = rules(&format!("rules=tromp-taylor size=5 suicide=none ko={rule}"));
        let mut board = GoBoard::from_position(&rules, &rows, Colour::Black).unwrap();
        play(&mut board, "C4");
        assert_eq!(board.taken_by(Colour::Black), 1);
        assert_eq!(board.is_legal(named(&board, "B4")), legal, "{rule}");
    }
}

#[test]
fn czech_ko_is_by_position() {
    // Retaking at once makes the position before the opponent's last move; after a pass it doesn't, for the pass was the
    // last move.
    let rows = [".XO..", "XO.O.", ".XO..", ".....", "....."];
    let mut board = GoBoard::from_position(&rules("rules=czech size=5"), &rows, Colour::Black).unwrap();
    play(&mut board, "C4");
    assert_eq!(board.check(Colour::White, named(&board, "B4")), Err(Illegal::Ko));
    play(&mut board, "E1 A1");
    assert!(board.is_legal(named(&board, "B4")), "after a threat and its answer");
    // Taking back one stone after two were taken makes a new position.
    let rows = ["XX.OO", "OOXO.", ".OX..", ".....", "....."];
    let mut board = GoBoard::from_position(&rules("rules=czech size=5"), &rows, Colour::White).unwrap();
    play(&mut board, "C5");
    assert_eq!(board.taken_by(Colour::White), 2);
    assert_eq!(board.ko_point(), None);
    // And after one took two, one may be taken back at once.
    let rows = [".....", ".....", ".....", "XOO..", ".XXO."];
    let mut board = GoBoard::from_position(&rules("rules=czech size=5"), &rows, Colour::White).unwrap();
    play(&mut board, "A1");
    assert_eq!(board.taken_by(Colour::White), 2);
    play(&mut board, "B1");
    assert_eq!((board.taken_by(Colour::Black), board.ko_point()), (1, None));
    // With suicide of single stones, giving one away after a pass would change nothing: forbidden by position, while the
    // plain ko rule has nothing against it.
    for (ko, expected) in [("last-position", Err(Illegal::Ko)), ("simple", Ok(()))] {
        let rules = rules(&format!("rules=czech size=3 suicide=all ko={ko}"));
        let mut board = GoBoard::from_position(&rules, &[".O.", "O.O", ".O."], Colour::White).unwrap();
        play(&mut board, "pass");
        assert_eq!(board.check(Colour::Black, named(&board, "B2")), expected, "{ko}");
    }
}

#[test]
fn neutral_points_are_played_before_the_passes() {
    // Two neutral points; whoever fills them, territory counts the same, and area changes hands.
    let rows = [".X.O.", ".X.O.", ".X.O.", "XX.OO", "XX.OO"];
    let none = PointSet::EMPTY;
    let count = |set: &str, moves: &str| {
        let mut board =
            GoBoard::from_position(&rules(&format!("rules={set} size=5 komi=0")), &rows, Colour::Black).unwrap();
        if !moves.is_empty() {
            play(&mut board, moves);
        }
        board.count(&none, &none).unwrap().margin()
    };
    assert_eq!((count("czech", ""), count("czech", "C5 C4 C3 C2 C1")), (0.0, 0.0));
    assert_eq!((count("chinese", ""), count("chinese", "C5 C4 C3 C2 C1")), (0.0, 1.0));
}

/// The Czech text fills neutral points after the passes, by turns, and counts then. Played as moves after a resumption the
/// count is that of the end, unless a filled point asks for an answer inside.
#[test]
fn dame_filled_after_the_passes_change_a_count_only_where_they_ask_for_an_answer() {
    let none = PointSet::EMPTY;
    let filled = |rows: &[&str], fill: &str| {
        let rules = rules(&format!("rules=czech size={}x{} komi=0", rows[0].len(), rows.len()));
        let mut board = GoBoard::from_position(&rules, rows, Colour::Black).unwrap();
        play(&mut board, "pass pass");
        let agreement = Agreement::new(&board).unwrap();
        let before = agreement.count().unwrap().margin();
        let mut board = agreement.dispute(Colour::Black);
        play(&mut board, fill);
        play(&mut board, "pass pass");
        assert!(board.play_ended() && board.phase() == 1);
        (before, board.count(&none, &none).unwrap().margin())
    };
    // Five neutral points between the walls: the odd one costs nothing either.
    let walls = [".X.O.", ".X.O.", ".X.O.", "XX.OO", "XX.OO"];
    assert_eq!(filled(&walls, "C5 C4 C3 C2 C1"), (0.0, 0.0));
    // White on D2 has the stone on D1 in atari, and Black must answer inside; Black on D2 has nothing to answer.
    let open = ["..X.O.", "..X.O.", "...XO."];
    assert_eq!(filled(&open, "D3 D2 C1"), (4.0, 3.0));
    assert_eq!(filled(&open, "D2 D3"), (4.0, 4.0));
}

#[test]
fn a_disputed_end_is_played_on() {
    for (set, claimant, first) in [
        ("czech", Colour::White, Colour::White),
        ("chinese", Colour::Black, Colour::Black),
        ("japanese", Colour::White, Colour::Black),
        ("japanese", Colour::Black, Colour::White),
    ] {
        let mut board = GoBoard::new(&rules(&format!("rules={set} size=5")));
        play(&mut board, "C3 B2");
        assert!(Agreement::new(&board).is_none(), "play hasn't ended");
        play(&mut board, "D2");
        play(&mut board, "pass pass");
        assert!(board.play_ended());
        let hash = board.hash();
        let mut agreement = Agreement::new(&board).unwrap();
        let dead = named(&board, "B2").as_point().unwrap();
        assert!(agreement.toggle_dead(dead) && !agreement.toggle_dead(Point(0)));
        assert!(!agreement.accept(Colour::Black) && agreement.accept(Colour::White));
        assert_eq!(agreement.count().unwrap().prisoners, [1, 0]);
        agreement.toggle_dead(dead);
        assert!(!agreement.is_agreed(), "a new mark opens it again");
        let mut board = agreement.dispute(claimant);
        assert_eq!((board.to_play(), board.phase(), board.is_over(), board.passes()), (first, 0, false, 0), "{set}");
        play(&mut board, "B1");
        board.undo();
        assert!(!board.play_ended(), "the resumption is not taken back with a move");
        play(&mut board, "pass pass");
        assert!(board.play_ended());
        (0..3).for_each(|_| board.undo());
        play(&mut board, "pass");
        assert_eq!((board.hash() == hash, board.play_ended()), (true, true), "{set}: the first end again");
    }
}

#[test]
fn what_both_leave_in_dispute_is_shared_life() {
    let mut board = GoBoard::new(&rules("rules=chinese size=5"));
    play(&mut board, "C3 B2 D2 pass pass");
    let mut agreement = Agreement::new(&board).unwrap();
    let p = named(&board, "B2").as_point().unwrap();
    agreement.toggle_dead(p);
    agreement.stop_in_dispute(&[p].into_iter().collect());
    assert!(agreement.is_agreed() && agreement.dead().is_empty());
    assert_eq!(agreement.count().unwrap().stones, [2, 1]);
}

#[test]
fn the_first_pass_takes_the_button() {
    let mut board = GoBoard::new(&rules("rules=aga-button size=5"));
    play(&mut board, "C3 pass pass");
    assert_eq!((board.is_over(), board.button(), board.passes()), (false, Some(Colour::White), 1));
    play(&mut board, "pass");
    assert_eq!((board.is_over(), board.margin()), (true, Some(25.0 - 7.0 - 0.5)));
    assert_eq!(board.white_bonus(), 0.5);
    (0..3).for_each(|_| board.undo());
    assert_eq!((board.button(), board.white_bonus()), (None, 0.0));
}

#[test]
fn pairs_of_passes_and_whites_last() {
    let mut board = GoBoard::new(&rules("rules=ing-like size=5"));
    play(&mut board, "C3 pass pass");
    assert!(!board.is_over(), "the first pair");
    play(&mut board, "A1 pass pass pass pass");
    assert_eq!((board.is_over(), board.passes()), (true, 4));
    let mut board = GoBoard::new(&rules("rules=aga end=white-last size=5"));
    play(&mut board, "C3 pass pass");
    assert!(!board.is_over(), "Black was last");
    play(&mut board, "pass");
    assert!(board.is_over());
    let mut board = GoBoard::new(&rules("rules=aga end=white-last size=5"));
    play(&mut board, "pass pass");
    assert!(board.is_over(), "White was last");
}

#[test]
fn spight_ends_with_a_pass_from_where_one_has_passed() {
    let mut board = GoBoard::new(&rules("rules=aga ko=spight size=5"));
    play(&mut board, "C3 pass pass");
    assert!(!board.is_over(), "two passes don't end it");
    play(&mut board, "pass");
    assert!(board.is_over(), "White has passed here before");
}

#[test]
fn territory_is_settled_by_play() {
    // White's stone in Black's area is dead. Taking it off in the second clean-up costs Black nothing.
    let rows = ["...XO..", ".O.XO..", "...XO..", "...XO..", "...XO..", "...XO..", "...XO.."];
    let mut board = GoBoard::from_position(&rules("rules=japanese size=7 komi=0"), &rows, Colour::Black).unwrap();
    play(&mut board, "pass pass");
    assert_eq!((board.phase(), board.is_over(), board.passes()), (1, false, 0));
    play(&mut board, "pass pass");
    assert_eq!(board.phase(), 2);
    let mut idle = board.clone();
    play(&mut idle, "pass pass");
    play(&mut board, "B5 pass A6 pass C6 pass B7 pass");
    assert_eq!(board.taken_by(Colour::Black), 1);
    play(&mut board, "pass");
    assert!(board.is_over());
    // 21 points and a prisoner against 14 points; unplayed, the dead stone spoils the region around it.
    let score = board.score();
    assert_eq!((score.black - score.white, board.margin()), (8, Some(8.0)));
    assert_eq!(idle.margin(), Some(-14.0));
    // Undo crosses the phases.
    let mut back = board.clone();
    while back.moves() > 0 {
        back.undo();
    }
    assert_eq!((back.phase(), back.rows()), (0, rows.map(String::from).to_vec()));
    assert_eq!(board.ownership().iter().filter(|&&owner| owner == 1).count(), 28);
}

#[test]
fn ko_threats_do_not_revive_in_the_clean_up() {
    // In the clean-up a ko taken is blocked: the first retake lifts the block and takes the turn.
    let rows = [".XO..", "XO.O.", ".XO..", ".....", "....."];
    let mut board = GoBoard::from_position(&rules("rules=japanese size=5"), &rows, Colour::Black).unwrap();
    play(&mut board, "pass pass C4");
    let retake = named(&board, "B4");
    assert_eq!((board.phase(), board.stone(retake.as_point().unwrap())), (1, None));
    let before = board.hash();
    board.place(retake);
    assert_eq!(board.stone(retake.as_point().unwrap()), None, "only the block was lifted");
    assert_ne!(board.hash(), before);
    play(&mut board, "E1 B4");
    assert_eq!(board.taken_by(Colour::White), 1, "now the ko is retaken");
    (0..3).for_each(|_| board.undo());
    assert_eq!(board.hash(), before);
    // The block may also be named by its stone, though not as a legal point of a game.
    assert_eq!(board.check(Colour::White, named(&board, "C4")), Ok(()));
    assert!(!board.is_legal(named(&board, "C4")));
}

#[test]
fn handicap_games() {
    let mut board = GoBoard::new(&rules("rules=chinese size=9 handicap=2"));
    assert_eq!((board.to_play(), board.stone_count(Colour::Black), board.moves()), (Colour::White, 2, 0));
    play(&mut board, "pass pass");
    assert_eq!(board.margin(), Some(81.0 - 7.5 - 2.0));
    let czech = GoBoard::new(&rules("rules=czech handicap=3"));
    for name in ["D4", "Q4", "Q16"] {
        assert_eq!(czech.stone(named(&czech, name).as_point().unwrap()), Some(Colour::Black));
    }
    assert_eq!(GoBoard::new(&rules("rules=aga size=9 handicap=C3,G7,E5")).white_bonus(), 2.0);
}

#[test]
fn a_komi_that_bids_settle() {
    let mut board = GoBoard::new(&rules("rules=tromp-taylor size=5 komi=7.5"));
    let hash = board.hash();
    assert_eq!(board.komi_steps(), Some(15));
    board.set_komi_steps(-3);
    assert_eq!((board.rules().komi, board.komi_steps(), board.hash()), (-1.5, Some(-3), hash));
    board.set_komi_steps(i16::MAX);
    assert_eq!(board.komi_steps(), Some(-3));
}

#[test]
fn an_illegal_move_is_the_referees_business() {
    assert_eq!(GoBoard::new(&rules("rules=chinese")).conduct().illegal, IllegalMove::VoidAndPass);
    assert_eq!(GoBoard::new(&rules("rules=chinese illegal=loses")).conduct().illegal, IllegalMove::Loses);
    assert_eq!(GoBoard::new(&rules("rules=czech")).conduct().illegal, IllegalMove::Refuse);
}

#[test]
fn rectangles_and_every_size() {
    for (width, height) in [(2, 2), (2, 25), (25, 2), (13, 9), (25, 25)] {
        let size = Size::new(width, height).unwrap();
        let mut board = GoBoard::new(&rules(&format!("rules=tromp-taylor size={size} komi=0.5")));
        board.place(Action::point(Point(0)));
        board.place(Action::PASS);
        board.place(Action::PASS);
        assert_eq!(board.margin(), Some((width * height) as f32 - 0.5));
    }
}
