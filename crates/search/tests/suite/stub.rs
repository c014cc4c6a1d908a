//! An evaluator made of a closure. It counts, and refuses questions that must never be asked.

use tengen_game::{Action, Game};
use tengen_search::{EvalError, Evaluation, Evaluator, Limits, Query, Search, SearchConfig, SearchResult, Wdl};
use tengen_search::{Rule, search_blocking};

/// An evaluation without draws.
pub(crate) fn evaluation(priors: Vec<f32>, value: f32) -> Evaluation {
    Evaluation { priors, value: Wdl { win: (1.0 + value) / 2.0, draw: 0.0, loss: (1.0 - value) / 2.0 }, margin: None }
}

/// Equal priors and a value.
pub(crate) fn flat(legal: &[Action], value: f32) -> Evaluation {
    evaluation(vec![1.0 / legal.len() as f32; legal.len()], value)
}

/// The evaluator.
pub(crate) struct Stub<F> {
    pub(crate) answer: F,
    pub(crate) asked: u64,
    /// As in `ProofConfig::leaf`; none if proofs are off.
    pub(crate) proof: Option<u32>,
}

impl<F> Stub<F> {
    pub(crate) fn new(answer: F) -> Stub<F> {
        Stub {
            answer,
            asked: 0,
            proof: SearchConfig::default().proof.enabled.then_some(SearchConfig::default().proof.leaf),
        }
    }
}

impl<G: Game, F: FnMut(&G, &[Action]) -> Evaluation + Send> Evaluator<G> for Stub<F> {
    fn evaluate(&mut self, batch: &[Query<'_, G>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        for (query, out) in batch.iter().zip(out) {
            assert!(query.game.outcome().is_none(), "asked about a finished game");
            assert!(query.legal.len() > 1, "asked about a position with one action");
            if let Some(budget) = self.proof {
                use tengen_game::Proof::{Only, Win};
                let proven = query.game.proven(budget);
                assert!(!matches!(proven, Some(Win(_) | Only(_))), "asked about a decided position: {proven:?}");
            }
            let mut legal = Vec::new();
            query.game.legal(&mut legal);
            assert_eq!(legal, query.legal);
            self.asked += 1;
            *out = (self.answer)(query.game, query.legal);
        }
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        self.asked
    }

    fn model(&self) -> &str {
        "stub"
    }
}

/// A configuration with everything else at its default.
pub(crate) fn config(rule: Rule) -> SearchConfig {
    SearchConfig { rule, ..SearchConfig::default() }
}

/// One search with a fresh tree.
pub(crate) fn run<G: Game>(
    config: &SearchConfig,
    root: &G,
    limits: Limits,
    seed: u64,
    answer: impl FnMut(&G, &[Action]) -> Evaluation + Send,
) -> SearchResult {
    let mut stub = Stub::new(answer);
    let mut search = Search::new(config.clone());
    let result = search_blocking(&mut search, root, limits, seed, &mut stub).unwrap();
    assert_eq!(u64::from(result.evaluations), stub.asked, "evaluations are counted");
    check(root, &result);
    result
}

/// What every result must hold.
pub(crate) fn check<G: Game>(root: &G, result: &SearchResult) {
    assert!(root.is_legal(result.chosen), "{result:?}");
    let sum: f32 = result.policy.iter().map(|(_, p)| p).sum();
    assert!((sum - 1.0).abs() < 1e-4, "policy sums to {sum}");
    assert!(result.policy.is_sorted_by_key(|(a, _)| *a) && result.visits.is_sorted_by_key(|(a, _)| *a));
    assert!(result.policy.iter().all(|(a, p)| p.is_finite() && root.is_legal(*a)));
    assert!((-1.0..=1.0).contains(&result.root_value));
    let w = result.root_wdl;
    assert!((w.win + w.draw + w.loss - 1.0).abs() < 1e-4 && (w.value() - result.root_value).abs() < 1e-4, "{w:?}");
    assert_eq!(result.pv[0], result.chosen);
    if result.offers.is_empty() {
        let mut game = root.clone();
        for &action in &result.pv {
            assert!(game.is_legal(action), "pv {:?}", result.pv);
            game.apply(action);
        }
    }
}
