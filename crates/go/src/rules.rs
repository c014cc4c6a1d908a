//! The rules of one game as values, and their text: `game=go rules=tromp-taylor size=9x9 komi=7.5`, then whatever
//! differs from the named rule set. Not here: the named rule sets (`rulesets`), and what the values do.

use std::fmt;
use std::str::FromStr;

use tengen_game::notation::Letters;
use tengen_game::{Conduct, EndProtocol, IllegalMove, MAX_SIDE, PointSet, SetupError, SetupText, Size};

use crate::handicap::{HandicapError, free_handicap, handicap_points};
use crate::rulesets::{Ruleset, ruleset};

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ko {
    /// None; games may cycle.
    None,
    /// A stone that took one stone may not be retaken at once. Long cycles are possible; see `Cycle`.
    Simple,
    /// No stone may make again the position before the opponent's last move (Czech text). Differs from `Simple` only
    /// where single-stone suicide is allowed.
    LastPosition,
    /// No move may make an earlier whole-board position again (positional superko).
    Positional,
    /// As positional, but only with the same colour to play; positions after passes count (situational superko).
    Situational,
    /// As situational, but a pass lifts all bans, and play ends when a colour passes where it has passed before (Spight).
    Spight,
}

impl Ko {
    /// Whether whole-board repetition is forbidden for good.
    #[inline]
    pub fn is_superko(self) -> bool {
        matches!(self, Ko::Positional | Ko::Situational)
    }
}

/// What the third coming of a situation does, no pass between, where the ko rule allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cycle {
    /// Nothing.
    Allowed,
    /// Ends the game without a result.
    NoResult,
    /// Ends the game as a draw.
    Draw,
}

/// How play ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// With two passes in a row.
    Passes,
    /// With two passes in a row, or with a pass by a colour in a situation where it has passed before.
    Repeat,
    /// With two passes in a row of which the last is White's, else with a third (AGA).
    WhiteLast,
    /// With four passes in a row (Ing).
    Pairs,
}

/// Where handicap stones go when only their number is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placing {
    /// As GTP's `fixed_handicap`.
    Fixed,
    /// The list of the Czech text.
    Czech,
}

/// Who moves first when people play on after a disputed end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resume {
    /// Whose turn it would be.
    Alternate,
    /// Who disputes.
    Claimant,
    /// The opponent of who disputes.
    Opponent,
}

/// Points that White gets back in a game with `n` handicap stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bonus {
    /// None.
    Zero,
    /// One for each stone (Chinese: half a stone each).
    PerStone,
    /// One for each stone but the first (AGA).
    PerStoneButFirst,
}

impl Bonus {
    /// Points for `stones` handicap stones; none without a handicap.
    pub fn points(self, stones: usize) -> f32 {
        match self {
            Bonus::Zero => 0.0,
            Bonus::PerStone => stones as f32,
            Bonus::PerStoneButFirst => stones.saturating_sub(1) as f32,
        }
    }
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
    /// As `Area`, told as the Chinese text does: Black's count, in stones and halves of a stone, against half the board.
    HalfArea,
    /// Surrounded points and prisoners. Automatic play settles life and death in two clean-up phases; see `GoBoard::phase`.
    Territory,
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
        (Ko::LastPosition, "last-position"),
        (Ko::Positional, "positional"),
        (Ko::Situational, "situational"),
        (Ko::Spight, "spight"),
        (Ko::Positional, "psk"),
        (Ko::Situational, "ssk"),
    ];
}

impl Word for Cycle {
    const WORDS: &'static [(Cycle, &'static str)] =
        &[(Cycle::Allowed, "allowed"), (Cycle::NoResult, "no-result"), (Cycle::Draw, "draw")];
}

impl Word for End {
    const WORDS: &'static [(End, &'static str)] =
        &[(End::Passes, "passes"), (End::Repeat, "repeat"), (End::WhiteLast, "white-last"), (End::Pairs, "pairs")];
}

