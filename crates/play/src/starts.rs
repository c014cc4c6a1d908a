//! Starts of games: seeded, random, distinct up to the board's symmetries, undecided, and balanced if asked.
//!
//! Two deterministic players repeat themselves from one position, and then a match of a thousand games has one or two
//! results; so variety comes from starts. Under an opening protocol the start is the protocol's own free placements at
//! random: it ends at the first choice (swap, keep, branch, number, offer), which is left to the players. Where that
//! gives too few distinct starts (protocols that allow a swap after every stone), further starts go through choices by
//! keeping the colours; they still end at offers and numbers. Seats are exchanged within a pair of games, so who gains
//! from a start doesn't matter. Not here: which start goes to which game.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tengen_game::{Action, Game, Point, Proof, Size, Symmetry};

use crate::stream::Stream;

/// How random starts are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StartsConfig {
    /// Fewest random plies.
    pub plies_min: u32,
    /// Most random plies; each start draws its length uniformly.
    pub plies_max: u32,
    /// Standard deviation of a point's distance from the centre, as a share of the longer side; 0 for uniform.
    pub spread: f32,
    /// With a value v known, a start is kept with probability (1 − v²)^exponent; 0 keeps all.
    pub exponent: u32,
}

impl Default for StartsConfig {
    fn default() -> StartsConfig {
        StartsConfig { plies_min: 2, plies_max: 6, spread: 0.25, exponent: 4 }
    }
}

impl StartsConfig {
    /// Names the field and its range if one is out of range.
    pub fn check(&self) -> Result<(), String> {
        if self.plies_max > 1000 {
            return Err(format!("plies_max is {}; allowed are 0 to 1000", self.plies_max));
        }
        if self.plies_min > self.plies_max {
            return Err(format!("plies_min is {}; allowed are 0 to plies_max ({})", self.plies_min, self.plies_max));
        }
        if !(0.0..=10.0).contains(&self.spread) {
            return Err(format!("spread is {}; allowed are 0 to 10", self.spread));
        }
        if self.exponent > 100 {
            return Err(format!("exponent is {}; allowed are 0 to 100", self.exponent));
        }
        Ok(())
    }
}

/// One start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Actions from the first position.
    pub actions: Vec<Action>,
    /// Same for all symmetric images, see [`canonical_hash`].
    pub key: u64,
    /// Value in [-1, 1] for the seat to act, if it was asked for.
    pub value: Option<f32>,
}

impl Start {
    /// The game's own first position.
    pub fn trivial<G: Game>(setup: &G::Setup) -> Start {
        Start { actions: Vec::new(), key: canonical_hash::<G>(setup, &[]), value: None }
    }
}

/// What came out of [`random_starts`]; fewer starts than asked for if the game has no more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Starts {
    /// Distinct starts in the order they were found.
    pub starts: Vec<Start>,
    /// Candidates that repeated an earlier start or its image.
    pub repeated: u64,
    /// Candidates that were over or decided by a single ply.
    pub decided: u64,
    /// Candidates that the balance draw refused.
    pub unbalanced: u64,
}

/// Asked for the value in [-1, 1] of a candidate, for the seat to act.
pub type ValueOf<'a, G> = &'a mut dyn FnMut(&G) -> f32;

/// Up to `count` distinct starts. With `value` they are balanced, see `StartsConfig::exponent`. A value that isn't
/// finite counts as decided. Gives up after a long streak without a new start.
pub fn random_starts<G: Game>(
    setup: &G::Setup,
    config: &StartsConfig,
    count: usize,
    seed: u64,
    mut value: Option<ValueOf<'_, G>>,
) -> Starts {
    let mut found = Starts::default();
    let mut seen = BTreeSet::new();
    let mut stream = Stream::new(seed, u64::MAX);
    for through in [false, true] {
        let mut misses = 0u32;
        while found.starts.len() < count && misses < MISSES_MAX {
            misses += 1;
            let sampler = Sampler { config, through };
            let game = sampler.draw::<G>(setup, &mut stream);
            let Some((game, actions)) = game else {
                found.decided += 1;
                continue;
            };
            let key = canonical_hash::<G>(setup, &actions);
            if seen.contains(&key) {
                found.repeated += 1;
                continue;
            }
            let v = value.as_mut().map(|f| f(&game));
            if !balanced(v, config.exponent, &mut stream) {
                found.unbalanced += 1;
                continue;
            }
            seen.insert(key);
            found.starts.push(Start { actions, key, value: v });
            misses = 0;
        }
    }
    found
}

