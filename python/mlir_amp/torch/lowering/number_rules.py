# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on numbers whose own form in torch-mlir gives others than eager PyTorch:
for NaN and infinities, at zeros, and of constants.

What swallows a NaN there is stated by comparisons that are false for it, which cost what
torch-mlir's do. A rule returns NotImplemented for types that torch-mlir has right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar, wide

aten = torch.ops.aten


def _is_nan(x: Tensor) -> Tensor:
    return aten.ne.Tensor(x, x)


# ----------------------------------------------------------------------------
# Comparisons
# ----------------------------------------------------------------------------


def _compare_with_number(operation: Any) -> Callable[..., Tensor]:
    """torch-mlir folds constants as if number and tensor were of one type."""

    def compare(x: Tensor, number: float) -> Tensor:
        if x.is_floating_point() and not isinstance(number, float):
            return operation(x, float(number))
        if not x.is_floating_point() and isinstance(number, float):
            return operation(x.to(torch.get_default_dtype()), number)
        return NotImplemented

    return compare


def _equal(x: Tensor, y: Tensor) -> Tensor:
    """torch-mlir folds x == x to true, but leaves x != x."""
    if not (x.is_floating_point() or y.is_floating_point()):
        return NotImplemented
    return torch.logical_not(aten.ne.Tensor(x, y))


def _sign(x: Tensor) -> Tensor:
    if not x.is_floating_point():
        return NotImplemented
    return (x > 0.0).to(x.dtype) - (x < 0.0).to(x.dtype)


def _heaviside(x: Tensor, values: Tensor) -> Tensor:
    if not x.is_floating_point():
        return NotImplemented
    return torch.where(torch.eq(x, 0.0), values, (x > 0.0).to(x.dtype))


# ----------------------------------------------------------------------------
# Bounds
# ----------------------------------------------------------------------------


def _clamp(x: Tensor, low: float | None = None, high: float | None = None) -> Tensor:
    if not x.is_floating_point():
        return NotImplemented
    if any(bound is not None and math.isnan(bound) for bound in (low, high)):
        return torch.full_like(x, math.nan)
    if low is not None:
        x = torch.where(x < float(low), scalar(x, low), x)
    if high is not None:
        x = torch.where(x > float(high), scalar(x, high), x)
    return x


def _relu(x: Tensor) -> Tensor:
    """A zero keeps its sign."""
    if not x.is_floating_point():
        return NotImplemented
    return torch.where(x < 0.0, scalar(x), x)


def _logit_backward(grad: Tensor, x: Tensor, eps: float | None = None) -> Tensor:
    """Without bounds it is infinite at 0 of either sign, and NaN beyond 0 and 1."""
    low = 0.0 if eps is None else float(eps)
    beyond = math.nan if eps is None else 0.0
    slope = grad / (x * (1.0 - x))
    slope = torch.where(torch.eq(x, 0.0), grad * math.inf, slope)
    outside = (x < low) | (x > 1.0 - low)
    return torch.where(outside, scalar(grad, beyond), slope)


def _hardtanh(x: Tensor, low: float = -1.0, high: float = 1.0) -> Tensor:
    return _clamp(x, low, high)


def _clamp_max(x: Tensor, high: float) -> Tensor:
    return _clamp(x, None, high)


def _extremum(is_better: Any) -> Callable[[Tensor, Tensor], Tensor]:
    """The greater or the smaller one; NaN if one is."""

    def choose(x: Tensor, y: Tensor) -> Tensor:
        dtype = torch.promote_types(x.dtype, y.dtype)
        if not dtype.is_floating_point:
            return NotImplemented
        x, y = x.to(dtype), y.to(dtype)
        return torch.where(is_better(x, y) | _is_nan(x), x, y)

    return choose


_maximum, _minimum = _extremum(torch.gt), _extremum(torch.lt)


def _clamp_tensor(
    x: Tensor, low: Tensor | None = None, high: Tensor | None = None
) -> Tensor:
    for choose, bound in ((_maximum, low), (_minimum, high)):
        if bound is not None and x is not NotImplemented:
            x = choose(x, bound)
    return x


def _clamp_max_tensor(x: Tensor, high: Tensor) -> Tensor:
    return _minimum(x, high)


