# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss scalers for loops that ask for overflows themselves.

`FP16_Optimizer` has another one inside, that of `amp`, as in Apex.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch

from mlir_amp import scaler as runtime


class LossScaler:
    """A scale that stays.

    Args:
        scale: the factor on the loss.
    """

    def __init__(self, scale: float = 1) -> None:
        self.cur_scale = scale

    @property
    def loss_scale(self) -> float:
        return self.cur_scale

    def has_overflow(self, params: Iterable[torch.Tensor]) -> bool:
        """False: a static scale looks at no gradient."""
        return False

    def update_scale(self, overflow: bool) -> None:
        """Does nothing."""

    def scale_gradient(self, module: Any, grad_in: tuple, grad_out: tuple) -> tuple:
        """A backward hook of modules that scales their gradients."""
        return tuple(self.loss_scale * grad for grad in grad_in)

    def backward(self, loss: torch.Tensor, retain_graph: bool = False) -> None:
        """Runs the backward pass of the scaled loss."""
        (loss * self.loss_scale).backward(retain_graph=retain_graph)


class DynamicLossScaler(LossScaler):
    """A scale that starts high, halves with each overflow, never below 1, and grows.

    Args:
        init_scale: the first factor on the loss; 2**32 is far too high on purpose.
        scale_factor: the scale is multiplied or divided by it; above 1.
        scale_window: iterations in a row without overflow before the scale grows.

    Raises:
        mlir_amp.InvalidArgument: a number out of its range; the text says which.
    """

    def __init__(self, init_scale: float = 2**32, scale_factor: float = 2.0, scale_window: int = 1000) -> None:
        self._machine = runtime.LossScaler(
            "dynamic", init_scale, scale_factor, scale_window, min_loss_scale=1.0, max_loss_scale=math.inf
        )

    @property
    def cur_scale(self) -> float:
        """The factor on the loss. Setting it keeps the count of clean iterations."""
        return self._machine.scale

    @cur_scale.setter
    def cur_scale(self, value: float) -> None:
        self._machine.state = {**self._machine.state, "scale": float(value)}

    @property
    def cur_iter(self) -> int:
        """Updates so far."""
        return self._machine.state["steps"]

    @property
    def last_overflow_iter(self) -> int:
        """The last update that found an overflow, from 0; -1 for none."""
        return self._machine.state["last_skipped_step"]

    def has_overflow(self, params: Iterable[torch.Tensor]) -> bool:
        """True if a gradient holds an infinity or a NaN."""
        return any(p.grad is not None and not torch.isfinite(p.grad).all() for p in params)

    def update_scale(self, overflow: bool) -> None:
        """Ends an iteration."""
        self._machine.update(bool(overflow))
