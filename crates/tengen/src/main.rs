//! The command: parse, run, exit with 0 (done), 1 (failed) or 2 (bad usage or bad input). Nothing else lives here.

use std::process::ExitCode;

fn main() -> ExitCode {
    tengen::cli::main()
}
