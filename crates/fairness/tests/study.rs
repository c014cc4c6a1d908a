//! Studies with evaluators whose answer is known: what minimax says, what must be monotone, what must not be biased, what
//! must not be called measured. Not here: networks.

use tengen_fairness::{
    Board, FairnessConfig, FairnessError, Judge, Phase, Question, Report, Verdict, Watch, board_svg, boards_csv,
    columns_text, curves_csv, measure, openings_csv, repro_line, table_text,
};
use tengen_game::notation::Letters;
use tengen_game::{Colour, Game, Placement, Point, Size};
use tengen_opening::{CanonicalOpening, Seated, ShapeSymmetries};
use tengen_renju::{FiveBoard, FiveRules};
use tengen_search::{EvalError, Evaluation, Evaluator, EvaluatorSource, Query, Wdl};

type Five = Seated<FiveBoard>;

/// Equal priors; the value for Black is what a function says.
#[derive(Clone, Copy)]
struct Stub(fn(&Five) -> f64);

impl Evaluator<Five> for Stub {
    fn evaluate(&mut self, batch: &[Query<'_, Five>], out: &mut [Evaluation]) -> Result<(), EvalError> {
        for (query, answer) in batch.iter().zip(out) {
            let black = self.0(query.game) as f32;
            let value = if query.game.colour_of(query.game.to_act()) == Colour::Black { black } else { -black };
            answer.priors = vec![1.0 / query.legal.len() as f32; query.legal.len()];
            answer.value = Wdl { win: (1.0 + value) / 2.0, draw: 0.0, loss: (1.0 - value) / 2.0 };
        }
        Ok(())
    }

    fn evaluations(&self) -> u64 {
        0
    }

    fn model(&self) -> &str {
        "stub"
    }
}

impl EvaluatorSource<Five> for Stub {
    fn open(&self, _: &str) -> Result<Box<dyn Evaluator<Five>>, EvalError> {
        Ok(Box::new(*self))
    }
}

fn small() -> FairnessConfig {
    let mut config = FairnessConfig {
        visits: 2,
        visits_root: 8,
        visits_screen: 0,
        fourths: 3,
        fifths: 8,
        images_choose: 1,
        images_value: 2,
        triples: 2,
        pairs: 0,
        visits_playoff: 1,
        ..FairnessConfig::default()
    };
    // The stub's opinion is to be the only one.
    config.search.proof.enabled = false;
    config
}

fn question(openings: &[&str], protocols: &[&str]) -> Question<FiveBoard> {
    let wanted = |o: &&CanonicalOpening| openings.is_empty() || openings.contains(&o.code().as_str());
    Question {
        rules: FiveRules::renju(),
        openings: CanonicalOpening::all().iter().filter(wanted).copied().collect(),
        protocols: protocols.iter().map(|p| p.parse().unwrap()).collect(),
        model: "stub".to_string(),
        judge: Judge { model: "stub".to_string(), steps: 7, command: "study".to_string(), ..Judge::default() },
    }
}

fn study(stub: Stub, openings: &[&str], protocols: &[&str], config: &FairnessConfig) -> Report {
    measure(&stub, &question(openings, protocols), config, &mut ()).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-5
}

#[test]
fn whoever_chooses_colours_takes_the_better_one() {
    let protocols = ["rif", "swap", "yamaguchi", "soosorv-8", "taraguchi-10"];
    for (stub, black) in [(Stub(|_| 0.4), 0.7), (Stub(|_| -0.4), 0.3)] {
        let report = study(stub, &["4D", "13I"], &protocols, &small());
        let rows: Vec<_> = report.rows.iter().filter(|r| r.opening != "-").collect();
        assert_eq!(rows.len(), 10);
        for row in rows {
            assert!(close(row.black, black) && close(row.first, 0.3), "{row:?}");
            assert!(close(row.chosen, 0.3) && row.spread < 1e-6 && row.searches == 2, "{row:?}");
            assert_eq!(row.first_holds, if black > 0.5 { "white" } else { "black" }, "{row:?}");
            assert_eq!(row.verdict(), Verdict::NotMeasured);
        }
        // If White is better, Soosõrv's second choice takes White from whoever has it, so the first one gives it away.
        let swap = |protocol: &str| report.rows.iter().find(|r| r.protocol == protocol).unwrap().swap;
        assert_eq!(swap("rif"), Some(black > 0.5));
        assert_eq!(swap("soosorv-8"), Some(true));
    }
}

#[test]
fn rules_without_choice_give_no_choice() {
    let report = study(Stub(|_| 0.4), &["1D"], &["none", "pie", "pro", "swap2"], &small());
    let row = |protocol: &str, opening: &str| {
        report
            .rows
            .iter()
            .find(|r| r.protocol == protocol && r.opening == opening)
            .unwrap_or_else(|| panic!("{protocol}"))
    };
    assert!(close(row("none", "-").first, 0.7) && row("none", "-").swap.is_none() && row("none", "-").stones == 0);
    assert!(close(row("pro", "-").first, 0.7) && row("pro", "-").stones == 3);
    assert!(close(row("pie", "-").first, 0.3) && row("pie", "-").swap == Some(true));
    assert!(close(row("swap2", "-").first, 0.3) && close(row("swap2", "1D").first, 0.3));
    assert!(row("swap2", "-").line.split(' ').count() >= 4, "{}", row("swap2", "-").line);
}

/// Falls with the distance of Black's stones from the centre, the same in every image.
fn central(game: &Five) -> f64 {
    black_stones(game).map(|p| near(game.size(), p)).sum::<f64>() - 0.3
}

fn near(size: Size, p: Point) -> f64 {
    let (x, y) = size.xy(p);
    let (dx, dy) = (x as f64 - 7.0, y as f64 - 7.0);
    0.3 - 0.02 * (dx * dx + dy * dy).sqrt()
}

fn black_stones(game: &Five) -> impl Iterator<Item = Point> + '_ {
    // Only the first five stones count, so that a search of any depth has one opinion.
    let moves = game.board().moves();
    let of = move |i: usize| game.board().move_back(moves - 1 - i).and_then(|(c, a)| a.as_point().map(|p| (c, p)));
    (0..moves.min(5)).filter_map(of).filter(|(c, _)| *c == Colour::Black).map(|(_, p)| p)
}

