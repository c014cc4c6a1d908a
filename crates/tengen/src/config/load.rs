//! Reading a configuration: a file, then `--set` overrides, then ranges. Every fault is one message that names the file,
//! line or key, what was wrong and what was expected. Not here: what the keys mean (`keys`) and their defaults (the
//! structs' `Default`).

use std::path::Path;

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::{Config, keys};

/// Why a configuration was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("{file}: {why}")]
    Read {
        /// Path.
        file: String,
        /// The system's answer.
        why: String,
    },
    /// The text isn't TOML, or a key is given twice.
    #[error("{file}: {why}")]
    Syntax {
        /// Path.
        file: String,
        /// The parser's message, with line.
        why: String,
    },
    /// A key that doesn't exist.
    #[error("{at}: unknown key `{key}`; did you mean `{nearest}`? (`tengen config list` shows all keys)")]
    Unknown {
        /// File and line, or `--set`.
        at: String,
        /// The key as written, with its section.
        key: String,
        /// The nearest known one.
        nearest: String,
    },
    /// A value of the wrong kind or out of range.
    #[error("{at}: {why}")]
    Value {
        /// File and line, or `--set`.
        at: String,
        /// What was expected.
        why: String,
    },
}

/// Where each key was given, for messages.
#[derive(Debug, Default)]
struct Places(Vec<(String, String)>);

impl Places {
    fn of(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(k, _)| k == key).map(|(_, at)| at.as_str())
    }
}

/// Defaults, then the file (if any), then `section.key=value` overrides, then checks.
pub fn load(file: Option<&Path>, sets: &[String]) -> Result<Config, ConfigError> {
    let mut table = toml::Table::new();
    let mut places = Places::default();
    if let Some(path) = file {
        read_file(path, &mut table, &mut places)?;
    }
    for set in sets {
        apply_set(set, &mut table, &mut places)?;
    }
    finish(table, &places)
}

/// A configuration from text, as stored in a run directory.
pub fn from_text(name: &str, text: &str) -> Result<Config, ConfigError> {
    let mut table = toml::Table::new();
    let mut places = Places::default();
    read_text(name, text, &mut table, &mut places)?;
    finish(table, &places)
}

fn read_file(path: &Path, table: &mut toml::Table, places: &mut Places) -> Result<(), ConfigError> {
    let name = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|e| ConfigError::Read { file: name.clone(), why: e.to_string() })?;
    read_text(&name, &text, table, places)
}

fn read_text(name: &str, text: &str, table: &mut toml::Table, places: &mut Places) -> Result<(), ConfigError> {
    let syntax = |e: toml::de::Error| ConfigError::Syntax { file: name.to_string(), why: e.to_string() };
    let parsed = DeTable::parse(text).map_err(syntax)?;
    let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    walk(parsed.get_ref(), "", &|offset| format!("{name}, line {}", line(offset)), places)?;
    *table = text.parse::<toml::Table>().map_err(syntax)?;
    Ok(())
}

/// Checks every key of a parsed table, sections and all, and remembers where it stands.
fn walk(
    table: &DeTable<'_>,
    prefix: &str,
    at: &dyn Fn(usize) -> String,
    places: &mut Places,
) -> Result<(), ConfigError> {
    for (key, value) in table {
        let path = format!("{prefix}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) if keys::is_section(&path) => walk(inner, &format!("{path}."), at, places)?,
            _ => known(&path, &at(key.span().start), places)?,
        }
    }
    Ok(())
}

fn known(key: &str, at: &str, places: &mut Places) -> Result<(), ConfigError> {
    if keys::find(key).is_some() {
        places.0.push((key.to_string(), at.to_string()));
        return Ok(());
    }
    Err(ConfigError::Unknown { at: at.to_string(), key: key.to_string(), nearest: keys::nearest(key).to_string() })
}

fn apply_set(set: &str, table: &mut toml::Table, places: &mut Places) -> Result<(), ConfigError> {
    let at = format!("--set {set}");
    let value_error = |why: &str| ConfigError::Value { at: at.clone(), why: why.to_string() };
    let (key, text) = set.split_once('=').ok_or_else(|| value_error("expected section.key=value"))?;
    let (key, text) = (key.trim(), text.trim());
    known(key, &at, places)?;
    // A bare word is a string: `--set game.opening=rif` needs no quotes.
    let value = match format!("v = {text}").parse::<toml::Table>() {
        Ok(mut parsed) if parsed.len() == 1 => parsed.remove("v").unwrap_or_else(|| Value::String(text.to_string())),
        _ => Value::String(text.to_string()),
    };
    let mut inner = table;
    let mut parts = key.split('.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            inner.insert(part.to_string(), value);
            break;
        }
        let entry = inner.entry(part).or_insert_with(|| Value::Table(toml::Table::new()));
        inner = entry.as_table_mut().ok_or_else(|| value_error("the section holds a plain value in the file"))?;
    }
    Ok(())
}

/// The leaves of a table with their dotted paths.
fn leaves(table: &toml::Table, prefix: &str, out: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        let path = format!("{prefix}{key}");
        match value {
            Value::Table(inner) => leaves(inner, &format!("{path}."), out),
            _ => out.push((path, value.clone())),
        }
    }
}

/// The value at a dotted path of a table made from the defaults, where every known key exists.
fn slot<'a>(root: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split('.').try_fold(root, |v, part| v.get_mut(part))
}

