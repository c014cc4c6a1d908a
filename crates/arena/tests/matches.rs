//! Matches, gates and ladders with toy evaluators on small boards: duplicates are seen, strength shows, threads don't
//! matter, tests stop in order of submission, interrupted matches end as uninterrupted ones.

use std::sync::atomic::{AtomicU64, Ordering};

use tengen_arena::{
    ArenaError, GateConfig, LadderConfig, MatchConfig, Tally, Watch, gate_text, ladder_text, match_starts, match_text,
    play_gate, play_ladder, play_match, run::MatchGames,
};
use tengen_data::GameRecord;
use tengen_game::{Action, Game, Seat};
use tengen_opening::Seated;
use tengen_play::{AgentConfig, Start};
use tengen_renju::FiveBoard;
use tengen_search::{EvalError, Evaluation, Evaluator, EvaluatorSource, Query, Uniform, Wdl};

type Five = Seated<FiveBoard>;
type Setup = <Five as Game>::Setup;

fn setup() -> Setup {
    "game=five rules=freestyle size=6x6 win=4 opening=none".parse().unwrap()
}

/// `uniform`; `noise:N`, whose values are pseudo-random by position and N (weak); `slow`, which is uniform but takes a
/// while for long games' worth of batches; `broken`, which fails.
#[derive(Default)]
struct Source {
    asked: AtomicU64,
}

struct Noise(u64, String);

impl Evaluator<Five> for Noise {
    fn evaluate(&mut self, batch: &[Query<'_, Five>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        for (query, answer) in batch.iter().zip(out) {
            let hash = query.game.hash();
            let share = |i: u64| (tengen_game::zobrist::key(self.0 + i, hash) >> 40) as f32 / (1u64 << 24) as f32;
            answer.priors = (0..query.legal.len() as u64).map(|i| share(i + 1).powi(8) + 1e-4).collect();
            let win = share(0);
            answer.value = Wdl { win, draw: 0.0, loss: 1.0 - win };
            answer.margin = None;
        }
        Ok(())
    }
    fn evaluations(&self) -> u64 {
        0
    }
    fn model(&self) -> &str {
        &self.1
    }
}

impl EvaluatorSource<Five> for Source {
    fn open(&self, model: &str) -> Result<Box<dyn Evaluator<Five>>, EvalError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if model == "uniform" {
            return Ok(Box::new(Uniform::default()));
        }
        match model.strip_prefix("noise:").and_then(|n| n.parse().ok()) {
            Some(n) => Ok(Box::new(Noise(n, model.to_string()))),
            None => Err(EvalError::Failed { model: model.to_string(), why: "no such model".into() }),
        }
    }
}

fn config(visits: u32) -> MatchConfig {
    let mut c = MatchConfig { agent: AgentConfig::playing(visits), games_in_flight: 6, seed: 4, ..Default::default() };
    c.agent.search.proof.enabled = false;
    c
}

/// Keeps what it sees.
#[derive(Default)]
struct Seen {
    games: Vec<GameRecord>,
    pairs: Vec<Tally>,
    cancel_after: Option<usize>,
}

impl Watch for Seen {
    fn game(&mut self, record: &GameRecord) -> Result<(), String> {
        self.games.push(record.clone());
        Ok(())
    }
    fn pair(&mut self, tally: &Tally) {
        self.pairs.push(tally.clone());
    }
    fn cancelled(&mut self) -> bool {
        self.cancel_after.is_some_and(|n| self.games.len() >= n)
    }
}

fn full_match(
    models: [&str; 2],
    config: &MatchConfig,
    starts: &[Start],
    pairs: u64,
    done: Vec<GameRecord>,
) -> (tengen_arena::MatchResult, Seen) {
    let mut seen = Seen::default();
    let games = MatchGames { pairs, starts, done };
    let result = play_match(&Source::default(), &setup(), models, config, games, &mut seen, &mut |_| false).unwrap();
    (result, seen)
}

fn starts(models: [&str; 2], config: &MatchConfig, pairs: u64) -> Vec<Start> {
    match_starts(&Source::default(), &setup(), models, config, pairs).unwrap()
}

