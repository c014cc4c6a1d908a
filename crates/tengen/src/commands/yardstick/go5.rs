//! `yardstick go5`: 5x5 Go, whose value is proven: Black opens at the centre and owns the whole board, 25 points (van
//! der Werf 2002). At komi 24.5 Black must therefore win, and nothing less than everything is enough.
//!
//! The model opens as Black; then each of White's replies is played several times, White going on as plain UCT with
//! random playouts. A game that is cut instead of ended by the rules doesn't count as won. Not here: learning, and
//! whether a win was sound.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use tengen_data::EndReason;
use tengen_game::{Action, Game, Outcome, Seat, notation::Letters};
use tengen_opening::SeatedSetup;
use tengen_play::{Agent, AgentConfig, GameLimits, GameRun, GameTask, PlayError, Rollouts, play_game};
use tengen_search::{EvaluatorSource, Limits, Search, search_blocking};

use super::run_dir;
use crate::catalog::Go;
use crate::commands::bad;
use crate::commands::matches::check_players;
use crate::models::{Models, UNIFORM};
use crate::progress::{Progress, span};

/// The game.
const SETUP: &str = "game=go rules=tromp-taylor size=5x5 komi=24.5 early_end=true opening=none";

/// How to measure.
#[derive(Args, Debug)]
pub struct Go5Args {
    /// Model directory, run directory (its promoted model), or `uniform`
    model: PathBuf,
    /// The model's simulations per move (without noise, as in matches)
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// White's random playouts per move
    #[arg(long, default_value_t = 10_000)]
    rollouts: u32,
    /// Games for each of White's replies
    #[arg(long, default_value_t = 4)]
    seeds: u32,
    /// Threads; the result doesn't depend on it
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// `fused` (CPU) or a Burn device
    #[arg(long, default_value = "fused")]
    evaluator: String,
}

impl Go5Args {
    fn check(&self) -> Result<()> {
        Limits::playing(self.visits).check().map_err(|e| bad(format!("--{e}")))?;
        let whole = |name: &str, value: u32, high: u32| {
            if (1..=high).contains(&value) {
                return Ok(());
            }
            Err(bad(format!("--{name} {value}: expected 1 to {high}")))
        };
        whole("rollouts", self.rollouts, 1_000_000)?;
        whole("seeds", self.seeds, 10_000)?;
        whole("threads", self.threads, 1024)
    }
}

/// The games to be played: every reply with every seed.
struct Series<'a> {
    setup: &'a SeatedSetup<tengen_go::GoBoard>,
    source: &'a dyn EvaluatorSource<Go>,
    model: &'a str,
    agent: AgentConfig,
    rollouts: u32,
    seeds: u32,
    opening: Action,
    replies: Vec<Action>,
    next: AtomicUsize,
}

/// One finished game.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Played {
    /// Index of White's first reply.
    reply: usize,
    /// Whether Black won by the rules.
    won: bool,
}

