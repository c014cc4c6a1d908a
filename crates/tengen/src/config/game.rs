//! The `[game]` section: which game, on which boards, under which opening protocol. It only composes setup texts; what
//! they mean is the rules crates' business, and they refuse what makes no sense.

use serde::{Deserialize, Serialize};
use tengen_game::SetupError;

use crate::catalog::Kind;

/// Which positions a network is trained for and matches are played from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameConfig {
    /// `five` (renju and relatives) or `go`.
    pub kind: Kind,
    /// Rule set: `freestyle`, `standard`, `renju`, `caro`, `omok` (the last two with options: `caro:exact+edge-blocks`);
    /// `tromp-taylor`, `chinese`, …
    pub rules: String,
    /// Board sizes, `N` or `WxH`; self-play draws one for each game.
    pub sizes: Vec<String>,
    /// Stones in a row that win (freestyle, standard, caro; renju and omok are always 5).
    pub win: u8,
    /// Opening protocol.
    pub opening: String,
    /// Komi (Go).
    pub komi: f32,
    /// Self-play draws komi from `komi - komi_spread` to `komi + komi_spread` in steps of 1 (Go).
    pub komi_spread: f32,
    /// What else differs from the rule set, as setup text: `ko=simple tax=seki`, `handicap=2 komi=0.5`. With several,
    /// self-play draws one for each game; `` is the plain game. A komi stands for `komi` there, and the spread is around it.
    pub variants: Vec<String>,
    /// Whether a game ends as soon as every point is pass-alive or pass-alive territory (Go); the result is that of
    /// playing on.
    pub early_end: bool,
}

impl Default for GameConfig {
    fn default() -> GameConfig {
        GameConfig {
            kind: Kind::Go,
            rules: "tromp-taylor".to_string(),
            sizes: vec!["7".to_string()],
            win: 5,
            opening: "none".to_string(),
            komi: 9.0,
            komi_spread: 4.0,
            variants: Vec::new(),
            early_end: true,
        }
    }
}

impl GameConfig {
    /// Setup texts of all combinations; the first is the reference: the middle komi of the first variant on the first
    /// size.
    pub fn setups(&self) -> Vec<String> {
        self.combinations().map(|(_, setup)| setup).collect()
    }

    /// Setup texts, each with its variant.
    fn combinations(&self) -> impl Iterator<Item = (&str, String)> {
        let plain = [String::new()];
        let variants = if self.variants.is_empty() { plain.to_vec() } else { self.variants.clone() };
        let mut out = Vec::new();
        for size in &self.sizes {
            for (i, variant) in variants.iter().enumerate() {
                let (komi, rest) = self.komi_and_rest(variant);
                for komi in self.komis(komi) {
                    out.push((self.variants.get(i).map_or("", String::as_str), self.setup(size, komi, &rest)));
                }
            }
        }
        out.into_iter()
    }

    /// The komi of a variant and what else it says. A komi that is no number stays for the rules to refuse.
    fn komi_and_rest(&self, variant: &str) -> (f32, String) {
        let word = variant.split_whitespace().find_map(|word| word.strip_prefix("komi="));
        let Some(komi) = word.and_then(|komi| komi.parse().ok()) else { return (self.komi, variant.to_string()) };
        let rest = variant.split_whitespace().filter(|word| !word.starts_with("komi="));
        (komi, rest.collect::<Vec<_>>().join(" "))
    }

    /// The middle komi, then what is drawn besides.
    fn komis(&self, middle: f32) -> Vec<f32> {
        let steps = if self.kind == Kind::Go { self.komi_spread.abs() as i32 } else { 0 };
        let around = (1..=steps).flat_map(|i| [middle - i as f32, middle + i as f32]);
        std::iter::once(middle).chain(around).collect()
    }

    fn setup(&self, size: &str, komi: f32, variant: &str) -> String {
        let square = if size.contains('x') { size.to_string() } else { format!("{size}x{size}") };
        let (rules, opening) = (&self.rules, &self.opening);
        let more = if variant.is_empty() { String::new() } else { format!(" {variant}") };
        match self.kind {
            Kind::Go => {
                let early = if self.early_end { " early_end=true" } else { "" };
                format!("game=go rules={rules} size={square} komi={komi}{more}{early} opening={opening}")
            }
            Kind::Five => {
                let win = if self.win == 5 { String::new() } else { format!(" win={}", self.win) };
                format!("game=five rules={rules} size={square}{win}{more} opening={opening}")
            }
        }
    }

    /// Checks what this section alone can know; each setup is then parsed by its game.
    pub fn check(&self) -> Result<(), String> {
        if self.sizes.is_empty() {
            return Err("game.sizes is empty: expected at least one board size such as \"9\" or \"13x9\"".to_string());
        }
        for size in &self.sizes {
            size.parse::<tengen_game::Size>().map_err(|e| format!("game.sizes: {e}"))?;
        }
        if !((0.0..=100.0).contains(&self.komi_spread) && self.komi_spread.fract() == 0.0) {
            return Err(format!("game.komi_spread = {}: expected a whole number from 0 to 100", self.komi_spread));
        }
        if !self.komi.is_finite() {
            return Err(format!("game.komi = {}: expected a number in steps of 0.5", self.komi));
        }
        for (key, word) in [("rules", &self.rules), ("opening", &self.opening)] {
            if word.is_empty() || word.chars().any(|c| c.is_whitespace() || c == '=') {
                return Err(format!("game.{key} = \"{word}\": expected one name; game.variants takes other rule keys"));
            }
        }
        if self.kind == Kind::Go && self.win != 5 {
            return Err(format!("game.win = {}: rows of stones win in five in a row, not in Go", self.win));
        }
        for (variant, setup) in self.combinations() {
            crate::catalog::check_setup(&setup).map_err(|e| self.fault(variant, &e))?;
        }
        Ok(())
    }

