# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that linalg has no form for and `torch.compile(backend="amp")` compiles:
writing by index, sorting, 8-bit images, constants; and models that a level casts.
Against eager PyTorch, without a graph that falls back."""

from __future__ import annotations

import copy

import pytest
import torch
from forms import compare
from mlir_amp.torch import amp, backend
from torch import nn
from torch.nn import functional


pytestmark = pytest.mark.usefixtures("without_fallbacks")


def compiled(function, opt_level="O0"):
    return torch.compile(
        function, backend=backend.amp, options={"opt_level": opt_level}
    )


def _write_positions(x):
    y, state = torch.zeros(8, 5), torch.zeros(8)
    for t in range(5):
        state = torch.tanh(state + x[:, t])
        y[:, t] = state
        y[t] += x[-t]
    return y


ROWS = torch.arange(8)
CLASSES = (ROWS * 3) % 5
TWICE = torch.tensor([1, 3, 1, -2])

BY_INDEX = {
    "gather": lambda x: x.gather(1, CLASSES.reshape(8, 1)),
    "gather-twice": lambda x: x.gather(0, TWICE.abs().reshape(4, 1).expand(4, 5)),
    "gather-few": lambda x: x.gather(0, TWICE.abs().reshape(2, 2)),
    "rows": lambda x: x[TWICE],
    "columns": lambda x: x[:, TWICE],
    "pairs": lambda x: x[ROWS, CLASSES],
    "index-select": lambda x: x.index_select(1, TWICE.abs()),
    "max": lambda x: x.max(1)[0],
    "max-and-place": lambda x: x.max(0)[0] * x.max(0)[1],
    "min": lambda x: x.min(0)[0],
    "argmax": lambda x: x * (x.argmax(1, keepdim=True) + x.argmin()),
    "scatter-add": lambda x: torch.zeros(4, 5).scatter_add(
        0, (ROWS % 3).reshape(8, 1).expand(8, 5), x
    ),
    "scatter": lambda x: torch.ones(8, 9).scatter(1, torch.arange(5).expand(8, 5), x),
    "select-scatter": lambda x: x.select_scatter(2 * x[0], 0, -3).select_scatter(x[:, 1], 1, 4),
    "select-scatter-types": lambda x: (
        x.select_scatter(x[0].double(), 0, 1),
        torch.ones(3, 8, dtype=torch.int64).select_scatter(5 * x[:, 1].detach(), 0, -1),
    ),
    "positions": lambda x: sum((t + 1) * x[:, t].sin() * x[:, t - 2] for t in range(5)),
    "positions-written": lambda x: _write_positions(x),
    "scatter-value": lambda x: x.scatter(1, CLASSES.reshape(8, 1), 0.5),
    "scatter-dims": lambda x: x.scatter_add(0, TWICE.abs().reshape(2, 2), x[:2, :2]),
    "index-add": lambda x: x.index_add(0, TWICE.abs(), x[:4]),
    "index-put": lambda x: torch.zeros(8, 5).index_put((ROWS, CLASSES), x[:, 0]),
    "mask-put": lambda x: (
        torch.where(x > 0, x, 1.0)
        .clone()
        .index_put((ROWS.reshape(8, 1) > CLASSES[:5],), torch.tensor(2.0))
    ),
    "cross-entropy-2d": lambda x: functional.cross_entropy(
        x.reshape(2, 5, 4), CLASSES.reshape(2, 4), reduction="none"
    ),
}


@pytest.mark.parametrize("name", BY_INDEX)
def test_by_index(name) -> None:
    compare(BY_INDEX[name], torch.randn(8, 5))


IN_ORDER = {
    "sort": lambda x: x.sort(1)[0],
    "sort-down": lambda x: x.sort(0, descending=True)[0],
    "argsort": lambda x: x * x.argsort(1),
    "stable": lambda x: x * torch.sort(x, stable=True, dim=0)[1],
    "topk": lambda x: x.topk(2, 1)[0] * x.topk(2, 1)[1],
    "topk-smallest": lambda x: x.topk(3, 0, largest=False)[0],
    "cumsum": lambda x: x.cumsum(0),
    "cumsum-whole": lambda x: x * (x > 0).cumsum(1),
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_in_order(name) -> None:
    compare(IN_ORDER[name], torch.randn(8, 5))


@pytest.mark.parametrize("name", ["sort", "sort-down", "stable", "cumsum"])
def test_in_order_with_equal_and_infinite_ones(name) -> None:
    """Stable, as PyTorch's loop is on the CPU; NaN above all numbers."""
    x = torch.tensor(
        [[1.0, 3.0, 1.0, torch.inf, 1.0], [0.0, -0.0, torch.nan, -9.0, 0.0]]
    )
    order = lambda x: torch.sort(x, stable=True, dim=1, descending=name == "sort-down")
    for ours, theirs in zip(compiled(order)(x), order(x), strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True, atol=0, rtol=0)
    ours, theirs = compiled(IN_ORDER[name])(x), IN_ORDER[name](x)
    torch.testing.assert_close(ours, theirs, equal_nan=True)


