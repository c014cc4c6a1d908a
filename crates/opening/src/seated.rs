//! `Seated`: any placement game under any opening protocol, as a game between seats.
//!
//! The board keeps its own undo; the protocol's part is a copied `Course` per protocol ply, so plain play costs nothing
//! but the board's work. Two rules hold everywhere: nothing is legal unless the protocol's demand *and* the board allow
//! it, and who acts follows from the demand, never from the ply count. Not here: what protocols ask (`protocols`).

use std::sync::Arc;

use tengen_game::zobrist::{OFFER, key};
use tengen_game::{
    Action, BoardResult, Colour, Conduct, Game, MAX_POINTS, Offer, Outcome, Placement, Point, PointSet, Proof, Seat,
    Size, Symmetry,
};

use crate::canonical::{CanonicalOpening, opening_of};
use crate::course::{Course, Next, Region};
use crate::opening::{Opening, branches_in};
use crate::setup::SeatedSetup;
use crate::shape::ShapeSymmetries;
use crate::stage::{StageInfo, StageKind};

const OWNER_KEY: u64 = key(0x7365_6174, 1);
const STAGE_KIND: u64 = 0x7374_6167;
const DUE_KIND: u64 = 0x6f77_6564;
const RULES_KIND: u64 = 0x7275_6c65;
const KOMI_KIND: u64 = 0x6b6f_6d69;
const BOOK_KIND: u64 = 0x626f_6f6b;

/// One protocol ply, for undo and for the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProtocolPly {
    /// `plies()` before it.
    pub(crate) at: u32,
    /// The course before it.
    pub(crate) before: Course,
    pub(crate) action: Action,
    /// Stones and passes before it.
    pub(crate) stones: u16,
    /// Whether it put a stone on the board.
    placed: bool,
    /// Whether it added an offer to the list.
    offered: bool,
}

/// Board, protocol stage and who owns which colour.
///
/// The first seat owns the colour that plays first on the empty board, until a swap (or a given start says otherwise).
#[derive(Clone, Debug)]
pub struct Seated<P: Placement> {
    board: P,
    setup: Arc<SeatedSetup<P>>,
    course: Course,
    /// What the protocol asks now; a function of `course`.
    next: Next,
    plies: u32,
    /// Protocol plies only; empty under `none`.
    log: Vec<ProtocolPly>,
    /// All offers ever made on the way here; those of the stage begin at `course.offers_from`.
    offers: Vec<Point>,
}

impl<P: Placement> Seated<P> {
    /// Plain play from any position of these rules, for engines whose clients set positions up. The protocol of `setup`
    /// must be `none`; colours are as at a start, Black's seat first.
    pub fn from_board(setup: SeatedSetup<P>, board: P) -> Option<Seated<P>> {
        (setup.opening() == Opening::NONE).then(|| {
            let mut seated = Seated::start(&setup);
            seated.board = board;
            seated
        })
    }

    /// Goes on from a board with the same moves, changed as the rules let people change it after an end. Does nothing
    /// while a protocol's stage is open.
    pub fn go_on_from(&mut self, board: P) {
        debug_assert_eq!(board.moves(), self.board.moves(), "undo takes moves back one by one");
        if self.next == Next::Play {
            self.board = board;
        }
    }

    /// The board.
    pub fn board(&self) -> &P {
        &self.board
    }

    /// The protocol it is played under.
    pub fn opening(&self) -> Opening {
        self.setup.opening()
    }

    /// The protocol in force now: under the rejection system the rule that was left, once one is; else `opening`.
    pub fn opening_in_force(&self) -> Opening {
        self.protocol().active(&self.course).clone()
    }

    /// As `opening`, without a copy.
    pub(crate) fn protocol(&self) -> &Opening {
        self.setup.protocol()
    }

    /// The seat that holds a colour now.
    pub fn seat_of(&self, colour: Colour) -> Seat {
        self.course.holder(colour)
    }

