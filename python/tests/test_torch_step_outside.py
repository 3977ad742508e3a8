# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step reads beside model and batch: tensors of globals, closures, criteria and
attributes, which are read anew at each step, and tensors that are made of numbers. Beside
eager PyTorch, step by step."""

from __future__ import annotations

import copy

import numpy
import pytest
import torch
from mlir_amp.errors import RecompileWarning
from mlir_amp.torch import amp
from torch import nn

F = nn.functional
LEVELS = ["O0", "O1", "O2", "O3", "O5"]


@pytest.fixture(autouse=True)
def reset():
    torch.manual_seed(0)
    yield
    amp.reset()


def compare(model, loss_fn, *batch, level="O0", between=None, steps=3, **options):
    """The losses of a compiled step and of eager PyTorch; `between` steps both see what
    it changes."""
    twin = copy.deepcopy(model)
    ours = torch.optim.SGD(model.parameters(), 0.1)
    theirs = torch.optim.SGD(twin.parameters(), 0.1)
    options = {"loss_scale": 1.0} | options if level != "O0" else options
    step = amp.compile_step(model, loss_fn, ours, level, **options)
    tolerance = 1e-6 if level == "O0" else 2e-2
    for _ in range(steps):
        theirs.zero_grad()
        loss = loss_fn(twin, *batch)
        loss.backward()
        theirs.step()
        torch.testing.assert_close(
            step(*batch), loss.detach(), atol=tolerance, rtol=tolerance
        )
        if between:
            between()
    return step


OFFSET = torch.linspace(1, 2, 4)
PLACES = torch.tensor([2, 0])
HELD = {"many": [torch.ones(4), torch.full((4,), 0.5)]}


class Masked(nn.Module):
    """A tensor that is a plain attribute, as research code has masks."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.mask = torch.tril(torch.ones(4, 4))
        self.parts = [torch.ones(4), torch.full((4,), 2.0)]

    def forward(self, x):
        return self.linear(x) @ self.mask * self.parts[1] + self.parts[0]


def make_offset(value):
    held = torch.full((4,), value)
    return lambda model, x: (model(x) + held).pow(2).mean()


FORMS = {
    "global": lambda model, x: (model(x) + OFFSET).pow(2).mean(),
    "closure": make_offset(2.0),
    "container": lambda model, x: (model(x) * HELD["many"][1] + HELD["many"][0]).mean(),
    "index": lambda model, x: model(x)[:, PLACES].pow(2).mean(),
    "default": lambda model, x, *, by=torch.full((4,), 3.0): (model(x) * by).mean(),
    "list": lambda model, x: torch.cat([model(x), OFFSET.unsqueeze(0)]).pow(2).mean(),
    "part": lambda model, x: (model(x)[:, :2] * OFFSET[1:3]).pow(2).mean(),
    "twice": lambda model, x: (model(x) * OFFSET + OFFSET.sin()).pow(2).mean(),
    "half": lambda model, x: (model(x) + OFFSET.bfloat16()).pow(2).mean(),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name) -> None:
    compare(nn.Linear(4, 4), FORMS[name], torch.randn(8, 4))


@pytest.mark.parametrize("level", LEVELS)
def test_levels(level) -> None:
    """No level makes them half: 2049 is no f16."""
    held = torch.tensor([2049.0, 0.0, 0.0, 0.0])
    loss_fn = lambda model, x: ((model(x) + held).sum() - 2048.0).abs()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(1, 4) * 1e-3, level=level, steps=1)


@pytest.mark.parametrize("level", LEVELS)
def test_criteria(level) -> None:
    x, y = torch.randn(8, 4), torch.randint(4, (8,))
    weighted = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0, 4.0]))
    loss_fn = lambda model, x, y: weighted(model(x), y)
    compare(nn.Linear(4, 4), loss_fn, x, y, level=level)
    positive = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0, 4.0]))
    loss_fn = lambda model, x, y: positive(model(x), F.one_hot(y, 4).float())
    compare(nn.Linear(4, 4), loss_fn, x, y, level=level)


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_attributes_of_modules(level) -> None:
    loss_fn = lambda model, x: model(x).pow(2).mean()
    model = Masked()

    def change():
        model.mask.mul_(0.5)

    compare(model, loss_fn, torch.randn(8, 4), level=level)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    x = torch.randn(8, 4)
    for _ in range(3):
        expected = loss_fn(model, x).detach()
        torch.testing.assert_close(step(x), expected)
        change()
        model.parts[1] = torch.randn(4)


def test_they_are_read_at_each_step() -> None:
    """Written in place, put in place of another one, and both."""
    held = {"by": torch.ones(4)}
    loss_fn = lambda model, x: (model(x) + held["by"]).pow(2).mean()

    def write():
        held["by"].add_(1)

    def replace():
        held["by"] = torch.randn(4)

    def replace_by_columns():
        held["by"] = torch.randn(4, 2)[:, 0]

    for between in (write, replace, replace_by_columns):
        compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=between)


