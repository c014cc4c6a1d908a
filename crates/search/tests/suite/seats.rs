//! Signs follow the seat, never the ply.

use tengen_game::{Action, Game, Seat};
use tengen_search::{Limits, Rule};

use crate::corridor::{Corridor, Plan, Table};
use crate::line::Line;
use crate::stub::{config, flat, run};

#[test]
fn values_are_for_the_seat_to_act_whoever_acts_next() {
    use Seat::{First, Second};
    let corridors = [vec![Second, First], vec![First, Second], vec![First], vec![Second], vec![First, First, Second]];
    for rule in [Rule::Gumbel, Rule::Puct] {
        for decider in Seat::BOTH {
            for corridor in &corridors {
                let plan = Plan { decider, corridor: corridor.clone(), ..Plan::new(6) };
                let table = Table::even(&[-0.9, -0.5, 0.8, -0.7, -0.8, -0.6]);
                let game = Corridor::new(plan);
                let result = run(&config(rule), &game, Limits::playing(200), 1, |g, l| table.answer(g, l));
                let most = result.visits.iter().max_by_key(|(_, n)| *n).unwrap();
                assert_eq!((result.chosen, most.0), (Action(2), Action(2)), "{rule:?} {decider} {corridor:?}");
                assert!(result.root_value > 0.6, "{rule:?} {decider} {corridor:?}: {}", result.root_value);
            }
        }
    }
}

#[test]
fn a_win_in_one_is_worth_one_for_both_seats() {
    // The stub knows nothing but one-move wins. Row of 4 on 5x5: nothing else is near.
    let answer = |g: &Line, legal: &[Action]| {
        let mut game = g.clone();
        let wins = legal.iter().any(|&a| {
            game.apply(a);
            let over = game.outcome().is_some();
            game.undo();
            over
        });
        flat(legal, if wins { 1.0 } else { 0.0 })
    };
    for (stones, win) in [(vec![0, 20, 1, 21, 2, 23], 3), (vec![24, 0, 20, 1, 22, 2, 18], 3)] {
        let game = Line::after("size=5 row=4", &stones);
        for rule in [Rule::Gumbel, Rule::Puct] {
            let result = run(&config(rule), &game, Limits::playing(50), 3, answer);
            assert_eq!((result.chosen, result.root_value), (Action(win), 1.0), "{rule:?} {}", game.to_act());
            assert_eq!(result.policy, [(Action(win), 1.0)]);
        }
    }
}

#[test]
fn a_swap_is_taken_when_the_placement_is_lopsided() {
    // X in the centre and O on an edge loses for O; so the second seat takes X's side.
    let mut game = Line::after("size=3 row=3 pie=true", &[4, 1]);
    assert_eq!(game.to_act(), Seat::Second);
    for rule in [Rule::Gumbel, Rule::Puct] {
        let result = run(&config(rule), &game, Limits::playing(2000), 1, |_, l| flat(l, 0.0));
        assert_eq!((result.chosen, result.root_value), (Action::SWAP, 1.0), "{rule:?}");
    }
    // So the first seat, one ply earlier and acting twice in a row, answers in a corner.
    game.undo();
    assert_eq!(game.to_act(), Seat::First);
    let result = run(&config(Rule::Puct), &game, Limits::playing(4000), 1, |_, l| flat(l, 0.0));
    assert!([0, 2, 6, 8].contains(&result.chosen.0) && result.root_value.abs() < 0.3, "{result:?}");
}