#[test]
fn the_curve_is_the_nth_best_class() {
    let report = study(Stub(central), &["1D", "8D"], &["rif", "taraguchi-10"], &small());
    for opening in ["1D", "8D"] {
        let row = CanonicalOpening::all().iter().find(|o| o.code() == opening).unwrap();
        for protocol in ["rif", "taraguchi-10"] {
            let curve: Vec<_> =
                report.curves.iter().filter(|c| c.opening == opening && c.protocol == protocol).collect();
            assert_eq!(curve.len(), 10, "{opening} {protocol}");
            for pair in curve.windows(2) {
                assert!(pair[0].black >= pair[1].black - 1e-5 && pair[1].offers == pair[0].offers + 1, "{pair:?}");
            }
            for point in curve {
                assert!(close(point.black, point.chosen), "exact values leave no bias: {point:?}");
                let size = Size::square(15).unwrap();
                let stones = row.points(size).unwrap();
                let named: Vec<Point> = point.line.split(' ').filter_map(|w| Letters::WithI.point(size, w)).collect();
                let &[fourth, fifth] = &named[..] else { panic!("{}", point.line) };
                let mut board: Vec<(Point, Colour)> =
                    stones.iter().zip([Colour::Black, Colour::White, Colour::Black]).map(|(p, c)| (*p, c)).collect();
                board.push((fourth, Colour::White));
                let shape = ShapeSymmetries::of(size, &board);
                let mut classes: Vec<f64> = size
                    .points()
                    .filter(|p| board.iter().all(|(q, _)| q != p) && shape.representative(*p) == *p)
                    .map(|p| near(size, p))
                    .collect();
                classes.sort_by(|a, b| b.total_cmp(a));
                let expected = classes[usize::from(point.offers) - 1];
                let base: f64 = stones.iter().step_by(2).map(|p| near(size, *p)).sum();
                assert!(close(point.black, (1.0 + base + expected - 0.3) / 2.0), "{point:?}");
                assert!(close(near(size, shape.representative(fifth)), expected), "{point:?}");
            }
        }
    }
}

