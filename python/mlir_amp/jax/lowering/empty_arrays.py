# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays without elements, and reductions over no dimension: legal in JAX, made by
jax.lax.associative_scan among others, and refused by jaxlib's lowering to linalg.

What has no elements becomes a constant; what is made of such arrays and has elements is
what StableHLO says: the padding, the start of a reduction, zeros of a product, the other
parts of a concatenation, what is updated.
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

from mlir_amp import origin_attributes

# By operation: which operand has no elements, and which one is all of the result.
_LEFT = {
    "stablehlo.pad": (0, 1),
    "stablehlo.reduce": (0, 1),
    "stablehlo.reduce_window": (0, 1),
    "stablehlo.dynamic_update_slice": (1, 0),
    "stablehlo.scatter": (2, 0),
}


def _is_empty(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and 0 in value.type.shape


def _create(operation: Any, name: str, operands: Any, **attributes: Any) -> Any:
    """An operation in the place of another one, with its type."""
    return ir.Operation.create(
        name,
        results=[operation.results[0].type],
        operands=operands,
        attributes=attributes,
        ip=ir.InsertionPoint(operation),
        loc=operation.location,
    ).results[0]


def _constant(operation: Any, element: str) -> Any:
    """A constant of one number, or of none."""
    value = ir.Attribute.parse(f"dense<{element}> : {operation.results[0].type}")
    return _create(operation, "stablehlo.constant", [], value=value)


def _spread(operation: Any, scalar: Any) -> Any:
    dimensions = ir.DenseI64ArrayAttr.get([])
    return _create(
        operation,
        "stablehlo.broadcast_in_dim",
        [scalar],
        broadcast_dimensions=dimensions,
    )


def _without(operation: Any) -> Any | None:
    """What an operation gives of operands without elements; None where it has none."""
    name, operands = operation.name, list(operation.operands)
    if name == "stablehlo.concatenate":
        kept = [value for value in operands if not _is_empty(value)]
        if len(kept) == len(operands):
            return None
        if len(kept) == 1:
            return kept[0]
        return _create(
            operation, name, kept, dimension=operation.attributes["dimension"]
        )
    if name == "stablehlo.dot_general" and any(map(_is_empty, operands)):
        kind = str(ir.RankedTensorType(operation.results[0].type).element_type)
        return _constant(operation, "0.0" if "f" in kind else "0")
    if name not in _LEFT or len(operation.results) != 1:
        return None
    empty, left = _LEFT[name]
    if not _is_empty(operands[empty]):
        return None
    value = operands[left]
    alike = value.type == operation.results[0].type
    return value if alike else _spread(operation, value)


def _over_no_dimension(operation: Any) -> Any | None:
    """A reduction of each element alone: it, combined with the start."""
    if operation.name != "stablehlo.reduce" or len(operation.results) != 1:
        return None
    block = operation.regions[0].blocks[0]
    body = [inner.operation for inner in block.operations]
    dimensions = ir.DenseI64ArrayAttr(operation.attributes["dimensions"])
    if list(dimensions) or len(body) != 2:
        return None
    if list(body[0].operands) != list(block.arguments):
        return None
    operand, start = operation.operands
    return _create(operation, body[0].name, [_spread(operation, start), operand])


def replace(module: Any) -> None:
    """Rewrites a module of StableHLO in place."""
    # From the inside, as what a replaced operation has inside of it goes with it.
    inner_first = reversed(origin_attributes.walk(module.operation, ir))
    for operation in inner_first:
        if not operation.name.startswith("stablehlo.") or len(operation.results) != 1:
            continue
        if operation.name == "stablehlo.constant":
            continue
        if _is_empty(operation.results[0]):
            value = _constant(operation, "")
        else:
            value = _without(operation) or _over_no_dimension(operation)
        if value is not None:
            operation.results[0].replace_all_uses_with(value)
            operation.erase()
