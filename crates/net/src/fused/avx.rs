//! The kernels with AVX2 and FMA, and the products of matrices with AVX-512 where the machine has it, bit for bit the
//! same. The only file of the crate with `unsafe`: vector instructions and loads without bounds checks in the innermost
//! loops. The safe functions of `Kernels` assert every bound before they enter them.
//! Deliberately not here: anything but these loops; `portable` says the same in plain Rust. Only the products are there
//! in AVX-512: they are six sevenths of a forward pass.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::kernels::{Gather, Kernels, Product, Scatter, Sink};
use super::portable;
use super::weights::Dense;
use super::winograd::{Four, Grid, Kind, Lane, Three, Transform};

/// Proof that this machine has AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx {
    /// Proof that it has AVX-512F too, if true.
    wide: bool,
}

impl Avx {
    /// The proof, if the machine has both.
    pub(super) fn detect() -> Option<Avx> {
        let both = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        both.then(|| Avx { wide: is_x86_feature_detected!("avx512f") })
    }

    /// What is used.
    pub(super) fn name(self) -> &'static str {
        if self.wide { "fused avx512" } else { "fused avx2" }
    }

    /// The same without AVX-512, for comparisons.
    #[cfg(test)]
    pub(super) fn narrow(self) -> Avx {
        Avx { wide: false }
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

/// Asserts that no product of a grid's sizes can overflow.
fn check(grid: &Grid) {
    let sizes = [grid.height, grid.width, grid.rows, grid.cols, grid.pitch, grid.points];
    assert!(sizes.iter().all(|size| (1..SIZE_MAX).contains(size)), "a grid's sizes are out of range");
}

/// Asserts that an image and its tiles have room for what `job` says.
fn check_tiles(job: &Scatter<'_>, image: usize, tiles: usize) {
    let grid = job.grid;
    let side = grid.kind.side();
    check(grid);
    assert!(job.lanes.is_multiple_of(8) && job.lanes > 0);
    assert!(grid.pitch >= grid.cols * side + 2 && grid.points >= (grid.rows * side + 2) * grid.pitch);
    assert!(image >= span(&[(grid.points, job.lanes)], job.lanes));
    assert!(tiles >= span(&[(grid.kind.freqs(), job.pitch), (grid.tiles(), job.lanes)], job.lanes));
}

impl Kernels for Avx {
    fn scatter(self, job: &Scatter<'_>, tiles: &mut [f32]) {
        check_tiles(job, job.image.len(), tiles.len());
        // SAFETY: `self` proves the features; the asserts are the bounds `scatter` asks for.
        unsafe {
            match (job.grid.kind, job.relu) {
                (Kind::Three, false) => scatter::<Three, 3, 5, false>(job, tiles),
                (Kind::Three, true) => scatter::<Three, 3, 5, true>(job, tiles),
                (Kind::Four, false) => scatter::<Four, 4, 6, false>(job, tiles),
                (Kind::Four, true) => scatter::<Four, 4, 6, true>(job, tiles),
            }
        }
    }

    fn multiply(self, job: &Product<'_>, out: &mut [f32]) {
        let (rows, depth, freqs) = (job.rows, job.depth, job.freqs);
        assert!(job.width.is_multiple_of(8) && job.width > 0);
        assert!(job.left.len() >= span(&[(freqs, job.pitch), (rows, job.stride), (depth, job.step)], 1));
        assert!(job.right.len() >= span(&[(freqs, job.right_pitch), (depth, job.right_stride)], job.width));
        assert!(out.len() >= span(&[(freqs, job.out_pitch), (rows, job.out_stride)], job.width));
        // SAFETY: `self` proves the features; the asserts are the bounds `multiply` and `multiply_wide` ask for.
        unsafe {
            match (self.wide, job.add) {
                (false, false) => multiply::<false>(job, out),
                (false, true) => multiply::<true>(job, out),
                (true, false) => multiply_wide::<false>(job, out),
                (true, true) => multiply_wide::<true>(job, out),
            }
        }
    }

    fn spread(self, job: &Scatter<'_>, tiles: &mut [f32]) {
        check_tiles(job, job.image.len(), tiles.len());
        // SAFETY: `self` proves the features; the asserts are the bounds `spread` asks for.
        unsafe {
            match job.grid.kind {
                Kind::Three => spread::<Three, 3, 5>(job, tiles),
                Kind::Four => spread::<Four, 4, 6>(job, tiles),
            }
        }
    }

    fn collect(self, job: &Scatter<'_>, image: &mut [f32]) {
        check_tiles(job, image.len(), job.image.len());
        // SAFETY: `self` proves the features; the asserts are the bounds `collect` asks for.
        unsafe {
            match job.grid.kind {
                Kind::Three => collect::<Three, 3, 5>(job, image),
                Kind::Four => collect::<Four, 4, 6>(job, image),
            }
        }
    }

    fn add_where(self, by: &[f32], from: &[f32], to: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { add_where(by, from, to) }
    }

    fn keep_where(self, by: &[f32], to: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { keep_where(by, to) }
    }

    fn add_rows(self, rows: &[f32], sums: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { add_rows(rows, sums) }
    }

    fn sums_and_peaks(self, rows: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { sums_and_peaks(rows, sums, peaks) }
    }

    fn find_peaks(self, rows: &[f32], peaks: &[f32], found: &mut [u32]) {
        // SAFETY: `self` proves the features.
        unsafe { find_peaks(rows, peaks, found) }
    }

    fn relu(self, from: &[f32], to: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { relu(from, to) }
    }

    fn add_relu(self, bias: &[f32], rows: &mut [f32]) {
        // SAFETY: `self` proves the features.
        unsafe { add_relu(bias, rows) }
    }

    fn gather(self, job: &Gather<'_>, sink: Sink<'_>) {
        let grid = job.grid;
        let side = grid.kind.side();
        check(grid);
        assert!(job.width.is_multiple_of(8) && job.width < SIZE_MAX && job.first < SIZE_MAX);
        assert!(job.first + job.width <= job.lanes);
        assert!(grid.height <= grid.rows * side && grid.height > (grid.rows - 1) * side);
        assert!(grid.width <= grid.cols * side && grid.width > (grid.cols - 1) * side);
        assert!(grid.pitch >= grid.width + 2 && grid.points >= (grid.height + 2) * grid.pitch);
        assert!(job.products.len() >= span(&[(grid.tiles(), job.step), (grid.kind.freqs(), job.pitch)], job.width));
        assert!(job.bias.len() >= job.width);
        match sink {
            Sink::Image { image, add, relu } => {
                assert!(image.len() >= span(&[(grid.points, job.lanes)], job.lanes));
                // SAFETY: `self` proves the features; the asserts are the bounds `gather_image` asks for.
                unsafe {
                    match (grid.kind, add, relu) {
                        (Kind::Three, false, false) => gather_image::<Three, 3, 5, false, false>(job, image),
                        (Kind::Three, false, true) => gather_image::<Three, 3, 5, false, true>(job, image),
                        (Kind::Three, true, false) => gather_image::<Three, 3, 5, true, false>(job, image),
                        (Kind::Three, true, true) => gather_image::<Three, 3, 5, true, true>(job, image),
                        (Kind::Four, false, false) => gather_image::<Four, 4, 6, false, false>(job, image),
                        (Kind::Four, false, true) => gather_image::<Four, 4, 6, false, true>(job, image),
                        (Kind::Four, true, false) => gather_image::<Four, 4, 6, true, false>(job, image),
                        (Kind::Four, true, true) => gather_image::<Four, 4, 6, true, true>(job, image),
                    }
                }
            }
            Sink::Pool { sums, peaks } => {
                assert!(sums.len() >= job.lanes && peaks.len() >= job.lanes);
                // SAFETY: `self` proves the features; the asserts are the bounds `gather_pool` asks for.
                unsafe {
                    match grid.kind {
                        Kind::Three => gather_pool::<Three, 3, 5>(job, sums, peaks),
                        Kind::Four => gather_pool::<Four, 4, 6>(job, sums, peaks),
                    }
                }
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

#[target_feature(enable = "avx2,fma")]
fn add_where(by: &[f32], from: &[f32], to: &mut [f32]) {
    portable::add_where(by, from, to);
}

#[target_feature(enable = "avx2,fma")]
fn keep_where(by: &[f32], to: &mut [f32]) {
    portable::keep_where(by, to);
}

#[target_feature(enable = "avx2,fma")]
fn add_rows(rows: &[f32], sums: &mut [f32]) {
    portable::add_rows(rows, sums);
}

#[target_feature(enable = "avx2,fma")]
fn sums_and_peaks(rows: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
    portable::sums_and_peaks(rows, sums, peaks);
}

#[target_feature(enable = "avx2,fma")]
fn find_peaks(rows: &[f32], peaks: &[f32], found: &mut [u32]) {
    portable::find_peaks(rows, peaks, found);
}

#[target_feature(enable = "avx2,fma")]
fn relu(from: &[f32], to: &mut [f32]) {
    portable::relu_all(from, to);
}

#[target_feature(enable = "avx2,fma")]
fn add_relu(bias: &[f32], rows: &mut [f32]) {
    portable::add_relu(bias, rows);
}

/// See `Kernels::scatter`.
///
/// # Safety
/// `image` holds `grid.points * lanes`, with `grid.points` at least (rows * M + 2) * pitch and `pitch` at least
/// cols * M + 2; `tiles` holds N² freqs `pitch` apart, the last one of tiles * lanes; N = M + 2; `lanes` is a multiple
/// of 8.
#[target_feature(enable = "avx2,fma")]
unsafe fn scatter<T: Transform<M, N>, const M: usize, const N: usize, const RELU: bool>(
    job: &Scatter<'_>,
    tiles: &mut [f32],
) {
    let (grid, lanes) = (job.grid, job.lanes);
    let zero = _mm256_setzero_ps();
    for tile in 0..grid.tiles() {
        let corner = (tile / grid.cols * M * grid.pitch + tile % grid.cols * M) * lanes;
        for lane in (0..lanes).step_by(8) {
            // SAFETY: the tile's last point is row * M + N - 1 < rows * M + 2 down and col * M + N - 1 < cols * M + 2
            // across, so within the image; freq i * N + j < N² and tile < tiles; lane + 7 < lanes.
            unsafe {
                let from = job.image.as_ptr().add(corner + lane);
                let to = tiles.as_mut_ptr().add(tile * lanes + lane);
                let mut columns = [[Wide(zero); N]; N];
                for j in 0..N {
                    let mut column = [Wide(zero); N];
                    for i in 0..N {
                        let value = _mm256_loadu_ps(from.add((i * grid.pitch + j) * lanes));
                        column[i] = Wide(if RELU { _mm256_max_ps(zero, value) } else { value });
                    }
                    columns[j] = T::input(column);
                }
                for i in 0..N {
                    let mut row = [Wide(zero); N];
                    for j in 0..N {
                        row[j] = columns[j][i];
                    }
                    let row = T::input(row);
                    for j in 0..N {
                        _mm256_storeu_ps(to.add((i * N + j) * job.pitch), row[j].0);
                    }
                }
            }
        }
    }
}

/// Most rows whose sums fit the registers, in panels of either width.
const ROWS: usize = 6;

/// Rows that stay in the first cache while all panels pass over them.
const ROWS_NEAR: usize = 8 * ROWS;

/// As `ROWS`, in registers of AVX-512, of which there are twice as many.
const ROWS_WIDE: usize = 12;

/// See `Kernels::multiply`. Rows are cut into blocks of at most `ROWS`, as even as possible: a block of one or two rows
/// would wait for its own additions.
///
/// # Safety
/// The width is a multiple of 8. Within bounds are: `left` at freq * pitch + row * stride + k * step, `right` at
/// freq * right_pitch + k * right_stride + column, `out` at freq * out_pitch + row * out_stride + column.
#[target_feature(enable = "avx2,fma")]
unsafe fn multiply<const ADD: bool>(job: &Product<'_>, out: &mut [f32]) {
    // SAFETY: the same promises; the panels get AVX2 and FMA.
    unsafe {
        each_panel(
            job,
            out,
            |rows, left, right, to| panel::<2, 1, ADD>(job, rows, left, right, to),
            |rows, left, right, to| {
                panel::<1, 2, ADD>(job, rows, left, right, to);
            },
        );
    }
}

/// As `multiply`, with sixteen columns in a register. Every sum is made by the same additions in the same order.
///
/// # Safety
/// As for `multiply`, and AVX-512F.
#[target_feature(enable = "avx2,fma,avx512f")]
unsafe fn multiply_wide<const ADD: bool>(job: &Product<'_>, out: &mut [f32]) {
    // SAFETY: the same promises; the panels get AVX2, FMA and AVX-512F.
    unsafe {
        each_panel(
            job,
            out,
            |rows, left, right, to| panel_wide::<ADD>(job, rows, left, right, to),
            |rows, left, right, to| {
                panel::<1, 2, ADD>(job, rows, left, right, to);
            },
        );
    }
}

/// Visits all products by runs of rows and panels, sixteen columns wide and eight for what is left: the number of rows,
/// and where `left`, `right` and `out` of the panel begin.
///
/// # Safety
/// The bounds of `multiply`.
#[inline(always)]
unsafe fn each_panel(
    job: &Product<'_>,
    out: &mut [f32],
    sixteen: impl Fn(usize, *const f32, *const f32, *mut f32),
    eight: impl Fn(usize, *const f32, *const f32, *mut f32),
) {
    for freq in 0..job.freqs {
        for first in (0..job.rows).step_by(ROWS_NEAR) {
            let rows = ROWS_NEAR.min(job.rows - first);
            // SAFETY: freq < freqs, first + rows <= job.rows, column + 8 or 16 <= width.
            unsafe {
                let left = job.left.as_ptr().add(freq * job.pitch + first * job.stride);
                let right = job.right.as_ptr().add(freq * job.right_pitch);
                let to = out.as_mut_ptr().add(freq * job.out_pitch + first * job.out_stride);
                let mut column = 0;
                while column + 16 <= job.width {
                    sixteen(rows, left, right.add(column), to.add(column));
                    column += 16;
                }
                if column < job.width {
                    eight(rows, left, right.add(column), to.add(column));
                }
            }
        }
    }
}

/// Cuts `rows` into blocks of at most `most`, as even as possible: first row and number of rows of each.
#[inline(always)]
fn blocks(rows: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let blocks = rows.div_ceil(most);
    let (each, longer) = (rows / blocks, rows % blocks);
    let mut first = 0;
    (0..blocks).map(move |index| {
        let count = each + usize::from(index < longer);
        first += count;
        (first - count, count)
    })
}

/// All of `rows` rows, 8 V columns.
///
/// # Safety
/// As for `block`, for row < rows.
#[inline(always)]
unsafe fn panel<const V: usize, const P: usize, const ADD: bool>(
    job: &Product<'_>,
    rows: usize,
    left: *const f32,
    right: *const f32,
    to: *mut f32,
) {
    for (first, count) in blocks(rows, ROWS) {
        // SAFETY: the blocks' rows sum up to `rows`, so all that `block` touches is within what the caller promised.
        unsafe {
            let left = left.add(first * job.stride);
            let to = to.add(first * job.out_stride);
            match count {
                1 => block::<1, V, P, ADD>(job, left, right, to),
                2 => block::<2, V, P, ADD>(job, left, right, to),
                3 => block::<3, V, P, ADD>(job, left, right, to),
                4 => block::<4, V, P, ADD>(job, left, right, to),
                5 => block::<5, V, P, ADD>(job, left, right, to),
                ROWS => block::<ROWS, V, P, ADD>(job, left, right, to),
                _ => unreachable!("blocks have 1 to {ROWS} rows"),
            }
        }
    }
}

/// All of `rows` rows, 16 columns.
///
/// # Safety
/// As for `block_wide`, for row < rows.
#[inline(always)]
unsafe fn panel_wide<const ADD: bool>(
    job: &Product<'_>,
    rows: usize,
    left: *const f32,
    right: *const f32,
    to: *mut f32,
) {
    for (first, count) in blocks(rows, ROWS_WIDE) {
        // SAFETY: as in `panel`.
        unsafe {
            let left = left.add(first * job.stride);
            let to = to.add(first * job.out_stride);
            match count {
                1 => block_wide::<1, ADD>(job, left, right, to),
                2 => block_wide::<2, ADD>(job, left, right, to),
                3 => block_wide::<3, ADD>(job, left, right, to),
                4 => block_wide::<4, ADD>(job, left, right, to),
                5 => block_wide::<5, ADD>(job, left, right, to),
                6 => block_wide::<6, ADD>(job, left, right, to),
                7 => block_wide::<7, ADD>(job, left, right, to),
                8 => block_wide::<8, ADD>(job, left, right, to),
                9 => block_wide::<9, ADD>(job, left, right, to),
                10 => block_wide::<10, ADD>(job, left, right, to),
                11 => block_wide::<11, ADD>(job, left, right, to),
                ROWS_WIDE => block_wide::<ROWS_WIDE, ADD>(job, left, right, to),
                _ => unreachable!("blocks have 1 to {ROWS_WIDE} rows"),
            }
        }
    }
}

/// R rows of one product, 16 columns; all sums stay in registers.
///
/// # Safety
/// AVX-512F; readable: `left` at row * stride + k * step, `right` at k * right_stride + column; writable: `to` at
/// row * out_stride + column, for row < R, k < depth, column < 16.
#[inline(always)]
unsafe fn block_wide<const R: usize, const ADD: bool>(
    job: &Product<'_>,
    mut left: *const f32,
    mut right: *const f32,
    to: *mut f32,
) {
    // SAFETY: reads and writes exactly the offsets the caller promised; the pointers past the last k are made with
    // `wrapping_add` and not read.
    unsafe {
        let mut sums = [_mm512_setzero_ps(); R];
        for _ in 0..job.depth {
            let columns = _mm512_loadu_ps(right);
            for r in 0..R {
                sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(*left.add(r * job.stride)), columns, sums[r]);
            }
            left = left.wrapping_add(job.step);
            right = right.wrapping_add(job.right_stride);
        }
        for (r, sum) in sums.into_iter().enumerate() {
            let to = to.add(r * job.out_stride);
            _mm512_storeu_ps(to, if ADD { _mm512_add_ps(_mm512_loadu_ps(to), sum) } else { sum });
        }
    }
}

/// R rows of one product, 8 V columns; all sums stay in registers. Each is made of P parts, every P-th product in one, so
/// that narrow blocks have enough independent additions in flight.
///
/// # Safety
/// AVX2 and FMA; readable: `left` at row * stride + k * step, `right` at k * right_stride + column; writable: `to` at
/// row * out_stride + column, for row < R, k < depth, column < 8 V.
#[inline(always)]
unsafe fn block<const R: usize, const V: usize, const P: usize, const ADD: bool>(
    job: &Product<'_>,
    mut left: *const f32,
    mut right: *const f32,
    to: *mut f32,
) {
    let (next_left, next_right) = (job.step, job.right_stride);
    // SAFETY: `step` gets the offsets of k < depth, so it reads, as the stores write, what the caller promised; the
    // pointers past the last k are made with `wrapping_add` and not read.
    unsafe {
        let mut sums = [[[_mm256_setzero_ps(); V]; R]; P];
        let mut k = 0;
        while k + P <= job.depth {
            for p in 0..P {
                step(job.stride, left, right, &mut sums[p]);
                left = left.wrapping_add(next_left);
                right = right.wrapping_add(next_right);
            }
            k += P;
        }
        while k < job.depth {
            step(job.stride, left, right, &mut sums[0]);
            left = left.wrapping_add(next_left);
            right = right.wrapping_add(next_right);
            k += 1;
        }
        for r in 0..R {
            for v in 0..V {
                let mut sum = sums[0][r][v];
                for p in 1..P {
                    sum = _mm256_add_ps(sum, sums[p][r][v]);
                }
                let to = to.add(r * job.out_stride + v * 8);
                _mm256_storeu_ps(to, if ADD { _mm256_add_ps(_mm256_loadu_ps(to), sum) } else { sum });
            }
        }
    }
}

/// Adds one column times one row to the sums.
///
/// # Safety
/// AVX2 and FMA; readable: `left` at row * stride, `right` at column, for row < R, column < 8 V.
#[inline(always)]
unsafe fn step<const R: usize, const V: usize>(
    stride: usize,
    left: *const f32,
    right: *const f32,
    sums: &mut [[__m256; V]; R],
) {
    // SAFETY: exactly the offsets the caller promised.
    unsafe {
        let mut columns = [_mm256_setzero_ps(); V];
        for v in 0..V {
            columns[v] = _mm256_loadu_ps(right.add(v * 8));
        }
        for r in 0..R {
            let value = _mm256_broadcast_ss(&*left.add(r * stride));
            for v in 0..V {
                sums[r][v] = _mm256_fmadd_ps(value, columns[v], sums[r][v]);
            }
        }
    }
}

/// See `Kernels::spread`.
///
/// # Safety
/// As for `scatter`.
#[target_feature(enable = "avx2,fma")]
unsafe fn spread<T: Transform<M, N>, const M: usize, const N: usize>(job: &Scatter<'_>, tiles: &mut [f32]) {
    let (grid, lanes) = (job.grid, job.lanes);
    let zero = Wide(_mm256_setzero_ps());
    for tile in 0..grid.tiles() {
        let corner = ((tile / grid.cols * M + 1) * grid.pitch + tile % grid.cols * M + 1) * lanes;
        for lane in (0..lanes).step_by(8) {
            // SAFETY: the tile's last point is row * M + M < rows * M + 2 down and col * M + M < cols * M + 2 across, so
            // within the image; freq i * N + j < N² and tile < tiles; lane + 7 < lanes.
            unsafe {
                let from = job.image.as_ptr().add(corner + lane);
                let to = tiles.as_mut_ptr().add(tile * lanes + lane);
                let mut columns = [[zero; N]; M];
                for j in 0..M {
                    let mut column = [zero; M];
                    for i in 0..M {
                        column[i] = Wide(_mm256_loadu_ps(from.add((i * grid.pitch + j) * lanes)));
                    }
                    columns[j] = T::spread(column);
                }
                for i in 0..N {
                    let mut row = [zero; M];
                    for j in 0..M {
                        row[j] = columns[j][i];
                    }
                    let row = T::spread(row);
                    for j in 0..N {
                        _mm256_storeu_ps(to.add((i * N + j) * job.pitch), row[j].0);
                    }
                }
            }
        }
    }
}

/// See `Kernels::collect`.
///
/// # Safety
/// As for `scatter`, with the two arrays changed over.
#[target_feature(enable = "avx2,fma")]
unsafe fn collect<T: Transform<M, N>, const M: usize, const N: usize>(job: &Scatter<'_>, image: &mut [f32]) {
    let (grid, lanes) = (job.grid, job.lanes);
    let zero = Wide(_mm256_setzero_ps());
    for tile in 0..grid.tiles() {
        let corner = (tile / grid.cols * M * grid.pitch + tile % grid.cols * M) * lanes;
        for lane in (0..lanes).step_by(8) {
            // SAFETY: the same offsets as in `scatter`.
            unsafe {
                let from = job.image.as_ptr().add(tile * lanes + lane);
                let to = image.as_mut_ptr().add(corner + lane);
                let mut columns = [[zero; N]; N];
                for j in 0..N {
                    let mut column = [zero; N];
                    for i in 0..N {
                        column[i] = Wide(_mm256_loadu_ps(from.add((i * N + j) * job.pitch)));
                    }
                    columns[j] = T::collect(column);
                }
                for i in 0..N {
                    let mut row = [zero; N];
                    for j in 0..N {
                        row[j] = columns[j][i];
                    }
                    let row = T::collect(row);
                    for j in 0..N {
                        let to = to.add((i * grid.pitch + j) * lanes);
                        _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), row[j].0));
                    }
                }
            }
        }
    }
}

/// `Kernels::gather` into an image.
///
/// # Safety
/// As for `each_point`, apart from the features; `image` holds `grid.points * lanes`, and first + width <= lanes.
#[target_feature(enable = "avx2,fma")]
unsafe fn gather_image<T, const M: usize, const N: usize, const ADD: bool, const RELU: bool>(
    job: &Gather<'_>,
    image: &mut [f32],
) where
    T: Transform<M, N>,
{
    for lane in (0..job.width).step_by(8) {
        // SAFETY: the caller's promises; `each_point` gives points of the grid, and first + lane + 7 < lanes.
        unsafe {
            let to = image.as_mut_ptr().add(job.first + lane);
            each_point::<T, M, N>(job, lane, |point, value| {
                let to = to.add(point * job.lanes);
                let sum = if ADD { _mm256_add_ps(_mm256_loadu_ps(to), value) } else { value };
                _mm256_storeu_ps(to, if RELU { _mm256_max_ps(_mm256_setzero_ps(), sum) } else { sum });
            });
        }
    }
}

/// `Kernels::gather` into sums and maxima.
///
/// # Safety
/// As for `each_point`, apart from the features; `sums` and `peaks` hold `lanes`, and first + width <= lanes.
#[target_feature(enable = "avx2,fma")]
unsafe fn gather_pool<T: Transform<M, N>, const M: usize, const N: usize>(
    job: &Gather<'_>,
    sums: &mut [f32],
    peaks: &mut [f32],
) {
    let zero = _mm256_setzero_ps();
    for lane in (0..job.width).step_by(8) {
        let (mut sum, mut peak) = (zero, zero);
        // SAFETY: the caller's promises; first + lane + 7 < lanes.
        unsafe {
            each_point::<T, M, N>(job, lane, |_, value| {
                let value = _mm256_max_ps(zero, value);
                sum = _mm256_add_ps(sum, value);
                peak = _mm256_max_ps(peak, value);
            });
            _mm256_storeu_ps(sums.as_mut_ptr().add(job.first + lane), sum);
            _mm256_storeu_ps(peaks.as_mut_ptr().add(job.first + lane), peak);
        }
    }
}

/// Transforms eight lanes of products back to points, adds the bias, and visits the points of the board, tile by tile:
/// the point's index in an image, and its eight numbers.
///
/// # Safety
/// AVX2 and FMA; `products` holds tile * step + freq * pitch + width for each tile and freq < N²; `bias` holds `width`, lane + 7 < width; the grid's tiles cover the
/// board, none lies outside, and its points hold the board and a border; N = M + 2.
#[inline(always)]
unsafe fn each_point<T: Transform<M, N>, const M: usize, const N: usize>(
    job: &Gather<'_>,
    lane: usize,
    mut visit: impl FnMut(usize, __m256),
) {
    let grid = job.grid;
    // SAFETY: tile < tiles, freq i * N + j < N², lane + 7 < width.
    unsafe {
        let zero = Wide(_mm256_setzero_ps());
        let bias = _mm256_loadu_ps(job.bias.as_ptr().add(lane));
        for tile in 0..grid.tiles() {
            let from = job.products.as_ptr().add(tile * job.step + lane);
            let mut columns = [[zero; M]; N];
            for j in 0..N {
                let mut column = [zero; N];
                for i in 0..N {
                    column[i] = Wide(_mm256_loadu_ps(from.add((i * N + j) * job.pitch)));
                }
                columns[j] = T::output(column);
            }
            let (top, left) = (tile / grid.cols * M, tile % grid.cols * M);
            for i in 0..M {
                if top + i >= grid.height {
                    break;
                }
                let mut row = [zero; N];
                for j in 0..N {
                    row[j] = columns[j][i];
                }
                let row = T::output(row);
                for j in 0..M {
                    if left + j >= grid.width {
                        break;
                    }
                    visit((top + i + 1) * grid.pitch + left + j + 1, _mm256_add_ps(row[j].0, bias));
                }
            }
        }
    }
}
