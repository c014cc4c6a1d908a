//! Training and play see the same: rows made from shards hold what evaluators are fed, every runner of the network gives
//! the same answers, symmetries move targets with the board, and value targets follow seats. Not here: strength.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tengen::catalog::{Five, Go};
use tengen_data::{EndReason, GameRecord, MoveRow, SearchKind, read_shard, write_shard};
use tengen_features::{Encode, FeatureSpec, Frame, LabelConfig, PolicyLayout};
use tengen_game::notation::Letters;
use tengen_game::testkit::TestRng;
use tengen_game::{Action, Game, Outcome, Seat, Size, Symmetry};
use tengen_go::GoBoard;
use tengen_net::cache::canonical;
use tengen_net::fused::FusedNet;
use tengen_net::{
    BurnNet, EvalCache, Exchange, NetConfig, NetEvaluator, RawBatch, RawEvaluator, RawOutput, Weights, share,
};
use tengen_opening::Seated;
use tengen_play::{Agent, AgentConfig, GameLimits, GameRun, GameTask, play_game};
use tengen_search::{DeviceUse, EvalError, Evaluation, Evaluator, EvaluatorSource, Query, Rule, SharedDevice, Uniform};
use tengen_selfplay::{Job, Report, run};
use tengen_train::batch::assemble;
use tengen_train::{Row, rows_of};

/// What `agree` runs on: setups of one network, a feature set, games and their longest length.
type Case = (&'static [&'static str], &'static str, u64, u32);

const FIVE: &[Case] = &[
    (&["game=five rules=freestyle size=6x6 win=4"], "five-stones-1", 3, 0),
    (&["game=five rules=renju size=15x15 opening=rif"], "five-threats-1", 2, 24),
    (&["game=five rules=renju size=11x11 opening=reject:rif,soosorv-4,yamaguchi"], "five-stones-1", 2, 24),
];
const GO: &[Case] = &[
    (&["game=go rules=tromp-taylor size=5x5 komi=3 early_end=true"], "", 2, 0),
    (
        &[
            "game=go rules=tromp-taylor size=5x5 komi=24.5 early_end=true",
            "game=go rules=tromp-taylor size=7x7 komi=9 early_end=true",
        ],
        "",
        4,
        80,
    ),
    // Several rules for one network, among them clean-up phases.
    (
        &[
            "game=go rules=japanese size=4x4 komi=1.5 early_end=true",
            "game=go rules=ing-like size=5x5 komi=3",
            "game=go rules=aga-button size=4x4 komi=1",
        ],
        "go-basic-2",
        3,
        60,
    ),
];

/// A tiny network whose every weight matters, and what it sees.
struct Source {
    spec: FeatureSpec,
    weights: Weights,
}

impl Source {
    fn new<G: Encode>(setups: &[G::Setup], set: &str) -> Source {
        let spec = G::spec(setups, set).unwrap();
        let net = net_for(&spec);
        let values = Weights::random(&net, 5).unwrap().values().to_vec();
        // Layers and biases that start at 0 would hide a difference; outputs near 0 would make it small.
        let busy = |(i, v): (usize, f32)| 2.0 * v + 0.05 * ((i * 37 % 19) as f32 / 9.0 - 1.0);
        let weights = Weights::from_values(&net, values.into_iter().enumerate().map(busy).collect()).unwrap();
        Source { spec, weights }
    }

    fn fused(&self) -> Box<dyn RawEvaluator> {
        Box::new(FusedNet::new(&|name| self.weights.get(name)).unwrap())
    }

    fn burn(&self) -> Box<dyn RawEvaluator> {
        Box::new(BurnNet::new(&self.weights, tengen_net::device("flex").unwrap(), "flex"))
    }

    fn evaluator<G: Encode>(&self, raw: Box<dyn RawEvaluator>, cache: bool) -> NetEvaluator<G> {
        let cache = cache.then(|| Arc::new(EvalCache::new(1 << 16).unwrap()));
        NetEvaluator::new(raw, self.spec.clone(), "tiny".to_string(), cache)
    }
}

impl<G: Encode> EvaluatorSource<G> for Source {
    fn open(&self, _: &str) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        Ok(Box::new(self.evaluator::<G>(self.fused(), true)))
    }
}

/// The fused or the Burn runner, by each thread or behind one that all share.
struct Runner<'a> {
    source: &'a Source,
    burn: bool,
    device: Option<SharedDevice<Exchange>>,
}

impl Runner<'_> {
    fn new(source: &Source, burn: bool, shared: bool) -> Runner<'_> {
        let weights = source.weights.clone();
        let start = || {
            if burn {
                return share(move || Ok(BurnNet::new(&weights, tengen_net::device("flex")?, "flex")), 64);
            }
            share(move || FusedNet::new(&|name| weights.get(name)), 64)
        };
        Runner { source, burn, device: shared.then(|| start().unwrap()) }
    }
}

