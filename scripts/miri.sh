#!/bin/sh
# Runs a small network through the fused pass in Miri, which checks every access to memory: with the plain kernels and
# with the AVX2 ones (Miri doesn't know AVX-512). A few minutes, most of them for building; not part of `.ci/run`. Needs
# a nightly toolchain:
#
#   rustup toolchain install nightly --component miri --component rust-src
#   scripts/miri.sh
#
# Not here: the gradient, whose tests compare with Burn and are too long for an interpreter; its kernels are the same.
set -eu
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri" RUSTFLAGS="-Ctarget-feature=+avx2,+fma"
exec cargo +nightly miri test --locked -p tengen-net --lib -- fused::tests::small fused::panels
