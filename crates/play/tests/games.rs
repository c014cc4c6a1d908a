//! Single games: records replay, seats exchange, limits and conduct hold, offers share one search, yardsticks have the
//! strength they should.

mod toy;

use tengen_data::{EndReason, GameRecord, SearchKind};
use tengen_game::notation::Letters;
use tengen_game::{Action, Game, IllegalMove, Outcome, Seat};
use tengen_go::GoBoard;
use tengen_opening::Seated;
use tengen_play::{
    Agent, AgentConfig, GameLimits, GameRun, GameTask, Need, PlayError, RandomMover, Rollouts, Scripted, fixed_player,
    play_game,
};
use tengen_renju::FiveBoard;
use tengen_search::{Evaluation, Evaluator, Query, Uniform, Wdl, ask};
use toy::{Toy, ToySetup};

type Five = Seated<FiveBoard>;
type Go = Seated<GoBoard>;

fn five(rest: &str) -> <Five as Game>::Setup {
    format!("game=five {rest}").parse().unwrap()
}

fn small() -> <Five as Game>::Setup {
    five("rules=freestyle size=6x6 win=4 opening=none")
}

fn task(index: u64) -> GameTask {
    GameTask { seed: 11, index, ..GameTask::default() }
}

fn searcher<G: Game>(visits: u32) -> Agent<G> {
    Agent::search("uniform", AgentConfig::playing(visits))
}

fn run<G: Game>(agents: Vec<Agent<G>>, limits: GameLimits) -> GameRun<G> {
    GameRun::new(agents, limits, 0).unwrap()
}

fn play<G: Game>(run: &mut GameRun<G>, setup: &G::Setup, task: GameTask) -> GameRecord {
    let (mut a, mut b) = (Uniform::default(), Uniform::default());
    play_game(run, setup, task, &mut [&mut a, &mut b]).unwrap()
}

/// Everything a record must hold, whoever played.
fn check<G: Game>(record: &GameRecord, setup: &G::Setup) {
    assert_eq!(record.setup, setup.to_string());
    let mut game = G::start(setup);
    for (ply, row) in record.moves.iter().enumerate() {
        assert_eq!(row.seat, game.to_act(), "ply {ply}");
        assert!(game.is_legal(row.action), "ply {ply}");
        assert!((-1.0..=1.0).contains(&row.root_value));
        let mut legal = Vec::new();
        game.legal(&mut legal);
        if row.kind != SearchKind::Book {
            let sum: f32 = row.policy.iter().map(|p| p.1).sum();
            assert!((sum - 1.0).abs() < 1e-4, "ply {ply}: {sum}");
            assert!(row.policy.is_sorted_by_key(|p| p.0));
            assert!(row.policy.iter().all(|p| legal.contains(&p.0)), "ply {ply}");
        }
        game.apply(row.action);
    }
    if record.end == EndReason::Rules {
        assert_eq!(game.outcome(), Some(record.outcome));
        assert_eq!(game.margin(), record.margin);
    } else {
        assert!(game.outcome().is_none() && record.margin.is_none());
    }
}

#[test]
fn records_replay_and_repeat() {
    let setup = small();
    let mut self_play = run(vec![searcher::<Five>(24)], GameLimits::default());
    let first = play(&mut self_play, &setup, task(0));
    check::<Five>(&first, &setup);
    assert_eq!(first.models, ["uniform".to_string(), "uniform".to_string()]);
    assert!(first.evaluations > 0);
    // The run's memory must not leak into the next game.
    play(&mut self_play, &setup, task(1));
    assert_eq!(play(&mut self_play, &setup, task(0)), first);
    let mut fresh = run(vec![searcher::<Five>(24)], GameLimits::default());
    assert_eq!(play(&mut fresh, &setup, task(0)), first);
}

#[test]
fn puct_with_a_kept_tree_repeats_too() {
    let setup = small();
    let mut config = AgentConfig::playing(60);
    config.search.rule = tengen_search::Rule::Puct;
    let agents = || vec![Agent::<Five>::search("a", config.clone()), Agent::search("b", config.clone())];
    let mut again = run(agents(), GameLimits::default());
    let records: Vec<_> = (0..2).map(|_| play(&mut again, &setup, task(3))).collect();
    check::<Five>(&records[0], &setup);
    assert_eq!(records[0], records[1]);
}

#[test]
fn exploring_games_differ_by_index() {
    let setup = small();
    let config = AgentConfig { explore: true, ..AgentConfig::playing(16) };
    let mut r = run(vec![Agent::<Five>::search("u", config)], GameLimits::default());
    let games: Vec<Vec<Action>> = (0..6).map(|i| play(&mut r, &setup, task(i)).actions().collect()).collect();
    assert!(games.iter().any(|g| *g != games[0]));
}

