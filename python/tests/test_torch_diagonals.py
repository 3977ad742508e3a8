# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagonals and unit matrices, with gradients, against eager PyTorch: compiled graphs
without a fallback, and steps of losses that are made of them."""

from __future__ import annotations

import copy
import itertools

import pytest
import torch
from cases import cases, except_for
from forms import compare
from mlir_amp.torch import amp
from torch import nn

pytestmark = pytest.mark.usefixtures("without_fallbacks")

SHAPES = {"square": (5, 5), "wide": (3, 5), "high": (5, 2), "one": (1, 4)}


# Above and below, to the corners, and two that are empty.
MATRICES = [("square", 0), ("square", 1), ("square", -4), ("wide", 3), ("wide", -1)]
MATRICES += [("high", -1), ("high", 3), ("one", 0), ("one", -4)]


@pytest.mark.parametrize(
    "shape, offset", cases(itertools.product(SHAPES, [0, 1, -1, 3, -4]), MATRICES)
)
def test_diagonals_of_matrices(shape, offset) -> None:
    compare(lambda x: torch.diagonal(x, offset).exp(), torch.randn(SHAPES[shape]))


@pytest.mark.parametrize(
    "offset, dims",
    except_for(
        itertools.product([0, -2], [(0, 1), (2, 0), (-1, 1)]),
        (-2, (0, 1)),
        (0, (2, 0)),
        (-2, (-1, 1)),
    ),
)
def test_diagonals_of_batches(dims, offset) -> None:
    x = torch.randn(3, 4, 5)
    compare(lambda x: torch.diagonal(x, offset, *dims).exp(), x)
    source = torch.randn(torch.diagonal(x, offset, *dims).shape)
    compare(lambda x: torch.diagonal_scatter(x, source, offset, *dims).exp(), x)


FORMS = {
    "trace": lambda x: torch.trace(x) * x,
    "einsum": lambda x: torch.einsum("ii->", x) * x,
    "einsum-line": lambda x: torch.einsum("ii->i", x) * x,
    "diag": lambda x: torch.diag(x).exp(),
    "diag-of-a-line": lambda x: torch.diag(x[0], 1).exp(),
    "diag-embed": lambda x: torch.diag_embed(x, -1).exp(),
    "eye": lambda x: x * torch.eye(5),
    "eye-wide": lambda x: x @ torch.eye(5, 3),
    "masked": lambda x: x.masked_fill(torch.eye(5, dtype=torch.bool), -1.0).exp(),
    "eye-of-numbers": lambda x: x * torch.eye(5, dtype=torch.int64),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_made_of_them(name) -> None:
    compare(FORMS[name], torch.randn(5, 5))


def barlow(model, x, y):
    """Redundancy of features, which losses without labels keep small."""
    a, b = (torch.nn.functional.normalize(model(v), dim=0) for v in (x, y))
    c = a.T @ b
    on = (torch.diagonal(c) - 1).pow(2).sum()
    off = (c - torch.diag(torch.diagonal(c))).pow(2).sum()
    return on + 0.05 * off


def info_nce(model, x, y):
    a, b = (torch.nn.functional.normalize(model(v), dim=1) for v in (x, y))
    both = torch.cat([a, b])
    alike = (both @ both.T).masked_fill(torch.eye(len(both), dtype=torch.bool), -1e4)
    targets = (torch.arange(len(both)) + len(a)) % len(both)
    return torch.nn.functional.cross_entropy(alike / 0.5, targets)


@pytest.mark.parametrize(
    "loss, level, tolerance",
    except_for(
        [
            (loss, *level)
            for loss in (barlow, info_nce)
            for level in (("O0", 1e-5), ("O1", 3e-2))
        ],
        (barlow, "O0", 1e-5),
        (info_nce, "O1", 3e-2),
    ),
)
def test_steps(loss, level, tolerance) -> None:
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
    twin = copy.deepcopy(model)
    optimizer, twins = (torch.optim.SGD(m.parameters(), 0.05) for m in (model, twin))
    step = amp.compile_step(model, loss, optimizer, level, loss_scale=16.0)
    for _ in range(5):
        x = torch.randn(7, 6)
        y = x + 0.1 * torch.randn(7, 6)
        twins.zero_grad()
        expected = loss(twin, x, y)
        expected.backward()
        twins.step()
        got = step(x, y)
        torch.testing.assert_close(got, expected.detach(), rtol=tolerance, atol=tolerance)
