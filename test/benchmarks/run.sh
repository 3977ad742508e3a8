#!/usr/bin/env bash
# What `./dev bench` runs, with the build folder: what the machine does at most, matrix
# products against OpenBLAS, kernels on the emulator, then products and steps of the
# samples against PyTorch where it is installed. One thread. `./dev bench kernels` prints
# what is expected of generated kernels instead, and measures them where there is a GPU;
# `./dev bench passes` how long the passes take, `./dev bench frontends` what a step costs
# in PyTorch, `./dev bench errors` how far a step of each level is from FP64, `./dev bench
# libraries` where oneDNN multiplies faster than generated code, `./dev bench step` what a
# step asks of a GPU, read from its program, `./dev bench steps` what larger steps take
# beside PyTorch's best, `./dev bench threads` what it costs to divide a loop. `machine` and `products` are parts that can be had alone.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIR [errors | kernels | frontends | libraries | machine | passes | products | step | steps | threads]}
here=$(dirname "${BASH_SOURCE[0]}")
case ${2:-} in
errors) PYTHONPATH="$build/python" exec python3 "$here/errors.py" "$build" "${@:3}" ;;
kernels) exec python3 "$here/kernels.py" "$build" "${@:3}" ;;
frontends) PYTHONPATH="$build/python" OMP_NUM_THREADS=1 exec python3 "$here/frontends.py" "${@:3}" ;;
machine)
  cmake --build "$build" --target machine-bench
  exec "$build/bin/machine-bench" "${@:3}"
  ;;
threads)
  cmake --build "$build" --target threads-bench
  exec "$build/bin/threads-bench" "${@:3}"
  ;;
libraries)
  cmake --build "$build" --target contraction-bench
  exec python3 "$here/libraries.py" "$build" "${@:3}"
  ;;
products)
  cmake --build "$build" --target contraction-bench
  exec python3 "$here/products.py" "$build" "${@:3}"
  ;;
step) exec python3 "$here/device_step.py" "$build" "${@:3}" ;;
steps) OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" exec python3 "$here/mid_steps.py" "$build" "${@:3}" ;;
passes) exec python3 "$here/passes.py" "$build/bin/amp-opt" "${@:3}" ;;
"") ;;
*)
  echo "run.sh: expected 'errors', 'kernels', 'frontends', 'libraries', 'machine', 'passes', 'products', 'step', 'steps', 'threads' or nothing, but got '$2'" >&2
  exit 2
  ;;
esac
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cmake --build "$build" --target machine-bench contraction-bench amp-emu
"$build/bin/machine-bench"
"$build/bin/contraction-bench"
if python3 -c "import torch" 2>/dev/null; then
  python3 "$here/products.py" "$build"
else
  echo "products beside oneDNN: not measured, python3 has no torch; install it with: pip install torch"
fi
if python3 -c "import numpy" 2>/dev/null; then
  python3 "$here/emulator.py" "$build"
  python3 "$here/steps.py" "$build" --samples "$here/../Inputs/samples"
else
  echo "emulator and steps: not measured, python3 has no numpy; install it with: pip install numpy"
fi
