//! Ratings of a whole table: Bradley–Terry with draws (R. R. Davidson, JASA 65, 1970) and a first-seat term.
//!
//! For a game between i (first seat) and j: win ∝ π_i·γ, loss ∝ π_j, draw ∝ ν·√(π_i·γ·π_j). In logarithms that is a
//! multinomial logit with linear features, so the likelihood is concave and Newton's method finds the maximum. Every
//! player gets two virtual games spread evenly over the others, half drawn, a quarter won, a quarter lost (all drawn
//! would send ν to infinity): ratings stay finite, and players without games get wide intervals.
//! Not here: which games are independent; duplicates must be taken out before.

use std::f64::consts::LN_10;

use crate::interval::Interval;
use crate::normal::Z95;

/// Games between two players with `first` in the first seat; counts by the first seat's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Index of the player in the first seat.
    pub first: usize,
    /// Index of the player in the second seat.
    pub second: usize,
    /// Games the first seat won.
    pub wins: f64,
    /// Draws.
    pub draws: f64,
    /// Games the second seat won.
    pub losses: f64,
}

/// The task: `players` players, the games, and who is 0 Elo.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Number of players.
    pub players: usize,
    /// Games; an entry whose indices are out of range or equal is left out.
    pub meetings: Vec<Meeting>,
    /// The player whose rating is fixed at 0.
    pub anchor: usize,
    /// Virtual games per player that end even on average; 2 is weak. At least 0.01 is used.
    pub prior_games: f64,
}

/// One player's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo relative to the anchor.
    pub elo: f64,
    /// 95 % interval relative to the anchor; of width 0 for the anchor itself.
    pub interval: Interval,
    /// Real games played.
    pub games: f64,
    /// Share of points won; ½ without games.
    pub score: f64,
}

/// A fitted table.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderFit {
    /// By player index.
    pub ratings: Vec<Rating>,
    /// Advantage of the first seat in Elo, with its 95 % interval.
    pub first_seat: (f64, Interval),
    /// Draw parameter ν: two equal players draw with probability ν/(2+ν).
    pub draw: f64,
    /// Covariance of the ratings in Elo², row by row; zero in the anchor's row and column.
    pub covariance: Vec<f64>,
}

impl LadderFit {
    /// Elo of player `a` minus player `b` with its 95 % interval, from the joint fit.
    pub fn difference(&self, a: usize, b: usize) -> (f64, Interval) {
        let n = self.ratings.len();
        let c = |i: usize, j: usize| self.covariance[i * n + j];
        let elo = self.ratings[a].elo - self.ratings[b].elo;
        let half = Z95 * (c(a, a) + c(b, b) - 2.0 * c(a, b)).max(0.0).sqrt();
        (elo, Interval { low: elo - half, high: elo + half })
    }
}

const ELO: f64 = 400.0 / LN_10;

impl Ladder {
    /// Fits the table. None with fewer than two players or with an anchor out of range.
    pub fn fit(&self) -> Option<LadderFit> {
        if self.players < 2 || self.anchor >= self.players {
            return None;
        }
        let rows = self.rows();
        // Parameters: players' ln π, then ln γ, then ln ν. The anchor's is fixed by leaving it out of the equations.
        let size = self.players + 2;
        let mut x = vec![0.0; size];
        let mut value = likelihood(&rows, &x, self.players);
        let mut inverse = None;
        for _ in 0..200 {
            let (gradient, hessian) = derivatives(&rows, &x, self.players);
            let step = self.solve(&hessian, &gradient)?;
            inverse = Some(hessian);
            let mut scale = 1.0;
            let mut next: Vec<f64> = x.iter().zip(&step).map(|(a, b)| a + b).collect();
            let mut next_value = likelihood(&rows, &next, self.players);
            while next_value < value && scale > 1e-9 {
                scale *= 0.5;
                next = x.iter().zip(&step).map(|(a, b)| a + scale * b).collect();
                next_value = likelihood(&rows, &next, self.players);
            }
            let moved = step.iter().fold(0.0f64, |m, s| m.max(s.abs())) * scale;
            if next_value >= value {
                (x, value) = (next, next_value);
            }
            if moved < 1e-10 {
                break;
            }
        }
        self.finish(&x, &inverse?)
    }

