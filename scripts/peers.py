"""Times one network in several runtimes, in turns; called by peers.sh. Not here: making the networks."""

import csv
import json
import os
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import onnxruntime
import openvino

SECONDS = 1.0
TURNS = 3


def inputs(path, batch, side):
    session = onnxruntime.InferenceSession(path)
    rng = np.random.default_rng(1)
    shapes = {i.name: i.shape for i in session.get_inputs()}
    values = {
        "planes": (rng.random((batch, shapes["planes"][1], side, side)) < 0.25).astype(np.float32),
        "mask": np.ones((batch, 1, side, side), np.float32),
    }
    if "globals" in shapes:
        values["globals"] = np.full((batch, shapes["globals"][1]), 0.5, np.float32)
    return values


def onnxruntime_runner(path, values):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, values)


def openvino_runner(path, values):
    core = openvino.Core()
    model = core.read_model(path)
    model.reshape({name: value.shape for name, value in values.items()})
    compiled = core.compile_model(
        model, "CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    )
    request = compiled.create_infer_request()
    return lambda: request.infer(values)


def rate(run, batch):
    """Positions per second: the best of many short measurements, since other work only slows."""
    run()
    best, end = 0.0, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        best = max(best, batch / (time.perf_counter() - start))
    return best


def tengen_rate(program, net, side, batch):
    name = f"evaluation: {net} {side}x{side}, fused, batch {batch}"
    told = subprocess.run(
        [program, "bench", "--json", "--seconds", str(SECONDS), "--only", name], check=True, capture_output=True, text=True
    )
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    return next(row["per_second"] for row in rows if row["name"] == name)


def main():
    program, work, result = sys.argv[1:]
    rows = []
    for net, side in (("b4c64", 9), ("b6c96", 9), ("b4c64", 15), ("b6c96", 15), ("b4c64", 19)):
        path = os.path.join(work, f"{net}.onnx")
        for batch in (1, 16):
            values = inputs(path, batch, side)
            peers = {"onnxruntime": onnxruntime_runner(path, values), "openvino": openvino_runner(path, values)}
            best = dict.fromkeys(("tengen", *peers), 0.0)
            for _ in range(TURNS):
                best["tengen"] = max(best["tengen"], tengen_rate(program, net, side, batch))
                for name, run in peers.items():
                    best[name] = max(best[name], rate(run, batch))
            ratio = best["tengen"] / max(best[name] for name in peers)
            rows.append({"network": net, "board": f"{side}x{side}", "batch": batch, **best, "ratio": ratio})
            figures = "  ".join(f"{name} {value:8.0f}/s" for name, value in best.items())
            print(f"{net} {side:2}x{side:<2} batch {batch:2}: {figures}  tengen / best other {ratio:.2f}", flush=True)
    with open(result, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    print(f"onnxruntime {onnxruntime.__version__}, OpenVINO {openvino.__version__}; {result}")


main()
