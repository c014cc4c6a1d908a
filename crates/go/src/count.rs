//! Counting as people do once they agree on dead stones: by area, by the Chinese text's half board, by territory with
//! prisoners, and by filling prisoners in as the Czech text shows. Each count can be told step by step.
//!
//! Not here: automatic scores (`score`), and who agrees to what (`agreement`).

use std::fmt;

use tengen_game::notation::Letters;
use tengen_game::{Action, BoardResult, Colour, Point, PointSet, Size};

use crate::board::GoBoard;
use crate::rowbits::{RowBits, Span};
use crate::rules::{Cycle, GoRules, Scoring, Tax, Tie};
use crate::score::{Maps, result_of};

/// Why a position can't be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// A point marked as dead that holds no stone, in Go letters.
    #[error("there is no stone on {0}")]
    NoStone(String),
    /// A chain of which only some stones are marked.
    #[error("only a part of the chain of {0} is marked")]
    PartOfChain(String),
}

/// A finished game as people count it. Lists are Black's, then White's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// What is counted.
    pub scoring: Scoring,
    /// Board size.
    pub size: Size,
    /// Living stones.
    pub stones: [u32; 2],
    /// Empty points, and points of dead stones, that only this colour surrounds, after tax.
    pub surrounded: [u32; 2],
    /// Points between both colours, and those that tax takes.
    pub neutral: u32,
    /// Stones taken by each colour, the dead ones included.
    pub prisoners: [u32; 2],
    /// Groups that pay two points.
    pub groups: [u32; 2],
    /// Half points for Black besides: the button.
    pub button: i32,
    /// Points for White: komi.
    pub komi: f32,
    /// Points for White: the handicap.
    pub bonus: f32,
    /// Equal points.
    pub tie: Tie,
}

impl GoBoard {
    /// Counts the position when the stones of `dead` are taken off. Under taxed rules the empty points inside groups of
    /// `seki` don't count (any stone of a group names it); `suggest_seki` proposes them.
    ///
    /// # Errors
    /// When `dead` holds an empty point or only a part of a chain.
    pub fn count(&self, dead: &PointSet, seki: &PointSet) -> Result<Count, CountError> {
        self.check_dead(dead)?;
        let (rules, size, all) = (self.rules(), self.size(), Span::all(self.size()));
        let cleared = self.without(dead);
        let sets = cleared.rows_of();
        let owned = cleared.owned_points(&sets);
        let shared = shared_life(size, &owned, seki);
        let mut count = Count {
            scoring: rules.scoring,
            size,
            stones: [0; 2],
            surrounded: [0; 2],
            neutral: 0,
            prisoners: Colour::BOTH.map(|colour| self.taken_by(colour)),
            groups: [0; 2],
            button: self.button().map_or(0, |colour| if colour == Colour::Black { 1 } else { -1 }),
            komi: rules.komi,
            bonus: rules.handicap_bonus(),
            tie: rules.tie,
        };
        for i in [0, 1] {
            count.stones[i] = sets[i].count(all) as u32;
            let mut inside = owned[i].minus(&sets[i], all);
            if rules.tax != Tax::None {
                inside = inside.minus(&shared[i], all);
                count.groups[i] = if rules.tax == Tax::All { parts(&owned[i].minus(&shared[i], all), size) } else { 0 };
            }
            count.surrounded[i] = inside.count(all) as u32;
        }
        let counted: u32 = count.stones.iter().chain(&count.surrounded).sum();
        count.neutral = size.area() as u32 - counted;
        for colour in dead.iter().filter_map(|p| self.stone(p)) {
            count.prisoners[(!colour).index()] += 1;
        }
        Ok(count)
    }

