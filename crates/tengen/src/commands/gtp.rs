//! `gtp`: Go for other programs. Implements `engine::Session` over the rules core and a model. Not here: the protocol.
//!
//! The board takes stones of any colour in any order, as controllers send them; a search starts from whatever lies
//! there. Time becomes simulations through the measured speed of this game's own searches.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use tengen_engine::{Move, PlayError, Session};
use tengen_game::{Action, Colour, EndProtocol, Size, notation::Letters};
use tengen_go::{GoBoard, GoRules};
use tengen_opening::{Opening, Seated, SeatedSetup};
use tengen_search::{Evaluator, EvaluatorSource, Limits, Search, SearchConfig, search_blocking};

use super::bad;
use crate::catalog::Kind;
use crate::cli::PlayArgs;
use crate::models::{Models, UNIFORM};

/// Random games behind a proposal of dead stones.
const ROLLOUTS: u32 = 64;

/// What to serve.
#[derive(Args, Debug)]
pub struct GtpArgs {
    /// Model directory, or `uniform`
    #[arg(default_value = UNIFORM)]
    model: String,
    /// Rules until the controller says otherwise; by default the model's, 9x9 tromp-taylor without one
    #[arg(long)]
    setup: Option<String>,
    #[command(flatten)]
    play: PlayArgs,
}

type Game = Seated<GoBoard>;

struct Player {
    models: Models,
    model: String,
    rules: GoRules,
    board: GoBoard,
    search: Search<Game>,
    evaluator: Box<dyn Evaluator<Game>>,
    visits: u32,
    /// Seconds per simulation, a running mean.
    pace: Option<f64>,
    searches: u64,
}

