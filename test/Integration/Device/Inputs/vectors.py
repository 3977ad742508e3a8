"""Steps with vectors, on the emulator, the host and in NumPy.

    vectors.py [FORM...]

A step has `w` of f32, `x` of f32 and labels `l` of i32; a form says what becomes of them, as operations and in NumPy, and leaves %r. Numbers are small
integers: all have to be equal. Exit status 1 where one is not.
"""

import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

N = 8
T, V = f"tensor<{N}xf32>", f"vector<{N}xf32>"
SQUARE = "tensor<2x4xf32>"

PREFIX = f"""func.func @train_step(%w: {T} {amprun.role("param", "w")}, %x: {T} {amprun.role("batch", "x")},
    %l: tensor<{N}xi32> {amprun.role("batch", "l")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, {T} {amprun.role("param", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %n = arith.constant {N} : index
  %pad = arith.constant 9.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = arith.constant dense<0.0> : {V}
  %zero = arith.constant dense<0.0> : tensor<f32>
  %first = tensor.extract %l[%c0] : tensor<{N}xi32>
  %at = arith.index_cast %first : i32 to index
  %sq = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : {T} into {SQUARE}
  %v = vector.transfer_read %x[%c0], %pad : {T}, {V}
"""

SUFFIX = f"""  %loss = linalg.reduce {{ arith.addf }} ins(%r : {T}) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %r : tensor<f32>, {T}
}}
"""

# Of a form that leaves the vector %u of N elements.
WRITE = f"""  %r = vector.transfer_write %u, %w[%c0] : {V}, {T}
"""


def over(x, start, count, pad=9):
    """Elements from `start` on, with `pad` for those that are not there."""
    return np.array([x[i] if 0 <= i < len(x) else pad for i in range(start, start + count)])


def written(w, start, values, mask=None):
    w = w.copy()
    for i, value in enumerate(values):
        if 0 <= start + i < len(w) and (mask is None or mask[i]):
            w[start + i] = value
    return w


def square(x):
    return x.reshape(2, 4)


