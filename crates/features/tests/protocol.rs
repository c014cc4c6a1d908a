//! What opening protocols add to the inputs: how much, and that the rules which the rejection system leaves open are seen.

use tengen_features::{Encode, FeatureSpec, Frame};
use tengen_game::{Action, Game};
use tengen_opening::Seated;
use tengen_renju::FiveBoard;

type Five = Seated<FiveBoard>;

const REJECT: &str = "reject:rif,soosorv-8,taraguchi-10";

fn setup(opening: &str) -> <Five as Game>::Setup {
    format!("game=five rules=renju size=15x15 opening={opening}").parse().expect("a setup")
}

fn globals(game: &Five, spec: &FeatureSpec) -> Vec<f32> {
    let (width, height) = (15, 15);
    let (mut planes, mut globals) = (vec![0.0; spec.planes * width * height], vec![0.0; spec.globals]);
    game.encode(spec, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
    globals
}

/// Networks on disk were made for these numbers.
#[test]
fn only_rejection_adds_open_rules() {
    for (openings, count) in [
        (&["none"][..], 1),
        (&["rif"], 11),
        (&["soosorv-8"], 11),
        (&["taraguchi-10", "none"], 11),
        (&["swap2"], 11),
        (&[REJECT], 14),
        (&["rif", REJECT], 14),
    ] {
        let setups: Vec<_> = openings.iter().map(|opening| setup(opening)).collect();
        let spec = Five::spec(&setups, "five-stones-1").expect("a spec");
        assert_eq!((spec.globals, spec.open_rules), (count, count == 14), "{openings:?}");
    }
}

#[test]
fn the_rules_left_open_are_seen() {
    let spec = Five::spec(&[setup(REJECT)], "five-stones-1").expect("a spec");
    let centre = Action(7 * 15 + 7);
    let seen = |actions: &[Action]| {
        let mut game = Five::start(&setup(REJECT));
        for &action in actions {
            assert!(game.is_legal(action), "{action:?}");
            game.apply(action);
        }
        let now = globals(&game, &spec);
        // A network made before these numbers were there is fed the same without them.
        let before = spec.clone().with_globals(11);
        assert!(!before.open_rules && globals(&game, &before) == now[..11]);
        now[11..].to_vec()
    };
    let reject = Action::branch;
    assert_eq!(seen(&[]), [0.0, 0.0, 0.0], "none is rejected yet");
    assert_eq!(seen(&[reject(0)]), [0.0, 1.0, 1.0]);
    assert_eq!(seen(&[reject(1)]), [1.0, 0.0, 1.0]);
    assert_eq!(seen(&[reject(0), reject(1)]), [0.0, 0.0, 1.0]);
    assert_eq!(seen(&[reject(0), reject(2)]), [0.0, 1.0, 0.0]);
    // The rule that is left is seen as long as its opening lasts: the same stone, two rules.
    assert_eq!(seen(&[reject(0), reject(1), centre]), [0.0, 0.0, 1.0]);
    assert_eq!(seen(&[reject(2), reject(1), centre]), [1.0, 0.0, 0.0]);
    // Other networks than those stay as they are.
    assert_eq!(spec.clone().with_globals(12), spec);
}