    /// What each point is to people who take the stones of `dead` off and call the groups of `seki` shared life (any stone
    /// of a group names it). `counted` is what `count` counts; what is pass-alive is so with all stones on the board.
    ///
    /// # Errors
    /// As `count`.
    pub fn maps_without(&self, dead: &PointSet, seki: &PointSet) -> Result<Maps, CountError> {
        self.check_dead(dead)?;
        let (size, all) = (self.size(), Span::all(self.size()));
        let cleared = self.without(dead);
        let sets = cleared.rows_of();
        let owned = cleared.owned_points(&sets);
        let shared = shared_life(size, &owned, seki);
        let counted = [0, 1].map(|i| {
            let inside = owned[i].minus(&sets[i], all);
            let inside = if self.rules().tax == Tax::None { inside } else { inside.minus(&shared[i], all) };
            if self.rules().scoring == Scoring::Territory { inside } else { inside.or(&sets[i], all) }
        });
        let points = |sets: &[RowBits; 2]| [sets[0].points(size), sets[1].points(size)];
        Ok(Maps {
            owned: points(&owned),
            counted: points(&counted),
            seki: points(&shared),
            dame: sets[2].minus(&owned[0], all).minus(&owned[1], all).points(size),
            pass_alive: self.maps().pass_alive,
        })
    }

    /// Whether `dead` is whole chains.
    fn check_dead(&self, dead: &PointSet) -> Result<(), CountError> {
        let name = |p: Point| Letters::WithoutI.name(self.size(), p);
        for p in dead.iter() {
            let (chain, _) = self.chain(p).ok_or_else(|| CountError::NoStone(name(p)))?;
            if !chain.minus(dead).is_empty() {
                return Err(CountError::PartOfChain(name(p)));
            }
        }
        Ok(())
    }

    /// The margin of `count`, of this game, by AGA's other way of counting: surrounded points and prisoners, where each
    /// pass has handed over a stone. In an even game where White moved last (`end=white-last`) it equals that by area.
    pub fn pass_stone_margin(&self, count: &Count) -> f32 {
        let mut points = [0, 1].map(|i| f64::from(count.surrounded[i]) + f64::from(count.prisoners[i]));
        for (colour, action) in (0..self.moves()).filter_map(|back| self.move_back(back)) {
            if action == Action::PASS {
                points[(!colour).index()] += 1.0;
            }
        }
        (points[0] - points[1]) as f32 - count.komi
    }

    /// Groups that look like seki after the stones of `dead` are off: those beside a neutral point where neither colour
    /// can play without being in atari. One stone of each of their chains.
    pub fn suggest_seki(&self, dead: &PointSet) -> PointSet {
        let mut cleared = self.without(dead);
        let dame = cleared.maps().dame;
        let mut found = PointSet::EMPTY;
        for p in dame.iter() {
            let fills = |board: &mut GoBoard, colour| {
                let safe = board.play_any(colour, Action::point(p)).is_ok();
                let libs = if safe { board.liberties(p) } else { 0 };
                if safe {
                    board.undo();
                }
                libs >= 2
            };
            if !Colour::BOTH.into_iter().any(|colour| fills(&mut cleared, colour)) {
                found = found.or(&cleared.chains_beside(p));
            }
        }
        found
    }

    /// The first stone of each chain beside a point.
    fn chains_beside(&self, p: Point) -> PointSet {
        let near = self.stones.near(p.0).into_iter().filter(|&n| (n as usize) < self.size().area());
        near.filter_map(|n| self.chain(Point(n)).and_then(|(stones, _)| stones.iter().next())).collect()
    }
}

/// Owned points of groups that a stone of `seki` belongs to.
fn shared_life(size: Size, owned: &[RowBits; 2], seki: &PointSet) -> [RowBits; 2] {
    let mut in_seki = RowBits::EMPTY;
    seki.iter().for_each(|p| in_seki.insert(size, p));
    [0, 1].map(|i| owned[i].reached(&in_seki.and(&owned[i], Span::all(size)), size))
}

