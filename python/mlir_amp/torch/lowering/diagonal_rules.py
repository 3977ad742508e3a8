# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagonals: unit matrices, what is written to a diagonal, and gradients of one.

The elements of a matrix are compared by row and column: those of the diagonal are
chosen, the others are 0, or what they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar

aten = torch.ops.aten


def _is_on(rows: int, columns: int, offset: int, device: torch.device) -> Tensor:
    """[rows, columns]: whether the element is on the diagonal."""
    row = torch.arange(rows, device=device).unsqueeze(1)
    column = torch.arange(columns, device=device).unsqueeze(0)
    return column - row == offset


def _spread(line: Tensor, rows: int, columns: int, offset: int) -> Tensor:
    """[..., rows, columns] with the diagonal's elements, [..., places], in their rows or
    columns, repeated along the other one."""
    by_row = offset >= 0  # its places are the first rows, or the first columns
    missing = (rows if by_row else columns) - line.shape[-1]
    line = torch.constant_pad_nd(line, [0, missing])
    line = line.unsqueeze(-1 if by_row else -2)
    return line.expand(*line.shape[:-2], rows, columns)


def _scatter(
    x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """`x` with `source` on its diagonal."""
    matrices = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = matrices.shape[-2:]
    spread = _spread(source, rows, columns, offset)
    chosen = torch.where(_is_on(rows, columns, offset, x.device), spread, matrices)
    return chosen.movedim((-2, -1), (dim1, dim2)).contiguous()


def _backward(
    grad: Tensor, sizes: Sequence[int], offset: int, dim1: int, dim2: int
) -> Tensor:
    return _scatter(grad.new_zeros(sizes), grad, offset, dim1, dim2)


def _copy(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal, as sums in which all but one element is 0."""
    matrices = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = matrices.shape[-2:]
    is_on = _is_on(rows, columns, offset, x.device)
    kept = torch.where(is_on, matrices, scalar(x, 0))
    along = -1 if offset >= 0 else -2
    places = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    return kept.sum(along, dtype=x.dtype).narrow(-1, 0, places)


def _eye(rows: int, columns: int | None = None, **options: Any) -> Tensor:
    columns = rows if columns is None else columns
    dtype = options.get("dtype") or torch.get_default_dtype()
    device = options.get("device") or torch.device("cpu")
    return _is_on(rows, columns, 0, device).to(dtype)


def _fill(x: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(x.dtype).expand(x.shape)
    return torch.full(x.shape, value, dtype=x.dtype, device=x.device)


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.diagonal_scatter.default: _scatter,
        aten.diagonal_backward.default: _backward,
        aten.diagonal_copy.default: _copy,
        aten.eye.default: _eye,
        aten.eye.m: _eye,
        aten.fill.Scalar: _fill,
        aten.fill.Tensor: _fill,
    }
