//! The contract of `Game`, on random games of every protocol that fits, over sizes and families.

mod toy;

use tengen_game::testkit::{TestRng, conformance};
use tengen_game::{Game, Placement, SetupError};
use tengen_opening::{Seated, SeatedSetup};
use toy::Toy;

/// The setups of one rules text with every protocol that can open it.
fn with_every_opening<P: Placement>(rules: &str) -> Vec<SeatedSetup<P>> {
    let rules: P::Rules = rules.parse().unwrap_or_else(|e: SetupError| panic!("{rules}: {e}"));
    SeatedSetup::every_opening(&rules)
}

fn holds_for<P: Placement>(rules: &str, openings: usize, games: usize) {
    let setups = with_every_opening::<P>(rules);
    assert_eq!(setups.len(), openings, "{rules}: {setups:?}");
    for setup in &setups {
        let finished = conformance::<Seated<P>>(setup, 11, games, 700);
        assert_eq!(finished, games, "{setup}: random play ends");
    }
}

#[test]
fn toy_boards() {
    holds_for::<Toy>("row=5 size=9x9", 16, 4);
    holds_for::<Toy>("row=5 size=11x9", 16, 3);
    holds_for::<Toy>("row=5 size=7x7", 10, 4);
    holds_for::<Toy>("row=4 size=5x5", 9, 6);
    holds_for::<Toy>("row=4 size=6x6", 5, 6);
    holds_for::<Toy>("row=3 size=3x3", 3, 20);
    holds_for::<Toy>("row=9 size=4x4 family=go", 4, 10);
}

#[test]
fn protocols_by_what_their_names_carry() {
    let names = "soosorv-1 soosorv-5 soosorv-6 soosorv-7 soosorv-8 soosorv-221 taraguchi-1 taraguchi-10 taraguchi-221 \
                 supertaraguchi-1 supertaraguchi-10 reject:yamaguchi,rif,taraguchi reject:soosorv-4,soosorv-8,rif \
                 given:e5 given:e5,f6,a1 given:a1,b9,c3,d4:swap given:e5,e6,f6/e5,f6,g7/a1,b1,c1:white given:e5/a1:swap";
    for opening in names.split_whitespace() {
        let setup = toy::setup(&format!("row=5 size=9x9 opening={opening}"));
        assert_eq!(conformance::<Seated<Toy>>(&setup, 5, 3, 700), 3, "{opening}");
    }
}

/// Undo from anywhere to the start, and again forward by a clone: a clone shares nothing.
#[test]
fn clones_are_independent() {
    for setup in with_every_opening::<Toy>("row=5 size=9x9") {
        let mut rng = TestRng::new(3);
        let mut game = Seated::<Toy>::start(&setup);
        let mut legal = Vec::new();
        for _ in 0..12 {
            game.legal(&mut legal);
            if legal.is_empty() {
                break;
            }
            let action = legal[rng.below(legal.len())];
            let kept = game.clone();
            let before = (kept.hash(), kept.plies(), kept.stage(), kept.offers().to_vec());
            game.apply(action);
            assert_eq!(before, (kept.hash(), kept.plies(), kept.stage(), kept.offers().to_vec()), "{setup}");
        }
    }
}
