//! Everything wired together: command line, configuration, the catalogue of games, the loop, reports.
//!
//! This is the only crate that names concrete games (`catalog`) and the only one where stages meet; they know one
//! another's files, never one another.

#![deny(clippy::print_stdout)]

#[macro_use]
pub mod out;
pub mod board;
pub mod catalog;
pub mod cli;
pub mod commands;
pub mod config;
pub mod maps;
pub mod metrics;
pub mod models;
pub mod picture;
pub mod pipeline;
pub mod progress;
pub mod report;
pub mod rules;
pub mod settling;
pub mod sgf;
pub mod stages;
pub mod stop;
pub mod version;
