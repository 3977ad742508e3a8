# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m mlir_amp``: what was found here, one line each.

It never fails: what is missing is named with the reason. Neither PyTorch nor JAX
is imported, their versions are read from what is installed.

``python -m mlir_amp opt FILE`` runs passes over a module and prints it, as ``amp-opt``
does where the whole project is built; ``--help`` has its options.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import sys
from collections.abc import Callable, Iterator, Sequence

import mlir_amp
from mlir_amp import _native

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


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m mlir_amp",
        description="Without a command: what was found here, one line each.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    opt = commands.add_parser(
        "opt",
        help="run passes over a module and print it",
        description="Runs passes over a module of MLIR and prints it. Remarks, warnings "
        "and errors go to the standard error; the exit status is 1 where the module was "
        "refused.",
    )
    opt.add_argument("file", metavar="FILE", help="text or bytecode; - is the input")
    what = opt.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--opt-level", metavar="LEVEL", help="the passes of a level, O0 to O5"
    )
    what.add_argument(
        "--pass-pipeline",
        metavar="PASSES",
        help="such as 'builtin.module(amp-mixed-precision{opt-level=O2},cse)'",
    )
    opt.add_argument("-o", dest="output", metavar="OUT", help="a file for the module")
    return parser.parse_args(words)


def _run_passes(options: argparse.Namespace) -> int:
    from mlir_amp import compiler  # late: it is large

    try:
        pipeline = options.pass_pipeline
        if pipeline is None:
            passes = compiler.mixed_precision(options.opt_level, verbosity=1)
            pipeline = f"builtin.module({passes})"
        if options.file == "-":
            module = sys.stdin.buffer.read()
        else:
            with open(options.file, "rb") as file:
                module = file.read()
        name = "<stdin>" if options.file == "-" else options.file
        written, said = compiler.run_with_diagnostics(module, pipeline, name=name)
        sys.stderr.write(said)
        if options.output is None:
            sys.stdout.write(written)
        else:
            with open(options.output, "w", encoding="utf-8") as file:
                file.write(written)
    except (mlir_amp.AmpError, OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """The command; `words` are those after its name.

    Returns:
        Its exit status: 0, or 1 where a module was refused or a file not read.
    """
    options = _parse(words)
    if options.command == "opt":
        return _run_passes(options)
    for line in report():
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