    /// A setup's fault under the key that it comes from.
    fn fault(&self, variant: &str, e: &SetupError) -> String {
        let in_variant =
            variant.split_whitespace().any(|word| word == e.field || word.split('=').next() == Some(&e.field));
        match e.field.as_str() {
            _ if in_variant => format!("game.variants: `{variant}`: {e}"),
            "komi" if self.komi_spread > 0.0 && self.is_komi_alone_right() => {
                format!("game.komi_spread = {}: {}", self.komi_spread, e.why)
            }
            "size" => format!("game.sizes: {}", e.why),
            "rules" | "opening" | "komi" | "win" | "early_end" | "kind" => format!("game.{e}"),
            _ => format!("game.rules: {e}"),
        }
    }

    fn is_komi_alone_right(&self) -> bool {
        GameConfig { komi_spread: 0.0, variants: Vec::new(), ..self.clone() }.check().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(rules: &str, komi: f32, spread: f32, variants: &[&str]) -> GameConfig {
        let variants = variants.iter().map(|v| v.to_string()).collect();
        GameConfig {
            rules: rules.to_string(),
            sizes: vec!["9".into()],
            komi,
            komi_spread: spread,
            variants,
            ..GameConfig::default()
        }
    }

    #[test]
    fn variants_are_drawn_with_komi_around_their_own() {
        let config = go("aga", 7.5, 1.0, &["", "handicap=2 komi=0.5", "handicap=D4,F6 ko=simple"]);
        assert_eq!(config.check(), Ok(()));
        let setups = config.setups();
        assert_eq!(setups.len(), 9);
        let tail = "early_end=true opening=none";
        assert_eq!(setups[0], format!("game=go rules=aga size=9x9 komi=7.5 {tail}"));
        assert_eq!(setups[4], format!("game=go rules=aga size=9x9 komi=-0.5 handicap=2 {tail}"));
        assert_eq!(setups[8], format!("game=go rules=aga size=9x9 komi=8.5 handicap=D4,F6 ko=simple {tail}"));
    }

    /// The key at fault comes first, then what was expected.
    #[test]
    fn what_makes_no_sense_is_refused_under_its_key() {
        let plain = || go("tromp-taylor", 7.5, 0.0, &[]);
        let sizes = |size: &str| GameConfig { sizes: vec![size.to_string()], ..plain() };
        for (config, key, expected) in [
            (go("japanese", 7.5, 0.0, &["button=true"]), "game.variants: `button=true`: button", "area"),
            (go("aga-button", 7.0, 0.0, &["scoring=territory"]), "game.rules: button", "area"),
            (go("chinese", 7.5, 0.0, &["handicap=1"]), "game.variants: `handicap=1`: handicap", "2 to 9"),
            (go("chinese", 7.5, 0.0, &["handicap=E5,E5"]), "game.variants:", "twice"),
            (go("chinese", 7.5, 0.0, &["komi=nan"]), "game.variants: `komi=nan`: komi", "0.5"),
            (go("chinese", 7.5, 0.0, &["komi=x"]), "game.variants: `komi=x`: komi", "given twice"),
            (go("chinese", 7.5, 0.0, &["size=7"]), "game.variants: `size=7`: size", "given twice"),
            (go("chinese", 7.5, 0.0, &["oops"]), "game.variants: `oops`: oops", "key=value"),
            (go("chinese", 7.5, 0.0, &["ko=never"]), "game.variants: `ko=never`: ko", "simple"),
            (go("nosuch", 7.5, 0.0, &[]), "game.rules:", "tromp-taylor"),
            (go("chinese ko=simple", 7.5, 0.0, &[]), "game.rules = ", "game.variants"),
            (go("", 7.5, 0.0, &[]), "game.rules = ", "one name"),
            (go("chinese", f32::NAN, 0.0, &[]), "game.komi = NaN", "0.5"),
            (go("chinese", 7.25, 0.0, &[]), "game.komi:", "0.5"),
            (go("chinese", 390.0, 50.0, &[]), "game.komi_spread = 50", "400"),
            (go("chinese", 7.5, 0.5, &[]), "game.komi_spread = 0.5", "whole number"),
            (go("chinese", 7.5, f32::NAN, &[]), "game.komi_spread = NaN", "0 to 100"),
            (sizes("1"), "game.sizes:", "2 to 25"),
            (sizes("26"), "game.sizes:", "25"),
            (sizes("9 komi=3"), "game.sizes:", "N or WxH"),
            (GameConfig { opening: String::new(), ..plain() }, "game.opening = ", "one name"),
            (GameConfig { opening: "rif".into(), ..plain() }, "game.opening:", "pie"),
            (GameConfig { opening: "bid-0".into(), ..plain() }, "game.opening:", "1 to 255"),
        ] {
            let why = config.check().expect_err(key);
            assert!(why.starts_with(key) && why.contains(expected), "{key}: {why}");
        }
    }
}
