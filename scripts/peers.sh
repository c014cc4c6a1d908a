#!/bin/sh
# Evaluation speed against onnxruntime and OpenVINO on the very same networks, one thread, in one run: a tiny self-play
# run makes a model of each size, `tengen export` writes it as ONNX, and `tengen bench` and the other runtimes take turns.
# Needs Python 3; the two runtimes are installed by name into a virtual environment under the system's temporary
# directory and are no part of the build.
#
#   cargo build --release
#   scripts/peers.sh [RESULT.csv]
#
# TENGEN names another binary, PEERS_DIR another working directory (kept, so that a second run installs nothing).
# Not here: training, self-play, other programs.
set -eu
result=$(realpath "${1:-peers.csv}")
cd "$(dirname "$0")/.."
tengen=$(realpath "${TENGEN:-${CARGO_TARGET_DIR:-target}/release/tengen}")
work=${PEERS_DIR:-${TMPDIR:-/tmp}/tengen-peers}
mkdir -p "$work"
if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet numpy onnxruntime openvino
fi
for shape in 4:64 6:96; do
    net=b${shape%:*}c${shape#*:}
    [ -f "$work/$net.onnx" ] && continue
    rm -rf "$work/$net"
    "$tengen" run --run "$work/$net" --set "net.blocks=${shape%:*}" --set "net.channels=${shape#*:}" \
        --set budget.iterations=1 --set budget.minutes=0 --set budget.final_pairs=0 --set gate.mode=off \
        --set selfplay.games=8 --set selfplay.visits=2
    model=$(ls -d "$work/$net"/models/* | tail -n 1)
    "$tengen" export "$model" --to onnx --out "$work/$net.onnx"
done
"$work/venv/bin/python" scripts/peers.py "$tengen" "$work" "$result"
