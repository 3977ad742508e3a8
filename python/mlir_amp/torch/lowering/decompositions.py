# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations in terms of simpler ones, so that what is left has a form in linalg.

PyTorch's own rules do most of it. Ours state what writes by index as one operation
(`scatter_rows`), of which linalg has none, and normalisations without f64. A rule that does not cover a
case returns NotImplemented: the operation stays, and the graph is not lowered.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions, get_decompositions

from mlir_amp.torch.lowering import (
    bag_rules,
    diagonal_rules,
    error_rules,
    gamma_rules,
    index_rules,
    loss_rules,
    number_rules,
    order_rules,
    pad_rules,
    pool_rules,
)

aten = torch.ops.aten

# Of PyTorch's rules beyond its core set.
_THEIRS = (
    "native_layer_norm native_layer_norm_backward addmm native_batch_norm_backward "
    "_native_batch_norm_legit_functional _native_batch_norm_legit "
    "_native_batch_norm_legit_no_training cudnn_batch_norm "
    "native_group_norm native_group_norm_backward log_sigmoid_forward "
    "log_sigmoid_backward _log_softmax _log_softmax_backward_data _softmax "
    "_softmax_backward_data nll_loss_forward gelu_backward tanh_backward "
    "sigmoid_backward mse_loss mse_loss_backward addcmul addcdiv lerp select_backward "
    "slice_backward unfold_backward binary_cross_entropy_with_logits "
    "scaled_dot_product_attention full_like new_zeros new_ones zeros_like ones_like "
    "leaky_relu_backward elu_backward silu_backward stack split split_with_sizes unbind "
    "hardtanh_backward upsample_nearest2d upsample_nearest2d_backward addmv"
).split()

# Beside those of this file, which need no pages of their own.
_OURS = (
    index_rules,
    number_rules,
    pool_rules,
    pad_rules,
    bag_rules,
    loss_rules,
    order_rules,
    gamma_rules,
    error_rules,
    diagonal_rules,
)

# Which torch-mlir lowers better itself.
_KEPT = (aten.linalg_vector_norm, aten.norm, aten.empty_like, aten._to_copy)


def _nll_backward(
    grad: Tensor,
    log_probabilities: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> Tensor:
    """A comparison of each class with the target; ignored rows get no gradient."""
    mean = 1
    if weight is not None or log_probabilities.dim() != 2 or reduction == 0:
        return NotImplemented
    if reduction == mean:
        grad = grad / total_weight
    classes = torch.arange(log_probabilities.shape[1], device=grad.device).unsqueeze(0)
    target = target.unsqueeze(1)
    hit = (classes == target) & (target != ignore_index)
    return torch.where(hit, -grad, torch.zeros((), dtype=grad.dtype))


def _threshold_backward(grad: Tensor, x: Tensor, threshold: float) -> Tensor:
    return torch.where(x <= threshold, torch.zeros((), dtype=grad.dtype), grad)


def _as_strided(
    x: Tensor, size: list[int], stride: list[int], storage_offset: int | None = None
) -> Tensor:
    """Of dense memory in another shape, as PyTorch's group normalisation has it."""
    made = torch.empty(size, device="meta")
    if not x.is_contiguous() or storage_offset or made.numel() != x.numel():
        return NotImplemented
    return x.reshape(size) if made.stride() == tuple(stride) else NotImplemented


def _roll(x: Tensor, shifts: list[int], dims: list[int] = ()) -> Tensor:
    """Two slices for each dimension."""
    if not x.numel():
        return x.clone()
    if not dims:
        return _roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims):
        if begin := -shift % x.shape[dim]:
            end = x.shape[dim]
            x = torch.cat(
                [x.narrow(dim, begin, end - begin), x.narrow(dim, 0, begin)], dim
            )
    return x.clone()


