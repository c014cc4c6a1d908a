//! The tensors of a network, checked against one another and laid out for the kernels. The names are those of the Burn
//! model's state. Deliberately not here: files and formats (the caller hands tensors over by name), and computing.

use std::sync::OnceLock;

use super::panels::{Buffer, panels};
use super::winograd::{Kind, LARGE_BYTES, pack};

/// A tensor: its shape and its numbers, row-major.
pub type Tensor<'a> = (&'a [usize], &'a [f32]);

/// Gives a tensor by name, or says that the network has none of that name.
pub type TensorSource<'a> = &'a dyn Fn(&str) -> Option<Tensor<'a>>;

/// A 3x3 convolution with zero padding and a bias.
#[derive(Debug)]
pub(super) struct Conv {
    /// Input channels.
    pub(super) inputs: usize,
    /// Output channels.
    pub(super) outputs: usize,
    /// One per lane.
    pub(super) bias: Vec<f32>,
    weight: Vec<f32>,
    packed: [OnceLock<Buffer>; Kind::ALL.len()],
}

impl Conv {
    /// Input channels, padded to a multiple of 8.
    pub(super) fn lanes_in(&self) -> usize {
        self.inputs.next_multiple_of(8)
    }

    /// Output channels, padded to a multiple of 8.
    pub(super) fn lanes(&self) -> usize {
        self.outputs.next_multiple_of(8)
    }

    /// Size of the F(4,3) weights.
    fn bytes(&self) -> usize {
        self.lanes() * self.inputs * Kind::Four.freqs() * size_of::<f32>()
    }

    /// The transformed weights, see `winograd::pack`; made when a board first needs that kind.
    pub(super) fn packed(&self, kind: Kind) -> &[f32] {
        self.packed[kind.index()].get_or_init(|| pack(kind, &self.weight, self.outputs, self.inputs))
    }
}

/// A 1x1 convolution with a bias.
#[derive(Debug)]
pub(super) struct Point {
    /// Input channels.
    pub(super) inputs: usize,
    /// Output channels.
    pub(super) outputs: usize,
    /// One per lane.
    pub(super) bias: Vec<f32>,
    /// `[panel][input][width of the panel]`.
    pub(super) packed: Buffer,
}

impl Point {
    /// Output channels, padded to a multiple of 8.
    pub(super) fn lanes(&self) -> usize {
        self.outputs.next_multiple_of(8)
    }
}

/// A linear layer.
#[derive(Debug)]
pub(super) struct Dense {
    /// Length of the input.
    pub(super) inputs: usize,
    /// Length of the output, padded to a multiple of 8.
    pub(super) lanes: usize,
    /// `[inputs][lanes]`.
    pub(super) weight: Buffer,
    /// One per lane.
    pub(super) bias: Vec<f32>,
}

/// A residual block.
#[derive(Debug)]
pub(super) struct Block {
    /// First convolution.
    pub(super) conv1: Conv,
    /// Second convolution.
    pub(super) conv2: Conv,
    /// Pooling branch: its convolution, and the linear layer to the first convolution's output.
    pub(super) pool: Option<(Conv, Dense)>,
}

/// Policy head, reduced to the channel that play needs.
#[derive(Debug)]
pub(super) struct Policy {
    /// Features of points.
    pub(super) point: Point,
    /// Features that are pooled.
    pub(super) pool: Point,
    /// From the pooled vector to the bias of the points; its bias is that of `point`.
    pub(super) mix: Dense,
    /// One per lane of `point`.
    pub(super) out: Vec<f32>,
    /// From the pooled vector to the logits of extra actions, and how many there are.
    pub(super) extra: Option<(Dense, usize)>,
}

/// Value head, reduced to what play needs.
#[derive(Debug)]
pub(super) struct Value {
    /// Features that are pooled.
    pub(super) conv: Point,
    /// From the pooled vector to the hidden layer.
    pub(super) hidden: Dense,
    /// Length of the hidden layer.
    pub(super) width: usize,
    /// Logits of win, draw and loss.
    pub(super) wdl: Dense,
    /// Expected margin over `MARGIN_UNIT` first, then its spread.
    pub(super) margin: Option<Dense>,
}

/// A whole network.
#[derive(Debug)]
pub(super) struct Weights {
    /// Input planes.
    pub(super) planes: usize,
    /// Input globals.
    pub(super) globals: usize,
    /// First convolution.
    pub(super) stem: Conv,
    /// From the globals, if there are any, to a bias of the stem's output; its bias is that of `stem`.
    pub(super) stem_globals: Option<Dense>,
    /// The trunk.
    pub(super) blocks: Vec<Block>,
    /// Policy head.
    pub(super) policy: Policy,
    /// Value head.
    pub(super) value: Value,
}

