# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images that are read at places of a grid, as sums of rows of channels.

PyTorch's kernels and their gradients have no form in linalg. What stands for them reads
for each place the 2^d pixels around it, all channels of a pixel as one row; its gradient
adds rows, and those with respect to the grid follow from the weights.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


class _DenseGradient(torch.autograd.Function):
    """The identity, with a gradient that lies as that of PyTorch's kernel does."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient.contiguous()


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """As `torch.nn.functional.grid_sample`, which is left bicubic samples and what it
    refuses."""
    dims = input.dim() - 2
    known = mode in _MODES[:2] and padding_mode in _PADDINGS
    fits = dims in (2, 3) and grid.dim() == input.dim() and grid.shape[-1] == dims
    if not (known and fits and grid.shape[0] == input.shape[0] and input.numel()):
        return functional.grid_sample(input, grid, mode, padding_mode, align_corners)
    sizes, aligns = input.shape[2:], bool(align_corners)
    # The last number of a place is that of the first dimension.
    places = [
        _pad(_to_pixels(part, size, aligns), size, padding_mode, aligns)
        for part, size in zip(reversed(grid.unbind(-1)), sizes)
    ]
    rows = _DenseGradient.apply(input).movedim(1, -1).reshape(-1, input.shape[1])
    samples = torch.arange(input.shape[0], device=input.device)
    samples = samples.reshape(-1, *[1] * dims).expand(grid.shape[:-1])
    if mode == "nearest":
        found = _read(rows, samples, [place.round() for place in places], sizes)
    else:
        floors = [place.floor().detach() for place in places]
        found = 0.0
        for corner in itertools.product((0, 1), repeat=dims):
            weight = math.prod(
                place - floor if step else floor + 1 - place
                for place, floor, step in zip(places, floors, corner)
            )
            pixels = [floor + step for floor, step in zip(floors, corner)]
            read = _read(rows, samples, pixels, sizes)
            found = found + read * weight.unsqueeze(-1)
    return found.movedim(-1, 1).contiguous()


def grid_sampler(
    input: Tensor, grid: Tensor, mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """As `torch.grid_sampler`, whose names are numbers."""
    names = _MODES[mode], _PADDINGS[padding_mode]
    return grid_sample(input, grid, *names, align_corners)


def _to_pixels(place: Tensor, size: int, aligns: bool) -> Tensor:
    """From -1 to 1 to places among the pixels of a line."""
    if aligns:
        return (place + 1) / 2 * (size - 1)
    return ((place + 1) * size - 1) / 2


def _pad(place: Tensor, size: int, padding: str, aligns: bool) -> Tensor:
    """Places beyond the border, as they are read."""
    if padding == "zeros":
        return place
    if padding == "reflection":
        place = _reflect(place, size, aligns)
    inside = (place > 0) & (place < size - 1)
    border = place.detach().clamp(0, size - 1)  # which has no gradient
    return torch.where(inside, place, border)


def _reflect(place: Tensor, size: int, aligns: bool) -> Tensor:
    low, span = (0.0, size - 1) if aligns else (-0.5, size)
    if not span:
        return torch.zeros_like(place)
    away = place - low
    away = torch.where(away < 0, -away, away)
    turns = (away.detach() / span).floor()
    extra = away - turns * span
    is_even = turns - 2 * (turns / 2).floor() == 0
    return torch.where(is_even, extra, span - extra) + low


def _read(
    rows: Tensor, samples: Tensor, pixels: list[Tensor], sizes: torch.Size
) -> Tensor:
    """Rows of channels at whole numbers of pixels; zeros outside, and where these are
    NaN."""
    inside = functools.reduce(
        torch.logical_and,
        ((pixel >= 0) & (pixel <= size - 1) for pixel, size in zip(pixels, sizes)),
    )
    number = samples
    for pixel, size in zip(pixels, sizes):
        at = torch.where(inside, pixel.detach(), torch.zeros_like(pixel))
        number = number * size + at.to(torch.int64)
    found = rows.index_select(0, number.reshape(-1)).reshape(*number.shape, -1)
    return torch.where(inside.unsqueeze(-1), found, torch.zeros_like(found))
