//! The commands, one row each. A new one is a function and a row. Error texts are those that GTP clients look for.

use std::path::Path;
use std::time::Duration;

use tengen_game::notation::Letters;
use tengen_game::{Colour, Point, Size};

use super::analysis::{Analysis, Words};
use super::{Context, Request};
use crate::clock::TimeSettings;
use crate::session::{Move, PlayError, Session, Status};

type Answer = Result<String, String>;
type Finder = fn(&mut dyn Session, Colour, Option<Duration>) -> Result<Move, PlayError>;
type Command = fn(&mut Context<'_>, &[String]) -> Answer;

const ROWS: &[(&str, Command)] = &[
    ("boardsize", boardsize),
    ("clear_board", clear_board),
    ("final_score", final_score),
    ("final_status_list", final_status_list),
    ("fixed_handicap", fixed_handicap),
    ("genmove", |c, args| find_move(c, args, |session, who, time| session.generate(who, time))),
    ("kata-analyze", |c, args| analyze(c, args, Words::Kata, false)),
    ("kata-genmove_analyze", |c, args| analyze(c, args, Words::Kata, true)),
    ("kata-get-rules", |c, _| c.session.rules().map_err(said)),
    ("kata-set-rule", kata_set_rule),
    ("kata-set-rules", kata_set_rules),
    ("kgs-genmove_cleanup", |c, args| find_move(c, args, |session, who, time| session.clean_up(who, time))),
    ("kgs-rules", kgs_rules),
    ("kgs-time_settings", kgs_time_settings),
    ("known_command", known_command),
    ("komi", komi),
    ("list_commands", list_commands),
    ("loadsgf", loadsgf),
    ("lz-analyze", |c, args| analyze(c, args, Words::Leela, false)),
    ("lz-genmove_analyze", |c, args| analyze(c, args, Words::Leela, true)),
    ("name", |c, _| Ok(c.session.name())),
    ("place_free_handicap", place_free_handicap),
    ("play", play),
    ("printsgf", printsgf),
    ("protocol_version", |_, _| Ok("2".to_string())),
    ("quit", quit),
    ("reg_genmove", |c, args| find_move(c, args, |session, who, time| session.consider(who, time))),
    ("set_free_handicap", set_free_handicap),
    ("showboard", |c, _| Ok(format!("\n{}", c.session.show()))),
    ("time_left", time_left),
    ("time_settings", time_settings),
    ("undo", undo),
    ("version", |c, _| Ok(c.session.version())),
];

pub(super) fn run(context: &mut Context<'_>, request: &Request) -> Answer {
    match ROWS.iter().find(|(name, _)| *name == request.command) {
        Some((_, command)) => command(context, &request.args),
        None => Err("unknown command".to_string()),
    }
}

fn syntax<T>(_: T) -> String {
    "syntax error".to_string()
}

fn arg<T: std::str::FromStr>(args: &[String], i: usize) -> Result<T, String> {
    args.get(i).and_then(|a| a.parse().ok()).ok_or_else(|| syntax(()))
}

pub(super) fn colour_of(word: &str) -> Option<Colour> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Colour::Black),
        "w" | "white" => Some(Colour::White),
        _ => None,
    }
}

fn colour(args: &[String]) -> Result<Colour, String> {
    args.first().and_then(|word| colour_of(word)).ok_or_else(|| syntax(()))
}

pub(super) fn vertex(size: Size, action: Move) -> String {
    match action {
        Move::Stone(p) => Letters::WithoutI.name(size, p),
        Move::Pass => "pass".to_string(),
        Move::Resign => "resign".to_string(),
    }
}

pub(super) fn said(e: PlayError) -> String {
    e.to_string()
}

fn boardsize(c: &mut Context<'_>, args: &[String]) -> Answer {
    let width: i64 = arg(args, 0)?;
    let height: i64 = if args.len() > 1 { arg(args, 1)? } else { width };
    let side = |n: i64| usize::try_from(n).ok();
    let size = side(width).zip(side(height)).and_then(|(w, h)| Size::new(w, h));
    c.session.set_size(size.ok_or_else(|| PlayError::Size.to_string())?).map_err(said)?;
    Ok(String::new())
}

fn clear_board(c: &mut Context<'_>, _: &[String]) -> Answer {
    c.session.clear();
    Ok(String::new())
}

fn komi(c: &mut Context<'_>, args: &[String]) -> Answer {
    let komi: f32 = arg(args, 0)?;
    c.session.set_komi(komi).map_err(said)?;
    Ok(String::new())
}

fn play(c: &mut Context<'_>, args: &[String]) -> Answer {
    let who = colour(args)?;
    let vertex = args.get(1).ok_or_else(|| syntax(()))?;
    let action = if vertex.eq_ignore_ascii_case("pass") {
        Move::Pass
    } else {
        let size = c.session.size();
        Move::Stone(Letters::WithoutI.point(size, vertex).ok_or_else(|| "invalid color or coordinate".to_string())?)
    };
    c.session.play(who, action).map_err(said)?;
    Ok(String::new())
}

fn find_move(c: &mut Context<'_>, args: &[String], find: Finder) -> Answer {
    let who = colour(args)?;
    let time = c.clock.budget(who.index(), c.session.moves(), c.session.size().area());
    let size = c.session.size();
    Ok(vertex(size, find(&mut *c.session, who, time).map_err(said)?))
}

/// The answer is written while the search runs.
fn analyze(c: &mut Context<'_>, args: &[String], words: Words, plays: bool) -> Answer {
    c.analysis = Some(Analysis::parse(c.session, args, words, plays)?);
    Ok(String::new())
}