impl Weights {
    /// Whether the packed trunk is more than a core's cache keeps.
    pub(super) fn large(&self) -> bool {
        let block = |block: &Block| {
            let pool = block.pool.as_ref().map_or(0, |(conv, _)| conv.bytes());
            block.conv1.bytes() + block.conv2.bytes() + pool
        };
        self.blocks.iter().map(block).sum::<usize>() > LARGE_BYTES
    }

    /// Reads every tensor that play needs. The error names the tensor and what was expected.
    pub(super) fn new(tensors: TensorSource<'_>) -> Result<Weights, String> {
        let read = Reader { tensors };
        let (planes, channels) = {
            let (shape, _) = read.any("stem.conv.weight", 4)?;
            (shape[1], shape[0])
        };
        let stem = read.conv("stem.conv", planes, Some(channels))?;
        let globals = match read.has("stem.globals.weight") {
            true => read.any("stem.globals.weight", 2)?.0[0],
            false => 0,
        };
        let stem_globals = match globals {
            0 => None,
            _ => Some(read.dense("stem.globals.weight", stem.bias.clone(), globals, channels)?),
        };
        let mut blocks = Vec::new();
        while read.has_block(blocks.len()) || read.has_block(blocks.len() + 1) {
            blocks.push(read.block(blocks.len(), channels)?);
        }
        Ok(Weights {
            planes,
            globals,
            stem,
            stem_globals,
            blocks,
            policy: read.policy(channels)?,
            value: read.value(channels)?,
        })
    }
}

/// Reads tensors and checks shapes.
struct Reader<'a> {
    tensors: TensorSource<'a>,
}

