# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The update of a compiled step where parameters are alike: each has its own, and one of a
kind is traced."""

from __future__ import annotations

import copy

import pytest
import torch
from mlir_amp.torch import amp
from torch import nn
from torch.optim import adam


class Layers(nn.Module):
    """Layers of one shape, and a weight of that shape."""

    def __init__(self, count: int = 4) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(count))
        self.last = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x @ self.last


def loss_fn(model, x):
    return model(x).square().mean()


def groups_of(model: Layers) -> list[dict]:
    a, b, c, d = model.layers
    return [
        {"params": [*a.parameters(), model.last], "lr": 0.02},
        {"params": b.parameters(), "weight_decay": 0.1},
        {"params": [d.weight, c.bias, c.weight, d.bias]},
    ]


OPTIMIZERS = {
    "momentum": lambda groups: torch.optim.SGD(groups, lr=0.1, momentum=0.9),
    "adam": lambda groups: torch.optim.Adam(
        [{**group, "amsgrad": place == 1} for place, group in enumerate(groups)], lr=0.01
    ),
    "adamw": lambda groups: torch.optim.AdamW(
        [{**group, "betas": (0.9 - 0.1 * place, 0.99)} for place, group in enumerate(groups)],
        lr=0.01,
    ),
}


def take_away(model):
    model.layers[1].weight.grad = None
    model.layers[2].bias.grad *= 0.5


@pytest.mark.parametrize("clip", [None, take_away], ids=["plain", "taken-away"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_each_of_a_kind_has_its_own_update(name, clip) -> None:
    torch.manual_seed(2)
    model = Layers()
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS[name](groups_of(model))
    eager = OPTIMIZERS[name](groups_of(twin))
    step = amp.compile_step(model, loss_fn, optimizer, "O0", clip=clip)
    for _ in range(6):
        x = torch.randn(5, 8)
        eager.zero_grad()
        expected = loss_fn(twin, x)
        expected.backward()
        if clip:
            clip(twin)
        eager.step()
        torch.testing.assert_close(step(x), expected.detach(), atol=1e-6, rtol=1e-5)
    for (key, ours), theirs in zip(model.named_parameters(), twin.parameters()):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5, msg=key)
        for part, value in eager.state[theirs].items():
            if value is not None:
                torch.testing.assert_close(
                    optimizer.state[ours][part], value, atol=1e-6, rtol=1e-5, msg=key
                )


def test_one_of_a_kind_is_traced(monkeypatch) -> None:
    seen = []
    plain = adam._single_tensor_adam
    monkeypatch.setattr(
        adam,
        "_single_tensor_adam",
        lambda params, *rest, **options: (
            seen.append(sorted(tuple(value.shape) for value in params)),
            plain(params, *rest, **options),
        ),
    )
    model = Layers(6)
    step = amp.compile_step(
        model, loss_fn, torch.optim.Adam(model.parameters(), lr=0.01), "O0"
    )
    step(torch.randn(5, 8))
    assert seen and all(shapes == [(8,), (8, 8)] for shapes in seen)
