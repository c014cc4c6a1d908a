//! The gradient on CPUs, written by hand over the kernels of the forward pass: several times faster than general
//! automatic differentiation. Only the loss stays with whoever calls: it gets the network's outputs, group by group, and
//! gives back their gradient.
//!
//! A batch is cut into groups of boards of one size (`plan`), and each goes forward and back by itself, so memory is
//! bounded by a group, whatever the batch. Sums are taken in the order of the groups and rows: equal batches give equal
//! bytes on one machine.
//!
//! Files: `layers` (packing, products), `plan` (all layers; groups), `memory`, `trunk` and `heads` (the passes).
//! Deliberately not here: the loss, the optimiser, threads (one `Worker` belongs to one).

mod heads;
mod layers;
mod memory;
mod plan;
#[cfg(test)]
mod tests;
mod trunk;

use super::Machine;
use super::kernels::Kernels;
use crate::config::NetConfig;
use crate::raw::RawBatch;
pub(crate) use heads::Logits;
use memory::Memory;
use plan::{Layers, groups};
use trunk::{Pass, chunk};

/// Turns outputs of those rows of the batch into their gradient, in place; without learning, only reads them.
pub(crate) type LossOf<'a> = &'a mut dyn FnMut(&[usize], &mut Logits) -> Result<(), String>;

/// A network of one shape, with the weights of the step.
#[derive(Debug)]
pub(crate) struct Backprop {
    layers: Layers,
    machine: Machine,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    memory: Memory,
    logits: Logits,
    /// In the order of the weights.
    pub(crate) gradient: Vec<f32>,
}

impl Backprop {
    /// For networks of that shape, on this machine. Errors: a shape whose layers this doesn't know.
    pub(crate) fn new(config: &NetConfig) -> Result<Backprop, String> {
        Ok(Backprop { layers: Layers::new(config)?, machine: Machine::detect() })
    }

    /// The same without special instructions: slower, for comparisons.
    #[cfg(test)]
    pub(crate) fn portable(self) -> Backprop {
        Backprop { machine: Machine::Portable(super::portable::Portable), ..self }
    }

    /// The instructions in use.
    pub(crate) fn name(&self) -> &'static str {
        self.machine.name()
    }

    /// Takes the weights of a step, in the order of the slots, packed for the boards of `batch`.
    pub(crate) fn load(&mut self, values: &[f32], batch: &RawBatch) {
        let mut kinds = Vec::new();
        for group in groups(batch, &self.layers) {
            if !kinds.contains(&group.grid.kind) {
                kinds.push(group.grid.kind);
            }
        }
        self.layers.load(values, &kinds);
    }

    /// Runs a checked batch, whose boards `load` has seen; with `learn`, leaves its gradient in the worker.
    pub(crate) fn run(
        &self,
        worker: &mut Worker,
        batch: &RawBatch,
        learn: bool,
        loss: LossOf<'_>,
    ) -> Result<(), String> {
        match self.machine {
            #[cfg(target_arch = "x86_64")]
            Machine::Avx(kernels) => self.run_with(kernels, worker, batch, learn, loss),
            Machine::Portable(kernels) => self.run_with(kernels, worker, batch, learn, loss),
        }
    }

    fn run_with<K: Kernels>(
        &self,
        kernels: K,
        worker: &mut Worker,
        batch: &RawBatch,
        learn: bool,
        loss: LossOf<'_>,
    ) -> Result<(), String> {
        let (layers, Worker { memory, logits, gradient }) = (&self.layers, worker);
        gradient.clear();
        gradient.resize(if learn { layers.config.parameters() } else { 0 }, 0.0);
        memory.clear_sums(layers);
        for group in &groups(batch, layers) {
            memory.lay_out(layers, group, chunk(&group.grid));
            let mut pass = Pass { kernels, layers, memory: &mut *memory, group, batch };
            pass.trunk();
            pass.heads(logits);
            loss(&group.rows, logits)?;
            if learn {
                pass.heads_back(logits);
                pass.trunk_back(gradient);
            }
        }
        if learn {
            memory.settle(layers, gradient);
        }
        Ok(())
    }
}