    /// The colour a seat holds now.
    pub fn colour_of(&self, seat: Seat) -> Colour {
        if self.course.black == seat { Colour::Black } else { Colour::White }
    }

    /// The points offered in this offer stage so far, in the order made; at the pick, all of them; else none.
    pub fn offers(&self) -> &[Point] {
        match self.next {
            Next::Offer { .. } | Next::Pick { .. } => &self.offers[self.course.offers_from as usize..],
            _ => &[],
        }
    }

    /// The stage, for network inputs.
    pub fn stage(&self) -> StageInfo {
        let kind = match self.next {
            Next::Play => StageKind::Play,
            Next::Place { .. } => StageKind::Place,
            Next::Choose { branches: 0, .. } => StageKind::SwapChoice,
            Next::Choose { .. } | Next::Branch { .. } => StageKind::BranchChoice,
            Next::Number { .. } => StageKind::Number,
            Next::Offer { .. } => StageKind::Offer,
            Next::Pick { .. } => StageKind::Pick,
        };
        let playing = kind == StageKind::Play;
        StageInfo {
            kind,
            holds: self.colour_of(self.to_act()),
            to_place: self.board.to_play(),
            stones_due: self.stones_due(),
            declared: if playing { 0 } else { self.course.declared },
            offers_owed: if playing { 0 } else { self.course.owed },
            offers_due: self.offer().map_or(0, |o| o.due),
            offers_made: self.offers().iter().copied().collect(),
            rules_open: if playing { 0 } else { self.course.rules },
        }
    }

    /// The legal points of the colour to play in classes of one offer, as an offer stage here would see them: whatever
    /// the stage, so that fairness studies can ask before the protocol does. Offers made already are not taken out.
    pub fn offer_classes(&self) -> Vec<PointSet> {
        self.shape().partition(&self.legal_points())
    }

    /// The canonical opening that the first three stones form, if they do; none before.
    pub fn canonical_opening(&self) -> Option<CanonicalOpening> {
        let moves = self.board.moves();
        let stone = |i: usize| self.board.move_back(moves.checked_sub(i + 1)?)?.1.as_point();
        opening_of(self.size(), [stone(0)?, stone(1)?, stone(2)?])
    }

    /// Whose a result is that falls while colours are still open: the seat that chooses next, for it would take the
    /// colour that has won. None where no choice of colours follows. Only a protocol that lets stones be added while
    /// colours are open, as often as the seats like, ever gets there: the others leave no room for a row.
    fn chooser_to_come(&self) -> Option<Seat> {
        let (mut next, mut course) = (self.next, self.course);
        while let Next::Place { .. } = next {
            self.protocol().decide(&mut course, Action(0));
            next = self.protocol().next(&course);
        }
        match next {
            Next::Choose { seat, .. } => Some(seat),
            _ => None,
        }
    }

    pub(crate) fn next(&self) -> Next {
        self.next
    }

    pub(crate) fn course(&self) -> &Course {
        &self.course
    }

    pub(crate) fn log(&self) -> &[ProtocolPly] {
        &self.log
    }

    fn stones_due(&self) -> u16 {
        let Next::Place { seat: mover, .. } = self.next else { return 0 };
        let mut course = self.course;
        let mut stones = 0;
        while let Next::Place { seat, .. } = self.protocol().next(&course) {
            if seat != mover {
                break;
            }
            stones += 1;
            self.protocol().decide(&mut course, Action(0));
        }
        stones
    }

    /// The shape symmetries of the stones on the board, for offers.
    pub(crate) fn shape(&self) -> ShapeSymmetries {
        let mut sets = [PointSet::EMPTY; 2];
        for p in self.size().points() {
            if let Some(colour) = self.board.stone(p) {
                sets[colour.index()].insert(p);
            }
        }
        ShapeSymmetries::of_sets(self.size(), &sets)
    }

    fn legal_points(&self) -> PointSet {
        let mut points = PointSet::EMPTY;
        self.board.legal_points(&mut points);
        points
    }

