//! A game that pauses wherever a network has to answer. One thread can drive many and batch one leaf of each.
//!
//! `begin` a game, then `advance` until `Finished`; after each `Leaf` evaluate `query` with the model of the named agent
//! and `answer`. `take_record` hands out the record and leaves the run ready for the next `begin`, with its memory. A
//! game is a function of setup, task, agents, limits and evaluations: its random stream belongs to (seed, index) alone.
//! Not here: batches and threads (self-play, arena), what ends a game (`ledger`).

use tengen_data::{GameRecord, MoveRow, SearchKind};
use tengen_game::{Action, Game, Seat};
use tengen_search::{Evaluation, Query, Search, SearchResult, Step};

use crate::PlayError;
use crate::config::{AgentConfig, GameLimits};
use crate::ledger::Ledger;
use crate::player::{Choice, Player};
use crate::referee::{Referee, Ruling};
use crate::starts::random_start;
use crate::stream::Stream;

/// How an agent decides.
pub enum Mind<G: Game> {
    /// Search over an evaluator that the driver provides.
    Search(AgentConfig),
    /// By itself, at once.
    Own(Box<dyn Player<G>>),
}

/// A participant.
pub struct Agent<G: Game> {
    /// Model id, or the player's name, for the record.
    pub model: String,
    /// How it decides.
    pub mind: Mind<G>,
}

impl<G: Game> Agent<G> {
    /// Searches with a model.
    pub fn search(model: &str, config: AgentConfig) -> Agent<G> {
        Agent { model: model.to_string(), mind: Mind::Search(config) }
    }

    /// Decides by itself.
    pub fn own(player: Box<dyn Player<G>>) -> Agent<G> {
        Agent { model: player.name(), mind: Mind::Own(player) }
    }
}

/// One game to play.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameTask {
    /// Actions from the first position, recorded as `Book`.
    pub start: Vec<Action>,
    /// Seed of the run or match.
    pub seed: u64,
    /// Index of the game in it; picks the stream.
    pub index: u64,
    /// Whether agent 0 takes the second seat.
    pub exchanged: bool,
}

/// What `GameRun::advance` came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Evaluate `query` with the model of that agent, then `answer`.
    Leaf {
        /// Index into the agents given to `new`.
        agent: usize,
    },
    /// The game has ended (or none has begun); see `take_record`.
    Finished,
}

enum Brain<G: Game> {
    Search { config: AgentConfig, search: Box<Search<G>> },
    Own(Box<dyn Player<G>>),
}

/// A game in progress, with the memory of its searches.
pub struct GameRun<G: Game> {
    models: Vec<String>,
    brains: Vec<Brain<G>>,
    limits: GameLimits,
    slot: usize,
    /// Agent by seat.
    holder: [usize; 2],
    ledger: Option<Ledger<G>>,
    referee: Referee,
    stream: Stream,
    task: GameTask,
    /// Kind of the search in progress.
    thinking: Option<SearchKind>,
}

impl<G: Game> GameRun<G> {
    /// A run for one agent that plays both seats (self-play: one tree, one model) or for two. Other numbers are an
    /// error, as are settings out of range. `slot` goes into queries.
    pub fn new(agents: Vec<Agent<G>>, limits: GameLimits, slot: usize) -> Result<GameRun<G>, PlayError> {
        if !(1..=2).contains(&agents.len()) {
            return Err(PlayError::Config(format!("a game has 1 or 2 agents, not {}", agents.len())));
        }
        limits.check().map_err(PlayError::Config)?;
        let mut models = Vec::new();
        let mut brains = Vec::new();
        for agent in agents {
            models.push(agent.model);
            brains.push(match agent.mind {
                Mind::Own(player) => Brain::Own(player),
                Mind::Search(config) => {
                    config.check().map_err(PlayError::Config)?;
                    Brain::Search { search: Box::new(Search::new(config.search.clone())), config }
                }
            });
        }
        Ok(GameRun {
            models,
            brains,
            limits,
            slot,
            holder: [0; 2],
            ledger: None,
            referee: Referee::default(),
            stream: Stream::new(0, 0),
            task: GameTask::default(),
            thinking: None,
        })
    }

