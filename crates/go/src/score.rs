//! Area scoring: who owns each point, taxes, margins. Not here: territory scoring, and opinions about dead stones other
//! than what is proven pass-alive.

use tengen_game::{BoardResult, Colour, MAX_POINTS, Point, PointSet};

use crate::board::{GoBoard, colour_of};
use crate::chains::EMPTY;
use crate::rules::{GoRules, Tax, Tie};

/// Points on the board, komi not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// Black's points after tax.
    pub black: i32,
    /// White's points after tax.
    pub white: i32,
    /// Points of the board that count for nobody.
    pub neutral: i32,
}

impl Score {
    /// Black minus White minus komi.
    pub fn margin(&self, komi: f32) -> f32 {
        (self.black - self.white) as f32 - komi
    }

    /// Who has won under `rules`.
    pub fn result(&self, rules: &GoRules) -> BoardResult {
        let margin = self.margin(rules.komi);
        match rules.tie {
            _ if margin > 0.0 => BoardResult::Win(Colour::Black),
            _ if margin < 0.0 => BoardResult::Win(Colour::White),
            Tie::Black => BoardResult::Win(Colour::Black),
            Tie::White => BoardResult::Win(Colour::White),
            Tie::Draw => BoardResult::Draw,
        }
    }
}

impl GoBoard {
    /// The score of the position as it stands, whether or not the game is over. Under `early_end`, stones inside the
    /// opponent's pass-alive territory count as removed; otherwise all stones count as alive.
    pub fn score(&self) -> Score {
        let owner = self.area();
        let [black, white] = Colour::BOTH.map(|colour| self.points_of(colour, &owner));
        let held = owner.iter().filter(|owner| owner.is_some()).count();
        let untaxed = owner.len() - held;
        let neutral = if self.rules().tax == Tax::None { untaxed } else { owner.len() - black.1 - white.1 };
        Score { black: black.0, white: white.0, neutral: neutral as i32 }
    }

    /// Points of a colour after tax, and how many points of the board count for it.
    fn points_of(&self, colour: Colour, owner: &[Option<Colour>]) -> (i32, usize) {
        if self.rules().tax == Tax::None {
            let held = owner.iter().filter(|&&owner| owner == Some(colour)).count();
            return (held as i32, held);
        }
        let (living, groups) = self.independent(colour, owner);
        let counted = self
            .size()
            .points()
            .filter(|&p| owner[p.index()] == Some(colour) && (self.stone(p) == Some(colour) || living.contains(p)));
        let counted = counted.count();
        let tax = if self.rules().tax == Tax::All { 2 * groups as i32 } else { 0 };
        (counted as i32 - tax, counted)
    }

    /// Owner of every point, in index order: the colour of a stone, or of all stones around an empty region. Under
    /// `early_end` pass-alive territory belongs to its owner, stones inside it or not.
    pub fn area(&self) -> Vec<Option<Colour>> {
        let mut owner = self.reach();
        if self.rules().early_end {
            self.clear_pass_alive(&mut owner);
        }
        owner
    }

    /// Final ownership for training labels, in index order: +1 Black, -1 White, 0 neutral. Stones inside the opponent's
    /// pass-alive territory count as removed under every rule set.
    pub fn ownership(&self) -> Vec<i8> {
        let mut owner = self.reach();
        self.clear_pass_alive(&mut owner);
        let sign = |owner: &Option<Colour>| match owner {
            Some(Colour::Black) => 1,
            Some(Colour::White) => -1,
            None => 0,
        };
        owner.iter().map(sign).collect()
    }

    /// The score when the stones of `dead` are taken off first, as players agree after the end.
    pub fn score_without(&self, dead: &PointSet) -> Score {
        let stones: Vec<_> = self
            .size()
            .points()
            .filter(|p| !dead.contains(*p))
            .filter_map(|p| self.stone(p).map(|colour| (colour, p)))
            .collect();
        GoBoard::with_stones(self.rules(), &stones, self.to_play()).score()
    }

    /// Tromp-Taylor area: an empty region belongs to a colour when it borders no stone of the other.
    fn reach(&self) -> Vec<Option<Colour>> {
        let points = self.stones.points();
        let mut owner: Vec<Option<Colour>> = points.iter().map(|&value| colour_of(value)).collect();
        let mut seen = [false; MAX_POINTS];
        let mut region: Vec<u16> = Vec::with_capacity(points.len());
        for start in 0..points.len() {
            if points[start] != EMPTY || seen[start] {
                continue;
            }
            seen[start] = true;
            region.clear();
            region.push(start as u16);
            let mut borders = [false; 4];
            let mut next = 0;
            while next < region.len() {
                for n in self.stones.near(region[next]) {
                    let there = self.stones.at(n);
                    borders[there as usize] = true;
                    if there == EMPTY && !seen[n as usize] {
                        seen[n as usize] = true;
                        region.push(n);
                    }
                }
                next += 1;
            }
            let of = match borders {
                [true, false, ..] => Some(Colour::Black),
                [false, true, ..] => Some(Colour::White),
                _ => None,
            };
            region.iter().for_each(|&p| owner[p as usize] = of);
        }
        owner
    }

    fn clear_pass_alive(&self, owner: &mut [Option<Colour>]) {
        for colour in Colour::BOTH {
            let (_, territory) = self.pass_alive(colour);
            territory.iter().for_each(|p| owner[p.index()] = Some(colour));
        }
    }

    /// Regions owned by `colour` that live by themselves: no point of them touches an empty point that nobody owns, and
    /// no chain of the colour in them has a single liberty. Returns their points and how many regions there are.
    fn independent(&self, colour: Colour, owner: &[Option<Colour>]) -> (PointSet, usize) {
        let mut seen = vec![false; owner.len()];
        let (mut living, mut regions) = (PointSet::EMPTY, 0);
        let mut region: Vec<u16> = Vec::with_capacity(owner.len());
        for start in self.size().points() {
            if owner[start.index()] != Some(colour) || seen[start.index()] {
                continue;
            }
            seen[start.index()] = true;
            region.clear();
            region.push(start.0);
            let (mut next, mut lives) = (0, true);
            while next < region.len() {
                let p = region[next];
                next += 1;
                lives &= self.stones.at(p) != colour as u8 || self.liberties(Point(p)) != 1;
                for n in self.stones.near(p) {
                    if n as usize == owner.len() {
                        continue;
                    }
                    lives &= owner[n as usize].is_some() || self.stones.at(n) != EMPTY;
                    if owner[n as usize] == Some(colour) && !seen[n as usize] {
                        seen[n as usize] = true;
                        region.push(n);
                    }
                }
            }
            if lives {
                regions += 1;
                region.iter().for_each(|&p| living.insert(Point(p)));
            }
        }
        (living, regions)
    }
}
