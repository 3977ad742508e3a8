"""Runs functions of sums.mlir on the emulator and compares them with NumPy.

    run_sums.py sums.mlir [parameter-bytes=32]

Integers, whose sums are exact, give the same to the bit. Random numbers are within (1 + u)^n - 1, with
u = 2^-24 and n what is rounded on the way of a term: its own operations, and additions of a tree
of as many terms. A NaN and infinities come through, from the first and the last element. Grids and
schedules take turns and leave the same bits. One line for each function, with what is wrong, and exit
status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../LinalgToTensorCore/Inputs"))
from run_launches import FORMATS, Failure, Program  # noqa: E402

#: Blocks and seed of a run.
SCHEDULES = [(1, 1), (3, 2), (8, 3)]
UNIT = 2.0**-24


def squares(*tensors):
    return [x**2 for x in tensors]


# Name of the function: the terms of each result, of which `scaled` takes the root of the first.
REFERENCES = {
    "norms": squares,
    "scaled": lambda s, a, b: squares(s * a, s * b),
    "forms": lambda a, b: [*squares(a, b), np.abs(a), np.abs(b)],
}
#: Roundings of a term before it is added.
OWN = 3


def draw(random, shape, type, integers):
    values = random.integers(-3, 4, shape) if integers else FORMATS[type].round(random.uniform(-2, 2, shape))
    return values.astype(np.float64)


def cases(random, arguments):
    """Arguments of each run, and whether its sums are exact."""
    for integers in (True, False):
        yield [draw(random, shape, type, integers) for _, shape, type in arguments], integers
    for value in (np.nan, np.inf, -np.inf):
        for place in (0, -1):
            changed = [draw(random, shape, type, True) for _, shape, type in arguments]
            changed[-1].flat[place] = value
            yield changed, True


def compare(name, results, arguments, exact):
    with np.errstate(invalid="ignore"):
        terms = REFERENCES[name](*arguments)
        for i, (seen, term) in enumerate(zip(results, terms, strict=True)):
            expected, bound = term.sum(), 0.0 if exact else np.abs(term).sum() * ((1 + UNIT) ** (term.size + OWN) - 1)
            low, high = (expected - bound, expected + bound) if np.isfinite(expected) else (expected, expected)
            if name == "scaled" and i == 0:
                # A root of f32, rounded once more.
                low, high = np.sqrt(max(low, 0)) * (1 - 2 * UNIT), np.sqrt(high) * (1 + 2 * UNIT)
            if not (low <= seen <= high or np.isnan(seen) and np.isnan(expected)):
                return f"result {i}: {seen} instead of {low} to {high}"
    return ""


def check(name, source, options):
    random = np.random.default_rng(1)
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, "--convert-sums-to-multi-tensor-kernels=" + options, folder)
            if not program.modules:
                return "no kernel", 0
            for arguments, exact in cases(random, program.arguments):
                kept = None
                for program.blocks, program.seed in SCHEDULES:
                    runs += 1
                    results = [np.float64(x) for x in program.run(arguments)]
                    wrong = compare(name, results, arguments, exact)
                    if kept is not None and not np.array_equal(kept, results, equal_nan=True):
                        wrong = wrong or f"{results} with {program.blocks} blocks instead of {kept}"
                    if wrong:
                        return f"run {runs}: {wrong}", runs
                    kept = results
        except Failure as failure:
            return str(failure), runs
    return "", runs


def main():
    path, *options = sys.argv[1:]
    with open(path) as file:
        parts = {re.search(r"^func\.func @(\w+)", part, re.M)[1]: part for part in file.read().split("// -----")}
    failures = 0
    for name in REFERENCES:
        wrong, runs = check(name, parts[name], " ".join(options))
        failures += bool(wrong)
        print(f"{'wrong' if wrong else 'right'}: {name}, {runs} runs {wrong}")
    print(f"{failures} wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