    /// Games and virtual draws with valid indices.
    fn rows(&self) -> Vec<Meeting> {
        let valid = |m: &&Meeting| {
            let counts = [m.wins, m.draws, m.losses];
            m.first < self.players
                && m.second < self.players
                && m.first != m.second
                && counts.iter().all(|c| c.is_finite() && *c >= 0.0)
        };
        let mut rows: Vec<Meeting> = self.meetings.iter().filter(valid).copied().collect();
        // Half of each pair's virtual games in either seating, so that the seat term gets no push.
        let each = self.prior_games.max(0.01) / (self.players - 1) as f64 / 2.0;
        for first in 0..self.players {
            for second in (0..self.players).filter(|&s| s != first) {
                rows.push(Meeting { first, second, wins: each / 4.0, draws: each / 2.0, losses: each / 4.0 });
            }
        }
        rows
    }

    /// Solves −H·step = gradient with the anchor held; H is negative definite elsewhere.
    fn solve(&self, hessian: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
        let size = gradient.len();
        let free: Vec<usize> = (0..size).filter(|&i| i != self.anchor).collect();
        let matrix: Vec<f64> = free.iter().flat_map(|&i| free.iter().map(move |&j| -hessian[i * size + j])).collect();
        let right: Vec<f64> = free.iter().map(|&i| gradient[i]).collect();
        let solved = solve_positive(matrix, vec![right])?;
        let mut step = vec![0.0; size];
        free.iter().zip(&solved[0]).for_each(|(&i, &s)| step[i] = s);
        Some(step)
    }

    fn finish(&self, x: &[f64], hessian: &[f64]) -> Option<LadderFit> {
        let (n, size) = (self.players, x.len());
        let free: Vec<usize> = (0..size).filter(|&i| i != self.anchor).collect();
        let matrix: Vec<f64> = free.iter().flat_map(|&i| free.iter().map(move |&j| -hessian[i * size + j])).collect();
        let unit = (0..free.len()).map(|k| (0..free.len()).map(|i| f64::from(u8::from(i == k))).collect()).collect();
        let inverse = solve_positive(matrix, unit)?;
        let mut covariance = vec![0.0; n * n];
        for (a, &i) in free.iter().enumerate().filter(|(_, i)| **i < n) {
            for (b, &j) in free.iter().enumerate().filter(|(_, j)| **j < n) {
                covariance[i * n + j] = inverse[a][b] * ELO * ELO;
            }
        }
        let around = |elo: f64, sd: f64| Interval { low: elo - Z95 * sd, high: elo + Z95 * sd };
        let seat_at = free.iter().position(|&i| i == n)?;
        let seat_sd = inverse[seat_at][seat_at].max(0.0).sqrt() * ELO;
        let ratings = (0..n)
            .map(|i| {
                let elo = (x[i] - x[self.anchor]) * ELO;
                let (games, score) = self.tally(i);
                Rating { elo, interval: around(elo, covariance[i * n + i].max(0.0).sqrt()), games, score }
            })
            .collect();
        let first_seat = (x[n] * ELO, around(x[n] * ELO, seat_sd));
        Some(LadderFit { ratings, first_seat, draw: x[n + 1].exp(), covariance })
    }

    /// Real games and share of points of a player.
    fn tally(&self, player: usize) -> (f64, f64) {
        let (mut games, mut points) = (0.0, 0.0);
        for m in self.meetings.iter().filter(|m| m.first != m.second) {
            let won = if m.first == player {
                m.wins
            } else if m.second == player {
                m.losses
            } else {
                continue;
            };
            games += m.wins + m.draws + m.losses;
            points += won + m.draws / 2.0;
        }
        (games, if games > 0.0 { points / games } else { 0.5 })
    }
}

