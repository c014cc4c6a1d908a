//! What a protocol is worth, by backward induction over the protocol itself: the game is walked decision by decision, so
//! no protocol is named here and a new one needs nothing.
//!
//! Whoever decides takes what is best for the own seat. An offer of N is worth its N-th best class to the seat that
//! offers, because the other picks the worst. Every line ends in plain play, where positions have values. Not here: which
//! moves are looked at (`census`), which values count for choices and which for reports (`samples`).

use tengen_game::{Action, Colour, Game, Placement, Seat};
use tengen_opening::{Seated, StageKind};

use crate::census::Census;
use crate::position::{Position, distinct};

/// Values of positions in [-1, 1] for Black.
pub type Values<'a> = &'a dyn Fn(&Position) -> f64;

/// How a protocol goes on when both seats choose by some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Value in [-1, 1] for the first seat by the values that chose the line; too good for whoever chose last.
    pub value: f64,
    /// Where it ends.
    pub leaf: Position,
    /// Who holds Black there.
    pub black: Seat,
    /// Decisions from where the walk began; of an offer only the move that is picked.
    pub actions: Vec<Action>,
    /// Whether the first choice of colours in it was a swap; none if there was no choice.
    pub swapped: Option<bool>,
}

impl Line {
    fn value_for(&self, seat: Seat) -> f64 {
        if seat == Seat::First { self.value } else { -self.value }
    }
}

/// One walk.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    /// Lists of moves.
    pub census: &'a Census,
    /// Values that decide.
    pub values: Values<'a>,
    /// Values that shorten lists of fifth moves; without them all classes are walked.
    pub screen: Option<Values<'a>>,
    /// For the curve of offers: nobody swaps, and exactly so many are offered.
    pub offers: Option<u16>,
}

impl<'a> Walk<'a> {
    /// The line from a position on; none if the game is over, a list of fourth moves is missing (the census then knows
    /// which), or (for a curve) nothing is offered. The game comes back as it was.
    pub fn solve<P: Placement>(&self, game: &mut Seated<P>) -> Option<Line> {
        if game.outcome().is_some() {
            return None;
        }
        match game.stage().kind {
            StageKind::Play if self.offers.is_some() => None,
            StageKind::Play => self.leaf(game),
            StageKind::Place if three_stones_anywhere(game) => self.triples(game),
            StageKind::Place => {
                let places = self.places(game)?;
                self.best(game, &places)
            }
            StageKind::SwapChoice | StageKind::BranchChoice => self.choice(game),
            StageKind::Number => self.number(game),
            StageKind::Offer => self.offer(game),
            StageKind::Pick => self.best(game, &legal(game)),
        }
    }

    /// Moves that a seat looks at where it places a stone; none beyond the fifth, which no list is made for.
    pub(crate) fn places<P: Placement>(&self, game: &mut Seated<P>) -> Option<Vec<Action>> {
        if game.board().moves() >= 5 {
            return None;
        }
        if game.board().moves() == 3 {
            return self.census.fourth_list(game);
        }
        let all = distinct(game, &legal(game));
        match self.screen {
            Some(screen) if all.len() > self.census.bounds().fifths => {
                let wide = Walk { values: screen, screen: None, ..*self };
                let mut scored = Vec::with_capacity(all.len());
                let seat = game.to_act();
                for action in all {
                    // For a curve nothing is offered beyond a placed fifth, so there is nothing to rank.
                    let line = through(game, action, |g| wide.solve(g))?;
                    scored.push((line.value_for(seat), action));
                }
                Some(best_first(scored, self.census.bounds().fifths))
            }
            _ => Some(all),
        }
    }

    fn leaf<P: Placement>(&self, game: &Seated<P>) -> Option<Line> {
        let (leaf, _) = Position::of(game.board())?;
        let black = game.seat_of(Colour::Black);
        let value = (self.values)(&leaf);
        let value = if black == Seat::First { value } else { -value };
        Some(Line { value, leaf, black, actions: Vec::new(), swapped: None })
    }

    /// The best of some actions for the seat to act; the first of equals.
    fn best<P: Placement>(&self, game: &mut Seated<P>, actions: &[Action]) -> Option<Line> {
        let seat = game.to_act();
        let mut best: Option<Line> = None;
        for &action in actions {
            let Some(line) = through(game, action, |g| self.solve(g)) else { continue };
            if best.as_ref().is_none_or(|b| line.value_for(seat) > b.value_for(seat)) {
                best = Some(line);
            }
        }
        best
    }

