# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Automatic mixed precision.

NVIDIA Apex's levels (O0 to O3, and ROCm's O4 and O5), properties, op lists and
loss scalers, as the compiler of this project has them: they are read from it,
none of them stands in Python a second time.

=====================  =======================================================
Module                 What it is
=====================  =======================================================
``mlir_amp.policy``    levels, properties, op lists
``mlir_amp.scaler``    loss scalers
``mlir_amp.compiler``  MLIR to programs for this CPU
``mlir_amp.torch``     Apex's interface for PyTorch (needs the extra ``torch``)
``mlir_amp.jax``       steps, policies and loss scales of JAX (the extra ``jax``)
=====================  =======================================================

``import mlir_amp`` imports neither PyTorch nor JAX nor the compiler.
``python -m mlir_amp`` says what was found.
"""

from __future__ import annotations

from mlir_amp import _native
from mlir_amp.errors import (
    AmpError,
    CompileError,
    InvalidArgument,
    InvalidModule,
    InvalidPipeline,
    NotLowered,
    OutOfMemory,
    RecompileWarning,
    Refused,
    RuntimeFault,
    Unavailable,
)

__all__ = [
    "AmpError",
    "CompileError",
    "InvalidArgument",
    "InvalidModule",
    "InvalidPipeline",
    "NotLowered",
    "OutOfMemory",
    "RecompileWarning",
    "Refused",
    "RuntimeFault",
    "Unavailable",
    "__version__",
]

__version__: str = _native.versions()["mlir_amp"]
