"""Runs the kernels of a generated module on the emulator, as `amp.launch` says.

The kernels run in their order. Buffers pass from one to the next as .npy files, so a
workspace that one writes is what another reads; what nobody wrote is NaN.
"""

import os
import re
import subprocess

import numpy as np

from number_formats import FORMATS
from read_launches import read_kernels


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
            for argument in (part for each in kernel.arguments for part in each.memory()):
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
            names = sorted({part.name for argument in kernel.arguments for part in argument.memory()})
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
