//! How the tree is walked: one file per rule and one row in [`selector`]. A rule picks edges at the root and inside the
//! tree and says at the end what was learned. Not here: applying moves, evaluation, backing up (`search`).

mod gumbel;
mod halving;
mod improve;
mod puct;

use rand_chacha::ChaCha8Rng;

use crate::config::{Limits, Rule, SearchConfig};
use crate::tree::Tree;

pub(crate) use gumbel::Gumbel;

/// What a rule knows when the root has been expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) limits: Limits,
    /// Plies of the game before the root.
    pub(crate) ply: usize,
    /// How many root edges are to be chosen: 1, or the number of offers due.
    pub(crate) survivors: usize,
}

/// What a rule says at the end. Edges are indices into the root's edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    /// The chosen edges, best first; as many as survive, or all if there are fewer.
    pub(crate) chosen: Vec<usize>,
    /// Whether those are what the search thinks best, exploration left aside.
    pub(crate) best: bool,
    /// Target probability per root edge; sum 1.
    pub(crate) policy: Vec<f32>,
    /// Utility for the seat at the root.
    pub(crate) value: f32,
    /// Draw probability.
    pub(crate) draw: f32,
}

/// A selection rule. Edges proven lost for the seat to act must not be picked while others are left.
pub(crate) trait Select: Send + std::fmt::Debug {
    /// Prepares a search whose root has edges; may change root priors.
    fn begin(&mut self, tree: &mut Tree, start: Start, rng: &mut ChaCha8Rng);
    /// The root edge of the next simulation; none when the budget is spent.
    fn root(&mut self, tree: &Tree) -> Option<usize>;
    /// The edge to follow at an expanded, unproven inner node with two edges or more.
    fn interior(&mut self, tree: &Tree, node: u32) -> usize;
    /// What was learned, when no root edge is proven won.
    fn finish(&mut self, tree: &Tree, rng: &mut ChaCha8Rng) -> Verdict;
}

/// The rows.
pub(crate) fn selector(config: &SearchConfig) -> Box<dyn Select> {
    match config.rule {
        Rule::Gumbel => Box::new(Gumbel::new(&config.gumbel)),
        Rule::Puct => Box::new(puct::Puct::new(&config.puct)),
    }
}
