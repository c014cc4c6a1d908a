//! One game from beginning to end, asking about one position at a time. Not here: many games (self-play, arena).

use tengen_data::GameRecord;
use tengen_game::Game;
use tengen_search::{Evaluator, ask};

use crate::PlayError;
use crate::run::{GameRun, GameTask, Need};

/// Plays one game with `run`'s agents. `evaluators[i]` answers for agent i; an agent that decides by itself needs none,
/// so the list may be shorter. An agent that searches without an evaluator is an error.
pub fn play_game<G: Game>(
    run: &mut GameRun<G>,
    setup: &G::Setup,
    task: GameTask,
    evaluators: &mut [&mut dyn Evaluator<G>],
) -> Result<GameRecord, PlayError> {
    run.begin(setup, task)?;
    let mut answers = Vec::new();
    while let Need::Leaf { agent } = run.advance() {
        let evaluator = evaluators
            .get_mut(agent)
            .ok_or_else(|| PlayError::Config(format!("agent {agent} searches but has no evaluator")))?;
        if let Some(query) = run.query() {
            ask(&mut **evaluator, &[query], &mut answers)?;
        }
        run.answer(&answers[0]);
    }
    run.take_record().ok_or_else(|| PlayError::Config("the game was taken before it ended".into()))
}
