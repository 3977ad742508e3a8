"""Leaves each synchronisation of a table's kernels out in turn; it must be noticed as the table says.

    break_synchronisation.py TABLE [WORD...]

The table (synchronisation.txt) says what its columns mean. KINDS says how an instruction is left out:
barriers, waits and groups of copies are deleted; where a lane would learn something of others, it learns
what it knows itself; an atomic is a load, an operation and a store. A launch that is not the first runs
before all others ("order"), or any does nothing ("launch"). Each kernel runs under several schedules, and
the whole one first, whose results are those to compare with.

One line for each row, with what did not come as expected, and exit status 1 if anything did not.
WORDs select rows that contain one of them.
"""

import concurrent.futures
import copy
import os
import re
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ELEMENTS = os.path.join(HERE, "../../Conversion/LinalgToElementKernels")
sys.path[:0] = [HERE, os.path.join(ELEMENTS, "Inputs")]
import run_batches  # noqa: E402
import run_groups  # noqa: E402
import run_loops  # noqa: E402
import run_multi_tensor  # noqa: E402
import run_or_reductions  # noqa: E402
import run_sums  # noqa: E402
import verify_attention  # noqa: E402
import verify_convolutions  # noqa: E402
import verify_numbers  # noqa: E402
from delete_synchronisation import FINDINGS  # noqa: E402
from kernel_launch import Emulation, Failure, generate, run  # noqa: E402
from read_launches import read_kernels  # noqa: E402


def atomic(name, operation):
    """An atomic, and what it does in steps."""
    return (rf"(%\S+) = llvm\.atomicrmw {name} (%\S+), (%\S+) .*",
            rf"\1 = llvm.load \2 : !llvm.ptr<1> -> i32 %after = {operation} llvm.store %after, \2 : i32, !llvm.ptr<1>")


# Of each kind: the instruction, and what takes its place.
KINDS = {
    "barrier": (r"nvvm\.barrier.*", ""),
    "warp": (r"nvvm\.bar\.warp\.sync.*", ""),
    "commit": (r"nvvm\.cp\.async\.commit.*", ""),
    "wait": (r"nvvm\.cp\.async\.wait.*", ""),
    # What orders the copy engine, wgmma and those who wait for them.
    "pipeline": (r"(?:%\S+ = )?nvvm\.(?:mbarrier|fence|cluster\.|wgmma\.(?:fence|commit|wait)"
                 r"|cp\.async\.bulk\.(?:commit|wait)).*", ""),
    "shuffle": (r"(%\S+) = nvvm\.shfl\.sync +bfly %\S+, (%\S+), .* -> (\S+)", r"\1 = llvm.bitcast \2 : \3 to \3"),
    "uniform": (r"(%\S+) = nvvm\.shfl\.sync +idx %\S+, (%\S+), .* -> (\S+)", r"\1 = llvm.bitcast \2 : \3 to \3"),
    "vote": (r"(%\S+) = nvvm\.vote\.sync +ballot %\S+, (%\S+) -> i32", r"\1 = llvm.sext \2 : i1 to i32"),
    "exchange": (r"(%\S+) = nvvm\.redux\.sync +\w+ +(%\S+), .*", r"\1 = llvm.bitcast \2 : i32 to i32"),
    "atomic": atomic("_or", r"llvm.or \1, \3 : i32"),
    "maximum": atomic("umax", r"llvm.intr.umax(\1, \3) : (i32, i32) -> i32"),
    "order": (r"(amp\.launch = .*order = )[1-9]\d*", r"\1-1"),
    "launch": (r"(.*amp\.launch = .*)", r"\1 llvm.return ^never:"),
}
# Whatever orders threads, memory or launches, so that no kind is forgotten.
ORDERS = re.compile(r"nvvm\.(?:bar|shfl|vote|redux|match|elect|fence|membar|mbarrier|cluster\.|griddep"
                    r"|wgmma\.(?:fence|commit|wait)|cp\.async\.(?:commit|wait|mbarrier|bulk\.(?:commit|wait)))"
                    r"|llvm\.(?:atomicrmw|cmpxchg|fence)|amp\.launch = .*order = [1-9]")
RACE = r"race: |read of uninitialised "
# Blocks and seeds: one block has several tiles.
SCHEDULES = (1, 0), (1, 5), (2, 1), (3, 9)


def part(file, name):
    """The function of that name in a file of functions."""
    with open(os.path.join(ELEMENTS, file)) as text:
        return next(each for each in text.read().split("// -----")
                    if re.search(rf"func\.func (?:private )?@{name}\b", each))


class Launches:
    """A function of launches, by a class that runs it: its modules' files, and runs of changed ones."""

    def __init__(self, program, draws):
        self.program, self.draws = program, draws
        self.paths = [path for path, _ in program.modules.values()]

    def outcome(self, path, text):
        """Results of all runs with `text` for the module at `path`; Failure if the emulator reports."""
        program = copy.copy(self.program)
        program.folder = tempfile.mkdtemp(dir=program.folder)
        changed = os.path.join(program.folder, "kernel.mlir")
        with open(changed, "w") as file:
            file.write(text)
        program.modules = {name: (changed, read_kernels(text)) if at == path else (at, kernels)
                           for name, (at, kernels) in program.modules.items()}
        seen = []
        for arguments in self.draws:
            for program.blocks, program.seed in SCHEDULES:
                results = program.run(arguments)
                seen += [np.asarray(x).tobytes() for x in (results if isinstance(results, list) else [results])]
        return seen


