#!/bin/sh
# 5x5 Go against the proven value: trains configs/go5.toml with seeds 1, 2 and 3, then lets each promoted network open
# as Black at komi 24.5 and meet every reply of White, a hundred games in all. Started again, it goes on where it
# stopped; finished runs are only measured again.
#
#   cargo build --release
#   scripts/yardstick_go5.sh [more arguments for each run, such as --set budget.minutes=30]
#
# Results: runs/go5-seed1.txt and so on; each run draws its losses as curve.svg in its directory. TENGEN names another
# binary. Not here: anything the binary doesn't do.
set -eu
trap 'exit 130' INT
cd "$(dirname "$0")/.."
tengen=${TENGEN:-${CARGO_TARGET_DIR:-target}/release/tengen}
if [ ! -x "$tengen" ]; then
    echo "$tengen isn't there; build it with: cargo build --release" >&2
    exit 2
fi

for seed in 1 2 3; do
    "$tengen" run configs/go5.toml --run "runs/go5-seed$seed" --set "run.seed=$seed" "$@"
done
for seed in 1 2 3; do
    "$tengen" yardstick go5 "runs/go5-seed$seed" > "runs/go5-seed$seed.txt"
    cat "runs/go5-seed$seed.txt"
done
echo "results: runs/go5-seed*.txt, losses: runs/go5-seed*/curve.svg"
