//! The maps of a Go position for people: who has each point once dead stones are off, shared life, neutral points, what can't
//! be taken. As text that needs no colour. Not here: what the maps are (the rules core), images (`picture`).

use clap::ValueEnum;
use tengen_game::notation::Letters;
use tengen_game::{Colour, Point, PointSet};
use tengen_go::{GoBoard, Maps, Standing};

use crate::board::{Drawn, beside};
use crate::rules::go::DEAD_PLAYOUTS;

/// Width of a terminal that maps are laid out for.
const COLUMNS: usize = 80;

/// One of the maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Map {
    /// Who has each point.
    Ownership,
    /// Shared life.
    Seki,
    /// Points that nobody surrounds.
    Dame,
    /// What can't be taken even by a player who moves alone.
    PassAlive,
}

impl Map {
    /// Title and legend.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Map::Ownership => {
                ("ownership", "X O stones, x o surrounded by Black, White, # @ dead stones of Black, White, . nobody's")
            }
            Map::Seki => ("seki", "X O stones in shared life, x o points inside their groups"),
            Map::Dame => ("dame", "* surrounded by nobody, X O stones"),
            Map::PassAlive => {
                ("pass-alive", "X O stones that can't be taken, x o what only they surround, # @ lost stones inside")
            }
        }
    }
}

/// What a position comes to, and its maps.
#[derive(Clone, Debug)]
pub struct Position {
    /// Dead stones, result.
    pub standing: Standing,
    /// The maps with those stones off.
    pub maps: Maps,
}

impl Position {
    /// Of a board as it stands; none if the proposal can't be counted, which whole chains always can.
    pub fn of(board: &GoBoard) -> Option<Position> {
        let standing = board.standing(DEAD_PLAYOUTS);
        let maps = board.maps_without(&standing.dead, &standing.seki).ok()?;
        Some(Position { standing, maps })
    }

    /// What stands on a point of a map; `.` where the map says nothing.
    fn mark(&self, drawn: &Drawn, map: Map, p: Point) -> char {
        let stone = drawn.stone(p);
        let owner = |sets: &[PointSet; 2]| Colour::BOTH.into_iter().find(|colour| sets[colour.index()].contains(p));
        let of = |owner: Option<Colour>| match (stone, owner) {
            (_, None) => '.',
            (Some(colour), Some(owner)) if colour == owner => colour_mark(colour, 'X', 'O'),
            (Some(colour), Some(_)) => colour_mark(colour, '#', '@'),
            (None, Some(owner)) => colour_mark(owner, 'x', 'o'),
        };
        match map {
            // A dead stone marks itself even where both colours reach its point.
            Map::Ownership if self.standing.dead.contains(p) => stone.map_or('.', |c| colour_mark(c, '#', '@')),
            Map::Ownership => of(owner(&self.maps.owned)),
            Map::Seki => of(owner(&self.maps.seki)),
            Map::PassAlive => of(owner(&self.maps.pass_alive)),
            Map::Dame if self.maps.dame.contains(p) => '*',
            Map::Dame if self.standing.dead.contains(p) => '.',
            Map::Dame => stone.map_or('.', |c| colour_mark(c, 'X', 'O')),
        }
    }

    /// Whether a map has a point on it.
    fn says_something(&self, map: Map) -> bool {
        let any = |sets: &[PointSet; 2]| sets.iter().any(|set| !set.is_empty());
        match map {
            Map::Ownership => true,
            Map::Seki => any(&self.maps.seki),
            Map::Dame => !self.maps.dame.is_empty(),
            Map::PassAlive => any(&self.maps.pass_alive),
        }
    }

    /// The maps asked for, beside each other where they fit, with legends; then what it comes to.
    pub fn text(&self, drawn: &Drawn, wanted: &[Map]) -> String {
        let (full, empty): (Vec<Map>, Vec<Map>) = wanted.iter().partition(|&&map| self.says_something(map));
        let draw = |&map: &Map| format!("   {}\n{}", map.words().0, drawn.framed(&|p| self.mark(drawn, map, p), None));
        let drawings: Vec<String> = full.iter().map(draw).collect();
        let mut lines = Vec::new();
        if !drawings.is_empty() {
            lines.push(beside(&drawings, COLUMNS));
        }
        lines.extend(full.iter().map(|map| format!("{}: {}", map.words().0, map.words().1)));
        lines.extend(empty.iter().map(|map| format!("{}: none", map.words().0)));
        lines.push(self.verdict(drawn.letters, drawn));
        lines.join("\n")
    }

