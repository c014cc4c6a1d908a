//! Training targets from a finished game: value, short-term value, opponent's reply. Ownership and margin come from the
//! final board (`Encode::ownership`, `Game::margin`). Not here: records and shards; the caller hands over plain plies.
//!
//! Signs follow seats (`learning` trap: never the ply count). Values that a result can't be trusted for take the search
//! value instead: truncated games, plies before an exploratory wrong protocol choice (it would pull earlier values
//! towards even and fake fairness), and plies before a random move in the middle of a game.

use tengen_game::{Action, Outcome, Seat};

/// One ply of a finished game, as labels need it.
#[derive(Clone, Copy, Debug)]
pub struct Ply<'a> {
    /// Who acted.
    pub seat: Seat,
    /// Whether a search stands behind the values below (false for random starts).
    pub searched: bool,
    /// Search value in [-1, 1] for `seat`.
    pub value: f32,
    /// Whether the action played was the search's best.
    pub best: bool,
    /// Whether it was a protocol decision.
    pub choice: bool,
    /// Policy target, ascending by action.
    pub policy: &'a [(Action, f32)],
    /// Weight of the row.
    pub weight: f32,
}

/// How labels are mixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelConfig {
    /// Share of the search value in the value target, 0 = outcome only, 1 = search only.
    pub search_share: f32,
    /// Horizon of the short-term value, in plies.
    pub short_horizon: f32,
}

impl Default for LabelConfig {
    fn default() -> LabelConfig {
        LabelConfig { search_share: 0.25, short_horizon: 6.0 }
    }
}

/// Targets of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Label<'a> {
    /// Win, draw, loss probabilities for the seat to act, sum 1.
    pub wdl: [f32; 3],
    /// The same, a few plies ahead.
    pub short: [f32; 3],
    /// Policy target.
    pub policy: &'a [(Action, f32)],
    /// The opponent's next policy target; none where the next ply has the same seat, no search, or doesn't exist.
    pub reply: Option<&'a [(Action, f32)]>,
    /// Row weight.
    pub weight: f32,
    /// Whether the game's own end (result, margin, ownership) may be used for this row.
    pub final_known: bool,
}

fn wdl_of_outcome(outcome: Outcome, seat: Seat) -> [f32; 3] {
    match outcome {
        Outcome::Win(winner) if winner == seat => [1.0, 0.0, 0.0],
        Outcome::Win(_) => [0.0, 0.0, 1.0],
        Outcome::Draw | Outcome::NoResult => [0.0, 1.0, 0.0],
    }
}

/// A value in [-1, 1] as win and loss shares. A search value doesn't say how much of it is draw.
fn wdl_of_value(value: f32) -> [f32; 3] {
    let v = value.clamp(-1.0, 1.0);
    [(1.0 + v) / 2.0, 0.0, (1.0 - v) / 2.0]
}

fn mix(a: [f32; 3], b: [f32; 3], share_of_b: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] * (1.0 - share_of_b) + b[i] * share_of_b)
}

/// Seen from the other seat.
fn flipped(w: [f32; 3], same_seat: bool) -> [f32; 3] {
    if same_seat { w } else { [w[2], w[1], w[0]] }
}

