# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Origins of operations from locations, in whose name a front end wrote them, to the
attributes that the compiler reads. Frameworks bring their own bindings of MLIR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["attach", "walk"]


def walk(operation: Any) -> Iterator[Any]:
    """The operations inside, outermost first."""
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                yield inner.operation
                yield from walk(inner.operation)


def attach(module: Any, ir: Any, read: Callable[[str], Any]) -> None:
    """Locations of linalg operations become attributes. After cse, which compares
    attributes and not locations.

    Args:
        module: Changed.
        ir: The bindings that it belongs to.
        read: The origin in a printed location, a named tuple whose fields are those of
            the dialect's page and ``number``; None where there is none.
    """
    for operation in walk(module.operation):
        if not operation.name.startswith("linalg.") or operation.name in (
            "linalg.yield",
            "linalg.index",
        ):
            continue
        origin = read(str(operation.location))
        if origin is None:
            continue
        for field, value in origin._asdict().items():
            if field != "number" and value:
                operation.attributes[f"amp.{field}"] = ir.StringAttr.get(value)
        if origin.number is not None:
            operation.attributes["amp.scope_id"] = ir.IntegerAttr.get(
                ir.IntegerType.get_signless(64), origin.number
            )
