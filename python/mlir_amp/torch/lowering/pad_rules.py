# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of paddings that repeat the edge, for one to three dimensions.

What is in front of a line, or behind it, is a copy of its first or last place: the
gradients of the copies are summed into that place, one dimension after another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import wide

aten = torch.ops.aten


def _fold(grad: Tensor, dim: int, size: int, before: int, after: int) -> Tensor:
    """The gradient of a line of `size` from that of the padded line. A negative padding
    leaves places out."""

    def part(start: int, length: int) -> Tensor:
        return grad.narrow(dim, start, length)

    def total(start: int, length: int) -> Tensor:
        return part(start, length).sum(dim, keepdim=True)

    def zeros(length: int) -> Tensor:
        shape = list(grad.shape)
        shape[dim] = length
        return grad.new_zeros(shape)

    first, last = max(-before, 0), size - 1 - max(-after, 0)  # places that are copied
    before, after = max(before, 0), max(after, 0)
    inner = last - first - 1
    if inner < 0:  # one place is both
        parts = [total(0, grad.shape[dim])]
    else:
        parts = [total(0, before + 1), part(before + 1, inner)]
        parts.append(total(before + 1 + inner, after + 1))
    parts = [zeros(first), *parts, zeros(size - 1 - last)]
    return torch.cat([each for each in parts if each.shape[dim]], dim)


def _replication_backward(rank: int) -> Callable[..., Tensor]:
    def rule(grad: Tensor, x: Tensor, padding: Sequence[int]) -> Tensor:
        sums = wide(grad)
        for i in range(rank):  # the last dimension's padding is named first
            dim = x.dim() - 1 - i
            sums = _fold(sums, dim, x.shape[dim], padding[2 * i], padding[2 * i + 1])
        return sums.to(grad.dtype)

    return rule


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.replication_pad1d_backward.default: _replication_backward(1),
        aten.replication_pad2d_backward.default: _replication_backward(2),
        aten.replication_pad3d_backward.default: _replication_backward(3),
    }
