//! KataGo's inputs, version 7, so that networks trained here can be used there and the other way round.
//!
//! Own is the colour to play. Planes: 0 on board; 1, 2 own and other's stones; 3, 4, 5 stones of chains with 1, 2, 3
//! liberties; 6 points banned by ko or superko, in the clean-up kos that own has taken before from these stones; 7 stones
//! blocked in the clean-up; 8 nothing; 9 to 13 the last five moves; 14, 15, 16 stones caught in a ladder now, one and two
//! moves ago; 17 moves that start a ladder against other's chains of two liberties; 18, 19 what counts for own and other
//! if the game is scored as it stands; 20, 21 own and other's stones at the start of the second phase of the clean-up.
//!
//! Globals: 0 to 4 which of the last five moves were passes; 5 komi for own, all that White has got besides included, / 20
//! and at most the board's area and 20 points; 6, 7 ko rule; 8 suicide; 9 territory; 10, 11 tax; 12, 13 phase of the
//! clean-up; 14 a pass ends the game or phase; 15, 16 nothing (KataGo's handicapped search); 17 the button is there; 18
//! komi parity. Facts from `NNInputs::fillRowV7` of KataGo v1.17.
//!
//! Moves count while the colours alternate and in the present phase only; earlier boards then stand for the newest one
//! that counts. Under rules where players agree on the end of area scoring (its `friendlyPassOk`), KataGo shows neither
//! moves nor 14 when a second pass in a row would end the game; so does this. Deliberately not here: its search options
//! (passing hacks, handicap by playouts, draws worth other than half) and its random hiding of history in training.

use std::cell::RefCell;

use tengen_game::{Action, Colour, EndProtocol, Point, PointSet};
use tengen_go::{GoBoard, GoRules, Ko, LadderReader, Ladders, Scoring, Suicide, Tax};

use crate::encode::Frame;
use crate::go::parity_wave;

/// Name of the set; the last number is ours, for when a mistake here has to be mended.
pub const SET: &str = "katago-v7-1";
/// Binary planes.
pub const PLANES: usize = 22;
/// Numbers.
pub const GLOBALS: usize = 19;

const HISTORY: usize = 5;
/// Points beyond the board's area that the komi is cut at.
const KOMI_BEYOND: f32 = 20.0;

thread_local! {
    /// One for each thread, so that filling allocates nothing and ladders of the board before are mostly known.
    static READER: RefCell<LadderReader> = RefCell::new(LadderReader::new());
}

/// Fills planes and globals of a zeroed frame.
pub fn fill(board: &GoBoard, frame: &mut Frame<'_>) {
    READER.with(|reader| fill_with(board, frame, &mut reader.borrow_mut()));
}

/// As `fill`, with a ladder reader of the caller's.
pub fn fill_with(board: &GoBoard, frame: &mut Frame<'_>, reader: &mut LadderReader) {
    let (size, own) = (board.size(), board.to_play());
    for y in 0..size.height() {
        frame.planes[y * frame.width..][..size.width()].fill(1.0);
    }
    let mut put = Put { frame, width: size.width(), height: size.height() };
    let stones = board.stone_sets();
    put.set(1, &stones[own.index()]);
    put.set(2, &stones[(!own).index()]);
    put.set(6, &board.repetition_bans());
    if board.phase() > 0 {
        put.set(7, &board.blocked_kos());
    }
    let included = moves(board, &mut put);
    ladders(board, included, &mut put, reader);
    if let Some(counted) = board.counted_now() {
        put.set(18, &counted[own.index()]);
        put.set(19, &counted[(!own).index()]);
    }
    if let Some(start) = board.clean_up_start() {
        put.set(20, &start[own.index()]);
        put.set(21, &start[(!own).index()]);
    }
    globals(board, put.frame.globals);
}

/// Writes sets of points to planes.
struct Put<'a, 'b> {
    frame: &'a mut Frame<'b>,
    width: usize,
    height: usize,
}

