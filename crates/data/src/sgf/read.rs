//! What the nodes of a main line mean. Not here: brackets and escapes (see `tree`), and whether moves are legal.

use tengen_game::notation::{Letters, sgf_point};
use tengen_game::{Colour, MAX_SIDE, Point, Size};

use super::tree::{Node, Prop, resolve};
use super::{ReadAs, SgfError, SgfFamily, SgfGame, SgfMove, SgfResult, WinBy};

struct Reader {
    is_utf8: bool,
}

fn error<T>(prop: &Prop, why: impl std::fmt::Display) -> Result<T, SgfError> {
    Err(SgfError { offset: prop.offset, why: format!("{}: {why}", prop.id) })
}

/// A value cut for an error message.
fn brief(text: &str) -> String {
    let cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() { format!("`{cut}…`") } else { format!("`{cut}`") }
}

fn find<'n, 'a>(node: &'n Node<'a>, id: &str) -> Result<Option<&'n Prop<'a>>, SgfError> {
    let mut found = node.props.iter().filter(|p| p.id == id);
    match (found.next(), found.next()) {
        (_, Some(second)) => error(second, "given twice in one node"),
        (first, None) => Ok(first),
    }
}

impl Reader {
    /// Text of all values, joined by line feeds.
    fn text(&self, prop: &Prop) -> String {
        prop.values.iter().map(|v| resolve(v, self.is_utf8)).collect::<Vec<_>>().join("\n")
    }

    /// Text of the one value, on one line.
    fn line(&self, prop: &Prop) -> Result<String, SgfError> {
        match prop.values.as_slice() {
            [one] => Ok(resolve(one, self.is_utf8).replace('\n', " ").trim().to_string()),
            many => error(prop, format!("{} values, 1 expected", many.len())),
        }
    }

    fn line_or_empty(&self, node: &Node, id: &str) -> Result<String, SgfError> {
        Ok(find(node, id)?.map(|p| self.line(p)).transpose()?.unwrap_or_default())
    }

    fn family(&self, root: &Node, read_as: ReadAs) -> Result<SgfFamily, SgfError> {
        let Some(prop) = find(root, "GM")? else {
            return Ok(if read_as == ReadAs::Five { SgfFamily::Five } else { SgfFamily::Go });
        };
        match (self.line(prop)?.as_str(), read_as) {
            ("4", _) | ("1", ReadAs::Five) => Ok(SgfFamily::Five),
            ("1", ReadAs::Declared) => Ok(SgfFamily::Go),
            (other, _) => error(prop, format!("{} is neither 1 (Go) nor 4 (five in a row)", brief(other))),
        }
    }

    fn size(&self, root: &Node, family: SgfFamily) -> Result<Size, SgfError> {
        let default = if family == SgfFamily::Go { 19 } else { 15 };
        let Some(prop) = find(root, "SZ")? else {
            // Both defaults are valid sides.
            return Size::square(default).ok_or(SgfError { offset: root.offset, why: "SZ: missing".to_string() });
        };
        let text = self.line(prop)?;
        let side = |t: &str| t.trim().bytes().all(|b| b.is_ascii_digit()).then(|| t.trim().parse::<usize>().ok())?;
        let size = match text.split_once(':') {
            None => side(&text).and_then(Size::square),
            Some((w, h)) => side(w).zip(side(h)).and_then(|(w, h)| Size::new(w, h)),
        };
        match size {
            Some(size) => Ok(size),
            None => error(prop, format!("{} is not N or W:H with sides 1 to {MAX_SIDE}", brief(&text))),
        }
    }

    fn komi(&self, root: &Node) -> Result<Option<f32>, SgfError> {
        let Some(prop) = find(root, "KM")? else { return Ok(None) };
        let text = self.line(prop)?;
        match text.parse::<f32>() {
            _ if text.is_empty() => Ok(None),
            Ok(komi) if komi.is_finite() && komi.abs() <= 1000.0 => Ok(Some(komi)),
            _ => error(prop, format!("{} is not a number of points from -1000 to 1000", brief(&text))),
        }
    }

