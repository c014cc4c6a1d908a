//! Every protocol to the letter, from a table of lines that people can check: who decides, what is refused and for which
//! reason, who ends with Black. And the door in general: it refuses exactly what isn't legal, and changes nothing.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Game, Placement, Seat};
use tengen_opening::{Opening, Refused, Seated, SeatedSetup};
use tengen_renju::FiveBoard;

type Five = Seated<FiveBoard>;

const WALKS: &str = include_str!("../../../tests/data/opening_walks.txt");

fn start(opening: &str) -> Five {
    let text = format!("game=five rules=renju size=15x15 opening={opening}");
    Five::start(&text.parse::<SeatedSetup<FiveBoard>>().unwrap_or_else(|e| panic!("{text}: {e}")))
}

fn seat(text: &str) -> Seat {
    match text.trim() {
        "1" => Seat::First,
        "2" => Seat::Second,
        other => panic!("`{other}` is no seat"),
    }
}

/// All that a refusal must leave as it was.
fn state(g: &Five) -> (u64, usize, Seat, String, Vec<String>, usize) {
    (g.hash(), g.plies(), g.to_act(), g.describe_stage(), g.protocol_history(), g.board().moves())
}

fn kind(refused: &Refused) -> String {
    let text = format!("{refused:?}");
    text.split([' ', '{']).next().unwrap().to_string()
}

/// One step of a walk: `2 swap`, or `!2 h9:OutsideRegion`.
fn step(g: &mut Five, text: &str, line: &str) {
    let (wanted, refusal) = match text.strip_prefix('!') {
        Some(rest) => {
            let (decision, reason) = rest.split_once(':').unwrap();
            (decision, Some(reason))
        }
        None => (text, None),
    };
    let (who, decision) = wanted.split_once(' ').unwrap();
    let (who, before) = (seat(who), state(g));
    match refusal {
        Some(reason) => {
            let refused = g.act(who, decision).expect_err(&format!("{line}: {text}"));
            assert_eq!(kind(&refused), reason, "{line}: {text}: {refused}");
            assert_eq!(state(g), before, "{line}: {text} changes nothing");
        }
        None => {
            let refused = g.act(!who, decision).expect_err(&format!("{line}: {text} by the other seat"));
            assert!(["WrongSeat", "OffersComplete"].contains(&kind(&refused).as_str()), "{line}: {text}: {refused}");
            assert_eq!(state(g), before, "{line}: {text} by the other seat changes nothing");
            g.act(who, decision).unwrap_or_else(|e| panic!("{line}: {text}: {e}"));
        }
    }
}

#[test]
fn lines_of_the_table() {
    let mut walked = std::collections::BTreeSet::new();
    for line in WALKS.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let [opening, steps, end] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut g = start(opening);
        for text in steps.split(',') {
            step(&mut g, text.trim(), line);
        }
        let (black, next) = end.split_once(' ').unwrap();
        assert_eq!((g.seat_of(Colour::Black), g.to_act()), (seat(black), seat(next)), "{line}");
        walked.insert(g.opening().to_string().split(['-', ':']).next().unwrap().to_string());
        while g.plies() > 0 {
            g.undo();
        }
        assert_eq!(state(&g), state(&start(opening)), "{line}: undone");
    }
    // Those that only Go has are walked in `bids`.
    let five =
        |example: &str| format!("game=five rules=renju opening={example}").parse::<SeatedSetup<FiveBoard>>().is_ok();
    for info in Opening::all().iter().filter(|info| five(&info.example)) {
        assert!(walked.contains(info.example.split(['-', ':']).next().unwrap()), "{} has no line", info.name);
    }
}

/// Over random games of every protocol: the other seat is refused everything, and the seat to act exactly what isn't
/// legal; reading what is written gives the same action.
#[test]
fn the_door_refuses_exactly_what_is_not_legal() {
    let rules: <FiveBoard as Placement>::Rules = "game=five rules=renju size=9x9".parse().unwrap();
    let mut rng = TestRng::new(5);
    for opening in Opening::fitting(&FiveBoard::facts(&rules)) {
        let mut g = Five::start(&SeatedSetup::new(rules, opening).unwrap());
        let mut legal = Vec::new();
        while g.outcome().is_none() && g.plies() < 24 {
            g.legal(&mut legal);
            for action in (0..Action::END + 3).map(Action) {
                assert_eq!(g.refusal(g.to_act(), action).is_none(), legal.contains(&action), "{action:?}");
                assert!(g.refusal(!g.to_act(), action).is_some());
            }
            for &action in &legal {
                let text = tengen_game::notation::Letters::WithI.action(g.size(), action);
                assert_eq!(g.read_action(&text), Ok(action));
            }
            g.apply(legal[rng.below(legal.len())]);
        }
    }
}

/// Forbidden points and ends of games at the door.
#[test]
fn illegal_stones_and_games_that_are_over() {
    let mut g = start("none");
    for (i, point) in ["h8", "a1", "h9", "a3", "i10", "a5", "j10", "a7"].iter().enumerate() {
        g.act(Seat::from_index(i % 2).unwrap(), point).unwrap();
    }
    let before = state(&g);
    let refused = g.act(Seat::First, "h10").unwrap_err();
    assert_eq!(kind(&refused), "IllegalStone", "a double-three: {refused}");
    assert_eq!(state(&g), before);
    let mut g = start("none");
    for text in ["h8", "a1", "h9", "b1", "h10", "c1", "h11", "d1", "h12"] {
        g.act(g.to_act(), text).unwrap();
    }
    for who in [Seat::First, Seat::Second] {
        assert_eq!(g.act(who, "i9"), Err(Refused::Over));
    }
}

