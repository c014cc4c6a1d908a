//! One study: opening by opening, list, value, choose and value again; then playoffs of the lines that came out.
//! Not here: what is measured how (`census`, `searches`, `walk`, `playoff`), and how it's written down (`report`, `svg`).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use tengen_game::notation::Letters;
use tengen_game::{Action, Family, Game, Placement, Seat, Symmetry, zobrist};
use tengen_opening::{CanonicalOpening, Opening, Seated, SeatedSetup, StageKind};
use tengen_search::EvaluatorSource;

use crate::census::{Bounds, Census, Fourth, images};
use crate::config::FairnessConfig;
use crate::playoff::{Playoff, Playoffs};
use crate::position::{Position, distinct};
use crate::samples::{Estimate, SampleKey, Samples, Set};
use crate::searches::{Job, Pool};
use crate::study::{CurvePoint, Judge, PlayoffRow, Report, Row};
use crate::walk::{Line, Walk, three_stones_anywhere};
use crate::{FairnessError, Phase, Watch};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question<P: Placement> {
    /// Rules of the board.
    pub rules: P::Rules,
    /// Openings, for the protocols that can reach them.
    pub openings: Vec<CanonicalOpening>,
    /// Protocols.
    pub protocols: Vec<Opening>,
    /// Model id, as the source knows it.
    pub model: String,
    /// Who judges, for the report.
    pub judge: Judge,
}

/// Measures everything asked, as far as the watch gives time. The result is a function of question, settings and model,
/// but for what is missing when time was short.
pub fn measure<P: Placement>(
    source: &dyn EvaluatorSource<Seated<P>>,
    question: &Question<P>,
    config: &FairnessConfig,
    watch: &mut dyn Watch,
) -> Result<Report, FairnessError> {
    config.check().map_err(FairnessError::Config)?;
    let mut study = Study::new(source, question, config)?;
    let groups = study.groups()?;
    watch.begin(Phase::Searches, groups.len() as u64);
    let mut complete = true;
    for (i, (label, cases)) in groups.iter().enumerate() {
        match study.group(cases, watch) {
            Err(FairnessError::Expired) => {
                complete = false;
                break;
            }
            other => other?,
        }
        watch.opening(i as u64 + 1, label);
        watch.save(&study.report).map_err(FairnessError::Watch)?;
    }
    let finished = study.playoffs(watch)?;
    study.report.complete = complete && finished;
    watch.save(&study.report).map_err(FairnessError::Watch)?;
    Ok(study.report)
}

/// A protocol, from an opening on or from its first decision.
pub(crate) struct Case<P: Placement> {
    pub(crate) opening: Option<CanonicalOpening>,
    pub(crate) game: Seated<P>,
}

/// Cases that share their positions, and what to call them.
type Group<P> = (String, Vec<Case<P>>);

pub(crate) struct Study<'a, P: Placement> {
    question: &'a Question<P>,
    config: &'a FairnessConfig,
    source: &'a dyn EvaluatorSource<Seated<P>>,
    pub(crate) plain: SeatedSetup<P>,
    pub(crate) letters: Letters,
    pub(crate) census: Census,
    pub(crate) samples: Samples,
    pub(crate) keys: [SampleKey; 3],
    pub(crate) report: Report,
    /// End of each row's line.
    leaves: Vec<(Position, Seat)>,
}

