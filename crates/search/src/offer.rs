//! Offer roots: N actions are offered and the opponent picks one. One search over classes of equivalent actions finds
//! the N best, each explored as if it alone had been offered and picked.
//!
//! With exact values an offer is worth the N-th best class to the seat that offers: the opponent picks the worst of the
//! N. A sequential search would see N! orders of the same set and never reach the pick. Not here: the halving
//! (`select::halving`) and offer nodes inside the tree, which are leaves (`search`).

use tengen_game::Action;

use crate::tree::{Known, NONE, ROOT, Tree};

/// What an offer root was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    /// Offers due; 0 at a root that is no offer stage.
    pub(crate) due: usize,
    /// Legal actions at the root, ascending.
    legal: Vec<Action>,
    /// Root edge of each legal action's class.
    edge: Vec<u16>,
    /// Index of the first member per root edge.
    first: Vec<u16>,
    classes: Vec<u16>,
}

impl Offers {
    /// This root is an offer stage; `classes` fills in a class per legal action.
    pub(crate) fn begin(&mut self, due: usize, legal: &[Action], classes: impl FnOnce(&[Action], &mut Vec<u16>)) {
        self.due = due.max(1);
        self.legal.clear();
        self.legal.extend_from_slice(legal);
        classes(&self.legal, &mut self.classes);
        self.edge.clear();
        self.first.clear();
        for (i, &class) in self.classes.iter().enumerate() {
            if class as usize == i {
                self.edge.push(self.first.len() as u16);
                self.first.push(i as u16);
            } else {
                self.edge.push(self.edge[class as usize]);
            }
        }
    }

    /// Root edges: the first member of each class with the mass of all members.
    pub(crate) fn edges<'a>(&'a self, priors: &'a [f32]) -> impl Iterator<Item = (Action, f32)> + 'a {
        let mass = move |edge: usize| {
            priors.iter().zip(&self.edge).filter(move |(_, e)| **e as usize == edge).map(|(p, _)| *p).sum()
        };
        self.first.iter().enumerate().map(move |(edge, &first)| (self.legal[first as usize], mass(edge)))
    }

    /// Class probabilities spread equally over the members, in the order of legal actions.
    pub(crate) fn spread<'a>(&'a self, policy: &'a [f32]) -> impl Iterator<Item = (Action, f32)> + 'a {
        let size = |edge: u16| self.edge.iter().filter(|e| **e == edge).count() as f32;
        self.legal.iter().zip(&self.edge).map(move |(&action, &edge)| (action, policy[edge as usize] / size(edge)))
    }

    /// The actions to offer, best first: one per chosen class; where classes are too few, further members of them.
    pub(crate) fn actions(&self, chosen: &[usize]) -> Vec<Action> {
        let mut out: Vec<Action> = chosen.iter().map(|&edge| self.legal[self.first[edge] as usize]).collect();
        for (&action, _) in self.legal.iter().zip(&self.edge).filter(|(_, e)| chosen.contains(&(**e as usize))) {
            if out.len() < self.due && !out.contains(&action) {
                out.push(action);
            }
        }
        out.truncate(self.due);
        out
    }

    /// Proves an offer root: the value is the N-th best class, so it may be known before all classes are.
    pub(crate) fn prove(&self, tree: &mut Tree) {
        let seat = tree.node(ROOT).seat;
        let edges = tree.edges(ROOT);
        let needed = self.due.min(edges.len());
        let (mut won, mut drawn, mut lost, mut depth) = (0, 0, 0, 0);
        for child in edges.iter().filter(|e| e.child != NONE).map(|e| tree.node(e.child)) {
            match child.known {
                Known::No => continue,
                Known::Draw => drawn += 1,
                Known::Win(winner) if winner == seat => won += 1,
                Known::Win(_) => lost += 1,
            }
            depth = depth.max(child.depth);
        }
        let open = edges.len() - won - drawn - lost;
        let known = if won >= needed {
            Known::Win(seat)
        } else if edges.len() - lost < needed {
            Known::Win(seat.other())
        } else if won + drawn >= needed && won + open < needed {
            Known::Draw
        } else {
            return;
        };
        let root = tree.node_mut(ROOT);
        (root.known, root.depth) = (known, depth + 1);
    }
}