/// Truth is even everywhere; opinions differ by position and by image of the board.
fn noisy(game: &Five) -> f64 {
    let mixed = tengen_game::zobrist::mix(game.hash());
    0.6 * ((mixed >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
}

#[test]
fn values_are_not_those_that_chose() {
    let report = study(Stub(noisy), &[], &["rif", "swap"], &FairnessConfig { fourths: 2, ..small() });
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let of = |n: u16, f: fn(&tengen_fairness::CurvePoint) -> f64| {
        mean(report.curves.iter().filter(|c| c.offers == n).map(f).collect())
    };
    // One offer is the best of many noisy values, so the choosing set flatters Black; the other set must not.
    assert!(of(1, |c| c.chosen) > 0.55, "plug-in {}", of(1, |c| c.chosen));
    assert!((of(1, |c| c.black) - 0.5).abs() < 0.025, "held out {}", of(1, |c| c.black));
    // The chooser of colours takes the better of two noisy sides.
    let rows: Vec<_> = report.rows.iter().filter(|r| r.opening != "-").collect();
    let chosen = mean(rows.iter().map(|r| r.chosen).collect());
    let first = mean(rows.iter().map(|r| r.first).collect());
    assert!(chosen < 0.47, "plug-in {chosen}");
    assert!((first - 0.5).abs() < 0.025, "held out {first}");
    // From the first decision on, the first seat places the opening that is best for it, in whatever orientation.
    let whole = report.rows.iter().find(|r| r.opening == "-" && r.protocol == "rif").unwrap();
    let best = rows.iter().filter(|r| r.protocol == "rif").map(|r| r.chosen).fold(0.0, f64::max);
    assert!(close(whole.chosen, best), "{} is not the best of all, {best}", whole.chosen);
    assert!(whole.line.starts_with("H8 "), "{}", whole.line);
}

/// Ends the playoffs after so many games.
struct Until {
    games: u64,
    played: u64,
    playing: bool,
    saved: usize,
}

impl Watch for Until {
    fn begin(&mut self, phase: Phase, _: u64) {
        self.playing = phase == Phase::Playoffs;
    }

    fn played(&mut self, games: u64) {
        self.played = games;
    }

    fn save(&mut self, _: &Report) -> Result<(), String> {
        self.saved += 1;
        Ok(())
    }

    fn expired(&mut self) -> bool {
        self.playing && self.played >= self.games
    }
}

fn playing() -> FairnessConfig {
    let mut config = FairnessConfig { pairs: 20, in_flight: 8, ..small() };
    // Cut games go to whom the last searches favour, which for this stub is Black.
    config.limits.plies_max = 9;
    config
}

#[test]
fn playoffs_are_measured_or_not() {
    let report = study(Stub(|_| 0.6), &["1D", "2D"], &["rif"], &playing());
    assert!(report.complete);
    for row in &report.rows {
        let playoff = row.playoff.as_ref().unwrap();
        assert_eq!((playoff.pairs, playoff.truncated, playoff.black), (20, 40, 1.0));
        assert!(close(playoff.first, 0.0) && playoff.low <= 0.0 && playoff.high < 0.5, "{playoff:?}");
        assert_eq!(row.verdict(), Verdict::Second);
        assert!(playoff.distinct > 20, "{playoff:?}");
    }
    let mut watch = Until { games: 50, played: 0, playing: false, saved: 0 };
    let short = measure(&Stub(|_| 0.6), &question(&["1D", "2D"], &["rif"]), &playing(), &mut watch).unwrap();
    assert!(!short.complete && watch.saved >= 3);
    assert!(short.rows[0].playoff.is_some(), "40 of 50 games were of the first row");
    assert!(short.rows[1].playoff.is_none());
    let csv = openings_csv(&short);
    let last = csv.lines().nth(2).unwrap();
    assert_eq!(last.matches("not measured").count(), 9, "{last}");
    assert!(table_text(&short).contains("not measured") && table_text(&short).contains("cut short"));
    assert!(table_text(&short).contains("interval: 0 of 1 rows"), "searched 0.2, played 0 of 40");
}

#[test]
fn too_few_pairs_are_refused() {
    let config = FairnessConfig { pairs: 19, ..small() };
    let error = measure(&Stub(|_| 0.0), &question(&["1D"], &["rif"]), &config, &mut ()).unwrap_err();
    assert!(matches!(&error, FairnessError::Config(why) if why.contains("20 or more")), "{error}");
}

#[test]
fn threads_and_batches_change_nothing() {
    let run = |threads, in_flight| {
        let config = FairnessConfig { threads, in_flight, ..playing() };
        let mut report = study(Stub(noisy), &["3I"], &["rif", "soosorv-3"], &config);
        report.config = FairnessConfig::default();
        report
    };
    let alone = run(1, 5);
    assert_eq!(alone, run(3, 64));
    let other = study(Stub(noisy), &["3I"], &["rif", "soosorv-3"], &FairnessConfig { seed: 2, ..playing() });
    assert_ne!(alone.rows, other.rows);
}

/// Fields of CSV text, quotes taken off.
fn parse(csv: &str) -> Vec<Vec<String>> {
    csv.lines()
        .map(|line| {
            let (mut fields, mut quoted) = (vec![String::new()], false);
            for c in line.chars() {
                match c {
                    '"' => quoted = !quoted,
                    ',' if !quoted => fields.push(String::new()),
                    c => fields.last_mut().unwrap().push(c),
                }
            }
            fields
        })
        .collect()
}

#[test]
fn tables_parse_back() {
    let report = study(Stub(central), &["1D"], &["rif", "swap"], &small());
    let rows = parse(&openings_csv(&report));
    assert_eq!(rows.len(), report.rows.len() + 1);
    let column = |name: &str| rows[0].iter().position(|c| c == name).unwrap();
    for (cells, row) in rows[1..].iter().zip(&report.rows) {
        assert_eq!(cells.len(), rows[0].len());
        assert_eq!((&cells[column("opening")], &cells[column("protocol")]), (&row.opening, &row.protocol));
        let first: f64 = cells[column("first_score")].parse().unwrap();
        let second: f64 = cells[column("second_score")].parse().unwrap();
        assert!((first - row.first).abs() < 1e-4 && (first + second - 1.0).abs() < 2e-4);
        assert_eq!(cells[column("verdict")], "not measured");
    }
    for csv in [curves_csv(&report), boards_csv(&report)] {
        let rows = parse(&csv);
        assert!(rows.len() > 4 && rows.iter().all(|r| r.len() == rows[0].len()));
        let score = rows[0].iter().position(|c| c == "black_score").unwrap();
        assert!(rows[1..].iter().all(|r| (0.0..=1.0).contains(&r[score].parse::<f64>().unwrap())));
    }
    let columns = columns_text();
    assert!(rows[0].iter().all(|name| columns.contains(name.as_str())));
    let back: Report = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
    assert_eq!(back, report);
}

#[test]
fn tables_say_who_judged_and_sort_by_distance_from_even() {
    let mut report = study(Stub(central), &["1D", "4I", "13D"], &["rif", "swap"], &small());
    let text = table_text(&report);
    assert!(text.contains("stub (7 steps)") && !text.contains("UNTRAINED"));
    let firsts: Vec<f64> = text
        .lines()
        .filter(|l| ["1D ", "4I ", "13D "].iter().any(|c| l.starts_with(c)))
        .map(|l| l.split_whitespace().nth(3).unwrap().parse::<f64>().unwrap())
        .collect();
    assert_eq!(firsts.len(), 6);
    assert!(firsts.windows(2).all(|w| (w[0] - 0.5).abs() <= (w[1] - 0.5).abs() + 1e-3), "{firsts:?}");
    report.judge.steps = 0;
    assert!(table_text(&report).starts_with("UNTRAINED: stub has 0 training steps"));
    let line = repro_line(&report);
    assert!(line.starts_with("repro: study; ") && line.contains("seed 1") && line.contains("\"visits\":2"), "{line}");
}

#[test]
fn boards_show_values_stones_and_scale() {
    let report = study(Stub(central), &["4D"], &["rif"], &small());
    let boards: Vec<&Board> = report.boards.iter().collect();
    assert_eq!(boards.iter().map(|b| (b.stone, b.stones.len())).collect::<Vec<_>>(), [(4, 3), (5, 4)]);
    assert_eq!(boards[0].values.len(), 222);
    assert_eq!(boards[1].values.len(), 221);
    assert_eq!(boards[0].values.iter().filter(|v| v.searched).count(), 3);
    assert!(boards[1].values.iter().filter(|v| v.searched).count() >= 8);
    for board in boards {
        let svg = board_svg(board, &report.judge, Letters::WithI);
        assert_eq!(svg.matches("<circle").count(), board.stones.len());
        assert_eq!(svg.matches("rx=\"4\"").count(), board.values.len());
        for part in ["4D Kagetsu", "score for Black", ">A<", ">O<", ">15<", "50 even", "Black</text>", "White</text>"] {
            assert!(svg.contains(part), "{part}");
        }
        for tag in ["text", "svg"] {
            let opened = svg.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, svg.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        let value = &board.values[17];
        assert!(svg.contains(&format!(">{:.0}</text>", 100.0 * value.black)));
    }
    let untrained = Judge { steps: 0, ..report.judge.clone() };
    assert!(board_svg(&report.boards[0], &untrained, Letters::WithI).contains("UNTRAINED"));
    if let Ok(dir) = std::env::var("FAIRNESS_SVG_DIR") {
        for board in &report.boards {
            let path = std::path::Path::new(&dir).join(format!("board-{}.svg", board.stone));
            std::fs::write(path, board_svg(board, &report.judge, Letters::WithI)).unwrap();
        }
    }
}

#[test]
fn openings_and_protocols_that_do_not_fit_are_named() {
    let mut asked = question(&["1D"], &["rif"]);
    asked.rules = "rules=freestyle size=6x6 win=4".parse().unwrap();
    let error = measure(&Stub(|_| 0.0), &asked, &small(), &mut ());
    assert!(matches!(&error, Err(FairnessError::Config(why)) if why.contains("rif")), "{error:?}");
}
