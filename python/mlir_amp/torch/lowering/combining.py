# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How two numbers become one in a loop, by name, for each type of elements; and what
the text of such loops shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering.constants import scalar

# Of floats and of integers. A maximum with NaN is NaN, as PyTorch's are.
_OPERATIONS = {
    "add": ("arith.addf", "arith.addi"),
    "mul": ("arith.mulf", "arith.muli"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
}


def operation(combine: str, element: Any) -> str:
    """The operation of arith.

    Args:
        combine: One of "add", "mul", "max" and "min".
        element: The type of MLIR, as text or as its bindings have it.
    """
    of_floats, of_integers = _OPERATIONS[combine]
    return of_floats if "f" in str(element) else of_integers


def identity(combine: str, like: Tensor) -> Tensor:
    """What changes nothing, as a tensor of rank 0."""
    if like.dtype == torch.bool:
        return scalar(like, combine in ("mul", "min"))
    if combine in ("add", "mul"):
        return scalar(like, 0 if combine == "add" else 1)
    if like.is_floating_point():
        return scalar(like, float("-inf" if combine == "max" else "inf"))
    limits = torch.iinfo(like.dtype)
    return scalar(like, limits.min if combine == "max" else limits.max)


def tensor_of(shape: Sequence[int], element: Any) -> str:
    """The type of a tensor, as text."""
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


def on_each_element(rank: int, tensors: int) -> str:
    """Maps and iterators of a linalg operation on so many tensors of one shape, as
    text."""
    dims = ", ".join(f"d{d}" for d in range(rank))
    maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * tensors)
    iterators = ", ".join(['"parallel"'] * rank)
    return f"{{indexing_maps = [{maps}], iterator_types = [{iterators}]}}"
