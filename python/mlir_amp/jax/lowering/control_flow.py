# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches and barriers of StableHLO as scf's, which jaxlib's lowering leaves:
jax.lax.scan, fori_loop, cond, the rounds of random numbers, jax.checkpoint.

Done after the lowering to linalg, when what is inside of them has another form already.
Blocks are moved as they are; the conditions, tensors of rank 0 there, become scalars.
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

from mlir_amp import origin_attributes


def _create(name: str, place: Any, location: Any, **more: Any) -> Any:
    return ir.Operation.create(name, ip=place, loc=location, **more)


def _extract(tensor: Any, place: Any, location: Any) -> Any:
    """The only element of a tensor of rank 0."""
    element = ir.RankedTensorType(tensor.type).element_type
    return _create(
        "tensor.extract", place, location, results=[element], operands=[tensor]
    ).result


def _types(operation: Any) -> list[Any]:
    return [result.type for result in operation.results]


def _replace(operation: Any, values: Any) -> None:
    for result, value in zip(operation.results, values, strict=True):
        result.replace_all_uses_with(value)
    operation.erase()


def _take(region: Any, into: Any) -> None:
    """Moves the block of a region, which yields what it returned."""
    block = region.blocks[0]
    block.append_to(into)
    last = list(block.operations)[-1].operation
    place = ir.InsertionPoint(last)
    _create("scf.yield", place, last.location, operands=list(last.operands))
    last.erase()


def _convert_while(loop: Any) -> None:
    new = _create(
        "scf.while",
        ir.InsertionPoint(loop),
        loop.location,
        results=_types(loop),
        operands=list(loop.operands),
        regions=2,
    )
    condition, body = loop.regions
    _take(condition, new.regions[0])
    before = new.regions[0].blocks[0]
    last = list(before.operations)[-1].operation
    place = ir.InsertionPoint(last)
    holds = _extract(last.operands[0], place, last.location)
    operands = [holds, *before.arguments]
    _create("scf.condition", place, last.location, operands=operands)
    last.erase()
    _take(body, new.regions[1])
    _replace(loop, new.results)


def _nest(branch: Any, selector: Any, number: int, place: Any) -> Any:
    """The branches from the one of this number on: it, or the others."""
    location = branch.location
    condition = selector
    if branch.name == "stablehlo.case":
        boolean, wide = (ir.IntegerType.get_signless(bits) for bits in (1, 64))
        mine = ir.IntegerAttr.get(selector.type, number)
        constant = _create(
            "arith.constant",
            place,
            location,
            results=[selector.type],
            attributes={"value": mine},
        ).result
        condition = _create(
            "arith.cmpi",
            place,
            location,
            results=[boolean],
            operands=[selector, constant],
            attributes={"predicate": ir.IntegerAttr.get(wide, 0)},  # equal
        ).result
    new = _create(
        "scf.if",
        place,
        location,
        results=_types(branch),
        operands=[condition],
        regions=2,
    )
    rest = list(branch.regions)[number + 1 :]
    _take(branch.regions[number], new.regions[0])
    if len(rest) == 1:  # also taken where the index is out of range
        _take(rest[0], new.regions[1])
    else:
        end = ir.InsertionPoint(new.regions[1].blocks.append())
        inner = _nest(branch, selector, number + 1, end)
        _create("scf.yield", end, location, operands=list(inner.results))
    return new


def _convert_branches(branch: Any) -> None:
    """stablehlo.if and stablehlo.case."""
    place = ir.InsertionPoint(branch)
    selector = _extract(branch.operands[0], place, branch.location)
    _replace(branch, _nest(branch, selector, 0, place).results)


def convert(module: Any) -> None:
    """Rewrites a module in place; its context has the dialects scf and tensor."""
    inner_first = reversed(origin_attributes.walk(module.operation, ir))
    for operation in inner_first:
        if operation.name == "stablehlo.while":
            _convert_while(operation)
        elif operation.name in ("stablehlo.case", "stablehlo.if"):
            if len(operation.regions) > 1:
                _convert_branches(operation)
        elif operation.name == "stablehlo.optimization_barrier":
            _replace(operation, list(operation.operands))
        elif operation.name == "builtin.unrealized_conversion_cast" and (
            _types(operation) == [value.type for value in operation.operands]
        ):
            _replace(operation, list(operation.operands))