impl Word for Bonus {
    const WORDS: &'static [(Bonus, &'static str)] =
        &[(Bonus::Zero, "0"), (Bonus::PerStone, "N"), (Bonus::PerStoneButFirst, "N-1")];
}

impl Word for IllegalMove {
    const WORDS: &'static [(IllegalMove, &'static str)] =
        &[(IllegalMove::Refuse, "refuse"), (IllegalMove::VoidAndPass, "pass"), (IllegalMove::Loses, "loses")];
}

impl Word for EndProtocol {
    const WORDS: &'static [(EndProtocol, &'static str)] =
        &[(EndProtocol::Automatic, "automatic"), (EndProtocol::Agreement, "agreement")];
}

impl Word for Suicide {
    const WORDS: &'static [(Suicide, &'static str)] =
        &[(Suicide::None, "none"), (Suicide::Multi, "multi"), (Suicide::All, "all")];
}

impl Word for Scoring {
    const WORDS: &'static [(Scoring, &'static str)] =
        &[(Scoring::Area, "area"), (Scoring::HalfArea, "half-area"), (Scoring::Territory, "territory")];
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
/// Keys of one word each.
const WORD_KEYS: [&str; 12] = [
    "ko",
    "suicide",
    "tax",
    "tie",
    "bonus",
    "button",
    "end",
    "illegal",
    "finish",
    "early_end",
    "scoring",
    // After `ko`, which decides whether a cycle can come.
    "cycle",
];
/// Every key that `GoRules::take` takes.
const KEYS: [&str; 17] = [
    "game",
    "rules",
    "size",
    "komi",
    "ko",
    "cycle",
    "suicide",
    "scoring",
    "tax",
    "tie",
    "bonus",
    "button",
    "end",
    "illegal",
    "finish",
    "handicap",
    "early_end",
];

