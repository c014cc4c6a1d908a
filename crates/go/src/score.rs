//! Who owns and who counts each point, taxes, margins: one computation for final scores, game results and training labels.
//!
//! Area counts a colour's stones and the empty points that only it reaches. Territory, after the clean-up phases, counts
//! the points a colour owns, its stones of the start of the second phase included, less the stones it has played; that is
//! surrounded points plus prisoners, and a sum over points. Taxed rules count surrounded points only where a group lives
//! by itself, touching no neutral point. Not here: counting as people do after agreeing on dead stones (`count`).

use tengen_game::{BoardResult, Colour, Point, PointSet};

use crate::board::{GoBoard, colour_of};
use crate::flow::Ended;
use crate::rowbits::{RowBits, Span};
use crate::rules::{GoRules, Scoring, Tax, Tie};

/// Points on the board, komi not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// Black's points after tax; under territory scoring with the stones Black has taken.
    pub black: i32,
    /// White's points after tax; under territory scoring with the stones White has taken.
    pub white: i32,
    /// Points of the board that count for nobody.
    pub neutral: i32,
    /// Half points that Black gets besides (negative for White): the button, and White's handicap bonus.
    pub halves: i32,
}

impl Score {
    /// Black minus White minus komi.
    pub fn margin(&self, komi: f32) -> f32 {
        (self.black - self.white) as f32 + self.halves as f32 / 2.0 - komi
    }

    /// Who has won under `rules`.
    pub fn result(&self, rules: &GoRules) -> BoardResult {
        result_of(self.margin(rules.komi), rules.tie)
    }
}

/// Who has won by a margin, Black's minus White's.
pub(crate) fn result_of(margin: f32, tie: Tie) -> BoardResult {
    match tie {
        _ if margin > 0.0 => BoardResult::Win(Colour::Black),
        _ if margin < 0.0 => BoardResult::Win(Colour::White),
        Tie::Black => BoardResult::Win(Colour::Black),
        Tie::White => BoardResult::Win(Colour::White),
        Tie::Draw => BoardResult::Draw,
    }
}

/// What each point is, whether or not the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maps {
    /// Points that each colour owns: its stones, and empty points that only it reaches.
    pub owned: [PointSet; 2],
    /// Points that count for each colour under the rules.
    pub counted: [PointSet; 2],
    /// Owned points of groups that touch a neutral point or have a chain in atari: in seki, once all else is played out.
    /// Of `maps_without`: owned points of groups that people call shared life.
    pub seki: [PointSet; 2],
    /// Empty points that nobody owns.
    pub dame: PointSet,
    /// Pass-alive stones and pass-alive territory.
    pub pass_alive: [PointSet; 2],
}

/// The sets behind a score.
struct Tally {
    owned: [RowBits; 2],
    living: [RowBits; 2],
    counted: [RowBits; 2],
    /// Separate living groups.
    groups: [i32; 2],
}

impl GoBoard {
    /// The score of the position as it stands, whether or not the game is over. Under `early_end` and under territory
    /// scoring, stones inside the opponent's pass-alive territory count as removed; otherwise all stones count as alive.
    pub fn score(&self) -> Score {
        let (size, all) = (self.size(), Span::all(self.size()));
        let tally = self.tally();
        let counts = tally.counted.map(|set| set.count(all) as i32);
        let tax = if self.rules().tax == Tax::All { 2 } else { 0 };
        let mut points = [0, 1].map(|i| counts[i] - tax * tally.groups[i]);
        if self.rules().scoring == Scoring::Territory {
            // A stone played costs a point and is back as a point while it stands. Adding what both have lost gives
            // surrounded points plus stones taken.
            let moves = self.flow().map_or([0; 2], |flow| flow.moves());
            let lost: i32 = Colour::BOTH.iter().map(|&colour| self.taken_by(colour) as i32).sum();
            points = [0, 1].map(|i| points[i] - moves[i] + lost);
        }
        let button = self.button().map_or(0, |colour| if colour == Colour::Black { 1 } else { -1 });
        Score {
            black: points[0],
            white: points[1],
            neutral: size.area() as i32 - counts[0] - counts[1],
            halves: button - (2.0 * self.rules().handicap_bonus()) as i32,
        }
    }

