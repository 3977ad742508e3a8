"""Static checks of generated sm_90a GEMMs: their PTX, ptxas's report, their SASS.

    check_kernels.py LEVEL TABLE [WORD...]

Each line of TABLE is the options of one kernel, as amp-generate-gemm takes them;
WORDs select lines that contain one of them. What the code must contain is computed
from the options; nothing is copied from an earlier run.

  ptx     wgmma, TMA loads and stores, matrix stores: exact counts
  ptxas   also: no spills, no stack; registers, threads and shared memory of the blocks
          that shall run on a multiprocessor at a time within what it has; the registers
          that setmaxnreg hands out within those of the launch; no more named barriers
          than the kernel has numbers for; no note on serialised wgmma
  sass    also: Tensor Core instructions of the right shape, multicast, no local
          memory; in the main loop no wait for all groups, one group in flight, no
          floating-point arithmetic, no fence of more than the block, and everything
          that chooses slots and branches in uniform registers

One line for each kernel, with what is wrong, and exit status 1 if anything is.
"""

import bisect
import concurrent.futures
import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile

# What a multiprocessor has (CUDA programming guide, compute capabilities): registers,
# threads, bytes of shared memory, of which the system takes some for each block.
REGISTERS = 65536
THREADS = {"sm_80": 2048, "sm_86": 1536, "sm_87": 2048, "sm_89": 1536, "sm_90": 2048, "sm_90a": 2048}
SHARED = {"sm_80": 164, "sm_86": 100, "sm_87": 164, "sm_89": 100, "sm_90": 228, "sm_90a": 228}
SHARED = {chip: kilobytes * 1024 for chip, kilobytes in SHARED.items()}
SYSTEM_SHARED = 1024
# Registers are given to warps in this unit for a thread.
REGISTER_UNIT = 8

LEVELS = ("ptx", "ptxas", "sass")
EPILOGUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "epilogues.mlir")


class Kernel:
    """The options of one line, with the pass's defaults."""

    generator = "amp-generate-gemm"
    chip = "sm_90a"
    instruction = "GMMA"  # of the main loop

    def __init__(self, line):
        given = dict(word.split("=") for word in line.split())
        self.line = line
        self.rows, self.columns = map(int, given.get("tile", "128x128").split("x")[:2])
        self.layout = given.get("layout", "nn")
        self.cluster = int(given.get("cluster", 1))
        self.split = int(given.get("split-k", 1))
        self.sums = given.get("epilogue") == "gradient"
        self.types = [given.get(name, "bf16") for name in ("a-type", "b-type")]
        self.result = given.get("d-type", "bf16")
        sizes = [int(given[name]) for name in "mnk"]
        self.aligned = all(size % 16 == 0 for size in sizes)
        self.eight = self.types[0].startswith("f8")
        self.tensor_core = "QGMMA" if self.eight else "HGMMA"
        self.groups = "groups" in given
        # Operands of 8 bits with another layout than nt are copied first.
        self.transposed = self.eight * ((self.layout[0] == "t") + (self.layout[1] == "n"))
        self.layout = "nt" if self.eight else self.layout
        self.kernels = 1 + (self.split > 1) + self.sums + self.groups + self.transposed
        self.k = 32 if self.eight else 8 if self.types[0] == "tf32" else 16
        self.consumers = self.rows // 64
        self.threads = 128 * (self.consumers + 1)
        self.blocks = resident_blocks(self.rows, self.columns, self.chip, int(given.get("stages", 0)))
        # Results leave by TMA as f32 to the workspace, or in their own type.
        self.wide = self.result == "f32" or self.split > 1
        self.tma_stores = (self.aligned or self.split > 1) and not self.groups

    def barriers(self):
        """The block's own, and one for each warpgroup that fills boxes for TMA."""
        return 1 + self.consumers * bool(self.tma_stores)

    def ptx_counts(self):
        """Patterns in the main kernel's PTX, and how often each stands there."""
        names = [t.lower().replace("f8", "").replace("fn", "") for t in self.types]
        # A transposed operand comes in boxes of 64 elements of M or N.
        a_boxes = self.rows // 64 if self.layout[0] == "t" else 1
        b_boxes = self.columns // self.cluster // 64 if self.layout[1] == "n" else 1
        store_columns = 32 if self.wide else 64
        return {
            r"cp\.async\.bulk\.tensor\.\dd\.shared::cluster\.global": (a_boxes + b_boxes) * self.aligned,
            r"multicast::cluster": b_boxes * (self.cluster > 1),
            r"cp\.async\.bulk\.tensor\.\dd\.global\.shared::cta": self.columns // store_columns * self.tma_stores,
            # Four 8x8 matrices are 16 columns of a warp's 16 rows.
            r"stmatrix": self.columns // 16 * (self.tma_stores and not self.wide),
            r"setmaxnreg": 2,
        }, rf"wgmma\.mma_async\.sync\.aligned\.m64n{self.columns}k{self.k}\.f32\.{'.'.join(names)}"


