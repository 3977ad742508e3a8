# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Automatic mixed precision for JAX.

For loops written by hand, as with jmp: `Policy` casts trees, `LossScaleState` is a loss
scale that goes through `jax.jit`, `all_finite` and `select` skip a step.

    from mlir_amp.jax import LossScaleState, all_finite, select
"""

from .loss_scale import LossScaleState, ScaleRules, all_finite, select
from .policy import Policy

__all__ = ["LossScaleState", "Policy", "ScaleRules", "all_finite", "select"]
