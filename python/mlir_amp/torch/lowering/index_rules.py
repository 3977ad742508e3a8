# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that write by index, and those that sort, by comparing every index with
every place.

linalg has no scatter. What a place gets is a sum, or the last, over all that name it;
where an element goes in order is the number of those before it. That is one comparison
for each pair, which fuses into the sum, and quadratic: beyond `MOST_PAIRS` a rule
returns NotImplemented, and PyTorch runs the graph. Nothing is multiplied by a 0 that
stands for "not here", so that an infinity stays where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions

from mlir_amp.torch.lowering.constants import scalar
from mlir_amp.torch.lowering.index_checks import in_range

aten = torch.ops.aten

# About a tenth of a second on one core.
MOST_PAIRS = 1 << 26


def has_few_pairs(x: Tensor, dim: int) -> bool:
    """Whether each element may be compared with each of its line."""
    return x.dim() > 0 and 0 < x.numel() * x.shape[dim] <= MOST_PAIRS


def _count(like: Tensor, number: int) -> Tensor:
    return torch.arange(number, device=like.device)


def reaches(like: Tensor, size: int) -> Tensor:
    """[places, places]: whether the second is the first or before it."""
    number = _count(like, size)
    return number.unsqueeze(0) <= number.unsqueeze(1)


class _Places:
    """The places of a dimension that an index of the same rank names.

    Attributes:
        hit: Of shape [..., places, indices]: whether the index is the place.
    """

    def __init__(self, shape: Sequence[int], dim: int, index: Tensor) -> None:
        self._shape, self._dim = list(shape), dim % max(len(shape), 1)
        self.index = index.movedim(self._dim, -1)
        places = _count(index, self._shape[self._dim]).unsqueeze(1)
        self.hit = places == self.index.unsqueeze(-2)

    @staticmethod
    def fit(shape: Sequence[int], dim: int, index: Tensor) -> bool:
        return 0 < len(shape) == index.dim() and (
            0 < index.numel() * shape[dim % len(shape)] <= MOST_PAIRS
        )

    def sources(self, source: Tensor) -> Tensor:
        """The part of a source that has an index, with the dimension last."""
        for d, extent in enumerate(self.index.movedim(-1, self._dim).shape):
            source = source.narrow(d, 0, extent)
        return source.movedim(self._dim, -1)

    def last(self) -> Tensor:
        """For each place the number of the last index that names it, or -1."""
        number = _count(self.index, self.index.shape[-1])
        missing = torch.full((), -1, dtype=number.dtype, device=number.device)
        return torch.where(self.hit, number, missing).amax(-1)

    def whole(self, found: Tensor, fill: Any) -> Tensor:
        """What was found for the places, with the shape of what is written to."""
        found = found.movedim(-1, self._dim).contiguous()
        missing = [a - b for a, b in zip(self._shape, found.shape)]
        if not any(missing):
            return found
        pads = [pad for extent in reversed(missing) for pad in (0, extent)]
        return aten.constant_pad_nd(found, pads, fill)


