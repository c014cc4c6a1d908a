//! `play`: a person at the terminal against a model, swaps, offers and declarations included, and the settlement of an end
//! that the rules leave to the players. Not here: engines for other programs, what is settled (`settling`).

use std::io::{BufRead, Lines, StdinLock, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tengen_game::{Action, BoardResult, Game, Outcome, Seat};
use tengen_search::{EvaluatorSource, Limits, Search, SearchConfig, search_blocking};

use super::bad;
use super::matches::{check_players, setup_of};
use crate::board::Drawn;
use crate::catalog::{Kind, Table};
use crate::cli::PlayArgs;
use crate::models::{Models, UNIFORM};
use crate::settling::{Heard, Settling};
use crate::with_game;

const WORDS: &str = "\
Words: a point such as H8; pass, swap, keep, branch0, declare4; undo, resign, quit, help.
Go rules with finish=agreement (japanese, chinese, aga, …) leave the end to the players: when play has stopped, the model
proposes dead stones, and `dead D4` and `seki D4` mark chains otherwise, `count` counts, `accept` ends the game if the model
accepts too (anything no worse for it), `dispute` plays on. After a second stop, chains in dispute stay as shared life.";

/// Whom to play.
#[derive(Args, Debug)]
#[command(after_help = WORDS)]
pub struct PlayCommand {
    /// Model directory, or `uniform`
    #[arg(default_value = UNIFORM)]
    model: String,
    /// Setup text; by default the model's
    #[arg(long)]
    setup: Option<String>,
    /// The person's seat: first or second
    #[arg(long, default_value = "first")]
    seat: String,
    #[command(flatten)]
    play: PlayArgs,
}

/// Plays one game.
pub fn run(args: &PlayCommand) -> Result<ExitCode> {
    let person = match args.seat.as_str() {
        "first" => Seat::First,
        "second" => Seat::Second,
        other => return Err(bad(format!("--seat {other}: expected first or second"))),
    };
    Limits::playing(args.play.visits).check().map_err(|e| bad(format!("--{e}")))?;
    let models = Models::new(None, &args.play.evaluator, 65_536);
    let setup = setup_of(&models, args.setup.as_deref(), &[&args.model])?;
    with_game!(Kind::of_setup(&setup)?, G => {
        let setup = setup.parse::<<G as Game>::Setup>()?;
        check_players::<G>(&models, &setup, &[&args.model])?;
        Sitting::<G>::new(args, &models, &setup, person)?.play()
    })
}

struct Sitting<'a, G: Table> {
    args: &'a PlayCommand,
    game: G,
    person: Seat,
    search: Search<G>,
    evaluator: Box<dyn tengen_search::Evaluator<G>>,
    plies: Vec<Seat>,
    /// Plies after which play was resumed.
    resumed: Vec<usize>,
    lines: Lines<StdinLock<'static>>,
}

enum Said {
    Action(Action),
    Undo,
    Resign,
    Quit,
    Help,
}

/// How a sitting ends.
enum End {
    /// With a result, told as the rules tell it.
    Result(Outcome, Vec<String>),
    /// The person has resigned.
    Resigned,
    /// The person has left.
    Left,
    /// Nothing more comes from the person.
    Cut,
}

impl<'a, G: Table> Sitting<'a, G> {
    fn new(args: &'a PlayCommand, models: &Models, setup: &G::Setup, person: Seat) -> Result<Self> {
        let config = SearchConfig { rule: tengen_search::Rule::Puct, ..SearchConfig::default() };
        Ok(Sitting {
            args,
            game: G::start(setup),
            person,
            search: Search::new(config),
            evaluator: models.open(&args.model)?,
            plies: Vec::new(),
            resumed: Vec::new(),
            lines: std::io::stdin().lock().lines(),
        })
    }

    fn play(&mut self) -> Result<ExitCode> {
        say!("{}; model {}; you are {}", self.game.setup(), self.args.model, self.person);
        say!("moves: a point such as H8; pass, swap, keep, branch0, declare4; undo, resign, quit, help");
        let (outcome, told) = match self.run()? {
            End::Left => return Ok(ExitCode::SUCCESS),
            End::Cut => (None, Vec::new()),
            End::Resigned => (Some(Outcome::Win(self.person.other())), vec!["you resign".to_string()]),
            End::Result(outcome, told) => (Some(outcome), told),
        };
        self.show();
        told.iter().for_each(|line| say!("{line}"));
        match outcome {
            Some(Outcome::Win(seat)) if seat == self.person => say!("you win"),
            Some(Outcome::Win(_)) => say!("the model wins"),
            Some(Outcome::Draw) => say!("a draw"),
            Some(Outcome::NoResult) => say!("no result"),
            None => say!("the game isn't finished"),
        }
        Ok(ExitCode::SUCCESS)
    }

