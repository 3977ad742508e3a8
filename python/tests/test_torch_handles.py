# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Apex's older interface: scale_loss of the handle that amp.init gives, and wrap_optimizer."""

import pytest
import torch
from mlir_amp.torch import amp

INFINITY = float("inf")


class Recording(torch.optim.SGD):
    """Notes the type that a product has inside of a step."""

    def step(self, closure=None):
        self.seen = torch.mm(torch.ones(1, 1), torch.ones(1, 1)).dtype
        return super().step()


def begin(**options):
    handle = amp.init(**options)
    model = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.constant_(model.weight, 1.0)
    return handle, model, Recording(model.parameters(), lr=1.0)


def backward(scale_loss, model, factor=1.0, *given):
    """Gradients are `factor`."""
    with scale_loss(model(torch.ones(1, 2)).sum() * factor, *given) as scaled:
        scaled.backward()


def weight(model):
    return model.weight.detach().flatten().tolist()


# -- the handle -----------------------------------------------------------------------


def test_a_step_of_the_handle():
    handle, model, optimizer = begin()
    backward(handle.scale_loss, model, 0.5, optimizer)
    assert torch.equal(model.weight.grad, torch.full((1, 2), 0.5))
    optimizer.step()
    assert weight(model) == [0.5, 0.5]


def test_losses_of_the_handle_add_up():
    handle, model, optimizer = begin()
    for factor in (0.25, 0.5):
        backward(handle.scale_loss, model, factor, optimizer)
    assert torch.equal(model.weight.grad, torch.full((1, 2), 0.75))
    with pytest.raises(KeyError), handle.scale_loss(model(torch.ones(1, 2)).sum(), optimizer) as scaled:
        scaled.backward()
        raise KeyError
    assert torch.equal(model.weight.grad, torch.full((1, 2), 0.75))


@pytest.mark.parametrize("overflows", [1, 2, 3])
def test_one_step_is_skipped_for_overflows_before_it(overflows):
    handle, model, optimizer = begin()
    for _ in range(overflows):
        backward(handle.scale_loss, model, INFINITY, optimizer)
        optimizer.zero_grad()
    assert handle._default_scaler.loss_scale() == 2.0 ** (16 - overflows)
    optimizer.step()
    assert weight(model) == [1.0, 1.0]
    backward(handle.scale_loss, model, 0.5, optimizer)
    optimizer.step()
    assert weight(model) == [0.5, 0.5]


def test_a_clean_pass_does_not_remember_an_overflow():
    handle, model, optimizer = begin()
    backward(handle.scale_loss, model, INFINITY, optimizer)
    optimizer.step()
    optimizer.zero_grad()
    backward(handle.scale_loss, model, 0.5, optimizer)
    assert handle._default_scaler.loss_scale() == 2.0**15


def test_a_reset_ends_what_waits_to_be_skipped():
    handle, model, optimizer = begin()
    step = optimizer.step
    backward(handle.scale_loss, model, INFINITY, optimizer)
    assert optimizer.step != step
    amp.reset()
    assert optimizer.step == step
    model.weight.grad = torch.full((1, 2), 0.5)
    optimizer.step()
    assert weight(model) == [0.5, 0.5]


# -- wrapped optimizers ---------------------------------------------------------------


@pytest.mark.parametrize("bad", [None, 0, 1, 2])
def test_any_overflow_skips_the_step(bad):
    handle, model, optimizer = begin()
    wrapped = handle.wrap_optimizer(optimizer, num_loss=3)
    factors = [0.125, 0.25, 0.5]
    for turn in range(2):
        optimizer.zero_grad()
        before = weight(model)
        for i, factor in enumerate(factors):
            backward(wrapped.scale_loss, model, INFINITY if turn == 0 and i == bad else factor)
        wrapped.step()
        is_skipped = turn == 0 and bad is not None
        assert weight(model) == (before if is_skipped else [w - 0.875 for w in before])
    # Each loss has a scale of its own.
    assert [scaler.loss_scale() for scaler in wrapped._loss_scaler] == [
        2.0**15 if i == bad else 2.0**16 for i in range(3)
    ]


def test_a_loss_that_fails_leaves_the_gradients_before():
    handle, model, optimizer = begin()
    wrapped = handle.wrap_optimizer(optimizer, num_loss=2)
    backward(wrapped.scale_loss, model, 0.5)
    with pytest.raises(KeyError), wrapped.scale_loss(model(torch.ones(1, 2)).sum()) as scaled:
        scaled.backward()
        raise KeyError
    assert torch.equal(model.weight.grad, torch.full((1, 2), 0.5))


def test_steps_of_wrapped_optimizers_are_not_cast():
    handle, model, optimizer = begin()
    wrapped = handle.wrap_optimizer(optimizer)
    assert torch.mm(torch.ones(1, 1), torch.ones(1, 1)).dtype == torch.float16
    backward(wrapped.scale_loss, model, 0.5)
    wrapped.step()
    assert optimizer.seen == torch.float32


def test_one_loss_too_many_is_refused():
    handle, model, optimizer = begin()
    wrapped = handle.wrap_optimizer(optimizer)
    backward(wrapped.scale_loss, model)
    with pytest.raises(RuntimeError, match="called 2 times since the last step"):
        backward(wrapped.scale_loss, model)
    with pytest.raises(NotImplementedError, match="closure"):
        wrapped.step(lambda: None)


def test_wrapped_optimizers_are_what_they_wrap():
    handle, model, optimizer = begin()
    wrapped = handle.wrap_optimizer(optimizer)
    assert wrapped.param_groups is optimizer.param_groups
    off = amp.init(enabled=False).wrap_optimizer(optimizer)
    backward(off.scale_loss, model, 0.5)
    off.step()
    assert weight(model) == [0.5, 0.5]


# -- registered functions of classes --------------------------------------------------


class Library:
    @staticmethod
    def fixed(x):
        return x.dtype

    @classmethod
    def named(cls, x):
        return cls.__name__, x.dtype

    def own(self, x):
        return x.dtype


class Derived(Library):
    pass


def test_methods_of_classes_are_put_back_as_they_stood():
    x, names = torch.ones(2), ("fixed", "named", "own")
    stood = {name: vars(Library)[name] for name in names}
    for kind in (Library, Derived):
        for name in names:
            amp.register_half_function(kind, name)
    amp.init()
    for kind in (Library, Derived):
        assert kind.fixed(x) == kind().fixed(x) == kind().own(x) == torch.float16
        assert kind.named(x) == kind().named(x) == (kind.__name__, torch.float16)
    amp.reset()
    assert {name: vars(Library)[name] for name in names} == stood
    assert not any(name in vars(Derived) for name in names)
    assert Derived().fixed(x) == torch.float32 and Derived.named(x) == ("Derived", torch.float32)
