//! Drives searches with an evaluator: one search to its end, or many in step with one leaf each per batch. This is the
//! door where evaluations are checked. Not here: threads, games in play (`selfplay` and `arena` own those).

use tengen_game::Game;

use crate::config::Limits;
use crate::evaluator::{EvalError, Evaluation, Evaluator, Query};
use crate::result::SearchResult;
use crate::search::{Search, Step};

/// Evaluates a batch and settles the answers; `out` gets one evaluation per query. Returns how many had no prior mass
/// on legal actions and were made uniform, so that the caller can warn.
pub fn ask<G: Game>(
    evaluator: &mut dyn Evaluator<G>,
    batch: &[Query<'_, G>],
    out: &mut Vec<Evaluation>,
) -> Result<usize, EvalError> {
    out.resize_with(batch.len(), Evaluation::default);
    evaluator.evaluate(batch, out)?;
    settle(evaluator, batch, out)
}

/// The first half of `ask`: sends a batch off in a free lane. The same positions must be given to `ask_finish`, with
/// `out` untouched in between.
pub fn ask_begin<G: Game>(
    evaluator: &mut dyn Evaluator<G>,
    lane: usize,
    batch: &[Query<'_, G>],
    out: &mut Vec<Evaluation>,
) -> Result<(), EvalError> {
    out.resize_with(batch.len(), Evaluation::default);
    evaluator.begin(lane, batch, out)
}

/// The second half: waits for the answers and settles them. Returns as `ask`.
pub fn ask_finish<G: Game>(
    evaluator: &mut dyn Evaluator<G>,
    lane: usize,
    batch: &[Query<'_, G>],
    out: &mut [Evaluation],
) -> Result<usize, EvalError> {
    evaluator.finish(lane, batch, out)?;
    settle(evaluator, batch, out)
}

fn settle<G: Game>(
    evaluator: &dyn Evaluator<G>,
    batch: &[Query<'_, G>],
    out: &mut [Evaluation],
) -> Result<usize, EvalError> {
    let mut massless = 0;
    for (query, answer) in batch.iter().zip(out) {
        if answer.priors.len() != query.legal.len() {
            let why = format!("{} priors for {} legal actions", answer.priors.len(), query.legal.len());
            return Err(EvalError::Failed { model: evaluator.model().to_string(), why });
        }
        massless += usize::from(answer.settle(evaluator.model(), query.game)?);
    }
    Ok(massless)
}

/// Runs searches that have begun to their ends, in step: each batch has one leaf of every search that needs one, with
/// the search's index as slot. Returns as `ask`.
pub fn search_all<G: Game>(searches: &mut [Search<G>], evaluator: &mut dyn Evaluator<G>) -> Result<usize, EvalError> {
    let (mut waiting, mut answers, mut massless) = (Vec::new(), Vec::new(), 0);
    loop {
        waiting.clear();
        waiting.extend(searches.iter_mut().enumerate().filter_map(|(i, s)| (s.step() == Step::Leaf).then_some(i)));
        if waiting.is_empty() {
            return Ok(massless);
        }
        let query = |&slot: &usize| {
            let (game, legal) = searches[slot].leaf();
            Query { game, legal, slot }
        };
        let batch: Vec<Query<'_, G>> = waiting.iter().map(query).collect();
        massless += ask(evaluator, &batch, &mut answers)?;
        for (&slot, answer) in waiting.iter().zip(&answers) {
            searches[slot].answer(answer);
        }
    }
}

/// One search from beginning to end, asking about one position at a time. `root` must not be over.
pub fn search_blocking<G: Game>(
    search: &mut Search<G>,
    root: &G,
    limits: Limits,
    seed: u64,
    evaluator: &mut dyn Evaluator<G>,
) -> Result<SearchResult, EvalError> {
    search.begin(root, limits, seed);
    search_all(std::slice::from_mut(search), evaluator)?;
    Ok(search.result())
}
