#!/bin/sh
# On a machine with a GPU and Vulkan: does a binary built with `--features wgpu` run there, does it agree with the CPU,
# and how fast is it? Build beforehand (the machine needs no Rust):
#
#   cargo build --release --features wgpu
#   TENGEN=target/release/tengen scripts/device_check.sh [DEVICE]     (wgpu by default; also cuda, rocm, metal)
#
# Prints one line per check and ends with 1 if any fails. Takes a few minutes, most of it the device's first compilation
# of its kernels. Not here: drivers, and the build.
set -eu
tengen=$(realpath "${TENGEN:-${CARGO_TARGET_DIR:-target}/release/tengen}")
device=${1:-wgpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "== $("$tengen" --version | head -n 1)"
"$tengen" doctor
echo "== the same outputs as the CPU, evaluations and training steps per second"
"$tengen" bench --device "$device" --seconds 2
echo "== a whole round: self-play, training and a match on $device"
"$tengen" run --run "$work/run" --set "run.device=$device" --set "run.evaluator=$device" --set budget.iterations=2 \
    --set budget.minutes=0 --set budget.final_pairs=4 --set selfplay.games=64 --set selfplay.in_flight=256
echo "== done"
