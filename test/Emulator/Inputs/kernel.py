"""Writes kernels in the NVVM dialect, runs them with amp-emu, compares exactly.

Expected values come from the tables and formulas of the PTX manual, computed here
with numpy; nothing is taken from the emulator.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

failures = []
temporary = tempfile.TemporaryDirectory()
folder = temporary.name


class Kernel:
    """A kernel of one straight line, with blocks for single threads."""

    def __init__(self, threads=32, cluster=1, shared=0):
        self.threads, self.cluster, self.shared = threads, cluster, shared
        self.lines, self.parameters, self.declarations = [], [], []
        self.count = 0
        self.tid = self.op("nvvm.read.ptx.sreg.tid.x : i32")

    def op(self, text):
        """An operation with a result, whose name it returns."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def do(self, text):
        self.lines.append(text)

    def constant(self, value, type="i32"):
        if type == "i1":
            return self.op(f"llvm.mlir.constant({'true' if value else 'false'}) : i1")
        return self.op(f"llvm.mlir.constant({value} : {type}) : {type}")

    def pointer(self):
        """A parameter: global memory."""
        name = f"%p{len(self.parameters)}"
        self.parameters.append(f"{name}: !llvm.ptr<1>")
        return name

    def tensor_map(self):
        name = f"%p{len(self.parameters)}"
        self.parameters.append(
            f"{name}: !llvm.ptr {{llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}}")
        return name

    def memory(self, offset=0):
        """The address of a byte of shared memory."""
        base = self.op("llvm.mlir.addressof @memory : !llvm.ptr<3>")
        return self.at(base, offset, 3)

    def at(self, base, offset, space=1):
        """base + offset bytes; the offset is a number or an i32 value."""
        pointer = f"!llvm.ptr<{space}>"
        if isinstance(offset, str):
            return self.op(f"llvm.getelementptr {base}[{offset}] : ({pointer}, i32) -> {pointer}, i8")
        return self.op(f"llvm.getelementptr {base}[{offset}] : ({pointer}) -> {pointer}, i8")

    def times(self, value, factor):
        return self.op(f"llvm.mul {value}, {self.constant(factor)} : i32")

    def load(self, address, type, space=1):
        return self.op(f"llvm.load {address} : !llvm.ptr<{space}> -> {type}")

    def store(self, value, address, type, space=1):
        self.do(f"llvm.store {value}, {address} : {type}, !llvm.ptr<{space}>")

    def widen(self, bit):
        """i1 to i32."""
        return self.op(f"llvm.zext {bit} : i1 to i32")

    def field(self, value, index, type):
        return self.op(f"llvm.extractvalue {value}[{index}] : {type}")

    def label(self):
        self.count += 1
        return f"^b{self.count}"

    def where(self, condition, body):
        inside, after = self.label(), self.label()
        self.do(f"llvm.cond_br {condition}, {inside}, {after}")
        self.lines.append(inside + ":")
        body()
        self.do(f"llvm.br {after}")
        self.lines.append(after + ":")

    def lead(self, body):
        """What thread 0 does."""
        self.where(self.op(f'llvm.icmp "eq" {self.tid}, {self.constant(0)} : i32'), body)

    def copy(self, source, from_space, target, to_space, size):
        """All threads copy `size` bytes, 16 or 4 at a time."""
        wide = 16 if size % (16 * self.threads) == 0 else 4
        type = {16: "vector<4xi32>", 4: "i32"}[wide]
        mine = self.times(self.tid, wide)
        step = wide * self.threads
        for start in range(0, size, step):
            def move():
                offset = self.op(f"llvm.add {mine}, {self.constant(start)} : i32")
                value = self.load(self.at(source, offset, from_space), type, from_space)
                self.store(value, self.at(target, offset, to_space), type, to_space)
            if start + step <= size:
                move()
            else:
                limit = self.constant((size - start) // wide)
                self.where(self.op(f'llvm.icmp "ult" {self.tid}, {limit} : i32'), move)

    def fence_async(self):
        self.do("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, "
                "space = #nvvm.shared_space<cta>}")

    def barrier(self):
        self.do("nvvm.barrier0")

    def dynamic(self):
        """Bytes of shared memory that cannot be static beside the mbarriers."""
        return self.shared if self.shared + 1024 > 48 << 10 else 0

    def text(self):
        attributes = f"nvvm.kernel, nvvm.reqntid = array<i32: {self.threads}, 1, 1>"
        if self.cluster > 1:
            attributes += f", nvvm.cluster_dim = array<i32: {self.cluster}, 1, 1>"
        body = [line if line.startswith("^") else "    " + line for line in self.lines]
        linkage, size = ("external", 0) if self.dynamic() else ("internal", self.shared)
        memory = (f"  llvm.mlir.global {linkage} @memory() {{addr_space = 3 : i32, alignment = "
                  f"1024 : i64}} : !llvm.array<{size} x i8>\n" if self.shared else "")
        barrier = "  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64}"
        return ("gpu.module @m {\n" + memory + barrier + " : !llvm.array<4 x i64>\n"
                + "".join(f"  {line}\n" for line in self.declarations)
                + f"  llvm.func @kernel({', '.join(self.parameters)}) attributes {{{attributes}}} {{\n"
                + "\n".join(body) + "\n    llvm.return\n  }\n}\n")


def seeds(count):
    """The option that runs `count` schedules, or as many as AMP_TEST_SEEDS allows: an
    emulator with sanitizers takes ten times as long."""
    return f"--seeds={min(count, int(os.environ.get('AMP_TEST_SEEDS', count)))}"


def words(array):
    """The bytes of an array as i32, which every format can be read from."""
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.int32)


