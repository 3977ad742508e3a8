"""A train step whose input is chosen by scf.index_switch, against f64 NumPy.

The chosen tensor is read twice behind the switch, before and after a product: upstream's
bufferization once wrote the product into it. O0 agrees within f32's roundings; the
half levels within those of the chain's length.
"""

import os
import tempfile

import numpy as np

import amprun

T = "tensor<4x4xf32>"
PARAM = '{amp.role = "param", amp.name = "w"}'
ARGS = (f'%w: {T} {PARAM}, %x: {T} {{amp.role = "batch", amp.name = "x0"}}, '
        '%k: tensor<i32> {amp.role = "batch", amp.name = "x1"}, '
        '%s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}')
LOSS = 'tensor<f32> {amp.role = "loss", amp.name = "l"}'
MODULE = f"""
func.func @fb({ARGS}) -> ({T} {{amp.role = "grad", amp.name = "w"}}, {LOSS}) {{
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : {T}
  %ones = arith.constant dense<1.0> : {T}
  %e = tensor.empty() : {T}
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0, 1]
  %i = tensor.extract %k[] : tensor<i32>
  %index = arith.index_cast %i : i32 to index
  %h = scf.index_switch %index -> {T}
  case 1 {{
    %exp = math.exp %x : {T}
    scf.yield %exp : {T}
  }}
  case 2 {{
    %neg = arith.negf %x : {T}
    scf.yield %neg : {T}
  }}
  default {{
    scf.yield %x : {T}
  }}
  %y = linalg.matmul ins(%h, %w : {T}, {T}) outs(%zeros : {T}) -> {T}
  %d = arith.subf %y, %ones : {T}
  %q = arith.mulf %d, %d : {T}
  %l = linalg.reduce {{ arith.addf }} ins(%q : {T}) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %gd = arith.mulf %b, %d : {T}
  %ht = linalg.transpose ins(%h : {T}) outs(%e : {T}) permutation = [1, 0]
  %g = linalg.matmul ins(%ht, %gd : {T}, {T}) outs(%zeros : {T}) -> {T}
  return %g, %l : {T}, tensor<f32>
}}
func.func @sgd(%w: {T} {PARAM}, %g: {T} {{amp.role = "grad", amp.name = "w"}}) -> ({T} {PARAM}) {{
  %rate = arith.constant dense<0.0625> : {T}
  %r = arith.mulf %g, %rate : {T}
  %n = arith.subf %w, %r : {T}
  return %n : {T}
}}
func.func @train({ARGS}) -> ({T} {PARAM}, {LOSS}) {{
  %g, %l = call @fb(%w, %x, %k, %s) : ({T}, {T}, tensor<i32>, tensor<f32>) -> ({T}, tensor<f32>)
  %n = call @sgd(%w, %g) : ({T}, {T}) -> {T}
  return %n, %l : {T}, tensor<f32>
}}
"""


def main():
    rng = np.random.RandomState(3)
    w = rng.uniform(-0.5, 0.5, (4, 4)).astype(np.float32)
    x = rng.uniform(-1, 1, (4, 4)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "switch.mlir")
        with open(module, "w") as file:
            file.write(MODULE)
        for case in range(4):
            h = {1: np.exp, 2: np.negative}.get(case, lambda v: v)(x.astype(np.float64))
            wide = w.astype(np.float64)
            d = h @ wide - 1
            expected = wide - h.T @ d / 16
            for level, tolerance in (("O0", 2.0**-20), ("O1", 2.0**-8), ("O2", 2.0**-8)):
                arrays = {"arg0": w, "step0_x0": x, "step0_x1": np.int32(case)}
                end = amprun.run(module, level, arrays, "--loss-scale=1", steps=1).state
                new = end.get("param/w", end.get("master/w"))
                error = np.abs(amprun.to_float(new) - expected).max()
                assert error <= tolerance, f"case {case} at {level}: off by {error}"


if __name__ == "__main__":
    main()
