//! The kernels in plain Rust, for any machine, written over groups of eight so that compilers find the vector
//! instructions of their target. Deliberately not here: intrinsics (`avx`).

use super::kernels::{Gather, Kernels, Product, Scatter, Sink};
use super::weights::Dense;
use super::winograd::{Four, Kind, Lane, Three, Transform};

/// The kernels that run everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

/// Eight channels.
type Eight = [f32; 8];

impl Lane for Eight {
    #[inline(always)]
    fn plus(self, other: Eight) -> Eight {
        std::array::from_fn(|i| self[i] + other[i])
    }

    #[inline(always)]
    fn minus(self, other: Eight) -> Eight {
        std::array::from_fn(|i| self[i] - other[i])
    }

    #[inline(always)]
    fn times_plus(self, factor: f32, other: Eight) -> Eight {
        // Every aarch64 machine fuses the two; elsewhere a fused one may be a call into a library.
        let one = |i: usize| factor * self[i] + other[i];
        let fused = |i: usize| factor.mul_add(self[i], other[i]);
        if cfg!(target_arch = "aarch64") { std::array::from_fn(fused) } else { std::array::from_fn(one) }
    }
}

#[inline(always)]
fn load(from: &[f32], at: usize) -> Eight {
    from[at..at + 8].try_into().expect("eight numbers")
}

/// max(0, ·) that keeps NaN, so that a broken network shows.
#[inline(always)]
fn relu(values: Eight) -> Eight {
    values.map(|v| if v < 0.0 { 0.0 } else { v })
}

impl Kernels for Portable {
    fn scatter(self, job: &Scatter<'_>, tiles: &mut [f32]) {
        match job.grid.kind {
            Kind::Three => scatter::<Three, 3, 5>(job, tiles),
            Kind::Four => scatter::<Four, 4, 6>(job, tiles),
        }
    }

    fn multiply(self, job: &Product<'_>, out: &mut [f32]) {
        for freq in 0..job.freqs {
            let mut row = 0;
            while row < job.rows {
                let rows = if row + 4 <= job.rows { 4 } else { 1 };
                for lane in (0..job.width).step_by(8) {
                    match rows {
                        4 => block::<4>(job, (freq, row, lane), out),
                        _ => block::<1>(job, (freq, row, lane), out),
                    }
                }
                row += rows;
            }
        }
    }

    fn spread(self, job: &Scatter<'_>, tiles: &mut [f32]) {
        match job.grid.kind {
            Kind::Three => spread::<Three, 3, 5>(job, tiles),
            Kind::Four => spread::<Four, 4, 6>(job, tiles),
        }
    }

    fn collect(self, job: &Scatter<'_>, image: &mut [f32]) {
        match job.grid.kind {
            Kind::Three => collect::<Three, 3, 5>(job, image),
            Kind::Four => collect::<Four, 4, 6>(job, image),
        }
    }

    fn add_where(self, by: &[f32], from: &[f32], to: &mut [f32]) {
        add_where(by, from, to);
    }

    fn keep_where(self, by: &[f32], to: &mut [f32]) {
        keep_where(by, to);
    }

    fn add_rows(self, rows: &[f32], sums: &mut [f32]) {
        add_rows(rows, sums);
    }

    fn sums_and_peaks(self, rows: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
        sums_and_peaks(rows, sums, peaks);
    }

    fn find_peaks(self, rows: &[f32], peaks: &[f32], found: &mut [u32]) {
        find_peaks(rows, peaks, found);
    }

    fn relu(self, from: &[f32], to: &mut [f32]) {
        relu_all(from, to);
    }

    fn add_relu(self, bias: &[f32], rows: &mut [f32]) {
        add_relu(bias, rows);
    }

    fn gather(self, job: &Gather<'_>, mut sink: Sink<'_>) {
        match job.grid.kind {
            Kind::Three => gather::<Three, 3, 5>(job, &mut sink),
            Kind::Four => gather::<Four, 4, 6>(job, &mut sink),
        }
    }

    fn linear(self, dense: &Dense, x: &[f32], out: &mut [f32]) {
        linear(dense, x, out);
    }

    fn pool(self, rows: &[f32], bias: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
        pool(rows, bias, sums, peaks);
    }

    fn score(self, rows: &[f32], bias: &[f32], weight: &[f32], scores: &mut [f32]) {
        score(rows, bias, weight, scores);
    }
}

fn scatter<T: Transform<M, N>, const M: usize, const N: usize>(job: &Scatter<'_>, tiles: &mut [f32]) {
    let (grid, lanes) = (job.grid, job.lanes);
    for tile in 0..grid.tiles() {
        let corner = tile / grid.cols * M * grid.pitch + tile % grid.cols * M;
        for lane in (0..lanes).step_by(8) {
            let point = |i: usize, j: usize| {
                let values = load(job.image, (corner + i * grid.pitch + j) * lanes + lane);
                if job.relu { relu(values) } else { values }
            };
            let columns: [[Eight; N]; N] = std::array::from_fn(|j| T::input(std::array::from_fn(|i| point(i, j))));
            for i in 0..N {
                let values = T::input::<Eight>(std::array::from_fn(|j| columns[j][i]));
                for (j, value) in values.iter().enumerate() {
                    tiles[(i * N + j) * job.pitch + tile * lanes + lane..][..8].copy_from_slice(value);
                }
            }
        }
    }
}

