//! Starts: distinct up to symmetry, undecided, balanced, and where they end under opening protocols.

mod toy;

use std::collections::HashSet;

use tengen_game::{Action, Game, Point, Size, Symmetry};
use tengen_opening::Seated;
use tengen_play::{
    Start, StartsConfig, canonical_actions, canonical_hash, most_balanced, random_starts, three_stone_classes,
};
use tengen_renju::FiveBoard;

type Five = Seated<FiveBoard>;

fn five(rest: &str) -> <Five as Game>::Setup {
    format!("game=five {rest}").parse().unwrap()
}

fn plies(min: u32, max: u32) -> StartsConfig {
    StartsConfig { plies_min: min, plies_max: max, ..StartsConfig::default() }
}

fn replay(setup: &<Five as Game>::Setup, actions: &[Action]) -> Five {
    let mut game = Five::start(setup);
    for &a in actions {
        assert!(game.is_legal(a));
        game.apply(a);
    }
    game
}

#[test]
fn distinct_up_to_symmetry_undecided_and_seeded() {
    let setup = five("rules=freestyle size=9x9 win=5 opening=none");
    let found = random_starts::<Five>(&setup, &plies(2, 8), 300, 7, None);
    assert_eq!(found.starts.len(), 300);
    let mut seen = HashSet::new();
    for start in &found.starts {
        let game = replay(&setup, &start.actions);
        assert!(game.outcome().is_none() && (2..=8).contains(&start.actions.len()));
        // The keys of all eight images, computed here by hand, are new.
        for &s in Symmetry::of(game.size()) {
            let image: Vec<Action> = start.actions.iter().map(|&a| game.map(s, a)).collect();
            assert_eq!(canonical_hash::<Five>(&setup, &image), start.key);
        }
        assert!(seen.insert(start.key));
    }
    assert_eq!(found, random_starts::<Five>(&setup, &plies(2, 8), 300, 7, None));
    assert_ne!(found.starts, random_starts::<Five>(&setup, &plies(2, 8), 300, 8, None).starts);
}

#[test]
fn no_start_is_won_by_one_ply() {
    // Four in a row on 6x6: after seven to ten random stones many positions are won or one ply from it.
    let setup = five("rules=freestyle size=6x6 win=4 opening=none");
    let found = random_starts::<Five>(&setup, &plies(7, 10), 200, 3, None);
    assert!(found.decided > 0 && !found.starts.is_empty());
    for start in &found.starts {
        let mut game = replay(&setup, &start.actions);
        let seat = game.to_act();
        let mut legal = Vec::new();
        game.legal(&mut legal);
        for a in legal {
            game.apply(a);
            assert!(game.outcome().is_none_or(|o| o.value(seat) <= 0.0), "{:?}", start.actions);
            game.undo();
        }
    }
}

#[test]
fn small_games_run_out_of_starts() {
    // Tic-tac-toe has 3 first moves up to symmetry and 12 positions after two.
    let setup = toy::ToySetup { passes: false, illegal: Default::default() };
    let count = |plies_min| {
        let config = StartsConfig { spread: 0.0, ..plies(plies_min, plies_min) };
        random_starts::<toy::Toy>(&setup, &config, 100, 1, None).starts.len()
    };
    assert_eq!(count(0), 1);
    assert_eq!(count(1), 3);
    assert_eq!(count(2), 12);
}

#[test]
fn balance_draw_follows_its_formula() {
    let setup = five("rules=freestyle size=9x9 win=5 opening=none");
    let mut value = |_: &Five| 0.5;
    let found = random_starts::<Five>(&setup, &plies(4, 8), 400, 5, Some(&mut value));
    let tried = found.starts.len() as f64 + found.unbalanced as f64;
    let share = found.starts.len() as f64 / tried;
    assert!((share - 0.75f64.powi(4)).abs() < 0.04, "{share}");
    assert!(found.starts.iter().all(|s| s.value == Some(0.5)));
    let mut lost = |_: &Five| -1.0;
    assert!(random_starts::<Five>(&setup, &plies(2, 3), 5, 5, Some(&mut lost)).starts.is_empty());
    let mut broken = |_: &Five| f32::NAN;
    assert!(random_starts::<Five>(&setup, &plies(2, 3), 5, 5, Some(&mut broken)).starts.is_empty());
}

#[test]
fn protocols_keep_their_choices_for_the_players() {
    let setup = five("rules=renju size=15x15 opening=swap2");
    let found = random_starts::<Five>(&setup, &plies(3, 3), 50, 2, None);
    assert_eq!(found.starts.len(), 50);
    for start in &found.starts {
        assert!(start.actions.iter().all(|a| a.as_point().is_some()));
        assert!(replay(&setup, &start.actions).is_choice(), "three stones are placed, then comes the choice");
    }
    // RIF: 26 openings, and the first choice after them.
    let setup = five("rules=renju size=15x15 opening=rif");
    let first: HashSet<u64> =
        random_starts::<Five>(&setup, &plies(3, 3), 26, 2, None).starts.iter().map(|s| s.key).collect();
    assert_eq!(first.len(), 26);
}

#[test]
fn protocols_with_early_choices_still_give_variety() {
    let setup = five("rules=renju size=15x15 opening=taraguchi-10");
    let found = random_starts::<Five>(&setup, &plies(3, 4), 40, 9, None);
    assert_eq!(found.starts.len(), 40, "{:?}", (found.repeated, found.decided));
    let mut keys: Vec<u64> = found.starts.iter().map(|s| s.key).collect();
    keys.dedup();
    assert_eq!(keys.len(), 40);
}