impl<G: Encode> EvaluatorSource<G> for Runner<'_> {
    fn open(&self, _: &str) -> Result<Box<dyn Evaluator<G>>, EvalError> {
        let s = self.source;
        if let Some(device) = &self.device {
            return Ok(Box::new(NetEvaluator::<G>::shared(device, s.spec.clone(), "tiny".to_string(), None)));
        }
        Ok(Box::new(s.evaluator::<G>(if self.burn { s.burn() } else { s.fused() }, false)))
    }

    fn device(&self, _: &str) -> Option<DeviceUse> {
        self.device.as_ref().map(SharedDevice::used)
    }
}

fn net_for(spec: &FeatureSpec) -> NetConfig {
    let mut net = NetConfig::preset("b2c8", spec.planes, spec.globals, spec.extras.len()).unwrap();
    (net.reply, net.short_term, net.board_heads) = (true, true, spec.board_heads);
    net
}

/// Self-play games in the order of their numbers, and what was told of them.
fn played<G: Encode>(
    source: &dyn EvaluatorSource<G>,
    setups: &[G::Setup],
    threads: usize,
    count: u64,
    plies_max: u32,
) -> (Vec<GameRecord>, Report) {
    let agent = AgentConfig { visits: 6, visits_fast: 4, explore: true, ..AgentConfig::default() };
    let limits = GameLimits { plies_max, ..GameLimits::default() };
    let numbers: Vec<u64> = (0..count).collect();
    let stop = AtomicBool::new(false);
    let job = Job::<G> {
        setups,
        model: "tiny",
        agent: &agent,
        limits: &limits,
        seed: 3,
        games: &numbers,
        threads,
        in_flight: 4,
        stop: &stop,
    };
    let mut records = Vec::new();
    let mut sink = |record: GameRecord, _: &Report| {
        records.push(record);
        Ok(())
    };
    let report = run(&job, source, &mut sink).unwrap();
    records.sort_by_key(|r| r.index);
    (records, report)
}

/// Self-play games that went through shard files.
fn games<G: Encode>(source: &Source, setups: &[G::Setup], count: u64, plies_max: u32) -> Vec<GameRecord> {
    let (records, _) = played::<G>(source, setups, 1, count, plies_max);
    let dir = tempfile::tempdir().unwrap();
    let mut read = Vec::new();
    for part in records.chunks(2) {
        read.extend(read_shard(&write_shard(dir.path(), "games", part).unwrap().path).unwrap());
    }
    assert_eq!(read, records);
    read
}

/// One row with the position that it was made from.
struct Sample<G> {
    game: G,
    legal: Vec<Action>,
    row: Row,
    record: usize,
    ply: usize,
}

fn replay<G: Game>(setup: &G::Setup, actions: impl IntoIterator<Item = Action>) -> G {
    let mut game = G::start(setup);
    actions.into_iter().for_each(|a| game.apply(a));
    game
}

fn samples<G: Encode>(records: &[GameRecord], spec: &FeatureSpec) -> Vec<Sample<G>> {
    let mut out = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let rows = rows_of::<G>(record, spec, &LabelConfig::default()).unwrap();
        assert_eq!(rows.len(), record.rows());
        let mut game = G::start(&record.setup.parse().unwrap());
        let mut rows = rows.into_iter();
        for (ply, m) in record.moves.iter().enumerate() {
            if m.kind != SearchKind::Book {
                let mut legal = Vec::new();
                game.legal(&mut legal);
                out.push(Sample { game: game.clone(), legal, row: rows.next().unwrap(), record: number, ply });
            }
            game.apply(m.action);
        }
    }
    assert!(out.len() > 20, "enough to compare");
    out
}

fn encoded<G: Encode>(game: &G, spec: &FeatureSpec) -> (Vec<f32>, Vec<f32>) {
    let size = game.size();
    let (mut planes, mut globals) = (vec![0.0; spec.planes * size.area()], vec![0.0; spec.globals]);
    let (width, height) = (size.width(), size.height());
    game.encode(spec, &mut Frame { width, height, planes: &mut planes, globals: &mut globals });
    (planes, globals)
}

fn each_case<G: Encode>(cases: &[Case], check: impl Fn(&Source, &[GameRecord], &[Sample<G>])) {
    for &(setups, set, count, plies) in cases {
        let setups: Vec<G::Setup> = setups.iter().map(|s| s.parse().unwrap()).collect();
        let source = Source::new::<G>(&setups, set);
        let records = games::<G>(&source, &setups, count, plies);
        let samples = samples::<G>(&records, &source.spec);
        check(&source, &records, &samples);
    }
}

