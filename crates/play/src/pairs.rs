//! Pairs of games: the same start twice, seats exchanged, so that a start that favours one seat favours nobody.
//! Not here: playing them.

use tengen_game::Seat;

use crate::run::GameTask;
use crate::starts::Start;

/// The seat of player A (agent 0) in the game of that index: pair p is games 2p and 2p + 1, and A begins the first.
pub fn seat_of_first(game: u64) -> Seat {
    if game.is_multiple_of(2) { Seat::First } else { Seat::Second }
}

/// The task of one game of a paired match. Pair p takes start p; starts are used again only once all have been used.
/// Without starts games begin from the first position.
pub fn pair_task(starts: &[Start], seed: u64, index: u64) -> GameTask {
    let start = match starts.len() as u64 {
        0 => Vec::new(),
        n => starts[((index / 2) % n) as usize].actions.clone(),
    };
    GameTask { start, seed, index, exchanged: seat_of_first(index) == Seat::Second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_game::Action;

    #[test]
    fn both_games_of_a_pair_share_their_start() {
        let start = |a| Start { actions: vec![Action(a)], key: 0, value: None };
        let starts = [start(1), start(2)];
        let tasks: Vec<GameTask> = (0..6).map(|i| pair_task(&starts, 9, i)).collect();
        let firsts: Vec<u16> = tasks.iter().map(|t| t.start[0].0).collect();
        assert_eq!(firsts, [1, 1, 2, 2, 1, 1]);
        assert!(tasks.iter().all(|t| t.exchanged == (t.index % 2 == 1) && t.seed == 9));
        assert!(pair_task(&[], 9, 5).start.is_empty());
    }
}
