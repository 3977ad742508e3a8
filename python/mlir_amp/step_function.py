# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function ``@train_step`` of a captured step, whatever framework it comes from.

The halves of a step (forward and backward pass, the optimizer's update) are captured as
functions of their own; this one calls them in turn. The cut between them is where the
passes put scaling, unscaling and the skip. What goes where is decided by roles: what one
half gives as ("grad", name), the next one takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Part", "Role", "TypedRole", "call_in_turn"]


class Role(NamedTuple):
    """What an argument or a result is for.

    Attributes:
        role: As in the dialect's page: ``"param"``, ``"batch"``, ``"output"``, ...
        name: Unique inside a role.
    """

    role: str
    name: str


class TypedRole(NamedTuple):
    """An argument or a result.

    Attributes:
        role: Its role.
        type: As MLIR spells it: ``"tensor<4x8xf32>"``.
        kind: ``"batch_norm"`` or empty.
    """

    role: Role
    type: str
    kind: str = ""


class Part(NamedTuple):
    """A function of the module.

    Attributes:
        name: Its name.
        arguments: What it takes.
        results: What it gives.
    """

    name: str
    arguments: Sequence[TypedRole]
    results: Sequence[TypedRole]


def _attributes(value: TypedRole) -> str:
    fields = {
        "amp.role": value.role.role,
        "amp.name": value.role.name,
        "amp.kind": value.kind,
    }
    texts = (
        f'{key} = "{text}"'
        for key, text in (
            (key, text.replace("\\", "\\\\").replace('"', '\\"'))
            for key, text in fields.items()
        )
        if text
    )
    return f"{{{', '.join(texts)}}}"


def call_in_turn(module: str, parts: Sequence[Part]) -> str:
    """The module with a function ``@train_step`` that calls its parts.

    It takes what no part before computes, in the order in which it is first asked for,
    and gives what the parts give, gradients left out.

    Args:
        module: MLIR text of a module with the parts.
        parts: Their signatures, in the order of the calls.

    Returns:
        The text with the function at its end.
    """
    given: list[TypedRole] = []
    latest: dict[Role, str] = {}
    lines: list[str] = []
    for part in parts:
        for value in part.arguments:
            if value.role not in latest:
                latest[value.role] = f"%a{len(given)}"
                given.append(value)
        operands = ", ".join(latest[value.role] for value in part.arguments)
        takes = ", ".join(value.type for value in part.arguments)
        gives = ", ".join(value.type for value in part.results)
        call = f"func.call @{part.name}({operands}) : ({takes}) -> ({gives})"
        lines.append(f"  %{part.name}:{len(part.results)} = {call}\n")
        latest.update(
            (value.role, f"%{part.name}#{i}") for i, value in enumerate(part.results)
        )
    results = [v for part in parts for v in part.results if v.role.role != "grad"]
    takes = ", ".join(
        f"%a{i}: {value.type} {_attributes(value)}" for i, value in enumerate(given)
    )
    gives = ", ".join(f"{value.type} {_attributes(value)}" for value in results)
    returned = ", ".join(latest[value.role] for value in results)
    returns = ", ".join(value.type for value in results)
    text = (
        f"func.func @train_step({takes}) -> ({gives}) {{\n{''.join(lines)}"
        f"  func.return {returned} : {returns}\n}}\n"
    )
    module = module.rstrip()
    end = module.rindex("}")
    return module[:end] + text + module[end:]