    /// Points that White has got besides the board and komi: the handicap bonus, the button, and under territory scoring
    /// Black's stones played less White's. For networks that see the komi.
    pub fn white_bonus(&self) -> f32 {
        let button = self.button().map_or(0.0, |colour| if colour == Colour::White { 0.5 } else { -0.5 });
        let played = match self.flow() {
            Some(flow) if self.rules().scoring == Scoring::Territory => flow.moves()[0] - flow.moves()[1],
            _ => 0,
        };
        self.rules().handicap_bonus() + button + played as f32
    }

    /// The result, once the game is over; not every end has a score.
    pub fn outcome(&self) -> Option<BoardResult> {
        self.end().map(|ended| match ended {
            Ended::Passes | Ended::Settled => self.score().result(self.rules()),
            Ended::NoResult => BoardResult::NoResult,
            Ended::Draw => BoardResult::Draw,
        })
    }

    /// Black's points minus White's and komi, once a game with a score is over.
    pub fn final_margin(&self) -> Option<f32> {
        let scored = matches!(self.end()?, Ended::Passes | Ended::Settled);
        scored.then(|| self.score().margin(self.rules().komi))
    }

    /// Owner of every point, in index order: the colour of a stone, or of all stones around an empty region. Under
    /// `early_end` and territory scoring pass-alive territory belongs to its owner, stones inside it or not.
    pub fn area(&self) -> Vec<Option<Colour>> {
        let owned = self.owned(&self.rows_of(), self.clears());
        let mut owner = vec![None; self.size().area()];
        for colour in Colour::BOTH {
            owned[colour.index()].each(self.size(), |p| owner[p.index()] = Some(colour));
        }
        owner
    }

    /// Final ownership for training labels, in index order: +1 Black, -1 White, 0 neutral. Stones inside the opponent's
    /// pass-alive territory count as removed under every rule set; under territory scoring, what counts for a colour.
    pub fn ownership(&self) -> Vec<i8> {
        let territory = self.rules().scoring == Scoring::Territory;
        let sets = if territory { self.tally().counted } else { self.owned(&self.rows_of(), true) };
        let mut owner = vec![0; self.size().area()];
        sets[0].each(self.size(), |p| owner[p.index()] = 1);
        sets[1].each(self.size(), |p| owner[p.index()] = -1);
        owner
    }

    /// What each point is; see `Maps`.
    pub fn maps(&self) -> Maps {
        let (size, sets, tally) = (self.size(), self.rows_of(), self.tally());
        let all = Span::all(size);
        let points = |sets: &[RowBits; 2]| [sets[0].points(size), sets[1].points(size)];
        let [black, white] = &tally.owned;
        let dame = sets[2].minus(black, all).minus(white, all);
        let seki = [0, 1].map(|i| tally.owned[i].minus(&tally.living[i], all));
        let alive = Colour::BOTH.map(|colour| {
            let (stones, territory) = self.pass_alive_rows(&sets, colour);
            stones.or(&territory, all)
        });
        Maps {
            owned: points(&tally.owned),
            counted: points(&tally.counted),
            seki: points(&seki),
            dame: dame.points(size),
            pass_alive: points(&alive),
        }
    }

    /// The score when the stones of `dead` are taken off first, as players agree after the end under area scoring. (For
    /// territory, with its prisoners, see `count`.)
    pub fn score_without(&self, dead: &PointSet) -> Score {
        self.without(dead).score()
    }

    /// The position without some stones and without history.
    pub(crate) fn without(&self, dead: &PointSet) -> GoBoard {
        let stones: Vec<(Colour, Point)> = self
            .size()
            .points()
            .filter(|p| !dead.contains(*p))
            .filter_map(|p| self.stone(p).map(|colour| (colour, p)))
            .collect();
        GoBoard::with_stones(self.rules(), &stones, self.to_play())
    }

    /// Whether scoring removes stones inside the opponent's pass-alive territory.
    fn clears(&self) -> bool {
        self.rules().early_end || self.rules().scoring == Scoring::Territory
    }

    /// Points of Black and of White by area, all stones alive.
    pub(crate) fn owned_points(&self, sets: &[RowBits; 3]) -> [RowBits; 2] {
        self.owned(sets, false)
    }

    fn tally(&self) -> Tally {
        self.tally_when(self.clears())
    }