/// All that decides who may play where and who wins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoRules {
    /// The named rule set these rules started from; also decides where handicap stones go and who resumes play.
    pub name: &'static str,
    /// Board size. Rules read from text have sides of 2 or more.
    pub size: Size,
    /// Repetition.
    pub ko: Ko,
    /// What a long cycle does where `ko` allows it.
    pub cycle: Cycle,
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
    /// Points that White gets for the handicap, besides komi.
    pub bonus: Bonus,
    /// The first pass takes half a point and doesn't count towards the end.
    pub button: bool,
    /// How play ends by itself.
    pub end: End,
    /// What a referee does about an illegal move.
    pub illegal: IllegalMove,
    /// Whether people agree on dead stones after the end.
    pub finish: EndProtocol,
    /// Black's stones on the board before White's first move; empty in an even game.
    pub handicap: PointSet,
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
            cycle: row.cycle,
            suicide: row.suicide,
            scoring: row.scoring,
            tax: row.tax,
            komi: row.komi,
            tie: row.tie,
            bonus: row.bonus,
            button: row.button,
            end: row.end,
            illegal: row.illegal,
            finish: row.finish,
            handicap: PointSet::EMPTY,
            early_end: false,
        }
    }

    /// The named set these rules started from.
    pub fn ruleset(&self) -> Option<&'static Ruleset> {
        ruleset(self.name).ok()
    }

    /// What a referee does about illegal moves and about the end.
    pub fn conduct(&self) -> Conduct {
        Conduct { illegal: self.illegal, end: self.finish }
    }

    /// Points that White gets for the handicap, besides komi.
    pub fn handicap_bonus(&self) -> f32 {
        self.bonus.points(self.handicap.len())
    }

    /// Whether a long cycle can end the game.
    pub fn counts_cycles(&self) -> bool {
        self.cycle != Cycle::Allowed && !self.ko.is_superko() && self.ko != Ko::Spight
    }

    /// Whether the game needs more state than stones, turn, ko and passes.
    pub fn has_flow(&self) -> bool {
        self.scoring == Scoring::Territory
            || self.button
            || self.end != End::Passes
            || self.ko == Ko::Spight
            || self.counts_cycles()
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
        if let Some(text) = text.take("handicap") {
            rules.set_handicap(&text)?;
        }
        if let Some(komi) = text.take_parsed("komi", "a multiple of 0.5 from -400 to 400")? {
            rules.set_komi(komi)?;
        }
        for key in WORD_KEYS {
            if let Some(word) = text.take(key) {
                rules.set(key, &word)?;
                if key == "cycle" {
                    rules.check_cycle()?;
                }
            }
        }
        rules.check()?;
        Ok(rules)
    }

    /// Sets the handicap from a number of stones for the set's own list, or from points separated by commas; with it the
    /// komi, where the set has one of its own for handicap games.
    ///
    /// # Errors
    /// When the list has no such number, or a name is no point or comes twice.
    pub fn set_handicap(&mut self, text: &str) -> Result<(), SetupError> {
        let Some(row) = self.ruleset() else { return Ok(()) };
        let stones = read_handicap(self, row, text).map_err(|e| SetupError::new("handicap", e.to_string()))?;
        self.handicap = stones;
        self.komi = row.handicap_komi.filter(|_| !stones.is_empty()).unwrap_or(self.komi);
        Ok(())
    }

    /// Sets the rule of a key of setup text that takes one word, as `ko` or `tax`.
    ///
    /// # Errors
    /// When there is no such key, or the word isn't one of its values.
    pub fn set(&mut self, key: &str, word: &str) -> Result<(), SetupError> {
        fn read<W: Word>(into: &mut W, key: &str, word: &str) -> Result<(), SetupError> {
            *into = W::read(key, word)?;
            Ok(())
        }
        match key {
            "ko" => read(&mut self.ko, key, word),
            "cycle" => read(&mut self.cycle, key, word),
            "suicide" => read(&mut self.suicide, key, word),
            "tax" => read(&mut self.tax, key, word),
            "tie" => read(&mut self.tie, key, word),
            "bonus" => read(&mut self.bonus, key, word),
            "button" => read(&mut self.button, key, word),
            "end" => read(&mut self.end, key, word),
            "illegal" => read(&mut self.illegal, key, word),
            "finish" => read(&mut self.finish, key, word),
            "early_end" => read(&mut self.early_end, key, word),
            "scoring" => read(&mut self.scoring, key, word),
            _ => Err(SetupError::new(key, format!("unknown; there is {}", WORD_KEYS.join(", ")))),
        }
    }

    /// Refuses a cycle rule where no cycle can come. Not part of `check`: a set's own may lie idle.
    ///
    /// # Errors
    /// `cycle`, when the ko rule forbids what it would judge.
    pub fn check_cycle(&self) -> Result<(), SetupError> {
        if self.cycle == Cycle::Allowed || self.counts_cycles() {
            return Ok(());
        }
        let why = format!(
            "`{}` never comes to pass under ko={}; expected ko=simple, last-position or none",
            self.cycle.word(),
            self.ko.word()
        );
        Err(SetupError::new("cycle", why))
    }

    /// Refuses values that don't go together.
    ///
    /// # Errors
    /// The field that doesn't go with the others, and why.
    pub fn check(&self) -> Result<(), SetupError> {
        if self.button && self.scoring != Scoring::Area {
            let why = format!("`true` goes with area scoring only, not with scoring={}", self.scoring.word());
            return Err(SetupError::new("button", why));
        }
        if self.tax == Tax::All && self.scoring == Scoring::HalfArea {
            let why = "`half-area` sets stones against half the board, where a group tax (tax=all) has no place";
            return Err(SetupError::new("scoring", format!("{why}; expected scoring=area")));
        }
        if self.scoring == Scoring::Territory && matches!(self.end, End::WhiteLast | End::Pairs) {
            let why = format!("`{}` goes with area scoring only; territory has clean-up phases", self.end.word());
            return Err(SetupError::new("end", why));
        }
        Ok(())
    }

    fn take_size(text: &mut SetupText) -> Result<Size, SetupError> {
        let size = match text.take("size") {
            None => "19".to_string(),
            Some(size) => size,
        };
        let playable = size.parse().ok().filter(|size: &Size| size.width() > 1 && size.height() > 1);
        playable
            .ok_or_else(|| SetupError::new("size", format!("`{size}` is not N or WxH with sides from 2 to {MAX_SIDE}")))
    }
}

