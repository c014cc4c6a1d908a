//! `fairness`: how even openings are under opening protocols, with tables, curves and boards in a directory. Not here:
//! the measuring (`tengen-fairness`).

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use tengen_data::write_atomic;
use tengen_fairness::{
    FairnessConfig, FairnessError, Judge, Phase, Question, Report, Watch, board_svg, boards_csv, columns_text,
    curves_csv, measure, openings_csv, repro_line, table_text,
};
use tengen_game::{Placement, SetupText, notation::Letters};
use tengen_opening::{CanonicalOpening, Opening, Seated, SeatedSetup};

use super::bad;
use super::matches::{check_players, is_model, setup_of};
use crate::catalog::{Kind, Table};
use crate::models::{Models, UNIFORM};
use crate::progress::Progress;
use crate::with_game;

/// Protocols asked about by default; those that don't fit the rules are left out.
const PROTOCOLS: [&str; 5] = ["rif", "swap", "yamaguchi", "soosorv-8", "taraguchi-10"];
/// Part of the time that searches may take; playoffs have the rest.
const SEARCH_SHARE: f64 = 0.6;

/// What to measure.
#[derive(Args, Debug)]
pub struct FairnessArgs {
    /// Model directory, or `uniform`
    model: String,
    /// Openings by code or name (4D, Suisei), separated by commas or spaces [default: all 26]
    #[arg(long, num_args = 1..)]
    openings: Vec<String>,
    /// Protocols, separated by spaces (or commas, where no name has one) [default: rif swap yamaguchi soosorv-8
    /// taraguchi-10]
    #[arg(long, num_args = 1..)]
    protocols: Vec<String>,
    /// Rules as a setup text; by default those of the model, or 15x15 renju. Its opening is ignored
    #[arg(long)]
    setup: Option<String>,
    /// Simulations of one search of a position
    #[arg(long, default_value_t = FairnessConfig::default().visits)]
    visits: u32,
    /// Simulations of the short search that picks the moves to look at; 0 is the network alone
    #[arg(long, default_value_t = FairnessConfig::default().visits_screen)]
    visits_screen: u32,
    /// Pairs of games in each playoff: 0 for none, else at least 20
    #[arg(long, default_value_t = FairnessConfig::default().pairs)]
    pairs: u32,
    /// Simulations per move in playoffs
    #[arg(long, default_value_t = FairnessConfig::default().visits_playoff)]
    visits_playoff: u32,
    /// Fourth moves looked at per opening
    #[arg(long, default_value_t = FairnessConfig::default().fourths)]
    fourths: u32,
    /// Fifth moves looked at per fourth move; half as many are the most offers looked at
    #[arg(long, default_value_t = FairnessConfig::default().fifths)]
    fifths: u32,
    /// Seed of searches and games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Time in minutes; what doesn't fit is reported as not measured
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Directory for tables and boards [default: runs/fairness-<model>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Threads; 0 is all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// `fused` (CPU) or a Burn device
    #[arg(long, default_value = "fused")]
    evaluator: String,
    /// Print JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// A game's board, so that a game of the catalogue says which placement it seats.
trait OnBoard {
    type Board: Placement;
}

impl<P: Placement> OnBoard for Seated<P> {
    type Board = P;
}

/// Measures and reports.
pub fn run(args: &FairnessArgs) -> Result<ExitCode> {
    if !(args.minutes > 0.0 && args.minutes <= 100_000.0) {
        return Err(bad(format!("--minutes {}: expected more than 0 and at most 100000", args.minutes)));
    }
    if args.model != UNIFORM && !is_model(&args.model) {
        return Err(bad(format!("`{}` has no values to measure by; give a model directory or `uniform`", args.model)));
    }
    let openings = openings(&args.openings)?;
    let protocols = protocols(&args.protocols)?;
    crate::stop::listen("the tables of finished parts are written, the same command starts over");
    let models = Models::new(None, &args.evaluator, 262_144);
    let setup = match (&args.setup, args.model.as_str()) {
        (None, UNIFORM) => "game=five rules=renju size=15x15".to_string(),
        (given, model) => setup_of(&models, given.as_deref(), &[model])?,
    };
    let kind = Kind::of_setup(&setup)?;
    with_game!(kind, G => study::<<G as OnBoard>::Board>(args, &models, &setup, openings, protocols, kind.letters()))
}

/// Words separated by spaces or, where they have no colon, by commas.
fn words(given: &[String]) -> Vec<&str> {
    let split = |text: &'_ String| text.contains(':');
    given
        .iter()
        .flat_map(|t| if split(t) { vec![t.as_str()] } else { t.split(',').collect() })
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .collect()
}

fn openings(given: &[String]) -> Result<Vec<CanonicalOpening>> {
    let all = CanonicalOpening::all();
    if given.is_empty() {
        return Ok(all.to_vec());
    }
    let mut found: Vec<CanonicalOpening> = Vec::new();
    for word in words(given) {
        let same = |o: &&CanonicalOpening| o.code().eq_ignore_ascii_case(word) || o.name.eq_ignore_ascii_case(word);
        let Some(opening) = all.iter().find(same) else {
            let lower = word.to_lowercase();
            let far = |name: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &lower);
            let near = all.iter().min_by_key(|o| far(&o.code()).min(far(o.name)));
            let near = near.map_or(String::new(), |o| format!("; the nearest is {o}"));
            return Err(bad(format!("--openings: `{word}` is none of the 26 (1D to 13D, 1I to 13I){near}")));
        };
        if !found.contains(opening) {
            found.push(*opening);
        }
    }
    if found.is_empty() {
        return Err(bad("--openings: none is named; leave it out for all 26"));
    }
    Ok(found)
}

fn protocols(given: &[String]) -> Result<Vec<Opening>> {
    let mut found: Vec<Opening> = Vec::new();
    for word in words(given) {
        let protocol: Opening = word.parse().map_err(|e| bad(format!("--protocols: {e}")))?;
        if !found.contains(&protocol) {
            found.push(protocol);
        }
    }
    Ok(found)
}

fn study<P: Placement>(
    args: &FairnessArgs,
    models: &Models,
    setup: &str,
    openings: Vec<CanonicalOpening>,
    mut protocols: Vec<Opening>,
    letters: Letters,
) -> Result<ExitCode>
where
    Seated<P>: Table<Setup = SeatedSetup<P>>,
{
    let mut text = SetupText::parse(setup)?;
    text.take("opening");
    let rules: P::Rules = text.rest().parse()?;
    let plain = SeatedSetup::<P>::new(rules.clone(), Opening::NONE)?;
    check_players::<Seated<P>>(models, &plain, &[&args.model])?;
    if args.protocols.is_empty() {
        let usual = PROTOCOLS.iter().filter_map(|p| p.parse::<Opening>().ok());
        protocols = usual.filter(|p| p.check(&plain.facts()).is_ok()).collect();
        if protocols.is_empty() {
            return Err(bad(format!("none of {} fits `{rules}`; give --protocols", PROTOCOLS.join(", "))));
        }
    }
    let config = settings(args);
    config.check().map_err(bad)?;
    let judge = judge(args, models)?;
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("runs").join(format!("fairness-{}", judge.model)));
    std::fs::create_dir_all(out.join("boards"))?;
    let model = args.model.clone();
    let question = Question { rules, openings, protocols, model, judge };
    let mut keep = Keep::new(out, args.minutes, letters);
    let report = match measure(models, &question, &config, &mut keep) {
        Err(FairnessError::Config(why)) => return Err(bad(why)),
        other => other?,
    };
    keep.end(&report)?;
    if args.json {
        say!("{}", serde_json::to_string(&report)?);
    } else {
        say_part!("{}", table_text(&report));
        say!("{}", repro_line(&report));
        say!("tables, curves and boards: {}", keep.out.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn settings(args: &FairnessArgs) -> FairnessConfig {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    FairnessConfig {
        visits: args.visits,
        visits_screen: args.visits_screen,
        visits_playoff: args.visits_playoff,
        fourths: args.fourths,
        fifths: args.fifths,
        pairs: args.pairs,
        seed: args.seed,
        threads: if args.threads == 0 { cores } else { args.threads } as u32,
        ..FairnessConfig::default()
    }
}

fn judge(args: &FairnessArgs, models: &Models) -> Result<Judge> {
    let command: Vec<String> = std::env::args().skip(1).map(|a| quoted(&a)).collect();
    let mut judge = Judge {
        model: args.model.clone(),
        command: format!("tengen {}", command.join(" ")),
        program: crate::version::long(),
        ..Judge::default()
    };
    if args.model != UNIFORM {
        let card = &models.get(&args.model)?.card;
        (judge.model, judge.checksum, judge.steps) = (card.id.clone(), card.weights_blake3.clone(), card.steps);
    }
    Ok(judge)
}

/// An argument as a shell reads it back.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_string();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

/// Progress, the clock, and files after every finished opening and playoff.
struct Keep {
    out: PathBuf,
    letters: Letters,
    started: Instant,
    budget: Duration,
    phase: Phase,
    bar: Option<Progress>,
    searched: u64,
    done: u64,
    label: String,
    boards: usize,
}

impl Keep {
    fn new(out: PathBuf, minutes: f64, letters: Letters) -> Keep {
        Keep {
            out,
            letters,
            started: Instant::now(),
            budget: Duration::from_secs_f64(60.0 * minutes),
            phase: Phase::Searches,
            bar: None,
            searched: 0,
            done: 0,
            label: String::new(),
            boards: 0,
        }
    }

    fn show(&mut self) {
        let rate = self.searched as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let message = format!("({rate:.0} positions/s) {}", self.label);
        if let Some(bar) = &mut self.bar {
            bar.set(self.done, &message);
        }
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        write_atomic(&self.out.join(name), text.as_bytes()).map_err(|e| e.to_string())
    }

    /// Everything, once more, at the end.
    fn end(&mut self, report: &Report) -> Result<()> {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
        self.write("columns.txt", &columns_text()).map_err(anyhow::Error::msg)?;
        tengen_data::rundir::write_json(&self.out.join("report.json"), report)?;
        Ok(())
    }
}

impl Watch for Keep {
    fn begin(&mut self, phase: Phase, total: u64) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
        self.phase = phase;
        self.done = 0;
        self.bar = Some(match phase {
            Phase::Searches => Progress::new("openings", "openings", total, 0),
            Phase::Playoffs => Progress::new("playoffs", "games", total, 0),
        });
    }

    fn searched(&mut self, positions: u64) {
        self.searched += positions;
        self.show();
    }

    fn opening(&mut self, done: u64, label: &str) {
        (self.done, self.label) = (done, label.to_string());
        self.show();
    }

    fn played(&mut self, games: u64) {
        if let Some(bar) = &mut self.bar {
            bar.set(games, "");
        }
    }

    fn save(&mut self, report: &Report) -> Result<(), String> {
        self.write("openings.csv", &openings_csv(report))?;
        self.write("table.txt", &format!("{}{}\n", table_text(report), repro_line(report)))?;
        if self.phase == Phase::Searches {
            self.write("curves.csv", &curves_csv(report))?;
            self.write("boards.csv", &boards_csv(report))?;
        }
        for board in &report.boards[self.boards.min(report.boards.len())..] {
            let name = format!("boards/{}-move{}.svg", board.opening, board.stone);
            self.write(&name, &board_svg(board, &report.judge, self.letters))?;
        }
        self.boards = report.boards.len();
        Ok(())
    }

    fn expired(&mut self) -> bool {
        let share = if self.phase == Phase::Searches { SEARCH_SHARE } else { 1.0 };
        crate::stop::asked() || self.started.elapsed() >= self.budget.mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| w.to_string()).collect()
    }

    #[test]
    fn openings_are_found_by_code_and_name() {
        let codes =
            |words: &[&str]| -> Vec<String> { openings(&strings(words)).unwrap().iter().map(|o| o.code()).collect() };
        assert_eq!(codes(&["4d,13I", "suisei", "Kagetsu"]), ["4D", "13I"]);
        assert_eq!(codes(&[]).len(), 26);
        let error = openings(&strings(&["14D"])).unwrap_err().to_string();
        assert!(error.contains("`14D` is none of the 26") && error.contains("nearest is"), "{error}");
        let error = openings(&strings(&["kagetsv"])).unwrap_err().to_string();
        assert!(error.contains("4D Kagetsu"), "{error}");
        assert!(openings(&strings(&[""])).unwrap_err().to_string().contains("none is named"));
    }

    #[test]
    fn protocols_are_split_and_checked() {
        let names = |words: &[&str]| -> Vec<String> {
            protocols(&strings(words)).unwrap().iter().map(|p| p.to_string()).collect()
        };
        assert_eq!(names(&["rif,swap", "soosorv-8", "rif"]), ["rif", "swap", "soosorv-8"]);
        let error = protocols(&strings(&["rift"])).unwrap_err().to_string();
        assert!(error.contains("rift") && error.contains("taraguchi-N"), "{error}");
    }

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(quoted("runs/a-1"), "runs/a-1");
        assert_eq!(quoted("game=five size=9x9"), "'game=five size=9x9'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
