//! Policy and value heads of a group, forward and back. Not here: the trunk, the loss.

use crate::fused::kernels::Kernels;

use super::layers::add;
use super::memory::Memory;
use super::trunk::{Pass, pool, unpool};

/// Outputs of the rows of a group, or their gradient; sizes are those of the padded batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logits {
    /// `[rows][policies][height * width]`.
    pub(crate) policy: Vec<f32>,
    /// `[rows][policies][extras]`.
    pub(crate) extra: Vec<f32>,
    /// `[rows][3]`.
    pub(crate) wdl: Vec<f32>,
    /// `[rows][3]`, or empty.
    pub(crate) short: Vec<f32>,
    /// `[rows][2]`, or empty.
    pub(crate) margin: Vec<f32>,
    /// `[rows][height * width]`, or empty.
    pub(crate) ownership: Vec<f32>,
}

impl Logits {
    /// The vectors that come out of the value head together, with their length per row.
    fn results(&mut self) -> [(&mut Vec<f32>, usize); 3] {
        [(&mut self.wdl, 3), (&mut self.short, 3), (&mut self.margin, 2)]
    }

    /// Zeros.
    fn resize(&mut self, pass: &Pass<'_, impl Kernels>) {
        let (config, rows) = (&pass.layers.config, pass.group.rows.len());
        let area = pass.batch.height * pass.batch.width;
        let arrays = [
            (&mut self.policy, config.policies() * area),
            (&mut self.extra, config.policies() * config.extras),
            (&mut self.wdl, 3),
            (&mut self.short, if config.short_term { 3 } else { 0 }),
            (&mut self.margin, if config.board_heads { 2 } else { 0 }),
            (&mut self.ownership, if config.board_heads { area } else { 0 }),
        ];
        for (array, each) in arrays {
            array.clear();
            array.resize(rows * each, 0.0);
        }
    }
}

