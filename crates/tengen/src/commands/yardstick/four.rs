//! `yardstick four`: how often a model's choice keeps the value on solved positions of (6, 6, 4) freestyle, by its raw
//! policy and with search; for single models or all models of runs, as lines, CSV or a picture. Not here: reading the
//! positions (`positions`), drawing (`curve`).

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tengen_data::{RunDir, read_metrics};
use tengen_search::{
    EvalError, Evaluator, EvaluatorSource, Limits, ProofConfig, Query, Rule, Search, SearchConfig, ask, search_all,
};

use super::positions::{Four, Solved, read, setup};
use super::{curve, run_dir};
use crate::commands::bad;
use crate::models::{Models, UNIFORM};
use crate::progress::Progress;

/// What to score.
#[derive(Args, Debug)]
pub struct FourArgs {
    /// Model directories, run directories (all their models in order), or `uniform`
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// File of solved positions, plain or gzipped
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,
    /// Simulations (PUCT without noise) for the second figure; 0 leaves it out
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// Print CSV: model,steps,games,evaluations,raw,searched (shares from 0 to 1)
    #[arg(long)]
    csv: bool,
    /// Draw the shares over network evaluations, a pair of lines for each run
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// `fused` (CPU) or a Burn device
    #[arg(long, default_value = "fused")]
    evaluator: String,
}

/// Shares of value-keeping choices, in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Score {
    /// By the raw policy; actions of equal highest probability share a position.
    pub(super) raw: f64,
    /// With search, where it was asked for.
    pub(super) searched: Option<f64>,
}

/// A model to score.
struct Candidate {
    /// Directory, or `uniform`.
    id: String,
    /// The run it belongs to, by name.
    run: String,
    /// Games and network evaluations of that run so far, where they are known.
    spent: Option<(u64, u64)>,
}

/// A scored model.
pub(super) struct Row {
    /// Directory, or `uniform`.
    pub(super) id: String,
    /// The run it belongs to, by name.
    pub(super) run: String,
    /// Training steps.
    steps: u64,
    /// Self-play games of its run so far.
    games: Option<u64>,
    /// Network evaluations of its run so far.
    pub(super) evaluations: Option<u64>,
    /// Its score.
    pub(super) score: Score,
}

impl Row {
    fn csv(&self) -> String {
        let known = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        let searched = self.score.searched.map_or(String::new(), |s| format!("{s:.4}"));
        let id = if self.id.contains([',', '"']) {
            format!("\"{}\"", self.id.replace('"', "\"\""))
        } else {
            self.id.clone()
        };
        let (games, evaluations) = (known(self.games), known(self.evaluations));
        format!("{id},{},{games},{evaluations},{:.4},{searched}", self.steps, self.score.raw)
    }

    fn line(&self, positions: usize) -> String {
        let searched = self.score.searched.map_or(String::new(), |s| format!(" searched {:.1} %", 100.0 * s));
        let spent = self.evaluations.map_or(String::new(), |n| format!(", {n} evaluations"));
        format!("{}: raw {:.1} %{searched} of {positions} positions{spent}", self.id, 100.0 * self.score.raw)
    }
}

/// Games and evaluations by model id, from a run's metrics. The first model, made before any game, has no line.
fn spent_by_model(run: &RunDir) -> Result<BTreeMap<String, (u64, u64)>> {
    if !run.metrics().exists() {
        return Ok(BTreeMap::new());
    }
    let entry = |line: &Value| {
        let (games, evaluations) = (line["run"]["games"].as_u64()?, line["run"]["evaluations"].as_u64()?);
        Some((line["model"].as_str()?.to_string(), (games, evaluations)))
    };
    Ok(read_metrics(&run.metrics())?.iter().filter_map(entry).collect())
}

