//! Reads an ONNX file and runs it, slowly and plainly, over ndarray: the check of what `graph` wrote, sharing nothing
//! with it but the messages. Knows the operations of such networks and no others; a file with another is refused by
//! name. Not here: speed, and types other than float.

use std::collections::BTreeMap;

use ndarray::{ArrayD, Axis, IxDyn, Slice, Zip, concatenate};
use prost::Message;

use super::proto::{FLOAT, GraphProto, INT64, Model, Node, TensorProto};
use super::{IR_VERSION, OPSET};

/// An input or output.
pub type Value = ArrayD<f32>;

/// A file that has been read.
#[derive(Debug)]
pub struct Graph {
    graph: GraphProto,
    constants: BTreeMap<String, Value>,
    axes: BTreeMap<String, Vec<i64>>,
    /// Metadata of the file, by key.
    pub about: BTreeMap<String, String>,
}

impl Graph {
    /// Reads a file. The error says what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Graph, String> {
        let model = Model::decode(bytes).map_err(|e| format!("not an ONNX file: {e}"))?;
        let set = model.opset_import.iter().find(|s| s.domain.is_empty()).map(|s| s.version);
        if set != Some(OPSET) || model.ir_version > IR_VERSION {
            return Err(format!(
                "operator set {set:?} in format {}: expected {OPSET} in {IR_VERSION}",
                model.ir_version
            ));
        }
        let graph = model.graph.ok_or("an ONNX file without a graph")?;
        let (mut constants, mut axes) = (BTreeMap::new(), BTreeMap::new());
        for tensor in &graph.initializer {
            match tensor.data_type {
                FLOAT => drop(constants.insert(tensor.name.clone(), float(tensor)?)),
                INT64 => drop(axes.insert(tensor.name.clone(), whole(tensor)?)),
                other => return Err(format!("constant {}: element type {other}", tensor.name)),
            }
        }
        let about = model.metadata_props.into_iter().map(|e| (e.key, e.value)).collect();
        Ok(Graph { graph, constants, axes, about })
    }

    /// Names of the inputs, in the file's order.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.graph.input.iter().map(|v| v.name.as_str())
    }

    /// Names of the outputs, in the file's order.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.graph.output.iter().map(|v| v.name.as_str())
    }

    /// Runs it; the inputs by name. Gives the outputs by name.
    pub fn run(&self, inputs: BTreeMap<String, Value>) -> Result<BTreeMap<String, Value>, String> {
        let mut values = inputs;
        for node in &self.graph.node {
            let name = node.output.first().ok_or("an operation without output")?;
            let value = self.node(node, &values).map_err(|why| format!("{} {name}: {why}", node.op_type))?;
            values.insert(name.clone(), value);
        }
        let mut take =
            |name: &str| values.remove(name).map(|v| (name.to_string(), v)).ok_or(format!("no output {name}"));
        self.graph.output.iter().map(|v| take(&v.name)).collect()
    }

    fn node(&self, node: &Node, values: &BTreeMap<String, Value>) -> Result<Value, String> {
        let input = |i: usize| -> Result<&Value, String> {
            let name = node.input.get(i).ok_or(format!("no input {i}"))?;
            values.get(name).or_else(|| self.constants.get(name)).ok_or(format!("nothing called {name}"))
        };
        let axes = |i: usize| -> Result<&[i64], String> {
            let name = node.input.get(i).ok_or(format!("no input {i}"))?;
            self.axes.get(name).map(Vec::as_slice).ok_or(format!("no whole numbers called {name}"))
        };
        let setting = |name: &str| node.attribute.iter().find(|a| a.name == name);
        let keep = setting("keepdims").is_none_or(|a| a.i != 0);
        match node.op_type.as_str() {
            "Identity" => Ok(input(0)?.clone()),
            "Relu" => Ok(input(0)?.mapv(|v| v.max(0.0))),
            "Tanh" => Ok(input(0)?.mapv(f32::tanh)),
            "Sqrt" => Ok(input(0)?.mapv(f32::sqrt)),
            "Reciprocal" => Ok(input(0)?.mapv(f32::recip)),
            "Add" => broadcast(input(0)?, input(1)?, |a, b| a + b),
            "Sub" => broadcast(input(0)?, input(1)?, |a, b| a - b),
            "Mul" => broadcast(input(0)?, input(1)?, |a, b| a * b),
            "Div" => broadcast(input(0)?, input(1)?, |a, b| a / b),
            "ReduceSum" => Ok(reduce(input(0)?, axes(1)?, keep, |a, b| a + b)),
            "ReduceMax" => Ok(reduce(input(0)?, axes(1)?, keep, f32::max)),
            "Unsqueeze" => {
                let mut value = input(0)?.clone();
                for &axis in axes(1)? {
                    value = value.insert_axis(Axis(axis as usize));
                }
                Ok(value)
            }
            "Squeeze" => {
                let mut value = input(0)?.clone();
                for &axis in axes(1)?.iter().rev() {
                    if value.shape().get(axis as usize) != Some(&1) {
                        return Err(format!("axis {axis} of {:?} isn't 1", value.shape()));
                    }
                    value = value.remove_axis(Axis(axis as usize));
                }
                Ok(value)
            }
            "Flatten" => {
                let value = input(0)?;
                let rows = value.shape().first().copied().unwrap_or(1);
                reshape(value, &[rows, value.len() / rows.max(1)])
            }
            "Concat" => {
                let parts: Result<Vec<&Value>, String> = (0..node.input.len()).map(input).collect();
                let views: Vec<_> = parts?.iter().map(|v| v.view()).collect();
                let axis = setting("axis").map_or(0, |a| a.i) as usize;
                concatenate(Axis(axis), &views).map_err(|e| e.to_string())
            }
            "MatMul" => matmul(input(0)?, input(1)?),
            "Conv" => {
                let pads = setting("pads").map_or(0, |a| a.ints.first().copied().unwrap_or(0)) as usize;
                let bias = if node.input.len() > 2 { Some(input(2)?) } else { None };
                conv(input(0)?, input(1)?, bias, pads)
            }
            other => Err(format!("operation {other} is unknown here")),
        }
    }
}