FORMS = {
    "tiles": (f"""  %r = scf.for %i = %c0 to %n step %c4 iter_args(%t = %w) -> {T} {{
    %a = vector.transfer_read %x[%i], %pad {{in_bounds = [true]}} : {T}, vector<4xf32>
    %b = vector.transfer_read %t[%i], %pad {{in_bounds = [true]}} : {T}, vector<4xf32>
    %c = arith.mulf %a, %b : vector<4xf32>
    %u = vector.transfer_write %c, %t[%i] {{in_bounds = [true]}} : vector<4xf32>, {T}
    scf.yield %u : {T}
  }}
""", lambda w, x, l: w * x),
    # Tiles that do not divide the tensor.
    "last_tile": (f"""  %r = scf.for %i = %c0 to %n step %c3 iter_args(%t = %w) -> {T} {{
    %a = vector.transfer_read %x[%i], %pad : {T}, vector<3xf32>
    %b = arith.addf %a, %a : vector<3xf32>
    %u = vector.transfer_write %b, %t[%i] : vector<3xf32>, {T}
    scf.yield %u : {T}
  }}
""", lambda w, x, l: 2 * x),
    "over_the_end": (f"""  %u = vector.transfer_read %x[%c5], %pad : {T}, {V}
""" + WRITE, lambda w, x, l: over(x, 5, N)),
    "at_data": (f"""  %u = vector.transfer_read %x[%at], %pad : {T}, {V}
  %r = vector.transfer_write %u, %w[%at] : {V}, {T}
""", lambda w, x, l: written(w, l[0], over(x, l[0], N))),
    "outside": (f"""  %far = arith.addi %at, %n : index
  %u = vector.transfer_read %x[%far], %pad : {T}, {V}
  %t = vector.transfer_write %u, %w[%far] : {V}, {T}
  %r = vector.transfer_write %u, %t[%c4] : {V}, {T}
""", lambda w, x, l: written(w, 4, np.full(N, 9))),
    # In front of the tensor, which the host does not ask. It has no code for what else is for a device alone.
    "before:device": (f"""  %back = arith.subi %c0, %at : index
  %u = vector.transfer_read %x[%back], %pad : {T}, {V}
  %r = vector.transfer_write %u, %w[%back] : {V}, {T}
""", lambda w, x, l: written(w, -l[0], over(x, -l[0], N))),
    "before_known:device": (f"""  %back = arith.constant -3 : index
  %u = vector.transfer_read %x[%back], %pad : {T}, {V}
  %r = vector.transfer_write %u, %w[%back] : {V}, {T}
""", lambda w, x, l: written(w, -3, over(x, -3, N))),
    "masked": (f"""  %mask = vector.create_mask %at : vector<{N}xi1>
  %a = vector.transfer_read %x[%c2], %pad, %mask {{in_bounds = [true]}} : {T}, {V}
  %u = arith.addf %a, %v : {V}
  %r = vector.transfer_write %u, %w[%c1], %mask : {V}, {T}
""", lambda w, x, l: written(w, 1, np.where(np.arange(N) < l[0], over(x, 2, N), 9) + x, np.arange(N) < l[0])),
    "mask_regions": (f"""  %mask = vector.create_mask %at : vector<{N}xi1>
  %a = vector.mask %mask {{ vector.transfer_read %x[%c0], %pad : {T}, {V} }} : vector<{N}xi1> -> {V}
  %s = vector.mask %mask {{ vector.reduction <add>, %v, %one : {V} into f32 }} : vector<{N}xi1> -> f32
  %m = vector.mask %mask {{ vector.reduction <maximumf>, %v, %s : {V} into f32 }} : vector<{N}xi1> -> f32
  %b = vector.broadcast %m : f32 to {V}
  %u = arith.addf %a, %b : {V}
  %r = vector.mask %mask {{ vector.transfer_write %u, %w[%c0] {{in_bounds = [true]}} : {V}, {T} }} : vector<{N}xi1> -> {T}
""", lambda w, x, l: written(w, 0, x + max(1 + x[:l[0]].sum(), *x[:l[0]]), np.arange(N) < l[0])),
    # A mask of the tensor's order, and promises about what it leaves.
    "masked_transposed": (f"""  %mask = vector.create_mask %c1, %at : vector<2x4xi1>
  %a = vector.transfer_read %sq[%c1, %c0], %pad, %mask {{permutation_map = affine_map<(i, j) -> (j, i)>, in_bounds = [true, true]}}
      : {SQUARE}, vector<4x2xf32>
  %b = vector.transfer_write %a, %sq[%c1, %c1], %mask {{permutation_map = affine_map<(i, j) -> (j, i)>, in_bounds = [true, true]}}
      : vector<4x2xf32>, {SQUARE}
  %r = tensor.collapse_shape %b [[0, 1]] : {SQUARE} into {T}
""", lambda w, x, l: np.concatenate([x[:5], x[4:7]])),
    "transposed": (f"""  %a = vector.transfer_read %sq[%c0, %c0], %pad {{permutation_map = affine_map<(i, j) -> (j, i)>, in_bounds = [true, true]}}
      : {SQUARE}, vector<4x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %b = vector.transfer_write %a, %e[%c0, %c0] : vector<4x2xf32>, tensor<4x2xf32>
  %r = tensor.collapse_shape %b [[0, 1]] : tensor<4x2xf32> into {T}
""", lambda w, x, l: square(x).T.ravel()),
    "column": (f"""  %a = vector.transfer_read %sq[%c0, %at], %pad {{permutation_map = affine_map<(i, j) -> (i)>}} : {SQUARE}, vector<2xf32>
  %b = arith.addf %a, %a : vector<2xf32>
  %c = vector.transfer_write %b, %sq[%c0, %c1] {{permutation_map = affine_map<(i, j) -> (i)>}} : vector<2xf32>, {SQUARE}
  %r = tensor.collapse_shape %c [[0, 1]] : {SQUARE} into {T}
""", lambda w, x, l: np.where(np.arange(4) == 1, 2 * square(x)[:, [l[0]]], square(x)).ravel()),
    # Rows that are repeated, over the end of the tensor, and written in another order over it as well.
    "repeated": (f"""  %a = vector.transfer_read %sq[%c1, %c2], %pad {{permutation_map = affine_map<(i, j) -> (j, 0, i)>, in_bounds = [false, true, false]}}
      : {SQUARE}, vector<4x3x2xf32>
  %b = vector.extract %a[1] : vector<3x2xf32> from vector<4x3x2xf32>
  %c = vector.transfer_write %b, %sq[%c1, %c2] {{permutation_map = affine_map<(i, j) -> (j, i)>}} : vector<3x2xf32>, {SQUARE}
  %r = tensor.collapse_shape %c [[0, 1]] : {SQUARE} into {T}
""", lambda w, x, l: np.where((np.arange(2)[:, None] == 1) & (np.arange(4) >= 2), square(x)[1, 3], square(x)).ravel()),
    "contract": (f"""  %a = vector.shape_cast %v : {V} to vector<2x4xf32>
  %acc = vector.transfer_read %w[%c0], %pad : {T}, vector<4xf32>
  %acc2 = vector.shape_cast %acc : vector<4xf32> to vector<2x2xf32>
  %p = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}}
      %a, %a, %acc2 : vector<2x4xf32>, vector<2x4xf32> into vector<2x2xf32>
  %dot = vector.contract {{indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
                          iterator_types = ["reduction"], kind = #vector.kind<add>}} %v, %v, %one : {V}, {V} into f32
  %flat = vector.shape_cast %p : vector<2x2xf32> to vector<4xf32>
  %all = vector.insert_strided_slice %flat, %zeros {{offsets = [1], strides = [1]}} : vector<4xf32> into {V}
  %u = vector.insert %dot, %all [7] : f32 into {V}
""" + WRITE, lambda w, x, l: np.concatenate([[0], (square(x) @ square(x).T + w[:4].reshape(2, 2)).ravel(), [0, 0], [x @ x + 1]])),
    # Halves that are multiplied in f32.
    "mixed_contract:device": (f"""  %h = arith.truncf %v : {V} to vector<{N}xf16>
  %a = vector.shape_cast %h : vector<{N}xf16> to vector<2x4xf16>
  %start = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %p = vector.contract {{indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
                        iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}}
      %a, %a, %start : vector<2x4xf16>, vector<2x4xf16> into vector<2xf32>
  %u = vector.insert_strided_slice %p, %v {{offsets = [2], strides = [1]}} : vector<2xf32> into {V}
""" + WRITE, lambda w, x, l: np.concatenate([x[:2], (square(x) ** 2).sum(1) + [1, 2], x[4:]])),
    "reductions": (f"""  %a = vector.shape_cast %v : {V} to vector<2x4xf32>
  %start = arith.constant dense<[1.0, -2.0]> : vector<2xf32>
  %rows = vector.multi_reduction <maximumf>, %a, %start [1] : vector<2x4xf32> to vector<2xf32>
  %total = vector.multi_reduction <add>, %a, %one [0, 1] : vector<2x4xf32> to f32
  %sum = vector.reduction <add>, %v : {V} into f32
  %least = vector.reduction <minimumf>, %v, %total : {V} into f32
  %e0 = vector.extract %rows[0] : f32 from vector<2xf32>
  %e1:2 = vector.to_elements %rows : vector<2xf32>
  %u = vector.from_elements %e0, %e1#1, %total, %sum, %least, %one, %one, %e0 : {V}
""" + WRITE, lambda w, x, l: np.array([max(1, *x[:4]), max(-2, *x[4:]), 1 + x.sum(), x.sum(), min(1 + x.sum(), *x), 1, 1, max(1, *x[:4])])),
    "moves:device": (f"""  %a = vector.shape_cast %v : {V} to vector<2x4xf32>
  %t = vector.transpose %a, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %row = vector.extract %t[%at] : vector<2xf32> from vector<4x2xf32>
  %t1 = vector.insert %row, %t [%c0] : vector<2xf32> into vector<4x2xf32>
  %part = vector.extract_strided_slice %t1 {{offsets = [1, 0], sizes = [2, 2], strides = [1, 1]}} : vector<4x2xf32> to vector<2x2xf32>
  %wide = vector.broadcast %row : vector<2xf32> to vector<4x2xf32>
  %tall = vector.shape_cast %part : vector<2x2xf32> to vector<4x1xf32>
  %repeated = vector.broadcast %tall : vector<4x1xf32> to vector<4x2xf32>
  %s = arith.addf %t1, %wide : vector<4x2xf32>
  %s1 = arith.addf %s, %repeated : vector<4x2xf32>
  %u = vector.shape_cast %s1 : vector<4x2xf32> to {V}
""" + WRITE, lambda w, x, l: moves(x, l[0])),
    "outer": (f"""  %a = vector.extract_strided_slice %v {{offsets = [2], sizes = [2], strides = [1]}} : {V} to vector<2xf32>
  %b = vector.extract_strided_slice %v {{offsets = [4], sizes = [4], strides = [1]}} : {V} to vector<4xf32>
  %acc = vector.shape_cast %v : {V} to vector<2x4xf32>
  %p = vector.outerproduct %a, %b, %acc {{kind = #vector.kind<add>}} : vector<2xf32>, vector<4xf32>
  %q = vector.outerproduct %a, %b : vector<2xf32>, vector<4xf32>
  %axpy = vector.outerproduct %v, %one, %v {{kind = #vector.kind<add>}} : {V}, f32
  %s = arith.subf %p, %q : vector<2x4xf32>
  %f = vector.fma %p, %q, %acc : vector<2x4xf32>
  %s1 = arith.addf %s, %f : vector<2x4xf32>
  %s2 = vector.shape_cast %s1 : vector<2x4xf32> to {V}
  %u = arith.addf %s2, %axpy : {V}
""" + WRITE, lambda w, x, l: outer(x)),
    "numbered": (f"""  %i = vector.step : vector<{N}xindex>
  %i32 = arith.index_cast %i : vector<{N}xindex> to vector<{N}xi32>
  %f = arith.sitofp %i32 : vector<{N}xi32> to {V}
  %mask = vector.constant_mask [3] : vector<{N}xi1>
  %bits = arith.select %mask, %f, %v : vector<{N}xi1>, {V}
  %a = vector.shuffle %bits, %v [0, 9, 2, 15, 4, 5, 1, 1] : {V}, {V}
  %raw = vector.bitcast %a : {V} to vector<{N}xi32>
  %u = vector.bitcast %raw : vector<{N}xi32> to {V}
""" + WRITE, lambda w, x, l: np.concatenate([np.r_[:3], x[3:], x])[[0, 9, 2, 15, 4, 5, 1, 1]]),
    "carried": (f"""  %s = scf.for %i = %c0 to %at step %c1 iter_args(%a = %zeros) -> {V} {{
    %b = vector.transfer_read %x[%i], %pad : {T}, {V}
    %c = arith.addf %a, %b : {V}
    scf.yield %c : {V}
  }}
  %is = arith.cmpi sgt, %at, %c1 : index
  %u = scf.if %is -> {V} {{
    %b = arith.addf %s, %v : {V}
    scf.yield %b : {V}
  }} else {{
    scf.yield %v : {V}
  }}
""" + WRITE, lambda w, x, l: sum((over(x, i, N) for i in range(l[0])), np.zeros(N)) + (x if l[0] > 1 else 0)),
    "no_round": (f"""  %none = arith.muli %at, %c0 : index
  %u = scf.for %i = %c0 to %none step %c1 iter_args(%a = %v) -> {V} {{
    scf.yield %zeros : {V}
  }}
""" + WRITE, lambda w, x, l: x),
    # Each of two operations rounds to a half.
    "halves": (f"""  %third = arith.constant dense<0.333> : vector<{N}xf16>
  %h = arith.truncf %v : {V} to vector<{N}xf16>
  %a = arith.mulf %h, %third : vector<{N}xf16>
  %b = arith.addf %a, %third : vector<{N}xf16>
  %u = arith.extf %b : vector<{N}xf16> to {V}
""" + WRITE, lambda w, x, l: (x.astype(np.float16) * np.float16(0.333) + np.float16(0.333)).astype(np.float32)),
    "nothing": (f"""  %none = tensor.extract_slice %x[0] [0] [1] : {T} to tensor<0xf32>
  %a = vector.transfer_read %none[%c0], %pad : tensor<0xf32>, {V}
  %same = vector.transfer_write %a, %none[%c0] : {V}, tensor<0xf32>
  %b = vector.transfer_read %same[%at], %one : tensor<0xf32>, {V}
  %u = arith.subf %a, %b : {V}
""" + WRITE, lambda w, x, l: np.full(N, 8)),
    "number": (f"""  %a = vector.transfer_read %x[%at], %pad {{permutation_map = affine_map<(i) -> ()>}} : {T}, vector<f32>
  %b = vector.broadcast %a : vector<f32> to {V}
  %c = vector.extract %a[] : f32 from vector<f32>
  %d = vector.insert %c, %b [%c3] : f32 into {V}
  %one_vector = vector.broadcast %one : f32 to {V}
  %u = arith.addf %d, %one_vector : {V}
""" + WRITE, lambda w, x, l: np.full(N, x[l[0]] + 1)),
}


def moves(x, at):
    t = square(x).T.copy()
    row = t[at].copy()
    t[0] = row
    return (t + row + t[1:3].reshape(4, 1)).ravel()


def outer(x):
    q = np.outer(x[2:4], x[4:])
    p = q + square(x)
    return ((p - q) + (p * q + square(x))).ravel() + 2 * x


def main():
    names = sys.argv[1:] or list(FORMS)
    draw, wrong = np.random.default_rng(5), 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            body, compute = FORMS[name]
            path = os.path.join(folder, "step.mlir")
            with open(path, "w") as file:
                file.write(PREFIX + body + SUFFIX)
            w, x = (draw.integers(-3, 4, N).astype(np.float32) for _ in range(2))
            l = np.array([3, 0, 1, 2, 3, 4, 5, 6], np.int32)
            options = ["--device=emulator"] + ([] if name.endswith(":device") else ["--device=host", "--reference"])
            found = amprun.compare(path, {"arg0": w, "step0_x0": x, "step0_x1": l}, np.float32(compute(w, x, l)), options)
            if found:
                wrong += 1
                print(f"{name}: ", *found, sep="\n")
    print(f"{len(names) - wrong} of {len(names)} right")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
