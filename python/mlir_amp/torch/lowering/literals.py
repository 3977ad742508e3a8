# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that `torch.tensor` made of values of Python: constants beside torch-mlir,
which has them as blobs at the end of a text (`pasted_loops`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily


def literal(elements: str) -> Tensor:
    """What a graph has for such a tensor; no graph with it is run."""
    raise NotImplementedError


def replace(node: torch.fx.Node, value: Tensor) -> None:
    """Lets a graph have a literal for a node that is this value."""
    with node.graph.inserting_before(node):
        made = node.graph.call_function(literal, (_to_elements(value),))
    made.meta = {"val": value, **node.meta}
    node.replace_all_uses_with(made)
    node.graph.erase_node(node)


def _to_elements(value: Tensor) -> str:
    """As MLIR has the elements of a constant: floats by their bits."""
    if not value.numel():
        return ""
    if not value.is_floating_point():
        return str(value.tolist()).lower()
    with unset_fake_temporarily():
        data = value.detach().reshape(-1).view(torch.uint8).tolist()
    return f'"0x{bytes(data).hex().upper()}"'


def to_text(
    types: Sequence[Any], _: Sequence[Any], elements: str, location: str
) -> str:
    """A module of one function without operands.

    Args:
        types: That of the result.
        elements: As `replace` states them.
        location: As text.
    """
    (tensor,) = types
    return f"""
func.func @literal() -> {tensor} {{
  %values = arith.constant dense<{elements}> : {tensor} {location}
  return %values : {tensor}
}}"""
