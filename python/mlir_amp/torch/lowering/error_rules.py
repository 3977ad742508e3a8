# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The complement of the error function, and its inverse, which torch-mlir has no form
for, in f32.

Both are a polynomial times an exponential or a logarithm. The complement's is the
Chebyshev fit of Numerical Recipes (Press et al., 2nd edition, section 6.2; relative error
below 1.2e-7), whose exponent is split so that its own rounding does not grow with it. The
inverse's are those of Giles, "Approximating the erfinv function" (GPU Computing Gems,
2011; single precision).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar

aten = torch.ops.aten

# From the power 0 on, in 1 / (1 + |x| / 2).
_COMPLEMENT = (
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
    0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
)  # fmt: skip
# In w - 2.5 and in the root of w less 3, where w is -log(1 - x * x).
_INNER = (
    1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087,
    -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08,
)  # fmt: skip
_OUTER = (
    2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773,
    -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257,
)  # fmt: skip


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    result = scalar(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + coefficient
    return result


def _in_f32(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def rule(x: Tensor) -> Tensor:
        dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
        if dtype == torch.float64:
            return NotImplemented
        return function(x.to(torch.float32)).to(dtype)

    return rule


def _complement(x: Tensor) -> Tensor:
    size = x.abs()
    place = 1.0 / (size * 0.5 + 1.0)
    coarse = torch.floor(size * 16.0) / 16.0  # its square has no rounding
    rest = (size - coarse) * (size + coarse)
    tail = torch.exp(-coarse * coarse) * torch.exp(_polynomial(place, _COMPLEMENT) - rest)
    tail = place * tail
    # An infinity less itself is no number.
    tail = torch.where(size > 11.0, 0.0, tail)
    return torch.where(x < 0.0, 2.0 - tail, tail)


def _inverse(x: Tensor) -> Tensor:
    w = -torch.log((1.0 - x) * (1.0 + x))
    inner = _polynomial(w - 2.5, _INNER)
    outer = _polynomial(torch.sqrt(w) - 3.0, _OUTER)
    found = torch.where(w < 5.0, inner, outer) * x
    return torch.where(torch.eq(x.abs(), 1.0), x * math.inf, found)


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.erfc.default: _in_f32(_complement),
        aten.erfinv.default: _in_f32(_inverse),
    }
