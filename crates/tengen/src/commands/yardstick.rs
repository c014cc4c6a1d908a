//! `yardstick`: how often a model's choice keeps the value on solved positions of (6, 6, 4) freestyle. The file's rows:
//! number of stones, board (row by row, `x` the side to move, `o` the other), per cell the exact result for the mover if
//! he plays there (W, D, L, `-` occupied), value of the position (1, 0, -1). Not here: solving.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tengen_game::{Action, Colour, Game, PointSet, Size};
use tengen_opening::{Opening, Seated, SeatedSetup};
use tengen_renju::{FiveBoard, FiveRules, Win};
use tengen_search::{
    Evaluation, Evaluator, EvaluatorSource, Limits, ProofConfig, Query, Rule, Search, SearchConfig, search_all,
};

use super::bad;
use crate::models::Models;

/// What to score.
#[derive(Args, Debug)]
pub struct YardstickArgs {
    /// Model directories
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// File of solved positions
    #[arg(long)]
    positions: PathBuf,
    /// Simulations (PUCT without noise) for the second figure; 0 leaves it out
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// `fused` (CPU) or a Burn device
    #[arg(long, default_value = "fused")]
    evaluator: String,
}

/// One solved position.
struct Solved {
    game: Seated<FiveBoard>,
    keeps: Vec<bool>,
}

/// Shares of value-keeping choices.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// By the raw policy.
    pub raw: f64,
    /// With search, where it was asked for.
    pub searched: Option<f64>,
}

fn read(path: &Path) -> Result<Vec<Solved>> {
    let text = std::fs::read_to_string(path).map_err(|e| bad(format!("{}: {e}", path.display())))?;
    let side = 6;
    let size = Size::square(side).ok_or_else(|| bad("no board"))?;
    let rules = FiveRules::new(size, Win::Freestyle { length: 4 })?;
    let setup = SeatedSetup::new(rules, Opening::NONE)?;
    let mut out = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let fault = |why: &str| bad(format!("{}, line {}: {why}", path.display(), n + 1));
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[stones, board, results, value] = words.as_slice() else {
            return Err(fault("expected 4 words: stones, board, results, value"));
        };
        if board.len() != side * side || results.len() != side * side {
            return Err(fault("expected 36 cells in board and results"));
        }
        let stones: usize = stones.parse().map_err(|_| fault("the first word is no number"))?;
        let keep = match value {
            "1" => b'W',
            "0" => b'D',
            "-1" => b'L',
            _ => return Err(fault("the value is none of 1, 0, -1")),
        };
        let set =
            |letter: u8| -> PointSet { size.points().filter(|p| board.as_bytes()[p.index()] == letter).collect() };
        let mover = if stones % 2 == 0 { Colour::Black } else { Colour::White };
        let (own, other) = (set(b'x'), set(b'o'));
        let (black, white) = if mover == Colour::Black { (own, other) } else { (other, own) };
        let position = FiveBoard::position(&rules, &black, &white, mover).ok_or_else(|| fault("no legal position"))?;
        let game = Seated::from_board(setup.clone(), position).ok_or_else(|| fault("no position"))?;
        out.push(Solved { game, keeps: results.bytes().map(|r| r == keep).collect() });
    }
    Ok(out)
}

/// Scores one model.
fn score(solved: &[Solved], evaluator: &mut dyn Evaluator<Seated<FiveBoard>>, visits: u32) -> Result<Score> {
    let mut raw = 0;
    for s in solved {
        let mut legal = Vec::new();
        s.game.legal(&mut legal);
        let mut out = vec![Evaluation::default()];
        evaluator.evaluate(&[Query { game: &s.game, legal: &legal, slot: 0 }], &mut out)?;
        let best = legal.iter().zip(&out[0].priors).max_by(|a, b| a.1.total_cmp(b.1)).map(|(a, _)| *a);
        raw += usize::from(best.is_some_and(|a| keeps(s, a)));
    }
    let share = |n: usize| n as f64 / solved.len().max(1) as f64;
    if visits == 0 {
        return Ok(Score { raw: share(raw), searched: None });
    }
    let config = SearchConfig {
        rule: Rule::Puct,
        proof: ProofConfig { enabled: true, leaf: 0, root: 0 },
        ..SearchConfig::default()
    };
    let mut searches: Vec<Search<Seated<FiveBoard>>> = Vec::new();
    for s in solved {
        let mut search = Search::new(config.clone());
        search.begin(&s.game, Limits::playing(visits), 1);
        searches.push(search);
    }
    search_all(&mut searches, evaluator)?;
    let good = searches.iter().zip(solved).filter(|(search, s)| keeps(s, search.result().chosen)).count();
    Ok(Score { raw: share(raw), searched: Some(share(good)) })
}

fn keeps(s: &Solved, action: Action) -> bool {
    action.as_point().is_some_and(|p| s.keeps[p.index()])
}

/// Scores models and prints a line each.
pub fn run(args: &YardstickArgs) -> Result<ExitCode> {
    let solved = read(&args.positions)?;
    let models = Models::new(None, &args.evaluator, 0);
    for path in &args.models {
        let id = path.display().to_string();
        models.get(&id)?.fits::<Seated<FiveBoard>>(solved[0].game.setup()).map_err(bad)?;
        let mut evaluator = EvaluatorSource::<Seated<FiveBoard>>::open(&models, &id)?;
        let s = score(&solved, &mut *evaluator, args.visits)?;
        let searched = s.searched.map_or(String::new(), |v| format!(" searched {:.1} %", 100.0 * v));
        println!("{id}: raw {:.1} %{searched} of {} positions", 100.0 * s.raw, solved.len());
    }
    Ok(ExitCode::SUCCESS)
}
