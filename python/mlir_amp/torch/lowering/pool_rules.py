# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling and its gradients, for one to three dimensions and all their options.

A window is a product of ranges, so that sums and maxima are taken one dimension after
another. Regular ranges are slices with strides, one for each place in a window; adaptive
ones, whose lengths differ, are a comparison of each window with each place of its line.
The place of a maximum travels with it as a number in the whole image: the first one, or
the last NaN, as eager PyTorch has it.

A gradient is the same the other way round. What adaptive windows a place lies in is an
adaptive range too, of sizes exchanged.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar, wide
from mlir_amp.torch.lowering.index_rules import MOST_PAIRS

aten = torch.ops.aten


def _pad(x: Tensor, dim: int, before: int, after: int, fill: float) -> Tensor:
    if not before and not after:
        return x
    pads = [0, 0] * (x.dim() - 1 - dim % x.dim()) + [before, after]
    return aten.constant_pad_nd(x, pads, fill)


def _repeat(x: Tensor, dim: int, times: int) -> Tensor:
    """Each element of a dimension several times in a row."""
    d = dim % x.dim()
    x = x.unsqueeze(d + 1)
    return x.expand(*x.shape[: d + 1], times, *x.shape[d + 2 :]).flatten(d, d + 1)


class _Windows:
    """The windows of one dimension.

    Attributes:
        dim: Counted from the end.
        size: Of the image.
        count: Of windows.
        length: Of a window, with what dilation leaves out.
    """

    def __init__(
        self,
        size: int,
        kernel: int,
        stride: int,
        padding: int,
        dilation: int,
        dim: int,
        ceil_mode: bool,
    ) -> None:
        self.dim, self.size, self.kernel = dim, size, kernel
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.length = dilation * (kernel - 1) + 1
        rest = size + 2 * padding - self.length
        self.count = 1 + (-(-rest // stride) if ceil_mode else rest // stride)
        if ceil_mode and (self.count - 1) * stride >= size + padding:
            self.count -= 1  # the last one would begin behind the image
        # Windows that lie side by side, without padding, are a dimension of their own.
        self._tiles = self.length == stride and dilation == 1 and padding == 0
        self._tiles = self._tiles and self.count * kernel <= size

    @property
    def is_padded(self) -> bool:
        """Whether a window has a place outside of the image."""
        return (
            self.padding > 0 or (self.count - 1) * self.stride + self.length > self.size
        )

    @property
    def is_regular(self) -> bool:
        """Whether no window reaches beyond the padding."""
        end = (self.count - 1) * self.stride + self.length
        return end <= self.size + 2 * self.padding

    def taps(self, x: Tensor, fill: float) -> list[Tensor]:
        """For each place in a window, what all windows have there."""
        reach = (self.count - 1) * self.stride + 1
        missing = max(0, reach + self.length - 1 - self.padding - self.size)
        x = _pad(x, self.dim, self.padding, missing, fill)
        begins = range(0, self.length, self.dilation)
        return [
            aten.slice.Tensor(x, x.dim() + self.dim, b, b + reach, self.stride)
            for b in begins
        ]

    def sum(self, x: Tensor) -> Tensor:
        if self._tiles:
            x = x.narrow(self.dim, 0, self.count * self.kernel)
            return x.unflatten(self.dim, (self.count, self.kernel)).sum(self.dim)
        return functools.reduce(operator.add, self.taps(x, 0.0))

    def spread(self, x: Tensor, fill: float, reach: int) -> Tensor:
        """Each window as often as it has places of its own, with `reach` - 1 that are
        none in front."""
        last = (self.size - 1 + self.padding) // self.stride
        x = _pad(x, self.dim, reach - 1, max(0, last + 1 - self.count), fill)
        return _repeat(x, self.dim, self.stride)

    def cut(self, x: Tensor, reach: int, back: int) -> Tensor:
        """Of what is spread, for each place of the image the window that is so many
        before the last one that has begun there."""
        begin = self.padding + self.stride * (reach - 1 - back)
        return x.narrow(self.dim, begin, self.size)

    def sum_gradient(self, grad: Tensor) -> Tensor:
        """What each place gets of the windows that it lies in."""
        if self._tiles:
            grad = _repeat(grad, self.dim, self.kernel)
            return _pad(grad, self.dim, 0, self.size - grad.shape[self.dim], 0.0)
        reach = -(-self.kernel // self.stride)
        place = self._column(torch.arange(self.size, device=grad.device))
        first = (place + self.padding) % self.stride
        grad = self.spread(grad, 0.0, reach)
        parts = []
        for back in range(reach):
            part = self.cut(grad, reach, back)
            if (back + 1) * self.stride > self.kernel:  # it lies in some of them only
                inside = first + back * self.stride < self.kernel
                part = torch.where(inside, part, scalar(part))
            parts.append(part)
        return functools.reduce(operator.add, parts)

    def _column(self, line: Tensor) -> Tensor:
        return line.reshape(-1, *[1] * (-1 - self.dim))

    def lengths(self, with_padding: bool, like: Tensor) -> Tensor:
        """How many places of each window count, as a line along the dimension."""
        begin = torch.arange(self.count, device=like.device) * self.stride
        begin = begin - self.padding
        end = (begin + self.kernel).clamp(max=self.size + self.padding)
        if not with_padding:
            begin, end = begin.clamp(min=0), end.clamp(max=self.size)
        return self._column((end - begin).to(like.dtype))


def _each(values: Sequence[int], rank: int) -> list[int]:
    return list(values) * rank if len(values) == 1 else list(values)


def _windows(
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> list[_Windows]:
    """Those of each dimension, the last first."""
    rank = len(size)
    kernel, padding = _each(kernel, rank), _each(padding, rank)
    stride = _each(stride, rank) if len(stride) else kernel
    lines = zip(size, kernel, stride, padding, _each(dilation, rank), range(-rank, 0))
    return [_Windows(*line, ceil_mode) for line in reversed(list(lines))]


# ----------------------------------------------------------------------------
# Averages
# ----------------------------------------------------------------------------


def _divided(
    x: Tensor, windows: Sequence[_Windows], with_padding: bool, divisor: int | None
) -> Tensor:
    """Sums of windows, or gradients of averages, divided by what an average is of."""
    same = all(w.is_regular and (with_padding or not w.padding) for w in windows)
    if divisor is not None or same:
        return x / float(divisor or math.prod(w.kernel for w in windows))
    lengths = (window.lengths(with_padding, x) for window in windows)
    return x / functools.reduce(operator.mul, lengths)


def _average_pool(rank: int) -> Callable[..., Tensor]:
    """torch-mlir has the plain form, of several images."""

    def pool(
        x: Tensor,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0,),
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor: int | None = None,
    ) -> Tensor:
        plain = not ceil_mode and divisor is None
        plain = plain and (count_include_pad or not any(padding))
        if rank == 2 and plain and x.dim() == 4:
            return NotImplemented
        windows = _windows(x.shape[-rank:], kernel, stride, padding, [1], ceil_mode)
        total = wide(x)
        for window in windows:
            total = window.sum(total)
        return _divided(total, windows, count_include_pad, divisor).to(x.dtype)

    return pool


def _average_pool_backward(rank: int) -> Callable[..., Tensor]:
    def backward(
        grad: Tensor,
        x: Tensor,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        ceil_mode: bool,
        count_include_pad: bool,
        divisor: int | None,
    ) -> Tensor:
        windows = _windows(x.shape[-rank:], kernel, stride, padding, [1], ceil_mode)
        image = _divided(wide(grad), windows, count_include_pad, divisor)
        for window in windows:
            image = window.sum_gradient(image)
        return image.to(grad.dtype)

    return backward


# ----------------------------------------------------------------------------
# Maxima
# ----------------------------------------------------------------------------


def _places(x: Tensor, rank: int) -> Tensor:
    """Each place's number in its image, for all images."""
    size = x.shape[-rank:]
    return torch.arange(math.prod(size), device=x.device).reshape(size)


def _best_tap(
    values: Sequence[Tensor], numbers: Sequence[Tensor], is_padded: bool
) -> tuple[Tensor, Tensor]:
    """The first of the greatest and its number, or the last NaN; a number below 0 is of
    padding."""
    best, place = values[0], numbers[0].expand(values[0].shape)
    for value, number in itertools.islice(zip(values, numbers), 1, None):
        better = (value > best) | aten.ne.Tensor(value, value)
        if is_padded:
            better = better | (place < 0)
        best = torch.where(better, value, best)
        place = torch.where(better, number, place)
    return best, place


def _max_pool(rank: int) -> Callable[..., tuple[Tensor, Tensor]]:
    def pool(
        x: Tensor,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0,),
        dilation: Sequence[int] = (1,),
        ceil_mode: bool = False,
    ) -> tuple[Tensor, Tensor]:
        if not x.is_floating_point():
            return NotImplemented
        size = x.shape[-rank:]
        windows = _windows(size, kernel, stride, padding, dilation, ceil_mode)
        # In 32 bits, which are half of what is moved.
        best, place = x, _places(x, rank).to(torch.int32)
        for window in windows:
            values, numbers = window.taps(best, -math.inf), window.taps(place, -1)
            best, place = _best_tap(values, numbers, window.is_padded)
        return best, place.to(torch.int64)

    return pool


def _max_pool_backward(rank: int) -> Callable[..., Tensor]:
    """A gather: of the windows that can reach a place, as many as a window is long over
    its stride, those whose kept index is this place give it their gradient."""

    def backward(
        grad: Tensor,
        x: Tensor,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        ceil_mode: bool,
        indices: Tensor,
    ) -> Tensor:
        size = x.shape[-rank:]
        windows = _windows(size, kernel, stride, padding, dilation, ceil_mode)
        reaches = [-(-window.length // window.stride) for window in windows]
        gradients, places = grad, indices.to(torch.int32)
        for window, reach in zip(windows, reaches):
            gradients = window.spread(gradients, 0.0, reach)
            places = window.spread(places, -1, reach)
        here = _places(x, rank).to(torch.int32)
        parts = []
        for backs in itertools.product(*map(range, reaches)):
            gradient, place = gradients, places
            for window, reach, back in zip(windows, reaches, backs):
                gradient = window.cut(gradient, reach, back)
                place = window.cut(place, reach, back)
            parts.append(torch.where(torch.eq(place, here), gradient, scalar(grad)))
        return functools.reduce(operator.add, parts)

    return backward


# ----------------------------------------------------------------------------
# Adaptive pooling
# ----------------------------------------------------------------------------


class _Adaptive:
    """Ranges that divide `size` places among `count` windows; they overlap, and some are
    longer by one, where the former is no multiple of the latter."""

    def __init__(self, dim: int, size: int, count: int) -> None:
        self.dim, self.size, self.count = dim, size, count
        self._is_regular = count > 0 and size % count == 0

    def _bounds(self, device: torch.device) -> tuple[Tensor, Tensor]:
        number = torch.arange(self.count, device=device)
        begin = (number * self.size) // self.count
        end = ((number + 1) * self.size + (self.count - 1)) // self.count
        return begin, end

    def _inside(self, x: Tensor) -> Tensor:
        """[windows, places]: whether a window has a place."""
        begin, end = (bound.unsqueeze(1) for bound in self._bounds(x.device))
        place = torch.arange(self.size, device=x.device)
        return (place >= begin) & (place < end)

    def lines(self, x: Tensor, fill: float) -> Tensor:
        """[..., windows, places], with what is in no window filled."""
        x = x.movedim(self.dim, -1)
        if self._is_regular:
            return x.unflatten(-1, (self.count, self.size // self.count))
        return torch.where(self._inside(x), x.unsqueeze(-2), scalar(x, fill))

    def whole(self, x: Tensor) -> Tensor:
        return x.movedim(-1, self.dim).contiguous()

    def sum(self, x: Tensor) -> Tensor:
        return self.whole(self.lines(x, 0.0).sum(-1))

    def lengths(self, like: Tensor) -> Tensor:
        begin, end = self._bounds(like.device)
        return (end - begin).to(like.dtype).reshape(-1, *[1] * (-1 - self.dim))

    def best(self, x: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
        """The maximum of each window, and its place."""
        beyond = torch.iinfo(place.dtype).max
        values, numbers = self.lines(x, -math.inf), self.lines(place, -1)
        best = values.amax(-1, keepdim=True)
        is_number = numbers >= 0
        hit = is_number & torch.eq(values, best)
        first = torch.where(hit, numbers, scalar(numbers, beyond)).amin(-1)
        nan = aten.ne.Tensor(values, values)
        last = torch.where(nan, numbers, scalar(numbers, -1)).amax(-1)
        place = torch.where(last >= 0, last, first)
        return self.whole(best.squeeze(-1)), self.whole(place)


def _adaptive(size: Sequence[int], count: Sequence[int]) -> list[_Adaptive]:
    rank = len(size)
    return [_Adaptive(i - rank, size[i], count[i]) for i in reversed(range(rank))]


def _divided_adaptively(x: Tensor, windows: Sequence[_Adaptive]) -> Tensor:
    if all(w.size % w.count == 0 for w in windows):
        return x / float(math.prod(w.size // w.count for w in windows))
    lengths = (window.lengths(x) for window in windows)
    return x / functools.reduce(operator.mul, lengths)


def _adaptive_average(x: Tensor, count: Sequence[int]) -> Tensor:
    if not x.numel() or not all(count):
        return NotImplemented
    windows = _adaptive(x.shape[-len(count) :], count)
    total = wide(x)
    for window in windows:
        total = window.sum(total)
    return _divided_adaptively(total, windows).to(x.dtype)


def _adaptive_average_backward(rank: int) -> Callable[..., Tensor]:
    def backward(grad: Tensor, x: Tensor) -> Tensor:
        if not grad.numel():
            return NotImplemented
        size, count = x.shape[-rank:], grad.shape[-rank:]
        image = _divided_adaptively(wide(grad), _adaptive(size, count))
        for window in _adaptive(count, size):
            if window.count % window.size:
                image = window.sum(image)
            else:
                image = _repeat(image, window.dim, window.count // window.size)
        return image.to(grad.dtype)

    return backward


def _adaptive_max(x: Tensor, count: Sequence[int]) -> tuple[Tensor, Tensor]:
    if not x.numel() or not all(count):
        return NotImplemented
    best, place = x, _places(x, len(count)).expand(x.shape)
    for window in _adaptive(x.shape[-len(count) :], count):
        best, place = window.best(best, place)
    return best, place


def _adaptive_max_backward(rank: int) -> Callable[..., Tensor]:
    """Windows of one size are those of another pooling; of others each place is compared
    with what all windows kept."""

    def backward(grad: Tensor, x: Tensor, indices: Tensor) -> Tensor:
        size, count = x.shape[-rank:], grad.shape[-rank:]
        if grad.numel() and all(s % c == 0 for s, c in zip(size, count)):
            kernel = [s // c for s, c in zip(size, count)]
            gather = _max_pool_backward(rank)
            return gather(grad, x, kernel, kernel, [0], [1], False, indices)
        if not 0 < x.numel() * math.prod(count) <= MOST_PAIRS:
            return NotImplemented
        column = grad.flatten(-rank).unsqueeze(-1)
        place = indices.flatten(-rank).unsqueeze(-1)
        here = torch.arange(math.prod(size), device=x.device)
        image = torch.where(place == here, column, scalar(grad)).sum(-2)
        return image.unflatten(-1, size)

    return backward


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.avg_pool2d.default: _average_pool(2),
        aten.avg_pool3d.default: _average_pool(3),
        aten.avg_pool2d_backward.default: _average_pool_backward(2),
        aten.avg_pool3d_backward.default: _average_pool_backward(3),
        aten.max_pool2d_with_indices.default: _max_pool(2),
        aten.max_pool3d_with_indices.default: _max_pool(3),
        aten.max_pool2d_with_indices_backward.default: _max_pool_backward(2),
        aten.max_pool3d_with_indices_backward.default: _max_pool_backward(3),
        aten._adaptive_avg_pool2d.default: _adaptive_average,
        aten._adaptive_avg_pool3d.default: _adaptive_average,
        aten._adaptive_avg_pool2d_backward.default: _adaptive_average_backward(2),
        aten._adaptive_avg_pool3d_backward.default: _adaptive_average_backward(3),
        aten.adaptive_max_pool2d.default: _adaptive_max,
        aten.adaptive_max_pool3d.default: _adaptive_max,
        aten.adaptive_max_pool2d_backward.default: _adaptive_max_backward(2),
        aten.adaptive_max_pool3d_backward.default: _adaptive_max_backward(3),
    }
