//! Game records to training rows: the game is replayed, every searched ply is encoded once and packed into bits. Rows
//! are kept in memory for the window; a batch unpacks them under a random symmetry. Not here: files (`window`), tensors.

use tengen_data::{EndReason, GameRecord, SearchKind};
use tengen_features::{Encode, FeatureSpec, Frame, LabelConfig, Ply, PolicyLayout, labels};
use tengen_game::{Action, Size};

/// One training row on its own board size (not padded).
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Board size.
    pub size: Size,
    /// Planes, `planes * area` bits.
    pub planes: Bits,
    /// Globals.
    pub globals: Vec<f32>,
    /// Legal outputs, `area + extras` bits.
    pub legal: Bits,
    /// Policy target over outputs (`area` points, then extras), sum 1.
    pub policy: Vec<(u16, f32)>,
    /// The opponent's next policy target; empty when masked.
    pub reply: Vec<(u16, f32)>,
    /// Win, draw, loss target for the seat to act.
    pub wdl: [f32; 3],
    /// Short-term win, draw, loss target.
    pub short: [f32; 3],
    /// Final margin in points for the seat to act; none when masked.
    pub margin: Option<f32>,
    /// Final owner per point for the seat to act; empty when masked.
    pub ownership: Vec<i8>,
    /// Weight in the loss.
    pub weight: f32,
}

/// Bits in 64-bit words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bits(Vec<u64>);

impl Bits {
    fn zeros(len: usize) -> Bits {
        Bits(vec![0; len.div_ceil(64)])
    }

    fn set(&mut self, i: usize) {
        self.0[i >> 6] |= 1 << (i & 63);
    }

    /// Whether bit `i` is set.
    pub fn get(&self, i: usize) -> bool {
        self.0[i >> 6] >> (i & 63) & 1 == 1
    }

    /// Indices of the set bits, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(w, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    w * 64 + bit
                })
            })
        })
    }
}

/// Why a record can't be used for training.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// The setup text is refused by the rules.
    #[error("game {index}: setup `{setup}`: {why}")]
    Setup {
        /// Game index in its shard.
        index: u64,
        /// The text.
        setup: String,
        /// The rules' answer.
        why: String,
    },
    /// An action isn't legal where it stands.
    #[error("game {index}: action {action} at ply {ply} isn't legal")]
    Illegal {
        /// Game index in its shard.
        index: u64,
        /// 0-based ply.
        ply: usize,
        /// Raw action.
        action: u16,
    },
    /// A field contradicts the replayed game.
    #[error("game {index}: {what} at ply {ply} contradicts the moves")]
    Contradiction {
        /// Game index in its shard.
        index: u64,
        /// 0-based ply.
        ply: usize,
        /// Which field.
        what: &'static str,
    },
    /// The model lacks an output.
    #[error("game {index}: {why}")]
    Output {
        /// Game index in its shard.
        index: u64,
        /// Which.
        why: String,
    },
}

