"""Runs the functions of elements.mlir on the emulator and compares them with NumPy.

    run_elements.py elements.mlir

REFERENCES computes each in the function's own types, additions in the loops' order, so
that results are the same to the bit. One line for each function, with what is wrong,
and exit status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../LinalgToTensorCore/Inputs"))
from run_launches import FORMATS, Failure, Program  # noqa: E402

f16, f32 = np.float16, np.float32


def add_rows(x, start):
    for column in range(x.shape[1]):
        start = (start + x[:, column : column + 1]).astype(f32)
    return start


def pool(x):
    windows = [x[:, r : r + 7 : 2, s : s + 7 : 2] for r in range(3) for s in range(3)]
    return np.maximum(np.max(windows, axis=0), f32(-100))


def power(base, exponent, bits=32):
    """Modulo 2^bits; 1 / base^n is 0 but for bases of 1 and -1."""
    if exponent < 0:
        return {1: 1, -1: 1 - 2 * (exponent % 2)}.get(base, 0)
    return (pow(int(base), int(exponent), 2**bits) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


POWER = np.vectorize(power, otypes=[np.int64])


def powers(x, n):
    base, exponent = x.astype(int) - 3, n.astype(int) - 4
    return [POWER(base, exponent * 5), POWER(base, 3), POWER(base, -3)]


def narrow_powers(x, n):
    return [POWER(x.astype(int), n.astype(int), bits) for bits in (8, 16, 32)]


REFERENCES = {
    "scale": lambda x, row: x.astype(f32) * row.astype(f32),
    "row_sums": lambda x, start: add_rows(x.astype(f32), start.astype(f32)),
    "two_results": lambda x: [(x.astype(f32) * x.astype(f32)).T, x.astype(f32).astype(f16)],
    "gather": lambda table, index, factor: (table.astype(f32)[index.astype(int)] * factor.astype(f32)
                                            + np.arange(5, dtype=f32)),
    "gather_outside": lambda table, index: table.astype(f32)[np.where((index < 0) | (index > 8), 8, index.astype(int))],
    "pool": lambda x: pool(x.astype(f32)),
    "equal": lambda x, y: ((x.astype(f32) + y.astype(f32)) + y.astype(f32)) - x.astype(f32),
    "logarithm": lambda x: np.log(np.abs(x.astype(np.float64))).astype(f32).astype(f16),
    "wide": lambda x, row, column: (x.astype(f32) + column.astype(f32)[:, None]) * row.astype(f32),
    "halves": lambda x, keep: np.where(keep != 0, x, np.arange(16)).astype(f16),
    "wide_sums": lambda x, start: add_rows(x.astype(f32).T, start.astype(f32)[:, None])[:, 0],
    "odd_rows": lambda x, y: [x + x, y + y],
    "read_apart": lambda x, y, z: (((x[:, 1:9].astype(f32) + x[:, 7::-1].astype(f32)) + y[:, ::2].T.astype(f32))
                                   + z[:, ::2].astype(f32)),
    "transpose": lambda x, y, row: (x.transpose(0, 2, 1).astype(f16) + y.astype(f16)) * row.astype(f16)[:, None],
    "rounded_transpose": lambda x: [x.transpose(2, 0, 1).astype(f16), -x.transpose(2, 0, 1)],
    "short_rows": lambda x: x.transpose(0, 2, 1),
    "powers": powers,
    "narrow_powers": narrow_powers,
    "beginning": lambda x, y: [(x[:, :8] + x[:, :8]).astype(f16).reshape(2, 3, 8), (y[:, :5].astype(f32) ** 2)],
    "behind": lambda x: (x[:, 8:] + x[:, 8:]).astype(f16),
    "choice": lambda x, y: np.where(x < y, x, 0).astype(f32),
}


def draw(random, shape, type):
    if type == "i64":
        return np.array([3, -1, 9, 2**32, 8, -(2**32)], np.float64)[: shape[0]]
    if type == "i1":
        return random.integers(0, 2, shape).astype(np.float64)
    return random.integers(0, 9, shape) if type == "i32" else random.uniform(-2, 2, shape)


def check(name, source):
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, "--convert-linalg-to-element-kernels", folder)
            arguments = [
                FORMATS[type].round(draw(random, shape, type))
                for _, shape, type in program.arguments
            ]
            seen, expected = program.run(arguments), REFERENCES[name](*arguments)
        except Failure as failure:
            return str(failure)
    pairs = zip(seen, expected) if isinstance(expected, list) else [(seen, expected)]
    wrong = sum(np.count_nonzero(a != np.asarray(b, np.float64)) for a, b in pairs)
    return f"{wrong} elements differ" if wrong else ""


def main():
    with open(sys.argv[1]) as file:
        parts = {re.search(r"^func\.func @(\w+)", part, re.M)[1]: part for part in file.read().split("// -----")}
    results = {name: check(name, parts[name]) for name in REFERENCES}
    for name, wrong in results.items():
        print(f"wrong: {name}: {wrong}" if wrong else f"right: {name}")
    print(f"{len(results)} functions, {sum(map(bool, results.values()))} wrong")
    sys.exit(any(results.values()) or parts.keys() != REFERENCES.keys())


if __name__ == "__main__":
    main()
