# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`binary_cross_entropy` of what is no probability: where eager PyTorch raises, compiled
steps and graphs do, and nothing is changed; of 0 and 1 they give what eager gives."""

from __future__ import annotations

import copy

import mlir_amp
import pytest
import torch
from mlir_amp.torch import amp, backend
from torch import nn

F = nn.functional

WRONG = (1.5, -0.25, float("inf"), float("nan"))


def loss_of(model, x, inputs, target, weight):
    # A probability of the model, and one that is given.
    chosen = torch.sigmoid(model(x)) * 0.5 + inputs * 0.5
    return F.binary_cross_entropy(chosen, target, weight)


def data():
    torch.manual_seed(0)
    weight = torch.linspace(0.5, 1.5, 4)[:, None]
    return nn.Linear(3, 1), torch.randn(4, 3), torch.tensor([[0.0], [1.0], [0.5], [0.25]]), weight


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("of", ["input", "target"])
def test_steps_raise_and_change_nothing(level, of) -> None:
    model, x, good, weight = data()
    optimizer = torch.optim.Adam(model.parameters())
    step = amp.compile_step(model, loss_of, optimizer, level)
    step(x, good, good, weight)
    state = copy.deepcopy((model.state_dict(), optimizer.state_dict()["state"]))
    for wrong in WRONG:
        bad = good.clone()
        bad[2] = wrong * 2.0 if of == "input" else wrong
        given = (bad, good) if of == "input" else (good, bad)
        text = f"all elements of {of} should be between 0 and 1"
        with pytest.raises(RuntimeError, match=text):
            loss_of(copy.deepcopy(model).float(), x, *given, weight)
        with pytest.raises(mlir_amp.RuntimeFault, match=text):
            step(x, *given, weight)
        after = (model.state_dict(), optimizer.state_dict()["state"])
        torch.testing.assert_close(after, state, atol=0, rtol=0)
    step(x, good, good, weight)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_probabilities_are_eager(reduction) -> None:
    torch._dynamo.reset()
    _, _, target, weight = data()

    def loss(x):
        return F.binary_cross_entropy(x, target, weight, reduction=reduction).sum()

    run = torch.compile(loss, backend=backend.amp, options={"opt_level": "O0"})
    given = torch.tensor([[0.0], [1.0], [0.3], [1e-30]])  # both edges
    one, other = (given.clone().requires_grad_() for _ in range(2))
    expected, got = loss(one), run(other)
    torch.testing.assert_close(got, expected)
    expected.backward()
    got.backward()
    torch.testing.assert_close(other.grad, one.grad)
    for wrong in WRONG:
        with pytest.raises(mlir_amp.RuntimeFault, match="all elements of input"):
            run(torch.tensor([[0.0], [1.0], [wrong], [0.5]]))
