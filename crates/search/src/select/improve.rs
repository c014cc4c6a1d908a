//! Completed action values and the improved policy (Danihelka et al. 2022, sections 3 and 5, appendix D).
//!
//! sigma(q) = (c_visit + most visits) * c_scale * q with q a utility in [-1, 1]. There is no rescaling by the smallest
//! and largest q of a node: at a node with two actions (swap or keep) it would turn any gap into certainty. Completion
//! of unvisited actions ignores proven children: a proven 1.0 says nothing good about its neighbours.
//! Not here: Gumbel noise and the choice of edges (`gumbel`).

use crate::config::GumbelConfig;
use crate::tree::{NONE, Tree, sign};

/// What completes the values at one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion {
    /// Utility of every unvisited action, for the seat to act.
    pub(crate) mixed: f32,
    /// Factor of sigma.
    pub(crate) scale: f32,
}

/// Reads the children of a node.
pub(crate) fn complete(config: &GumbelConfig, tree: &Tree, node: u32) -> Completion {
    let n = tree.node(node);
    let (mut most, mut visits, mut mass, mut weighted) = (0, 0, 0.0, 0.0);
    for edge in tree.edges(node)[..n.open as usize].iter().filter(|e| e.child != NONE) {
        let child = tree.node(edge.child);
        most = most.max(child.visits);
        if child.known == crate::tree::Known::No && child.visits > 0 {
            visits += child.visits;
            mass += edge.prior;
            weighted += edge.prior * tree.mean(edge.child, n.seat);
        }
    }
    // The mean under the prior of the visited, mixed with the network's own value as if that were one more visit.
    let own = n.own_value * sign(n.seat);
    let mixed = if mass > 1e-12 { (own + visits as f32 * (weighted / mass)) / (1 + visits) as f32 } else { own };
    Completion { mixed, scale: (config.c_visit + most as f32) * config.c_scale }
}

impl Completion {
    /// sigma of a child's value, or of the completed value where there is none.
    pub(crate) fn sigma(&self, tree: &Tree, node: u32, child: u32) -> f32 {
        self.scale * if child == NONE { self.mixed } else { tree.value(child, tree.node(node).seat) }
    }
}

/// Turns scores (log prior + sigma) into probabilities in place; minus infinity becomes 0. At least one is finite.
pub(crate) fn softmax(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|s| *s = (*s - top).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= sum);
}

/// Scales weights (sum 1) so that none is above 1 / `count`: the shares of a choice of `count` different arms. With
/// `count` arms or fewer all get the same.
pub(crate) fn cap(weights: &mut [f32], count: usize) {
    if count <= 1 {
        return;
    }
    let most = 1.0 / count.min(weights.len()) as f32;
    let mut full = vec![false; weights.len()];
    loop {
        let rest = 1.0 - most * full.iter().filter(|f| **f).count() as f32;
        let sum: f32 = weights.iter().zip(&full).filter(|(_, f)| !**f).map(|(w, _)| *w).sum();
        let open = full.iter().filter(|f| !**f).count();
        if open == 0 || rest <= 1e-6 {
            break;
        }
        let mut again = false;
        for (w, f) in weights.iter_mut().zip(&mut full).filter(|(_, f)| !**f) {
            // Weights may have rounded to 0 under a strong sigma: then what is left is shared evenly.
            *w = if sum > 1e-20 { *w * rest / sum } else { rest / open as f32 };
            if *w > most {
                (*f, again) = (true, true);
            }
        }
        if !again {
            break;
        }
        weights.iter_mut().zip(&full).filter(|(_, f)| **f).for_each(|(w, _)| *w = most);
    }
    weights.iter_mut().zip(&full).filter(|(_, f)| **f).for_each(|(w, _)| *w = most);
    let sum: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_keep_the_sum_and_the_order() {
        let mut w = [0.7, 0.2, 0.05, 0.05];
        cap(&mut w, 2);
        assert!((w[0] - 0.5).abs() < 1e-6 && (w[1] - 1.0 / 3.0).abs() < 1e-6 && (w[2] - 1.0 / 12.0).abs() < 1e-6);
        let mut w = [0.9, 0.1];
        cap(&mut w, 1);
        assert_eq!(w, [0.9, 0.1]);
        let mut w = [1.0, 0.0, 0.0];
        cap(&mut w, 5);
        assert!(w.iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-6), "{w:?}");
        let mut w = [1.0, 0.0, 0.0, 0.0];
        cap(&mut w, 2);
        assert!((w[0] - 0.5).abs() < 1e-6 && (w[3] - 1.0 / 6.0).abs() < 1e-6, "{w:?}");
    }
}
