//! Which moves are legal, and why others aren't: occupied points, suicide, ko, superko, and the clean-up's own ko rule.
//! Not here: what a move does (`board`).

use tengen_game::zobrist::STONE;
use tengen_game::{Action, Colour, Point, PointSet};

use crate::board::{GoBoard, colour_of};
use crate::chains::EMPTY;
use crate::rules::{Ko, Suicide};

/// Why a move may not be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// Not a point of this board and not a pass.
    #[error("not a point of this board")]
    OffBoard,
    /// A stone is there.
    #[error("occupied")]
    Occupied,
    /// Takes the mover's own stones, which these rules forbid.
    #[error("suicide")]
    Suicide,
    /// Retakes a ko at once.
    #[error("ko")]
    Ko,
    /// Makes an earlier position again.
    #[error("superko")]
    Superko,
    /// The game has ended.
    #[error("the game is over")]
    Over,
}

impl GoBoard {
    /// Whether `colour` may place or pass now, whoever's turn it is and whether or not the game is over. Tells why not.
    pub fn check(&self, colour: Colour, action: Action) -> Result<(), Illegal> {
        match action.as_point() {
            _ if action == Action::PASS => Ok(()),
            Some(p) if p.index() < self.size().area() => self.check_point(colour, p.0),
            _ => Err(Illegal::OffBoard),
        }
    }

    /// As `check`, for a point on the board.
    #[inline]
    pub(crate) fn check_point(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        if self.phase() > 0 {
            return self.check_cleanup(colour, p);
        }
        if self.stones.at(p) != EMPTY {
            return Err(Illegal::Occupied);
        }
        self.check_empty(colour, p)
    }

    /// As `check`, in the clean-up: no ko rule but that a ko may be taken once from the same stones. A pass for a ko is
    /// written as retaking the blocked stone, or as the point of that stone.
    #[inline(never)]
    fn check_cleanup(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        if self.lifts_block(colour, p).is_some() {
            return Ok(());
        }
        if self.stones.at(p) != EMPTY {
            return Err(Illegal::Occupied);
        }
        if self.stones.cell(p).libs == 0 {
            self.check_suicide(colour, p)?;
        }
        let taken = self.flow.as_ref().is_some_and(|flow| flow.took_before(self.stones.hash, p, colour));
        if taken { Err(Illegal::Ko) } else { Ok(()) }
    }

    /// In the clean-up: the blocked stone whose block a move of `colour` on `p` lifts, if it is a pass for a ko.
    pub(crate) fn lifts_block(&self, colour: Colour, p: u16) -> Option<u16> {
        let flow = self.flow.as_ref().filter(|flow| flow.phase() > 0)?;
        let theirs = (!colour) as u8;
        if self.stones.at(p) == theirs {
            let retakable = self.stones.cell(self.stones.cell(p).head).size == 1 && self.liberties(Point(p)) == 1;
            return (flow.is_blocked(p) && retakable).then_some(p);
        }
        let stone = self.ko_stone(colour, p)?;
        flow.is_blocked(stone).then_some(stone)
    }

    /// The single stone that a stone of `colour` on the empty point `p` would take as a ko: opponents (or the edge) on
    /// all sides, and no other of them in atari.
    fn ko_stone(&self, colour: Colour, p: u16) -> Option<u16> {
        if self.stones.at(p) != EMPTY {
            return None;
        }
        let mut stone = None;
        for n in self.stones.near(p) {
            match colour_of(self.stones.at(n)) {
                None if self.stones.at(n) == EMPTY => return None,
                None => continue,
                Some(there) if there == colour => return None,
                Some(_) if self.liberties(Point(n)) != 1 => continue,
                Some(_) if stone.is_some() => return None,
                Some(_) => stone = Some(n),
            }
        }
        stone.filter(|&n| self.stones.cell(self.stones.cell(n).head).size == 1)
    }

    /// Empty points where a stone of `colour` is legal without further question, outside the clean-up: they have an empty
    /// neighbour, and the position after it can't be an old one. Others may be legal too.
    pub(crate) fn quick_points(&self, colour: Colour) -> PointSet {
        match self.rules.ko {
            Ko::None | Ko::Simple | Ko::LastPosition => self.stones.open_set(),
            Ko::Positional | Ko::Situational => self.stones.open_set().minus(&self.touched[colour.index()]),
            Ko::Spight => PointSet::EMPTY,
        }
    }

