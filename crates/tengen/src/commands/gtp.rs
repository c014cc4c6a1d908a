//! `gtp`: Go for other programs. Implements `engine::Session` over the rules core and a model. Not here: the protocol.
//!
//! The board takes stones of any colour in any order, as controllers send them; a search starts from whatever lies
//! there. Time becomes simulations through the measured speed of this game's own searches.
//!
//! The komi is set on its own, as with KataGo: other rules leave it as it is. They leave the game as it is too, or are
//! refused where its moves would be illegal.
//!
//! Where the rules let people settle the end, stones after two passes are a resumption: play goes on as if it hadn't
//! stopped, instead of in the clean-up phases of automatic games. `final_score` and `final_status_list` come from one
//! `Standing`; which convention that is, agreed dead stones or the rules alone, is told on standard error.

mod analysis;
mod position;
mod record;
pub(crate) mod words;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use tengen_data::sgf::write_sgf_file;
use tengen_engine::{Move, PlayError, Session, Status, Watcher};
use tengen_game::{Action, Colour, Point, PointSet, SetupError, Size, notation::Letters};
use tengen_go::{GoBoard, GoRules, Standing, fixed_handicap, spread_handicap};
use tengen_opening::{Opening, Seated, SeatedSetup};
use tengen_search::{Evaluator, EvaluatorSource, Limits, Search, SearchConfig};

use super::bad;
use analysis::{Unwatched, move_of, open_game};
use position::Position;
use words::{plain_rules, rules_of_words, rules_with};

use crate::board::Drawn;
use crate::catalog::Kind;
use crate::cli::PlayArgs;
use crate::models::{Models, UNIFORM};
use crate::rules::go::DEAD_PLAYOUTS;

const LETTERS: Letters = Letters::WithoutI;

const COMMANDS: &str = "\
`list_commands` tells what there is. Besides GTP's own:
  kata-set-rules R, kata-set-rule KEY VALUE, kata-get-rules   R: KataGo's JSON, string or preset name, a rule set of ours
                      (czech), or setup text (`rules=chinese ko=simple`); where both have a name it is KataGo's, rules=NAME ours
  kgs-rules R         chinese, japanese, new_zealand or aga
  kgs-time_settings, kgs-genmove_cleanup
  lz-analyze [COLOUR] [CENTISECONDS], kata-analyze; lz-genmove_analyze, kata-genmove_analyze
                      what the search finds while it runs, until the next line of input
  loadsgf FILE [N]    the main line of a game of Go, up to before move N
  printsgf [FILE]
Rules may change within a game whose moves they allow; size, komi and handicap stay as they are.";

/// What to serve.
#[derive(Args, Debug)]
#[command(after_help = COMMANDS)]
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
    /// Of an empty board; those of the game, its board's, may have a handicap besides.
    rules: GoRules,
    position: Position,
    /// Whether the controller has set the komi; else it is the rule set's, which may depend on the handicap.
    komi_set: bool,
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
    let mut player = Player {
        models,
        model: args.model.clone(),
        rules,
        position: Position::new(&rules),
        komi_set: false,
        search: Search::new(config),
        evaluator,
        visits: args.play.visits,
        pace: None,
        searches: 0,
    };
    player.fit(&rules).map_err(|e| bad(e.to_string()))?;
    eprintln!(
        "{} {}: {} opening={}; model {}, {} visits",
        player.name(),
        player.version(),
        player.rules,
        Opening::NONE,
        args.model,
        args.play.visits
    );
    let input = std::io::BufReader::new(std::io::stdin());
    tengen_engine::gtp::serve(&mut player, input, &mut std::io::stdout().lock())?;
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
    plain_rules(trained).map_err(|e| bad(format!("model {}: {e}", model.card.id)))
}

