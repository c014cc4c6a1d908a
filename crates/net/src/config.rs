//! The shape of a network: sizes, which heads it has, and from these the name and shape of every weight. Not here: the
//! weights themselves, and how they are used.

use serde::{Deserialize, Serialize};

/// Most weights a network may have; a file that declares more is refused before anything is allocated.
pub const PARAMETERS_MAX: usize = 1 << 28;

/// Sizes and heads of a network. Travels inside the weights file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetConfig {
    /// Width of the trunk.
    pub channels: usize,
    /// Residual blocks of two 3x3 convolutions.
    pub blocks: usize,
    /// Which blocks (from 0, ascending) also see the whole board through pooling; see [`NetConfig::pooling`].
    pub pool_blocks: Vec<usize>,
    /// Channels that those blocks pool.
    pub pool_channels: usize,
    /// Width of the policy head.
    pub policy_channels: usize,
    /// Width of the value head before pooling.
    pub value_channels: usize,
    /// Width of the value head after pooling.
    pub value_hidden: usize,
    /// Input planes.
    pub planes: usize,
    /// Input globals; may be 0.
    pub globals: usize,
    /// Actions that aren't points (pass, swap, numbers); may be 0.
    pub extras: usize,
    /// Whether a policy channel predicts the opponent's reply.
    pub reply: bool,
    /// Whether a policy channel predicts the softened policy.
    pub soft: bool,
    /// Whether the short-term result is predicted.
    pub short_term: bool,
    /// Whether margin and ownership are predicted (Go).
    pub board_heads: bool,
}

/// What is wrong with a network's shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The name isn't `bNcM`.
    #[error("unknown network `{0}`: expected blocks and channels such as b2c32, b4c64 or b6c96")]
    Preset(String),
    /// A size is out of range.
    #[error("network {field} = {value}: allowed are {min} to {max}")]
    Range {
        /// Field name.
        field: &'static str,
        /// Its value.
        value: usize,
        /// Smallest allowed.
        min: usize,
        /// Largest allowed.
        max: usize,
    },
    /// `pool_blocks` names blocks twice, out of order, or beyond the last.
    #[error("network pool_blocks = {blocks:?}: expected ascending block numbers below {below}")]
    PoolBlocks {
        /// The list.
        blocks: Vec<usize>,
        /// Number of blocks.
        below: usize,
    },
    /// Too many weights.
    #[error("network has {0} weights; at most {PARAMETERS_MAX} are allowed")]
    Parameters(usize),
}

/// How a weight starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// Independent, mean 0, this standard deviation.
    Normal(f32),
    /// All 0.
    Zero,
}

/// One weight tensor: its name (the field path in the model), shape and start.
///
/// Convolutions are `[out, in, rows, columns]`, linear layers `[in, out]`, biases `[out]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// For example `blocks.0.conv1.weight`.
    pub name: String,
    /// Sizes of its dimensions.
    pub shape: Vec<usize>,
    /// How it starts.
    pub init: Init,
}

impl Slot {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Never; the sizes of a checked configuration are positive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is a bias: one per channel, kept out of weight decay.
    pub fn is_bias(&self) -> bool {
        self.shape.len() == 1
    }
}

impl NetConfig {
    /// A network `bNcM` of N blocks and M channels, for example `b4c64`, without auxiliary heads.
    ///
    /// Head and pooling widths are a third of the trunk, rounded up to a multiple of 8.
    pub fn preset(name: &str, planes: usize, globals: usize, extras: usize) -> Result<NetConfig, ConfigError> {
        let sizes = name.strip_prefix('b').and_then(|rest| rest.split_once('c'));
        let plain = |t: &str| (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse::<usize>().ok());
        let (blocks, channels) = sizes
            .and_then(|(b, c)| plain(b).flatten().zip(plain(c).flatten()))
            .ok_or_else(|| ConfigError::Preset(name.to_string()))?;
        let side = channels.div_ceil(3).next_multiple_of(8);
        let config = NetConfig {
            channels,
            blocks,
            pool_blocks: NetConfig::pooling(blocks),
            pool_channels: side,
            policy_channels: side,
            value_channels: side,
            value_hidden: channels,
            planes,
            globals,
            extras,
            reply: false,
            soft: false,
            short_term: false,
            board_heads: false,
        };
        config.check()?;
        Ok(config)
    }

