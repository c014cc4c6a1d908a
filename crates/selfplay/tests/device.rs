//! Self-play over a device that threads share, slow on purpose: games are those of the synchronous form, batches are full
//! and the device busy while there are games enough, and whatever ends early ends cleanly. Not here: networks.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tengen_data::GameRecord;
use tengen_game::{Game, zobrist};
use tengen_opening::Seated;
use tengen_play::{AgentConfig, GameLimits};
use tengen_renju::FiveBoard;
use tengen_search::{
    Client, DeviceUse, EvalError, Evaluation, Evaluator, EvaluatorSource, Parcel, Query, SharedDevice, Wdl,
};
use tengen_selfplay::{Job, Report, SelfplayError, run};

type Five = Seated<FiveBoard>;

const MODEL: &str = "noise";

/// A made-up network: any position has some policy and value of its own.
fn opinion(hash: u64, actions: usize, out: &mut Evaluation) {
    let share = |i: u64| (zobrist::key(i, hash) >> 40) as f32 / (1u64 << 24) as f32;
    out.priors = (0..actions as u64).map(|i| share(i + 1).powi(4) + 1e-3).collect();
    out.value = Wdl { win: share(0), draw: 0.0, loss: 1.0 - share(0) };
    out.margin = None;
}

/// Positions of one board size by hash and number of legal actions.
#[derive(Default)]
struct Slip {
    area: usize,
    asked: Vec<(u64, usize)>,
    answers: Vec<Evaluation>,
}

impl Parcel for Slip {
    fn rows(&self) -> usize {
        self.asked.len()
    }
    fn joins(&self, batch: &Slip) -> bool {
        self.area == batch.area
    }
    fn append(&mut self, parcel: &Slip) {
        self.area = parcel.area;
        self.asked.extend_from_slice(&parcel.asked);
    }
    fn take(&mut self, batch: &Slip, first: usize) {
        self.answers = batch.answers[first..first + self.asked.len()].to_vec();
    }
    fn clear(&mut self) {
        *self = Slip::default();
    }
}

/// Evaluates by itself, or sends slips.
struct Noise {
    clients: Vec<Client<Slip>>,
    sent: Vec<usize>,
    /// What encoding costs per batch.
    host: Duration,
    evaluations: u64,
}