/// How many candidates in a row may fail before a kind of start counts as exhausted.
const MISSES_MAX: u32 = 2000;

/// The draw of KataGomo's balanced openings: (1 − v²)^exponent.
fn balanced(value: Option<f32>, exponent: u32, stream: &mut Stream) -> bool {
    let Some(v) = value else { return true };
    v.is_finite() && stream.chance((1.0 - f64::from(v.clamp(-1.0, 1.0)).powi(2)).powi(exponent as i32))
}

/// The `count` most even of `pool` distinct random starts by a value function, most even first; equal ones stay in the
/// order they were found, so the list depends on the seed and the values alone. The balance draw of `config` is not
/// used. Values chosen as the least of many are too good to be true: judge the list by another evaluation.
pub fn most_balanced<G: Game>(
    setup: &G::Setup,
    config: &StartsConfig,
    (count, pool): (usize, usize),
    seed: u64,
    value: ValueOf<'_, G>,
) -> Vec<Start> {
    let all = StartsConfig { exponent: 0, ..config.clone() };
    let mut starts = random_starts::<G>(setup, &all, pool, seed, Some(value)).starts;
    let off = |start: &Start| start.value.map_or(f32::INFINITY, f32::abs);
    starts.sort_by(|a, b| off(a).total_cmp(&off(b)));
    starts.truncate(count);
    starts
}

/// Every position of two black stones and a white one up to the board's symmetries, as [black, white, black], ascending
/// by both black stones and then the white one. On 15x15 there are 703,934 (Burnside; not an eighth of the 5,619,600).
/// What can be opened with under rules that let three stones be placed anywhere (swap, swap2).
pub fn three_stone_classes(size: Size) -> impl Iterator<Item = [Point; 3]> {
    let images: Vec<Vec<Point>> =
        Symmetry::of(size).iter().map(|s| size.points().map(|p| s.point(size, p)).collect()).collect();
    let area = size.area() as u16;
    let pairs = (0..area).flat_map(move |a| (a + 1..area).map(move |b| (Point(a), Point(b))));
    pairs.flat_map(move |(a, b)| {
        let turned = |map: &Vec<Point>| {
            let (x, y) = (map[a.index()], map[b.index()]);
            (x.min(y), x.max(y))
        };
        // A class is named by its least member: first by the black pair, then, among the symmetries that keep the pair,
        // by the white stone.
        let least = images.iter().all(|map| turned(map) >= (a, b));
        let keep: Vec<&Vec<Point>> = images.iter().filter(|map| least && turned(map) == (a, b)).collect();
        let white = |w: &Point| least && *w != a && *w != b && keep.iter().all(|map| map[w.index()] >= *w);
        size.points().filter(white).map(|w| [a, w, b]).collect::<Vec<_>>()
    })
}

/// Random plies for a start of one game, without the check for distinctness; none if the candidate is decided.
pub fn random_start<G: Game>(setup: &G::Setup, config: &StartsConfig, stream: &mut Stream) -> Option<(G, Vec<Action>)> {
    Sampler { config, through: false }.draw(setup, stream)
}

#[derive(Clone, Copy)]
struct Sampler<'a> {
    config: &'a StartsConfig,
    /// Whether choices are passed by keeping colours instead of ending the start.
    through: bool,
}

