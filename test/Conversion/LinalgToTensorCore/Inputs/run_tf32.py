"""Runs the functions of tf32.mlir on the emulator and compares them with a model of tf32.

    run_tf32.py CHIP tf32.mlir

The model: an operand has 10 bits of its fraction, cut off by wgmma and rounded to nearest, ties
away from zero, before mma.sync, which gradients of convolutions have on each chip; a product of two such numbers is exact in
f32's 24 bits, and K of them are added in f32 in any order, each addition with a relative error of
2^-23 at most (Tensor Cores may cut off). So a sum is within K 2^-23 of the sum of
magnitudes. The same without the cut is not: each function has an element that shows it.

One line for each function, with what is wrong, and exit status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_launches import Failure, Program, convolve, filter_gradient, pad  # noqa: E402


def product(indices):
    return lambda a, b: np.einsum(indices, a, b)


def image_gradient(dy, f, stride, padding, size):
    """Of an image of `size` under filters K,R,S,C."""
    spread = [stride * (places - 1) + 1 for places in dy.shape[1:3]]
    dx = np.zeros((dy.shape[0], *(extent + 2 * padding for extent in size), f.shape[3]))
    for r in range(f.shape[1]):
        for s in range(f.shape[2]):
            dx[:, r : r + spread[0] : stride, s : s + spread[1] : stride] += dy @ f[:, r, s]
    return dx[:, padding : padding + size[0], padding : padding + size[1]]


# Of a function: sums of products of its operands, of how many at most, and what follows.
PRODUCTS = {
    "transposed": (product("ik,jk->ij"), 64, None),
    "matmul": (product("ik,kj->ij"), 64, None),
    "weights": (product("ki,kj->ij"), 64, None),
    "batch": (product("bik,bjk->bij"), 30, None),
    "bias_relu": (product("ik,kj->ij"), 64, lambda sums, bias: np.maximum((sums + bias).astype(np.float32), 0)),
    "convolution": (lambda x, f: convolve(pad(x, (1, 1), (1, 1)), f, (1, 1), (1, 1), (8, 9)), 144, None),
    "first_layer": (lambda x, f: convolve(x, f, (2, 2), (1, 1), (6, 6)), 27, None),
    "filter_gradient": (filter_gradient, 72, None),
    "image_gradient": (lambda dy, f: image_gradient(dy, f, 2, 0, (8, 5)), 144, None),
}


def to_tf32(x, rounds):
    bits = x.astype(np.float32).view(np.uint32)
    if rounds:
        bits = bits + np.uint32(1 << 12)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)


def check(name, source, chip):
    multiply, terms, after = PRODUCTS[name]
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, f"--convert-linalg-to-tensor-core=tf32 always chip={chip}", folder)
            arguments = [random.standard_normal(shape).astype(np.float32).astype(np.float64)
                         for _, shape, _ in program.arguments]
            seen = program.run(arguments)
            rounds = any("nvvm.mma.sync" in open(path).read() for path, _ in program.modules.values())
        except Failure as failure:
            return str(failure)
    a, b, *rest = arguments
    model = [to_tf32(a, rounds), to_tf32(b, rounds)]
    bound = terms * 2.0**-23 * multiply(*map(np.abs, model))
    expected, wide = multiply(*model), multiply(a, b)
    if after:
        # The addition of the bias is rounded once more; a maximum makes no error larger.
        bound += 2.0**-24 * np.abs(expected + rest[0])
        expected, wide = after(expected, *rest), after(wide, *rest)
    wrong = np.count_nonzero(~(np.abs(seen - expected) <= bound))
    if wrong:
        return f"{wrong} elements, largest error {np.max(np.abs(seen - expected) / bound):.2f} of the bound"
    return "" if np.any(np.abs(seen - wide) > bound) else "f32 is within the bound, too"


def main():
    chip, path = sys.argv[1:]
    with open(path) as file:
        parts = {found[1]: part for part in file.read().split("// -----")
                 if (found := re.search(r"^func\.func @(\w+)", part, re.M))}
    results = {name: check(name, parts[name], chip) for name in PRODUCTS}
    for name, wrong in results.items():
        print(f"wrong: {name}: {wrong}" if wrong else f"right: {name}")
    print(f"{len(results)} functions, {sum(map(bool, results.values()))} wrong")
    sys.exit(any(results.values()))


if __name__ == "__main__":
    main()
