//! The commands, one row each. A new one is a function and a row. Error texts are those that GTP clients look for.

use tengen_game::notation::Letters;
use tengen_game::{Colour, Size};

use super::{Context, Request};
use crate::clock::TimeSettings;
use crate::session::{Move, PlayError};

type Answer = Result<String, String>;
type Command = fn(&mut Context<'_>, &[String]) -> Answer;

const ROWS: &[(&str, Command)] = &[
    ("boardsize", boardsize),
    ("clear_board", clear_board),
    ("final_score", final_score),
    ("genmove", genmove),
    ("known_command", known_command),
    ("komi", komi),
    ("list_commands", list_commands),
    ("name", |c, _| Ok(c.session.name())),
    ("play", play),
    ("protocol_version", |_, _| Ok("2".to_string())),
    ("quit", quit),
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

fn colour(args: &[String]) -> Result<Colour, String> {
    match args.first().map(|a| a.to_ascii_lowercase()).as_deref() {
        Some("b" | "black") => Ok(Colour::Black),
        Some("w" | "white") => Ok(Colour::White),
        _ => Err(syntax(())),
    }
}

fn said(e: PlayError) -> String {
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
    if !komi.is_finite() {
        return Err(syntax(()));
    }
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

fn genmove(c: &mut Context<'_>, args: &[String]) -> Answer {
    let who = colour(args)?;
    let time = c.clock.budget(who.index(), c.session.moves(), c.session.size().area());
    let size = c.session.size();
    Ok(match c.session.generate(who, time).map_err(said)? {
        Move::Stone(p) => Letters::WithoutI.name(size, p),
        Move::Pass => "pass".to_string(),
        Move::Resign => "resign".to_string(),
    })
}

fn undo(c: &mut Context<'_>, _: &[String]) -> Answer {
    if c.session.undo() { Ok(String::new()) } else { Err("cannot undo".to_string()) }
}

fn final_score(c: &mut Context<'_>, _: &[String]) -> Answer {
    c.session.final_score().map_err(said)
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

fn time_left(c: &mut Context<'_>, args: &[String]) -> Answer {
    let who = colour(args)?;
    c.clock.tell(who.index(), arg(args, 1)?, arg(args, 2)?);
    Ok(String::new())
}

fn quit(c: &mut Context<'_>, _: &[String]) -> Answer {
    c.over = true;
    Ok(String::new())
}