    /// What it comes to if nobody plays on, in a sentence.
    pub fn verdict(&self, letters: Letters, drawn: &Drawn) -> String {
        let names: Vec<String> = self.standing.dead.iter().map(|p| letters.name(drawn.size, p)).collect();
        let dead = match (names.as_slice(), self.standing.by_agreement) {
            ([], true) => "no stones look dead; players may agree otherwise".to_string(),
            (names, true) => format!("dead, if both agree: {}", names.join(" ")),
            ([], false) => "all stones count as alive".to_string(),
            (names, false) => format!("taken off by the rules: {}", names.join(" ")),
        };
        let result = self.standing.text().unwrap_or_else(|| "no result".to_string());
        format!("as it stands {result}; {dead}")
    }
}

fn colour_mark(colour: Colour, black: char, white: char) -> char {
    if colour == Colour::Black { black } else { white }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rules: &str, rows: &[&str]) -> (Drawn, Position) {
        let rules: tengen_go::GoRules = rules.parse().unwrap();
        let board = GoBoard::from_position(&rules, rows, Colour::Black).unwrap();
        let drawn = Drawn::new(board.size(), Letters::WithoutI, &|p| board.stone(p), None);
        (drawn, Position::of(&board).unwrap())
    }

    #[test]
    fn every_map_marks_its_points() {
        // Black's two-eyed group holds a lost stone; White's wall beyond the neutral column.
        let rows = ["..XX.O.", ".OX..O.", "XXXX.O.", "..X..OO", "XXX..O.", "..X..OO", "XXX..O."];
        let (drawn, position) = drawn("rules=japanese size=7 komi=0.5", &rows);
        let text = position.text(&drawn, &[Map::Ownership, Map::Dame, Map::Seki, Map::PassAlive]);
        let marks = |map, rows: [&str; 7]| {
            let seen: String = drawn.size.points().map(|p| position.mark(&drawn, map, p)).collect();
            assert_eq!(seen, rows.concat(), "{map:?}\n{text}");
        };
        marks(Map::Ownership, ["xxXX.Oo", "x@X..Oo", "XXXX.Oo", "xxX..OO", "XXX..Oo", "xxX..OO", "XXX..Oo"]);
        marks(Map::Dame, ["..XX*O.", "..X**O.", "XXXX*O.", "..X**OO", "XXX**O.", "..X**OO", "XXX**O."]);
        marks(Map::PassAlive, ["xxXX.Oo", "x@X..Oo", "XXXX.Oo", "xxX..OO", "XXX..Oo", "xxX..OO", "XXX..Oo"]);
        marks(Map::Seki, ["......."; 7]);
        assert!(text.contains("seki: none") && text.contains("dead, if both agree: B6"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        assert_eq!(text.matches("A B C").count(), 6, "three drawings, framed above and below: {text}");
    }

    #[test]
    fn seki_is_drawn_with_its_eyes() {
        let (drawn, position) = drawn("rules=japanese size=5x2 komi=0.5", &[".X.O.", "XX.OO"]);
        let marks = |map| -> String { drawn.size.points().map(|p| position.mark(&drawn, map, p)).collect() };
        assert_eq!(marks(Map::Dame), ".X*O.XX*OO");
        // Two shared liberties: whoever fills one leaves itself one, and loses all.
        assert_eq!(position.standing.dead, PointSet::EMPTY);
        assert_eq!(marks(Map::Ownership), "xX.OoXX.OO");
    }

    #[test]
    fn the_rules_verdict_is_told_as_theirs() {
        let (drawn, position) = drawn("rules=tromp-taylor size=3 komi=0", &["...", ".X.", ".O."]);
        let text = position.text(&drawn, &[Map::Ownership]);
        assert!(text.contains("as it stands") && text.contains("all stones count as alive"), "{text}");
    }
}
