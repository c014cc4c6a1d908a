//! A proposal of dead stones for people to confirm: what random games played on from here mostly lose. What is proven by
//! pass-alive groups is certain either way. An opinion, not a rule; nothing automatic depends on it.

use tengen_game::zobrist::mix;
use tengen_game::{Colour, PointSet};

use crate::board::GoBoard;
use crate::rules::{Cycle, End, GoRules, Ko, Scoring, Suicide};

/// Share of random games that a chain must survive not to be called dead.
const SURVIVES: f32 = 0.3;

impl GoBoard {
    /// Chains that look dead, from `playouts` random games; the same for the same position. About a millisecond for 64
    /// games on 9x9.
    pub fn suggest_dead(&self, playouts: u32) -> PointSet {
        let size = self.size();
        let alive = Colour::BOTH.map(|colour| self.pass_alive(colour));
        let certain = |colour: Colour| (alive[colour.index()].0, alive[(!colour).index()].1);
        let mut kept = vec![0u32; size.area()];
        for game in 0..playouts {
            let seed = mix(self.stones_hash() ^ u64::from(game));
            let first = if game % 2 == 0 { self.to_play() } else { !self.to_play() };
            let owner = self.played_out(first, seed).area();
            for p in size.points() {
                kept[p.index()] += u32::from(owner[p.index()].is_some() && owner[p.index()] == self.stone(p));
            }
        }
        let mut dead = PointSet::EMPTY;
        for p in size.points() {
            let (Some(colour), Some((chain, _))) = (self.stone(p), self.chain(p)) else { continue };
            if chain.iter().next() != Some(p) {
                continue;
            }
            let (safe, lost) = certain(colour);
            let survived: u32 = chain.iter().map(|p| kept[p.index()]).sum();
            let share = survived as f32 / (chain.len() as u32 * playouts.max(1)) as f32;
            if !safe.contains(p) && (lost.contains(p) || playouts > 0 && share < SURVIVES) {
                dead = dead.or(&chain);
            }
        }
        dead
    }

    /// A random game from these stones under plain rules: no eye of its own is filled, a pass only when nothing is left.
    fn played_out(&self, first: Colour, seed: u64) -> GoBoard {
        let rules = GoRules {
            ko: Ko::Simple,
            cycle: Cycle::Allowed,
            suicide: Suicide::None,
            scoring: Scoring::Area,
            button: false,
            end: End::Passes,
            early_end: false,
            ..*self.rules()
        };
        let mut board = self.without_under(&rules, first);
        let mut random = seed;
        let most = board.moves() + 3 * board.size().area();
        while !board.is_over() && board.moves() < most {
            let action = board.random_move(|n| {
                random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
                ((u128::from(mix(random)) * n as u128) >> 64) as usize
            });
            board.place(action);
        }
        board
    }

    fn without_under(&self, rules: &GoRules, first: Colour) -> GoBoard {
        let stones: Vec<_> = self.size().points().filter_map(|p| self.stone(p).map(|colour| (colour, p))).collect();
        GoBoard::with_stones(rules, &stones, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_cases() {
        let rules: GoRules = "rules=japanese size=7".parse().unwrap();
        // White's lone stone in Black's half is dead, Black's one in White's eye space too; the walls live.
        let rows = ["...XO..", ".O.XO.O", "...XO..", "...XOX.", "...XO..", ".X.XO.O", "...XO.."];
        let board = GoBoard::from_position(&rules, &rows, Colour::Black).unwrap();
        let dead: Vec<(usize, usize)> = board.suggest_dead(64).iter().map(|p| board.size().xy(p)).collect();
        assert_eq!(dead, [(1, 1), (5, 3)]);
        assert_eq!(board.suggest_dead(64), board.suggest_dead(64));
    }
}
