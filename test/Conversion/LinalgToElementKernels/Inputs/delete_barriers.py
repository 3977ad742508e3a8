"""Deletes each barrier of kernels of fusion groups in turn; the emulator must report a race.

    delete_barriers.py groups.mlir NAME=COUNT...

A function NAME has kernels with COUNT barriers in all. Each is deleted, one in each run, and
the function runs under several schedules. Nothing but a race, or a read of what nobody has
written, counts. The whole kernel gives no report (run_groups.py).

One line for each deletion, and exit status 1 if one is not caught or a count differs.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_groups import WRITTEN, Failure, Program, draw, run  # noqa: E402

FOUND = re.compile(r"race: |read of uninitialised ")
# Blocks and seeds: one block has several tiles.
SCHEDULES = (1, 0), (1, 5), (2, 1), (1, 9)


def is_caught(program, arguments):
    for program.blocks, program.seed in SCHEDULES:
        try:
            program.run(arguments)
        except Failure as failure:
            return bool(FOUND.search(str(failure)))
    return False


def check(source, count):
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "function.mlir")
        with open(path, "w") as file:
            file.write(source)
        program = Program(run(["amp-opt", path, f"--pass-pipeline={WRITTEN}"]).stdout, "--cse", folder)
        arguments = [draw(random, shape, type) for _, shape, type in program.arguments]
        results = []
        for kernel, _ in program.modules.values():
            with open(kernel) as file:
                lines = file.readlines()
            for place, line in enumerate(lines):
                if "nvvm.barrier" not in line:
                    continue
                with open(kernel, "w") as file:
                    file.writelines([*lines[:place], "\n", *lines[place + 1 :]])
                results.append(is_caught(program, arguments))
            with open(kernel, "w") as file:
                file.writelines(lines)
    return results


def main():
    with open(sys.argv[1]) as file:
        parts = {re.search(r"^func\.func @(\w+)", part, re.M)[1]: part for part in file.read().split("// -----")}
    wrong = 0
    for argument in sys.argv[2:]:
        name, count = argument.split("=")
        results = check(parts[name], count)
        for number, caught in enumerate(results):
            print(f"{'caught' if caught else 'missed'}: {name}: barrier {number}")
        if len(results) != int(count):
            print(f"{name}: {len(results)} barriers instead of {count}")
        wrong += len(results) != int(count) or not all(results)
    print(f"{len(sys.argv) - 2} functions, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
