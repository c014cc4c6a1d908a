//! The tree: nodes and edges in two flat arenas that are reset, not freed, between searches.
//!
//! Values are kept as utility for the *first* seat. So a backup adds the same number to every node of a path, whoever
//! acts there, and nothing can flip by ply; the point of view is taken when a node's seat looks at its children. (At the
//! end of a game the seat to act means nothing, which is another reason not to store values by it.) What is known for
//! certain is kept beside the statistics and overrides them.
//!
//! Edges of a node are created children first, in order of creation; the best unvisited prior follows; the rest is
//! unsorted. Unvisited actions of a node all have the same value estimate, so that only the one with the largest prior
//! can be picked next, and picking reads visited children plus one. A rule that picks root edges freely calls
//! `open_root`. Not here: how edges are picked (`select`).

use tengen_game::{Action, Outcome, Seat};

/// No child yet.
pub(crate) const NONE: u32 = u32::MAX;
/// The root is always the first node.
pub(crate) const ROOT: u32 = 0;

/// What is proven about a node, by seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    No,
    Win(Seat),
    Draw,
}

impl Known {
    pub(crate) fn of(outcome: Outcome) -> Known {
        match outcome {
            Outcome::Win(seat) => Known::Win(seat),
            // No result has utility 0 as well; only the statistics of finished games tell them apart.
            Outcome::Draw | Outcome::NoResult => Known::Draw,
        }
    }

    /// Utility for `seat`.
    pub(crate) fn value(self, seat: Seat) -> f32 {
        match self {
            Known::No | Known::Draw => 0.0,
            Known::Win(winner) => sign(winner) * sign(seat),
        }
    }
}

/// Turns utility for the first seat into utility for `seat`, and back.
pub(crate) fn sign(seat: Seat) -> f32 {
    match seat {
        Seat::First => 1.0,
        Seat::Second => -1.0,
    }
}

/// One position in the tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Sum of backed-up utilities for the first seat.
    pub(crate) value_sum: f32,
    /// Sum of backed-up draw probabilities.
    pub(crate) draw_sum: f32,
    /// The network's utility for the first seat; 0 if never asked.
    pub(crate) own_value: f32,
    /// The network's draw probability; 0 if never asked.
    pub(crate) own_draw: f32,
    /// Simulations that ended here or went through.
    pub(crate) visits: u32,
    /// Start in the edge arena.
    edges: u32,
    /// Number of edges. 0: the game is over, or proven by the game, or an offer stage that is taken as a leaf.
    pub(crate) len: u16,
    /// Edges before this may have children; see the module's head.
    pub(crate) open: u16,
    /// If proven: plies to the end as far as known, for the shortest win and the longest resistance.
    pub(crate) depth: u16,
    /// Proven result.
    pub(crate) known: Known,
    /// Who acts.
    pub(crate) seat: Seat,
}

/// One action at a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Probability by the network (at a PUCT root with noise mixed in).
    pub(crate) prior: f32,
    /// Node index, or `NONE`.
    pub(crate) child: u32,
    /// The action; at an offer root the first member of its class.
    pub(crate) action: Action,
}

const _: () = assert!(size_of::<Node>() <= 40 && size_of::<Edge>() <= 16);

/// Both arenas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Used by `reroot`; kept to reuse its memory.
    spare_nodes: Vec<Node>,
    spare_edges: Vec<Edge>,
}

