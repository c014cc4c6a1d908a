//! The memory of one thread: what a group leaves behind on its way forward, working memory, and sums of gradients. It
//! grows to the largest group seen, then stays. Not here: what the numbers mean (`trunk`, `heads`).

use crate::fused::forward::tile_pitch;
use crate::fused::panels::Buffer;
use crate::fused::winograd::Grid;

use super::layers::Dense;
use super::plan::{Group, Layers};

/// Sums for the gradient of a `Dense`.
#[derive(Debug, Default)]
pub(super) struct Sums(Buffer);

impl Sums {
    /// Zeros for that layer.
    pub(super) fn clear(&mut self, dense: &Dense) {
        self.0.reserve(dense.sums());
        self.0.fill(0.0);
    }

    pub(super) fn all(&mut self) -> &mut [f32] {
        &mut self.0
    }

    pub(super) fn settle(&self, dense: &Dense, gradient: &mut [f32]) {
        dense.settle(&self.0, gradient);
    }
}

/// What a block leaves behind.
#[derive(Debug, Default)]
pub(super) struct BlockMemory {
    /// Between its convolutions after max(0, ·), `[rows][points][lanes]`.
    pub(super) inner: Buffer,
    /// Its output, likewise, before max(0, ·).
    pub(super) out: Buffer,
    /// Pooled channels after max(0, ·), `[rows][points][lanes of the branch]`.
    pub(super) pool: Buffer,
    /// `[rows][3 channels of the branch]`.
    pub(super) pooled: Buffer,
    pub(super) linear_sums: Sums,
}

/// A head that pools.
#[derive(Debug, Default)]
pub(super) struct HeadMemory {
    /// Features after max(0, ·), `[rows][area][lanes]`.
    pub(super) features: Buffer,
    /// `[rows][3 channels]`.
    pub(super) pooled: Buffer,
    /// Gradient of `pooled`, `[rows][lanes of 3 channels]`.
    pub(super) pooled_gradient: Buffer,
    pub(super) sums: Sums,
}

/// Working memory of convolutions: transformed tiles of some rows.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    pub(super) inputs: Buffer,
    pub(super) outputs: Buffer,
    /// Of the pooling branch.
    pub(super) branch: Buffer,
    pub(super) products: Buffer,
    /// Gradient of transformed weights.
    pub(super) sums: Buffer,
    pub(super) branch_sums: Buffer,
}

/// All memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// What images are laid out for (their borders are zero), and for how many rows.
    grid: Option<(Grid, usize)>,
    /// Per row: points on the board.
    pub(super) points: Vec<f32>,
    /// Points within the grid's board that the mask excludes: row, line, column. Empty for whole rectangles.
    pub(super) holes: Vec<(usize, usize, usize)>,
    /// Planes, `[rows][points][lanes]`.
    pub(super) input: Buffer,
    /// Input of the first block.
    pub(super) stem: Buffer,
    pub(super) blocks: Vec<BlockMemory>,
    /// Gradient of the trunk.
    pub(super) gradient: Buffer,
    /// Gradient between a block's convolutions.
    pub(super) inner_gradient: Buffer,
    /// One position's image, for gradients on their way to others.
    pub(super) image: Buffer,
    pub(super) tiles: Tiles,
    /// Bias per row, `[rows][lanes]`, and its gradient.
    pub(super) bias: Buffer,
    pub(super) bias_gradient: Buffer,
    pub(super) bias_sums: Buffer,
    pub(super) branch_bias_sums: Buffer,
    pub(super) globals: Buffer,
    pub(super) globals_sums: Sums,
    /// One position's trunk after max(0, ·), `[area][lanes]`, and its gradient.
    pub(super) trunk: Buffer,
    pub(super) trunk_gradient: Buffer,
    /// One position's features of a head.
    pub(super) features: Buffer,
    pub(super) scores: Buffer,
    /// `[rows][area][lanes]`, as in `HeadMemory`.
    pub(super) point: Buffer,
    pub(super) point_sums: Sums,
    pub(super) out_sums: Sums,
    pub(super) policy: HeadMemory,
    pub(super) mix: Buffer,
    pub(super) mix_sums: Sums,
    pub(super) value: HeadMemory,
    pub(super) hidden: Buffer,
    pub(super) hidden_gradient: Buffer,
    pub(super) hidden_sums: Sums,
    pub(super) result: Buffer,
    pub(super) result_sums: Sums,
    pub(super) ownership_sums: Sums,
}

impl Memory {
    /// Forgets all gradients.
    pub(super) fn clear_sums(&mut self, layers: &Layers) {
        self.blocks.resize_with(layers.blocks.len(), BlockMemory::default);
        for (memory, block) in self.blocks.iter_mut().zip(&layers.blocks) {
            if let Some((_, linear)) = &block.pool {
                memory.linear_sums.clear(linear);
            }
        }
        for (sums, dense) in self.sums(layers) {
            sums.clear(dense);
        }
    }

    /// Adds the sums of all linear layers to the gradient.
    pub(super) fn settle(&mut self, layers: &Layers, gradient: &mut [f32]) {
        for (memory, block) in self.blocks.iter_mut().zip(&layers.blocks) {
            if let Some((_, linear)) = &block.pool {
                memory.linear_sums.settle(linear, gradient);
            }
        }
        for (sums, dense) in self.sums(layers) {
            sums.settle(dense, gradient);
        }
    }

