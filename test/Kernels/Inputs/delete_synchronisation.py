"""Deletes each synchronisation of a generated kernel in turn; the emulator must report it.

    delete_synchronisation.py [--convolution] "OPTIONS" GRID SEEDS PATTERN...

OPTIONS are those of amp-generate-gemm, or of amp-generate-convolution with a result of
f32. Each operation of the lowered kernel that a
PATTERN matches is deleted, one in each run, and the kernel runs with GRID blocks under
SEEDS schedules: a race, a missing wait or a wrong result must be found in one of them.
The whole kernel must give no report.

One line for each deletion, and exit status 1 if one is not reported.
"""

import concurrent.futures
import os
import re
import sys
import tempfile

from emulate_kernels import emulator_options, run


def main():
    arguments = sys.argv[1:]
    convolution = arguments[:1] == ["--convolution"]
    text, grid, seeds, *patterns = arguments[convolution:]
    grid = int(grid)
    generator = "amp-generate-convolution" if convolution else "amp-generate-gemm"
    made = run(["amp-opt", "-", f"--{generator}={text}", "--amp-kernels-to-nvvm"], input="module {}")
    if made.returncode:
        sys.exit(made.stderr)
    lines = made.stdout.split("\n")
    places = [i for i, line in enumerate(lines) if any(re.search(pattern, line) for pattern in patterns)]

    with tempfile.TemporaryDirectory() as folder:
        if convolution:
            from verify_convolutions import convolution_options

            arguments = convolution_options(made.stdout, text, grid, folder)
        else:
            options = dict(option.split("=") for option in text.split())
            arguments = emulator_options(made.stdout, options, grid)

        def check(place):
            path = os.path.join(folder, f"{place}.mlir")
            with open(path, "w") as file:
                # An empty line, so that those after keep their numbers.
                file.write("\n".join("" if i == place else line for i, line in enumerate(lines)))
            return run(["amp-emu", path, f"--seeds={seeds}"] + arguments)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            whole, *results = pool.map(check, [None] + places)
    if whole.returncode:
        sys.exit("the whole kernel: " + whole.stdout + whole.stderr)
    missed = 0
    for place, result in zip(places, results):
        missed += result.returncode == 0
        report = (result.stderr + result.stdout).strip().split("\n")[0].rpartition("/")[2]
        print(f"{'missed' if result.returncode == 0 else 'caught'}: line {place + 1}: {lines[place].strip()}\n  {report}")
    print(f"{len(places)} deletions, {missed} missed")
    sys.exit(bool(missed) or not places)


if __name__ == "__main__":
    main()
