//! One conformance suite for every game, protocol and encoder: a new one is tested by being listed.
//!
//! It plays seeded random games and checks what every implementation must hold: legal actions apply, `is_legal` agrees
//! with `legal`, undo restores, hashes are a function of the position, symmetries commute with moves, setups round-trip
//! as text, games end. Panics with the setup and the ply on a violation. Not here: what the rules say.

use crate::action::Action;
use crate::game::Game;
use crate::outcome::Outcome;
use crate::symmetry::Symmetry;
use crate::zobrist::mix;

/// A small deterministic stream for tests (SplitMix64).
#[derive(Clone, Debug)]
pub struct TestRng(u64);

impl TestRng {
    /// A stream that depends on the seed alone.
    pub fn new(seed: u64) -> TestRng {
        TestRng(mix(seed))
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)] // a stream without an end needs no Option
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Uniform below `n`, which must not be 0 (bias below 2^-32 for small `n`).
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// What one position answers; two equal positions must have equal snapshots.
#[derive(Clone, Debug, PartialEq)]
struct Snapshot {
    legal: Vec<Action>,
    outcome: Option<Outcome>,
    margin: Option<f32>,
    hash: u64,
    to_act: usize,
    plies: usize,
    choice: bool,
}

fn snapshot<G: Game>(game: &G) -> Snapshot {
    let mut legal = Vec::new();
    game.legal(&mut legal);
    Snapshot {
        legal,
        outcome: game.outcome(),
        margin: game.margin(),
        hash: game.hash(),
        to_act: game.to_act().index(),
        plies: game.plies(),
        choice: game.is_choice(),
    }
}

/// Checks on one position that hold whatever came before.
fn check_position<G: Game>(game: &G, now: &Snapshot, tag: &str) {
    assert!(now.legal.is_sorted(), "{tag}: legal actions ascend");
    assert!(now.legal.iter().all(|a| a.is_valid()), "{tag}: valid actions");
    assert_eq!(now.legal.is_empty(), now.outcome.is_some(), "{tag}: actions run out exactly at the end");
    let all = (0..game.size().area() as u16).chain(Action::PASS.0..Action::END);
    for a in all.map(Action) {
        assert_eq!(game.is_legal(a), now.legal.binary_search(&a).is_ok(), "{tag}: is_legal({a:?}) agrees with legal()");
    }
    let mut classes = Vec::new();
    game.classes(&now.legal, &mut classes);
    assert_eq!(classes.len(), now.legal.len(), "{tag}: one class per legal action");
    for (i, &c) in classes.iter().enumerate() {
        assert!(c as usize <= i && classes[c as usize] == c, "{tag}: a class is named by its first member");
    }
}

/// Plays `games` random games of at most `plies_max` plies from `setup` and checks the contract at every ply.
/// Returns how many reached an outcome; games that are cut are checked all the same.
pub fn conformance<G: Game>(setup: &G::Setup, seed: u64, games: usize, plies_max: usize) -> usize {
    let text = setup.to_string();
    match text.parse::<G::Setup>() {
        Ok(again) => assert_eq!(&again, setup, "setup text round-trips: {text}"),
        Err(e) => panic!("setup `{text}` doesn't read back: {e}"),
    }
    let mut rng = TestRng::new(seed);
    (0..games).filter(|_| one_game::<G>(setup, &text, &mut rng, plies_max)).count()
}

