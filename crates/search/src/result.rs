//! What a search found, in the form that play, records and engines use. Not here: how it was found.

use rand_chacha::ChaCha8Rng;
use tengen_game::{Action, Proof, Seat};

use crate::evaluator::Wdl;
use crate::offer::Offers;
use crate::select::{Select, Verdict};
use crate::tree::{Known, NONE, ROOT, Tree};

/// Shares of a target below this are left out; the rest is scaled back to sum 1.
const POLICY_FLOOR: f32 = 1e-5;

/// The result of one search; values are for the seat to act at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The action to play. At an offer root: the first of `offers`.
    pub chosen: Action,
    /// Whether `chosen` is what the search thinks best; false if it was taken to explore.
    pub best: bool,
    /// Whether no search was needed: the only legal action, a proven win, or the only action that doesn't lose. The
    /// policy is one-hot; see `has_value` for the value.
    pub forced: bool,
    /// Training target: (action, probability), ascending by action, sum 1.
    pub policy: Vec<(Action, f32)>,
    /// Visits by action, ascending, unvisited ones left out. At an offer root: by the first member of a class.
    pub visits: Vec<(Action, u32)>,
    /// Value of the root in [-1, 1]. At an offer root: of the worst of the offers, which the opponent would pick.
    pub root_value: f32,
    /// The same as win, draw and loss probabilities.
    pub root_wdl: Wdl,
    /// Simulations of this search (visits kept from an earlier tree not counted).
    pub simulations: u32,
    /// Positions the evaluator was asked about.
    pub evaluations: u32,
    /// What is proven about the root; `Win` names `chosen`.
    pub proven: Option<Proof>,
    /// The expected continuation, starting with `chosen`. After an offer it goes on as if `chosen` had been picked.
    pub pv: Vec<Action>,
    /// At an offer root: the actions to offer, best first, as many as are due; otherwise empty.
    pub offers: Vec<Action>,
}

/// One root action as a search sees it, finished or not; values are for the seat to act at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The action.
    pub action: Action,
    /// Simulations that went through it.
    pub visits: u32,
    /// Its value in [-1, 1].
    pub value: f32,
    /// Its probability by the network.
    pub prior: f32,
    /// The expected continuation, starting with it.
    pub pv: Vec<Action>,
}

/// The visited root actions, best first: proven wins, then by visits, proven losses last.
pub(crate) fn candidates(tree: &Tree) -> Vec<Candidate> {
    let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
    let mut visited: Vec<usize> = (0..edges.len()).filter(|&i| tree.visits(edges[i].child) > 0).collect();
    visited.sort_by_key(|&i| {
        let child = edges[i].child;
        (!tree.won(child, seat), tree.lost(child, seat), u32::MAX - tree.visits(child))
    });
    let candidate = |i: usize| Candidate {
        action: edges[i].action,
        visits: tree.visits(edges[i].child),
        value: tree.value(edges[i].child, seat),
        prior: edges[i].prior,
        pv: continuation(tree, i),
    };
    visited.into_iter().map(candidate).collect()
}

impl SearchResult {
    /// Whether `root_value` says anything: a forced action that proves nothing was played without asking.
    pub fn has_value(&self) -> bool {
        !self.forced || !matches!(self.proven, None | Some(Proof::Only(_)))
    }

    /// A root that needs no search.
    pub(crate) fn forced(action: Action, proven: Option<Proof>) -> SearchResult {
        let value = if matches!(proven, Some(Proof::Win(_))) { 1.0 } else { 0.0 };
        SearchResult {
            chosen: action,
            best: true,
            forced: true,
            policy: vec![(action, 1.0)],
            visits: Vec::new(),
            root_value: value,
            root_wdl: wdl(value, 0.0),
            simulations: 0,
            evaluations: 0,
            proven,
            pv: vec![action],
            offers: Vec::new(),
        }
    }