def run(name, kernel, arguments, expected, options=(), quiet=False):
    """Runs a kernel. `arguments` are strings, or arrays; `expected` names buffers.
    Returns what it printed."""
    path = os.path.join(folder, name.replace(" ", "-"))
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(kernel.text())
    command = ["amp-emu", path + ".mlir", seeds(3), f"--smem={kernel.dynamic()}"]
    for i, argument in enumerate(arguments):
        if not isinstance(argument, str):
            np.save(f"{path}-{i}.npy", argument)
            argument = f"{path}-{i}.npy"
        command.append("--arg=" + argument)
    for buffer, array in expected.items():
        np.save(f"{path}-{buffer}.npy", array)
        command.append(f"--expect={buffer}={path}-{buffer}.npy")
    done = subprocess.run(command + list(options), capture_output=True, text=True)
    if done.returncode:
        failures.append(name)
        if not quiet:
            print(f"{name}: {done.stderr or done.stdout or done.returncode}")
    return done.stdout + done.stderr


def finish():
    if failures:
        sys.exit(f"failed: {', '.join(failures)}")


# Number formats.

random = np.random.default_rng(1)


def decode_float8(code, exponent_bits):
    """The value of a finite e4m3 or e5m2."""
    mantissa_bits, bias = 7 - exponent_bits, 2 ** (exponent_bits - 1) - 1
    sign = -1.0 if code & 0x80 else 1.0
    exponent = code >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = (code & (1 << mantissa_bits) - 1) / 2.0 ** mantissa_bits
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias)
    return sign * (1 + mantissa) * 2.0 ** (exponent - bias)


def make_matrix(format, rows, columns):
    """Random numbers whose products and sums are exact: bits, and values in f64."""
    shape = rows, columns
    if format in ("e4m3", "e5m2"):
        exponent_bits = int(format[1])
        bias = 2 ** (exponent_bits - 1) - 1
        exponents = random.integers(bias - 2, bias + 3, shape)
        low = random.integers(0, 1 << 7 - exponent_bits, shape)
        sign = random.integers(0, 2, shape)
        bits = (sign << 7 | exponents << 7 - exponent_bits | low).astype(np.uint8)
        return bits, np.vectorize(lambda c: decode_float8(int(c), exponent_bits))(bits)
    if format in ("s8", "u8"):
        low, high = (-128, 128) if format == "s8" else (0, 256)
        values = random.integers(low, high, shape)
        return values.astype(np.uint8), values
    values = random.integers(-4, 5, shape)
    return encode(format, values), values.astype(np.float64)


def encode(format, values):
    if format == "bf16":
        return (words(values.astype(np.float32)).reshape(values.shape) >> 16).astype(np.uint16)
    types = {"f16": np.float16, "f32": np.float32, "tf32": np.float32, "f64": np.float64,
             "s32": np.int32}
    return values.astype(types[format])
