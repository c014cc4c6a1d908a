//! The network as a Burn module: a residual trunk that also pools over the board, a policy head and a value head. The
//! shape follows KataGo's networks (Wu 2019, arXiv:1902.10565) without any normalisation layer, which keeps boards in a
//! batch independent of one another. Not here: the weights' names, sizes and starts (`config`), losses, optimisation.
//!
//! Every tensor outside the board is kept at 0, so that a small board in the corner of a padded batch gives the same
//! outputs as alone.

use burn::module::{Module, Param, ParamId};
use burn::nn::conv::Conv2d;
use burn::nn::{Linear, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};

use crate::config::{NetConfig, POOL_SCALE, POOL_SIDE, Slot};
use crate::raw::RawBatch;
use crate::weights::Weights;

/// Inputs on a device.
#[derive(Clone, Debug)]
pub struct Input {
    /// `[batch, planes, height, width]`.
    pub planes: Tensor<4>,
    /// `[batch, globals]`; none when the network has no globals.
    pub globals: Option<Tensor<2>>,
    /// `[batch, 1, height, width]`: 1 on the board, 0 outside.
    pub mask: Tensor<4>,
}

impl Input {
    /// Moves a checked batch to a device.
    pub fn from_raw(batch: &RawBatch, config: &NetConfig, device: &Device) -> Input {
        let (n, h, w) = (batch.n, batch.height, batch.width);
        let globals = TensorData::new(batch.globals.clone(), [n, config.globals]);
        Input {
            planes: Tensor::from_data(TensorData::new(batch.planes.clone(), [n, config.planes, h, w]), device),
            globals: (config.globals > 0).then(|| Tensor::from_data(globals, device)),
            mask: Tensor::from_data(TensorData::new(batch.mask.clone(), [n, 1, h, w]), device),
        }
    }
}

/// Outputs on a device; logits, for the seat to act.
#[derive(Clone, Debug)]
pub struct Output {
    /// `[batch, policies, height * width]`: points. Channels: policy, then reply, then soft policy, where present.
    pub policy: Tensor<3>,
    /// `[batch, policies, extras]`: the other actions; none when the network has none.
    pub extra: Option<Tensor<3>>,
    /// `[batch, 3]`: win, draw, loss.
    pub wdl: Tensor<2>,
    /// `[batch, 3]`: win, draw, loss a few plies ahead.
    pub short: Option<Tensor<2>>,
    /// `[batch, 2]`: final margin / 20 in points, and the logarithm of its standard deviation / 20.
    pub margin: Option<Tensor<2>>,
    /// `[batch, height * width]`: final owner before tanh, +1 the seat to act.
    pub ownership: Option<Tensor<2>>,
}

/// Where the board is, and how large.
struct Board {
    /// `[batch, 1, height, width]`.
    mask: Tensor<4>,
    /// 1 / points: `[batch, 1]`.
    per_point: Tensor<2>,
    /// (side - 14) / 10 where side is the root of the number of points: `[batch, 1]`.
    side: Tensor<2>,
}

impl Board {
    fn new(mask: Tensor<4>) -> Board {
        let area = mask.clone().flatten::<2>(1, 3).sum_dim(1);
        let side = area.clone().sqrt().sub_scalar(POOL_SIDE).div_scalar(POOL_SCALE);
        Board { mask, per_point: area.recip(), side }
    }

    /// Mean, mean scaled by the board's side, and maximum of each channel: `[batch, 3 * channels]`.
    ///
    /// `x` is 0 outside the board and nowhere negative, so plain sums and maxima are right.
    fn pool(&self, x: Tensor<4>) -> Tensor<2> {
        let flat = x.flatten::<3>(2, 3);
        let mean = flat.clone().sum_dim(2).squeeze_dim::<2>(2) * self.per_point.clone();
        let max = flat.max_dim(2).squeeze_dim::<2>(2);
        let scaled = mean.clone() * self.side.clone();
        Tensor::cat(vec![mean, scaled, max], 1)
    }
}

/// `[batch, channels]` as something that adds to every point: `[batch, channels, 1, 1]`.
fn per_channel(x: Tensor<2>) -> Tensor<4> {
    x.unsqueeze_dim::<3>(2).unsqueeze_dim::<4>(3)
}

/// First layer: planes and globals to trunk channels.
#[derive(Module, Debug)]
pub struct Stem {
    conv: Conv2d,
    globals: Option<Linear>,
}

/// Residual block; pools where `pool_conv` is present.
#[derive(Module, Debug)]
pub struct Block {
    conv1: Conv2d,
    conv2: Conv2d,
    pool_conv: Option<Conv2d>,
    pool_linear: Option<Linear>,
}

impl Block {
    fn forward(&self, x: Tensor<4>, board: &Board) -> Tensor<4> {
        let a = relu(x.clone());
        let mut h = self.conv1.forward(a.clone());
        if let (Some(conv), Some(linear)) = (&self.pool_conv, &self.pool_linear) {
            let g = relu(conv.forward(a)) * board.mask.clone();
            h = h + per_channel(linear.forward(board.pool(g)));
        }
        let h = relu(h) * board.mask.clone();
        x + self.conv2.forward(h) * board.mask.clone()
    }
}

/// Policy head.
#[derive(Module, Debug)]
pub struct PolicyHead {
    point: Conv2d,
    pool: Conv2d,
    mix: Linear,
    out: Conv2d,
    extra: Option<Linear>,
}

