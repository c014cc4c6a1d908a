//! The `[game]` section: which game, on which boards, under which opening protocol. It only composes setup texts; what
//! they mean is the rules crates' business, and they refuse what makes no sense.

use serde::{Deserialize, Serialize};

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
            early_end: true,
        }
    }
}

impl GameConfig {
    /// Setup texts of all combinations; the first is the reference: the middle komi on the first size.
    pub fn setups(&self) -> Vec<String> {
        let steps = self.komi_spread.abs().floor() as i32;
        let mut komis = vec![self.komi];
        if self.kind == Kind::Go {
            komis.extend((1..=steps).flat_map(|i| [self.komi - i as f32, self.komi + i as f32]));
        }
        let mut out = Vec::new();
        for size in &self.sizes {
            for komi in &komis {
                out.push(self.setup(size, *komi));
            }
        }
        out
    }

    fn setup(&self, size: &str, komi: f32) -> String {
        let square = if size.contains('x') { size.to_string() } else { format!("{size}x{size}") };
        let (rules, opening) = (&self.rules, &self.opening);
        match self.kind {
            Kind::Go => {
                let early = if self.early_end { " early_end=true" } else { "" };
                format!("game=go rules={rules} size={square} komi={komi}{early} opening={opening}")
            }
            Kind::Five => {
                let win = if self.win == 5 { String::new() } else { format!(" win={}", self.win) };
                format!("game=five rules={rules} size={square}{win} opening={opening}")
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
        if !(self.komi_spread.is_finite() && (0.0..=100.0).contains(&self.komi_spread)) {
            return Err(format!("game.komi_spread = {}: expected 0 to 100", self.komi_spread));
        }
        if !self.komi.is_finite() {
            return Err(format!("game.komi = {}: expected a number in steps of 0.5", self.komi));
        }
        for word in [&self.rules, &self.opening] {
            if word.is_empty() || word.chars().any(|c| c.is_whitespace() || c == '=') {
                return Err(format!("game: `{word}` is no name of rules or opening"));
            }
        }
        if self.kind == Kind::Go && self.win != 5 {
            return Err(format!("game.win = {}: rows of stones win in five in a row, not in Go", self.win));
        }
        for setup in self.setups() {
            crate::catalog::check_setup(&setup).map_err(|e| format!("game.{e}"))?;
        }
        Ok(())
    }
}
