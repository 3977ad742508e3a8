"""A train step with linalg.softmax and its gradient, against NumPy.

Rows and columns are as many as the batch says, so that no extent is known; a row may
be empty.
"""

import os
import tempfile

import numpy as np

import amprun

ROWS, COLUMNS, LONG = 6, 8, 4096
PARAM = f'tensor<{ROWS}x{COLUMNS}xf32> {{amp.role = "param", amp.name = "w"}}'
X = f"tensor<{ROWS}x{COLUMNS}xf32>"
D = "tensor<?x?xf32>"
V = "tensor<?xf32>"
H = f"tensor<1x{LONG}xf16>"
ARGS = (f'%w: {PARAM}, %x: {X} {{amp.role = "batch", amp.name = "x0"}}, '
        '%extents: tensor<2xi64> {amp.role = "batch", amp.name = "x1"}, '
        f'%long: tensor<1x{LONG}xf32> {{amp.role = "batch", amp.name = "x2"}}, '
        '%s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}')
LOSS = 'tensor<f32> {amp.role = "loss", amp.name = "l"}'
# l = sum(softmax(w) * x), and with f16 the sum of another, which is 1.
MODULE = f"""
func.func @fb({ARGS}) -> ({X} {{amp.role = "grad", amp.name = "w"}}, {LOSS}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tensor.extract %extents[%c0] : tensor<2xi64>
  %j = tensor.extract %extents[%c1] : tensor<2xi64>
  %n = arith.index_cast %i : i64 to index
  %m = arith.index_cast %j : i64 to index
  %part = tensor.extract_slice %w[0, 0] [%n, %m] [1, 1] : {X} to {D}
  %t = tensor.extract_slice %x[0, 0] [%n, %m] [1, 1] : {X} to {D}
  %e = tensor.empty(%n, %m) : {D}
  %p = linalg.softmax dimension(1) ins(%part : {D}) outs(%e : {D}) -> {D}
  %pt = arith.mulf %p, %t : {D}
  %zero = arith.constant dense<0.0> : tensor<f32>
  %l0 = linalg.reduce {{ arith.addf }} ins(%pt : {D}) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %f0 = arith.constant 0.0 : f32
  %er = tensor.empty(%n) : {V}
  %zr = linalg.fill ins(%f0 : f32) outs(%er : {V}) -> {V}
  %r = linalg.reduce {{ arith.addf }} ins(%pt : {D}) outs(%zr : {V}) dimensions = [1]
  %rb = linalg.broadcast ins(%r : {V}) outs(%e : {D}) dimensions = [1]
  %d = arith.subf %t, %rb : {D}
  %pd = arith.mulf %p, %d : {D}
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {D}) dimensions = [0, 1]
  %g0 = arith.mulf %b, %pd : {D}
  %zeros = arith.constant dense<0.0> : {X}
  %g = tensor.insert_slice %g0 into %zeros[0, 0] [%n, %m] [1, 1] : {D} into {X}
  %half = arith.truncf %long : tensor<1x{LONG}xf32> to {H}
  %eh = tensor.empty() : {H}
  %ph = linalg.softmax dimension(1) ins(%half : {H}) outs(%eh : {H}) -> {H}
  %q = arith.extf %ph : {H} to tensor<1x{LONG}xf32>
  %l = linalg.reduce {{ arith.addf }} ins(%q : tensor<1x{LONG}xf32>) outs(%l0 : tensor<f32>) dimensions = [0, 1]
  return %g, %l : {X}, tensor<f32>
}}
func.func @step(%w: {PARAM}, %g: {X} {{amp.role = "grad", amp.name = "w"}}) -> ({PARAM}) {{
  %n = arith.subf %w, %g : {X}
  return %n : {X}
}}
func.func @train({ARGS}) -> ({PARAM}, {LOSS}) {{
  %g, %l = call @fb(%w, %x, %extents, %long, %s) : ({X}, {X}, tensor<2xi64>, tensor<1x{LONG}xf32>, tensor<f32>) -> ({X}, tensor<f32>)
  %n = call @step(%w, %g) : ({X}, {X}) -> {X}
  return %n, %l : {X}, tensor<f32>
}}
"""


def expected(w, x, extents):
    rows, columns = extents
    w, x = w.astype(np.float64), x[:rows, :columns].astype(np.float64)
    part = w[:rows, :columns]
    p = np.exp(part - part.max(axis=1, keepdims=True, initial=-np.inf))
    p /= p.sum(axis=1, keepdims=True)
    moved = w.copy()
    moved[:rows, :columns] -= p * (x - (p * x).sum(axis=1, keepdims=True))
    return moved, (p * x).sum() + 1


rng = np.random.default_rng(0)
# Exact in f16.
w = (rng.integers(-32, 33, (ROWS, COLUMNS)) / 8).astype(np.float32)
x = (rng.integers(-8, 9, (ROWS, COLUMNS)) / 8).astype(np.float32)
# exp of it is beyond f32: what the greatest of a row is subtracted for.
w[1] += 100
long = np.zeros((1, LONG), np.float32)
with tempfile.TemporaryDirectory() as folder:
    module = os.path.join(folder, "step.mlir")
    with open(module, "w") as file:
        file.write(MODULE)
    for extents in ((6, 8), (4, 5), (3, 1), (3, 0), (0, 8)):
        start = {"arg0": w, "step0_x0": x, "step0_x1": np.array(extents, np.int64), "step0_x2": long}
        moved, loss = expected(w, x, extents)
        # f32: p is within 20 units in the last place, p * d below 1/2, and what is below
        # 104 rounds by 4e-6; a loss below 8 is a sum of 49 numbers. f16: p, x, their
        # product, its sum, d and p * d are rounded by 2^-11 of what is at most 2, and
        # a loss by 2^-9 more than once; its scale, which starts at 65536, is 1 here.
        for level, options, bounds in (("O0", (), (5e-5, 1e-5)),
                                       ("O0", ("--reference",), (5e-5, 1e-5)),
                                       ("O2", ("--loss-scale=1",), (2e-2, 6e-3))):
            run = amprun.run(module, level, start, *options, steps=1)
            state = run.state.get("master/w", run.state.get("param/w"))
            off = abs(run.log[0]["loss"] - loss), np.abs(state - moved).max()
            assert off[0] <= bounds[0] and off[1] <= bounds[1], (extents, level, off)
print("as NumPy")
