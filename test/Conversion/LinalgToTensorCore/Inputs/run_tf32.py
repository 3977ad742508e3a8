"""Runs the functions of tf32.mlir on the emulator and compares them with a model of tf32.

    run_tf32.py CHIP tf32.mlir

The model: an operand has 10 bits of its fraction, cut off by wgmma (sm_90a) and rounded to
nearest, ties away from zero, before mma.sync (sm_80); a product of two such numbers is exact in
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
from run_launches import Failure, Program  # noqa: E402

# Of a function: indices of operands and result, and what follows the sums.
PRODUCTS = {
    "transposed": ("ik,jk->ij", None),
    "matmul": ("ik,kj->ij", None),
    "weights": ("ki,kj->ij", None),
    "batch": ("bik,bjk->bij", None),
    "bias_relu": ("ik,kj->ij", lambda sums, bias: np.maximum((sums + bias).astype(np.float32), 0)),
}


def to_tf32(x, chip):
    bits = x.astype(np.float32).view(np.uint32)
    if chip == "sm_80":
        bits = bits + np.uint32(1 << 12)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)


def check(name, source, chip):
    letters, after = PRODUCTS[name]
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, f"--convert-linalg-to-tensor-core=tf32 always chip={chip}", folder)
            arguments = [random.standard_normal(shape).astype(np.float32).astype(np.float64)
                         for _, shape, _ in program.arguments]
            seen = program.run(arguments)
        except Failure as failure:
            return str(failure)
    a, b, *rest = arguments
    model = [to_tf32(a, chip), to_tf32(b, chip)]
    terms = dict(zip(letters.split(",")[0], a.shape))["k"]
    bound = terms * 2.0**-23 * np.einsum(letters, *map(np.abs, model))
    expected, wide = np.einsum(letters, *model), np.einsum(letters, a, b)
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