def resident_blocks(rows, columns, chip, stages=0):
    """Two of a small tile, where there is the shared memory for the rings of both, which have three stages at least."""
    fits = 2 * (max(stages, 3) * (rows + columns) * 128 + SYSTEM_SHARED) <= SHARED[chip]
    return 2 if rows * columns < 128 * 128 and fits else 1


class Checker:
    def __init__(self, kernel):
        self.kernel = kernel
        self.failures = []
        self.launches = {}  # amp.launch of each kernel, as text
        self.bounds = {}  # threads and blocks of each kernel, as ptxas is told
        self.registers = None
        self.pool = 0  # registers of a thread of each warpgroup, added up
        self.code = b""  # of the main kernel, or what else read_code takes

    def check(self, holds, text):
        if not holds:
            self.failures.append(text)

    def generate(self):
        """The PTX of the kernel's module, or None."""
        run = subprocess.run(
            ["amp-opt", EPILOGUES, f"--{self.kernel.generator}={self.kernel.line}", "--amp-record-launches",
             f"--amp-kernels-to-cubin=chip={self.kernel.chip} format=isa"],
            capture_output=True, text=True,
        )
        assemblies = read_assemblies(run.stdout)
        self.check(assemblies, "amp-opt: " + run.stderr)
        if not assemblies:
            return None
        self.launches = dict(re.findall(r"(\w+) = \{arguments = \[[^\]]*\], (block[^{}]*)\}", run.stdout))
        text = assemblies[0]
        for entry in text.split(".entry ")[1:]:
            name = entry.split("(")[0].strip()
            sizes = (re.search(rf"\.{word} (\d+)", entry) for word in ("reqntid", "minnctapersm"))
            self.bounds[name] = [int(size.group(1)) if size else 1 for size in sizes]
        return text

    def check_ptx(self, ptx):
        main = main_entry(ptx)
        counts, wgmma = self.kernel.ptx_counts()
        for pattern, count in counts.items():
            seen = len(re.findall(pattern, main))
            self.check(seen == count, f"expected {count} of '{pattern}' in the PTX, but got {seen}")
        # A stage is 128 bytes of K, an instruction takes 32. The first turn of
        # the main loop may be peeled off.
        seen = len(re.findall(wgmma, main))
        self.check(seen in (4, 8), f"expected 4 or 8 of '{wgmma}' in the PTX, but got {seen}")
        kept, wanted = (re.search(rf"setmaxnreg\.{way}\S*\s+(\d+)", main) for way in ("dec", "inc"))
        self.pool = int(kept.group(1)) + self.kernel.rows // 64 * int(wanted.group(1))

    def compile(self, ptx, folder):
        source, cubin = f"{folder}/kernel.ptx", f"{folder}/kernel.cubin"
        with open(source, "w") as file:
            file.write(ptx)
        run = subprocess.run(
            ["ptxas", "-v", "-O3", f"-arch={self.kernel.chip}", source, "-o", cubin], capture_output=True, text=True
        )
        self.check(run.returncode == 0, "ptxas: " + run.stderr)
        if run.returncode == 0:
            with open(cubin, "rb") as file:
                self.code = self.read_code(file.read())
        return run.stderr

    def read_code(self, cubin):
        """What check_sass is given, disassembled."""
        return main_code(cubin)

    def check_resources(self, report):
        kernels = report.split("Compiling entry function")[1:]
        kernel = self.kernel
        self.check(len(kernels) == kernel.kernels, f"{len(kernels)} kernels instead of {kernel.kernels}")
        for text in kernels:
            name = re.search(r"'(\w+)'", text).group(1)
            main = is_main(name)
            sizes = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text)
            self.check(set(sizes.groups()) == {"0"}, f"{name}: stack and spills: " + ", ".join(sizes.groups()))
            registers = int(re.search(r"Used (\d+) registers", text).group(1))
            threads, blocks = self.bounds[name]
            if main:
                self.registers = registers
                self.check((threads, blocks) == (kernel.threads, kernel.blocks), f"{blocks} blocks of {threads} threads")
                most = int(re.search(r"blocks_per_multiprocessor = (\d+)|$", self.launches[name]).group(1) or blocks)
                self.check(most == blocks, f"launches of {most} blocks for a multiprocessor that shall hold {blocks}")
                pool = self.pool * 128
                self.check(pool <= registers * threads, f"setmaxnreg waits for {pool} of {registers * threads} registers")
            self.check_occupancy(name, text, registers, threads, blocks)
            barriers = int(re.search(r"used (\d+) barriers|$", text).group(1) or 0)
            numbers = kernel.barriers() if main else 1
            self.check(barriers <= numbers, f"{name}: {barriers} barriers, but only {numbers} have a number")
        self.check("C75" not in report, "ptxas: " + report)

    def check_occupancy(self, name, report, registers, threads, blocks):
        """The blocks that shall run on a multiprocessor at a time fit there."""
        chip = self.kernel.chip
        taken = -(-registers // REGISTER_UNIT) * REGISTER_UNIT * threads * blocks
        self.check(taken <= REGISTERS, f"{name}: {taken} registers for {blocks} blocks of {threads} threads")
        self.check(threads * blocks <= THREADS[chip], f"{name}: {threads * blocks} threads on a multiprocessor")
        static = int(re.search(r"(\d+) bytes smem|$", report).group(1) or 0)
        dynamic = int(re.search(r"shared_memory = (\d+)", self.launches[name]).group(1))
        shared = (static + dynamic + SYSTEM_SHARED) * blocks
        self.check(shared <= SHARED[chip], f"{name}: {shared} bytes of shared memory for {blocks} blocks")

    def check_sass(self, lines):
        kernel = self.kernel

        def count(pattern, where=lines):
            return sum(bool(re.search(pattern, line)) for line in where)

        shape = rf"{kernel.tensor_core}\.64x{kernel.columns}x{kernel.k}\.F32"
        right, every = count(shape), count(r"\b[A-Z]GMMA\b")
        self.check(right >= 4 and right % 4 == 0 and right == every, f"{right} of {shape}, {every} in all")
        self.check((count(r"UTMALDG.*MULTICAST") > 0) == (kernel.cluster > 1), "multicast")
        self.check((count(r"UTMALDG") > 0) == kernel.aligned, "TMA loads")
        store_columns = 32 if kernel.wide else 64
        stores = kernel.columns // store_columns * kernel.tma_stores
        self.check(count(r"UTMASTG") == stores, f"{count('UTMASTG')} TMA stores")
        self.check(count(r"\b(STL|LDL)\b") == 0, "local memory")
        loop = main_loop(lines, kernel.instruction)
        self.check(loop, "no main loop found")
        if loop:
            self.check(count(shape, loop) == 4, f"{count(shape, loop)} of {shape} in the main loop")
            waits = r"WARPGROUP\.DEPBAR\.LE gsb0, 0x"
            self.check(count(waits + "0", loop) == 0, "the main loop waits for all groups")
            self.check(count(waits + "1", loop) == 1, "the main loop keeps no group in flight")
            self.check(count(r"\b(FFMA|FADD|FMUL)\b", loop) == 0, "arithmetic in the main loop")
            self.check(count(r"\b(MEMBAR|CCTL)\b", loop) == 0, "a fence in the main loop")
            self.check(count(r"\b(R2UR|BSSY|WARPSYNC)\b", loop) == 0, "the main loop is not uniform")

    def run(self, level):
        """All but the SASS, which is read for many kernels at a time."""
        ptx = self.generate()
        if ptx:
            self.check_ptx(ptx)
        if ptx and level != "ptx":
            with tempfile.TemporaryDirectory() as folder:
                report = self.compile(ptx, folder)
            if not self.failures:
                self.check_resources(report)
        return self


def read_assemblies(module):
    """The PTX of each kernel module of some MLIR, where format=isa left it."""
    texts = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', module, re.S)
    return [
        re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), text).replace("\\\\", "\\").rstrip("\0")
        for text in texts
    ]


