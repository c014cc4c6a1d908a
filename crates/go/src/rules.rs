//! The rules of one game as values, and their text: `game=go rules=tromp-taylor size=9x9 komi=7.5`, then whatever
//! differs from the named rule set. Not here: the named rule sets (`rulesets`), and what the values do.

use std::fmt;
use std::str::FromStr;

use tengen_game::{Conduct, SetupError, SetupText, Size};

use crate::rulesets::{Ruleset, ruleset};

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ko {
    /// None; games may cycle.
    None,
    /// A stone that took one stone may not be retaken at once. Long cycles are allowed and may go on for ever.
    Simple,
    /// No move may make an earlier whole-board position again (positional superko).
    Positional,
    /// As positional, but only with the same colour to play; positions after passes count (situational superko).
    Situational,
}

/// Which suicides are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suicide {
    /// None.
    None,
    /// Of two stones or more.
    Multi,
    /// Of single stones too.
    All,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
}

/// Which surrounded points don't count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tax {
    /// All count.
    None,
    /// Surrounded points of groups in seki don't count.
    Seki,
    /// As `Seki`, and each separate living group pays two points.
    All,
}

/// Who wins when the points, komi included, are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tie {
    /// Nobody.
    Draw,
    /// Black (Ing).
    Black,
    /// White.
    White,
}

/// A value that is written as one word.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// Every value with its word; a second word for the same value is read but not written.
    const WORDS: &'static [(Self, &'static str)];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(value, _)| *value == self).map_or("", |(_, word)| word)
    }

    fn read(key: &str, text: &str) -> Result<Self, SetupError> {
        let found = Self::WORDS.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
        let known = || Self::WORDS.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| SetupError::new(key, format!("`{text}` is not one of {}", known())))
    }
}

impl Word for Ko {
    const WORDS: &'static [(Ko, &'static str)] = &[
        (Ko::None, "none"),
        (Ko::Simple, "simple"),
        (Ko::Positional, "positional"),
        (Ko::Situational, "situational"),
        (Ko::Positional, "psk"),
        (Ko::Situational, "ssk"),
    ];
}

impl Word for Suicide {
    const WORDS: &'static [(Suicide, &'static str)] =
        &[(Suicide::None, "none"), (Suicide::Multi, "multi"), (Suicide::All, "all")];
}

impl Word for Scoring {
    const WORDS: &'static [(Scoring, &'static str)] = &[(Scoring::Area, "area")];
}

impl Word for Tax {
    const WORDS: &'static [(Tax, &'static str)] = &[(Tax::None, "none"), (Tax::Seki, "seki"), (Tax::All, "all")];
}

impl Word for Tie {
    const WORDS: &'static [(Tie, &'static str)] = &[(Tie::Draw, "draw"), (Tie::Black, "black"), (Tie::White, "white")];
}

impl Word for bool {
    const WORDS: &'static [(bool, &'static str)] = &[(true, "true"), (false, "false")];
}

/// Largest komi either way, in points.
const KOMI_MAX: f32 = 400.0;
/// Every key that `GoRules::take` takes.
const KEYS: [&str; 10] = ["game", "rules", "size", "komi", "ko", "suicide", "scoring", "tax", "tie", "early_end"];

/// All that decides who may play where and who wins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoRules {
    /// The named rule set these rules started from; also decides conduct and handicap compensation.
    pub name: &'static str,
    /// Board size. Rules read from text have sides of 2 or more.
    pub size: Size,
    /// Repetition.
    pub ko: Ko,
    /// Suicide.
    pub suicide: Suicide,
    /// What is counted.
    pub scoring: Scoring,
    /// What is taken off.
    pub tax: Tax,
    /// Points added to White's: a multiple of one half in [-400, 400].
    pub komi: f32,
    /// Equal points.
    pub tie: Tie,
    /// The game also ends once every point is pass-alive or pass-alive territory, and stones inside the opponent's
    /// pass-alive territory are removed before counting. Made for automatic play: the result is that of playing on.
    pub early_end: bool,
}

impl GoRules {
    /// The rules of a named set on a board; none for an unknown name.
    pub fn named(name: &str, size: Size) -> Option<GoRules> {
        ruleset(name).ok().map(|row| GoRules::of(row, size))
    }

    fn of(row: &Ruleset, size: Size) -> GoRules {
        GoRules {
            name: row.name,
            size,
            ko: row.ko,
            suicide: row.suicide,
            scoring: Scoring::Area,
            tax: row.tax,
            komi: row.komi,
            tie: row.tie,
            early_end: false,
        }
    }