class Loop(Launches):
    """A loop is one kernel, which changes its arguments."""

    def __init__(self, program, draws):
        self.program, self.draws, self.paths = program, draws, [program.path]

    def outcome(self, path, text):
        program = copy.copy(self.program)
        program.folder = tempfile.mkdtemp(dir=program.folder)
        program.path = os.path.join(program.folder, "kernel.mlir")
        with open(program.path, "w") as file:
            file.write(text)
        return [x.tobytes() for arguments in self.draws for schedule in SCHEDULES
                for x in program.run(arguments, *schedule)]


class Generated:
    """Kernels of a generator, whose results have a reference of their own."""

    generator, source = "amp-generate-gemm", os.path.join(HERE, "epilogues.mlir")

    def __init__(self, options, folder):
        path, _ = generate(options, self.source, folder, self.generator)
        self.options, self.folder, self.paths = options, folder, [path]

    def outcome(self, path, text):
        own = tempfile.mkdtemp(dir=self.folder)
        changed = os.path.join(own, "kernel.mlir")
        with open(changed, "w") as file:
            file.write(text)
        return self.verify(changed, read_kernels(text), own)

    def verify(self, path, kernels, folder):
        """What is wrong with numbers, or an empty text; Failure if the emulator reports."""
        for blocks, seed in SCHEDULES:
            problem = verify_numbers.Problem(f"{self.options} | integer {blocks} {seed}")
            wrong, _ = verify_numbers.check_numbers(problem, Emulation(path, kernels, folder))
            if wrong:
                return wrong
        return ""


def raised(wrong):
    """What is wrong with numbers; Failure if it is a report."""
    if "amp-emu: error: " in wrong:
        raise Failure(wrong)
    return wrong


class Attention(Generated):
    generator, source = "amp-generate-attention", "/dev/null"

    def verify(self, path, kernels, folder):
        problem = verify_attention.Attention(f"{self.options} | random 0 {len(SCHEDULES)}")
        return raised(verify_attention.run_kernels(problem, path, kernels, folder))


class Convolution(Generated):
    generator = "amp-generate-convolution"

    def verify(self, path, kernels, folder):
        for blocks in sorted({blocks for blocks, _ in SCHEDULES}):
            problem = verify_convolutions.Convolution(f"{self.options} | integer {blocks} {blocks} 2")
            if wrong := raised(verify_convolutions.run_kernels(problem, path, kernels, folder)):
                return wrong
        return ""


class Converted:
    """Kernels of all functions of a file, by passes: none has synchronisation, so that nothing runs."""

    def __init__(self, command, folder):
        file, *passes = command.split()
        with open(os.path.join(ELEMENTS, file)) as source:
            text = source.read()
        for each in passes, ["--amp-kernels-to-nvvm"]:
            made = run(["amp-opt", "-", "--split-input-file", *each], input=text)
            if made.returncode:
                raise Failure(made.stderr)
            text = made.stdout
        if "amp.launch = " not in text:
            raise Failure(f"no kernel in {command}")
        path = os.path.join(folder, "kernels.mlir")
        with open(path, "w") as kernels:
            kernels.write(text)
        self.paths = [path]


def find_once(x, start):
    """In each row one lane finds what is large, lanes that differ in each bit from the one that tells."""
    np.minimum(x, 1.5, out=x)
    x[range(4), (60, 64, 31, 63)] = 2
    start[:] = 0


def find_infinity(x, factor):
    """The last lane finds it."""
    x[-1, -1] = np.inf


# Arguments that are not as drawn: where any lane finds the same, it need not be told.
CHANGES = {"bits": find_once, "bias_gradient": find_infinity}


def open_group(name, folder):
    return open_made(part("groups.mlir", name), f"--pass-pipeline={run_groups.WRITTEN}", "--cse", folder,
                     CHANGES.get(name))


def open_tiled(name, folder):
    return open_made(part("groups-tiled.mlir", name), f"--pass-pipeline={run_groups.TILED}", "--cse", folder,
                     CHANGES.get(name))


def open_batch(name, folder):
    return open_made(part("batch-launches.mlir", name), run_batches.PASSES, "--amp-erase-unused-kernels", folder)


def open_made(source, passes, rest, folder, change=None):
    path = os.path.join(folder, "function.mlir")
    with open(path, "w") as file:
        file.write(source)
    program = run_groups.Program(run(["amp-opt", path, passes]).stdout, rest, folder)
    random = np.random.default_rng(1)
    arguments = [run_groups.draw(random, shape, type) for _, shape, type in program.arguments]
    if change:
        change(*arguments)
    return Launches(program, [arguments])


def open_multi_tensor(name, folder):
    program = run_multi_tensor.Program(part("multi-tensor.mlir", name),
                                       "--convert-elementwise-to-multi-tensor-kernels", folder)
    return Launches(program, [])