impl<'a> Series<'a> {
    /// Asks the model for its opening move.
    fn open(
        setup: &'a SeatedSetup<tengen_go::GoBoard>,
        source: &'a dyn EvaluatorSource<Go>,
        model: &'a str,
        args: &Go5Args,
    ) -> Result<Series<'a>> {
        let agent = AgentConfig::playing(args.visits);
        let mut game = Go::start(setup);
        let mut search = Search::new(agent.search.clone());
        let mut evaluator = source.open(model)?;
        let opening = search_blocking(&mut search, &game, Limits::playing(args.visits), 1, &mut *evaluator)?.chosen;
        game.apply(opening);
        let mut replies = Vec::new();
        game.legal(&mut replies);
        let (rollouts, seeds) = (args.rollouts, args.seeds);
        Ok(Series { setup, source, model, agent, rollouts, seeds, opening, replies, next: AtomicUsize::new(0) })
    }

    fn games(&self) -> usize {
        self.replies.len() * self.seeds as usize
    }

    /// Plays everything on `threads` threads; `watch` sees the games as they finish. The result is in the order of the
    /// games, whatever the threads do.
    fn play(&self, threads: u32, watch: &mut dyn FnMut(&[Played])) -> Result<Vec<Played>> {
        let (out, results) = channel();
        let mut done: Vec<(usize, Played)> = Vec::new();
        let mut seen = Vec::new();
        std::thread::scope(|scope| -> Result<()> {
            for _ in 0..threads.min(self.games() as u32) {
                let out = out.clone();
                scope.spawn(move || self.work(&out));
            }
            drop(out);
            for result in results {
                // Let the others stop after the game they are in.
                let (index, played) = result.inspect_err(|_| self.next.store(self.games(), Ordering::Relaxed))?;
                done.push((index, played));
                seen.push(played);
                watch(&seen);
            }
            Ok(())
        })?;
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, played)| played).collect())
    }

    fn work(&self, out: &Sender<Result<(usize, Played), PlayError>>) {
        let drive = || -> Result<(), PlayError> {
            let mut evaluator = self.source.open(self.model)?;
            let white = Box::new(Rollouts::new(self.rollouts));
            let agents = vec![Agent::search(self.model, self.agent.clone()), Agent::own(white)];
            let mut run = GameRun::<Go>::new(agents, GameLimits::default(), 0)?;
            loop {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                if index >= self.games() {
                    return Ok(());
                }
                let (reply, seed) = (index / self.seeds as usize, index % self.seeds as usize);
                let task = GameTask {
                    start: vec![self.opening, self.replies[reply]],
                    seed: seed as u64 + 1,
                    index: reply as u64,
                    exchanged: false,
                };
                let record = play_game(&mut run, self.setup, task, &mut [&mut *evaluator])?;
                let won = record.end == EndReason::Rules && record.outcome == Outcome::Win(Seat::First);
                if out.send(Ok((index, Played { reply, won }))).is_err() {
                    return Ok(());
                }
            }
        };
        if let Err(error) = drive() {
            // Nobody listens any more when another game has failed already.
            let _ = out.send(Err(error));
        }
    }

    /// The opening, and whether it is the one that wins everything.
    fn opening_text(&self) -> String {
        let size = self.setup.rules().size;
        let name = Letters::WithoutI.action(size, self.opening);
        let Some(point) = self.opening.as_point() else { return format!("opens with {name}, not at the centre") };
        let (x, y) = size.xy(point);
        let place = if size.centre() == Some(point) { "the centre" } else { "not the centre" };
        format!("opens at {name} (column {} from the left, row {} from the bottom): {place}", x + 1, size.height() - y)
    }

    /// Black's wins, and White's replies that held a game.
    fn result_text(&self, games: &[Played]) -> String {
        let wins = games.iter().filter(|g| g.won).count();
        let mut text = format!("Black won {wins} of {} games against rollouts:{}\n", games.len(), self.rollouts);
        let lost = |reply: usize| games.iter().filter(|g| g.reply == reply && !g.won).count();
        let failing: Vec<String> = (0..self.replies.len())
            .filter(|&reply| lost(reply) > 0)
            .map(|reply| {
                let name = Letters::WithoutI.action(self.setup.rules().size, self.replies[reply]);
                format!("{name} ({} of {})", lost(reply), self.seeds)
            })
            .collect();
        text += "failing replies, with games not won: ";
        text += &if failing.is_empty() { "none".to_string() } else { failing.join(", ") };
        text
    }
}

/// A model directory as it is; for a run directory, its promoted model.
fn model_of(path: &Path) -> Result<String> {
    let Some(run) = run_dir(path) else { return Ok(path.display().to_string()) };
    let promoted = run.read_promoted()?.with_context(|| format!("{}: nothing is promoted yet", path.display()))?;
    Ok(run.model(&promoted.model)?.display().to_string())
}

