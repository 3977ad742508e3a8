# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An optimizer's numbers as arguments, so that schedules can change them.

torch.optim computes with numbers of Python, which a traced graph has as constants. The
update is traced twice, with two sets of numbers that nobody would write: constants that
differ between the graphs are the optimizer's, and become nodes. One that is neither a
number nor 1 less it, or stands where no rule knows it, is refused: it would stay at the
value of the first step. Numbers that are 0 decide what is computed and stay constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mlir_amp.errors import NotLowered

aten = torch.ops.aten

# By property: the names of its numbers.
_NUMBERS = {
    "momentum": ("momentum",),
    "weight_decay": ("weight_decay",),
    "betas": ("beta1", "beta2"),
}


class Number(NamedTuple):
    """A number of an optimizer's group that is an argument.

    Attributes:
        name: Of the argument: ``"beta1.0"`` in the first group.
        group: The group's number.
        property: What torch.optim calls it: ``"betas"``.
        index: Inside a property of several numbers.
        value: What it is now.
    """

    name: str
    group: int
    property: str
    index: int
    value: float


def find_numbers(groups: Sequence[Mapping[str, Any]]) -> list[Number]:
    """The numbers of an optimizer's ``param_groups`` that are arguments.

    Args:
        groups: Of SGD, Adam or AdamW.

    Returns:
        One for each number that is not 0.
    """
    numbers = []
    for group, properties in enumerate(groups):
        for name, parts in _NUMBERS.items():
            if name not in properties:
                continue
            given = properties[name]
            values = given if isinstance(given, (tuple, list)) else (given,)
            for index, (part, value) in enumerate(zip(parts, values)):
                if float(value) != 0:
                    numbers.append(
                        Number(f"{part}.{group}", group, name, index, float(value))
                    )
    return numbers


def shape_of(group: Mapping[str, Any]) -> dict[str, Any]:
    """What of a group is compiled: its properties with "not 0" for those numbers."""

    def hide(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return tuple(map(hide, value))
        return value if float(value) == 0 else "not 0"

    return {
        name: hide(value) if name in _NUMBERS else value
        for name, value in group.items()
    }


def replace(
    groups: Sequence[Mapping[str, Any]], numbers: Sequence[Number]
) -> list[dict[str, Any]]:
    """The groups with other values of these numbers."""
    changed = [dict(group) for group in groups]
    for number in numbers:
        group = changed[number.group]
        old = group[number.property]
        if isinstance(old, (tuple, list)):
            values = list(old)
            values[number.index] = number.value
            group[number.property] = tuple(values)
        else:
            group[number.property] = number.value
    return changed


def _stand_ins(numbers: Sequence[Number], seed: float) -> list[Number]:
    """Values that no two numbers, and no constant of an optimizer, share."""
    return [
        number._replace(value=seed + 0.0078125 * (index + 0.34785) / (len(numbers) + 1))
        for index, number in enumerate(numbers)
    ]


def _constants(node: torch.fx.Node) -> Iterator[tuple[Any, Any]]:
    """Where a node has numbers of Python, and which; None for each node in a list."""
    for place, value in (*enumerate(node.args), *node.kwargs.items()):
        if not isinstance(value, torch.fx.Node):
            yield place, torch.fx.node.map_arg(value, lambda _: None)


def trace(
    numbers: Sequence[Number],
    trace_with: Callable[[Sequence[Number]], torch.fx.Graph],
) -> torch.fx.Graph:
    """Traces an update whose numbers are arguments.

    Args:
        numbers: Which.
        trace_with: Traces it with these values of them; its last placeholders, one
            float64 number each, stand for them and have no use yet.

    Returns:
        The graph, in which they are used.

    Raises:
        NotLowered: A number is used in a way that is not known here.
    """
    first, second = _stand_ins(numbers, 0.7182818), _stand_ins(numbers, 0.6180339)
    graph, other = trace_with(first), trace_with(second)
    if not numbers:
        return graph
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    arguments = placeholders[-len(numbers) :]
    nodes, others = list(graph.nodes), list(other.nodes)
    if [node.target for node in nodes] != [node.target for node in others]:
        raise NotLowered("the optimizer's numbers decide what it computes")
    rests: dict[torch.fx.Node, torch.fx.Node] = {}
    for node, twin in zip(nodes, others):
        if node.op != "call_function":
            continue
        twins = dict(_constants(twin))
        for place, value in list(_constants(node)):
            if value == twins[place]:
                continue
            for argument, one, two in zip(arguments, first, second):
                if (value, twins[place]) == (one.value, two.value):
                    _use(node, place, argument)
                    break
                if (value, twins[place]) == (1 - one.value, 1 - two.value):
                    if argument not in rests:
                        rests[argument] = _subtract_from_one(argument, arguments[-1])
                    _use(node, place, rests[argument])
                    break
            else:
                raise NotLowered(
                    f"'{node.target}' has {value}, which the optimizer's numbers make"
                )
    return graph


def _insert(
    before: torch.fx.Node, target: Any, arguments: tuple[Any, ...], value: Tensor
) -> torch.fx.Node:
    with before.graph.inserting_before(before):
        node = before.graph.call_function(target, arguments)
    node.meta["val"] = value
    return node


def _subtract_from_one(
    number: torch.fx.Node, last_placeholder: torch.fx.Node
) -> torch.fx.Node:
    value = number.meta["val"]
    negative = _insert(last_placeholder.next, aten.neg.default, (number,), value)
    return _insert(negative.next, aten.add.Scalar, (negative, 1.0), value)


def _use(node: torch.fx.Node, place: Any, number: torch.fx.Node) -> None:
    """Puts `number` where `node` has a constant."""
    if node.target is aten.mul.Tensor and place == 1:
        node.update_arg(1, number)
    elif node.target is aten.add.Tensor and place == "alpha":
        factor = node.args[1]
        product = _insert(
            node, aten.mul.Tensor, (factor, number), factor.meta["val"]
        )
        node.update_arg(1, product)
        node.kwargs = {k: v for k, v in node.kwargs.items() if k != "alpha"}
    elif node.target is aten.full.default and place == 1:
        with node.graph.inserting_before(node):
            cast = node.graph.call_function(
                aten._to_copy.default, (number,), {"dtype": node.meta["val"].dtype}
            )
        cast.meta["val"] = node.meta["val"]
        node.replace_all_uses_with(cast)
        node.graph.erase_node(node)
    elif node.target is aten.pow.Scalar and place == 0:
        node.target = aten.pow.Tensor_Tensor
        node.update_arg(0, number)
    else:
        raise NotLowered(f"'{node.target}' has one of the optimizer's numbers")
