# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled step does to tensors that are not only its own: writes by `data`, modules
at two places, groups, batches that share memory; and what it refuses, with nothing lost."""

from __future__ import annotations

import copy
import os
import signal
import threading

import pytest
import torch
from mlir_amp.errors import NotLowered
from mlir_amp.torch import amp
from torch import nn

F = nn.functional


def batches(count):
    made = torch.Generator().manual_seed(1)
    return [torch.randn(5, 4, generator=made) for _ in range(count)]


def sgd(model, **options):
    return torch.optim.SGD(
        [p for p in model.parameters() if p.requires_grad],
        **{"lr": 0.1, "momentum": 0.9, **options},
    )


def expect_as_eager(model, loss, make_optimizer=sgd, count=4, clip=None, change=None):
    """Losses, parameters and buffers of both."""
    twin = copy.deepcopy(model)
    optimizer, twins = make_optimizer(model), make_optimizer(twin)
    step = amp.compile_step(model, loss, optimizer, "O0", clip=clip)
    for number, x in enumerate(batches(count)):
        if change and number == 2:
            change(optimizer)
            change(twins)
        twins.zero_grad()
        expected = loss(twin, x)
        expected.backward()
        if clip:
            clip(twin)
        twins.step()
        torch.testing.assert_close(step(x), expected.detach())
    for name, value in twin.state_dict().items():
        torch.testing.assert_close(model.state_dict()[name], value, msg=name)


# -- writes by data -------------------------------------------------------------------


class Mean(nn.Module):
    def __init__(self, write) -> None:
        super().__init__()
        self.inner, self.write = nn.Linear(4, 3), write
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        y = self.inner(x)
        self.write(self, y.detach().mean(0))
        return y - self.mean


def set_data(module, value):
    module.mean.data = 0.9 * module.mean + 0.1 * value


def set_part(module, value):
    module.mean.data[1:] = value[1:]


@pytest.mark.parametrize("write", [set_data, set_part])
def test_buffers_whose_data_is_set(write) -> None:
    expect_as_eager(Mean(write), lambda m, x: m(x).pow(2).mean())


def test_a_teacher_whose_data_is_set() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.student = nn.Linear(4, 3)
            self.teacher = copy.deepcopy(self.student).requires_grad_(False)

        def loss(self, x):
            parts = zip(self.student.parameters(), self.teacher.parameters())
            for mine, other in parts:
                other.data = 0.9 * other.data + 0.1 * mine.data
            return F.mse_loss(self.student(x), self.teacher(x) + 1)

    expect_as_eager(Both(), lambda m, x: m.loss(x))


def clip_by_data(model):
    for parameter in model.parameters():
        parameter.grad.data = parameter.grad.data.clamp(-0.01, 0.01)


def test_gradients_whose_data_is_set() -> None:
    expect_as_eager(nn.Linear(4, 3), lambda m, x: m(x).pow(2).mean(), clip=clip_by_data)


def renorm(model, x):
    model.weight.data = torch.renorm(model.weight.data, 2, 0, 0.5)
    return model(x).sum()


def renorm_in_place(model, x):
    model.weight.data.clamp_(-0.1, 0.1)
    return model(x).sum()


def reshape(model, x):
    model.bias.data = torch.zeros(6)
    return model(x).sum()


@pytest.mark.parametrize(
    "loss, match",
    [
        (renorm, "writes to the parameter 'weight'"),
        (renorm_in_place, "writes to the parameter 'weight'"),
        (reshape, r"of shape \[3\] .* the data of one of \[6\]"),
    ],
)
def test_parameters_that_are_written_are_refused(loss, match) -> None:
    model = nn.Linear(4, 3)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(NotLowered, match=match):
        amp.compile_step(model, loss, sgd(model), "O0")(batches(1)[0])
    assert all(torch.equal(before[name], p) for name, p in model.state_dict().items())


# -- batches --------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (5, 4)])
def test_batches_that_are_written_are_refused(shape) -> None:
    def loss(model, x, weight):
        weight.mul_(0.5)
        return (model(x) * weight.sum()).mean()

    model, weight = nn.Linear(4, 3), torch.ones(shape)
    with pytest.raises(NotLowered, match="writes to the tensor 1 of the batch"):
        amp.compile_step(model, loss, sgd(model), "O0")(batches(1)[0], weight)
    assert torch.equal(weight, torch.ones(shape))


def test_a_batch_that_a_step_writes_to() -> None:
    model, twin = (Mean(set_data) for _ in range(2))
    twin.load_state_dict(model.state_dict())
    loss = lambda m, x, y: (m(x) * y.clone()).mean()  # noqa: E731
    (x,) = batches(1)
    step = amp.compile_step(model, loss, sgd(model), "O0")
    for _ in range(3):
        expected = loss(twin, x, twin.mean.clone())
        torch.testing.assert_close(step(x, model.mean), expected.detach())
        twin.load_state_dict(model.state_dict())


def test_signs_that_wait_to_be_taken() -> None:
    model = nn.Linear(4, 3)
    (x,) = batches(1)
    imaginary = torch.complex(x, -x).conj().imag
    lazy = torch._neg_view(x)
    assert lazy.is_neg() and lazy.is_contiguous() and imaginary.is_neg()
    loss = lambda m, x: m(x).pow(3).mean()  # noqa: E731
    for given in (lazy, imaginary):
        step = amp.compile_step(model, loss, sgd(model, lr=0.0), "O0")
        expected = loss(model, given.resolve_neg()).detach()
        torch.testing.assert_close(step(given), expected)


def test_batches_of_other_kinds_are_refused() -> None:
    class Mine(torch.Tensor):
        pass

    model = nn.Linear(4, 3)
    step = amp.compile_step(model, lambda m, x: m(x).mean(), sgd(model), "O0")
    with pytest.raises(ValueError, match="plain tensors, but got a Mine"):
        step(batches(1)[0].as_subclass(Mine))


class Shifted(nn.Module):
    """With buffers that are views of others."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 3)
        self.register_buffer("turned", torch.arange(12.0).reshape(4, 3).t())
        self.register_buffer("every", torch.arange(6.0)[::2])

    def forward(self, x):
        return self.inner(x) @ self.turned * 0.1 + self.every.sum()


