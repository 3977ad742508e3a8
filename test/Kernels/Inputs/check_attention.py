"""Static checks of generated attentions: ptxas's report, their SASS.

    check_attention.py LEVEL TABLE [WORD...]

Each line of TABLE is the options of one problem, as amp-generate-attention takes them,
with `chip` for the chip that it is compiled for; WORDs select lines that contain one of
them. What the code must contain is computed from the options:

  no spills, no stack, no local memory; registers and shared memory of the blocks that
  shall run at a time within what a multiprocessor has
  Tensor Core products of all four, or of a backward pass eight, of a tile's sums, once in
  the loop and once for the tile at its edge, where that is a whole tile; exponentials
  in proportion
  rows by asynchronous copies and by stores of 16 bytes; no other loads but those of the
  numbers of rows and of a mask

One line for each problem, with what is wrong, and exit status 1 if anything is.
"""

import re

import check_kernels

# Steps of 16 of a tile's 64 rows, and what a lane has of the sums of one: 16 x 16.
STEPS, SUMS = 4, 8


class Kernel:
    generator = "amp-generate-attention"

    def __init__(self, line):
        given = dict(word.split("=") for word in line.split())
        self.chip = given.pop("chip", "sm_90a")
        self.line = " ".join(f"{name}={value}" for name, value in given.items())
        self.backward = given.get("kind") == "backward"
        self.kernels = 2 if self.backward else 1
        self.depth = int(given.get("depth", 64))
        self.tail = int(given["columns"]) % 64
        self.mask = given.get("mask", "none")
        self.causal = self.mask == "causal"
        self.reads_mask = self.mask not in ("none", "causal")

    def tiles(self):
        """For each kernel: how often a tile's code is there, products along depth or rows
        for each step of one, exponentials of a step, others of a tile."""
        edges = 2 if self.causal else 1
        if not self.backward:
            return [(2, 2, SUMS, 2)]
        return [(2, 3, SUMS, 0), (edges, 4, SUMS, 0)]

    def blocks(self):
        if self.backward:
            return [1 if self.depth > 64 else 2] * 2
        return [2 if self.depth > 64 else 3]


class Checker(check_kernels.Checker):
    def check_ptx(self, ptx):
        pass  # what it says of products and copies, the SASS says too

    def read_code(self, cubin):
        self.codes = check_kernels.kernel_codes(cubin)
        # Queries come first, as in Kernel.
        names = sorted(self.codes, reverse=True)
        self.ends = [len(self.codes[name]) // 16 for name in names]
        return b"".join(self.codes[name] for name in names)

    def check_resources(self, report):
        kernels = sorted(report.split("Compiling entry function")[1:], reverse=True)
        self.check(len(kernels) == self.kernel.kernels, f"{len(kernels)} kernels instead of {self.kernel.kernels}")
        found = []
        for text, wanted in zip(kernels, self.kernel.blocks()):
            name = re.search(r"'(\w+)'", text).group(1)
            sizes = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text)
            self.check(set(sizes.groups()) == {"0"}, f"{name}: stack and spills: " + ", ".join(sizes.groups()))
            found.append(int(re.search(r"Used (\d+) registers", text).group(1)))
            threads, blocks = self.bounds[name]
            self.check((threads, blocks) == (128, wanted), f"{name}: {blocks} blocks of {threads} threads")
            self.check_occupancy(name, text, found[-1], threads, blocks)
            self.check("used 1 barriers" in text, f"{name}: more than one barrier")
        self.registers = ", ".join(map(str, found))

    def check_sass(self, lines):
        first = 0
        for count, tile in zip(self.ends, self.kernel.tiles()):
            self.check_kernel(lines[first : first + count], *tile)
            first += count

    def check_kernel(self, lines, copies, products, exponentials, others):
        def count(pattern):
            return sum(bool(re.search(pattern, line)) for line in lines)

        kernel = self.kernel
        self.check(count(r"\b(STL|LDL)\b") == 0, "local memory")
        depth_steps = kernel.depth // 16
        # The steps of a tile are unrolled, but of a backward pass with long rows perhaps not.
        steps = (STEPS, 1) if kernel.backward and kernel.depth > 64 else (STEPS,)
        seen = (count(r"\bHMMA\.16816\.F32"), count(r"MUFU\.EX2"))
        expected = [
            (copies * some * products * 2 * depth_steps, copies * (some * exponentials + others)) for some in steps
        ]
        if kernel.tail and copies > 1:
            # ptxas leaves out what it finds to be of keys that are not there.
            least = [x // copies for x in expected[0]]
            right = seen in expected or all(low < x <= most for low, x, most in zip(least, seen, expected[0]))
        else:
            right = seen in expected
        self.check(right, f"expected {expected} products and exponentials, but got {seen}")
        self.check(count(r"\bHMMA\b") == seen[0], "products of another shape")
        copied = count(r"LDGSTS\.E\.BYPASS\.\S*128")
        self.check(copied and copied == count(r"\bLDGSTS\b"), "narrow copies")
        self.check(count(r"STG\.E\S*\.128") > 0, "no stores of 16 bytes")
        if not kernel.reads_mask:
            self.check(count(r"\bLDG\b") <= (4 * 3 if kernel.backward else 0), f"{count('LDG')} loads")
        self.check(count(r"\b(ATOM|ATOMG|RED)\b") == 0, "atomics")


if __name__ == "__main__":
    check_kernels.main(Kernel, Checker)
