//! Which layers a network has, and how a batch is cut into groups that are learnt from one after another. Not here: what
//! happens to a group (`trunk`, `heads`).

use std::ops::Range;

use crate::config::NetConfig;
use crate::fused::winograd::{Grid, Kind};
use crate::raw::RawBatch;

use super::layers::{Conv, Dense};

/// A residual block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) conv1: Conv,
    pub(super) conv2: Conv,
    /// Pooling branch: its convolution, and the layer to the first convolution's output.
    pub(super) pool: Option<(Conv, Dense)>,
}

/// Every layer of a network.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) config: NetConfig,
    pub(super) stem: Conv,
    pub(super) stem_globals: Option<Dense>,
    pub(super) blocks: Vec<Block>,
    pub(super) policy_point: Dense,
    pub(super) policy_pool: Dense,
    /// From the pooled vector to the bias of the points, and from lane `first(1)` on to the extra actions.
    pub(super) policy_mix: Dense,
    pub(super) policy_out: Dense,
    pub(super) value_conv: Dense,
    pub(super) value_hidden: Dense,
    /// Win, draw and loss, then the short-term result, then the margin, where present.
    pub(super) value_out: Dense,
    pub(super) ownership: Option<Dense>,
}

impl Layers {
    /// Layers without weights; `load` brings them.
    pub(super) fn new(config: &NetConfig) -> Result<Layers, String> {
        let slots = config.slots();
        let mut at = 0;
        let mut places: Vec<(String, Range<usize>, Vec<usize>)> = Vec::new();
        for slot in slots {
            let range = at..at + slot.len();
            at = range.end;
            places.push((slot.name, range, slot.shape));
        }
        let find = |name: &str| {
            let found = places.iter().find(|(known, ..)| known == name);
            found.map(|(_, range, shape)| (range.clone(), shape.clone()))
        };
        let conv = |name: &str| Conv::new(&find, name);
        let dense = |names: &[&str], align| {
            Dense::new(&find, names, align).ok_or_else(|| format!("the network lacks layer {}", names[0]))
        };
        let block = |i: usize| {
            let pool = if config.pools(i) {
                Some((conv(&format!("blocks.{i}.pool_conv"))?, dense(&[&format!("blocks.{i}.pool_linear")], 8)?))
            } else {
                None
            };
            let (conv1, conv2) = (conv(&format!("blocks.{i}.conv1"))?, conv(&format!("blocks.{i}.conv2"))?);
            Ok::<_, String>(Block { conv1, conv2, pool })
        };
        Ok(Layers {
            stem: conv("stem.conv")?,
            stem_globals: Dense::new(&find, &["stem.globals"], 8),
            blocks: (0..config.blocks).map(block).collect::<Result<_, _>>()?,
            policy_point: dense(&["policy.point"], 8)?,
            policy_pool: dense(&["policy.pool"], 8)?,
            policy_mix: dense(&["policy.mix", "policy.extra"], 8)?,
            policy_out: dense(&["policy.out"], 8)?,
            value_conv: dense(&["value.conv"], 8)?,
            value_hidden: dense(&["value.hidden"], 8)?,
            value_out: dense(&["value.wdl", "value.short", "value.margin"], 1)?,
            ownership: Dense::new(&find, &["value.ownership"], 8),
            config: config.clone(),
        })
    }

    /// Packs weights for groups of those kinds.
    pub(super) fn load(&mut self, values: &[f32], kinds: &[Kind]) {
        self.stem.load(values, kinds);
        for block in &mut self.blocks {
            block.conv1.load(values, kinds);
            block.conv2.load(values, kinds);
            if let Some((conv, linear)) = &mut block.pool {
                conv.load(values, kinds);
                linear.load(values);
            }
        }
        let heads = [
            &mut self.policy_point,
            &mut self.policy_pool,
            &mut self.policy_mix,
            &mut self.policy_out,
            &mut self.value_conv,
            &mut self.value_hidden,
            &mut self.value_out,
        ];
        let optional = self.stem_globals.iter_mut().chain(&mut self.ownership);
        heads.into_iter().chain(optional).for_each(|dense| dense.load(values));
    }

    /// Channels of the trunk, padded to a multiple of 8.
    pub(super) fn lanes(&self) -> usize {
        self.stem.lanes()
    }

    /// Numbers that a position leaves behind on its way forward, roughly.
    fn footprint(&self, grid: &Grid) -> usize {
        let pools: usize = self.blocks.iter().filter_map(|b| b.pool.as_ref()).map(|(conv, _)| conv.lanes()).sum();
        let heads = 2 * self.policy_point.lanes + self.value_conv.lanes;
        let images = self.stem.lanes_in() + (2 * self.blocks.len() + 3) * self.lanes() + pools + heads;
        grid.points * images
    }
}

/// Rows whose boards fit one grid.
#[derive(Debug, PartialEq)]
pub(super) struct Group {
    pub(super) grid: Grid,
    /// Of the batch, ascending.
    pub(super) rows: Vec<usize>,
}

/// Numbers that a group may leave behind: about what stays in a shared cache, which also bounds memory on large boards.
/// Few for unit tests, whose small batches shall need several groups.
const GROUP_NUMBERS: usize = if cfg!(test) { 3 << 16 } else { 8 << 20 };

/// Cuts a batch into groups: by board size, then so that no group is too large.
pub(super) fn groups(batch: &RawBatch, layers: &Layers) -> Vec<Group> {
    let mut boxes: Vec<((usize, usize), usize)> =
        (0..batch.n).map(|row| (extent(batch, row, layers.config.planes), row)).collect();
    boxes.sort_unstable();
    let mut groups = Vec::new();
    for same in boxes.chunk_by(|a, b| a.0 == b.0) {
        let (height, width) = same[0].0;
        let grid = Grid::new(height, width, false);
        let most = (GROUP_NUMBERS / layers.footprint(&grid)).max(1);
        let even = same.len().div_ceil(same.len().div_ceil(most));
        groups.extend(same.chunks(even).map(|part| Group { grid, rows: part.iter().map(|(_, row)| *row).collect() }));
    }
    groups
}

/// Height and width of the smallest rectangle in the top-left corner that holds the mask and all planes that aren't 0.
fn extent(batch: &RawBatch, row: usize, planes: usize) -> (usize, usize) {
    let area = batch.height * batch.width;
    let planes = &batch.planes[row * planes * area..][..planes * area];
    let mask = &batch.mask[row * area..][..area];
    let (mut height, mut width) = (1, 1);
    for map in planes.chunks_exact(area).chain([mask]) {
        for (y, line) in map.chunks_exact(batch.width).enumerate() {
            if let Some(last) = line.iter().rposition(|&v| v != 0.0) {
                (height, width) = (height.max(y + 1), width.max(last + 1));
            }
        }
    }
    (height, width)
}
