# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeddings, bags of them, and their gradients.

A bag is a range of the indices, from its offset to the next one: whether an index is in
it is a comparison with each offset. Bags add up by a scatter, and so do the rows of a
gradient; maxima compare each index with each bag. torch-mlir's form of bags forgets the
weights of samples, so that what has no rule here is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar
from mlir_amp.torch.lowering.index_checks import in_range
from mlir_amp.torch.lowering.index_rules import MOST_PAIRS
from mlir_amp.torch.lowering.scatter_rows import scatter_rows

aten = torch.ops.aten

_SUM, _MEAN, _MAX = range(3)


def _embedding_backward(
    grad: Tensor,
    indices: Tensor,
    num_weights: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
) -> Tensor:
    """The sum of the gradients of each row, in the order of the indices, divided by how
    often the row is named where that is asked for."""
    place = in_range(indices, 0, num_weights, "aten.embedding").reshape(-1)
    width = grad.shape[-1]
    grad = grad.reshape(-1, width)
    if padding_idx >= 0:
        grad = torch.where((place != padding_idx).unsqueeze(1), grad, scalar(grad))
    zeros = grad.new_zeros(num_weights, width)
    total = scatter_rows(zeros, place, grad, combine="add")
    if scale_grad_by_freq:
        none = torch.zeros(num_weights, 1, dtype=torch.int64, device=grad.device)
        ones = torch.ones(place.shape[0], 1, dtype=torch.int64, device=grad.device)
        times = scatter_rows(none, place, ones, combine="add")
        total = total / times.clamp(min=1).to(grad.dtype)
    return total


class _Bags(NamedTuple):
    """Which indices are in which bag.

    Attributes:
        bag_of: The bag of each index.
        counts: Whether an index is in it; those that are padding are not.
        sizes: Of the bags, as whole numbers.
    """

    bag_of: Tensor
    counts: Tensor
    sizes: Tensor

    def sum(self, rows: Tensor) -> Tensor:
        """What the indices of each bag have, in their order: [bags, columns]."""
        rows = torch.where(self.counts.unsqueeze(1), rows, scalar(rows))
        zeros = rows.new_zeros(self.sizes.shape[0], rows.shape[1])
        return scatter_rows(zeros, self.bag_of, rows, combine="add")


def _find_bags(
    indices: Tensor, offsets: Tensor, include_last_offset: bool, padding_idx: int
) -> _Bags:
    place = torch.arange(indices.shape[0], device=indices.device)
    begin = offsets[:-1] if include_last_offset else offsets
    started = begin.unsqueeze(1) <= place.unsqueeze(0)
    # Of empty bags that begin at one place the last one has what follows.
    bag = started.to(torch.int64).sum(0) - 1
    bag = in_range(bag, 0, begin.shape[0], "aten.embedding_bag by its first offset")
    end = offsets[-1] if include_last_offset else indices.shape[0]
    counts = place < end
    if padding_idx >= 0:
        counts = counts & (indices != padding_idx)
    none = torch.zeros(begin.shape[0], 1, dtype=torch.int64, device=indices.device)
    ones = counts.to(torch.int64).unsqueeze(1)
    sizes = scatter_rows(none, bag, ones, combine="add").squeeze(1)
    return _Bags(bag, counts, sizes)


def _maxima(rows: Tensor, indices: Tensor, bags: _Bags) -> tuple[Tensor, Tensor]:
    """The maximum of each bag and column, and the index that it is of."""
    bag = torch.arange(bags.sizes.shape[0], device=rows.device).unsqueeze(1)
    inside = ((bag == bags.bag_of) & bags.counts).unsqueeze(2)
    low = torch.full((), -torch.inf, dtype=rows.dtype, device=rows.device)
    best = torch.where(inside, rows, low).amax(1)
    hit = inside & torch.eq(rows, best.unsqueeze(1))
    count = indices.shape[0]
    place = torch.arange(count, device=rows.device).reshape(1, -1, 1)
    missing = torch.full((), count, dtype=place.dtype, device=rows.device)
    first = torch.where(hit, place, missing).amin(1)
    is_first = (place == first.unsqueeze(1)) & inside
    number = indices.reshape(1, -1, 1)
    named = torch.where(is_first, number, scalar(number)).sum(1)
    filled = (bags.sizes > 0).unsqueeze(1)
    return torch.where(filled, best, scalar(best)), named


def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = _SUM,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    number = offsets.shape[0] - int(include_last_offset)
    pairs = number * indices.numel() * (weight.shape[1] if mode == _MAX else 1)
    if sparse or not 0 < pairs <= MOST_PAIRS or not weight.is_floating_point():
        return NotImplemented
    size = weight.shape[0]
    indices = in_range(indices, 0, size, "aten.embedding_bag").to(torch.int64)
    bags = _find_bags(
        indices, offsets.to(torch.int64), include_last_offset, padding_idx
    )
    rows = aten.index.Tensor(weight, [indices])
    if mode == _MAX:
        found, named = _maxima(rows.unsqueeze(0), indices, bags)
        return found, bags.bag_of, bags.sizes, named
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    found = bags.sum(rows)
    if mode == _MEAN:
        found = found / bags.sizes.clamp(min=1).to(found.dtype).unsqueeze(1)
    return found, bags.bag_of, bags.sizes, bags.sizes.clone()


def _embedding_bag_backward(
    grad: Tensor,
    indices: Tensor,
    bag_of: Tensor,
    sizes: Tensor,
    named: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    if scale_grad_by_freq:  # eager PyTorch's counts are those of other indices
        return NotImplemented
    if mode == _MAX:
        # An empty bag names row 0.
        grad = torch.where((sizes > 0).unsqueeze(1), grad, scalar(grad))
        zeros = grad.new_zeros(num_weights, grad.shape[1])
        return aten.scatter_add(zeros, 0, named, grad)
    if mode == _MEAN:
        grad = grad / sizes.clamp(min=1).to(grad.dtype).unsqueeze(1)
    each = aten.index.Tensor(grad, [bag_of])
    if per_sample_weights is not None:
        each = each * per_sample_weights.unsqueeze(1)
    return _embedding_backward(each, indices, num_weights, padding_idx, False)


def _any_backward(
    grad: Tensor,
    indices: Tensor,
    offsets: Tensor,
    bag_of: Tensor,
    sizes: Tensor,
    named: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    if sparse:
        return NotImplemented
    return _embedding_bag_backward(
        *(grad, indices, bag_of, sizes, named, num_weights, scale_grad_by_freq, mode),
        *(per_sample_weights, padding_idx),
    )


def _per_sample_weights_backward(
    grad: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    bag_of: Tensor,
    mode: int,
    padding_idx: int = -1,
) -> Tensor:
    rows = aten.index.Tensor(weight, [indices.to(torch.int64)])
    found = (aten.index.Tensor(grad, [bag_of]) * rows).sum(1)
    if padding_idx >= 0:
        found = torch.where(indices != padding_idx, found, scalar(found))
    return found


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.embedding_dense_backward.default: _embedding_backward,
        aten._embedding_bag.default: _embedding_bag,
        aten._embedding_bag_forward_only.default: _embedding_bag,
        aten._embedding_bag_backward.default: _any_backward,
        aten._embedding_bag_dense_backward.default: _embedding_bag_backward,
        aten._embedding_bag_per_sample_weights_backward.default: (
            _per_sample_weights_backward
        ),
    }