impl PolicyHead {
    fn forward(&self, t: Tensor<4>, board: &Board) -> (Tensor<3>, Option<Tensor<3>>) {
        let [n, ..] = t.dims();
        let g = relu(self.pool.forward(t.clone())) * board.mask.clone();
        let pooled = board.pool(g);
        let p = self.point.forward(t) + per_channel(self.mix.forward(pooled.clone()));
        let out = self.out.forward(relu(p) * board.mask.clone()).flatten::<3>(2, 3);
        let policies = out.dims()[1];
        let extra = self.extra.as_ref().map(|linear| {
            let flat = linear.forward(pooled);
            let extras = flat.dims()[1] / policies;
            flat.reshape([n, policies, extras])
        });
        (out, extra)
    }
}

/// Value head with everything that is predicted about the result.
#[derive(Module, Debug)]
pub struct ValueHead {
    conv: Conv2d,
    hidden: Linear,
    wdl: Linear,
    short: Option<Linear>,
    margin: Option<Linear>,
    ownership: Option<Conv2d>,
}

/// The whole network.
#[derive(Module, Debug)]
pub struct Net {
    stem: Stem,
    blocks: Vec<Block>,
    policy: PolicyHead,
    value: ValueHead,
}

impl Net {
    /// The network with given weights on a device. On an autodiff device its weights collect gradients.
    ///
    /// Parameters get the ids 1, 2, … in the order of the slots, so that two builds are equal in every byte.
    pub fn new(weights: &Weights, device: &Device) -> Net {
        Net::build(weights.config(), weights.slots(), weights.values(), device)
    }

    /// As `new`, from values in the order of the slots of `config`.
    pub(crate) fn build(config: &NetConfig, slots: &[Slot], values: &[f32], device: &Device) -> Net {
        let mut b = Builder { slots: slots.iter(), values, next_id: 1, device };
        Net {
            stem: Stem { conv: b.conv(3, true), globals: (config.globals > 0).then(|| b.linear(false)) },
            blocks: (0..config.blocks)
                .map(|i| Block {
                    conv1: b.conv(3, true),
                    conv2: b.conv(3, true),
                    pool_conv: config.pools(i).then(|| b.conv(3, true)),
                    pool_linear: config.pools(i).then(|| b.linear(false)),
                })
                .collect(),
            policy: PolicyHead {
                point: b.conv(1, true),
                pool: b.conv(1, true),
                mix: b.linear(false),
                out: b.conv(1, false),
                extra: (config.extras > 0).then(|| b.linear(true)),
            },
            value: ValueHead {
                conv: b.conv(1, true),
                hidden: b.linear(true),
                wdl: b.linear(true),
                short: config.short_term.then(|| b.linear(true)),
                margin: config.board_heads.then(|| b.linear(true)),
                ownership: config.board_heads.then(|| b.conv(1, true)),
            },
        }
    }

    /// Runs the network.
    pub fn forward(&self, input: Input) -> Output {
        let board = Board::new(input.mask);
        let mut x = self.stem.conv.forward(input.planes);
        if let (Some(linear), Some(globals)) = (&self.stem.globals, input.globals) {
            x = x + per_channel(linear.forward(globals));
        }
        x = x * board.mask.clone();
        for block in &self.blocks {
            x = block.forward(x, &board);
        }
        let t = relu(x);
        let (policy, extra) = self.policy.forward(t.clone(), &board);
        let head = &self.value;
        let v = relu(head.conv.forward(t)) * board.mask.clone();
        let hidden = relu(head.hidden.forward(board.pool(v.clone())));
        Output {
            policy,
            extra,
            wdl: head.wdl.forward(hidden.clone()),
            short: head.short.as_ref().map(|l| l.forward(hidden.clone())),
            margin: head.margin.as_ref().map(|l| l.forward(hidden)),
            ownership: head.ownership.as_ref().map(|c| c.forward(v).flatten::<2>(1, 3)),
        }
    }
}

/// Hands out the slots' values in order, which is the order in which `Net::build` asks.
struct Builder<'a> {
    slots: std::slice::Iter<'a, Slot>,
    values: &'a [f32],
    next_id: u64,
    device: &'a Device,
}

impl Builder<'_> {
    fn param<const D: usize>(&mut self) -> Param<Tensor<D>> {
        let slot = self.slots.next().expect("slots follow the build order; held by a test");
        let (piece, rest) = self.values.split_at(slot.len());
        self.values = rest;
        let tensor = Tensor::from_data(TensorData::new(piece.to_vec(), slot.shape.as_slice()), self.device);
        let tensor = if self.device.is_autodiff() { tensor.require_grad() } else { tensor };
        let id = ParamId::from(self.next_id);
        self.next_id += 1;
        Param::initialized(id, tensor)
    }

    fn conv(&mut self, side: usize, bias: bool) -> Conv2d {
        Conv2d {
            weight: self.param(),
            bias: bias.then(|| self.param()),
            stride: [1, 1],
            kernel_size: [side, side],
            dilation: [1, 1],
            groups: 1,
            padding: PaddingConfig2d::Same,
        }
    }

    fn linear(&mut self, bias: bool) -> Linear {
        Linear { weight: self.param(), bias: bias.then(|| self.param()) }
    }
}