impl fmt::Display for GoRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game=go rules={} size={} komi={}", self.name, self.size, self.komi)?;
        let Some(row) = self.ruleset() else { return Ok(()) };
        let mut put = |key: &str, word: &'static str, usual: &'static str| {
            if word == usual { Ok(()) } else { write!(f, " {key}={word}") }
        };
        put("ko", self.ko.word(), row.ko.word())?;
        put("cycle", self.cycle.word(), row.cycle.word())?;
        put("suicide", self.suicide.word(), row.suicide.word())?;
        put("scoring", self.scoring.word(), row.scoring.word())?;
        put("tax", self.tax.word(), row.tax.word())?;
        put("tie", self.tie.word(), row.tie.word())?;
        put("bonus", self.bonus.word(), row.bonus.word())?;
        put("button", self.button.word(), row.button.word())?;
        put("end", self.end.word(), row.end.word())?;
        put("illegal", self.illegal.word(), row.illegal.word())?;
        put("finish", self.finish.word(), row.finish.word())?;
        put("early_end", self.early_end.word(), false.word())?;
        if self.handicap.is_empty() {
            return Ok(());
        }
        let count = self.handicap.len();
        if handicap_points(row.placing, self.size, count).is_ok_and(|points| points == self.handicap) {
            return write!(f, " handicap={count}");
        }
        let names: Vec<String> = self.handicap.iter().map(|p| Letters::WithoutI.name(self.size, p)).collect();
        write!(f, " handicap={}", names.join(","))
    }
}