/// Remembers what it is fed.
struct Spy {
    seen: Arc<Mutex<Vec<RawBatch>>>,
    extras: usize,
}

impl RawEvaluator for Spy {
    fn run(&mut self, batch: &RawBatch, out: &mut RawOutput) -> Result<(), String> {
        self.seen.lock().unwrap().push(batch.clone());
        out.policy = vec![0.0; batch.n * batch.height * batch.width];
        out.extra = vec![0.0; batch.n * self.extras];
        out.wdl = vec![0.0; batch.n * 3];
        Ok(())
    }

    fn name(&self) -> &str {
        "spy"
    }
}

/// Planes, globals and legal outputs of rows are those of the replayed position and those an evaluator hands to the
/// network.
fn rows_hold_what_evaluators_are_fed<G: Encode>(source: &Source, samples: &[Sample<G>]) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let spy = Spy { seen: seen.clone(), extras: source.spec.extras.len() };
    let mut evaluator = source.evaluator::<G>(Box::new(spy), false);
    for s in samples {
        let size = s.game.size();
        let mut planes = vec![0.0; source.spec.planes * size.area()];
        s.row.planes.ones().for_each(|bit| planes[bit] = 1.0);
        let row = (planes, s.row.globals.clone());
        assert_eq!(row, encoded(&s.game, &source.spec));
        answer(&mut evaluator, &s.game, &s.legal);
        let fed = seen.lock().unwrap().pop().unwrap();
        assert_eq!((fed.n, fed.width, fed.height), (1, size.width(), size.height()));
        assert_eq!((fed.planes, fed.globals), row);
        let layout = PolicyLayout { size, width: size.width(), height: size.height(), extras: &source.spec.extras };
        let mut outputs: Vec<usize> = s.legal.iter().map(|&a| layout.index(a).unwrap()).collect();
        outputs.sort_unstable();
        assert_eq!(s.row.legal.ones().collect::<Vec<_>>(), outputs);
    }
}

#[test]
fn rows_hold_what_play_sees() {
    each_case::<Five>(FIVE, |source, _, samples| rows_hold_what_evaluators_are_fed(source, samples));
    each_case::<Go>(GO, |source, records, samples| {
        rows_hold_what_evaluators_are_fed(source, samples);
        // Engines take stones one by one and search from the board: the same inputs.
        for s in samples {
            let record = &records[s.record];
            let setup = s.game.setup().clone();
            let mut board = GoBoard::new(setup.rules());
            for action in record.actions().take(s.ply) {
                board.play_any(board.to_play(), action).unwrap();
            }
            let game = Seated::from_board(setup, board).unwrap();
            assert_eq!(encoded(&game, &source.spec), encoded(&s.game, &source.spec));
        }
    });
}

fn answer<G: Encode>(evaluator: &mut NetEvaluator<G>, game: &G, legal: &[Action]) -> Evaluation {
    let mut out = [Evaluation::default()];
    evaluator.evaluate(&[Query { game, legal, slot: 0 }], &mut out).unwrap();
    let [out] = out;
    out
}

fn assert_close(a: &Evaluation, b: &Evaluation, most: f32) {
    assert_eq!((a.priors.len(), a.margin.is_some()), (b.priors.len(), b.margin.is_some()));
    let values = |e: &Evaluation| [e.value.win, e.value.draw, e.value.loss];
    let pairs = a.priors.iter().zip(&b.priors);
    for (x, y) in pairs.chain(values(a).iter().zip(&values(b))) {
        assert!((x - y).abs() <= most, "{x} {y}");
    }
    if let (Some(x), Some(y)) = (a.margin, b.margin) {
        assert!((x - y).abs() <= most * (1.0 + x.abs()) * 10.0, "margin {x} {y}");
    }
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f64> = logits.iter().map(|v| f64::from(v - top).exp()).collect();
    powers.iter().map(|p| (p / powers.iter().sum::<f64>()) as f32).collect()
}

/// Row `i` of a raw batch's outputs, read as an evaluator reads it.
fn raw_answer<G: Game>(batch: &RawBatch, out: &RawOutput, i: usize, s: &Sample<G>, spec: &FeatureSpec) -> Evaluation {
    let (grid, extras) = (batch.width * batch.height, spec.extras.len());
    let layout = PolicyLayout { size: s.game.size(), width: batch.width, height: batch.height, extras: &spec.extras };
    let logit = |&a: &Action| match layout.index(a).unwrap() {
        p if p < grid => out.policy[i * grid + p],
        e => out.extra[i * extras + e - grid],
    };
    let wdl = softmax(&out.wdl[i * 3..][..3]);
    Evaluation {
        priors: softmax(&s.legal.iter().map(logit).collect::<Vec<_>>()),
        value: tengen_search::Wdl { win: wdl[0], draw: wdl[1], loss: wdl[2] },
        margin: out.margin.get(i).copied(),
    }
}

