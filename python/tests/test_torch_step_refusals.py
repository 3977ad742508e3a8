# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled step refuses, and says: each text names the cause and the remedy."""

from __future__ import annotations

import pytest
import torch
from mlir_amp.errors import NotLowered
from mlir_amp.torch import amp
from torch import nn

F = nn.functional
OFFSET = torch.ones(4, requires_grad=True)
DEEP = [[[[[[torch.ones(4)]]]]]]
STEPS = torch.zeros(())


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def refuse(loss, match, model=None, x=None):
    model = model or nn.Linear(4, 4)
    x = torch.randn(2, 4) if x is None else x
    with pytest.raises(NotLowered, match=match):
        amp.compile_step(model, loss, sgd(model), "O0")(x)


def test_tensors_of_neither_model_nor_batch() -> None:
    """Others are arguments of the step (test_torch_step_outside.py)."""
    refuse(
        lambda model, x: (model(x) + OFFSET).sum(),
        "has a gradient with respect to 'OFFSET', which is neither the model's nor of the "
        "batch; make it a parameter of the model, detach it, or switch it off by "
        r"requires_grad_\(False\)",
    )
    refuse(
        lambda model, x: (model(x) + DEEP[0][0][0][0][0][0]).sum(),
        "uses a tensor that is neither the model's nor of the batch, where a step does not see "
        "it: by no name, in a backward pass, or in 'clip'; register it as a buffer of the "
        "model, or pass it with the batch",
    )
    refuse(
        lambda model, x: (model(x) + STEPS.add_(1)).sum(),
        "writes to 'STEPS', which is neither the model's nor of the batch; make it a "
        "buffer of the model",
    )
    assert STEPS == 0


def test_distributions_are_not_validated() -> None:
    def loss(model, x):
        made = torch.distributions.Normal(model(x), torch.ones_like(x))
        return -made.log_prob(x).mean()

    torch.distributions.Distribution.set_default_validate_args(True)  # as it is at first
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    expected = loss(model, x).detach()
    step = amp.compile_step(model, loss, sgd(model), "O0")
    torch.testing.assert_close(step(x), expected)
    assert torch.distributions.Distribution._validate_args is True


def test_parameters_that_are_channels_last() -> None:
    model = nn.Conv2d(2, 3, 3).to(memory_format=torch.channels_last)
    step = amp.compile_step(model, lambda model, x: model(x).sum(), sgd(model))
    with pytest.raises(
        ValueError,
        match=r"expected 'weight' to be contiguous, but it is of shape \[3, 2, 3, 3\] "
        r"with strides .*; give its model .to\(memory_format=torch.contiguous_format\)",
    ):
        step(torch.randn(1, 2, 4, 4))


class Maps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 6, 6))

    def forward(self, x):
        return x * self.weight


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: F.fractional_max_pool2d(x, 2, output_size=3), "max_pool2d"),
        (
            lambda x: F.grid_sample(
                x, x[:, :2].permute(0, 2, 3, 1), "bicubic", align_corners=True
            ),
            "grid_sampler",
        ),
        (lambda x: torch.linalg.matrix_exp(x), "linalg_matrix_exp"),
        (lambda x: torch.special.i0(x), "i0"),
    ],
)
def test_operations_without_a_form_are_named(function, name) -> None:
    refuse(
        lambda model, x: function(model(x)).sum(),
        f"^torch-mlir has no form for 'aten.[a-z_]*{name}[a-z0-9_]*' with these arg",
        Maps(),
        torch.randn(2, 4, 6, 6),
    )


def test_gradients_without_a_form_are_named() -> None:
    refuse(
        lambda model, x: torch.digamma(model(x).abs() + 1).sum(),
        "torch-mlir has no form for 'aten.digamma' .* in the backward pass",
        Maps(),
        torch.randn(2, 4, 6, 6),
    )


def test_packed_sequences() -> None:
    def loss(model, x):
        packed = nn.utils.rnn.pack_padded_sequence(
            x, torch.tensor([4, 2]), batch_first=True
        )
        return model(packed)[0].data.sum()

    refuse(
        loss,
        "a packed sequence depend on values; give the layer the padded batch, and mask",
        nn.LSTM(3, 3, batch_first=True),
        torch.randn(2, 4, 3),
    )


def test_factors_of_matrices() -> None:
    def loss(model, x):
        return torch.linalg.solve(torch.eye(4) + model.weight.T @ model.weight, x.T).sum()

    refuse(loss, r"checks values .* with what it factors \(inv, solve, cholesky\), which")


def test_losses_that_are_none() -> None:
    refuse(lambda model, x: model(x), r"it is of shape \[2, 4\] and torch.float32$")
    refuse(lambda model, x: 1.0, "one float32 number, but it is float$")
    for loss in (
        lambda model, x: x.sum(),
        lambda model, x: model(x).detach().sum(),
    ):
        refuse(loss, "the loss reaches no parameter that the optimizer trains: what lies")


def test_arguments_of_amp() -> None:
    model = nn.Linear(4, 4)
    model, optimizer = amp.initialize(model, sgd(model), verbosity=0)
    with (
        pytest.raises(TypeError, match="the loss as a tensor, but got float; pass what"),
        amp.scale_loss(1.0, optimizer),
    ):
        pass
    with pytest.raises(TypeError, match=r"what amp.state_dict\(\) gave, but got None"):
        amp.load_state_dict(None)


def test_checks_that_torch_linalg_makes() -> None:
    eye = lambda y: torch.linalg.inv(y[:2, :2] + 3 * torch.eye(2)).sum()
    refuse(lambda model, x: eye(model(x)), "checks values where it computes them")


def test_ctc() -> None:
    lengths = torch.full((2,), 3), torch.full((2,), 2)

    def loss(model, x):
        rows = model(x).log_softmax(-1).expand(3, 2, 4)
        return F.ctc_loss(rows, torch.ones(2, 2, dtype=torch.int64), *lengths)

    refuse(loss, "ctc_loss has no form here: its paths depend on lengths; train by eager")


class NoGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return None


def test_no_gradient_at_all() -> None:
    refuse(
        lambda model, x: NoGradient.apply(model(x)).sum(),
        "the loss reaches no parameter that the optimizer trains",
    )