impl Put<'_, '_> {
    fn set(&mut self, plane: usize, points: &PointSet) {
        let (width, area) = (self.frame.width, self.frame.width * self.frame.height);
        let plane = &mut self.frame.planes[plane * area..][..area];
        if width == self.width {
            points.iter().for_each(|p| plane[p.index()] = 1.0);
        } else {
            points.iter().for_each(|p| plane[p.index() / self.width * width + p.index() % self.width] = 1.0);
        }
    }

    fn point(&mut self, plane: usize, p: Point) {
        let (x, y) = (p.index() % self.width, p.index() / self.width);
        debug_assert!(y < self.height);
        self.frame.planes[(plane * self.frame.height + y) * self.frame.width + x] = 1.0;
    }
}

/// Whether the last moves and what a pass would do are hidden.
fn hides_end(board: &GoBoard) -> bool {
    let rules = board.rules();
    rules.finish == EndProtocol::Agreement
        && rules.scoring != Scoring::Territory
        && rules.ko != Ko::Spight
        && board.passes() == 1
        && board.pass_would_end()
        && !board.pass_would_repeat()
}

/// Planes 9 to 13 and globals 0 to 4; returns how many moves count.
fn moves(board: &GoBoard, put: &mut Put<'_, '_>) -> usize {
    let most = match board.is_over() {
        _ if hides_end(board) => 0,
        true => 1,
        false => HISTORY,
    };
    let mut expected = !board.to_play();
    let mut included = 0;
    for (colour, action) in board.recent_moves().take(most) {
        if colour != expected {
            break;
        }
        match action.as_point() {
            Some(p) => put.point(9 + included, p),
            None => put.frame.globals[included] = f32::from(u8::from(action == Action::PASS)),
        }
        expected = !colour;
        included += 1;
    }
    included
}

/// Planes 3 to 5 and 14 to 17.
fn ladders(board: &GoBoard, included: usize, put: &mut Put<'_, '_>, reader: &mut LadderReader) {
    let other = !board.to_play();
    // The oldest first, so that a reader that remembers nothing works forward.
    let two = reader.read(board, included.min(2)).unwrap_or(Ladders::NONE);
    let one = if included >= 2 { reader.read(board, 1).unwrap_or(two) } else { two };
    let now = if included >= 1 { reader.read(board, 0).unwrap_or(one) } else { one };
    for (i, few) in now.few.iter().enumerate() {
        put.set(3 + i, few);
    }
    put.set(14, &now.caught);
    put.set(15, &one.caught);
    put.set(16, &two.caught);
    put.set(17, &now.moves[other.index()]);
}

fn globals(board: &GoBoard, out: &mut [f32]) {
    let (rules, own, area) = (board.rules(), board.to_play(), board.size().area());
    let komi = rules.komi + board.white_bonus();
    let most = area as f32 + KOMI_BEYOND;
    let self_komi = if own == Colour::White { komi } else { -komi }.clamp(-most, most);
    let flag = |yes: bool| f32::from(u8::from(yes));
    out[5] = self_komi / 20.0;
    (out[6], out[7]) = ko_rule(rules);
    out[8] = flag(rules.suicide != Suicide::None);
    out[9] = flag(rules.scoring == Scoring::Territory);
    out[10] = flag(rules.tax != Tax::None);
    out[11] = flag(rules.tax == Tax::All);
    out[12] = flag(board.phase() >= 1);
    out[13] = flag(board.phase() >= 2);
    out[14] = flag(board.pass_would_end() && !hides_end(board));
    out[17] = flag(rules.button && board.button().is_none());
    if rules.scoring != Scoring::Territory || board.phase() >= 2 {
        out[18] = parity_wave(self_komi, area);
    }
}

fn ko_rule(rules: &GoRules) -> (f32, f32) {
    match rules.ko {
        Ko::None | Ko::Simple | Ko::LastPosition => (0.0, 0.0),
        Ko::Positional | Ko::Spight => (1.0, 0.5),
        Ko::Situational => (1.0, -0.5),
    }
}
