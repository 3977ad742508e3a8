# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout where PyTorch takes it apart into other draws than it takes itself.

Between the layers of `torch.lstm` and its kin PyTorch 2.13 takes it apart into none:
`_rnn_helper` of its decompositions asks whether `num_layers < i - 1`, which no layer is.
Eager PyTorch drops elements of what each layer hands to the next, positions first. And
where all elements are dropped eager PyTorch draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


def _by_layer(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, of which several layers with dropout are one call for each."""

    def form(*args: Any, **kwargs: Any) -> Any:
        # A packed sequence has its parameters there.
        if len(args) > 3 and not isinstance(args[3], bool):
            return function(*args, **kwargs)
        return layers(*args, **kwargs)

    def layers(
        input: Tensor,
        hx: Tensor | Sequence[Tensor],
        params: Sequence[Tensor],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        if not (dropout and train and num_layers > 1):
            return function(
                input,
                hx,
                params,
                has_biases,
                num_layers,
                dropout,
                train,
                bidirectional,
                batch_first,
            )
        directions = 2 if bidirectional else 1
        size = len(params) // num_layers
        output = input.transpose(0, 1) if batch_first else input
        states = []
        for layer in range(num_layers):
            if layer:
                output = _dropout(output, dropout, train)
            rows = slice(layer * directions, (layer + 1) * directions)
            start = hx[rows] if isinstance(hx, Tensor) else [h[rows] for h in hx]
            weights = params[layer * size : (layer + 1) * size]
            output, *ends = function(
                output, start, weights, has_biases, 1, 0.0, train, bidirectional, False
            )
            states.append(ends)
        if batch_first:
            output = output.transpose(0, 1)
        return (output, *(torch.cat(ends) for ends in zip(*states)))

    return form


def _dropout(x: Tensor, p: float, train: bool) -> Tensor:
    if p == 1 and train and x.is_floating_point():
        return x * torch.zeros((), dtype=x.dtype, device=x.device)
    return torch.dropout(x, p, train)


def _named_dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    if p == 1 and not inplace:
        return _dropout(input, p, training)
    return functional.dropout(input, p, training, inplace)


FORMS = {
    functional.dropout: _named_dropout,
    torch.dropout: _dropout,
    **{
        function: _by_layer(function)
        for function in (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
    },
}
