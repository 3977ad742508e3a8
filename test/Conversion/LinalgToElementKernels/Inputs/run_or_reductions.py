"""Runs functions of or-reductions.mlir on the emulator and compares them with NumPy.

    run_or_reductions.py or-reductions.mlir [parameter-bytes=32]

Checks see finite numbers of each type, the greatest, the least and zeros among them, and find none; then
a NaN or an infinity of each sign, one at a time, in each tensor: first, last, where a chunk begins and
ends, and in the last elements, which 16 bytes do not divide. Integers are ored. Grids of one
block and of several, and schedules, take turns; the result is the same to the bit. One line for each
function, with what is wrong, and exit status 1 if anything is.
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
NOT_FINITE = [np.nan, np.inf, -np.inf]
#: Elements of a chunk of 8 KiB.
CHUNK = {"f16": 4096, "bf16": 4096, "f32": 2048}


def find(*tensors):
    """What a chain of checks leaves, from its definition."""
    return int(any(np.any(~np.isfinite(x)) for x in tensors))


def unite(*numbers):
    return int(np.bitwise_or.reduce(np.concatenate([np.ravel(x).astype(np.int64) for x in numbers])))


# Name of the function: what it computes of its arguments, as it begins with what is in the first if that is read.
REFERENCES = {
    "halves": lambda a, b, c, d: [find(a, b, c, d)],
    "types": lambda a, b, c, d, e: [find(a, b, c, d, e)],
    "bits": lambda a, b: [unite([5], a, b)],
    "two_chains": lambda s, a, b: [int(s) | find(a, b)] * 2,
    "of_other_chain": lambda s, a, b, c: [unite(s, a, b), unite(s, a, b, c)],
    "without_elements": lambda s, a, b: [int(s) | find(a), int(s)],
}


def draw(random, shape, type):
    if type == "i8":
        return random.choice([0, 16, 64], shape)
    if type == "i32":
        # The sign is a bit like others.
        return random.choice([0, 0, 128, 1 << 20, -(1 << 31)], shape)
    form = FORMATS[type]
    values = form.round(random.uniform(-2, 2, shape)).ravel()
    least = 2.0 ** (form.lowest - form.bits + 1)
    for place, value in zip(random.permutation(values.size), [form.largest, -form.largest, 0.0, least, -least]):
        values[place] = value
    return values.reshape(shape)


def places(size, type):
    chunk, lanes = CHUNK[type], CHUNK[type] // 512
    around = [0, size - 1, size - size % lanes, size // 2, chunk - 1, chunk]
    return sorted({place for place in around if 0 <= place < size})


def cases(random, arguments):
    """Arguments of each run."""
    drawn = [draw(random, shape, type) for _, shape, type in arguments]
    yield drawn
    number = 0
    for i, (_, shape, type) in enumerate(arguments):
        if type == "i32" and not shape:
            for start in (0, 2):
                yield [np.full(shape, start) if j == i else x for j, x in enumerate(drawn)]
        if type not in CHUNK:
            continue
        for place in places(drawn[i].size, type):
            changed = drawn[i].ravel().copy()
            changed[place] = NOT_FINITE[number % 3]
            number += 1
            yield [changed.reshape(shape) if j == i else x for j, x in enumerate(drawn)]


def check(name, source, options):
    random = np.random.default_rng(1)
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, "--convert-or-reductions-to-multi-tensor-kernels=" + options, folder)
            for arguments in cases(random, program.arguments):
                program.blocks, program.seed = SCHEDULES[runs % len(SCHEDULES)]
                runs += 1
                seen = program.run(arguments)
                seen = [int(x) for x in (seen if isinstance(seen, list) else [seen])]
                if seen != REFERENCES[name](*arguments):
                    return f"run {runs}: {seen} instead of {REFERENCES[name](*arguments)}", runs
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