    /// The named set these rules started from.
    pub fn ruleset(&self) -> Option<&'static Ruleset> {
        ruleset(self.name).ok()
    }

    /// Tournament conduct of the named set.
    pub fn conduct(&self) -> Conduct {
        self.ruleset().map(|row| row.conduct).unwrap_or_default()
    }

    /// Sets the komi.
    ///
    /// # Errors
    /// When it isn't a multiple of one half between -400 and 400.
    pub fn set_komi(&mut self, komi: f32) -> Result<(), SetupError> {
        if !(komi.is_finite() && komi.abs() <= KOMI_MAX && (komi * 2.0).fract() == 0.0) {
            return Err(SetupError::new("komi", format!("`{komi}` is not a multiple of 0.5 from -400 to 400")));
        }
        // Adding zero turns -0 into 0, which prints as people expect.
        self.komi = komi + 0.0;
        Ok(())
    }

    /// Takes the keys of the rules out of a setup text and leaves the others. Without `rules` it is `tromp-taylor`,
    /// without `size` 19x19.
    ///
    /// # Errors
    /// When a value isn't one of those the key knows, the rule set is unknown or not supported yet, or the board is
    /// too small to play on.
    pub fn take(text: &mut SetupText) -> Result<GoRules, SetupError> {
        if let Some(game) = text.take("game").filter(|game| game != "go") {
            return Err(SetupError::new("game", format!("`{game}` is not go")));
        }
        let row = ruleset(text.take("rules").as_deref().unwrap_or("tromp-taylor"))?;
        let mut rules = GoRules::of(row, GoRules::take_size(text)?);
        if let Some(komi) = text.take_parsed("komi", "a multiple of 0.5 from -400 to 400")? {
            rules.set_komi(komi)?;
        }
        take_word(text, "ko", &mut rules.ko)?;
        take_word(text, "suicide", &mut rules.suicide)?;
        take_word(text, "tax", &mut rules.tax)?;
        take_word(text, "tie", &mut rules.tie)?;
        take_word(text, "early_end", &mut rules.early_end)?;
        match text.take("scoring").as_deref() {
            None => {}
            Some("territory") => return Err(SetupError::new("scoring", "territory scoring is not supported yet")),
            Some(word) => rules.scoring = Scoring::read("scoring", word)?,
        }
        Ok(rules)
    }

    fn take_size(text: &mut SetupText) -> Result<Size, SetupError> {
        let size = match text.take("size") {
            None => "19".to_string(),
            Some(size) => size,
        };
        let size: Size = size.parse().map_err(|why: String| SetupError::new("size", why))?;
        if size.width() < 2 || size.height() < 2 {
            return Err(SetupError::new("size", format!("`{size}` is too small to play on; sides are 2 to 25")));
        }
        Ok(size)
    }
}

fn take_word<W: Word>(text: &mut SetupText, key: &str, into: &mut W) -> Result<(), SetupError> {
    if let Some(word) = text.take(key) {
        *into = W::read(key, &word)?;
    }
    Ok(())
}

impl fmt::Display for GoRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game=go rules={} size={} komi={}", self.name, self.size, self.komi)?;
        let Some(row) = self.ruleset() else { return Ok(()) };
        let mut put = |key: &str, word: &'static str, usual: &'static str| {
            if word == usual { Ok(()) } else { write!(f, " {key}={word}") }
        };
        put("ko", self.ko.word(), row.ko.word())?;
        put("suicide", self.suicide.word(), row.suicide.word())?;
        put("tax", self.tax.word(), row.tax.word())?;
        put("tie", self.tie.word(), row.tie.word())?;
        put("early_end", self.early_end.word(), false.word())
    }
}

impl FromStr for GoRules {
    type Err = SetupError;

    fn from_str(text: &str) -> Result<GoRules, SetupError> {
        let mut text = SetupText::parse(text)?;
        let rules = GoRules::take(&mut text)?;
        text.finish(&KEYS)?;
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulesets::RULESETS;

    #[test]
    fn every_combination_reads_back() {
        for row in RULESETS {
            for size in ["2x2", "9x9", "19x13", "25x25"] {
                for (ko, _) in Ko::WORDS {
                    for (suicide, _) in Suicide::WORDS {
                        for (tax, _) in Tax::WORDS {
                            for (tie, _) in Tie::WORDS {
                                for early_end in [false, true] {
                                    let mut rules = GoRules::named(row.name, size.parse().unwrap()).unwrap();
                                    (rules.ko, rules.suicide, rules.tax, rules.tie) = (*ko, *suicide, *tax, *tie);
                                    rules.early_end = early_end;
                                    rules.set_komi(-6.5).unwrap();
                                    assert_eq!(rules.to_string().parse(), Ok(rules));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_preset_prints_what_differs() {
        let rules: GoRules = "rules=tromp-taylor size=9".parse().unwrap();
        assert_eq!(rules.to_string(), "game=go rules=tromp-taylor size=9x9 komi=7.5");
        let rules: GoRules = "size=9 komi=-0 ko=ssk suicide=multi rules=tromp-taylor early_end=true".parse().unwrap();
        assert_eq!(rules.to_string(), "game=go rules=tromp-taylor size=9x9 komi=0 ko=situational early_end=true");
        assert_eq!("".parse::<GoRules>().unwrap().size, Size::square(19).unwrap());
    }

    #[test]
    fn errors_name_the_field() {
        for (text, field) in [
            ("game=renju", "game"),
            ("rules=japanese", "rules"),
            ("rules=nosuch", "rules"),
            ("size=1x1", "size"),
            ("size=1x3", "size"),
            ("size=26", "size"),
            ("size=", "size"),
            ("komi=7.3", "komi"),
            ("komi=nan", "komi"),
            ("komi=inf", "komi"),
            ("komi=401", "komi"),
            ("komi=x", "komi"),
            ("ko=never", "ko"),
            ("suicide=yes", "suicide"),
            ("scoring=territory", "scoring"),
            ("scoring=x", "scoring"),
            ("tax=10", "tax"),
            ("tie=me", "tie"),
            ("early_end=1", "early_end"),
            ("sise=9", "sise"),
            ("size=9 size=9", "size"),
            ("size", "size"),
        ] {
            assert_eq!(text.parse::<GoRules>().unwrap_err().field, field, "{text}");
        }
        let why = "rules=japanese".parse::<GoRules>().unwrap_err().why;
        assert!(why.contains("territory"), "{why}");
    }

    #[test]
    fn other_layers_keys_are_left() {
        let mut text = SetupText::parse("opening=none size=9 rules=nz").unwrap();
        assert_eq!(GoRules::take(&mut text).unwrap().komi, 7.0);
        assert_eq!(text.rest(), "opening=none");
    }
}
