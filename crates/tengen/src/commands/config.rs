//! `config init|check|list`. Not here: keys and their meaning (`config::keys`).

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::cli::ConfigArgs;
use crate::config::{Config, keys::KEYS};

/// Subcommands.
#[derive(Subcommand, Debug)]
pub enum ConfigCommand {
    /// Print a complete configuration with a comment for every key
    Init,
    /// Check a configuration; says `ok` and what is played when it's right
    Check {
        /// What to check
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// List every key with default, allowed values and meaning
    List {
        /// Show the values of this file instead of the defaults
        config: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs it.
pub fn run(command: &ConfigCommand) -> Result<ExitCode> {
    match command {
        ConfigCommand::Init => say_part!("{}", commented(&Config::default())),
        ConfigCommand::Check { config } => {
            let loaded = config.load()?;
            let setups = loaded.game.setups();
            let first = setups.first().map(String::as_str).unwrap_or_default();
            match setups.len() {
                0 | 1 => say!("ok: {first}"),
                n => say!("ok: {first} (and {} more setups)", n - 1),
            }
        }
        ConfigCommand::List { config, json } => {
            let loaded = crate::config::load(config.as_deref(), &[])?;
            list(&loaded, *json);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn value_of(config: &Config, path: &str) -> String {
    let whole = toml::Value::try_from(config).ok();
    let found = whole.and_then(|w| path.split('.').try_fold(w, |v, part| v.get(part).cloned()));
    match found {
        // Numbers that came through f32 read better in their shortest form.
        Some(toml::Value::Float(f)) => {
            let short = (f as f32).to_string();
            if short.contains(['.', 'e', 'i', 'N']) { short } else { format!("{short}.0") }
        }
        Some(v) => v.to_string(),
        None => String::new(),
    }
}

/// A configuration with a comment above every key.
pub fn commented(config: &Config) -> String {
    let mut out = String::from("# A complete configuration; delete what you don't change.\n");
    let mut section = "";
    for key in KEYS {
        let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        if table != section {
            out += &format!("\n[{table}]\n");
            section = table;
        }
        out += &format!("# {} ({})\n{name} = {}\n", key.meaning, key.allowed, value_of(config, key.path));
    }
    out
}

fn list(config: &Config, json: bool) {
    if json {
        let rows: Vec<_> = KEYS
            .iter()
            .map(|k| serde_json::json!({"key": k.path, "value": value_of(config, k.path), "allowed": k.allowed, "meaning": k.meaning}))
            .collect();
        say!("{}", serde_json::Value::from(rows));
        return;
    }
    let width = KEYS.iter().map(|k| k.path.len()).max().unwrap_or(0);
    for k in KEYS {
        say!("{:width$} = {:16} {} [{}]", k.path, value_of(config, k.path), k.meaning, k.allowed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_file_reads_back_as_the_defaults() {
        let text = commented(&Config::default());
        assert_eq!(crate::config::from_text("init", &text).unwrap(), Config::default());
    }
}