fn finish(table: toml::Table, places: &Places) -> Result<Config, ConfigError> {
    let mut merged = Value::try_from(Config::default())
        .map_err(|e| ConfigError::Value { at: "defaults".to_string(), why: e.to_string() })?;
    // Key by key, so that a value of the wrong kind is reported with its own place.
    let mut given = Vec::new();
    leaves(&table, "", &mut given);
    for (key, value) in given {
        if let Some(place) = slot(&mut merged, &key) {
            *place = coerce(place, &value);
        }
        if let Err(e) = merged.clone().try_into::<Config>() {
            let at = places.of(&key).unwrap_or("configuration").to_string();
            let why = in_words(e.to_string().lines().next().unwrap_or_default().trim());
            return Err(ConfigError::Value { at, why: format!("{key}: {why}") });
        }
    }
    let config: Config = merged
        .try_into()
        .map_err(|e: toml::de::Error| ConfigError::Value { at: "configuration".to_string(), why: e.to_string() })?;
    config.check().map_err(|why| {
        let key = why.split([' ', ':', ',']).next().unwrap_or_default();
        ConfigError::Value { at: places.of(key).unwrap_or("configuration").to_string(), why }
    })?;
    Ok(config)
}

/// A type's name in the deserializer's message is the program's, not the user's.
fn in_words(why: &str) -> String {
    let (before, expected) = why.rsplit_once("expected ").unwrap_or((why, ""));
    match expected {
        "f32" | "f64" => format!("{before}expected a number"),
        "u8" | "u32" | "u64" | "usize" => format!("{before}expected a whole number from 0"),
        "a boolean" => format!("{before}expected true or false"),
        _ => why.to_string(),
    }
}

/// An integer where the default is a float is meant as one; anything else stays for the error to name.
fn coerce(default: &Value, given: &Value) -> Value {
    match (default, given) {
        (Value::Float(_), Value::Integer(i)) => Value::Float(*i as f64),
        (Value::String(_), Value::Integer(i)) => Value::String(i.to_string()),
        (Value::Array(list), one) if !one.is_array() => Value::Array(vec![match list.first() {
            Some(first) => coerce(first, one),
            None => one.clone(),
        }]),
        (Value::Array(list), Value::Array(given)) => Value::Array(match list.first() {
            Some(first) => given.iter().map(|v| coerce(first, v)).collect(),
            None => given.clone(),
        }),
        _ => given.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        from_text("a.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_name_line_and_nearest_key() {
        let e = fault("[train]\nbatch = 64\nlearnign_rate = 0.1\n");
        assert!(
            e.contains("a.toml, line 3") && e.contains("train.learnign_rate") && e.contains("`train.learning_rate`"),
            "{e}"
        );
        let e = fault("[selfplay]\nlearning_rate = 0.1\n");
        assert!(e.contains("`train.learning_rate`"), "right key in the wrong section: {e}");
        let e = fault("[train]\nbatch = 64\nbatch = 65\n");
        assert!(e.contains("duplicate") && e.contains('3'), "{e}");
        let e = fault("[train]\n\nreuse = -3\n");
        assert!(e.contains("line 3") && e.contains("train.reuse = -3: expected 0.01 to 100"), "{e}");
        let e = fault("[train]\nbatch = \"many\"\n");
        assert!(e.contains("line 2") && e.contains("train.batch"), "{e}");
        let e = fault("nonsense = 1\n");
        assert!(e.contains("line 1") && e.contains("nonsense"), "{e}");
        let e = fault("[game]\nkind = \"five\"\nrules = \"renju\"\nsizes = [\"14\"]\nopening = \"rif\"\n");
        assert!(e.contains("game.opening"), "{e}");
    }

    #[test]
    fn overrides_apply_and_are_checked() {
        let set = |s: &str| load(None, &[s.to_string()]);
        assert_eq!(set("search.gumbel.considered=8").unwrap().search.gumbel.considered, 8);
        assert_eq!(set("game.sizes=9").unwrap().game.sizes, ["9"]);
        assert!(set("game.sizes=99").unwrap_err().to_string().contains("game.sizes"));
        assert_eq!(set("game.sizes=[\"9\"]").unwrap().game.sizes, ["9"]);
        assert_eq!(set("train.reuse=3").unwrap().train.reuse, 3.0);
        assert!(set("train.rouse=3").unwrap_err().to_string().contains("train.reuse"));
        assert!(set("train").unwrap_err().to_string().contains("section.key=value"));
        assert_eq!(set("game.opening=pie").unwrap().game.opening, "pie");
        assert_eq!(set("game.variants=ko=simple").unwrap().game.variants, ["ko=simple"]);
        for (text, word) in [
            ("game.komi=x", "game.komi: invalid type: string \"x\", expected a number"),
            ("game.win=-1", "expected a whole number from 0"),
            ("game.early_end=1", "expected true or false"),
            ("game.sizes=1", "--set game.sizes=1: game.sizes:"),
        ] {
            let why = set(text).unwrap_err().to_string();
            assert!(why.contains(word), "{text}: {why}");
        }
    }

    #[test]
    fn the_quick_file_is_the_default_run() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/quick.toml");
        assert_eq!(load(Some(Path::new(path)), &[]).unwrap(), Config::default());
    }

    #[test]
    fn the_resolved_text_reads_back() {
        let config = load(None, &["train.reuse=3.5".to_string()]).unwrap();
        assert_eq!(from_text("run.toml", &config.to_text()).unwrap(), config);
    }
}