/// Fused, Burn and training batches (padded to the largest board among them) agree on every position.
fn runners_agree<G: Encode>(source: &Source, _: &[GameRecord], samples: &[Sample<G>]) {
    let net = net_for(&source.spec);
    let (mut fused, mut burn) = (source.evaluator::<G>(source.fused(), false), source.evaluator(source.burn(), false));
    let (mut fused_raw, mut burn_raw) = (source.fused(), source.burn());
    let mut uneven = false;
    // By ply, so that a batch has positions of all games and sizes.
    let mut order: Vec<&Sample<G>> = samples.iter().step_by(3).collect();
    order.sort_by_key(|s| s.ply);
    for part in order.chunks(8) {
        let picks: Vec<(&Row, Symmetry)> = part.iter().map(|s| (&s.row, Symmetry::IDENTITY)).collect();
        let batch = assemble(&picks, &source.spec, &net);
        batch.check(&net).unwrap();
        let (mut by_fused, mut by_burn) = (RawOutput::default(), RawOutput::default());
        fused_raw.run(&batch.input, &mut by_fused).unwrap();
        burn_raw.run(&batch.input, &mut by_burn).unwrap();
        for (i, s) in part.iter().enumerate() {
            let want = answer(&mut burn, &s.game, &s.legal);
            assert_close(&answer(&mut fused, &s.game, &s.legal), &want, 1e-4);
            assert_close(&raw_answer(&batch.input, &by_fused, i, s, &source.spec), &want, 1e-4);
            assert_close(&raw_answer(&batch.input, &by_burn, i, s, &source.spec), &want, 1e-4);
            uneven |= want.priors.iter().any(|p| (p * want.priors.len() as f32 - 1.0).abs() > 0.1);
        }
    }
    assert!(uneven, "a network that says nothing would agree with anything");
}

#[test]
fn runners_agree_with_training_batches() {
    each_case::<Five>(FIVE, runners_agree::<Five>);
    each_case::<Go>(GO, runners_agree::<Go>);
}

