//! The running count of a match, in order of game index. Not here: decisions (`gate`), text (`report`).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tengen_data::{EndReason, GameRecord};
use tengen_game::{Action, Game, Outcome, Seat};
use tengen_play::{canonical_actions, seat_of_first};
use tengen_stats::PairCounts;

/// Counts of a match, from the view of player A.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Complete pairs.
    pub pairs: u64,
    /// Pairs in which A made 0, ½, 1, 1½ and 2 points.
    pub counts: [u64; 5],
    /// Games that A won.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Games that the rules left without a result; half a point each, as draws.
    pub no_results: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Games with A in the first seat: won by the first seat, drawn (or no result), won by the second seat.
    pub as_first: [u64; 3],
    /// Games with A in the second seat: won by the first seat, drawn (or no result), won by the second seat.
    pub as_second: [u64; 3],
    /// Games cut by the ply cap; their results are estimates.
    pub truncated: u64,
    /// Games that a seat gave up.
    pub resigned: u64,
    /// Games lost by breaking the rules.
    pub forfeits: u64,
    /// Games with different actions.
    pub distinct_games: u64,
    /// Games with different actions when rotated and reflected games count as one.
    pub distinct_up_to_symmetry: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Positions the models were asked about; answers from a cache included.
    pub evaluations: u64,
    #[serde(skip)]
    seen: BTreeSet<Vec<Action>>,
    #[serde(skip)]
    seen_images: BTreeSet<Vec<Action>>,
}

impl Tally {
    /// Counts one pair: A in the first seat, then exchanged. `empty` is the first position, for the board's symmetries.
    pub fn add<G: Game>(&mut self, empty: &G, games: &[GameRecord; 2]) {
        let mut points = [0.0; 2];
        for (record, points) in games.iter().zip(&mut points) {
            let seat = seat_of_first(record.index);
            *points = record.outcome.points(seat);
            match record.outcome {
                Outcome::Win(winner) if winner == seat => self.wins += 1,
                Outcome::Win(_) => self.losses += 1,
                Outcome::Draw => self.draws += 1,
                Outcome::NoResult => self.no_results += 1,
            }
            let by_seat = if seat == Seat::First { &mut self.as_first } else { &mut self.as_second };
            by_seat[match record.outcome {
                Outcome::Win(Seat::First) => 0,
                Outcome::Draw | Outcome::NoResult => 1,
                Outcome::Win(Seat::Second) => 2,
            }] += 1;
            match record.end {
                EndReason::Rules => {}
                EndReason::Resigned => self.resigned += 1,
                EndReason::Truncated => self.truncated += 1,
                EndReason::Forfeit => self.forfeits += 1,
            }
            self.plies += record.moves.len() as u64;
            self.evaluations += record.evaluations;
            let actions: Vec<Action> = record.actions().collect();
            self.seen_images.insert(canonical_actions(empty, &actions));
            self.seen.insert(actions);
        }
        self.distinct_games = self.seen.len() as u64;
        self.distinct_up_to_symmetry = self.seen_images.len() as u64;
        let mut counts = self.pair_counts();
        counts.add(points[0], points[1]);
        self.counts = counts.0;
        self.pairs += 1;
    }

    /// For statistics.
    pub fn pair_counts(&self) -> PairCounts {
        PairCounts(self.counts)
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        2 * self.pairs
    }

    /// Points of player A.
    pub fn points(&self) -> f64 {
        self.wins as f64 + (self.draws + self.no_results) as f64 / 2.0
    }

    /// Share of points that went to the first seat, whoever held it; ½ without games.
    pub fn first_seat_share(&self) -> f64 {
        let sum = |i: usize| (self.as_first[i] + self.as_second[i]) as f64;
        if self.pairs == 0 { 0.5 } else { (sum(0) + sum(1) / 2.0) / self.games() as f64 }
    }

    /// Share of games that repeat an earlier one move by move; they are no evidence of their own.
    pub fn duplicate_share(&self) -> f64 {
        if self.pairs == 0 { 0.0 } else { 1.0 - self.distinct_games as f64 / self.games() as f64 }
    }
}
