//! The kernels with AVX2 and FMA. The only file of the crate with `unsafe`: vector instructions and loads without bounds
//! checks in the innermost loops. The safe functions of `Kernels` assert every bound before they enter them.
//! Deliberately not here: anything but these loops; `portable` says the same in plain Rust.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::kernels::{Gather, Kernels, Product, Scatter, Sink};
use super::portable;
use super::weights::Dense;
use super::winograd::{Four, Kind, Lane, Three, Transform};

/// Proof that this machine has AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx(());

impl Avx {
    /// The proof, if the machine has both.
    pub(super) fn detect() -> Option<Avx> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Avx(()))
    }
}

/// Eight channels in a register. Made only inside functions that enable AVX2, from loads.
#[derive(Clone, Copy)]
struct Wide(__m256);

impl Lane for Wide {
    #[inline(always)]
    fn plus(self, other: Wide) -> Wide {
        // SAFETY: a `Wide` exists only where AVX is available.
        Wide(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Wide) -> Wide {
        // SAFETY: as above.
        Wide(unsafe { _mm256_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn times_plus(self, factor: f32, other: Wide) -> Wide {
        // SAFETY: as above, and FMA is detected together with AVX2.
        Wide(unsafe { _mm256_fmadd_ps(_mm256_set1_ps(factor), self.0, other.0) })
    }
}

/// Largest size or distance a job may state; products of two of them with a number of freqs can't overflow.
const SIZE_MAX: usize = 1 << 24;

/// The length of an array whose last element is `steps` behind its first, for (number, distance) pairs, plus `last`.
fn span(steps: &[(usize, usize)], last: usize) -> usize {
    let mut length = last;
    for &(number, distance) in steps {
        assert!((1..SIZE_MAX).contains(&number) && distance < SIZE_MAX, "a kernel's sizes are out of range");
        length += (number - 1) * distance;
    }
    length
}

impl Kernels for Avx {
    fn scatter(self, job: &Scatter<'_>, tiles: &mut [f32]) {
        let grid = job.grid;
        let side = grid.kind.side();
        assert!(job.lanes.is_multiple_of(8) && job.lanes > 0);
        assert!(grid.pitch >= grid.cols * side + 2 && grid.points >= (grid.rows * side + 2) * grid.pitch);
        assert!(job.image.len() >= span(&[(job.count, grid.points * job.lanes)], grid.points * job.lanes));
        let all = job.count * grid.tiles() * job.lanes;
        assert!(tiles.len() >= span(&[(grid.kind.freqs(), job.pitch)], all));
        // SAFETY: `self` proves the features; the asserts are the bounds `scatter` asks for.
        unsafe {
            match (grid.kind, job.relu) {
                (Kind::Three, false) => scatter::<Three, 3, 5, false>(job, tiles),
                (Kind::Three, true) => scatter::<Three, 3, 5, true>(job, tiles),
                (Kind::Four, false) => scatter::<Four, 4, 6, false>(job, tiles),
                (Kind::Four, true) => scatter::<Four, 4, 6, true>(job, tiles),
            }
        }
    }

    fn multiply(self, job: &Product<'_>, out: &mut [f32]) {
        let per_freq = job.depth * job.width;
        assert!(job.left.len() >= span(&[(job.freqs, job.pitch), (job.rows, job.stride)], job.depth));
        assert!(job.right.len() >= span(&[(job.freqs, per_freq)], per_freq));
        assert!(out.len() >= span(&[(job.freqs, job.width), (job.rows, job.out_stride)], job.width));
        // SAFETY: `self` proves the features; the asserts are the bounds `multiply` asks for.
        unsafe {
            match job.width {
                8 => multiply::<1, 6>(job, out),
                16 => multiply::<2, 6>(job, out),
                24 => multiply::<3, 4>(job, out),
                width => panic!("no kernel is {width} wide"),
            }
        }
    }

    fn gather(self, job: &Gather<'_>, mut sink: Sink<'_>) {
        let grid = job.grid;
        let side = grid.kind.side();
        assert!(job.width.is_multiple_of(8) && job.first + job.width <= job.lanes);
        assert!(grid.height <= grid.rows * side && grid.height > (grid.rows - 1) * side);
        assert!(grid.width <= grid.cols * side && grid.width > (grid.cols - 1) * side);
        assert!(grid.pitch >= grid.width + 2 && grid.points >= (grid.height + 2) * grid.pitch);
        assert!(job.products.len() >= job.count * grid.tiles() * grid.kind.freqs() * job.width);
        assert!(job.bias.len() >= span(&[(job.count, job.bias_pitch)], job.width));
        let length = match &sink {
            Sink::Image { image, .. } => (image.len(), grid.points * job.lanes),
            Sink::Pool { sums, peaks } => (sums.len().min(peaks.len()), job.lanes),
        };
        assert!(length.0 >= span(&[(job.count, length.1)], length.1));
        // SAFETY: `self` proves the features; the asserts are the bounds `gather` asks for.
        unsafe {
            match grid.kind {
                Kind::Three => gather::<Three, 3, 5>(job, &mut sink),
                Kind::Four => gather::<Four, 4, 6>(job, &mut sink),
            }
        }
    }

    fn linear(self, dense: &Dense, x: &[f32], out: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { linear(dense, x, out) }
    }

    fn pool(self, rows: &[f32], bias: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { pool(rows, bias, sums, peaks) }
    }

    fn score(self, rows: &[f32], bias: &[f32], weight: &[f32], scores: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { score(rows, bias, weight, scores) }
    }
}

#[target_feature(enable = "avx2,fma")]
fn linear(dense: &Dense, x: &[f32], out: &mut [f32]) {
    portable::linear(dense, x, out);
}

#[target_feature(enable = "avx2,fma")]
fn pool(rows: &[f32], bias: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
    portable::pool(rows, bias, sums, peaks);
}

#[target_feature(enable = "avx2,fma")]
fn score(rows: &[f32], bias: &[f32], weight: &[f32], scores: &mut [f32]) {
    portable::score(rows, bias, weight, scores);
}

/// See `Kernels::scatter`.
///
/// # Safety
/// `image` holds `count` images of `grid.points * lanes`, with `grid.points` at least (rows * M + 2) * pitch and `pitch`
/// at least cols * M + 2; `tiles` holds N² freqs `pitch` apart, the last one of count * tiles * lanes; N = M + 2;
/// `lanes` is a multiple of 8.
#[target_feature(enable = "avx2,fma")]
unsafe fn scatter<T: Transform<M, N>, const M: usize, const N: usize, const RELU: bool>(
    job: &Scatter<'_>,
    tiles: &mut [f32],
) {
    let (grid, lanes) = (job.grid, job.lanes);
    let zero = _mm256_setzero_ps();
    let mut to = tiles.as_mut_ptr();
    for image in 0..job.count {
        for row in 0..grid.rows {
            for col in 0..grid.cols {
                let corner = (image * grid.points + row * M * grid.pitch + col * M) * lanes;
                for lane in (0..lanes).step_by(8) {
                    // SAFETY: the tile's last point is row * M + N - 1 < rows * M + 2 down and col * M + N - 1 <
                    // cols * M + 2 across, so within the image; its last lane is lane + 7 < lanes.
                    let load = |i: usize, j: usize| unsafe {
                        let from = job.image.as_ptr().add(corner + (i * grid.pitch + j) * lanes + lane);
                        let value = _mm256_loadu_ps(from);
                        Wide(if RELU { _mm256_max_ps(zero, value) } else { value })
                    };
                    let mut columns = [[Wide(zero); N]; N];
                    for j in 0..N {
                        let mut column = [Wide(zero); N];
                        for i in 0..N {
                            column[i] = load(i, j);
                        }
                        columns[j] = T::input(column);
                    }
                    for i in 0..N {
                        let mut values = [Wide(zero); N];
                        for j in 0..N {
                            values[j] = columns[j][i];
                        }
                        let values = T::input(values);
                        for j in 0..N {
                            // SAFETY: `to` has moved `lanes` per tile, so at most to count * tiles * lanes - lanes; freq
                            // i * N + j < N² adds whole pitches, and lane + 7 < lanes.
                            unsafe { _mm256_storeu_ps(to.add((i * N + j) * job.pitch + lane), values[j].0) };
                        }
                    }
                }
                // SAFETY: stays within the first freq or moves to its end.
                to = unsafe { to.add(lanes) };
            }
        }
    }
}

/// See `Kernels::multiply`. Rows are cut into blocks of at most `ROWS`, as even as possible: a block of one or two rows
/// would wait for its own additions.
///
/// # Safety
/// The width is 8 * V. Within bounds are: `left` at freq * pitch + row * stride + k, `right` at
/// (freq * depth + k) * width + column, `out` at row * out_stride + freq * width + column.
#[target_feature(enable = "avx2,fma")]
unsafe fn multiply<const V: usize, const ROWS: usize>(job: &Product<'_>, out: &mut [f32]) {
    let blocks = job.rows.div_ceil(ROWS);
    let (rows, longer) = (job.rows / blocks, job.rows % blocks);
    for freq in 0..job.freqs {
        // SAFETY: freq < freqs; each block starts at a row below `rows` and the blocks' rows sum up to `rows`, so all that
        // `block` touches is within what the caller promised.
        unsafe {
            let right = job.right.as_ptr().add(freq * job.depth * 8 * V);
            let mut left = job.left.as_ptr().add(freq * job.pitch);
            let mut to = out.as_mut_ptr().add(freq * 8 * V);
            for index in 0..blocks {
                let count = rows + usize::from(index < longer);
                match count {
                    1 => block::<1, V>(job, left, right, to),
                    2 => block::<2, V>(job, left, right, to),
                    3 => block::<3, V>(job, left, right, to),
                    4 => block::<4, V>(job, left, right, to),
                    5 if ROWS > 4 => block::<5, V>(job, left, right, to),
                    _ if ROWS > 4 => block::<6, V>(job, left, right, to),
                    _ => unreachable!("blocks have at most {ROWS} rows"),
                }
                if index + 1 < blocks {
                    left = left.add(count * job.stride);
                    to = to.add(count * job.out_stride);
                }
            }
        }
    }
}

/// R rows of one product; all sums stay in registers.
///
/// # Safety
/// AVX2 and FMA; readable: `left` at row * stride + k, `right` at k * 8 V + column; writable: `to` at
/// row * out_stride + column, for row < R, k < depth, column < 8 V.
#[inline(always)]
unsafe fn block<const R: usize, const V: usize>(job: &Product<'_>, left: *const f32, right: *const f32, to: *mut f32) {
    // SAFETY: exactly the offsets the caller promised.
    unsafe {
        let mut sums = [[_mm256_setzero_ps(); V]; R];
        for k in 0..job.depth {
            let mut columns = [_mm256_setzero_ps(); V];
            for v in 0..V {
                columns[v] = _mm256_loadu_ps(right.add((k * V + v) * 8));
            }
            for r in 0..R {
                let value = _mm256_broadcast_ss(&*left.add(r * job.stride + k));
                for v in 0..V {
                    sums[r][v] = _mm256_fmadd_ps(value, columns[v], sums[r][v]);
                }
            }
        }
        for r in 0..R {
            for v in 0..V {
                _mm256_storeu_ps(to.add(r * job.out_stride + v * 8), sums[r][v]);
            }
        }
    }
}

/// See `Kernels::gather`.
///
/// # Safety
/// `products` holds count * tiles * N² * width; `bias` holds `width` for each image, `bias_pitch` apart; the sink holds
/// `count` images of `grid.points * lanes` (or `count` rows of `lanes`), the grid's points cover the board and a border,
/// and first + width is at most `lanes`; N = M + 2.
#[target_feature(enable = "avx2,fma")]
unsafe fn gather<T: Transform<M, N>, const M: usize, const N: usize>(job: &Gather<'_>, sink: &mut Sink<'_>) {
    let grid = job.grid;
    let mut from = job.products.as_ptr();
    for image in 0..job.count {
        for row in 0..grid.rows {
            for col in 0..grid.cols {
                let part = Part {
                    image,
                    height: M.min(grid.height - row * M),
                    width: M.min(grid.width - col * M),
                    point: image * grid.points + (row * M + 1) * grid.pitch + col * M + 1,
                };
                for lane in (0..job.width).step_by(8) {
                    // SAFETY: `from` is at a tile's products, N² * width of them, and lane + 7 < width; the image's bias
                    // has `width` numbers; the part lies on the board, for which the sink has room.
                    unsafe {
                        let values = untile::<T, M, N>(from.add(lane), job.width);
                        let bias = _mm256_loadu_ps(job.bias.as_ptr().add(image * job.bias_pitch + lane));
                        put(job, &part, lane, &values, bias, sink);
                    }
                }
                // SAFETY: moves to the next tile's products or to their end.
                from = unsafe { from.add(N * N * job.width) };
            }
        }
    }
}

/// The part of a tile that lies on the board.
struct Part {
    image: usize,
    height: usize,
    width: usize,
    /// Its first point in the sink's images.
    point: usize,
}

/// Transforms one tile's products, eight lanes of them.
///
/// # Safety
/// AVX2 and FMA; readable: eight numbers at freq * width for each freq < N².
#[inline(always)]
unsafe fn untile<T: Transform<M, N>, const M: usize, const N: usize>(from: *const f32, width: usize) -> [[Wide; M]; M] {
    // SAFETY: exactly the offsets the caller promised.
    unsafe {
        let zero = Wide(_mm256_setzero_ps());
        let mut columns = [[zero; M]; N];
        for j in 0..N {
            let mut column = [zero; N];
            for i in 0..N {
                column[i] = Wide(_mm256_loadu_ps(from.add((i * N + j) * width)));
            }
            columns[j] = T::output(column);
        }
        let mut values = [[zero; M]; M];
        for i in 0..M {
            let mut row = [zero; N];
            for j in 0..N {
                row[j] = columns[j][i];
            }
            values[i] = T::output(row);
        }
        values
    }
}

/// Adds the bias and puts a tile's part into the sink.
///
/// # Safety
/// AVX2 and FMA; the part's points lie in an image of the sink, its lanes are first + lane to first + lane + 7.
#[inline(always)]
unsafe fn put<const M: usize>(
    job: &Gather<'_>,
    part: &Part,
    lane: usize,
    values: &[[Wide; M]; M],
    bias: __m256,
    sink: &mut Sink<'_>,
) {
    // SAFETY: exactly the points and lanes the caller promised.
    unsafe {
        let zero = _mm256_setzero_ps();
        match sink {
            Sink::Image { image, add, relu } => {
                let to = image.as_mut_ptr().add(part.point * job.lanes + job.first + lane);
                each(part, |i, j| {
                    let to = to.add((i * job.grid.pitch + j) * job.lanes);
                    let mut value = _mm256_add_ps(values[i][j].0, bias);
                    if *add {
                        value = _mm256_add_ps(_mm256_loadu_ps(to), value);
                    }
                    if *relu {
                        value = _mm256_max_ps(zero, value);
                    }
                    _mm256_storeu_ps(to, value);
                });
            }
            Sink::Pool { sums, peaks } => {
                let at = part.image * job.lanes + job.first + lane;
                let (sums, peaks) = (sums.as_mut_ptr().add(at), peaks.as_mut_ptr().add(at));
                let (mut sum, mut peak) = (_mm256_loadu_ps(sums), _mm256_loadu_ps(peaks));
                each(part, |i, j| {
                    let value = _mm256_max_ps(zero, _mm256_add_ps(values[i][j].0, bias));
                    sum = _mm256_add_ps(sum, value);
                    peak = _mm256_max_ps(peak, value);
                });
                _mm256_storeu_ps(sums, sum);
                _mm256_storeu_ps(peaks, peak);
            }
        }
    }
}

/// Visits the points of a part, row by row.
#[inline(always)]
fn each(part: &Part, mut visit: impl FnMut(usize, usize)) {
    for i in 0..part.height {
        for j in 0..part.width {
            visit(i, j);
        }
    }
}