    /// Points that would count for each colour if the game were scored as it stands, pass-alive territory always its
    /// owner's. None under territory scoring before the second phase of the clean-up, when that says nothing yet.
    pub fn counted_now(&self) -> Option<[PointSet; 2]> {
        if self.rules().scoring == Scoring::Territory && self.phase() < 2 {
            return None;
        }
        Some(self.tally_when(true).counted.map(|set| set.points(self.size())))
    }

    fn tally_when(&self, clears: bool) -> Tally {
        let all = Span::all(self.size());
        let (size, sets, tax) = (self.size(), self.rows_of(), self.rules().tax);
        let owned = self.owned(&sets, clears);
        if tax == Tax::None && self.rules().scoring != Scoring::Territory {
            return Tally { owned, living: owned, counted: owned, groups: [0; 2] };
        }
        let lives = [0, 1].map(|i| self.independent(&sets, &owned, i));
        let living = lives.map(|(set, _)| set);
        let counted = if self.rules().scoring == Scoring::Territory {
            let marked = [0, 1].map(|i| match tax {
                Tax::None => living[i].or(&owned[i].minus(&sets[i], all), all),
                Tax::Seki | Tax::All => living[i],
            });
            let any = marked[0].or(&marked[1], all);
            let start = self.flow().and_then(|flow| flow.start()).map(|start| RowBits::of_colours(size, start));
            [0, 1].map(|i| {
                let stones = start.as_ref().map_or(sets[i], |start| sets[i].and(&start[i], all));
                marked[i].or(&stones.minus(&any, all), all)
            })
        } else {
            [0, 1].map(|i| owned[i].and(&sets[i].or(&living[i], all), all))
        };
        Tally { owned, living, counted, groups: lives.map(|(_, groups)| groups) }
    }

    /// Points of Black and of White. An empty region belongs to a colour when it borders no stone of the other
    /// (Tromp-Taylor); with `clear`, pass-alive territory to its owner, stones inside it or not.
    fn owned(&self, sets: &[RowBits; 3], clear: bool) -> [RowBits; 2] {
        let (size, all) = (self.size(), Span::all(self.size()));
        let [black, white, empty] = sets;
        let [near_black, near_white] = [black, white].map(|own| empty.reached(&own.beside(empty, all), size));
        let mut owned =
            [black.or(&near_black.minus(&near_white, all), all), white.or(&near_white.minus(&near_black, all), all)];
        if clear {
            for colour in Colour::BOTH {
                let (_, territory) = self.pass_alive_rows(sets, colour);
                owned[colour.index()] = owned[colour.index()].or(&territory, all);
                owned[(!colour).index()] = owned[(!colour).index()].minus(&territory, all);
            }
        }
        owned
    }

    /// Regions owned by a colour that live by themselves: no point of them touches an empty point that nobody owns, and
    /// no chain of the colour in them has a single liberty. Returns their points and how many regions there are.
    fn independent(&self, sets: &[RowBits; 3], owned: &[RowBits; 2], own: usize) -> (RowBits, i32) {
        let (size, all) = (self.size(), Span::all(self.size()));
        let dame = sets[2].minus(&owned[0], all).minus(&owned[1], all);
        let mut bad = dame.beside(&owned[own], all);
        let mut rest = sets[own].and(&owned[own], all);
        while let Some(start) = rest.first(all) {
            let (chain, span) = sets[own].part(start, size);
            rest = rest.minus(&chain, span);
            if chain.beside(&sets[2], all).count(all) == 1 {
                bad = bad.or(&chain, all);
            }
        }
        let living = owned[own].minus(&owned[own].reached(&bad.and(&owned[own], all), size), all);
        let (mut rest, mut groups) = (living, 0);
        while let Some(start) = rest.first(all) {
            let (group, span) = living.part(start, size);
            rest = rest.minus(&group, span);
            groups += 1;
        }
        (living, groups)
    }
}

/// Stones of each colour among stored values.
impl RowBits {
    fn of_colours(size: tengen_game::Size, values: &[u8]) -> [RowBits; 2] {
        let mut sets = [RowBits::EMPTY; 2];
        for (p, colour) in
            values.iter().enumerate().filter_map(|(p, &value)| colour_of(value).map(|colour| (p, colour)))
        {
            sets[colour.index()].insert(size, Point(p as u16));
        }
        sets
    }
}
