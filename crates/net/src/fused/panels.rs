//! Memory for the kernels: how output channels are grouped into panels, and float buffers that start on a cache line.
//! Deliberately not here: anything that knows what the numbers mean.

use std::ops::{Deref, DerefMut};

/// A run of output lanes whose weights lie together, so that one kernel keeps them all in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Panel {
    /// First lane.
    pub(super) first: usize,
    /// Number of lanes: 16 or 8.
    pub(super) width: usize,
}

/// Cuts `lanes` (a multiple of 8) into panels: 16 wide, and one of 8 where 8 lanes are left over.
///
/// Not 24 wide, though four rows of that fill the registers exactly: compilers then spill sums, at half the speed.
pub(super) fn panels(lanes: usize) -> impl Iterator<Item = Panel> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let width = (lanes - first).min(PANEL);
        first += width;
        (width > 0).then_some(Panel { first: first - width, width })
    })
}

/// Lanes of a full panel.
pub(super) const PANEL: usize = 16;

/// Floats that start on a 64 byte boundary: a vector load then never straddles two cache lines.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

/// Floats in a cache line.
const LINE: usize = 16;

impl Buffer {
    /// `len` zeros.
    pub(super) fn zeros(len: usize) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.reserve(len);
        buffer
    }

    /// Makes the buffer at least `len` long; allocates (and clears) only when it grows.
    pub(super) fn reserve(&mut self, len: usize) {
        if len > self.len {
            self.data = vec![0.0; len + LINE];
            // `align_offset` may decline; an unaligned buffer is slower, not wrong.
            let offset = self.data.as_ptr().align_offset(LINE * size_of::<f32>());
            self.start = if offset <= LINE { offset } else { 0 };
            self.len = len;
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.data[self.start..self.start + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_cover_the_lanes_once() {
        for lanes in (0..=160).step_by(8) {
            let mut next = 0;
            for panel in panels(lanes) {
                assert_eq!(panel.first, next);
                next += panel.width;
            }
            assert_eq!(next, lanes);
        }
        let widths = |lanes| panels(lanes).map(|p| p.width).collect::<Vec<_>>();
        assert_eq!(widths(24), [16, 8]);
        assert_eq!(widths(40), [16, 16, 8]);
        assert_eq!(widths(64), [16; 4]);
        assert_eq!(widths(8), [8]);
    }

    #[test]
    fn buffers_grow_and_stay() {
        let mut buffer = Buffer::zeros(5);
        buffer.fill(3.0);
        buffer.reserve(4);
        assert_eq!(buffer[..], [3.0; 5]);
        buffer.reserve(100);
        assert_eq!(buffer[..], [0.0; 100]);
    }
}
