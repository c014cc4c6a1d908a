//! Small made-up records for this crate's tests: every kind of row, end and outcome, with text that isn't ASCII.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Outcome, Seat};

use crate::record::{EndReason, GameRecord, MoveRow, SearchKind};

fn policy(rng: &mut TestRng) -> Vec<(Action, f32)> {
    let mut actions: Vec<u16> = (0..1 + rng.below(12)).map(|_| rng.below(Action::END as usize) as u16).collect();
    actions.sort();
    actions.dedup();
    let visits: Vec<u32> = actions.iter().map(|_| 1 + rng.below(100) as u32).collect();
    let total: u32 = visits.iter().sum();
    actions.iter().zip(visits).map(|(&a, n)| (Action(a), n as f32 / total as f32)).collect()
}

fn row(rng: &mut TestRng) -> MoveRow {
    let kind = SearchKind::from_code(rng.below(4) as u8).expect("four kinds");
    let is_book = kind == SearchKind::Book;
    MoveRow {
        action: Action(rng.below(Action::END as usize) as u16),
        seat: Seat::BOTH[rng.below(2)],
        kind,
        visits: if is_book { 0 } else { 1 + rng.below(800) as u32 },
        root_value: if is_book { 0.0 } else { rng.below(2001) as f32 / 1000.0 - 1.0 },
        best: rng.below(2) == 0,
        policy: if is_book { Vec::new() } else { policy(rng) },
        weight: 1.0 / (1 + rng.below(3)) as f32,
    }
}

/// One game of `plies` plies.
pub(crate) fn game(index: u64, plies: usize) -> GameRecord {
    let mut rng = TestRng::new(index ^ 0xda7a);
    let outcome = Outcome::from_code(rng.below(4) as u8).expect("four outcomes");
    let has_margin = outcome != Outcome::NoResult && rng.below(2) == 0;
    GameRecord {
        setup: ["game=renju size=15 opening=soosorv8", "game=go size=9 komi=7"][rng.below(2)].into(),
        seed: rng.next(),
        index,
        models: ["uniform".into(), ["s0000000100-0badcafe", "天元 набор é"][rng.below(2)].into()],
        moves: (0..plies).map(|_| row(&mut rng)).collect(),
        outcome,
        end: EndReason::from_code(rng.below(4) as u8).expect("four ends"),
        margin: has_margin.then(|| rng.below(101) as f32 / 2.0 - 25.0),
        evaluations: rng.next() >> 40,
    }
}

/// Some games, the first without a move.
pub(crate) fn games(n: u64) -> Vec<GameRecord> {
    (0..n).map(|i| game(i, i as usize * 3 % 17)).collect()
}