fn parts(set: &RowBits, size: Size) -> u32 {
    let (mut rest, mut n) = (*set, 0);
    while let Some(start) = rest.first(Span::all(size)) {
        let (part, span) = set.part(start, size);
        rest = rest.minus(&part, span);
        n += 1;
    }
    n
}

impl Count {
    /// A colour's points, komi and bonus not included: by area stones and surrounded points, by territory surrounded
    /// points and prisoners; less two for each group that pays.
    pub fn points(&self, colour: Colour) -> i32 {
        let i = colour.index();
        let added = if self.scoring == Scoring::Territory { self.prisoners[i] } else { self.stones[i] };
        (self.surrounded[i] + added) as i32 - 2 * self.groups[i] as i32
    }

    /// Black's points minus White's, komi, bonus and button included.
    pub fn margin(&self) -> f32 {
        (self.points(Colour::Black) - self.points(Colour::White)) as f32 + self.button as f32 / 2.0
            - self.komi
            - self.bonus
    }

    /// Who has won.
    pub fn result(&self) -> BoardResult {
        result_of(self.margin(), self.tie)
    }

    /// Prisoners filled in, for counting by territory.
    pub fn filled(&self) -> Filled {
        Filled::new(self.surrounded, self.prisoners)
    }

    /// Black against half of the board, for counting by area.
    pub fn half(&self) -> HalfCount {
        let black = 2 * (self.stones[0] + self.surrounded[0]) + self.neutral;
        HalfCount::new(self.size, black as f32 / 2.0, (self.komi + self.bonus) / 2.0)
    }

    /// The count told step by step, a sentence each.
    pub fn steps(&self) -> Vec<String> {
        let mut steps = match self.scoring {
            Scoring::Territory => self.territory_steps(),
            Scoring::HalfArea => return self.half().steps(self.tie),
            Scoring::Area => self.area_steps(),
        };
        for (i, name) in ["Black", "White"].into_iter().enumerate() {
            if self.groups[i] > 0 {
                steps.push(format!(
                    "{name} pays 2 points for each of {} groups: {}.",
                    self.groups[i],
                    2 * self.groups[i]
                ));
            }
        }
        if self.button != 0 {
            steps.push(format!("{} took the button: half a point.", if self.button > 0 { "Black" } else { "White" }));
        }
        for (points, what) in [(self.komi, "komi"), (self.bonus, "handicap compensation")] {
            if points != 0.0 {
                steps.push(format!("White gets {points} points {what}."));
            }
        }
        steps.push(verdict(self.margin(), self.tie));
        steps
    }

    fn area_steps(&self) -> Vec<String> {
        let mut steps: Vec<String> = ["Black", "White"]
            .into_iter()
            .enumerate()
            .map(|(i, name)| {
                let (stones, points) = (self.stones[i], self.surrounded[i]);
                format!("{name} has {stones} living stones and surrounds {points} points: {}.", stones + points)
            })
            .collect();
        if self.neutral > 0 {
            steps.push(format!("{} points count for nobody.", self.neutral));
        }
        steps
    }

    fn territory_steps(&self) -> Vec<String> {
        let [black, white] = self.surrounded;
        let mut steps = vec![
            format!("Black has {} prisoners, White has {}.", self.prisoners[0], self.prisoners[1]),
            format!("Black surrounds {black} points, White {white}."),
        ];
        steps.extend(self.filled().steps());
        steps
    }
}

/// Territory after each side has put its prisoners into the opponent's territory, as the Czech text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Empty points left to Black and to White.
    pub left: [u32; 2],
    /// Prisoners of Black and of White for which there was no room.
    pub spare: [u32; 2],
}

impl Filled {
    /// From territories and prisoners, Black's first. Black's prisoners are white stones and fill White's territory.
    pub fn new(territory: [u32; 2], prisoners: [u32; 2]) -> Filled {
        let put = [prisoners[0].min(territory[1]), prisoners[1].min(territory[0])];
        Filled {
            left: [territory[0] - put[1], territory[1] - put[0]],
            spare: [prisoners[0] - put[0], prisoners[1] - put[1]],
        }
    }