    /// Points that may still be offered: legal for the colour to play, and equivalent to no offer made.
    fn offerable(&self) -> PointSet {
        let shape = self.shape();
        self.offers().iter().fold(self.legal_points(), |left, &made| left.minus(&shape.class_of(made)))
    }

    /// Where a stone may go by the protocol alone.
    fn region_holds(&self, region: Region, p: Point) -> bool {
        match region {
            Region::Book => self.book_points().contains(p),
            _ => region.contains(self.size(), p),
        }
    }

    /// Points where a stone may go by protocol and board.
    fn placeable(&self, region: Region) -> PointSet {
        match region {
            Region::Book => self.book_points().and(&self.legal_points()),
            _ => region.clip(self.size(), &self.legal_points()),
        }
    }

    pub(crate) fn book_points(&self) -> PointSet {
        let mut points = PointSet::EMPTY;
        self.book_lines(|_, p| points.insert(p));
        points
    }

    /// Calls `each` for every given start and orientation that fits the stones so far: its number and its next point.
    fn book_lines(&self, mut each: impl FnMut(u64, Point)) {
        let (size, made) = (self.size(), self.board.moves());
        for (i, start) in self.setup.starts().iter().enumerate() {
            for (j, s) in Symmetry::of(size).iter().enumerate() {
                let played = |k: usize| self.board.move_back(made - 1 - k).map(|m| m.1);
                let fits = start.iter().take(made).enumerate().all(|(k, &p)| {
                    // A pass has no place in a given start.
                    played(k) == Some(Action::point(s.point(size, p)))
                });
                if fits && let Some(&next) = start.get(made) {
                    each((i * 8 + j) as u64, s.point(size, next));
                }
            }
        }
    }

    /// Adopts what the protocol asks next, and counts what an offer stage owes.
    fn enter(&mut self) {
        self.next = self.protocol().next(&self.course);
        if let Next::Offer { count, .. } = self.next
            && self.course.owed == 0
        {
            let exist = self.shape().classes(&self.legal_points());
            self.course.owed = count.min(exist as u16);
        }
    }

    /// A protocol ply that ends its demand.
    fn decide(&mut self, action: Action) {
        self.setup.protocol().decide(&mut self.course, action);
    }

    /// The offered point `action` becomes a stone; what was offered and declared no longer matters.
    fn pick(&mut self, action: Action) {
        self.board.place(action);
        self.decide(action);
        self.course.offers_from = self.offers.len() as u16;
        self.course.owed = 0;
        self.course.declared = 0;
    }

    /// Tells the board of a komi other than `before`: the one that bids have settled, or, taken back, the rules' own.
    fn settle_komi(&mut self, before: u16) {
        if self.course.komi == before {
            return;
        }
        let own = || P::start(self.setup.rules()).komi_steps().unwrap_or(0);
        let steps = self.course.komi.checked_sub(1).map_or_else(own, |steps| steps as i16);
        self.board.set_komi_steps(steps);
    }

    fn apply_protocol(&mut self, action: Action) {
        let before = self.course;
        let placed = matches!(self.next, Next::Place { .. } | Next::Pick { .. });
        let offered = matches!(self.next, Next::Offer { .. });
        let stones = self.board.moves() as u16;
        self.log.push(ProtocolPly { at: self.plies, before, action, stones, placed, offered });
        match self.next {
            Next::Place { .. } => {
                self.board.place(action);
                self.decide(action);
            }
            Next::Pick { .. } => self.pick(action),
            Next::Offer { .. } => {
                self.offers.extend(action.as_point());
                if self.offers().len() == self.course.owed as usize {
                    self.decide(action);
                }
            }
            Next::Choose { .. } | Next::Branch { .. } | Next::Number { .. } | Next::Play => self.decide(action),
        }
        self.settle_komi(before.komi);
        self.plies += 1;
        self.enter();
    }

