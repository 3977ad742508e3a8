# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that write by index, as `scatter_rows`, and those that sort, by comparing
every element with every place.

What writes by index has numbers of rows, which what is not indexed makes up, and goes
through its updates in their order, as PyTorch's loops do.

Where an element goes in order is the number of those before it. That is one comparison
for each pair, which fuses into the sum, and quadratic: beyond `MOST_PAIRS` a rule
returns NotImplemented, and PyTorch runs the graph. Nothing is multiplied by a 0 that
stands for "not here", so that an infinity stays where it belongs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions

from mlir_amp.torch.lowering import combining
from mlir_amp.torch.lowering.constants import scalar, wide
from mlir_amp.torch.lowering.index_checks import in_range
from mlir_amp.torch.lowering.running_loops import running
from mlir_amp.torch.lowering.scatter_rows import linear_place, scatter_leading

aten = torch.ops.aten

# About a tenth of a second on one core.
MOST_PAIRS = 1 << 26


# Types of places; indices of others are masks.
_WHOLE = (torch.int32, torch.int64)


def has_few_pairs(x: Tensor, dim: int) -> bool:
    """Whether each element may be compared with each of its line."""
    return x.dim() > 0 and 0 < x.numel() * x.shape[dim] <= MOST_PAIRS


def _count(like: Tensor, number: int) -> Tensor:
    return torch.arange(number, device=like.device)


def reaches(like: Tensor, size: int) -> Tensor:
    """[places, places]: whether the second is the first or before it."""
    number = _count(like, size)
    return number.unsqueeze(0) <= number.unsqueeze(1)


def _in_front(x: Tensor, dims: Sequence[int]) -> Tensor:
    """Some dimensions in front of the others, in this order."""
    return x.movedim(list(dims), list(range(len(dims))))


def _back(x: Tensor, dims: Sequence[int]) -> Tensor:
    """What was moved `_in_front`, at its own place."""
    return x.movedim(list(range(len(dims))), list(dims)).contiguous()


def _is_indexed(x: Tensor, dim: int, index: Tensor, d: int) -> bool:
    """Whether a dimension is not of rows: an index that is expanded along it names whole
    rows. Strides of a graph's values are known, and PyTorch compiles anew for inputs of
    other ones."""
    shares = index.stride(d) == 0 or index.shape[d] == 1
    return d == dim or index.shape[d] != x.shape[d] or not shares


def _write(
    x: Tensor, dim: int, index: Tensor, source: Tensor, combine: str
) -> Tensor:
    """`x` with a source for each index, as `torch.scatter` and `scatter_add` define it.

    Args:
        x: Of any shape.
        dim: The dimension whose places are named.
        index: Of `x`'s rank, nowhere longer but along `dim`.
        source: Nowhere shorter than the index.
        combine: As `scatter_rows` takes it.
    """
    if not index.numel():
        return x.clone()
    shape = x.shape
    x, index, source = (t if t.dim() else t.reshape(1) for t in (x, index, source))
    dim %= x.dim()
    if not x.shape[dim]:
        return NotImplemented  # which names a place that is none
    for d, extent in enumerate(index.shape):
        source = source.narrow(d, 0, extent)
    indexed = [d for d in range(x.dim()) if _is_indexed(x, dim, index, d)]
    for d in reversed(range(x.dim())):
        index = index if d in indexed else index.select(d, 0)
    index = in_range(index, 0, x.shape[dim], "aten.scatter").to(torch.int64)
    coordinates = [
        index if d == dim else _line(index, place) for place, d in enumerate(indexed)
    ]
    place = linear_place(coordinates, [x.shape[d] for d in indexed]).reshape(-1)
    source = _in_front(source, indexed).flatten(0, len(indexed) - 1)
    rows = _in_front(x, indexed)
    done = scatter_leading(rows, len(indexed), place, source, combine)
    return _back(done, indexed).reshape(shape)


def _line(x: Tensor, dim: int) -> Tensor:
    """The numbers of places along a dimension, in the shape of `x`."""
    line = _count(x, x.shape[dim]).reshape(-1, *[1] * (x.dim() - 1 - dim))
    return line.expand(x.shape)


def _scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return _write(x, dim, index, source, "add")


