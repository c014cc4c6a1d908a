//! `match`: paired games between two players (models, `uniform`, `random`, `rollouts:N`), with the table, the JSON and
//! the SGF files. Not here: the playing (`arena`).

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tengen_arena::{MatchConfig, MatchResult, Tally, Watch, match_starts, match_text, play_match, run::MatchGames};
use tengen_data::{GameRecord, sgf::write_sgf_file};
use tengen_game::Game;
use tengen_play::{AgentConfig, StartsConfig};

use super::bad;
use crate::catalog::{Kind, Table};
use crate::models::{Models, UNIFORM};
use crate::progress::Progress;
use crate::with_game;

/// What to play.
#[derive(Args, Debug)]
pub struct MatchArgs {
    /// Player A: model directory, `uniform`, `random` or `rollouts:N`
    #[arg(long)]
    a: String,
    /// Player B, likewise
    #[arg(long)]
    b: String,
    /// Games, played in pairs from the same start with seats exchanged
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Setup text; by default that of the first model
    #[arg(long)]
    setup: Option<String>,
    /// Simulations per move of a player that searches
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// Simulations per move of player B where they differ (a handicap match); 0 is the same
    #[arg(long, default_value_t = 0)]
    visits_b: u32,
    /// Seed of starts and games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Random plies of the starts, fewest and most; 0 and 0 play from the first position
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"], default_values_t = [2, 6])]
    plies: Vec<u32>,
    /// Threads; 0 is all cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// `fused` (CPU) or a Burn device
    #[arg(long, default_value = "fused")]
    evaluator: String,
    /// Directory for SGF files and match.json
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print JSON instead of the table
    #[arg(long)]
    json: bool,
}

/// Progress, and records when they are wanted.
struct Keep {
    bar: Progress,
    records: Option<Vec<GameRecord>>,
}

impl Watch for Keep {
    fn game(&mut self, record: &GameRecord) -> Result<(), String> {
        if let Some(records) = &mut self.records {
            records.push(record.clone());
        }
        Ok(())
    }

    fn pair(&mut self, tally: &Tally) {
        self.bar.set(tally.pairs, &format!("A +{} ={} -{}", tally.wins, tally.draws, tally.losses));
    }

    fn cancelled(&mut self) -> bool {
        crate::stop::asked()
    }
}

/// Whether a player needs a model directory.
pub fn is_model(name: &str) -> bool {
    name != UNIFORM && name != "random" && !name.starts_with("rollouts:")
}

/// The setup to play: as given, or the first model's.
pub fn setup_of(models: &Models, given: Option<&str>, players: &[&str]) -> Result<String> {
    if let Some(text) = given {
        crate::catalog::check_setup(text)?;
        return Ok(text.to_string());
    }
    for player in players.iter().filter(|p| is_model(p)) {
        if let Some(setup) = models.get(player)?.card.setups.first() {
            return Ok(setup.clone());
        }
    }
    Err(bad("no model names a setup; give --setup, for example --setup \"game=go rules=tromp-taylor size=9x9 komi=7\""))
}

/// Refuses players that can't play the setup; warns about untrained sizes.
pub fn check_players<G: Table>(models: &Models, setup: &G::Setup, players: &[&str]) -> Result<()> {
    for player in players.iter().filter(|p| is_model(p)) {
        if let Some(warning) = models.get(player)?.fits::<G>(setup).map_err(bad)? {
            eprintln!("warning: {warning}");
        }
    }
    Ok(())
}

/// Plays and reports.
pub fn run(args: &MatchArgs) -> Result<ExitCode> {
    if args.games == 0 {
        return Err(bad("--games 0: expected at least 1; games are played in pairs"));
    }
    crate::stop::listen("the match is dropped");
    let models = Models::new(None, &args.evaluator, 65_536);
    let setup = setup_of(&models, args.setup.as_deref(), &[&args.a, &args.b])?;
    let result =
        with_game!(Kind::of_setup(&setup)?, G => play::<G>(args, &models, &setup.parse::<<G as Game>::Setup>()?))?;
    if args.json {
        say!("{}", serde_json::to_string(&result)?);
    } else {
        say_part!("{}", match_text(&result));
    }
    Ok(ExitCode::SUCCESS)
}

fn play<G: Table>(args: &MatchArgs, models: &Models, setup: &G::Setup) -> Result<MatchResult> {
    let players = [args.a.as_str(), args.b.as_str()];
    check_players::<G>(models, setup, &players)?;
    let threads =
        if args.threads == 0 { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { args.threads };
    let (plies_min, plies_max) = (args.plies[0], args.plies[1]);
    let config = MatchConfig {
        agent: AgentConfig::playing(args.visits),
        visits_b: args.visits_b,
        starts: StartsConfig { plies_min, plies_max, ..StartsConfig::default() },
        seed: args.seed,
        threads: threads as u32,
        ..MatchConfig::default()
    };
    config.check().map_err(bad)?;
    let pairs = args.games.div_ceil(2);
    eprintln!("{setup}; A {} B {}; {pairs} pairs, {} visits, seed {}", args.a, args.b, args.visits, args.seed);
    let starts = match_starts::<G>(models, setup, players, &config, pairs)?;
    let bar = Progress::new("match", "pairs", pairs, 0);
    let mut keep = Keep { bar, records: args.out.is_some().then(Vec::new) };
    let games = MatchGames { pairs, starts: &starts, done: Vec::new() };
    let result = play_match::<G>(models, setup, players, &config, games, &mut keep, &mut |_| false)?;
    keep.bar.finish();
    if let (Some(out), Some(mut records)) = (&args.out, keep.records) {
        std::fs::create_dir_all(out)?;
        records.sort_by_key(|r| r.index);
        for record in &records {
            let path = out.join(format!("game-{:05}.sgf", record.index));
            write_sgf_file(&path, &[crate::sgf::sgf_of::<G>(record)?])?;
        }
        tengen_data::rundir::write_json(&out.join("match.json"), &result)?;
    }
    Ok(result)
}
