# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians and running products, maxima and sums of exponentials.

A median is an element of the sorted line, with the place that a stable sort gives it. What
runs along a line is a loop, and compares each place with each where it is no sum or
product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar
from mlir_amp.torch.lowering.index_rules import (
    has_few_pairs,
    in_its_type,
    reaches,
    sort,
)
from mlir_amp.torch.lowering.running_loops import running

aten = torch.ops.aten


# ----------------------------------------------------------------------------
# By rank
# ----------------------------------------------------------------------------


def _kth_value(
    x: Tensor, k: int, dim: int = -1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    found = sort(x, dim) if x.dim() else NotImplemented
    if found is NotImplemented:
        return found
    value, place = (part.narrow(dim, k - 1, 1).contiguous() for part in found)
    return (value, place) if keepdim else (value.squeeze(dim), place.squeeze(dim))


def _median_of(ignores_nan: bool) -> Callable[..., tuple[Tensor, Tensor]]:
    """The lower one of two; of a line with NaN the first NaN, unless it is left out."""

    def median(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        found = sort(x, dim) if x.dim() else NotImplemented
        if found is NotImplemented:
            return found
        value, place = found
        size = x.shape[dim]
        middle = torch.full(
            [1 if d == dim % x.dim() else n for d, n in enumerate(x.shape)],
            (size - 1) // 2,
            device=x.device,
        )
        if x.is_floating_point():
            nan = aten.ne.Tensor(x, x).to(torch.int64).sum(dim, keepdim=True)
            numbers = size - nan
            lower = ((numbers - 1) // 2).clamp(min=0)
            first = torch.where(nan > 0, numbers, middle)
            middle = torch.where(numbers > 0, lower, 0) if ignores_nan else first
        value, place = value.gather(dim, middle), place.gather(dim, middle)
        return (value, place) if keepdim else (value.squeeze(dim), place.squeeze(dim))

    return median


def _median_of_all(ignores_nan: bool) -> Callable[[Tensor], Tensor]:
    def median(x: Tensor) -> Tensor:
        found = _median_of(ignores_nan)(x.reshape(-1), 0)
        return found if found is NotImplemented else found[0]

    return median


# ----------------------------------------------------------------------------
# Along a line
# ----------------------------------------------------------------------------


def _reached(x: Tensor, dim: int, fill: float) -> Tensor | None:
    """[..., places, places]: of the line up to each place, with what is behind it
    filled; None where that is too much."""
    if not has_few_pairs(x, dim):
        return None
    until = reaches(x, x.shape[dim])
    return torch.where(until, x.movedim(dim, -1).unsqueeze(-2), scalar(x, fill))


def _running_product(
    x: Tensor, dim: int, *, dtype: torch.dtype | None = None
) -> Tensor:
    return running(in_its_type(x, dtype), dim, "mul")


def _running_best(find: Any, worst: float) -> Callable[..., tuple[Tensor, Tensor]]:
    """The best up to each place, and the last place that has it; NaN is the best."""

    def rule(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        if not x.is_floating_point():
            return NotImplemented
        reached = _reached(x, dim, worst)
        if reached is None:
            return NotImplemented
        best = find(reached, [-1], True)
        number = torch.arange(x.shape[dim], device=x.device)
        hit = torch.eq(reached, best) | aten.ne.Tensor(reached, reached)
        hit = reaches(x, x.shape[dim]) & hit
        place = torch.where(hit, number, scalar(number, -1)).amax(-1)
        parts = (best.squeeze(-1), place)
        return tuple(part.movedim(-1, dim).contiguous() for part in parts)

    return rule


def _running_log_sum(x: Tensor, dim: int) -> Tensor:
    reached = _reached(x, dim, -math.inf) if x.is_floating_point() else None
    if reached is None:
        return NotImplemented
    return reached.logsumexp(-1).movedim(-1, dim).contiguous()


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.kthvalue.default: _kth_value,
        aten.median.dim: _median_of(False),
        aten.median.default: _median_of_all(False),
        aten.nanmedian.dim: _median_of(True),
        aten.nanmedian.default: _median_of_all(True),
        aten.cumprod.default: _running_product,
        aten.cummax.default: _running_best(aten.amax, -math.inf),
        aten.cummin.default: _running_best(aten.amin, math.inf),
        aten.logcumsumexp.default: _running_log_sum,
    }