/// Two stones are placed while colours are open, as often as the seats like; a row completed then is the chooser's.
#[test]
fn a_row_completed_while_colours_are_open_belongs_to_the_next_chooser() {
    let mut g = start("supersakata");
    let line = "1 h8, 1 h9, 1 i8, 2 e5, 2 j8, 1 branch0, 1 a1, 1 k8, 2 branch0, 2 a3, 2 l8";
    line.split(", ").for_each(|text| step(&mut g, text, line));
    assert_eq!(g.outcome(), Some(tengen_game::Outcome::Win(Seat::First)), "second completed five, first would choose");
    assert_eq!(g.act(Seat::First, "swap"), Err(Refused::Over));
    g.undo();
    assert_eq!((g.outcome(), g.to_act()), (None, Seat::Second));
    // White's row, completed by the first stone of a pair.
    let mut g = start("supersakata");
    let line = "1 h8, 1 h9, 1 i8, 2 i9, 2 l12, 1 branch0, 1 j9, 1 a1, 2 branch0, 2 k9, 2 a3, 1 branch0, 1 l9";
    line.split(", ").for_each(|text| step(&mut g, text, line));
    assert_eq!(g.outcome(), Some(tengen_game::Outcome::Win(Seat::Second)));
}

/// What a record can tell of the swaps and of the numbers.
#[test]
fn swaps_and_numbers_can_be_read() {
    let mut g = start("taraguchi-10");
    let line = "1 h8, 2 swap, 1 h9, 2 keep, 2 i9, 1 swap, 2 k9, 1 swap, 2 d4, 1 swap";
    line.split(", ").for_each(|text| step(&mut g, text, line));
    assert_eq!(g.swap_code(), "R-RRR");
    let chances: Vec<_> = g.swaps().iter().map(|s| (s.seat.index() + 1, s.stones, s.taken)).collect();
    assert_eq!(chances, [(2, 1, true), (2, 2, false), (1, 3, true), (1, 4, true), (1, 5, true)]);
    assert_eq!(g.offer_numbers(), None);

    // Yamaguchi in the most symmetric position: 221 are declared, 62 are owed.
    let mut g = start("yamaguchi");
    let line = "1 h8, 1 h9, 1 h7, 1 declare221, 2 swap, 1 h6";
    line.split(", ").for_each(|text| step(&mut g, text, line));
    assert_eq!((g.offer_numbers(), g.offer_classes().len()), (Some((221, 62)), 62));
    for class in g.offer_classes() {
        let first = class.iter().next().unwrap();
        g.apply(Action::point(first));
    }
    assert_eq!(kind(&g.act(Seat::First, "g7").unwrap_err()), "NotOffered");
    g.act(Seat::First, "g9").unwrap();
    g.act(Seat::First, "a1").unwrap();
    assert_eq!((g.offer_numbers(), g.swap_code().as_str()), (Some((221, 62)), "R"), "still known later");
}

/// The rejection system says which rule is left, and plays exactly that rule.
#[test]
fn rejection_leaves_one_rule() {
    let names = ["rif", "soosorv-8", "taraguchi-10"];
    for (a, b) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        let mut g = start("reject:rif,soosorv-8,taraguchi-10");
        g.act(Seat::First, &format!("branch{a}")).unwrap();
        assert_eq!(g.stage().rules_open, 7 & !(1 << a));
        g.act(Seat::Second, &format!("branch{b}")).unwrap();
        let left = names[3 - a - b];
        assert_eq!(g.opening_in_force().to_string(), left);
        let history = [
            format!("first takes branch{a}: reject {}", names[a]),
            format!("second takes branch{b}: reject {}", names[b]),
        ];
        assert_eq!(g.protocol_history(), history);
        // The same random decisions are legal, and mean the same, as in the rule alone.
        let (mut alone, mut rng, mut legal, mut other) = (start(left), TestRng::new(8), Vec::new(), Vec::new());
        for _ in 0..40 {
            g.legal(&mut legal);
            alone.legal(&mut other);
            assert_eq!((g.to_act(), &legal, g.stage().kind), (alone.to_act(), &other, alone.stage().kind), "{left}");
            let Some(&action) = legal.get(rng.below(legal.len().max(1))) else { break };
            g.apply(action);
            alone.apply(action);
        }
    }
}

#[test]
fn files_of_given_starts() {
    let size = tengen_game::Size::square(20).unwrap();
    let text = "# openings\n8,-3, 6,-4, 5,-4, 4,-3, 2,-8, -1,-5\n\nh8 i9 j10\nh8i9j10\nH8,I9\n0,0\n";
    let found: Vec<String> = Opening::read_starts(text, size).unwrap().iter().map(Opening::to_string).collect();
    let expected = ["given:s13,q14,p14,o13,m18,j15", "given:h8,i9,j10", "given:h8,i9,j10", "given:h8,i9", "given:k10"];
    assert_eq!(found, expected);
    for (bad, word) in [
        ("h8\nh8 h", "line 2"),
        ("1,2,3", "pairs"),
        ("99,0", "off"),
        ("h8 h8", "twice"),
        ("z3", "point"),
        ("h21", "20x20"),
    ] {
        let error = Opening::read_starts(bad, size).unwrap_err().to_string();
        assert!(error.contains(word), "{bad}: {error}");
    }
}
