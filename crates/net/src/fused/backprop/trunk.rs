//! Stem and residual blocks of a group, forward and back, by Winograd convolutions in all three directions. With V the
//! transformed input, U the transformed weights and M = V U the transformed output of a tile, going back is the exact
//! transpose: the output's gradient is spread to that of M; V gets M Uᵀ, collected to the input's gradient; U gets Vᵀ M,
//! summed over all tiles before it is transformed back to nine taps. Not here: heads, memory.

use std::ops::Range;

use crate::config::{POOL_SCALE, POOL_SIDE};
use crate::fused::forward::{fill, tile_pitch};
use crate::fused::kernels::{Gather, Kernels, Scatter, Sink};
use crate::fused::winograd::{Grid, Kind};
use crate::raw::RawBatch;

use super::layers::{Conv, add};
use super::memory::{BlockMemory, Memory, Tiles};
use super::plan::{Group, Layers};

/// A group on its way through the network.
pub(super) struct Pass<'a, K> {
    pub(super) kernels: K,
    pub(super) layers: &'a Layers,
    pub(super) memory: &'a mut Memory,
    pub(super) group: &'a Group,
    pub(super) batch: &'a RawBatch,
}

/// Tiles that convolutions take at a time: enough that reading the weights doesn't count, few enough to stay in the
/// cache.
const TILES: usize = 72;

/// Rows of a group that convolutions take at a time.
pub(super) fn chunk(grid: &Grid) -> usize {
    TILES.div_ceil(grid.tiles())
}