def _scatter(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return _write(x, dim, index, source, "write")


# Names of PyTorch's reductions.
_COMBINES = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


def _scatter_reduce(
    x: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """With others than `x`'s elements alone, these are first made what changes
    nothing. A mean is a sum that is divided by how many there are, of integers
    downwards."""
    combine = _COMBINES[reduce]
    dtype = x.dtype
    if reduce == "mean":
        if dtype == torch.bool:
            return NotImplemented
        x, source = wide(x), wide(source)
    start = x
    if not include_self:
        nothing = combining.identity(combine, x).expand(index.shape)
        start = _write(x, dim, index, nothing, "write")
        if start is NotImplemented:
            return start
    total = _write(start, dim, index, source, combine)
    if reduce != "mean" or total is NotImplemented:
        return total
    ones = torch.ones_like(x)
    none = ones if include_self else torch.zeros_like(x)
    times = _write(none, dim, index, ones.new_ones(()).expand(index.shape), "add")
    mode = None if x.is_floating_point() else "floor"
    times = torch.where(times == 0, scalar(times, 1), times)
    return torch.div(total, times, rounding_mode=mode).to(dtype)


def _index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, **options: bool
) -> Tensor:
    """One index for all that stands at a place of `dim`."""
    if not x.dim():
        return NotImplemented
    shape = [1] * x.dim()
    shape[dim] = index.numel()
    index = index.reshape(shape).expand(source.shape)
    return _scatter_reduce(x, dim, index, source, reduce, **options)


def _scatter_value(x: Tensor, dim: int, index: Tensor, value: float) -> Tensor:
    source = torch.full((), value, dtype=x.dtype, device=x.device)
    return _write(x, dim, index, source.expand(index.shape), "write")


def _put_by_mask(
    x: Tensor, mask: Tensor, values: Tensor, dim: int, accumulate: bool
) -> Tensor:
    """One value, where the mask says so."""
    if values.numel() != 1 or accumulate or dim:
        return NotImplemented
    mask = mask.reshape(*mask.shape, *[1] * (x.dim() - mask.dim()))
    return torch.where(mask, values.reshape(()), x)


def _index_put(
    x: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """The indexed dimensions become one in front; the others make up rows."""
    named = [d for d, index in enumerate(indices) if index is not None]
    tensors = [indices[d] for d in named]
    if len(named) == 1 and tensors[0].dtype == torch.bool:
        return _put_by_mask(x, tensors[0], values, named[0], accumulate)
    if not named or any(index.dtype not in _WHOLE for index in tensors):
        return NotImplemented
    sizes = [x.shape[d] for d in named]
    shape = torch.broadcast_shapes(*(index.shape for index in tensors))
    if not math.prod(shape) or not math.prod(sizes):
        return NotImplemented if math.prod(shape) else x.clone()
    place = linear_place(
        [_from_the_front(i, size) for i, size in zip(tensors, sizes)], sizes
    )
    place = place.expand(shape).reshape(-1)
    rest = [extent for d, extent in enumerate(x.shape) if d not in named]
    # Of indices side by side the values have their dimensions there, of others in front.
    side_by_side = named == list(range(named[0], named[0] + len(named)))
    before = named[0] if side_by_side else 0
    values = values.expand([*rest[:before], *shape, *rest[before:]])
    values = _in_front(values, range(before, before + len(shape)))
    values = values.reshape(math.prod(shape), *rest)
    rows = _in_front(x, named)
    combine = "add" if accumulate else "write"
    done = scatter_leading(rows, len(named), place, values, combine)
    return _back(done, named)


def _from_the_front(index: Tensor, size: int) -> Tensor:
    """Indices of which negative ones count from the end, as places."""
    index = in_range(index, -size, size, "aten.index_put").to(torch.int64)
    return torch.where(index < 0, index + size, index)


def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Of all elements in one row, as the gradient of `take` is."""
    flat = aten.index_put(
        x.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate
    )
    return flat.reshape(x.shape)


def _index(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """By int64 and indices of one shape: torch-mlir has no form for int32, and ends the
    process where ranks differ."""
    tensors = [index for index in indices if index is not None]
    if any(index.dtype not in _WHOLE for index in tensors):
        return NotImplemented
    shape = torch.broadcast_shapes(*(index.shape for index in tensors))
    if all(t.dtype == torch.int64 and t.shape == shape for t in tensors):
        return NotImplemented
    plain = [i if i is None else i.to(torch.int64).expand(shape) for i in indices]
    return aten.index.Tensor(x, plain)


def _take(x: Tensor, index: Tensor) -> Tensor:
    """PyTorch's rule reads the value of an index without dimensions."""
    return aten.index.Tensor(x.reshape(-1), [index])


def _gather(
    x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False
) -> Tensor:
    """torch-mlir has no form without dimensions."""
    if x.dim() and index.dim():
        return NotImplemented
    line, places = x.reshape(-1), index.reshape(-1)
    return aten.gather(line, 0, places).reshape(index.shape)


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


def in_its_type(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    """`x` in the type of what PyTorch adds up or multiplies along a line."""
    if dtype is None and not x.is_floating_point():
        dtype = torch.int64
    return x if dtype is None else x.to(dtype)


def _cumsum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    return running(in_its_type(x, dtype), dim, "add")


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
        aten.scatter_add.default: _scatter_add,
        aten.scatter.src: _scatter,
        aten.scatter.value: _scatter_value,
        aten.scatter_reduce.two: _scatter_reduce,
        aten.index_reduce.default: _index_reduce,
        aten.index_put.default: _index_put,
        aten.index.Tensor: _index,
        aten.take.default: _take,
        aten.gather.default: _gather,
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
