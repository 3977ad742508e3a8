"""Static checks of generated convolutions by TMA: their PTX, ptxas's report, their SASS.

    check_im2col.py LEVEL TABLE [WORD...]

As check_kernels.py, whose checks these are, for options of amp-generate-convolution. The
copies of a stage are computed from the kind and the tile: an operand that is gathered with
K innermost is one copy, one with M or N innermost, of 16 bits, a copy for each 64 of it. Each gathers
pixels (im2col) or takes a box of filters or of a matrix.
"""

import re

import check_kernels


class Kernel:
    """The options of one line, with the pass's defaults."""

    chip = "sm_90a"
    generator = "amp-generate-convolution"
    instruction, tensor_core = "HGMMA", "HGMMA"
    cluster, aligned, eight = 1, True, False

    def __init__(self, line):
        given = dict(word.split("=") for word in line.split())
        self.line = line
        self.rows, self.columns = map(int, given.get("tile", "128x128").split("x")[:2])
        self.kind = given.get("kind", "forward")
        self.split = int(given.get("split-k", 1))
        self.kernels = 1 + (self.split > 1)
        self.type = given.get("a-type", "bf16")
        self.k = 8 if self.type == "tf32" else 16
        self.consumers = self.rows // 64
        self.threads = 128 * (self.consumers + 1)
        self.blocks = check_kernels.resident_blocks(self.rows, self.columns, self.chip)
        channels, groups = int(given["channels"]), int(given.get("groups", 1))
        strided = self.kind == "data-gradient" and given.get("stride", "1x1") != "1x1"
        rest = self.kind == "weight-gradient" and channels // groups % 64
        self.wide = given.get("d-type", "bf16") == "f32" or self.split > 1
        # Pixels of a class, and columns with gaps, are stored by threads.
        self.tma_stores = self.split > 1 or not (strided or rest)

    barriers = check_kernels.Kernel.barriers

    def copies(self):
        """Of a stage: those that gather pixels, and boxes."""
        if self.kind == "forward":
            return 1, 1
        if self.kind == "data-gradient":
            return 1, self.columns // 64
        return self.columns // 64, self.rows // 64

    def ptx_counts(self):
        gathers, boxes = self.copies()
        store_columns = 32 if self.wide else 64
        return {
            r"cp\.async\.bulk\.tensor\.4d\.shared::cluster\.global\.im2col": gathers,
            r"cp\.async\.bulk\.tensor\.\dd\.shared::cluster\.global": gathers + boxes,
            r"cp\.async\.bulk\.tensor\.\dd\.global\.shared::cta": self.columns // store_columns * self.tma_stores,
            r"stmatrix": self.columns // 16 * (self.tma_stores and not self.wide),
            r"setmaxnreg": 2,
        }, rf"wgmma\.mma_async\.sync\.aligned\.m64n{self.columns}k{self.k}\.f32\.{self.type}\.{self.type}"


class Checker(check_kernels.Checker):
    def check_copies(self, text, gather, copy):
        gathers, boxes = self.kernel.copies()
        seen = len(re.findall(gather, text)), len(re.findall(copy, text))
        expected = gathers, gathers + boxes
        self.check(seen == expected, f"expected {expected} of '{gather}' and '{copy}', but got {seen}")

    def check_sass(self, lines):
        super().check_sass(lines)
        self.check_copies("\n".join(lines), r"UTMALDG\.4D\.IM2COL", r"UTMALDG")


if __name__ == "__main__":
    check_kernels.main(Kernel, Checker)