    /// As `check`, for an empty point outside the clean-up. With an empty neighbour there is no suicide, and no ko: a ko
    /// point has none. Then only superko is left, and it only where the colour has had a stone before.
    #[inline]
    pub(crate) fn check_empty(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        if self.stones.cell(p).libs == 0 {
            self.check_enclosed(colour, p)
        } else if self.superko() && self.touched[colour.index()].contains(Point(p)) {
            self.check_superko(colour, p, false)
        } else if self.rules.ko == Ko::Spight {
            self.check_spight(colour, p, false)
        } else {
            Ok(())
        }
    }

    #[inline]
    fn check_enclosed(&self, colour: Colour, p: u16) -> Result<(), Illegal> {
        let suicide = self.check_suicide(colour, p)?;
        match self.rules.ko {
            Ko::None => Ok(()),
            Ko::Simple | Ko::LastPosition if p == self.ko && colour == self.to_play => Err(Illegal::Ko),
            Ko::LastPosition if suicide == Some(true) && self.last_changed_nothing(colour) => Err(Illegal::Ko),
            Ko::Simple | Ko::LastPosition => Ok(()),
            Ko::Positional | Ko::Situational => self.check_superko(colour, p, suicide.is_some()),
            Ko::Spight => self.check_spight(colour, p, suicide.is_some()),
        }
    }

    /// Refuses a suicide that the rules forbid; as `is_suicide`.
    #[inline]
    fn check_suicide(&self, colour: Colour, p: u16) -> Result<Option<bool>, Illegal> {
        let suicide = self.is_suicide(colour, p);
        let allowed = match (suicide, self.rules.suicide) {
            (None, _) | (_, Suicide::All) => true,
            (Some(alone), Suicide::Multi) => !alone,
            (Some(_), Suicide::None) => false,
        };
        if allowed { Ok(suicide) } else { Err(Illegal::Suicide) }
    }

    #[inline(never)]
    fn check_spight(&self, colour: Colour, p: u16, suicide: bool) -> Result<(), Illegal> {
        let situation = self.situation(self.hash_after(colour, p, suicide), !colour);
        let seen = self.flow.as_ref().is_some_and(|flow| flow.was_there(situation));
        if seen { Err(Illegal::Superko) } else { Ok(()) }
    }

    /// For a point without empty neighbours: whether a stone there would be left without liberties, and if so whether
    /// it would be alone.
    #[inline]
    pub(crate) fn is_suicide(&self, colour: Colour, p: u16) -> Option<bool> {
        let near = self.stones.near(p);
        let mut alone = true;
        for n in near {
            let there = self.stones.at(n);
            if there >= EMPTY {
                continue;
            }
            let own = there == colour as u8;
            let head = self.stones.cell(n).head;
            let libs = self.stones.cell(head).libs;
            // A chain has at most four stones beside `p`; most have more liberties than that.
            let last_liberty = libs <= 4 && libs == count(&self.heads(near), head);
            if own != last_liberty {
                return None;
            }
            alone &= !own;
        }
        Some(alone)
    }

    #[inline]
    fn heads(&self, near: [u16; 4]) -> [u16; 4] {
        let head = |n| self.stones.cell(n).head;
        [head(near[0]), head(near[1]), head(near[2]), head(near[3])]
    }

    fn check_superko(&self, colour: Colour, p: u16, suicide: bool) -> Result<(), Illegal> {
        if !suicide && !self.touched[colour.index()].contains(Point(p)) {
            return Ok(());
        }
        let hash = self.hash_after(colour, p, suicide);
        if self.past.contains(self.superko_key(hash, !colour)) { Err(Illegal::Superko) } else { Ok(()) }
    }

    /// Hash of the stones after a move.
    pub(crate) fn hash_after(&self, colour: Colour, p: u16, suicide: bool) -> u64 {
        let mut hash = self.stones.hash ^ STONE[colour.index()][p as usize];
        let gone = if suicide { colour } else { !colour };
        if suicide {
            hash ^= STONE[colour.index()][p as usize];
        }
        let near = self.stones.near(p);
        let heads = self.heads(near);
        for i in 0..4 {
            if self.stones.at(near[i]) != gone as u8 || heads[..i].contains(&heads[i]) {
                continue;
            }
            if self.stones.cell(heads[i]).libs == count(&heads, heads[i]) {
                for stone in self.stones.ring(heads[i]) {
                    hash ^= STONE[gone.index()][stone as usize];
                }
            }
        }
        hash
    }
}

/// How many of four heads are this one.
#[inline]
fn count(heads: &[u16; 4], head: u16) -> u16 {
    heads.iter().map(|&h| u16::from(h == head)).sum()
}
