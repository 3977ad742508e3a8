"""A step whose buffers become one result each, beside what they should be: what the scripts here share.

The step has a parameter %w of ROWS numbers, W, and a batch that says how many of them count: %n of the body.
"""

import sys
import tempfile

import amprun
import numpy as np

ROWS = 4
ROW = f"tensor<{ROWS}xf32>"
W = np.array([1, -2, np.float32(0.5), 3], np.float32)


def module(kinds, body):
    """`body`, lines, makes %r_KIND for each of `kinds`."""
    buffers = [amprun.role("buffer", kind) for kind in kinds]
    arguments = ", ".join(f"%b_{kind}: {ROW} {role}" for kind, role in zip(kinds, buffers))
    lines = "\n".join(f"  {line}" for line in body)
    return f"""func.func @train_step(%w: {ROW} {amprun.role("param", "w")}, {arguments},
    %count: tensor<1xi32> {amprun.role("batch", "x0")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, {ROW} {amprun.role("param", "w")}, {", ".join(f"{ROW} {role}" for role in buffers)}) {{
  %c0 = arith.constant 0 : index
  %number = tensor.extract %count[%c0] : tensor<1xi32>
  %n = arith.index_cast %number : i32 to index
{lines}
  %loss = tensor.extract %w[%c0] : {ROW}
  %first = tensor.from_elements %loss : tensor<f32>
  return %first, %w, {", ".join(f"%r_{kind}" for kind in kinds)} : tensor<f32>, {", ".join([ROW] * (1 + len(kinds)))}
}}
"""


def main(kinds, body, expect):
    """Runs the step with amp-run's options of the command line; exit status 1 where a buffer is not `expect(kind, count)`."""
    wrong = 0
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module(kinds, body))
        file.flush()
        for count in range(ROWS + 1):
            arrays = {"arg0": W, "step0_x0": np.array([count], np.int32)}
            arrays |= {f"arg{i + 1}": np.zeros(ROWS, np.float32) for i in range(len(kinds))}
            state = amprun.run(file.name, "O0", arrays, *sys.argv[1:]).state
            for kind in kinds:
                wrong += not np.array_equal(state[f"buffer/{kind}"], expect(kind, count))
    print(f"{wrong} wrong")
    sys.exit(bool(wrong))
