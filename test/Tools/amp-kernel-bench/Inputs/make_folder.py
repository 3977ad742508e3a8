# ===-- make_folder.py - A folder of kernels for the fake driver -----------===//
#
# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===//
"""usage: make_folder.py FOLDER KERNEL...

Writes an index and PTX texts for kernels that test/unittests/Runtime/FakeDriver
computes. A KERNEL is NAME:LAYOUT:MxNxK:OUTPUT[:INPUT], e.g. a:nt:64x48x32:f32; INPUT
is bf16, or f8E4M3FN. A name that
ends in _wrong, _silent or _stuck makes a kernel that is wrong, does nothing or does
not end. "convolution" is a convolution of stride 2.
"""

import json
import os
import sys

PTX = """.version 8.0
.target sm_90a
.visible .entry {kernel}(.param .align 64 .b8 {kernel}_0[128],
  .param .align 64 .b8 {kernel}_1[128], .param .u64 .ptr .global {kernel}_2,
  .param .u32 {kernel}_3, .param .u32 {kernel}_4, .param .u32 {kernel}_5)
{{ ret; }}
"""


def tensor_map(name, type, rows, columns):
    return {
        "kind": "tensor-map", "name": name, "type": type,
        "shape": [columns, rows], "strides": [(2 if type == "bf16" else 1) * columns],
        "box": [64, 64], "swizzle": 128,
    }


CONVOLUTION = """.version 8.0
.target sm_90a
.visible .entry fake_convolution(.param .align 64 .b8 p0[128],
  .param .u64 .ptr .global p1, .param .u64 .ptr .global p2, .param .u32 p3,
  .param .u32 p4, .param .u32 p5, .param .u32 p6, .param .u32 p7)
{ ret; }
"""


def make_convolution(folder):
    with open(os.path.join(folder, "convolution.ptx"), "w") as file:
        file.write(CONVOLUTION)
    n, h, w, c, k, r, s, stride, padding = 4, 9, 8, 16, 24, 3, 3, 2, 1
    p, q = (h + 2 * padding - r) // stride + 1, (w + 2 * padding - s) // stride + 1
    arguments = [
        {"kind": "im2col-map", "name": "x", "type": "bf16", "shape": [c, w, h, n],
         "strides": [2 * c, 2 * c * w, 2 * c * w * h], "lower": [-1, -1],
         "upper": [-1, -1], "channels": 16, "pixels": 64,
         "steps": [1, stride, stride, 1], "swizzle": 32},
        {"kind": "buffer", "name": "f", "type": "bf16", "elements": k * r * s * c},
        {"kind": "buffer", "name": "y", "type": "bf16", "elements": n * p * q * k},
    ]
    for name, value in (("k", k), ("r", r), ("s", s), ("stride", stride),
                        ("padding", padding)):
        arguments.append({"kind": "number", "name": name, "value": value})
    return {
        "name": "convolution", "image": "convolution.ptx", "family": "convolution",
        "problem": {"direction": "forward", "format": "nhwc", "n": n, "h": h, "w": w,
                    "c": c, "k": k, "r": r, "s": s, "stride": [stride, stride],
                    "padding": [padding, padding], "dilation": [1, 1], "groups": 1,
                    "x": "bf16", "f": "bf16", "y": "bf16"},
        "launches": [{"kernel": "fake_convolution", "grid": [1, 1, 1],
                      "block": [128, 1, 1], "shared_memory": 0,
                      "arguments": arguments}],
    }


def make(folder, description):
    if description == "convolution":
        return make_convolution(folder)
    name, layout, size, output, type = (description + ":bf16").split(":")[:5]
    m, n, k = (int(number) for number in size.split("x"))
    ending = "".join("_" + word for word in ("wrong", "silent", "stuck") if name.endswith(word))
    kernel = f"fake_gemm_{layout}_{type}_{output}{ending}"
    with open(os.path.join(folder, name + ".ptx"), "w") as file:
        file.write(PTX.format(kernel=kernel))
    a = tensor_map("a", type, *((k, m) if layout[0] == "t" else (m, k)))
    b = tensor_map("b", type, *((n, k) if layout[1] == "t" else (k, n)))
    d = {"kind": "buffer", "name": "d", "type": output, "elements": m * n}
    numbers = [
        {"kind": "number", "name": key, "value": value}
        for key, value in (("m", m), ("n", n), ("k", k))
    ]
    return {
        "name": name, "image": name + ".ptx", "family": "gemm",
        "problem": {"m": m, "n": n, "k": k, "a": type, "b": type, "d": output,
                    "layout": layout},
        "tile": [128, 128, 64],
        "launches": [{"kernel": kernel, "grid": [4, 1, 1], "block": [128, 1, 1],
                      "cluster": [2, 1, 1], "shared_memory": 65536,
                      "arguments": [a, b, d] + numbers}],
    }


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    kernels = [make(folder, description) for description in sys.argv[2:]]
    with open(os.path.join(folder, "index.json"), "w") as file:
        json.dump({"version": 1, "kernels": kernels}, file, indent=1)


main()
