//! A slow Go board that is right by inspection: flood fill for everything, the list of all positions for superko, simple
//! ko by comparing whole positions. Shares nothing with the fast board but the rule values. No undo: clone it.

use tengen_game::{Colour, Point, Size};
use tengen_go::{Ko, Suicide};

pub(crate) type Cells = Vec<Option<Colour>>;

#[derive(Clone)]
pub(crate) struct Slow {
    pub(crate) size: Size,
    pub(crate) ko: Ko,
    pub(crate) suicide: Suicide,
    pub(crate) cells: Cells,
    pub(crate) to_play: Colour,
    pub(crate) passes: u8,
    pub(crate) taken: [u32; 2],
    /// Who moved last, and the board before; none after a pass or suicide.
    last: Option<(Colour, Cells)>,
    /// Who moved or passed last, and the board before.
    before: Option<(Colour, Cells)>,
    /// Positions before this many don't count since a pass lifted them.
    since_pass: usize,
    /// Every position so far with the colour to play after it; with passes.
    past: Vec<(Cells, Colour)>,
}

impl Slow {
    pub(crate) fn new(size: Size, ko: Ko, suicide: Suicide) -> Slow {
        let cells = vec![None; size.area()];
        let past = vec![(cells.clone(), Colour::Black)];
        Slow {
            size,
            ko,
            suicide,
            cells,
            to_play: Colour::Black,
            passes: 0,
            taken: [0; 2],
            last: None,
            before: None,
            since_pass: 0,
            past,
        }
    }

    pub(crate) fn near(size: Size, p: Point) -> impl Iterator<Item = Point> {
        let (x, y) = size.xy(p);
        [(-1, 0), (1, 0), (0, -1), (0, 1)]
            .into_iter()
            .filter_map(move |(dx, dy)| size.point_at(x as isize + dx, y as isize + dy))
    }

    /// All points connected to `p` through points of the same content.
    pub(crate) fn flood(size: Size, cells: &Cells, p: Point) -> Vec<Point> {
        let mut found = vec![p];
        let mut seen = vec![false; size.area()];
        seen[p.index()] = true;
        let mut next = 0;
        while next < found.len() {
            for n in Slow::near(size, found[next]) {
                if cells[n.index()] == cells[p.index()] && !seen[n.index()] {
                    seen[n.index()] = true;
                    found.push(n);
                }
            }
            next += 1;
        }
        found
    }

    /// Liberties of the chain on `p`.
    pub(crate) fn liberties(size: Size, cells: &Cells, p: Point) -> Vec<Point> {
        let mut free: Vec<Point> = Slow::flood(size, cells, p)
            .into_iter()
            .flat_map(|stone| Slow::near(size, stone))
            .filter(|n| cells[n.index()].is_none())
            .collect();
        free.sort();
        free.dedup();
        free
    }

    /// The board after a stone, the stones taken from the opponent, and those of the mover's own.
    fn after(&self, colour: Colour, p: Point) -> (Cells, Vec<Point>, Vec<Point>) {
        let mut cells = self.cells.clone();
        cells[p.index()] = Some(colour);
        let mut gone = [Vec::new(), Vec::new()];
        for (i, of) in [!colour, colour].into_iter().enumerate() {
            // Only chains at or beside the new stone can have lost their last liberty.
            let mut dead: Vec<Point> = Slow::near(self.size, p)
                .chain([p])
                .filter(|q| cells[q.index()] == Some(of) && Slow::liberties(self.size, &cells, *q).is_empty())
                .flat_map(|q| Slow::flood(self.size, &cells, q))
                .collect();
            dead.sort();
            dead.dedup();
            dead.iter().for_each(|q| cells[q.index()] = None);
            gone[i] = dead;
        }
        let [taken, own] = gone;
        (cells, taken, own)
    }

    fn retakes(&self, colour: Colour, cells: &Cells, taken: &[Point]) -> bool {
        !taken.is_empty() && self.last.as_ref().is_some_and(|(mover, before)| *mover != colour && before == cells)
    }

    pub(crate) fn legal(&self, colour: Colour, p: Point) -> bool {
        if self.cells[p.index()].is_some() {
            return false;
        }
        let (cells, taken, own) = self.after(colour, p);
        let suicide = match self.suicide {
            Suicide::None => own.is_empty(),
            Suicide::Multi => own.len() != 1,
            Suicide::All => true,
        };
        suicide
            && match self.ko {
                Ko::None => true,
                Ko::Simple => !self.retakes(colour, &cells, &taken),
                Ko::LastPosition => {
                    !self.before.as_ref().is_some_and(|(mover, before)| *mover != colour && *before == cells)
                }
                Ko::Spight => {
                    self.past[self.since_pass..].iter().all(|(past, next)| *past != cells || *next != !colour)
                }
                Ko::Positional => self.past.iter().all(|(past, _)| *past != cells),
                Ko::Situational => self.past.iter().all(|(past, next)| *past != cells || *next != !colour),
            }
    }

    /// Where the colour to play can't retake at once, if there is any ko rule.
    pub(crate) fn ko_point(&self) -> Option<Point> {
        self.size.points().find(|&p| {
            self.ko != Ko::None && self.cells[p.index()].is_none() && {
                let (cells, taken, _) = self.after(self.to_play, p);
                self.retakes(self.to_play, &cells, &taken)
            }
        })
    }

    /// Places a stone, or passes; returns the stones removed.
    pub(crate) fn play(&mut self, colour: Colour, p: Option<Point>) -> Vec<Point> {
        let mut removed = Vec::new();
        self.before = Some((colour, self.cells.clone()));
        match p {
            None => {
                self.since_pass = self.past.len();
                self.passes = (self.passes + 1).min(3);
                self.last = None;
            }
            Some(p) => {
                let (cells, taken, own) = self.after(colour, p);
                self.taken[colour.index()] += taken.len() as u32;
                self.taken[(!colour).index()] += own.len() as u32;
                self.last = own.is_empty().then(|| (colour, self.cells.clone()));
                self.cells = cells;
                self.passes = 0;
                removed = if own.is_empty() { taken } else { own };
            }
        }
        self.to_play = !colour;
        self.past.push((self.cells.clone(), self.to_play));
        removed
    }

    /// Owner of each point: from each empty point, look which colours can be reached.
    pub(crate) fn area(&self) -> Cells {
        let reach = |p: Point| {
            let mut seen: Vec<Colour> = Slow::flood(self.size, &self.cells, p)
                .into_iter()
                .flat_map(|q| Slow::near(self.size, q))
                .filter_map(|q| self.cells[q.index()])
                .collect();
            seen.sort();
            seen.dedup();
            if let [only] = seen[..] { Some(only) } else { None }
        };
        self.size.points().map(|p| self.cells[p.index()].or_else(|| reach(p))).collect()
    }
}
