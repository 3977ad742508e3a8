# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m mlir_amp``: what was found here, one line each.

It never fails: what is missing is named with the reason. Neither PyTorch nor JAX
is imported, their versions are read from what is installed.

``python -m mlir_amp opt`` and ``run`` are the tools ``amp-opt`` and ``amp-run``, with
the words behind them (mlir_amp.tools).
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Callable, Iterator, Sequence

import mlir_amp
from mlir_amp import _native, tools

_PACKAGES = ("torch", "torch-mlir", "jax", "jaxlib", "optax", "flax", "numpy")

# What decides which code the CPU runs: vectors, half types, matrix units.
_CPU_FEATURES = (
    "sse4_2 avx avx2 fma f16c avx512f avx512vl avx512_bf16 avx512_fp16 amx_tile "
    "amx_bf16 amx_fp16 amx_int8 asimd asimdhp asimdfhm bf16 sve sve2"
).split()


def _package(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _cpu_features() -> str:
    """The features above that the first core of /proc/cpuinfo has."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() in ("flags", "Features"):
                have = set(value.split())
                return " ".join(name for name in _CPU_FEATURES if name in have)
    return "unknown (/proc/cpuinfo names none)"


def _compiler() -> str:
    from mlir_amp import compiler  # late: it is large

    return compiler.version()


def _xla() -> str:
    from mlir_amp import compiler

    if compiler.xla_entry() is None:
        return "left out, as jaxlib was missing at build time; not inside jax.jit"
    return "built in"


def _device(name: str) -> str:
    properties = _native.device(name)
    major, minor = properties["compute_capability"]
    capability = f", compute capability {major}.{minor}" if major else ""
    gibibytes = properties["total_bytes"] / 2**30
    return (
        f"{properties['model']}, {properties['processors']} processors, "
        f"{gibibytes:.1f} GiB{capability}"
    )


def _guard(find: Callable[..., str], *arguments: str) -> str:
    """What was found, or why not."""
    try:
        return find(*arguments)
    except mlir_amp.AmpError as error:
        return f"not available: {error}"
    except Exception as error:  # what is only printed must not stop the rest
        return f"unknown: {type(error).__name__}: {error}"


def report() -> Iterator[str]:
    """The lines, without line ends."""
    versions = _native.versions()
    yield f"mlir_amp: {mlir_amp.__version__}, runtime {versions['runtime']}"
    yield f"LLVM it was built with: {versions['llvm']}"
    yield f"compiler: {_guard(_compiler)}"
    yield f"Python: {platform.python_version()} on {platform.machine()}"
    for name in _PACKAGES:
        yield f"{name}: {_guard(_package, name)}"
    yield f"calls from XLA: {_guard(_xla)}"
    yield f"CPU features: {_guard(_cpu_features)}"
    for name in ("host", "cuda", "emulator"):
        yield f"device {name}: {_guard(_device, name)}"


_USAGE = """\
usage: python -m mlir_amp              what was found here, one line each
       python -m mlir_amp opt WORDS    amp-opt: run passes over a module
       python -m mlir_amp run WORDS    amp-run: train a step, or replay a run

`opt --help` and `run --help` list the options of each."""


def main(words: Sequence[str] | None = None) -> int:
    """The command; `words` are those after its name.

    Returns:
        Its exit status: that of the tool; 2 for a command that there is not.
    """
    words = sys.argv[1:] if words is None else words
    if not words:
        for line in report():
            print(line)
        return 0
    command, *rest = words
    if command == "opt":
        return tools.amp_opt(rest)
    if command == "run":
        return tools.amp_run(rest)
    if command in ("-h", "--help"):
        print(_USAGE)
        return 0
    print(f"unknown command '{command}'\n{_USAGE}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
