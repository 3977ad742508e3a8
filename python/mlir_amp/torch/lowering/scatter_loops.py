# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters as loops over their updates, beside torch-mlir, which has no form for them.

Before torch-mlir a scatter is cut out of its graph: its operands become results of the
function, its result an argument. Afterwards a loop that carries the tensor is pasted
between the two, and the function has its own arguments and results again. What the
graph computes from one scatter may be an operand of another one, so that operations are
put in order anew: each stays where it is as far as what it needs stands in front of it.

A loop does not look at its places. Who made them has asserted that they are in range,
and those assertions stand in front of the loop, as they did in the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from mlir_amp.torch.lowering.origins import Origin
from mlir_amp.torch.lowering.scatter_rows import SCATTER_ROWS


class Scatter(NamedTuple):
    """A scatter that was cut out.

    Attributes:
        accumulate: Whether it adds.
        origin: Of its node.
    """

    accumulate: bool
    origin: Origin | None


# The operands of a scatter: the tensor, places, rows.
_NUM_OPERANDS = 3


def cut(
    graph: torch.fx.Graph, origin_of: Callable[[torch.fx.Node], Origin | None]
) -> list[Scatter]:
    """Takes the scatters out of a graph.

    Args:
        graph: Changed: each scatter is a placeholder behind its own, and its operands
            are outputs behind its own.
        origin_of: The origin of a node.

    Returns:
        The scatters, in the order of the graph.
    """
    # Of all nodes in their order: a gradient has the number that its forward operation
    # got when it was asked for.
    origins = {node: origin_of(node) for node in graph.nodes}
    found: list[Scatter] = []
    operands: list[torch.fx.Node] = []
    last = graph._root
    for node in graph.nodes:
        last = node if node.op == "placeholder" else last
    for node in [node for node in graph.nodes if node.target is SCATTER_ROWS]:
        with graph.inserting_after(last):
            last = graph.placeholder(f"scattered{len(found)}")
        last.meta = dict(node.meta)
        found.append(Scatter(node.args[_NUM_OPERANDS], origins[node]))
        operands.extend(node.args[:_NUM_OPERANDS])
        node.replace_all_uses_with(last)
        graph.erase_node(node)
    if found:
        (output,) = (node for node in graph.nodes if node.op == "output")
        output.args = ((*output.args[0], *operands),)
    return found


def paste(function: Any, scatters: Sequence[Scatter], ir: Any) -> None:
    """Puts scatters back as loops.

    Args:
        function: A func.func that torch-mlir made of a graph they were cut out of;
            erased, another one of its name takes its place.
        scatters: As `cut` gave them.
        ir: torch-mlir's bindings.
    """
    from torch_mlir.dialects import func

    old = function.entry_block
    *operations, end = list(old.operations)
    count = len(scatters)
    split = len(end.operands) - _NUM_OPERANDS * count
    arguments, results = list(old.arguments), list(end.operands)
    kept = len(arguments) - count
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
    for number, scatter in enumerate(scatters):
        begin = split + _NUM_OPERANDS * number
        # As they are by now: an operand may be what an earlier scatter gave.
        given = [end.operands[begin + i] for i in range(_NUM_OPERANDS)]
        body, result = _append_loop(block, given, scatter, ir)
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
    to: Any, operands: Sequence[Any], scatter: Scatter, ir: Any
) -> tuple[list[Any], Any]:
    """The operations of a loop, at the end of a block, and its result."""
    types = [ir.RankedTensorType(value.type) for value in operands]
    module = ir.Module.parse(_to_text(types, scatter, _repeated(operands[0], ir)))
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


def _to_text(types: Sequence[Any], scatter: Scatter, number: Any) -> str:
    """A module of one function, from tensor, places and rows to the tensor.

    Args:
        types: Those of the arguments.
        scatter: What the loop does.
        number: That all elements of the tensor are; they are stored in front of the
            loop, as a constant would be memory that is copied. None: it is none.
    """
    tensor, places, rows = types
    (count, width), element = rows.shape, tensor.element_type
    update = _update_element if width == 1 else _update_row
    filled = "" if number is None else f"""
  %number = arith.constant {number}
  %empty = tensor.empty() : {tensor}
  %filled = linalg.fill ins(%number : {element}) outs(%empty : {tensor})
    -> {tensor} {_location(scatter)}"""
    start = "%x" if number is None else "%filled"
    return f"""
func.func @scatter(%x: {tensor}, %places: {places}, %rows: {rows}) -> {tensor} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant {count} : index{filled}
  %done = scf.for %i = %zero to %count step %one
      iter_args(%held = {start}) -> ({tensor}) {{
    %label = tensor.extract %places[%i] : {places}
    %place = arith.index_cast %label : {places.element_type} to index
    {update(tensor, rows, scatter)}
    scf.yield %next : {tensor}
  }}
  return %done : {tensor}
}}"""


def _location(scatter: Scatter) -> str:
    return f'loc("{scatter.origin.to_name()}")' if scatter.origin else ""


def _add(element: Any) -> str:
    return "arith.addf" if "f" in str(element) else "arith.addi"


def _update_element(tensor: Any, rows: Any, scatter: Scatter) -> str:
    element = tensor.element_type
    lines = [f"%new = tensor.extract %rows[%i, %zero] : {rows}"]
    if scatter.accumulate:
        lines += [
            f"%old = tensor.extract %held[%place, %zero] : {tensor}",
            f"%sum = {_add(element)} %old, %new : {element}",
        ]
    value = "%sum" if scatter.accumulate else "%new"
    lines.append(f"%next = tensor.insert {value} into %held[%place, %zero] : {tensor}")
    return "\n    ".join(lines)


def _update_row(tensor: Any, rows: Any, scatter: Scatter) -> str:
    width, element = rows.shape[1], tensor.element_type
    row = f"tensor<1x{width}x{element}>"
    at = f"[1, {width}] [1, 1]"
    lines = [f"%new = tensor.extract_slice %rows[%i, 0] {at} : {rows} to {row}"]
    if scatter.accumulate:
        same = "affine_map<(d0, d1) -> (d0, d1)>"
        lines += [
            f"%old = tensor.extract_slice %held[%place, 0] {at} : {tensor} to {row}",
            f"%sum = linalg.generic {{indexing_maps = [{same}, {same}], "
            'iterator_types = ["parallel", "parallel"]} '
            f"ins(%new : {row}) outs(%old : {row}) {{",
            f"^bb0(%in: {element}, %out: {element}):",
            f"  %both = {_add(element)} %out, %in : {element}",
            f"  linalg.yield %both : {element}",
            f"}} -> {row} {_location(scatter)}",
        ]
    value = "%sum" if scatter.accumulate else "%new"
    lines.append(
        f"%next = tensor.insert_slice {value} into %held[%place, 0] {at} : "
        f"{row} into {tensor}"
    )
    return "\n    ".join(lines)


def _in_order(
    operations: Sequence[Any], loops: Sequence[Sequence[Any]], ir: Any
) -> list[Any]:
    """Operations of a block and loops, each behind what it needs.

    Args:
        operations: In an order in which loops are missing.
        loops: For each one its operations, the last of which is the loop.
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
