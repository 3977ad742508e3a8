# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which Python functions of torch are run with the casts on: those that may call what is cast."""

import pytest
import torch
from mlir_amp.torch import amp
from mlir_amp.torch.amp.python_functions import get_inside, may_call_listed
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
