//! A fixed opponent that needs no network: plain UCT with uniformly random playouts (Kocsis and Szepesvári 2006).
//!
//! Kept simple on purpose, so that a yardstick stays the same for years: one child per simulation, values from finished
//! playouts only, no proofs, no reuse of trees. Not here: anything that learns.

use tengen_game::{Action, Game, Seat};

use crate::player::{Choice, Player};
use crate::stream::Stream;

/// UCT with random playouts.
#[derive(Clone, Debug)]
pub struct Rollouts {
    playouts: u32,
    exploration: f64,
    nodes: Vec<Node>,
    legal: Vec<Action>,
}

#[derive(Clone, Debug)]
struct Node {
    /// Action that led here.
    action: Action,
    /// Seat that acts here; meaningless at an end.
    seat: Seat,
    visits: u32,
    /// Sum of results for the first seat, each in [-1, 1].
    sum: f64,
    children: Vec<u32>,
    untried: Vec<Action>,
}

impl Rollouts {
    /// `playouts` simulations per decision, at least 1.
    pub fn new(playouts: u32) -> Rollouts {
        Rollouts { playouts: playouts.max(1), exploration: 1.4, nodes: Vec::new(), legal: Vec::new() }
    }

    fn push<G: Game>(&mut self, game: &G, action: Action) -> u32 {
        let mut untried = Vec::new();
        game.legal(&mut untried);
        let node = Node { action, seat: game.to_act(), visits: 0, sum: 0.0, children: Vec::new(), untried };
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// The child with the highest upper bound for the seat that acts at `at`; the first of equals.
    fn select(&self, at: u32) -> u32 {
        let node = &self.nodes[at as usize];
        let log = f64::from(node.visits.max(1)).ln();
        let mut best = (f64::NEG_INFINITY, 0);
        for &child in &node.children {
            let c = &self.nodes[child as usize];
            let visits = f64::from(c.visits.max(1));
            let bound = sign(node.seat) * c.sum / visits + self.exploration * (log / visits).sqrt();
            if bound > best.0 {
                best = (bound, child);
            }
        }
        best.1
    }

    fn simulate<G: Game>(&mut self, game: &mut G, stream: &mut Stream, plies_max: usize) {
        let mut path = vec![0u32];
        let mut at = 0u32;
        let mut applied = 0;
        loop {
            if game.outcome().is_some() {
                break;
            }
            let left = self.nodes[at as usize].untried.len();
            if left > 0 {
                let action = self.nodes[at as usize].untried.swap_remove(stream.below(left));
                game.apply(action);
                applied += 1;
                let child = self.push(game, action);
                self.nodes[at as usize].children.push(child);
                path.push(child);
                break;
            }
            at = self.select(at);
            game.apply(self.nodes[at as usize].action);
            applied += 1;
            path.push(at);
        }
        applied += playout(game, stream, plies_max, &mut self.legal);
        let value = game.outcome().map_or(0.0, |o| f64::from(o.value(Seat::First)));
        (0..applied).for_each(|_| game.undo());
        for node in path {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += value;
        }
    }
}

fn sign(seat: Seat) -> f64 {
    if seat == Seat::First { 1.0 } else { -1.0 }
}

/// Random actions to the end or for `plies_max` plies (an even result then); returns how many were applied.
///
/// Points come before passes: in Go a uniformly random pass would end half the playouts on an empty board. Nothing here
/// knows an eye, so a game with a score is passed out and counted once few points are left to play, before the sides
/// fill their own eyes; a game without a score plays on.
fn playout<G: Game>(game: &mut G, stream: &mut Stream, plies_max: usize, legal: &mut Vec<Action>) -> usize {
    let mut plies = 0;
    let mut may_pass_out = true;
    while game.outcome().is_none() && plies < plies_max {
        game.legal(legal);
        let points = legal.iter().take_while(|a| a.as_point().is_some()).count();
        if may_pass_out && !game.is_choice() && points * 5 < game.size().area() {
            may_pass_out = false;
            let passes = pass_out(game);
            if passes > 0 {
                return plies + passes;
            }
        }
        let from = if points > 0 && !game.is_choice() { points } else { legal.len() };
        game.apply(legal[stream.below(from)]);
        plies += 1;
    }
    plies
}

/// Passes until a game with a score is over and returns the number of passes; 0 and no change if that leads nowhere.
fn pass_out<G: Game>(game: &mut G) -> usize {
    let mut passes = 0;
    while passes < 4 && game.outcome().is_none() && game.is_legal(Action::PASS) {
        game.apply(Action::PASS);
        passes += 1;
    }
    if game.margin().is_some() {
        return passes;
    }
    (0..passes).for_each(|_| game.undo());
    0
}

impl<G: Game> Player<G> for Rollouts {
    fn name(&self) -> String {
        format!("rollouts:{}", self.playouts)
    }

    fn choose(&mut self, game: &G, stream: &mut Stream) -> Choice {
        let mut game = game.clone();
        self.nodes.clear();
        self.push(&game, Action::PASS);
        let plies_max = 2 * game.size().area() + 32;
        for _ in 0..self.playouts {
            self.simulate(&mut game, stream, plies_max);
        }
        let root = &self.nodes[0];
        let mut policy: Vec<(Action, f32)> = root
            .children
            .iter()
            .map(|&c| &self.nodes[c as usize])
            .map(|c| (c.action, c.visits as f32 / root.visits as f32))
            .collect();
        policy.sort_by_key(|&(action, _)| action);
        let most = root.children.iter().map(|&c| &self.nodes[c as usize]).max_by(|a, b| {
            let mean = |n: &Node| sign(root.seat) * n.sum / f64::from(n.visits.max(1));
            a.visits.cmp(&b.visits).then(mean(a).total_cmp(&mean(b))).then(b.action.cmp(&a.action))
        });
        Choice {
            action: most.map_or(Action::PASS, |n| n.action),
            visits: root.visits,
            root_value: (sign(root.seat) * root.sum / f64::from(root.visits.max(1))) as f32,
            policy,
        }
    }
}
