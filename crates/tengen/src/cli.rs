//! The command line: what a user types, parsed and handed to `commands`. Exit codes: 0 done, 1 failed, 2 bad usage or
//! bad input. Not here: what commands do.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::commands;
use crate::config::{Config, ConfigError, load};

#[derive(Parser, Debug)]
#[command(
    name = "tengen",
    about = "Self-play reinforcement learning for renju and Go, from rules to a gated network",
    disable_version_flag = true,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 1 failed, 2 bad usage or bad input."
)]
struct Cli {
    /// Print version, commit and devices
    #[arg(short = 'V', long)]
    version: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// A configuration: a file and overrides.
#[derive(Args, Debug, Clone)]
pub struct ConfigArgs {
    /// Configuration file; built-in defaults (the quick run) without one
    pub config: Option<PathBuf>,
    /// Override a key: --set section.key=value (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
}

impl ConfigArgs {
    /// Defaults, file, overrides, checks.
    pub fn load(&self) -> Result<Config, ConfigError> {
        load(self.config.as_deref(), &self.sets)
    }

    /// The run directory: as given, or `runs/<name of the configuration>`.
    pub fn run_dir(&self, given: Option<&PathBuf>) -> PathBuf {
        let name = self.config.as_ref().and_then(|c| c.file_stem()).map(|s| s.to_string_lossy().into_owned());
        given.cloned().unwrap_or_else(|| PathBuf::from("runs").join(name.unwrap_or_else(|| "quick".to_string())))
    }
}

/// How a model plays.
#[derive(Args, Debug, Clone)]
pub struct PlayArgs {
    /// Simulations per move
    #[arg(long, default_value_t = 200)]
    pub visits: u32,
    /// `fused` (CPU) or a Burn device
    #[arg(long, default_value = "fused")]
    pub evaluator: String,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// The whole loop: self-play, training, gate, promotion, until the budget is spent
    Run {
        #[command(flatten)]
        config: ConfigArgs,
        /// Run directory [default: runs/<config>]
        #[arg(long)]
        run: Option<PathBuf>,
        /// Start from the weights of this model directory
        #[arg(long)]
        from: Option<PathBuf>,
    },
    /// One iteration of self-play into a run directory
    Selfplay {
        /// Run directory, begun by `tengen run`
        #[arg(long)]
        run: PathBuf,
    },
    /// Train on the shards of a run directory
    Train {
        /// Run directory, begun by `tengen run`
        #[arg(long)]
        run: PathBuf,
        /// Fail at once instead of waiting for rows
        #[arg(long)]
        no_wait: bool,
    },
    /// Test the newest model of a run directory against the last good one
    Gate {
        /// Run directory, begun by `tengen run`
        #[arg(long)]
        run: PathBuf,
    },
    /// Paired games between two models
    Match(commands::matches::MatchArgs),
    /// How even openings are under opening protocols: searched values, paired playoffs, CSV, SVG
    Fairness(commands::fairness::FairnessArgs),
    /// Play against a model at the terminal
    Play(commands::play::PlayCommand),
    /// What a model, shard or run directory holds
    Inspect {
        /// Model directory, shard file or run directory
        path: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Where a run directory stands
    Status {
        /// Run directory
        run: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make, check or list configuration keys
    Config {
        #[command(subcommand)]
        command: commands::config::ConfigCommand,
    },
    /// Measure this machine: rules, features, search, network, training, shards
    Bench(commands::bench::BenchArgs),
    /// A model in the format of another runtime, checked against the model's own outputs
    Export(commands::export::ExportArgs),
    /// Go Text Protocol engine
    Gtp(commands::gtp::GtpArgs),
    /// Rules oracle: JSON lines in, JSON lines out; or one game from move text or SGF
    Rules(commands::rules::RulesArgs),
    /// Check this machine and installation
    Doctor,
    /// Score models where the truth is known
    Yardstick {
        #[command(subcommand)]
        command: commands::yardstick::YardstickCommand,
    },
}

/// Parses the command line and runs it.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    if cli.version {
        say!("{}", crate::version::long());
        return ExitCode::SUCCESS;
    }
    let Some(command) = cli.command else { return ExitCode::from(2) };
    match dispatch(command) {
        Ok(code) => code,
        Err(e) if e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("error: {}", chain(&e));
            ExitCode::from(if commands::is_input_error(&e) { 2 } else { 1 })
        }
    }
}

/// An error and its causes on one line. Many messages end with their cause's already; it isn't said twice.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run { config, run, from } => commands::run::run(&config, run.as_ref(), from.as_deref()),
        Command::Selfplay { run } => commands::run::selfplay(&run),
        Command::Train { run, no_wait } => commands::run::train(&run, no_wait),
        Command::Gate { run } => commands::run::gate(&run),
        Command::Match(args) => commands::matches::run(&args),
        Command::Fairness(args) => commands::fairness::run(&args),
        Command::Play(args) => commands::play::run(&args),
        Command::Inspect { path, json } => commands::inspect::run(&path, json),
        Command::Status { run, json } => commands::inspect::status(&run, json),
        Command::Config { command } => commands::config::run(&command),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Gtp(args) => commands::gtp::run(&args),
        Command::Rules(args) => commands::rules::run(&args),
        Command::Doctor => commands::doctor::run(),
        Command::Yardstick { command } => commands::yardstick::run(&command),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_cause_is_told_once() {
        let cause = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let text = cause.to_string();
        let error = anyhow::Error::new(cause).context(format!("a.npz: {text}")).context("round 3");
        assert_eq!(super::chain(&error), format!("round 3: a.npz: {text}"));
    }
}
