//! The network's forward pass for CPUs, written by hand: Winograd convolutions with weights packed in advance, and
//! activation, residual sum, pooling and bias fused into the transforms. Several times faster than a general tensor
//! library on one core, and just as fast for one position as for many, so search threads evaluate by themselves.
//!
//! Files: `winograd` (mathematics of the tiles), `weights` (reading and packing), `forward` (order of the layers),
//! `kernels` (interface of the arithmetic) with `portable` and `avx`, `panels` (memory).
//!
//! A position's results depend on its own numbers and its board only, bit for bit: not on the batch's size, its place
//! in it, its neighbours, or the padding around the board. They do depend on the machine (AVX2 fuses multiply and add).
//!
//! The gradient for training is made of the same kernels, in `backprop`. `scripts/miri.sh` has every access to memory
//! checked.
//!
//! Deliberately not here: outputs that only training needs (ownership, further policy channels, the spread of the
//! margin), threads (one `FusedNet` belongs to one thread; clones share the weights), and Burn.

#[cfg(target_arch = "x86_64")]
mod avx;
pub(crate) mod backprop;
mod forward;
mod kernels;
mod panels;
mod portable;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod weights;
mod winograd;

use std::sync::Arc;

use crate::raw::{RawBatch, RawEvaluator, RawOutput};
use forward::{Pass, Scratch};
use portable::Portable;
use weights::Weights;
pub use weights::{Tensor, TensorSource};
use winograd::Grid;

/// The instructions a `FusedNet` uses.
#[derive(Clone, Copy, Debug)]
enum Machine {
    /// AVX2 and FMA, and AVX-512 where it is.
    #[cfg(target_arch = "x86_64")]
    Avx(avx::Avx),
    /// Whatever the compiler's target has.
    Portable(Portable),
}

impl Machine {
    fn detect() -> Machine {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx) = avx::Avx::detect() {
            return Machine::Avx(avx);
        }
        Machine::Portable(Portable)
    }

    fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Machine::Avx(avx) => avx.name(),
            Machine::Portable(_) => "fused portable",
        }
    }
}

/// A network ready to run on one thread. A clone shares the weights and has its own working memory.
#[derive(Debug)]
pub struct FusedNet {
    weights: Arc<Weights>,
    machine: Machine,
    /// See `Grid::new`.
    large: bool,
    scratch: Scratch,
}

impl Clone for FusedNet {
    fn clone(&self) -> FusedNet {
        FusedNet { weights: self.weights.clone(), scratch: Scratch::default(), ..*self }
    }
}

impl FusedNet {
    /// Reads the network from its tensors (names as in the Burn model's state; convolutions `[out, in, height, width]`,
    /// linear layers `[in, out]`). The error names the tensor that is missing or has a wrong shape.
    pub fn new(tensors: TensorSource<'_>) -> Result<FusedNet, String> {
        let weights = Arc::new(Weights::new(tensors)?);
        let (machine, large) = (Machine::detect(), weights.large());
        Ok(FusedNet { weights, machine, large, scratch: Scratch::default() })
    }

    /// The same network without special instructions: slower, for comparisons.
    pub fn portable(&self) -> FusedNet {
        FusedNet { machine: Machine::Portable(Portable), ..self.clone() }
    }

    /// Evaluates one position with the machine's kernels.
    fn forward(&mut self, grid: Grid, batch: &RawBatch, position: usize, out: &mut RawOutput) {
        let (weights, scratch) = (&*self.weights, &mut self.scratch);
        match self.machine {
            #[cfg(target_arch = "x86_64")]
            Machine::Avx(kernels) => Pass { kernels, weights, scratch, grid }.run(batch, position, out),
            Machine::Portable(kernels) => Pass { kernels, weights, scratch, grid }.run(batch, position, out),
        }
    }
}

impl RawEvaluator for FusedNet {
    /// Policy logits outside the board are 0. Errors: arrays that don't fit the network; a mask that isn't a rectangle
    /// of ones in the top-left corner; planes that aren't 0 outside it.
    fn run(&mut self, batch: &RawBatch, out: &mut RawOutput) -> Result<(), String> {
        batch.check(self.weights.planes, self.weights.globals)?;
        resize(&self.weights, batch, out);
        for position in 0..batch.n {
            let (height, width) = board(batch, position, self.weights.planes)?;
            self.forward(Grid::new(height, width, self.large), batch, position, out);
        }
        Ok(())
    }

    fn name(&self) -> &str {
        self.machine.name()
    }
}

/// Gives the output arrays their lengths; what isn't written later is 0.
fn resize(weights: &Weights, batch: &RawBatch, out: &mut RawOutput) {
    let extras = weights.policy.extra.as_ref().map_or(0, |(_, count)| *count);
    let margins = usize::from(weights.value.margin.is_some());
    let arrays = [
        (&mut out.policy, batch.height * batch.width),
        (&mut out.extra, extras),
        (&mut out.wdl, 3),
        (&mut out.margin, margins),
    ];
    for (array, each) in arrays {
        array.clear();
        array.resize(batch.n * each, 0.0);
    }
}

/// Height and width of the board of one position, from its mask.
fn board(batch: &RawBatch, position: usize, planes: usize) -> Result<(usize, usize), String> {
    let (side, area) = (batch.width, batch.height * batch.width);
    let mask = &batch.mask[position * area..][..area];
    let width = mask[..side].iter().take_while(|&&m| m == 1.0).count();
    let height = mask.chunks_exact(side).take_while(|row| row[0] == 1.0).count();
    let inside = |at: usize| at / side < height && at % side < width;
    let rectangle = mask.iter().enumerate().all(|(at, &m)| m == if inside(at) { 1.0 } else { 0.0 });
    if !rectangle || width == 0 {
        return Err(format!("the mask of position {position} isn't a rectangle of ones in the top-left corner"));
    }
    if width * height < area {
        let planes = &batch.planes[position * planes * area..][..planes * area];
        if planes.chunks_exact(area).any(|plane| plane.iter().enumerate().any(|(at, &v)| v != 0.0 && !inside(at))) {
            return Err(format!("position {position} has planes that aren't 0 outside its board"));
        }
    }
    Ok((height, width))
}
