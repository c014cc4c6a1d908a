//! The order of the layers: takes one position through the whole network while its numbers stay in the cache.
//! Deliberately not here: arithmetic (`kernels`), weights, and several positions at once: weights are read at the same
//! speed either way, and so no position can change another's rounding.

use super::kernels::{Gather, Kernels, Product, Scatter, Sink};
use super::panels::{Buffer, PANEL, panels};
use super::weights::{Block, Conv, Dense, Point, Weights};
use super::winograd::Grid;
use crate::loss::MARGIN_UNIT;
use crate::raw::{RawBatch, RawOutput};

/// Everything a forward pass writes on its way. Grows to the largest board seen, then stays.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What the images are laid out for; their borders are zero.
    grid: Option<Grid>,
    /// Input planes, `[grid.points][lanes]`.
    input: Buffer,
    /// Sum of the residual blocks, likewise.
    trunk: Buffer,
    /// Between the convolutions of a block, likewise.
    inner: Buffer,
    /// Transformed tiles, see `Kernels::scatter`.
    tiles: Buffer,
    /// Products of one panel.
    products: Buffer,
    /// Bias of a convolution that depends on the position.
    bias: Buffer,
    /// Sums of pooled channels.
    sums: Buffer,
    /// Maxima of pooled channels.
    peaks: Buffer,
    /// Features of a head, `[points of the board][lanes]`.
    features: Buffer,
    /// The pooled vector.
    pooled: Buffer,
    /// Outputs of the policy head's linear layers.
    small: Buffer,
    /// Hidden layer of the value head.
    hidden: Buffer,
}

#[cfg(test)]
impl Scratch {
    /// Where the buffers lie.
    pub(super) fn places(&self) -> [*const f32; 12] {
        [
            &self.input,
            &self.trunk,
            &self.inner,
            &self.tiles,
            &self.products,
            &self.bias,
            &self.sums,
            &self.peaks,
            &self.features,
            &self.pooled,
            &self.small,
            &self.hidden,
        ]
        .map(|buffer| buffer.as_ptr())
    }
}

/// A forward pass in progress.
pub(super) struct Pass<'a, K> {
    /// What computes.
    pub(super) kernels: K,
    /// The network.
    pub(super) weights: &'a Weights,
    /// Memory.
    pub(super) scratch: &'a mut Scratch,
    /// Shape of the board.
    pub(super) grid: Grid,
}

