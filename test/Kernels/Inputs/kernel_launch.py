"""Runs the kernels of a generated module on the emulator, as `amp.launch` says.

The kernels run in their order. Buffers pass from one to the next as .npy files, so a
workspace that one writes is what another reads; what nobody wrote is NaN.
"""

import os
import re
import subprocess

import numpy as np

from number_formats import FORMATS


def numbers(entry, key):
    found = re.search(rf"\b{key} = array<i64: ([^>]*)>", entry)
    return [int(x) for x in found.group(1).split(",")] if found else []


def number(entry, key):
    found = re.search(rf"\b{key} = (-?\d+)", entry)
    return int(found.group(1)) if found else None


def word(entry, key):
    found = re.search(rf'\b{key} = "?([\w-]+)', entry)
    return found.group(1) if found else ""


def by(sizes):
    return "x".join(str(size) for size in sizes)


class Argument:
    """One dictionary of a launch's arguments."""

    def __init__(self, entry):
        self.kind, self.name = word(entry, "kind"), word(entry, "name")
        self.type, self.operand = word(entry, "type"), word(entry, "operand")
        self.elements, self.value = number(entry, "elements"), number(entry, "value")
        self.output, self.initial = word(entry, "output"), number(entry, "initial")
        self.shape, self.box = numbers(entry, "shape"), numbers(entry, "box")
        self.strides, self.swizzle = numbers(entry, "strides"), number(entry, "swizzle")
        self.lower, self.upper, self.steps = (numbers(entry, key) for key in ("lower", "upper", "steps"))
        self.channels, self.pixels = number(entry, "channels"), number(entry, "pixels")

    def memory_shape(self):
        """Of the memory that a buffer or a tensor map asks for, outermost first."""
        if self.kind == "buffer":
            return (max(self.elements, 1),)
        if self.strides != sorted(self.strides):
            # Groups that lie within the rows.
            return (int(np.prod(self.shape)),)
        size = FORMATS[self.type].storage().itemsize
        lengths = [s // size for s in self.strides]  # from one row, one matrix to the next
        shape = lengths[:1]
        for inner, outer in zip(lengths, lengths[1:]):
            shape.append(outer // max(inner, 1))
        return tuple(reversed([max(s, 1) for s in shape + self.shape[-1:]]))

    def emulator_option(self):
        if self.kind == "number":
            return f"--arg=i32:{self.value}"
        if self.kind == "buffer":
            return f"--arg={self.name}"
        shape = by(max(size, 1) for size in reversed(self.shape))
        if self.kind == "im2col-map":
            box = f"channels={self.channels},pixels={self.pixels}"
            for key in ("lower", "upper", "steps"):
                box += f",{key}={by(reversed(getattr(self, key)))}"
        else:
            box = f"box={by(reversed(self.box))}"
        if self.kind == "im2col-map" or self.strides != sorted(self.strides):
            shape = f"view={shape},strides={by(reversed(self.strides))}"
        else:
            shape = f"shape={shape}"
        return f"--arg=tma:{self.name},{shape},{box},swizzle={self.swizzle}"


class Kernel:
    def __init__(self, name, arguments, rest):
        self.name = name
        self.order = number(rest, "order")
        self.grid = numbers(rest, "grid")[0]
        # None: the grid is as it is.
        self.per_multiprocessor = number(rest, "blocks_per_multiprocessor")
        self.multiple = number(rest, "grid_multiple") or 1
        self.shared = number(rest, "shared_memory")
        self.arguments = [Argument(entry) for entry in re.findall(r"\{([^{}]*)\}", arguments)]

    def blocks(self, most):
        """Of a launch on a device that has room for `most`."""
        if not self.per_multiprocessor:
            return self.grid
        return max(min(most, self.grid) // self.multiple, 1) * self.multiple


def read_kernels(module):
    """The kernels of a module's text, in the order in which they run."""
    pattern = r"llvm\.func @(\w+)\([^{]*(?:\{[^{}]*\}[^{]*)*?attributes \{amp\.launch = \{arguments = \[(.*?)\], (block.*?)\}"
    kernels = [Kernel(*found.groups()) for found in re.finditer(pattern, module)]
    return sorted(kernels, key=lambda kernel: kernel.order)


class Failure(Exception):
    pass


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def generate(options, source, folder, generator="amp-generate-gemm"):
    """Writes the module of a kernel and returns its path and its kernels."""
    path = os.path.join(folder, "kernel.mlir")
    made = run(["amp-opt", source, "-o", path, f"--{generator}={options}", "--amp-kernels-to-nvvm"])
    if made.returncode:
        raise Failure(made.stderr)
    with open(path) as file:
        return path, read_kernels(file.read())


class Emulation:
    """Memory of a sequence of kernels, and their runs, each of at most `limit` seconds."""

    def __init__(self, module, kernels, folder, limit=None):
        self.module, self.kernels, self.folder, self.limit = module, kernels, folder, limit
        self.types, self.shapes = {}, {}
        for kernel in kernels:
            for argument in kernel.arguments:
                if argument.kind == "number":
                    continue
                self.types[argument.name] = argument.type
                # A tensor map needs its rows; a pointer takes any shape.
                if argument.kind != "buffer" or argument.name not in self.shapes:
                    self.shapes[argument.name] = argument.memory_shape()

    def path(self, name):
        return os.path.join(self.folder, name + ".npy")

    def write(self, name, values):
        """Fills a buffer from its first element on; what is left over is NaN."""
        form = FORMATS[self.types[name]]
        stored = np.full(int(np.prod(self.shapes[name])), -1, np.int8 if form.storage().itemsize == 1 else np.int64)
        stored = stored.astype(np.int8).repeat(form.storage().itemsize).view(form.storage)
        stored[: values.size] = form.encode(values).ravel()
        np.save(self.path(name), stored.reshape(self.shapes[name]))

    def read(self, name):
        return FORMATS[self.types[name]].decode(np.load(self.path(name)).ravel())

    def run(self, blocks, seed, seeds=1):
        """Runs each kernel with at most so many blocks, under `seeds` schedules from
        `seed` on. Returns the statistics."""
        statistics = []
        for kernel in self.kernels:
            names = sorted({a.name for a in kernel.arguments if a.kind != "number"})
            done = run(
                ["amp-emu", self.module, f"--kernel={kernel.name}", f"--seed={seed}", f"--seeds={seeds}",
                 "--statistics", f"--grid={kernel.blocks(blocks)}", f"--smem={kernel.shared}"]
                + [f"--buffer={name}={self.path(name)}" for name in names]
                + [f"--out={name}={self.path(name)}" for name in names]
                + [argument.emulator_option() for argument in kernel.arguments],
                timeout=self.limit,
            )
            if done.returncode not in (0, 1):
                raise Failure(f"{kernel.name}: amp-emu ended with {done.returncode}\n{done.stderr}")
            if done.returncode:
                raise Failure(f"{kernel.name}: " + done.stdout + done.stderr)
            statistics.append(done.stdout)
        return statistics


def bank_conflicts(statistics):
    """Of matrix and of ordinary accesses, over all kernels."""
    text = "\n".join(statistics)
    return [
        sum(map(int, re.findall(rf"{name} loads and stores: \d+ passes, (\d+) more for bank conflicts", text)))
        for name in ("matrix", "shared")
    ]
