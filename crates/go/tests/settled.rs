//! Pass-alive groups and the early end: the attacker alone can never take what is called alive, and a game ended early
//! has the result of playing it out.

use tengen_game::testkit::TestRng;
use tengen_game::{Action, Colour, Placement, Point, PointSet, Size};
use tengen_go::{Ended, GoBoard, GoRules, Ko, Suicide, Tax};

fn rules(side: usize, suicide: Suicide, early_end: bool) -> GoRules {
    let mut rules = GoRules::named("tromp-taylor", Size::square(side).unwrap()).unwrap();
    (rules.ko, rules.suicide, rules.early_end) = (Ko::Positional, suicide, early_end);
    rules
}

fn legal(board: &GoBoard) -> Vec<Point> {
    let mut points = PointSet::EMPTY;
    board.legal_points(&mut points);
    points.iter().collect()
}

/// A random move that doesn't fill an own eye, or a pass.
fn random_move(board: &GoBoard, rng: &mut TestRng) -> Action {
    let colour = board.to_play();
    let points: Vec<Point> = legal(board).into_iter().filter(|&p| !board.is_one_point_eye(colour, p)).collect();
    if points.is_empty() { Action::PASS } else { Action::point(points[rng.below(points.len())]) }
}

/// Random games up to a random length.
fn positions(side: usize, suicide: Suicide, games: usize, seed: u64, mut visit: impl FnMut(&GoBoard, &mut TestRng)) {
    let mut rng = TestRng::new(seed);
    for _ in 0..games {
        let mut board = GoBoard::new(&rules(side, suicide, false));
        while !board.is_over() && board.moves() < 3 * board.size().area() {
            let action = random_move(&board, &mut rng);
            board.place(action);
            if rng.below(8) == 0 {
                visit(&board, &mut rng);
            }
        }
        visit(&board, &mut rng);
    }
}

/// The same stones with the attacker to play and no history that could stop it; nobody counts passes.
fn attack_position(board: &GoBoard, attacker: Colour) -> GoBoard {
    let rows = board.rows();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut rules = *board.rules();
    rules.ko = Ko::None;
    GoBoard::from_position(&rules, &rows, attacker).unwrap()
}

#[test]
fn an_attacker_that_moves_alone_takes_nothing() {
    let mut attacked = 0;
    for suicide in [Suicide::None, Suicide::Multi] {
        positions(5, suicide, 60, 5, |board, rng| {
            for owner in Colour::BOTH {
                let (stones, territory) = board.pass_alive(owner);
                assert!(stones.and(&territory).is_empty());
                if stones.is_empty() {
                    continue;
                }
                attacked += 1;
                let mut attack = attack_position(board, !owner);
                for _ in 0..60 {
                    let points: Vec<Point> =
                        attack.size().points().filter(|&p| attack.check(!owner, Action::point(p)).is_ok()).collect();
                    if points.is_empty() {
                        break;
                    }
                    let p = points[rng.below(points.len())];
                    attack.play_any(!owner, Action::point(p)).unwrap();
                    assert!(stones.iter().all(|p| attack.stone(p) == Some(owner)), "{board}\n\n{attack}");
                    // Nor does it make life inside.
                    let (enemy, _) = attack.pass_alive(!owner);
                    assert!(enemy.and(&territory).is_empty(), "{board}\n\n{attack}");
                }
            }
        });
    }
    assert!(attacked > 100, "only {attacked} positions with living stones");
}

/// Everything connected to `p` among the points of `inside`.
fn part(size: Size, inside: &PointSet, p: Point) -> PointSet {
    let (mut found, mut todo) = (PointSet::EMPTY, vec![p]);
    while let Some(q) = todo.pop() {
        if inside.contains(q) && !found.contains(q) {
            found.insert(q);
            todo.extend(beside(size, q));
        }
    }
    found
}

fn beside(size: Size, p: Point) -> impl Iterator<Item = Point> {
    let (x, y) = size.xy(p);
    let (x, y) = (x as isize, y as isize);
    [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)].into_iter().filter_map(move |(x, y)| size.point_at(x, y))
}

fn parts(size: Size, set: &PointSet) -> Vec<PointSet> {
    let mut list: Vec<PointSet> = Vec::new();
    for p in set.iter() {
        if !list.iter().any(|part| part.contains(p)) {
            list.push(part(size, set, p));
        }
    }
    list
}

