//! `yardstick`: how good a model is where the truth is known: solved positions of four in a row, and 5x5 Go, whose value
//! is proven. One file each; `positions` reads the former's file, `curve` draws it. Not here: training.

mod curve;
mod four;
mod go5;
mod positions;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use tengen_data::RunDir;

/// What to measure.
#[derive(Subcommand, Debug)]
pub enum YardstickCommand {
    /// How often a model keeps the value of solved 6x6 four-in-a-row positions
    Four(four::FourArgs),
    /// 5x5 Go: does Black win by the whole board, as it must, against every reply
    Go5(go5::Go5Args),
}

/// Measures and prints.
pub fn run(command: &YardstickCommand) -> Result<ExitCode> {
    match command {
        YardstickCommand::Four(args) => four::run(args),
        YardstickCommand::Go5(args) => go5::run(args),
    }
}

/// The run directory at a path, if it is one.
fn run_dir(path: &Path) -> Option<RunDir> {
    let run = RunDir::at(path);
    run.models().is_dir().then_some(run)
}
