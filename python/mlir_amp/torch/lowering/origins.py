# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where each operation of a graph came from: what the passes decide types by.

AOT Autograd notes on each node the ATen operation before decomposition and autograd's
sequence number, which a gradient shares with its forward operation. Of that we make an
origin; it travels through torch-mlir as the name of a location, and ends as attributes
(``amp.scope``, ``amp.scope_id``, ``amp.phase``) of linalg operations.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import torch

_PREFIX = "amp|"


class Origin(NamedTuple):
    """What a node was part of.

    Attributes:
        scope: The forward operation, before decomposition: ``"aten._softmax"``.
        phase: ``"forward"`` or ``"backward"``.
        number: Of that forward operation in the program; None where it is not known.
    """

    scope: str
    phase: str
    number: int | None

    def to_name(self) -> str:
        """As the name of a location."""
        number = "" if self.number is None else self.number
        return f"{_PREFIX}{self.scope}|{self.phase}|{number}"

    @staticmethod
    def from_location(text: str) -> Origin | None:
        """The first origin in a printed location; fused ones have several."""
        found = re.search(r'"amp\|([^|"]*)\|([^|"]*)\|(\d*)"', text)
        if not found:
            return None
        scope, phase, number = found.groups()
        return Origin(scope, phase, int(number) if number else None)


class Origins:
    """The origins of a forward graph and of the backward graph that belongs to it."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int | None, str], int] = {}
        self._forward_of: dict[int, str] = {}

    def read_forward(self, graph: torch.fx.Graph) -> None:
        """Learns which forward operation has which sequence number."""
        for node in graph.nodes:
            scope, sequence = _scope(node), node.meta.get("seq_nr")
            if scope and sequence is not None and not _is_backward(node):
                # A view that the operation is saved through comes after it.
                self._forward_of.setdefault(sequence, scope)

    def of(self, node: torch.fx.Node) -> Origin | None:
        """The origin of a node of either graph; None for what has none."""
        scope, sequence = _scope(node), node.meta.get("seq_nr")
        if scope is None:
            return None
        if not _is_backward(node):
            number = self._numbers.setdefault((sequence, scope), len(self._numbers))
            return Origin(scope, "forward", number)
        if scope == "aten.add" and node.target is torch.ops.aten.add.Tensor:
            return Origin(scope, "backward", None)  # autograd sums two gradients
        forward = self._forward_of.get(sequence)
        if forward is None:
            return Origin(scope, "backward", None)
        return Origin(forward, "backward", self._numbers.get((sequence, forward)))


def _scope(node: torch.fx.Node) -> str | None:
    original: Any = node.meta.get("original_aten")
    if original is None:
        return None
    return "aten." + original._schema.name.partition("::")[2]


def _is_backward(node: torch.fx.Node) -> bool:
    return bool(node.meta.get("autograd_backward"))