impl<K: Kernels> Pass<'_, K> {
    fn area(&self) -> usize {
        self.group.grid.height * self.group.grid.width
    }

    /// Copies max(0, trunk) of a row's board to `memory.trunk`.
    fn read_trunk(&mut self, row: usize) {
        let (grid, lanes, m) = (&self.group.grid, self.layers.lanes(), &mut *self.memory);
        let trunk = m.blocks.last().map_or(&m.stem, |block| &block.out);
        let line = grid.width * lanes;
        for y in 0..grid.height {
            let from = &trunk[(row * grid.points + (y + 1) * grid.pitch + 1) * lanes..][..line];
            self.kernels.relu(from, &mut m.trunk[y * line..][..line]);
        }
    }

    /// Adds to the gradient image of a row what `memory.trunk_gradient` says, where the trunk is positive.
    fn write_trunk(&mut self, row: usize) {
        let (grid, lanes, m) = (&self.group.grid, self.layers.lanes(), &mut *self.memory);
        let line = grid.width * lanes;
        for y in 0..grid.height {
            let to = &mut m.gradient[(row * grid.points + (y + 1) * grid.pitch + 1) * lanes..][..line];
            to.fill(0.0);
            let range = y * line..(y + 1) * line;
            self.kernels.add_where(&m.trunk[range.clone()], &m.trunk_gradient[range], to);
        }
    }

    /// All heads, from the trunk.
    pub(super) fn heads(&mut self, out: &mut Logits) {
        out.resize(self);
        let (layers, kernels, area) = (self.layers, self.kernels, self.area());
        let rows = self.group.rows.len();
        for row in 0..rows {
            self.read_trunk(row);
            let Memory { trunk, policy, value, point, points, holes, .. } = &mut *self.memory;
            let lanes = layers.policy_point.lanes;
            layers.policy_point.forward(kernels, area, trunk, layers.lanes(), &mut point[row * area * lanes..]);
            for (head, dense) in [(policy, &layers.policy_pool), (value, &layers.value_conv)] {
                let features = &mut head.features[row * area * dense.lanes..][..area * dense.lanes];
                dense.forward(kernels, area, trunk, layers.lanes(), features);
                kernels.add_relu(&dense.bias, features);
                clear(features, dense.lanes, row, self.group.grid.width, holes);
                let each = 3 * (dense.outputs());
                pool(kernels, features, dense.lanes, points[row], &mut head.pooled[row * each..][..each]);
            }
        }
        let Memory { policy, value, mix, hidden, result, .. } = &mut *self.memory;
        layers.policy_mix.biased(kernels, rows, &policy.pooled, layers.policy_mix.inputs, mix);
        layers.value_hidden.biased(kernels, rows, &value.pooled, layers.value_hidden.inputs, hidden);
        hidden.iter_mut().for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v });
        layers.value_out.biased(kernels, rows, hidden, layers.value_hidden.lanes, result);
        self.results(out);
        (0..rows).for_each(|row| self.maps(row, out));
    }

    /// Vectors to the output.
    fn results(&mut self, out: &mut Logits) {
        let (layers, m) = (self.layers, &*self.memory);
        let (policies, extras) = (layers.config.policies(), layers.config.extras);
        for row in 0..self.group.rows.len() {
            if extras > 0 {
                let from = &m.mix[row * layers.policy_mix.lanes + layers.policy_mix.first(1)..];
                out.extra[row * policies * extras..][..policies * extras].copy_from_slice(&from[..policies * extras]);
            }
            let mut from = &m.result[row * layers.value_out.lanes..];
            for (array, each) in out.results() {
                if !array.is_empty() {
                    array[row * each..][..each].copy_from_slice(&from[..each]);
                    from = &from[each..];
                }
            }
        }
    }

    /// A row's policy and ownership to the output.
    fn maps(&mut self, row: usize, out: &mut Logits) {
        let (layers, kernels, area) = (self.layers, self.kernels, self.area());
        let (grid, lanes) = (&self.group.grid, layers.policy_point.lanes);
        let Memory { value, point, mix, scores, holes, bias, .. } = &mut *self.memory;
        let features = &mut point[row * area * lanes..][..area * lanes];
        let bias = &mut bias[..lanes];
        bias.copy_from_slice(&layers.policy_point.bias);
        add(bias, &mix[row * layers.policy_mix.lanes..][..layers.policy_point.outputs()]);
        kernels.add_relu(bias, features);
        clear(features, lanes, row, grid.width, holes);
        layers.policy_out.forward(kernels, area, features, lanes, scores);
        let (side, padded) = (self.batch.width, self.batch.height * self.batch.width);
        let policies = layers.config.policies();
        for channel in 0..policies {
            let map = &mut out.policy[(row * policies + channel) * padded..][..padded];
            for (y, x) in points(grid.height, grid.width) {
                map[y * side + x] = scores[(y * grid.width + x) * layers.policy_out.lanes + channel];
            }
        }
        if let Some(dense) = &layers.ownership {
            let features = &value.features[row * area * layers.value_conv.lanes..];
            dense.biased(kernels, area, features, layers.value_conv.lanes, scores);
            let map = &mut out.ownership[row * padded..][..padded];
            for (y, x) in points(grid.height, grid.width) {
                map[y * side + x] = scores[(y * grid.width + x) * dense.lanes];
            }
        }
    }

    /// From the gradient of the outputs to that of the trunk, in `memory.gradient`.
    pub(super) fn heads_back(&mut self, out: &mut Logits) {
        let rows = self.group.rows.len();
        self.results_back(out);
        (0..rows).for_each(|row| self.policy_back(row, out));
        let (layers, kernels, m) = (self.layers, self.kernels, &mut *self.memory);
        let mix = &layers.policy_mix;
        let head = &mut m.policy;
        mix.learn(kernels, rows, (&head.pooled, mix.inputs), &m.mix, m.mix_sums.all());
        mix.back(kernels, rows, &m.mix, &mut head.pooled_gradient, false);
        (0..rows).for_each(|row| self.features_back(row, out));
    }

    /// Value vectors; `hidden` and `result` become gradients.
    fn results_back(&mut self, out: &mut Logits) {
        let (layers, kernels, rows, m) = (self.layers, self.kernels, self.group.rows.len(), &mut *self.memory);
        let (last, hidden) = (&layers.value_out, &layers.value_hidden);
        m.result.fill(0.0);
        for row in 0..rows {
            let mut to = &mut m.result[row * last.lanes..][..last.lanes];
            for (array, each) in out.results() {
                if !array.is_empty() {
                    let (part, rest) = to.split_at_mut(each);
                    part.copy_from_slice(&array[row * each..][..each]);
                    to = rest;
                }
            }
        }
        last.learn(kernels, rows, (&m.hidden, hidden.lanes), &m.result, m.result_sums.all());
        let gradient = &mut m.hidden_gradient[..rows * hidden.lanes];
        last.back(kernels, rows, &m.result, gradient, false);
        kernels.keep_where(&m.hidden, gradient);
        hidden.learn(kernels, rows, (&m.value.pooled, hidden.inputs), gradient, m.hidden_sums.all());
        hidden.back(kernels, rows, gradient, &mut m.value.pooled_gradient, false);
    }

    /// A row's policy to its point features, whose place its gradient takes, and to its row of `mix`.
    fn policy_back(&mut self, row: usize, out: &Logits) {
        let (layers, kernels, area, grid) = (self.layers, self.kernels, self.area(), &self.group.grid);
        let (lanes, policies, extras) = (layers.policy_point.lanes, layers.config.policies(), layers.config.extras);
        let padded = self.batch.height * self.batch.width;
        let Memory { point, mix, scores, features, out_sums, .. } = &mut *self.memory;
        scores.fill(0.0);
        for channel in 0..policies {
            let map = &out.policy[(row * policies + channel) * padded..][..padded];
            for (y, x) in points(grid.height, grid.width) {
                scores[(y * grid.width + x) * layers.policy_out.lanes + channel] = map[y * self.batch.width + x];
            }
        }
        let own = &mut point[row * area * lanes..][..area * lanes];
        layers.policy_out.learn(kernels, area, (own, lanes), scores, out_sums.all());
        let gradient = &mut features[..area * lanes];
        layers.policy_out.back(kernels, area, scores, gradient, false);
        kernels.keep_where(own, gradient);
        own.copy_from_slice(gradient);
        let mix = &mut mix[row * layers.policy_mix.lanes..][..layers.policy_mix.lanes];
        mix.fill(0.0);
        kernels.add_rows(own, &mut mix[..lanes]);
        if extras > 0 {
            let from = &out.extra[row * policies * extras..][..policies * extras];
            mix[layers.policy_mix.first(1)..][..from.len()].copy_from_slice(from);
        }
    }

    /// A row's features to its trunk.
    fn features_back(&mut self, row: usize, out: &Logits) {
        let (layers, kernels, area) = (self.layers, self.kernels, self.area());
        self.read_trunk(row);
        let (grid, padded, stride) = (&self.group.grid, self.batch.height * self.batch.width, layers.lanes());
        let m = &mut *self.memory;
        let Memory { trunk, trunk_gradient, point, point_sums, policy, value, features, scores, .. } = m;
        let (counts, ownership_sums) = (&m.points, &mut m.ownership_sums);
        let own = &point[row * area * layers.policy_point.lanes..][..area * layers.policy_point.lanes];
        layers.policy_point.learn(kernels, area, (trunk, stride), own, point_sums.all());
        layers.policy_point.back(kernels, area, own, trunk_gradient, false);
        let heads =
            [(policy, &layers.policy_pool, &layers.policy_mix), (value, &layers.value_conv, &layers.value_hidden)];
        for (index, (head, dense, after)) in heads.into_iter().enumerate() {
            let lanes = dense.lanes;
            let own = &head.features[row * area * lanes..][..area * lanes];
            let pooled = &head.pooled[row * after.inputs..][..after.inputs];
            let gradient = &mut features[..area * lanes];
            let pooled_gradient = &head.pooled_gradient[row * after.lanes_in()..];
            unpool(kernels, (own, lanes), counts[row], pooled, pooled_gradient, gradient);
            if let (1, Some(ownership)) = (index, &layers.ownership) {
                let map = &out.ownership[row * padded..][..padded];
                scores.fill(0.0);
                for (y, x) in points(grid.height, grid.width) {
                    scores[(y * grid.width + x) * ownership.lanes] = map[y * self.batch.width + x];
                }
                ownership.learn(kernels, area, (own, lanes), scores, ownership_sums.all());
                ownership.back(kernels, area, scores, gradient, true);
            }
            kernels.keep_where(own, gradient);
            dense.learn(kernels, area, (trunk, stride), gradient, head.sums.all());
            dense.back(kernels, area, gradient, trunk_gradient, true);
        }
        self.write_trunk(row);
    }
}

/// Lines and columns of a board.
fn points(height: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (y, x)))
}

/// Sets a row's points outside the mask to 0.
fn clear(features: &mut [f32], lanes: usize, row: usize, width: usize, holes: &[(usize, usize, usize)]) {
    for &(_, y, x) in holes.iter().filter(|hole| hole.0 == row) {
        features[(y * width + x) * lanes..][..lanes].fill(0.0);
    }
}
