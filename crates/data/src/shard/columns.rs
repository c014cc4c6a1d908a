//! Records as columns and back: which arrays a shard has, and how they must fit together. Not here: bytes (see `npz`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tengen_game::{Action, Outcome, Seat};

use super::npz::{NpzReader, NpzWriter};
use super::{Fault, GAMES_MAX, MOVES_MAX, ShardError, TARGETS_MAX};
use crate::record::{EndReason, GameRecord, MoveRow, SearchKind};

/// Version of the shard format that this program writes; it reads all up to this.
pub const SHARD_VERSION: u32 = 1;
/// What `meta.format` says.
const FORMAT: &str = "tengen-shard";
/// Largest `meta` in bytes.
const META_BYTES_MAX: usize = 1 << 22;

/// The head of a shard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Always `tengen-shard`.
    pub format: String,
    /// `SHARD_VERSION` at writing.
    pub version: u32,
    /// Number of games.
    pub games: u64,
    /// Number of moves.
    pub moves: u64,
    /// Number of moves with a training target.
    pub rows: u64,
    /// Number of policy targets.
    pub targets: u64,
    /// Setup texts, sorted.
    pub setups: Vec<String>,
    /// Model ids, sorted.
    pub models: Vec<String>,
}

/// The part of a head that every version has.
#[derive(Deserialize)]
struct Version {
    format: String,
    version: u32,
}

fn table<'a>(texts: impl Iterator<Item = &'a String>) -> BTreeMap<&'a str, u32> {
    let mut table: BTreeMap<&str, u32> = texts.map(|t| (t.as_str(), 0)).collect();
    table.values_mut().zip(0..).for_each(|(v, i)| *v = i);
    table
}

fn keys(table: &BTreeMap<&str, u32>) -> Vec<String> {
    table.keys().map(|k| k.to_string()).collect()
}

impl Meta {
    pub(super) fn of(records: &[GameRecord]) -> Meta {
        let moves = || records.iter().flat_map(|r| &r.moves);
        Meta {
            format: FORMAT.to_string(),
            version: SHARD_VERSION,
            games: records.len() as u64,
            moves: moves().count() as u64,
            rows: records.iter().map(|r| r.rows() as u64).sum(),
            targets: moves().map(|m| m.policy.len() as u64).sum(),
            setups: keys(&table(records.iter().map(|r| &r.setup))),
            models: keys(&table(records.iter().flat_map(|r| &r.models))),
        }
    }
}

/// All arrays of a shard; names as in the file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Columns {
    meta: Meta,
    game_setup: Vec<u32>,
    game_model_first: Vec<u32>,
    game_model_second: Vec<u32>,
    game_seed: Vec<u64>,
    game_index: Vec<u64>,
    game_evaluations: Vec<u64>,
    game_outcome: Vec<u8>,
    game_end: Vec<u8>,
    game_margin: Vec<f32>,
    game_first_move: Vec<u32>,
    move_action: Vec<u16>,
    move_seat: Vec<u8>,
    move_kind: Vec<u8>,
    move_visits: Vec<u32>,
    move_root_value: Vec<f32>,
    move_best: Vec<u8>,
    move_weight: Vec<f32>,
    move_first_target: Vec<u32>,
    target_action: Vec<u16>,
    target_weight: Vec<f32>,
}

impl Columns {
    fn push_move(&mut self, row: &MoveRow) {
        self.move_action.push(row.action.0);
        self.move_seat.push(row.seat as u8);
        self.move_kind.push(row.kind as u8);
        self.move_visits.push(row.visits);
        self.move_root_value.push(row.root_value);
        self.move_best.push(u8::from(row.best));
        self.move_weight.push(row.weight);
        self.target_action.extend(row.policy.iter().map(|(a, _)| a.0));
        self.target_weight.extend(row.policy.iter().map(|(_, w)| *w));
        self.move_first_target.push(self.target_action.len() as u32);
    }

    fn push_game(&mut self, record: &GameRecord) {
        self.game_seed.push(record.seed);
        self.game_index.push(record.index);
        self.game_evaluations.push(record.evaluations);
        self.game_outcome.push(record.outcome.code());
        self.game_end.push(record.end as u8);
        self.game_margin.push(record.margin.unwrap_or(f32::NAN));
        record.moves.iter().for_each(|row| self.push_move(row));
        self.game_first_move.push(self.move_action.len() as u32);
    }
}

