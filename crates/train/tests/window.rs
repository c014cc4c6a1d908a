//! The window over shard files: damaged ones are named once and passed over, too many stop training, and steps go
//! through on what is left. Not here: what damage looks like in detail (`data` tests its formats).

use std::path::{Path, PathBuf};

use tengen_data::{EndReason, GameRecord, MoveRow, SearchKind, write_shard};
use tengen_features::{Encode, FeatureSpec};
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Game};
use tengen_net::{Learner, NetConfig, Weights};
use tengen_opening::Seated;
use tengen_renju::FiveBoard;
use tengen_train::{TrainConfig, TrainError, Window};

type Five = Seated<FiveBoard>;
const SETUP: &str = "game=five rules=freestyle size=6x6 win=4 opening=none";

/// A random game; every ply counts as searched.
fn random_game(seed: u64) -> GameRecord {
    let mut game = Five::start(&SETUP.parse().unwrap());
    let (mut rng, mut legal, mut moves) = (TestRng::new(seed), Vec::new(), Vec::new());
    while game.outcome().is_none() {
        game.legal(&mut legal);
        let action = legal[rng.below(legal.len())];
        moves.push(MoveRow {
            action,
            seat: game.to_act(),
            kind: SearchKind::Full,
            visits: 8,
            root_value: 0.0,
            best: true,
            policy: vec![(action, 1.0)],
            weight: 1.0,
        });
        game.apply(action);
    }
    GameRecord {
        setup: SETUP.to_string(),
        seed,
        index: seed,
        models: ["a".to_string(), "a".to_string()],
        moves,
        outcome: game.outcome().unwrap(),
        end: EndReason::Rules,
        margin: None,
        evaluations: 0,
    }
}

fn spec() -> FeatureSpec {
    Five::spec(&[SETUP.parse().unwrap()], "").unwrap()
}

/// `count` shards of two games each, and the rows of each.
fn shards(dir: &Path, count: u64) -> Vec<(PathBuf, usize)> {
    let made = (0..count).map(|i| {
        let records = [random_game(100 + 2 * i), random_game(101 + 2 * i)];
        let info = write_shard(dir, "games", &records).unwrap();
        (info.path, info.rows as usize)
    });
    made.collect()
}

/// Ten good shards and what may lie among them: a flipped byte, half a file, an empty one, a text.
struct Mixed {
    good: Vec<(PathBuf, usize)>,
    bad: Vec<PathBuf>,
}

impl Mixed {
    fn new(dir: &Path) -> Mixed {
        let mut good = shards(dir, 12);
        let (flipped, truncated) = (good.pop().unwrap().0, good.pop().unwrap().0);
        let mut bytes = std::fs::read(&flipped).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(&flipped, &bytes).unwrap();
        std::fs::write(&truncated, &bytes[..middle]).unwrap();
        let (empty, text) = (dir.join("games-0000000000000000.npz"), dir.join("notes.npz"));
        std::fs::write(&empty, b"").unwrap();
        std::fs::write(&text, "remember: more games\n").unwrap();
        Mixed { good, bad: vec![flipped, truncated, empty, text] }
    }

    /// All of them, the bad ones in between.
    fn paths(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.good.iter().map(|(p, _)| p.clone()).collect();
        for (i, path) in self.bad.iter().enumerate() {
            all.insert(2 * i + 1, path.clone());
        }
        all
    }
}

fn config(bad_shards_max: f32) -> TrainConfig {
    TrainConfig { batch: 8, threads: 1, bad_shards_max, ..TrainConfig::default() }
}

