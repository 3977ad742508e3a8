"""Static checks of sums of many tensors as one launch: ptxas's report, and SASS.

    check_sums.py sums.mlir CHIP

For the kernel of `norms` that reads the tensors, f16: no spills, no stack, no local memory; registers for
exchange of five steps in a warp, two barriers, no atomic. The kernel that adds up chunks: an exchange of
five steps, no barrier, no atomic.

Exit status 1, and a line for each thing that is wrong.
"""

import re
import sys

from compiled_kernels import compile_function, instructions


def main():
    path, chip = sys.argv[1:]
    with open(path) as file:
        source = file.read()
    _, report, sass = compile_function(source, "norms", "--convert-sums-to-multi-tensor-kernels", chip)
    wrong = []

    def expect(what, seen, wanted):
        print(f"{what}: {seen}")
        if not wanted(seen):
            wrong.append(what)

    for kernel, barriers in (("tensor_sum_0_parts", 2), ("tensor_sum_0", 0)):
        text = re.search(rf"entry function '{kernel}' .*?Used \d+ registers", report, re.S)[0]
        lines = instructions(sass, kernel)

        def places(pattern):
            return [place for place, line in enumerate(lines) if re.search(pattern, line)]

        expect(f"{kernel}: registers", int(re.search(r"Used (\d+) registers", text)[1]), lambda seen: seen <= 64)
        for what in ("bytes stack frame", "bytes spill stores", "bytes spill loads"):
            expect(f"{kernel}: {what}", int(re.search(rf"(\d+) {what}", text)[1]), lambda seen: seen == 0)
        expect(f"{kernel}: exchanges", len(places(r"\bSHFL\.BFLY\b")), lambda seen: seen == 5)
        expect(f"{kernel}: barriers", len(places(r"\bBAR\.SYNC")), lambda seen: seen == barriers)
        expect(f"{kernel}: atomics", len(places(r"\b(?:RED|REDG|ATOMG?)\.")), lambda seen: seen == 0)
        if barriers:
            wide = places(r"\bLDG\.E\.128\b")
            nearest = min((wide[i + 7] - wide[i] for i in range(len(wide) - 7)), default=10**6)
            expect(f"{kernel}: 128-bit loads", len(wide), lambda seen: seen >= 9)
            expect(f"{kernel}: instructions over which eight loads stand", nearest, lambda seen: seen <= 64)
    for what in wrong:
        print("wrong: " + what)
    sys.exit(bool(wrong))


main()
