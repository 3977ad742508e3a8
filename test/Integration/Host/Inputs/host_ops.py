"""A train step with operations that are expanded for the host, against NumPy."""

import os
import tempfile

import numpy as np

import amprun

PARAM = 'tensor<8x4xf32> {amp.role = "param", amp.name = "w"}'
ARGS = (f'%w: {PARAM}, %ids: tensor<3x1xi64> {{amp.role = "batch", amp.name = "x0"}}, '
        '%x: tensor<3x4xf32> {amp.role = "batch", amp.name = "x1"}, '
        '%s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}')
LOSS = 'tensor<f32> {amp.role = "loss", amp.name = "l"}'
T = "tensor<3x4xf32>"
I = "tensor<3x4xi32>"
MODULE = f"""
func.func @fb({ARGS.replace('%x', '%given')}) -> (tensor<8x4xf32> {{amp.role = "grad", amp.name = "w"}}, {LOSS}) {{
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : {T}
  %lo = arith.constant dense<-0.5> : {T}
  %hi = arith.constant dense<0.75> : {T}
  %three = arith.constant dense<3> : {I}
  %mask = arith.constant dense<65535> : {I}
  %e = tensor.empty() : tensor<8x4xf32>
  %two = arith.constant dense<2.0> : {T}
  %x = arith.mulf %given, %two : {T}
  %rows = tensor.gather %w[%ids] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xi64>) -> {T}
  %clamped = math.clampf %x to [%lo, %hi] : {T}
  %inf = math.isinf %x : {T}
  %finite = arith.select %inf, %zeros, %clamped : tensor<3x4xi1>, {T}
  %normal = math.isnormal %x : {T}
  %n = arith.uitofp %normal : tensor<3x4xi1> to {T}
  %bits = tensor.bitcast %x : {T} to {I}
  %low = arith.andi %bits, %mask : {I}
  %odd = arith.remsi %low, %three : {I}
  %cubed = math.ipowi %odd, %three : {I}
  %c = arith.sitofp %cubed : {I} to {T}
  %a = arith.mulf %rows, %finite : {T}
  %b = arith.addf %n, %c : {T}
  %y = arith.addf %a, %b : {T}
  %l = linalg.reduce {{ arith.addf }} ins(%y : {T}) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %g = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<8x4xf32>) dimensions = [0, 1]
  return %g, %l : tensor<8x4xf32>, tensor<f32>
}}
func.func @train({ARGS}) -> ({PARAM}, {LOSS}) {{
  %g, %l = call @fb(%w, %ids, %x, %s) : (tensor<8x4xf32>, tensor<3x1xi64>, {T}, tensor<f32>) -> (tensor<8x4xf32>, tensor<f32>)
  %n = arith.subf %w, %g : tensor<8x4xf32>
  return %n, %l : tensor<8x4xf32>, tensor<f32>
}}
"""

rng = np.random.default_rng(0)
w = rng.integers(-4, 5, (8, 4)).astype(np.float32)
ids = np.array([[7], [0], [3]], np.int64)
x = rng.standard_normal((3, 4)).astype(np.float32)
# Infinite once doubled.
x[0, 0], x[1, 1], x[2, 2], x[2, 3] = 3e38, -3e38, 1e-40, 0
given = x
with np.errstate(over="ignore"):
    x = given * np.float32(2)

finite = np.where(np.isinf(x), 0, np.clip(x, -0.5, 0.75))
normal = np.isfinite(x) & (np.abs(x) >= np.finfo(np.float32).smallest_normal)
odd = (x.view(np.int32) & 65535) % 3
expected = float((w[ids[:, 0]].astype(np.float64) * finite + normal + odd.astype(np.float64) ** 3).sum())
with tempfile.TemporaryDirectory() as folder:
    module = os.path.join(folder, "step.mlir")
    with open(module, "w") as file:
        file.write(MODULE)
    got = amprun.run(module, "O0", {"arg0": w, "step0_x0": ids, "step0_x1": given}, steps=1).log[0]["loss"]
# A dozen additions in f32 of numbers below 100.
assert abs(got - expected) < 1e-4, (got, expected)
print("as NumPy:", got)
