//! The fused gradient against Burn's, tensor by tensor. Not here: whether Burn's is right (`gradient`).

use burn::tensor::Device;

use crate::config::NetConfig;
use crate::gradient::support::{all_heads, lively, training};
use crate::gradient::{Fused, Job};
use crate::loss::LossWeights;
use crate::targets::Batch;
use crate::weights::Weights;

/// Largest distance of a tensor's gradient from Burn's, by its norm.
const TOLERANCE: f64 = 1e-4;

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

fn compare(weights: &Weights, batch: &Batch) {
    batch.check(weights.config()).unwrap();
    let device = Device::flex().autodiff();
    let loss = LossWeights::default();
    let job = Job { weights, loss: &loss, device: &device };
    let burn = job.run(batch, 1).unwrap();
    let fused = || Fused::new(weights.config()).unwrap();
    for mut fused in [fused(), fused().portable()] {
        for threads in [1, 2] {
            let own = job.run_fused(batch, threads, &mut fused).unwrap();
            for (a, b) in own.terms.iter().zip(burn.terms) {
                assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{}: {:?} {:?}", fused.name(), own.terms, burn.terms);
            }
            check(weights, &own.gradient, &burn.gradient, fused.name());
            let again = job.run_fused(batch, threads, &mut fused).unwrap();
            assert!(own.terms == again.terms && own.gradient == again.gradient, "bytes repeat");
        }
    }
}

fn check(weights: &Weights, own: &[f32], burn: &[f32], name: &str) {
    assert_eq!(own.len(), burn.len());
    let all = norm(burn.iter().map(|&b| f64::from(b)));
    let mut at = 0;
    for slot in weights.slots() {
        let range = at..at + slot.len();
        at = range.end;
        let (own, burn) = (&own[range.clone()], &burn[range]);
        let size = norm(burn.iter().map(|&b| f64::from(b)));
        let error = norm(own.iter().zip(burn).map(|(&a, &b)| f64::from(a) - f64::from(b)));
        assert!(error <= TOLERANCE * size + 1e-7 * all, "{name}, {}: off by {error} of {size}", slot.name);
    }
}

fn compare_sizes(config: &NetConfig, sizes: &[(usize, usize)], seed: u64) {
    compare(&lively(config, seed), &training(config, sizes, seed + 1));
}

fn preset(name: &str) -> NetConfig {
    NetConfig::preset(name, 8, 1, 2).unwrap()
}

#[test]
fn presets_agree() {
    compare_sizes(&preset("b2c32"), &[(9, 9); 3], 1);
    compare_sizes(&preset("b4c64"), &[(9, 9); 3], 2);
    compare_sizes(&preset("b6c96"), &[(9, 9); 2], 3);
}

#[test]
fn every_size_agrees() {
    for side in 5..=19 {
        compare_sizes(&all_heads("b2c6", 3, 2, 4), &[(side, side), (side, side - 1)], side as u64);
    }
}

/// More rows than a group holds, and in a group more than a convolution takes at a time.
#[test]
fn many_rows_agree() {
    let config = all_heads("b2c6", 3, 2, 4);
    let batch = training(&config, &[(6, 6); 50], 15);
    let groups = super::groups(&batch.input, &super::Layers::new(&config).unwrap());
    assert!(groups.len() > 1 && groups[0].rows.len() > super::chunk(&groups[0].grid));
    compare(&lively(&config, 16), &batch);
}

/// What another batch left in memory doesn't show.
#[test]
fn memory_serves_batches_of_any_size() {
    let config = all_heads("b3c16", 3, 2, 4);
    let weights = lively(&config, 17);
    let device = Device::flex().autodiff();
    let loss = LossWeights::default();
    let job = Job { weights: &weights, loss: &loss, device: &device };
    let mut used = Fused::new(&config).unwrap();
    for sizes in [&[(9, 9); 2][..], &[(9, 9); 9], &[(13, 13), (5, 5), (9, 8)], &[(9, 9); 2], &[(9, 9), (2, 3)]] {
        let batch = training(&config, sizes, 18);
        let mut fresh = Fused::new(&config).unwrap();
        for threads in [2, 1] {
            let (a, b) = (job.run_fused(&batch, threads, &mut used), job.run_fused(&batch, threads, &mut fresh));
            let (a, b) = (a.unwrap(), b.unwrap());
            assert!(a.terms == b.terms && a.gradient == b.gradient, "{sizes:?}");
        }
    }
}

#[test]
fn odd_widths_agree() {
    compare_sizes(&all_heads("b3c22", 4, 2, 3), &[(6, 6); 5], 5);
    compare_sizes(&all_heads("b2c1", 2, 1, 1), &[(7, 7); 3], 6);
    compare_sizes(&all_heads("b2c40", 5, 3, 1), &[(8, 8); 3], 7);
    let mut config = all_heads("b3c22", 4, 2, 3);
    (config.pool_channels, config.policy_channels, config.value_channels, config.value_hidden) = (5, 7, 11, 3);
    compare_sizes(&config, &[(6, 6); 5], 8);
}

#[test]
fn rectangles_and_mixed_sizes_agree() {
    let config = all_heads("b2c16", 3, 2, 4);
    for sizes in [&[(5, 19)][..], &[(19, 7)], &[(1, 1)], &[(1, 13), (2, 3)], &[(25, 25)]] {
        compare_sizes(&config, sizes, 9);
    }
    compare_sizes(&config, &[(9, 9), (5, 7), (13, 6), (9, 9), (13, 13), (5, 5), (5, 7), (19, 19), (9, 9)], 10);
}

#[test]
fn with_and_without_pooling_agree() {
    for pool_blocks in [vec![], vec![0], vec![2], vec![0, 1, 2]] {
        let config = NetConfig { pool_blocks, ..all_heads("b3c16", 3, 2, 4) };
        compare_sizes(&config, &[(9, 9), (6, 7), (9, 9)], 11);
    }
    let bare = NetConfig { planes: 3, ..NetConfig::preset("b1c8", 3, 0, 0).unwrap() };
    compare_sizes(&bare, &[(9, 9), (6, 7)], 12);
}

/// Masks needn't be rectangles, nor planes be 0 outside them.
#[test]
fn any_mask_agrees() {
    let config = all_heads("b3c16", 3, 2, 4);
    let mut batch = training(&config, &[(9, 9), (6, 7), (9, 9)], 13);
    for row in [0, 1] {
        for point in [0, 12, 13, 30] {
            let at = row * 81 + point;
            let (mask, legal) = (&mut batch.input.mask[at], &mut batch.targets.legal[row * 85 + point]);
            (*mask, *legal) = (0.0, 0.0);
            batch.targets.policy[row * 85 + point] = 0.0;
            batch.targets.reply[row * 85 + point] = 0.0;
        }
        for values in [&mut batch.targets.policy, &mut batch.targets.reply] {
            let values = &mut values[row * 85..][..85];
            values[84] += 1.0 - values.iter().sum::<f32>();
        }
    }
    batch.input.planes[81 + 80] = 1.0;
    batch.input.planes[3 * 81 + 2 * 81 + 79] = 1.0;
    compare(&lively(&config, 14), &batch);
}
