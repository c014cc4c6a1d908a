//! A training batch: encoded positions and what the network should have said of them. Checked here, once, so that the
//! loss can't fail. Not here: where targets come from (`features` labels finished games), the loss itself.

use crate::config::NetConfig;
use crate::raw::RawBatch;

/// Targets of `n` rows. "Actions" are the `height * width` points of the padded board, then the extras in order.
///
/// A weight of 0 switches a target off for a row; its values are then ignored but must be finite. All points of view
/// are the seat to act.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// `[n]`: weight of the whole row, not negative.
    pub weight: Vec<f32>,
    /// `[n, actions]`: 1 for legal actions, 0 for others; at least one legal action per row.
    pub legal: Vec<f32>,
    /// `[n, actions]`: probabilities, 0 on illegal actions.
    pub policy: Vec<f32>,
    /// `[n]`: weight of the policy (and soft policy) target.
    pub policy_weight: Vec<f32>,
    /// `[n, actions]`: the opponent's probabilities at the next ply; empty without that head.
    pub reply: Vec<f32>,
    /// `[n]`: weight of the reply target; empty without that head.
    pub reply_weight: Vec<f32>,
    /// `[n, 3]`: probabilities of win, draw, loss.
    pub wdl: Vec<f32>,
    /// `[n]`: weight of the result target.
    pub wdl_weight: Vec<f32>,
    /// `[n, 3]`: the same a few plies ahead; empty without that head.
    pub short: Vec<f32>,
    /// `[n]`: weight of the short-term target; empty without that head.
    pub short_weight: Vec<f32>,
    /// `[n]`: final margin in points; empty without board heads.
    pub margin: Vec<f32>,
    /// `[n, height, width]`: final owner, +1 the seat to act, -1 the other, in [-1, 1]; empty without board heads.
    pub ownership: Vec<f32>,
    /// `[n]`: weight of margin and ownership targets; empty without board heads.
    pub board_weight: Vec<f32>,
}

/// Rows to learn from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Positions.
    pub input: RawBatch,
    /// Their targets.
    pub targets: Targets,
}

/// How far the sum of probabilities may be from 1.
const SUM_TOLERANCE: f32 = 1e-3;

impl Batch {
    /// Number of actions: points of the padded board, then extras.
    pub fn actions(&self, config: &NetConfig) -> usize {
        self.input.height * self.input.width + config.extras
    }

    /// Whether the batch fits the network and every number makes sense; the error names the array and the row.
    pub fn check(&self, config: &NetConfig) -> Result<(), String> {
        self.input.check(config.planes, config.globals)?;
        let (n, area, actions) = (self.input.n, self.input.height * self.input.width, self.actions(config));
        let t = &self.targets;
        let (reply, short) = (usize::from(config.reply), usize::from(config.short_term));
        let board = usize::from(config.board_heads);
        let arrays: [(&str, &[f32], usize); 16] = [
            ("planes", &self.input.planes, config.planes * area),
            ("globals", &self.input.globals, config.globals),
            ("mask", &self.input.mask, area),
            ("weight", &t.weight, 1),
            ("legal", &t.legal, actions),
            ("policy", &t.policy, actions),
            ("policy_weight", &t.policy_weight, 1),
            ("reply", &t.reply, actions * reply),
            ("reply_weight", &t.reply_weight, reply),
            ("wdl", &t.wdl, 3),
            ("wdl_weight", &t.wdl_weight, 1),
            ("short", &t.short, 3 * short),
            ("short_weight", &t.short_weight, short),
            ("margin", &t.margin, board),
            ("ownership", &t.ownership, area * board),
            ("board_weight", &t.board_weight, board),
        ];
        for (name, values, each) in arrays {
            if values.len() != n * each {
                return Err(format!("{name} has {} values; {n} rows need {each} each", values.len()));
            }
            if let Some(at) = values.iter().position(|v| !v.is_finite()) {
                return Err(format!("{name} holds {} in row {}", values[at], at / each));
            }
            let kept = if name.ends_with("weight") { values.iter().position(|&v| v < 0.0) } else { None };
            if let Some(row) = kept {
                return Err(format!("{name} is {} in row {row}; weights aren't negative", values[row]));
            }
        }
        (0..n).try_for_each(|row| self.check_row(row, area, actions))?;
        if t.weight.iter().sum::<f32>() > 0.0 { Ok(()) } else { Err("all rows have weight 0".to_string()) }
    }

