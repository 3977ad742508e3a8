# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attentions with masks in compiled steps, beside eager PyTorch.

Contexts are long enough for `amp-split-masked-rows` to compute causal ones in blocks of
rows, and others are here to be left whole.
"""

import copy

import pytest
import torch
from mlir_amp.torch import amp
from torch import nn
from torch.nn import functional

CONTEXT = 330  # two blocks of rows
INFINITE = float("-inf")


@pytest.fixture(autouse=True)
def reset():
    yield
    amp.reset()


def softmax_of(mask, fill=INFINITE):
    """Probabilities where `mask` of rows and columns says what not to look at."""

    def probabilities(scores):
        count = torch.arange(CONTEXT)
        return scores.masked_fill(mask(count[:, None], count[None, :]), fill).softmax(-1)

    return probabilities


def dropped(scores):
    return softmax_of(lambda row, column: column > row)(scores) * (torch.arange(CONTEXT) % 3 != 0)


def squares(scores):
    count = torch.arange(CONTEXT)
    return scores.square().masked_fill(count[None, :] > count[:, None], 0.0) / CONTEXT


# The first five are computed in blocks of rows.
KINDS = {
    "causal": softmax_of(lambda row, column: column > row),
    "ahead": softmax_of(lambda row, column: column > row + 5),
    "window": softmax_of(lambda row, column: (column > row) | (column < row - 40)),
    "dropped": dropped,
    "large": softmax_of(lambda row, column: column > row, -1e30),
    "below": softmax_of(lambda row, column: column < row),
    "no scores": softmax_of(lambda row, column: column >= row, -1e30),
    "squares": squares,
}


class Attention(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.input, self.output = nn.Linear(16, 48), nn.Linear(16, 6)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (2, 8)).transpose(1, 2) for t in self.input(x).chunk(3, -1))
        if self.kind == "sdpa":
            values = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            p = KINDS.get(self.kind, KINDS["causal"])(q @ k.transpose(-1, -2))
            values = p @ v
            if self.kind == "read":  # elsewhere, as a whole
                values = values + p.amax(-2)[..., None, :8] + p.sum(-2)[..., None, 8:16]
        return self.output(values.transpose(1, 2).flatten(2)).flatten(0, 1)


def cross_entropy(model, x, y):
    return functional.cross_entropy(model(x), y)


@pytest.mark.parametrize("kind", [*KINDS, "sdpa", "read"])
@pytest.mark.parametrize("level", ["O0", "O5"])
def test_masks(kind, level):
    torch.manual_seed(0)
    model = Attention(kind)
    eager = copy.deepcopy(model)
    x, y = torch.randn(2, CONTEXT, 16), torch.arange(2 * CONTEXT) % 6
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.5, momentum=0.9) for m in (model, eager)]
    step = amp.compile_step(model, cross_entropy, optimizers[0], level)
    losses = [float(step(x, y)) for _ in range(3)]
    amp.reset()

    for loss in losses:
        optimizers[1].zero_grad()
        expected = cross_entropy(eager, x, y)
        expected.backward()
        optimizers[1].step()
        assert loss == pytest.approx(expected.item(), rel=1e-5 if level == "O0" else 1e-2)
    if level == "O0":
        for parameter, other in zip(model.parameters(), eager.parameters()):
            # Eager PyTorch is as far from float64 where probabilities are added along columns.
            torch.testing.assert_close(parameter, other, rtol=1e-4, atol=3e-5)