impl<K: Kernels> Pass<'_, K> {
    /// Evaluates one position of a checked batch into `out`, whose arrays already have their lengths.
    pub(super) fn run(&mut self, batch: &RawBatch, position: usize, out: &mut RawOutput) {
        if self.scratch.grid != Some(self.grid) {
            self.lay_out();
        }
        self.stem(batch, position);
        let count = self.weights.blocks.len();
        for (index, block) in self.weights.blocks.iter().enumerate() {
            self.block(block, index + 1 == count);
        }
        self.policy(batch, position, out);
        self.value(position, out);
    }

    /// Makes room, and clears the borders of the images for a new shape of board.
    fn lay_out(&mut self) {
        let (grid, weights) = (self.grid, self.weights);
        let (stem, lanes) = (weights.stem.lanes_in(), weights.stem.lanes());
        let pools = weights.blocks.iter().filter_map(|block| block.pool.as_ref()).map(|(conv, _)| conv.lanes());
        let heads = [weights.policy.point.lanes(), weights.policy.pool.lanes(), weights.value.conv.lanes()];
        let widest = pools.chain(heads).fold(lanes, usize::max);
        let extra = weights.policy.extra.as_ref().map_or(0, |(dense, _)| dense.lanes);
        let freqs = grid.kind.freqs();
        let s = &mut *self.scratch;
        for (image, lanes) in [(&mut s.input, stem), (&mut s.trunk, lanes), (&mut s.inner, lanes)] {
            image.reserve(grid.points * lanes);
            image[..grid.points * lanes].fill(0.0);
        }
        s.tiles.reserve(freqs * tile_pitch(grid.tiles() * stem.max(lanes)));
        s.products.reserve(grid.tiles() * freqs * PANEL);
        s.bias.reserve(lanes);
        s.sums.reserve(widest);
        s.peaks.reserve(widest);
        s.features.reserve(grid.height * grid.width * widest);
        s.pooled.reserve(3 * widest);
        s.small.reserve(weights.policy.mix.lanes.max(extra));
        s.hidden.reserve(weights.value.hidden.lanes);
        s.grid = Some(grid);
    }

    /// Planes and globals to the trunk.
    fn stem(&mut self, batch: &RawBatch, position: usize) {
        let (weights, grid) = (self.weights, self.grid);
        let each = weights.planes * batch.height * batch.width;
        let planes = &batch.planes[position * each..][..each];
        fill(&mut self.scratch.input, weights.stem.lanes_in(), planes, &grid, (batch.height, batch.width));
        let mut bias = Bias::Fixed;
        if let Some(dense) = &weights.stem_globals {
            let globals = &batch.globals[position * weights.globals..][..weights.globals];
            self.kernels.linear(dense, globals, &mut self.scratch.bias[..dense.lanes]);
            bias = Bias::Position;
        }
        self.scatter(From::Input);
        self.conv(&weights.stem, bias, To::Trunk { add: false, relu: weights.blocks.is_empty() });
    }

    /// One residual block; the last one leaves relu(x), which is all the heads read.
    fn block(&mut self, block: &Block, last: bool) {
        self.scatter(From::Trunk);
        let mut bias = Bias::Fixed;
        if let Some((conv, linear)) = &block.pool {
            self.conv(conv, Bias::Fixed, To::Pool);
            self.pool_vector(conv.outputs);
            let s = &mut *self.scratch;
            self.kernels.linear(linear, &s.pooled[..linear.inputs], &mut s.bias[..linear.lanes]);
            bias = Bias::Position;
        }
        self.conv(&block.conv1, bias, To::Inner);
        self.scatter(From::Inner);
        self.conv(&block.conv2, Bias::Fixed, To::Trunk { add: true, relu: last });
    }

    /// Transforms an image into tiles.
    fn scatter(&mut self, from: From) {
        let s = &mut *self.scratch;
        let stem = &self.weights.stem;
        let (image, lanes) = match from {
            From::Input => (&s.input, stem.lanes_in()),
            From::Trunk => (&s.trunk, stem.lanes()),
            From::Inner => (&s.inner, stem.lanes()),
        };
        let pitch = tile_pitch(self.grid.tiles() * lanes);
        let relu = matches!(from, From::Trunk);
        self.kernels.scatter(&Scatter { grid: &self.grid, lanes, relu, image, pitch }, &mut s.tiles);
    }

    /// The rest of a convolution, after `scatter`.
    fn conv(&mut self, conv: &Conv, bias: Bias, to: To) {
        let (grid, s) = (self.grid, &mut *self.scratch);
        let freqs = grid.kind.freqs();
        let weights = conv.packed(grid.kind);
        for panel in panels(conv.lanes()) {
            let product = Product {
                freqs,
                rows: grid.tiles(),
                depth: conv.inputs,
                stride: conv.lanes_in(),
                step: 1,
                pitch: tile_pitch(grid.tiles() * conv.lanes_in()),
                width: panel.width,
                right_stride: panel.width,
                right_pitch: conv.inputs * panel.width,
                out_stride: freqs * panel.width,
                out_pitch: panel.width,
                add: false,
                left: &s.tiles,
                right: &weights[panel.first * freqs * conv.inputs..][..panel.width * freqs * conv.inputs],
            };
            self.kernels.multiply(&product, &mut s.products);
            let bias = match bias {
                Bias::Fixed => &conv.bias[panel.first..],
                Bias::Position => &s.bias[panel.first..],
            };
            let (width, first, lanes) = (panel.width, panel.first, conv.lanes());
            let (step, pitch) = (freqs * width, width);
            let gather = Gather { grid: &grid, products: &s.products, step, pitch, width, bias, first, lanes };
            let sink = match to {
                To::Trunk { add, relu } => Sink::Image { image: &mut s.trunk, add, relu },
                To::Inner => Sink::Image { image: &mut s.inner, add: false, relu: true },
                To::Pool => Sink::Pool { sums: &mut s.sums, peaks: &mut s.peaks },
            };
            self.kernels.gather(&gather, sink);
        }
    }

    /// Sums and maxima to the pooled vector: mean, mean scaled by the board's side, maximum.
    fn pool_vector(&mut self, channels: usize) {
        let area = (self.grid.height * self.grid.width) as f32;
        let scale = (area.sqrt() - 14.0) / 10.0;
        let s = &mut *self.scratch;
        for channel in 0..channels {
            let mean = s.sums[channel] / area;
            s.pooled[channel] = mean;
            s.pooled[channels + channel] = mean * scale;
            s.pooled[2 * channels + channel] = s.peaks[channel];
        }
    }

    /// A 1x1 convolution of the trunk at the points of the board, without its bias, to `features`.
    fn point(&mut self, point: &Point) {
        let (grid, s) = (self.grid, &mut *self.scratch);
        let (lanes, stride) = (point.lanes(), self.weights.stem.lanes());
        for panel in panels(lanes) {
            for row in 0..grid.height {
                let product = Product {
                    freqs: 1,
                    rows: grid.width,
                    depth: point.inputs,
                    stride,
                    step: 1,
                    pitch: 0,
                    width: panel.width,
                    right_stride: panel.width,
                    right_pitch: 0,
                    out_stride: lanes,
                    out_pitch: 0,
                    add: false,
                    left: &s.trunk[((row + 1) * grid.pitch + 1) * stride..],
                    right: &point.packed[panel.first * point.inputs..][..panel.width * point.inputs],
                };
                self.kernels.multiply(&product, &mut s.features[row * grid.width * lanes + panel.first..]);
            }
        }
    }

    /// A 1x1 convolution of the trunk, max(0, ·), pooled to `pooled`.
    fn pooled_point(&mut self, point: &Point) {
        self.point(point);
        let lanes = point.lanes();
        let s = &mut *self.scratch;
        let rows = &s.features[..self.grid.height * self.grid.width * lanes];
        self.kernels.pool(rows, &point.bias, &mut s.sums[..lanes], &mut s.peaks[..lanes]);
        self.pool_vector(point.outputs);
    }

    /// A linear layer of `pooled` to `small`.
    fn small(&mut self, dense: &Dense) {
        let s = &mut *self.scratch;
        self.kernels.linear(dense, &s.pooled[..dense.inputs], &mut s.small[..dense.lanes]);
    }

    /// The policy head.
    fn policy(&mut self, batch: &RawBatch, position: usize, out: &mut RawOutput) {
        let policy = &self.weights.policy;
        self.pooled_point(&policy.pool);
        if let Some((dense, count)) = &policy.extra {
            self.small(dense);
            out.extra[position * count..][..*count].copy_from_slice(&self.scratch.small[..*count]);
        }
        self.small(&policy.mix);
        self.point(&policy.point);
        let (lanes, width) = (policy.point.lanes(), self.grid.width);
        let s = &*self.scratch;
        let first = position * batch.height * batch.width;
        for row in 0..self.grid.height {
            let features = &s.features[row * width * lanes..][..width * lanes];
            let scores = &mut out.policy[first + row * batch.width..][..width];
            self.kernels.score(features, &s.small[..lanes], &policy.out, scores);
        }
    }

    /// The value head.
    fn value(&mut self, position: usize, out: &mut RawOutput) {
        let value = &self.weights.value;
        self.pooled_point(&value.conv);
        let s = &mut *self.scratch;
        let hidden = &mut s.hidden[..value.hidden.lanes];
        self.kernels.linear(&value.hidden, &s.pooled[..value.hidden.inputs], hidden);
        // Written so that NaN stays NaN.
        hidden.iter_mut().for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v });
        let mut head = [0.0; 8];
        self.kernels.linear(&value.wdl, &hidden[..value.width], &mut head);
        out.wdl[position * 3..][..3].copy_from_slice(&head[..3]);
        if let Some(margin) = &value.margin {
            self.kernels.linear(margin, &hidden[..value.width], &mut head);
            out.margin[position] = head[0] * MARGIN_UNIT;
        }
    }
}