def open_or_reduction(name, folder):
    program = run_or_reductions.Program(part("or-reductions.mlir", name),
                                        "--convert-or-reductions-to-multi-tensor-kernels", folder)
    arguments = [np.zeros(shape) for _, shape, _ in program.arguments]
    # The same lane of each warp, not the first, so that blocks, warps and lanes have something to tell.
    arguments[0].ravel()[5 * 8 :: 32 * 8] = np.nan
    return Launches(program, [arguments])


def open_sum(name, folder):
    """`NAME OLD=NEW`: with other extents."""
    name, *extents = name.split()
    source = part("sums.mlir", name)
    for old, new in (extent.split("=") for extent in extents):
        source = source.replace(old, new)
    program = run_sums.Program(source, "--convert-sums-to-multi-tensor-kernels", folder)
    random = np.random.default_rng(1)
    return Launches(program, [[run_sums.draw(random, shape, type, True) for _, shape, type in program.arguments]])


def open_loop(name, folder):
    file = "loops-updates.mlir" if name in ("rows", "many") else "loops-shared.mlir"
    program = run_loops.Program(part(file, name), "", folder)
    random = np.random.default_rng(1)
    return Loop(program, [[run_loops.draw(random, name, *argument, indices) for argument in program.arguments]
                          # Owners that meet, where an input is large.
                          for indices in (("twice",) if name in run_loops.EVERYWHERE else ("random",))])


FAMILIES = {"group": open_group, "tiled": open_tiled, "batch": open_batch, "multi-tensor": open_multi_tensor,
            "or-reduction": open_or_reduction, "sum": open_sum, "loop": open_loop, "attention": Attention,
            "product": Generated, "convolution": Convolution, "elements": Converted}


def judge(opened, whole, path, lines, place, kind):
    """What notices that the instruction of `kind` at `place` is missing."""
    pattern, replacement = KINDS[kind]
    operation = lines[place].strip()
    left = re.sub(pattern, replacement, operation)
    try:
        seen = opened.outcome(path, "\n".join([*lines[:place], left, *lines[place + 1 :]]))
    except Failure as failure:
        finding = next((found for each, found in FINDINGS if re.search(each, operation)), RACE)
        if re.search(finding, str(failure)):
            return "report"
        found = re.search(r"\d+ findings; replay", str(failure))
        return ("finding: " if found else "no run: ") + str(failure).strip()[-300:]
    return "same" if seen == whole else "wrong"


def differ(outcomes, expected):
    """Whether the outcomes are others than the last column of a row says."""
    text = expected.split(":")[0]
    if text == "broken":
        return any(re.match("same|no run", outcome) for outcome in outcomes)
    counts = re.findall(r"(\w+) (\d+)", text) or [(text, len(outcomes))]
    return sorted(outcomes) != sorted(each for each, count in counts for _ in range(int(count)))


def main():
    path, *words = sys.argv[1:]
    with open(path) as file:
        rows = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    rows = [[cell.strip() for cell in line.split("|")] for line in rows if not words or any(w in line for w in words)]
    wrong = 0

    def complain(text):
        nonlocal wrong
        wrong += 1
        print(f"  {text}")

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for family, name in dict.fromkeys((row[0], row[1]) for row in rows):
            opened = FAMILIES[family](name, tempfile.mkdtemp(dir=folder))
            modules = {}
            for path in opened.paths:
                with open(path) as file:
                    modules[path] = file.read().split("\n")
            orders = [(path, i) for path, lines in modules.items() for i, line in enumerate(lines)
                      if ORDERS.search(line)]
            mine = [row for row in rows if row[:2] == [family, name]]
            wholes = {}
            if orders:
                path, lines = next(iter(modules.items()))
                wholes = opened.outcome(path, "\n".join(lines))
                if isinstance(wholes, str) and wholes:
                    sys.exit(f"{family} | {name}: the whole kernel: {wholes}")
            for _, _, kind, count, expected in mine:
                pattern = re.compile(KINDS[kind][0]) if kind in KINDS else ORDERS
                places = [(path, i) for path, lines in modules.items() for i, line in enumerate(lines)
                          if pattern.search(line)]
                orders = [place for place in orders if kind == "launch" or place not in places]
                print(f"{family} | {name} | {kind} | {len(places)}")
                if len(places) != int(count):
                    complain(f"{len(places)} instead of {count}")
                outcomes = [] if kind not in KINDS else list(pool.map(
                    lambda at: judge(opened, wholes, at[0], modules[at[0]], at[1], kind), places))
                if differ(outcomes, expected):
                    complain(f"expected {expected}\n" + "\n".join(
                        f"    {outcome}: line {i + 1}: {modules[path][i].strip()}"
                        for (path, i), outcome in zip(places, outcomes)))
            for path, i in orders if not words else []:
                complain(f"in no row: line {i + 1}: {modules[path][i].strip()}")
    print(f"{len(rows)} rows, {wrong} wrong")
    sys.exit(bool(wrong) or not rows)


if __name__ == "__main__":
    main()
