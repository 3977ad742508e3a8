"""Static checks of one kernel for many tensors: ptxas's report, and SASS.

    check_multi_tensor.py multi-tensor.mlir CHIP

For the update of the file, whose text says what it reads and writes:

  no spills, no stack, no local memory: the table of addresses stays where the launch
  left it, in constant memory; registers for at least two blocks of 256 threads
  of eight elements, 128-bit accesses: g and h, f16, by one each, p, f32, by two; as many
  for the results; and element by element for a tensor's end
  h, which a skipped step alone reads, behind a predicate or a branch; nothing waits

Exit status 1, and a line for each thing that is wrong.
"""

import re
import sys

from compiled_kernels import compile_function


def main():
    path, chip = sys.argv[1:]
    wrong = []

    def expect(what, seen, wanted):
        print(f"{what}: {seen}")
        if not wanted(seen):
            wrong.append(what)

    with open(path) as file:
        source = file.read()
    conversion = "--convert-elementwise-to-multi-tensor-kernels=chip=" + chip
    ptx, report, sass = compile_function(source, "update", conversion, chip)

    registers = int(re.search(r"Used (\d+) registers", report)[1])
    expect("registers", registers, lambda seen: seen <= 65536 // (2 * 256))
    for what in ("bytes stack frame", "bytes spill stores", "bytes spill loads"):
        expect(what, int(re.search(rf"(\d+) {what}", report)[1]), lambda seen: seen == 0)
    expect("bytes of parameters", int(re.search(r"_param_2\[(\d+)\]", ptx)[1]), lambda seen: seen == 10 * 8)

    def count(pattern):
        return len(re.findall(pattern, sass))

    # Without the barriers' and constants' suffixes, which chips differ in.
    expect("128-bit loads", count(r"\bLDG\.E\.128\b"), lambda seen: seen == 4)
    expect("128-bit stores", count(r"\bSTG\.E\.128\b"), lambda seen: seen == 3)
    expect("other loads of elements", count(r"\bLDG\.E(?:\.U16)?\b(?!\.)"), lambda seen: seen >= 3)
    expect("addresses from constant memory", count(r"\bLDC\.64\b"), lambda seen: seen >= 5)
    expect("local memory", count(r"\b(?:LDL|STL)\b"), lambda seen: seen == 0)
    expect("barriers", count(r"\bBAR\b"), lambda seen: seen == 0)
    for what in wrong:
        print("wrong: " + what)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