fn spread<T: Transform<M, N>, const M: usize, const N: usize>(job: &Scatter<'_>, tiles: &mut [f32]) {
    let (grid, lanes) = (job.grid, job.lanes);
    for tile in 0..grid.tiles() {
        let corner = (tile / grid.cols * M + 1) * grid.pitch + tile % grid.cols * M + 1;
        for lane in (0..lanes).step_by(8) {
            let point = |i: usize, j: usize| load(job.image, (corner + i * grid.pitch + j) * lanes + lane);
            let columns: [[Eight; N]; M] = std::array::from_fn(|j| T::spread(std::array::from_fn(|i| point(i, j))));
            for i in 0..N {
                let values = T::spread::<Eight>(std::array::from_fn(|j| columns[j][i]));
                for (j, value) in values.iter().enumerate() {
                    tiles[(i * N + j) * job.pitch + tile * lanes + lane..][..8].copy_from_slice(value);
                }
            }
        }
    }
}

fn collect<T: Transform<M, N>, const M: usize, const N: usize>(job: &Scatter<'_>, image: &mut [f32]) {
    let (grid, lanes) = (job.grid, job.lanes);
    for tile in 0..grid.tiles() {
        let corner = tile / grid.cols * M * grid.pitch + tile % grid.cols * M;
        for lane in (0..lanes).step_by(8) {
            let product = |i: usize, j: usize| load(job.image, (i * N + j) * job.pitch + tile * lanes + lane);
            let columns: [[Eight; N]; N] = std::array::from_fn(|j| T::collect(std::array::from_fn(|i| product(i, j))));
            for i in 0..N {
                let values = T::collect::<Eight>(std::array::from_fn(|j| columns[j][i]));
                for (j, value) in values.iter().enumerate() {
                    let to = &mut image[(corner + i * grid.pitch + j) * lanes + lane..][..8];
                    to.copy_from_slice(&load(to, 0).plus(*value));
                }
            }
        }
    }
}

/// R rows and eight columns of one product, from (freq, row, column) on.
fn block<const R: usize>(job: &Product<'_>, (freq, row, lane): (usize, usize, usize), out: &mut [f32]) {
    let right = &job.right[freq * job.right_pitch..];
    let left: [&[f32]; R] = std::array::from_fn(|r| &job.left[freq * job.pitch + (row + r) * job.stride..]);
    let mut sums = [[0.0; 8]; R];
    for k in 0..job.depth {
        let columns = load(right, k * job.right_stride + lane);
        for r in 0..R {
            sums[r] = columns.times_plus(left[r][k * job.step], sums[r]);
        }
    }
    for r in 0..R {
        let to = &mut out[(row + r) * job.out_stride + freq * job.out_pitch + lane..][..8];
        to.copy_from_slice(&if job.add { load(to, 0).plus(sums[r]) } else { sums[r] });
    }
}

fn gather<T: Transform<M, N>, const M: usize, const N: usize>(job: &Gather<'_>, sink: &mut Sink<'_>) {
    let (grid, width) = (job.grid, job.width);
    if let Sink::Pool { sums, peaks } = sink {
        sums[job.first..][..width].fill(0.0);
        peaks[job.first..][..width].fill(0.0);
    }
    for tile in 0..grid.tiles() {
        let (row, col) = (tile / grid.cols, tile % grid.cols);
        let height_left = M.min(grid.height - row * M);
        let width_left = M.min(grid.width - col * M);
        for lane in (0..width).step_by(8) {
            let product = |i: usize, j: usize| load(job.products, tile * job.step + (i * N + j) * job.pitch + lane);
            let columns: [[Eight; M]; N] = std::array::from_fn(|j| T::output(std::array::from_fn(|i| product(i, j))));
            let bias = load(job.bias, lane);
            for i in 0..height_left {
                let values = T::output::<Eight>(std::array::from_fn(|j| columns[j][i]));
                for j in 0..width_left {
                    let point = (row * M + i + 1) * grid.pitch + col * M + j + 1;
                    let at = Place { point, lane: job.first + lane, lanes: job.lanes };
                    put(sink, at, values[j].plus(bias));
                }
            }
        }
    }
}

/// Where eight gathered numbers belong.
struct Place {
    point: usize,
    lane: usize,
    lanes: usize,
}

fn put(sink: &mut Sink<'_>, at: Place, value: Eight) {
    match sink {
        Sink::Image { image, add, relu: positive } => {
            let to = &mut image[at.point * at.lanes + at.lane..][..8];
            let value = if *add { load(to, 0).plus(value) } else { value };
            to.copy_from_slice(&if *positive { relu(value) } else { value });
        }
        Sink::Pool { sums, peaks } => {
            let value = relu(value);
            for i in 0..8 {
                sums[at.lane + i] += value[i];
                peaks[at.lane + i] = peaks[at.lane + i].max(value[i]);
            }
        }
    }
}

