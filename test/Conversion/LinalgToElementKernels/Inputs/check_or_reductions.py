"""Static checks of checks of many tensors as one kernel: ptxas's report, and SASS.

    check_or_reductions.py or-reductions.mlir CHIP

For `halves` of the file, f16, and `types`, of four computations:

  no spills, no stack, no local memory: the table of addresses stays where the launch
  left it, in constant memory; at most 32 registers, so that all 2048 threads of a
  multiprocessor run
  128-bit loads: of each computation two of a whole chunk, which follow one another, and one or more
  of a broken chunk; and element by element for a tensor's end
  an exchange in a warp, one atomic, and nothing that waits for another warp
  at most 6 instructions an element of f16 where a chunk is whole: memory is slower

Exit status 1, and a line for each thing that is wrong.
"""

import re
import sys

from compiled_kernels import compile_function, instructions

#: Computations of each function, and the bytes of its table of addresses.
FUNCTIONS = {"halves": (1, 4 * 8), "types": (4, 5 * 8)}


def compile_check(source, name, chip):
    """PTX, ptxas's report of the kernel that checks, and its instructions."""
    ptx, report, sass = compile_function(source, name, "--convert-or-reductions-to-multi-tensor-kernels", chip)
    report = re.search(r"entry function 'or_reduction_0' .*?Used \d+ registers", report, re.S)[0]
    return ptx, report, instructions(sass, "or_reduction_0")


def check(name, source, chip):
    computations, table = FUNCTIONS[name]
    ptx, report, sass = compile_check(source, name, chip)
    wrong = []

    def expect(what, seen, wanted):
        print(f"{name}: {what}: {seen}")
        if not wanted(seen):
            wrong.append(f"{name}: {what}")

    def count(pattern):
        return sum(bool(re.search(pattern, line)) for line in sass)

    expect("registers", int(re.search(r"Used (\d+) registers", report)[1]), lambda seen: seen <= 65536 // 2048)
    for what in ("bytes stack frame", "bytes spill stores", "bytes spill loads"):
        expect(what, int(re.search(rf"(\d+) {what}", report)[1]), lambda seen: seen == 0)
    expect("bytes of the table", int(re.search(r"or_reduction_0_param_1\[(\d+)\]", ptx)[1]),
           lambda seen: seen == table)
    # Without the barriers' and constants' suffixes, which chips differ in.
    wide = [place for place, line in enumerate(sass) if re.search(r"\bLDG\.E\.128\b", line)]
    expect("128-bit loads", len(wide), lambda seen: seen >= 3 * computations)
    expect("of which follow one another", sum(b - a <= 8 for a, b in zip(wide, wide[1:])),
           lambda seen: seen >= computations)
    expect("loads of an element", count(r"\bLDG\.E(?:\.U16)?\b(?!\.)"), lambda seen: seen >= computations)
    expect("addresses from constant memory", count(r"\bLDC\.64\b|c\[0x0\]\[R\d+"), lambda seen: seen >= 1)
    # ptxas adds one of its own for the lanes that reach an atomic.
    expect("exchanges", count(r"\bREDUX\.OR\b"), lambda seen: 1 <= seen <= 2)
    expect("atomics", count(r"\b(?:RED|REDG|ATOMG?)\.E\.OR\b"), lambda seen: seen == 1)
    expect("local memory", count(r"\b(?:LDL|STL)\b"), lambda seen: seen == 0)
    expect("barriers", count(r"\bBAR\b"), lambda seen: seen == 0)
    if computations == 1:
        first = wide[next(i for i, (a, b) in enumerate(zip(wide, wide[1:])) if b - a <= 8) + 1]
        end = next(place for place in range(first, len(sass)) if "BRA" in sass[place])
        expect("instructions for 16 elements", end - first, lambda seen: seen <= 6 * 16)
    return wrong


def main():
    path, chip = sys.argv[1:]
    with open(path) as file:
        source = file.read()
    wrong = [what for name in FUNCTIONS for what in check(name, source, chip)]
    for what in wrong:
        print("wrong: " + what)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
