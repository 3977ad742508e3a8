"""Runs functions of batch-launches.mlir on the emulator and compares them with NumPy.

    run_batches.py batch-launches.mlir

REFERENCES adds one element after the other in f32, where the kernel does, so that results are the same
to the bit; where threads share a sum, elements are whole numbers, whose sums are exact. Each under three
schedules. One line for each function and schedule, with what is wrong, and exit status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../LinalgToTensorCore/Inputs"))
from run_launches import Failure, Program, run  # noqa: E402

PASSES = ("--pass-pipeline=builtin.module(convert-elementwise-to-linalg,func.func(amp-tile-sums),"
          "convert-fusion-groups-to-kernels,convert-linalg-to-element-kernels,amp-batch-launches)")


def add_rows(x, start):
    total = start.astype(np.float32)
    for row in x.reshape(-1, x.shape[-1]).astype(np.float32):
        total = row + total
    return total


REFERENCES = {
    "sums": lambda x, y, z, s: [add_rows(x, s), add_rows(y, s), add_rows(z, s)],
    "shared": lambda x, y, s: [add_rows(x, s), add_rows(y, s)],
    "levels": lambda x, y: [-np.abs(x), np.abs(x), np.abs(y)],
    "whole": lambda x, y: [np.abs(x)[None], np.abs(y)[None]],
}


def check(name, source, seed):
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = os.path.join(folder, "function.mlir")
            with open(path, "w") as file:
                file.write(source)
            made = run(["amp-opt", path, PASSES])
            if made.returncode:
                return made.stderr
            program = Program(made.stdout, "--amp-erase-unused-kernels", folder)
            program.seed = seed
            if not any(symbol.startswith("batch") for symbol in program.modules):
                return "no batch"
            arguments = [random.integers(-99, 99, shape).astype(np.float64) if name == "shared"
                         else random.uniform(-2, 2, shape).astype(np.float32).astype(np.float64)
                         for _, shape, _ in program.arguments]
            seen, expected = program.run(arguments), REFERENCES[name](*arguments)
        except Failure as failure:
            return str(failure)
    wrong = sum(np.count_nonzero(a != np.asarray(b, np.float64)) for a, b in zip(seen, expected, strict=True))
    return f"{wrong} elements differ" if wrong else ""


def main():
    with open(sys.argv[1]) as file:
        parts = {re.search(r"^func\.func (?:private )?@(\w+)", part, re.M)[1]: part
                 for part in file.read().split("// -----")}
    failures = 0
    for name in REFERENCES:
        for seed in (0, 1, 2):
            wrong = check(name, parts[name], seed)
            failures += bool(wrong)
            print(f"{'wrong' if wrong else 'right'}: {name}, schedule {seed} {wrong}")
    print(f"{len(REFERENCES)} functions, {failures} wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