    fn run(&mut self) -> Result<End> {
        loop {
            if let Some(settling) = self.game.settling(self.person, !self.resumed.is_empty()) {
                match self.settle(settling)? {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            }
            if let Some(outcome) = self.game.outcome() {
                let margin = self.game.margin().map(|margin| format!("first seat ahead by {margin}"));
                return Ok(End::Result(outcome, margin.into_iter().collect()));
            }
            if self.game.to_act() != self.person {
                self.answer()?;
                continue;
            }
            self.show();
            let Some(line) = self.next_line(&self.game.describe())? else { return Ok(End::Cut) };
            match self.understand(&line) {
                Ok(Said::Action(action)) => self.apply(action),
                Ok(Said::Undo) => self.undo(),
                Ok(Said::Resign) => return Ok(End::Resigned),
                Ok(Said::Quit) => return Ok(End::Left),
                Ok(Said::Help) => self.help(),
                Err(why) => say!("{why}"),
            }
        }
    }

    /// None at the end of input.
    fn next_line(&mut self, prompt: &str) -> Result<Option<String>> {
        say_part!("{prompt}> ");
        std::io::stdout().flush()?;
        Ok(self.lines.next().transpose()?)
    }

    /// None where play goes on or a move was taken back.
    fn settle(&mut self, mut settling: Settling) -> Result<Option<End>> {
        say!("{}", settling.opening());
        loop {
            let Some(line) = self.next_line("settle the end")? else { return Ok(Some(End::Cut)) };
            match settling.hear(&line) {
                Heard::Answer(text) => say!("{text}"),
                Heard::Settled(result, steps) => return Ok(Some(End::Result(self.outcome_of(result), steps))),
                Heard::Dispute => {
                    self.game.play_on(self.person);
                    self.resumed.push(self.plies.len());
                    self.search.reset();
                    say!("play goes on");
                    return Ok(None);
                }
                Heard::Other => match self.understand(&line) {
                    Ok(Said::Undo) => {
                        self.undo();
                        return Ok(None);
                    }
                    Ok(Said::Resign) => return Ok(Some(End::Resigned)),
                    Ok(Said::Quit) => return Ok(Some(End::Left)),
                    _ => say!("`{}` settles nothing; `help` lists what does", line.trim()),
                },
            }
        }
    }

    fn outcome_of(&self, result: BoardResult) -> Outcome {
        let seats = [self.person, self.person.other()];
        match result {
            BoardResult::Win(colour) => {
                let winner = seats.into_iter().find(|seat| self.game.colour_of(*seat) == colour);
                winner.map_or(Outcome::NoResult, Outcome::Win)
            }
            BoardResult::Draw => Outcome::Draw,
            BoardResult::NoResult => Outcome::NoResult,
        }
    }

    fn show(&self) {
        say!("{}", Drawn::of(&self.game).text());
        for line in self.game.history() {
            say!("  {line}");
        }
    }

    fn understand(&self, line: &str) -> Result<Said, String> {
        let word = line.trim();
        match word {
            "quit" | "q" => return Ok(Said::Quit),
            "undo" | "u" => return Ok(Said::Undo),
            "resign" => return Ok(Said::Resign),
            "help" | "?" | "" => return Ok(Said::Help),
            _ => {}
        }
        let action = G::KIND.letters().parse_action(self.game.size(), word);
        let action = action.ok_or_else(|| format!("`{word}` is no point or decision; `help` lists what is legal"))?;
        if self.game.is_legal(action) { Ok(Said::Action(action)) } else { Err(format!("{word} isn't legal now")) }
    }

    fn help(&self) {
        let mut legal = Vec::new();
        self.game.legal(&mut legal);
        let words: Vec<String> = legal.iter().map(|&a| G::KIND.letters().action(self.game.size(), a)).collect();
        say!("legal: {}", words.join(" "));
    }

    fn apply(&mut self, action: Action) {
        self.plies.push(self.game.to_act());
        self.game.apply(action);
        self.search.reset();
    }

    /// Back to the person's last decision.
    fn undo(&mut self) {
        while let Some(seat) = self.plies.pop() {
            self.game.undo();
            if seat == self.person {
                self.resumed.retain(|&after| after <= self.plies.len());
                self.search.reset();
                return;
            }
        }
        say!("nothing to undo");
    }

    fn answer(&mut self) -> Result<()> {
        let limits = Limits::playing(self.args.play.visits);
        let seed = self.game.plies() as u64;
        let result = search_blocking(&mut self.search, &self.game, limits, seed, &mut *self.evaluator)?;
        let actions = if result.offers.is_empty() { vec![result.chosen] } else { result.offers.clone() };
        for action in actions {
            let word = G::KIND.letters().action(self.game.size(), action);
            say!("model: {word} (value {:+.2} for it, {} simulations)", result.root_value, result.simulations);
            self.apply(action);
            if self.game.outcome().is_some() {
                break;
            }
        }
        Ok(())
    }
}