/// Benson's algorithm word for word: drop chains with fewer than two vital regions, then regions beside dropped chains,
/// until nothing changes.
fn benson(board: &GoBoard, colour: Colour) -> (PointSet, PointSet) {
    let size = board.size();
    let own: PointSet = size.points().filter(|&p| board.stone(p) == Some(colour)).collect();
    let touches = |p: Point, set: &PointSet| beside(size, p).any(|n| set.contains(n));
    let mut chains = parts(size, &own);
    let mut regions = parts(size, &PointSet::full(size).minus(&own));
    regions.retain(|region| region.iter().any(|p| touches(p, &own)));
    let vital = |region: &PointSet, chain: &PointSet| {
        region
            .iter()
            .filter(|&p| board.rules().suicide != Suicide::None || board.stone(p).is_none())
            .all(|p| touches(p, chain))
    };
    loop {
        let before = (chains.len(), regions.len());
        chains.retain(|chain| regions.iter().filter(|region| vital(region, chain)).count() >= 2);
        let alive = chains.iter().fold(PointSet::EMPTY, |all, chain| all.or(chain));
        let dead = own.minus(&alive);
        regions.retain(|region| !region.iter().any(|p| touches(p, &dead)));
        if before == (chains.len(), regions.len()) {
            let inside = |region: &PointSet| region.iter().filter(|&p| !touches(p, &own)).count();
            let home = regions.iter().filter(|region| inside(region) <= 1).fold(PointSet::EMPTY, |all, r| all.or(r));
            return (alive, home);
        }
    }
}

#[test]
fn pass_alive_groups_are_bensons() {
    let mut living = 0;
    let mut compare = |board: &GoBoard| {
        for colour in Colour::BOTH {
            let expected = benson(board, colour);
            assert_eq!(board.pass_alive(colour), expected, "{colour}\n{board}");
            living += usize::from(!expected.0.is_empty());
        }
    };
    for suicide in [Suicide::None, Suicide::Multi] {
        for (side, games) in [(2, 20), (4, 40), (5, 30), (7, 20), (9, 8)] {
            positions(side, suicide, games, 77, |board, _| compare(board));
        }
        // Random arrangements have shapes that games don't, on rectangles too.
        let mut rng = TestRng::new(78);
        for (width, height) in [(3, 3), (1, 9), (9, 1), (6, 4), (13, 9), (19, 19), (25, 2)] {
            for _ in 0..60 {
                let letters = ["..XXXXXO", ".XXO", "..XO", "XXXXXX..O"][rng.below(4)].as_bytes();
                let rows: Vec<String> = (0..height)
                    .map(|_| (0..width).map(|_| letters[rng.below(letters.len())] as char).collect())
                    .collect();
                let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
                let rules = GoRules { size: Size::new(width, height).unwrap(), ..rules(9, suicide, false) };
                if let Ok(board) = GoBoard::from_position(&rules, &rows, Colour::Black) {
                    compare(&board);
                }
            }
        }
    }
    assert!(living > 300, "only {living} positions with living stones");
}

/// The owner's move while enemy stones stand in its `home`: the one that takes most of them, else one whose chain keeps
/// two liberties, always leaving the `core` of its stones pass-alive. A pass when the home is clean.
fn clearing_move(board: &GoBoard, core: &PointSet, home: &PointSet) -> Action {
    let owner = board.to_play();
    if home.iter().all(|p| board.stone(p) != Some(!owner)) {
        return Action::PASS;
    }
    let kept = |p: &Point| {
        let mut next = board.clone();
        next.place(Action::point(*p));
        let alive = core.minus(&next.pass_alive(owner).0).is_empty();
        alive.then(|| (next.taken_by(owner), next.liberties(*p).min(2)))
    };
    let moves = legal(board).into_iter().filter(|p| home.contains(*p)).filter_map(|p| kept(&p).map(|worth| (worth, p)));
    moves.max_by_key(|&(worth, _)| worth).map_or(Action::PASS, |(_, p)| Action::point(p))
}

#[test]
fn an_early_end_has_the_result_of_playing_on() {
    let mut ended = 0;
    for suicide in [Suicide::None, Suicide::Multi] {
        let mut rng = TestRng::new(6);
        for _ in 0..150 {
            let mut early = GoBoard::new(&rules(5, suicide, true));
            while !early.is_over() && early.moves() < 100 {
                let action = random_move(&early, &mut rng);
                early.place(action);
            }
            if !early.is_over() || early.passes() >= 2 {
                continue;
            }
            ended += 1;
            let expected = early.margin();
            let labels = early.ownership();
            // Each side clears its home; now and then it tries something in the other's.
            let rows = early.rows();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let mut on = GoBoard::from_position(&rules(5, suicide, false), &rows, early.to_play()).unwrap();
            let own = Colour::BOTH.map(|colour| on.pass_alive(colour));
            while !on.is_over() && on.moves() < 1000 {
                let (core, home) = &own[on.to_play().index()];
                let mut action = clearing_move(&on, core, home);
                let tries = legal(&on).into_iter().filter(|&p| !home.contains(p)).collect::<Vec<_>>();
                if action == Action::PASS && !tries.is_empty() && on.moves() < 100 && rng.below(3) > 0 {
                    action = Action::point(tries[rng.below(tries.len())]);
                }
                on.place(action);
            }
            assert!(on.is_over());
            assert_eq!(on.margin(), expected, "{early}\n\n{on}");
            assert_eq!(on.ownership(), labels);
            early.undo();
            assert!(!early.is_over() && early.margin().is_none());
        }
    }
    assert!(ended > 40, "only {ended} games ended early");
}