    /// The usual pooling blocks: every third, from the second on; none in a network of one block.
    pub fn pooling(blocks: usize) -> Vec<usize> {
        (0..blocks.min(BLOCKS_MAX)).filter(|i| i % 3 == 1).collect()
    }

    /// Whether every size is in range. Everything else in this crate relies on it.
    pub fn check(&self) -> Result<(), ConfigError> {
        let rows = [
            ("channels", self.channels, 1, WIDTH_MAX),
            ("blocks", self.blocks, 1, BLOCKS_MAX),
            ("pool_channels", self.pool_channels, 1, WIDTH_MAX),
            ("policy_channels", self.policy_channels, 1, WIDTH_MAX),
            ("value_channels", self.value_channels, 1, WIDTH_MAX),
            ("value_hidden", self.value_hidden, 1, WIDTH_MAX),
            ("planes", self.planes, 1, WIDTH_MAX),
            ("globals", self.globals, 0, WIDTH_MAX),
            ("extras", self.extras, 0, EXTRAS_MAX),
        ];
        for (field, value, min, max) in rows {
            if !(min..=max).contains(&value) {
                return Err(ConfigError::Range { field, value, min, max });
            }
        }
        let ascending = self.pool_blocks.windows(2).all(|w| w[0] < w[1]);
        if !ascending || self.pool_blocks.last().is_some_and(|&b| b >= self.blocks) {
            return Err(ConfigError::PoolBlocks { blocks: self.pool_blocks.clone(), below: self.blocks });
        }
        let parameters = self.parameters();
        if parameters > PARAMETERS_MAX { Err(ConfigError::Parameters(parameters)) } else { Ok(()) }
    }

    /// Policy channels: the main one, then reply, then soft policy, where present.
    pub fn policies(&self) -> usize {
        1 + usize::from(self.reply) + usize::from(self.soft)
    }

    /// Number of weights, biases included.
    pub fn parameters(&self) -> usize {
        self.slots().iter().map(Slot::len).sum()
    }

    /// Whether block `i` pools.
    pub fn pools(&self, i: usize) -> bool {
        self.pool_blocks.binary_search(&i).is_ok()
    }

    /// Every weight in the one fixed order: from input to output, weight before bias.
    ///
    /// Starts keep the signal's size without normalisation: ReLU-fed layers follow He et al. 2015 (variance 2 / inputs),
    /// and the second convolution of each block starts at 0, so that a deep network starts as a shallow one (Zhang et
    /// al. 2019, "Fixup"; of the scales 0, 1/2 and 1 over the root of the number of blocks, 0 learnt fastest here).
    /// Outputs start near 0, that is, with an even policy and value.
    pub fn slots(&self) -> Vec<Slot> {
        let mut list = SlotList::default();
        let c = self.channels;
        list.conv("stem.conv", self.planes, c, 3, RELU_GAIN);
        if self.globals > 0 {
            list.linear("stem.globals", self.globals, c, false, 1.0);
        }
        for i in 0..self.blocks {
            list.conv(&format!("blocks.{i}.conv1"), c, c, 3, RELU_GAIN);
            list.conv(&format!("blocks.{i}.conv2"), c, c, 3, 0.0);
            if self.pools(i) {
                list.conv(&format!("blocks.{i}.pool_conv"), c, self.pool_channels, 3, RELU_GAIN);
                list.linear(&format!("blocks.{i}.pool_linear"), 3 * self.pool_channels, c, false, POOL_GAIN);
            }
        }
        let p = self.policy_channels;
        list.conv("policy.point", c, p, 1, RELU_GAIN);
        list.conv("policy.pool", c, p, 1, RELU_GAIN);
        list.linear("policy.mix", 3 * p, p, false, POOL_GAIN);
        list.conv_unbiased("policy.out", p, self.policies(), OUTPUT_GAIN);
        if self.extras > 0 {
            list.linear("policy.extra", 3 * p, self.policies() * self.extras, true, OUTPUT_GAIN);
        }
        let (v, hidden) = (self.value_channels, self.value_hidden);
        list.conv("value.conv", c, v, 1, RELU_GAIN);
        list.linear("value.hidden", 3 * v, hidden, true, RELU_GAIN);
        list.linear("value.wdl", hidden, 3, true, OUTPUT_GAIN);
        if self.short_term {
            list.linear("value.short", hidden, 3, true, OUTPUT_GAIN);
        }
        if self.board_heads {
            list.linear("value.margin", hidden, 2, true, OUTPUT_GAIN);
            list.conv("value.ownership", v, 1, 1, OUTPUT_GAIN);
        }
        list.0
    }
}

