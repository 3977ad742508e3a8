#!/usr/bin/env python3
"""Do the passes' instructions grow with the size of a program?

    growth.py FOLDER_OF_PASSES_PY "mlp O1" | "stack O2" | "wide O1" | "square O1" | "scalers FUNCTION" ...

For each shape, with the level of the pipeline or the one function that is counted, a line
`SHAPE LEVEL: linear`, or `more than linear: EXPONENT`, by the slope between 750 and 3,000
operations. What looks through all parameters for each gradient comes
to 1.5 where a program has many; 1.05 is what is measured, and 1.2 is where the line is drawn.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import passes

SIZES, BOUND = (750, 3000), 1.2


def square(n):
    """As many operations as the square of a fiftieth of n."""
    return passes.chain(int((n / 50) ** 2))


def growing(kind, per):
    """A program of growing_sets.py of one operation in `per`."""
    script = os.path.join(os.path.dirname(__file__), "growing_sets.py")
    return lambda n: subprocess.check_output([sys.executable, script, str(n // per), kind], text=True)


def pipeline(level):
    return lambda file: passes.count_passes(["amp-opt", file, f"--amp-mixed-precision=opt-level={level} verbosity=0"])


def question(function):
    """What `amp-verify-scaling` asks there, and nothing else."""
    return lambda file: passes.count(["amp-opt", file, "--amp-verify-scaling"], "--collect-atstart=no",
                                     f"--toggle-collect=mlir::amp::{function}(*")


SHAPES = {"mlp O1": (passes.mlp, pipeline("O1")), "stack O2": (passes.stack, pipeline("O2")),
          "wide O1": (passes.wide, pipeline("O1")), "square O1": (square, pipeline("O1")),
          "scalers findStaleScales": (growing("scalers", 10), question("findStaleScales")),
          "scalers findNegatedGuard": (growing("scalers", 10), question("TransitionFlow::findNegatedGuard"))}

for name in sys.argv[2:]:
    shape, count = SHAPES[name]
    counts = []
    for size in SIZES:
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(shape(size) + "\n")
            file.flush()
            counts.append(count(file.name))
    slope = passes.exponent(SIZES, counts)
    print(f"{name}: " + ("linear" if slope <= BOUND else f"more than linear: {slope:.2f}"))