/// Serves standard input until `quit` or its end.
pub fn run(args: &GtpArgs) -> Result<ExitCode> {
    Limits::playing(args.play.visits).check().map_err(|e| bad(format!("--{e}")))?;
    let models = Models::new(None, &args.play.evaluator, 65_536);
    let rules = rules(args, &models)?;
    let evaluator = EvaluatorSource::<Game>::open(&models, &args.model)?;
    let config = SearchConfig { rule: tengen_search::Rule::Puct, ..SearchConfig::default() };
    let board = GoBoard::new(&rules);
    let mut player = Player {
        models,
        model: args.model.clone(),
        rules,
        board,
        search: Search::new(config),
        evaluator,
        visits: args.play.visits,
        pace: None,
        searches: 0,
    };
    player.fit(player.board.size()).map_err(|e| bad(e.to_string()))?;
    eprintln!(
        "{} {}: {} opening={}; model {}, {} visits",
        player.name(),
        player.version(),
        player.rules,
        Opening::NONE,
        args.model,
        args.play.visits
    );
    tengen_engine::gtp::serve(&mut player, &mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// The rules asked for, or those of the model, or plain ones.
fn rules(args: &GtpArgs, models: &Models) -> Result<GoRules> {
    const PLAIN: &str = "game=go rules=tromp-taylor size=9x9 komi=7";
    if let Some(text) = &args.setup {
        return text.parse().map_err(|e| bad(format!("--setup: {e}")));
    }
    if args.model == UNIFORM {
        return PLAIN.parse().map_err(|e| bad(format!("{e}")));
    }
    let model = models.get(&args.model)?;
    let trained = model.card.setups.first().map(String::as_str).unwrap_or(PLAIN);
    if Kind::of_setup(trained)? != Kind::Go {
        return Err(bad(format!(
            "model {} was made for `{trained}`; the Go Text Protocol is for `game=go` alone",
            model.card.id
        )));
    }
    // A controller knows neither opening protocols nor games that end before the passes.
    let plain = |t: &&str| !["opening=", "early_end="].iter().any(|key| t.starts_with(key));
    let text: Vec<&str> = trained.split_whitespace().filter(plain).collect();
    text.join(" ").parse().map_err(|e| bad(format!("model {}: {e}", model.card.id)))
}

impl Player {
    /// Whether the model can play a size; a warning on standard error where it wasn't trained on it.
    fn fit(&self, size: Size) -> Result<(), PlayError> {
        if self.model == UNIFORM {
            return Ok(());
        }
        let mut rules = self.rules;
        rules.size = size;
        let setup = SeatedSetup::<GoBoard>::new(rules, Opening::NONE).map_err(|_| PlayError::Size)?;
        let model = self.models.get(&self.model).map_err(|e| PlayError::Other(e.to_string()))?;
        match model.fits::<Game>(&setup) {
            Ok(None) => Ok(()),
            Ok(Some(warning)) => {
                eprintln!("warning: {warning}");
                Ok(())
            }
            Err(why) => Err(PlayError::Other(why)),
        }
    }

    /// Simulations that fit into a time.
    fn visits_for(&self, time: Option<Duration>) -> u32 {
        match (time, self.pace) {
            (None, _) => self.visits,
            // The first search of a game measures the pace with few simulations.
            (Some(_), None) => self.visits.min(8),
            (Some(t), Some(pace)) => ((t.as_secs_f64() * 0.9 / pace.max(1e-9)) as u32).clamp(1, self.visits),
        }
    }

    fn best(&mut self, time: Option<Duration>) -> Result<Action, PlayError> {
        let other = |e: &dyn std::fmt::Display| PlayError::Other(e.to_string().replace('\n', " "));
        let setup = SeatedSetup::<GoBoard>::new(self.rules, Opening::NONE).map_err(|e| other(&e))?;
        let game = Seated::from_board(setup, self.board.clone()).ok_or(PlayError::Illegal)?;
        if tengen_game::Game::outcome(&game).is_some() {
            return Ok(Action::PASS);
        }
        let limits = Limits::playing(self.visits_for(time));
        let started = Instant::now();
        self.searches += 1;
        let result = search_blocking(&mut self.search, &game, limits, self.searches, &mut *self.evaluator)
            .map_err(|e| other(&e))?;
        if result.evaluations > 0 {
            let now = started.elapsed().as_secs_f64() / f64::from(result.simulations.max(1));
            self.pace = Some(self.pace.map_or(now, |old| old.max(now) * 0.5 + now * 0.5));
        }
        Ok(result.chosen)
    }
}

impl Session for Player {
    fn name(&self) -> String {
        "tengen".to_string()
    }

    fn version(&self) -> String {
        format!("{} {}", crate::version::short(), crate::version::git())
    }

    fn size(&self) -> Size {
        self.board.size()
    }

    fn set_size(&mut self, size: Size) -> Result<(), PlayError> {
        let mut text: tengen_game::SetupText =
            tengen_game::SetupText::parse(&self.rules.to_string()).map_err(|_| PlayError::Size)?;
        text.take("size");
        let rules = format!("{} size={size}", text.rest()).parse().map_err(|_| PlayError::Size)?;
        self.fit(size)?;
        self.rules = rules;
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.board = GoBoard::new(&self.rules);
        self.search.reset();
        self.pace = None;
    }

    fn set_komi(&mut self, komi: f32) -> Result<(), PlayError> {
        self.rules.set_komi(komi).map_err(|_| PlayError::Komi)?;
        self.board.set_komi(komi).map_err(|_| PlayError::Komi)
    }

    fn play(&mut self, colour: Colour, action: Move) -> Result<(), PlayError> {
        let action = match action {
            Move::Stone(p) => Action::point(p),
            Move::Pass => Action::PASS,
            Move::Resign => return Ok(()),
        };
        self.board.play_any(colour, action).map_err(|_| PlayError::Illegal)
    }

    fn generate(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError> {
        if self.board.to_play() != colour {
            self.board.set_to_play(colour);
        }
        let action = self.best(time)?;
        self.board.play_any(colour, action).map_err(|_| PlayError::Illegal)?;
        Ok(action.as_point().map_or(Move::Pass, Move::Stone))
    }

    fn undo(&mut self) -> bool {
        if self.board.moves() == 0 {
            return false;
        }
        self.board.undo();
        true
    }

    fn final_score(&self) -> Result<String, PlayError> {
        // Where people would agree on dead stones, roll-outs propose them; elsewhere what stands on the board lives.
        let agreed = || {
            let dead = self.board.suggest_dead(ROLLOUTS);
            self.board.count(&dead, &self.board.suggest_seki(&dead)).ok().map(|count| count.margin())
        };
        let by_agreement = self.rules.finish == EndProtocol::Agreement;
        let counted = || self.board.score().margin(self.rules.komi + self.board.white_bonus());
        let margin = by_agreement.then(agreed).flatten().or_else(|| self.board.final_margin()).unwrap_or_else(counted);
        Ok(match margin {
            m if m > 0.0 => format!("B+{m}"),
            m if m < 0.0 => format!("W+{}", -m),
            _ => "0".to_string(),
        })
    }

    fn show(&self) -> String {
        crate::board::draw(
            self.board.size(),
            Letters::WithoutI,
            &|p| self.board.stone(p),
            &tengen_game::PointSet::EMPTY,
            self.board.move_back(0).and_then(|(_, a)| a.as_point()),
        ) + &format!("\n{} to play, {}", self.board.to_play(), self.rules)
    }

    fn moves(&self) -> usize {
        self.board.moves()
    }
}