impl<'a, P: Placement> Study<'a, P> {
    fn new(
        source: &'a dyn EvaluatorSource<Seated<P>>,
        question: &'a Question<P>,
        config: &'a FairnessConfig,
    ) -> Result<Study<'a, P>, FairnessError> {
        let plain = setup_of(&question.rules, &Opening::NONE)?;
        let facts = plain.facts();
        // Offers are looked at up to half the list, so a protocol's own number makes it longer.
        let most = question.protocols.iter().filter_map(|p| p.number()).max().unwrap_or(0);
        let fifths = (config.fifths as usize).max(2 * usize::from(most));
        let bounds = Bounds { fourths: config.fourths as usize, fifths, offers: (fifths / 2) as u16 };
        let key = |visits, set| SampleKey { model: question.model.clone(), visits, set };
        Ok(Study {
            question,
            config,
            source,
            letters: if facts.family == Family::Five { Letters::WithI } else { Letters::WithoutI },
            census: Census::new(facts.size, bounds, config.triples as usize, config.seed),
            samples: Samples::default(),
            keys: [
                key(config.visits_screen, Set::Screen),
                key(config.visits, Set::Choose),
                key(config.visits, Set::Value),
            ],
            report: Report {
                rules: question.rules.to_string(),
                judge: question.judge.clone(),
                config: config.clone(),
                ..Report::default()
            },
            leaves: Vec::new(),
            plain,
        })
    }

    /// Per opening all protocols that reach it; then, as one group each, protocols from their first decision: those that
    /// reach no opening, those where one seat places three stones anywhere, and (if all openings are asked for, so that
    /// it costs no searches) those that allow these openings and no others.
    fn groups(&self) -> Result<Vec<Group<P>>, FairnessError> {
        let mut groups = Vec::new();
        let mut starts: Vec<Seated<P>> = Vec::new();
        for protocol in &self.question.protocols {
            starts.push(Seated::start(&setup_of(&self.question.rules, protocol)?));
        }
        for opening in &self.question.openings {
            let cases: Vec<Case<P>> = starts
                .iter()
                .filter_map(|start| Some(Case { opening: Some(*opening), game: opened(start, opening)? }))
                .collect();
            if !cases.is_empty() {
                groups.push((opening.code(), cases));
            }
        }
        let all = self.question.openings.len() == CanonicalOpening::all().len();
        for start in starts {
            let reaches = CanonicalOpening::all().iter().any(|o| opened(&start, o).is_some());
            if !reaches || three_stones_anywhere(&start) || (all && only_canonical(&start)) {
                groups.push((start.opening().to_string(), vec![Case { opening: None, game: start }]));
            }
        }
        Ok(groups)
    }

    fn group(&mut self, cases: &[Case<P>], watch: &mut dyn Watch) -> Result<(), FairnessError> {
        self.find_fourths(cases, watch)?;
        let wide = self.visited(cases, false)?;
        self.value(Set::Screen, &wide, watch)?;
        let mut narrow = self.visited(cases, true)?;
        let boards = self.board_positions(cases)?;
        narrow.extend(boards.iter().copied());
        self.value(Set::Screen, &narrow, watch)?;
        self.value(Set::Choose, &narrow, watch)?;
        let lines: Result<Vec<_>, _> = cases.iter().map(|case| self.lines(case)).collect();
        let lines = lines?;
        let leaves = lines.iter().flat_map(|(line, curve)| line.iter().chain(curve)).map(|l| l.leaf).collect();
        self.value(Set::Value, &leaves, watch)?;
        for (case, (line, curve)) in cases.iter().zip(&lines) {
            self.write_case(case, line.as_ref(), curve)?;
        }
        self.write_boards(cases)?;
        self.report.samples = self.samples.summary();
        Ok(())
    }

    /// Searches the three-stone positions whose fourth moves the cases ask for.
    fn find_fourths(&mut self, cases: &[Case<P>], watch: &mut dyn Watch) -> Result<(), FairnessError> {
        let walk = Walk { census: &self.census, values: &|_| 0.0, screen: None, offers: None };
        for case in cases {
            walk.solve(&mut case.game.clone());
        }
        let roots = self.census.take_missing();
        let mut jobs = Vec::new();
        let mut moves = Vec::new();
        for root in &roots {
            let game = root.game(&self.plain, Symmetry::IDENTITY).ok_or(FairnessError::Unplayable)?;
            let mut legal = Vec::new();
            game.legal(&mut legal);
            legal.retain(|a| a.as_point().is_some());
            let kinds = distinct(&game, &legal);
            jobs.push(Job {
                game: game.clone(),
                visits: self.config.visits_root,
                seed: self.config.seed ^ root.code(),
            });
            for &kind in &kinds {
                let mut next = game.clone();
                next.apply(kind);
                jobs.push(Job { game: next, visits: self.config.visits_screen, seed: self.config.seed ^ root.code() });
            }
            moves.push((game, kinds));
        }
        let mut found = self.pool().run(&jobs, watch)?.into_iter();
        for (root, (game, kinds)) in roots.iter().zip(moves) {
            let Some(search) = found.next() else { break };
            let share = |p| search.policy.iter().filter(|(a, _)| *a == Action::point(p)).map(|(_, w)| w).sum::<f32>();
            let mut known = Vec::new();
            for (point, child) in kinds.iter().filter_map(|a| a.as_point()).zip(&mut found) {
                let copies: BTreeSet<_> = images(game.size(), *root, point).into_iter().collect();
                let policy = copies.into_iter().map(share).sum();
                known.push((point, Fourth { policy, value: child.value }));
            }
            self.census.add_fourths(*root, &game, &known);
        }
        Ok(())
    }

    /// Ends of all lines that the cases' protocols can reach within the lists, shortened or not.
    fn visited(&self, cases: &[Case<P>], narrow: bool) -> Result<BTreeSet<Position>, FairnessError> {
        let seen = RefCell::new(BTreeSet::new());
        let unknown = Cell::new(0);
        let screen = |p: &Position| self.known(Set::Screen, p, &unknown).value;
        let note = |p: &Position| {
            seen.borrow_mut().insert(*p);
            0.0
        };
        let screen: Option<crate::walk::Values<'_>> = if narrow { Some(&screen) } else { None };
        for case in cases {
            Walk { census: &self.census, values: &note, screen, offers: None }.solve(&mut case.game.clone());
        }
        self.check(&unknown, Set::Screen)?;
        Ok(seen.into_inner())
    }

    /// Searches (or asks about) those positions that the set doesn't have.
    fn value(&mut self, set: Set, wanted: &BTreeSet<Position>, watch: &mut dyn Watch) -> Result<(), FairnessError> {
        let key = self.keys[set as usize].clone();
        let new: Vec<Position> = wanted.iter().filter(|p| self.samples.get(&key, p).is_none()).copied().collect();
        let (first, count) = match set {
            Set::Screen => (0, 1),
            Set::Choose => (0, self.config.images_choose),
            Set::Value => (self.config.images_choose, self.config.images_value),
        };
        let mut jobs = Vec::with_capacity(new.len() * count as usize);
        for position in &new {
            for i in first..first + count {
                let all = Symmetry::of(self.plain.facts().size);
                // Which images choose and which value differs from position to position, so that no image is favoured.
                let turn = (position.code() as usize + i as usize) % all.len();
                let game = position.game(&self.plain, all[turn]).ok_or(FairnessError::Unplayable)?;
                let seed = zobrist::mix(self.config.seed ^ position.code() ^ u64::from(i) << 48 ^ (set as u64) << 56);
                jobs.push(Job { game, visits: key.visits, seed });
            }
        }
        let found = self.pool().run(&jobs, watch)?;
        for (position, answers) in new.iter().zip(found.chunks(count as usize)) {
            let values: Vec<f64> = answers.iter().map(|a| a.value).collect();
            self.samples.add(&key, *position, &values);
        }
        Ok(())
    }

    /// The line of a case, and its lines by number of offers from 1 on.
    fn lines(&self, case: &Case<P>) -> Result<(Option<Line>, Vec<Line>), FairnessError> {
        let unknown = Cell::new(0);
        let screen = |p: &Position| self.known(Set::Screen, p, &unknown).value;
        let choose = |p: &Position| self.known(Set::Choose, p, &unknown).value;
        let walk = Walk { census: &self.census, values: &choose, screen: Some(&screen), offers: None };
        let mut game = case.game.clone();
        let line = walk.solve(&mut game);
        let mut curve = Vec::new();
        if case.opening.is_some() {
            let point = |n| Walk { offers: Some(n), ..walk }.solve(&mut case.game.clone());
            curve.extend((1..=self.census.bounds().offers).map_while(point));
        }
        self.check(&unknown, Set::Choose)?;
        Ok((line, curve))
    }

    fn known(&self, set: Set, position: &Position, unknown: &Cell<usize>) -> Estimate {
        self.samples.get(&self.keys[set as usize], position).unwrap_or_else(|| {
            unknown.set(unknown.get() + 1);
            Estimate::default()
        })
    }

    fn check(&self, unknown: &Cell<usize>, set: Set) -> Result<(), FairnessError> {
        match unknown.get() {
            0 => Ok(()),
            n => Err(FairnessError::Missing(n, format!("set {set:?}"))),
        }
    }

    fn pool(&self) -> Pool<'a, P> {
        Pool {
            source: self.source,
            model: &self.question.model,
            search: &self.config.search,
            threads: self.config.threads as usize,
            in_flight: self.config.in_flight as usize,
        }
    }

    fn write_case(&mut self, case: &Case<P>, line: Option<&Line>, curve: &[Line]) -> Result<(), FairnessError> {
        let unknown = Cell::new(0);
        let (opening, protocol) = (label(case.opening.as_ref()), case.game.opening().to_string());
        let value = |line: &Line| self.known(Set::Value, &line.leaf, &unknown);
        let points: Vec<CurvePoint> = (1..)
            .zip(curve)
            .map(|(offers, l)| CurvePoint {
                opening: opening.clone(),
                protocol: protocol.clone(),
                offers,
                chosen: score(sided(l.value, l.black)),
                black: score(value(l).value),
                spread: value(l).spread / 2.0,
                line: self.words(l),
            })
            .collect();
        if let Some(line) = line {
            let v = value(line);
            self.report.rows.push(Row {
                opening,
                name: case.opening.map_or(String::new(), |o| o.name.to_string()),
                protocol,
                line: self.words(line),
                stones: line.leaf.count() as u32,
                first_holds: if line.black == Seat::First { "black" } else { "white" }.to_string(),
                swap: line.swapped,
                chosen: score(line.value),
                first: score(sided(v.value, line.black)),
                black: score(v.value),
                spread: v.spread / 2.0,
                searches: v.searches,
                offers_even: points.iter().find(|p| p.black <= 0.5).map(|p| p.offers),
                playoff: None,
            });
            self.leaves.push((line.leaf, line.black));
        }
        self.check(&unknown, Set::Value)?;
        self.report.curves.extend(points);
        Ok(())
    }

    fn words(&self, line: &Line) -> String {
        let size = self.plain.facts().size;
        line.actions.iter().map(|&a| self.letters.action(size, a)).collect::<Vec<_>>().join(" ")
    }

    /// Plays the lines' ends out, each distinct one once.
    fn playoffs(&mut self, watch: &mut dyn Watch) -> Result<bool, FairnessError> {
        if self.config.pairs == 0 {
            return Ok(true);
        }
        let mut rows: BTreeMap<Position, Vec<usize>> = BTreeMap::new();
        let mut order = Vec::new();
        // Protocol by protocol, so that a study cut short has some protocols whole.
        for protocol in &self.question.protocols {
            let name = protocol.to_string();
            for (i, row) in self.report.rows.iter().enumerate().filter(|(_, r)| r.protocol == name) {
                debug_assert_eq!(row.protocol, name);
                let leaf = self.leaves[i].0;
                let known = rows.entry(leaf).or_default();
                if known.is_empty() {
                    order.push(leaf);
                }
                known.push(i);
            }
        }
        watch.begin(Phase::Playoffs, 2 * u64::from(self.config.pairs) * order.len() as u64);
        let models = [self.question.model.as_str(); 2];
        let playoffs = Playoffs { source: self.source, models, setup: &self.plain, config: self.config };
        let (report, leaves) = (&mut self.report, &self.leaves);
        let mut done = |i: usize, playoff: Playoff, watch: &mut dyn Watch| {
            for &row in rows.get(&order[i]).into_iter().flatten() {
                report.rows[row].playoff = Some(playoff_row(&playoff, leaves[row].1));
            }
            watch.save(report).map_err(FairnessError::Watch)
        };
        playoffs.play(&order, watch, &mut done)
    }
}

