"""Static checks of generated GEMMs with mma.sync: their PTX, ptxas's report, their SASS.

    check_sm80_kernels.py LEVEL TABLE [WORD...]

As check_kernels.py, whose report and resource checks these are:

  ptx     mma.sync, ldmatrix, asynchronous copies: exact counts
  ptxas   also: no spills, no stack, one barrier; registers, threads and shared memory of
          the blocks that shall run at a time within what a multiprocessor has
  sass    also: Tensor Core instructions and matrix loads as computed from the tile,
          copies past the L1 cache, no local memory; in the main loop one wait, which
          leaves groups in flight, one barrier, no floating-point arithmetic; results of
          16 bits stored 16 bytes at a time
"""

import re

import check_kernels

STAGE_DEPTH = 64
STEPS = STAGE_DEPTH // 16


class Kernel:
    """The options of one line, with the pass's defaults."""

    generator = "amp-generate-gemm"

    def __init__(self, line):
        given = dict(word.split("=") for word in line.split())
        self.line = line
        self.chip = given["chip"]
        self.rows, self.columns = map(int, given.get("tile", "128x128").split("x")[:2])
        self.layout = given.get("layout", "nn")
        self.type = given.get("a-type", "bf16")
        self.split = int(given.get("split-k", 1))
        self.sums = given.get("epilogue") == "gradient"
        self.kernels = 1 + (self.split > 1) + self.sums + ("groups" in given)
        self.plain = self.type == "f32"
        self.depth = 8 if self.type == "tf32" else 16  # of K in one instruction
        # ldmatrix does not transpose 32 bits: then both operands are loaded by lanes.
        self.words = self.type == "tf32" and self.layout != "nt"
        self.instruction = "FFMA" if self.plain else "HMMA"
        self.aligned = all(int(given[name]) % 8 == 0 for name in "mnk")
        stage = (self.rows + self.columns) * 128
        self.blocks = check_kernels.resident_blocks(self.rows, self.columns, self.chip)
        share = check_kernels.SHARED[self.chip] // self.blocks - check_kernels.SYSTEM_SHARED
        fitting = share // stage
        self.stages = int(given.get("stages", min(fitting, 8)))
        warps = 2 * (self.columns // 32)
        self.threads = 32 * warps
        # Of one warp, in one stage.
        self.products = (self.rows // 2 // 16) * (32 // 8) * STEPS
        self.loads = {"A": self.rows // 2 // 16 * STEPS, "B": 32 // 16 * STEPS}
        # Of one thread, in one stage.
        self.copies = (self.rows + self.columns) * 8 // self.threads * self.aligned
        # Results of 16 bits leave in chunks of 16 bytes: two for 16 rows of a warp.
        staged = self.aligned and not self.plain and self.split == 1 and given.get("d-type", "bf16") != "f32"
        self.chunks = 2 * (self.rows // 2 // 16) * staged
        # A second matrix leaves in pairs.
        self.pairs = self.rows * self.columns // self.threads // 2 * (given.get("epilogue") == "kept")

    def barriers(self):
        return 1

    def word_loads(self):
        """In one stage, of 32 bits a lane, where there are no matrix loads."""
        return 4 * sum(self.loads.values()) * self.words

    def matrix_loads(self, transposed):
        """In one stage, of operands that are stored with K innermost, or not."""
        if self.words:
            return 0
        a, b = self.layout[0] == "t", self.layout[1] == "n"
        return self.loads["A"] * (a == transposed) + self.loads["B"] * (b == transposed)


class Checker(check_kernels.Checker):
    def check_ptx(self, ptx):
        main = check_kernels.main_entry(ptx)
        kernel, before = self.kernel, self.kernel.stages - 1
        if kernel.plain:
            # Eight rows by eight columns, four of K in each turn of a loop.
            products = {r"fma\.rn\.f32": 8 * 8 * 4, r"mma\.sync": 0}
        else:
            products = self.tensor_core_counts()
        for pattern, count in {
            **products,
            r"cp\.async\.cg\.shared\.global .*, 16, ": kernel.copies * (before + 1),
            r"cp\.async\.ca": 0,
            r"cp\.async\.commit_group": before + 1,
            rf"cp\.async\.wait_group\s+{before - 1};": 1 if kernel.plain else 2,
            r"cp\.async\.wait_group\s+0;": 1,
            r"cp\.async\.wait_all": 0,
        }.items():
            seen = len(re.findall(pattern, main))
            self.check(seen == count, f"expected {count} of '{pattern}' in the PTX, but got {seen}")

    def tensor_core_counts(self):
        kernel = self.kernel
        # The operands of one step are loaded before the loop.
        return {
            rf"mma\.sync\.aligned\.m16n8k{kernel.depth}\.row\.col\.f32\.{kernel.type}\.{kernel.type}\.f32": kernel.products,
            r"ldmatrix\.sync\.aligned\.m8n8\.x4\.shared": kernel.matrix_loads(False) * (STEPS + 1) // STEPS,
            r"ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared": kernel.matrix_loads(True) * (STEPS + 1) // STEPS,
            r"ld\.shared\.b32\b": kernel.word_loads() * (STEPS + 1) // STEPS,
        }

    def check_sass(self, lines):
        kernel = self.kernel
        element = {"bf16": ".BF16", "tf32": ".TF32"}.get(kernel.type, "")
        shape = "1688" if kernel.type == "tf32" else "16816"

        def expect(count, pattern, where, name):
            seen = sum(bool(re.search(pattern, line)) for line in where)
            self.check(seen == count, f"expected {count} of {pattern} in {name}, but got {seen}")

        expect(0, r"\b(STL|LDL)\b", lines, "the kernel")
        expect(kernel.chunks, r"\bSTG\.E\.128\b", lines, "the kernel")
        if kernel.chunks and not kernel.sums:
            expect(kernel.chunks + kernel.pairs, r"\bSTG\b", lines, "the kernel")
        expect(kernel.copies * kernel.stages, r"\bLDGSTS\.E\.BYPASS\.\S*128\b", lines, "the kernel")
        expect(kernel.copies * kernel.stages, r"\bLDGSTS\b", lines, "the kernel")
        loop = check_kernels.main_loop(lines, kernel.instruction)
        self.check(loop, "no main loop found")
        if not loop:
            return
        if kernel.plain:
            # The loop over K in a stage is unrolled, or it is the shortest.
            products = sum("FFMA" in line for line in loop)
            self.check(products in (256, 2048), f"{products} FFMA in the main loop")
            # Sixteen reads of 16 bytes for four of K.
            expect(products // 16, r"\bLDS\.128\b", lines, "the kernel")
            return
        expect(kernel.products, rf"\bHMMA\.{shape}\.F32{re.escape(element)} ", lines, "the kernel")
        expect(kernel.products, r"\bHMMA\b", loop, "the main loop")
        expect(kernel.matrix_loads(False), r"\bLDSM\.16\.M88\.4\b", loop, "the main loop")
        expect(kernel.matrix_loads(True), r"\bLDSM\.16\.MT88\.4\b", loop, "the main loop")
        expect(kernel.word_loads(), r"\bLDS R\d", loop, "the main loop")
        expect(kernel.copies, r"\bLDGSTS\b", loop, "the main loop")
        expect(1, rf"\bDEPBAR\.LE SB0, {hex(kernel.stages - 2)}\b", loop, "the main loop")
        expect(1, r"\bDEPBAR\b", loop, "the main loop")
        expect(1, r"\bBAR\.SYNC", loop, "the main loop")
        expect(0, r"\b(FFMA|FADD|FMUL)\b", loop, "the main loop")


if __name__ == "__main__":
    check_kernels.main(Kernel, Checker)