/// All rows of one game, in order of play.
pub fn rows_of<G: Encode>(record: &GameRecord, spec: &FeatureSpec, config: &LabelConfig) -> Result<Vec<Row>, RowError> {
    let index = record.index;
    let setup: G::Setup = record.setup.parse().map_err(|e: tengen_game::SetupError| RowError::Setup {
        index,
        setup: record.setup.clone(),
        why: e.to_string(),
    })?;
    let mut game = G::start(&setup);
    let mut encoded: Vec<Option<Row>> = Vec::with_capacity(record.moves.len());
    let mut plies: Vec<Ply<'_>> = Vec::with_capacity(record.moves.len());
    let mut signs = Vec::with_capacity(record.moves.len());
    let mut legal = Vec::new();
    for (k, m) in record.moves.iter().enumerate() {
        if !game.is_legal(m.action) {
            return Err(RowError::Illegal { index, ply: k, action: m.action.0 });
        }
        if game.to_act() != m.seat {
            return Err(RowError::Contradiction { index, ply: k, what: "seat" });
        }
        let searched = m.kind != SearchKind::Book;
        encoded.push(if searched {
            game.legal(&mut legal);
            Some(encode_row(&game, spec, &legal, m.policy.as_slice(), index, k)?)
        } else {
            None
        });
        signs.push(game.owner_sign());
        plies.push(Ply {
            seat: m.seat,
            searched,
            value: m.root_value,
            best: m.best,
            choice: game.is_choice(),
            policy: &m.policy,
            weight: m.weight,
        });
        game.apply(m.action);
    }
    let known = record.end != EndReason::Truncated;
    if record.end == EndReason::Rules && game.outcome() != Some(record.outcome) {
        return Err(RowError::Contradiction { index, ply: record.moves.len(), what: "outcome" });
    }
    let by_rules = record.end == EndReason::Rules && game.outcome() != Some(tengen_game::Outcome::NoResult);
    let ownership = if by_rules { game.ownership() } else { None };
    let margin = if by_rules { game.margin() } else { None };
    let targets = labels::labels(&plies, known.then_some(record.outcome), config);
    let size = game.size();
    let mut out = Vec::new();
    for (k, (row, target)) in encoded.into_iter().zip(targets).enumerate() {
        let (Some(mut row), Some(target)) = (row, target) else { continue };
        row.wdl = target.wdl;
        row.short = target.short;
        row.weight = target.weight;
        if let Some(reply) = target.reply {
            row.reply = outputs(size, spec, reply, index)?;
        }
        if target.final_known {
            row.margin = margin.map(|m| m * signs[k]);
            row.ownership = ownership.as_ref().map_or(Vec::new(), |o| o.iter().map(|&v| v * signs[k] as i8).collect());
        }
        out.push(row);
    }
    Ok(out)
}

fn encode_row<G: Encode>(
    game: &G,
    spec: &FeatureSpec,
    legal: &[Action],
    policy: &[(Action, f32)],
    index: u64,
    ply: usize,
) -> Result<Row, RowError> {
    let size = game.size();
    let area = size.area();
    let mut planes = vec![0.0; spec.planes * area];
    let mut globals = vec![0.0; spec.globals];
    let mut frame = Frame { width: size.width(), height: size.height(), planes: &mut planes, globals: &mut globals };
    game.encode(spec, &mut frame);
    let mut bits = Bits::zeros(planes.len());
    for (i, &v) in planes.iter().enumerate() {
        debug_assert!(v == 0.0 || v == 1.0, "planes are binary");
        if v != 0.0 {
            bits.set(i);
        }
    }
    let layout = PolicyLayout { size, width: size.width(), height: size.height(), extras: &spec.extras };
    let mut legal_bits = Bits::zeros(layout.len());
    for &a in legal {
        legal_bits.set(layout.index(a).map_err(|e| RowError::Output { index, why: e.to_string() })?);
    }
    let policy = outputs(size, spec, policy, index)?;
    if policy.iter().any(|&(i, _)| !legal_bits.get(i as usize)) {
        return Err(RowError::Contradiction { index, ply, what: "policy target" });
    }
    Ok(Row {
        size,
        planes: bits,
        globals,
        legal: legal_bits,
        policy,
        reply: Vec::new(),
        wdl: [0.0; 3],
        short: [0.0; 3],
        margin: None,
        ownership: Vec::new(),
        weight: 0.0,
    })
}

fn outputs(size: Size, spec: &FeatureSpec, policy: &[(Action, f32)], index: u64) -> Result<Vec<(u16, f32)>, RowError> {
    let layout = PolicyLayout { size, width: size.width(), height: size.height(), extras: &spec.extras };
    policy
        .iter()
        .map(|&(a, w)| match a.as_point() {
            Some(p) if p.index() >= size.area() => {
                Err(RowError::Output { index, why: format!("policy target at point {} is off the board", a.0) })
            }
            _ => layout.index(a).map(|i| (i as u16, w)).map_err(|e| RowError::Output { index, why: e.to_string() }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_remember() {
        let mut b = Bits::zeros(130);
        for i in [0, 63, 64, 129] {
            b.set(i);
        }
        assert_eq!(b.ones().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(b.get(64) && !b.get(65));
    }
}
