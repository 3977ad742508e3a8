"""Static checks of generated depthwise convolutions: ptxas's report, their SASS.

    check_depthwise.py TABLE [WORD...]

Each line of TABLE is the options of one convolution, as amp-generate-convolution takes
them; WORDs select lines that contain one of them. What the code must contain is computed
from the options:

  no spills, no stack, no local memory, the registers of the blocks that shall run at a
  time within the file
  where channels allow, all images are read and written 16 bytes at a time: each pixel
  that a strip meets is one load for a row of the filter, each pixel of the result one
  store for 16 bytes
  one multiplication for each column of a strip, tap and channel

One line for each convolution, with what is wrong, and exit status 1 if anything is.
"""

import re

import check_kernels
from verify_convolutions import Convolution

BYTES = {"f16": 2, "bf16": 2, "f32": 4}
STRIP = 4
PIECE = 5  # taps of a row at a time
TAPS = 9  # of a thread in a weight gradient


class Kernel(Convolution):
    generator = "amp-generate-convolution"

    def __init__(self, line):
        super().__init__(line)
        given = dict(word.split("=") for word in self.options.split())
        self.line, self.chip = self.options, given.get("chip", "sm_90a")
        gradient = self.kind == "weight-gradient"
        self.kernels = 2 if gradient else 1
        self.threads = 256
        self.blocks = 1 if gradient else 2
        self.vector = 16 // BYTES[self.a]
        self.wide = self.c == self.k and self.c % self.vector == 0
        self.instruction = "FFMA"

    def barriers(self):
        return 1

    def meetings(self, taps, columns=STRIP):
        """Pairs of a column of a strip and a tap, by the pixel in which they meet."""
        found = {}
        for column in range(columns):
            for tap in range(taps):
                if self.kind != "data-gradient":
                    place, rest = column * self.stride[1] + tap * self.dilation[1], 0
                else:
                    place, rest = divmod(column - tap * self.dilation[1], self.stride[1])
                if rest == 0:
                    found.setdefault(place, []).append((column, tap))
        return found

    def counts(self):
        """Loads and stores of 16 bytes, and multiplications. All rows of a filter are
        one piece of code, but not those of a weight gradient."""
        if self.kind == "weight-gradient":
            return self.gradient_counts()
        piece = PIECE
        if self.kind == "data-gradient":
            piece = max(PIECE // self.stride[1], 1) * self.stride[1]
        # A loop over whole pieces of a row, and what is left.
        pieces = [self.s] if self.s <= piece else [piece] + [self.s % piece] * (self.s % piece > 0)
        loads = products = 0
        for taps in pieces:
            found = self.meetings(taps)
            loads += len(found)
            products += sum(map(len, found.values())) * self.vector
        return loads, STRIP * max(self.vector * BYTES[self.d] // 16, 1), products

    def gradient_counts(self):
        columns = min(self.s, TAPS)
        rows = min(max(TAPS // columns, 1), self.r)
        loads = products = 0
        # Whole strips, and columns one by one where a row ends within a strip.
        for width in [STRIP] * (self.q >= STRIP) + [1] * (self.q % STRIP > 0):
            found = self.meetings(columns, width)
            loads += width + rows * len(found)
            products += rows * sum(map(len, found.values())) * self.vector
        return loads, 0, products


class Checker(check_kernels.Checker):
    def check_ptx(self, ptx):
        pass  # the registers of its types hide the widths; the SASS has them

    def check_sass(self, lines):
        def count(pattern):
            return sum(bool(re.search(pattern, line)) for line in lines)

        kernel = self.kernel
        self.check(count(r"\b(STL|LDL)\b") == 0, "local memory")
        if not kernel.wide:
            return
        loads, stores, products = kernel.counts()
        for pattern, expected in {r"\bLDG\.E\S*\.128\b": loads, r"\bSTG\.E\S*\.128\b": stores, r"\bFFMA\b": products}.items():
            seen = count(pattern)
            # A loop that runs a known number of times may be unrolled.
            unrolled = range(1, kernel.r + 1) if pattern != r"\bSTG\.E\S*\.128\b" else (1,)
            self.check(
                seen in [expected * times for times in unrolled], f"expected {expected} of {pattern}, but got {seen}"
            )
        # Filters are read element by element, eight at a time, and the operands of an
        # epilogue in pairs.
        others = count(r"\bLDG\b") - count(r"\bLDG\.E\S*\.128\b")
        self.check(others <= 8 or kernel.epilogue, f"{others} narrow loads")


if __name__ == "__main__":
    check_kernels.main(Kernel, Checker)