/// The models that a path stands for.
fn candidates(path: &Path) -> Result<Vec<Candidate>> {
    let of_run = |run: &RunDir, ids: Vec<String>| -> Result<Vec<Candidate>> {
        let spent = spent_by_model(run)?;
        let name = run.root().display().to_string();
        let one = |id: String| Candidate {
            id: run.models().join(&id).display().to_string(),
            run: name.clone(),
            spent: spent.get(&id).copied(),
        };
        Ok(ids.into_iter().map(one).collect())
    };
    if let Some(run) = run_dir(path) {
        let ids = run.model_ids()?;
        if ids.is_empty() {
            return Err(bad(format!("{}: a run directory without models", path.display())));
        }
        return of_run(&run, ids);
    }
    // A model that lies in a run takes its figures from there.
    let home = path.parent().filter(|p| p.ends_with("models")).and_then(Path::parent).and_then(run_dir);
    if let (Some(run), Some(id)) = (home, path.file_name()) {
        return of_run(&run, vec![id.to_string_lossy().into_owned()]);
    }
    let id = path.display().to_string();
    Ok(vec![Candidate { run: id.clone(), id, spent: None }])
}

/// Scores one model. Simulations 0 leave the searched figure out.
fn score(solved: &[Solved], evaluator: &mut dyn Evaluator<Four>, visits: u32) -> Result<Score, EvalError> {
    let queries: Vec<Query<'_, Four>> =
        solved.iter().enumerate().map(|(slot, s)| Query { game: &s.game, legal: &s.legal, slot }).collect();
    let mut answers = Vec::new();
    ask(evaluator, &queries, &mut answers)?;
    let total = solved.len().max(1) as f64;
    let raw = solved.iter().zip(&answers).map(|(s, e)| kept_by_policy(s, &e.priors)).sum::<f64>() / total;
    if visits == 0 {
        return Ok(Score { raw, searched: None });
    }
    // Proofs only as far as the network's own training had them: wins in one and forced blocks.
    let config = SearchConfig {
        rule: Rule::Puct,
        proof: ProofConfig { enabled: true, leaf: 0, root: 0 },
        ..SearchConfig::default()
    };
    let begun = |s: &Solved| {
        let mut search = Search::new(config.clone());
        search.begin(&s.game, Limits::playing(visits), 1);
        search
    };
    let mut searches: Vec<Search<Four>> = solved.iter().map(begun).collect();
    search_all(&mut searches, evaluator)?;
    let good = searches.iter().zip(solved).filter(|(search, s)| s.kept_by(search.result().chosen)).count();
    Ok(Score { raw, searched: Some(good as f64 / total) })
}

/// The share of value-keeping actions among those of the highest probability: 1 or 0 unless some are equal.
fn kept_by_policy(solved: &Solved, priors: &[f32]) -> f64 {
    let highest = priors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let best = solved.legal.iter().zip(priors).filter(|(_, p)| **p == highest);
    let (kept, all) = best.fold((0, 0), |(k, n), (a, _)| (k + u32::from(solved.kept_by(*a)), n + 1));
    f64::from(kept) / f64::from(all.max(1))
}

fn score_model(models: &Models, solved: &[Solved], candidate: Candidate, visits: u32) -> Result<Row> {
    let Candidate { id, run, spent } = candidate;
    let mut steps = 0;
    let (mut games, mut evaluations) = (spent.map(|s| s.0), spent.map(|s| s.1));
    if id != UNIFORM {
        let model = models.get(&id)?;
        model.fits::<Four>(&setup()?).map_err(bad)?;
        steps = model.card.steps;
        games = games.or(Some(model.card.games));
        evaluations = evaluations.or((steps == 0).then_some(0));
    }
    let mut evaluator = EvaluatorSource::<Four>::open(models, &id)?;
    let score = score(solved, &mut *evaluator, visits)?;
    models.forget(&[]);
    Ok(Row { id, run, steps, games, evaluations, score })
}

