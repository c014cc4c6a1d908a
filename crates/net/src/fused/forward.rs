//! The order of the layers: takes a group of equal boards through the whole network while their numbers stay in the
//! cache. Deliberately not here: arithmetic (`kernels`), weights, and which positions form a group (`mod`).

use super::kernels::{Gather, Kernels, Product, Scatter, Sink};
use super::panels::{Buffer, panels};
use super::weights::{Block, Conv, Dense, Point, Weights};
use super::winograd::Grid;
use crate::loss::MARGIN_UNIT;
use crate::raw::{RawBatch, RawOutput};

/// Consecutive positions of a batch that have the same board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Index of the first position.
    pub(super) first: usize,
    /// Number of positions.
    pub(super) count: usize,
}

/// Everything a forward pass writes on its way. Grows to the largest board seen, then stays.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What the images are laid out for; their borders are zero.
    laid_out: Option<(Grid, usize)>,
    /// Input planes, `[count][grid.points][lanes]`.
    input: Buffer,
    /// Sum of the residual blocks.
    trunk: Buffer,
    /// Between the convolutions of a block.
    inner: Buffer,
    /// Transformed tiles.
    tiles: Buffer,
    /// Products of one panel.
    products: Buffer,
    /// Bias per position.
    bias: Buffer,
    /// Sums and maxima per position.
    sums: Buffer,
    peaks: Buffer,
    /// Head features of one position, `[points of the board][lanes]`.
    features: Buffer,
    /// The pooled vector of one position.
    pooled: Buffer,
    /// Outputs of small linear layers.
    small: Buffer,
    hidden: Buffer,
}

/// How many positions with that grid go together: enough tiles to use a panel of weights well while it is in the cache,
/// few enough that the tiles stay there too.
pub(super) fn group_limit(grid: &Grid) -> usize {
    (GROUP_TILES / grid.tiles()).max(1)
}

/// Tiles in a group.
const GROUP_TILES: usize = 28;

/// A forward pass in progress.
pub(super) struct Pass<'a, K> {
    /// What computes.
    pub(super) kernels: K,
    /// The network.
    pub(super) weights: &'a Weights,
    /// Memory.
    pub(super) scratch: &'a mut Scratch,
    /// Shape of the group's boards.
    pub(super) grid: Grid,
}

