//! Sequential halving (Karnin et al. 2013) as a schedule over arm numbers: every arm of a phase gets the same visits,
//! then the worse half leaves, until one more than the wanted survivors contest the rest of the budget.
//!
//! With one survivor this is the schedule of Gumbel search; with N it is the search for the N best offers. Arms that
//! turn out to be proven lost leave at once and are replaced when too few are left. Not here: scores.

/// The state of one schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Halving {
    /// All arms, most promising first; the first ones are considered, later ones replace dead ones.
    order: Vec<u16>,
    /// How many of `order` have entered.
    entered: usize,
    /// Arms still in the contest.
    alive: Vec<u16>,
    survivors: usize,
    phases: u32,
    budget: u32,
    spent: u32,
    /// Visits per arm in this phase.
    quota: u32,
    round: u32,
    cursor: usize,
}

/// How many arms the next phase has.
fn halved(arms: usize, survivors: usize) -> usize {
    (arms / 2).max(survivors + 1).min(arms)
}

/// Phases from `arms` down to one more than the survivors.
fn phases(arms: usize, survivors: usize) -> u32 {
    let (mut count, mut left) = (1, arms);
    while left > survivors + 1 {
        left = halved(left, survivors);
        count += 1;
    }
    count
}

impl Halving {
    /// Starts over: `considered` arms out of `order` (at least 1), `budget` visits.
    pub(crate) fn begin(&mut self, order: impl Iterator<Item = u16>, considered: usize, survivors: usize, budget: u32) {
        self.order.clear();
        self.order.extend(order);
        self.entered = considered.min(self.order.len());
        self.alive.clear();
        self.alive.extend_from_slice(&self.order[..self.entered]);
        self.survivors = survivors;
        self.phases = phases(self.entered, survivors);
        (self.budget, self.spent, self.round, self.cursor) = (budget, 0, 0, 0);
        self.set_quota();
    }

    fn set_quota(&mut self) {
        self.quota = (self.budget / (self.phases * self.alive.len().max(1) as u32)).max(1);
    }

    /// Arms in the contest, best first as of the last phase's end.
    pub(crate) fn alive(&self) -> &[u16] {
        &self.alive
    }

    /// The next arm to visit; none when the budget is spent or every arm is dead. `score` is asked at the end of a
    /// phase for the scores of all arms.
    pub(crate) fn next(
        &mut self,
        dead: impl Fn(usize) -> bool,
        score: impl FnOnce(&mut Vec<f32>),
        scores: &mut Vec<f32>,
    ) -> Option<usize> {
        if self.spent == self.budget {
            return None;
        }
        while self.alive.get(self.cursor).is_some_and(|&arm| dead(arm as usize)) {
            self.cursor += 1;
        }
        if self.cursor >= self.alive.len() {
            self.bury(&dead);
            self.cursor = 0;
            self.round += 1;
            if self.round >= self.quota && self.alive.len() > self.survivors + 1 {
                score(scores);
                self.narrow(scores);
            }
        }
        let arm = *self.alive.get(self.cursor)? as usize;
        self.cursor += 1;
        self.spent += 1;
        Some(arm)
    }

    /// Takes dead arms out and lets others in until the contest is one again.
    fn bury(&mut self, dead: impl Fn(usize) -> bool) {
        let before = self.alive.len();
        self.alive.retain(|&arm| !dead(arm as usize));
        if self.alive.len() == before {
            return;
        }
        while self.alive.len() < self.survivors + 1 && self.entered < self.order.len() {
            let arm = self.order[self.entered];
            self.entered += 1;
            if !dead(arm as usize) {
                self.alive.push(arm);
            }
        }
    }

    fn narrow(&mut self, scores: &[f32]) {
        self.alive.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
        self.alive.truncate(halved(self.alive.len(), self.survivors));
        self.round = 0;
        self.set_quota();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits per arm; arm i has score -i, arms in `dead` die at their first visit.
    fn run(arms: usize, considered: usize, survivors: usize, budget: u32, dead: &[usize]) -> Vec<u32> {
        let mut h = Halving::default();
        h.begin(0..arms as u16, considered, survivors, budget);
        let (mut counts, mut scores) = (vec![0; arms], Vec::new());
        let fill = |s: &mut Vec<f32>| *s = (0..arms).map(|i| -(i as f32)).collect();
        while let Some(arm) = {
            let seen = counts.clone();
            h.next(|a| dead.contains(&a) && seen[a] > 0, fill, &mut scores)
        } {
            counts[arm] += 1;
        }
        counts
    }

    #[test]
    fn schedules_are_as_in_the_paper() {
        // 200 / (4 phases x 16) = 3 each, then 6 for eight, 12 for four, 25 for two, and 6 left over.
        let mut expect = vec![49, 49, 21, 21, 9, 9, 9, 9];
        expect.extend([3; 8]);
        assert_eq!(run(20, 16, 1, 200, &[])[..16], expect);
        assert_eq!(run(20, 16, 1, 16, &[])[..17], [[1; 16].as_slice(), &[0]].concat());
        assert_eq!(run(5, 4, 1, 8, &[]), [3, 3, 1, 1, 0]);
        assert_eq!(run(5, 3, 1, 3, &[]), [1, 1, 1, 0, 0]);
        assert_eq!(run(5, 2, 1, 2, &[]), [1, 1, 0, 0, 0]);
        assert_eq!(run(5, 1, 1, 1, &[]), [1, 0, 0, 0, 0]);
        assert_eq!(run(1, 1, 1, 7, &[]), [7]);
    }

    #[test]
    fn survivors_share_the_last_phase() {
        let counts = run(30, 16, 5, 160, &[]);
        assert_eq!(counts.iter().sum::<u32>(), 160);
        // 16 -> 8 -> 6: three phases, so 3, 6 and 8 visits each, the rest shared among six.
        assert_eq!(counts[..6].iter().max().unwrap() - counts[..6].iter().min().unwrap(), 1);
        assert!(counts[5] >= 17 && counts[6] == 9 && counts[8] == 3 && counts[16] == 0);
    }

    #[test]
    fn the_dead_leave_and_are_replaced_and_the_budget_is_kept() {
        let counts = run(6, 2, 1, 20, &[0, 1, 2, 3]);
        assert_eq!(counts[..4], [1, 1, 1, 1]);
        assert_eq!(counts.iter().sum::<u32>(), 20);
        assert_eq!(run(3, 3, 1, 20, &[0, 1, 2]), [1, 1, 1], "all dead: the contest ends");
        for (arms, m, n, budget) in [(7, 7, 3, 50), (40, 16, 1, 33), (8, 8, 8, 100), (3, 3, 8, 11)] {
            assert_eq!(run(arms, m, n, budget, &[]).iter().sum::<u32>(), budget);
        }
    }
}