    fn colour(&self, prop: &Prop) -> Result<Colour, SgfError> {
        match self.line(prop)?.to_ascii_lowercase().as_str() {
            "b" | "black" | "1" => Ok(Colour::Black),
            "w" | "white" | "2" => Ok(Colour::White),
            other => error(prop, format!("{} is neither B nor W", brief(other))),
        }
    }

    fn point(&self, prop: &Prop, size: Size, text: &str) -> Result<Point, SgfError> {
        match sgf_point(size, text) {
            Some(p) => Ok(p),
            None => error(prop, format!("{} is no point of a {size} board", brief(text))),
        }
    }

    /// Points of a list, with rectangles `aa:cc` spelt out.
    fn points(&self, prop: &Prop, size: Size, out: &mut Vec<Point>) -> Result<(), SgfError> {
        for value in &prop.values {
            let text = resolve(value, self.is_utf8);
            let text = text.trim();
            let (a, b) = text.split_once(':').unwrap_or((text, text));
            let (a, b) = (size.xy(self.point(prop, size, a)?), size.xy(self.point(prop, size, b)?));
            if a.0 > b.0 || a.1 > b.1 {
                return error(prop, format!("{} runs from bottom or right", brief(text)));
            }
            let rows = a.1..=b.1;
            out.extend(rows.flat_map(|y| (a.0..=b.0).map(move |x| size.point(x, y))));
        }
        Ok(())
    }

    fn vertex(&self, prop: &Prop, size: Size) -> Result<Option<Point>, SgfError> {
        let text = self.line(prop)?;
        let old_pass = text == "tt" && size.width() <= 19 && size.height() <= 19;
        if text.is_empty() || old_pass { Ok(None) } else { self.point(prop, size, &text).map(Some) }
    }

    /// Stones of a node's setup. `stones` by colour index; a point set again changes.
    fn setup(&self, node: &Node, size: Size, stones: &mut [Vec<Point>; 2]) -> Result<(), SgfError> {
        let mut touched = Vec::new();
        for (id, colour) in [("AB", Some(0)), ("AW", Some(1)), ("AE", None)] {
            let Some(prop) = find(node, id)? else { continue };
            let mut points = Vec::new();
            self.points(prop, size, &mut points)?;
            for p in points {
                if touched.contains(&p) {
                    return error(prop, format!("point {} is set twice in one node", p.0));
                }
                touched.push(p);
                stones.iter_mut().for_each(|s| s.retain(|q| *q != p));
                if let Some(colour) = colour {
                    stones[colour as usize].push(p);
                }
            }
        }
        Ok(())
    }

    /// The properties that have no field.
    fn others(&self, node: &Node, known: &[&str]) -> super::Properties {
        let rest = node.props.iter().filter(|p| !known.contains(&p.id.as_str()) && !p.id.is_empty());
        rest.map(|p| (p.id.clone(), p.values.iter().map(|v| resolve(v, self.is_utf8)).collect())).collect()
    }

    fn game_move(&self, node: &Node, size: Size) -> Result<Option<SgfMove>, SgfError> {
        let (prop, colour) = match (find(node, "B")?, find(node, "W")?) {
            (None, None) => return Ok(None),
            (Some(_), Some(white)) => return error(white, "a black and a white move in one node"),
            (Some(black), None) => (black, Colour::Black),
            (None, Some(white)) => (white, Colour::White),
        };
        let comment = find(node, "C")?.map(|p| self.text(p)).unwrap_or_default();
        let properties = self.others(node, &["B", "W", "C", "AB", "AW", "AE"]);
        Ok(Some(SgfMove { colour, point: self.vertex(prop, size)?, comment, properties }))
    }