def _select_scatter(x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    """As a slice of one: PyTorch's own rule compares each element's place."""
    size = x.shape[dim]
    if not -size <= index < size or source.shape != x.select(dim, 0).shape:
        return NotImplemented  # eager has its own words for it
    source, first = source.to(x.dtype).unsqueeze(dim), index % size
    return aten.slice_scatter(x, source, dim, first, first + 1)


def _squeeze_dims(x: Tensor, dims: list[int]) -> Tensor:
    dims = [d % x.dim() for d in dims]
    return x.reshape([n for i, n in enumerate(x.shape) if i not in dims or n != 1])


def _split_with_sizes(x: Tensor, sizes: list[int], dim: int = 0) -> list[Tensor]:
    """Slices; PyTorch's rule addresses memory (as_strided), which values have not."""
    parts, begin = [], 0
    for size in sizes:
        parts.append(aten.slice.Tensor(x, dim, begin, begin + size))
        begin += size
    return parts


def _var_mean(
    x: Tensor,
    dim: list[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """In the type of x; torch-mlir's rule computes the variance in f64. Without a degree
    of freedom it is infinite, or NaN where all are equal."""
    dims = list(range(x.dim())) if not dim else [d % x.dim() for d in dim]
    count = 1
    for d in dims:
        count *= x.shape[d]
    mean = x.sum(dims, keepdim=True) * (1.0 / count)
    rest = x - mean
    freedom = count - (1 if correction is None else correction)
    factor = 1.0 / freedom if freedom > 0 else math.inf
    variance = (rest * rest).sum(dims, keepdim=True) * factor
    if not keepdim:
        shape = [n for i, n in enumerate(x.shape) if i not in dims]
        variance, mean = variance.reshape(shape), mean.reshape(shape)
    return variance, mean


def _var(
    x: Tensor,
    dim: list[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Tensor:
    """torch-mlir's divides by what is negative, too."""
    if x.dtype not in (torch.float32, torch.float64) or not x.numel():
        return NotImplemented
    return _var_mean(x, dim, correction=correction, keepdim=keepdim)[0]


def _is_transposed_by_us(
    x: Tensor,
    weight: Tensor,
    padding: list[int],
    dilation: list[int],
    output_padding: list[int],
    groups: int,
) -> bool:
    """Whether torch-mlir's form of a transposed convolution is none: it refuses a group
    for each channel, and cuts more off than there is where the padding exceeds the
    filter's reach and less than the output's padding is missing."""
    beyond = [
        0 < p - d * (k - 1) < o
        for p, d, k, o in zip(padding, dilation, weight.shape[2:], output_padding)
    ]
    return 1 < groups == x.shape[1] or any(beyond)


def _transposed(
    x: Tensor,
    weight: Tensor,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    output_padding: list[int],
    groups: int,
) -> Tensor:
    """A transposed convolution as a convolution, with the mirrored filter, of the image
    with zeros between its pixels."""
    rank, channels, filters = x.dim() - 2, x.shape[1] // groups, weight.shape[1]
    reach = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    mirrored = weight.flip(list(range(2, 2 + rank)))
    if channels > 1:
        mirrored = mirrored.reshape(groups, channels, filters, *weight.shape[2:])
        mirrored = mirrored.transpose(1, 2)
    mirrored = mirrored.reshape(groups * filters, channels, *weight.shape[2:])
    low = [r - p for r, p in zip(reach, padding)]
    high = [l + o for l, o in zip(low, output_padding)]
    for i in range(rank):  # zeros between the pixels, and around them
        dim, end = 2 + i, (x.shape[2 + i] - 1) * stride[i] + 1
        first = max(low[i], 0)
        size = first + end + max(high[i], 0)
        if size > x.shape[dim]:
            zeros = x.new_zeros([*x.shape[:dim], size, *x.shape[dim + 1 :]])
            x = aten.slice_scatter(zeros, x, dim, first, first + end, stride[i])
        if min(low[i], high[i]) < 0:
            x = x.narrow(dim, max(-low[i], 0), size + min(low[i], 0) + min(high[i], 0))
    none = [0] * rank
    return aten.convolution(
        x, mirrored, None, [1] * rank, none, dilation, False, none, groups
    )


def _convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> Tensor:
    if not transposed or not _is_transposed_by_us(
        x, weight, padding, dilation, output_padding, groups
    ):
        return NotImplemented
    y = _transposed(x, weight, stride, padding, dilation, output_padding, groups)
    return y if bias is None else y + bias.reshape(-1, *[1] * (x.dim() - 2))


def _convolution_backward(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    bias_sizes: list[int] | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
    mask: list[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Convolutions: the image's gradient is one in the other direction; the filter's is
    one of image and gradient, with stride and dilation exchanged and channels as
    batch."""
    rank = x.dim() - 2

    def by_channel(t: Tensor, channels_first: bool) -> Tensor:
        """Channels as batch; of several groups, samples are the channels of each."""
        n, c, *size = t.shape
        if groups == 1:  # without reshapes, a product reads it where it is
            return t.transpose(0, 1)
        t = t.reshape(n, groups, c // groups, *size)
        if channels_first:
            return t.movedim(0, 2).reshape(c, n, *size)
        return t.movedim(2, 0).movedim(1, 2).reshape(c // groups, groups * n, *size)

    none = [0] * rank
    image = filters = bias = None
    if mask[2]:
        bias = grad.sum([0, *range(2, grad.dim())])
    if mask[0]:
        missing = none
        if not transposed:
            missing = [
                x.shape[2 + i]
                - (grad.shape[2 + i] - 1) * stride[i]
                + 2 * padding[i]
                - dilation[i] * (weight.shape[2 + i] - 1)
                - 1
                for i in range(rank)
            ]
        image = aten.convolution(
            grad,
            weight,
            None,
            stride,
            padding,
            dilation,
            not transposed,
            missing,
            groups,
        )
        for i in range(rank):  # what an output padding of a stride or more adds
            image = image.narrow(2 + i, 0, x.shape[2 + i])
    if mask[1]:
        one, other = (grad, x) if transposed else (x, grad)
        # As the forward pass pads it, before channels and samples change places.
        if any(padding):
            one = aten.constant_pad_nd(one, [p for p in reversed(padding) for _ in "lr"])
        filters = aten.convolution(
            by_channel(one, False),
            by_channel(other, True),
            None,
            dilation,
            none,
            stride,
            False,
            none,
            groups,
        ).transpose(0, 1)
        for i in range(rank):  # what the last stride did not reach
            filters = filters.narrow(2 + i, 0, weight.shape[2 + i])
    return image, filters, bias


@functools.cache
def table() -> dict[Any, Callable[..., Any]]:
    """The rules, by operation, as ``make_fx`` and ``aot_autograd`` take them."""
    rules = dict(core_aten_decompositions())
    rules.update(get_decompositions([getattr(aten, name) for name in _THEIRS]))
    rules.update(
        {
            aten.as_strided.default: _as_strided,
            aten.roll.default: _roll,
            aten.select_scatter.default: _select_scatter,
            aten.squeeze.dims: _squeeze_dims,
            aten.split_with_sizes.default: _split_with_sizes,
            aten.var_mean.correction: _var_mean,
            aten.var.correction: _var,
            aten.nll_loss_backward.default: _nll_backward,
            aten.threshold_backward.default: _threshold_backward,
            aten.convolution.default: _convolution,
            aten.convolution_backward.default: _convolution_backward,
        }
    )
    for ours in _OURS:
        rules.update(ours.rules())
    kept = (aten.squeeze.dim, aten.squeeze.default)
    return {
        operation: rule
        for operation, rule in rules.items()
        if operation._overloadpacket not in _KEPT and operation not in kept
    }
