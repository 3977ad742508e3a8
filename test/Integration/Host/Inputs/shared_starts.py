"""Results that start as one tensor, each beside what it starts as.

    shared_starts.py OPTION...

OPTIONs are amp-run's. The batch says how many elements the step computes with; exit status 1 where a number is
another.
"""

import buffer_results
import numpy as np
from buffer_results import ROW, ROWS, W

KINDS = {"addf": np.add, "mulf": np.multiply, "maximumf": np.maximum, "minnumf": np.fmin}
START = 2


def result(kind):
    return f"""%r_{kind} = linalg.generic {{indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
      iterator_types = ["parallel"]}} ins(%w : {ROW}) outs(%start : {ROW}) {{
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %n : index
    %s = arith.select %c, %in, %one : f32
    %t = arith.{kind} %s, %out : f32
    linalg.yield %t : f32
  }} -> {ROW}"""


def body():
    return [
        "%one = arith.constant 1.0 : f32",
        f"%value = arith.constant {START}.0 : f32",
        f"%e = tensor.empty() : {ROW}",
        f"%start = linalg.fill ins(%value : f32) outs(%e : {ROW}) -> {ROW}",
        *map(result, KINDS),
    ]


def expect(kind, count):
    used = np.where(np.arange(ROWS) < count, W, np.float32(1))
    return KINDS[kind](used, np.float32(START))


if __name__ == "__main__":
    buffer_results.main(KINDS, body(), expect)
