"""Deletes each synchronisation of a generated kernel in turn; the emulator must report it.

    delete_synchronisation.py [--convolution] "OPTIONS" GRID SEEDS PATTERN...

OPTIONS are those of amp-generate-gemm, or of amp-generate-convolution, all of whose
kernels run. Each operation of the lowered kernel that a PATTERN matches is deleted, one in
each run, and the kernel runs with GRID blocks under SEEDS schedules: a race, a missing
wait or a wrong result must be found in one of them. The whole kernel must give no report.

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
    generator = "amp-generate-convolution" if convolution else "amp-generate-gemm"
    made = run(["amp-opt", "-", f"--{generator}={text}", "--amp-kernels-to-nvvm"], input="module {}")
    if made.returncode:
        sys.exit(made.stderr)
    lines = made.stdout.split("\n")
    places = [i for i, line in enumerate(lines) if any(re.search(pattern, line) for pattern in patterns)]
    if convolution:
        from kernel_launch import read_kernels
        from verify_convolutions import Convolution, run_kernels

        kernels = read_kernels(made.stdout)
    else:
        options = dict(option.split("=") for option in text.split())
        arguments = emulator_options(made.stdout, options, int(grid))

    with tempfile.TemporaryDirectory() as folder:

        def check(place):
            """What is wrong without line `place`, or an empty text."""
            own = os.path.join(folder, str(place))
            os.mkdir(own)
            path = os.path.join(own, "kernel.mlir")
            with open(path, "w") as file:
                # An empty line, so that those after keep their numbers.
                file.write("\n".join("" if i == place else line for i, line in enumerate(lines)))
            if convolution:
                return run_kernels(Convolution(f"{text} | integer {grid} 0 {seeds}"), path, kernels, own)
            done = run(["amp-emu", path, f"--seeds={seeds}"] + arguments)
            return done.stderr + done.stdout if done.returncode else ""

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            whole, *results = pool.map(check, [None] + places)
    if whole:
        sys.exit("the whole kernel: " + whole)
    missed = sum(not result for result in results)
    for place, result in zip(places, results):
        report = result.strip().split("\n")[0].rpartition("/")[2]
        print(f"{'caught' if result else 'missed'}: line {place + 1}: {lines[place].strip()}\n  {report}")
    print(f"{len(places)} deletions, {missed} missed")
    sys.exit(bool(missed) or not places)


if __name__ == "__main__":
    main()
