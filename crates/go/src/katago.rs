//! KataGo's names and texts of rules: preset names, its JSON, and the run-together string that its game records hold.
//! Facts from its `cpp/game/rules.cpp`, v1.17.
//!
//! What it calls `friendlyPassOk` (players agree on dead stones) is `finish=agreement` here, and its simple ko includes the
//! end of long cycles and of repeated passes. Its tax defaults to `SEKI` with territory where a text gives none. Not here:
//! GTP commands.

use serde_json::{Map, Value, json};
use tengen_game::{EndProtocol, SetupError, Size};

use crate::rules::{Bonus, Cycle, End, GoRules, Ko, Scoring, Suicide, Tax, Tie};

/// Names of one preset and its values as JSON, in the order of KataGo's fields.
type Preset =
    (&'static [&'static str], &'static str, (&'static str, &'static str, &'static str), bool, &'static str, f32);

/// Names without blanks, `-` and `_`; ours; ko, scoring, tax; suicide; bonus; komi.
const PRESETS: &[Preset] = &[
    (&["japanese", "korean"], "japanese", ("SIMPLE", "TERRITORY", "SEKI"), false, "0", 6.5),
    (&["chinese"], "chinese", ("SIMPLE", "AREA", "NONE"), false, "N", 7.5),
    (&["chineseogs", "chinesekgs"], "chinese-kgs", ("POSITIONAL", "AREA", "NONE"), false, "N", 7.5),
    (&["ancientarea", "stonescoring"], "stone-scoring", ("SIMPLE", "AREA", "ALL"), false, "0", 7.5),
    (&["ancientterritory"], "japanese", ("SIMPLE", "TERRITORY", "ALL"), false, "0", 6.5),
    (&["agabutton"], "aga-button", ("SITUATIONAL", "AREA", "NONE"), false, "N-1", 7.0),
    (&["aga", "bga", "french"], "aga", ("SITUATIONAL", "AREA", "NONE"), false, "N-1", 7.5),
    (&["nz", "newzealand"], "nz", ("SITUATIONAL", "AREA", "NONE"), true, "0", 7.0),
    (&["tromptaylor"], "tromp-taylor", ("POSITIONAL", "AREA", "NONE"), true, "0", 7.5),
    (&["goe", "ing"], "ing-like", ("POSITIONAL", "AREA", "NONE"), true, "0", 7.5),
];

const KOMI_APART: &str = "not allowed here; komi is set on its own";

/// Longest text that is looked at.
const TEXT_MAX: usize = 1000;

fn bad(why: impl Into<String>) -> SetupError {
    SetupError::new("rules", why)
}

impl GoRules {
    /// Reads a preset name, a JSON object or a run-together string as KataGo does. With `komi` false a komi in the text
    /// is refused, as `kata-set-rules` has it, and that of the preset is taken.
    ///
    /// # Errors
    /// When it is none of these, has an unknown key or value, or values that don't go together.
    pub fn from_katago(text: &str, size: Size, komi: bool) -> Result<GoRules, SetupError> {
        let text = text.trim();
        if text.len() > TEXT_MAX {
            return Err(bad(format!("longer than {TEXT_MAX} bytes")));
        }
        if let Some(rules) = by_name(text, size) {
            return rules;
        }
        let fields = if text.starts_with('{') {
            match serde_json::from_str(text) {
                Ok(Value::Object(fields)) => fields,
                _ => return Err(bad("not a JSON object of rules")),
            }
        } else {
            run_together(text)?
        };
        if !komi && fields.contains_key("komi") {
            return Err(SetupError::new("komi", KOMI_APART));
        }
        from_fields(&fields, size)
    }

    /// These rules with one field of KataGo's JSON set, as `kata-set-rule` has it; all that the field doesn't say stays.
    /// Komi isn't one of them.
    ///
    /// # Errors
    /// When there is no such field or value, or it doesn't go with the others.
    pub fn with_katago_field(&self, key: &str, value: &str) -> Result<GoRules, SetupError> {
        let value = match value {
            "true" => json!(true),
            "false" => json!(false),
            word => json!(word),
        };
        if key == "komi" {
            return Err(SetupError::new("komi", KOMI_APART));
        }
        let given = from_fields(&Map::from_iter([(key.to_string(), value)]), self.size)?;
        let mut rules = *self;
        match key {
            // The same ko rule by KataGo's count says nothing new about cycles and passes.
            "ko" if katago_ko(self) == katago_ko(&given) => {}
            "ko" => {
                (rules.ko, rules.cycle) = (given.ko, given.cycle);
                if matches!(rules.end, End::Passes | End::Repeat) {
                    rules.end = given.end;
                }
            }
            "score" | "scoring" => rules.scoring = given.scoring,
            "tax" => rules.tax = given.tax,
            "suicide" => rules.suicide = given.suicide,
            "hasButton" => rules.button = given.button,
            "whiteHandicapBonus" => rules.bonus = given.bonus,
            _ => rules.finish = given.finish,
        }
        rules.check()?;
        Ok(rules)
    }