def is_main(name):
    """Whether a kernel is the product's; others prepare it or add up its parts."""
    return not re.search("_(reduce|sums|tiles|copy_[ab])$", name)


def kernel_codes(cubin):
    """The instructions of each kernel by its name, from the ELF file that ptxas wrote."""
    table, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    found = {}
    for name, _, _, _, offset, length in sections:
        start = sections[names][4] + name
        text = cubin[start : cubin.index(b"\0", start)].decode()
        if text.startswith(".text."):
            found[text[len(".text.") :]] = cubin[offset : offset + length]
    return found


def main_code(cubin):
    code, = (code for name, code in kernel_codes(cubin).items() if is_main(name))
    return code


def disassemble(chip, codes):
    """The lines of each of some kernels, from one run: nvdisasm takes half a second to
    begin. Addresses are of the whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/code"
        with open(path, "wb") as file:
            file.write(b"".join(codes))
        run = subprocess.run(
            ["nvdisasm", f"--binary={chip.replace('sm_', 'SM')}", path],
            capture_output=True, text=True, check=True,
        )
    kernels, ends = [[] for _ in codes], list(itertools.accumulate(map(len, codes)))
    for line in run.stdout.split("\n"):
        if address := re.match(r"\s*/\*([0-9a-f]{4,})\*/", line):
            kernels[bisect.bisect(ends, int(address.group(1), 16))].append(line)
    return kernels


def check_codes(checkers):
    """The SASS of kernels without fault so far."""
    by_chip = {}
    for checker in checkers:
        if not checker.failures:
            by_chip.setdefault(checker.kernel.chip, []).append(checker)
    for chip, some in by_chip.items():
        for checker, lines in zip(some, disassemble(chip, [checker.code for checker in some])):
            # As many instructions of 16 bytes as there were.
            checker.check(len(lines) == len(checker.code) // 16, f"{len(lines)} lines of {len(checker.code)} bytes")
            checker.check_sass(lines)


def main_entry(ptx):
    """The text of the product's kernel; others prepare it or add up its parts."""
    return next(text for text in ptx.split(".entry") if text.lstrip().startswith(("gemm(", "convolution(")))


def main_loop(lines, instruction):
    """The shortest backward branch around an instruction."""
    places, best = {}, None
    for i, line in enumerate(lines):
        places[int(re.match(r"\s*/\*([0-9a-f]+)\*/", line).group(1), 16)] = i
        branch = re.search(r"\bBRA\b.*?\b0x([0-9a-f]+)", line)
        start = places.get(int(branch.group(1), 16)) if branch else None
        if start is not None:
            body = lines[start : i + 1]
            if any(instruction in x for x in body) and (best is None or len(body) < len(best)):
                best = body
    return best


def main(kernel_type, checker_type):
    level, table, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    if level not in LEVELS:
        sys.exit(f"expected one of {LEVELS}, but got {level}")
    with open(table) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    kernels = [kernel_type(line) for line in lines if not words or any(word in line for word in words)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda kernel: checker_type(kernel).run(level), kernels))
    if level == "sass":
        check_codes(results)
    for result in results:
        registers = f" ({result.registers} registers)" if result.registers else ""
        print(("wrong: " if result.failures else "right: ") + result.kernel.line + registers)
        for failure in result.failures:
            print("  " + failure)
    wrong = sum(bool(result.failures) for result in results)
    print(f"{len(results)} kernels, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(Kernel, Checker)
