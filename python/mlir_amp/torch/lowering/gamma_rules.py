# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The logarithm of the gamma function, and its derivative.

Both are taken in f64: Stirling's series from 8 on, below it by steps of 1 up to there,
and for negative numbers by reflection. What is left of the series is below 1e-11, and
what cancels near 1 and 2, where the logarithm is 0, is of f64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar

aten = torch.ops.aten

_STEPS = 8


def _angle(x: Tensor) -> Tensor:
    """pi times the distance of x to the nearest whole number."""
    return (x - torch.floor(x + 0.5)) * math.pi


def _positive_lgamma(x: Tensor) -> Tensor:
    """Of numbers above 0."""
    near = x < _STEPS
    low = torch.where(near, x, 1.0)
    product = low
    for step in range(1, _STEPS):
        product = product * (low + step)
    z = torch.where(near, x + _STEPS, x)
    inverse = 1.0 / z
    square = inverse * inverse
    series = 1.0 / 1260 - square / 1680
    series = (1.0 / 12 - square * (1.0 / 360 - square * series)) * inverse
    large = z * (torch.log(z) - 1.0) - torch.log(z) * 0.5
    whole = large + (0.5 * math.log(2 * math.pi) + series)
    return whole - torch.where(near, torch.log(product), 0.0)


def _lgamma(x: Tensor) -> Tensor:
    if not x.is_floating_point():
        x = x.to(torch.get_default_dtype())
    y = x.to(torch.float64)
    is_low = y < 0.5
    above = _positive_lgamma(torch.where(is_low, 1.0 - y, y))
    # At 0 and below it where it is whole the sine is 0, and the logarithm infinite.
    sine = torch.sin(_angle(torch.where(is_low, y, 0.5))).abs()
    found = torch.where(is_low, math.log(math.pi) - torch.log(sine) - above, above)
    found = torch.where(torch.eq(y.abs(), math.inf), scalar(y, math.inf), found)
    return found.to(x.dtype)


def _positive_digamma(x: Tensor) -> Tensor:
    """Of numbers above 0."""
    near = x < _STEPS
    low = torch.where(near, x, 1.0)
    steps = 1.0 / low
    for step in range(1, _STEPS):
        steps = steps + 1.0 / (low + step)
    z = torch.where(near, x + _STEPS, x)
    square = 1.0 / (z * z)
    series = 1.0 / 252 - square * (1.0 / 240 - square / 132)
    series = square * (1.0 / 12 - square * (1.0 / 120 - square * series))
    return torch.log(z) - 0.5 / z - series - torch.where(near, steps, 0.0)


def _digamma(x: Tensor) -> Tensor:
    """An infinity of the other sign at a zero, NaN at whole numbers below it."""
    if not x.is_floating_point():
        x = x.to(torch.get_default_dtype())
    y = x.to(torch.float64)
    is_low = y < 0.5
    above = _positive_digamma(torch.where(is_low, 1.0 - y, y))
    angle = _angle(torch.where(is_low, y, 0.25))
    cotangent = torch.cos(angle) / torch.sin(angle)
    found = torch.where(is_low, above - cotangent * math.pi, above)
    is_pole = torch.eq(torch.floor(y), y) & (y < 0.0)
    found = torch.where(is_pole, scalar(y, math.nan), found)
    found = torch.where(torch.eq(y, 0.0), -1.0 / y, found)
    return found.to(x.dtype)


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {aten.lgamma.default: _lgamma, aten.digamma.default: _digamma}