fn dims(tensor: &TensorProto, bytes_each: usize) -> Result<Vec<usize>, String> {
    let bad =
        || format!("constant {}: {:?} numbers don't fit {} bytes", tensor.name, tensor.dims, tensor.raw_data.len());
    let dims: Option<Vec<usize>> = tensor.dims.iter().map(|&d| usize::try_from(d).ok()).collect();
    let dims = dims.ok_or_else(bad)?;
    let len = dims.iter().try_fold(bytes_each, |n, &d| n.checked_mul(d));
    if len == Some(tensor.raw_data.len()) { Ok(dims) } else { Err(bad()) }
}

fn float(tensor: &TensorProto) -> Result<Value, String> {
    let dims = dims(tensor, 4)?;
    let values = tensor.raw_data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    ArrayD::from_shape_vec(IxDyn(&dims), values).map_err(|e| e.to_string())
}

fn whole(tensor: &TensorProto) -> Result<Vec<i64>, String> {
    dims(tensor, 8)?;
    Ok(tensor.raw_data.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect())
}

fn reshape(value: &Value, shape: &[usize]) -> Result<Value, String> {
    value.to_shape(IxDyn(shape)).map(|v| v.to_owned()).map_err(|e| e.to_string())
}

fn broadcast(a: &Value, b: &Value, f: impl Fn(f32, f32) -> f32) -> Result<Value, String> {
    let rank = a.ndim().max(b.ndim());
    let side = |v: &Value, axis: usize| if axis + v.ndim() < rank { 1 } else { v.shape()[axis + v.ndim() - rank] };
    let shape: Vec<usize> = (0..rank).map(|i| if side(a, i) == 1 { side(b, i) } else { side(a, i) }).collect();
    let views = a.broadcast(IxDyn(&shape)).zip(b.broadcast(IxDyn(&shape)));
    let (x, y) = views.ok_or_else(|| format!("{:?} with {:?}", a.shape(), b.shape()))?;
    Ok(Zip::from(&x).and(&y).map_collect(|&x, &y| f(x, y)))
}

fn reduce(value: &Value, axes: &[i64], keep: bool, f: impl Fn(f32, f32) -> f32) -> Value {
    let mut value = value.clone();
    for &axis in axes.iter().rev() {
        let axis = Axis(axis as usize);
        let folded = value.map_axis(axis, |lane| lane.iter().copied().reduce(&f).unwrap_or(f32::NAN));
        value = if keep { folded.insert_axis(axis) } else { folded };
    }
    value
}

fn matmul(a: &Value, b: &Value) -> Result<Value, String> {
    let two = |v: &Value| v.clone().into_dimensionality::<ndarray::Ix2>().map_err(|e| e.to_string());
    let (a, b) = (two(a)?, two(b)?);
    if a.ncols() != b.nrows() {
        return Err(format!("{:?} times {:?}", a.shape(), b.shape()));
    }
    Ok(a.dot(&b).into_dyn())
}

/// A convolution with stride 1: for every tap of the kernel, a product of channels over a shifted image.
fn conv(x: &Value, weight: &Value, bias: Option<&Value>, pad: usize) -> Result<Value, String> {
    let four = |v: &Value| v.clone().into_dimensionality::<ndarray::Ix4>().map_err(|e| e.to_string());
    let (x, weight) = (four(x)?, four(weight)?);
    let ([n, input, h, w], [output, expected, kh, kw]) = (x.dim().into(), weight.dim().into());
    if input != expected || kh != 2 * pad + 1 || kw != 2 * pad + 1 {
        return Err(format!("{:?} with a kernel of {:?}, padding {pad}", x.shape(), weight.shape()));
    }
    let mut padded = ndarray::Array4::<f32>::zeros((n, input, h + 2 * pad, w + 2 * pad));
    padded
        .slice_axis_mut(Axis(2), Slice::from(pad..pad + h))
        .slice_axis_mut(Axis(3), Slice::from(pad..pad + w))
        .assign(&x);
    let mut out = ndarray::Array4::<f32>::zeros((n, output, h, w));
    for (dy, dx) in (0..kh).flat_map(|dy| (0..kw).map(move |dx| (dy, dx))) {
        let tap = weight.slice(ndarray::s![.., .., dy, dx]);
        for row in 0..n {
            let image = padded.slice(ndarray::s![row, .., dy..dy + h, dx..dx + w]);
            let flat = image.to_shape((input, h * w)).map_err(|e| e.to_string())?;
            let product = tap.dot(&flat);
            let mut target = out.index_axis_mut(Axis(0), row);
            target += &product.to_shape((output, h, w)).map_err(|e| e.to_string())?;
        }
    }
    if let Some(bias) = bias {
        out += &bias.to_shape((output, 1, 1)).map_err(|e| e.to_string())?;
    }
    Ok(out.into_dyn())
}
