//! The game as controllers play it: stones of any colour in any order from any start, stopped and resumed, taken back, and
//! carried over to other rules. Not here: who finds moves.

use tengen_game::{Action, Colour, SetupError};
use tengen_go::{GoBoard, GoRules, Illegal, PositionError};

pub(super) struct Position {
    board: GoBoard,
    /// Boards on which play had stopped before it was resumed, for `undo`.
    stopped: Vec<GoBoard>,
}

impl Position {
    pub(super) fn new(rules: &GoRules) -> Position {
        Position { board: GoBoard::new(rules), stopped: Vec::new() }
    }

    /// From rows of stones.
    pub(super) fn set_up(rules: &GoRules, rows: &[String], first: Colour) -> Result<Position, PositionError> {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        Ok(Position { board: GoBoard::from_position(rules, &rows, first)?, stopped: Vec::new() })
    }

    pub(super) fn board(&self) -> &GoBoard {
        &self.board
    }

    /// The board before the first move.
    pub(super) fn start(&self) -> GoBoard {
        let mut board = self.board.clone();
        while board.moves() > 0 {
            board.undo();
        }
        board
    }

    /// All moves with their colours.
    pub(super) fn moves(&self) -> impl Iterator<Item = (Colour, Action)> + '_ {
        (0..self.board.moves()).rev().filter_map(|back| self.board.move_back(back))
    }

    /// Whether play has been resumed after it had stopped.
    pub(super) fn was_resumed(&self) -> bool {
        !self.stopped.is_empty()
    }

    /// Of boards that were stopped too, so that `undo` brings no old komi back.
    pub(super) fn set_komi(&mut self, komi: f32) -> Result<(), SetupError> {
        self.stopped.iter_mut().chain([&mut self.board]).try_for_each(|board| board.set_komi(komi))
    }

    /// The board with `colour` to play; where people settle the end and play had stopped, as if it hadn't.
    pub(super) fn open_for(&self, colour: Colour) -> GoBoard {
        let mut board = self.board.clone();
        if board.awaits_agreement() {
            board.resume(colour);
        } else {
            board.set_to_play(colour);
        }
        board
    }

    /// Plays, resuming a stopped game with a stone but not with a pass.
    pub(super) fn put(&mut self, colour: Colour, action: Action) -> Result<(), Illegal> {
        if self.board.awaits_agreement() && action != Action::PASS {
            let mut board = self.open_for(colour);
            board.play_any(colour, action)?;
            self.stopped.push(std::mem::replace(&mut self.board, board));
            return Ok(());
        }
        self.board.play_any(colour, action)
    }

    /// False on a board without moves.
    pub(super) fn undo(&mut self) -> bool {
        // The move that resumed play is taken back to where play had stopped.
        if let Some(stopped) = self.stopped.pop_if(|stopped| stopped.moves() + 1 == self.board.moves()) {
            self.board = stopped;
            return true;
        }
        let any = self.board.moves() > 0;
        self.board.undo();
        any
    }

    /// The same stones and moves under other rules for the same size; the error names the first move these forbid.
    pub(super) fn under(&self, rules: &GoRules) -> Result<Position, String> {
        let start = self.start();
        let mut position = Position::set_up(rules, &start.rows(), start.to_play()).map_err(|e| e.to_string())?;
        position.play_all(self.moves())?;
        Ok(position)
    }

    /// Plays moves in order; the error names the first that the rules forbid.
    pub(super) fn play_all(&mut self, moves: impl Iterator<Item = (Colour, Action)>) -> Result<(), String> {
        for (i, (colour, action)) in moves.enumerate() {
            self.put(colour, action).map_err(|why| {
                let name = super::LETTERS.action(self.board.size(), action);
                format!("move {}, {colour} {name}, is illegal: {why}", i + 1)
            })?;
        }
        Ok(())
    }
}