    /// The rules as KataGo's JSON, if it knows such rules; `komi` as in `kata-get-rules` (without) or an analysis query.
    ///
    /// # Errors
    /// When KataGo has no such rules; the text says which value.
    pub fn to_katago_json(&self, komi: bool) -> Result<Value, SetupError> {
        let mut fields = json!({
            "ko": katago_ko(self)?,
            "scoring": if self.scoring == Scoring::Territory { "TERRITORY" } else { "AREA" },
            "tax": match self.tax { Tax::None => "NONE", Tax::Seki => "SEKI", Tax::All => "ALL" },
            "suicide": katago_suicide(self)?,
            "hasButton": self.button,
            "whiteHandicapBonus": bonus_word(self.bonus),
            "friendlyPassOk": friendly(self),
        });
        if self.tie != Tie::Draw {
            return Err(SetupError::new("tie", "KataGo has no rules where a colour wins ties"));
        }
        if komi {
            fields["komi"] = json!(self.komi);
        }
        Ok(fields)
    }

    /// The rules as the run-together string of KataGo's game records, `koPOSITIONALscoreAREAtaxNONEsui1komi7.5`.
    ///
    /// # Errors
    /// As `to_katago_json`.
    pub fn to_katago_text(&self) -> Result<String, SetupError> {
        let fields = self.to_katago_json(true)?;
        let word = |key: &str| fields[key].as_str().unwrap_or_default().to_string();
        let mut text = format!("ko{}score{}tax{}", word("ko"), word("scoring"), word("tax"));
        text += &format!("sui{}", u8::from(self.suicide != Suicide::None));
        if self.button {
            text += "button1";
        }
        if self.bonus != Bonus::Zero {
            text += &format!("whb{}", bonus_word(self.bonus));
        }
        if friendly(self) {
            text += "fpok1";
        }
        Ok(text + &format!("komi{}", self.komi))
    }
}

/// Under territory scoring KataGo settles all by play.
fn friendly(rules: &GoRules) -> bool {
    rules.finish == EndProtocol::Agreement && rules.scoring != Scoring::Territory
}

fn bonus_word(bonus: Bonus) -> &'static str {
    match bonus {
        Bonus::Zero => "0",
        Bonus::PerStone => "N",
        Bonus::PerStoneButFirst => "N-1",
    }
}

fn katago_ko(rules: &GoRules) -> Result<&'static str, SetupError> {
    match rules.ko {
        Ko::Simple | Ko::LastPosition => Ok("SIMPLE"),
        Ko::Positional => Ok("POSITIONAL"),
        Ko::Situational => Ok("SITUATIONAL"),
        Ko::Spight => Ok("SPIGHT"),
        Ko::None => Err(SetupError::new("ko", "KataGo has no rules without a ko rule")),
    }
}

fn katago_suicide(rules: &GoRules) -> Result<bool, SetupError> {
    match rules.suicide {
        Suicide::None => Ok(false),
        Suicide::Multi => Ok(true),
        Suicide::All => Err(SetupError::new("suicide", "KataGo has no rules with suicide of single stones")),
    }
}

fn by_name(text: &str, size: Size) -> Option<Result<GoRules, SetupError>> {
    let name: String = text.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).collect::<String>().to_ascii_lowercase();
    let (_, ours, (ko, scoring, tax), suicide, bonus, komi) =
        PRESETS.iter().find(|(names, ..)| names.contains(&name.as_str()))?;
    let friendly = *scoring == "AREA" && *ours != "tromp-taylor";
    let fields = json!({
        "ko": ko, "scoring": scoring, "tax": tax, "suicide": suicide, "whiteHandicapBonus": bonus, "komi": komi,
        "hasButton": *ours == "aga-button", "friendlyPassOk": friendly,
    });
    let Value::Object(fields) = fields else { return None };
    Some(from_fields(&fields, size).map(|rules| GoRules { name: ours, ..rules }))
}