    /// A searched root. `claim` is what the game itself proved about it. The counters are left at 0.
    pub(crate) fn of(
        tree: &Tree,
        offers: &Offers,
        claim: Option<Proof>,
        rule: &mut dyn Select,
        rng: &mut ChaCha8Rng,
    ) -> SearchResult {
        let (root, edges) = (tree.node(ROOT), tree.edges(ROOT));
        let won = root.known == Known::Win(root.seat);
        let verdict = if won && offers.due == 0 { winning(tree) } else { rule.finish(tree, rng) };
        let chosen = verdict.chosen[0];
        let action = edges[chosen].action;
        let proven = match root.known {
            Known::No => claim,
            Known::Draw => Some(Proof::Draw),
            Known::Win(_) if won => Some(Proof::Win(action)),
            Known::Win(_) => Some(Proof::Loss),
        };
        let (value, draw) = match proven {
            Some(Proof::Win(_)) => (1.0, 0.0),
            Some(Proof::Loss) => (-1.0, 0.0),
            Some(Proof::Draw) => (0.0, 1.0),
            _ => (verdict.value, verdict.draw),
        };
        let policy = match offers.due {
            0 => floored(edges.iter().zip(&verdict.policy).map(|(e, p)| (e.action, *p)).collect()),
            _ => floored(offers.spread(&verdict.policy).collect()),
        };
        let visited = edges.iter().map(|e| (e.action, tree.visits(e.child))).filter(|(_, n)| *n > 0);
        let mut visits: Vec<(Action, u32)> = visited.collect();
        visits.sort_unstable();
        SearchResult {
            chosen: action,
            best: verdict.best,
            forced: false,
            policy,
            visits,
            root_value: value.clamp(-1.0, 1.0),
            root_wdl: wdl(value, draw),
            simulations: 0,
            evaluations: 0,
            proven,
            pv: continuation(tree, chosen),
            offers: if offers.due == 0 { Vec::new() } else { offers.actions(&verdict.chosen) },
        }
    }
}

/// Win, draw and loss from a utility and a draw probability, which is cut to what the utility allows.
fn wdl(value: f32, draw: f32) -> Wdl {
    let value = value.clamp(-1.0, 1.0);
    let draw = draw.clamp(0.0, 1.0 - value.abs());
    Wdl { win: (1.0 - draw + value) / 2.0, draw, loss: (1.0 - draw - value) / 2.0 }
}

/// Leaves tiny shares out and sorts by action; what remains sums to 1.
fn floored(mut policy: Vec<(Action, f32)>) -> Vec<(Action, f32)> {
    policy.retain(|(_, p)| *p >= POLICY_FLOOR);
    policy.sort_by_key(|(action, _)| *action);
    let sum: f32 = policy.iter().map(|(_, p)| p).sum();
    policy.iter_mut().for_each(|(_, p)| *p /= sum);
    policy
}

/// At a root with proven wins: they share the target by prior, and the shortest known is played.
fn winning(tree: &Tree) -> Verdict {
    let (edges, seat) = (tree.edges(ROOT), tree.node(ROOT).seat);
    let wins: Vec<usize> = (0..edges.len()).filter(|&i| tree.won(edges[i].child, seat)).collect();
    let mass: f32 = wins.iter().map(|&i| edges[i].prior).sum();
    let mut policy = vec![0.0; edges.len()];
    for &i in &wins {
        policy[i] = if mass > 1e-6 { edges[i].prior / mass } else { 1.0 / wins.len() as f32 };
    }
    let depth = |i: &usize| tree.node(edges[*i].child).depth;
    Verdict {
        chosen: wins.iter().copied().min_by_key(depth).into_iter().collect(),
        best: true,
        policy,
        value: 1.0,
        draw: 0.0,
    }
}

/// How a seat goes on at a node: a proven win, else the most visited action that isn't lost, else the longest loss.
fn follow(tree: &Tree, node: u32, seat: Seat) -> Option<usize> {
    let edges = tree.edges(node);
    let key = |i: &usize| {
        let child = edges[*i].child;
        let lost = tree.lost(child, seat);
        let depth = if child == NONE { 0 } else { tree.node(child).depth };
        (tree.won(child, seat), !lost, if lost { u32::from(depth) } else { tree.visits(child) })
    };
    let only = edges.len() == 1;
    (0..edges.len()).filter(|&i| only || tree.visits(edges[i].child) > 0).max_by_key(key)
}

fn continuation(tree: &Tree, chosen: usize) -> Vec<Action> {
    let mut pv = vec![tree.edges(ROOT)[chosen].action];
    let mut node = tree.edges(ROOT)[chosen].child;
    while node != NONE
        && let Some(edge) = follow(tree, node, tree.node(node).seat)
    {
        pv.push(tree.edges(node)[edge].action);
        node = tree.edges(node)[edge].child;
    }
    pv
}