    fn check_row(&self, row: usize, area: usize, actions: usize) -> Result<(), String> {
        let t = &self.targets;
        let mask = &self.input.mask[row * area..][..area];
        if mask.iter().any(|&m| m != 0.0 && m != 1.0) || mask.iter().all(|&m| m == 0.0) {
            return Err(format!("mask of row {row} isn't made of 0 and 1 with at least one 1"));
        }
        let legal = &t.legal[row * actions..][..actions];
        if legal.iter().any(|&l| l != 0.0 && l != 1.0) || legal.iter().all(|&l| l == 0.0) {
            return Err(format!("legal of row {row} isn't made of 0 and 1 with at least one 1"));
        }
        if let Some(p) = (0..area).find(|&p| legal[p] > mask[p]) {
            return Err(format!("legal of row {row} allows point {p}, which is outside the board"));
        }
        let on = |weights: &[f32]| weights.get(row).is_some_and(|&w| w > 0.0);
        if on(&t.policy_weight) {
            let policy = &t.policy[row * actions..][..actions];
            check_distribution("policy", row, policy)?;
            if let Some(a) = (0..actions).find(|&a| policy[a] > 0.0 && legal[a] == 0.0) {
                return Err(format!("policy of row {row} gives weight to action {a}, which isn't legal"));
            }
        }
        if on(&t.reply_weight) {
            let reply = &t.reply[row * actions..][..actions];
            check_distribution("reply", row, reply)?;
            if let Some(p) = (0..area).find(|&p| reply[p] > 0.0 && mask[p] == 0.0) {
                return Err(format!("reply of row {row} gives weight to point {p}, which is outside the board"));
            }
        }
        if on(&t.wdl_weight) {
            check_distribution("wdl", row, &t.wdl[row * 3..][..3])?;
        }
        if on(&t.short_weight) {
            check_distribution("short", row, &t.short[row * 3..][..3])?;
        }
        if on(&t.board_weight) && t.ownership[row * area..][..area].iter().any(|o| o.abs() > 1.0) {
            return Err(format!("ownership of row {row} leaves [-1, 1]"));
        }
        Ok(())
    }

    /// Those rows as a batch of their own.
    pub(crate) fn pick(&self, rows: impl Iterator<Item = usize> + Clone) -> Batch {
        let n = self.input.n;
        let cut = |values: &Vec<f32>| {
            let each = values.len() / n;
            let mut picked = Vec::with_capacity(values.len());
            rows.clone().for_each(|row| picked.extend_from_slice(&values[row * each..][..each]));
            picked
        };
        let (i, t) = (&self.input, &self.targets);
        Batch {
            input: RawBatch {
                n: rows.clone().count(),
                height: i.height,
                width: i.width,
                planes: cut(&i.planes),
                globals: cut(&i.globals),
                mask: cut(&i.mask),
            },
            targets: Targets {
                weight: cut(&t.weight),
                legal: cut(&t.legal),
                policy: cut(&t.policy),
                policy_weight: cut(&t.policy_weight),
                reply: cut(&t.reply),
                reply_weight: cut(&t.reply_weight),
                wdl: cut(&t.wdl),
                wdl_weight: cut(&t.wdl_weight),
                short: cut(&t.short),
                short_weight: cut(&t.short_weight),
                margin: cut(&t.margin),
                ownership: cut(&t.ownership),
                board_weight: cut(&t.board_weight),
            },
        }
    }
}

fn check_distribution(name: &str, row: usize, values: &[f32]) -> Result<(), String> {
    let sum: f32 = values.iter().sum();
    if values.iter().any(|&v| v < 0.0) || (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(format!("{name} of row {row} isn't a distribution: its sum is {sum}"));
    }
    Ok(())
}