/// Log-probabilities of win, draw, loss for the first seat.
fn log_chances(m: &Meeting, x: &[f64], players: usize) -> [f64; 3] {
    let win = x[m.first] + x[players];
    let loss = x[m.second];
    let draw = x[players + 1] + 0.5 * (win + loss);
    let top = win.max(loss).max(draw);
    let norm = top + ((win - top).exp() + (draw - top).exp() + (loss - top).exp()).ln();
    [win - norm, draw - norm, loss - norm]
}

fn likelihood(rows: &[Meeting], x: &[f64], players: usize) -> f64 {
    let one = |m: &Meeting| {
        let [w, d, l] = log_chances(m, x, players);
        m.wins * w + m.draws * d + m.losses * l
    };
    rows.iter().map(one).sum()
}

/// Gradient and Hessian of the log-likelihood.
fn derivatives(rows: &[Meeting], x: &[f64], players: usize) -> (Vec<f64>, Vec<f64>) {
    let size = x.len();
    let mut gradient = vec![0.0; size];
    let mut hessian = vec![0.0; size * size];
    for m in rows {
        let p = log_chances(m, x, players).map(f64::exp);
        // Which parameters a game touches, and their coefficients under win, draw, loss.
        let at = [m.first, m.second, players, players + 1];
        let features = [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.0]];
        let counts = [m.wins, m.draws, m.losses];
        let games: f64 = counts.iter().sum();
        let mean = features.map(|f| (0..3).map(|k| f[k] * p[k]).sum::<f64>());
        for a in 0..4 {
            gradient[at[a]] += (0..3).map(|k| counts[k] * features[a][k]).sum::<f64>() - games * mean[a];
            for b in 0..4 {
                let both: f64 = (0..3).map(|k| features[a][k] * features[b][k] * p[k]).sum();
                hessian[at[a] * size + at[b]] -= games * (both - mean[a] * mean[b]);
            }
        }
    }
    (gradient, hessian)
}

