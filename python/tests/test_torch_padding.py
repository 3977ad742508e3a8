# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paddings in all their forms, with gradients, against eager PyTorch: compiled graphs
without a fallback, and compiled steps over several updates."""

from __future__ import annotations

import copy

import pytest
import torch
from forms import compare
from mlir_amp.torch import amp
from torch import nn
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("without_fallbacks")

# Shape and padding, the last dimension's first.
PADDINGS = {
    "line": ((2, 3, 5), (2, 1)),
    "line-unbatched": ((3, 5), (1, 4)),
    "line-nothing": ((2, 3, 5), (0, 0)),
    "image": ((2, 3, 4, 5), (2, 1, 3, 0)),
    "image-unbatched": ((3, 4, 5), (1, 1, 1, 1)),
    "volume": ((2, 2, 3, 4, 5), (1, 2, 0, 3, 2, 2)),
}
REPLICATING = {
    **PADDINGS,
    "cut-in-front": ((2, 3, 5), (-2, 3)),
    "cut-behind": ((2, 3, 5), (1, -3)),
    "cut-to-one": ((2, 3, 5), (-2, -2)),
    "one-place": ((2, 3, 1), (4, 2)),
    "two-places": ((2, 3, 4, 2), (1, 1, -1, 2)),
    "beyond-its-size": ((2, 3, 2), (7, 9)),
}
WITHIN = {  # of reflections and circles, whose padding is at most the size
    name: (shape, tuple(min(p, 2) for p in padding))
    for name, (shape, padding) in PADDINGS.items()
}


def padded(padding, mode):
    return lambda x: F.pad(x, padding, mode).pow(2)


@pytest.mark.parametrize("name", REPLICATING)
def test_replicating(name) -> None:
    shape, padding = REPLICATING[name]
    compare(padded(padding, "replicate"), torch.randn(shape))


@pytest.mark.parametrize("mode", ["reflect", "circular"])
@pytest.mark.parametrize("name", WITHIN)
def test_others(name, mode) -> None:
    shape, padding = WITHIN[name]
    if len(shape) == 5 and mode == "reflect":
        padding = (1, 2, 0, 2, 2, 2)
    compare(padded(padding, mode), torch.randn(shape))


def test_a_gradient_that_is_infinite_stays_in_its_place() -> None:
    weight = torch.ones(1, 1, 7)
    weight[..., 6] = float("inf")
    compare(lambda x: F.pad(x, (1, 1), "replicate") * weight, torch.randn(1, 1, 5))


@pytest.mark.parametrize("opt_level, tolerance", [("O0", 1e-5), ("O2", 3e-2)])
def test_steps(opt_level, tolerance) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1, padding_mode="replicate"),
        nn.ReLU(),
        nn.ReplicationPad2d((2, 0, 1, 1)),
        nn.Conv2d(4, 2, 3),
    )
    twin = copy.deepcopy(model)

    def loss(model, x, y):
        return F.mse_loss(model(x).float(), y)

    optimizer, eager = (
        torch.optim.SGD(each.parameters(), lr=0.05) for each in (model, twin)
    )
    step = amp.compile_step(model, loss, optimizer, opt_level)
    x, y = torch.randn(4, 1, 6, 6), torch.randn(4, 2, 6, 6)
    for _ in range(5):
        eager.zero_grad()
        expected = loss(twin, x, y)
        expected.backward()
        eager.step()
        torch.testing.assert_close(
            step(x, y), expected.detach(), atol=tolerance, rtol=tolerance
        )
