//! One resumable search: a tree for one game that stops whenever it needs the network.
//!
//! `begin`, then `step` until `Done`; after each `Leaf` evaluate `leaf` and `answer`. So one thread can drive many games
//! and put one leaf of each into a batch, with no locks and no virtual loss. A search is a function of the root, the
//! limits, the configuration, the seed and the evaluations (and of the kept tree, where there is one).
//!
//! Ends of games, proven positions and positions with one action that matters never ask the network. Wins and losses
//! are backed up exactly by seat. Not here: batches (`drive`), the choice of edges (`select`).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tengen_game::{Action, Game, Proof, Seat};

use crate::config::{Limits, SearchConfig};
use crate::evaluator::Evaluation;
use crate::offer::Offers;
use crate::result::{Candidate, SearchResult, candidates};
use crate::select::{Gumbel, Select, Start, selector};
use crate::tree::{Known, NONE, ROOT, Tree, sign};

/// What `Search::step` came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Evaluate `leaf`, then `answer`.
    Leaf,
    /// The search has ended; see `result`.
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing begun, or the tree was advanced.
    Idle,
    /// The last node of the path waits for an evaluation.
    Waiting,
    Running,
    Done,
}

/// What a new node turned out to be.
enum Class {
    /// Over or proven: has a value.
    Exact,
    /// Only one action matters: has one edge.
    Forced,
    /// The network must be asked.
    Open,
}

/// One game's search. Buffers are kept over moves and games.
#[derive(Debug)]
pub struct Search<G: Game> {
    config: SearchConfig,
    rule: Box<dyn Select>,
    /// Runs offer roots, whatever the rule.
    offering: Gumbel,
    /// The one working copy; at the root between simulations.
    game: Option<G>,
    tree: Tree,
    path: Vec<u32>,
    legal: Vec<Action>,
    priors: Vec<f32>,
    offers: Offers,
    limits: Limits,
    rng: ChaCha8Rng,
    phase: Phase,
    /// The tree's root is the position of `game`, moved there by `advance`.
    carried: bool,
    /// Whether the waiting leaf is an offer stage inside the tree.
    offer_leaf: bool,
    claim: Option<Proof>,
    simulations: u32,
    evaluations: u32,
    result: Option<SearchResult>,
}

impl<G: Game> Search<G> {
    /// An idle search. The configuration should have passed `SearchConfig::check`.
    pub fn new(config: SearchConfig) -> Search<G> {
        Search {
            rule: selector(&config),
            offering: Gumbel::new(&config.gumbel),
            config,
            game: None,
            tree: Tree::default(),
            path: Vec::new(),
            legal: Vec::new(),
            priors: Vec::new(),
            offers: Offers::default(),
            limits: Limits::playing(1),
            rng: ChaCha8Rng::seed_from_u64(0),
            phase: Phase::Idle,
            carried: false,
            offer_leaf: false,
            claim: None,
            simulations: 0,
            evaluations: 0,
            result: None,
        }
    }

    /// The configuration it was made with.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Starts a search from `root`, which must not be over. A search in progress is dropped. If `advance` has led the
    /// tree to this position, it is kept.
    pub fn begin(&mut self, root: &G, limits: Limits, seed: u64) {
        debug_assert!(root.outcome().is_none(), "the caller looks at the outcome first");
        self.limits = limits;
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        (self.simulations, self.evaluations, self.result, self.claim) = (0, 0, None, None);
        self.offers.due = 0;
        let kept = std::mem::take(&mut self.carried)
            && self.game.as_ref().is_some_and(|g| g.hash() == root.hash() && g.plies() == root.plies());
        if !kept {
            self.tree.clear();
        }
        root.legal(&mut self.legal);
        if let Some(forced) = self.forced(root) {
            self.game = Some(root.clone());
            self.result = Some(forced);
            self.phase = Phase::Done;
            return;
        }
        if let Some(offer) = root.offer() {
            self.offers.begin(offer.due as usize, &self.legal, |legal, out| root.classes(legal, out));
        }
        self.game = Some(root.clone());
        let usable = kept && {
            let node = self.tree.node(ROOT);
            node.known == Known::No && node.len as usize == self.legal.len() && self.offers.due == 0
        };
        if usable {
            self.start_rule();
        } else {
            self.tree.clear();
            self.tree.push(root.to_act());
            self.path.clear();
            self.path.push(ROOT);
            self.offer_leaf = false;
            self.phase = Phase::Waiting;
        }
    }

    /// Whether the root needs no search; otherwise remembers what the game claims about it.
    fn forced(&mut self, root: &G) -> Option<SearchResult> {
        if let [only] = self.legal[..] {
            return Some(SearchResult::forced(only, None));
        }
        if !self.config.proof.enabled || root.offer().is_some() {
            return None;
        }
        self.claim = root.proven(self.config.proof.root);
        match self.claim {
            Some(Proof::Win(action) | Proof::Only(action)) => Some(SearchResult::forced(action, self.claim)),
            _ => None,
        }
    }