const WIDTH_MAX: usize = 1024;
const BLOCKS_MAX: usize = 64;
/// Every action that isn't a point.
const EXTRAS_MAX: usize = 512;

/// Keeps the mean square through a ReLU.
const RELU_GAIN: f32 = std::f32::consts::SQRT_2;
/// Pooled sums join another signal; they start as the smaller part of it.
const POOL_GAIN: f32 = 0.5;
const OUTPUT_GAIN: f32 = 0.2;

/// Side length that the second pooled value is centred on.
pub const POOL_SIDE: f32 = 14.0;
/// And its scale.
pub const POOL_SCALE: f32 = 10.0;

#[derive(Default)]
struct SlotList(Vec<Slot>);

impl SlotList {
    fn conv(&mut self, name: &str, input: usize, output: usize, side: usize, gain: f32) {
        let init = if gain == 0.0 { Init::Zero } else { Init::Normal(gain / ((input * side * side) as f32).sqrt()) };
        self.push(name, "weight", vec![output, input, side, side], init);
        self.push(name, "bias", vec![output], Init::Zero);
    }

    fn conv_unbiased(&mut self, name: &str, input: usize, output: usize, gain: f32) {
        self.push(name, "weight", vec![output, input, 1, 1], Init::Normal(gain / (input as f32).sqrt()));
    }

    fn linear(&mut self, name: &str, input: usize, output: usize, bias: bool, gain: f32) {
        self.push(name, "weight", vec![input, output], Init::Normal(gain / (input as f32).sqrt()));
        if bias {
            self.push(name, "bias", vec![output], Init::Zero);
        }
    }

    fn push(&mut self, layer: &str, what: &str, shape: Vec<usize>, init: Init) {
        self.0.push(Slot { name: format!("{layer}.{what}"), shape, init });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_shape_their_name_says() {
        for (name, blocks, channels, pooled) in
            [("b2c32", 2, 32, vec![1]), ("b4c64", 4, 64, vec![1]), ("b6c96", 6, 96, vec![1, 4])]
        {
            let config = NetConfig::preset(name, 8, 3, 1).unwrap();
            assert_eq!((config.blocks, config.channels, config.pool_blocks.clone()), (blocks, channels, pooled));
        }
        for bad in ["", "b", "b2", "c32", "b2c", "bxc3", "b+2c32", "B2c32", "b2c99999", "b0c32", "b2c0", "b99c32"] {
            assert!(NetConfig::preset(bad, 8, 3, 1).is_err(), "{bad}");
        }
    }

    #[test]
    fn parameters_count_by_hand() {
        let mut config = NetConfig::preset("b2c8", 5, 2, 3).unwrap();
        let trunk = 5 * 8 * 9 + 8 + 2 * 8 + 2 * 2 * (8 * 8 * 9 + 8) + (8 * 8 * 9 + 8) + 24 * 8;
        let policy = 2 * (8 * 8 + 8) + 24 * 8 + 8 + 24 * 3 + 3;
        let value = 8 * 8 + 8 + 24 * 8 + 8 + 8 * 3 + 3;
        assert_eq!(config.parameters(), trunk + policy + value);
        config.short_term = true;
        config.board_heads = true;
        config.reply = true;
        assert_eq!(config.parameters(), trunk + policy + value + 27 + 18 + 9 + 8 + 75);
    }

    #[test]
    fn pool_blocks_are_checked() {
        let good = NetConfig::preset("b4c8", 5, 0, 0).unwrap();
        for bad in [vec![4], vec![2, 1], vec![1, 1]] {
            assert!(NetConfig { pool_blocks: bad, ..good.clone() }.check().is_err());
        }
        assert!(NetConfig { pool_blocks: vec![], ..good }.check().is_ok());
    }
}
