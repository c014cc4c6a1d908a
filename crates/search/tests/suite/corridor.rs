//! A game whose first decision has a known value and whose rest has no effect: the decision picks an arm, then come plies
//! with two equal actions until a draw. The evaluator `Table` tells each arm's value, so a search that knows only the
//! evaluator sees exact values. Optionally the decision is an offer stage, and optionally a choice by the other seat
//! comes before it.

use std::fmt;
use std::str::FromStr;

use tengen_game::{Action, Game, Offer, Outcome, Seat, SetupError, Size};
use tengen_search::Evaluation;

use crate::stub::evaluation;

/// How a corridor is built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// Points to decide among.
    pub(crate) arms: u16,
    /// Offers due at the decision; 0: a plain decision.
    pub(crate) offers: u16,
    /// How many neighbouring points form a class.
    pub(crate) class: u16,
    /// Who decides.
    pub(crate) decider: Seat,
    /// Plies that come before, each by the other seat with two actions.
    pub(crate) lead: usize,
    /// Who acts in the corridor, ply by ply, over and over.
    pub(crate) corridor: Vec<Seat>,
}

impl Plan {
    pub(crate) fn new(arms: u16) -> Plan {
        Plan { arms, offers: 0, class: 1, decider: Seat::First, lead: 0, corridor: vec![Seat::Second, Seat::First] }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "arms={}", self.arms)
    }
}

impl FromStr for Plan {
    type Err = SetupError;
    fn from_str(text: &str) -> Result<Plan, SetupError> {
        let arms = text.strip_prefix("arms=").and_then(|n| n.parse().ok());
        arms.map(Plan::new).ok_or_else(|| SetupError::new("arms", "expected arms=N"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ply {
    Lead,
    Offer(u16),
    /// The arm that counts.
    Arm(u16),
    Step,
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) struct Corridor {
    plan: Plan,
    plies: Vec<Ply>,
}

const LENGTH: usize = 40;

impl Corridor {
    pub(crate) fn new(plan: Plan) -> Corridor {
        Corridor { plan, plies: Vec::new() }
    }

    /// The arm that counts, once decided.
    pub(crate) fn arm(&self) -> Option<u16> {
        self.plies.iter().find_map(|p| if let Ply::Arm(a) = p { Some(*a) } else { None })
    }

    fn offered(&self) -> impl Iterator<Item = u16> + '_ {
        self.plies.iter().filter_map(|p| if let Ply::Offer(a) = p { Some(*a) } else { None })
    }

    fn steps(&self) -> usize {
        self.plies.iter().filter(|p| **p == Ply::Step).count()
    }

    fn leading(&self) -> bool {
        self.plies.len() < self.plan.lead
    }
}

impl Game for Corridor {
    type Setup = Plan;

    fn start(plan: &Plan) -> Corridor {
        Corridor::new(plan.clone())
    }

    fn setup(&self) -> &Plan {
        &self.plan
    }

    fn size(&self) -> Size {
        Size::square(25).unwrap()
    }

    fn to_act(&self) -> Seat {
        if self.leading() {
            return self.plan.decider.other();
        }
        match self.arm() {
            Some(_) => self.plan.corridor[self.steps() % self.plan.corridor.len()],
            None if self.plan.offers > 0 && self.offer().is_none() => self.plan.decider.other(),
            None => self.plan.decider,
        }
    }

    fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        if self.outcome().is_some() {
            return;
        }
        if self.leading() || self.arm().is_some() {
            out.extend([Action(0), Action(1)]);
        } else if self.plan.offers > 0 && self.offer().is_none() {
            out.extend(self.offered().map(Action));
            out.sort();
        } else {
            out.extend((0..self.plan.arms).filter(|&a| self.offered().all(|o| o != a)).map(Action));
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        let mut legal = Vec::new();
        self.legal(&mut legal);
        legal.contains(&action)
    }

    fn apply(&mut self, action: Action) {
        let ply = match (self.leading(), self.arm(), self.offer()) {
            (true, _, _) => Ply::Lead,
            (_, Some(_), _) => Ply::Step,
            (_, None, Some(_)) => Ply::Offer(action.0),
            (_, None, None) => Ply::Arm(action.0),
        };
        self.plies.push(ply);
    }

    fn undo(&mut self) {
        self.plies.pop().unwrap();
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.steps() >= LENGTH).then_some(Outcome::Draw)
    }

    fn hash(&self) -> u64 {
        self.plies.iter().fold(7, |h: u64, p| {
            let code = match p {
                Ply::Lead => 1,
                Ply::Offer(a) => 1000 + u64::from(*a),
                Ply::Arm(a) => 2000 + u64::from(*a),
                Ply::Step => 2,
            };
            (h ^ code).wrapping_mul(0x100_0000_01b3)
        })
    }

    fn plies(&self) -> usize {
        self.plies.len()
    }

    fn offer(&self) -> Option<Offer> {
        let made = self.offered().count() as u16;
        let open = !self.leading() && self.arm().is_none() && made < self.plan.offers;
        open.then_some(Offer { due: self.plan.offers - made, made })
    }

    fn assume(&mut self, action: Action) {
        self.plies.push(Ply::Arm(action.0));
    }

    fn classes(&self, legal: &[Action], out: &mut Vec<u16>) {
        out.clear();
        for action in legal {
            let class = action.0 / self.plan.class;
            out.push(legal.iter().position(|a| a.0 / self.plan.class == class).unwrap() as u16);
        }
    }
}

/// Values by arm for the deciding seat, and priors at the decision.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) values: Vec<f32>,
    pub(crate) priors: Vec<f32>,
}

impl Table {
    /// Equal priors.
    pub(crate) fn even(values: &[f32]) -> Table {
        Table { values: values.to_vec(), priors: vec![1.0 / values.len() as f32; values.len()] }
    }

    /// Value under the priors.
    pub(crate) fn mean(&self) -> f32 {
        self.values.iter().zip(&self.priors).map(|(v, p)| v * p).sum()
    }

    /// What a network with this table says.
    pub(crate) fn answer(&self, game: &Corridor, legal: &[Action]) -> Evaluation {
        let value = game.arm().map_or_else(|| self.mean(), |a| self.values[a as usize]);
        let value = if game.to_act() == game.plan.decider { value } else { -value };
        let deciding = game.arm().is_none() && game.to_act() == game.plan.decider;
        let prior = |a: &Action| if deciding { self.priors[a.0 as usize] } else { 1.0 / legal.len() as f32 };
        evaluation(legal.iter().map(prior).collect(), value)
    }
}
