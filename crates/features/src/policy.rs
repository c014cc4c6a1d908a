//! Which policy output belongs to which action. Points use the padded grid of the batch, all else the extra outputs.
//! Not here: probabilities.

use tengen_game::{Action, Size};

use crate::spec::FeatureError;

/// The policy outputs of one position in a batch padded to `width` x `height`: first `height * width` point logits, row
/// by row, then one per extra.
#[derive(Clone, Copy, Debug)]
pub struct PolicyLayout<'a> {
    /// Size of the position's own board.
    pub size: Size,
    /// Padded width of the batch.
    pub width: usize,
    /// Padded height of the batch.
    pub height: usize,
    /// Extra outputs of the network.
    pub extras: &'a [Action],
}

impl PolicyLayout<'_> {
    /// Number of outputs.
    pub fn len(&self) -> usize {
        self.width * self.height + self.extras.len()
    }

    /// Never true: there is at least one point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Output index of an action.
    pub fn index(&self, action: Action) -> Result<usize, FeatureError> {
        if let Some(p) = action.as_point() {
            let (x, y) = self.size.xy(p);
            return Ok(y * self.width + x);
        }
        let extra = self.extras.iter().position(|&e| e == action);
        extra.map(|i| self.width * self.height + i).ok_or_else(|| FeatureError::NoOutput {
            action: tengen_game::notation::Letters::WithI.action(self.size, action),
        })
    }

    /// The action of an output; none for padding.
    pub fn action(&self, index: usize) -> Option<Action> {
        let grid = self.width * self.height;
        if index >= grid {
            return self.extras.get(index - grid).copied();
        }
        let (x, y) = (index % self.width, index / self.width);
        self.size.point_at(x as isize, y as isize).map(Action::point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_action_are_inverse_on_every_size() {
        let extras = [Action::PASS, Action::SWAP, Action::number(4)];
        for (w, h) in [(1, 1), (6, 6), (7, 4), (15, 15), (25, 25)] {
            let size = Size::new(w, h).unwrap();
            let layout = PolicyLayout { size, width: w + 2, height: h + 1, extras: &extras };
            let mut seen = vec![false; layout.len()];
            for a in size.points().map(Action::point).chain(extras) {
                let i = layout.index(a).unwrap();
                assert_eq!(layout.action(i), Some(a));
                assert!(!std::mem::replace(&mut seen[i], true));
            }
            assert_eq!((0..layout.len()).filter(|&i| layout.action(i).is_some()).count(), w * h + 3);
            assert!(layout.index(Action::KEEP).is_err());
        }
    }
}
