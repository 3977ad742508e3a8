# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA Apex AMP's interface for PyTorch: `from mlir_amp.torch import amp`.

A script that was written for `from apex import amp` goes on as it is, on the CPU
as on a GPU. Differences from Apex, on purpose, are listed in docs/Python.md.
"""

from .frontend import init, initialize, load_state_dict, reset, state_dict
from .handle import (
    AmpHandle,
    NoOpHandle,
    OptimWrapper,
    disable_casts,
    is_skipping,
    scale_loss,
)
from .registry import (
    float_function,
    half_function,
    promote_function,
    register_float_function,
    register_half_function,
    register_promote_function,
)
from .scaling import LossScaler
from .state import _amp_state as _amp_state
from .state import master_params

__all__ = [
    "AmpHandle",
    "LossScaler",
    "NoOpHandle",
    "OptimWrapper",
    "compile_step",
    "disable_casts",
    "float_function",
    "half_function",
    "init",
    "initialize",
    "is_skipping",
    "load_state_dict",
    "master_params",
    "promote_function",
    "register_float_function",
    "register_half_function",
    "register_promote_function",
    "reset",
    "scale_loss",
    "state_dict",
]


def __getattr__(name: str):
    # Late: the compiler is large, and eager scripts do without it.
    if name == "compile_step":
        from ..step import compile_step

        return compile_step
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