def _best_of(
    find: Any, x: Tensor, dim: int | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """The best of each line, and its first place; NaN is better than all numbers."""
    if not x.is_floating_point() or not x.numel():
        return NotImplemented
    shape = x.shape
    if dim is None or not x.dim():
        x, dim = x.reshape(-1), 0
    best = find(x, [dim], True)
    n = x.shape[dim]
    columns = [1] * (x.dim() - 1 - dim % x.dim())
    number = torch.arange(n, device=x.device).reshape(n, *columns)
    missing = torch.full((), n, dtype=number.dtype, device=x.device)
    hit = torch.eq(x, best) | _is_nan(x)
    place = torch.where(hit, number, missing).amin([dim], True)
    if not shape:
        return best.reshape(()), place.reshape(())
    if not keepdim:
        return best.squeeze(dim), place.squeeze(dim)
    return best, place


def _with_place(find: Any) -> Callable[..., tuple[Tensor, Tensor]]:
    def rule(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        return _best_of(find, x, dim, keepdim)

    return rule


def _place(find: Any) -> Callable[..., Tensor]:
    def rule(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        found = _best_of(find, x, dim, keepdim and dim is not None)
        if found is NotImplemented:
            return found
        return found[1].reshape([1] * x.dim()) if keepdim and dim is None else found[1]

    return rule


# ----------------------------------------------------------------------------
# Quotients, powers, functions
# ----------------------------------------------------------------------------


def _reciprocal(x: Tensor) -> Tensor:
    """torch-mlir's fails where an element is 0."""
    if not x.is_floating_point():
        x = x.to(torch.get_default_dtype())
    return aten.div.Tensor(scalar(x, 1.0), x)


def _as_floats(x: Any, y: Any) -> tuple[Tensor, Tensor] | None:
    """Both of the type of their quotient, if it is one of floats."""
    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        return None
    device = (x if isinstance(x, Tensor) else y).device
    x, y = (
        v.to(dtype)
        if isinstance(v, Tensor)
        else torch.full((), v, dtype=dtype, device=device)
        for v in (x, y)
    )
    return x, y


def _fmod(x: Tensor, y: Any) -> Tensor:
    """Exactly, as the remainder of two positive numbers is, with the sign of x."""
    floats = _as_floats(x, y)
    if floats is None:
        return NotImplemented
    x, y = floats
    rest = torch.remainder(x.abs(), y.abs())
    return torch.where(x > 0.0, rest, torch.where(x < 0.0, -rest, x - rest))


def _fmod_by_number(x: Tensor, y: float) -> Tensor:
    """torch-mlir has whole numbers by a tensor only."""
    if _as_floats(x, y) is not None:
        return _fmod(x, y)
    dtype = torch.result_type(x, y)
    number = torch.full((), y, dtype=dtype, device=x.device)
    return aten.fmod.Tensor(x.to(dtype), number)


def _floor_divide(x: Any, y: Any) -> Tensor:
    """The quotient without its remainder, as the floor of a rounded one may be off by
    one; a 0 has the sign of the quotient."""
    floats = _as_floats(x, y)
    if floats is None:
        return NotImplemented
    x, y = floats
    rest = _fmod(x, y)
    quotient = x / y
    whole = (x - rest) / y
    beyond = (rest != 0.0) & ((y < 0.0) != (rest < 0.0))
    whole = torch.where(beyond, whole - 1.0, whole)
    floor = torch.floor(whole)
    floor = torch.where(whole - floor > 0.5, floor + 1.0, floor)
    floor = torch.where(whole != 0.0, floor, quotient * 0.0)
    return torch.where(y != 0.0, floor, quotient)


def _divide(x: Tensor, y: Any, *, rounding_mode: str | None) -> Tensor:
    return _floor_divide(x, y) if rounding_mode == "floor" else NotImplemented


def _power(x: Tensor, exponent: float) -> Tensor:
    """As eager PyTorch, which takes roots: they are not defined at -inf."""
    if x.is_floating_point() and abs(exponent) == 0.5:
        return torch.sqrt(x) if exponent > 0 else torch.rsqrt(x)
    return NotImplemented


def _gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    """torch-mlir's constant of the approximation has 4 digits."""
    if approximate != "tanh":
        return NotImplemented
    dtype, x = x.dtype, wide(x)
    inner = (x + x * x * x * 0.044715) * math.sqrt(2.0 / math.pi)
    return (x * 0.5 * (torch.tanh(inner) + 1.0)).to(dtype)


def _atan2(y: Tensor, x: Tensor) -> Tensor:
    """The angle within an eighth of the circle, by a quotient of at most 1, and its
    place; zeros have a sign. torch-mlir's fails where an element is 0."""
    dtype = torch.promote_types(y.dtype, x.dtype)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    y, x = torch.broadcast_tensors(y.to(dtype), x.to(dtype))

    def is_negative(t: Tensor) -> Tensor:
        return (t < 0.0) | (_reciprocal(t) < 0.0)

    rise, run = y.abs(), x.abs()
    steep = rise > run
    small, large = torch.where(steep, run, rise), torch.where(steep, rise, run)
    quotient = torch.where(small == large, scalar(x, 1.0), small / large)
    quotient = torch.where(torch.eq(large, 0.0), small, quotient)
    angle = torch.atan(quotient)
    angle = torch.where(steep, math.pi / 2 - angle, angle)
    angle = torch.where(is_negative(x), math.pi - angle, angle)
    return torch.where(is_negative(y), -angle, angle)


def _sign_bit(x: Tensor) -> Tensor:
    """True of -0 too; of NaN it is not known here."""
    if not x.is_floating_point():
        return x < 0
    return (x < 0.0) | (torch.eq(x, 0.0) & (_reciprocal(x) < 0.0))


def _copy_sign(x: Tensor, sign: Tensor | float) -> Tensor:
    """The sign of a zero counts, that of NaN is not known."""
    size = x.abs()
    if not x.is_floating_point():
        return NotImplemented
    if isinstance(sign, Tensor):
        return torch.where(_sign_bit(sign), -size, size)
    return -size if math.copysign(1.0, sign) < 0 else size


def _hypot(x: Tensor, y: Tensor) -> Tensor:
    """By the quotient of both, so that no square overflows."""
    x, y = x.abs(), y.abs()
    small, large = _minimum(x, y), _maximum(x, y)
    ratio = torch.where(torch.eq(large, 0.0), large, small / large)
    found = large * torch.sqrt(ratio * ratio + 1.0)
    is_infinite = torch.eq(x, math.inf) | torch.eq(y, math.inf)
    return torch.where(is_infinite, scalar(found, math.inf), found)


def _number_of(choose: Any) -> Callable[[Tensor, Tensor], Tensor]:
    """The greater or the smaller one; of a number and a NaN the number."""

    def rule(x: Tensor, y: Tensor) -> Tensor:
        found = choose(x, y)
        if found is NotImplemented:
            return found
        found = torch.where(_is_nan(x), y, found)
        return torch.where(_is_nan(y), x, found)

    return rule


def _weight_norm_backward(
    grad: Tensor, direction: Tensor, length: Tensor, norms: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """Of direction / norms * length, where norms are those of the other dimensions."""
    others = [d for d in range(direction.dim()) if d != dim]
    along = (grad * direction).sum(others, keepdim=True)
    part = grad / norms - direction * (along / (norms * norms * norms))
    return part * length, along / norms


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    comparisons = (aten.eq, aten.ne, aten.lt, aten.le, aten.gt, aten.ge)
    return {
        **{
            comparison.Scalar: _compare_with_number(comparison.Scalar)
            for comparison in comparisons
        },
        aten.eq.Tensor: _equal,
        aten.sign.default: _sign,
        aten.heaviside.default: _heaviside,
        aten.clamp.default: _clamp,
        aten.clamp.Tensor: _clamp_tensor,
        aten.clamp_min.default: _clamp,
        aten.clamp_min.Tensor: _maximum,
        aten.clamp_max.default: _clamp_max,
        aten.clamp_max.Tensor: _clamp_max_tensor,
        aten.hardtanh.default: _hardtanh,
        aten.relu.default: _relu,
        aten.logit_backward.default: _logit_backward,
        aten.signbit.default: _sign_bit,
        aten.copysign.Tensor: _copy_sign,
        aten.copysign.Scalar: _copy_sign,
        aten.hypot.default: _hypot,
        aten.fmax.default: _number_of(_maximum),
        aten.fmin.default: _number_of(_minimum),
        aten._weight_norm_interface_backward.default: _weight_norm_backward,
        aten.maximum.default: _maximum,
        aten.minimum.default: _minimum,
        aten.max.dim: _with_place(aten.amax),
        aten.min.dim: _with_place(aten.amin),
        aten.argmax.default: _place(aten.amax),
        aten.argmin.default: _place(aten.amin),
        aten.reciprocal.default: _reciprocal,
        aten.fmod.Tensor: _fmod,
        aten.fmod.Scalar: _fmod_by_number,
        aten.floor_divide.default: _floor_divide,
        aten.floor_divide.Scalar: _floor_divide,
        aten.div.Tensor_mode: _divide,
        aten.div.Scalar_mode: _divide,
        aten.pow.Tensor_Scalar: _power,
        aten.gelu.default: _gelu,
        aten.atan2.default: _atan2,
    }
