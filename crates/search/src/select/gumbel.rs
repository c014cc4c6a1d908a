//! Gumbel search (Danihelka et al. 2022): the root draws the considered actions without replacement by Gumbel noise,
//! halves them by score, and plays the winner; inside the tree visits follow the improved policy. Without noise it is
//! the deterministic mode for games that count. No Dirichlet noise, no move temperature: the Gumbel noise explores.
//!
//! At an offer root the halving stops with as many survivors as offers are due, and considers at least that many.

use rand_chacha::ChaCha8Rng;

use super::halving::Halving;
use super::improve::{Completion, cap, complete, softmax};
use super::{Select, Start, Verdict};
use crate::config::GumbelConfig;
use crate::noise;
use crate::tree::{Edge, Known, NONE, ROOT, Tree};

/// State of one search; buffers are kept.
#[derive(Clone, Debug)]
pub(crate) struct Gumbel {
    config: GumbelConfig,
    survivors: usize,
    /// Log prior per root edge.
    logits: Vec<f32>,
    /// Log prior plus noise per root edge.
    drawn: Vec<f32>,
    halving: Halving,
    scores: Vec<f32>,
}

/// Stands for the logarithm of 0.
const LOG_ZERO: f32 = -80.0;

impl Gumbel {
    pub(crate) fn new(config: &GumbelConfig) -> Gumbel {
        Gumbel {
            config: config.clone(),
            survivors: 1,
            logits: Vec::new(),
            drawn: Vec::new(),
            halving: Halving::default(),
            scores: Vec::new(),
        }
    }

    /// `base` plus sigma of the completed value, per root edge.
    fn score(config: &GumbelConfig, tree: &Tree, base: &[f32], out: &mut Vec<f32>) -> Completion {
        let completion = complete(config, tree, ROOT);
        out.clear();
        out.extend(tree.edges(ROOT).iter().zip(base).map(|(e, b)| b + completion.sigma(tree, ROOT, e.child)));
        completion
    }

    /// The edges to play, best first: alive arms by score, then others by score; proven losses last, later ones first.
    fn ranked(&self, tree: &Tree, scores: &[f32]) -> Vec<usize> {
        let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
        let mut ranked: Vec<usize> = (0..edges.len()).collect();
        let key = |i: usize| {
            let child = edges[i].child;
            let lost = tree.lost(child, seat);
            let depth = if lost { tree.node(child).depth } else { 0 };
            let alive = self.halving.alive().contains(&(i as u16)) && child != NONE;
            (lost, std::cmp::Reverse(depth), !tree.won(child, seat), !alive)
        };
        ranked.sort_by(|&a, &b| key(a).cmp(&key(b)).then(scores[b].total_cmp(&scores[a])));
        ranked.truncate(self.survivors);
        ranked
    }

    /// Whether the noise-free scores would choose the same among what was visited.
    fn is_best(&self, tree: &Tree, chosen: &[usize], scores: &[f32]) -> bool {
        let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
        let worst = chosen.iter().map(|&i| scores[i]).fold(f32::INFINITY, f32::min);
        let better = |i: usize| edges[i].child != NONE && !tree.lost(edges[i].child, seat) && scores[i] > worst;
        !(0..edges.len()).any(|i| better(i) && !chosen.contains(&i))
    }

    /// Takes proven losses out of noise-free scores; and at an offer root with enough winning classes all others (other
    /// won roots never come here).
    fn mask(tree: &Tree, completion: &Completion, scores: &mut [f32]) {
        let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
        let won = tree.node(ROOT).known == Known::Win(seat);
        let all_lost = edges.iter().all(|e| tree.lost(e.child, seat));
        for (score, edge) in scores.iter_mut().zip(edges) {
            if all_lost {
                // What the simulations thought before the proofs still says which actions resist.
                *score += completion.scale * (tree.mean(edge.child, seat) - tree.value(edge.child, seat));
            } else if tree.lost(edge.child, seat) || (won && !tree.won(edge.child, seat)) {
                *score = f32::NEG_INFINITY;
            }
        }
    }