#[test]
fn a_model_against_itself_without_starts_is_two_games_and_says_so() {
    let mut c = config(4);
    c.starts.plies_min = 0;
    c.starts.plies_max = 0;
    let models = ["noise:1", "noise:1"];
    let starts = starts(models, &c, 20);
    assert_eq!(starts.len(), 1);
    let (result, _) = full_match(models, &c, &starts, 20, vec![]);
    let t = &result.tally;
    assert_eq!((t.games(), t.distinct_games, t.points()), (40, 1, 20.0));
    assert!(t.duplicate_share() > 0.9);
    let text = match_text(&result);
    assert!(text.contains("warning: 39 of 40 games repeat"), "{text}");
    let e = tengen_stats::EloEstimate::of(&t.pair_counts());
    assert!(e.interval.contains(0.0));
    // A gate must not take such games for evidence: one start, one pair, no decision.
    let gate = GateConfig { play: c, ..GateConfig::default() };
    let v = play_gate(&Source::default(), &setup(), models, &gate, vec![], &mut ()).unwrap();
    assert!(v.undecided && !v.accepted);
    assert_eq!((v.pairs, v.pairs_max), (1, 1));
}

#[test]
fn a_model_against_itself_with_starts_is_even_and_varied() {
    let c = config(6);
    let models = ["noise:1", "noise:1"];
    let starts = starts(models, &c, 30);
    let (result, _) = full_match(models, &c, &starts, 30, vec![]);
    let t = &result.tally;
    // The same player on both sides plays the same game twice per pair: exactly even, half of the games distinct.
    assert_eq!(t.points(), 30.0);
    assert_eq!(t.counts, [0, 0, 30, 0, 0]);
    assert_eq!(t.distinct_games, 30);
    assert_eq!(t.distinct_up_to_symmetry, 30);
    assert_eq!(t.wins, t.losses);
}

#[test]
fn threads_and_batches_do_not_change_results() {
    let models = ["noise:1", "uniform"];
    let mut c = config(8);
    let starts = starts(models, &c, 15);
    let (one, seen) = full_match(models, &c, &starts, 15, vec![]);
    let mut records = seen.games;
    records.sort_by_key(|r| r.index);
    for (threads, flight) in [(2, 6), (3, 1), (1, 64)] {
        (c.threads, c.games_in_flight) = (threads, flight);
        let (other, seen) = full_match(models, &c, &starts, 15, vec![]);
        assert_eq!(one, other, "{threads} threads");
        let mut again = seen.games;
        again.sort_by_key(|r| r.index);
        assert_eq!(records, again);
    }
    // Who sits where.
    for r in &records {
        let a = if r.index % 2 == 0 { Seat::First } else { Seat::Second };
        assert_eq!(r.models[a.index()], "noise:1");
        let start = &starts[(r.index / 2) as usize].actions;
        assert!(r.actions().take(start.len()).eq(start.iter().copied()));
    }
}

#[test]
fn a_stronger_player_wins_and_the_gate_sees_it() {
    let gate = GateConfig { play: config(24), pairs_max: 60, ..GateConfig::default() };
    let v = play_gate(&Source::default(), &setup(), ["uniform", "random"], &gate, vec![], &mut ()).unwrap();
    assert!(v.accepted && !v.undecided, "{v:?}");
    assert!(v.pairs >= 16 && v.llr >= v.bounds[1]);
    assert!(v.interval[0].unwrap() > 0.0);
    assert!(gate_text(&v).contains("accepted: LLR"), "{}", gate_text(&v));
    let back: tengen_arena::Verdict = serde_json::from_str(&serde_json::to_string(&v).unwrap()).unwrap();
    assert_eq!((back.llr, back.counts, back.interval), (v.llr, v.counts, v.interval));
    let worse = play_gate(&Source::default(), &setup(), ["random", "uniform"], &gate, vec![], &mut ()).unwrap();
    assert!(!worse.accepted && !worse.undecided && worse.elo.is_none_or(|e| e < 0.0), "{worse:?}");
    assert!(gate_text(&worse).contains("refused"));
}

