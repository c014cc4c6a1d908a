//! The shared conformance suite on the Go board, through the plainest possible game: the first seat is Black.

use tengen_game::testkit::conformance;
use tengen_game::{Action, BoardResult, Colour, Game, Outcome, Placement, PointSet, Seat, Size};
use tengen_go::{GoBoard, GoRules, Ko, RULESETS, Suicide, Tax, Tie};

/// Go without an opening protocol.
#[derive(Clone, Debug)]
struct Plain(GoBoard);

fn seat(colour: Colour) -> Seat {
    if colour == Colour::Black { Seat::First } else { Seat::Second }
}

impl Game for Plain {
    type Setup = GoRules;

    fn start(setup: &GoRules) -> Plain {
        Plain(GoBoard::new(setup))
    }

    fn setup(&self) -> &GoRules {
        self.0.rules()
    }

    fn size(&self) -> Size {
        self.0.size()
    }

    fn to_act(&self) -> Seat {
        seat(self.0.to_play())
    }

    fn legal(&self, out: &mut Vec<Action>) {
        let mut points = PointSet::EMPTY;
        self.0.legal_points(&mut points);
        out.clear();
        out.extend(points.iter().map(Action::point));
        out.extend(self.0.pass_legal().then_some(Action::PASS));
    }

    fn is_legal(&self, action: Action) -> bool {
        self.0.is_legal(action)
    }

    fn apply(&mut self, action: Action) {
        self.0.place(action);
    }

    fn undo(&mut self) {
        self.0.undo();
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.result().map(|result| match result {
            BoardResult::Win(colour) => Outcome::Win(seat(colour)),
            BoardResult::Draw => Outcome::Draw,
            BoardResult::NoResult => Outcome::NoResult,
        })
    }

    fn margin(&self) -> Option<f32> {
        self.0.margin()
    }

    fn hash(&self) -> u64 {
        self.0.hash()
    }

    fn plies(&self) -> usize {
        self.0.moves()
    }
}

#[test]
fn every_rule_set() {
    for row in RULESETS {
        for (size, plies) in [("2x2", 100), ("5x4", 150), ("9x9", 120)] {
            let rules = GoRules::named(row.name, size.parse().unwrap()).unwrap();
            conformance::<Plain>(&rules, 1, 2, plies);
        }
    }
}

#[test]
fn every_value_of_every_rule() {
    let mut finished = 0;
    for ko in [Ko::None, Ko::Simple, Ko::LastPosition, Ko::Positional, Ko::Situational, Ko::Spight] {
        for suicide in [Suicide::None, Suicide::Multi, Suicide::All] {
            for (tax, tie, early_end) in
                [(Tax::None, Tie::Draw, true), (Tax::Seki, Tie::Black, false), (Tax::All, Tie::White, true)]
            {
                let mut rules = GoRules::named("tromp-taylor", Size::square(4).unwrap()).unwrap();
                (rules.ko, rules.suicide, rules.tax, rules.tie) = (ko, suicide, tax, tie);
                rules.early_end = early_end;
                rules.set_komi(0.0).unwrap();
                finished += conformance::<Plain>(&rules, 2, 3, 150);
            }
        }
    }
    assert!(finished > 50, "{finished} of 162 games finished");
}

/// Handicap stones, the button, four passes, clean-up phases that may end early.
#[test]
fn rules_beside_the_named_sets() {
    for text in [
        "rules=chinese size=9 handicap=4",
        "rules=czech size=7 handicap=D4",
        "rules=japanese size=4 early_end=true",
        "rules=japanese size=3 tax=all suicide=multi",
        "rules=aga-button size=3 ko=positional",
        "rules=aga size=3 end=white-last",
        "rules=chinese size=2x3 ko=simple cycle=draw end=repeat",
    ] {
        conformance::<Plain>(&text.parse().unwrap(), 4, 3, 200);
    }
}

#[test]
fn a_large_board() {
    let rules = GoRules::named("tromp-taylor", Size::square(19).unwrap()).unwrap();
    conformance::<Plain>(&rules, 3, 1, 60);
}
