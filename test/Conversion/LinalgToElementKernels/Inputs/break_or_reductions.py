"""Takes what orders an or-reduction's kernels apart, one thing at a time; each must be noticed.

    break_or_reductions.py or-reductions.mlir

In the kernels of `halves`, for a NaN that lane 5 of a warp reads:

  the start's store goes: what the result's memory held before is ored in
  the start runs last: what was found is lost
  a warp does not exchange: what other lanes than its first have found is lost
  the atomic is a load, an or and a store: the emulator reports a race

The whole kernels give the right result and no report. One line for each, and exit status 1 if
one is not noticed.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_or_reductions import Failure, Program  # noqa: E402
from read_launches import read_kernels  # noqa: E402

ATOMIC = r"%\S+ = llvm\.atomicrmw _or (%\S+), (%\S+) monotonic : !llvm\.ptr<1>, i32"
APART = (r"%before = llvm.load \1 : !llvm.ptr<1> -> i32\n%after = llvm.or %before, \2 : i32\n"
         r"llvm.store %after, \1 : i32, !llvm.ptr<1>")
# What is done: pattern, what takes its place, and what has to come of it: a report, or a wrong result.
BREAKS = {
    "nothing": (None, None, "1"),
    "no start": (r"llvm\.store %\S+, %arg0 .*", "", "-1"),
    "start last": (r"order = 0", "order = 2", "0"),
    "no exchange": (r"nvvm\.redux\.sync +or (%\S+), %\S+ : i32 -> i32", r"llvm.or \1, \1 : i32", "0"),
    "no atomic": (ATOMIC, APART, r"race: "),
}


def run(program, kernel, text):
    path, _ = program.modules[kernel]
    with open(path, "w") as file:
        file.write(text)
    program.modules[kernel] = path, read_kernels(text)
    arguments = [np.zeros(shape) for _, shape, _ in program.arguments]
    # The same place of each warp of the first chunk, so that blocks and warps have something to tell.
    arguments[0].ravel()[5 * 8 :: 32 * 8] = np.nan
    return str(int(program.run(arguments)))


def main():
    with open(sys.argv[1]) as file:
        source = next(part for part in file.read().split("// -----") if "func.func @halves" in part)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(source, "--convert-or-reductions-to-multi-tensor-kernels", folder)
        (kernel, (path, _)), = program.modules.items()
        with open(path) as file:
            whole = file.read()
        for name, (pattern, replacement, expected) in BREAKS.items():
            text, count = re.subn(pattern, replacement, whole) if pattern else (whole, 1)
            try:
                seen = run(program, kernel, text)
                noticed = seen == expected
            except Failure as failure:
                seen = next((line for line in str(failure).splitlines() if re.search(expected, line)), str(failure))
                noticed = bool(re.search(expected, seen)) and not re.fullmatch(r"-?\d+", expected)
            noticed &= count == 1
            failures += not noticed
            print(f"{'noticed' if noticed else 'missed'}: {name}: {count} places, {seen.rpartition('/')[2]}")
    print(f"{failures} missed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