impl Player {
    /// Whether the model can play such games; a warning on standard error where it wasn't trained on them.
    fn fit(&self, rules: &GoRules) -> Result<(), PlayError> {
        if self.model == UNIFORM {
            return Ok(());
        }
        let setup = SeatedSetup::<GoBoard>::new(*rules, Opening::NONE).map_err(|_| PlayError::Size)?;
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

    /// Best move of the colour to play on a board.
    fn best(&mut self, board: &GoBoard, time: Option<Duration>) -> Result<Action, PlayError> {
        self.best_watched(board, time, &mut Unwatched)
    }

    /// As `best`, with reports.
    fn best_watched(
        &mut self,
        board: &GoBoard,
        time: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Action, PlayError> {
        let Some(game) = open_game(board)? else { return Ok(Action::PASS) };
        let limits = Limits::playing(self.visits_for(time));
        let started = Instant::now();
        let result = self.searched(&game, limits, watcher)?;
        let result = result.ok_or_else(|| PlayError::Other("the search was stopped".to_string()))?;
        if result.evaluations > 0 {
            let now = started.elapsed().as_secs_f64() / f64::from(result.simulations.max(1));
            self.pace = Some(self.pace.map_or(now, |old| old.max(now) * 0.5 + now * 0.5));
        }
        Ok(result.chosen)
    }

    fn put(&mut self, colour: Colour, action: Action) -> Result<(), PlayError> {
        self.position.put(colour, action).map_err(|_| PlayError::Illegal)
    }

    /// The game goes on under other rules, with size, komi and handicap as they are.
    fn change(&mut self, rules: Result<GoRules, SetupError>) -> Result<(), PlayError> {
        let other = |why: String| PlayError::Other(why);
        let rules = rules.map_err(|e| other(e.to_string()))?;
        let GoRules { komi, handicap, .. } = *self.board().rules();
        let now = GoRules { komi, handicap, ..rules };
        self.fit(&now)?;
        let position = self.position.under(&now);
        let position = position.map_err(|why| other(format!("this game can't go on under these rules: {why}")))?;
        self.rules = GoRules { komi: self.rules.komi, handicap: self.rules.handicap, ..rules };
        self.take_up(position);
        Ok(())
    }

    fn take_up(&mut self, position: Position) {
        self.position = position;
        self.search.reset();
        self.pace = None;
    }

    fn board(&self) -> &GoBoard {
        self.position.board()
    }

    fn handicap(&mut self, points: &[Point]) -> Result<(), PlayError> {
        self.check_empty()?;
        let mut rules = self.rules;
        rules.handicap = points.iter().copied().collect();
        if rules.handicap.len() != points.len() || points.len() < 2 || points.len() >= rules.size.area() {
            return Err(PlayError::Vertices);
        }
        self.take_handicap_komi(&mut rules);
        self.take_up(Position::new(&rules));
        Ok(())
    }

    /// Where the rule set has one and nobody has set another.
    fn take_handicap_komi(&self, rules: &mut GoRules) {
        if let Some(komi) = rules.ruleset().and_then(|set| set.handicap_komi).filter(|_| !self.komi_set) {
            rules.komi = komi;
        }
    }

    fn check_empty(&self) -> Result<(), PlayError> {
        let stones = Colour::BOTH.map(|colour| self.board().stone_count(colour));
        if stones == [0, 0] { Ok(()) } else { Err(PlayError::NotEmpty) }
    }

    fn standing(&self) -> Standing {
        let standing = self.board().standing(DEAD_PLAYOUTS);
        eprintln!(
            "counted {}",
            if standing.by_agreement {
                "without the stones that look dead, as players would agree"
            } else {
                "by the rules alone, without agreement on dead stones"
            }
        );
        standing
    }

    /// The liberty of a dead chain of the opponent that takes it soonest and leaves no own stones in atari.
    fn taking(&self, board: &GoBoard, colour: Colour) -> Option<Point> {
        let dead = board.suggest_dead(DEAD_PLAYOUTS);
        let theirs = dead.iter().filter(|p| board.stone(*p) == Some(!colour));
        let safe = |p: Point| {
            let mut after = board.clone();
            after.play_any(colour, Action::point(p)).is_ok()
                && (after.liberties(p) > 1 || after.last_captured().count() > 0)
        };
        let chains = theirs.map(|p| board.liberty_set(p)).filter_map(|all| {
            let point = all.iter().find(|p| safe(*p))?;
            Some((all.len(), point))
        });
        chains.min_by_key(|(liberties, _)| *liberties).map(|(_, point)| point)
    }
}

/// The chains of a set of stones.
fn chains(board: &GoBoard, stones: &PointSet) -> Vec<Vec<Point>> {
    let mut found = Vec::new();
    for p in stones.iter() {
        if let Some((chain, _)) = board.chain(p).filter(|(chain, _)| chain.iter().next() == Some(p)) {
            found.push(chain.iter().collect());
        }
    }
    found
}

impl Session for Player {
    fn name(&self) -> String {
        "tengen".to_string()
    }

    fn version(&self) -> String {
        format!("{} {}", crate::version::short(), crate::version::git())
    }

    fn size(&self) -> Size {
        self.board().size()
    }

    fn to_play(&self) -> Colour {
        self.board().to_play()
    }

    fn set_size(&mut self, size: Size) -> Result<(), PlayError> {
        let mut text: tengen_game::SetupText =
            tengen_game::SetupText::parse(&self.rules.to_string()).map_err(|_| PlayError::Size)?;
        text.take("size");
        let rules = format!("{} size={size}", text.rest()).parse().map_err(|_| PlayError::Size)?;
        self.fit(&rules)?;
        self.rules = rules;
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.take_up(Position::new(&self.rules));
    }

    fn set_komi(&mut self, komi: f32) -> Result<(), PlayError> {
        let refused = |e: tengen_game::SetupError| PlayError::Komi(e.to_string());
        self.rules.set_komi(komi).map_err(refused)?;
        self.komi_set = true;
        self.position.set_komi(komi).map_err(refused)
    }

    fn play(&mut self, colour: Colour, action: Move) -> Result<(), PlayError> {
        let action = match action {
            Move::Stone(p) => Action::point(p),
            Move::Pass => Action::PASS,
            Move::Resign => return Ok(()),
        };
        self.put(colour, action)
    }

    fn generate(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError> {
        let action = self.best(&self.position.open_for(colour), time)?;
        self.put(colour, action)?;
        Ok(move_of(action))
    }

    fn consider(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError> {
        let action = self.best(&self.position.open_for(colour), time)?;
        Ok(move_of(action))
    }

    fn generate_watched(
        &mut self,
        colour: Colour,
        time: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Move, PlayError> {
        let action = self.best_watched(&self.position.open_for(colour), time, watcher)?;
        self.put(colour, action)?;
        Ok(move_of(action))
    }

    fn analyze(&mut self, colour: Colour, watcher: &mut dyn Watcher) -> Result<(), PlayError> {
        self.watch(&self.position.open_for(colour), watcher)
    }

    fn clean_up(&mut self, colour: Colour, time: Option<Duration>) -> Result<Move, PlayError> {
        let board = self.position.open_for(colour);
        let mut action = self.best(&board, time)?;
        if let Some(p) = self.taking(&board, colour).filter(|_| action == Action::PASS) {
            action = Action::point(p);
        }
        self.put(colour, action)?;
        Ok(move_of(action))
    }

    fn fixed_handicap(&mut self, stones: usize) -> Result<Vec<Point>, PlayError> {
        self.check_empty()?;
        let points = fixed_handicap(self.rules.size, stones).ok_or(PlayError::Stones)?;
        self.handicap(&points)?;
        Ok(points)
    }

    fn free_handicap(&mut self, stones: usize) -> Result<Vec<Point>, PlayError> {
        self.check_empty()?;
        if stones < 2 || stones >= self.rules.size.area() {
            return Err(PlayError::Stones);
        }
        let points = spread_handicap(self.rules.size, stones);
        self.handicap(&points)?;
        Ok(points)
    }

    fn set_handicap(&mut self, points: &[Point]) -> Result<(), PlayError> {
        self.handicap(points)
    }

    fn undo(&mut self) -> bool {
        self.position.undo()
    }

    fn final_score(&self) -> Result<String, PlayError> {
        let text = self.standing().text();
        text.ok_or_else(|| {
            PlayError::Other("cannot score: a long cycle has ended the game without a result".to_string())
        })
    }

    fn final_status(&self, status: Status) -> Result<Vec<Vec<Point>>, PlayError> {
        let standing = self.standing();
        let stones: PointSet = self.board().size().points().filter(|p| self.board().stone(*p).is_some()).collect();
        // A stone of a group names it as being in seki.
        let seki =
            chains(self.board(), &stones).into_iter().filter(|chain| chain.iter().any(|p| standing.seki.contains(*p)));
        let seki: PointSet = seki.flatten().filter(|p| !standing.dead.contains(*p)).collect();
        let wanted = match status {
            Status::Dead => standing.dead,
            Status::Seki => seki,
            Status::Alive => stones.minus(&standing.dead).minus(&seki),
        };
        Ok(chains(self.board(), &wanted))
    }

    fn rules(&self) -> Result<String, PlayError> {
        let fields = self.board().rules().to_katago_json(false);
        Ok(fields.map_err(|e| PlayError::Other(e.to_string()))?.to_string())
    }

    fn set_rules(&mut self, text: &str) -> Result<(), PlayError> {
        self.change(rules_of_words(text, self.rules.size))
    }

    fn set_rule(&mut self, key: &str, value: &str) -> Result<(), PlayError> {
        self.change(rules_with(&self.rules, key, value))
    }

    fn load(&mut self, path: &Path, before: Option<usize>) -> Result<(), PlayError> {
        let cannot = |why: String| PlayError::Other(format!("cannot load file: {why}"));
        let in_file = |why: String| cannot(format!("{}: {why}", path.display()));
        let game = record::read(path).map_err(cannot)?;
        let (mut rules, komi_said) = record::rules(&game, &self.rules).map_err(in_file)?;
        let plain = GoRules { handicap: PointSet::EMPTY, ..rules };
        if !(komi_said || rules.handicap.is_empty()) {
            self.take_handicap_komi(&mut rules);
        }
        let position = record::position(&game, &rules, before).map_err(in_file)?;
        self.fit(&rules)?;
        self.rules = plain;
        self.komi_set |= komi_said;
        self.take_up(position);
        Ok(())
    }

    fn record(&self) -> String {
        record::sgf_of(&self.position).to_sgf()
    }

    fn save(&self, path: &Path) -> Result<(), PlayError> {
        write_sgf_file(path, &[record::sgf_of(&self.position)]).map_err(|e| PlayError::Other(e.to_string()))
    }

    fn show(&self) -> String {
        let last = self.board().move_back(0).and_then(|(_, a)| a.as_point());
        Drawn::new(self.board().size(), LETTERS, &|p| self.board().stone(p), last).text()
            + &format!("\n{} to play, {}", self.board().to_play(), self.board().rules())
    }

    fn moves(&self) -> usize {
        self.board().moves()
    }
}