    /// Value and draw probability of the root. At an offer root: of the worst offer, which the opponent picks.
    /// Otherwise a mean under a softer policy than the target: the target follows the largest values, errors included,
    /// so its own mean is too high, and the mean of all visits is too low.
    fn value(&self, tree: &Tree, completion: &Completion, chosen: &[usize], scores: &[f32]) -> (f32, f32) {
        let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
        let value = |child: u32| if child == NONE { completion.mixed } else { tree.value(child, seat) };
        let draw = |child: u32| if child == NONE { tree.draw(ROOT) } else { tree.draw(child) };
        if self.survivors > 1 {
            let children = chosen.iter().map(|&i| edges[i].child);
            let worst = children.min_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(NONE);
            return (value(worst), draw(worst));
        }
        let soften = 1.0 - self.config.value_share;
        let soft = |(s, e): (&f32, &Edge)| s - soften * completion.sigma(tree, ROOT, e.child);
        let mut weights: Vec<f32> = scores.iter().zip(edges).map(soft).collect();
        softmax(&mut weights);
        let mean = |f: &dyn Fn(u32) -> f32| weights.iter().zip(edges).map(|(w, e)| w * f(e.child)).sum();
        (mean(&value), mean(&draw))
    }
}

impl Select for Gumbel {
    fn begin(&mut self, tree: &mut Tree, start: Start, rng: &mut ChaCha8Rng) {
        tree.open_root();
        let edges = tree.edges(ROOT);
        self.survivors = start.survivors;
        self.logits.clear();
        self.logits.extend(edges.iter().map(|e| e.prior.ln().max(LOG_ZERO)));
        self.drawn.clear();
        let noise = start.limits.noise;
        self.drawn.extend(self.logits.iter().map(|l| l + if noise { noise::gumbel(rng) } else { 0.0 }));
        let drawn = &self.drawn;
        let mut order: Vec<u16> = (0..edges.len() as u16).collect();
        order.sort_by(|&a, &b| drawn[b as usize].total_cmp(&drawn[a as usize]));
        let considered = self.config.considered.min(start.limits.visits) as usize;
        let considered = if self.survivors > 1 { considered.max(self.survivors) } else { considered };
        self.halving.begin(order.into_iter(), considered, self.survivors, start.limits.visits);
    }

    fn root(&mut self, tree: &Tree) -> Option<usize> {
        let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
        let (config, drawn) = (&self.config, &self.drawn);
        let score = |out: &mut Vec<f32>| {
            Gumbel::score(config, tree, drawn, out);
        };
        self.halving.next(|arm| tree.lost(edges[arm].child, seat), score, &mut self.scores)
    }

    /// argmax of pi'(a) - N(a) / (1 + sum N). All unvisited actions share one value, so pi' needs only the visited
    /// ones and the mass of the rest.
    fn interior(&mut self, tree: &Tree, node: u32) -> usize {
        let (n, edges) = (tree.node(node), tree.edges(node));
        let open = n.open as usize;
        let completion = complete(&self.config, tree, node);
        let rest_sigma = completion.scale * completion.mixed;
        let (mut top, mut total, mut visited_mass) = (rest_sigma, 1, 0.0);
        self.scores.clear();
        for edge in &edges[..open] {
            visited_mass += edge.prior;
            let lost = tree.lost(edge.child, n.seat);
            let sigma = if lost { f32::NEG_INFINITY } else { completion.sigma(tree, node, edge.child) };
            total += if lost { 0 } else { tree.visits(edge.child) };
            top = top.max(sigma);
            self.scores.push(sigma);
        }
        let mut sum = (1.0 - visited_mass).max(0.0) * (rest_sigma - top).exp();
        for (score, edge) in self.scores.iter_mut().zip(edges) {
            *score = edge.prior * (*score - top).exp();
            sum += *score;
        }
        let sum = sum.max(f32::MIN_POSITIVE);
        let (mut best, mut best_score) = (usize::MAX, f32::NEG_INFINITY);
        if open < edges.len() {
            (best, best_score) = (open, edges[open].prior * (rest_sigma - top).exp() / sum);
        }
        for (i, edge) in edges[..open].iter().enumerate().filter(|(_, e)| !tree.lost(e.child, n.seat)) {
            let score = self.scores[i] / sum - tree.visits(edge.child) as f32 / total as f32;
            if score > best_score {
                (best, best_score) = (i, score);
            }
        }
        debug_assert!(best != usize::MAX, "a node whose every action is lost is proven and never entered");
        best.min(edges.len() - 1)
    }

    fn finish(&mut self, tree: &Tree, _rng: &mut ChaCha8Rng) -> Verdict {
        Gumbel::score(&self.config, tree, &self.drawn, &mut self.scores);
        let chosen = self.ranked(tree, &self.scores);
        let mut policy = Vec::new();
        let completion = Gumbel::score(&self.config, tree, &self.logits, &mut policy);
        let best = self.is_best(tree, &chosen, &policy);
        Gumbel::mask(tree, &completion, &mut policy);
        let (value, draw) = self.value(tree, &completion, &chosen, &policy);
        softmax(&mut policy);
        cap(&mut policy, self.survivors);
        Verdict { chosen, best, policy, value, draw }
    }
}