/// Splits `koPOSITIONALscoreAREA…`; each value goes up to the next key.
fn run_together(text: &str) -> Result<Map<String, Value>, SetupError> {
    const KEYS: [(&str, &str); 9] = [
        ("score", "scoring"),
        ("scoring", "scoring"),
        ("tax", "tax"),
        ("sui", "suicide"),
        ("button", "hasButton"),
        ("whb", "whiteHandicapBonus"),
        ("fpok", "friendlyPassOk"),
        ("komi", "komi"),
        ("ko", "ko"),
    ];
    let mut fields = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        // The longest key first: `komi` before `ko`, `scoring` before `score`.
        let found = KEYS.iter().filter(|(key, _)| rest.starts_with(key)).max_by_key(|(key, _)| key.len());
        let &(key, field) = found.ok_or_else(|| bad(format!("`{text}` is not a rule set of KataGo: at `{rest}`")))?;
        rest = &rest[key.len()..];
        // Values are capitals, digits and signs; keys are small letters.
        let end = rest.find(|c: char| c.is_ascii_lowercase()).unwrap_or(rest.len());
        let (value, after) = rest.split_at(end);
        let value = match field {
            "suicide" | "hasButton" | "friendlyPassOk" => match value {
                "1" => json!(true),
                "0" => json!(false),
                _ => return Err(SetupError::new(field, format!("`{value}` is not 0 or 1"))),
            },
            "komi" => {
                json!(value.parse::<f64>().map_err(|_| SetupError::new("komi", format!("`{value}` is no number")))?)
            }
            _ => json!(value),
        };
        if fields.insert(field.to_string(), value).is_some() {
            return Err(SetupError::new(field, "given twice"));
        }
        rest = after;
    }
    if fields.is_empty() { Err(bad("no rules given")) } else { Ok(fields) }
}

