"""Masked reductions of vectors over extents of 1, beside what the mask leaves.

    masked_reductions.py OPTION...

OPTIONs are amp-run's. The batch says how many rows the mask has; exit status 1 where a number is another.
"""

import buffer_results
import numpy as np
from buffer_results import ROW, ROWS, W

KINDS = {"add": np.add, "mul": np.multiply, "maximumf": np.maximum, "minnumf": np.fmin}


def body():
    lines = [
        "%c1 = arith.constant 1 : index",
        "%pad = arith.constant 9.0 : f32",
        f"%acc = arith.constant dense<2.0> : vector<{ROWS}xf32>",
        f"%m = vector.create_mask %n, %c1 : vector<{ROWS}x1xi1>",
        f"%v = vector.transfer_read %w[%c0], %pad {{in_bounds = [true]}} : {ROW}, vector<{ROWS}xf32>",
        f"%column = vector.shape_cast %v : vector<{ROWS}xf32> to vector<{ROWS}x1xf32>",
    ]
    for kind in KINDS:
        lines += [f"%v_{kind} = vector.mask %m {{ vector.multi_reduction <{kind}>, %column, %acc [1] : vector<{ROWS}x1xf32> to "
                  f"vector<{ROWS}xf32> }} : vector<{ROWS}x1xi1> -> vector<{ROWS}xf32>",
                  f"%r_{kind} = vector.transfer_write %v_{kind}, %w[%c0] {{in_bounds = [true]}} : vector<{ROWS}xf32>, {ROW}"]
    return lines


def expect(kind, count):
    expected = np.full(ROWS, 2, np.float32)
    expected[:count] = KINDS[kind](expected[:count], W[:count])
    return expected


if __name__ == "__main__":
    buffer_results.main(KINDS, body(), expect)
