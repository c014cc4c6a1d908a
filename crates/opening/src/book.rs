//! Given starts: a list of stones, or several of equal length, that a game begins with, and who holds which colour then.
//!
//! A book names points, not a board: `h8` is column 7, row 8 from the bottom. It's placed stone by stone, each an action
//! of its own, in any of the board's orientations; so a start shows in the record, symmetry holds, and a book of several
//! starts is drawn from by whoever places them. Not here: legality on a real board (`setup`).

use std::fmt;
use std::str::FromStr;

use tengen_game::zobrist::mix;
use tengen_game::{Point, Size};

/// Most stones of a start.
const STONES_MAX: usize = 60;
/// Most starts of one book; longer lists are files with one setup for each line.
const STARTS_MAX: usize = 64;

/// What happens with the colours once the stones are placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Colours {
    /// The first seat holds Black, the colour of the first stone.
    #[default]
    FirstIsBlack,
    /// The first seat holds White.
    FirstIsWhite,
    /// The first seat places all stones, the second swaps or keeps.
    SecondChooses,
}

/// Column from the left and row from the bottom, both from 0.
type Place = (u8, u8);

/// One or more starts of the same number of stones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Book {
    starts: Vec<Vec<Place>>,
    colours: Colours,
}

impl Book {
    /// Stones of every start.
    pub(crate) fn stones(&self) -> usize {
        self.starts.first().map_or(0, Vec::len)
    }

    pub(crate) fn colours(&self) -> Colours {
        self.colours
    }

    pub(crate) fn first_holds_white(&self) -> bool {
        self.colours == Colours::FirstIsWhite
    }

    /// The starts as points of a board; the error names a point that it doesn't have.
    pub(crate) fn on(&self, size: Size) -> Result<Vec<Vec<Point>>, String> {
        let point = |&(column, row): &Place| {
            let y = size.height() as isize - 1 - row as isize;
            size.point_at(column as isize, y).ok_or_else(|| format!("{} is not on a {size} board", name((column, row))))
        };
        self.starts.iter().map(|start| start.iter().map(point).collect()).collect()
    }

    pub(crate) fn code(&self) -> u64 {
        let places = self.starts.iter().flatten().map(|&(x, y)| u64::from(x) << 8 | u64::from(y));
        places.fold(mix(self.colours as u64 ^ (self.stones() as u64) << 8), |h, place| mix(h ^ place))
    }

    /// One start from a line of a file: point names, or offsets from the centre as Gomocup writes them.
    pub(crate) fn read_line(line: &str, size: Size) -> Result<Book, String> {
        let start = if line.bytes().any(|b| b.is_ascii_alphabetic()) { names(line)? } else { offsets(line, size)? };
        let book = Book::new(vec![start], Colours::default())?;
        book.on(size)?;
        Ok(book)
    }

    fn new(starts: Vec<Vec<Place>>, colours: Colours) -> Result<Book, String> {
        if starts.len() > STARTS_MAX {
            return Err(format!("{} given starts; at most {STARTS_MAX} fit one setup", starts.len()));
        }
        let stones = starts.first().map_or(0, Vec::len);
        for start in &starts {
            if start.is_empty() || start.len() > STONES_MAX {
                return Err(format!("a given start has 1 to {STONES_MAX} stones, not {}", start.len()));
            }
            if start.len() != stones {
                return Err(format!(
                    "given starts of one setup are equally long, not {stones} and {} stones",
                    start.len()
                ));
            }
            if let Some(twice) = start.iter().enumerate().find(|(i, place)| start[..*i].contains(place)) {
                return Err(format!("{} is occupied: it stands twice in a given start", name(*twice.1)));
            }
        }
        Ok(Book { starts, colours })
    }
}

fn name((column, row): Place) -> String {
    format!("{}{}", (b'a' + column) as char, u16::from(row) + 1)
}

/// Point names with or without commas and spaces between them.
fn names(text: &str) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    let mut rest = text.trim_start_matches([',', ' ', '\t']);
    while let Some(letter) = rest.chars().next() {
        let wrong = || format!("`{rest}` doesn't begin with a point such as h8");
        let digits = rest.get(1..).unwrap_or("").bytes().take_while(u8::is_ascii_digit).count();
        let row: Option<u8> = rest.get(1..1 + digits).and_then(|d| d.parse().ok());
        let fits = letter.is_ascii_alphabetic() && letter.to_ascii_lowercase() <= 'y';
        match row {
            Some(row @ 1..=25) if fits => places.push((letter.to_ascii_lowercase() as u8 - b'a', row - 1)),
            _ => return Err(wrong()),
        }
        rest = rest[1 + digits..].trim_start_matches([',', ' ', '\t']);
    }
    Ok(places)
}

/// `8,-3, 6,-4`: pairs counted from the centre, x to the right and y down.
fn offsets(line: &str, size: Size) -> Result<Vec<Place>, String> {
    let numbers: Result<Vec<isize>, String> = line
        .split([',', ' ', '\t'])
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<i8>().map(isize::from).map_err(|_| format!("`{part}` is not a point or an offset")))
        .collect();
    let numbers = numbers?;
    if numbers.len() % 2 == 1 {
        return Err(format!("{} offsets, which are no pairs x,y", numbers.len()));
    }
    let place = |pair: &[isize]| {
        let (x, y) = (pair[0] + size.width() as isize / 2, pair[1] + size.height() as isize / 2);
        let point = size.point_at(x, y).ok_or_else(|| format!("{},{} is off a {size} board", pair[0], pair[1]))?;
        let (x, y) = size.xy(point);
        Ok((x as u8, (size.height() - 1 - y) as u8))
    };
    numbers.chunks_exact(2).map(place).collect()
}

impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |start: &Vec<Place>| start.iter().map(|&p| name(p)).collect::<Vec<_>>().join(",");
        f.write_str(&self.starts.iter().map(line).collect::<Vec<_>>().join("/"))?;
        f.write_str(match self.colours {
            Colours::FirstIsBlack => "",
            Colours::FirstIsWhite => ":white",
            Colours::SecondChooses => ":swap",
        })
    }
}

impl FromStr for Book {
    type Err = String;

    /// Reads `h8,h9,i9`, several starts with `/` between them, then `:black`, `:white` or `:swap`.
    fn from_str(text: &str) -> Result<Book, String> {
        let (lines, colours) = match text.split_once(':') {
            None | Some((_, "black")) => (text.split(':').next().unwrap_or(""), Colours::FirstIsBlack),
            Some((lines, "white")) => (lines, Colours::FirstIsWhite),
            Some((lines, "swap")) => (lines, Colours::SecondChooses),
            Some((_, other)) => {
                return Err(format!("`{other}` doesn't say who holds which colour; expected black, white or swap"));
            }
        };
        Book::new(lines.split('/').map(names).collect::<Result<_, _>>()?, colours)
    }
}
