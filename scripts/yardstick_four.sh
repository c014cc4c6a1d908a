#!/bin/sh
# The learning yardstick: trains configs/four6.toml with seeds 1, 2 and 3, scores every network on solved positions, and
# draws the curves over network evaluations. Takes a few minutes per seed on two cores. Started again, it goes on where
# it stopped; finished runs are only scored again.
#
#   cargo build --release
#   scripts/yardstick_four.sh [more arguments for each run, such as --set budget.evaluations=200000]
#
# Results: runs/four6.csv and runs/four6.svg. TENGEN names another binary. Not here: anything the binary doesn't do.
set -eu
trap 'exit 130' INT
cd "$(dirname "$0")/.."
tengen=${TENGEN:-${CARGO_TARGET_DIR:-target}/release/tengen}
if [ ! -x "$tengen" ]; then
    echo "$tengen isn't there; build it with: cargo build --release" >&2
    exit 2
fi

for seed in 1 2 3; do
    "$tengen" run configs/four6.toml --run "runs/four6-seed$seed" --set "run.seed=$seed" "$@"
done
"$tengen" yardstick four runs/four6-seed1 runs/four6-seed2 runs/four6-seed3 \
    --positions tests/data/four_in_row_6x6.txt.gz --csv --svg runs/four6.svg > runs/four6.csv
echo "numbers: runs/four6.csv, curves: runs/four6.svg"
