"""Takes the start of an or-reduction away, or runs it last; both must be noticed.

    break_or_reductions.py or-reductions.mlir

In the kernels of `halves`, for a NaN that lane 5 of a warp reads:

  the start's store goes: what the result's memory held before is ored in
  the start runs last: what was found is lost

What orders threads inside of a kernel is in test/Kernels/Inputs/synchronisation.txt. The whole kernels
give the right result. One line for each, and exit status 1 if
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

# What is done: pattern, what takes its place, and the result that has to come of it.
BREAKS = {
    "nothing": (None, None, "1"),
    "no start": (r"llvm\.store %\S+, %arg0 .*", "", "-1"),
    "start last": (r"order = 0", "order = 2", "0"),
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
            except Failure as failure:
                seen = str(failure)
            noticed = seen == expected and count == 1
            failures += not noticed
            print(f"{'noticed' if noticed else 'missed'}: {name}: {count} places, {seen.rpartition('/')[2]}")
    print(f"{failures} missed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
