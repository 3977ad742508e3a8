# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling in all its forms, with gradients, against eager PyTorch: compiled graphs
without a fallback, compiled steps over several updates, and places of NaN."""

from __future__ import annotations

import copy
import itertools
import math

import pytest
import torch
from cases import except_for
from forms import compare
from mlir_amp.errors import NotLowered
from mlir_amp.torch import amp, backend
from torch import nn
from torch.nn import functional as F

IMAGES, LINES, VOLUMES = (2, 3, 7, 9), (2, 3, 10), (2, 2, 4, 6, 5)
WIDE = (2, 3, 11, 13)


pytestmark = pytest.mark.usefixtures("without_fallbacks")


CEIL = {"ceil_mode": True}
INSIDE = {"count_include_pad": False}
POOLS = {
    "average": (lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGES),
    "average-ceil": (lambda x: F.avg_pool2d(x, 3, 2, 1, **CEIL), IMAGES),
    "average-inside": (lambda x: F.avg_pool2d(x, (3, 2), 2, 1, **INSIDE), IMAGES),
    "average-both": (lambda x: F.avg_pool2d(x, 4, 3, (1, 2), **CEIL, **INSIDE), IMAGES),
    "average-divisor": (lambda x: F.avg_pool2d(x, (3, 2), divisor_override=5), IMAGES),
    "average-tiles": (lambda x: F.avg_pool2d(x, (2, 3)), IMAGES),
    "average-gaps": (lambda x: F.avg_pool2d(x, 2, 3), IMAGES),
    "average-one-image": (lambda x: F.avg_pool2d(x, 2), IMAGES[1:]),
    "average-lines": (lambda x: F.avg_pool1d(x, 3, 2, 1, **CEIL, **INSIDE), LINES),
    "average-volumes": (lambda x: F.avg_pool3d(x, 2), VOLUMES),
    "average-volumes-all": (lambda x: F.avg_pool3d(x, 3, 2, 1, **CEIL), VOLUMES),
    "maximum": (lambda x: F.max_pool2d(x, 3, 2, 1), IMAGES),
    "maximum-ceil": (lambda x: F.max_pool2d(x, 2, **CEIL), IMAGES),
    "maximum-dilation": (lambda x: F.max_pool2d(x, 2, 1, 1, dilation=2), IMAGES),
    "maximum-all": (
        lambda x: F.max_pool2d(x, (3, 2), (2, 3), (1, 0), dilation=(2, 3), **CEIL),
        WIDE,
    ),
    "maximum-gaps": (lambda x: F.max_pool2d(x, 2, 3), IMAGES),
    "maximum-one-image": (lambda x: F.max_pool2d(x, 2), IMAGES[1:]),
    "maximum-lines": (lambda x: F.max_pool1d(x, 3, 2, 1, **CEIL), LINES),
    "maximum-volumes": (lambda x: F.max_pool3d(x, 2), VOLUMES),
    "maximum-volumes-all": (lambda x: F.max_pool3d(x, 3, 2, 1, **CEIL), VOLUMES),
    "maximum-places": (
        lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
        IMAGES,
    ),
    "powers": (lambda x: F.lp_pool2d(x, 2, 3, 2), IMAGES),
    "powers-ceil": (lambda x: F.lp_pool2d(x.abs() + 0.1, 3, 2, **CEIL), IMAGES),
    "adaptive-average": (lambda x: F.adaptive_avg_pool2d(x, (3, 4)), IMAGES),
    "adaptive-average-one": (lambda x: F.adaptive_avg_pool2d(x, 1), IMAGES),
    "adaptive-average-more": (lambda x: F.adaptive_avg_pool2d(x, (14, 10)), IMAGES),
    "adaptive-average-lines": (lambda x: F.adaptive_avg_pool1d(x, 4), LINES),
    "adaptive-average-volumes": (
        lambda x: F.adaptive_avg_pool3d(x, (2, 3, 2)),
        VOLUMES,
    ),
    "adaptive-maximum": (lambda x: F.adaptive_max_pool2d(x, (3, 4)), IMAGES),
    "adaptive-maximum-tiles": (lambda x: F.adaptive_max_pool2d(x, (7, 3)), IMAGES),
    "adaptive-maximum-one": (lambda x: F.adaptive_max_pool2d(x, 1), IMAGES),
    "adaptive-maximum-places": (
        lambda x: F.adaptive_max_pool2d(x, (2, 5), return_indices=True),
        IMAGES,
    ),
    "adaptive-maximum-lines": (lambda x: F.adaptive_max_pool1d(x, 4), LINES),
    "adaptive-maximum-volumes": (
        lambda x: F.adaptive_max_pool3d(x, (2, 3, 2)),
        VOLUMES,
    ),
    "response": (lambda x: F.local_response_norm(x, 2), IMAGES),
}


@pytest.mark.parametrize("name", POOLS)
def test_forms(name) -> None:
    function, shape = POOLS[name]
    compare(function, torch.randn(shape))


@pytest.mark.parametrize(
    "name", [name for name in POOLS if "maximum" in name and "places" not in name]
)
def test_places_among_equals(name) -> None:
    """Of NaN the last, of others the first; none of it is outside of the image, where
    PyTorch's own gradient would write."""
    function, shape = POOLS[name]
    inputs = []
    for value in (math.nan, -math.inf, 0.0):
        x = torch.randn(shape)
        x[..., 1:4] = value
        inputs += [x, torch.full(shape, value)]
    compare(function, *inputs)


