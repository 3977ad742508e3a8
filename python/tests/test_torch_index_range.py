# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices out of range: where eager PyTorch raises, compiled steps and graphs do, and
nothing is changed; those in range, of which some are negative, give what eager gives."""

from __future__ import annotations

import copy
from unittest import mock

import mlir_amp
import pytest
import torch
from cases import cases
from mlir_amp import compiler
from mlir_amp.torch import amp, backend
from torch import nn

F = nn.functional



def rows():
    return torch.arange(4)


# Each of them gets what a layer gives, of 4 rows and 6 columns, and 4 indices; with the
# size that these index, and whether they may be negative.
FORMS = {
    "pairs": (lambda x, a: x[rows(), a], 6, True),
    "rows": (lambda x, a: x[a], 4, True),
    "columns": (lambda x, a: x[:, a], 6, True),
    "take": (lambda x, a: x.take(a), 24, True),
    "index_select": (lambda x, a: x.index_select(1, a), 6, False),
    "gather": (lambda x, a: x.gather(1, a[:, None]), 6, False),
    "scatter": (lambda x, a: x.scatter(1, a[:, None], x[:, :1] * 2), 6, False),
    "scatter-value": (lambda x, a: x.scatter(1, a[:, None], 2.0), 6, False),
    "scatter_add": (lambda x, a: x.scatter_add(1, a[:, None], x[:, :1]), 6, False),
    "index_add": (lambda x, a: x.index_add(1, a, x[:, :4]), 6, False),
    "index_copy": (lambda x, a: x.index_copy(1, a, x[:, 1:5]), 6, False),
    "index_fill": (lambda x, a: x.index_fill(1, a, 2.0), 6, True),
    "index_put": (lambda x, a: x.index_put((rows(), a), x.new_ones(())), 6, True),
    "accumulate": (lambda x, a: x.index_put((rows(), a), x[:, 0], True), 6, True),
    "assignment": (lambda x, a: assign(x.clone(), a), 6, True),
    "one_hot": (lambda x, a: x * F.one_hot(a, 6), 6, False),
    "embedding": (lambda x, a: F.embedding(a, x), 4, False),
    "cross_entropy": (lambda x, a: F.cross_entropy(x, a, ignore_index=-100), 6, False),
}


def assign(x, a):
    x[rows(), a] = x[:, 0] * 3
    return x


def make(form, optimizer=torch.optim.Adam):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6))
    def loss(model, x, a, w):
        y = form(model(x), a).flatten()
        return (y * w[: len(y)]).sum().float()

    data = torch.randn(4, 3), torch.linspace(0.5, 1.5, 24)
    return model, optimizer(model.parameters()), loss, data


def states(model, optimizer, step):
    return copy.deepcopy((model.state_dict(), optimizer.state_dict()["state"])), (
        step.state_dict()
    )


WRONG = "index (out of range|must be)"


def momentum(parameters):
    return torch.optim.SGD(parameters, momentum=0.9)


def refuse(name, step, model, optimizer, loss, x, weights) -> None:
    """What eager PyTorch refuses, and nothing changes."""
    _, size, may_be_negative = FORMS[name]
    before = states(model, optimizer, step)
    lowest = -size if may_be_negative else 0
    for wrong in (size, 10**12, lowest - 1, -(10**12)):
        bad = torch.tensor([0, 1, wrong, 2])
        with pytest.raises((IndexError, RuntimeError)):
            loss(copy.deepcopy(model), x, bad, weights)
        with pytest.raises(mlir_amp.RuntimeFault, match=WRONG):
            step(x, bad, weights)
        after = states(model, optimizer, step)
        torch.testing.assert_close(after, before, atol=0, rtol=0)


# Scaled steps with half copies and Adam's states, of an operation that reads, one that
# writes, one that adds and a loss.
HALF = ["pairs", "scatter", "accumulate", "embedding", "cross_entropy"]


@pytest.mark.parametrize("name", cases(FORMS, HALF))
def test_half_steps_raise_and_change_nothing(name) -> None:
    model, optimizer, loss, (x, weights) = make(FORMS[name][0])
    step = amp.compile_step(model, loss, optimizer, "O2")
    good = torch.tensor([0, 1, 3, 2])
    step(x, good, weights)
    refuse(name, step, model, optimizer, loss, x, weights)
    step(x, good, weights)


@pytest.mark.parametrize("name", FORMS)
def test_steps_are_eager_and_change_nothing_when_they_raise(name) -> None:
    form, size, may_be_negative = FORMS[name]
    model, optimizer, loss, (x, weights) = make(form, momentum)
    twin = copy.deepcopy(model)
    eager = momentum(twin.parameters())
    step = amp.compile_step(model, loss, optimizer, "O0")

    def compare(a) -> None:
        expected = loss(twin, x, a, weights)
        eager.zero_grad()
        expected.backward()
        eager.step()
        torch.testing.assert_close(
            step(x, a, weights), expected.detach(), atol=1e-5, rtol=0
        )
        torch.testing.assert_close(model.state_dict(), twin.state_dict())

    edges = [-size, -1] if may_be_negative else [0, 2]
    for last in ([1, 3], [size - 1, 1], edges):
        compare(torch.tensor([0, 2, *last] if name != "index_copy" else [4, 5, *last]))
    refuse(name, step, model, optimizer, loss, x, weights)
    compare(torch.tensor([0, 1, 3, 2]))


@pytest.mark.parametrize("name", ["pairs", "index_select", "scatter", "one_hot"])
def test_graphs_raise(name) -> None:
    torch._dynamo.reset()
    form, size, _ = FORMS[name]
    layer = nn.Linear(3, 6)
    run = torch.compile(
        lambda x, a: form(layer(x), a).sum(),
        backend=backend.amp,
        options={"opt_level": "O0"},
    )
    x, good = torch.randn(4, 3), torch.tensor([0, 1, 3, 2])
    torch.testing.assert_close(run(x, good), form(layer(x), good).sum())
    for wrong in (size, 10**12, -size - 1):
        with pytest.raises(mlir_amp.RuntimeFault, match="index out of range"):
            run(x, torch.tensor([0, 1, wrong, 2]))


@pytest.mark.filterwarnings("ignore::mlir_amp.torch.backend.FallbackWarning")
def test_graphs_that_pytorch_runs_raise() -> None:
    torch._dynamo.reset()
    run = torch.compile(
        lambda x, a: torch.special.bessel_j0(x).scatter(1, a[:, None], 1.0),
        backend=backend.amp,
        options={"opt_level": "O0"},
    )
    run(torch.randn(4, 6), torch.tensor([0, 1, 3, 2]))
    with pytest.raises(IndexError, match="of 'aten.scatter' to be not negative and be"):
        run(torch.randn(4, 6), torch.tensor([0, 1, 6, 2]))


def test_indices_that_are_known_are_not_checked() -> None:
    """A range, and what was checked before: one assertion for each other index."""

    def asserted(loss):
        text = []
        with mock.patch.object(
            compiler,
            "compile_for_host",
            side_effect=lambda source, *rest, **options: (
                text.append(source) or compile_for_host(source, *rest, **options)
            ),
        ):
            model = nn.Linear(3, 6)
            step = amp.compile_step(
                model, loss, torch.optim.SGD(model.parameters()), "O0"
            )
            step(torch.randn(4, 3), torch.tensor([0, 1, 3, 2]))
        return text[0].count("index out of range")

    compile_for_host = compiler.compile_for_host
    assert asserted(lambda model, x, a: model(x)[rows(), rows()].sum()) == 0
    # With the gradient, which writes by both.
    assert asserted(lambda model, x, a: model(x)[rows(), a].sum()) == 1
    assert asserted(lambda model, x, a: model(x).gather(1, a[:, None]).sum()) == 0


@pytest.mark.parametrize("count", [100, 200])
def test_numbers_that_a_type_does_not_hold_are_checked(count) -> None:
    """200 is no int8: what was an index in range becomes another one."""

    def scattered(x, v):
        place = torch.arange(count).to(torch.int8).to(torch.int64)
        return x.scatter_add(0, place, v)

    torch._dynamo.reset()
    run = torch.compile(scattered, backend=backend.amp, options={"opt_level": "O0"})
    x, v = torch.zeros(count), torch.ones(count)
    if count < 128:
        assert torch.equal(run(x, v), scattered(x, v))
        return
    with pytest.raises(RuntimeError, match="out of bounds"):
        scattered(x, v)
    with pytest.raises(mlir_amp.RuntimeFault, match="index out of range"):
        run(x, v)