/// Targets for every searched ply, in order; unsearched plies give none. `outcome` is none for a truncated game.
pub fn labels<'a>(plies: &[Ply<'a>], outcome: Option<Outcome>, config: &LabelConfig) -> Vec<Option<Label<'a>>> {
    let mut out: Vec<Option<Label<'a>>> = Vec::with_capacity(plies.len());
    // Backwards: the short-term target is a running average of what comes later.
    let keep = (-1.0 / config.short_horizon.max(0.1)).exp();
    let mut trusted = outcome;
    let mut ahead: Option<(Seat, [f32; 3])> = None;
    let mut random_next = false;
    for (k, ply) in plies.iter().enumerate().rev() {
        let own = wdl_of_value(ply.value);
        let end = outcome.map(|o| wdl_of_outcome(o, ply.seat));
        // Before an exploratory wrong protocol choice the rest of the game says little about this position.
        let wrong_choice = ply.searched && ply.choice && !ply.best;
        if wrong_choice || !ply.searched {
            trusted = None;
        }
        let before_random = std::mem::replace(&mut random_next, !ply.searched);
        let cut = wrong_choice || before_random;
        let after = match ahead {
            _ if cut => own,
            Some((seat, w)) => flipped(w, seat == ply.seat),
            None => end.unwrap_or(own),
        };
        let final_known = trusted.is_some();
        if ply.searched {
            let next = plies.get(k + 1).filter(|n| n.searched && n.seat != ply.seat && !n.policy.is_empty());
            let wdl = match trusted {
                Some(o) => mix(wdl_of_outcome(o, ply.seat), own, config.search_share),
                None => own,
            };
            out.push(Some(Label {
                wdl,
                short: after,
                policy: ply.policy,
                reply: next.map(|n| n.policy),
                weight: ply.weight,
                final_known,
            }));
            ahead = Some((ply.seat, mix(own, after, keep)));
        } else {
            out.push(None);
            ahead = Some((ply.seat, after));
        }
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(seat: Seat, value: f32) -> Ply<'static> {
        static POLICY: [(Action, f32); 1] = [(Action(3), 1.0)];
        Ply { seat, searched: true, value, best: true, choice: false, policy: &POLICY, weight: 1.0 }
    }

    #[test]
    fn values_belong_to_the_seat_that_acts() {
        use Seat::*;
        // First places twice in a row, then Second, then First: signs follow seats, not plies.
        let plies = [ply(First, 0.0), ply(First, 0.0), ply(Second, 0.0), ply(First, 0.0)];
        let config = LabelConfig { search_share: 0.0, short_horizon: 6.0 };
        let out = labels(&plies, Some(Outcome::Win(First)), &config);
        let wins: Vec<f32> = out.iter().map(|l| l.as_ref().unwrap().wdl[0]).collect();
        assert_eq!(wins, [1.0, 1.0, 0.0, 1.0]);
        let reply: Vec<bool> = out.iter().map(|l| l.as_ref().unwrap().reply.is_some()).collect();
        assert_eq!(reply, [false, true, true, false]);
        let short: Vec<bool> = out.iter().map(|l| l.as_ref().unwrap().short[0] > 0.5).collect();
        assert_eq!(short, [true, true, false, true]);
    }

    #[test]
    fn an_exploratory_wrong_choice_shields_earlier_rows() {
        use Seat::*;
        let mut wrong = ply(Second, 0.9);
        wrong.choice = true;
        wrong.best = false;
        let plies = [ply(First, -0.8), wrong, ply(First, 0.7)];
        let config = LabelConfig { search_share: 0.0, short_horizon: 6.0 };
        let out = labels(&plies, Some(Outcome::Win(First)), &config);
        let first = out[0].as_ref().unwrap();
        assert!(first.wdl[0] < 0.2 && !first.final_known, "the search value, not the lucky result");
        let last = out[2].as_ref().unwrap();
        assert!(last.wdl[0] == 1.0 && last.final_known);
    }

    #[test]
    fn a_random_move_shields_the_rows_before_it() {
        use Seat::*;
        let mut random = ply(First, 0.0);
        random.searched = false;
        let plies = [ply(First, 0.6), ply(Second, -0.6), random, ply(Second, 0.8), ply(First, -0.9)];
        let config = LabelConfig { search_share: 0.0, short_horizon: 6.0 };
        let out = labels(&plies, Some(Outcome::Win(Second)), &config);
        assert!(out[2].is_none());
        let early: Vec<f32> = out[..2].iter().map(|l| l.as_ref().unwrap().wdl[0]).collect();
        assert!((early[0] - 0.8).abs() < 1e-6 && (early[1] - 0.2).abs() < 1e-6, "search values: {early:?}");
        assert!(out[1].as_ref().unwrap().short[0] < 0.3, "what came after the random move says nothing");
        assert_eq!(out[3].as_ref().unwrap().wdl, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn truncated_games_use_the_search_value() {
        let plies = [ply(Seat::First, 0.5)];
        let out = labels(&plies, None, &LabelConfig { search_share: 0.0, short_horizon: 6.0 });
        let l = out[0].as_ref().unwrap();
        assert!((l.wdl[0] - 0.75).abs() < 1e-6 && !l.final_known);
    }

    #[test]
    fn short_term_decays_towards_what_comes_next() {
        use Seat::*;
        let mut plies: Vec<Ply> = (0..20).map(|i| ply(if i % 2 == 0 { First } else { Second }, 0.0)).collect();
        // Second sees a win at ply 3.
        plies[3].value = 1.0;
        let out = labels(&plies, Some(Outcome::Win(First)), &LabelConfig { search_share: 0.0, short_horizon: 4.0 });
        let near = out[2].as_ref().unwrap().short;
        let far = out[16].as_ref().unwrap().short;
        assert!(near[2] > 0.5, "two plies ahead it looks lost for First: {near:?}");
        assert!(far[0] > 0.7, "near the end it leans to the result: {far:?}");
    }
}