impl<K: Kernels> Pass<'_, K> {
    fn chunks(&self) -> impl Iterator<Item = Range<usize>> + use<K> {
        let (rows, step) = (self.group.rows.len(), chunk(&self.group.grid));
        (0..rows).step_by(step).map(move |first| first..rows.min(first + step))
    }

    /// Planes and globals through the trunk.
    pub(super) fn trunk(&mut self) {
        self.load();
        self.stem();
        for index in 0..self.layers.blocks.len() {
            self.block(index);
        }
    }

    /// Reads the group's rows of the batch.
    fn load(&mut self) {
        let (batch, grid, m) = (self.batch, self.group.grid, &mut *self.memory);
        let (planes, globals, lanes) =
            (self.layers.stem.inputs, self.layers.config.globals, self.layers.stem.lanes_in());
        let area = batch.height * batch.width;
        m.points.clear();
        m.holes.clear();
        for (at, &row) in self.group.rows.iter().enumerate() {
            let image = &mut m.input[at * grid.points * lanes..][..grid.points * lanes];
            let sides = (batch.height, batch.width);
            fill(image, lanes, &batch.planes[row * planes * area..][..planes * area], &grid, sides);
            m.globals[at * globals..][..globals].copy_from_slice(&batch.globals[row * globals..][..globals]);
            let mask = &batch.mask[row * area..][..area];
            m.points.push(mask.iter().sum());
            for (y, line) in mask.chunks_exact(batch.width).take(grid.height).enumerate() {
                let empty = (0..grid.width).filter(|&x| line[x] == 0.0);
                m.holes.extend(empty.map(|x| (at, y, x)));
            }
        }
    }

    fn stem(&mut self) {
        let (conv, lanes) = (&self.layers.stem, self.layers.lanes());
        let rows = self.group.rows.len();
        for row in self.memory.bias[..rows * lanes].chunks_exact_mut(lanes) {
            row.copy_from_slice(&conv.bias);
        }
        if let Some(dense) = &self.layers.stem_globals {
            let m = &mut *self.memory;
            dense.forward(self.kernels, rows, &m.globals, dense.inputs, &mut m.bias);
            m.bias[..rows * lanes].chunks_exact_mut(lanes).for_each(|row| add(row, &conv.bias));
        }
        let target = Target { lanes, relu: false, add: false };
        for chunk in self.chunks() {
            let strip = Strip { kernels: self.kernels, grid: &self.group.grid };
            let Memory { tiles, input, stem, bias, .. } = &mut *self.memory;
            strip.scatter(input, conv.lanes_in(), false, &chunk, &mut tiles.inputs);
            strip.multiply(conv, chunk.len(), &tiles.inputs, &mut tiles.products);
            strip.gather(target, &chunk, &tiles.products, (bias, lanes), stem);
        }
        mask(&mut self.memory.stem, lanes, &self.group.grid, &self.memory.holes);
    }

    fn block(&mut self, index: usize) {
        let (block, lanes) = (&self.layers.blocks[index], self.layers.lanes());
        let strip = Strip { kernels: self.kernels, grid: &self.group.grid };
        let grid = &self.group.grid;
        for chunk in self.chunks() {
            let Memory { tiles, stem, blocks, bias, points, holes, .. } = &mut *self.memory;
            let (before, rest) = blocks.split_at_mut(index);
            let input = before.last().map_or(&*stem, |block| &block.out);
            let own = &mut rest[0];
            strip.scatter(input, lanes, true, &chunk, &mut tiles.inputs);
            let mut conv1_bias = (&block.conv1.bias[..], 0);
            if let Some((conv, linear)) = &block.pool {
                strip.multiply(conv, chunk.len(), &tiles.inputs, &mut tiles.products);
                let target = Target { lanes: conv.lanes(), relu: true, add: false };
                strip.gather(target, &chunk, &tiles.products, (&conv.bias, 0), &mut own.pool);
                mask(&mut own.pool, conv.lanes(), grid, holes);
                for row in chunk.clone() {
                    let image = &own.pool[row * grid.points * conv.lanes()..][..grid.points * conv.lanes()];
                    let pooled = &mut own.pooled[row * linear.inputs..][..linear.inputs];
                    pool(self.kernels, image, conv.lanes(), points[row], pooled);
                    let bias = &mut bias[row * lanes..][..lanes];
                    linear.forward(self.kernels, 1, pooled, linear.inputs, bias);
                    add(bias, &block.conv1.bias);
                }
                conv1_bias = (bias, lanes);
            }
            strip.multiply(&block.conv1, chunk.len(), &tiles.inputs, &mut tiles.products);
            let target = Target { lanes, relu: true, add: false };
            strip.gather(target, &chunk, &tiles.products, conv1_bias, &mut own.inner);
        }
        mask(&mut self.memory.blocks[index].inner, lanes, grid, &self.memory.holes);
        for chunk in self.chunks() {
            let Memory { tiles, stem, blocks, .. } = &mut *self.memory;
            let (before, rest) = blocks.split_at_mut(index);
            let input = before.last().map_or(&*stem, |block| &block.out);
            let own = &mut rest[0];
            strip.scatter(&own.inner, lanes, false, &chunk, &mut tiles.inputs);
            strip.multiply(&block.conv2, chunk.len(), &tiles.inputs, &mut tiles.products);
            let images = chunk.start * grid.points * lanes..chunk.end * grid.points * lanes;
            own.out[images.clone()].copy_from_slice(&input[images]);
            let target = Target { lanes, relu: false, add: true };
            strip.gather(target, &chunk, &tiles.products, (&block.conv2.bias, 0), &mut own.out);
        }
        mask(&mut self.memory.blocks[index].out, lanes, grid, &self.memory.holes);
    }

    /// From the gradient of the trunk's output, in `memory.gradient`, to all gradients before it.
    pub(super) fn trunk_back(&mut self, gradient: &mut [f32]) {
        for index in (0..self.layers.blocks.len()).rev() {
            self.second_back(index, gradient);
            self.first_back(index, gradient);
        }
        self.stem_back(gradient);
    }

    /// From a block's output to its inner image.
    fn second_back(&mut self, index: usize, gradient: &mut [f32]) {
        let (conv, lanes, grid) = (&self.layers.blocks[index].conv2, self.layers.lanes(), &self.group.grid);
        self.begin(conv);
        for chunk in self.chunks() {
            let strip = Strip { kernels: self.kernels, grid };
            let (kernels, count) = (self.kernels, chunk.len());
            let Memory { tiles, blocks, gradient, inner_gradient, bias_sums, .. } = &mut *self.memory;
            let inner = &blocks[index].inner;
            let images = chunk.start * grid.points * lanes..chunk.end * grid.points * lanes;
            strip.scatter(inner, lanes, false, &chunk, &mut tiles.inputs);
            strip.spread(gradient, lanes, &chunk, &mut tiles.outputs);
            strip.learn(conv, count, &tiles.inputs, &tiles.outputs, &mut tiles.sums);
            strip.back(conv, count, &tiles.outputs, &mut tiles.products, false);
            inner_gradient[images.clone()].fill(0.0);
            strip.collect(&tiles.products, lanes, &chunk, inner_gradient);
            kernels.keep_where(&inner[images.clone()], &mut inner_gradient[images.clone()]);
            kernels.add_rows(&gradient[images], &mut bias_sums[..lanes]);
        }
        conv.settle(grid.kind, &self.memory.tiles.sums, &self.memory.bias_sums, gradient);
    }

    /// From a block's inner image to its input.
    fn first_back(&mut self, index: usize, gradient: &mut [f32]) {
        let (block, lanes, grid) = (&self.layers.blocks[index], self.layers.lanes(), &self.group.grid);
        self.begin(&block.conv1);
        if let Some((conv, _)) = &block.pool {
            let m = &mut *self.memory;
            m.tiles.branch_sums[..conv.sums(grid.kind)].fill(0.0);
            m.branch_bias_sums.fill(0.0);
        }
        let strip = Strip { kernels: self.kernels, grid };
        for chunk in self.chunks() {
            self.bias_back(&chunk);
            let count = chunk.len();
            let m = &mut *self.memory;
            if let Some(branch) = &block.pool {
                strip.pool_back(branch, index, m, &chunk);
            }
            let Memory { tiles, stem, blocks, gradient, inner_gradient, image, .. } = m;
            let input = if index > 0 { &blocks[index - 1].out } else { &*stem };
            strip.scatter(input, lanes, true, &chunk, &mut tiles.inputs);
            strip.spread(inner_gradient, lanes, &chunk, &mut tiles.outputs);
            strip.learn(&block.conv1, count, &tiles.inputs, &tiles.outputs, &mut tiles.sums);
            strip.back(&block.conv1, count, &tiles.outputs, &mut tiles.products, false);
            if let Some((conv, _)) = &block.pool {
                strip.learn(conv, count, &tiles.inputs, &tiles.branch, &mut tiles.branch_sums);
                strip.back(conv, count, &tiles.branch, &mut tiles.products, true);
            }
            for (at, row) in chunk.clone().enumerate() {
                let image = &mut image[..grid.points * lanes];
                image.fill(0.0);
                strip.collect_one(&tiles.products, lanes, (at, count), image);
                let range = row * grid.points * lanes..(row + 1) * grid.points * lanes;
                self.kernels.add_where(&input[range.clone()], image, &mut gradient[range]);
            }
        }
        let m = &mut *self.memory;
        block.conv1.settle(grid.kind, &m.tiles.sums, &m.bias_sums, gradient);
        if let Some((conv, _)) = &block.pool {
            conv.settle(grid.kind, &m.tiles.branch_sums, &m.branch_bias_sums, gradient);
        }
    }

    /// Sums the inner gradient over each board, to `bias_gradient` and `bias_sums`.
    fn bias_back(&mut self, chunk: &Range<usize>) {
        let (lanes, grid, m) = (self.layers.lanes(), &self.group.grid, &mut *self.memory);
        for row in chunk.clone() {
            let sums = &mut m.bias_gradient[row * lanes..][..lanes];
            sums.fill(0.0);
            self.kernels.add_rows(&m.inner_gradient[row * grid.points * lanes..][..grid.points * lanes], sums);
            add(&mut m.bias_sums[..lanes], sums);
        }
    }

    fn stem_back(&mut self, gradient: &mut [f32]) {
        let (conv, lanes, grid) = (&self.layers.stem, self.layers.lanes(), &self.group.grid);
        self.begin(conv);
        let strip = Strip { kernels: self.kernels, grid };
        for chunk in self.chunks() {
            let Memory { tiles, input, gradient, .. } = &mut *self.memory;
            strip.scatter(input, conv.lanes_in(), false, &chunk, &mut tiles.inputs);
            strip.spread(gradient, lanes, &chunk, &mut tiles.outputs);
            strip.learn(conv, chunk.len(), &tiles.inputs, &tiles.outputs, &mut tiles.sums);
        }
        let (rows, m) = (self.group.rows.len(), &mut *self.memory);
        for row in 0..rows {
            let sums = &mut m.bias_gradient[row * lanes..][..lanes];
            sums.fill(0.0);
            self.kernels.add_rows(&m.gradient[row * grid.points * lanes..][..grid.points * lanes], sums);
            add(&mut m.bias_sums[..lanes], sums);
        }
        conv.settle(grid.kind, &m.tiles.sums, &m.bias_sums, gradient);
        if let Some(dense) = &self.layers.stem_globals {
            let x = (&m.globals[..], dense.inputs);
            dense.learn(self.kernels, rows, x, &m.bias_gradient, m.globals_sums.all());
        }
    }

    /// Clears the sums for a convolution.
    fn begin(&mut self, conv: &Conv) {
        let m = &mut *self.memory;
        m.tiles.sums[..conv.sums(self.group.grid.kind)].fill(0.0);
        m.bias_sums.fill(0.0);
    }
}