    /// Starts a game; one in progress is dropped.
    pub fn begin(&mut self, setup: &G::Setup, task: GameTask) -> Result<(), PlayError> {
        self.stream = Stream::new(task.seed, task.index);
        self.referee = Referee::default();
        self.thinking = None;
        let last = self.brains.len() - 1;
        self.holder = if task.exchanged { [last, 0] } else { [0, last] };
        for brain in &mut self.brains {
            match brain {
                Brain::Search { search, .. } => search.reset(),
                Brain::Own(player) => player.begin(),
            }
        }
        // Drawn whether used or not, so that a setting doesn't shift what follows.
        let spared = self.stream.chance(f64::from(self.limits.resign.spare_share));
        let opening = self.stream.chance(f64::from(self.limits.opening.share));
        let mut ledger = Ledger::<G>::new(setup, &self.limits, !spared);
        let drawn = if task.start.is_empty() && opening { self.draw_opening(setup) } else { Vec::new() };
        for (ply, &action) in task.start.iter().chain(&drawn).enumerate() {
            if ledger.end().is_some() || !ledger.game().is_legal(action) {
                return Err(PlayError::BadStart { ply, action, setup: setup.to_string() });
            }
            ledger.book(action);
        }
        self.task = task;
        self.ledger = Some(ledger);
        Ok(())
    }

    /// Random plies from the game's own stream; none after many decided candidates.
    fn draw_opening(&mut self, setup: &G::Setup) -> Vec<Action> {
        let mut tries = 0..100;
        let found = tries.find_map(|_| random_start::<G>(setup, &self.limits.opening.starts, &mut self.stream));
        found.map_or(Vec::new(), |(_, actions)| actions)
    }

    /// Plays until a network is needed or the game ends. After `Leaf`, repeats `Leaf` until answered.
    pub fn advance(&mut self) -> Need {
        loop {
            let Some(ledger) = &mut self.ledger else { return Need::Finished };
            if ledger.end().is_some() {
                return Need::Finished;
            }
            let seat = ledger.game().to_act();
            let agent = self.holder[seat.index()];
            match &mut self.brains[agent] {
                Brain::Own(player) => {
                    let choice = player.choose(ledger.game(), &mut self.stream);
                    self.play_own(seat, choice);
                }
                Brain::Search { config, search } => {
                    if self.thinking.is_none() {
                        // Drawn whether used or not, so that a setting doesn't shift what follows.
                        let random = self.stream.chance(f64::from(config.random_share)) && config.explore;
                        if random && let Some(action) = random_move(ledger.game(), &mut self.stream) {
                            ledger.book(action);
                            self.tell(action);
                            continue;
                        }
                        let (limits, kind) = config.limits(ledger.game().is_choice(), &mut self.stream);
                        let kind = if ledger.game().offer().is_some() { SearchKind::Full } else { kind };
                        search.begin(ledger.game(), limits, self.stream.next_u64());
                        self.thinking = Some(kind);
                    }
                    if search.step() == Step::Leaf {
                        return Need::Leaf { agent };
                    }
                    let result = search.result();
                    let kind = self.thinking.take().unwrap_or(SearchKind::Full);
                    self.play_result(seat, kind, &result);
                }
            }
        }
    }