/// A cache tells positions apart wherever a network could: under mixed rules, equal keys mean equal inputs up to symmetry.
#[test]
fn a_cache_keeps_apart_what_a_network_can() {
    let rules = [
        "tromp-taylor size=3x3",
        "tromp-taylor size=3x3 early_end=true",
        "chinese size=3x3 ko=simple cycle=draw",
        "japanese size=3x3",
        "esperanto-japanese size=3x3",
        "korean size=3x3 tax=all",
        "aga size=3x3 end=white-last",
        "aga-button size=3x3",
        "ing-like size=3x3",
        "stone-scoring size=3x3",
        "nz size=3x3 ko=spight suicide=all",
    ];
    let setups = rules.map(|rules| format!("game=go rules={rules} komi=0.5 opening=none").parse().unwrap());
    let spec = Go::spec(&setups, "").unwrap();
    assert_eq!(spec.set, "go-basic-2");
    let (mut seen, mut legal, mut rng) = (HashMap::new(), Vec::new(), TestRng::new(5));
    let (mut stones, mut again) = (HashSet::new(), 0);
    for (setup, _) in setups.iter().cycle().zip(0..40 * setups.len()) {
        let mut game = Go::start(setup);
        loop {
            let (planes, globals) = encoded(&game, &spec);
            let size = game.size();
            let (key, to) = canonical(&spec, size, &planes, &globals);
            let mut image = vec![false; planes.len()];
            for (plane, values) in planes.chunks(size.area()).enumerate() {
                size.points()
                    .for_each(|p| image[plane * size.area() + to.point(size, p).index()] = values[p.index()] != 0.0);
            }
            stones.insert(image[..3 * size.area()].to_vec());
            let input = (image, globals.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
            match seen.entry((key.0, key.1)) {
                Entry::Vacant(entry) => _ = entry.insert(input),
                Entry::Occupied(entry) => {
                    assert!(*entry.get() == input, "one key for two inputs: {}", game.board());
                    again += 1;
                }
            }
            game.legal(&mut legal);
            if legal.is_empty() || game.plies() > 60 {
                break;
            }
            game.apply(legal[rng.below(legal.len())]);
        }
    }
    assert!(
        again > 500 && seen.len() > stones.len() + 3000,
        "{again} again, {} keys, {} boards",
        seen.len(),
        stones.len()
    );
}

/// With a cache: the same answer bit for bit when seen again, the plain answer of the canonical image, Burn as fused,
/// and symmetric positions share one answer that moves with the board.
fn caches_agree<G: Encode>(source: &Source, records: &[GameRecord], samples: &[Sample<G>]) {
    let mut cached = source.evaluator::<G>(source.fused(), true);
    let (mut plain, mut burn) = (source.evaluator(source.fused(), false), source.evaluator(source.burn(), true));
    let first: Vec<Evaluation> = samples.iter().map(|s| answer(&mut cached, &s.game, &s.legal)).collect();
    let (evaluations, mut compared) = (cached.evaluations(), 0);
    for (s, seen) in samples.iter().zip(&first) {
        assert!(answer(&mut cached, &s.game, &s.legal) == *seen, "seen again, the same bits");
    }
    assert_eq!(cached.evaluations(), evaluations, "all from the cache");
    for (s, seen) in samples.iter().zip(&first).step_by(3) {
        assert_close(&answer(&mut burn, &s.game, &s.legal), seen, 1e-4);
        let size = s.game.size();
        let (planes, globals) = encoded(&s.game, &source.spec);
        let (_, to) = canonical(&source.spec, size, &planes, &globals);
        let image = |sym: Symmetry| -> (G, Vec<Action>) {
            let start = G::start(s.game.setup());
            let actions = records[s.record].actions().take(s.ply).map(|a| start.map(sym, a));
            (replay(s.game.setup(), actions.collect::<Vec<_>>()), s.legal.iter().map(|&a| start.map(sym, a)).collect())
        };
        let (game, legal) = image(to);
        // Only the order in which a softmax adds up may differ.
        assert_close(&answer(&mut plain, &game, &legal), seen, 1e-6);
        // A position that is an image of itself has several ways to its canonical picture, and the network's answer need
        // not be symmetric: only the others' priors are comparable.
        let others = &Symmetry::of(size)[1..];
        let lone = others.iter().all(|&sym| encoded(&image(sym).0, &source.spec).0 != planes);
        for &sym in others {
            let (game, legal) = image(sym);
            let moved = answer(&mut cached, &game, &legal);
            assert_eq!((moved.value, moved.margin), (seen.value, seen.margin));
            if lone {
                assert_close(&moved, seen, 1e-6);
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "some positions aren't symmetric");
    assert_eq!(cached.evaluations(), evaluations, "images come from the cache too");
}

#[test]
fn caches_change_nothing_but_speed() {
    each_case::<Five>(FIVE, caches_agree::<Five>);
    each_case::<Go>(GO, caches_agree::<Go>);
}

/// Turned at random: each answer is that of one of the eight orientations, several of them occur, and with or without a
/// cache and seen again it is the same.
fn turned_agree<G: Encode>(source: &Source, _: &[GameRecord], samples: &[Sample<G>]) {
    let mut turned = source.evaluator::<G>(source.fused(), true).turning(9);
    let mut uncached = source.evaluator::<G>(source.fused(), false).turning(9);
    let mut other = source.evaluator::<G>(source.fused(), true).turning(10);
    let mut plain = source.evaluator::<G>(source.fused(), false);
    let (mut canonical_again, mut moved) = (0, 0);
    for s in samples {
        let first = answer(&mut turned, &s.game, &s.legal);
        assert!(answer(&mut turned, &s.game, &s.legal) == first, "seen again, the same bits");
        assert_close(&answer(&mut uncached, &s.game, &s.legal), &first, 1e-6);
        let same = (answer(&mut plain, &s.game, &s.legal).value.win - first.value.win).abs() < 1e-7;
        canonical_again += usize::from(same);
        moved += usize::from(answer(&mut other, &s.game, &s.legal).value != first.value);
    }
    assert!(canonical_again < samples.len() / 2, "{canonical_again} of {} as they lie", samples.len());
    assert!(moved > samples.len() / 3, "{moved} of {} by another seed", samples.len());
}

#[test]
fn random_orientations_are_the_positions_own() {
    each_case::<Five>(FIVE, turned_agree::<Five>);
    each_case::<Go>(GO, turned_agree::<Go>);
}

/// Under every symmetry a batch holds the planes of the mirrored game and targets that moved with the board.
fn batches_move_with_the_board<G: Encode>(source: &Source, records: &[GameRecord], samples: &[Sample<G>]) {
    let (spec, net) = (&source.spec, net_for(&source.spec));
    let largest = &samples.iter().max_by_key(|s| s.game.size().area()).unwrap().row;
    let (mut replies, mut owners) = (0, 0);
    for s in samples.iter().step_by(2) {
        let (record, size) = (&records[s.record], s.game.size());
        let setup = s.game.setup();
        let last: G = replay(setup, record.actions());
        let owned = if record.end == EndReason::Rules { last.ownership() } else { None };
        let sign = if record.moves[s.ply].seat == Seat::First { 1.0 } else { -1.0 };
        for &sym in Symmetry::of(size) {
            let batch = assemble(&[(&s.row, sym), (largest, Symmetry::IDENTITY)], spec, &net);
            batch.check(&net).unwrap();
            let (width, height) = (batch.input.width, batch.input.height);
            let layout = PolicyLayout { size, width, height, extras: &spec.extras };
            let image: G = replay(setup, record.actions().take(s.ply).map(|a| s.game.map(sym, a)));
            assert_planes(&batch.input, &encoded(&image, spec), size, spec.planes);
            let expect = |pairs: &[(Action, f32)]| {
                let mut all = vec![0.0; layout.len()];
                pairs.iter().for_each(|&(a, v)| all[layout.index(s.game.map(sym, a)).unwrap()] = v);
                all
            };
            let legal: Vec<(Action, f32)> = s.legal.iter().map(|&a| (a, 1.0)).collect();
            assert_eq!(batch.targets.legal[..layout.len()], expect(&legal));
            assert_eq!(batch.targets.policy[..layout.len()], expect(&record.moves[s.ply].policy));
            let next = record.moves.get(s.ply + 1).filter(|n| n.seat != record.moves[s.ply].seat);
            assert_eq!(batch.targets.reply_weight[0], if next.is_some() { 1.0 } else { 0.0 });
            assert_eq!(batch.targets.reply[..layout.len()], expect(next.map_or(&[][..], |n| &n.policy)));
            replies += usize::from(next.is_some());
            if !net.board_heads {
                continue;
            }
            assert_eq!(batch.targets.board_weight[0], if owned.is_some() { 1.0 } else { 0.0 });
            if let Some(owned) = &owned {
                let owners_of: Vec<(Action, f32)> =
                    size.points().map(|p| (Action::point(p), f32::from(owned[p.index()]) * sign)).collect();
                assert_eq!(batch.targets.ownership[..width * height], expect(&owners_of)[..width * height]);
                assert_eq!(batch.targets.margin[0], last.margin().unwrap() * sign);
                owners += 1;
            }
        }
    }
    assert!(replies > 0 && (!net.board_heads || owners > 0), "both kinds of target were seen");
}

/// The first position of a padded batch is the one encoded alone; the rest of its grid is empty.
fn assert_planes(batch: &RawBatch, (planes, globals): &(Vec<f32>, Vec<f32>), size: Size, count: usize) {
    let mut expected = vec![0.0; count * batch.width * batch.height];
    let mut mask = vec![0.0; batch.width * batch.height];
    for p in size.points() {
        let (x, y) = size.xy(p);
        mask[y * batch.width + x] = 1.0;
        for plane in 0..count {
            expected[(plane * batch.height + y) * batch.width + x] = planes[plane * size.area() + p.index()];
        }
    }
    assert_eq!(batch.planes[..expected.len()], expected);
    assert_eq!(batch.mask[..mask.len()], mask);
    assert_eq!(batch.globals[..globals.len()], globals[..]);
}

#[test]
fn targets_move_with_the_board() {
    each_case::<Five>(FIVE, batches_move_with_the_board::<Five>);
    each_case::<Go>(GO, batches_move_with_the_board::<Go>);
}

/// A record of given actions; every ply counts as searched, with all of its target on the action played.
fn record_of<G: Game>(setup: &str, actions: &[Action]) -> GameRecord {
    let mut game = G::start(&setup.parse().unwrap());
    let mut moves = Vec::new();
    for &action in actions {
        assert!(game.is_legal(action), "{setup}: {action:?} at {}", moves.len());
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
    let end = if game.outcome().is_some() { EndReason::Rules } else { EndReason::Truncated };
    GameRecord {
        setup: setup.to_string(),
        seed: 1,
        index: 0,
        models: [String::new(), String::new()],
        moves,
        outcome: game.outcome().unwrap_or(Outcome::Draw),
        end,
        margin: game.margin(),
        evaluations: 0,
    }
}

/// One stone at p, mass at q and on pass: stone at s(p), mass at s(q), pass where it was; back again by the inverse.
#[test]
fn policies_move_with_the_board_on_every_shape() {
    for shape in ["2x2", "5x5", "6x6", "7x4", "4x7", "9x9", "18x18", "19x19"] {
        let text = format!("game=go rules=tromp-taylor size={shape} komi=0.5");
        let source_setup = [text.parse::<<Go as Game>::Setup>().unwrap()];
        let spec = Go::spec(&source_setup, "").unwrap();
        let net = net_for(&spec);
        let size = Go::start(&source_setup[0]).size();
        assert_eq!(Symmetry::of(size).len(), if size.is_square() { 8 } else { 4 });
        let area = size.area();
        for p in size.points().step_by(1 + area / 40) {
            let q = size.points().nth((p.index() * 7 + 1) % area).filter(|&q| q != p);
            let Some(q) = q else { continue };
            let mut record = record_of::<Go>(&text, &[Action::point(p), Action::point(q)]);
            record.moves[1].policy = vec![(Action::point(q), 0.75), (Action::PASS, 0.25)];
            let rows = rows_of::<Go>(&record, &spec, &LabelConfig::default()).unwrap();
            for &sym in Symmetry::of(size) {
                let batch = assemble(&[(&rows[1], sym)], &spec, &net);
                let policy = &batch.targets.policy;
                // Plane 2: the other's stones.
                let stones: Vec<usize> = (0..area).filter(|i| batch.input.planes[2 * area + i] == 1.0).collect();
                assert_eq!(stones, [sym.point(size, p).index()], "{shape} {sym:?}");
                assert_eq!((policy[sym.point(size, q).index()], policy[area]), (0.75, 0.25), "{shape} {sym:?}");
                assert_eq!(policy.iter().sum::<f32>(), 1.0);
                let back = |i: usize| sym.inverse().point(size, tengen_game::Point(i as u16));
                let mass = (0..area).find(|&i| policy[i] > 0.0).unwrap();
                assert_eq!((back(stones[0]), back(mass)), (p, q));
            }
        }
    }
}

fn actions(size: Size, letters: Letters, words: &str) -> Vec<Action> {
    words.split_whitespace().map(|w| letters.parse_action(size, w).unwrap_or_else(|| panic!("{w}"))).collect()
}

/// Value targets without the search's share, in [-1, 1], by ply.
fn value_targets<G: Encode>(record: &GameRecord) -> Vec<f32> {
    let setup: G::Setup = record.setup.parse().unwrap();
    let spec = G::spec(&[setup], "").unwrap();
    let config = LabelConfig { search_share: 0.0, ..LabelConfig::default() };
    rows_of::<G>(record, &spec, &config).unwrap().iter().map(|r| r.wdl[0] - r.wdl[2]).collect()
}

fn assert_values_follow_seats<G: Encode>(record: &GameRecord, winner: Seat) {
    assert_eq!(record.outcome, Outcome::Win(winner), "{}", record.setup);
    let searched = record.moves.iter().filter(|m| m.kind != SearchKind::Book);
    let want: Vec<f32> = searched.map(|m| if m.seat == winner { 1.0 } else { -1.0 }).collect();
    assert_eq!(value_targets::<G>(record), want, "{}", record.setup);
    for seat in Seat::BOTH {
        assert!(record.moves.iter().any(|m| m.seat == seat), "both seats acted");
    }
}

const FOUR: &str = "game=five rules=freestyle size=6x6 win=4";

/// Fours along row 1 by either colour, held by either seat.
#[test]
fn values_follow_seats_over_swaps() {
    let size = Size::square(6).unwrap();
    for (opening, words, winner) in [
        ("none", "A1 A6 B1 C6 C1 E6 D1", Seat::First),
        ("none", "A6 A1 C6 B1 E6 C1 F4 D1", Seat::Second),
        // The second seat takes Black, and wins with it.
        ("swap2", "A1 A6 B1 swap C6 C1 E6 D1", Seat::Second),
        ("swap2", "A1 A6 B1 keep C6 C1 E6 D1", Seat::First),
        // White wins: the first seat holds it after a swap.
        ("swap2", "A6 A1 C6 swap B1 E6 C1 F4 D1", Seat::First),
        // Two more stones by the second seat, then the first seat chooses.
        ("swap2", "A1 A6 B1 branch0 C6 C1 keep E6 D1", Seat::First),
        ("swap2", "A1 A6 B1 branch0 C6 C1 swap E6 D1", Seat::Second),
        ("pie", "A1 swap A6 B1 C6 C1 E6 D1", Seat::Second),
        ("pie", "A1 keep A6 B1 C6 C1 E6 D1", Seat::First),
    ] {
        let setup = format!("{FOUR} opening={opening}");
        let record = record_of::<Five>(&setup, &actions(size, Letters::WithI, words));
        assert_values_follow_seats::<Five>(&record, winner);
    }
}

/// In Go, margin and ownership follow seats as well.
#[test]
fn margins_and_owners_follow_seats_over_swaps() {
    let size = Size::square(5).unwrap();
    // Two black stones, one white, no territory: Black leads by a point and komi decides.
    for (opening, words, komi, winner) in [
        ("none", "C3 A1 D3 pass pass", 0.5, Seat::First),
        ("none", "C3 A1 D3 pass pass", 3.5, Seat::Second),
        ("pie", "C3 swap A1 D3 pass pass", 0.5, Seat::Second),
        ("pie", "C3 keep A1 D3 pass pass", 0.5, Seat::First),
        ("pie", "C3 swap A1 D3 pass pass", 3.5, Seat::First),
    ] {
        let setup = format!("game=go rules=tromp-taylor size=5x5 komi={komi} opening={opening}");
        let record = record_of::<Go>(&setup, &actions(size, Letters::WithoutI, words));
        assert_values_follow_seats::<Go>(&record, winner);
        let parsed: <Go as Game>::Setup = setup.parse().unwrap();
        let spec = Go::spec(std::slice::from_ref(&parsed), "").unwrap();
        let rows = rows_of::<Go>(&record, &spec, &LabelConfig::default()).unwrap();
        let swapped = record.actions().any(|a| a == Action::SWAP);
        let black = if swapped { Seat::Second } else { Seat::First };
        let c3 = Letters::WithoutI.point(size, "C3").unwrap();
        for (row, m) in rows.iter().zip(&record.moves) {
            let own = if m.seat == black { 1 } else { -1 };
            assert_eq!(row.margin, Some((1.0 - komi) * own as f32), "{setup} {words}");
            assert_eq!(row.ownership[c3.index()], own, "{setup} {words}");
            assert_eq!(row.ownership[Letters::WithoutI.point(size, "A1").unwrap().index()], -own);
        }
    }
}

/// Search itself, without a network, at an open three of the other: the loser's and the winner's rows, in both colours
/// and after a swap.
#[test]
fn searched_wins_have_the_right_sign() {
    let size = Size::square(6).unwrap();
    for (opening, words, winner) in [
        // The other seat to act has lost: both ends are open.
        ("none", "B1 A6 C1 F6 D1", Seat::First),
        ("none", "A6 B1 F6 C1 A3 D1", Seat::Second),
        ("swap2", "B1 A6 C1 swap F6 D1", Seat::Second),
        ("swap2", "B1 A6 C1 keep F6 D1", Seat::First),
        ("pie", "B1 swap A6 C1 F6 D1", Seat::Second),
    ] {
        let setup: <Five as Game>::Setup = format!("{FOUR} opening={opening}").parse().unwrap();
        let start = actions(size, Letters::WithI, words);
        for proofs in [true, false] {
            let mut agent = AgentConfig::playing(50);
            agent.search.proof.enabled = proofs;
            if !proofs {
                // With equal priors, few visits of the other rule don't reach every action.
                agent.search.rule = Rule::Puct;
            }
            let agents = vec![Agent::search("uniform", agent)];
            let mut run = GameRun::<Five>::new(agents, GameLimits::default(), 0).unwrap();
            let task = GameTask { start: start.clone(), seed: 1, ..GameTask::default() };
            let record = play_game(&mut run, &setup, task, &mut [&mut Uniform::default()]).unwrap();
            assert_eq!(record.outcome, Outcome::Win(winner), "{setup} {words}");
            let searched: Vec<&MoveRow> = record.moves.iter().filter(|m| m.kind != SearchKind::Book).collect();
            assert_ne!(searched[0].seat, winner);
            let last = searched.last().unwrap();
            assert!(last.seat == winner && last.root_value > 0.9, "{setup} {words}: {last:?}");
            assert!(last.policy.iter().any(|&(a, p)| a == last.action && p > 0.5));
            assert_values_follow_seats::<Five>(&record, winner);
        }
    }
}

/// Games of the device form against those of threads that evaluate for themselves.
fn device_plays_the_same<G: Encode>(setups: &[&str], set: &str, count: u64, plies_max: u32) {
    let setups: Vec<G::Setup> = setups.iter().map(|s| s.parse().unwrap()).collect();
    let source = Source::new::<G>(&setups, set);
    for burn in [false, true] {
        let (expected, plain) = played::<G>(&Runner::new(&source, burn, false), &setups, 1, count, plies_max);
        let (records, shared) = played::<G>(&Runner::new(&source, burn, true), &setups, 2, count, plies_max);
        assert_eq!(records, expected, "burn: {burn}");
        assert_eq!(shared.evaluations, plain.evaluations);
        assert!(plain.idle.is_none() && shared.idle.is_some_and(|share| (0.0..=1.0).contains(&share)));
        assert!(shared.batches > 0 && shared.batch() <= 8.0, "{} in a batch", shared.batch());
    }
}

#[test]
fn a_shared_device_plays_the_same_games() {
    FIVE.iter().for_each(|&(setups, set, count, plies)| device_plays_the_same::<Five>(setups, set, 2 * count, plies));
    GO.iter()
        .for_each(|&(setups, set, count, plies)| device_plays_the_same::<Go>(setups, set, 2 * count, plies.min(40)));
}
