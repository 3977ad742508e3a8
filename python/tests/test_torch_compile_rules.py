# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bags of embeddings, distances, losses by label, medians, what runs along a line and
images at places of a grid, with gradients: against eager PyTorch, without a graph that falls back."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from forms import compare
from mlir_amp.errors import NotLowered, RuntimeFault
from mlir_amp.torch import amp, backend
from torch import nn
from torch.nn import functional as F

NAN = math.nan
INDICES = torch.tensor([1, 3, 9, 0, 3, 2, 1, 5])
OFFSETS = torch.tensor([0, 3, 3, 5])


pytestmark = pytest.mark.usefixtures("without_fallbacks")


def bag(x, *arguments, **options):
    return F.embedding_bag(INDICES, x, *arguments, **options)


BAGS = {
    "sum": lambda x: bag(x, OFFSETS, mode="sum"),
    "mean": lambda x: bag(x, OFFSETS, mode="mean"),
    "max": lambda x: bag(x, OFFSETS, mode="max"),
    "rows": lambda x: F.embedding_bag(INDICES.reshape(2, 4), x, mode="mean"),
    "padding": lambda x: bag(x, OFFSETS, mode="mean", padding_idx=3),
    "weights": lambda x: bag(
        x, OFFSETS, mode="sum", per_sample_weights=torch.linspace(0, 1, 8)
    ),
    "weights-learned": lambda x: bag(
        torch.linspace(-1, 1, 40).reshape(10, 4),
        OFFSETS,
        mode="sum",
        per_sample_weights=x[:8, 0] * 2,
    ),
    "last-offset": lambda x: bag(
        x, torch.tensor([0, 3, 3, 8]), mode="sum", include_last_offset=True
    ),
    "single-frequency": lambda x: F.embedding(INDICES, x, scale_grad_by_freq=True),
    "single-padding": lambda x: F.embedding(INDICES, x, padding_idx=3),
}


@pytest.mark.parametrize("name", BAGS)
def test_bags(name) -> None:
    compare(BAGS[name], torch.randn(10, 4))


def test_bags_refuse_what_eager_refuses() -> None:
    """An index out of range, and indices before the first bag."""
    pool = torch.compile(
        lambda x, i, o: F.embedding_bag(i, x, o, mode="sum"),
        backend=backend.amp,
        options={"opt_level": "O0"},
    )
    x = torch.randn(10, 4)
    pool(x, INDICES, OFFSETS)
    with pytest.raises(RuntimeFault, match="aten.embedding_bag"):
        pool(x, INDICES + 1, OFFSETS)
    with pytest.raises(RuntimeFault, match="its first offset"):
        pool(x, INDICES, OFFSETS + 1)


class Words(nn.Module):
    def __init__(self, **options) -> None:
        super().__init__()
        self.bags = nn.EmbeddingBag(10, 4, **options)
        self.last = nn.Linear(4, 3)

    def forward(self, x):
        return self.last(self.bags(x))


@pytest.mark.parametrize("opt_level, tolerance", [("O0", 1e-5), ("O1", 3e-2)])
def test_steps_of_bags(opt_level, tolerance) -> None:
    model = Words(mode="mean")
    twin = copy.deepcopy(model)
    x, y = torch.arange(24).reshape(6, 4) % 7, torch.arange(6) % 3
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    other = torch.optim.Adam(twin.parameters(), 0.05)
    step = amp.compile_step(
        model, lambda model, x, y: F.cross_entropy(model(x), y), optimizer, opt_level
    )
    for _ in range(6):
        other.zero_grad()
        loss = F.cross_entropy(twin(x), y)
        loss.backward()
        other.step()
        torch.testing.assert_close(step(x, y), loss, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"sparse": True}, "_embedding_bag.* has no form in linalg"),
        ({"scale_grad_by_freq": True}, "no form for 'aten._embedding_bag' .* backward"),
    ],
)
def test_refused_bags(options, said) -> None:
    model = Words(mode="sum", **options)
    step = amp.compile_step(
        model,
        lambda model, x: model(x).sum(),
        torch.optim.SGD(model.parameters(), 0.1),
        "O0",
    )
    with pytest.raises(NotLowered, match=said):
        step(torch.arange(8).reshape(2, 4))


DISTANCES = {
    str(p): (lambda x, p=p: torch.cdist(x[:, :3], x[:, 3:], p=p))
    for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf)
}


