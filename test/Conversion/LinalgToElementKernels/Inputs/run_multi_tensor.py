"""Runs functions of multi-tensor.mlir on the emulator and compares them with NumPy.

    run_multi_tensor.py multi-tensor.mlir [parameter-bytes=96]

REFERENCES computes each in the functions' own types, operation by operation, so that
results are the same to the bit, for a grid of one block and for one of several. One line
for each function and grid, with what is wrong, and exit status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../LinalgToTensorCore/Inputs"))
from run_launches import FORMATS, Failure, Program  # noqa: E402

f16, f32, i8 = np.float16, np.float32, np.int8


def update(g, p, h, lr, skip):
    new = p.astype(f32) - g.astype(f32) * lr.astype(f32)
    return [np.where(skip != 0, p, new), np.where(skip != 0, h, new.astype(f16))]


# Name of the function: what it computes, and what its last argument is in each run.
REFERENCES = {
    "scale": (lambda a, b, c, d, s: [x.astype(f32) * s.astype(f32) for x in (a, b, c, d)], [None]),
    "update": (lambda g0, p0, h0, g1, p1, h1, lr, skip: update(g0, p0, h0, lr, skip) + update(g1, p1, h1, lr, skip),
               [0, 1]),
    "many": (lambda *xs: [x.astype(i8) + i8(1) for x in xs], [None]),
}


def draw(random, shape, type):
    return random.integers(-9, 9, shape) if type == "i8" else random.uniform(-2, 2, shape)


def check(name, source, options, blocks, last):
    reference, _ = REFERENCES[name]
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, "--convert-elementwise-to-multi-tensor-kernels=" + options, folder)
            program.blocks = blocks
            arguments = [FORMATS["i8" if type == "i1" else type].round(draw(random, shape, type))
                         for _, shape, type in program.arguments]
            if last is not None:
                arguments[-1] = np.full_like(arguments[-1], last)
            seen, expected = program.run(arguments), reference(*arguments)
        except Failure as failure:
            return str(failure)
    wrong = sum(np.count_nonzero(a != np.asarray(b, np.float64)) for a, b in zip(seen, expected, strict=True))
    return f"{wrong} elements differ" if wrong else ""


def main():
    path, *options = sys.argv[1:]
    with open(path) as file:
        parts = {re.search(r"^func\.func (?:private )?@(\w+)", part, re.M)[1]: part
                 for part in file.read().split("// -----")}
    failures = 0
    for name, (_, lasts) in REFERENCES.items():
        for blocks in (1, 3):
            for last in lasts:
                wrong = check(name, parts[name], " ".join(options), blocks, last)
                failures += bool(wrong)
                print(f"{'wrong' if wrong else 'right'}: {name}, {blocks} blocks, {last} {wrong}")
    print(f"{failures} wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