fn vertices(size: Size, points: impl IntoIterator<Item = Point>) -> String {
    points.into_iter().map(|p| Letters::WithoutI.name(size, p)).collect::<Vec<_>>().join(" ")
}

fn fixed_handicap(c: &mut Context<'_>, args: &[String]) -> Answer {
    let points = c.session.fixed_handicap(arg(args, 0)?).map_err(said)?;
    Ok(vertices(c.session.size(), points))
}

fn place_free_handicap(c: &mut Context<'_>, args: &[String]) -> Answer {
    let points = c.session.free_handicap(arg(args, 0)?).map_err(said)?;
    Ok(vertices(c.session.size(), points))
}

fn set_free_handicap(c: &mut Context<'_>, args: &[String]) -> Answer {
    let size = c.session.size();
    // A pass is no point either.
    let points: Option<Vec<Point>> = args.iter().map(|name| Letters::WithoutI.point(size, name)).collect();
    c.session.set_handicap(&points.ok_or_else(|| PlayError::Vertices.to_string())?).map_err(said)?;
    Ok(String::new())
}

/// One chain a line.
fn final_status_list(c: &mut Context<'_>, args: &[String]) -> Answer {
    let status = match args.first().map(String::as_str) {
        Some("alive") => Status::Alive,
        Some("dead") => Status::Dead,
        Some("seki") => Status::Seki,
        _ => return Err(syntax(())),
    };
    let (size, chains) = (c.session.size(), c.session.final_status(status).map_err(said)?);
    Ok(chains.into_iter().map(|chain| vertices(size, chain)).collect::<Vec<_>>().join("\n"))
}

fn undo(c: &mut Context<'_>, _: &[String]) -> Answer {
    if c.session.undo() { Ok(String::new()) } else { Err("cannot undo".to_string()) }
}

fn final_score(c: &mut Context<'_>, _: &[String]) -> Answer {
    c.session.final_score().map_err(said)
}

fn done(changed: Result<(), PlayError>) -> Answer {
    changed.map(|()| String::new()).map_err(said)
}

fn kata_set_rules(c: &mut Context<'_>, args: &[String]) -> Answer {
    if args.is_empty() {
        return Err(syntax(()));
    }
    // A JSON object may hold blanks.
    done(c.session.set_rules(&args.join(" ")))
}

fn kata_set_rule(c: &mut Context<'_>, args: &[String]) -> Answer {
    match args {
        [key, value] => done(c.session.set_rule(key, value)),
        _ => Err(syntax(())),
    }
}

/// The four words of the KGS server, as KataGo's names of the same rules.
const KGS_RULES: [(&str, &str); 4] =
    [("aga", "aga"), ("chinese", "chinese-kgs"), ("japanese", "japanese"), ("new_zealand", "new-zealand")];

fn kgs_rules(c: &mut Context<'_>, args: &[String]) -> Answer {
    let word = args.first().ok_or_else(|| syntax(()))?;
    let found = KGS_RULES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
    let known = || KGS_RULES.map(|(name, _)| name).join(", ");
    let (_, name) = found.ok_or_else(|| format!("unknown rules `{word}`; expected one of {}", known()))?;
    done(c.session.set_rules(name))
}

/// `loadsgf FILE [MOVE]`; the name may have blanks in it.
fn loadsgf(c: &mut Context<'_>, args: &[String]) -> Answer {
    let (name, before) = match args {
        [] => return Err(syntax(())),
        [name @ .., last] if !name.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) => {
            (name, Some(last.parse().map_err(syntax)?))
        }
        name => (name, None),
    };
    done(c.session.load(Path::new(&name.join(" ")), before))
}

fn printsgf(c: &mut Context<'_>, args: &[String]) -> Answer {
    if args.is_empty() { Ok(c.session.record()) } else { done(c.session.save(Path::new(&args.join(" ")))) }
}

fn known_command(_: &mut Context<'_>, args: &[String]) -> Answer {
    let known = args.first().is_some_and(|a| ROWS.iter().any(|(name, _)| name == a));
    Ok(known.to_string())
}

fn list_commands(_: &mut Context<'_>, _: &[String]) -> Answer {
    Ok(ROWS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("\n"))
}

fn time_settings(c: &mut Context<'_>, args: &[String]) -> Answer {
    c.clock.set(TimeSettings { main: arg(args, 0)?, overtime: arg(args, 1)?, stones: arg(args, 2)? });
    Ok(String::new())
}

/// `none`, `absolute MAIN`, `canadian MAIN TIME STONES`, or `byoyomi MAIN TIME PERIODS`.
fn kgs_time_settings(c: &mut Context<'_>, args: &[String]) -> Answer {
    match args.first().map(String::as_str) {
        Some("none") => c.clock.lift(),
        Some("absolute") => c.clock.set(TimeSettings { main: arg(args, 1)?, overtime: 0, stones: 0 }),
        Some("canadian") => {
            c.clock.set(TimeSettings { main: arg(args, 1)?, overtime: arg(args, 2)?, stones: arg(args, 3)? })
        }
        Some("byoyomi") => {
            let _periods: u32 = arg(args, 3)?;
            c.clock.set_byoyomi(arg(args, 1)?, arg(args, 2)?);
        }
        _ => return Err(syntax(())),
    }
    Ok(String::new())
}

fn time_left(c: &mut Context<'_>, args: &[String]) -> Answer {
    let who = colour(args)?;
    c.clock.tell(who.index(), arg(args, 1)?, arg(args, 2)?);
    Ok(String::new())
}

fn quit(c: &mut Context<'_>, _: &[String]) -> Answer {
    c.over = true;
    Ok(String::new())
}
