//! The network as an ONNX graph. Follows `net::model` step by step; that the two agree is checked by running what was
//! written, at every export.

use prost::Message;
use tengen_data::ModelCard;
use tengen_net::Weights;
use tengen_net::config::{POOL_SCALE, POOL_SIDE};
use tengen_net::loss::MARGIN_UNIT;

use super::proto::{
    Attribute, Dim, DimValue, Entry, FLOAT, GraphProto, INT64, Model, Node, OperatorSet, Shape, TensorProto,
    TensorType, TypeProto, ValueInfo,
};
use super::{IR_VERSION, OPSET};

/// What a reader of the file may want to know about the model: (key, value), in this order.
pub fn about_of(card: &ModelCard) -> Vec<(&'static str, String)> {
    vec![
        ("model", card.id.clone()),
        ("setups", card.setups.join("\n")),
        ("features", card.features.to_string()),
        ("extras", card.extras.join(" ")),
        ("steps", card.steps.to_string()),
        ("weights_blake3", card.weights_blake3.clone()),
    ]
}

/// The file.
pub fn write(weights: &Weights, about: &[(&'static str, String)]) -> Vec<u8> {
    let mut b = Builder::new(weights);
    b.network();
    let Builder { graph, .. } = b;
    let entry = |(key, value): &(&str, String)| Entry { key: (*key).to_string(), value: value.clone() };
    let model = Model {
        ir_version: IR_VERSION,
        producer_name: "tengen".to_string(),
        producer_version: env!("CARGO_PKG_VERSION").to_string(),
        doc_string: "Policy and value network of a board game; outputs are for the seat to act.".to_string(),
        graph: Some(graph),
        opset_import: vec![OperatorSet { domain: String::new(), version: OPSET }],
        metadata_props: about.iter().map(entry).collect(),
    };
    model.encode_to_vec()
}

/// A value in the graph, by name.
type Name = String;

struct Builder<'a> {
    weights: &'a Weights,
    graph: GraphProto,
    count: usize,
    /// Names of `1 / points` and `(side - 14) / 10`, `[n, 1]` each.
    per_point: Name,
    side: Name,
}

const N: &str = "n";
const H: &str = "h";
const W: &str = "w";

/// A dimension for `ValueInfo`: free if named.
enum Axis {
    Free(&'static str),
    Fixed(usize),
}

impl<'a> Builder<'a> {
    fn new(weights: &'a Weights) -> Builder<'a> {
        let graph = GraphProto { name: "network".to_string(), ..GraphProto::default() };
        Builder { weights, graph, count: 0, per_point: Name::new(), side: Name::new() }
    }

    fn network(&mut self) {
        let config = self.weights.config().clone();
        let board = |c: usize| vec![Axis::Free(N), Axis::Fixed(c), Axis::Free(H), Axis::Free(W)];
        self.input("planes", board(config.planes), "Input planes, 0 outside the board");
        if config.globals > 0 {
            self.input("globals", vec![Axis::Free(N), Axis::Fixed(config.globals)], "Input numbers of the position");
        }
        self.input("mask", board(1), "1 on the board, 0 outside");
        self.constant("axes_board", &[1, 2, 3]);
        self.constant("axes_sides", &[2, 3]);
        self.constant("axis_channel", &[1]);
        self.board();
        let mut x = self.conv("planes".to_string(), "stem.conv", None);
        if config.globals > 0 {
            let g = self.linear("globals".to_string(), "stem.globals", None);
            x = self.add_per_channel(x, g);
        }
        x = self.masked(x);
        for i in 0..config.blocks {
            x = self.block(x, i);
        }
        let t = self.op("Relu", &[&x], vec![]);
        self.policy_head(&t);
        self.value_head(&t);
    }

    /// `1 / points` and the board's side on the scale that pooling uses.
    fn board(&mut self) {
        let area = self.op("ReduceSum", &["mask", "axes_board"], vec![int("keepdims", 1)]);
        let area = self.op("Flatten", &[&area], vec![int("axis", 1)]);
        self.per_point = self.op("Reciprocal", &[&area], vec![]);
        let root = self.op("Sqrt", &[&area], vec![]);
        self.scalar("pool_side", POOL_SIDE);
        self.scalar("pool_scale", POOL_SCALE);
        let shifted = self.op("Sub", &[&root, "pool_side"], vec![]);
        self.side = self.op("Div", &[&shifted, "pool_scale"], vec![]);
    }

    fn block(&mut self, x: Name, i: usize) -> Name {
        let a = self.op("Relu", &[&x], vec![]);
        let mut h = self.conv(a.clone(), &format!("blocks.{i}.conv1"), None);
        if self.weights.config().pools(i) {
            let g = self.conv(a, &format!("blocks.{i}.pool_conv"), None);
            let g = self.op("Relu", &[&g], vec![]);
            let g = self.masked(g);
            let pooled = self.pool(&g);
            let bias = self.linear(pooled, &format!("blocks.{i}.pool_linear"), None);
            h = self.add_per_channel(h, bias);
        }
        let h = self.op("Relu", &[&h], vec![]);
        let h = self.masked(h);
        let h = self.conv(h, &format!("blocks.{i}.conv2"), None);
        let h = self.masked(h);
        self.op("Add", &[&x, &h], vec![])
    }

    fn policy_head(&mut self, t: &str) {
        let config = self.weights.config().clone();
        let g = self.conv(t.to_string(), "policy.pool", None);
        let g = self.op("Relu", &[&g], vec![]);
        let g = self.masked(g);
        let pooled = self.pool(&g);
        let mix = self.linear(pooled.clone(), "policy.mix", None);
        let p = self.conv(t.to_string(), "policy.point", None);
        let p = self.add_per_channel(p, mix);
        let p = self.op("Relu", &[&p], vec![]);
        let p = self.masked(p);
        // Only the main channel: the first output of the convolution, the first `extras` of the linear layer.
        let out = self.conv(p, "policy.out", Some(1));
        self.finish("policy", "Squeeze", &[&out, "axis_channel"], vec![Axis::Free(N), Axis::Free(H), Axis::Free(W)]);
        if config.extras > 0 {
            let extra = self.linear(pooled, "policy.extra", Some(config.extras));
            self.finish("extra", "Identity", &[&extra], vec![Axis::Free(N), Axis::Fixed(config.extras)]);
        }
    }

    fn value_head(&mut self, t: &str) {
        let config = self.weights.config().clone();
        let v = self.conv(t.to_string(), "value.conv", None);
        let v = self.op("Relu", &[&v], vec![]);
        let v = self.masked(v);
        let pooled = self.pool(&v);
        let hidden = self.linear(pooled, "value.hidden", None);
        let hidden = self.op("Relu", &[&hidden], vec![]);
        let wdl = self.linear(hidden.clone(), "value.wdl", None);
        self.finish("wdl", "Identity", &[&wdl], vec![Axis::Free(N), Axis::Fixed(3)]);
        if config.short_term {
            let short = self.linear(hidden.clone(), "value.short", None);
            self.finish("short", "Identity", &[&short], vec![Axis::Free(N), Axis::Fixed(3)]);
        }
        if config.board_heads {
            // The second output, the spread, is only of use in training.
            let margin = self.linear(hidden, "value.margin", Some(1));
            self.scalar("margin_unit", MARGIN_UNIT);
            let points = self.op("Mul", &[&margin, "margin_unit"], vec![]);
            self.finish("margin", "Squeeze", &[&points, "axis_channel"], vec![Axis::Free(N)]);
            let owner = self.conv(v, "value.ownership", None);
            let owner = self.op("Squeeze", &[&owner, "axis_channel"], vec![]);
            self.finish("ownership", "Tanh", &[&owner], vec![Axis::Free(N), Axis::Free(H), Axis::Free(W)]);
        }
    }

    /// Mean, mean scaled by the side, and maximum of each channel.
    fn pool(&mut self, x: &str) -> Name {
        let (per_point, side) = (self.per_point.clone(), self.side.clone());
        let sum = self.op("ReduceSum", &[x, "axes_sides"], vec![int("keepdims", 0)]);
        let mean = self.op("Mul", &[&sum, &per_point], vec![]);
        let scaled = self.op("Mul", &[&mean, &side], vec![]);
        let max = self.op("ReduceMax", &[x, "axes_sides"], vec![int("keepdims", 0)]);
        self.op("Concat", &[&mean, &scaled, &max], vec![int("axis", 1)])
    }

    fn masked(&mut self, x: Name) -> Name {
        self.op("Mul", &[&x, "mask"], vec![])
    }

    fn add_per_channel(&mut self, x: Name, bias: Name) -> Name {
        let bias = self.op("Unsqueeze", &[&bias, "axes_sides"], vec![]);
        self.op("Add", &[&x, &bias], vec![])
    }

    /// A convolution that keeps the board's size; of its outputs the first `keep`, where given.
    fn conv(&mut self, x: Name, layer: &str, keep: Option<usize>) -> Name {
        let (shape, values) = self.take(&format!("{layer}.weight"));
        let (side, keep) = (shape[2], keep.unwrap_or(shape[0]));
        let each: usize = shape[1..].iter().product();
        let weight = self.tensor(&format!("{layer}.weight"), &[&[keep], &shape[1..]].concat(), &values[..keep * each]);
        let mut inputs = vec![x, weight];
        if let Some((_, values)) = self.weights.get(&format!("{layer}.bias")) {
            inputs.push(self.tensor(&format!("{layer}.bias"), &[keep], &values[..keep]));
        }
        let half = (side / 2) as i64;
        let attributes = vec![ints("kernel_shape", &[side as i64; 2]), ints("pads", &[half; 4])];
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        self.op("Conv", &inputs, attributes)
    }

    /// A linear layer; of its outputs the first `keep`, where given.
    fn linear(&mut self, x: Name, layer: &str, keep: Option<usize>) -> Name {
        let (shape, values) = self.take(&format!("{layer}.weight"));
        let keep = keep.unwrap_or(shape[1]);
        let kept: Vec<f32> = values.chunks(shape[1]).flat_map(|row| row[..keep].to_vec()).collect();
        let weight = self.tensor(&format!("{layer}.weight"), &[shape[0], keep], &kept);
        let y = self.op("MatMul", &[&x, &weight], vec![]);
        let Some((_, values)) = self.weights.get(&format!("{layer}.bias")) else { return y };
        let bias = self.tensor(&format!("{layer}.bias"), &[keep], &values[..keep]);
        self.op("Add", &[&y, &bias], vec![])
    }

    fn take(&self, name: &str) -> (Vec<usize>, &'a [f32]) {
        let (shape, values) = self.weights.get(name).expect("a checked network has every weight of its shape");
        (shape.to_vec(), values)
    }

    fn tensor(&mut self, name: &str, shape: &[usize], values: &[f32]) -> Name {
        self.graph.initializer.push(TensorProto {
            dims: shape.iter().map(|&d| d as i64).collect(),
            data_type: FLOAT,
            name: name.to_string(),
            raw_data: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        });
        name.to_string()
    }

    fn scalar(&mut self, name: &str, value: f32) {
        self.tensor(name, &[], &[value]);
    }

    fn constant(&mut self, name: &str, values: &[i64]) {
        self.graph.initializer.push(TensorProto {
            dims: vec![values.len() as i64],
            data_type: INT64,
            name: name.to_string(),
            raw_data: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        });
    }

    fn op(&mut self, op: &str, inputs: &[&str], attribute: Vec<Attribute>) -> Name {
        self.count += 1;
        let name = format!("{}_{}", op.to_lowercase(), self.count);
        self.node(op, inputs, attribute, name.clone());
        name
    }

    fn node(&mut self, op: &str, inputs: &[&str], attribute: Vec<Attribute>, output: Name) {
        self.graph.node.push(Node {
            input: inputs.iter().map(|s| (*s).to_string()).collect(),
            output: vec![output.clone()],
            name: output,
            op_type: op.to_string(),
            attribute,
        });
    }

    fn input(&mut self, name: &str, shape: Vec<Axis>, doc: &str) {
        self.graph.input.push(value_info(name, shape, doc));
    }

    /// The last operation of an output.
    fn finish(&mut self, name: &str, op: &str, inputs: &[&str], shape: Vec<Axis>) {
        self.node(op, inputs, vec![], name.to_string());
        self.graph.output.push(value_info(name, shape, ""));
    }
}

fn value_info(name: &str, shape: Vec<Axis>, doc: &str) -> ValueInfo {
    let dim = |axis| match axis {
        Axis::Free(name) => Dim { value: Some(DimValue::Free(name.to_string())) },
        Axis::Fixed(n) => Dim { value: Some(DimValue::Fixed(n as i64)) },
    };
    let shape = Shape { dim: shape.into_iter().map(dim).collect() };
    let tensor = TensorType { elem_type: FLOAT, shape: Some(shape) };
    ValueInfo { name: name.to_string(), kind: Some(TypeProto { tensor: Some(tensor) }), doc_string: doc.to_string() }
}

fn int(name: &str, i: i64) -> Attribute {
    Attribute { name: name.to_string(), i, ints: vec![], kind: Attribute::INT }
}

fn ints(name: &str, ints: &[i64]) -> Attribute {
    Attribute { name: name.to_string(), i: 0, ints: ints.to_vec(), kind: Attribute::INTS }
}
