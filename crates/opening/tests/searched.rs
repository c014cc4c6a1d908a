//! Real search over every protocol with an evaluator that loves Black: seats, swaps, offers and picks keep the values
//! right, so the last seat to choose ends with Black. A sign flipped by plies instead of seats gives it to the placer.

use tengen_game::{Action, Colour, Game, Seat};
use tengen_opening::{Seated, SeatedSetup, StageKind};
use tengen_renju::FiveBoard;
use tengen_search::{
    EvalError, Evaluation, Evaluator, Limits, ProofConfig, Query, Rule, Search, SearchConfig, Wdl, search_blocking,
};

type Five = Seated<FiveBoard>;

/// Whoever holds Black is well off, and whoever may choose now can hold it; priors are even.
struct LovesBlack(u64);

impl Evaluator<Five> for LovesBlack {
    fn evaluate(&mut self, batch: &[Query<'_, Five>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        for (query, answer) in batch.iter().zip(out) {
            let game = query.game;
            let chooses = query.legal.contains(&Action::SWAP);
            let holds = game.colour_of(game.to_act()) == Colour::Black;
            let win = if chooses || holds { 0.95 } else { 0.05 };
            answer.priors = vec![1.0 / query.legal.len() as f32; query.legal.len()];
            answer.value = Wdl { win, draw: 0.0, loss: 1.0 - win };
            answer.margin = None;
        }
        self.0 += batch.len() as u64;
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        self.0
    }

    fn model(&self) -> &str {
        "loves-black"
    }
}

/// Plays a protocol to its end by search; `visit` sees every decision.
fn play(opening: &str, rule: Rule, mut visit: impl FnMut(&Five, Action)) -> Five {
    let text = format!("game=five rules=freestyle size=9x9 opening={opening}");
    let mut game = Five::start(&text.parse::<SeatedSetup<FiveBoard>>().unwrap());
    let config =
        SearchConfig { rule, proof: ProofConfig { enabled: false, ..ProofConfig::default() }, ..Default::default() };
    let mut search = Search::<Five>::new(config);
    let mut evaluator = LovesBlack(0);
    while game.stage().kind != StageKind::Play {
        let seed = game.plies() as u64;
        let result = search_blocking(&mut search, &game, Limits::playing(150), seed, &mut evaluator).unwrap();
        let actions = if result.offers.is_empty() { vec![result.chosen] } else { result.offers };
        for action in actions {
            assert!(game.is_legal(action), "{opening}: {action:?} at {}", game.describe_stage());
            visit(&game, action);
            game.apply(action);
        }
        search.reset();
    }
    game
}

#[test]
fn the_last_to_choose_ends_with_black() {
    for rule in [Rule::Gumbel, Rule::Puct] {
        let setups = SeatedSetup::<FiveBoard>::every_opening(&"game=five rules=freestyle size=9x9".parse().unwrap());
        let names = setups.iter().map(|s| s.opening().to_string()).chain(["given:e5,e6,f6:swap".to_string()]);
        for opening in names {
            let mut chooser = None;
            let game = play(&opening, rule, |g, _| {
                if matches!(g.stage().kind, StageKind::SwapChoice | StageKind::BranchChoice) && g.is_legal(Action::SWAP)
                {
                    chooser = Some(g.to_act());
                }
            });
            let black = game.seat_of(Colour::Black);
            assert_eq!(black, chooser.unwrap_or(Seat::First), "{opening} {rule:?}: {:?}", game.protocol_history());
        }
    }
}

/// After stone 4 Black's holder may keep and lose Black to a swap after stone 5, or stay Black by offering.
#[test]
fn taraguchi_black_takes_the_branch_with_offers() {
    for rule in [Rule::Gumbel, Rule::Puct] {
        for opening in ["taraguchi-5", "taraguchi-10", "supertaraguchi-10"] {
            let mut fourth = None;
            let game = play(opening, rule, |g, action| {
                if g.stage().kind == StageKind::BranchChoice {
                    fourth = Some((g.to_act(), g.colour_of(g.to_act()), action));
                }
            });
            let seat = game.seat_of(Colour::Black);
            assert_eq!(fourth, Some((seat, Colour::Black, Action::branch(0))), "{opening} {rule:?}");
        }
    }
}
