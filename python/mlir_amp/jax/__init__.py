# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Automatic mixed precision for JAX.

`capture_step` compiles a whole training step, with its state as a value:

    step = capture_step(loss_fn, optimizer, params, batch, opt_level="O1")
    state = step.init(params)
    state, loss = step(state, batch)

For loops written by hand, as with jmp: `Policy` casts trees, `LossScaleState` is a loss
scale that goes through `jax.jit`, `all_finite` and `select` skip a step.

    from mlir_amp.jax import LossScaleState, all_finite, select
"""

from .loss_scale import LossScaleState, ScaleRules, all_finite, select
from .policy import Policy
from .step import CapturedStep, TrainState, capture_step

__all__ = [
    "CapturedStep",
    "LossScaleState",
    "Policy",
    "ScaleRules",
    "TrainState",
    "all_finite",
    "capture_step",
    "select",
]