@pytest.mark.parametrize("name", DISTANCES)
def test_distances(name) -> None:
    compare(DISTANCES[name], torch.randn(2, 8, 5), tolerance=1e-5)


def test_distances_of_points_to_themselves() -> None:
    for p in (1.0, 2.0, 3.0, math.inf):
        compare(lambda x, p=p: torch.cdist(x, x, p=p), torch.randn(4, 3))


LABELS = torch.tensor([[1, 0, -1, 3, 4], [2, -1, 0, 0, 0], [-1, 4, 0, 0, 0]])


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_labels_end_at_the_first_that_is_negative(reduction) -> None:
    compare(
        lambda x: F.multilabel_margin_loss(x, LABELS, reduction=reduction),
        torch.randn(3, 5),
    )
    one = lambda x: F.multilabel_margin_loss(x[0], LABELS[0], reduction=reduction)
    compare(one, torch.randn(3, 5))


def test_rrelu_without_training_has_one_slope() -> None:
    compare(lambda x: F.rrelu(x, 0.1, 0.4), torch.randn(3, 5))


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_grid_samples(mode) -> None:
    """Places inside, far outside and on the border; gradients of image and grid."""
    count = 2 * 3 * 5 * 7

    def function(x):
        image, grid = x[:count].reshape(2, 3, 5, 7), x[count:].reshape(2, 4, 6, 2)
        return tuple(
            F.grid_sample(image, grid * 1.7, mode, padding, aligns)
            for padding in ("zeros", "border", "reflection")
            for aligns in (True, False)
        )

    compare(function, torch.randn(count + 96), tolerance=2e-5)


def test_grid_samples_of_volumes_and_edges() -> None:
    grid = torch.tensor([[-1.0, -1.0], [1.0, 1.0], [0.0, -1.0], [NAN, 0.0], [9.0, 9.0]])
    grid = grid.reshape(1, 1, 5, 2)
    for padding in ("zeros", "border"):
        sample = lambda x: F.grid_sample(x, grid[:, :, :3], padding_mode=padding)
        compare(sample, torch.randn(1, 2, 3, 4))
    compare(lambda x: F.grid_sample(x, grid), torch.randn(1, 2, 3, 4))
    volume = torch.randn(1, 2, 3, 2, 3)
    compare(lambda x: F.grid_sample(x, volume), torch.randn(1, 2, 3, 4, 5))
    compare(lambda x: F.grid_sample(x, grid[:, :, :1] * 0), torch.randn(1, 1, 1, 1))


def test_transformed_grids() -> None:
    """As a spatial transformer has them."""

    def function(x):
        grid = F.affine_grid(x[:, :6, 0].reshape(2, 2, 3), [2, 3, 4, 5], False)
        return F.grid_sample(x.reshape(2, 3, 4, 5), grid, align_corners=False)

    compare(function, torch.randn(2, 12, 5) * 0.5)


ORDERED = {
    "median": lambda x: x.median(),
    "median-of-rows": lambda x: x.median(1),
    "median-of-columns": lambda x: x.median(0, keepdim=True),
    "nanmedian": lambda x: x.nanmedian(1),
    "kth": lambda x: x.kthvalue(2, -1),
    "product": lambda x: x.cumprod(1),
    "product-columns": lambda x: x.cumprod(0),
    "maximum": lambda x: x.cummax(1),
    "minimum": lambda x: x.cummin(-2),
    "log-sum": lambda x: x.logcumsumexp(1),
    "whole-product": lambda x: x.prod(1, keepdim=True),
}


@pytest.mark.parametrize("name", ORDERED)
def test_ordered(name) -> None:
    compare(ORDERED[name], torch.randn(3, 6))


@pytest.mark.parametrize("name", ["median-of-rows", "nanmedian", "maximum", "minimum"])
def test_ordered_with_nan(name) -> None:
    rows = [[1.0, NAN, -2.0, 5.0, NAN], [3.0, 1.0, 2.0, 0.0, 7.0]]
    if name != "nanmedian":  # whose place among NaN alone is any
        rows.append([NAN] * 5)
    compare(ORDERED[name], torch.tensor(rows))


def test_products_of_zeros() -> None:
    for zeros in (1, 2):
        x = torch.randn(3, 5)
        x[:, :zeros] = 0.0
        compare(ORDERED["product"], x)