/// A playoff from the first seat's view.
fn playoff_row(playoff: &Playoff, black: Seat) -> PlayoffRow {
    let (score, interval) = (playoff.score(), playoff.interval());
    let (first, low, high) = match black {
        Seat::First => (score, interval.low, interval.high),
        Seat::Second => (1.0 - score, 1.0 - interval.high, 1.0 - interval.low),
    };
    PlayoffRow {
        pairs: playoff.pairs,
        first,
        low,
        high,
        black: score,
        draws: playoff.draws,
        distinct: playoff.distinct,
        truncated: playoff.truncated,
    }
}

fn setup_of<P: Placement>(rules: &P::Rules, opening: &Opening) -> Result<SeatedSetup<P>, FairnessError> {
    SeatedSetup::new(rules.clone(), opening.clone()).map_err(|e| FairnessError::Config(e.to_string()))
}

/// The protocol after the opening's three stones, where it lets them be placed; colours are kept at choices before. None
/// where a protocol asks for something else, or leaves the stones to plain play.
fn opened<P: Placement>(start: &Seated<P>, opening: &CanonicalOpening) -> Option<Seated<P>> {
    let mut game = start.clone();
    let points = opening.points(game.size())?;
    while game.board().moves() < points.len() {
        let action = match game.stage().kind {
            StageKind::Place => Action::point(points[game.board().moves()]),
            StageKind::SwapChoice => Action::KEEP,
            _ => return None,
        };
        if !game.is_legal(action) {
            return None;
        }
        game.apply(action);
    }
    Some(game)
}

/// Whether a protocol's first three stones are on the centre and in the squares of 3 and 5 around it.
fn only_canonical<P: Placement>(start: &Seated<P>) -> bool {
    let mut game = start.clone();
    let Some(points) = CanonicalOpening::all()[0].points(game.size()) else { return false };
    let mut legal = Vec::new();
    for (point, most) in points.into_iter().zip([1, 8, 23]) {
        while game.stage().kind == StageKind::SwapChoice {
            game.apply(Action::KEEP);
        }
        game.legal(&mut legal);
        if game.stage().kind != StageKind::Place || legal.len() > most || !game.is_legal(Action::point(point)) {
            return false;
        }
        game.apply(Action::point(point));
    }
    true
}

fn label(opening: Option<&CanonicalOpening>) -> String {
    opening.map_or("-".to_string(), |o| o.code())
}

/// A value for one view as one for the other: Black's and the first seat's are the same while the first seat holds Black.
fn sided(value: f64, black: Seat) -> f64 {
    if black == Seat::First { value } else { -value }
}

/// A value in [-1, 1] as a score in [0, 1].
pub(crate) fn score(value: f64) -> f64 {
    (value + 1.0) / 2.0
}
