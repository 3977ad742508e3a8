# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one operation that writes by index: rows of a matrix, at numbers of rows.

linalg has no scatter, and what torch-mlir makes of ATen's is another dialect's. Rules
state what writes by index as `scatter_rows`, which stays in a graph until it becomes a
loop (`pasted_loops`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import wide

_LIBRARY = torch.library.Library("mlir_amp", "FRAGMENT")
_LIBRARY.define(
    "scatter_rows(Tensor x, Tensor place, Tensor source, str combine) -> Tensor"
)


# PyTorch's names of what combines a row with what is there.
_REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def _scatter_rows_eager(
    x: Tensor, place: Tensor, source: Tensor, combine: str
) -> Tensor:
    """Of graphs that PyTorch runs."""
    index = place.unsqueeze(1).expand(source.shape)
    if combine == "write":
        return x.scatter(0, index, source)
    return x.scatter_reduce(0, index, source, _REDUCTIONS[combine])


_LIBRARY.impl("scatter_rows", _scatter_rows_eager, "CPU")
_LIBRARY.impl(
    "scatter_rows",
    lambda x, place, source, combine: torch.empty_like(
        x, memory_format=torch.contiguous_format
    ),
    "Meta",
)
SCATTER_ROWS = torch.ops.mlir_amp.scatter_rows.default


def scatter_rows(
    x: Tensor, place: Tensor, source: Tensor, combine: str = "write"
) -> Tensor:
    """`x` with rows of `source` written to it, or combined with its own, one after the
    other.

    Sums and products of halves are rounded once, at the end; sums and maxima of booleans
    are whether any is true. Of several rows that are written to one place the last one
    counts.

    Args:
        x: Of shape [n, r].
        place: Of shape [k], whole numbers from 0 to below n: who calls has checked them
            (`in_range`).
        source: Of shape [k, r] and `x`'s type.
        combine: "write", or what `combining` names.
    """
    if not source.numel():
        return x.clone()
    if x.dtype == torch.bool and combine != "write":
        x, source = x.to(torch.int32), source.to(torch.int32)
        return scatter_rows(x, place, source, combine) != 0
    place = place.to(torch.int64)
    if combine not in ("add", "mul"):
        return SCATTER_ROWS(x, place, source, combine)
    return SCATTER_ROWS(wide(x), place, wide(source), combine).to(x.dtype)


def scatter_leading(
    x: Tensor, indexed: int, place: Tensor, source: Tensor, combine: str
) -> Tensor:
    """`scatter_rows` by places among the first dimensions of a tensor.

    Args:
        x: Of any shape.
        indexed: How many of its dimensions are indexed.
        place: Of shape [k]: numbers of their elements, row-major.
        source: Of shape [k, ...], with the other dimensions of `x`.
        combine: As `scatter_rows` takes it.
    """
    number, rest = math.prod(x.shape[:indexed]), x.shape[indexed:]
    row = math.prod(rest)
    rows = scatter_rows(
        x.reshape(number, row), place, source.reshape(place.shape[0], row), combine
    )
    return rows.reshape(x.shape)


def linear_place(indices: Sequence[Tensor | int], sizes: Sequence[int]) -> Tensor:
    """The numbers of elements, row-major, of one index for each dimension."""
    place = indices[0]
    for index, size in zip(indices[1:], sizes[1:], strict=True):
        place = place * size + index
    return place
