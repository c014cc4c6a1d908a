//! PUCT (Silver et al. 2018): argmax of Q + c(N) * P * sqrt(N) / (1 + n), with KataGo's logarithmic growth of c and its
//! first-play urgency; Dirichlet noise and root temperature at the root; visit counts as policy target.
//! Not here: forced playouts, dynamic c, uncertainty weights.

use rand_chacha::ChaCha8Rng;

use super::{Select, Start, Verdict};
use crate::choose;
use crate::config::PuctConfig;
use crate::noise;
use crate::tree::{NONE, ROOT, Tree};

/// State of one search.
#[derive(Clone, Debug)]
pub(crate) struct Puct {
    config: PuctConfig,
    /// Visits still to make.
    left: u32,
    fpu_root: f32,
    temperature: f32,
    noise: Vec<f32>,
}

impl Puct {
    pub(crate) fn new(config: &PuctConfig) -> Puct {
        Puct { config: config.clone(), left: 0, fpu_root: 0.0, temperature: 0.0, noise: Vec::new() }
    }

    /// The edge with the largest score; ties go to the earlier one.
    fn pick(&self, tree: &Tree, node: u32, fpu_reduction: f32) -> usize {
        let (n, edges) = (tree.node(node), tree.edges(node));
        let open = n.open as usize;
        let (mut total, mut mass) = (0, 0.0);
        for edge in &edges[..open] {
            total += tree.node(edge.child).visits;
            mass += edge.prior;
        }
        let c = self.config.cpuct + self.config.cpuct_log * (total as f32 / self.config.cpuct_base).ln_1p();
        // A little above 0, so that the first pick follows the prior.
        let explore = c * (total as f32 + 0.01).sqrt();
        let unvisited = (tree.mean(node, n.seat) - fpu_reduction * mass.sqrt()).max(-1.0);
        let (mut best, mut best_score) = (usize::MAX, f32::NEG_INFINITY);
        for (i, edge) in edges[..edges.len().min(open + 1)].iter().enumerate() {
            if tree.lost(edge.child, n.seat) {
                continue;
            }
            let (q, visits) = match edge.child {
                NONE => (unvisited, 0),
                child => (tree.value(child, n.seat), tree.node(child).visits),
            };
            let score = q + explore * edge.prior / (1 + visits) as f32;
            if score > best_score {
                (best, best_score) = (i, score);
            }
        }
        best
    }

    fn add_noise(&mut self, tree: &mut Tree, rng: &mut ChaCha8Rng) {
        let edges = tree.edges_mut(ROOT);
        let power = 1.0 / self.config.root_temperature;
        edges.iter_mut().for_each(|e| e.prior = e.prior.powf(power));
        let sum: f32 = edges.iter().map(|e| e.prior).sum();
        noise::dirichlet(edges.len(), self.config.noise_alpha, rng, &mut self.noise);
        let weight = self.config.noise_weight;
        for (edge, noise) in edges.iter_mut().zip(&self.noise) {
            edge.prior = (1.0 - weight) * edge.prior / sum + weight * noise;
        }
        tree.bring_best(ROOT);
    }
}

impl Select for Puct {
    fn begin(&mut self, tree: &mut Tree, start: Start, rng: &mut ChaCha8Rng) {
        let kept: u32 = tree.edges(ROOT).iter().map(|e| tree.visits(e.child)).sum();
        self.left = start.limits.visits.saturating_sub(kept);
        self.fpu_root = self.config.fpu_reduction;
        if start.limits.noise {
            self.fpu_root = self.config.fpu_reduction_root;
            self.add_noise(tree, rng);
        }
        let early = start.limits.temperature && start.ply < self.config.temperature_plies as usize;
        self.temperature = if early { self.config.temperature } else { 0.0 };
    }

    fn root(&mut self, tree: &Tree) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let edge = self.pick(tree, ROOT, self.fpu_root);
        (edge != usize::MAX).then_some(edge)
    }

    fn interior(&mut self, tree: &Tree, node: u32) -> usize {
        let edge = self.pick(tree, node, self.config.fpu_reduction);
        debug_assert!(edge != usize::MAX, "a node whose every action is lost is proven and never entered");
        edge.min(tree.edges(node).len() - 1)
    }

    fn finish(&mut self, tree: &Tree, rng: &mut ChaCha8Rng) -> Verdict {
        let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
        let all_lost = edges.iter().all(|e| tree.lost(e.child, seat));
        let mut policy: Vec<f32> = edges
            .iter()
            .map(|e| if tree.lost(e.child, seat) && !all_lost { 0.0 } else { tree.visits(e.child) as f32 })
            .collect();
        let sum: f32 = policy.iter().sum();
        if sum == 0.0 {
            // Every visit went to actions that proved lost: what the network says of the others is all there is.
            let free = edges.iter().map(|e| if tree.lost(e.child, seat) { 0.0 } else { e.prior });
            policy = free.collect();
        }
        let sum: f32 = policy.iter().sum();
        let open = edges.iter().filter(|e| !tree.lost(e.child, seat)).count().max(1);
        for (weight, edge) in policy.iter_mut().zip(edges) {
            let even = if tree.lost(edge.child, seat) { 0.0 } else { 1.0 / open as f32 };
            *weight = if sum > 0.0 { *weight / sum } else { even };
        }
        let resistance = |i: usize| if all_lost { tree.node(edges[i].child).depth } else { 0 };
        let most = choose::best(edges.len(), |i| (resistance(i), policy[i], edges[i].prior));
        let chosen = choose::by_temperature(&policy, self.temperature, rng).unwrap_or(most);
        let best = policy[chosen] >= policy[most];
        let value = tree.value(ROOT, seat);
        Verdict { chosen: vec![chosen], best, policy, value, draw: tree.draw(ROOT) }
    }
}