impl Evaluator<Five> for Noise {
    fn evaluate(&mut self, batch: &[Query<'_, Five>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        for (q, answer) in batch.iter().zip(out) {
            opinion(q.game.hash(), q.legal.len(), answer);
        }
        self.evaluations += batch.len() as u64;
        Ok(())
    }
    fn lanes(&self) -> usize {
        self.clients.len().max(1)
    }
    fn begin(&mut self, lane: usize, batch: &[Query<'_, Five>], _: &mut [Evaluation]) -> Result<(), EvalError> {
        let Some(client) = self.clients.get(lane) else { return Ok(()) };
        std::thread::sleep(self.host);
        let mut slips: Vec<Slip> = Vec::new();
        for q in batch {
            let area = q.game.size().area();
            let at = slips.iter().position(|s| s.area == area).unwrap_or_else(|| {
                slips.push(Slip { area, ..Slip::default() });
                slips.len() - 1
            });
            slips[at].asked.push((q.game.hash(), q.legal.len()));
        }
        self.sent[lane] = slips.len();
        slips.into_iter().for_each(|s| client.send(s));
        Ok(())
    }
    fn finish(&mut self, lane: usize, batch: &[Query<'_, Five>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        let Some(client) = self.clients.get(lane) else { return self.evaluate(batch, out) };
        for _ in 0..self.sent[lane] {
            let slip = client.receive().map_err(|why| EvalError::Failed { model: MODEL.to_string(), why })?;
            let of_size = |q: &&(usize, &Query<'_, Five>)| q.1.game.size().area() == slip.area;
            let numbered: Vec<_> = batch.iter().enumerate().collect();
            for ((i, _), answer) in numbered.iter().filter(of_size).zip(slip.answers) {
                out[*i] = answer;
            }
        }
        self.evaluations += batch.len() as u64;
        Ok(())
    }
    fn evaluations(&self) -> u64 {
        self.evaluations
    }
    fn model(&self) -> &str {
        MODEL
    }
}

/// With a device or without; and what encoding a batch costs.
struct Source(Option<SharedDevice<Slip>>, Duration);

impl EvaluatorSource<Five> for Source {
    fn open(&self, _: &str) -> Result<Box<dyn Evaluator<Five>>, EvalError> {
        let clients: Vec<_> = self.0.iter().flat_map(|d| [d.client(), d.client()]).collect();
        Ok(Box::new(Noise { sent: vec![0; clients.len()], clients, host: self.1, evaluations: 0 }))
    }
    fn device(&self, _: &str) -> Option<DeviceUse> {
        self.0.as_ref().map(SharedDevice::used)
    }
}

/// How a device behaves, and the host's part of the work.
#[derive(Clone, Copy, Default)]
struct Slow {
    host: Duration,
    per_batch: Duration,
    per_row: Duration,
    rows_max: usize,
    fails_at: Option<usize>,
    panics_at: Option<usize>,
}

impl Slow {
    /// A device that takes its time, and the largest batch that it has seen.
    fn start(self) -> (Source, Arc<AtomicUsize>) {
        let largest = Arc::new(AtomicUsize::new(0));
        let (seen, mut batches) = (largest.clone(), 0);
        let device = move |slip: &mut Slip| {
            batches += 1;
            if self.fails_at == Some(batches) {
                return Err("out of memory".to_string());
            }
            assert_ne!(self.panics_at, Some(batches), "a wire came loose");
            seen.fetch_max(slip.rows(), Ordering::Relaxed);
            std::thread::sleep(self.per_batch + self.per_row * slip.rows() as u32);
            slip.answers.resize_with(slip.asked.len(), Evaluation::default);
            slip.asked.iter().zip(&mut slip.answers).for_each(|(&(h, n), out)| opinion(h, n, out));
            Ok(())
        };
        let rows_max = if self.rows_max == 0 { usize::MAX } else { self.rows_max };
        (Source(Some(SharedDevice::start(move || Ok(device), rows_max).unwrap()), self.host), largest)
    }
}

fn quick() -> Source {
    Slow::default().start().0
}

/// Threads, games in flight per thread, games, setups.
#[derive(Clone, Copy)]
struct Shape(usize, usize, u64, &'static [&'static str]);

const SMALL: &[&str] = &["game=five rules=freestyle size=6x6 win=4 opening=none"];
const MIXED: &[&str] =
    &["game=five rules=freestyle size=6x6 win=4 opening=none", "game=five rules=freestyle size=5x5 win=4 opening=none"];

type Played = Result<(Report, Vec<GameRecord>), SelfplayError>;

/// Plays in a thread of its own, so that a hang is a failure; `look` sees each report and may stop play.
fn play(source: Source, shape: Shape, look: impl FnMut(&Report, &AtomicBool) + Send + 'static) -> Played {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || drop(send.send(play_here(&source, shape, look))));
    receive.recv_timeout(Duration::from_secs(100)).expect("play hangs or panicked")
}

fn play_here(source: &Source, shape: Shape, mut look: impl FnMut(&Report, &AtomicBool)) -> Played {
    let Shape(threads, in_flight, games, setups) = shape;
    let setups: Vec<_> = setups.iter().map(|s| s.parse().unwrap()).collect();
    let games: Vec<u64> = (0..games).collect();
    let stop = AtomicBool::new(false);
    let job = Job::<Five> {
        setups: &setups,
        model: MODEL,
        agent: &AgentConfig { explore: true, ..AgentConfig::playing(4) },
        limits: &GameLimits { plies_max: 12, ..GameLimits::default() },
        seed: 5,
        games: &games,
        threads,
        in_flight,
        stop: &stop,
    };
    let mut records = Vec::new();
    let report = run(&job, source, &mut |record, report| {
        records.push(record);
        look(report, &stop);
        Ok(())
    })?;
    records.sort_by_key(|r| r.index);
    Ok((report, records))
}

/// Plays until so many games have finished, with more than enough still to play; the report at that moment. On a busy
/// machine the host waits for its turn and the device with it, so the least idle of a few tries counts.
fn least_idle(slow: Slow, threads: usize, in_flight: usize, finished: u64, below: f64) -> (Report, f64) {
    let mut best: Option<(Report, f64)> = None;
    for _ in 0..5 {
        let (send, live) = mpsc::channel();
        let look = move |report: &Report, stop: &AtomicBool| {
            if report.games == finished {
                send.send(report.clone()).unwrap();
                stop.store(true, Ordering::Relaxed);
            }
        };
        play(slow.start().0, Shape(threads, in_flight, 100_000, SMALL), look).unwrap();
        let report = live.recv().unwrap();
        let idle = report.idle.unwrap();
        println!("batch {:.1}, idle {idle:.3}", report.batch());
        if best.as_ref().is_none_or(|(_, least)| idle < *least) {
            best = Some((report, idle));
        }
        if idle < below {
            break;
        }
    }
    best.unwrap()
}

/// One thread hands over half of its games at a time, however slow either side is.
#[test]
fn batches_are_whole_groups_of_games() {
    let (send, live) = mpsc::channel();
    let look = move |report: &Report, stop: &AtomicBool| {
        if report.games == 40 {
            send.send(report.batch()).unwrap();
            stop.store(true, Ordering::Relaxed);
        }
    };
    let slow = Slow { per_batch: Duration::from_millis(1), ..Slow::default() };
    play(slow.start().0, Shape(1, 16, 100_000, SMALL), look).unwrap();
    let batch = live.recv().unwrap();
    assert!((0.8 * 8.0..=8.0).contains(&batch), "batch {batch} of 8");
}

#[test]
#[ignore = "bounds on waiting time: for a machine with nothing else to do"]
fn a_slow_device_gets_full_batches_and_is_busy() {
    let slow = Slow { per_batch: Duration::from_millis(15), per_row: Duration::from_micros(50), ..Slow::default() };
    let (threads, in_flight) = (2, 16);
    let (report, idle) = least_idle(slow, threads, in_flight, 40, 0.3);
    let possible = (threads * in_flight / 2) as f64;
    assert!(report.batch() >= 0.8 * possible, "batch {} of {possible}", report.batch());
    assert!(idle < 0.3, "idle {idle}");
}

#[test]
#[ignore = "bounds on waiting time: for a machine with nothing else to do"]
fn the_host_works_while_the_device_computes() {
    let (host, per_batch) = (Duration::from_millis(18), Duration::from_millis(30));
    let (_, idle) = least_idle(Slow { host, per_batch, ..Slow::default() }, 1, 8, 8, 0.3);
    // One after the other the device would wait for 18 of 48 ms.
    assert!(idle < 0.3, "idle {idle}");
}

#[test]
fn games_are_those_of_the_synchronous_form() {
    for setups in [SMALL, MIXED] {
        let (plain, expected) = play(Source(None, Duration::ZERO), Shape(1, 8, 40, setups), |_, _| {}).unwrap();
        assert_eq!(plain.idle, None);
        for (threads, in_flight, rows_max) in [(1, 8, 0), (2, 5, 4), (3, 1, 0), (4, 16, 7)] {
            let (source, largest) = Slow { rows_max, ..Slow::default() }.start();
            let (report, records) = play(source, Shape(threads, in_flight, 40, setups), |_, _| {}).unwrap();
            assert_eq!(format!("{records:?}"), format!("{expected:?}"), "{threads} threads, {in_flight} in flight");
            assert_eq!((report.evaluations, report.asked), (plain.evaluations, plain.asked));
            let largest = largest.load(Ordering::Relaxed);
            // A parcel that is larger by itself goes alone.
            assert!(rows_max == 0 || largest <= rows_max.max(in_flight.div_ceil(2)), "{largest} rows");
        }
    }
}

#[test]
fn the_last_games_do_not_wait_for_a_full_batch() {
    for (threads, in_flight, games) in [(4, 8, 1), (3, 4, 7), (2, 3, 13)] {
        let (report, records) = play(quick(), Shape(threads, in_flight, games, MIXED), |_, _| {}).unwrap();
        assert_eq!((report.games, records.len() as u64), (games, games));
    }
}

#[test]
fn errors_and_panics_of_the_device_reach_the_caller() {
    let shape = Shape(3, 8, 1000, MIXED);
    let failing = Slow { fails_at: Some(30), ..Slow::default() };
    let error = play(failing.start().0, shape, |_, _| {}).unwrap_err();
    assert_eq!(error.to_string(), "model noise: out of memory");
    let panicking = Slow { panics_at: Some(30), ..Slow::default() };
    let error = play(panicking.start().0, shape, |_, _| {}).unwrap_err().to_string();
    assert!(error.contains("the device panicked") && error.contains("a wire came loose"), "{error}");
}

#[test]
fn a_stop_drops_what_is_in_flight() {
    let slow = Slow { per_batch: Duration::from_millis(1), ..Slow::default() };
    let look = |report: &Report, stop: &AtomicBool| stop.store(report.games >= 5, Ordering::Relaxed);
    let (report, records) = play(slow.start().0, Shape(2, 8, 100_000, SMALL), look).unwrap();
    assert_eq!(report.games, records.len() as u64);
    // Those that finished in the same turns as the fifth may come too.
    assert!((5..40).contains(&report.games), "{} games", report.games);
}
