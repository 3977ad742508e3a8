"""Runs the loops of a file on the emulator and compares them with Python's.

    run_loops.py loops-shared.mlir|loops-updates.mlir|loops-results.mlir [OPTIONS]

OPTIONS are those of convert-loops-to-kernels; numbers that loops give are stored before (amp-store-loop-results). REFERENCES goes through the updates one after the other, in the types of the buffers, and
changes them in place: every sum has the order of the loop, so that buffers are the same to
the bit. Numbers are random, so that another order would be seen; indices meet each other
and lie outside, and of the functions of EVERYWHERE also are all one, all different, and half of them twice.
Each kernel runs with one block and with several, under three schedules.

One line for each function, with what is wrong, and exit status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

for folder in ("../../../Kernels/Inputs", "../../LinalgToTensorCore/Inputs"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), folder))
from kernel_launch import Emulation, Failure, run  # noqa: E402
from number_formats import FORMATS  # noqa: E402
from read_launches import read_kernels  # noqa: E402

SCHEDULES = [(1, 0), (1, 1), (3, 2)]
TYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i64": np.int64}


def embedding(at, rows, table):
    for i, j in np.ndindex(at.shape):
        if 0 <= at[i, j] < len(table):
            table[at[i, j]] += rows[i, j]


def histogram(at, values, to):
    for index, value in zip(at, values):
        if 0 <= index < len(to):
            to[index] += value


def clamped_set(at, rows, to):
    for index, row in zip(at, rows):
        to[min(max(index, 0), 8)] = row


def largest(at, values, to):
    for index, value in zip(at, values):
        if 0 <= index < len(to) and value > to[index]:
            to[index] = value


def row_sums(at, rows, to):
    for index, row in zip(at, rows):
        for value in row:
            if 0 <= index < len(to):
                to[index] += value


def sums_and_counts(at, values, sums, counts):
    histogram(at, values, sums)
    histogram(at, np.ones(len(at), np.int32), counts)


def gather(at, table, to):
    for i in range(1, 8, 2):
        to[i + 2] = table[at[i]]


def running_sums(x, to):
    total = np.zeros(x.shape[1], np.float32)
    for i in range(len(x)):
        total += x[i]
        to[i] = total


def diagonals(x, to):
    for i, j in np.ndindex(x.shape):
        to[i + j] += x[i, j]


def prefix_sums(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]


def wide_rows(at, rows, table):
    for index, row in zip(at, rows):
        if 0 <= index < len(table):
            table[index] = table[index].astype(np.float16).astype(np.float32) + row.astype(np.float32)


def places(at, values, to):
    for (row, column), value in zip(at, values):
        if 0 <= row < to.shape[0] and 0 <= column < to.shape[1]:
            to[row, column] += value


def one_element(at, values, to):
    for column in range(len(to)):
        histogram(at, values[column], to[column])


def last_writer(at, values, to):
    for index, value in zip(np.where(at < 0, 1, at), values):
        if index < len(to):
            to[index] = value


def index_of_column(at, rows, to):
    for column in range(to.shape[1]):
        histogram(at[:, column], rows[:, column], to[:, column])


def guarded(at, values, to):
    histogram(at[values > 0], values[values > 0], to)


def numbered(at, to):
    for number, index in enumerate(at):
        if 0 <= index < len(to):
            to[index] = number + 1


def total(x, to, last):
    to[:] = np.cumsum(x, dtype=np.float32)
    last[0] = to[-1] * np.float32(2)


def search(x, at, found):
    first = next((i for i, value in enumerate(x) if value > 1), len(x))
    at[0], found[0] = first, x[first] if first < len(x) else 0


REFERENCES = {f.__name__: f for f in (embedding, histogram, clamped_set, largest, row_sums, sums_and_counts, gather,
                                      running_sums, diagonals, prefix_sums, wide_rows, places, one_element,
                                      last_writer, index_of_column, guarded, numbered, total, search)}
REFERENCES["rows"] = embedding
REFERENCES["many"] = REFERENCES["one"] = REFERENCES["counted"] = histogram
REFERENCES["none"] = lambda at, to: None


#: How indices are drawn.
EVERYWHERE = dict.fromkeys(("rows", "wide_rows", "many", "places", "one_element", "last_writer"),
                           ("random", "equal", "different", "twice"))


def draw(random, name, shape, type, indices):
    if type[0] == "f":
        return random.standard_normal(shape).astype(TYPES[type])
    if name == "gather":
        return random.integers(0, 5, shape).astype(TYPES[type])
    if indices == "equal":
        return np.zeros(shape, TYPES[type])
    if indices != "random":
        numbers = np.arange(np.prod(shape)) // (2 if indices == "twice" else 1)
        return random.permutation(numbers).reshape(shape).astype(TYPES[type])
    indices = random.integers(-2, 9, shape)
    if indices.size > 4:
        # What would be inside if it were cut to fewer bits.
        indices.flat[3] = 2**32 + 1 if type == "i64" else -(2**31) + 1
    return indices.astype(TYPES[type])


class Program:
    """A function with one loop, which is one kernel."""

    def __init__(self, source, options, folder):
        path = os.path.join(folder, "source.mlir")
        with open(path, "w") as file:
            file.write(source)
        made = run(["amp-opt", path, "--amp-store-loop-results", f"--convert-loops-to-kernels={options}", "--amp-kernels-to-nvvm"])
        if made.returncode:
            raise Failure(made.stderr)
        found = re.search(r"^  gpu\.module @(\w+).*?^  }\n", made.stdout, re.M | re.S)
        self.folder, self.path, self.kernels = folder, os.path.join(folder, "kernel.mlir"), read_kernels(found[0])
        with open(self.path, "w") as file:
            file.write("".join(re.findall(r"^#.*\n", made.stdout, re.M)) + found[0])
        arguments = re.findall(r"(%\w+): memref<([^>]*)>", re.search(r"func\.func @\w+\((.*?)\) \{", made.stdout)[1])
        self.arguments = [([int(size) for size in text.split("x")[:-1]], text.split("x")[-1]) for _, text in arguments]
        windows = dict(re.findall(r"(%\w+) = memref\.reinterpret_cast (%\w+)", made.stdout))
        launch = re.search(r"ins\((.*?)\) outs\((.*?)\)", made.stdout)
        names = [name for name, _ in arguments]
        #: Which argument a buffer of the kernel is.
        self.places = {name: names.index(windows.get(value, value))
                       for name, value in re.findall(r"(\w+) = (%\w+)", launch[1] + ", " + launch[2])}

    def run(self, arguments, blocks, seed):
        emulation = Emulation(self.path, self.kernels, tempfile.mkdtemp(dir=self.folder))
        for name, place in self.places.items():
            emulation.write(name, arguments[place])
        emulation.run(blocks, seed)
        left = list(arguments)
        for name, place in self.places.items():
            shape, type = self.arguments[place]
            left[place] = emulation.read(name).reshape(shape).astype(TYPES[type])
        return left


def check(name, source, options):
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(source, options, folder)
            for indices in EVERYWHERE.get(name, ("random",)):
                arguments = [draw(random, name, *argument, indices) for argument in program.arguments]
                expected = [argument.copy() for argument in arguments]
                REFERENCES[name](*expected)
                for blocks, seed in SCHEDULES:
                    for i, (seen, right) in enumerate(zip(program.run(arguments, blocks, seed), expected)):
                        if seen.tobytes() != right.tobytes():
                            return (f"{np.count_nonzero(seen != right)} elements of argument {i} differ, "
                                    f"{indices} indices, {blocks} blocks, seed {seed}")
        except Failure as failure:
            return str(failure)
    return ""


def main():
    with open(sys.argv[1]) as file:
        parts = {re.search(r"^func\.func @(\w+)", part, re.M)[1]: part for part in file.read().split("// -----")}
    options = " ".join(sys.argv[2:])
    results = {name: check(name, part, options) for name, part in parts.items() if name in REFERENCES}
    for name, wrong in results.items():
        print(f"wrong: {name}: {wrong}" if wrong else f"right: {name}")
    print(f"{len(results)} functions, {sum(map(bool, results.values()))} wrong")
    sys.exit(any(results.values()))


if __name__ == "__main__":
    main()