    /// Black's points minus White's, before komi.
    pub fn margin(&self) -> i64 {
        let points = |i: usize| i64::from(self.left[i]) + i64::from(self.spare[i]);
        points(0) - points(1)
    }

    /// Told step by step.
    pub fn steps(&self) -> Vec<String> {
        let [black, white] = self.left;
        let mut steps = vec![format!(
            "Prisoners fill the territory of their own colour: Black keeps {black} points, White {white}."
        )];
        if self.spare != [0, 0] {
            steps.push(format!(
                "Prisoners left over count too: {} for Black, {} for White.",
                self.spare[0], self.spare[1]
            ));
        }
        steps
    }
}

/// Black's count against half of the board, in stones (zi); a point between both is half a stone for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfCount {
    /// Black's living stones and points.
    pub black: f32,
    /// Half of the board.
    pub half: f32,
    /// What Black has to give: half of komi and of the handicap compensation.
    pub compensation: f32,
}

impl HalfCount {
    /// From Black's count and the compensation, both in stones.
    pub fn new(size: Size, black: f32, compensation: f32) -> HalfCount {
        HalfCount { black, half: size.area() as f32 / 2.0, compensation }
    }

    /// Stones by which Black wins; twice that in points.
    pub fn margin(&self) -> f32 {
        self.black - self.half - self.compensation
    }

    /// Told step by step.
    pub fn steps(&self, tie: Tie) -> Vec<String> {
        let HalfCount { black, half, compensation } = self;
        let margin = self.margin();
        let mut steps = vec![
            format!("Black has {black} stones and points; half of the board is {half}."),
            format!("Black gives {compensation} stones of compensation and needs more than {}.", half + compensation),
        ];
        steps.push(match margin {
            m if m > 0.0 => format!("Black wins by {m} stones."),
            m if m < 0.0 => format!("White wins by {} stones.", -m),
            _ => verdict(0.0, tie),
        });
        steps
    }
}

fn verdict(margin: f32, tie: Tie) -> String {
    match result_of(margin, tie) {
        BoardResult::Win(colour) if margin == 0.0 => format!("Equal: {} wins ties.", name(colour)),
        BoardResult::Win(colour) => format!("{} wins by {} points.", name(colour), margin.abs()),
        BoardResult::Draw | BoardResult::NoResult => "Equal: a draw.".to_string(),
    }
}

fn name(colour: Colour) -> &'static str {
    if colour == Colour::Black { "Black" } else { "White" }
}

impl fmt::Display for Count {
    /// The steps, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.steps().join("\n"))
    }
}

/// `B+2.5`, `W+3`, or `0` for equal points, as GTP and SGF write results.
pub fn margin_text(margin: f32) -> String {
    match margin {
        m if m > 0.0 => format!("B+{m}"),
        m if m < 0.0 => format!("W+{}", -m),
        _ => "0".to_string(),
    }
}

