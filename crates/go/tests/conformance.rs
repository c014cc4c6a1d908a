//! The shared conformance suite on the Go board, through the plainest possible game: the first seat is Black. Every named
//! rule set on every kind of size; a new row of the list is tested by being there. Then scores: mirrored play keeps them,
//! and colours exchanged negate them.

use tengen_game::testkit::{TestRng, conformance};
use tengen_game::{Action, BoardResult, Colour, Game, Outcome, Placement, Point, PointSet, Seat, Size, Symmetry};
use tengen_go::{Bonus, GoBoard, GoRules, Ko, RULESETS, Scoring, Suicide, Tax, Tie};

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

/// Sizes with the plies of a game and the number of games: small boards to the end, of large ones the beginnings. The
/// Czech text's three are among them.
const SIZES: [(&str, usize, usize); 10] = [
    ("2x2", 100, 5),
    ("2x3", 100, 5),
    ("7x2", 150, 4),
    ("5x4", 200, 4),
    ("7x7", 250, 3),
    ("9x9", 300, 2),
    ("13x13", 150, 1),
    ("19x19", 100, 1),
    ("25x25", 60, 1),
    ("25x9", 80, 1),
];

#[test]
fn every_rule_set_on_every_size() {
    let mut finished = 0;
    for row in RULESETS {
        for (size, plies, games) in SIZES {
            let rules = GoRules::named(row.name, size.parse().unwrap()).unwrap();
            finished += conformance::<Plain>(&rules, 1, games, plies);
        }
    }
    assert!(finished > 4 * RULESETS.len(), "{finished} games finished");
}

/// Handicap stones where the set's own list puts them, as far as they lie symmetrically: the suite turns games, not setups.
#[test]
fn every_rule_set_with_a_handicap() {
    for row in RULESETS {
        for (size, stones, plies) in [("7x7", 4, 100), ("9x9", 5, 100), ("13x13", 9, 60), ("19x19", 8, 40)] {
            let text = format!("rules={} size={size} handicap={stones}", row.name);
            let rules: GoRules = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            conformance::<Plain>(&rules, 6, 1, plies);
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

/// Boards a point wide too, which text refuses and counting needs.
#[test]
fn mirrors_keep_and_colours_negate_scores() {
    let mut rng = TestRng::new(21);
    let narrow = [("1x2", 40, 2), ("1x5", 60, 2), ("7x1", 60, 2), ("1x25", 60, 1)];
    for row in RULESETS {
        for (size, plies, games) in SIZES.into_iter().chain(narrow) {
            let mut rules = GoRules::named(row.name, size.parse().unwrap()).unwrap();
            (rules.tie, rules.bonus) = (Tie::Draw, Bonus::Zero);
            rules.set_komi(0.0).unwrap();
            for _ in 0..2 * games {
                mirrored_game(&rules, plies, &mut rng);
            }
            // The other way of counting under the same ko rule and end, where the two go together.
            rules.scoring = if rules.scoring == Scoring::Territory { Scoring::Area } else { Scoring::Territory };
            if rules.check().is_ok() {
                mirrored_game(&rules, plies, &mut rng);
            }
        }
    }
}

/// A random game, its mirror image, and the same with White first: scores, maps and results move with the board and change
/// sides with the colours at every ply, and at the end.
fn mirrored_game(rules: &GoRules, plies: usize, rng: &mut TestRng) {
    let symmetries = Symmetry::of(rules.size);
    let symmetry = symmetries[1 + rng.below(symmetries.len() - 1)];
    let image = |action: Action| action.as_point().map_or(action, |p| Action::point(symmetry.point(rules.size, p)));
    let (mut plain, mut mirror, mut swapped) = (GoBoard::new(rules), GoBoard::new(rules), GoBoard::new(rules));
    swapped.set_to_play(Colour::White);
    while !plain.is_over() {
        let mut points = PointSet::EMPTY;
        plain.legal_points(&mut points);
        let points: Vec<Point> = points.iter().filter(|&p| !plain.is_one_point_eye(plain.to_play(), p)).collect();
        let pass = points.is_empty() || plain.moves() >= plies || rng.below(12) == 0;
        let action = if pass { Action::PASS } else { Action::point(points[rng.below(points.len())]) };
        plain.place(action);
        assert!(mirror.is_legal(image(action)) && swapped.is_legal(action), "{rules}");
        mirror.place(image(action));
        swapped.place(action);
        let (a, b, c) = (plain.score(), mirror.score(), swapped.score());
        assert_eq!(a, b, "{rules}");
        assert_eq!((a.black, a.white, a.neutral), (c.white, c.black, c.neutral), "{rules}");
        assert_eq!(a.halves, -c.halves, "{rules}");
        assert_eq!((plain.end(), plain.phase()), (swapped.end(), swapped.phase()), "{rules}");
        assert!(plain.moves() < plies + 40, "{rules}: passes end it");
    }
    assert_eq!((plain.margin(), plain.outcome()), (mirror.margin(), mirror.outcome()), "{rules}");
    assert_eq!(plain.margin(), swapped.margin().map(|margin| 0.0 - margin), "{rules}");
    let exchanged = plain.outcome().map(|result| match result {
        BoardResult::Win(colour) => BoardResult::Win(!colour),
        other => other,
    });
    assert_eq!(exchanged, swapped.outcome(), "{rules}");
    for p in rules.size.points() {
        let here = plain.ownership()[p.index()];
        assert_eq!(mirror.ownership()[symmetry.point(rules.size, p).index()], here, "{rules}");
        assert_eq!(swapped.ownership()[p.index()], -here, "{rules}");
    }
}
