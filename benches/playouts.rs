//! Random games of Go for the benchmarks that need them; not a benchmark itself.
//!
//! A playout makes uniformly random legal moves that don't fill an own one-point eye; a player passes only when nothing
//! else is left; two passes end the game; each game starts fresh. The board's set of empty points is gone through at each
//! move. Not here: what is measured.

use tengen_game::testkit::TestRng;
use tengen_go::{GoBoard, GoRules};

/// Plays one game, calling `visit` before every move; returns its end and the number of moves.
#[inline]
pub(crate) fn playout(rules: &GoRules, seed: u64, mut visit: impl FnMut(&GoBoard)) -> (GoBoard, u64) {
    let mut rng = TestRng::new(seed);
    let mut board = GoBoard::new(rules);
    let mut moves = 0;
    // Simple ko allows endless games; three times the board is far beyond any ordinary one.
    while !board.is_over() && moves < 3 * rules.size.area() as u64 {
        visit(&board);
        board.place(board.random_move(|n| rng.below(n)));
        moves += 1;
    }
    (board, moves)
}