    /// Runs simulations until one needs the network or the search ends. After `Leaf`, repeats `Leaf` until answered.
    pub fn step(&mut self) -> Step {
        loop {
            match self.phase {
                Phase::Waiting => return Step::Leaf,
                Phase::Idle | Phase::Done => return Step::Done,
                Phase::Running => {}
            }
            let known = self.tree.node(ROOT).known != Known::No;
            let next = match known {
                true => None,
                false if self.offers.due > 0 => self.offering.root(&self.tree),
                false => self.rule.root(&self.tree),
            };
            let Some(edge) = next else {
                self.finish();
                return Step::Done;
            };
            self.simulate(edge);
        }
    }

    /// After `Step::Leaf`: the position to evaluate and its legal actions, ascending. Panics before the first `begin`.
    pub fn leaf(&self) -> (&G, &[Action]) {
        (self.game.as_ref().expect("begin comes first"), &self.legal)
    }

    /// Takes the evaluation of `leaf`. It should have gone through `Evaluation::settle` (as `drive::ask` does): anything
    /// that still isn't finite counts as no mass or as even.
    pub fn answer(&mut self, evaluation: &Evaluation) {
        debug_assert_eq!(self.phase, Phase::Waiting, "answers follow leaves");
        debug_assert_eq!(evaluation.priors.len(), self.legal.len(), "one prior per legal action");
        if self.phase != Phase::Waiting {
            return;
        }
        self.evaluations += 1;
        let leaf = self.path[self.path.len() - 1];
        let seat = self.tree.node(leaf).seat;
        let value = finite(evaluation.value.value()).clamp(-1.0, 1.0) * sign(seat);
        let draw = finite(evaluation.value.draw).clamp(0.0, 1.0);
        let node = self.tree.node_mut(leaf);
        (node.own_value, node.own_draw) = (value, draw);
        if !self.offer_leaf {
            let mass = |p: &f32| finite(*p).max(0.0);
            let sum: f32 = evaluation.priors.iter().map(mass).sum();
            let (count, given) = (self.legal.len(), &evaluation.priors);
            // Edges stand for all legal actions even if the answer is unusable.
            let usable = sum > 1e-20 && given.len() == count;
            let prior = |i: usize| if usable { mass(&given[i]) / sum } else { 1.0 / count as f32 };
            let priors = (0..count).map(prior);
            if leaf == ROOT && self.offers.due > 0 {
                self.priors.clear();
                self.priors.extend(priors);
                self.tree.expand(leaf, self.offers.edges(&self.priors));
            } else {
                self.tree.expand(leaf, self.legal.iter().copied().zip(priors));
            }
        }
        self.backup(value, draw);
        if leaf == ROOT {
            self.start_rule();
        } else {
            self.phase = Phase::Running;
        }
    }

    /// The result. Panics before `Step::Done`.
    pub fn result(&self) -> SearchResult {
        self.result.clone().expect("step says Done before there is a result")
    }

    /// What is known of the root's actions so far, best first; empty until the root was evaluated. May be asked at any
    /// time of a search. Not for offers, where an action stands for a class.
    pub fn candidates(&self) -> Vec<Candidate> {
        let forced = self.result.as_ref().filter(|result| result.forced);
        match forced {
            Some(SearchResult { chosen, root_value, pv, .. }) => {
                vec![Candidate { action: *chosen, visits: 1, value: *root_value, prior: 1.0, pv: pv.clone() }]
            }
            None if self.tree.is_empty() => Vec::new(),
            None => candidates(&self.tree),
        }
    }

    /// After a search: the game goes on with `action`. Rule `puct` keeps the tree below it for the next `begin`;
    /// sequential halving needs a fresh root, so rule `gumbel` doesn't. May be called for several actions in a row.
    pub fn advance(&mut self, action: Action) {
        let keep = self.config.rule == crate::config::Rule::Puct && self.config.puct.reuse && self.offers.due == 0;
        let at_root = self.carried || self.phase == Phase::Done;
        let child = if keep && at_root && !self.tree.is_empty() {
            self.tree.edges(ROOT).iter().find(|e| e.action == action).map_or(NONE, |e| e.child)
        } else {
            NONE
        };
        (self.phase, self.result) = (Phase::Idle, None);
        self.carried = child != NONE;
        match (&mut self.game, child) {
            (_, NONE) | (None, _) => self.tree.clear(),
            (Some(game), _) => {
                game.apply(action);
                self.tree.reroot(child);
            }
        }
    }

    /// Forgets the kept tree, for a new game. Buffers stay.
    pub fn reset(&mut self) {
        self.tree.clear();
        (self.phase, self.carried, self.result) = (Phase::Idle, false, None);
    }

