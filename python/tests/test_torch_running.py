# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums and products are loops along a line: results and gradients beside eager
PyTorch, along each dimension, of every type, of lines of any length."""

from __future__ import annotations

import pytest
import torch
from forms import compare, run
from mlir_amp import compiler
from mlir_amp.torch import amp, backend
from torch import nn

pytestmark = pytest.mark.usefixtures("without_fallbacks")

SHAPES = [(4, 5, 6), (2, 3, 40), (3, 1, 4), (1, 7, 1), (50,), (2, 33, 64)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_each_dimension(shape) -> None:
    """Rows of a vector and more are taken as they lie, others are turned first."""

    def function(x):
        dims = range(x.dim())
        # A product behind 0 has a gradient of its own.
        return *(x.cumsum(d) for d in dims), *((x / 2 + 1).cumprod(d) for d in dims)

    compare(function, torch.randn(shape), tolerance=3e-5)


TURNED = {
    "whole": lambda x: x.flip(1).cumsum(1).flip(1),
    "from-behind": lambda x: x.flip(-2).cumsum(1).flip([1]),
    "another": lambda x: x.flip(2).cumsum(1).flip(2),
    "two": lambda x: x.flip(1, 2).cumsum(1).flip(1, 2),
    "in-front": lambda x: x.flip(1).cumsum(1) * x,
    "behind": lambda x: x.cumsum(1).flip(1) * x,
    "read-as-it-is": lambda x: (lambda y: y.flip(1) + y)(x.flip(1).cumsum(1)),
    "read-turned": lambda x: (lambda y: (y.cumsum(1).flip(1), y * x))(x.flip(1)),
}


@pytest.mark.parametrize("name", TURNED)
def test_turned_around(name) -> None:
    compare(TURNED[name], torch.randn(3, 5, 4))


def loops_of(monkeypatch, function, x) -> str:
    """What the compiler was given for a function and its gradient."""
    texts = []
    compile_module = compiler.compile

    def keep(module, *rest, **options):
        texts.append(module)
        return compile_module(module, *rest, **options)

    monkeypatch.setattr(compiler, "compile", keep)
    torch._dynamo.reset()
    run(torch.compile(function, backend=backend.amp, options={"opt_level": "O0"}), x)
    return "\n".join(t.decode() if isinstance(t, bytes) else t for t in texts)


def test_a_gradient_is_one_loop_from_the_end(monkeypatch) -> None:
    text = loops_of(monkeypatch, lambda x: x.cumsum(1).sin(), torch.randn(3, 5, 20))
    assert text.count("scf.for") == text.count("arith.subi") + 1 == 2
    assert "linalg.transpose" not in text
    text = loops_of(monkeypatch, lambda x: x.cumsum(1).flip(1), torch.randn(3, 20))
    # The gradient alone is turned around twice; a line of numbers side by side as well.
    assert "linalg.transpose" in text


TYPES = [
    *(torch.float64, torch.float32, torch.bfloat16, torch.float16),
    *(torch.int64, torch.int32, torch.int8, torch.bool),
]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_types(dtype) -> None:
    """Of what is no float in int64; halves are rounded once."""
    x = torch.randint(-3, 4, (3, 9))
    x = x > 0 if dtype == torch.bool else x.to(dtype)

    def function(x):
        return x.cumsum(1), x.cumsum(0, dtype=torch.float64), x.cumprod(1)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})
    for ours, theirs in zip(compiled(x), function(x), strict=True):
        torch.testing.assert_close(ours, theirs, atol=0, rtol=0)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32], ids=str)
def test_graphs_that_pytorch_runs(dtype) -> None:
    """Where another operation has no form: in the type that was asked for."""
    x = torch.full((3,), 100, dtype=dtype)
    for from_end in (False, True):
        found = torch.ops.mlir_amp.running(x, 0, "add", from_end)
        expected = x.cumsum(0, dtype=dtype)
        expected = expected.flip(0) if from_end else expected
        torch.testing.assert_close(found, expected, atol=0, rtol=0)


def test_halves_are_rounded_once() -> None:
    """256 + 1 + 1 + ... stays 256 in bfloat16 where each sum is rounded."""
    x = torch.ones(9, dtype=torch.bfloat16)
    x[0] = 256.0
    found = torch.compile(lambda x: x.cumsum(0), backend=backend.amp)(x)
    torch.testing.assert_close(found, x.cumsum(0), atol=0, rtol=0)
    assert found[-1] == 264


def test_long_lines_are_added_up_in_f64() -> None:
    """As eager PyTorch does: in f32 the last ones would be wrong by 1e-3."""
    compare(lambda x: x.cumsum(1), torch.randn(3, 20000), tolerance=1e-6)
    compare(lambda x: x.cumsum(0), torch.randn(50000), tolerance=1e-6)


def test_what_is_no_number_stays_behind_where_it_is() -> None:
    x = torch.tensor([[1.0, torch.nan, 2.0], [1.0, torch.inf, -torch.inf]])
    compare(lambda x: (x.cumsum(1), x.cumprod(1)), x)


def test_without_dimensions_and_elements() -> None:
    compare(lambda x: x.cumsum(0) * 2, torch.tensor(3.0))
    compare(lambda x: x.cumsum(1).sum() + x.cumprod(0).sum(), torch.zeros(3, 0))


class LinearAttention(nn.Module):
    """Sums of outer products up to each position."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(12, 36)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = nn.functional.elu(q) + 1, nn.functional.elu(k) + 1
        states = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(1)
        total = (q * k.cumsum(1)).sum(-1, keepdim=True)
        return torch.einsum("btd,btde->bte", q, states) / total


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O5"])
def test_a_step_of_linear_attention(level) -> None:
    torch.manual_seed(0)
    model, twin = LinearAttention(), LinearAttention()
    twin.load_state_dict(model.state_dict())
    loss_fn = lambda model, x: model(x).pow(2).mean()
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), level
    )
    optimizer = torch.optim.SGD(twin.parameters(), 0.1)
    x = torch.randn(2, 30, 12)
    tolerance = 1e-6 if level == "O0" else 2e-2
    for _ in range(4):
        optimizer.zero_grad()
        loss = loss_fn(twin, x)
        loss.backward()
        optimizer.step()
        torch.testing.assert_close(step(x), loss.detach(), atol=tolerance, rtol=tolerance)
