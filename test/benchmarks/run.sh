#!/usr/bin/env bash
# What `./dev bench` runs, with the build folder: matrix products against OpenBLAS,
# then steps of the samples against PyTorch where it is installed. One thread.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIR}
here=$(dirname "${BASH_SOURCE[0]}")
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cmake --build "$build" --target contraction-bench
"$build/bin/contraction-bench"
if python3 -c "import numpy" 2>/dev/null; then
  python3 "$here/steps.py" "$build" --samples "$here/../Inputs/samples"
else
  echo "steps: not measured, python3 has no numpy; install it with: pip install numpy"
fi