    fn start_rule(&mut self) {
        let ply = self.game.as_ref().map_or(0, |g| g.plies());
        let start = Start { limits: self.limits, ply, survivors: self.offers.due.max(1) };
        let rule: &mut dyn Select = if self.offers.due > 0 { &mut self.offering } else { &mut *self.rule };
        rule.begin(&mut self.tree, start, &mut self.rng);
        self.phase = Phase::Running;
    }

    fn finish(&mut self) {
        let rule: &mut dyn Select = if self.offers.due > 0 { &mut self.offering } else { &mut *self.rule };
        let mut result = SearchResult::of(&self.tree, &self.offers, self.claim, rule, &mut self.rng);
        (result.simulations, result.evaluations) = (self.simulations, self.evaluations);
        self.result = Some(result);
        self.phase = Phase::Done;
    }

    /// Walks from the root down to a node with a value, or to one that must be evaluated.
    fn simulate(&mut self, mut edge: usize) {
        let game = self.game.as_mut().expect("begin comes first");
        self.path.clear();
        self.path.push(ROOT);
        self.simulations += 1;
        let mut node = ROOT;
        loop {
            let crate::tree::Edge { action, mut child, .. } = self.tree.edges(node)[edge];
            if node == ROOT && self.offers.due > 0 {
                game.assume(action);
            } else {
                game.apply(action);
            }
            let fresh = child == NONE;
            if fresh {
                child = self.tree.push(game.to_act());
                self.tree.attach(node, edge, child);
            }
            self.path.push(child);
            node = child;
            if fresh {
                match classify(&self.config, game, &mut self.tree, node, &mut self.legal) {
                    Class::Exact => break,
                    Class::Forced => {
                        edge = 0;
                        continue;
                    }
                    Class::Open => {
                        self.offer_leaf = game.offer().is_some();
                        self.phase = Phase::Waiting;
                        return;
                    }
                }
            }
            let n = self.tree.node(node);
            if n.known != Known::No || n.len == 0 {
                break;
            }
            edge = if n.len == 1 { 0 } else { self.rule.interior(&self.tree, node) };
        }
        // Proven, or an offer stage that was evaluated before.
        let n = self.tree.node(node);
        let (value, draw) = match n.known {
            Known::No => (n.own_value, n.own_draw),
            known => (known.value(Seat::First), f32::from(u8::from(known == Known::Draw))),
        };
        self.backup(value, draw);
    }

    /// Adds a value (utility for the first seat) along the path, proves what can be proven, and takes the moves back.
    fn backup(&mut self, mut value: f32, mut draw: f32) {
        let mut proving = false;
        for (i, &node) in self.path.iter().enumerate().rev() {
            if proving && node == ROOT && self.offers.due > 0 {
                self.offers.prove(&mut self.tree);
            } else if proving {
                self.tree.prove(node);
            }
            let n = self.tree.node_mut(node);
            proving = n.known != Known::No;
            if proving {
                (value, draw) = (n.known.value(Seat::First), f32::from(u8::from(n.known == Known::Draw)));
            }
            n.visits += 1;
            n.value_sum += value;
            n.draw_sum += draw;
            if i > 0 {
                self.game.as_mut().expect("begin comes first").undo();
            }
        }
    }
}

fn finite(x: f32) -> f32 {
    if x.is_finite() { x } else { 0.0 }
}

/// Looks at a new node: over, proven, forced, or a question for the network. Leaves its legal actions in `legal`.
fn classify<G: Game>(config: &SearchConfig, game: &G, tree: &mut Tree, node: u32, legal: &mut Vec<Action>) -> Class {
    if let Some(outcome) = game.outcome() {
        tree.node_mut(node).known = Known::of(outcome);
        return Class::Exact;
    }
    game.legal(legal);
    if let [only] = legal[..] {
        tree.expand(node, std::iter::once((only, 1.0)));
        return Class::Forced;
    }
    if !config.proof.enabled || game.offer().is_some() {
        return Class::Open;
    }
    let seat = tree.node(node).seat;
    let (known, depth) = match game.proven(config.proof.leaf) {
        None => return Class::Open,
        Some(Proof::Only(action)) => {
            tree.expand(node, std::iter::once((action, 1.0)));
            return Class::Forced;
        }
        Some(Proof::Win(action)) => {
            // The edge is for the expected continuation alone; a proven node is never entered.
            tree.expand(node, std::iter::once((action, 1.0)));
            (Known::Win(seat), 1)
        }
        Some(Proof::Loss) => (Known::Win(seat.other()), 2),
        Some(Proof::Draw) => (Known::Draw, 1),
    };
    let n = tree.node_mut(node);
    (n.known, n.depth) = (known, depth);
    Class::Exact
}
