# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Origins of operations from locations, in whose name a front end wrote them, to the
attributes that the compiler reads. Frameworks bring their own bindings of MLIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["attach", "walk"]


def walk(operation: Any, ir: Any) -> list[Any]:
    """The operations inside, outermost first, as they are at the call.

    Args:
        operation: Where to look.
        ir: The bindings that it belongs to. By their own walk: a block's list makes a
            view of each operation, and for each of a dialect without a module of its
            own (jaxlib has none of linalg and tensor) Python looks for that module.
    """
    found: list[Any] = []

    def take(inner: Any) -> Any:
        found.append(inner)
        return ir.WalkResult.ADVANCE

    operation.walk(take, ir.WalkOrder.PRE_ORDER)
    return found[1:]


def attach(module: Any, ir: Any, read: Callable[[str], Any]) -> None:
    """Locations of linalg operations become attributes. After cse, which compares
    attributes and not locations.

    Args:
        module: Changed.
        ir: The bindings that it belongs to.
        read: The origin in a printed location, a named tuple whose fields are those of
            the dialect's page and ``number``; None where there is none.
    """
    for operation in walk(module.operation, ir):
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