#[test]
fn exchanging_gives_agent_0_the_second_seat() {
    let setup = small();
    let mut r = run(vec![searcher::<Five>(48), Agent::own(Box::new(RandomMover::default()))], GameLimits::default());
    let mut points = 0.0;
    for index in 0..20 {
        let record = play(&mut r, &setup, GameTask { exchanged: index % 2 == 1, ..task(index) });
        check::<Five>(&record, &setup);
        let seat = if index % 2 == 1 { Seat::Second } else { Seat::First };
        assert_eq!(record.models[seat.index()], "uniform");
        assert_eq!(record.models[seat.other().index()], "random");
        points += record.outcome.points(seat);
        let rows: Vec<_> = record.moves.iter().filter(|m| m.seat == seat).collect();
        assert!(rows.iter().all(|m| m.kind != SearchKind::Book));
        // The last searched value is that of a seat that knows how the game ends.
        if let (EndReason::Rules, Outcome::Win(winner)) = (record.end, record.outcome)
            && winner == seat
        {
            assert!(rows.last().unwrap().root_value > 0.0);
        }
    }
    assert!(points >= 18.0, "a search should beat a random mover: {points} of 20");
}

#[test]
fn rollouts_are_a_ladder_of_fixed_opponents() {
    let setup = small();
    let score = |a: &str, b: &str, games: u64| {
        let own = |name: &str| Agent::own(fixed_player::<Five>(name).unwrap().unwrap());
        let mut r = run(vec![own(a), own(b)], GameLimits::default());
        let mut points = 0.0;
        for index in 0..games {
            let record = play(&mut r, &setup, GameTask { exchanged: index % 2 == 1, ..task(index) });
            check::<Five>(&record, &setup);
            points += record.outcome.points(if index % 2 == 1 { Seat::Second } else { Seat::First });
        }
        points / games as f64
    };
    assert!(score("rollouts:50", "random", 20) > 0.85);
    assert!(score("rollouts:1000", "rollouts:30", 12) > 0.7);
    assert!(fixed_player::<Five>("rollouts:0").is_err() && fixed_player::<Five>("rollouts:x").is_err());
    assert!(fixed_player::<Five>("some-model").unwrap().is_none());
}

#[test]
fn rollouts_know_enough_go_to_beat_chance() {
    let setup: <Go as Game>::Setup = "game=go size=5x5 rules=tromp-taylor komi=0.5 opening=none".parse().unwrap();
    let rollouts = Agent::own(fixed_player::<Go>("rollouts:100").unwrap().unwrap());
    let mut r = run(vec![rollouts, Agent::own(Box::new(RandomMover::default()))], GameLimits::default());
    let mut points = 0.0;
    for index in 0..10 {
        let record = play(&mut r, &setup, GameTask { exchanged: index % 2 == 1, ..task(index) });
        check::<Go>(&record, &setup);
        points += record.outcome.points(if index % 2 == 1 { Seat::Second } else { Seat::First });
    }
    assert!(points >= 8.0, "{points} of 10");
}

#[test]
fn rollouts_take_a_win_and_block_one() {
    let setup = ToySetup { passes: true, illegal: IllegalMove::Refuse };
    for (moves, best) in [(vec![0, 3, 1, 4], 2u16), (vec![0, 8, 1], 2)] {
        let mut game = Toy::start(&setup);
        moves.iter().for_each(|&m| game.apply(Action(m)));
        let mut stream = tengen_play::Stream::new(1, 1);
        let choice = tengen_play::Player::choose(&mut Rollouts::new(2000), &game, &mut stream);
        assert_eq!(choice.action, Action(best), "{moves:?} {choice:?}");
    }
}

#[test]
fn the_cap_cuts_and_says_so() {
    let setup = small();
    let limits = GameLimits { plies_max: 5, ..GameLimits::default() };
    let record = play(&mut run(vec![searcher::<Five>(8)], limits), &setup, task(0));
    assert_eq!((record.end, record.moves.len()), (EndReason::Truncated, 5));
    check::<Five>(&record, &setup);
}

/// Always thinks that the first seat is lost, by some margin.
struct Gloomy;

