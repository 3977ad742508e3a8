# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that rules compute with, as tensors, and the type that they compute in."""

from __future__ import annotations

import torch
from torch import Tensor


def scalar(like: Tensor, value: float = 0.0) -> Tensor:
    """A tensor of rank 0, of `like`'s type and device."""
    return torch.full((), value, dtype=like.dtype, device=like.device)


def wide(x: Tensor) -> Tensor:
    """`x`, of halves in f32: what a kernel sums in, to round once, at its end."""
    halves = (torch.float16, torch.bfloat16)
    return x.to(torch.float32) if x.dtype in halves else x
