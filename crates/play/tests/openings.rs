//! Self-play under every opening protocol: whole games by search, whose records replay seat by seat and keep the history
//! of swaps, numbers, offers and picks. Not here: what the protocols ask (the opening crate's own tests).

use tengen_data::{GameRecord, SearchKind};
use tengen_game::Game;
use tengen_opening::{Seated, SeatedSetup, StageKind};
use tengen_play::{Agent, AgentConfig, GameLimits, GameRun, GameTask, play_game};
use tengen_renju::FiveBoard;
use tengen_search::Uniform;

type Five = Seated<FiveBoard>;

fn setups() -> Vec<SeatedSetup<FiveBoard>> {
    let rules = "game=five rules=renju size=9x9";
    let mut all = SeatedSetup::<FiveBoard>::every_opening(&rules.parse().unwrap());
    for given in ["e5,f6,g7/e5,e6,f6:swap", "a1,b2,c4", "e5,e6:white"] {
        all.push(format!("{rules} opening=given:{given}").parse().unwrap());
    }
    all
}

fn play(setup: &SeatedSetup<FiveBoard>) -> GameRecord {
    let agents = vec![Agent::<Five>::search("uniform", AgentConfig { explore: true, ..AgentConfig::playing(6) })];
    let mut run = GameRun::new(agents, GameLimits::default(), 0).unwrap();
    let task = GameTask { seed: 3, index: 1, ..GameTask::default() };
    let (mut a, mut b) = (Uniform::default(), Uniform::default());
    play_game(&mut run, setup, task, &mut [&mut a, &mut b]).unwrap()
}

#[test]
fn every_protocol_is_played_and_recorded() {
    let setups = setups();
    assert_eq!(setups.len(), 19);
    for setup in setups {
        let record = play(&setup);
        assert_eq!(record.setup.parse::<SeatedSetup<FiveBoard>>().unwrap(), setup, "the record says how it began");
        let mut game = Five::start(&setup);
        let (mut offers, mut weight, mut choices) = (0, 0.0, 0);
        for row in &record.moves {
            assert_eq!(row.seat, game.to_act(), "{setup}: {}", game.describe_stage());
            assert_eq!(game.refusal(row.seat, row.action), None, "{setup}");
            if game.offer().is_some() {
                offers += 1;
                weight += row.weight;
                assert_eq!(row.kind, SearchKind::Full, "offers are searched in full");
            }
            choices += usize::from(matches!(game.stage().kind, StageKind::SwapChoice | StageKind::BranchChoice));
            game.apply(row.action);
        }
        assert_eq!(game.outcome(), Some(record.outcome), "{setup}: played to its end");
        // The protocol's history is in the record's actions: nothing else was replayed.
        assert_eq!(offers, game.offer_numbers().map_or(0, |n| usize::from(n.1)), "{setup}");
        assert!(offers == 0 || (weight - 1.0).abs() < 1e-5, "{setup}: one search's offers weigh as one row");
        let choice = |line: &&String| ["declares", "offers", "picks"].iter().all(|word| !line.contains(word));
        let told = game.protocol_history().iter().filter(choice).count();
        assert_eq!(told, choices, "{setup}: {:?}", game.protocol_history());
        assert_eq!(record, play(&setup), "{setup}: the same seed plays the same game");
    }
}