/// Rules from fields; Tromp-Taylor where they are silent.
fn from_fields(fields: &Map<String, Value>, size: Size) -> Result<GoRules, SetupError> {
    let mut rules = GoRules::named("tromp-taylor", size).ok_or_else(|| bad("no plain rules"))?;
    let mut tax = None;
    for (key, value) in fields {
        let word = || value.as_str().ok_or_else(|| SetupError::new(key, "expected text"));
        let flag = || value.as_bool().ok_or_else(|| SetupError::new(key, "expected true or false"));
        let unknown = |known: &str| SetupError::new(key, format!("{value} is not one of {known}"));
        match key.as_str() {
            "ko" => {
                rules.ko = match word()? {
                    "SIMPLE" => Ko::Simple,
                    "POSITIONAL" => Ko::Positional,
                    "SITUATIONAL" => Ko::Situational,
                    "SPIGHT" => Ko::Spight,
                    _ => return Err(unknown("SIMPLE, POSITIONAL, SITUATIONAL, SPIGHT")),
                }
            }
            "score" | "scoring" => {
                rules.scoring = match word()? {
                    "AREA" => Scoring::Area,
                    "TERRITORY" => Scoring::Territory,
                    _ => return Err(unknown("AREA, TERRITORY")),
                }
            }
            "tax" => {
                tax = Some(match word()? {
                    "NONE" => Tax::None,
                    "SEKI" => Tax::Seki,
                    "ALL" => Tax::All,
                    _ => return Err(unknown("NONE, SEKI, ALL")),
                })
            }
            "whiteHandicapBonus" => {
                rules.bonus = match word()? {
                    "0" => Bonus::Zero,
                    "N" => Bonus::PerStone,
                    "N-1" => Bonus::PerStoneButFirst,
                    _ => return Err(unknown("0, N, N-1")),
                }
            }
            "suicide" => rules.suicide = if flag()? { Suicide::Multi } else { Suicide::None },
            "hasButton" => rules.button = flag()?,
            "friendlyPassOk" => rules.finish = if flag()? { EndProtocol::Agreement } else { EndProtocol::Automatic },
            "komi" => {
                rules.set_komi(value.as_f64().ok_or_else(|| SetupError::new("komi", "expected a number"))? as f32)?
            }
            _ => return Err(SetupError::new(key, "KataGo's rules have no such key")),
        }
    }
    let territory = rules.scoring == Scoring::Territory;
    rules.tax = tax.unwrap_or(if territory { Tax::Seki } else { Tax::None });
    if rules.ko == Ko::Simple {
        (rules.cycle, rules.end) = (Cycle::NoResult, End::Repeat);
    }
    rules.check()?;
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GoRules, SetupError> {
        GoRules::from_katago(text, Size::square(19).unwrap(), true)
    }

    #[test]
    fn names_and_texts_read_back() {
        for name in [
            "japanese",
            "korean",
            "chinese",
            "chinese-ogs",
            "Chinese_KGS",
            "ancient-area",
            "stone scoring",
            "aga",
            "bga",
            "ancient-territory",
            "aga-button",
            "french",
            "nz",
            "new-zealand",
            "tromp-taylor",
            "goe",
            "ing",
        ] {
            let rules = read(name).unwrap();
            let again = |text: String| GoRules { name: rules.name, ..read(&text).unwrap() };
            assert_eq!(again(rules.to_katago_json(true).unwrap().to_string()), rules, "{name}");
            assert_eq!(again(rules.to_katago_text().unwrap()), rules, "{name}");
            // Our own setup text holds all of it.
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
    }

    #[test]
    fn published_texts() {
        let text = r#"{"ko":"POSITIONAL","scoring":"AREA","tax":"NONE","suicide":true,"hasButton":false,"whiteHandicapBonus":"0","friendlyPassOk":false,"komi":7.5}"#;
        assert_eq!(read(text).unwrap(), read("tromp-taylor").unwrap());
        assert_eq!(read("tromp-taylor").unwrap(), GoRules::named("tromp-taylor", Size::square(19).unwrap()).unwrap());
        assert_eq!(read("tromp-taylor").unwrap().to_katago_text().unwrap(), "koPOSITIONALscoreAREAtaxNONEsui1komi7.5");
        assert_eq!(
            read("aga-button").unwrap().to_katago_text().unwrap(),
            "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1komi7"
        );
        let rules = read("koSIMPLEscoreTERRITORYtaxSEKIsui0komi-6.5").unwrap();
        assert_eq!((rules.scoring, rules.komi, rules.cycle), (Scoring::Territory, -6.5, Cycle::NoResult));
        assert_eq!(read(r#"{"scoring":"TERRITORY"}"#).unwrap().tax, Tax::Seki);
        assert_eq!(read(r#"{"score":"AREA"}"#).unwrap().tax, Tax::None);
    }

    #[test]
    fn one_field_leaves_the_others() {
        let size = Size::square(19).unwrap();
        let czech = GoRules::named("czech", size).unwrap();
        assert_eq!(czech.with_katago_field("ko", "SIMPLE"), Ok(czech), "as KataGo counts, it is simple already");
        let superko = czech.with_katago_field("ko", "POSITIONAL").unwrap();
        let expected = GoRules { ko: Ko::Positional, cycle: Cycle::Allowed, end: End::Passes, ..czech };
        assert_eq!(superko, expected);
        assert_eq!(superko.with_katago_field("ko", "SIMPLE").unwrap(), GoRules { ko: Ko::Simple, ..czech });
        let ing = GoRules::named("ing-like", size).unwrap();
        assert_eq!(ing.with_katago_field("ko", "SPIGHT").unwrap().end, End::Pairs);
        assert_eq!(czech.with_katago_field("suicide", "true").unwrap(), GoRules { suicide: Suicide::Multi, ..czech });
        for (key, value, field) in [
            ("hasButton", "true", "button"),
            ("komi", "7", "komi"),
            ("ko", "simple", "ko"),
            ("suicide", "1", "suicide"),
            ("rules", "japanese", "rules"),
        ] {
            assert_eq!(czech.with_katago_field(key, value).unwrap_err().field, field, "{key} {value}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        for (text, field) in [
            ("", "rules"),
            ("nosuch", "rules"),
            ("{", "rules"),
            ("[1]", "rules"),
            (r#"{"ko":"simple"}"#, "ko"),
            (r#"{"ko":1}"#, "ko"),
            (r#"{"suicide":"yes"}"#, "suicide"),
            (r#"{"komi":7.3}"#, "komi"),
            (r#"{"komi":1e300}"#, "komi"),
            (r#"{"kom":7}"#, "kom"),
            (r#"{"scoring":"TERRITORY","hasButton":true}"#, "button"),
            ("koPOSITIONALko", "ko"),
            ("koPOSITIONALsui2", "suicide"),
            ("komi", "komi"),
        ] {
            assert_eq!(read(text).unwrap_err().field, field, "{text}");
        }
        let size = Size::square(9).unwrap();
        assert_eq!(GoRules::from_katago(r#"{"komi":7}"#, size, false).unwrap_err().field, "komi");
        assert!(GoRules::from_katago(&"x".repeat(2000), size, true).is_err());
        assert!("ko=none".parse::<GoRules>().unwrap().to_katago_json(true).is_err());
        assert!("rules=esperanto-japanese".parse::<GoRules>().unwrap().to_katago_text().is_err());
    }
}
