//! What every stored record must hold, checked before it is written and after it is read, so that training never meets
//! a target that isn't one. Not here: rules; an action may be valid as a number and still illegal on the board.

use tengen_game::{Action, Outcome};

use crate::names::check_name;
use crate::record::{GameRecord, MoveRow, SearchKind};

/// Longest setup text in bytes.
pub const SETUP_BYTES_MAX: usize = 1024;
/// Most plies of one game.
pub const PLIES_MAX: usize = 1 << 16;
/// How far a policy target's sum may be from 1.
pub const POLICY_SUM_TOLERANCE: f32 = 1e-3;

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {index}{}: {why}", ply.map(|p| format!(" ply {p}")).unwrap_or_default())]
pub struct RecordFault {
    /// `GameRecord::index` of the record.
    pub index: u64,
    /// The ply at fault, from 0; none for the game as a whole.
    pub ply: Option<usize>,
    /// What was found and expected.
    pub why: String,
}

fn policy_fault(row: &MoveRow) -> Option<String> {
    if row.kind == SearchKind::Book {
        return (!row.policy.is_empty()).then(|| "a book move has a policy target".to_string());
    }
    if row.policy.is_empty() {
        return Some(format!("a {:?} move has no policy target", row.kind));
    }
    if !row.policy.is_sorted_by(|a, b| a.0 < b.0) {
        return Some("policy actions don't ascend".to_string());
    }
    let last = row.policy[row.policy.len() - 1].0;
    if !last.is_valid() {
        return Some(format!("policy action {} is not below {}", last.0, Action::END));
    }
    if let Some((a, p)) = row.policy.iter().find(|(_, p)| !(0.0..=1.0 + POLICY_SUM_TOLERANCE).contains(p)) {
        return Some(format!("policy of action {} is {p}, expected 0 to 1", a.0));
    }
    // In f64: hundreds of f32 terms must not add an error of their own.
    let sum: f64 = row.policy.iter().map(|&(_, p)| f64::from(p)).sum();
    let off = (sum - 1.0).abs() > f64::from(POLICY_SUM_TOLERANCE);
    off.then(|| format!("policy sums to {sum}, expected 1"))
}

fn row_fault(row: &MoveRow) -> Option<String> {
    if !row.action.is_valid() {
        return Some(format!("action {} is not below {}", row.action.0, Action::END));
    }
    if !(-1.001..=1.001).contains(&row.root_value) {
        return Some(format!("root value {} is not in [-1, 1]", row.root_value));
    }
    if !(0.0..=1e6).contains(&row.weight) {
        return Some(format!("weight {} is not a number from 0 to a million", row.weight));
    }
    policy_fault(row)
}

impl GameRecord {
    fn game_fault(&self) -> Option<String> {
        if self.setup.len() > SETUP_BYTES_MAX || self.setup.chars().any(char::is_control) {
            return Some(format!("setup text has a control character or more than {SETUP_BYTES_MAX} bytes"));
        }
        if let Some(fault) = self.models.iter().find_map(|m| check_name(m).err()) {
            return Some(format!("model: {fault}"));
        }
        if self.moves.len() > PLIES_MAX {
            return Some(format!("{} plies, at most {PLIES_MAX} expected", self.moves.len()));
        }
        match self.margin {
            Some(m) if !m.is_finite() => Some(format!("margin {m} is not finite")),
            Some(m) if self.outcome == Outcome::NoResult => Some(format!("margin {m} without a result")),
            _ => None,
        }
    }

    /// Checks all that can be known without rules: valid actions, finite numbers in range, policy targets that ascend
    /// and sum to 1 (and are there exactly for what isn't `Book`), model ids that are names.
    pub fn check(&self) -> Result<(), RecordFault> {
        let fault = |ply, why| RecordFault { index: self.index, ply, why };
        if let Some(why) = self.game_fault() {
            return Err(fault(None, why));
        }
        for (ply, row) in self.moves.iter().enumerate() {
            if let Some(why) = row_fault(row) {
                return Err(fault(Some(ply), why));
            }
        }
        Ok(())
    }
}
