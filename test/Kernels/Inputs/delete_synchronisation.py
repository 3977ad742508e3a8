"""Deletes each synchronisation of a generated kernel in turn; the emulator must report it.

    delete_synchronisation.py [--convolution] "OPTIONS" GRID SEEDS PATTERN...

OPTIONS are those of amp-generate-gemm, or of amp-generate-convolution, all of whose kernels
run. (Other families: break_synchronisation.py.) Each operation of the lowered kernel whose name begins with a PATTERN is
deleted, one in each run, and the kernel runs with GRID blocks under SEEDS schedules. A
deletion is caught by a finding of the emulator, at a line of the kernel, which says what
FINDINGS expects where an operation of that kind is missing. Nothing else counts: not a
wrong result that nobody reported, a finding of another kind, a module that is no longer
legal, a crash of the emulator, or a run that does not end. The whole kernel must give no
report.

One line for each deletion, and exit status 1 if one is not caught or none was made.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from emulate_kernels import emulator_options, run
from read_launches import read_kernels

# Seconds of one run, of which each takes a few at most.
LIMIT = 300

# What two threads, or a thread and a copy, do to one place in the wrong order.
RACE = r"race: |read of uninitialised "
# Nobody comes to a barrier any more, or nobody leaves it.
STUCK = r"deadlock: |livelock: "
# Which findings say that an operation is missing: the first pattern that it matches.
FINDINGS = [
    (r"nvvm\.fence\.proxy", r"written without a proxy fence since"),
    (r"nvvm\.fence\.mbarrier\.init", r"init has no fence|not ordered after the init"),
    (r"nvvm\.mbarrier\.init", r"mbarrier used before its init"),
    (r"nvvm\.mbarrier\.(arrive|try_wait|test_wait)", f"{RACE}|{STUCK}|more arrivals on an mbarrier|transaction count of an mbarrier"),
    (r"nvvm\.wgmma\.fence", r"without a wgmma\.fence"),
    (r"nvvm\.wgmma\.(commit|wait)", f"{RACE}|accumulator read before|wgmma that it has not waited for|wgmma without a wgmma\\.fence"),
    (r"nvvm\.cp\.async\.bulk\.", f"{RACE}|bulk store that it has not waited for"),
    (r"nvvm\.cp\.async\.(commit|wait)", f"{RACE}|cp\\.async is still writing|cp\\.async that it has not waited for"),
    (r"nvvm\.cluster\.", f"{RACE}|not ordered after the init|second cluster arrival|cluster wait without|has exited|may exit before|block exits while"),
    (r"nvvm\.(barrier|bar\.)", f"{RACE}|{STUCK}|mbarrier used before its init|not ordered after the init|written without a proxy fence since"),
]

REPORT = re.compile(r"^(?:.*: )?\S*kernel\.mlir:(\d+):\d+: error: (.*)$", re.MULTILINE)


def delete(lines, place):
    """The module without a line; those after keep their numbers."""
    return "\n".join(lines[:place] + [""] + lines[place + 1 :])


def judge(operation, lines, output):
    """How a run without `operation` ended, and the line that says so."""
    first = (output.strip().split("\n")[0].rpartition("/")[2]) if output else ""
    if not output:
        return "missed", ""
    reports = REPORT.findall(output)
    if not re.search(r"^amp-emu: error: \d+ findings; replay with", output, re.MULTILINE):
        return ("only wrong" if re.search(r"expected|differs", first) and not reports else "broken"), first
    expected = next(found for pattern, found in FINDINGS if re.search(pattern, operation))
    for number, message in reports:
        if re.search(expected, message) and lines[int(number) - 1].strip():
            return "caught", f"kernel.mlir:{number}: {message}"
    return "misjudged", first


def main():
    arguments = sys.argv[1:]
    family = arguments.pop(0)[2:] if arguments[0].startswith("--") else ""
    text, grid, seeds, *patterns = arguments
    generator = f"amp-generate-{family or 'gemm'}"
    made = run(["amp-opt", "-", f"--{generator}={text}", "--amp-kernels-to-nvvm"], input="module {}")
    if made.returncode:
        sys.exit(made.stderr)
    lines = made.stdout.split("\n")
    beginning = re.compile(rf"\s*(%\S+ = )?({'|'.join(patterns)})")
    places = [i for i, line in enumerate(lines) if beginning.match(line)]
    if family == "convolution":
        from verify_convolutions import Convolution, run_kernels

        problem = Convolution(f"{text} | integer {grid} 0 {seeds}")
    else:
        options = dict(option.split("=") for option in text.split())
        arguments = emulator_options(made.stdout, options, int(grid))

    with tempfile.TemporaryDirectory() as folder:

        def emulate(place):
            """What is wrong without line `place`, or an empty text."""
            own = os.path.join(folder, str(place))
            os.mkdir(own)
            path = os.path.join(own, "kernel.mlir")
            with open(path, "w") as file:
                file.write(made.stdout if place is None else delete(lines, place))
            if family:
                return run_kernels(problem, path, read_kernels(made.stdout), own, LIMIT)
            done = run(["amp-emu", path, f"--seeds={seeds}"] + arguments, timeout=LIMIT)
            if done.returncode not in (0, 1):
                return f"amp-emu ended with {done.returncode}\n{done.stderr}"
            return done.stderr + done.stdout if done.returncode else ""

        def check(place):
            try:
                output = emulate(place)
            except subprocess.TimeoutExpired:
                return "broken", f"did not end within {LIMIT} s"
            return output if place is None else judge(lines[place], lines, output)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            whole, *results = pool.map(check, [None] + places)
    if whole:
        sys.exit(f"the whole kernel: {whole}")
    for place, (result, report) in zip(places, results):
        print(f"{result}: line {place + 1}: {lines[place].strip()}\n  {report}")
    counts = {}
    for result, _ in results:
        counts[result] = counts.get(result, 0) + 1
    print(f"{len(places)} deletions: " + ", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    sys.exit(not places or counts != {"caught": len(places)})


if __name__ == "__main__":
    main()
