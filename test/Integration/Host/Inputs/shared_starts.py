"""Results that start as one tensor, each beside what it starts as.

    shared_starts.py OPTION...

OPTIONs are amp-run's. The batch says how many elements the step computes with; exit status 1 where a number is
another.
"""

import sys
import tempfile

import amprun
import numpy as np

KINDS = {"addf": np.add, "mulf": np.multiply, "maximumf": np.maximum, "minnumf": np.fmin}
ROWS = 4
START = 2


def result(kind):
    row = f"tensor<{ROWS}xf32>"
    return f"""  %r_{kind} = linalg.generic {{indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
      iterator_types = ["parallel"]}} ins(%w : {row}) outs(%start : {row}) {{
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %n : index
    %s = arith.select %c, %in, %one : f32
    %t = arith.{kind} %s, %out : f32
    linalg.yield %t : f32
  }} -> {row}"""


def module():
    """A step whose buffers become one result each."""
    row = f"tensor<{ROWS}xf32>"
    buffers = [amprun.role("buffer", kind) for kind in KINDS]
    arguments = ", ".join(f"%b_{kind}: {row} {role}" for kind, role in zip(KINDS, buffers))
    results = "\n".join(result(kind) for kind in KINDS)
    return f"""func.func @train_step(%w: {row} {amprun.role("param", "w")}, {arguments},
    %count: tensor<1xi32> {amprun.role("batch", "x0")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, {row} {amprun.role("param", "w")}, {", ".join(f"{row} {role}" for role in buffers)}) {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %number = arith.constant {START}.0 : f32
  %e = tensor.empty() : {row}
  %start = linalg.fill ins(%number : f32) outs(%e : {row}) -> {row}
  %k = tensor.extract %count[%c0] : tensor<1xi32>
  %n = arith.index_cast %k : i32 to index
{results}
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
            used = np.where(np.arange(ROWS) < count, w, np.float32(1))
            for kind, combine in KINDS.items():
                wrong += not np.array_equal(state[f"buffer/{kind}"], combine(used, np.float32(START)))
    print(f"{wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