    fn private(&self, root: &Node, game: &mut SgfGame) -> Result<(), SgfError> {
        game.setup = find(root, "TGSETUP")?.map(|p| self.line(p)).transpose()?;
        if let Some(prop) = find(root, "TGSEED")? {
            let text = self.line(prop)?;
            match text.parse() {
                Ok(seed) => game.seed = Some(seed),
                Err(_) => return error(prop, format!("{} is no seed", brief(&text))),
            }
        }
        if let Some(prop) = find(root, "TGACTIONS")? {
            for value in &prop.values {
                let text = resolve(value, self.is_utf8);
                match letters(game.family).parse_action(game.size, text.trim()) {
                    Some(action) => game.actions.push(action),
                    None => return error(prop, format!("{} is no action", brief(&text))),
                }
            }
        }
        Ok(())
    }
}

/// Which letters name points in `TGACTIONS`.
pub(super) fn letters(family: SgfFamily) -> Letters {
    if family == SgfFamily::Go { Letters::WithoutI } else { Letters::WithI }
}

/// Reads RE; what isn't understood is unknown, because files have all sorts of words there.
fn result(text: &str) -> SgfResult {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "0" | "draw" | "jigo" => return SgfResult::Draw,
        "void" => return SgfResult::Void,
        _ => {}
    }
    let (colour, by) = match text.split_once('+') {
        Some(("b" | "black", by)) => (Colour::Black, by),
        Some(("w" | "white", by)) => (Colour::White, by),
        _ => return SgfResult::Unknown,
    };
    let by = match by.trim() {
        "r" | "resign" => WinBy::Resign,
        "t" | "time" => WinBy::Time,
        "f" | "forfeit" => WinBy::Forfeit,
        points => match points.parse::<f32>() {
            Ok(p) if p.is_finite() && p > 0.0 => WinBy::Points(p),
            _ => WinBy::Plain,
        },
    };
    SgfResult::Win(colour, by)
}

const ROOT_FIELDS: [&str; 20] = [
    "GM",
    "FF",
    "CA",
    "AP",
    "SZ",
    "KM",
    "RU",
    "PB",
    "PW",
    "RE",
    "AB",
    "AW",
    "AE",
    "PL",
    "C",
    "B",
    "W",
    "TGSETUP",
    "TGSEED",
    "TGACTIONS",
];

pub(super) fn game(nodes: &[Node], is_utf8: bool, read_as: ReadAs) -> Result<SgfGame, SgfError> {
    let reader = Reader { is_utf8 };
    let Some(root) = nodes.first() else { return Err(SgfError { offset: 0, why: "a game without a node".into() }) };
    let family = reader.family(root, read_as)?;
    let size = reader.size(root, family)?;
    let mut game = SgfGame::new(family, size);
    game.komi = reader.komi(root)?;
    game.rules = reader.line_or_empty(root, "RU")?;
    game.players = [reader.line_or_empty(root, "PB")?, reader.line_or_empty(root, "PW")?];
    game.result = result(&reader.line_or_empty(root, "RE")?);
    game.first = find(root, "PL")?.map(|p| reader.colour(p)).transpose()?;
    game.properties = reader.others(root, &ROOT_FIELDS);
    reader.private(root, &mut game)?;
    for (number, node) in nodes.iter().enumerate() {
        let late = game.moves.len();
        if let Some(prop) = node.props.iter().find(|p| late > 0 && ["AB", "AW", "AE"].contains(&p.id.as_str())) {
            return error(
                prop,
                format!("stones set up behind move {late} (node {number}); only moves can follow a move"),
            );
        }
        reader.setup(node, size, &mut game.stones)?;
        match reader.game_move(node, size)? {
            // The root's comment is the game's.
            Some(mut played) => {
                if number == 0 {
                    game.comment = std::mem::take(&mut played.comment);
                    played.properties.clear();
                }
                game.moves.push(played);
            }
            None => {
                let Some(comment) = find(node, "C")?.map(|p| reader.text(p)) else { continue };
                let before = game.moves.last_mut().map_or(&mut game.comment, |m| &mut m.comment);
                let gap = if before.is_empty() { "" } else { "\n" };
                before.push_str(&format!("{gap}{comment}"));
            }
        }
    }
    Ok(game)
}
