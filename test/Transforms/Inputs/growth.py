#!/usr/bin/env python3
"""Do the passes' instructions grow with the size of a program?

    growth.py FOLDER_OF_PASSES_PY mlp | stack | wide | square ...

For each shape a line `SHAPE LEVEL: linear`, or `more than linear: EXPONENT`, by the slope
between 1,500 and 6,000 operations. What looks through all parameters for each gradient comes
to 1.5 where a program has many; 1.05 is what is measured, and 1.2 is where the line is drawn.
"""

import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import passes

SIZES, BOUND = (1500, 6000), 1.2


def square(n):
    """As many operations as the square of a fiftieth of n."""
    return passes.chain(int((n / 50) ** 2))


SHAPES = {"mlp": (passes.mlp, "O1"), "stack": (passes.stack, "O2"), "wide": (passes.wide, "O1"),
          "square": (square, "O1")}

for name in sys.argv[2:]:
    shape, level = SHAPES[name]
    counts = []
    for size in SIZES:
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(shape(size) + "\n")
            file.flush()
            counts.append(passes.count_passes(["amp-opt", file.name, f"--amp-mixed-precision=opt-level={level} verbosity=0"]))
    slope = passes.exponent(SIZES, counts)
    print(f"{name} {level}: " + ("linear" if slope <= BOUND else f"more than linear: {slope:.2f}"))