#[test]
fn good_shards_are_used_and_bad_ones_named_once() {
    let dir = tempfile::tempdir().unwrap();
    let mixed = Mixed::new(dir.path());
    let (mut window, spec, config) = (Window::default(), spec(), config(0.3));
    // Looked at again and again, as the loop does.
    for _ in 0..3 {
        window.add_shards::<Five>(&mixed.paths(), 0, &spec, &config).unwrap();
    }
    let rows: usize = mixed.good.iter().map(|(_, rows)| rows).sum();
    assert_eq!((window.len(), window.total()), (rows, rows));
    assert_eq!(window.shards(), mixed.good);
    assert_eq!(window.bad().len(), 4, "{:?}", window.bad());
    for path in &mixed.bad {
        let name = path.file_name().unwrap().to_str().unwrap();
        let told: Vec<&String> = window.bad().iter().filter(|why| why.contains(name)).collect();
        assert!(told.len() == 1 && told[0].lines().count() == 1 && told[0].len() > name.len() + 20, "{told:?}");
    }

    // Training goes through on what is left.
    let net = NetConfig::preset("b1c8", spec.planes, spec.globals, spec.extras.len()).unwrap();
    let device = tengen_net::device("flex").unwrap();
    let mut learner = Learner::new(Weights::random(&net, 1).unwrap(), config.learner(), &device).unwrap();
    let mut seen = 0;
    let mut count = |_: &tengen_net::StepReport| {
        seen += 1;
        true
    };
    let report = tengen_train::run(&mut learner, &window, &spec, &config, 1, 5, 0.0, &mut count).unwrap();
    assert_eq!((seen, report.steps, learner.steps(), report.window), (5, 5, 5, rows));
    assert!(report.total.is_finite() && report.policy.is_some() && report.wdl.is_some());
}

#[test]
fn too_many_bad_shards_stop_training() {
    let dir = tempfile::tempdir().unwrap();
    let mixed = Mixed::new(dir.path());
    // 4 of 14 is more than the default's fifth; the message has the numbers and the first reason.
    let default = config(TrainConfig::default().bad_shards_max);
    let error = Window::default().add_shards::<Five>(&mixed.paths(), 0, &spec(), &default).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, TrainError::BadShards { bad: 4, all: 14, .. }), "{text}");
    let first = mixed.bad[0].file_name().unwrap().to_str().unwrap();
    assert!(text.contains("4 of 14") && text.contains("train.bad_shards_max") && text.contains(first), "{text}");

    // 2 of 12 isn't; 0 as the limit takes none.
    let two: Vec<PathBuf> = mixed.paths().into_iter().filter(|p| !mixed.bad[2..].contains(p)).collect();
    Window::default().add_shards::<Five>(&two, 0, &spec(), &default).unwrap();
    assert!(Window::default().add_shards::<Five>(&two, 0, &spec(), &config(0.0)).is_err());
    // Nothing but bad ones, and nothing at all.
    assert!(Window::default().add_shards::<Five>(&mixed.bad, 0, &spec(), &default).is_err());
    Window::default().add_shards::<Five>(&[], 0, &spec(), &default).unwrap();
}

#[test]
fn shards_that_break_the_rules_are_bad_too() {
    let dir = tempfile::tempdir().unwrap();
    let good = random_game(1);
    let spec = spec();
    let refused = |record: GameRecord, words: &str| {
        // Whole as a file, wrong as a game.
        let path = write_shard(dir.path(), "games", &[record]).unwrap().path;
        let mut window = Window::default();
        window.add_shards::<Five>(std::slice::from_ref(&path), 0, &spec, &config(1.0)).unwrap();
        assert!(window.is_empty());
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(window.bad()[0].contains(name) && window.bad()[0].contains(words), "{:?}", window.bad());
    };
    let mut twice = good.clone();
    twice.moves[1].action = twice.moves[0].action;
    twice.moves[1].policy = vec![(twice.moves[0].action, 1.0)];
    refused(twice, "at ply 1 isn't legal");
    let mut other = good.clone();
    other.moves[2].seat = other.moves[2].seat.other();
    refused(other, "seat at ply 2");
    let mut setup = good.clone();
    setup.setup = "game=five rules=hexagonal size=6x6".to_string();
    refused(setup, "hexagonal");
    let mut pass = good.clone();
    pass.moves[0].policy = vec![(Action::PASS, 1.0)];
    refused(pass, "pass");
    let mut stolen = good.clone();
    stolen.moves.pop();
    refused(stolen, "outcome");
}

#[test]
fn an_empty_window_is_an_error_not_a_wait() {
    let spec = spec();
    let net = NetConfig::preset("b1c8", spec.planes, spec.globals, spec.extras.len()).unwrap();
    let device = tengen_net::device("flex").unwrap();
    let mut learner = Learner::new(Weights::random(&net, 1).unwrap(), config(0.2).learner(), &device).unwrap();
    let window = Window::default();
    let error = tengen_train::run(&mut learner, &window, &spec, &config(0.2), 1, 5, 0.0, &mut |_| true).unwrap_err();
    assert!(matches!(error, TrainError::Empty) && learner.steps() == 0, "{error}");
}
