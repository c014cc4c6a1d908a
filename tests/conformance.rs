//! The one suite on every row of the catalogue: games x protocols x sizes, and the encoders on top of them. A new game,
//! protocol or feature set is tested by being listed here; a Go rule set by being one.

use tengen::catalog::{Five, Go};
use tengen_features::{Encode, FeatureSpec, Frame, PolicyLayout};
use tengen_game::Symmetry;
use tengen_game::testkit::{Encoded, TestRng, conformance, encoding_commutes};
use tengen_go::{GoBoard, GoRules, RULESETS};
use tengen_opening::{Opening, SeatedSetup};

const FIVE: &[&str] = &[
    "game=five rules=freestyle size=6x6 win=4 opening=none",
    "game=five rules=freestyle size=7x5 win=3 opening=none",
    "game=five rules=freestyle size=15x15 opening=swap2",
    "game=five rules=standard size=9x9 opening=none",
    "game=five rules=renju size=15x15 opening=none",
    "game=five rules=renju size=15x15 opening=rif",
    "game=five rules=renju size=11x11 opening=swap2",
    "game=five rules=renju size=15x15 opening=pie",
    "game=five rules=renju size=15x15 opening=swap",
    "game=five rules=renju size=15x15 opening=swap2",
    "game=five rules=renju size=15x15 opening=swap5",
    "game=five rules=renju size=15x15 opening=pro",
    "game=five rules=renju size=15x15 opening=longpro",
    "game=five rules=renju size=15x15 opening=renjuswap",
    "game=five rules=renju size=15x15 opening=yamaguchi",
    "game=five rules=renju size=15x15 opening=soosorv-8",
    "game=five rules=renju size=15x15 opening=taraguchi-10",
    "game=five rules=renju size=15x15 opening=tarannikov",
    "game=five rules=renju size=15x15 opening=supertaraguchi-10",
    "game=five rules=renju size=15x15 opening=supersakata",
    "game=five rules=renju size=15x15 opening=reject:rif,soosorv-8,taraguchi-10",
    "game=five rules=renju size=15x15 opening=given:h8,h9,i9/h8,i9,j10:swap",
    "game=five rules=freestyle size=15x15 opening=swap5",
    "game=five rules=standard size=15x15 opening=rif",
    "game=five rules=caro size=15x15 opening=soosorv-5",
    "game=five rules=omok size=15x15 opening=taraguchi-5",
    "game=five rules=omok size=15x15 opening=supersakata",
];

const GO: &[&str] = &[
    "game=go rules=tromp-taylor size=5x5 komi=24.5 opening=none",
    "game=go rules=tromp-taylor size=9x9 komi=7 opening=pie",
    "game=go rules=tromp-taylor size=7x7 komi=7 opening=komipie-40",
    "game=go rules=tromp-taylor size=7x7 komi=7 opening=bid-40",
    "game=go rules=chinese size=7x4 komi=3.5 opening=none",
    "game=go rules=aga size=6x6 komi=4.5 opening=none",
    "game=go rules=stone-scoring size=3x4 ko=none komi=1 opening=pie",
];

const GO_SETS: &[&str] = &["go-basic-1", "go-basic-2", "katago-v7-1"];

struct Planes(FeatureSpec);

impl<G: Encode> Encoded<G> for Planes {
    fn encode(&self, game: &G) -> (Vec<f32>, Vec<f32>) {
        let size = game.size();
        let (mut planes, mut globals) = (vec![0.0; self.0.planes * size.area()], vec![0.0; self.0.globals]);
        let (width, height) = (size.width(), size.height());
        game.encode(&self.0, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
        assert!(planes.iter().all(|&v| v == 0.0 || v == 1.0), "planes are binary");
        (planes, globals)
    }
}

/// Sizes that rule sets are played on, with the plies of a game.
const GO_SIZES: [(&str, usize); 8] =
    [("2x2", 60), ("5x4", 60), ("7x7", 60), ("9x9", 40), ("9x13", 30), ("13x13", 20), ("19x19", 12), ("25x25", 6)];

fn suite<G: Encode>(setups: &[&str], sets: &[&str], plies: usize) {
    for text in setups {
        let setup: G::Setup = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        conformance::<G>(&setup, 11, 2, plies);
        for set in sets {
            let spec = G::spec(std::slice::from_ref(&setup), set).unwrap();
            encoding_commutes::<G>(&setup, &Planes(spec), 5, 1, plies / 2);
        }
        every_action_has_one_output::<G>(&setup);
    }
}

/// Action to output and back is one to one, and moves with the board (a symmetric policy target stays a target).
fn every_action_has_one_output<G: Encode>(setup: &G::Setup) {
    let spec = G::spec(std::slice::from_ref(setup), "").unwrap();
    let mut game = G::start(setup);
    let size = game.size();
    let layout = PolicyLayout { size, width: size.width(), height: size.height(), extras: &spec.extras };
    let (mut rng, mut legal) = (TestRng::new(3), Vec::new());
    loop {
        game.legal(&mut legal);
        if legal.is_empty() || game.plies() > 60 {
            return;
        }
        for &action in &legal {
            let index = layout.index(action).unwrap();
            assert_eq!(layout.action(index), Some(action));
            for &s in Symmetry::of(size) {
                let image = game.map(s, action);
                assert!(layout.index(image).is_ok());
                assert_eq!(game.map(s.inverse(), image), action);
                assert_eq!(image.as_point().is_none(), action.as_point().is_none(), "only points move");
            }
        }
        game.apply(legal[rng.below(legal.len())]);
    }
}

#[test]
fn five_in_a_row() {
    suite::<Five>(FIVE, &["five-stones-1", "five-threats-1"], 90);
}

#[test]
fn go() {
    suite::<Go>(GO, GO_SETS, 90);
}

#[test]
fn every_go_rule_set_on_every_size_under_every_opening() {
    let mut setups = 0;
    for row in RULESETS {
        for (size, plies) in GO_SIZES {
            let rules = GoRules::named(row.name, size.parse().unwrap()).unwrap();
            let small = rules.size.area() <= 49;
            for setup in SeatedSetup::<GoBoard>::every_opening(&rules) {
                let sets: &[&str] = if setup.opening() == Opening::NONE { GO_SETS } else { &[] };
                if small || !sets.is_empty() {
                    suite::<Go>(&[&setup.to_string()], sets, plies);
                    setups += 1;
                }
            }
        }
    }
    assert!(
        setups >= RULESETS.len() * (GO_SIZES.len() + 3),
        "{setups} setups; pie and both ways to bid are among them"
    );
}