/// Checks the records and lays them out.
pub(super) fn to_columns(records: &[GameRecord]) -> Result<Columns, ShardError> {
    let meta = Meta::of(records);
    let caps = [
        ("games", meta.games, GAMES_MAX),
        ("moves", meta.moves, MOVES_MAX),
        ("policy targets", meta.targets, TARGETS_MAX),
    ];
    for (what, found, most) in caps {
        if found as usize > most {
            return Err(ShardError::TooMany { what, found: found as usize, most });
        }
    }
    let mut columns = Columns { meta, game_first_move: vec![0], move_first_target: vec![0], ..Columns::default() };
    let setups = table(records.iter().map(|r| &r.setup));
    let models = table(records.iter().flat_map(|r| &r.models));
    for record in records {
        record.check()?;
        columns.game_setup.push(setups[record.setup.as_str()]);
        columns.game_model_first.push(models[record.models[0].as_str()]);
        columns.game_model_second.push(models[record.models[1].as_str()]);
        columns.push_game(record);
    }
    Ok(columns)
}

pub(super) fn write_columns(c: &Columns, w: &mut NpzWriter) -> Result<(), Fault> {
    let meta = serde_json::to_vec(&c.meta).map_err(|e| Fault::new("meta", e.to_string()))?;
    if meta.len() > META_BYTES_MAX {
        return Err(Fault::new("meta", "the setup texts and model ids are too many; write several shards"));
    }
    w.column("meta", &meta)?;
    w.column("game_setup", &c.game_setup)?;
    w.column("game_model_first", &c.game_model_first)?;
    w.column("game_model_second", &c.game_model_second)?;
    w.column("game_seed", &c.game_seed)?;
    w.column("game_index", &c.game_index)?;
    w.column("game_evaluations", &c.game_evaluations)?;
    w.column("game_outcome", &c.game_outcome)?;
    w.column("game_end", &c.game_end)?;
    w.column("game_margin", &c.game_margin)?;
    w.column("game_first_move", &c.game_first_move)?;
    w.column("move_action", &c.move_action)?;
    w.column("move_seat", &c.move_seat)?;
    w.column("move_kind", &c.move_kind)?;
    w.column("move_visits", &c.move_visits)?;
    w.column("move_root_value", &c.move_root_value)?;
    w.column("move_best", &c.move_best)?;
    w.column("move_weight", &c.move_weight)?;
    w.column("move_first_target", &c.move_first_target)?;
    w.column("target_action", &c.target_action)?;
    w.column("target_weight", &c.target_weight)
}

/// Reads and checks the head.
pub(super) fn read_meta(r: &mut NpzReader) -> Result<Meta, Fault> {
    let fault = |why: String| Fault::new("meta", why);
    let bytes = r.bytes("meta", META_BYTES_MAX)?;
    let version: Version = serde_json::from_slice(&bytes).map_err(|e| fault(format!("not a shard's head: {e}")))?;
    if version.format != FORMAT {
        let found: String = version.format.chars().take(60).collect();
        return Err(fault(format!("format {found:?}, {FORMAT:?} expected")));
    }
    if version.version > SHARD_VERSION {
        return Err(Fault::Newer(version.version));
    }
    if version.version == 0 {
        return Err(fault("version 0 was never written".to_string()));
    }
    let meta: Meta = serde_json::from_slice(&bytes).map_err(|e| fault(e.to_string()))?;
    let caps =
        [("games", meta.games, GAMES_MAX), ("moves", meta.moves, MOVES_MAX), ("targets", meta.targets, TARGETS_MAX)];
    match caps.iter().find(|(_, found, most)| *found > *most as u64) {
        Some((what, found, most)) => Err(fault(format!("claims {found} {what}, at most {most} expected"))),
        None => Ok(meta),
    }
}

/// Checks that `first` cuts `0..total` into runs in order.
fn check_pointers(name: &str, first: &[u32], total: usize) -> Result<(), Fault> {
    let ends = (first.first().copied(), first.last().copied());
    if ends != (Some(0), Some(total as u32)) {
        return Err(Fault::new(name, format!("runs from {:?} to {:?}, expected 0 to {total}", ends.0, ends.1)));
    }
    match first.windows(2).position(|w| w[0] > w[1]) {
        Some(i) => Err(Fault::new(name, format!("falls from {} to {} at element {i}", first[i], first[i + 1]))),
        None => Ok(()),
    }
}

