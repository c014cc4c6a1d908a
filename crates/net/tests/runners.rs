//! The two runners of one weights file agree on every board size: the fused CPU pass against the Burn model.

mod support;

use support::{all_heads, boards, lively};
use tengen_net::fused::FusedNet;
use tengen_net::{BurnNet, NetConfig, RawBatch, RawEvaluator, RawOutput, Weights, device};

/// Read back from the file's bytes.
fn weights(config: &NetConfig, seed: u64) -> Weights {
    Weights::from_bytes(&lively(config, seed).to_bytes()).unwrap()
}

fn compare(weights: &Weights, batch: &RawBatch) {
    let (mut burn, mut fused) = (RawOutput::default(), RawOutput::default());
    BurnNet::new(weights, device("flex").unwrap(), "flex").run(batch, &mut burn).unwrap();
    FusedNet::new(&|name| weights.get(name)).unwrap().run(batch, &mut fused).unwrap();
    // Outside the board policy means nothing.
    for out in [&mut burn, &mut fused] {
        out.policy.iter_mut().zip(&batch.mask).for_each(|(p, m)| *p *= m);
    }
    let pairs = [
        ("policy", &burn.policy, &fused.policy),
        ("extra", &burn.extra, &fused.extra),
        ("wdl", &burn.wdl, &fused.wdl),
        ("margin", &burn.margin, &fused.margin),
    ];
    for (name, a, b) in pairs {
        assert_eq!(a.len(), b.len(), "{name}");
        let scale = if name == "margin" { 20.0 } else { 1.0 };
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            assert!((x - y).abs() < 1e-4 * scale, "{}x{}, {name} {i}: {x} {y}", batch.width, batch.height);
        }
    }
}

#[test]
fn fused_is_burn_on_every_size() {
    let config = all_heads("b3c16", 5, 3, 4);
    let weights = weights(&config, 3);
    for side in 5..=19 {
        compare(&weights, &boards(&config, &[(side, side)], side as u64));
    }
    compare(&weights, &boards(&config, &[(9, 9), (7, 9), (5, 13), (13, 6)], 2));
}

#[test]
fn fused_is_burn_for_the_presets() {
    for name in ["b2c32", "b4c64", "b6c96"] {
        let config = NetConfig::preset(name, 8, 1, 2).unwrap();
        compare(&weights(&config, 1), &boards(&config, &[(15, 15), (9, 9)], 7));
    }
    let config = NetConfig::preset("b2c32", 8, 0, 0).unwrap();
    compare(&weights(&config, 1), &boards(&config, &[(9, 9)], 7));
}
