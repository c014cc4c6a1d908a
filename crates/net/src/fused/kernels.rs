//! The operations that passes are made of, as an interface: `portable` and `avx` implement it. Every one treats
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
#[derive(Clone, Copy)]
pub(super) struct Product<'a> {
    /// Number of products.
    pub(super) freqs: usize,
    /// Rows of the left matrix.
    pub(super) rows: usize,
    /// Columns of the left matrix that count.
    pub(super) depth: usize,
    /// Distance between two rows of the left matrix.
    pub(super) stride: usize,
    /// Distance between two columns of the left matrix: 1, or that of its rows where it lies transposed.
    pub(super) step: usize,
    /// Distance between two left matrices.
    pub(super) pitch: usize,
    /// Columns of the right matrix, a multiple of 8.
    pub(super) width: usize,
    /// Distance between two rows of the right matrix.
    pub(super) right_stride: usize,
    /// Distance between two right matrices.
    pub(super) right_pitch: usize,
    /// Distance between two rows of the result.
    pub(super) out_stride: usize,
    /// Distance between two results.
    pub(super) out_pitch: usize,
    /// Whether to add to what is there.
    pub(super) add: bool,
    /// The left matrices.
    pub(super) left: &'a [f32],
    /// The right matrices.
    pub(super) right: &'a [f32],
}

/// Transforms the products of one panel back to points and adds the bias.
pub(super) struct Gather<'a> {
    /// Shape of the image.
    pub(super) grid: &'a Grid,
    /// Lane l of a tile's freq is at tile * `step` + freq * `pitch` + l.
    pub(super) products: &'a [f32],
    /// Distance between two tiles.
    pub(super) step: usize,
    /// Distance between two freqs.
    pub(super) pitch: usize,
    /// Lanes of the panel, a multiple of 8.
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

    /// `out[row * out_stride + freq * out_pitch + column]`.
    fn multiply(self, job: &Product<'_>, out: &mut [f32]);

    /// The transpose of `gather` without bias: `tiles[freq * pitch + tile * lanes + lane]` from the outputs' gradient.
    /// Points of the image outside the board must be 0; `relu` isn't used.
    fn spread(self, job: &Scatter<'_>, tiles: &mut [f32]);

    /// The transpose of `scatter` without `relu`: adds to an image, borders included, from `job.image` laid out as
    /// `scatter` leaves it.
    fn collect(self, job: &Scatter<'_>, image: &mut [f32]);

    /// to += from where `by` > 0.
    fn add_where(self, by: &[f32], from: &[f32], to: &mut [f32]);

    /// to = 0 where `by` isn't > 0.
    fn keep_where(self, by: &[f32], to: &mut [f32]);

    /// Adds all rows up.
    fn add_rows(self, rows: &[f32], sums: &mut [f32]);

    /// Sum and maximum over rows of numbers that aren't negative.
    fn sums_and_peaks(self, rows: &[f32], sums: &mut [f32], peaks: &mut [f32]);

    /// First row that holds each lane's peak; where none does, what is there stays.
    fn find_peaks(self, rows: &[f32], peaks: &[f32], found: &mut [u32]);

    /// to = max(0, from), and NaN stays NaN.
    fn relu(self, from: &[f32], to: &mut [f32]);

    /// row = max(0, row + bias) for each row.
    fn add_relu(self, bias: &[f32], rows: &mut [f32]);

    /// Fills the sink.
    fn gather(self, job: &Gather<'_>, sink: Sink<'_>);

    /// out = x · weight + bias; `out` has `dense.lanes` numbers.
    fn linear(self, dense: &Dense, x: &[f32], out: &mut [f32]);

    /// Sum and maximum over rows of max(0, row + bias); all have the length of a row.
    fn pool(self, rows: &[f32], bias: &[f32], sums: &mut [f32], peaks: &mut [f32]);

    /// `scores[row]` = max(0, row + bias) · weight.
    fn score(self, rows: &[f32], bias: &[f32], weight: &[f32], scores: &mut [f32]);
}
