# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What operations give for NaN, infinities, zeros and constants, and their gradients:
against eager PyTorch, without a graph that falls back."""

from __future__ import annotations

import math

import pytest
import torch
from forms import compare
from mlir_amp.torch import backend
from torch.nn import functional

INF, NAN = math.inf, math.nan
EDGES = torch.tensor(
    [[1.0, 2.0, -0.0, 0.0, INF, -INF, NAN, 0.3, -1.5, 7.0, -7.0, 3.0]]
)
# Of a shape for which both whole vectors and a rest are compiled.
REPEATED = EDGES.repeat(1, 5)
ORDINARY = torch.linspace(-5.3, 6.1, 60).reshape(1, 60)


pytestmark = pytest.mark.usefixtures("without_fallbacks")


def truths(x):
    """Comparisons of constants with whole numbers, as numbers."""
    one, two, zero = torch.ones_like(x), torch.full_like(x, 2.0), torch.zeros_like(x)
    found = [one == 1, one != 1, one > 0, two > 1, zero == 0, two <= 1, one >= 1, two < 3]
    return sum(f.to(torch.float32) * 2.0**i for i, f in enumerate(found))


NUMBERS = {
    "constants": lambda x: truths(x) + x,
    "constant-fills": lambda x: x.masked_fill(torch.zeros_like(x) > 1, 7),
    "constant-sign": lambda x: torch.zeros_like(x).sign() + x,
    "hinge": lambda x: functional.hinge_embedding_loss(
        x, torch.ones_like(x), reduction="none"
    ),
    "xlogy": lambda x: torch.xlogy(torch.zeros_like(x), x),
    "equal": lambda x: (x == x, x != x, x == x.flip(1), x == 1, x <= INF),
    "finite": lambda x: (torch.isfinite(x), torch.isnan(x), torch.isinf(x)),
    "nan-to-num": lambda x: torch.nan_to_num(x, 1.0, 2.0, 3.0),
    "sign": torch.sign,
    "clamp": lambda x: (x.clamp(-1, 2), x.clamp(3, 1), x.clamp(min=0.5)),
    "clamp-max": lambda x: (x.clamp(max=0.5), x.clamp(-INF, INF)),
    "clamp-nan": lambda x: x.clamp(NAN, 2),
    "clamp-tensors": lambda x: (
        torch.clamp(x, torch.full_like(x, -1.0), x.flip(1)),
        torch.clamp(x, max=x.flip(1)),
    ),
    "maximum": lambda x: (torch.maximum(x, x.flip(1)), torch.maximum(x, x)),
    "minimum": lambda x: torch.minimum(x, x.flip(1)),
    "relu": lambda x: (functional.relu(x), functional.relu6(x)),
    "softshrink": lambda x: (functional.softshrink(x), functional.softshrink(x, 1.0)),
    "logit": lambda x: (x.logit(), x.logit(0.1)),
    "sign-bit": lambda x: torch.signbit(torch.where(x == x, x, 1.0)),
    "hypot": lambda x: (torch.hypot(x, x.flip(1)), torch.hypot(x, x)),
    "number-of": lambda x: (torch.fmax(x, x.flip(1)), torch.fmin(x, x.flip(1))),
    "lgamma": lambda x: torch.lgamma(x),
    "erfc": lambda x: torch.erfc(x),
    "erfinv": lambda x: torch.erfinv(x / 8),
    "copysign": lambda x: (
        torch.copysign(x, torch.where(x == x, x, 1.0).flip(1)),
        torch.copysign(x, -0.0),
        torch.copysign(x, 2.0),
    ),
    "hard": lambda x: (
        functional.hardtanh(x),
        functional.hardsigmoid(x),
        functional.hardswish(x),
    ),
    "gelu-tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "max": lambda x: (*x.max(1), *x.min(1)),
    "max-rows": lambda x: (*x.reshape(3, -1).max(0, keepdim=True), x.amax(1)),
    "argmax": lambda x: (x.argmax(), x.argmin(1, keepdim=True), x.argmax(0)),
    "floor-divide": lambda x: torch.div(x, 0.1, rounding_mode="floor"),
    "floor-divide-tensors": lambda x: torch.div(x, x.flip(1), rounding_mode="floor"),
    "fmod": lambda x: (torch.fmod(x, 0.3), torch.fmod(x, x.flip(1))),
    "remainder": lambda x: (x % 0.3, x % x.flip(1)),
    "roots": lambda x: (x**0.5, x**-0.5, x**1.5),
    "reciprocal": lambda x: (x.reciprocal(), 1 / x, 3 / x),
    "atan2": lambda x: torch.atan2(x, x.flip(1)),
}


# At NaN, eager PyTorch's own results or gradients of these depend on the size.
DEPENDENT = {"relu", "softshrink", "logit", "hard"}


@pytest.mark.parametrize("name", NUMBERS)
def test_edges_and_ordinary_numbers(name) -> None:
    if name in DEPENDENT:
        compare(NUMBERS[name], EDGES)
        compare(NUMBERS[name], ORDINARY)
    else:
        compare(NUMBERS[name], REPEATED, ORDINARY)


def test_angles_have_the_sign_of_zeros() -> None:
    some = torch.tensor([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-30, -1e30])
    compare(
        lambda x: torch.atan2(x[:, :1], x[:, 1:]), torch.cartesian_prod(some, some)
    )


def test_zeros_of_relu_keep_their_sign() -> None:
    x = torch.tensor([-0.0, 0.0, -1.0, NAN])
    compiled = torch.compile(
        functional.relu, backend=backend.amp, options={"opt_level": "O0"}
    )
    assert compiled(x).signbit()[:3].tolist() == [True, False, False]
    assert compiled(x).isnan().tolist() == [False, False, False, True]


@pytest.mark.parametrize("function", [torch.lgamma, torch.digamma])
def test_gamma_functions(function) -> None:
    """Against f64, at poles, between them, near the zeros and where steps begin."""
    x = torch.cat(
        [torch.linspace(-12.5, 12.5, 101), torch.tensor([1e-3, -1e-3, 1e10, 3e38])]
    )
    x = torch.cat([x, 1 + torch.linspace(-1e-3, 1e-3, 7), torch.tensor([INF, NAN])])
    compiled = torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})
    with torch.no_grad():
        ours, exact = compiled(x), function(x.double()).float()
    torch.testing.assert_close(ours, exact, equal_nan=True, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("function", [torch.erfc, torch.erfinv])
def test_error_functions(function) -> None:
    """Against f64, where the complement is small and near the poles of the inverse."""
    x = torch.linspace(-1, 1, 401) * (9 if function is torch.erfc else 1)
    x = torch.cat([x, torch.tensor([1 - 2.0**-23, 1e-20, 20.0, -20.0, INF, -INF, NAN])])
    compiled = torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})
    expected = function(x.double()).float()
    torch.testing.assert_close(
        compiled(x), expected, rtol=1e-6, atol=1e-37, equal_nan=True
    )


def test_whole_remainders() -> None:
    x = torch.arange(-7, 8)
    compare(lambda x: (torch.fmod(x, 3), torch.fmod(x, -4), torch.fmod(x, 2.5)), x)


@pytest.mark.parametrize("dim", [0, 1])
def test_weight_normalisation(dim) -> None:
    x = torch.linspace(-1, 2, 24).reshape(2, 3, 4)
    others = [d for d in range(3) if d != dim]
    compare(lambda x: torch._weight_norm(x, x.sum(others, keepdim=True), dim), x)


def test_whole_numbers() -> None:
    x = torch.tensor([[3, 1, 3, 0, -4, 0]])

    def function(x):
        same = torch.full_like(x, 3)
        return (
            *(x.max(1)[0], x.argmax(1), x.clamp(-1, 2), torch.maximum(x, same)),
            *(same == 3, same > 2.5, x == 1, x != 0.5, x // 2, 1 / x),
        )

    compare(function, x)


@pytest.mark.parametrize("correction", [0, 1, 1.5, 2.5, 3, 4])
def test_variances_without_freedom(correction) -> None:
    x = torch.tensor([[1.0, 2.0, 4.0], [1.0, 1.0, 1.0]])

    def function(x):
        return (*torch.var_mean(x, 1, correction=correction),)

    compare(function, x)
    compare(lambda x: x.var(1, correction=correction), x)
    compare(lambda x: x[:, :1].var(1), x)


@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise_transposed_convolutions(stride) -> None:
    weight, bias = torch.arange(18.0).reshape(2, 1, 3, 3) / 9, torch.tensor([1.0, 2.0])

    def function(x):
        return functional.conv_transpose2d(x, weight, bias, stride, 1, groups=2)

    compare(function, torch.linspace(-1, 1, 32).reshape(1, 2, 4, 4))


BYTES = {
    "sums": lambda x: (x - 3, x + 100, 3 - x, x * 2, x * x, -x),
    "quotients": lambda x: (x // 2, x % 3, x // -1, x / 2),
    "order": lambda x: (x.max(), x.clamp(-2, 3), torch.maximum(x, x.flip(0)), x > 2),
    "bits": lambda x: (x & 3, x << 1, x >> 1),
    "products": lambda x: (x.reshape(2, 2) @ x.reshape(2, 2), x.sum()),
    "choices": lambda x: (torch.where(x > 2, x, x - 1), torch.cat([x, x * 2])),
    "floats": lambda x: (x.float() * 2, x - 0.5, (x * 2).to(torch.int16)),
}


@pytest.mark.parametrize("name", BYTES)
def test_signed_bytes(name) -> None:
    """torch-mlir's passes ended the process."""
    compare(BYTES[name], torch.tensor([1, -128, 127, 5], dtype=torch.int8))


def test_powers_of_zero() -> None:
    """Of whose gradients torch-mlir's passes ended the process."""
    x = torch.tensor([1.0, 0.0, 2.5])
    compare(lambda x: (torch.pow(torch.zeros(3), x), torch.pow(torch.ones(3), x)), x)
