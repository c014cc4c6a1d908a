//! Reads a file of solved positions of (6, 6, 4) freestyle, plain or gzipped. One row each: number of stones, board (row
//! by row from the top, `x` the side to move, `o` the other, `.` empty), per cell the exact result for the mover if he
//! plays there (W, D, L, `-` occupied), value of the position for the mover (1, 0, -1). Black moves first, so the number
//! of stones says who is `x`. Not here: solving; a row is checked for sense, not for truth.

use std::io::Read;
use std::path::Path;

use anyhow::Result;
use tengen_game::{Action, Colour, Game, PointSet, Size};
use tengen_opening::{Opening, Seated, SeatedSetup};
use tengen_renju::{FiveBoard, FiveRules, Win};

use crate::commands::bad;

/// Side of the board.
const SIDE: usize = 6;
/// Cells of the board.
const CELLS: usize = SIDE * SIDE;
/// Largest file, packed and unpacked, in bytes.
const BYTES_MAX: u64 = 1 << 24;

/// The game of the file.
pub(super) type Four = Seated<FiveBoard>;

/// One solved position.
pub(super) struct Solved {
    /// The position; not over, and with at least two legal actions.
    pub(super) game: Four,
    /// Its legal actions, ascending.
    pub(super) legal: Vec<Action>,
    /// By cell: whether playing there keeps the value.
    keeps: [bool; CELLS],
}

impl Solved {
    /// Whether an action keeps the value.
    pub(super) fn kept_by(&self, action: Action) -> bool {
        action.as_point().is_some_and(|p| self.keeps[p.index()])
    }
}

/// The setup of every position.
pub(super) fn setup() -> Result<SeatedSetup<FiveBoard>> {
    let size = Size::square(SIDE).ok_or_else(|| bad("no board"))?;
    Ok(SeatedSetup::new(FiveRules::new(size, Win::Freestyle { length: 4 })?, Opening::NONE)?)
}

/// All positions of a file, at least one. The error names file, line and what was expected.
pub(super) fn read(path: &Path) -> Result<Vec<Solved>> {
    let name = path.display();
    let bytes = tengen_data::store::read_capped(path, BYTES_MAX).map_err(|e| bad(e.to_string()))?;
    let bytes = unpacked(bytes).map_err(|why| bad(format!("{name}: {why}")))?;
    let text = String::from_utf8(bytes).map_err(|_| bad(format!("{name}: expected text, plain or gzipped")))?;
    let setup = setup()?;
    let mut out = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        out.push(row(&setup, line).map_err(|why| bad(format!("{name}, line {}: {why}", n + 1)))?);
    }
    if out.is_empty() {
        return Err(bad(format!("{name}: no positions; expected rows of stones, board, results, value")));
    }
    Ok(out)
}

/// The content of a gzip stream, or the bytes themselves if they don't begin like one.
fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut out = Vec::new();
    let limit = BYTES_MAX + 1;
    let read = flate2::read::MultiGzDecoder::new(&bytes[..]).take(limit).read_to_end(&mut out);
    read.map_err(|e| format!("damaged gzip data: {e}"))?;
    if out.len() as u64 == limit {
        return Err(format!("more than {BYTES_MAX} bytes unpacked"));
    }
    Ok(out)
}

fn row(setup: &SeatedSetup<FiveBoard>, line: &str) -> Result<Solved, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[stones, board, results, value] = words.as_slice() else {
        return Err(format!("{} words; expected 4: stones, board, results, value", words.len()));
    };
    let board = cells("board", board, b"xo.")?;
    let results = cells("results", results, b"WDL-")?;
    let count = |cell: u8| board.iter().filter(|&&c| c == cell).count();
    let stones: usize = stones.parse().map_err(|_| format!("stones `{stones}`: expected a number"))?;
    let (own, other) = (count(b'x'), count(b'o'));
    // Black, who began, has as many stones as White when it is his turn, and one more when it isn't.
    if own + other != stones || own != stones / 2 {
        return Err(format!(
            "{own} x and {other} o; expected {} and {} of {stones} stones",
            stones / 2,
            stones.div_ceil(2)
        ));
    }
    if let Some(i) = (0..CELLS).find(|&i| (board[i] == b'.') == (results[i] == b'-')) {
        return Err(format!("cell {}: `{}` with result `{}`", i + 1, board[i] as char, results[i] as char));
    }
    let keep = match value {
        "1" => b'W',
        "0" => b'D',
        "-1" => b'L',
        _ => return Err(format!("value `{value}`: expected 1, 0 or -1")),
    };
    let best = *b"WDL".iter().find(|r| results.contains(r)).unwrap_or(&b'-');
    if best != keep {
        return Err(format!("value {value}, but the best result is {}", best as char));
    }
    let game = position(setup, board, stones)?;
    let mut legal = Vec::new();
    game.legal(&mut legal);
    if legal.len() < 2 {
        return Err("the game is over or has no choice".to_string());
    }
    Ok(Solved { game, legal, keeps: results.map(|r| r == keep) })
}