#[test]
fn trivial_start_and_canonical_actions() {
    let setup = five("rules=freestyle size=6x6 win=4 opening=none");
    let start = Start::trivial::<Five>(&setup);
    assert!(start.actions.is_empty());
    assert_eq!(start.key, Five::start(&setup).hash());
    let game = Five::start(&setup);
    let actions = [Action(1), Action(7), Action(20)];
    for &s in Symmetry::of(game.size()) {
        let image = actions.map(|a| game.map(s, a));
        assert_eq!(canonical_actions(&game, &image), canonical_actions(&game, &actions));
    }
}

/// A report of a peer counted 702,450 = 5,619,600 / 8, which forgets that symmetric openings have fewer than eight
/// images. Counted by enumeration, not by formula: every position is the image of exactly one class.
#[test]
fn three_stone_openings_on_15x15_are_703934() {
    let size = Size::square(15).unwrap();
    let (mut classes, mut images) = (0u32, 0u32);
    let mut last = [Point(0); 3];
    for stones in three_stone_classes(size) {
        let [a, w, b] = stones;
        assert!(a < b && a != w && b != w);
        assert!(last < [a, b, w], "ascending, so none twice");
        last = [a, b, w];
        let orbit = |s: &Symmetry| {
            let (x, y) = (s.point(size, a), s.point(size, b));
            [x.min(y), x.max(y), s.point(size, w)]
        };
        let mut orbit: Vec<[Point; 3]> = Symmetry::of(size).iter().map(orbit).collect();
        orbit.sort_unstable();
        orbit.dedup();
        assert_eq!(orbit[0], last, "a class is named by its least member");
        classes += 1;
        images += orbit.len() as u32;
    }
    assert_eq!((classes, images), (703_934, 225 * 224 / 2 * 223));
}

/// The same classes by keys of real games, on boards small enough to try every order of stones; and the random generator
/// finds all of them.
#[test]
fn three_stone_classes_agree_with_games_and_with_the_generator() {
    for (size, rules) in [("4x4", "win=4"), ("5x4", "win=4")] {
        let setup = five(&format!("rules=freestyle size={size} {rules} opening=swap"));
        let board: Size = size.parse().unwrap();
        let key = |stones: [Point; 3]| canonical_hash::<Five>(&setup, &stones.map(Action::point));
        let classes: HashSet<u64> = three_stone_classes(board).map(key).collect();
        assert_eq!(classes.len(), three_stone_classes(board).count(), "{size}: no two classes are one");
        let mut all = HashSet::new();
        for a in board.points() {
            for w in board.points().filter(|w| *w != a) {
                all.extend(board.points().filter(|b| *b != a && *b != w).map(|b| key([a, w, b])));
            }
        }
        assert_eq!(classes, all, "{size}");
        let config = StartsConfig { spread: 0.0, ..plies(3, 3) };
        let found = random_starts::<Five>(&setup, &config, usize::MAX, 1, None).starts;
        assert_eq!(found.iter().map(|s| s.key).collect::<HashSet<_>>(), classes, "{size}");
    }
}

#[test]
fn every_rule_has_its_starts() {
    for rules in ["freestyle", "standard", "renju", "caro", "omok"] {
        for opening in ["none", "supersakata", "reject:rif,soosorv-8,taraguchi-10"] {
            let setup = five(&format!("rules={rules} size=15x15 opening={opening}"));
            let draw = |seed| random_starts::<Five>(&setup, &plies(3, 5), 25, seed, None);
            let found = draw(1);
            let keys: HashSet<u64> = found.starts.iter().map(|s| s.key).collect();
            assert_eq!((found.starts.len(), keys.len()), (25, 25), "{rules} {opening}");
            assert_eq!(found, draw(1));
            assert_ne!(found.starts, draw(2).starts);
            found.starts.iter().for_each(|s| assert!(replay(&setup, &s.actions).outcome().is_none()));
        }
    }
}

/// A book of given starts is drawn from, and its starts are distinct up to symmetry.
#[test]
fn given_starts_are_drawn_from() {
    let setup = five("rules=freestyle size=15x15 opening=given:h8,h9,i9/h8,i9,j10/h8,g8,g7/a1,b2,c4:swap");
    let found = random_starts::<Five>(&setup, &plies(3, 3), 100, 4, None).starts;
    // h8 g8 g7 is h8 h9 i9 in another orientation.
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|s| replay(&setup, &s.actions).is_choice()), "then the colour is chosen");
}

#[test]
fn the_most_balanced_of_a_pool() {
    let setup = five("rules=renju size=15x15 opening=swap2");
    // Any function of the position that symmetry doesn't change will do.
    let stones = |g: &Five| canonical_hash::<Five>(g.setup(), &[]) ^ g.hash();
    let mut value = |g: &Five| (stones(g) % 2001) as f32 / 1000.0 - 1.0;
    let (config, pool) = (plies(3, 3), 150);
    let best = most_balanced::<Five>(&setup, &config, (50, pool), 6, &mut value);
    let all = random_starts::<Five>(&setup, &StartsConfig { exponent: 0, ..config.clone() }, pool, 6, Some(&mut value));
    let mut off: Vec<f32> = all.starts.iter().map(|s| s.value.unwrap().abs()).collect();
    off.sort_by(f32::total_cmp);
    assert_eq!(best.iter().map(|s| s.value.unwrap().abs()).collect::<Vec<_>>(), off[..50]);
    assert_eq!(best, most_balanced::<Five>(&setup, &config, (50, pool), 6, &mut value), "reproducible by seed");
    assert_eq!(most_balanced::<Five>(&setup, &config, (50, 20), 6, &mut value).len(), 20);
}
