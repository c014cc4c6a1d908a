//! `play`: a person at the terminal against a model, swaps, offers and declarations included. Not here: engines for
//! other programs.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tengen_game::{Action, Game, Outcome, Seat};
use tengen_search::{EvaluatorSource, Limits, Search, SearchConfig, search_blocking};

use super::bad;
use super::matches::{check_players, setup_of};
use crate::board::Drawn;
use crate::catalog::{Kind, Table};
use crate::cli::PlayArgs;
use crate::models::{Models, UNIFORM};
use crate::with_game;

/// Whom to play.
#[derive(Args, Debug)]
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
}

enum Said {
    Action(Action),
    Undo,
    Quit,
    Help,
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
        })
    }

    fn play(&mut self) -> Result<ExitCode> {
        say!("{}; model {}; you are {}", self.game.setup(), self.args.model, self.person);
        say!("moves: a point such as H8; pass, swap, keep, branch0, declare4; undo, quit, help");
        let mut lines = std::io::stdin().lock().lines();
        while self.game.outcome().is_none() {
            if self.game.to_act() != self.person {
                self.answer()?;
                continue;
            }
            self.show();
            say_part!("{}> ", self.game.describe());
            std::io::stdout().flush()?;
            let Some(line) = lines.next() else { break };
            match self.understand(&line?) {
                Ok(Said::Action(action)) => self.apply(action),
                Ok(Said::Undo) => self.undo(),
                Ok(Said::Quit) => return Ok(ExitCode::SUCCESS),
                Ok(Said::Help) => self.help(),
                Err(why) => say!("{why}"),
            }
        }
        self.show();
        match self.game.outcome() {
            Some(Outcome::Win(seat)) if seat == self.person => say!("you win"),
            Some(Outcome::Win(_)) => say!("the model wins"),
            Some(Outcome::Draw) => say!("a draw"),
            Some(Outcome::NoResult) => say!("no result"),
            None => say!("the game isn't finished"),
        }
        if let Some(margin) = self.game.margin() {
            say!("first seat ahead by {margin}");
        }
        Ok(ExitCode::SUCCESS)
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
