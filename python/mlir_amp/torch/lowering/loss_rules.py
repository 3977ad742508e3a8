# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses, activations and distances, and their gradients, that neither torch-mlir nor
PyTorch's own rules have as eager PyTorch computes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from mlir_amp.torch.lowering import dropout_rules, grid_rules
from mlir_amp.torch.lowering.constants import scalar
from mlir_amp.torch.lowering.index_checks import in_range, not_negative, probability
from mlir_amp.torch.lowering.index_rules import MOST_PAIRS

aten = torch.ops.aten

_NONE, _MEAN = range(2)


# ----------------------------------------------------------------------------
# Functions that are stated by others
# ----------------------------------------------------------------------------


def _multilabel_margin(x: Tensor, target: Tensor, reduction: int = _MEAN) -> Tensor:
    """Targets end at the first that is negative; PyTorch's own rule, which stands before
    those of a table, counts what is behind it."""
    rows, targets = torch.atleast_2d(x), torch.atleast_2d(target)
    classes = torch.arange(rows.shape[1], device=x.device)
    end = torch.where(targets < 0, classes, rows.shape[1]).amin(1, keepdim=True)
    valid = classes < end
    safe = torch.where(valid, targets, 0)
    safe = in_range(safe, 0, rows.shape[1], "aten.multilabel_margin_loss")
    hot = (safe.unsqueeze(2) == classes) & valid.unsqueeze(2)
    other = torch.logical_not(hot.any(1)).unsqueeze(1)
    wanted = torch.where(hot, rows.unsqueeze(1), 0.0).sum(2, keepdim=True)
    margin = 1.0 - wanted + rows.unsqueeze(1)
    counts = valid.unsqueeze(2) & other & torch.logical_not(margin <= 0.0)
    loss = torch.where(counts, margin, 0.0).sum([1, 2]) / rows.shape[1]
    if reduction == _NONE:
        return loss.reshape(x.shape[:-1])
    return loss.mean() if reduction == _MEAN else loss.sum()


def _named_multilabel_margin(
    x: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    if size_average is not None or reduce is not None:
        reduction = functional._Reduction.legacy_get_string(size_average, reduce)
    return _multilabel_margin(x, target, functional._Reduction.get_enum(reduction))


def _rrelu(operation: Any) -> Callable[..., Tensor]:
    """Without training its slope is no draw; what PyTorch keeps for its gradient then is
    not the slope."""

    def rule(
        x: Tensor,
        lower: float = 1.0 / 8,
        upper: float = 1.0 / 3,
        training: bool = False,
        *rest: Any,
        **options: Any,
    ) -> Tensor:
        if training or rest or options.get("inplace"):
            return operation(x, lower, upper, training, *rest, **options)
        return functional.leaky_relu(x, (lower + upper) / 2)

    return rule


def _softshrink(x: Tensor, bound: float = 0.5) -> Tensor:
    """PyTorch's own rule has no gradient where x is NaN."""
    if not x.is_floating_point() or bound < 0:
        return functional.softshrink(x, bound)
    inside = (x >= -bound) & (x <= bound)
    return torch.where(inside, 0.0, x - torch.where(x > 0.0, bound, -bound))


def _gaussian_nll(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """PyTorch's looks at the values of variances, which an assertion does here."""
    if not isinstance(var, Tensor) or not var.is_floating_point():
        return functional.gaussian_nll_loss(input, target, var, full, eps, reduction)
    # What it says of sizes and reductions, of variances that it knows.
    functional.gaussian_nll_loss(input, target, 1.0, full, eps, reduction)
    shape = input.shape
    if var.shape == shape[:-1]:
        var = var.unsqueeze(-1)
    differ = [n for m, n in zip(shape, var.shape) if m != n]
    if var.dim() != input.dim() or sum(differ) > 1:
        raise ValueError("var is of incorrect size")
    checked = not_negative(var.detach(), "var has negative entry/entries")
    # The gradient is that of what is not clamped.
    var = torch.where(checked < eps, var - var.detach() + eps, var)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


class Restated(TorchFunctionMode):
    """While inside, functions that PyTorch takes apart wrongly, or by values, before there
    is a graph are stated by others."""

    _FORMS = {
        functional.gaussian_nll_loss: _gaussian_nll,
        functional.grid_sample: grid_rules.grid_sample,
        torch.grid_sampler: grid_rules.grid_sampler,
        functional.multilabel_margin_loss: _named_multilabel_margin,
        torch._C._nn.multilabel_margin_loss: _multilabel_margin,
        functional.rrelu: _rrelu(functional.rrelu),
        torch.rrelu: _rrelu(torch.rrelu),
        functional.softshrink: _softshrink,
        **dropout_rules.FORMS,
    }

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return self._FORMS.get(function, function)(*args, **(kwargs or {}))


def _binary_cross_entropy(
    x: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = _MEAN
) -> Tensor:
    """PyTorch's own rule computes what eager PyTorch refuses."""
    theirs = core_aten_decompositions()[aten.binary_cross_entropy.default]
    x, target = probability(x, "input"), probability(target, "target")
    return theirs(x, target, weight, reduction)


# ----------------------------------------------------------------------------
# Distances of each of some points to each of others
# ----------------------------------------------------------------------------


def _differences(x: Tensor, y: Tensor) -> Tensor:
    return x.unsqueeze(-2) - y.unsqueeze(-3)


def _has_few_pairs(x: Tensor, y: Tensor) -> bool:
    return 0 < x.numel() * y.shape[-2] <= MOST_PAIRS


def _distances(x: Tensor, y: Tensor, p: float, mode: int | None) -> Tensor:
    if not _has_few_pairs(x, y) or not x.is_floating_point():
        return NotImplemented
    size = _differences(x, y).abs()
    if p == 0:
        return (size != 0.0).to(x.dtype).sum(-1)
    if p == 1:
        return size.sum(-1)
    if p == 2:
        return (size * size).sum(-1).sqrt()
    if p == math.inf:
        return size.amax(-1)
    return size.pow(p).sum(-1).pow(1.0 / p)


def _distances_backward(
    grad: Tensor, x: Tensor, y: Tensor, p: float, distance: Tensor
) -> Tensor:
    """To the first points: 0 where a point is its own neighbour, as in eager PyTorch."""
    if not _has_few_pairs(x, y):
        return NotImplemented
    rest, distance = _differences(x, y), distance.unsqueeze(-1)
    grad = grad.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(x)
    if p == 1:
        return (torch.sign(rest) * grad).sum(-2)
    if p == math.inf:
        reached = torch.eq(rest.abs(), distance)
        part = torch.where(reached, torch.sign(rest) * grad, scalar(x))
        return part.sum(-2)
    if p == 2:
        part = rest * (grad / distance)
    else:
        part = torch.sign(rest) * rest.abs().pow(p - 1.0)
        part = part * (grad / distance.pow(p - 1.0))
    apart = torch.ne(distance, 0.0)
    if p < 2:
        apart = apart & torch.ne(rest, 0.0)
    return torch.where(apart, part, scalar(x)).sum(-2)


def rules() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation."""
    return {
        aten.binary_cross_entropy.default: _binary_cross_entropy,
        aten._cdist_forward.default: _distances,
        aten._cdist_backward.default: _distances_backward,
    }
