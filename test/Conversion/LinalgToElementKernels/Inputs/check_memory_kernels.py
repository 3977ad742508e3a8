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
import subprocess
import sys

import compiled_kernels

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = ("sm_80", "sm_90a")
#: Of amp-to-gpu's passes, the first and the last that a family's functions meet: those between a step's
#: roles and its buffers, and those of a single loop or copy on buffers.
PASSES = {
    **dict.fromkeys(("group", "element", "batch", "pad"), ("convert-elementwise-to-linalg", "amp-batch-launches")),
    "copy": ("convert-copies-to-kernels", "convert-copies-to-kernels"),
    "loop": ("amp-store-loop-results", "convert-loops-to-kernels"),
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
def passes(chip):
    """The passes of amp-to-gpu, as a textual pipeline has them."""
    # An empty module is no step, which is said behind the pipeline.
    said = subprocess.run(["amp-opt", f"--amp-to-gpu=chip={chip} format=nvvm", "--dump-pass-pipeline"],
                          input="module {}", capture_output=True, text=True).stderr
    text = re.search(r"builtin\.module\((.*)\)\s*<stdin>:1:1: error", said, re.S)[1]
    depth, found, start = 0, [], 0
    for place, letter in enumerate(text + ","):
        depth += (letter in "({") - (letter in ")}")
        if letter == "," and not depth:
            found.append(" ".join(text[start:place].split()))
            start = place + 1
    return found


def pipeline(family, chip):
    names = [re.match(r"(?:func\.func\( )?([\w-]+)", each)[1] for each in passes(chip)]
    first, last = (names.index(name) for name in PASSES[family])
    return ",".join([*passes(chip)[first : last + 1], "amp-erase-unused-kernels", TO_PTX.format(chip)])


@functools.cache
def source():
    with open(os.path.join(HERE, "memory-kernels.mlir")) as file:
        return file.read()


def compile_kernels(job):
    """Numbers by name of the kernels of a function, and what went wrong if there is none."""
    family, function, chip = job
    try:
        part = compiled_kernels.part(source(), function)
        made = compiled_kernels.compile_source(part, f"--pass-pipeline=builtin.module({pipeline(family, chip)})")
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
