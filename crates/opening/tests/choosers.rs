//! Who ends with the better colour when everybody loves Black: under a right seat sign, the last to choose. A search that
//! flipped signs every ply would give it to the placer.

mod toy;

use tengen_game::{Action, Colour, Game, Seat};
use tengen_opening::{Seated, StageKind};
use toy::{Toy, game};

/// Value for `seat`: +1 for whoever holds Black, decided where plain play begins.
fn stub(g: &Seated<Toy>, seat: Seat) -> i32 {
    if g.seat_of(Colour::Black) == seat { 1 } else { -1 }
}

/// A few actions per stage; enough here, as the stub doesn't look at stones.
fn some_actions(g: &Seated<Toy>) -> Vec<Action> {
    let mut legal = Vec::new();
    g.legal(&mut legal);
    if legal[0].as_point().is_some() || legal[0].as_number().is_some() {
        legal.truncate(2);
    }
    legal
}

/// Negamax by seat: value for the seat to act and its best action.
fn best(g: &mut Seated<Toy>, depth: usize) -> (i32, Option<Action>) {
    let seat = g.to_act();
    if depth == 0 || g.stage().kind == StageKind::Play {
        return (stub(g, seat), None);
    }
    let mut found = (i32::MIN, None);
    for action in some_actions(g) {
        g.apply(action);
        let (value, _) = best(g, depth - 1);
        let value = if g.to_act() == seat { value } else { -value };
        g.undo();
        if value > found.0 {
            found = (value, Some(action));
        }
    }
    found
}

fn who_gets_black(opening: &str) -> (i32, Seat) {
    let mut g = game(&format!("row=5 size=9 opening={opening}"));
    let value = best(&mut g, 16).0;
    while g.stage().kind != StageKind::Play {
        let action = best(&mut g, 16).1.expect("not over");
        g.apply(action);
    }
    (value, g.seat_of(Colour::Black))
}

#[test]
fn the_last_to_choose_takes_black() {
    let second = "pie swap rif renjuswap swap2 yamaguchi soosorv-4 tarannikov swap5 taraguchi-2 supertaraguchi-2 \
                  reject:rif,soosorv-2,yamaguchi given:e5,e6,f6:swap";
    for opening in second.split_whitespace() {
        assert_eq!(who_gets_black(opening), (-1, Seat::Second), "{opening}");
    }
    assert_eq!(who_gets_black("given:e5,e6,f6:white"), (1, Seat::Second), "Black's seat acts first");
    // Under Super Sakata the first seat is the first to choose, and need not hand the choice back.
    for opening in ["none", "pro", "longpro", "given:e5,e6", "supersakata"] {
        assert_eq!(who_gets_black(opening), (1, Seat::First), "{opening}");
    }
}

/// Keeping after stone 4 would let White take Black after stone 5; offering keeps it.
#[test]
fn taraguchi_black_takes_the_branch_with_offers() {
    for opening in ["taraguchi-2", "supertaraguchi-2"] {
        let mut g = game(&format!("row=5 size=9 opening={opening}"));
        while g.stage().kind != StageKind::BranchChoice {
            let action = some_actions(&g)[0];
            g.apply(if action == Action::SWAP { Action::KEEP } else { action });
        }
        assert_eq!(g.colour_of(g.to_act()), Colour::Black);
        let mut after = |action: Action| {
            let seat = g.to_act();
            g.apply(action);
            let value = best(&mut g, 12).0 * if g.to_act() == seat { 1 } else { -1 };
            g.undo();
            value
        };
        // To become White and choose again after stone 5 is as good; to keep and not choose again is a mistake.
        let values = [Action::branch(0), Action::SWAP, Action::KEEP].map(&mut after);
        assert_eq!(values, [1, 1, -1], "{opening}");
    }
}

/// Handing the choice back is a mistake that swap2's second seat sees.
#[test]
fn swap2_does_not_give_the_choice_away() {
    let mut g = game("row=5 size=9 opening=swap2");
    for point in [0, 40, 80] {
        g.apply(Action(point));
    }
    assert_eq!(best(&mut g, 8), (1, Some(Action::SWAP)));
    g.apply(Action::branch(0));
    g.apply(Action(1));
    g.apply(Action(2));
    assert_eq!((g.to_act(), best(&mut g, 4)), (Seat::First, (1, Some(Action::KEEP))));
}