impl Evaluator<Five> for Gloomy {
    fn evaluate(&mut self, batch: &[Query<'_, Five>], out: &mut [Evaluation]) -> Result<(), tengen_search::EvalError> {
        for (query, answer) in batch.iter().zip(out) {
            let lost = query.game.to_act() == Seat::First;
            let value = if lost { (0.05, 0.95) } else { (0.95, 0.05) };
            answer.priors = vec![1.0 / query.legal.len() as f32; query.legal.len()];
            answer.value = Wdl { win: value.0, draw: 0.0, loss: value.1 };
            answer.margin = None;
        }
        Ok(())
    }
    fn evaluations(&self) -> u64 {
        0
    }
    fn model(&self) -> &str {
        "gloomy"
    }
}

#[test]
fn resignation_waits_for_its_streak_and_spares_some_games() {
    let setup = five("rules=freestyle size=9x9 win=5 opening=none");
    let mut limits = GameLimits::default();
    (limits.resign.enabled, limits.resign.value, limits.resign.streak) = (true, -0.6, 3);
    limits.resign.spare_share = 0.0;
    let once = |limits: &GameLimits| {
        let mut r = run(vec![searcher::<Five>(8)], limits.clone());
        play_game(&mut r, &setup, task(0), &mut [&mut Gloomy]).unwrap()
    };
    let record = once(&limits);
    assert_eq!((record.end, record.outcome), (EndReason::Resigned, Outcome::Win(Seat::Second)));
    // Two own searches were played, the third led to resigning: plies 0 to 3.
    assert_eq!(record.moves.len(), 4);
    limits.resign.spare_share = 1.0;
    assert_eq!(once(&limits).end, EndReason::Rules);
    // Cut games are estimated by the same values.
    limits.plies_max = 6;
    let cut = once(&limits);
    assert_eq!((cut.end, cut.outcome), (EndReason::Truncated, Outcome::Win(Seat::Second)));
}

#[test]
fn offers_share_one_search() {
    let setup = five("rules=renju size=15x15 opening=rif");
    let mut r = run(vec![searcher::<Five>(32)], GameLimits { plies_max: 16, ..GameLimits::default() });
    let mut offered = 0;
    for index in 0..3 {
        let record = play(&mut r, &setup, task(index));
        check::<Five>(&record, &setup);
        let shared: Vec<_> = record.moves.iter().filter(|m| m.weight < 1.0).collect();
        if shared.is_empty() {
            continue;
        }
        offered += 1;
        let sum: f32 = shared.iter().map(|m| m.weight).sum();
        assert!((sum - 1.0).abs() < 1e-5);
        assert!(shared.iter().all(|m| m.seat == shared[0].seat && m.visits == shared[0].visits));
        let mut actions: Vec<Action> = shared.iter().map(|m| m.action).collect();
        actions.sort();
        actions.dedup();
        assert_eq!(actions.len(), shared.len());
    }
    assert!(offered > 0, "no game came to its offers");
}

#[test]
fn starts_are_books_and_bad_ones_are_refused() {
    let setup = small();
    let mut r = run(vec![searcher::<Five>(8)], GameLimits::default());
    let start = vec![Action(14), Action(15), Action(20)];
    let record = play(&mut r, &setup, GameTask { start: start.clone(), ..task(0) });
    assert!(record.moves[..3].iter().all(|m| m.kind == SearchKind::Book && m.policy.is_empty()));
    assert!(record.moves[3..].iter().all(|m| m.kind != SearchKind::Book));
    assert!(record.actions().take(3).eq(start));
    let bad = GameTask { start: vec![Action(14), Action(14)], ..task(0) };
    let error = r.begin(&setup, bad).unwrap_err();
    assert_eq!(error, PlayError::BadStart { ply: 1, action: Action(14), setup: setup.to_string() });
    assert!(r.begin(&setup, GameTask { start: vec![Action(600)], ..task(0) }).is_err());
}

#[test]
fn random_opening_plies_come_from_the_games_stream() {
    let setup = small();
    let mut limits = GameLimits::default();
    limits.opening.share = 0.5;
    let mut r = run(vec![searcher::<Five>(4)], limits);
    let books: Vec<Vec<Action>> = (0..40)
        .map(|i| {
            let record = play(&mut r, &setup, task(i));
            record.moves.iter().filter(|m| m.kind == SearchKind::Book).map(|m| m.action).collect()
        })
        .collect();
    let with = books.iter().filter(|b| !b.is_empty()).count();
    assert!((8..=32).contains(&with), "{with}");
    let again: Vec<Action> = play(&mut r, &setup, task(5)).actions().take(books[5].len()).collect();
    assert_eq!(again, books[5]);
}

#[test]
fn playout_cap_marks_rows() {
    let setup = small();
    let config = AgentConfig { visits: 32, visits_fast: 4, full_share: 0.3, ..AgentConfig::default() };
    let mut r = run(vec![Agent::<Five>::search("u", config)], GameLimits::default());
    let rows: Vec<_> = (0..6).flat_map(|i| play(&mut r, &setup, task(i)).moves).collect();
    let visits = |kind| rows.iter().filter(|m| m.kind == kind).map(|m| m.visits).max();
    assert_eq!((visits(SearchKind::Full), visits(SearchKind::Fast)), (Some(32), Some(4)));
}

#[test]
fn referee_follows_the_conduct_of_the_rules() {
    let game = |illegal, actions: Vec<u16>| {
        let setup = ToySetup { passes: true, illegal };
        let script = Scripted::new(actions.into_iter().map(Action).collect());
        let agents = vec![Agent::own(Box::new(script)), Agent::own(Box::new(RandomMover::default()))];
        let record = play(&mut run::<Toy>(agents, GameLimits::default()), &setup, task(0));
        check::<Toy>(&record, &setup);
        record
    };
    let lost = game(IllegalMove::Loses, vec![700]);
    assert_eq!((lost.end, lost.outcome, lost.moves.len()), (EndReason::Forfeit, Outcome::Win(Seat::Second), 0));
    let refused = game(IllegalMove::Refuse, vec![700, 700, 4]);
    assert_eq!(refused.moves[0].action, Action(4));
    let stubborn = game(IllegalMove::Refuse, vec![700; 50]);
    assert_eq!((stubborn.end, stubborn.outcome), (EndReason::Forfeit, Outcome::Win(Seat::Second)));
    let void = game(IllegalMove::VoidAndPass, vec![700, 4]);
    assert_eq!(void.moves[0].action, Action::PASS);
}

/// Rules that let people agree on dead stones end a game of two programs by themselves: by area all stones count as they
/// stand, by territory the clean-up takes the dead ones off, in which that is free.
#[test]
fn nobody_judges_games_between_programs() {
    let game = |rules: &str, words: &str| {
        let setup: <Go as Game>::Setup =
            format!("game=go size=5x5 rules={rules} komi=0.5 opening=none").parse().unwrap();
        let mut actions = [Vec::new(), Vec::new()];
        for (i, word) in words.split_whitespace().enumerate() {
            actions[i % 2].push(Letters::WithoutI.parse_action(Go::start(&setup).size(), word).unwrap());
        }
        let agents = actions.map(|actions| Agent::own(Box::new(Scripted::new(actions))));
        let record = play(&mut run::<Go>(agents.into(), GameLimits::default()), &setup, task(0));
        check::<Go>(&record, &setup);
        assert_eq!((record.end, record.moves.len()), (EndReason::Rules, words.split_whitespace().count()), "{rules}");
        record.margin
    };
    let wall = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 pass A3 pass pass";
    for rules in ["chinese", "aga", "nz", "tromp-taylor"] {
        assert_eq!(game(rules, wall), Some(5.0 - 11.0 - 0.5), "{rules}: White's lone stone spoils Black's points");
    }
    for rules in ["japanese", "czech"] {
        let cleared = format!("{wall} pass pass A4 pass A2 pass B3 pass pass");
        assert_eq!(game(rules, &cleared), Some(10.0 + 1.0 - 5.0 - 0.5), "{rules}");
    }
}

#[test]
fn leaves_wait_until_answered() {
    let setup = small();
    let mut r = run(vec![searcher::<Five>(8), searcher(8)], GameLimits::default());
    assert_eq!(r.advance(), Need::Finished);
    assert!(r.take_record().is_none() && r.query().is_none());
    r.begin(&setup, task(0)).unwrap();
    assert_eq!(r.advance(), Need::Leaf { agent: 0 });
    assert_eq!(r.advance(), Need::Leaf { agent: 0 });
    assert!(r.take_record().is_none());
    let mut answers = Vec::new();
    let mut seen = [false; 2];
    while let Need::Leaf { agent } = r.advance() {
        seen[agent] = true;
        ask(&mut Uniform::default(), &[r.query().unwrap()], &mut answers).unwrap();
        r.answer(&answers[0]);
    }
    assert_eq!(seen, [true; 2]);
    assert!(r.take_record().is_some() && r.take_record().is_none());
}

#[test]
fn settings_are_checked_at_the_door() {
    let bad = AgentConfig { visits: 0, ..AgentConfig::default() };
    assert!(GameRun::<Five>::new(vec![Agent::search("u", bad)], GameLimits::default(), 0).is_err());
    assert!(GameRun::<Five>::new(vec![], GameLimits::default(), 0).is_err());
    let mut r = run(vec![searcher::<Five>(4)], GameLimits::default());
    assert!(matches!(play_game(&mut r, &small(), task(0), &mut []), Err(PlayError::Config(_))));
}