    /// The linear layers outside blocks.
    fn sums<'a>(&'a mut self, layers: &'a Layers) -> impl Iterator<Item = (&'a mut Sums, &'a Dense)> {
        let always = [
            (&mut self.point_sums, &layers.policy_point),
            (&mut self.policy.sums, &layers.policy_pool),
            (&mut self.mix_sums, &layers.policy_mix),
            (&mut self.out_sums, &layers.policy_out),
            (&mut self.value.sums, &layers.value_conv),
            (&mut self.hidden_sums, &layers.value_hidden),
            (&mut self.result_sums, &layers.value_out),
        ];
        let globals = layers.stem_globals.iter().zip([&mut self.globals_sums]).map(|(dense, sums)| (sums, dense));
        let ownership = layers.ownership.iter().zip([&mut self.ownership_sums]).map(|(dense, sums)| (sums, dense));
        always.into_iter().chain(globals).chain(ownership)
    }

    /// Makes room for a group, whose convolutions take `chunk` rows at a time, and clears the borders of images when the
    /// grid is a new one.
    pub(super) fn lay_out(&mut self, layers: &Layers, group: &Group, chunk: usize) {
        let (grid, rows) = (group.grid, group.rows.len());
        if self.grid.is_some_and(|(known, most)| known == grid && most >= rows) {
            return;
        }
        let (lanes, freqs, area) = (layers.lanes(), grid.kind.freqs(), grid.height * grid.width);
        let clear = |buffer: &mut Buffer, len: usize| {
            buffer.reserve(len);
            buffer[..len].fill(0.0);
        };
        let image = rows * grid.points;
        clear(&mut self.input, image * layers.stem.lanes_in());
        for buffer in [&mut self.stem, &mut self.gradient, &mut self.inner_gradient] {
            clear(buffer, image * lanes);
        }
        let (mut branch, mut widest) = (8, lanes.max(layers.stem.lanes_in()));
        for (memory, block) in self.blocks.iter_mut().zip(&layers.blocks) {
            clear(&mut memory.inner, image * lanes);
            clear(&mut memory.out, image * lanes);
            if let Some((conv, linear)) = &block.pool {
                clear(&mut memory.pool, image * conv.lanes());
                memory.pooled.reserve(rows * linear.inputs);
                branch = branch.max(conv.lanes());
            }
        }
        widest = widest.max(branch);
        clear(&mut self.image, grid.points * widest);
        let tiles = &mut self.tiles;
        for (buffer, lanes) in [
            (&mut tiles.inputs, widest),
            (&mut tiles.outputs, lanes),
            (&mut tiles.branch, branch),
            (&mut tiles.products, widest),
        ] {
            buffer.reserve(freqs * tile_pitch(chunk * grid.tiles() * lanes));
        }
        let most = |convs: &mut dyn Iterator<Item = usize>| convs.max().unwrap_or(0);
        let blocks = || layers.blocks.iter();
        let trunk = most(&mut blocks().map(|b| b.conv1.sums(grid.kind)));
        tiles.sums.reserve(trunk.max(layers.stem.sums(grid.kind)));
        tiles.branch_sums.reserve(most(&mut blocks().filter_map(|b| b.pool.as_ref()).map(|p| p.0.sums(grid.kind))));
        self.lay_out_vectors(layers, rows, widest.max(branch));
        self.lay_out_heads(layers, rows, area);
        self.grid = Some((grid, rows));
    }

    fn lay_out_vectors(&mut self, layers: &Layers, rows: usize, widest: usize) {
        let pools = layers.blocks.iter().filter_map(|b| b.pool.as_ref()).map(|(_, linear)| linear.lanes_in());
        let widest = pools.fold(widest, usize::max);
        self.bias.reserve(rows * widest);
        self.bias_gradient.reserve(rows * widest);
        self.bias_sums.reserve(widest);
        self.branch_bias_sums.reserve(widest);
        self.globals.reserve(rows * layers.config.globals.max(1));
    }

    fn lay_out_heads(&mut self, layers: &Layers, rows: usize, area: usize) {
        let (policy, value) = (&layers.policy_pool, &layers.value_conv);
        let widest = policy.lanes.max(value.lanes);
        self.trunk.reserve(area * layers.lanes());
        self.trunk_gradient.reserve(area * layers.lanes());
        self.features.reserve(area * widest);
        self.scores.reserve(area * layers.policy_out.lanes);
        self.point.reserve(rows * area * policy.lanes);
        let pooled = [
            (&mut self.policy, policy, layers.policy_mix.lanes_in(), layers.policy_mix.inputs),
            (&mut self.value, value, layers.value_hidden.lanes_in(), layers.value_hidden.inputs),
        ];
        for (head, dense, lanes, inputs) in pooled {
            head.features.reserve(rows * area * dense.lanes);
            head.pooled.reserve(rows * inputs);
            head.pooled_gradient.reserve(rows * lanes);
        }
        self.mix.reserve(rows * layers.policy_mix.lanes);
        let hidden = layers.value_hidden.lanes.max(layers.value_out.lanes_in());
        self.hidden.reserve(rows * hidden);
        self.hidden_gradient.reserve(rows * hidden);
        self.result.reserve(rows * layers.value_out.lanes);
    }
}