/// Which image is transformed.
#[derive(Clone, Copy)]
enum From {
    Input,
    /// After max(0, ·).
    Trunk,
    Inner,
}

/// What a convolution fills.
#[derive(Clone, Copy)]
enum To {
    Trunk { add: bool, relu: bool },
    Inner,
    Pool,
}

/// Which bias a convolution adds.
#[derive(Clone, Copy)]
enum Bias {
    /// Its own.
    Fixed,
    /// That in `Scratch::bias`.
    Position,
}

/// Distance between freqs for so many numbers each: a line more than needed, because distances that are a multiple of
/// 4096 bytes would put all freqs of a tile into the same few sets of the cache.
pub(super) fn tile_pitch(numbers: usize) -> usize {
    numbers.next_multiple_of(16) + 16
}

/// Writes planes `[planes][height][width]` of a batch with sides `sides` into an image; only points of the board.
pub(super) fn fill(image: &mut [f32], lanes: usize, planes: &[f32], grid: &Grid, sides: (usize, usize)) {
    for (lane, plane) in planes.chunks_exact(sides.0 * sides.1).enumerate() {
        for y in 0..grid.height {
            let from = &plane[y * sides.1..][..grid.width];
            let to = image[((y + 1) * grid.pitch + 1) * lanes..].chunks_exact_mut(lanes);
            for (to, &from) in to.zip(from) {
                to[lane] = from;
            }
        }
    }
}
