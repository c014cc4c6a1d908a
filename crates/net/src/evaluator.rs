//! Runs the Burn model over raw batches on any device: the reference that other runners are compared with. Not here:
//! encoding of positions, batching across games, the fast CPU pass (`fused`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::{Device, Tensor};

use crate::config::NetConfig;
use crate::gradient::read;
use crate::loss::MARGIN_UNIT;
use crate::model::{Input, Net};
use crate::raw::{RawBatch, RawEvaluator, RawOutput};
use crate::weights::Weights;

/// One row per device that Burn can run on: its name, and how it is made if this build has it.
type DeviceRow = (&'static str, Option<fn() -> Device>);

const DEVICES: &[DeviceRow] = &[
    ("flex", Some(Device::flex)),
    #[cfg(feature = "wgpu")]
    ("wgpu", Some(|| Device::wgpu(burn::tensor::DeviceKind::DefaultDevice))),
    #[cfg(not(feature = "wgpu"))]
    ("wgpu", None),
    #[cfg(feature = "cuda")]
    ("cuda", Some(|| Device::cuda(0usize))),
    #[cfg(not(feature = "cuda"))]
    ("cuda", None),
    #[cfg(feature = "rocm")]
    ("rocm", Some(|| Device::rocm(0usize))),
    #[cfg(not(feature = "rocm"))]
    ("rocm", None),
    #[cfg(feature = "metal")]
    ("metal", Some(|| Device::metal(burn::tensor::DeviceKind::DefaultDevice))),
    #[cfg(not(feature = "metal"))]
    ("metal", None),
];

/// Names of the devices that this build has; `flex` (the CPU) is always there.
pub fn device_names() -> Vec<&'static str> {
    DEVICES.iter().filter(|(_, make)| make.is_some()).map(|(name, _)| *name).collect()
}

/// The device of that name, tried out once. Errors say what this build has, or why the device doesn't start.
pub fn device(name: &str) -> Result<Device, String> {
    let Some((name, make)) = DEVICES.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = DEVICES.iter().map(|(known, _)| *known).collect();
        return Err(format!("unknown device `{name}`: known are {}", known.join(", ")));
    };
    let Some(make) = make else {
        let has = device_names().join(", ");
        return Err(format!("this build has no device `{name}` (it has {has}): build with `--features {name}`"));
    };
    // Vendors' runtimes report a missing driver or card by panicking at first use.
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let device = make();
        let sum = read(Tensor::<1>::ones([3], &device).sum())?;
        if sum == [3.0] { Ok(device) } else { Err(format!("1 + 1 + 1 gives {sum:?}")) }
    }));
    tried.unwrap_or(Err("it doesn't start".to_string())).map_err(|why| format!("device `{name}`: {why}"))
}

/// The Burn model on a device.
#[derive(Debug)]
pub struct BurnNet {
    net: Net,
    config: NetConfig,
    device: Device,
    name: String,
}

impl BurnNet {
    /// Puts weights on a device; `name` is the device's.
    pub fn new(weights: &Weights, device: Device, name: &str) -> BurnNet {
        let device = device.inner();
        let net = Net::new(weights, &device);
        BurnNet { net, config: weights.config().clone(), device, name: format!("burn {name}") }
    }
}

impl RawEvaluator for BurnNet {
    fn run(&mut self, batch: &RawBatch, out: &mut RawOutput) -> Result<(), String> {
        batch.check(self.config.planes, self.config.globals)?;
        for values in [&mut out.policy, &mut out.extra, &mut out.wdl, &mut out.margin] {
            values.clear();
        }
        if batch.n == 0 {
            return Ok(());
        }
        let output = self.net.forward(Input::from_raw(batch, &self.config, &self.device));
        out.policy.extend(read(output.policy.narrow(1, 0, 1))?);
        if let Some(extra) = output.extra {
            out.extra.extend(read(extra.narrow(1, 0, 1))?);
        }
        out.wdl.extend(read(output.wdl)?);
        if let Some(margin) = output.margin {
            out.margin.extend(read(margin.narrow(1, 0, 1).mul_scalar(MARGIN_UNIT))?);
        }
        Ok(())
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_found_by_name_or_named() {
        assert!(device_names().contains(&"flex") && device("flex").is_ok());
        assert_eq!(device("gpu").unwrap_err(), "unknown device `gpu`: known are flex, wgpu, cuda, rocm, metal");
        if !device_names().contains(&"cuda") {
            assert!(device("cuda").unwrap_err().contains("--features cuda"));
        }
    }
}
