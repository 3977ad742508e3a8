"""A train step with operations that are expanded for the host, against NumPy."""

import os
import tempfile

import numpy as np

import amprun

PARAM = 'tensor<8x4xf32> {amp.role = "param", amp.name = "w"}'
ARGS = (f'%w: {PARAM}, %ids: tensor<3x1xi64> {{amp.role = "batch", amp.name = "x0"}}, '
        '%x: tensor<3x4xf32> {amp.role = "batch", amp.name = "x1"}, '
        '%image: tensor<1x6x10x2xf32> {amp.role = "batch", amp.name = "x2"}, '
        '%filter: tensor<3x3x3x2xf32> {amp.role = "batch", amp.name = "x3"}, '
        '%s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}')
LOSS = 'tensor<f32> {amp.role = "loss", amp.name = "l"}'
T = "tensor<3x4xf32>"
I = "tensor<3x4xi32>"
BATCH = f"tensor<3x1xi64>, {T}, tensor<1x6x10x2xf32>, tensor<3x3x3x2xf32>"
PACKED = "tensor<3x2x3x3xf32>"
# A convolution by products of transformed tiles, whose output is 1x4x8x3.
WINOGRAD = f"""
  %eu = tensor.empty() : tensor<6x6x2x3xf32>
  %u = linalg.winograd_filter_transform fmr(F_4_3) ins(%filter : tensor<3x3x3x2xf32>) outs(%eu : tensor<6x6x2x3xf32>) -> tensor<6x6x2x3xf32>
  %ev = tensor.empty() : tensor<6x6x1x2x1x2xf32>
  %v = linalg.winograd_input_transform fmr(F_4_3) ins(%image : tensor<1x6x10x2xf32>) outs(%ev : tensor<6x6x1x2x1x2xf32>) -> tensor<6x6x1x2x1x2xf32>
  %u2 = tensor.collapse_shape %u [[0, 1], [2], [3]] : tensor<6x6x2x3xf32> into tensor<36x2x3xf32>
  %v2 = tensor.collapse_shape %v [[0, 1], [2, 3, 4], [5]] : tensor<6x6x1x2x1x2xf32> into tensor<36x2x2xf32>
  %zm = arith.constant dense<0.0> : tensor<36x2x3xf32>
  %m = linalg.batch_matmul ins(%v2, %u2 : tensor<36x2x2xf32>, tensor<36x2x3xf32>) outs(%zm : tensor<36x2x3xf32>) -> tensor<36x2x3xf32>
  %m6 = tensor.expand_shape %m [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 1, 2, 1, 3] : tensor<36x2x3xf32> into tensor<6x6x1x2x1x3xf32>
  %zo = arith.constant dense<0.0> : tensor<1x4x8x3xf32>
  %o = linalg.winograd_output_transform fmr(F_4_3) ins(%m6 : tensor<6x6x1x2x1x3xf32>) outs(%zo : tensor<1x4x8x3xf32>) -> tensor<1x4x8x3xf32>
  %oo = arith.mulf %o, %o : tensor<1x4x8x3xf32>
  %l2 = linalg.reduce {{ arith.addf }} ins(%oo : tensor<1x4x8x3xf32>) outs(%l1 : tensor<f32>) dimensions = [0, 1, 2, 3]
"""
# Tiles of 3x3 of what is 8x4, which are squared.
PACK = f"""
  %fzero = arith.constant 0.0 : f32
  %ep = tensor.empty() : {PACKED}
  %packed = linalg.pack %w padding_value(%fzero : f32) inner_dims_pos = [0, 1] inner_tiles = [3, 3] into %ep : tensor<8x4xf32> -> {PACKED}
  %squared = arith.mulf %packed, %packed : {PACKED}
  %unpacked = linalg.unpack %squared inner_dims_pos = [0, 1] inner_tiles = [3, 3] into %e : {PACKED} -> tensor<8x4xf32>
  %weighed = arith.mulf %unpacked, %w : tensor<8x4xf32>
  %l1 = linalg.reduce {{ arith.addf }} ins(%weighed : tensor<8x4xf32>) outs(%l0 : tensor<f32>) dimensions = [0, 1]
"""
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
  %l0 = linalg.reduce {{ arith.addf }} ins(%y : {T}) outs(%zero : tensor<f32>) dimensions = [0, 1]
{PACK}{WINOGRAD}  %g = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<8x4xf32>) dimensions = [0, 1]
  return %g, %l2 : tensor<8x4xf32>, tensor<f32>
}}
func.func @train({ARGS}) -> ({PARAM}, {LOSS}) {{
  %g, %l = call @fb(%w, %ids, %x, %image, %filter, %s) : (tensor<8x4xf32>, {BATCH}, tensor<f32>) -> (tensor<8x4xf32>, tensor<f32>)
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
expected += float((w.astype(np.float64) ** 3).sum())
image = rng.integers(-2, 3, (1, 6, 10, 2)).astype(np.float32)
filters = rng.integers(-1, 2, (3, 3, 3, 2)).astype(np.float32)
windows = np.lib.stride_tricks.sliding_window_view(image[0].astype(np.float64), (3, 3), (0, 1))
convolved = np.einsum("yxcij,fijc->yxf", windows, filters)
expected += float((convolved ** 2).sum())
with tempfile.TemporaryDirectory() as folder:
    module = os.path.join(folder, "step.mlir")
    with open(module, "w") as file:
        file.write(MODULE)
    start = {"arg0": w, "step0_x0": ids, "step0_x1": given, "step0_x2": image, "step0_x3": filters}
    got = amprun.run(module, "O0", start, steps=1).log[0]["loss"]
# A sum below 4096, of some hundred numbers: each addition rounds by 2^-13 at most, in
# either direction. (Winograd's transforms are not exact, by some 2^-22 of 20 each.)
assert abs(got - expected) < 4e-3, (got, expected)
print("as NumPy:", got)