fn cells(what: &str, text: &str, known: &[u8]) -> Result<[u8; CELLS], String> {
    let bytes: [u8; CELLS] =
        text.as_bytes().try_into().map_err(|_| format!("{what}: {} cells; expected {CELLS}", text.len()))?;
    match bytes.iter().position(|b| !known.contains(b)) {
        Some(i) => Err(format!("{what}: cell {} is none of `{}`", i + 1, String::from_utf8_lossy(known))),
        None => Ok(bytes),
    }
}

fn position(setup: &SeatedSetup<FiveBoard>, board: [u8; CELLS], stones: usize) -> Result<Four, String> {
    let size = setup.rules().size;
    let set = |cell: u8| -> PointSet { size.points().filter(|p| board[p.index()] == cell).collect() };
    let (own, other) = (set(b'x'), set(b'o'));
    let mover = if stones.is_multiple_of(2) { Colour::Black } else { Colour::White };
    let (black, white) = if mover == Colour::Black { (own, other) } else { (other, own) };
    let board = FiveBoard::position(setup.rules(), &black, &white, mover).ok_or("no position of this game")?;
    Seated::from_board(setup.clone(), board).ok_or_else(|| "no position of this game".to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;

    const GOOD: &str = "6 ....x.....x.......x....oo....o...... LLLL-LLLLL-LLLLLLW-LLLL--LLLL-LLLLLL 1";

    /// The positions that the repository carries.
    pub(in super::super) fn carried() -> Vec<Solved> {
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/four_in_row_6x6.txt.gz")).unwrap()
    }

    fn read_bytes(bytes: &[u8]) -> Result<Vec<Solved>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        read(file.path())
    }

    fn gz(text: &str) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn plain_and_gzipped_rows_read_alike() {
        let text = format!("{GOOD}\n\n{GOOD}\n");
        for solved in [read_bytes(text.as_bytes()).unwrap(), read_bytes(&gz(&text)).unwrap()] {
            assert_eq!(solved.len(), 2);
            let s = &solved[1];
            assert_eq!((s.legal.len(), s.game.to_act()), (30, tengen_game::Seat::First));
            let kept: Vec<usize> =
                s.legal.iter().filter(|&&a| s.kept_by(a)).map(|a| a.as_point().unwrap().index()).collect();
            assert_eq!(kept, [17]);
        }
    }

    #[test]
    fn bad_rows_are_named() {
        let change = |from: &str, to: &str| format!("{GOOD}\n{}\n", GOOD.replacen(from, to, 1));
        for (text, what) in [
            (change(" 1", ""), "3 words"),
            (change("....x.", "....x"), "35 cells"),
            (change("....x.", "....x?"), "cell 6 is none of `xo.`"),
            (change("LLLL-", "LLLQ-"), "cell 4 is none of `WDL-`"),
            (change("LLLL-", "LLL--"), "cell 4: `.` with result `-`"),
            (change("LLLL-", "LLLLL"), "cell 5: `x` with result `L`"),
            (change("6 ", "7 "), "expected 3 and 4 of 7"),
            (change("6 ", "six "), "stones `six`"),
            (change("....x.", "....o."), "2 x and 4 o"),
            (change(" 1", " 2"), "value `2`"),
            (change(" 1", " 0"), "the best result is W"),
        ] {
            let error = read_bytes(text.as_bytes()).err().expect(&text);
            assert!(crate::commands::is_input_error(&error));
            let error = error.to_string();
            assert!(error.contains("line 2") && error.contains(what), "{what}: {error}");
        }
        let over = "8 xxxx..oooo.......................... ----LL----LLLLLLLLLLLLLLLLLLLLLLLLLL -1\n";
        assert!(read_bytes(over.as_bytes()).is_err());
    }

    #[test]
    fn bad_files_are_named() {
        let packed = gz(GOOD);
        let text = |bytes: &[u8]| read_bytes(bytes).err().unwrap().to_string();
        assert!(text(b"").contains("no positions") && text(b"\n \n").contains("no positions"));
        assert!(text(&packed[..packed.len() - 9]).contains("gzip"));
        assert!(text(&[0xff, 0xfe, 0x00]).contains("expected text"));
        assert!(read(Path::new("no-such-file")).err().unwrap().to_string().contains("no-such-file"));
        // A small stream that unpacks to more than the cap.
        assert!(text(&gz(&"\n".repeat(BYTES_MAX as usize + 5))).contains("unpacked"));
    }
}
