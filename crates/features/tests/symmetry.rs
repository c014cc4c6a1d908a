//! Every plane of KataGo's inputs moves with the board, and the numbers stay, under all kinds of rules.

use tengen_features::{Encode, FeatureSpec, Frame};
use tengen_game::Game;
use tengen_game::testkit::{Encoded, encoding_commutes};
use tengen_go::GoBoard;
use tengen_opening::Seated;

type Go = Seated<GoBoard>;

struct Planes(FeatureSpec);

impl Encoded<Go> for Planes {
    fn encode(&self, game: &Go) -> (Vec<f32>, Vec<f32>) {
        let size = game.size();
        let (width, height) = (size.width(), size.height());
        let (mut planes, mut globals) = (vec![0.0; self.0.planes * size.area()], vec![0.0; self.0.globals]);
        game.encode(&self.0, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
        assert!(planes.iter().all(|&v| v == 0.0 || v == 1.0), "planes are binary");
        (planes, globals)
    }
}

#[test]
fn katagos_inputs_move_with_the_board() {
    for (i, text) in [
        "rules=tromp-taylor size=9x9 opening=none",
        "rules=tromp-taylor size=6x5 ko=simple cycle=no-result end=repeat opening=none",
        "rules=chinese size=7x7 opening=none",
        "rules=aga-button size=5x5 opening=none",
        "rules=japanese size=5x5 opening=none",
        "rules=stone-scoring size=4x4 opening=none",
        "rules=tromp-taylor size=4x4 ko=spight suicide=all opening=none",
        "rules=tromp-taylor size=13x13 opening=none",
    ]
    .into_iter()
    .enumerate()
    {
        let setup: <Go as Game>::Setup = format!("game=go {text}").parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        let spec = Go::spec(std::slice::from_ref(&setup), "katago-v7").expect("a known set");
        assert_eq!((spec.set.as_str(), spec.planes, spec.globals), ("katago-v7-1", 22, 19));
        encoding_commutes::<Go>(&setup, &Planes(spec), i as u64, 3, 150);
    }
}

/// In a wider and higher frame the planes are the same, in the corner.
#[test]
fn frames_may_be_larger_than_the_board() {
    let setup: <Go as Game>::Setup = "game=go rules=japanese size=6x7 opening=none".parse().expect("a setup");
    let spec = Go::spec(std::slice::from_ref(&setup), "katago-v7").expect("a known set");
    let mut game = Go::start(&setup);
    let (mut legal, mut rng) = (Vec::new(), tengen_game::testkit::TestRng::new(7));
    loop {
        let fill = |width: usize, height: usize| {
            let (mut planes, mut globals) = (vec![0.0; spec.planes * width * height], vec![0.0; spec.globals]);
            game.encode(&spec, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
            (planes, globals)
        };
        let ((tight, numbers), (wide, same)) = (fill(6, 7), fill(9, 8));
        assert_eq!(numbers, same);
        for (i, &value) in wide.iter().enumerate() {
            let (plane, y, x) = (i / 72, i / 9 % 8, i % 9);
            let expected = if x < 6 && y < 7 { tight[(plane * 7 + y) * 6 + x] } else { 0.0 };
            assert_eq!(value, expected, "plane {plane}, {x} {y}");
        }
        game.legal(&mut legal);
        if legal.is_empty() || game.plies() > 120 {
            return;
        }
        game.apply(legal[rng.below(legal.len())]);
    }
}