impl<K: Kernels> Pass<'_, K> {
    /// Evaluates one group of `batch` into `out`, whose arrays already have their lengths.
    pub(super) fn run(&mut self, batch: &RawBatch, group: Group, out: &mut RawOutput) {
        self.lay_out();
        self.stem(batch, group);
        let count = self.weights.blocks.len();
        for (index, block) in self.weights.blocks.iter().enumerate() {
            self.block(block, group.count, index + 1 == count);
        }
        for at in 0..group.count {
            self.policy(at, group.first + at, (batch.height, batch.width), out);
            self.value(at, group.first + at, out);
        }
    }

    /// Makes room, and clears the borders when the images have another shape than last time.
    fn lay_out(&mut self) {
        let (grid, weights) = (self.grid, self.weights);
        let limit = group_limit(&grid);
        if self.scratch.laid_out == Some((grid, limit)) {
            return;
        }
        let (stem, lanes) = (weights.stem.lanes_in(), weights.stem.lanes());
        let pools = weights.blocks.iter().filter_map(|b| b.pool.as_ref()).map(|(conv, _)| conv.lanes());
        let heads = [weights.policy.point.lanes(), weights.policy.pool.lanes(), weights.value.conv.lanes()];
        let widest = pools.chain(heads).fold(lanes, usize::max);
        let extra = weights.policy.extra.as_ref().map_or(8, |(dense, _)| dense.lanes);
        let freqs = grid.kind.freqs();
        let s = &mut *self.scratch;
        for (image, lanes) in [(&mut s.input, stem), (&mut s.trunk, lanes), (&mut s.inner, lanes)] {
            image.reserve(limit * grid.points * lanes);
            image.fill(0.0);
        }
        s.tiles.reserve(freqs * tile_pitch(limit * grid.tiles() * stem.max(lanes)));
        s.products.reserve(limit * grid.tiles() * freqs * 24);
        s.bias.reserve(limit * lanes);
        s.sums.reserve(limit * widest);
        s.peaks.reserve(limit * widest);
        s.features.reserve(grid.height * grid.width * widest);
        s.pooled.reserve(3 * widest);
        s.small.reserve(weights.policy.mix.lanes.max(extra));
        s.hidden.reserve(weights.value.hidden.lanes);
        s.laid_out = Some((grid, limit));
    }

    /// Planes and globals to the trunk.
    fn stem(&mut self, batch: &RawBatch, group: Group) {
        let (weights, grid) = (self.weights, self.grid);
        let lanes = weights.stem.lanes_in();
        let area = batch.height * batch.width;
        for at in 0..group.count {
            let planes = &batch.planes[(group.first + at) * weights.planes * area..][..weights.planes * area];
            let image = &mut self.scratch.input[at * grid.points * lanes..][..grid.points * lanes];
            fill(image, lanes, planes, &grid, (batch.height, batch.width));
            if let Some(dense) = &weights.stem_globals {
                let globals = &batch.globals[(group.first + at) * weights.globals..][..weights.globals];
                self.kernels.linear(dense, globals, &mut self.scratch.bias[at * dense.lanes..][..dense.lanes]);
            }
        }
        let bias = if weights.stem_globals.is_some() { Bias::Own } else { Bias::Shared };
        self.scatter(From::Input, group.count);
        self.conv(&weights.stem, group.count, bias, To::Trunk { add: false, relu: weights.blocks.is_empty() });
    }

    /// One residual block; the last one leaves relu(x), which is all the heads read.
    fn block(&mut self, block: &Block, count: usize, last: bool) {
        self.scatter(From::Trunk, count);
        let mut bias = Bias::Shared;
        if let Some((conv, linear)) = &block.pool {
            self.conv(conv, count, Bias::Shared, To::Pool);
            for at in 0..count {
                let lanes = conv.lanes();
                self.pool_vector(at * lanes, conv.outputs);
                let s = &mut *self.scratch;
                let out = &mut s.bias[at * linear.lanes..][..linear.lanes];
                self.kernels.linear(linear, &s.pooled[..linear.inputs], out);
            }
            bias = Bias::Own;
        }
        self.conv(&block.conv1, count, bias, To::Inner);
        self.scatter(From::Inner, count);
        self.conv(&block.conv2, count, Bias::Shared, To::Trunk { add: true, relu: last });
    }

    /// Transforms images into tiles.
    fn scatter(&mut self, from: From, count: usize) {
        let s = &mut *self.scratch;
        let trunk_lanes = self.weights.stem.lanes();
        let (image, lanes) = match from {
            From::Input => (&s.input, self.weights.stem.lanes_in()),
            From::Trunk => (&s.trunk, trunk_lanes),
            From::Inner => (&s.inner, trunk_lanes),
        };
        let pitch = tile_pitch(count * self.grid.tiles() * lanes);
        let relu = matches!(from, From::Trunk);
        self.kernels.scatter(&Scatter { grid: &self.grid, count, lanes, relu, image, pitch }, &mut s.tiles);
    }

    /// The rest of a convolution, after `scatter`.
    fn conv(&mut self, conv: &Conv, count: usize, bias: Bias, to: To) {
        let (grid, s) = (self.grid, &mut *self.scratch);
        let freqs = grid.kind.freqs();
        let rows = count * grid.tiles();
        let weights = conv.packed(grid.kind);
        if matches!(to, To::Pool) {
            s.sums[..count * conv.lanes()].fill(0.0);
            s.peaks[..count * conv.lanes()].fill(0.0);
        }
        for panel in panels(conv.lanes()) {
            let product = Product {
                freqs,
                rows,
                depth: conv.inputs,
                stride: conv.lanes_in(),
                pitch: tile_pitch(rows * conv.lanes_in()),
                width: panel.width,
                out_stride: freqs * panel.width,
                left: &s.tiles,
                right: &weights[panel.first * freqs * conv.inputs..][..panel.width * freqs * conv.inputs],
            };
            self.kernels.multiply(&product, &mut s.products);
            let (bias, bias_pitch) = match bias {
                Bias::Own => (&s.bias[panel.first..], conv.lanes()),
                Bias::Shared => (&conv.bias[panel.first..], 0),
            };
            let gather = Gather {
                grid: &grid,
                count,
                products: &s.products,
                width: panel.width,
                bias,
                bias_pitch,
                first: panel.first,
                lanes: conv.lanes(),
            };
            let sink = match to {
                To::Trunk { add, relu } => Sink::Image { image: &mut s.trunk, add, relu },
                To::Inner => Sink::Image { image: &mut s.inner, add: false, relu: true },
                To::Pool => Sink::Pool { sums: &mut s.sums, peaks: &mut s.peaks },
            };
            self.kernels.gather(&gather, sink);
        }
    }

    /// Sums and maxima from `from` on to the pooled vector: mean, mean scaled by board size, maximum.
    fn pool_vector(&mut self, from: usize, channels: usize) {
        let area = (self.grid.height * self.grid.width) as f32;
        let scale = (area.sqrt() - 14.0) / 10.0;
        let s = &mut *self.scratch;
        for channel in 0..channels {
            let mean = s.sums[from + channel] / area;
            s.pooled[channel] = mean;
            s.pooled[channels + channel] = mean * scale;
            s.pooled[2 * channels + channel] = s.peaks[from + channel];
        }
    }

    /// A 1x1 convolution of the trunk at the points of board `at`, without its bias, to `features`.
    fn point(&mut self, point: &Point, at: usize) {
        let (grid, s) = (self.grid, &mut *self.scratch);
        let (lanes, stride) = (point.lanes(), self.weights.stem.lanes());
        for panel in panels(lanes) {
            for row in 0..grid.height {
                let from = at * grid.points + (row + 1) * grid.pitch + 1;
                let product = Product {
                    freqs: 1,
                    rows: grid.width,
                    depth: point.inputs,
                    stride,
                    pitch: 0,
                    width: panel.width,
                    out_stride: lanes,
                    left: &s.trunk[from * stride..],
                    right: &point.packed[panel.first * point.inputs..][..panel.width * point.inputs],
                };
                self.kernels.multiply(&product, &mut s.features[row * grid.width * lanes + panel.first..]);
            }
        }
    }

    /// A 1x1 convolution of the trunk, max(0, ·), pooled to `pooled`.
    fn pooled_point(&mut self, point: &Point, at: usize) {
        self.point(point, at);
        let lanes = point.lanes();
        let s = &mut *self.scratch;
        let rows = &s.features[..self.grid.height * self.grid.width * lanes];
        self.kernels.pool(rows, &point.bias, &mut s.sums[..lanes], &mut s.peaks[..lanes]);
        self.pool_vector(0, point.outputs);
    }

    /// A linear layer of `pooled` to `small`.
    fn small(&mut self, dense: &Dense) {
        let s = &mut *self.scratch;
        self.kernels.linear(dense, &s.pooled[..dense.inputs], &mut s.small[..dense.lanes]);
    }

    /// The policy head for board `at` of the group, position `position` of the batch with sides `sides`.
    fn policy(&mut self, at: usize, position: usize, sides: (usize, usize), out: &mut RawOutput) {
        let policy = &self.weights.policy;
        self.pooled_point(&policy.pool, at);
        if let Some((dense, count)) = &policy.extra {
            self.small(dense);
            out.extra[position * count..][..*count].copy_from_slice(&self.scratch.small[..*count]);
        }
        self.small(&policy.mix);
        self.point(&policy.point, at);
        let lanes = policy.point.lanes();
        let s = &*self.scratch;
        let scores = &mut out.policy[position * sides.0 * sides.1..][..sides.0 * sides.1];
        for row in 0..self.grid.height {
            let features = &s.features[row * self.grid.width * lanes..][..self.grid.width * lanes];
            let scores = &mut scores[row * sides.1..][..self.grid.width];
            self.kernels.score(features, &s.small[..lanes], &policy.out, scores);
        }
    }

    /// The value head, likewise.
    fn value(&mut self, at: usize, position: usize, out: &mut RawOutput) {
        let value = &self.weights.value;
        self.pooled_point(&value.conv, at);
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

/// Which image a convolution fills.
#[derive(Clone, Copy)]
enum To {
    Trunk { add: bool, relu: bool },
    Inner,
    Pool,
}

/// Which bias a convolution adds.
#[derive(Clone, Copy)]
enum Bias {
    /// The convolution's, the same for all positions.
    Shared,
    /// That in `Scratch::bias`, one per position.
    Own,
}

/// Distance between freqs for so many numbers each: a line more than needed, because distances that are a multiple of
/// 4096 bytes would put all freqs of a tile into the same few sets of the cache.
fn tile_pitch(numbers: usize) -> usize {
    numbers.next_multiple_of(16) + 16
}

/// Writes planes `[planes][height][width]` of a batch with sides `sides` into an image; only points of the board.
fn fill(image: &mut [f32], lanes: usize, planes: &[f32], grid: &Grid, sides: (usize, usize)) {
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
