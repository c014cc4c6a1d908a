//! Tests of the crate from outside, in one binary: shards, files, models, SGF. Not here: journals, whose test double
//! needs the inside.

// Lets the samples, written for the crate, find the records here too.
use tengen_data::record;

#[path = "../../src/samples.rs"]
mod samples;

mod models;
mod run;
mod sgf;
mod shard;
mod store;
