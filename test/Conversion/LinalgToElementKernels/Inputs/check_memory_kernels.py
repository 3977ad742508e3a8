"""Static gates of memory-bound kernels: ptxas's report, and SASS.

    check_memory_kernels.py TABLE [WORD...]

The table, memory-kernels.txt or one of its form, says what its columns mean; functions are those of the
folder's memory-kernels.mlir. WORDs select rows that contain one of them.

One line for each row and chip with the numbers of its kernel, and one for each gate that it misses. Exit
status 1 if a gate is missed or not known, if a row has no kernel, a kernel of a function no row, or, of the table
beside the functions, a function no row.
"""

import concurrent.futures
import functools
import operator
import os
import re
import sys

import compiled_kernels

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = ("sm_80", "sm_90a")
#: What fusion plans see of a chip: shared memory of a block, and multiprocessors, as lib/Kernels/Chips says.
PLANS = {"sm_80": (166912, 108), "sm_90a": (232448, 132)}
TENSORS = ("func.func(linalg-generalize-named-ops),amp-fuse-elementwise,canonicalize,cse,func.func(amp-separate-fills,"
           "amp-tile-fusion-groups{{close-bytes={memory} tile-bytes=16384 run-bytes=32 tiles={tiles} sums-alone=true}},"
           "lower-affine,amp-tile-sums),convert-fusion-groups-to-kernels{{chip={chip}}},"
           "convert-linalg-to-element-kernels,canonicalize,cse,amp-erase-unused-kernels")
#: Passes of each family, of those that lib/Pipelines/DeviceLowering.cpp has.
PASSES = {
    "group": TENSORS,
    "element": TENSORS,
    "batch": TENSORS.replace("amp-erase", "amp-batch-launches,amp-erase"),
    "copy": "convert-copies-to-kernels",
    "pad": "convert-pads-to-kernels",
    "loop": "func.func(amp-store-loop-results),convert-loops-to-kernels",
}
TO_PTX = "amp-kernels-to-cubin{{chip={} format=isa}}"
COMPARE = {"=": operator.eq, "<=": operator.le, ">=": operator.ge}
#: Gates of every row, unless it has one of the same number itself.
ALWAYS = ("resident>=1024", "spills=0", "stack=0", "local=0", "atomics=0", "calls=0")


def name(gate):
    return re.match(r"\w*", gate)[0]


class Row:
    def __init__(self, line):
        self.family, self.function, self.kernel, chips, gates = (cell.strip() for cell in line.split("|"))
        self.chips = CHIPS if chips == "all" else (chips,)
        own = gates.split()
        self.gates = own + [gate for gate in ALWAYS if not any(name(gate) == name(each) for each in own)]


@functools.cache
def source():
    with open(os.path.join(HERE, "memory-kernels.mlir")) as file:
        return file.read()


def compile_kernels(job):
    """Numbers by name of the kernels of a function, and what went wrong if there is none."""
    family, function, chip = job
    memory, tiles = PLANS[chip]
    passes = PASSES[family].format(chip=chip, memory=memory, tiles=tiles)
    try:
        part = compiled_kernels.part(source(), function)
        made = compiled_kernels.compile_source(part, f"--pass-pipeline=builtin.module({passes},{TO_PTX.format(chip)})")
        return {name: compiled_kernels.measure(*binary, name, chip) for name, binary in made.items()}, ""
    except StopIteration:
        return {}, f"no function {function}"
    except SystemExit as error:
        return {}, str(error)


def judge(gate, numbers):
    """What is wrong of a kernel's numbers by a gate."""
    parts = re.fullmatch(r"(\w+)(=|<=|>=)(\d+)", gate)
    if not parts or parts[1] not in numbers:
        return f"no gate: {gate}"
    name, compare, limit = parts.groups()
    return "" if COMPARE[compare](numbers[name], int(limit)) else f"missed: {gate}, but it is {numbers[name]}"


def main():
    path, *words = sys.argv[1:]
    with open(path) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    rows = [Row(line) for line in lines if not words or any(word in line for word in words)]
    jobs = list(dict.fromkeys((row.family, row.function, chip) for row in rows for chip in row.chips))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(jobs, pool.map(compile_kernels, jobs)))
    named, wrong, count = set(), 0, 0

    def complain(text):
        nonlocal wrong
        wrong += 1
        print("  " + text)

    for row in rows:
        for chip in row.chips:
            job = row.family, row.function, chip
            kernels, error = results[job]
            numbers = kernels.get(row.kernel)
            named.add((*job, row.kernel))
            count += 1
            print(f"{row.family} | {row.function} | {row.kernel} | {chip} |",
                  " ".join(f"{what}={number}" for what, number in numbers.items() if number) if numbers else "none")
            if not numbers:
                complain(error.strip() or f"no kernel {row.kernel}, but {', '.join(kernels) or 'none'}")
                continue
            for gate in row.gates:
                if problem := judge(gate, numbers):
                    complain(problem)
    for job, (kernels, _) in results.items():
        for kernel in kernels if not words else []:
            if (*job, kernel) not in named:
                complain(f"in no row: {' | '.join(job)} | {kernel}")
    if not words and os.path.dirname(os.path.abspath(path)) == HERE:
        for function in re.findall(r"^func\.func @(\w+)", source(), re.M):
            if not any(row.function == function for row in rows):
                complain(f"in no row: {function}")
    print(f"{count} kernels, {wrong} wrong")
    sys.exit(bool(wrong) or not rows)


if __name__ == "__main__":
    main()