/// Scores models, prints a line for each, and draws them if asked to.
pub(super) fn run(args: &FourArgs) -> Result<ExitCode> {
    if args.visits > 0 {
        Limits::playing(args.visits).check().map_err(|e| bad(format!("--{e}")))?;
    }
    let solved = read(&args.positions)?;
    let models = Models::new(None, &args.evaluator, 0);
    let mut all = Vec::new();
    for path in &args.models {
        all.extend(candidates(path)?);
    }
    if args.csv {
        say!("model,steps,games,evaluations,raw,searched");
    }
    // On a terminal the lines themselves show how far it is; a bar between them would only smear.
    let total = all.len() as u64;
    let mut bar = (!std::io::stdout().is_terminal()).then(|| Progress::new("yardstick four", "models", total, 0));
    let mut rows = Vec::new();
    for candidate in all {
        let row = score_model(&models, &solved, candidate, args.visits)?;
        say!("{}", if args.csv { row.csv() } else { row.line(solved.len()) });
        rows.push(row);
        if let Some(bar) = &mut bar {
            bar.set(rows.len() as u64, "");
        }
    }
    if let Some(bar) = bar {
        bar.finish();
    }
    if let Some(path) = &args.svg {
        curve::draw(path, &rows)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::positions::tests::carried;
    use super::*;
    use tengen_play::Stream;
    use tengen_search::{Evaluation, Uniform, Wdl};

    /// A row whose search adds 10 points; its model is called as its run.
    pub(in super::super) fn row(run: &str, evaluations: Option<u64>, raw: f64) -> Row {
        let score = Score { raw, searched: Some(raw + 0.1) };
        Row { id: run.to_string(), run: run.to_string(), steps: 64, games: Some(300), evaluations, score }
    }

    /// Uniformly random choices: priors drawn anew for every position.
    struct Dice(Stream);

    impl Evaluator<Four> for Dice {
        fn evaluate(&mut self, batch: &[Query<'_, Four>], out: &mut [Evaluation]) -> Result<(), EvalError> {
            for (query, answer) in batch.iter().zip(out) {
                let priors = query.legal.iter().map(|_| self.0.unit() as f32).collect();
                *answer = Evaluation { priors, value: Wdl::EVEN, margin: None };
            }
            Ok(())
        }

        fn evaluations(&self) -> u64 {
            0
        }

        fn model(&self) -> &str {
            "dice"
        }
    }

    #[test]
    fn uniformly_random_moves_keep_22_percent() {
        let solved = carried();
        assert_eq!(solved.len(), 469);
        let even = score(&solved, &mut Uniform::default(), 0).unwrap();
        assert!((even.raw - 0.22).abs() < 0.0005 && even.searched.is_none(), "{even:?}");
        let mut dice = Dice(Stream::new(3, 0));
        let rounds = 40;
        let mean = (0..rounds).map(|_| score(&solved, &mut dice, 0).unwrap().raw).sum::<f64>() / f64::from(rounds);
        // Standard error of one round is below 2 points.
        assert!((mean - 0.22).abs() < 0.01, "{mean}");
    }

    #[test]
    fn search_finds_more_than_the_policy_it_starts_from() {
        let solved: Vec<Solved> = carried().into_iter().take(60).collect();
        let score = score(&solved, &mut Uniform::default(), 200).unwrap();
        assert!(score.searched.unwrap() > score.raw + 0.1, "{score:?}");
    }

    #[test]
    fn figures_come_from_the_metrics_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::create(dir.path()).unwrap();
        for id in ["s0000000064-b", "s0000000000-a"] {
            std::fs::create_dir(run.models().join(id)).unwrap();
        }
        let line = r#"{"iteration":1,"model":"s0000000064-b","run":{"games":300,"evaluations":34492}}"#;
        std::fs::write(run.metrics(), format!("{line}\n")).unwrap();
        let found = candidates(dir.path()).unwrap();
        assert_eq!(found.iter().map(|c| c.spent).collect::<Vec<_>>(), [None, Some((300, 34492))]);
        let alone = candidates(&run.models().join("s0000000064-b")).unwrap();
        assert_eq!(alone[0].spent, Some((300, 34492)));
        let row = row("a,b", None, 0.51234);
        assert_eq!(row.csv(), "\"a,b\",64,300,,0.5123,0.6123");
    }
}
