# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States that a compiled step updates in their own memory."""

import functools

import pytest
import torch
from mlir_amp import compiler
from mlir_amp.torch import amp
from torch import nn
from torch.nn import functional


@pytest.fixture(autouse=True)
def reset():
    yield
    amp.reset()


def make_layers():
    return nn.Sequential(
        nn.Linear(24, 40), nn.BatchNorm1d(40), nn.ReLU(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 6)
    )


def make_convolutions():
    return nn.Sequential(
        nn.Unflatten(1, (2, 3, 4)), nn.Conv2d(2, 8, 3, padding=1), nn.GELU(), nn.Flatten(), nn.Linear(96, 6)
    )


class Tied(nn.Module):
    """One weight in two places."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(24, 24), nn.Linear(24, 24)
        self.second.weight = self.first.weight
        self.last = nn.Linear(24, 6)

    def forward(self, x):
        return self.last(torch.tanh(self.second(torch.tanh(self.first(x)))))


OPTIMIZERS = {
    "sgd": functools.partial(torch.optim.SGD, lr=0.1),
    "momentum": functools.partial(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True),
    "adamw": functools.partial(torch.optim.AdamW, lr=1e-2, eps=1e-4),
    "amsgrad": functools.partial(torch.optim.Adam, lr=1e-2, eps=1e-4, amsgrad=True),
}
BATCH = torch.randn(16, 24, generator=torch.Generator().manual_seed(1)), torch.arange(16) % 6


def cross_entropy(model, x, y):
    return functional.cross_entropy(model(x), y)


def train(make, optimizer, level, monkeypatch, in_place, factor=1.0):
    """All tensors after four steps, of which the second has an infinity where asked for."""
    compile_for_host = compiler.compile_for_host
    programs = []

    def compiled(*arguments, **options):
        assert options["in_place"]
        programs.append(compile_for_host(*arguments, **{**options, "in_place": in_place}))
        return programs[-1]

    torch.manual_seed(0)
    model = make()
    chosen = OPTIMIZERS[optimizer](model.parameters())
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "compile_for_host", compiled)
        step = amp.compile_step(model, cross_entropy, chosen, level)
        x, y = BATCH
        losses = [float(step(x * (factor if i == 1 else 1), y)) for i in range(4)]
    states = [v for state in chosen.state.values() for v in state.values() if torch.is_tensor(v)]
    return losses, [*model.state_dict().values(), *states], programs[0]


MODELS = [make_layers, make_convolutions, Tied]
USUAL = [("momentum", "O0"), ("adamw", "O2")]
OTHERS = [(o, level) for o in OPTIMIZERS for level in ("O0", "O1", "O2", "O5") if (o, level) not in USUAL]


@pytest.mark.parametrize(
    ("optimizer", "level"), [*USUAL, *(pytest.param(*other, marks=pytest.mark.long) for other in OTHERS)]
)
@pytest.mark.parametrize("make", MODELS, ids=lambda m: m.__name__)
def test_the_bits_are_those_of_results_with_memory_of_their_own(make, optimizer, level, monkeypatch):
    losses, tensors, _ = train(make, optimizer, level, monkeypatch, in_place=True)
    amp.reset()
    others, aside, _ = train(make, optimizer, level, monkeypatch, in_place=False)
    assert losses == others and losses[3] < losses[0]
    assert len(tensors) == len(aside)
    for one, other in zip(tensors, aside):
        assert torch.equal(one, other)


def test_a_skipped_step_leaves_all_as_it_was(monkeypatch):
    losses, tensors, _ = train(make_layers, "adamw", "O2", monkeypatch, in_place=True, factor=float("inf"))
    amp.reset()
    others, aside, _ = train(make_layers, "adamw", "O2", monkeypatch, in_place=False, factor=float("inf"))
    assert torch.tensor(losses).isfinite().tolist() == [True, False, True, True]
    for one, other in zip(tensors, aside):  # batch norms have seen the infinity
        assert torch.equal(one.nan_to_num(), other.nan_to_num())
    assert all(t.isfinite().all() for t in tensors if t.shape == (40, 40))


def test_a_refused_step_leaves_all_as_it_was():
    torch.manual_seed(0)
    model = make_layers()
    optimizer = OPTIMIZERS["adamw"](model.parameters())
    step = amp.compile_step(model, cross_entropy, optimizer, "O0")
    x, y = BATCH
    step(x, y)
    before = {name: value.clone() for name, value in model.named_parameters()}
    with pytest.raises(Exception, match="target|label|index|range|class"):
        step(x, y + 1)
    assert all(torch.equal(before[name], value) for name, value in model.named_parameters())


def test_memory_that_is_not_on_64_bytes():
    def run(shift):
        torch.manual_seed(0)
        model = make_layers()
        for p in model.parameters():
            room = torch.zeros(p.numel() + shift)
            room[shift:] = p.detach().reshape(-1)
            p.data = room[shift:].view(p.shape)
        step = amp.compile_step(model, cross_entropy, OPTIMIZERS["momentum"](model.parameters()), "O0")
        for _ in range(3):
            step(*BATCH)
        amp.reset()
        return [p.detach().clone() for p in model.parameters()]

    for one, other in zip(run(0), run(1)):
        assert torch.equal(one, other)
