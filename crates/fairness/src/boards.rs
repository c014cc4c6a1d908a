//! Heat maps of a study: what the next move is worth all over the board. Part of [`crate::run`]'s study; not here: the
//! drawing (`svg`).

use std::collections::BTreeMap;

use tengen_game::{Action, Colour, Game, Placement, Point};
use tengen_opening::{CanonicalOpening, Seated, ShapeSymmetries};

use crate::FairnessError;
use crate::position::Position;
use crate::run::{Case, Study, score};
use crate::samples::Set;
use crate::study::{Board, BoardValue, Stone};

impl<P: Placement> Study<'_, P> {
    /// The opening itself and its shortlisted fourth moves, in plain play.
    pub(crate) fn board_positions(&self, cases: &[Case<P>]) -> Result<Vec<Position>, FairnessError> {
        let Some(mut game) = self.opening_board(cases) else { return Ok(Vec::new()) };
        let mut positions = Vec::new();
        for action in self.census.fourth_list(&game).unwrap_or_default() {
            game.apply(action);
            positions.extend(Position::of(game.board()).map(|(p, _)| p));
            game.undo();
        }
        Ok(positions)
    }

    /// The group's opening in plain play and its usual orientation.
    fn opening_board(&self, cases: &[Case<P>]) -> Option<Seated<P>> {
        let opening = cases.first()?.opening?;
        let mut game = Seated::start(&self.plain);
        for point in opening.points(game.size())? {
            let action = Action::point(point);
            if !game.is_legal(action) {
                return None;
            }
            game.apply(action);
        }
        let (position, _) = Position::of(game.board())?;
        self.census.fourths(&position).is_some().then_some(game)
    }

    pub(crate) fn write_boards(&mut self, cases: &[Case<P>]) -> Result<(), FairnessError> {
        let Some(mut game) = self.opening_board(cases) else { return Ok(()) };
        let Some(opening) = cases.first().and_then(|c| c.opening) else { return Ok(()) };
        let Some((position, onto)) = Position::of(game.board()) else { return Ok(()) };
        let known = self.census.fourths(&position).cloned().unwrap_or_default();
        let size = game.size();
        let raw = |p| known.get(&onto.point(size, p)).map(|f| f.value);
        let fourths = self.board(&opening, &mut game, raw);
        self.report.boards.push(fourths);
        // Fifth moves after the fourth that is best for White when Black offers two, or else in plain play.
        let code = opening.code();
        let of_two = self.report.curves.iter().find(|c| c.opening == code && c.offers == 2);
        let named = of_two.and_then(|c| c.line.split(' ').find_map(|w| self.letters.point(size, w))).map(Action::point);
        let fourth = named.filter(|a| game.is_legal(*a)).or_else(|| self.census.fourth_list(&game)?.first().copied());
        if let Some(fourth) = fourth {
            game.apply(fourth);
            let fifths = self.board(&opening, &mut game, |_| None);
            if fifths.values.len() > 1 {
                self.report.boards.push(fifths);
            }
        }
        Ok(())
    }

    /// Black's score after each legal move, by the best values there are.
    fn board(&self, opening: &CanonicalOpening, game: &mut Seated<P>, raw: impl Fn(Point) -> Option<f64>) -> Board {
        let size = game.size();
        let mut legal = Vec::new();
        game.legal(&mut legal);
        let mut found: BTreeMap<Point, (f64, bool)> = BTreeMap::new();
        for point in legal.iter().filter_map(|a| a.as_point()) {
            game.apply(Action::point(point));
            let position = Position::of(game.board()).map(|(p, _)| p);
            game.undo();
            let of = |set: Set| self.samples.get(&self.keys[set as usize], position.as_ref()?).map(|e| e.value);
            let searched = of(Set::Choose);
            if let Some(value) = searched.or_else(|| of(Set::Screen)).or_else(|| raw(point)) {
                found.insert(point, (value, searched.is_some()));
            }
        }
        // Moves that are one offer were asked about once.
        let shape = ShapeSymmetries::of(size, &stones_of(game));
        let value = |p: Point| found.get(&p).or_else(|| shape.class_of(p).iter().find_map(|q| found.get(&q))).copied();
        let values = legal.iter().filter_map(|a| a.as_point()).filter_map(|point| {
            let (value, searched) = value(point)?;
            let (column, row) = size.xy(point);
            Some(BoardValue { point: self.letters.name(size, point), column, row, black: score(value), searched })
        });
        let stones = stones_of(game).into_iter().map(|(p, colour)| {
            let (column, row) = size.xy(p);
            Stone { column, row, black: colour == Colour::Black }
        });
        Board {
            opening: opening.code(),
            name: opening.name.to_string(),
            stone: game.board().moves() as u32 + 1,
            size: [size.width(), size.height()],
            stones: stones.collect(),
            values: values.collect(),
        }
    }
}

/// Stones in the order placed.
fn stones_of<P: Placement>(game: &Seated<P>) -> Vec<(Point, Colour)> {
    let stone = |back| game.board().move_back(back).and_then(|(colour, action)| Some((action.as_point()?, colour)));
    (0..game.board().moves()).rev().filter_map(stone).collect()
}
