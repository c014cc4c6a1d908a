//! The layers of a network as a training step needs them: packed for both directions, with the place of each weight in
//! the gradient. Packed again at every step, into the same memory. Not here: the order of the layers, and arithmetic on
//! positions.

use std::ops::Range;

use crate::fused::forward::tile_pitch;
use crate::fused::kernels::{Kernels, Product};
use crate::fused::panels::Buffer;
use crate::fused::winograd::{Four, Kind, Lane, Three, Transform};

/// Name, place and shape of every weight.
pub(super) type Places<'a> = &'a dyn Fn(&str) -> Option<(Range<usize>, Vec<usize>)>;

/// A 3x3 convolution with a bias.
#[derive(Debug)]
pub(super) struct Conv {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    weight: Range<usize>,
    bias_at: Range<usize>,
    /// One per lane of the output.
    pub(super) bias: Buffer,
    /// By kind: `[freq][input][lanes of the output]`.
    forward: [Buffer; 2],
    /// By kind: `[freq][output][lanes of the input]`.
    back: [Buffer; 2],
}

/// Eight numbers of one weight tap each.
#[derive(Clone, Copy)]
struct Eight([f32; 8]);

impl Lane for Eight {
    #[inline(always)]
    fn plus(self, other: Eight) -> Eight {
        Eight(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn minus(self, other: Eight) -> Eight {
        Eight(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }

    #[inline(always)]
    fn times_plus(self, factor: f32, other: Eight) -> Eight {
        Eight(std::array::from_fn(|i| factor * self.0[i] + other.0[i]))
    }
}

impl Conv {
    pub(super) fn new(places: Places<'_>, name: &str) -> Result<Conv, String> {
        let (weight, shape) = find(places, &format!("{name}.weight"), 4)?;
        let (bias_at, _) = find(places, &format!("{name}.bias"), 1)?;
        let (outputs, inputs) = (shape[0], shape[1]);
        let bias = Buffer::zeros(outputs.next_multiple_of(8));
        Ok(Conv { inputs, outputs, weight, bias_at, bias, forward: Default::default(), back: Default::default() })
    }

    /// Input channels, padded to a multiple of 8.
    pub(super) fn lanes_in(&self) -> usize {
        self.inputs.next_multiple_of(8)
    }

    /// Output channels, padded to a multiple of 8.
    pub(super) fn lanes(&self) -> usize {
        self.outputs.next_multiple_of(8)
    }

    /// Distance between freqs in `forward` and in sums for the weights' gradient.
    fn pitch(&self) -> usize {
        tile_pitch(self.inputs * self.lanes())
    }

    /// Distance between freqs in `back`.
    fn back_pitch(&self) -> usize {
        tile_pitch(self.outputs * self.lanes_in())
    }

    pub(super) fn load(&mut self, values: &[f32], kinds: &[Kind]) {
        let (pitch, back_pitch) = (self.pitch(), self.back_pitch());
        self.bias[..self.outputs].copy_from_slice(&values[self.bias_at.clone()]);
        let weight = &values[self.weight.clone()];
        for &kind in kinds {
            let (inputs, outputs) = (self.inputs, self.outputs);
            let forward = ((inputs, 9), (outputs, inputs * 9), pitch);
            let back = ((outputs, inputs * 9), (inputs, 9), back_pitch);
            let (i, freqs) = (kind.index(), kind.freqs());
            self.forward[i].reserve(freqs * pitch);
            self.back[i].reserve(freqs * back_pitch);
            match kind {
                Kind::Three => {
                    pack::<Three, 3, 5>(weight, forward, &mut self.forward[i]);
                    pack::<Three, 3, 5>(weight, back, &mut self.back[i]);
                }
                Kind::Four => {
                    pack::<Four, 4, 6>(weight, forward, &mut self.forward[i]);
                    pack::<Four, 4, 6>(weight, back, &mut self.back[i]);
                }
            }
        }
    }

    /// From transformed inputs to transformed outputs, of that many tiles; distances between freqs are given.
    pub(super) fn forward<K: Kernels>(
        &self,
        kernels: K,
        kind: Kind,
        tiles: usize,
        (inputs, pitch): (&[f32], usize),
        (outputs, out_pitch): (&mut [f32], usize),
    ) {
        let product = Product {
            freqs: kind.freqs(),
            rows: tiles,
            depth: self.inputs,
            stride: self.lanes_in(),
            step: 1,
            pitch,
            width: self.lanes(),
            right_stride: self.lanes(),
            right_pitch: self.pitch(),
            out_stride: self.lanes(),
            out_pitch,
            add: false,
            left: inputs,
            right: &self.forward[kind.index()],
        };
        kernels.multiply(&product, outputs);
    }

    /// From gradients of transformed outputs to those of transformed inputs.
    pub(super) fn back<K: Kernels>(
        &self,
        kernels: K,
        kind: Kind,
        tiles: usize,
        (outputs, pitch): (&[f32], usize),
        (inputs, out_pitch): (&mut [f32], usize),
        add: bool,
    ) {
        let product = Product {
            freqs: kind.freqs(),
            rows: tiles,
            depth: self.outputs,
            stride: self.lanes(),
            step: 1,
            pitch,
            width: self.lanes_in(),
            right_stride: self.lanes_in(),
            right_pitch: self.back_pitch(),
            out_stride: self.lanes_in(),
            out_pitch,
            add,
            left: outputs,
            right: &self.back[kind.index()],
        };
        kernels.multiply(&product, inputs);
    }

    /// Adds the gradient of the transformed weights `[freq][input][lanes of the output]`.
    pub(super) fn learn<K: Kernels>(
        &self,
        kernels: K,
        kind: Kind,
        tiles: usize,
        (inputs, pitch): (&[f32], usize),
        (outputs, right_pitch): (&[f32], usize),
        sums: &mut [f32],
    ) {
        let product = Product {
            freqs: kind.freqs(),
            rows: self.inputs,
            depth: tiles,
            stride: 1,
            step: self.lanes_in(),
            pitch,
            width: self.lanes(),
            right_stride: self.lanes(),
            right_pitch,
            out_stride: self.lanes(),
            out_pitch: self.pitch(),
            add: true,
            left: inputs,
            right: outputs,
        };
        kernels.multiply(&product, sums);
    }

    /// Numbers in the gradient of the transformed weights.
    pub(super) fn sums(&self, kind: Kind) -> usize {
        kind.freqs() * self.pitch()
    }

    /// Adds what `learn` summed, and the summed gradient of the outputs, to the gradient of the whole network.
    pub(super) fn settle(&self, kind: Kind, sums: &[f32], bias: &[f32], gradient: &mut [f32]) {
        add(&mut gradient[self.bias_at.clone()], bias);
        let weight = &mut gradient[self.weight.clone()];
        match kind {
            Kind::Three => unpack::<Three, 3, 5>((sums, self.pitch()), self.inputs, self.outputs, weight),
            Kind::Four => unpack::<Four, 4, 6>((sums, self.pitch()), self.inputs, self.outputs, weight),
        }
    }
}

/// to += from, as far as `to` goes.
pub(super) fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// Transforms weights to `[freq][row][lanes of columns]`, freqs `pitch` apart; rows and columns come with their distance
/// in `weight`.
fn pack<T: Transform<M, N>, const M: usize, const N: usize>(
    weight: &[f32],
    ((rows, row_step), (columns, column_step), pitch): ((usize, usize), (usize, usize), usize),
    packed: &mut [f32],
) {
    let lanes = columns.next_multiple_of(8);
    for row in 0..rows {
        for lane in (0..lanes).step_by(8) {
            let mut taps = [Eight([0.0; 8]); 9];
            for column in lane..columns.min(lane + 8) {
                let from = &weight[row * row_step + column * column_step..][..9];
                for tap in 0..9 {
                    taps[tap].0[column - lane] = from[tap];
                }
            }
            let across: [[Eight; N]; 3] = std::array::from_fn(|x| T::weight([taps[x], taps[3 + x], taps[6 + x]]));
            for i in 0..N {
                let line = T::weight([across[0][i], across[1][i], across[2][i]]);
                for (j, values) in line.iter().enumerate() {
                    packed[(i * N + j) * pitch + row * lanes + lane..][..8].copy_from_slice(&values.0);
                }
            }
        }
    }
}

/// Adds the taps' gradient from that of the transformed weights.
fn unpack<T: Transform<M, N>, const M: usize, const N: usize>(
    (sums, pitch): (&[f32], usize),
    inputs: usize,
    outputs: usize,
    gradient: &mut [f32],
) {
    let lanes = outputs.next_multiple_of(8);
    for input in 0..inputs {
        for lane in (0..lanes).step_by(8) {
            let at = |i: usize, j: usize| {
                let from = &sums[(i * N + j) * pitch + input * lanes + lane..][..8];
                Eight(from.try_into().expect("eight numbers"))
            };
            let across: [[Eight; 3]; N] = std::array::from_fn(|j| T::taps(std::array::from_fn(|i| at(i, j))));
            for y in 0..3 {
                let line = T::taps::<Eight>(std::array::from_fn(|j| across[j][y]));
                for output in lane..outputs.min(lane + 8) {
                    for x in 0..3 {
                        gradient[(output * inputs + input) * 9 + y * 3 + x] += line[x].0[output - lane];
                    }
                }
            }
        }
    }
}

/// One of the layers that a `Dense` is made of.
#[derive(Debug)]
struct Part {
    weight: Range<usize>,
    bias: Option<Range<usize>>,
    /// First lane of its outputs.
    first: usize,
    outputs: usize,
    /// Whether the weight is `[outputs][inputs]`, as in 1x1 convolutions, instead of `[inputs][outputs]`.
    point: bool,
}

/// Linear layers of the same input side by side; also 1x1 convolutions.
#[derive(Debug)]
pub(super) struct Dense {
    pub(super) inputs: usize,
    /// Outputs, padded to a multiple of 8.
    pub(super) lanes: usize,
    parts: Vec<Part>,
    /// One per lane.
    pub(super) bias: Buffer,
    /// `[inputs][lanes]`.
    forward: Buffer,
    /// `[lanes][lanes of the inputs]`.
    back: Buffer,
}

impl Dense {
    /// Layers named without `.weight`; each starts at the next multiple of `align` lanes. Those that the network lacks
    /// are left out; none at all make nothing.
    pub(super) fn new(places: Places<'_>, names: &[&str], align: usize) -> Option<Dense> {
        let (mut parts, mut lanes, mut inputs) = (Vec::new(), 0usize, 0);
        for name in names {
            let Some((weight, shape)) = places(&format!("{name}.weight")) else { continue };
            let point = shape.len() == 4;
            let outputs = if point { shape[0] } else { shape[1] };
            inputs = if point { shape[1] } else { shape[0] };
            let first = lanes.next_multiple_of(align);
            let bias = places(&format!("{name}.bias")).map(|(range, _)| range);
            parts.push(Part { weight, bias, first, outputs, point });
            lanes = first + outputs;
        }
        let lanes = lanes.next_multiple_of(8);
        let (bias, forward) = (Buffer::zeros(lanes), Buffer::zeros(inputs * lanes));
        let back = Buffer::zeros(lanes * inputs.next_multiple_of(8));
        (!parts.is_empty()).then_some(Dense { inputs, lanes, parts, bias, forward, back })
    }

    /// Inputs, padded to a multiple of 8.
    pub(super) fn lanes_in(&self) -> usize {
        self.inputs.next_multiple_of(8)
    }

    /// First lane of the outputs of a part.
    pub(super) fn first(&self, part: usize) -> usize {
        self.parts[part].first
    }

    /// Number of outputs of the first part.
    pub(super) fn outputs(&self) -> usize {
        self.parts[0].outputs
    }

    /// Place in the weight, input and lane of every number.
    fn each(part: &Part, inputs: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let (outputs, first, point) = (part.outputs, part.first, part.point);
        (0..inputs).flat_map(move |input| {
            let at = move |output| if point { output * inputs + input } else { input * outputs + output };
            (0..outputs).map(move |output| (at(output), input, first + output))
        })
    }

    pub(super) fn load(&mut self, values: &[f32]) {
        let lanes_in = self.lanes_in();
        for part in &self.parts {
            let weight = &values[part.weight.clone()];
            for (at, input, lane) in Dense::each(part, self.inputs) {
                self.forward[input * self.lanes + lane] = weight[at];
                self.back[lane * lanes_in + input] = weight[at];
            }
            if let Some(bias) = &part.bias {
                self.bias[part.first..][..part.outputs].copy_from_slice(&values[bias.clone()]);
            }
        }
    }

    /// Without the bias: `x` has rows of `stride`, `out` of `lanes`.
    pub(super) fn forward<K: Kernels>(&self, kernels: K, rows: usize, x: &[f32], stride: usize, out: &mut [f32]) {
        let product = Product {
            freqs: 1,
            rows,
            depth: self.inputs,
            stride,
            step: 1,
            pitch: 0,
            width: self.lanes,
            right_stride: self.lanes,
            right_pitch: 0,
            out_stride: self.lanes,
            out_pitch: 0,
            add: false,
            left: x,
            right: &self.forward,
        };
        kernels.multiply(&product, out);
    }

    /// With the bias.
    pub(super) fn biased<K: Kernels>(&self, kernels: K, rows: usize, x: &[f32], stride: usize, out: &mut [f32]) {
        self.forward(kernels, rows, x, stride, out);
        out[..rows * self.lanes].chunks_exact_mut(self.lanes).for_each(|row| add(row, &self.bias));
    }

    /// `dy` has rows of `lanes`, `dx` of `lanes_in`.
    pub(super) fn back<K: Kernels>(&self, kernels: K, rows: usize, dy: &[f32], dx: &mut [f32], add: bool) {
        let product = Product {
            freqs: 1,
            rows,
            depth: self.lanes,
            stride: self.lanes,
            step: 1,
            pitch: 0,
            width: self.lanes_in(),
            right_stride: self.lanes_in(),
            right_pitch: 0,
            out_stride: self.lanes_in(),
            out_pitch: 0,
            add,
            left: dy,
            right: &self.back,
        };
        kernels.multiply(&product, dx);
    }

    /// Adds to `sums`: `[inputs][lanes]` of the weight, then `[lanes]` of the bias.
    pub(super) fn learn<K: Kernels>(
        &self,
        kernels: K,
        rows: usize,
        (x, stride): (&[f32], usize),
        dy: &[f32],
        sums: &mut [f32],
    ) {
        let (weight, bias) = sums.split_at_mut(self.inputs * self.lanes);
        let product = Product {
            freqs: 1,
            rows: self.inputs,
            depth: rows,
            stride: 1,
            step: stride,
            pitch: 0,
            width: self.lanes,
            right_stride: self.lanes,
            right_pitch: 0,
            out_stride: self.lanes,
            out_pitch: 0,
            add: true,
            left: x,
            right: dy,
        };
        kernels.multiply(&product, weight);
        kernels.add_rows(&dy[..rows * self.lanes], &mut bias[..self.lanes]);
    }

    /// Numbers that `learn` sums.
    pub(super) fn sums(&self) -> usize {
        (self.inputs + 1) * self.lanes
    }

    /// Adds what `learn` summed to the gradient of the whole network.
    pub(super) fn settle(&self, sums: &[f32], gradient: &mut [f32]) {
        for part in &self.parts {
            let weight = &mut gradient[part.weight.clone()];
            for (at, input, lane) in Dense::each(part, self.inputs) {
                weight[at] += sums[input * self.lanes + lane];
            }
            if let Some(bias) = &part.bias {
                add(&mut gradient[bias.clone()], &sums[self.inputs * self.lanes + part.first..]);
            }
        }
    }
}

fn find(places: Places<'_>, name: &str, rank: usize) -> Result<(Range<usize>, Vec<usize>), String> {
    let found = places(name).ok_or_else(|| format!("the network lacks tensor {name}"))?;
    if found.1.len() == rank { Ok(found) } else { Err(format!("tensor {name} has shape {:?}", found.1)) }
}
