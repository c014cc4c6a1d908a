//! The six operations a forward pass is made of, as an interface: `portable` and `avx` implement it. Every one treats
//! each output number as a fixed sequence of operations on its own inputs. Deliberately not here: layers, weights, and the choice of the implementation.

use super::weights::Dense;
use super::winograd::Grid;

/// Cuts an image into tiles and transforms them.
pub(super) struct Scatter<'a> {
    /// Shape of the image.
    pub(super) grid: &'a Grid,
    /// Channels of the image, padded to a multiple of 8.
    pub(super) lanes: usize,
    /// Whether max(0, ·) is applied to what is read.
    pub(super) relu: bool,
    /// `[grid.points][lanes]`.
    pub(super) image: &'a [f32],
    /// Distance between two freqs in the result.
    pub(super) pitch: usize,
}

/// Several products of matrices with the same shapes, one for each freq.
pub(super) struct Product<'a> {
    /// Number of products.
    pub(super) freqs: usize,
    /// Rows of the left matrix.
    pub(super) rows: usize,
    /// Columns of the left matrix that count.
    pub(super) depth: usize,
    /// Distance between two rows of the left matrix.
    pub(super) stride: usize,
    /// Distance between two left matrices.
    pub(super) pitch: usize,
    /// Columns of the right matrix: 8 or 16.
    pub(super) width: usize,
    /// Distance between two rows of the result; the freqs lie side by side in a row, `width` each.
    pub(super) out_stride: usize,
    /// The left matrices.
    pub(super) left: &'a [f32],
    /// `[freqs][depth][width]`.
    pub(super) right: &'a [f32],
}

/// Transforms the products of one panel back to points and adds the bias.
pub(super) struct Gather<'a> {
    /// Shape of the image.
    pub(super) grid: &'a Grid,
    /// `[tiles][freqs][width]`.
    pub(super) products: &'a [f32],
    /// Lanes of the panel: 8 or 16.
    pub(super) width: usize,
    /// Bias of the panel's lanes.
    pub(super) bias: &'a [f32],
    /// First lane of the panel in the sink.
    pub(super) first: usize,
    /// Lanes of the sink.
    pub(super) lanes: usize,
}

/// Where gathered points go. Only points of the board are written or counted, so borders stay zero.
pub(super) enum Sink<'a> {
    /// To an image `[grid.points][lanes]`.
    Image {
        /// The image.
        image: &'a mut [f32],
        /// Whether to add to what is there.
        add: bool,
        /// Whether max(0, ·) is applied last.
        relu: bool,
    },
    /// To the sum and the maximum over the board of max(0, ·); both `[lanes]`.
    Pool {
        /// Sums.
        sums: &'a mut [f32],
        /// Maxima, at least 0.
        peaks: &'a mut [f32],
    },
}

/// One way to compute the operations.
pub(super) trait Kernels: Copy {
    /// `tiles[freq * pitch + tile * lanes + lane]`, tiles row by row.
    fn scatter(self, job: &Scatter<'_>, tiles: &mut [f32]);

    /// `out[row * out_stride + freq * width + column]`.
    fn multiply(self, job: &Product<'_>, out: &mut [f32]);

    /// Fills the sink.
    fn gather(self, job: &Gather<'_>, sink: Sink<'_>);

    /// out = x · weight + bias; `out` has `dense.lanes` numbers.
    fn linear(self, dense: &Dense, x: &[f32], out: &mut [f32]);

    /// Sum and maximum over rows of max(0, row + bias); all have the length of a row.
    fn pool(self, rows: &[f32], bias: &[f32], sums: &mut [f32], peaks: &mut [f32]);

    /// `scores[row]` = max(0, row + bias) · weight.
    fn score(self, rows: &[f32], bias: &[f32], weight: &[f32], scores: &mut [f32]);
}