def _checked(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A rule that writes by an index, of indices that nothing has checked."""

    def checked(x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
        if _Places.fit(x.shape, dim, index):
            index = in_range(index, 0, x.shape[dim], "aten.scatter")
        return rule(x, dim, index, source)

    return checked


def _scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    if not _Places.fit(x.shape, dim, index):
        return NotImplemented
    places = _Places(x.shape, dim, index)
    source = places.sources(source).unsqueeze(-2)
    found = torch.where(places.hit, source, scalar(source)).sum(-1, dtype=x.dtype)
    return x + places.whole(found, 0)


def _scatter(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Of several sources for one place the last, as PyTorch's loop has it."""
    if not _Places.fit(x.shape, dim, index):
        return NotImplemented
    places = _Places(x.shape, dim, index)
    last = places.last()
    found = places.sources(source).gather(-1, last.clamp(min=0))
    return torch.where(places.whole(last, -1) >= 0, places.whole(found, 0), x)


def _scatter_value(x: Tensor, dim: int, index: Tensor, value: float) -> Tensor:
    if not _Places.fit(x.shape, dim, index):
        return NotImplemented
    places = _Places(x.shape, dim, index)
    value = torch.full((), value, dtype=x.dtype, device=x.device)
    return torch.where(places.whole(places.last(), -1) >= 0, value, x)


def _index_put(
    x: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """The indexed dimensions, which stand side by side, become one in front."""
    named = [d for d, index in enumerate(indices) if index is not None]
    tensors = [indices[d] for d in named]
    if len(named) == 1 and tensors[0].dtype == torch.bool:
        mask = tensors[0]
        if values.numel() != 1 or accumulate or named[0]:
            return NotImplemented
        mask = mask.reshape(*mask.shape, *[1] * (x.dim() - mask.dim()))
        return torch.where(mask, values.reshape(()), x)
    if any(index.dtype == torch.bool for index in tensors) or (
        named != list(range(named[0], named[0] + len(named)))
    ):
        return NotImplemented
    before, sizes = x.shape[: named[0]], [x.shape[d] for d in named]
    rest = x.shape[named[-1] + 1 :]
    shape = torch.broadcast_shapes(*(index.shape for index in tensors))
    place = 0
    for index, size in zip(tensors, sizes):
        index = in_range(index, -size, size, "aten.index_put")
        index = torch.where(index < 0, index + size, index).expand(shape)
        place = place * size + index
    place = place.reshape(-1)
    flat = [*before, -1, *rest]
    values = (
        values.expand([*before, *shape, *rest]).reshape(flat).movedim(len(before), 0)
    )
    written = x.reshape(flat).movedim(len(before), 0)
    columns = [1] * (written.dim() - 1)
    index = place.reshape(-1, *columns).expand(values.shape)
    rule = _scatter_add if accumulate else _scatter
    done = rule(written, 0, index, values)
    if done is NotImplemented:
        return done
    return done.movedim(0, len(before)).reshape(x.shape)


def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Of all elements in one row, as the gradient of `take` is."""
    flat = aten.index_put(
        x.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate
    )
    return flat.reshape(x.shape)


def _index_fill(operation: Any) -> Callable[..., Tensor]:
    """PyTorch's rule, which copies by index, of indices that are not negative."""
    rule = core_aten_decompositions()[operation]

    def wrapped(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
        if x.dim() and index.numel():
            size = x.shape[dim]
            index = in_range(index, -size, size, "aten.index_fill")
            index = torch.where(index < 0, index + size, index)
        return rule(x, dim, index, value)

    return wrapped


def _index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """As an index, but negative ones are out of range."""
    if not x.dim() or index.dim() != 1 or not index.numel():
        return NotImplemented
    dim %= x.dim()
    index = in_range(index, 0, x.shape[dim], "aten.index_select")
    return aten.index.Tensor(x, [*[None] * dim, index])


def _not_negative(operation: Any) -> Callable[..., Tensor]:
    """PyTorch's rule of an operation whose negative indices are out of range."""
    rule = core_aten_decompositions()[operation]

    def checked(x: Tensor, dim: int, index: Tensor, *rest: Any, **options: Any) -> Any:
        if x.dim() and index.numel():
            name = "aten." + operation._schema.name.partition("::")[2]
            index = in_range(index, 0, x.shape[dim], name)
        return rule(x, dim, index, *rest, **options)

    return checked


def sort(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """Stable; NaN is above all numbers."""
    if not has_few_pairs(x, dim):
        return NotImplemented
    line = x.movedim(dim, -1)
    n = line.shape[-1]
    number = _count(x, n)
    one, other = line.unsqueeze(-1), line.unsqueeze(-2)
    earlier = number.unsqueeze(0) < number.unsqueeze(1)
    before = other > one if descending else other < one
    same = other == one
    if x.is_floating_point():
        one_nan, other_nan = one != one, other != other
        same = same | (one_nan & other_nan)
        high, low = (other_nan, one_nan) if descending else (one_nan, other_nan)
        before = before | (high & ~low)
    before = before | (same & earlier)
    rank = before.to(torch.int64).sum(-1)
    hit = rank.unsqueeze(-2) == number.unsqueeze(1)
    order = torch.where(hit, number, scalar(number)).sum(-1)
    values = line.gather(-1, order)
    return values.movedim(-1, dim).contiguous(), order.movedim(-1, dim).contiguous()


def _stable_sort(
    x: Tensor, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Tensor, Tensor]:
    return sort(x, dim, descending)


def _topk(
    x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    found = sort(x, dim, largest)
    if found is NotImplemented:
        return found
    return tuple(part.narrow(dim, 0, k).contiguous() for part in found)


def _cumsum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    if dtype is None and not x.is_floating_point():
        dtype = torch.int64
    x = x if dtype is None else x.to(dtype)
    if not has_few_pairs(x, dim):
        return NotImplemented
    line = x.movedim(dim, -1)
    reached = reaches(x, line.shape[-1])
    sums = torch.where(reached, line.unsqueeze(-2), scalar(x)).sum(-1)
    return sums.movedim(-1, dim).contiguous()


def _pad(x: Tensor, pads: Sequence[int], value: float = 0) -> Tensor:
    """What is cut off, as by the gradient of a padding, is a slice."""
    if min(pads, default=0) >= 0:
        return NotImplemented
    for i in range(len(pads) // 2):
        d = x.dim() - 1 - i
        low, high = (max(-pad, 0) for pad in pads[2 * i : 2 * i + 2])
        x = x.narrow(d, low, x.shape[d] - low - high)
    kept = [max(pad, 0) for pad in pads]
    return aten.constant_pad_nd(x, kept, value) if any(kept) else x.clone()


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.scatter_add.default: _checked(_scatter_add),
        aten.scatter.src: _checked(_scatter),
        aten.scatter.value: _checked(_scatter_value),
        aten.index_put.default: _index_put,
        aten.index_select.default: _index_select,
        aten.index_add.default: _not_negative(aten.index_add.default),
        aten.index_copy.default: _not_negative(aten.index_copy.default),
        aten.index_fill.int_Scalar: _index_fill(aten.index_fill.int_Scalar),
        aten.index_fill.int_Tensor: _index_fill(aten.index_fill.int_Tensor),
        aten.put.default: _put,
        aten.sort.default: sort,
        aten.sort.stable: _stable_sort,
        aten.topk.default: _topk,
        aten.cumsum.default: _cumsum,
        aten.constant_pad_nd.default: _pad,
    }
