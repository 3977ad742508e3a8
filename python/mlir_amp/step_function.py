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
        kind: ``"batch_norm"`` for what a batch normalisation owns.
        of: The parameter that a state belongs to; ``""`` for one that belongs to none,
            as a counter, which no level makes half.
    """

    role: str
    name: str
    kind: str | None = None
    of: str | None = None

    @property
    def attributes(self) -> dict[str, str]:
        """What stands beside the argument or result in MLIR."""
        given = {
            "amp.role": self.role,
            "amp.name": self.name,
            "amp.kind": self.kind,
            "amp.of": self.of,
        }
        return {name: value for name, value in given.items() if value is not None}


class TypedRole(NamedTuple):
    """An argument or a result.

    Attributes:
        role: Its role.
        type: As MLIR spells it: ``"tensor<4x8xf32>"``.
    """

    role: Role
    type: str


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
    def quote(text: str) -> str:
        text = text.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + text.replace("\n", "\\0A") + '"'

    given = (f"{key} = {quote(text)}" for key, text in value.role.attributes.items())
    return "{" + ", ".join(given) + "}"


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
    # Behind the module may stand blobs, which constants name.
    module, mark, blobs = module.rstrip().partition("\n{-#")
    end = module.rindex("}")
    return module[:end] + text + module[end:] + mark + blobs
