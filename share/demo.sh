#!/usr/bin/env bash
# Trains the CNN on handwritten digits at O0 and at O2; called by `./dev demo`
# with the build folder.
set -euo pipefail
build=${1:?usage: demo.sh BUILD_DIR}
if ! [ -x "$build/bin/amp-run" ]; then
  echo "demo: $build/bin/amp-run is not built yet" >&2
  exit 1
fi