def test_another_shape_is_another_step() -> None:
    held = {"by": torch.ones(4)}
    loss_fn = lambda model, x: (model(x) + held["by"]).pow(2).mean()
    model, x = nn.Linear(4, 4), torch.randn(8, 4)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    step(x)
    for value in (torch.randn(8, 1), torch.randint(4, (4,))):
        held["by"] = value
        expected = loss_fn(model, x).detach()
        said = rf"\['by'\]' is {list(value.shape)} of {value.dtype}".replace("[4]", r"\[4\]")
        said = said.replace("[8, 1]", r"\[8, 1\]")
        with pytest.warns(RecompileWarning, match=said):
            torch.testing.assert_close(step(x), expected)
    held["by"] = torch.randn(8, 1)  # compiled before
    expected = loss_fn(model, x).detach()
    torch.testing.assert_close(step(x), expected)


def test_two_of_one_name() -> None:
    """Closures of one function: each has its own."""
    first, second = make_offset(2.0), make_offset(5.0)
    both = lambda model, x: first(model, x) + second(model, x)
    compare(nn.Linear(4, 4), both, torch.randn(8, 4))


def test_micro_batches_take_them_whole() -> None:
    loss_fn = lambda model, x: (model(x) + OFFSET).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), micro_batches=2)


def test_one_that_is_the_batch_as_well() -> None:
    x = torch.randn(8, 4)
    loss_fn = lambda model, y: (model(y) * x).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, x)


LITERALS = {
    "rows": lambda y: y * torch.tensor([1.0, 2.0, 3.0, 4.0]),
    "number": lambda y: y * torch.tensor(2.5) + torch.tensor(2),
    "booleans": lambda y: y * torch.tensor([True, False, True, True]),
    "places": lambda y: y[:, torch.tensor([3, 1])],
    "half": lambda y: y * torch.tensor([1.5, 2, 3, 4], dtype=torch.bfloat16),
    "double": lambda y: (y * torch.tensor([1, 2, 3, 4], dtype=torch.float64)).float(),
    "bytes": lambda y: y * torch.tensor([3, 200], dtype=torch.uint8).float().sum() / 99,
    "infinite": lambda y: (y + torch.tensor([0.0, 0.0, -torch.inf, 0.0])).softmax(-1),
    "nothing": lambda y: torch.cat([y.flatten(), torch.tensor([])]),
    "matrix": lambda y: y @ torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0], [0.5, 0.1]]),
    "mask": lambda y: y.masked_fill(torch.tensor([[True, False, False, True]]), 0.5),
    "twice": lambda y: (lambda c: y * c * c + c)(torch.tensor([1.0, 2.0, 3.0, 4.0])),
    "two": lambda y: y * torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.tensor([1.0]),
}


@pytest.mark.parametrize("name", LITERALS)
def test_literals(name) -> None:
    loss_fn = lambda model, x: LITERALS[name](model(x)).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))


def test_literals_of_what_changes() -> None:
    """Lists and arrays that a tensor is made of are looked at before each step."""
    numbers, array = [1.0, 2.0, 3.0, 4.0], numpy.ones(4, dtype="f4")

    def loss_fn(model, x):
        return (model(x) * torch.tensor(numbers) + torch.tensor(array)).pow(2).mean()

    def change_list():
        numbers[0] += 1

    def change_array():
        array[1] += 1

    for between in (change_list, change_array):
        with pytest.warns(RecompileWarning):
            compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=between)


class Encoder(nn.Module):
    def __init__(self, mask) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.register_buffer("mask", mask)

    def forward(self, x):
        return self.encoder(x, mask=self.mask)


CAUSAL = nn.Transformer.generate_square_subsequent_mask(6)


@pytest.mark.parametrize("mask", [CAUSAL, CAUSAL.T.contiguous()], ids=["causal", "other"])
@pytest.mark.parametrize("level", ["O0", "O5"])
def test_masks_of_transformers(level, mask) -> None:
    """PyTorch's layers look whether a mask is a causal one, at its values."""
    x = torch.randn(2, 6, 16)
    loss_fn = lambda model, x: model(x).pow(2).mean() * model(x).abs().mean()
    compare(Encoder(mask), loss_fn, x, level=level)
    whole = nn.Transformer(16, 2, 1, 1, 32, 0.0, batch_first=True)
    compare(whole, lambda m, x: m(x, x, tgt_mask=mask).abs().mean(), x, level=level)
    looks = torch.nn.modules.transformer._detect_is_causal_mask
    assert looks(CAUSAL) and not looks(CAUSAL.T)
