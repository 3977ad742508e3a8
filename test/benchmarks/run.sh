#!/usr/bin/env bash
# What `./dev bench` runs, with the build folder: matrix products against OpenBLAS,
# kernels on the emulator, then steps of the samples against PyTorch where it is
# installed. One thread.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIR}
here=$(dirname "${BASH_SOURCE[0]}")
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cmake --build "$build" --target contraction-bench amp-emu
"$build/bin/contraction-bench"
if python3 -c "import numpy" 2>/dev/null; then
  python3 "$here/emulator.py" "$build"
  python3 "$here/steps.py" "$build" --samples "$here/../Inputs/samples"
else
  echo "emulator and steps: not measured, python3 has no numpy; install it with: pip install numpy"
fi
