//! The network as a function: shapes for every board size, what must not matter (padding, company in a batch), names.

mod support;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;
use support::{all_heads, boards, lively, repadded};
use tengen_net::{BurnNet, Input, Net, NetConfig, RawBatch, RawEvaluator, RawOutput, Weights, device};

fn evaluate(weights: &Weights, batch: &RawBatch) -> RawOutput {
    let mut out = RawOutput::default();
    BurnNet::new(weights, device("flex").unwrap(), "flex").run(batch, &mut out).unwrap();
    out
}

fn close(a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance, "{i}: {x} {y}");
    }
}

#[test]
fn outputs_have_their_shapes_for_every_size() {
    let config = all_heads("b2c8", 3, 2, 4);
    let weights = lively(&config, 1);
    let device = device("flex").unwrap();
    let net = Net::new(&weights, &device);
    for (h, w) in (5..=19).map(|s| (s, s)).chain([(5, 19), (9, 6), (1, 1), (25, 25)]) {
        let batch = boards(&config, &[(h, w), (h, w)], 5);
        let out = net.forward(Input::from_raw(&batch, &config, &device));
        assert_eq!(out.policy.dims(), [2, 3, h * w]);
        assert_eq!(out.extra.unwrap().dims(), [2, 3, 4]);
        assert_eq!((out.wdl.dims(), out.short.unwrap().dims()), ([2, 3], [2, 3]));
        assert_eq!((out.margin.unwrap().dims(), out.ownership.unwrap().dims()), ([2, 2], [2, h * w]));
        let raw = evaluate(&weights, &batch);
        assert_eq!((raw.policy.len(), raw.extra.len(), raw.wdl.len(), raw.margin.len()), (2 * h * w, 8, 6, 2));
        assert!(raw.policy.iter().chain(&raw.extra).chain(&raw.wdl).chain(&raw.margin).all(|v| v.is_finite()));
    }
}

#[test]
fn heads_that_are_absent_give_nothing() {
    let config = NetConfig::preset("b1c8", 3, 0, 0).unwrap();
    let raw = evaluate(&lively(&config, 1), &boards(&config, &[(5, 5)], 5));
    assert_eq!((raw.policy.len(), raw.extra.len(), raw.wdl.len(), raw.margin.len()), (25, 0, 3, 0));
}

#[test]
fn padding_does_not_matter() {
    let config = all_heads("b4c16", 3, 2, 4);
    let weights = lively(&config, 1);
    for ((h, w), (hh, ww)) in [((9, 9), (15, 15)), ((7, 5), (9, 19)), ((5, 5), (5, 25))] {
        let alone = boards(&config, &[(h, w)], 11);
        let padded = evaluate(&weights, &repadded(&alone, hh, ww));
        let alone = evaluate(&weights, &alone);
        let cut: Vec<f32> = (0..h).flat_map(|y| padded.policy[y * ww..y * ww + w].to_vec()).collect();
        close(&alone.policy, &cut, 1e-5);
        close(&alone.extra, &padded.extra, 1e-5);
        close(&alone.wdl, &padded.wdl, 1e-5);
        close(&alone.margin, &padded.margin, 1e-4);
    }
}

#[test]
fn company_in_a_batch_does_not_matter() {
    let config = all_heads("b2c16", 3, 2, 4);
    let weights = lively(&config, 1);
    let sizes = [(9, 9), (5, 7), (9, 9), (6, 6), (8, 9)];
    let batch = boards(&config, &sizes, 3);
    let all = evaluate(&weights, &batch);
    let area = batch.height * batch.width;
    for row in 0..batch.n {
        let one = RawBatch {
            n: 1,
            planes: batch.planes[row * 3 * area..][..3 * area].to_vec(),
            globals: batch.globals[row * 2..][..2].to_vec(),
            mask: batch.mask[row * area..][..area].to_vec(),
            ..batch
        };
        let one = evaluate(&weights, &one);
        close(&one.policy, &all.policy[row * area..][..area], 1e-5);
        close(&one.extra, &all.extra[row * 4..][..4], 1e-5);
        close(&one.wdl, &all.wdl[row * 3..][..3], 1e-5);
        close(&one.margin, &all.margin[row..][..1], 1e-4);
    }
}

#[test]
fn inputs_matter() {
    let config = all_heads("b2c16", 3, 2, 4);
    let weights = lively(&config, 1);
    let batch = boards(&config, &[(9, 9)], 3);
    let base = evaluate(&weights, &batch);
    let mut other = batch.clone();
    other.globals[1] += 1.0;
    assert_ne!(evaluate(&weights, &other).wdl, base.wdl, "globals are read");
    let mut other = batch.clone();
    other.planes[2 * 81] = 1.0 - other.planes[2 * 81];
    let far = evaluate(&weights, &other);
    assert_ne!(far.policy[80], base.policy[80], "pooling carries news across the board");
}

#[test]
fn a_batch_that_does_not_fit_is_refused() {
    let config = all_heads("b1c8", 3, 2, 4);
    let weights = lively(&config, 1);
    let mut net = BurnNet::new(&weights, device("flex").unwrap(), "flex");
    let mut batch = boards(&config, &[(5, 5)], 3);
    batch.planes.pop();
    let mut out = RawOutput::default();
    assert_eq!(net.run(&batch, &mut out).unwrap_err(), "planes has 74 values; 1 positions need 75 each");
    assert_eq!(net.run(&RawBatch { height: 5, width: 5, ..Default::default() }, &mut out), Ok(()));
    assert_eq!((net.name(), out.policy.len()), ("burn flex", 0));
}

/// Names, ids and values of a module's parameters.
#[derive(Default)]
struct Names {
    path: Vec<String>,
    found: Vec<(String, u64, Vec<f32>)>,
}

impl ModuleVisitor for Names {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = param.val().into_data().try_into_vec().unwrap();
        self.found.push((self.path.join("."), param.id.val(), values));
    }
}

#[test]
fn the_modules_fields_are_the_slots_in_order() {
    for config in [all_heads("b5c8", 3, 2, 4), NetConfig::preset("b1c8", 3, 0, 0).unwrap()] {
        let weights = lively(&config, 1);
        let net = Net::new(&weights, &device("flex").unwrap());
        let mut names = Names::default();
        net.visit(&mut names);
        assert_eq!(names.found.len(), weights.slots().len());
        for (k, ((name, _, values), found)) in weights.iter().zip(&names.found).enumerate() {
            assert_eq!((name, k as u64 + 1, values), (found.0.as_str(), found.1, found.2.as_slice()));
        }
        assert_eq!(net.num_params(), config.parameters());
    }
}