/// A number of stones for the set's own list, or points separated by commas.
fn read_handicap(rules: &GoRules, row: &Ruleset, text: &str) -> Result<PointSet, HandicapError> {
    match text.parse::<usize>() {
        Ok(0) => Ok(PointSet::EMPTY),
        Ok(count) => handicap_points(row.placing, rules.size, count),
        Err(_) if !text.contains(|c: char| c.is_ascii_alphabetic()) => Err(HandicapError::NoNumber(text.to_string())),
        Err(_) => free_handicap(rules.size, text.split(',')),
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

    /// Every value of every rule, alone and with a few others, under every named set.
    #[test]
    fn every_value_reads_back() {
        fn values<W: Word>(key: &str) -> Vec<String> {
            W::WORDS.iter().map(|(_, word)| format!("{key}={word}")).collect()
        }
        let all = [
            values::<Ko>("ko"),
            values::<Cycle>("cycle"),
            values::<Suicide>("suicide"),
            values::<Tax>("tax"),
            values::<Tie>("tie"),
            values::<Bonus>("bonus"),
            values::<End>("end"),
            values::<Scoring>("scoring"),
            values::<bool>("button"),
            values::<bool>("early_end"),
            values::<IllegalMove>("illegal"),
            values::<EndProtocol>("finish"),
            ["komi=-6.5", "komi=0"].map(String::from).to_vec(),
            ["handicap=0", "handicap=2", "handicap=D4,C3,E5"].map(String::from).to_vec(),
        ];
        let mut read = 0;
        for row in RULESETS {
            for size in ["7x7", "9x9", "25x25"] {
                for (i, first) in all.iter().enumerate() {
                    for (one, other) in
                        first.iter().flat_map(|one| all[i + 1..].iter().flatten().map(move |o| (one, o)))
                    {
                        let text = format!("rules={} size={size} {one} {other}", row.name);
                        // Values that don't go together are refused with a sentence.
                        let Ok(rules) = text.parse::<GoRules>() else { continue };
                        assert_eq!(rules.to_string().parse(), Ok(rules), "{text}: {rules}");
                        read += 1;
                    }
                }
            }
        }
        assert!(read > 20_000, "{read}");
    }

    #[test]
    fn texts_of_old_records_read_as_before() {
        for (text, ko, suicide, komi) in [
            ("game=go rules=tromp-taylor size=9x9 komi=7", Ko::Positional, Suicide::Multi, 7.0),
            ("game=go rules=chinese size=19x19 komi=7.5 tax=seki", Ko::Positional, Suicide::None, 7.5),
            ("game=go rules=nz size=9x9 komi=7 ko=simple early_end=true", Ko::Simple, Suicide::Multi, 7.0),
        ] {
            let rules: GoRules = text.parse().unwrap();
            assert_eq!((rules.ko, rules.suicide, rules.komi, rules.cycle), (ko, suicide, komi, Cycle::Allowed));
            assert_eq!(rules.to_string(), text);
        }
    }

    #[test]
    fn the_czech_komi_is_for_even_games() {
        let komi = |text: &str| text.parse::<GoRules>().unwrap().komi;
        assert_eq!(komi("rules=czech"), 6.5);
        assert_eq!(komi("rules=czech handicap=3"), 0.0);
        assert_eq!(komi("rules=czech handicap=3 komi=0.5"), 0.5);
        assert_eq!(komi("rules=japanese handicap=3"), 6.5);
        assert_eq!("rules=chinese handicap=4".parse::<GoRules>().unwrap().handicap_bonus(), 4.0);
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
            ("rules=japanese button=true", "button"),
            ("rules=aga-button scoring=territory", "button"),
            ("rules=aga-button scoring=half-area", "button"),
            ("rules=chinese tax=all", "scoring"),
            ("rules=stone-scoring scoring=half-area", "scoring"),
            ("rules=chinese cycle=draw", "cycle"),
            ("rules=aga ko=spight cycle=no-result", "cycle"),
            ("cycle=draw ko=situational", "cycle"),
            ("size=+9", "size"),
            ("size=9 =3", "=3"),
            ("size=9 handicap=-1", "handicap"),
            ("size=9 handicap=2.5", "handicap"),
            ("size=9 handicap=99999999999999999999", "handicap"),
            ("size=9 handicap=D4,pass", "handicap"),
            ("size=9 handicap=D4,,E5", "handicap"),
            ("size=2 handicap=A1,A2,B1,B2", "handicap"),
            ("rules=japanese end=pairs", "end"),
            ("cycle=ever", "cycle"),
            ("end=never", "end"),
            ("bonus=2", "bonus"),
            ("size=9 handicap=10", "handicap"),
            ("size=5 handicap=2", "handicap"),
            ("size=9 handicap=D4,D4", "handicap"),
            ("size=9 handicap=I5", "handicap"),
            ("size=9 handicap=", "handicap"),
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
        // Value and what was expected.
        for (text, value, expected) in [
            ("size=26", "`26`", "2 to 25"),
            ("size=1x9", "`1x9`", "2 to 25"),
            ("size=9 handicap=10", "10", "2 to 9"),
            ("size=8 handicap=5", "5", "2 to 4"),
            ("size=5 handicap=2", "2", "D4,Q16"),
            ("rules=czech handicap=10", "10", "1 to 9"),
            ("size=9 handicap=-1", "`-1`", "a number of stones"),
            ("size=9 handicap=D4,K10", "`K10`", "9x9"),
            ("komi=nan", "`NaN`", "0.5"),
            ("rules=aga ko=spight cycle=draw", "spight", "ko=simple"),
            ("rules=japanese button=true", "territory", "area"),
        ] {
            let why = text.parse::<GoRules>().unwrap_err().to_string();
            assert!(why.contains(value) && why.contains(expected), "{text}: {why}");
        }
        // A set's own cycle rule lies idle where another ko rule is asked for.
        assert_eq!("rules=japanese ko=positional".parse::<GoRules>().unwrap().cycle, Cycle::NoResult);
    }

    #[test]
    fn other_layers_keys_are_left() {
        let mut text = SetupText::parse("opening=none size=9 rules=nz").unwrap();
        assert_eq!(GoRules::take(&mut text).unwrap().komi, 7.0);
        assert_eq!(text.rest(), "opening=none");
    }
}
