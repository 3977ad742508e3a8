# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The update of all parameters, from the update of one of each kind.

torch.optim's SGD, Adam and AdamW do with each parameter what they do with the others of
its group, type and shape. PyTorch takes a millisecond to trace an operation, and a model
has a hundred parameters of ten kinds: one of each is traced, and its nodes are copied for
the others. What computes with the optimizer's numbers alone is there once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import torch
from torch.fx import Graph, Node


class Own(NamedTuple):
    """Which inputs and outputs of an update are one parameter's.

    Attributes:
        inputs: Numbers of placeholders.
        outputs: Numbers of results.
    """

    inputs: Sequence[int]
    outputs: Sequence[int]


def append(graph: Graph, part: Graph, inputs: Sequence[Node]) -> list[Node | None]:
    """Puts what `part` computes at the end of `graph`.

    Args:
        graph: Gets copies of its nodes.
        part: Is left as it is.
        inputs: What its placeholders are.

    Returns:
        What its results are.
    """
    placeholders = [node for node in part.nodes if node.op == "placeholder"]
    copies = dict(zip(placeholders, inputs, strict=True))
    _copy(graph, (node for node in part.nodes if node.op == "call_function"), copies)
    return [None if node is None else copies[node] for node in results_of(part)]


def results_of(graph: Graph) -> list[Node | None]:
    """The results of a graph, in order; nothing for those that are None."""
    (output,) = (node for node in graph.nodes if node.op == "output")
    return list(output.args[0])


def repeat(
    graph: Graph,
    update: Graph,
    own: Sequence[Own],
    shared: Mapping[int, Node],
    inputs: Sequence[tuple[int, Sequence[Node]]],
) -> list[list[Node]]:
    """Puts an update at the end of `graph`, for more parameters than it is of.

    Args:
        graph: Gets copies of the update's nodes.
        update: Of some parameters, of which none reads what another has.
        own: For each of those, what is its own.
        shared: What the other placeholders are, by number.
        inputs: For each parameter of `graph`, which of those it is like, and what its
            own placeholders are.

    Returns:
        For each parameter what its own results are.
    """
    placeholders = [node for node in update.nodes if node.op == "placeholder"]
    owner = {
        placeholders[number]: kind
        for kind, numbers in enumerate(own)
        for number in numbers.inputs
    }
    nodes: dict[int | None, list[Node]] = {kind: [] for kind in (None, *range(len(own)))}
    for node in update.nodes:
        if node.op != "call_function":
            continue
        owners = {owner[read] for read in node.all_input_nodes if read in owner}
        assert len(owners) <= 1, f"'{node}' reads what several parameters have"
        kind = owners.pop() if owners else None
        if kind is not None:
            owner[node] = kind
        nodes[kind].append(node)
    common = {placeholders[number]: node for number, node in shared.items()}
    _copy(graph, nodes[None], common)
    results = results_of(update)
    found = []
    for kind, values in inputs:
        firsts = (placeholders[number] for number in own[kind].inputs)
        copies = {**common, **dict(zip(firsts, values, strict=True))}
        _copy(graph, nodes[kind], copies)
        found.append([copies[results[number]] for number in own[kind].outputs])
    return found


def _copy(graph: Graph, nodes: Iterable[Node], copies: dict[Node, Node]) -> None:
    for node in nodes:
        copies[node] = graph.node_copy(node, lambda read: copies[read])


def placeholder(graph: Graph, like: Node) -> Node:
    """A new placeholder, behind the others, for a tensor like that of another graph's."""
    node = graph.placeholder(f"arg{len(graph.nodes)}")
    node.meta = dict(like.meta)
    return node
