# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function that is compiled at O0, beside eager PyTorch: results and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from mlir_amp.torch import backend
from torch import Tensor


def run(function: Callable[[Tensor], Any], x: Tensor) -> list[Tensor]:
    """The results of a function, and the gradient of their weighted sum if they have one."""
    y = x.clone()
    if x.is_floating_point():
        y.requires_grad_()
    results = function(y)
    results = results if isinstance(results, tuple) else (results,)
    smooth = [result for result in results if result.requires_grad]
    if smooth:
        weights = [torch.linspace(0.5, 1.5, t.numel()) for t in smooth]
        weights = [w.reshape(t.shape) for w, t in zip(weights, smooth)]
        results += torch.autograd.grad(smooth, y, weights)
    return [result.detach() for result in results]


def compare(
    function: Callable[[Tensor], Any], *inputs: Tensor, tolerance: float = 3e-6
) -> None:
    """Compiled anew, once for inputs of one shape, beside eager; the tolerance is absolute
    and relative."""
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})
    for x in inputs:
        for ours, theirs in zip(run(compiled, x), run(function, x), strict=True):
            torch.testing.assert_close(
                ours,
                theirs,
                atol=tolerance,
                rtol=tolerance,
                equal_nan=True,
                check_stride=True,
            )
