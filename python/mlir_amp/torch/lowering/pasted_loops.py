# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is a loop beside torch-mlir, which has no form for it: scatters, running sums.

Before torch-mlir such an operation is cut out of its graph: its operands become results
of the function, its result an argument. Afterwards a loop is pasted between the two, and
the function has its own arguments and results again. What the graph computes from one of
them may be an operand of another one, so that operations are put in order anew: each
stays where it is as far as what it needs stands in front of it.

A loop does not look at its places. Who made them has asserted that they are in range,
and those assertions stand in front of the loop, as they did in the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from mlir_amp.torch.lowering import running_loops, scatter_loops
from mlir_amp.torch.lowering.origins import Origin
from mlir_amp.torch.lowering.scatter_rows import SCATTER_ROWS


class Cut(NamedTuple):
    """An operation that was cut out.

    Attributes:
        operation: One of `_KINDS`.
        parameters: What it is told behind its operands.
        origin: Of its node.
    """

    operation: Any
    parameters: tuple[Any, ...]
    origin: Origin | None

    @property
    def kind(self) -> Kind:
        return _KINDS[self.operation]


class Kind(NamedTuple):
    """A kind of operation that becomes a loop.

    Attributes:
        operands: How many tensors it takes.
        to_text: Takes types of the operands, for each the number that all its elements
            are (None: it is no such constant), the other arguments, and MLIR text of a
            location. Gives a module of one function of the operands.
    """

    operands: int
    to_text: Callable[..., str]


_KINDS = {
    SCATTER_ROWS: Kind(3, scatter_loops.to_text),
    running_loops.RUNNING: Kind(1, running_loops.to_text),
}


def cut(
    graph: torch.fx.Graph, origin_of: Callable[[torch.fx.Node], Origin | None]
) -> list[Cut]:
    """Takes what becomes loops out of a graph.

    Args:
        graph: Changed: each such operation is a placeholder behind its own, and its
            operands are outputs behind its own.
        origin_of: The origin of a node.

    Returns:
        The operations, in the order of the graph.
    """
    # Of all nodes in their order: a gradient has the number that its forward operation
    # got when it was asked for.
    origins = {node: origin_of(node) for node in graph.nodes}
    found: list[Cut] = []
    operands: list[torch.fx.Node] = []
    last = graph._root
    for node in graph.nodes:
        last = node if node.op == "placeholder" else last
    for node in [node for node in graph.nodes if node.target in _KINDS]:
        with graph.inserting_after(last):
            last = graph.placeholder(f"pasted{len(found)}")
        last.meta = dict(node.meta)
        count = _KINDS[node.target].operands
        found.append(Cut(node.target, tuple(node.args[count:]), origins[node]))
        operands.extend(node.args[:count])
        node.replace_all_uses_with(last)
        graph.erase_node(node)
    if found:
        (output,) = (node for node in graph.nodes if node.op == "output")
        output.args = ((*output.args[0], *operands),)
    return found


def paste(function: Any, cuts: Sequence[Cut], ir: Any) -> None:
    """Puts back as loops what was cut out.

    Args:
        function: A func.func that torch-mlir made of a graph they were cut out of;
            erased, another one of its name takes its place.
        cuts: As `cut` gave them.
        ir: torch-mlir's bindings.
    """
    from torch_mlir.dialects import func

    old = function.entry_block
    *operations, end = list(old.operations)
    split = len(end.operands) - sum(each.kind.operands for each in cuts)
    arguments, results = list(old.arguments), list(end.operands)
    kept = len(arguments) - len(cuts)
    with ir.InsertionPoint(function.operation):
        new = func.FuncOp(
            f"{function.name.value}_pasted",
            ([a.type for a in arguments[:kept]], [v.type for v in results[:split]]),
            loc=function.operation.location,
        )
    block = new.add_entry_block()
    for ours, theirs in zip(block.arguments, arguments):
        theirs.replace_all_uses_with(ours)
    loops: list[list[Any]] = []
    begin = split
    for number, each in enumerate(cuts):
        # As they are by now: an operand may be what an earlier loop gave.
        given = [end.operands[begin + i] for i in range(each.kind.operands)]
        begin += each.kind.operands
        body, result = _append_loop(block, given, each, ir)
        arguments[kept + number].replace_all_uses_with(result)
        loops.append(body)
    for operation in _in_order(operations, loops, ir):
        block.append(operation)
    with ir.InsertionPoint(block):
        func.ReturnOp([end.operands[i] for i in range(split)])
    name = function.attributes["sym_name"]
    function.operation.erase()
    new.attributes["sym_name"] = name


