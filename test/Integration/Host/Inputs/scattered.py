"""tensor.gather and tensor.scatter of rows and of elements, beside NumPy.

    scattered.py OPTION...

OPTIONs are amp-run's, such as --device=emulator. Exit status 1 where a number is another.
"""

import sys
import tempfile

import amprun
import numpy as np

STEP = f"""
func.func @train_step(%w: tensor<8x4xf32> {amprun.role("param", "w")}, %y: tensor<8x4x5xf32> {amprun.role("param", "y")},
    %s: tensor<3x1x4xf32> {amprun.role("batch", "s")}, %t: tensor<3x4xf32> {amprun.role("batch", "t")},
    %i: tensor<3x1xi64> {amprun.role("batch", "i")}, %j: tensor<3x2xi32> {amprun.role("batch", "j")},
    %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, tensor<8x4xf32> {amprun.role("param", "w")}, tensor<8x4x5xf32> {amprun.role("param", "y")}) {{
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<3x1x4xf32>
  %g = tensor.gather %w[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xi64>) -> tensor<3x1x4xf32>
  %u = linalg.map {{ arith.mulf }} ins(%g, %s : tensor<3x1x4xf32>, tensor<3x1x4xf32>) outs(%e : tensor<3x1x4xf32>)
  %rows = tensor.scatter %u into %w[%i] scatter_dims([0]) unique : (tensor<3x1x4xf32>, tensor<8x4xf32>, tensor<3x1xi64>) -> tensor<8x4xf32>
  %places = tensor.scatter %t into %y[%j] scatter_dims([0, 2]) unique : (tensor<3x4xf32>, tensor<8x4x5xf32>, tensor<3x2xi32>) -> tensor<8x4x5xf32>
  %loss = linalg.reduce {{ arith.addf }} ins(%t : tensor<3x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %loss, %rows, %places : tensor<f32>, tensor<8x4xf32>, tensor<8x4x5xf32>
}}
"""


def main():
    draw = np.random.default_rng(7)
    w, y, s, t = (draw.standard_normal(shape).astype(np.float32) for shape in ((8, 4), (8, 4, 5), (3, 1, 4), (3, 4)))
    i = draw.permutation(8)[:3].reshape(3, 1).astype(np.int64)
    j = np.stack([draw.permutation(8)[:3], draw.integers(0, 5, 3)], axis=1).astype(np.int32)
    arrays = {"arg0": w, "arg1": y, "step0_x0": s, "step0_x1": t, "step0_x2": i, "step0_x3": j}
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(STEP)
        file.flush()
        state = amprun.run(file.name, "O0", arrays, *sys.argv[1:]).state
    rows, places = w.copy(), y.copy()
    rows[i[:, 0]] = w[i[:, 0]] * s[:, 0]
    places[j[:, 0], :, j[:, 1]] = t
    right = np.array_equal(state["param/w"], rows) and np.array_equal(state["param/y"], places)
    print("right" if right else f"wrong: {state}, not {rows} and {places}")
    sys.exit(not right)


if __name__ == "__main__":
    main()
