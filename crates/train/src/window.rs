//! The replay window: which games' rows may be drawn. Shards are read once; a bad one is named once and skipped, and too
//! large a share of bad ones stops training. Not here: deleting old shards (`data` has the rule).

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tengen_data::GameRecord;
use tengen_features::{Encode, FeatureSpec, LabelConfig};

use crate::TrainError;
use crate::config::TrainConfig;
use crate::rows::{Row, rows_of};

/// Rows by game, oldest first.
#[derive(Debug, Default)]
pub struct Window {
    games: VecDeque<Vec<Row>>,
    rows: usize,
    seen: BTreeSet<PathBuf>,
    bad: Vec<String>,
    total: usize,
    counts: Vec<(PathBuf, usize)>,
}

impl Window {
    /// Rows that can be drawn now.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Rows ever added.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Shards that couldn't be used, with the reason.
    pub fn bad(&self) -> &[String] {
        &self.bad
    }

    /// Shards read, in order, with their rows.
    pub fn shards(&self) -> &[(PathBuf, usize)] {
        &self.counts
    }

    /// Reads shards that weren't seen yet, in the order given, and drops what the window no longer holds when `total`
    /// rows have been made in all (old shards may have been deleted, so the files alone don't tell).
    pub fn add_shards<G: Encode>(
        &mut self,
        paths: &[PathBuf],
        total: usize,
        spec: &FeatureSpec,
        config: &TrainConfig,
    ) -> Result<(), TrainError> {
        for path in paths {
            if !self.seen.insert(path.clone()) {
                continue;
            }
            match self.read::<G>(path, spec, config) {
                Ok(rows) => self.counts.push((path.clone(), rows)),
                Err(why) => self.bad.push(why),
            }
        }
        let (bad, all) = (self.bad.len(), self.seen.len());
        if bad as f32 > config.bad_shards_max * all as f32 {
            return Err(TrainError::BadShards { bad, all, first: self.bad[0].clone() });
        }
        self.trim(config.window(total.max(self.total)));
        Ok(())
    }

    fn read<G: Encode>(&mut self, path: &Path, spec: &FeatureSpec, config: &TrainConfig) -> Result<usize, String> {
        let records = tengen_data::read_shard(path).map_err(|e| e.to_string())?;
        // Games are independent and encoding is the costly part; collecting keeps their order.
        let games: Result<Vec<Vec<Row>>, _> =
            records.par_iter().map(|r| rows_of::<G>(r, spec, &labels(config))).collect();
        let games = games.map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(games.into_iter().map(|rows| self.push(rows)).sum())
    }

    /// Adds games that are in memory already.
    pub fn add_games<G: Encode>(
        &mut self,
        records: &[GameRecord],
        spec: &FeatureSpec,
        config: &TrainConfig,
    ) -> Result<(), TrainError> {
        for record in records {
            let rows = rows_of::<G>(record, spec, &labels(config))?;
            self.push(rows);
        }
        self.trim(config.window(self.total));
        Ok(())
    }

    fn push(&mut self, rows: Vec<Row>) -> usize {
        let n = rows.len();
        self.rows += n;
        self.total += n;
        self.games.push_back(rows);
        n
    }

    fn trim(&mut self, keep: usize) {
        while let Some(first) = self.games.front() {
            if self.rows - first.len() < keep {
                return;
            }
            self.rows -= first.len();
            self.games.pop_front();
        }
    }

    /// All rows, oldest first, for drawing.
    pub fn rows(&self) -> Vec<&Row> {
        self.games.iter().flatten().collect()
    }
}

fn labels(config: &TrainConfig) -> LabelConfig {
    LabelConfig { search_share: config.search_share, short_horizon: config.short_horizon }
}
