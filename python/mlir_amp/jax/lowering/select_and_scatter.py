# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stablehlo.select_and_scatter as loops: gradients of poolings, of which jaxlib's lowering
knows those whose windows do not overlap.

Each becomes a call of a function that goes through the windows in order. It picks an
element in each, as the reduction did (of equal ones the first), and adds the window's
number of the source to the place of the element; what a window has of the padding is
never picked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxlib.mlir import ir

from mlir_amp.errors import NotLowered
from mlir_amp.jax.lowering.scatter import signless

# Directions of a comparison that keep the element that was found before.
_KEEPING = {"GE": "oge", "LE": "ole"}


def _numbers(operation: Any, key: str, default: int, rank: int) -> list[int]:
    if key not in operation.attributes:
        return [default] * rank
    return list(ir.DenseI64ArrayAttr(operation.attributes[key]))


def overlaps(operation: Any) -> bool:
    """Whether windows share elements: what jaxlib's lowering does not know."""
    rank = ir.RankedTensorType(operation.operands[0].type).rank
    sizes = _numbers(operation, "window_dimensions", 1, rank)
    strides = _numbers(operation, "window_strides", 1, rank)
    return any(size > stride for size, stride in zip(sizes, strides, strict=True))


def _predicate(operation: Any) -> str:
    """How floats are compared so that the element found before is kept."""
    block = operation.regions[0].blocks[0]
    *body, last = [inner.operation for inner in block.operations]
    if len(body) == 1 and body[0].name == "stablehlo.compare":
        text = str(body[0].attributes["comparison_direction"])
        found = [name for word, name in _KEEPING.items() if f" {word}>" in text]
        in_order = list(body[0].operands) == list(block.arguments)
        if found and in_order and last.operands[0] == body[0].results[0]:
            return found[0]
    raise NotLowered("'stablehlo.select_and_scatter' that selects by more than order")


def _adds(operation: Any) -> bool:
    block = operation.regions[1].blocks[0]
    return [inner.operation.name for inner in block.operations] == [
        "stablehlo.add",
        "stablehlo.return",
    ]


def _search(
    sizes: Sequence[int], strides: Sequence[int], before: Sequence[int], predicate: str
) -> list[str]:
    """Lines that find the place in the window at %s0, %s1, ...: loops over the window
    that carry whether there is an element, the element, and its place."""
    rank = len(sizes)
    kinds = ", ".join(["i1", "!element", *["index"] * rank])
    held = ["%no", "%init", *["%c0"] * rank]
    lines: list[str] = []
    for d in range(rank):
        names = ("f", "b", *(f"p{k}" for k in range(rank)))
        carried = [f"%{name}_{d}" for name in names]
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(carried, held, strict=True))
        lines.append(
            f"%best{d}:{rank + 2} = scf.for %w{d} = %c0 to %window{d} step %c1 "
            f"iter_args({pairs}) -> ({kinds}) {{"
        )
        held = carried
    lines.append("%in = arith.constant true")
    inside = "%in"
    for d in range(rank):
        lines += [
            f"%stride{d} = arith.constant {strides[d]} : index",
            f"%before{d} = arith.constant {before[d]} : index",
            f"%start{d} = arith.muli %s{d}, %stride{d} : index",
            f"%padded{d} = arith.addi %start{d}, %w{d} : index",
            f"%at{d} = arith.subi %padded{d}, %before{d} : index",
            # Unsigned, so that what lies before the first element is outside, too.
            f"%fits{d} = arith.cmpi ult, %at{d}, %size{d} : index",
            f"%in{d} = arith.andi {inside}, %fits{d} : i1",
        ]
        inside = f"%in{d}"
    place = ", ".join(f"%at{d}" for d in range(rank))
    chosen = [f"%q{d}" for d in range(rank)]
    lines += [
        f"%now:{rank + 2} = scf.if {inside} -> ({kinds}) {{",
        f"%x = tensor.extract %op[{place}] : !operand",
        f"%order = arith.cmpf {predicate}, {held[1]}, %x : !element",
        f"%keep = arith.andi {held[0]}, %order : i1",
        f"%y = arith.select %keep, {held[1]}, %x : !element",
        *(
            f"{chosen[d]} = arith.select %keep, {held[d + 2]}, %at{d} : index"
            for d in range(rank)
        ),
        f"scf.yield {', '.join(['%yes', '%y', *chosen])} : {kinds}",
        "} else {",
        f"scf.yield {', '.join(held)} : {kinds}",
        "}",
    ]
    results = "%now"
    for d in reversed(range(rank)):
        given = ", ".join(f"{results}#{i}" for i in range(rank + 2))
        lines += [f"scf.yield {given} : {kinds}", "}"]
        results = f"%best{d}"
    return lines


def to_function(name: str, operation: Any) -> str:
    """A function that does what a select_and_scatter does.

    Args:
        name: For the function.
        operation: The operation, with types as StableHLO has them.

    Returns:
        Text of a private func.func: (operand, source, start) -> operand, on signless
        tensors.

    Raises:
        NotLowered: It is not of floats, selects by more than the larger or the smaller
            one, or does not add.
    """
    operand, source, start = (ir.RankedTensorType(v.type) for v in operation.operands)
    rank = operand.rank
    element = str(operand.element_type)
    if "f" not in element or not _adds(operation):
        raise NotLowered(
            f"'stablehlo.select_and_scatter' on {element} or with a body other than add"
        )
    sizes = _numbers(operation, "window_dimensions", 1, rank)
    strides = _numbers(operation, "window_strides", 1, rank)
    padding = [0] * (2 * rank)
    if "padding" in operation.attributes:
        padding = list(ir.DenseIntElementsAttr(operation.attributes["padding"]))
    to, what = str(operand), str(source)
    lines = [
        f"func.func private @{name}(%op: {to}, %src: {what}, %st: {start}) -> {to} {{",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%no = arith.constant false",
        "%yes = arith.constant true",
        f"%init = tensor.extract %st[] : {start}",
        f"%empty = tensor.empty() : {to}",
        f"%none = linalg.fill ins(%init : {element}) outs(%empty : {to}) -> {to}",
    ]
    for d in range(rank):
        lines += [
            f"%size{d} = arith.constant {operand.shape[d]} : index",
            f"%count{d} = arith.constant {source.shape[d]} : index",
            f"%window{d} = arith.constant {sizes[d]} : index",
        ]
    held = "%none"
    for d in range(rank):
        lines.append(
            f"%r{d} = scf.for %s{d} = %c0 to %count{d} step %c1 "
            f"iter_args(%t{d} = {held}) -> ({to}) {{"
        )
        held = f"%t{d}"
    lines += _search(sizes, strides, padding[::2], _predicate(operation))
    best = "%best0" if rank else "%now"
    place = ", ".join(f"{best}#{d + 2}" for d in range(rank))
    every = ", ".join(f"%s{d}" for d in range(rank))
    lines += [
        f"%sum = scf.if {best}#0 -> ({to}) {{",
        f"%number = tensor.extract %src[{every}] : {what}",
        f"%old = tensor.extract {held}[{place}] : {to}",
        f"%new = arith.addf %old, %number : {element}",
        f"%put = tensor.insert %new into {held}[{place}] : {to}",
        f"scf.yield %put : {to}",
        "} else {",
        f"scf.yield {held} : {to}",
        "}",
    ]
    result = "%sum"
    for d in reversed(range(rank)):
        lines += [f"scf.yield {result} : {to}", "}"]
        result = f"%r{d}"
    text = "\n".join([*lines, f"return {result} : {to}", "}"])
    return signless(text.replace("!element", element).replace("!operand", to))