def test_infinite_sums_stay_in_their_windows() -> None:
    x = torch.randn(IMAGES)
    x[0, 0, 2, 3] = math.inf
    for name in ("average", "average-both", "adaptive-average"):
        compare(POOLS[name][0], x)


class Pooled(nn.Module):
    def __init__(self, pool) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = pool
        self.last = nn.LazyLinear(3)

    def forward(self, x):
        return self.last(self.pool(self.first(x).relu()).flatten(1))


STEPS = {
    "average": nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False),
    "maximum": nn.MaxPool2d(3, 2, 1, dilation=2, ceil_mode=True),
    "powers": nn.LPPool2d(2, 3, 2),
    "adaptive-average": nn.AdaptiveAvgPool2d((3, 2)),
    "adaptive-maximum": nn.AdaptiveMaxPool2d((3, 4)),
}


TOLERANCES = {"O0": 1e-5, "O1": 3e-2}


# At O1 each kind of pooling, whose windows are at places that another case has.
@pytest.mark.parametrize(
    "name, opt_level",
    except_for(
        itertools.product(STEPS, TOLERANCES),
        ("adaptive-average", "O1"),
        ("adaptive-maximum", "O1"),
    ),
)
def test_steps(name, opt_level) -> None:
    tolerance = TOLERANCES[opt_level]
    model = Pooled(STEPS[name])
    x, y = torch.randn(8, 1, 7, 9) + 0.5, torch.arange(8) % 3
    model(x)
    twin = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    other = torch.optim.SGD(twin.parameters(), 0.1, momentum=0.9)
    step = amp.compile_step(
        model, lambda model, x, y: F.cross_entropy(model(x), y), optimizer, opt_level
    )
    for _ in range(6):
        other.zero_grad()
        loss = F.cross_entropy(twin(x), y)
        loss.backward()
        other.step()
        torch.testing.assert_close(step(x, y), loss, atol=tolerance, rtol=tolerance)


def test_refused_pools() -> None:
    """What draws its windows at random has no form, and is named."""
    model = Pooled(nn.FractionalMaxPool2d(2, output_size=3))
    x = torch.randn(8, 1, 7, 9)
    model(x)
    step = amp.compile_step(
        model,
        lambda model, x: model(x).sum(),
        torch.optim.SGD(model.parameters(), 0.1),
        "O0",
    )
    with pytest.raises(NotLowered, match="aten.fractional_max_pool2d"):
        step(x)
