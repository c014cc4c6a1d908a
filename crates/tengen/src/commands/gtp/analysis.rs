//! Searches that are watched while they run. Not here: how reports are told (the protocol), which moves are played.

use std::time::Duration;

use tengen_engine::{Candidate, Move, Next, PlayError, Watcher};
use tengen_game::{Action, Game as _};
use tengen_go::GoBoard;
use tengen_opening::{Opening, Seated, SeatedSetup};
use tengen_search::{Limits, Query, SearchResult, Step, ask};

use super::{Game, Player};

/// A search without end would fill the memory: edges that it may make, each of 16 bytes or less.
const EDGES_MAX: usize = 16_000_000;
/// Between looks at the input when there is nothing more to search.
const REST: Duration = Duration::from_millis(5);

/// For searches that nobody watches.
pub(super) struct Unwatched;

impl Watcher for Unwatched {
    fn next(&mut self) -> Next {
        Next::Search
    }

    fn report(&mut self, _: &[Candidate]) {}
}

pub(super) fn move_of(action: Action) -> Move {
    action.as_point().map_or(Move::Pass, Move::Stone)
}

fn other(e: &dyn std::fmt::Display) -> PlayError {
    PlayError::Other(e.to_string().replace('\n', " "))
}

/// The game to search from a board; none when it is over.
pub(super) fn open_game(board: &GoBoard) -> Result<Option<Game>, PlayError> {
    let setup = SeatedSetup::<GoBoard>::new(*board.rules(), Opening::NONE).map_err(|e| other(&e))?;
    let game = Seated::from_board(setup, board.clone()).ok_or(PlayError::Illegal)?;
    Ok(game.outcome().is_none().then_some(game))
}

impl Player {
    /// Searches, asking the watcher before every evaluation; none when it said stop.
    pub(super) fn searched(
        &mut self,
        game: &Game,
        limits: Limits,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<SearchResult>, PlayError> {
        self.searches += 1;
        self.search.begin(game, limits, self.searches);
        let mut answers = Vec::new();
        while self.search.step() == Step::Leaf {
            match watcher.next() {
                Next::Search => {}
                Next::Report => watcher.report(&self.candidates()),
                Next::Stop => {
                    self.search.reset();
                    return Ok(None);
                }
            }
            let (game, legal) = self.search.leaf();
            ask(&mut *self.evaluator, &[Query { game, legal, slot: 0 }], &mut answers).map_err(|e| other(&e))?;
            self.search.answer(&answers[0]);
        }
        Ok(Some(self.search.result()))
    }

    /// Searches until the watcher says stop. What fits into the memory may be found before that; then it waits.
    pub(super) fn watch(&mut self, board: &GoBoard, watcher: &mut dyn Watcher) -> Result<(), PlayError> {
        let visits = EDGES_MAX / (board.size().area() + 1);
        let mut found = Vec::new();
        if let Some(game) = open_game(board)? {
            if self.searched(&game, Limits::playing(visits as u32), watcher)?.is_none() {
                return Ok(());
            }
            found = self.candidates();
        }
        loop {
            match watcher.next() {
                Next::Search => std::thread::sleep(REST),
                Next::Report => watcher.report(&found),
                Next::Stop => return Ok(()),
            }
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidate = |found: tengen_search::Candidate| Candidate {
            action: move_of(found.action),
            visits: found.visits,
            winrate: (found.value + 1.0) / 2.0,
            prior: found.prior,
            pv: found.pv.into_iter().map(move_of).collect(),
        };
        self.search.candidates().into_iter().map(candidate).collect()
    }
}