def test_infinite_gradients_stay_where_they_belong() -> None:
    """A product with 0 would make NaN of all others."""
    for name in ("gather", "pairs", "max", "columns"):
        function = BY_INDEX[name]
        gradients = []
        for run in (compiled(function), function):
            torch.manual_seed(0)
            x = torch.randn(8, 5, requires_grad=True)
            y = run(x)
            weights = torch.ones_like(y)
            weights[1] = torch.inf
            y.backward(weights)
            gradients.append(x.grad)
        torch.testing.assert_close(*gradients)


def test_gradients_that_are_one_number() -> None:
    """Of a sum alone: eager PyTorch has one element for all."""
    compare(lambda x: x.sum() + x.argmax(), torch.randn(8, 5))


def test_paddings_that_cut() -> None:
    compare(lambda x: functional.pad(x, (2, -1)).pow(2), torch.randn(8, 5))
    compare(lambda x: functional.pad(x, (-2, 3, 1, 1), value=2.0), torch.randn(8, 5))


BYTES = {
    "float": lambda x: x.float() / 255,
    "divide": lambda x: x / 255,
    "shift": lambda x: (x - 128.0) / 64,
    "compare": lambda x: torch.where(x > 200, 1.0, 0.0),
    "half": lambda x: x.half().float(),
    "whole": lambda x: x.to(torch.int32) * 3,
    "sum": lambda x: x.sum(),
    "moved": lambda x: x.flip(1).permute(1, 0)[:7].reshape(-1)[::3].float(),
    "bytes": lambda x: x[:, 3:9],
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_have_no_sign(name) -> None:
    x = torch.arange(256, dtype=torch.uint8).reshape(4, 64)
    ours, theirs = compiled(BYTES[name])(x), BYTES[name](x)
    torch.testing.assert_close(ours, theirs)


def test_an_image_of_bytes_is_learned_from() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(64, 10)

        def forward(self, x):
            return self.layer(x.float().div(255).flatten(1))

    def loss_fn(model, x, y):
        return functional.cross_entropy(model(x), y)

    model = Model()
    twin, third = copy.deepcopy(model), copy.deepcopy(model)
    images = torch.randint(0, 256, (16, 8, 8), dtype=torch.uint8)
    labels = torch.randint(0, 10, (16,))
    optimizer = torch.optim.SGD(third.parameters(), lr=0.1)
    loss = amp.compile_step(third, loss_fn, optimizer, "O0")(images, labels)
    ours = functional.cross_entropy(compiled(model)(images), labels)
    theirs = functional.cross_entropy(twin(images), labels)
    ours.backward()
    theirs.backward()
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(loss, theirs.detach())
    torch.testing.assert_close(model.layer.weight.grad, twin.layer.weight.grad)


def test_constants_of_a_graph() -> None:
    def normalize(x):
        return (x - torch.tensor([0.5, 0.25])) / torch.tensor([[2.0], [4.0], [8.0]])

    compare(normalize, torch.randn(3, 2))


# ----------------------------------------------------------------------------
# Models that a level casts
# ----------------------------------------------------------------------------


class Model(nn.Module):
    """A norm, a buffer that is read, and one that is written to."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.norm, self.last = nn.BatchNorm2d(8), nn.Linear(512, 10)
        self.register_buffer("places", torch.randn(512))
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        h = self.norm(self.convolution(x)).relu().flatten(1) + self.places
        return self.last(h)


def make_half_twin(model, dtype):
    twin = copy.deepcopy(model).to(dtype)
    twin.norm.float()
    twin.calls = twin.calls.float()
    return twin


@pytest.mark.parametrize(
    "opt_level, dtype, tolerance",
    [("O2", torch.float16, 3e-3), ("O5", torch.bfloat16, 3e-2)],
)
def test_a_model_is_cast(opt_level, dtype, tolerance) -> None:
    """Against the model in half, with its norm in FP32."""
    model = Model()
    twin = make_half_twin(model, dtype)
    x = torch.randn(16, 1, 8, 8)
    ours, theirs = compiled(model, opt_level)(x), twin(x.to(dtype)).float()
    assert ours.dtype == torch.float32
    assert not torch.equal(ours, model(x))
    torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=0)
    (ours**2).mean().backward()
    (theirs**2).mean().backward()
    for (name, one), other in zip(model.named_parameters(), twin.parameters()):
        assert one.grad.dtype == torch.float32, name
        scale = other.grad.abs().max().item()
        torch.testing.assert_close(
            one.grad, other.grad.float(), atol=tolerance * scale, rtol=4 * tolerance
        )
    torch.testing.assert_close(
        model.norm.running_mean, twin.norm.running_mean, atol=tolerance, rtol=0
    )
    assert model.calls == 2  # once in eager PyTorch


@pytest.fixture
def kept(monkeypatch):
    """Types that are kept for backward graphs."""
    types = []
    take = backend._Compilation.backward

    def look(self, module, inputs):
        types.extend(
            node.meta["val"].dtype
            for node in module.graph.nodes
            if node.op == "placeholder"
        )
        return take(self, module, inputs)

    monkeypatch.setattr(backend._Compilation, "backward", look)
    return types


@pytest.mark.parametrize("opt_level, single", [("O2", 2), ("O3", 1)])
def test_which_norms_are_cast(opt_level, single, kept) -> None:
    """At O3 the norm's weight is half as well; its statistics never are."""
    model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    y = compiled(model, opt_level)(torch.randn(16, 8))
    y.sum().backward()
    assert set(kept) == {torch.float16, torch.float32}
    assert model[1].running_mean.any() and model[1].running_mean.dtype == torch.float32
    assert y.dtype == torch.float32
    # The gradient that comes in, and the norm's weight.
    assert kept.count(torch.float32) == single


def test_losses_beside_the_model_are_not_cast() -> None:
    """Logits that half cannot tell apart once they are exponents."""
    model = nn.Linear(4, 3)
    y = torch.tensor([0, 1, 2, 1, 0])

    def by_function(x):
        return functional.cross_entropy(model(x), y)

    criterion = nn.CrossEntropyLoss()

    def by_module(x):
        return criterion(model(x), y)

    x = torch.randn(5, 4)
    half = copy.deepcopy(model).half()
    expected = functional.cross_entropy(half(x.half()).float(), y)
    rounded = functional.cross_entropy(half(x.half()), y).float()
    assert abs(rounded - expected) > 1e-5  # what it would be
    for function in (by_function, by_module):
        torch.testing.assert_close(
            compiled(function, "O2")(x), expected, atol=1e-5, rtol=0
        )


@pytest.mark.parametrize("opt_level", ["O2", "O3", "O5"])
def test_a_cast_model_trains(opt_level) -> None:
    def train(run, model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        torch.manual_seed(1)
        losses = []
        for _ in range(10):
            x, y = torch.randn(16, 1, 8, 8), torch.randint(0, 10, (16,))
            loss = functional.cross_entropy(run(x), y)
            optimizer.zero_grad()
            (128.0 * loss).backward()
            for parameter in model.parameters():
                parameter.grad /= 128.0
            optimizer.step()
            losses.append(loss.item())
        return torch.tensor(losses)

    model = Model()
    twin = copy.deepcopy(model)
    ours, theirs = train(compiled(model, opt_level), model), train(twin, twin)
    atol = 0.3 if opt_level == "O5" else 0.05
    torch.testing.assert_close(ours, theirs, atol=atol, rtol=0)
    assert not torch.equal(ours, theirs)
    # They keep what half has no room for.
    assert not torch.equal(model.last.weight, model.last.weight.half().float())