impl Sampler<'_> {
    fn draw<G: Game>(&self, setup: &G::Setup, stream: &mut Stream) -> Option<(G, Vec<Action>)> {
        let plies = stream.between(self.config.plies_min, self.config.plies_max);
        let mut game = G::start(setup);
        let (mut actions, mut legal, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut placed = 0;
        while placed < plies && game.outcome().is_none() {
            game.legal(&mut legal);
            let action = if game.is_choice() {
                match self.pass_choice(&game, &legal, stream) {
                    Some(action) => action,
                    None => break,
                }
            } else {
                placed += 1;
                self.weigh(&game, &legal, &mut weights);
                legal[stream.weighted(&weights)]
            };
            game.apply(action);
            actions.push(action);
        }
        (!decided(&mut game)).then_some((game, actions))
    }

    /// What a start does at a protocol's choice; none ends the start.
    fn pass_choice<G: Game>(&self, game: &G, legal: &[Action], stream: &mut Stream) -> Option<Action> {
        if !self.through || game.offer().is_some() {
            return None;
        }
        if legal.contains(&Action::KEEP) {
            return Some(Action::KEEP);
        }
        // Where nothing but branches is asked for, which rules to reject for example, all of them belong to the variety.
        let branches: Vec<Action> = legal.iter().copied().filter(|a| a.as_branch().is_some()).collect();
        (!branches.is_empty()).then(|| branches[stream.below(branches.len())])
    }

    /// Points by a normal distribution around the centre; a pass only where there is nothing else.
    fn weigh<G: Game>(&self, game: &G, legal: &[Action], weights: &mut Vec<f64>) {
        let size = game.size();
        let (cx, cy) = ((size.width() as f64 - 1.0) / 2.0, (size.height() as f64 - 1.0) / 2.0);
        let sd = f64::from(self.config.spread) * size.width().max(size.height()) as f64;
        weights.clear();
        weights.extend(legal.iter().map(|a| match a.as_point() {
            Some(_) if sd == 0.0 => 1.0,
            Some(p) => {
                let (x, y) = size.xy(p);
                let (dx, dy) = (x as f64 - cx, y as f64 - cy);
                // A floor keeps far points possible and the sum above 0.
                (-(dx * dx + dy * dy) / (2.0 * sd * sd)).exp().max(1e-6)
            }
            None if *a == Action::PASS => 0.0,
            None => 1.0,
        }));
    }
}

/// Whether the game is over, proven, or won by one ply.
fn decided<G: Game>(game: &mut G) -> bool {
    if game.outcome().is_some() {
        return true;
    }
    match game.proven(0) {
        Some(Proof::Win(_) | Proof::Loss | Proof::Draw) => return true,
        Some(Proof::Only(_)) | None => {}
    }
    if game.offer().is_some() {
        return false;
    }
    let seat = game.to_act();
    let mut legal = Vec::new();
    game.legal(&mut legal);
    legal.into_iter().any(|action| {
        game.apply(action);
        let won = game.outcome().is_some_and(|o| o.value(seat) > 0.0);
        game.undo();
        won
    })
}

/// The smallest hash among the position's symmetric images: equal for starts that differ by a rotation or reflection
/// or by the order of moves. The actions must be legal.
pub fn canonical_hash<G: Game>(setup: &G::Setup, actions: &[Action]) -> u64 {
    let size = G::start(setup).size();
    let image = |&symmetry: &Symmetry| {
        let mut game = G::start(setup);
        for &action in actions {
            let mapped = game.map(symmetry, action);
            game.apply(mapped);
        }
        game.hash()
    };
    Symmetry::of(size).iter().map(image).min().unwrap_or(0)
}

/// The smallest image of an action sequence, to count games that are equal up to symmetry.
pub fn canonical_actions<G: Game>(game: &G, actions: &[Action]) -> Vec<Action> {
    let image = |&symmetry: &Symmetry| actions.iter().map(|&a| game.map(symmetry, a)).collect::<Vec<Action>>();
    Symmetry::of(game.size()).iter().map(image).min().unwrap_or_default()
}