/// What a referee may say about a rare cycle that the rules allow (Chinese text, article 11.3).
pub fn cycle_verdict(rules: &GoRules) -> &'static str {
    match rules.cycle {
        Cycle::Allowed => "the game goes on",
        Cycle::NoResult => "no result; the game is played again",
        Cycle::Draw => "a draw",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rules: &str, rows: &[&str], to_play: Colour) -> GoBoard {
        let rules: GoRules = rules.parse().unwrap();
        GoBoard::from_position(&rules, rows, to_play).unwrap()
    }

    #[test]
    fn the_czech_worked_example() {
        // Ten taken each, then seven white and one black stone dead on the board.
        let filled = Filled::new([33, 36], [10 + 7, 10 + 1]);
        assert_eq!((filled.left, filled.spare, filled.margin()), ([22, 19], [0, 0], 3));
        let count = Count {
            scoring: Scoring::Territory,
            size: Size::square(19).unwrap(),
            stones: [140, 140],
            surrounded: [33, 36],
            neutral: 12,
            prisoners: [17, 11],
            groups: [0, 0],
            button: 0,
            komi: 0.0,
            bonus: 0.0,
            tie: Tie::Draw,
        };
        assert_eq!(
            count.to_string(),
            "Black has 17 prisoners, White has 11.\n\
             Black surrounds 33 points, White 36.\n\
             Prisoners fill the territory of their own colour: Black keeps 22 points, White 19.\n\
             Black wins by 3 points."
        );
        let rated = Count { komi: 6.5, ..count };
        assert_eq!(
            (margin_text(rated.margin()), rated.result()),
            ("W+3.5".to_string(), BoardResult::Win(Colour::White))
        );
        let even = Count { komi: 3.0, tie: Tie::White, ..count };
        assert_eq!(even.steps().last().unwrap(), "Equal: White wins ties.");
        let more = Filled::new([3, 5], [9, 4]);
        assert_eq!((more.left, more.spare, more.margin()), ([0, 0], [4, 1], 3 + 9 - 5 - 4));
    }

    #[test]
    fn half_of_the_board() {
        let rows: Vec<String> = (0..19).map(|y| if y < 10 { "X" } else { "O" }.repeat(19)).collect();
        let mut rows: Vec<String> = rows;
        rows[0].replace_range(0..1, ".");
        rows[18].replace_range(0..1, ".");
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let count = board("rules=chinese", &rows, Colour::Black).count(&PointSet::EMPTY, &PointSet::EMPTY).unwrap();
        let half = count.half();
        assert_eq!((half.black, half.half, half.compensation, half.margin()), (190.0, 180.5, 3.75, 5.75));
        assert_eq!(count.margin(), 11.5);
        assert_eq!(count.steps().last().unwrap(), "Black wins by 5.75 stones.");
    }

    #[test]
    fn a_dead_stone_counts_twice_by_territory() {
        let rows = ["..XO.", ".OXO.", "..XO.", "..XOX", "..XO."];
        let board = board("rules=japanese size=5 komi=0.5", &rows, Colour::Black);
        let point = |x, y| board.size().point(x, y);
        let dead: PointSet = [point(1, 1), point(4, 3)].into_iter().collect();
        let count = board.count(&dead, &PointSet::EMPTY).unwrap();
        assert_eq!((count.surrounded, count.prisoners, count.margin()), ([10, 5], [1, 1], 4.5));
        assert_eq!(count.steps().last().unwrap(), "Black wins by 4.5 points.");
        let wrong = [point(0, 0)].into_iter().collect();
        assert_eq!(board.count(&wrong, &PointSet::EMPTY), Err(CountError::NoStone("A5".into())));
        let part = [point(2, 0)].into_iter().collect();
        assert_eq!(board.count(&part, &PointSet::EMPTY), Err(CountError::PartOfChain("C5".into())));
    }

    #[test]
    fn eyes_in_seki_count_only_without_tax() {
        // Each side has a one-point eye and they share one liberty; who fills it is taken.
        let count = |tax, rows: &[&str]| {
            let mut rules = GoRules::named("japanese", Size::new(rows[0].len(), rows.len()).unwrap()).unwrap();
            rules.tax = tax;
            let board = GoBoard::from_position(&rules, rows, Colour::Black).unwrap();
            let seki = board.suggest_seki(&PointSet::EMPTY);
            (board.count(&PointSet::EMPTY, &seki).unwrap().surrounded, seki.len())
        };
        assert_eq!(count(Tax::None, &[".X.O."]), ([1, 1], 2));
        assert_eq!(count(Tax::Seki, &[".X.O."]), ([0, 0], 2));
        // With room behind, the points between are ordinary neutral points.
        assert_eq!(count(Tax::Seki, &[".X.O.", ".X.O."]), ([2, 2], 0));
    }
}