/// How outputs are written.
#[derive(Clone, Copy)]
struct Target {
    lanes: usize,
    relu: bool,
    add: bool,
}

/// Operations on some rows of a group.
#[derive(Clone, Copy)]
struct Strip<'a, K> {
    kernels: K,
    grid: &'a Grid,
}

impl<K: Kernels> Strip<'_, K> {
    fn kind(&self) -> Kind {
        self.grid.kind
    }

    fn pitch(&self, rows: usize, lanes: usize) -> usize {
        tile_pitch(rows * self.grid.tiles() * lanes)
    }

    /// Images to transformed inputs.
    fn scatter(&self, images: &[f32], lanes: usize, relu: bool, chunk: &Range<usize>, tiles: &mut [f32]) {
        let (grid, pitch) = (self.grid, self.pitch(chunk.len(), lanes));
        for (at, row) in chunk.clone().enumerate() {
            let image = &images[row * grid.points * lanes..][..grid.points * lanes];
            self.kernels.scatter(&Scatter { grid, lanes, relu, image, pitch }, &mut tiles[at * grid.tiles() * lanes..]);
        }
    }

    /// Gradients of images to those of transformed outputs.
    fn spread(&self, images: &[f32], lanes: usize, chunk: &Range<usize>, tiles: &mut [f32]) {
        for (at, row) in chunk.clone().enumerate() {
            let image = &images[row * self.grid.points * lanes..][..self.grid.points * lanes];
            self.spread_one(image, lanes, (at, chunk.len()), tiles);
        }
    }

    fn spread_one(&self, image: &[f32], lanes: usize, (at, rows): (usize, usize), tiles: &mut [f32]) {
        let (grid, pitch) = (self.grid, self.pitch(rows, lanes));
        let job = Scatter { grid, lanes, relu: false, image, pitch };
        self.kernels.spread(&job, &mut tiles[at * grid.tiles() * lanes..]);
    }

    /// Adds gradients of transformed inputs to those of images.
    fn collect(&self, tiles: &[f32], lanes: usize, chunk: &Range<usize>, images: &mut [f32]) {
        for (at, row) in chunk.clone().enumerate() {
            let image = &mut images[row * self.grid.points * lanes..][..self.grid.points * lanes];
            self.collect_one(tiles, lanes, (at, chunk.len()), image);
        }
    }

    fn collect_one(&self, tiles: &[f32], lanes: usize, (at, rows): (usize, usize), image: &mut [f32]) {
        let (grid, pitch) = (self.grid, self.pitch(rows, lanes));
        let tiles = &tiles[at * grid.tiles() * lanes..];
        self.kernels.collect(&Scatter { grid, lanes, relu: false, image: tiles, pitch }, image);
    }

    /// Transformed outputs to images; `bias` is one for all rows, or one per row at that distance.
    fn gather(
        &self,
        target: Target,
        chunk: &Range<usize>,
        products: &[f32],
        (bias, distance): (&[f32], usize),
        images: &mut [f32],
    ) {
        let (grid, Target { lanes, relu, add }) = (self.grid, target);
        let pitch = self.pitch(chunk.len(), lanes);
        for (at, row) in chunk.clone().enumerate() {
            let products = &products[at * grid.tiles() * lanes..];
            let bias = &bias[row * distance..][..lanes];
            let job = Gather { grid, products, step: lanes, pitch, width: lanes, bias, first: 0, lanes };
            let image = &mut images[row * grid.points * lanes..][..grid.points * lanes];
            self.kernels.gather(&job, Sink::Image { image, add, relu });
        }
    }

    fn multiply(&self, conv: &Conv, rows: usize, inputs: &[f32], outputs: &mut [f32]) {
        let (from, to) = (self.pitch(rows, conv.lanes_in()), self.pitch(rows, conv.lanes()));
        conv.forward(self.kernels, self.kind(), rows * self.grid.tiles(), (inputs, from), (outputs, to));
    }

    fn back(&self, conv: &Conv, rows: usize, outputs: &[f32], inputs: &mut [f32], add: bool) {
        let (from, to) = (self.pitch(rows, conv.lanes()), self.pitch(rows, conv.lanes_in()));
        conv.back(self.kernels, self.kind(), rows * self.grid.tiles(), (outputs, from), (inputs, to), add);
    }

    fn learn(&self, conv: &Conv, rows: usize, inputs: &[f32], outputs: &[f32], sums: &mut [f32]) {
        let (left, right) = (self.pitch(rows, conv.lanes_in()), self.pitch(rows, conv.lanes()));
        conv.learn(self.kernels, self.kind(), rows * self.grid.tiles(), (inputs, left), (outputs, right), sums);
    }

    /// From the gradient of the first convolution's bias through the pooling branch, to `tiles.branch`.
    fn pool_back(
        &self,
        (conv, linear): &(Conv, super::layers::Dense),
        index: usize,
        m: &mut Memory,
        chunk: &Range<usize>,
    ) {
        let (points, lanes, count) = (self.grid.points, conv.lanes(), chunk.len());
        let BlockMemory { pool, pooled, linear_sums, .. } = &mut m.blocks[index];
        let pooled = &pooled[chunk.start * linear.inputs..][..count * linear.inputs];
        let dy = &m.bias_gradient[chunk.start * linear.lanes..][..count * linear.lanes];
        linear.learn(self.kernels, count, (pooled, linear.inputs), dy, linear_sums.all());
        // The bias that `load` set for these rows has been used; its place serves.
        let pooled_gradient = &mut m.bias;
        linear.back(self.kernels, count, dy, pooled_gradient, false);
        let Tiles { branch, .. } = &mut m.tiles;
        for (at, row) in chunk.clone().enumerate() {
            let features = &pool[row * points * lanes..][..points * lanes];
            let image = &mut m.image[..points * lanes];
            let (pooled, gradient) = (&pooled[at * linear.inputs..], &pooled_gradient[at * linear.lanes_in()..]);
            unpool(self.kernels, (features, lanes), m.points[row], &pooled[..linear.inputs], gradient, image);
            self.kernels.keep_where(features, image);
            self.kernels.add_rows(image, &mut m.branch_bias_sums[..lanes]);
            self.spread_one(image, lanes, (at, count), branch);
        }
    }
}

