//! The contract of `Game` on the real rules cores, and what only they can show: forbidden points, komi, resumption.

use tengen_game::testkit::{TestRng, conformance};
use tengen_game::{Action, Colour, Game, Outcome, Placement, Seat, SetupError};
use tengen_go::GoBoard;
use tengen_opening::{Seated, SeatedSetup, StageKind};
use tengen_renju::FiveBoard;

fn holds_for<P: Placement>(rules: &str, openings: usize, games: usize, plies_max: usize) {
    let rules: P::Rules = rules.parse().unwrap_or_else(|e: SetupError| panic!("{rules}: {e}"));
    let setups = SeatedSetup::<P>::every_opening(&rules);
    assert_eq!(setups.len(), openings, "{rules}: {setups:?}");
    for setup in setups {
        let finished = conformance::<Seated<P>>(&setup, 21, games, plies_max);
        assert_eq!(finished, games, "{setup}: random play ends");
    }
}

/// Every win rule of the family under every protocol, on the usual board and on the smallest that takes them all.
#[test]
fn every_rule_under_every_protocol() {
    for rules in ["freestyle", "standard", "renju", "caro", "omok"] {
        holds_for::<FiveBoard>(&format!("game=five rules={rules} size=15x15"), 16, 1, 600);
        holds_for::<FiveBoard>(&format!("game=five rules={rules} size=9x9"), 16, 2, 600);
    }
}

#[test]
fn five_in_a_row() {
    holds_for::<FiveBoard>("game=five rules=renju size=7x7", 10, 3, 400);
    holds_for::<FiveBoard>("game=five rules=freestyle size=8x8", 5, 3, 400);
    holds_for::<FiveBoard>("game=five rules=standard size=11x9", 16, 2, 400);
    holds_for::<FiveBoard>("game=five rules=freestyle size=6x6 win=4", 5, 4, 400);
}

#[test]
fn go() {
    holds_for::<GoBoard>("game=go rules=tromp-taylor size=9x9 komi=7", 4, 2, 5000);
    holds_for::<GoBoard>("game=go rules=tromp-taylor size=5x4 komi=2", 4, 6, 5000);
}

fn start<P: Placement>(setup: &str) -> Seated<P> {
    Seated::start(&setup.parse::<SeatedSetup<P>>().unwrap_or_else(|e| panic!("{setup}: {e}")))
}

/// The seat that took Black in the pie rule wins by Black's score.
#[test]
fn komi_counts_for_the_colour_and_the_seat() {
    for (choice, first) in [(Action::KEEP, 74.0), (Action::SWAP, -74.0)] {
        let mut game = start::<GoBoard>("game=go rules=tromp-taylor size=9x9 komi=7 opening=pie");
        [Action(40), choice, Action::PASS, Action::PASS].iter().for_each(|&a| game.apply(a));
        let winner = game.seat_of(Colour::Black);
        assert_eq!((game.outcome(), game.margin()), (Some(Outcome::Win(winner)), Some(first)));
        assert_eq!(winner == Seat::First, first > 0.0);
    }
}

/// What was bid counts, whatever komi the rules had.
#[test]
fn a_bid_for_black_sets_the_komi() {
    let mut game = start::<GoBoard>("game=go rules=tromp-taylor size=9x9 komi=7 opening=bid-60");
    let bids = [Action::number(20), Action::branch(1), Action::number(41), Action::branch(0)];
    bids.iter().for_each(|&a| game.apply(a));
    assert_eq!(
        (game.seat_of(Colour::Black), game.to_act(), game.board().rules().komi),
        (Seat::Second, Seat::Second, 20.5)
    );
    [Action(40), Action::PASS, Action::PASS].iter().for_each(|&a| game.apply(a));
    assert_eq!(game.margin(), Some(20.5 - 81.0), "second's stone, less the komi");
    (0..4).for_each(|_| game.undo());
    assert_eq!(game.board().rules().komi, 7.0);
}

/// In every renju protocol Black's forbidden points are closed to whoever holds Black, and White's holder may use them.
#[test]
fn forbidden_points_hold_for_whoever_holds_black() {
    for opening in ["rif", "soosorv-8", "taraguchi-10", "swap2", "swap5", "supersakata", "reject:rif,soosorv,taraguchi"]
    {
        let mut rng = TestRng::new(4);
        let mut legal = Vec::new();
        let mut closed = [0; 2];
        for _ in 0..60 {
            let mut game = start::<FiveBoard>(&format!("game=five rules=renju size=9x9 opening={opening}"));
            while game.outcome().is_none() {
                game.legal(&mut legal);
                let forbidden = game.board().forbidden_for_black();
                for p in forbidden.iter().filter(|_| !game.is_choice()) {
                    let black = game.board().to_play() == Colour::Black;
                    assert_eq!(game.is_legal(Action::point(p)), !black, "{opening} {p:?}");
                    closed[game.seat_of(Colour::Black).index()] += 1;
                }
                if game.stage().kind == StageKind::Play {
                    assert_eq!(game.colour_of(game.to_act()), game.board().to_play());
                }
                game.apply(legal[rng.below(legal.len())]);
            }
        }
        assert!(closed.iter().all(|&n| n > 100), "{opening}: either seat met them, {closed:?}");
    }
}