#[test]
fn more_rollouts_are_stronger() {
    let c = config(1);
    let models = ["rollouts:400", "rollouts:20"];
    let starts = starts(models, &c, 10);
    let (result, _) = full_match(models, &c, &starts, 10, vec![]);
    assert!(result.tally.points() >= 14.0, "{:?}", result.tally);
    assert_eq!(result.tally.evaluations, 0);
}

#[test]
fn the_gate_stops_at_pair_boundaries_in_order_of_submission() {
    let models = ["uniform", "noise:3"];
    let mut gate = GateConfig { play: config(8), pairs_max: 50, ..GateConfig::default() };
    let mut verdicts = Vec::new();
    for (threads, flight) in [(1, 1), (1, 40), (2, 9)] {
        (gate.play.threads, gate.play.games_in_flight) = (threads, flight);
        let mut seen = Seen::default();
        let v = play_gate(&Source::default(), &setup(), models, &gate, vec![], &mut seen).unwrap();
        // The tally after every pair grew by one pair, in order; the decision fell at the first pair that allows it.
        let test = gate.sprt();
        for (i, t) in seen.pairs.iter().enumerate() {
            assert_eq!(t.pairs, i as u64 + 1);
            let decided = test.decide(test.llr_exact(&t.pair_counts())) != tengen_stats::Decision::Continue;
            let last = i + 1 == seen.pairs.len();
            assert!(last || i + 1 < 16 || !decided, "pair {i}");
        }
        // Recount from the records alone, by index.
        let mut counts = [0u64; 5];
        for pair in 0..v.pairs {
            let points: f64 = (0..2)
                .map(|k| {
                    let r = seen.games.iter().find(|r| r.index == 2 * pair + k).unwrap();
                    r.outcome.points(if k == 0 { Seat::First } else { Seat::Second })
                })
                .sum();
            counts[(2.0 * points) as usize] += 1;
        }
        assert_eq!(counts, v.counts);
        verdicts.push(v);
    }
    assert_eq!(verdicts[0], verdicts[1]);
    assert_eq!(verdicts[0], verdicts[2]);
}

#[test]
fn an_interrupted_match_ends_as_an_uninterrupted_one() {
    let models = ["noise:1", "uniform"];
    let mut c = config(8);
    c.threads = 2;
    let starts = starts(models, &c, 12);
    let (whole, _) = full_match(models, &c, &starts, 12, vec![]);
    let mut broken = Seen { cancel_after: Some(7), ..Seen::default() };
    let games = MatchGames { pairs: 12, starts: &starts, done: vec![] };
    let error = play_match(&Source::default(), &setup(), models, &c, games, &mut broken, &mut |_| false).unwrap_err();
    assert_eq!(error, ArenaError::Cancelled);
    assert!(broken.games.len() >= 7 && broken.games.len() < 24);
    let kept = broken.games.clone();
    let (resumed, seen) = full_match(models, &c, &starts, 12, kept.clone());
    assert_eq!(resumed, whole);
    assert!(seen.games.iter().all(|g| kept.iter().all(|k| k.index != g.index)), "nothing is played twice");
    assert_eq!(seen.games.len() + kept.len(), 24);

    // The same for a gate that is decided within the games already there.
    let gate = GateConfig { play: config(24), pairs_max: 60, ..GateConfig::default() };
    let mut all = Seen::default();
    let v = play_gate(&Source::default(), &setup(), ["uniform", "random"], &gate, vec![], &mut all).unwrap();
    let mut none = Seen::default();
    let done = all.games.clone();
    let again = play_gate(&Source::default(), &setup(), ["uniform", "random"], &gate, done, &mut none).unwrap();
    assert_eq!(again, v);
    assert!(none.games.is_empty());
    let half = all.games[..all.games.len() / 2].to_vec();
    assert_eq!(play_gate(&Source::default(), &setup(), ["uniform", "random"], &gate, half, &mut ()).unwrap(), v);
}