/// Solves a symmetric positive definite system for several right sides by elimination; none if it's singular.
fn solve_positive(mut matrix: Vec<f64>, mut right: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = right.first()?.len();
    for k in 0..n {
        let pivot = matrix[k * n + k];
        if pivot.is_nan() || pivot <= 1e-14 {
            return None;
        }
        for i in k + 1..n {
            let factor = matrix[i * n + k] / pivot;
            for j in k..n {
                matrix[i * n + j] -= factor * matrix[k * n + j];
            }
            right.iter_mut().for_each(|r| r[i] -= factor * r[k]);
        }
    }
    for r in &mut right {
        for k in (0..n).rev() {
            let rest: f64 = (k + 1..n).map(|j| matrix[k * n + j] * r[j]).sum();
            r[k] = (r[k] - rest) / matrix[k * n + k];
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::score_of_elo;
    use crate::rng::SplitMix;

    fn ladder(players: usize, meetings: Vec<Meeting>) -> Ladder {
        Ladder { players, meetings, anchor: 0, prior_games: 2.0 }
    }

    fn both(a: usize, b: usize, wins: f64, draws: f64, losses: f64) -> [Meeting; 2] {
        [
            Meeting { first: a, second: b, wins, draws, losses },
            Meeting { first: b, second: a, wins: losses, draws, losses: wins },
        ]
    }

    #[test]
    fn two_players_match_the_closed_form() {
        // Without a seat effect the maximum has π0/π1 = (wins + draws/2)/(losses + draws/2) only in balance with ν; a
        // large sample with few draws must come near the plain logistic Elo of the decisive games.
        let fit = ladder(2, both(1, 0, 7500.0, 0.0, 2500.0).to_vec()).fit().unwrap();
        assert!((fit.ratings[1].elo - 190.85).abs() < 0.5, "{fit:?}");
        assert_eq!(fit.ratings[0].elo, 0.0);
        assert_eq!(fit.ratings[0].interval.width(), 0.0);
        assert!(fit.first_seat.0.abs() < 1e-6);
        // Standard error of a logit from 20,000 games: 1/sqrt(n p q), in Elo.
        let sd = ELO / (20_000.0f64 * 0.75 * 0.25).sqrt();
        assert!((fit.ratings[1].interval.width() / (2.0 * Z95 * sd) - 1.0).abs() < 0.01);
    }

    #[test]
    fn stationary_and_recovers_a_simulated_table() {
        let truth = [0.0, 120.0, -80.0, 300.0, 40.0];
        let (seat, nu) = (35.0, 0.4f64);
        let mut rng = SplitMix::new(11);
        let mut meetings = Vec::new();
        for first in 0..5 {
            for second in (0..5).filter(|&s| s != first) {
                let mut m = Meeting { first, second, wins: 0.0, draws: 0.0, losses: 0.0 };
                let (w, l) = (10f64.powf((truth[first] + seat) / 400.0), 10f64.powf(truth[second] / 400.0));
                let d = nu * (w * l).sqrt();
                for _ in 0..400 {
                    let u = rng.unit() * (w + d + l);
                    *(if u < w {
                        &mut m.wins
                    } else if u < w + d {
                        &mut m.draws
                    } else {
                        &mut m.losses
                    }) += 1.0;
                }
                meetings.push(m);
            }
        }
        let task = ladder(5, meetings);
        let fit = task.fit().unwrap();
        for i in 0..5 {
            let (elo, half) = (fit.ratings[i].elo, fit.ratings[i].interval.width() / 2.0);
            assert!((elo - truth[i]).abs() <= 1.3 * half, "{i}: {elo} ± {half}, truth {}", truth[i]);
        }
        assert!(fit.first_seat.1.contains(seat), "{:?}", fit.first_seat);
        assert!((fit.draw - nu).abs() < 0.08);
        let (d, i) = fit.difference(3, 1);
        assert!(
            (d - 180.0).abs() < 40.0 && i.width() < fit.ratings[3].interval.width() + fit.ratings[1].interval.width()
        );
    }

    #[test]
    fn degenerate_tables_stay_finite() {
        let finite = |fit: &LadderFit| {
            fit.ratings.iter().all(|r| r.elo.is_finite() && r.interval.low.is_finite() && r.interval.high.is_finite())
        };
        assert!(ladder(0, vec![]).fit().is_none());
        assert!(Ladder { anchor: 3, ..ladder(2, vec![]) }.fit().is_none());
        assert!(ladder(1, vec![]).fit().is_none());
        let empty = ladder(3, vec![]).fit().unwrap();
        assert!(finite(&empty) && empty.ratings.iter().all(|r| r.elo.abs() < 1e-6 && r.score == 0.5));
        assert!(empty.ratings[1].interval.width() > 500.0);
        let won = ladder(2, both(1, 0, 50.0, 0.0, 0.0).to_vec()).fit().unwrap();
        assert!(finite(&won) && won.ratings[1].elo > 300.0 && won.ratings[1].elo < 2000.0, "{won:?}");
        let drawn = ladder(2, both(1, 0, 0.0, 50.0, 0.0).to_vec()).fit().unwrap();
        assert!(finite(&drawn) && drawn.ratings[1].elo.abs() < 1e-6);
        // Player 2 has no games at all: wide interval, not an error.
        let apart = ladder(3, both(1, 0, 30.0, 2.0, 20.0).to_vec()).fit().unwrap();
        assert!(apart.ratings[2].interval.width() > 3.0 * apart.ratings[1].interval.width(), "{apart:?}");
    }

    #[test]
    fn davidson_reduces_to_logistic_scores_without_draws() {
        let fit = ladder(2, both(1, 0, 640.0, 0.0, 360.0).to_vec()).fit().unwrap();
        assert!((score_of_elo(fit.ratings[1].elo) - 0.64).abs() < 2e-3);
    }
}