/// Two computations that share little: the automatic score of territory, a sum over points less stones played, and the
/// people's count of surrounded points and prisoners.
#[test]
fn settled_territory_is_counted_alike_by_play_and_by_people() {
    let mut compared = 0;
    for (name, tax) in [("japanese", Tax::Seki), ("czech", Tax::Seki), ("japanese", Tax::All), ("japanese", Tax::None)]
    {
        let mut rng = TestRng::new(9);
        for _ in 0..120 {
            let mut rules = GoRules::named(name, Size::square(5).unwrap()).unwrap();
            (rules.early_end, rules.tax) = (true, tax);
            let mut board = GoBoard::new(&rules);
            while !board.is_over() && board.moves() < 150 && board.phase() == 0 {
                let action = random_move(&board, &mut rng);
                board.place(action);
            }
            if board.end() != Some(Ended::Settled) {
                continue;
            }
            compared += 1;
            let dead = Colour::BOTH.into_iter().fold(PointSet::EMPTY, |dead, colour| {
                let (_, home) = board.pass_alive(colour);
                dead.or(&home.iter().filter(|&p| board.stone(p) == Some(!colour)).collect())
            });
            let count = board.count(&dead, &PointSet::EMPTY).unwrap();
            assert_eq!(Some(count.margin()), board.margin(), "{board}\n{count}");
            let score = board.score();
            let points = Colour::BOTH.map(|colour| count.points(colour));
            assert_eq!(points[0] - points[1], score.black - score.white, "{count}");
        }
    }
    assert!(compared > 60, "only {compared} games were settled");
}

#[test]
fn pass_stones_make_territory_equal_area() {
    let mut rng = TestRng::new(10);
    let rules: GoRules = "rules=aga end=white-last size=5 komi=7.5".parse().unwrap();
    let mut passes = 0;
    for _ in 0..100 {
        let mut board = GoBoard::new(&rules);
        while !board.is_over() {
            let early = rng.below(20) == 0 || board.moves() > 200;
            let action = if early { Action::PASS } else { random_move(&board, &mut rng) };
            board.place(action);
        }
        let dead = board.suggest_dead(8);
        let count = board.count(&dead, &PointSet::EMPTY).unwrap();
        assert_eq!(board.pass_stone_margin(&count), count.margin(), "{board}\n{count}");
        passes +=
            (0..board.moves()).filter(|&back| board.move_back(back).is_some_and(|(_, a)| a == Action::PASS)).count();
    }
    assert!(passes > 200);
}

#[test]
fn prisoners_of_a_start_position() {
    let rows = [".X.X.", "XXXXX", "OOOOO", "O.O.O", "OOOOO"];
    let mut rules = GoRules::named("japanese", Size::square(5).unwrap()).unwrap();
    (rules.early_end, rules.komi) = (true, 0.0);
    let mut board = GoBoard::from_position(&rules, &rows, Colour::Black).unwrap();
    assert_eq!(board.margin(), Some(1.0));
    board.set_taken(2, 7);
    assert_eq!((board.margin(), board.white_bonus()), (Some(1.0 + 2.0 - 7.0), -1.0));
}

#[test]
fn dead_stones_in_pass_alive_territory() {
    // Nothing in the corridor can live, for all of it touches Black.
    let rows = [".X.X.", "XXXXX", "XXXXX", ".O..X", "XXXXX"];
    let board = |early_end| {
        let rules = rules(5, Suicide::Multi, early_end);
        GoBoard::from_position(&rules, &rows, Colour::White).unwrap()
    };
    let plain = board(false);
    assert!(!plain.is_over());
    let score = plain.score();
    assert_eq!((score.black, score.white, score.neutral), (21, 1, 3), "all stones count as alive");
    assert_eq!(plain.ownership(), vec![1; 25], "labels take the dead stone off");
    let early = board(true);
    assert_eq!((early.is_over(), early.margin()), (true, Some(25.0 - 7.5)));
    assert_eq!(early.area(), vec![Some(Colour::Black); 25]);
}

#[test]
fn a_large_empty_space_is_not_settled() {
    // Black lives in the corner, but White could still live in the open.
    let rows = [".X.X...", "XXXX...", ".......", ".......", ".......", ".......", "......."];
    let board = GoBoard::from_position(&rules(7, Suicide::None, true), &rows, Colour::White).unwrap();
    let (stones, territory) = board.pass_alive(Colour::Black);
    assert_eq!((stones.len(), territory.len()), (6, 2));
    assert!(!board.is_over());
}