#[test]
fn strange_records_are_refused() {
    let models = ["noise:1", "uniform"];
    let c = config(4);
    let starts = starts(models, &c, 2);
    let (_, seen) = full_match(models, &c, &starts, 2, vec![]);
    let with = |change: &dyn Fn(&mut GameRecord)| {
        let mut record = seen.games[0].clone();
        change(&mut record);
        let games = MatchGames { pairs: 2, starts: &starts, done: vec![record] };
        play_match(&Source::default(), &setup(), models, &c, games, &mut (), &mut |_| false).map(|_| ())
    };
    with(&|_| ()).unwrap();
    let changes: [&dyn Fn(&mut GameRecord); 4] =
        [&|r| r.seed += 1, &|r| r.setup += " x=1", &|r| r.models.swap(0, 1), &|r| r.moves[0].action = Action(35)];
    for change in changes {
        assert!(matches!(with(change), Err(ArenaError::Done { .. })));
    }
}

#[test]
fn failures_are_passed_on() {
    let c = MatchConfig { balanced: false, threads: 2, ..config(4) };
    let starts = starts(["uniform", "nobody"], &c, 4);
    let games = MatchGames { pairs: 4, starts: &starts, done: vec![] };
    let models = ["uniform", "nobody"];
    let error = play_match(&Source::default(), &setup(), models, &c, games, &mut (), &mut |_| false).unwrap_err();
    assert!(matches!(error, ArenaError::Model(_)) && error.to_string().contains("nobody"), "{error}");
    struct Full;
    impl Watch for Full {
        fn game(&mut self, _: &GameRecord) -> Result<(), String> {
            Err("disk full".into())
        }
    }
    let games = MatchGames { pairs: 4, starts: &starts, done: vec![] };
    let error =
        play_match(&Source::default(), &setup(), ["uniform"; 2], &c, games, &mut Full, &mut |_| false).unwrap_err();
    assert_eq!(error, ArenaError::Watch("disk full".into()));
}

#[test]
fn ladder_orders_players_and_resumes() {
    let models: Vec<String> = ["random", "rollouts:60", "uniform"].map(str::to_string).to_vec();
    let config = LadderConfig { pairs: 6, anchor: 0, play: config(24) };
    let mut seen = Seen::default();
    let table = play_ladder(&Source::default(), &setup(), &models, &config, vec![], &mut seen).unwrap();
    let elo = |name: &str| table.rows.iter().find(|r| r.model == name).unwrap().elo;
    assert_eq!(elo("random"), 0.0);
    assert!(elo("rollouts:60") > 100.0 && elo("uniform") > 100.0, "{}", ladder_text(&table));
    assert!(table.rows.is_sorted_by(|a, b| a.elo >= b.elo));
    assert!(table.rows.iter().all(|r| r.games == 24));
    assert!(ladder_text(&table).contains("(anchor)"));
    let half = seen.games[..seen.games.len() / 2].to_vec();
    let again = play_ladder(&Source::default(), &setup(), &models, &config, half, &mut ()).unwrap();
    assert_eq!(again, table);
    let one = play_ladder(&Source::default(), &setup(), &models[..1], &config, vec![], &mut ());
    assert!(matches!(one, Err(ArenaError::Config(_))));
    let twice = vec!["random".to_string(); 2];
    assert!(play_ladder(&Source::default(), &setup(), &twice, &config, vec![], &mut ()).is_err());
}

#[test]
fn a_handicap_gives_player_b_its_own_visits() {
    let models = ["uniform", "noise:1"];
    let handicap = MatchConfig { visits_b: 40, ..config(4) };
    let starts = starts(models, &handicap, 3);
    let (result, seen) = full_match(models, &handicap, &starts, 3, Vec::new());
    assert_eq!((result.visits, result.visits_b), (4, 40));
    assert!(match_text(&result).contains("4 against 40 visits"));
    let most = |model: &str| {
        let of = |r: &GameRecord, s: Seat| r.models[s.index()] == model;
        let rows = seen.games.iter().flat_map(|r| r.moves.iter().filter(move |m| of(r, m.seat)));
        rows.map(|m| m.visits).max().unwrap()
    };
    assert_eq!((most("uniform"), most("noise:1")), (4, 40));
    assert!(MatchConfig { visits_b: u32::MAX, ..config(4) }.check().unwrap_err().starts_with("visits_b"));
}