impl Tree {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline]
    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    #[inline]
    pub(crate) fn edges(&self, node: u32) -> &[Edge] {
        let n = self.node(node);
        &self.edges[n.edges as usize..][..n.len as usize]
    }

    pub(crate) fn edges_mut(&mut self, node: u32) -> &mut [Edge] {
        let n = &self.nodes[node as usize];
        &mut self.edges[n.edges as usize..][..n.len as usize]
    }

    /// A new node without edges.
    pub(crate) fn push(&mut self, seat: Seat) -> u32 {
        self.nodes.push(Node {
            value_sum: 0.0,
            draw_sum: 0.0,
            own_value: 0.0,
            own_draw: 0.0,
            visits: 0,
            edges: self.edges.len() as u32,
            len: 0,
            open: 0,
            depth: 0,
            known: Known::No,
            seat,
        });
        self.nodes.len() as u32 - 1
    }

    /// Gives a node its edges.
    pub(crate) fn expand(&mut self, node: u32, edges: impl Iterator<Item = (Action, f32)>) {
        let start = self.edges.len();
        self.edges.extend(edges.map(|(action, prior)| Edge { prior, child: NONE, action }));
        let len = (self.edges.len() - start) as u16;
        let n = &mut self.nodes[node as usize];
        (n.edges, n.len, n.open) = (start as u32, len, 0);
        self.bring_best(node);
    }

    /// Puts the root's edges in ascending order of action and lets any of them get a child.
    pub(crate) fn open_root(&mut self) {
        self.edges_mut(ROOT).sort_by_key(|e| e.action);
        let root = self.node_mut(ROOT);
        root.open = root.len;
    }

    /// Links a new child to an edge: the best unvisited one, or any of an opened root.
    pub(crate) fn attach(&mut self, node: u32, edge: usize, child: u32) {
        self.edges_mut(node)[edge].child = child;
        if edge == self.node(node).open as usize {
            self.node_mut(node).open += 1;
            self.bring_best(node);
        }
    }

    /// Moves the unvisited edge with the largest prior (ties: smallest action) to the front of the unvisited ones.
    pub(crate) fn bring_best(&mut self, node: u32) {
        let open = self.node(node).open as usize;
        let rest = &mut self.edges_mut(node)[open..];
        // Floats that aren't negative compare like their bits.
        let key = |e: &Edge| u64::from(e.prior.to_bits()) << 16 | u64::from(u16::MAX - e.action.0);
        let (mut best, mut best_key) = (0, 0);
        for (i, edge) in rest.iter().enumerate() {
            if key(edge) > best_key {
                (best, best_key) = (i, key(edge));
            }
        }
        if best != 0 {
            rest.swap(0, best);
        }
    }

    /// Mean utility of a node for `seat`, from simulations alone; 0 before the first.
    #[inline]
    pub(crate) fn mean(&self, node: u32, seat: Seat) -> f32 {
        let n = self.node(node);
        n.value_sum / n.visits.max(1) as f32 * sign(seat)
    }

    /// Utility of a node for `seat`: proven, or the mean.
    #[inline]
    pub(crate) fn value(&self, node: u32, seat: Seat) -> f32 {
        match self.node(node).known {
            Known::No => self.mean(node, seat),
            known => known.value(seat),
        }
    }

    /// Draw probability of a node: proven, or the mean.
    pub(crate) fn draw(&self, node: u32) -> f32 {
        let n = self.node(node);
        match n.known {
            Known::No => n.draw_sum / n.visits.max(1) as f32,
            known => f32::from(u8::from(known == Known::Draw)),
        }
    }

    /// Whether a child is proven lost for the seat that would go there.
    #[inline]
    pub(crate) fn lost(&self, child: u32, seat: Seat) -> bool {
        child != NONE && self.node(child).known == Known::Win(seat.other())
    }

    /// Whether a child is proven won for the seat that would go there.
    #[inline]
    pub(crate) fn won(&self, child: u32, seat: Seat) -> bool {
        child != NONE && self.node(child).known == Known::Win(seat)
    }

    /// Visits of a child; 0 if there is none.
    #[inline]
    pub(crate) fn visits(&self, child: u32) -> u32 {
        if child == NONE { 0 } else { self.node(child).visits }
    }

    /// Proves a node from its children, if they suffice. Won: one child is won for the seat to act. Lost or drawn:
    /// every edge has a proven child; edges stand for all legal actions, or for the only one that may not lose.
    pub(crate) fn prove(&mut self, node: u32) {
        let n = self.node(node);
        if n.known != Known::No || n.len == 0 {
            return;
        }
        let seat = n.seat;
        let (mut all, mut best, mut depth) = (n.open == n.len, Known::Win(seat.other()), 0);
        for edge in &self.edges(node)[..n.open as usize] {
            if edge.child == NONE {
                all = false;
                continue;
            }
            let child = self.node(edge.child);
            match child.known {
                Known::Win(winner) if winner == seat => {
                    (all, best, depth) = (true, child.known, child.depth);
                    break;
                }
                Known::No => all = false,
                Known::Draw => best = Known::Draw,
                Known::Win(_) => {}
            }
            depth = depth.max(child.depth);
        }
        if all {
            let n = self.node_mut(node);
            (n.known, n.depth) = (best, depth.saturating_add(1));
        }
    }

    /// Makes `node` the root and keeps only what is below it, copied breadth first.
    pub(crate) fn reroot(&mut self, node: u32) {
        let (mut nodes, mut edges) = (std::mem::take(&mut self.spare_nodes), std::mem::take(&mut self.spare_edges));
        nodes.clear();
        edges.clear();
        nodes.push(self.node(node).clone());
        let mut done = 0;
        while done < nodes.len() {
            let from = nodes[done].edges as usize;
            let start = edges.len();
            for edge in &self.edges[from..from + nodes[done].len as usize] {
                let mut kept = *edge;
                if edge.child != NONE {
                    kept.child = nodes.len() as u32;
                    nodes.push(self.node(edge.child).clone());
                }
                edges.push(kept);
            }
            nodes[done].edges = start as u32;
            done += 1;
        }
        self.spare_nodes = std::mem::replace(&mut self.nodes, nodes);
        self.spare_edges = std::mem::replace(&mut self.edges, edges);
    }
}