def test_buffers_that_are_not_contiguous() -> None:
    expect_as_eager(Shifted(), lambda m, x: m(x).pow(2).mean())


def test_batches_without_rows_are_refused_in_words() -> None:
    model = nn.Linear(4, 3)
    step = amp.compile_step(
        model, lambda m, x: F.mse_loss(m(x), torch.zeros_like(m(x))), sgd(model), "O0"
    )
    with pytest.raises(NotLowered, match="leave out batches without rows"):
        step(torch.zeros(0, 4))


# -- modules and groups ---------------------------------------------------------------


class Twice(nn.Module):
    """One module under two names, in a list too, with its buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        self.second = self.first
        self.rest = nn.ModuleList([self.first, nn.Linear(4, 4, bias=False)])
        self.rest[1].weight = self.first[0].weight

    def forward(self, x):
        x = self.second(torch.tanh(self.first(x)))
        for part in self.rest:
            x = part(x)
        return x


def test_modules_at_two_places() -> None:
    model = Twice()
    weight = model.first[0].weight
    expect_as_eager(model, lambda m, x: m(x).pow(2).mean())
    assert model.second[0].weight is model.rest[1].weight is weight
    assert type(weight) is nn.Parameter


def two_groups(model):
    parts = [[*model[0].parameters()], [*model[1].parameters()]]
    return torch.optim.SGD(
        [{"params": part, "lr": rate} for part, rate in zip(parts, (0.1, 0.0))]
    )


def move_last(optimizer):
    first, second = (group["params"] for group in optimizer.param_groups)
    second.insert(0, first.pop())


def test_parameters_that_go_to_another_group() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3))
    with pytest.warns(UserWarning, match="groups have other parameters"):
        expect_as_eager(
            model, lambda m, x: m(x).pow(2).mean(), two_groups, change=move_last
        )


def lazy():
    return nn.Sequential(nn.LazyLinear(3))


MODELS = {
    "DataParallel": (lambda: nn.DataParallel(nn.Linear(4, 3)), "give it model.module"),
    "compiled": (lambda: torch.compile(nn.Linear(4, 3)), "torch.compile was not given"),
    "traced": (
        lambda: torch.jit.trace(nn.Linear(4, 3), torch.ones(1, 4)),
        "scripted or traced by torch.jit",
    ),
    "lazy": (lazy, "'0.weight', '0.bias' wait for the first batch"),
    "initialized": (
        lambda: amp.initialize(nn.Linear(4, 3), opt_level="O2", verbosity=0),
        "amp.initialize was not given",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_that_others_prepared_are_refused(name) -> None:
    make, match = MODELS[name]
    model = make()
    with pytest.raises(ValueError, match=match):
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
        amp.compile_step(model, lambda m, x: m(x).mean(), optimizer, "O1")


def test_casts_of_the_thread_do_not_reach_a_step() -> None:
    model, (x,) = nn.Linear(4, 3), batches(1)
    loss = lambda m, x: m(x).pow(2).mean()  # noqa: E731
    expected = loss(model, x).detach()
    amp.initialize(nn.Linear(2, 2), opt_level="O1", verbosity=0)
    assert model(x).dtype == torch.float16
    adam = torch.optim.Adam(model.parameters())
    torch.testing.assert_close(amp.compile_step(model, loss, adam, "O0")(x), expected)
    assert model(x).dtype == torch.float16


@pytest.mark.parametrize(
    "state, match",
    [
        ({"loss_scaler0": {}}, "to have 'loss_scale' and 'unskipped'"),
        ({"loss_scaler0": {"loss_scale": 2.0, "unskipped": 2**70}}, "to 2^63 - 1"),
    ],
)
def test_states_of_scalers_that_are_none(state, match) -> None:
    model = nn.Linear(4, 3)
    step = amp.compile_step(model, lambda m, x: m(x).mean(), sgd(model), "O1")
    before = step.state_dict()
    with pytest.raises(ValueError, match=match.replace("^", r"\^")):
        step.load_state_dict(state)
    assert step.state_dict() == before


# -- threads and processes ------------------------------------------------------------


def test_steps_that_are_compiled_on_several_threads() -> None:
    fused = torch._C._get_mkldnn_enabled()
    failures = []

    def work(width):
        try:
            for extra in range(2):
                model = nn.Linear(4, width + extra)
                loss = lambda m, x: m(x).pow(2).mean()  # noqa: E731
                step = amp.compile_step(model, loss, sgd(model), "O1")
                expected = loss(model, batches(1)[0]).detach()
                torch.testing.assert_close(step(batches(1)[0]), expected, rtol=1e-2, atol=1e-3)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(width,)) for width in (3, 5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert torch._C._get_mkldnn_enabled() == fused
    assert not torch.compiler.is_compiling()


def test_a_forked_process_is_told() -> None:
    """Also where another thread is inside of a step, whose locks stay taken."""
    model, (x,) = nn.Linear(4, 3), batches(1)
    step = amp.compile_step(model, lambda m, x: m(x).mean(), sgd(model), "O0")
    step(x)
    with step._lock:
        child = os.fork()
        if not child:
            signal.alarm(60)
            try:
                step(x)
            except RuntimeError as error:
                os._exit(0 if "was forked since" in str(error) else 1)
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    step(x)