    fn choice<P: Placement>(&self, game: &mut Seated<P>) -> Option<Line> {
        let mut actions = legal(game);
        // Equal values keep the colours.
        actions.sort_by_key(|a| *a != Action::KEEP);
        if self.offers.is_some() {
            let unswapped = actions.into_iter().filter(|a| *a != Action::SWAP);
            return unswapped.into_iter().find_map(|a| through(game, a, |g| self.solve(g)));
        }
        let colours = actions.contains(&Action::SWAP);
        let mut line = self.best(game, &actions)?;
        if colours {
            line.swapped = line.actions.first().map(|a| *a == Action::SWAP);
        }
        Some(line)
    }

    /// Numbers beyond half the list of fifths aren't looked at.
    fn number<P: Placement>(&self, game: &mut Seated<P>) -> Option<Line> {
        let most = self.offers.unwrap_or(self.census.bounds().offers);
        let mut actions = legal(game);
        actions.retain(|a| a.as_number().is_some_and(|n| n <= most));
        if self.offers.is_some() {
            actions.drain(..actions.len().saturating_sub(1));
        }
        self.best(game, &actions)
    }

    fn offer<P: Placement>(&self, game: &mut Seated<P>) -> Option<Line> {
        let due = self.offers.unwrap_or_else(|| game.offer().map_or(1, |o| o.due)) as usize;
        let seat = game.to_act();
        let list = match self.screen {
            Some(screen) => self.short_offers(game, screen)?,
            None => classes(game),
        };
        let lines: Option<Vec<Line>> = list.into_iter().map(|action| self.picked(game, action)).collect();
        let mut lines = lines?;
        lines.sort_by(|a, b| b.value_for(seat).total_cmp(&a.value_for(seat)));
        // Fewer classes than offers: all are offered.
        let worst = due.min(lines.len()).checked_sub(1)?;
        Some(lines.swap_remove(worst))
    }

    fn picked<P: Placement>(&self, game: &mut Seated<P>, action: Action) -> Option<Line> {
        game.assume(action);
        let line = match self.offers {
            Some(_) => self.leaf(game),
            None => self.solve(game),
        };
        game.undo();
        let mut line = line?;
        line.actions.insert(0, action);
        Some(line)
    }

    fn short_offers<P: Placement>(&self, game: &mut Seated<P>, screen: Values<'a>) -> Option<Vec<Action>> {
        let board = game.board().hash();
        self.census.offer_list(board, || {
            let wide = Walk { values: screen, screen: None, ..*self };
            let seat = game.to_act();
            let mut scored = Vec::new();
            for action in classes(game) {
                scored.push((wide.picked(game, action)?.value_for(seat), action));
            }
            Some(best_first(scored, self.census.bounds().fifths))
        })
    }

    fn triples<P: Placement>(&self, game: &mut Seated<P>) -> Option<Line> {
        let seat = game.to_act();
        let mut best: Option<Line> = None;
        for triple in self.census.triples() {
            let actions = triple.map(Action::point);
            let mut placed = 0;
            while placed < 3 && game.is_legal(actions[placed]) {
                game.apply(actions[placed]);
                placed += 1;
            }
            let line = if placed == 3 { self.solve(game) } else { None };
            (0..placed).for_each(|_| game.undo());
            let Some(mut line) = line else { continue };
            line.actions.splice(0..0, actions);
            if best.as_ref().is_none_or(|b| line.value_for(seat) > b.value_for(seat)) {
                best = Some(line);
            }
        }
        best
    }
}

/// Whether one seat places three stones on an empty board, the first wherever it likes.
pub(crate) fn three_stones_anywhere<P: Placement>(game: &Seated<P>) -> bool {
    game.board().moves() == 0 && game.stage().stones_due >= 3 && legal(game).len() > 1
}

fn legal<P: Placement>(game: &Seated<P>) -> Vec<Action> {
    let mut legal = Vec::new();
    game.legal(&mut legal);
    legal
}

/// One action of each class at an offer.
fn classes<P: Placement>(game: &Seated<P>) -> Vec<Action> {
    let legal = legal(game);
    let mut class = Vec::new();
    game.classes(&legal, &mut class);
    legal.iter().enumerate().filter(|(i, _)| class[*i] as usize == *i).map(|(_, a)| *a).collect()
}

fn through<P: Placement>(
    game: &mut Seated<P>,
    action: Action,
    solve: impl FnOnce(&mut Seated<P>) -> Option<Line>,
) -> Option<Line> {
    game.apply(action);
    let line = solve(game);
    game.undo();
    let mut line = line?;
    line.actions.insert(0, action);
    Some(line)
}

fn best_first(mut scored: Vec<(f64, Action)>, count: usize) -> Vec<Action> {
    scored.sort_by(|(v, a), (w, b)| w.total_cmp(v).then(a.cmp(b)));
    scored.into_iter().take(count).map(|(_, a)| a).collect()
}
