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
    for opening in ["pie", "swap", "rif", "swap2", "yamaguchi", "soosorv-4", "tarannikov", "taraguchi-2"] {
        assert_eq!(who_gets_black(opening), (-1, Seat::Second), "{opening}");
    }
    assert_eq!(who_gets_black("none"), (1, Seat::First));
    assert_eq!(who_gets_black("pro"), (1, Seat::First));
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