/// Plays the games and prints what came of them.
pub(super) fn run(args: &Go5Args) -> Result<ExitCode> {
    args.check()?;
    let setup: SeatedSetup<tengen_go::GoBoard> = SETUP.parse()?;
    let model = model_of(&args.model)?;
    // A cache pays: the same positions come up in many games.
    let models = Models::new(None, &args.evaluator, 65_536);
    if model != UNIFORM {
        models.get(&model)?;
    }
    check_players::<Go>(&models, &setup, &[&model])?;
    let started = Instant::now();
    let series = Series::open(&setup, &models, &model, args)?;
    say!("{model}, {} simulations, as Black under `{setup}`", args.visits);
    say!("{}", series.opening_text());
    let mut bar = Progress::new("yardstick go5", "games", series.games() as u64, 0);
    let games = series.play(args.threads, &mut |seen| {
        let wins = seen.iter().filter(|g| g.won).count();
        bar.set(seen.len() as u64, &format!("Black won {wins}"));
    })?;
    bar.finish();
    say!("{}", series.result_text(&games));
    eprintln!("{} games in {}", games.len(), span(started.elapsed().as_secs_f64()));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(threads: u32) -> Go5Args {
        let (model, evaluator) = (PathBuf::from(UNIFORM), "fused".to_string());
        Go5Args { model, visits: 8, rollouts: 20, seeds: 1, threads, evaluator }
    }

    #[test]
    fn every_reply_is_played_and_threads_change_nothing() {
        let setup = SETUP.parse().unwrap();
        let models = Models::new(None, "fused", 0);
        let all: Vec<Vec<Played>> = [1, 3]
            .map(|threads| {
                let series = Series::open(&setup, &models, UNIFORM, &args(threads)).unwrap();
                assert_eq!(series.replies.len(), 25);
                let mut calls = 0;
                let games = series.play(threads, &mut |seen| {
                    calls += 1;
                    assert_eq!(seen.len(), calls);
                });
                games.unwrap()
            })
            .into();
        assert_eq!(all[0], all[1]);
        assert_eq!(all[0].iter().map(|g| g.reply).collect::<Vec<_>>(), (0..25).collect::<Vec<_>>());
        // Without a network Black can't take the whole board every time, and White's playouts see that.
        assert!(all[0].iter().any(|g| !g.won));
    }

    #[test]
    fn the_report_names_opening_and_failing_replies() {
        let setup: SeatedSetup<tengen_go::GoBoard> = SETUP.parse().unwrap();
        let models = Models::new(None, "fused", 0);
        let mut series = Series::open(&setup, &models, UNIFORM, &args(1)).unwrap();
        let size = setup.rules().size;
        series.opening = Action::point(size.centre().unwrap());
        assert_eq!(series.opening_text(), "opens at C3 (column 3 from the left, row 3 from the bottom): the centre");
        series.opening = Action::point(size.point(0, 1));
        assert_eq!(
            series.opening_text(),
            "opens at A4 (column 1 from the left, row 4 from the bottom): not the centre"
        );
        series.opening = Action::PASS;
        assert_eq!(series.opening_text(), "opens with pass, not at the centre");
        series.replies = vec![Action::point(size.point(0, 0)), Action::PASS];
        series.seeds = 2;
        let game = |reply, won| Played { reply, won };
        let text = series.result_text(&[game(0, true), game(0, true), game(1, false), game(1, true)]);
        assert_eq!(
            text,
            "Black won 3 of 4 games against rollouts:20\nfailing replies, with games not won: pass (1 of 2)"
        );
        assert!(series.result_text(&[game(0, true)]).ends_with("none"));
    }

    #[test]
    fn bad_figures_are_named() {
        for (bad, what) in [
            (Go5Args { visits: 0, ..args(1) }, "--visits"),
            (Go5Args { rollouts: 0, ..args(1) }, "--rollouts 0"),
            (Go5Args { seeds: 0, ..args(1) }, "--seeds 0"),
            (args(0), "--threads 0"),
        ] {
            let error = bad.check().unwrap_err().to_string();
            assert!(error.starts_with(what), "{error}");
        }
        args(1).check().unwrap();
    }

    #[test]
    fn a_run_directory_stands_for_its_promoted_model() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(model_of(Path::new("some/model")).unwrap(), "some/model");
        let run = tengen_data::RunDir::create(dir.path()).unwrap();
        assert!(model_of(dir.path()).unwrap_err().to_string().contains("nothing is promoted"));
        std::fs::create_dir(run.models().join("s1")).unwrap();
        run.promote("s1", serde_json::json!("test")).unwrap();
        assert!(model_of(dir.path()).unwrap().ends_with("models/s1"));
    }
}