fn one_game<G: Game>(setup: &G::Setup, text: &str, rng: &mut TestRng, plies_max: usize) -> bool {
    let mut game = G::start(setup);
    let size = game.size();
    let mut images: Vec<(Symmetry, G)> = Symmetry::of(size)[1..].iter().map(|&s| (s, G::start(setup))).collect();
    let mut past = vec![snapshot(&game)];
    while game.outcome().is_none() && game.plies() < plies_max {
        let now = past.last().expect("starts with one").clone();
        let tag = format!("{text} ply {}", game.plies());
        check_position(&game, &now, &tag);
        let action = now.legal[rng.below(now.legal.len())];
        game.apply(action);
        let after = snapshot(&game);
        game.undo();
        assert_eq!(snapshot(&game), now, "{tag}: undo restores after {action:?}");
        game.apply(action);
        assert_eq!(snapshot(&game), after, "{tag}: {action:?} repeats");
        assert_eq!(after.plies, now.plies + 1, "{tag}: plies count actions");
        for (s, image) in &mut images {
            let mapped = image.map(*s, action);
            assert!(image.is_legal(mapped), "{tag}: {action:?} is legal under symmetry {s:?}");
            image.apply(mapped);
            let mut expect: Vec<Action> = after.legal.iter().map(|&a| game.map(*s, a)).collect();
            expect.sort();
            let seen = snapshot(image);
            assert_eq!(seen.legal, expect, "{tag}: legal actions move with symmetry {s:?}");
            assert_eq!((seen.outcome, seen.to_act), (after.outcome, after.to_act), "{tag}: symmetric outcome, seat");
            assert_eq!(seen.margin, after.margin, "{tag}: symmetric score");
        }
        past.push(after);
    }
    let finished = game.outcome().is_some();
    check_position(&game, past.last().expect("not empty"), text);
    past.pop();
    while let Some(before) = past.pop() {
        game.undo();
        assert_eq!(snapshot(&game), before, "{text}: undo all the way, ply {}", before.plies);
    }
    finished
}

/// Whether somebody asked for random inputs of a fuzz target; without that, it replays the committed ones alone.
pub fn random_inputs_asked() -> bool {
    let asked = ["BOLERO_RANDOM_TEST_TIME_MS", "BOLERO_RANDOM_ITERATIONS", "BOLERO_RANDOM_SEED"];
    asked.into_iter().any(|name| std::env::var_os(name).is_some())
}

/// Replays the committed inputs of a fuzz target whose first byte names one of `kinds` rule sets, and checks that there
/// is at least one for each.
pub fn replay_corpus(folder: &str, kinds: usize, play: impl Fn(&[u8])) {
    let mut seen = vec![false; kinds];
    for entry in std::fs::read_dir(folder).expect("the corpus is committed") {
        let input = std::fs::read(entry.expect("an entry").path()).expect("readable");
        if let Some(&which) = input.first() {
            seen[which as usize % kinds] = true;
        }
        play(&input);
    }
    assert_eq!(seen, vec![true; kinds], "an input for each rule set in {folder}");
}

/// An encoder under test: planes of one position, `[planes][height][width]` flattened, and globals.
pub trait Encoded<G: Game> {
    /// Planes and globals of a position.
    fn encode(&self, game: &G) -> (Vec<f32>, Vec<f32>);
}

/// Checks over random games that encoding commutes with every symmetry: each plane moves with the board, globals stay.
pub fn encoding_commutes<G: Game>(
    setup: &G::Setup,
    encoder: &impl Encoded<G>,
    seed: u64,
    games: usize,
    plies_max: usize,
) {
    let mut rng = TestRng::new(seed);
    for _ in 0..games {
        let mut game = G::start(setup);
        let size = game.size();
        let area = size.area();
        let mut images: Vec<(Symmetry, G)> = Symmetry::of(size).iter().map(|&s| (s, G::start(setup))).collect();
        let mut legal = Vec::new();
        loop {
            let (planes, globals) = encoder.encode(&game);
            for (s, image) in &images {
                let (seen, seen_globals) = encoder.encode(image);
                assert_eq!(seen_globals, globals, "{setup} ply {}: globals don't move", game.plies());
                for (plane, (a, b)) in planes.chunks(area).zip(seen.chunks(area)).enumerate() {
                    for p in size.points() {
                        let q = s.point(size, p);
                        assert_eq!(a[p.index()], b[q.index()], "{setup} ply {} plane {plane} {s:?}", game.plies());
                    }
                }
            }
            game.legal(&mut legal);
            if legal.is_empty() || game.plies() >= plies_max {
                break;
            }
            let action = legal[rng.below(legal.len())];
            game.apply(action);
            for (s, image) in &mut images {
                let mapped = image.map(*s, action);
                image.apply(mapped);
            }
        }
    }
}
