# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which Python functions of torch are run with the casts on: those that may call what is cast."""

import pytest
import torch
from mlir_amp.torch import amp
from mlir_amp.torch.amp.casts import CastMode
from mlir_amp.torch.amp.python_functions import get_inside, may_call_half, may_call_listed
from torch.nn import functional

QUIET = {"verbosity": 0, "opt_level": "O1"}


@pytest.fixture
def casts():
    amp.initialize(torch.nn.Linear(2, 2), **QUIET)
    yield
    amp.reset()


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "silu", "layer_norm", "cross_entropy", "nll_loss"])
def test_what_calls_nothing_listed_is_called_as_it_is(name):
    function = getattr(functional, name)
    assert get_inside(function) is not None and not may_call_listed(function)


@pytest.mark.parametrize(
    "name",
    [
        "softsign",  # an operator
        "gaussian_nll_loss",  # log, behind conditions
        "multi_head_attention_forward",  # linear
        "max_pool2d",  # one of two functions, in a closure
        "triplet_margin_with_distance_loss",  # a function of the user's
        "softmax",  # listed as a method too
        "upsample",  # by interpolate, a Python function as well
    ],
)
def test_what_may_call_one_is_entered(name):
    assert may_call_listed(getattr(functional, name))


@pytest.mark.parametrize("name", ["softmax", "mse_loss", "binary_cross_entropy_with_logits", "normalize", "group_norm"])
def test_what_is_in_float32_by_itself_is_entered_for_nothing(name):
    function = getattr(functional, name)
    assert may_call_listed(function) and not may_call_half(function)


@pytest.mark.parametrize(
    "name",
    [
        "multi_head_attention_forward",  # linear
        "triplet_margin_with_distance_loss",  # a function of the user's
        "max_pool2d",  # a closure
    ],
)
def test_what_may_be_computed_in_half_inside_is_entered(name):
    assert may_call_half(getattr(functional, name))


def test_an_operator_may_be_a_product():
    def product(x, y):
        return x @ y

    def power(x, y):
        return x**y

    for function in (product, power):
        function.__module__ = "torch.nn.functional"
    assert may_call_half(product) and not may_call_half(power)
    assert may_call_listed(product) and may_call_listed(power)


@pytest.fixture
def seen(monkeypatch):
    """The functions that come by the casts."""
    functions, original = [], CastMode.__torch_function__

    def record(self, func, *others):
        functions.append(func)
        return original(self, func, *others)

    monkeypatch.setattr(CastMode, "__torch_function__", record)
    return functions


def test_losses_come_by_once(seen, casts):
    logits, target = torch.randn(8).half().requires_grad_(), torch.rand(8)
    seen.clear()
    loss = functional.binary_cross_entropy_with_logits(logits, target)
    assert seen == [functional.binary_cross_entropy_with_logits] and loss.dtype == torch.float32
    amp.reset()
    assert torch.equal(loss, functional.binary_cross_entropy_with_logits(logits.float(), target))


def test_a_container_may_hide_what_is_not_cast(seen, casts):
    seen.clear()
    functional.interpolate(torch.ones(1, 1, 2, 2).half(), size=[4, 4])
    assert len(seen) > 1


def test_a_half_function_of_the_users_is_seen_inside_what_is_wide(seen):
    amp.register_half_function(torch.Tensor, "clamp_min")
    try:
        amp.initialize(torch.nn.Linear(2, 2), **QUIET)
        functional.normalize(torch.ones(2), dim=0)
        assert torch.Tensor.clamp_min in seen
    finally:
        amp.reset()


def test_a_function_of_the_users_counts_as_listed():
    assert may_call_listed(functional.relu, frozenset({"relu"}))
    assert not may_call_listed(functional.silu, frozenset({"relu"}))


def test_only_functional_is_told_by_its_code():
    assert may_call_listed(torch.Tensor.backward)  # hooks and checkpoints of the user's


def test_a_registered_function_is_cast_behind_a_python_function():
    amp.register_half_function(torch, "relu")
    try:
        amp.initialize(torch.nn.Linear(2, 2), **QUIET)
        assert functional.relu(torch.ones(2)).dtype == torch.float16
        assert functional.silu(torch.ones(2)).dtype == torch.float32
    finally:
        amp.reset()


def test_types_of_both_kinds(casts):
    half, wide = torch.ones(2, 3).half(), torch.ones(2, 3)
    assert functional.relu(half).dtype == torch.float16
    assert functional.layer_norm(half, (3,)).dtype == torch.float32
    assert functional.softsign(half).dtype == torch.float16
    types = []

    def distance(first, second):
        types.append(torch.mm(first, second.T).dtype)
        return (first - second).norm(dim=1)

    functional.triplet_margin_with_distance_loss(wide, wide, wide, distance_function=distance)
    assert set(types) == {torch.float16}
