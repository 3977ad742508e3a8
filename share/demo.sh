#!/usr/bin/env bash
# Trains a CNN on handwritten digits at O0 and at O2 on this CPU; called by
# `./dev demo` with the build folder. More arguments go to amp-run (--steps 100).
set -euo pipefail
build=${1:?usage: demo.sh BUILD_DIR [amp-run options]}
shift
digits=$(dirname "${BASH_SOURCE[0]}")/digits
defaults=()
[[ " $*" == *" "-?(-)seed[=\ ]* ]] || defaults+=(--seed 1)
[[ " $*" == *" "-?(-)steps[=\ ]* ]] || defaults+=(--steps 600)
results=()
for level in O0 O2; do
  echo
  echo "== $level: amp-run share/digits/cnn.mlir --opt-level=$level --data share/digits/digits_train.npz ..."
  log=$(mktemp)
  "$build/bin/amp-run" "$digits/cnn.mlir" --opt-level=$level "${defaults[@]}" \
    --data "$digits/digits_train.npz" --test-data "$digits/digits_test.npz" --timing "$@" |
    tee "$log"
  results+=("$level: $(sed -n 's/^evaluated //p' "$log")")
  rm -f "$log"
done
echo
echo "== 8x8 digits, 1,437 for training, 360 held out"
printf '%s\n' "${results[@]}"