    fn undo_protocol(&mut self, ply: ProtocolPly) {
        if ply.placed {
            self.board.undo();
        }
        if ply.offered {
            self.offers.pop();
        }
        let settled = self.course.komi;
        self.course = ply.before;
        self.settle_komi(settled);
        self.next = self.protocol().next(&self.course);
    }

    fn place_is_legal(&self, region: Region, action: Action) -> bool {
        match action.as_point() {
            Some(p) => p.index() < self.size().area() && self.region_holds(region, p) && self.board.is_legal(action),
            None => action == Action::PASS && self.pass_is_the_only_way(region),
        }
    }

    /// No protocol lets anybody pass. But should a board leave no stone at all in a region, the game must go on.
    fn pass_is_the_only_way(&self, region: Region) -> bool {
        self.board.pass_legal() && self.placeable(region).is_empty()
    }
}

/// Internal iteration after one reservation: `extend` would check the capacity and the iterator's state per point.
fn push_points(out: &mut Vec<Action>, points: &PointSet) {
    out.reserve(points.len());
    points.iter().for_each(|p| out.push(Action::point(p)));
}

impl<P: Placement> Game for Seated<P> {
    type Setup = SeatedSetup<P>;

    fn start(setup: &SeatedSetup<P>) -> Seated<P> {
        let board = P::start(setup.rules());
        // With a handicap White may play first; the first seat is who acts first, whatever the colour.
        let black = if board.to_play() == Colour::Black { Seat::First } else { Seat::Second };
        let setup = Arc::new(setup.clone());
        let course = setup.protocol().first_course(black);
        let mut game = Seated { board, setup, course, next: Next::Play, plies: 0, log: Vec::new(), offers: Vec::new() };
        game.enter();
        game
    }

    fn setup(&self) -> &SeatedSetup<P> {
        &self.setup
    }

    fn size(&self) -> Size {
        self.board.size()
    }

    #[inline]
    fn to_act(&self) -> Seat {
        match self.next {
            Next::Play => self.course.holder(self.board.to_play()),
            Next::Place { seat, .. }
            | Next::Choose { seat, .. }
            | Next::Branch { seat, .. }
            | Next::Number { seat, .. }
            | Next::Offer { seat, .. }
            | Next::Pick { seat } => seat,
        }
    }

    fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        if self.board.result().is_some() {
            return;
        }
        match self.next {
            Next::Play => {
                push_points(out, &self.legal_points());
                if self.board.pass_legal() {
                    out.push(Action::PASS);
                }
            }
            Next::Place { region, .. } => {
                push_points(out, &self.placeable(region));
                if out.is_empty() && self.board.pass_legal() {
                    out.push(Action::PASS);
                }
            }
            Next::Choose { branches, .. } => {
                out.extend([Action::SWAP, Action::KEEP]);
                out.extend((0..branches).map(Action::branch));
            }
            Next::Branch { open, .. } => out.extend(branches_in(open).map(Action::branch)),
            Next::Number { low, high, .. } => out.extend((low..=high).map(Action::number)),
            Next::Offer { .. } => push_points(out, &self.offerable()),
            Next::Pick { .. } => push_points(out, &self.offers().iter().copied().collect()),
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        if self.board.result().is_some() {
            return false;
        }
        let on_board = action.as_point().filter(|p| p.index() < self.size().area());
        match self.next {
            Next::Play => (on_board.is_some() || action == Action::PASS) && self.board.is_legal(action),
            Next::Place { region, .. } => self.place_is_legal(region, action),
            Next::Choose { branches, .. } => {
                let branch = action.as_branch().is_some_and(|b| b < branches);
                branch || action == Action::SWAP || action == Action::KEEP
            }
            Next::Branch { open, .. } => action.as_branch().is_some_and(|b| open >> b & 1 == 1),
            Next::Number { low, high, .. } => action.as_number().is_some_and(|n| (low..=high).contains(&n)),
            Next::Offer { .. } => on_board.is_some_and(|p| self.offerable().contains(p)),
            Next::Pick { .. } => on_board.is_some_and(|p| self.offers().contains(&p)),
        }
    }

