//! `export`: a model in the format of another runtime, compared with the model's own outputs on positions of its own
//! games before it gets its name. Not here: the formats (`tengen-export`).

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tengen_export::{ExportConfig, Format, export, report_path};
use tengen_features::{Encode, FeatureSpec, Frame};
use tengen_game::Game;
use tengen_game::testkit::TestRng;
use tengen_net::RawBatch;

use super::bad;
use crate::catalog::Kind;
use crate::models::Model;
use crate::with_game;

/// What to export.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Model directory
    model: PathBuf,
    /// `onnx` or `safetensors`
    #[arg(long)]
    to: Format,
    /// File to write [default: <model id>.<format>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Positions to compare on
    #[arg(long, default_value_t = 48)]
    positions: usize,
    /// Largest difference of any output that passes
    #[arg(long, default_value_t = ExportConfig::default().tolerance)]
    tolerance: f32,
}

/// Positions that share a batch.
const BATCH: usize = 8;
/// Longest random opening of a position.
const PLIES_MAX: usize = 60;

/// Exports and tells.
pub fn run(args: &ExportArgs) -> Result<ExitCode> {
    let config = ExportConfig { format: args.to, tolerance: args.tolerance };
    config.check().map_err(|why| bad(format!("--{why}")))?;
    if !(1..=10_000).contains(&args.positions) {
        return Err(bad(format!("--positions is {}; allowed are 1 to 10000", args.positions)));
    }
    let model = Model::read(&args.model)?;
    let name = || PathBuf::from(format!("{}.{}", model.card.id, args.to.name()));
    let path = args.out.clone().unwrap_or_else(name);
    let kind = Kind::of_setup(model.card.setups.first().map(String::as_str).unwrap_or_default())?;
    let batches = with_game!(kind, G => positions::<G>(&model, args.positions)?);
    let report = export(&model.weights, &model.card, &batches, &path, &config)?;
    say!("{}", report.text());
    say!("{} ({})", path.display(), report_path(&path).display());
    Ok(ExitCode::SUCCESS)
}

/// Positions of random games of the model's setups, as the network sees them.
fn positions<G: Encode>(model: &Model, count: usize) -> Result<Vec<RawBatch>> {
    let setups: Result<Vec<G::Setup>, _> = model.card.setups.iter().map(|s| s.parse()).collect();
    let setups = setups?;
    let mut rng = TestRng::new(model.card.seed);
    let each = count.div_ceil(setups.len().max(1));
    let mut batches = Vec::new();
    let mut left = count;
    for setup in &setups {
        let mut here = each.min(left);
        left -= here;
        while here > 0 {
            let n = here.min(BATCH);
            here -= n;
            let games: Vec<G> = (0..n).map(|_| middle::<G>(setup, &mut rng)).collect();
            batches.push(encoded(&games, &model.spec));
        }
    }
    Ok(batches)
}

/// A position somewhere in a random game.
fn middle<G: Game>(setup: &G::Setup, rng: &mut TestRng) -> G {
    let (mut game, mut legal) = (G::start(setup), Vec::new());
    for _ in 0..rng.below(PLIES_MAX) {
        game.legal(&mut legal);
        if game.outcome().is_some() || legal.is_empty() {
            break;
        }
        let action = legal[rng.below(legal.len())];
        game.apply(action);
        if game.outcome().is_some() {
            game.undo();
            break;
        }
    }
    game
}

/// Positions of one size as a batch.
fn encoded<G: Encode>(games: &[G], spec: &FeatureSpec) -> RawBatch {
    let size = games[0].size();
    let (width, height, area) = (size.width(), size.height(), size.area());
    let mut batch = RawBatch {
        n: games.len(),
        height,
        width,
        planes: vec![0.0; games.len() * spec.planes * area],
        globals: vec![0.0; games.len() * spec.globals],
        mask: vec![1.0; games.len() * area],
    };
    for (i, game) in games.iter().enumerate() {
        let planes = &mut batch.planes[i * spec.planes * area..][..spec.planes * area];
        let globals = &mut batch.globals[i * spec.globals..][..spec.globals];
        game.encode(spec, &mut Frame { width, height, planes, globals });
    }
    batch
}
