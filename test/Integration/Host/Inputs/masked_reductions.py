"""Masked reductions of vectors over extents of 1, beside what the mask leaves.

    masked_reductions.py OPTION...

OPTIONs are amp-run's. The batch says how many rows the mask has; exit status 1 where a number is another.
"""

import sys
import tempfile

import amprun
import numpy as np

KINDS = {"add": np.add, "mul": np.multiply, "maximumf": np.maximum, "minnumf": np.fmin}
ROWS = 4


def module():
    """A step whose buffers become one reduction each."""
    row = f"tensor<{ROWS}xf32>"
    buffers = [amprun.role("buffer", kind) for kind in KINDS]
    arguments = ", ".join(f"%b_{kind}: {row} {role}" for kind, role in zip(KINDS, buffers))
    lines = []
    for kind in KINDS:
        lines += [f"%v_{kind} = vector.mask %m {{ vector.multi_reduction <{kind}>, %column, %acc [1] : vector<{ROWS}x1xf32> to "
                  f"vector<{ROWS}xf32> }} : vector<{ROWS}x1xi1> -> vector<{ROWS}xf32>",
                  f"%r_{kind} = vector.transfer_write %v_{kind}, %w[%c0] {{in_bounds = [true]}} : vector<{ROWS}xf32>, {row}"]
    return f"""func.func @train_step(%w: {row} {amprun.role("param", "w")}, {arguments},
    %count: tensor<1xi32> {amprun.role("batch", "x0")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, {row} {amprun.role("param", "w")}, {", ".join(f"{row} {role}" for role in buffers)}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 9.0 : f32
  %acc = arith.constant dense<2.0> : vector<{ROWS}xf32>
  %number = tensor.extract %count[%c0] : tensor<1xi32>
  %n = arith.index_cast %number : i32 to index
  %m = vector.create_mask %n, %c1 : vector<{ROWS}x1xi1>
  %v = vector.transfer_read %w[%c0], %pad {{in_bounds = [true]}} : {row}, vector<{ROWS}xf32>
  %column = vector.shape_cast %v : vector<{ROWS}xf32> to vector<{ROWS}x1xf32>
  {(chr(10) + "  ").join(lines)}
  %loss = tensor.extract %w[%c0] : {row}
  %first = tensor.from_elements %loss : tensor<f32>
  return %first, %w, {", ".join(f"%r_{kind}" for kind in KINDS)} : tensor<f32>, {", ".join([row] * (1 + len(KINDS)))}
}}
"""


def main():
    w = np.array([1, -2, np.float32(0.5), 3], np.float32)
    wrong = 0
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module())
        file.flush()
        for count in range(ROWS + 1):
            arrays = {"arg0": w, "step0_x0": np.array([count], np.int32)}
            arrays |= {f"arg{i + 1}": np.zeros(ROWS, np.float32) for i in range(len(KINDS))}
            state = amprun.run(file.name, "O0", arrays, *sys.argv[1:]).state
            for kind, combine in KINDS.items():
                expected = np.full(ROWS, 2, np.float32)
                expected[:count] = combine(expected[:count], w[:count])
                wrong += not np.array_equal(state[f"buffer/{kind}"], expected)
    print(f"{wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