impl<'a> Reader<'a> {
    /// A tensor of that rank whose sizes are all at least 1.
    fn any(&self, name: &str, rank: usize) -> Result<Tensor<'a>, String> {
        let (shape, data) = (self.tensors)(name).ok_or_else(|| format!("the network lacks tensor {name}"))?;
        if shape.len() != rank || shape.contains(&0) {
            return Err(format!("tensor {name} has shape {shape:?}; expected {rank} sizes of at least 1"));
        }
        let count = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if count != Some(data.len()) {
            return Err(format!("tensor {name} has {} numbers; its shape {shape:?} says otherwise", data.len()));
        }
        Ok((shape, data))
    }

    /// A tensor of exactly that shape.
    fn exact(&self, name: &str, expected: &[usize]) -> Result<&'a [f32], String> {
        let (shape, data) = self.any(name, expected.len())?;
        if shape != expected {
            return Err(format!("tensor {name} has shape {shape:?}; expected {expected:?}"));
        }
        Ok(data)
    }

    /// A bias, padded with zeros.
    fn bias(&self, name: &str, outputs: usize) -> Result<Vec<f32>, String> {
        Ok(padded(self.exact(name, &[outputs])?.to_vec()))
    }

    /// The 3x3 convolution `name`; `outputs` is taken from the tensor when not given.
    fn conv(&self, name: &str, inputs: usize, outputs: Option<usize>) -> Result<Conv, String> {
        let tensor = format!("{name}.weight");
        let outputs = outputs.map_or_else(|| Ok(self.any(&tensor, 4)?.0[0]), Ok::<_, String>)?;
        let weight = self.exact(&tensor, &[outputs, inputs, 3, 3])?;
        let bias = self.bias(&format!("{name}.bias"), outputs)?;
        Ok(Conv { inputs, outputs, bias, weight: weight.to_vec(), packed: Default::default() })
    }

    /// The 1x1 convolution `name`.
    fn point(&self, name: &str, inputs: usize, outputs: Option<usize>) -> Result<Point, String> {
        let tensor = format!("{name}.weight");
        let outputs = outputs.map_or_else(|| Ok(self.any(&tensor, 4)?.0[0]), Ok::<_, String>)?;
        let weight = self.exact(&tensor, &[outputs, inputs, 1, 1])?;
        let bias = self.bias(&format!("{name}.bias"), outputs)?;
        let mut packed = Buffer::zeros(inputs * outputs.next_multiple_of(8));
        for panel in panels(outputs.next_multiple_of(8)) {
            for output in panel.first..outputs.min(panel.first + panel.width) {
                for input in 0..inputs {
                    let at = panel.first * inputs + input * panel.width + output - panel.first;
                    packed[at] = weight[output * inputs + input];
                }
            }
        }
        Ok(Point { inputs, outputs, bias, packed })
    }

    /// The linear layer whose weight is the tensor `tensor`, with that padded bias.
    fn dense(&self, tensor: &str, bias: Vec<f32>, inputs: usize, outputs: usize) -> Result<Dense, String> {
        let weight = self.exact(tensor, &[inputs, outputs])?;
        Ok(dense(weight, outputs, 0..outputs, bias))
    }

    /// The linear layer `name` with its own bias.
    fn biased(&self, name: &str, inputs: usize, outputs: usize) -> Result<Dense, String> {
        let bias = self.bias(&format!("{name}.bias"), outputs)?;
        self.dense(&format!("{name}.weight"), bias, inputs, outputs)
    }

    fn has(&self, name: &str) -> bool {
        (self.tensors)(name).is_some()
    }

    /// Whether any tensor of that block is there; a block that lacks some is an error, not the end of the trunk.
    fn has_block(&self, index: usize) -> bool {
        let layers = ["conv1", "conv2", "pool_conv", "pool_linear"];
        layers.iter().any(|layer| self.has_layer(&format!("blocks.{index}.{layer}")))
    }

    /// Whether the layer's weight or bias is there.
    fn has_layer(&self, name: &str) -> bool {
        self.has(&format!("{name}.weight")) || self.has(&format!("{name}.bias"))
    }

    fn block(&self, index: usize, channels: usize) -> Result<Block, String> {
        let name = |part: &str| format!("blocks.{index}.{part}");
        let conv1 = self.conv(&name("conv1"), channels, Some(channels))?;
        let conv2 = self.conv(&name("conv2"), channels, Some(channels))?;
        let pool = if self.has_layer(&name("pool_conv")) || self.has_layer(&name("pool_linear")) {
            let conv = self.conv(&name("pool_conv"), channels, None)?;
            let tensor = name("pool_linear.weight");
            let linear = self.dense(&tensor, conv1.bias.clone(), 3 * conv.outputs, channels)?;
            Some((conv, linear))
        } else {
            None
        };
        Ok(Block { conv1, conv2, pool })
    }

    fn policy(&self, channels: usize) -> Result<Policy, String> {
        let point = self.point("policy.point", channels, None)?;
        let width = point.outputs;
        let pool = self.point("policy.pool", channels, Some(width))?;
        let mix = self.dense("policy.mix.weight", point.bias.clone(), 3 * width, width)?;
        let (shape, out) = self.any("policy.out.weight", 4)?;
        let heads = shape[0];
        if shape[1..] != [width, 1, 1] {
            return Err(format!("tensor policy.out.weight has shape {shape:?}; expected [_, {width}, 1, 1]"));
        }
        let extra = if self.has_layer("policy.extra") { Some(self.extra(width, heads)?) } else { None };
        Ok(Policy { point, pool, mix, out: padded(out[..width].to_vec()), extra })
    }

    /// The extra actions' layer, cut to the first of `heads` channels.
    fn extra(&self, width: usize, heads: usize) -> Result<(Dense, usize), String> {
        let (shape, weight) = self.any("policy.extra.weight", 2)?;
        let (all, count) = (shape[1], shape[1] / heads);
        if shape[0] != 3 * width || all != heads * count {
            let inputs = 3 * width;
            return Err(format!(
                "tensor policy.extra.weight has shape {shape:?}; expected [{inputs}, a multiple of {heads}]"
            ));
        }
        let bias = self.exact("policy.extra.bias", &[all])?;
        Ok((dense(weight, all, 0..count, padded(bias[..count].to_vec())), count))
    }

    fn value(&self, channels: usize) -> Result<Value, String> {
        let conv = self.point("value.conv", channels, None)?;
        let pooled = 3 * conv.outputs;
        let width = self.any("value.hidden.weight", 2)?.0[1];
        let margin = if self.has_layer("value.margin") { Some(self.biased("value.margin", width, 2)?) } else { None };
        Ok(Value {
            hidden: self.biased("value.hidden", pooled, width)?,
            wdl: self.biased("value.wdl", width, 3)?,
            conv,
            width,
            margin,
        })
    }
}

/// Fills up with zeros to a multiple of 8.
fn padded(mut numbers: Vec<f32>) -> Vec<f32> {
    numbers.resize(numbers.len().next_multiple_of(8), 0.0);
    numbers
}

/// Packs the `columns` of a weight with rows of `row` numbers.
fn dense(weight: &[f32], row: usize, columns: std::ops::Range<usize>, bias: Vec<f32>) -> Dense {
    let inputs = weight.len() / row;
    let lanes = columns.len().next_multiple_of(8);
    let mut packed = Buffer::zeros(inputs * lanes);
    for (to, from) in packed.chunks_exact_mut(lanes).zip(weight.chunks_exact(row)) {
        to[..columns.len()].copy_from_slice(&from[columns.clone()]);
    }
    Dense { inputs, lanes, weight: packed, bias }
}
