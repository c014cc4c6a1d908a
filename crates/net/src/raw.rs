//! The narrow interface between whoever encodes positions and whoever runs the network: flat arrays in, flat arrays
//! out. Deliberately not here: games, feature meanings, and the runners themselves (`evaluator` runs the Burn model on
//! any device, `fused` runs the same weights on the CPU).

/// A batch of encoded positions, row-major, all padded to one height and width.
///
/// Smaller boards sit in the top-left corner; outside the board planes and mask are 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawBatch {
    /// Number of positions.
    pub n: usize,
    /// Rows of the padded board.
    pub height: usize,
    /// Columns of the padded board.
    pub width: usize,
    /// `[n, planes, height, width]`.
    pub planes: Vec<f32>,
    /// `[n, globals]`.
    pub globals: Vec<f32>,
    /// `[n, height, width]`: 1 on the board, 0 outside. At least one point is on the board.
    pub mask: Vec<f32>,
}

/// Largest height or width a batch may have.
pub const SIDE_MAX: usize = 25;

impl RawBatch {
    /// Whether the arrays fit a network of `planes` planes and `globals` globals; the error says which one doesn't.
    pub fn check(&self, planes: usize, globals: usize) -> Result<(), String> {
        let sides = 1..=SIDE_MAX;
        if !sides.contains(&self.height) || !sides.contains(&self.width) {
            return Err(format!("a batch of {}x{} boards; sides are 1 to {SIDE_MAX}", self.width, self.height));
        }
        let area = self.height * self.width;
        let arrays = [
            ("planes", self.planes.len(), planes * area),
            ("globals", self.globals.len(), globals),
            ("mask", self.mask.len(), area),
        ];
        for (name, len, each) in arrays {
            if self.n.checked_mul(each) != Some(len) {
                return Err(format!("{name} has {len} values; {} positions need {each} each", self.n));
            }
        }
        Ok(())
    }
}

/// What the network says, in the order of the batch. Runners overwrite it and reuse its buffers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawOutput {
    /// `[n, height, width]`: logits of the points, main policy channel only. Values outside the board mean nothing.
    pub policy: Vec<f32>,
    /// `[n, extras]`: logits of the actions that aren't points, main policy channel only; shares one softmax with
    /// `policy`.
    pub extra: Vec<f32>,
    /// `[n, 3]`: logits of win, draw and loss for the seat to act.
    pub wdl: Vec<f32>,
    /// `[n]`: expected final margin in points for the seat to act; empty when the network has no such head.
    pub margin: Vec<f32>,
}

/// Runs one network over batches. One evaluator belongs to one thread.
pub trait RawEvaluator: Send {
    /// Evaluates `batch` into `out`. Errors: arrays that don't fit the network, a failed device.
    fn run(&mut self, batch: &RawBatch, out: &mut RawOutput) -> Result<(), String>;

    /// The runner and where it runs, for example `burn flex` or `fused avx2`.
    fn name(&self) -> &str;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_that_do_not_fit_are_named() {
        let good =
            RawBatch { n: 2, height: 2, width: 3, planes: vec![0.0; 36], globals: vec![0.0; 2], mask: vec![1.0; 12] };
        assert_eq!(good.check(3, 1), Ok(()));
        assert!(good.check(4, 1).unwrap_err().starts_with("planes"));
        assert!(good.check(3, 2).unwrap_err().starts_with("globals"));
        assert!(RawBatch { height: 26, ..good.clone() }.check(3, 1).is_err());
        assert!(RawBatch { n: usize::MAX, ..good }.check(3, 1).is_err());
    }
}