    /// After `Need::Leaf`: the position to evaluate.
    pub fn query(&self) -> Option<Query<'_, G>> {
        let search = self.searching()?;
        let (game, legal) = search.leaf();
        Some(Query { game, legal, slot: self.slot })
    }

    /// Takes the evaluation of `query`, which must have been settled (as `tengen_search::ask` does).
    pub fn answer(&mut self, evaluation: &Evaluation) {
        let Some(agent) = self.searching_agent() else { return };
        if let Brain::Search { search, .. } = &mut self.brains[agent] {
            search.answer(evaluation);
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.evaluations += 1;
        }
    }

    /// The finished game; none while it's in progress or when it was taken already.
    ///
    /// `evaluations` counts the positions asked about: what a cache answers without the network is the evaluator's
    /// secret, and counting questions keeps records independent of caches and threads.
    pub fn take_record(&mut self) -> Option<GameRecord> {
        self.ledger.as_ref()?.end()?;
        let models = self.holder.map(|agent| self.models[agent].clone());
        self.ledger.take()?.finish(self.task.seed, self.task.index, models)
    }

    /// The position now, while a game is in progress.
    pub fn game(&self) -> Option<&G> {
        self.ledger.as_ref().map(Ledger::game)
    }

    /// The game's task.
    pub fn task(&self) -> &GameTask {
        &self.task
    }

    fn searching_agent(&self) -> Option<usize> {
        let ledger = self.ledger.as_ref()?;
        (self.thinking.is_some() && ledger.end().is_none()).then(|| self.holder[ledger.game().to_act().index()])
    }

    fn searching(&self) -> Option<&Search<G>> {
        match &self.brains[self.searching_agent()?] {
            Brain::Search { search, .. } => Some(search),
            Brain::Own(_) => None,
        }
    }

    fn play_own(&mut self, seat: Seat, choice: Choice) {
        let Some(ledger) = &mut self.ledger else { return };
        let action = match self.referee.judge(ledger.game(), choice.action) {
            Ruling::Play(action) => action,
            Ruling::PassInstead => Action::PASS,
            Ruling::Again => return,
            Ruling::Forfeit(seat) => return ledger.forfeit(seat),
        };
        let searched = !choice.policy.is_empty();
        self.play(MoveRow {
            action,
            seat,
            kind: if searched { SearchKind::Full } else { SearchKind::Book },
            visits: choice.visits,
            root_value: choice.root_value,
            best: true,
            policy: choice.policy,
            weight: 1.0,
        });
    }

    /// One ply, or as many as are offered from one search.
    fn play_result(&mut self, seat: Seat, kind: SearchKind, result: &SearchResult) {
        let Some(ledger) = &mut self.ledger else { return };
        let root_value = if result.has_value() { result.root_value } else { ledger.last_value(seat) };
        if result.has_value() && ledger.resigns(seat, root_value) {
            return;
        }
        let single = [result.chosen];
        let actions = if result.offers.is_empty() { &single[..] } else { &result.offers };
        let weight = 1.0 / actions.len() as f32;
        for (i, &action) in actions.iter().enumerate() {
            let Some(ledger) = &self.ledger else { return };
            if ledger.end().is_some() {
                return;
            }
            let policy = if i == 0 { result.policy.clone() } else { remaining(ledger.game(), &result.policy, action) };
            self.play(MoveRow {
                action,
                seat,
                kind: if result.forced { SearchKind::Forced } else { kind },
                visits: result.simulations,
                root_value,
                best: result.best,
                policy,
                weight,
            });
        }
    }

    fn play(&mut self, row: MoveRow) {
        let action = row.action;
        if let Some(ledger) = &mut self.ledger {
            ledger.play(row);
        }
        self.tell(action);
    }

    /// Lets searches follow an action.
    fn tell(&mut self, action: Action) {
        for brain in &mut self.brains {
            if let Brain::Search { search, .. } = brain {
                search.advance(action);
            }
        }
    }
}

/// A uniformly random point for variety; none where the position is decided or forced (a blunder there ends the game and
/// teaches nothing), at protocol decisions, and where no point is legal.
fn random_move<G: Game>(game: &G, stream: &mut Stream) -> Option<Action> {
    if game.is_choice() || game.offer().is_some() || game.proven(0).is_some() {
        return None;
    }
    let mut legal = Vec::new();
    game.legal(&mut legal);
    legal.retain(|a| a.as_point().is_some());
    (!legal.is_empty()).then(|| legal[stream.below(legal.len())])
}

/// A later offer's target: what of the shared policy is still legal, scaled to sum 1; all on `action` if nothing is.
fn remaining<G: Game>(game: &G, policy: &[(Action, f32)], action: Action) -> Vec<(Action, f32)> {
    let mut left: Vec<(Action, f32)> = policy.iter().copied().filter(|(a, _)| game.is_legal(*a)).collect();
    let sum: f32 = left.iter().map(|(_, p)| p).sum();
    if sum < 1e-6 {
        return vec![(action, 1.0)];
    }
    left.iter_mut().for_each(|(_, p)| *p /= sum);
    left
}