/// Factor of the second pooled value.
fn scale(points: f32) -> f32 {
    (points.sqrt() - POOL_SIDE) / POOL_SCALE
}

/// Mean, mean scaled by the board's side, and maximum of each channel, none of which is negative; `points` on the board.
pub(super) fn pool<K: Kernels>(kernels: K, features: &[f32], lanes: usize, points: f32, pooled: &mut [f32]) {
    let channels = pooled.len() / 3;
    let (mut sums, mut peaks) = ([0.0; LANES_MAX], [0.0; LANES_MAX]);
    kernels.sums_and_peaks(features, &mut sums[..lanes], &mut peaks[..lanes]);
    for channel in 0..channels {
        let mean = sums[channel] / points;
        pooled[channel] = mean;
        pooled[channels + channel] = mean * scale(points);
        pooled[2 * channels + channel] = peaks[channel];
    }
}

/// Most lanes of any layer: the most channels that a network may have.
const LANES_MAX: usize = 1024;

/// The gradient of `pool`. A maximum's belongs to the first of equals, as in the reference.
pub(super) fn unpool<K: Kernels>(
    kernels: K,
    (features, lanes): (&[f32], usize),
    points: f32,
    pooled: &[f32],
    gradient: &[f32],
    to: &mut [f32],
) {
    let channels = pooled.len() / 3;
    let (mut even, mut peaks, mut found) = ([0.0; LANES_MAX], [0.0; LANES_MAX], [0; LANES_MAX]);
    for channel in 0..channels {
        even[channel] = (gradient[channel] + scale(points) * gradient[channels + channel]) / points;
        peaks[channel] = pooled[2 * channels + channel];
    }
    to.chunks_exact_mut(lanes).for_each(|row| row.copy_from_slice(&even[..lanes]));
    kernels.find_peaks(features, &peaks[..lanes], &mut found[..lanes]);
    for channel in 0..channels {
        to[found[channel] as usize * lanes + channel] += gradient[2 * channels + channel];
    }
}

/// Sets points outside the mask to 0.
fn mask(images: &mut [f32], lanes: usize, grid: &Grid, holes: &[(usize, usize, usize)]) {
    for &(row, y, x) in holes {
        let point = row * grid.points + (y + 1) * grid.pitch + x + 1;
        images[point * lanes..][..lanes].fill(0.0);
    }
}