def _append_loop(
    to: Any, operands: Sequence[Any], cut: Cut, ir: Any
) -> tuple[list[Any], Any]:
    """The operations of a loop, at the end of a block, and its result."""
    types = [ir.RankedTensorType(value.type) for value in operands]
    numbers = [_repeated(value, ir) for value in operands]
    location = f'loc("{cut.origin.to_name()}")' if cut.origin else ""
    text = cut.kind.to_text(types, numbers, *cut.parameters, location)
    module = ir.Module.parse(text)
    (function,) = module.body.operations
    block = function.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, operands):
        argument.replace_all_uses_with(operand)
    *body, end = list(block.operations)
    for operation in body:
        to.append(operation)
    return body, end.operands[0]


def _repeated(value: Any, ir: Any) -> Any:
    """The number that all elements of a constant are; None where it is none."""
    owner = getattr(value.owner, "operation", value.owner)
    if not isinstance(owner, ir.Operation) or owner.name != "arith.constant":
        return None
    elements = owner.attributes["value"]
    is_one = isinstance(elements, ir.DenseElementsAttr) and elements.is_splat
    return elements.get_splat_value() if is_one else None


def _in_order(
    operations: Sequence[Any], loops: Sequence[Sequence[Any]], ir: Any
) -> list[Any]:
    """Operations of a block and loops, each behind what it needs.

    Args:
        operations: In an order in which loops are missing.
        loops: For each one its operations, the last of which its result needs.
        ir: The bindings that they belong to.
    """
    every = [*operations, *(operation for loop in loops for operation in loop)]
    numbers = {hash(operation.operation): i for i, operation in enumerate(every)}
    needed, asserts = [], []
    for i, operation in enumerate(every):
        inside = _inside(operation.operation, ir)
        owners = {_owner(value, ir) for op in inside for value in op.operands}
        needs = sorted(numbers[owner] for owner in owners if owner in numbers)
        needed.append([j for j in needs if j != i])
        if any(op.name == "cf.assert" for op in inside):
            asserts.append(i)
    last = [numbers[hash(loop[-1].operation)] for loop in loops]
    _wait_for_asserts(needed, asserts, last)
    return [every[i] for i in _sorted(needed)]


def _inside(operation: Any, ir: Any) -> list[Any]:
    """An operation and those in its regions."""
    found: list[Any] = []

    def take(inner: Any) -> Any:
        found.append(inner)
        return ir.WalkResult.ADVANCE

    operation.walk(take, ir.WalkOrder.PRE_ORDER)
    return found


def _owner(value: Any, ir: Any) -> int | None:
    """The hash of the operation that made a value; None of a block's argument."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    return hash(getattr(owner, "operation", owner))


def _wait_for_asserts(
    needed: list[list[int]], asserts: Sequence[int], loops: Sequence[int]
) -> None:
    """Lets a loop need the assertions that were in front of it in the graph: those that
    need no loop but earlier ones."""
    latest: dict[int, int] = {}
    for i in _sorted(needed):
        of_needs = [latest[j] for j in needed[i]]
        own = [loops.index(i)] if i in loops else []
        latest[i] = max([-1, *of_needs, *own])
    for number, loop in enumerate(loops):
        needed[loop] += [i for i in asserts if latest[i] < number]


def _sorted(needed: Sequence[Sequence[int]]) -> list[int]:
    """Numbers, each behind those that it needs and otherwise in their own order."""
    order: list[int] = []
    done: set[int] = set()
    for first in range(len(needed)):
        stack = [(first, iter(needed[first]))]
        while stack:
            number, rest = stack[-1]
            following = None if number in done else next(rest, None)
            if following is not None:
                stack.append((following, iter(needed[following])))
                continue
            stack.pop()
            if number not in done:
                done.add(number)
                order.append(number)
    return order
