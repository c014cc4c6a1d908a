//! Komi settled by the seats: open bidding and the pie rule by komi, on a board that lets its komi be set.

mod toy;

use tengen_game::testkit::conformance;
use tengen_game::{Action, Colour, Game, Outcome, Placement, Seat};
use tengen_opening::{Opening, Refused, Seated, StageKind};
use toy::{Toy, game, setup};

/// Branch 0.
const ACCEPT: Action = Action(628);
/// Branch 1.
const RAISE: Action = Action(629);

fn play(g: &mut Seated<Toy>, line: &[(Seat, Action)]) {
    for &(seat, action) in line {
        assert_eq!(g.to_act(), seat, "{}", g.describe_stage());
        assert_eq!(g.refusal(seat, action), None);
        assert!(g.refusal(!seat, action).is_some());
        g.apply(action);
    }
}

#[test]
fn the_last_bidder_holds_black_and_gives_the_komi() {
    use Seat::{First, Second};
    let bid = Action::number;
    for (line, black, komi) in [
        (vec![(First, bid(0)), (Second, ACCEPT)], First, 0),
        (vec![(First, bid(7)), (Second, ACCEPT)], First, 7),
        (vec![(First, bid(7)), (Second, RAISE), (Second, bid(8)), (First, ACCEPT)], Second, 8),
        (
            vec![
                (First, bid(3)),
                (Second, RAISE),
                (Second, bid(9)),
                (First, RAISE),
                (First, bid(10)),
                (Second, ACCEPT),
            ],
            First,
            10,
        ),
    ] {
        let mut g = game("row=9 size=5 family=go opening=bid-10");
        let start = (g.hash(), g.board().komi_steps());
        play(&mut g, &line);
        assert_eq!(
            (g.stage().kind, g.seat_of(Colour::Black), g.board().komi_steps()),
            (StageKind::Play, black, Some(komi))
        );
        let settled = g.hash();
        play(&mut g, &[(black, Action(0)), (!black, Action::PASS), (black, Action::PASS)]);
        let black_margin = 1.0 - f32::from(komi) / 2.0;
        assert_eq!(g.margin(), Some(if black == First { black_margin } else { -black_margin }));
        (0..3 + line.len()).for_each(|_| g.undo());
        assert_eq!((g.hash(), g.board().komi_steps()), start, "undo takes the komi back");
        // Positions that differ in komi alone are different positions.
        play(&mut g, &[(First, bid(1)), (Second, ACCEPT)]);
        assert_ne!(g.hash(), settled);
    }
}

#[test]
fn bids_only_rise_and_end() {
    let mut g = game("row=9 size=5 family=go opening=bid-10");
    let act = |g: &mut Seated<Toy>, seat, text| g.act(seat, text).map(|_| ());
    assert!(matches!(act(&mut g, Seat::First, "declare11"), Err(Refused::NumberRange { high: 10, .. })));
    act(&mut g, Seat::First, "declare9").unwrap();
    assert!(matches!(act(&mut g, Seat::Second, "declare10"), Err(Refused::NotAsked { .. })));
    act(&mut g, Seat::Second, "branch1").unwrap();
    assert!(matches!(act(&mut g, Seat::Second, "declare9"), Err(Refused::NumberRange { low: 10, .. })));
    act(&mut g, Seat::Second, "declare10").unwrap();
    // Nothing is left to bid.
    assert!(matches!(act(&mut g, Seat::First, "branch1"), Err(Refused::NotAsked { .. })));
    act(&mut g, Seat::First, "branch0").unwrap();
    let history = [
        "first declares 9",
        "second takes branch1: bid more",
        "second declares 10",
        "first takes branch0: accept the bid and be white",
    ];
    assert_eq!(g.protocol_history(), history);
}

#[test]
fn one_names_the_komi_the_other_chooses() {
    for (choice, winner) in [(Action::KEEP, Seat::Second), (Action::SWAP, Seat::First)] {
        let mut g = game("row=9 size=5 family=go opening=komipie-40");
        play(&mut g, &[(Seat::First, Action::number(40)), (Seat::Second, choice)]);
        let black = g.seat_of(Colour::Black);
        play(&mut g, &[(black, Action::PASS), (!black, Action::PASS)]);
        assert_eq!((g.margin().map(f32::abs), g.board().komi_steps()), (Some(20.0), Some(40)));
        assert_eq!(black, !winner, "White has the komi");
        assert_eq!(g.outcome(), Some(Outcome::Draw), "the toy board's own result");
    }
}

#[test]
fn bids_keep_the_contract_and_list_their_actions() {
    for opening in ["bid-3", "bid-255", "komipie-1", "komipie-255"] {
        let setup = setup(&format!("row=9 size=4x4 family=go opening={opening}"));
        assert_eq!(conformance::<Seated<Toy>>(&setup, 2, 6, 700), 6, "{opening}");
    }
    let actions = "bid-2".parse::<Opening>().unwrap().actions();
    assert_eq!(actions, [ACCEPT, RAISE, Action::number(0), Action::number(1), Action::number(2)]);
}