pub(super) fn read_columns(r: &mut NpzReader) -> Result<Columns, Fault> {
    let meta = read_meta(r)?;
    let (games, moves, targets) = (meta.games as usize, meta.moves as usize, meta.targets as usize);
    // Field initialisers run in the order they stand here, which is the order of the members in the file.
    let columns = Columns {
        meta,
        game_setup: r.column("game_setup", games)?,
        game_model_first: r.column("game_model_first", games)?,
        game_model_second: r.column("game_model_second", games)?,
        game_seed: r.column("game_seed", games)?,
        game_index: r.column("game_index", games)?,
        game_evaluations: r.column("game_evaluations", games)?,
        game_outcome: r.column("game_outcome", games)?,
        game_end: r.column("game_end", games)?,
        game_margin: r.column("game_margin", games)?,
        game_first_move: r.column("game_first_move", games + 1)?,
        move_action: r.column("move_action", moves)?,
        move_seat: r.column("move_seat", moves)?,
        move_kind: r.column("move_kind", moves)?,
        move_visits: r.column("move_visits", moves)?,
        move_root_value: r.column("move_root_value", moves)?,
        move_best: r.column("move_best", moves)?,
        move_weight: r.column("move_weight", moves)?,
        move_first_target: r.column("move_first_target", moves + 1)?,
        target_action: r.column("target_action", targets)?,
        target_weight: r.column("target_weight", targets)?,
    };
    check_pointers("game_first_move", &columns.game_first_move, moves)?;
    check_pointers("move_first_target", &columns.move_first_target, targets)?;
    Ok(columns)
}

/// Reads a coded value, or says which element of which column is at fault.
fn coded<C: Copy + std::fmt::Display, T>(
    name: &str,
    column: &[C],
    i: usize,
    read: impl Fn(C) -> Option<T>,
) -> Result<T, Fault> {
    read(column[i]).ok_or_else(|| Fault::new(name, format!("element {i} is {}, which means nothing", column[i])))
}

fn text(name: &str, column: &[u32], i: usize, table: &[String]) -> Result<String, Fault> {
    coded(name, column, i, |at| table.get(at as usize).cloned())
}

fn read_move(c: &Columns, m: usize) -> Result<MoveRow, Fault> {
    let targets = c.move_first_target[m] as usize..c.move_first_target[m + 1] as usize;
    let actions = c.target_action[targets.clone()].iter().map(|&a| Action(a));
    Ok(MoveRow {
        action: Action(c.move_action[m]),
        seat: coded("move_seat", &c.move_seat, m, |v| Seat::from_index(v.into()))?,
        kind: coded("move_kind", &c.move_kind, m, SearchKind::from_code)?,
        visits: c.move_visits[m],
        root_value: c.move_root_value[m],
        best: coded("move_best", &c.move_best, m, |v| (v < 2).then_some(v == 1))?,
        policy: actions.zip(c.target_weight[targets].iter().copied()).collect(),
        weight: c.move_weight[m],
    })
}

fn read_game(c: &Columns, g: usize) -> Result<GameRecord, Fault> {
    let moves = c.game_first_move[g] as usize..c.game_first_move[g + 1] as usize;
    let margin = c.game_margin[g];
    Ok(GameRecord {
        setup: text("game_setup", &c.game_setup, g, &c.meta.setups)?,
        seed: c.game_seed[g],
        index: c.game_index[g],
        models: [
            text("game_model_first", &c.game_model_first, g, &c.meta.models)?,
            text("game_model_second", &c.game_model_second, g, &c.meta.models)?,
        ],
        moves: moves.map(|m| read_move(c, m)).collect::<Result<_, _>>()?,
        outcome: coded("game_outcome", &c.game_outcome, g, Outcome::from_code)?,
        end: coded("game_end", &c.game_end, g, EndReason::from_code)?,
        margin: (!margin.is_nan()).then_some(margin),
        evaluations: c.game_evaluations[g],
    })
}

/// Puts the records together and checks each.
pub(super) fn from_columns(c: &Columns) -> Result<Vec<GameRecord>, Fault> {
    let mut records = Vec::with_capacity(c.game_seed.len());
    for g in 0..c.game_seed.len() {
        let record = read_game(c, g)?;
        record.check().map_err(|fault| Fault::new("", format!("element {g}: {fault}")))?;
        records.push(record);
    }
    let rows: usize = records.iter().map(GameRecord::rows).sum();
    if rows as u64 != c.meta.rows {
        return Err(Fault::new("meta", format!("claims {} rows, has {rows}", c.meta.rows)));
    }
    Ok(records)
}