/// `Kernels::linear`, also compiled for AVX2 by `avx`.
#[inline(always)]
pub(super) fn linear(dense: &Dense, x: &[f32], out: &mut [f32]) {
    assert!(x.len() == dense.inputs && out.len() == dense.lanes);
    for (at, out) in out.chunks_exact_mut(8).enumerate() {
        let mut sum = load(&dense.bias, at * 8);
        for (k, &value) in x.iter().enumerate() {
            sum = load(&dense.weight, k * dense.lanes + at * 8).times_plus(value, sum);
        }
        out.copy_from_slice(&sum);
    }
}

/// `Kernels::pool`, also compiled for AVX2 by `avx`.
#[inline(always)]
pub(super) fn pool(rows: &[f32], bias: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
    let lanes = bias.len();
    for lane in (0..lanes).step_by(8) {
        let bias = load(bias, lane);
        let (mut sum, mut peak) = ([0.0; 8], [0.0f32; 8]);
        for row in rows.chunks_exact(lanes) {
            let value = relu(load(row, lane).plus(bias));
            sum = sum.plus(value);
            peak = std::array::from_fn(|i| peak[i].max(value[i]));
        }
        sums[lane..lane + 8].copy_from_slice(&sum);
        peaks[lane..lane + 8].copy_from_slice(&peak);
    }
}

/// `Kernels::score`, also compiled for AVX2 by `avx`.
#[inline(always)]
pub(super) fn score(rows: &[f32], bias: &[f32], weight: &[f32], scores: &mut [f32]) {
    let lanes = bias.len();
    for (row, score) in rows.chunks_exact(lanes).zip(scores) {
        let mut sum = [0.0f32; 8];
        for lane in (0..lanes).step_by(8) {
            let value = relu(load(row, lane).plus(load(bias, lane)));
            let weight = load(weight, lane);
            sum = std::array::from_fn(|i| sum[i] + value[i] * weight[i]);
        }
        *score = (sum[0] + sum[4]) + (sum[1] + sum[5]) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
}

/// `Kernels::add_where`, also compiled for AVX2 by `avx`, as are the next ones.
#[inline(always)]
pub(super) fn add_where(by: &[f32], from: &[f32], to: &mut [f32]) {
    for ((to, from), by) in to.iter_mut().zip(from).zip(by) {
        *to += if *by > 0.0 { *from } else { 0.0 };
    }
}

/// `Kernels::keep_where`.
#[inline(always)]
pub(super) fn keep_where(by: &[f32], to: &mut [f32]) {
    for (to, by) in to.iter_mut().zip(by) {
        *to = if *by > 0.0 { *to } else { 0.0 };
    }
}

/// `Kernels::add_rows`.
#[inline(always)]
pub(super) fn add_rows(rows: &[f32], sums: &mut [f32]) {
    let lanes = sums.len();
    for lane in (0..lanes).step_by(8) {
        let mut sum = load(sums, lane);
        for row in rows.chunks_exact(lanes) {
            sum = sum.plus(load(row, lane));
        }
        sums[lane..lane + 8].copy_from_slice(&sum);
    }
}

/// `Kernels::sums_and_peaks`.
#[inline(always)]
pub(super) fn sums_and_peaks(rows: &[f32], sums: &mut [f32], peaks: &mut [f32]) {
    let lanes = sums.len();
    for lane in (0..lanes).step_by(8) {
        let (mut sum, mut peak) = ([0.0; 8], [0.0f32; 8]);
        for row in rows.chunks_exact(lanes) {
            let value = load(row, lane);
            sum = sum.plus(value);
            peak = std::array::from_fn(|i| if value[i] > peak[i] { value[i] } else { peak[i] });
        }
        sums[lane..lane + 8].copy_from_slice(&sum);
        peaks[lane..lane + 8].copy_from_slice(&peak);
    }
}

/// `Kernels::find_peaks`.
#[inline(always)]
pub(super) fn find_peaks(rows: &[f32], peaks: &[f32], found: &mut [u32]) {
    let lanes = peaks.len();
    for lane in (0..lanes).step_by(8) {
        let peak = load(peaks, lane);
        let mut at: [u32; 8] = found[lane..lane + 8].try_into().expect("eight numbers");
        // Backwards, so that the first row has the last word.
        for (index, row) in rows.chunks_exact(lanes).enumerate().rev() {
            let value = load(row, lane);
            at = std::array::from_fn(|i| if value[i] == peak[i] { index as u32 } else { at[i] });
        }
        found[lane..lane + 8].copy_from_slice(&at);
    }
}

/// `Kernels::relu`.
#[inline(always)]
pub(super) fn relu_all(from: &[f32], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = if *from < 0.0 { 0.0 } else { *from };
    }
}

/// `Kernels::add_relu`.
#[inline(always)]
pub(super) fn add_relu(bias: &[f32], rows: &mut [f32]) {
    for row in rows.chunks_exact_mut(bias.len()) {
        for lane in (0..bias.len()).step_by(8) {
            let value = relu(load(row, lane).plus(load(bias, lane)));
            row[lane..lane + 8].copy_from_slice(&value);
        }
    }
}