    #[inline]
    fn apply(&mut self, action: Action) {
        if self.next == Next::Play {
            self.board.place(action);
            self.plies += 1;
        } else {
            self.apply_protocol(action);
        }
    }

    fn undo(&mut self) {
        self.plies -= 1;
        match self.log.last() {
            Some(&ply) if ply.at == self.plies => {
                self.log.pop();
                self.undo_protocol(ply);
            }
            _ => self.board.undo(),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.board.result().map(|result| match result {
            BoardResult::Win(colour) => {
                let open = if self.next == Next::Play { None } else { self.chooser_to_come() };
                Outcome::Win(open.unwrap_or(self.seat_of(colour)))
            }
            BoardResult::Draw => Outcome::Draw,
            BoardResult::NoResult => Outcome::NoResult,
        })
    }

    fn margin(&self) -> Option<f32> {
        self.board.margin().map(|black| if self.course.black == Seat::First { black } else { -black })
    }

    fn hash(&self) -> u64 {
        let mut hash = self.board.hash();
        if self.course.black == Seat::Second {
            hash ^= OWNER_KEY;
        }
        if self.course.komi > 0 {
            hash ^= key(KOMI_KIND, u64::from(self.course.komi));
        }
        if self.next == Next::Play {
            return hash;
        }
        let Course { step, declared, owed, rules, .. } = self.course;
        let active = self.protocol().active(&self.course);
        hash ^= key(STAGE_KIND, active.code() ^ u64::from(step));
        if active.rules().is_some() {
            hash ^= key(RULES_KIND, u64::from(rules));
        }
        if let Next::Place { region: Region::Book, .. } = self.next {
            self.book_lines(|line, _| hash ^= key(BOOK_KIND, line));
        }
        hash ^= key(DUE_KIND, u64::from(declared) << 16 | u64::from(owed));
        self.offers().iter().fold(hash, |h, p| h ^ OFFER[p.index()])
    }

    fn plies(&self) -> usize {
        self.plies as usize
    }

    /// Forwarded in plain play only, where the seat to act is the holder of the colour to play and the next stone is the
    /// other seat's. Everywhere else the board's alternating play is not what follows: the same seat may place twice,
    /// colours may change hands, or the next stone may be one the opponent chooses among offers.
    fn proven(&self, budget: u32) -> Option<Proof> {
        if self.next == Next::Play { self.board.proven(budget) } else { None }
    }

    #[inline]
    fn offer(&self) -> Option<Offer> {
        if !matches!(self.next, Next::Offer { .. }) {
            return None;
        }
        let made = self.offers().len() as u16;
        Some(Offer { due: self.course.owed - made, made })
    }

    fn assume(&mut self, action: Action) {
        if !matches!(self.next, Next::Offer { .. }) {
            return self.apply(action);
        }
        let (before, stones) = (self.course, self.board.moves() as u16);
        self.log.push(ProtocolPly { at: self.plies, before, action, stones, placed: true, offered: false });
        self.decide(action);
        self.pick(action);
        self.plies += 1;
        self.enter();
    }

    fn classes(&self, legal: &[Action], out: &mut Vec<u16>) {
        out.clear();
        if self.offer().is_none() {
            out.extend(0..legal.len() as u16);
            return;
        }
        let shape = self.shape();
        let mut first = [u16::MAX; MAX_POINTS];
        out.extend(legal.iter().enumerate().map(|(i, action)| {
            let Some(p) = action.as_point() else { return i as u16 };
            let slot = &mut first[shape.representative(p).index()];
            if *slot == u16::MAX {
                *slot = i as u16;
            }
            *slot
        }));
    }

    fn is_choice(&self) -> bool {
        !matches!(self.next, Next::Play | Next::Place { .. })
    }

    fn conduct(&self) -> Conduct {
        self.board.conduct()
    }
}
