# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stablehlo.scatter as loops: the one operation of ordinary steps that jaxlib's lowering
leaves (gradients of indexing: embeddings, picked labels, slices).

Each scatter becomes a call of a function that goes through the updates in order and puts
each where its index says, or adds it to what is there; as in StableHLO, an update whose
place is outside of the operand is dropped.
"""

from __future__ import annotations

import re
from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from mlir_amp.errors import NotLowered

# What a body may do with the old value and the update: for floats, for integers with
# sign, for those without, for booleans.
_COMBINATIONS = {
    "stablehlo.add": ("arith.addf", "arith.addi", "arith.addi", "arith.ori"),
    "stablehlo.multiply": ("arith.mulf", "arith.muli", "arith.muli", "arith.andi"),
    "stablehlo.maximum": ("arith.maximumf", "arith.maxsi", "arith.maxui", "arith.ori"),
    "stablehlo.minimum": ("arith.minimumf", "arith.minsi", "arith.minui", "arith.andi"),
    "stablehlo.or": (None, "arith.ori", "arith.ori", "arith.ori"),
    "stablehlo.and": (None, "arith.andi", "arith.andi", "arith.andi"),
    "stablehlo.xor": (None, "arith.xori", "arith.xori", "arith.xori"),
}
# The kinds of elements, in the order of the names.
_KINDS = tuple(map(re.compile, (r"(?:bf|f)\d+", r"i(?:8|16|32|64)", r"ui\d+", "i1")))


def _combination(scatter: Any, element: Any) -> str | None:
    """The operation of the body; None where the update replaces what was there."""
    block = scatter.regions[0].blocks[0]
    *body, last = [operation.operation for operation in block.operations]
    old, update = block.arguments
    if not body and last.operands[0] == update:
        return None
    if len(body) == 1 and last.operands[0] == body[0].results[0]:
        names = _COMBINATIONS.get(body[0].name, (None,) * len(_KINDS))
        fits = [bool(kind.fullmatch(str(element))) for kind in _KINDS]
        name = names[fits.index(True)] if any(fits) else None
        both = list(body[0].operands) in ([old, update], [update, old])
        if name and both:
            return name
    names = ", ".join(operation.name for operation in body) or "the old value"
    raise NotLowered(f"'stablehlo.scatter' with a body of {names} on {element}")


def to_function(name: str, scatter: Any) -> str:
    """A function that does what a scatter does.

    Args:
        name: For the function.
        scatter: The operation, with types as StableHLO has them.

    Returns:
        Text of a private func.func: (operand, indices, updates) -> operand, on signless
        tensors.

    Raises:
        NotLowered: Several operands, or a body that does more than replace or combine
            by one operation.
    """
    if len(scatter.results) != 1:
        raise NotLowered("'stablehlo.scatter' of several operands")
    operand, indices, updates = (ir.RankedTensorType(v.type) for v in scatter.operands)
    combine = _combination(scatter, operand.element_type)
    numbers = stablehlo.ScatterDimensionNumbers(
        scatter.attributes["scatter_dimension_numbers"]
    )
    window = list(numbers.update_window_dims)
    vector = numbers.index_vector_dim
    if vector < indices.rank - 1:  # which JAX's own interface has no name for
        raise NotLowered(f"'stablehlo.scatter' with index_vector_dim {vector}")

    to, into, what = (signless(str(type_)) for type_ in (operand, indices, updates))
    element = signless(str(operand.element_type))
    lines = [
        f"func.func private @{name}(%op: {to}, %ix: {into}, %up: {what}) -> {to} {{",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
    ]
    lines += [
        f"%n{d} = arith.constant {n} : index" for d, n in enumerate(updates.shape)
    ]
    lines += [
        f"%m{d} = arith.constant {n} : index" for d, n in enumerate(operand.shape)
    ]
    held = "%op"
    for d in range(updates.rank):
        lines.append(
            f"%r{d} = scf.for %i{d} = %c0 to %n{d} step %c1 "
            f"iter_args(%t{d} = {held}) -> ({to}) {{"
        )
        held = f"%t{d}"

    made = 0

    def value(text: str) -> str:
        nonlocal made
        made += 1
        lines.append(f"%v{made - 1} = {text}")
        return f"%v{made - 1}"

    # Where the update of this iteration goes, dimension by dimension of the operand.
    batch = [f"%i{d}" for d in range(updates.rank) if d not in window]
    place: dict[int, str] = {}
    for k, d in enumerate(numbers.scattered_dims_to_operand_dims):
        at = list(batch)
        if vector < indices.rank:
            at.append(value(f"arith.constant {k} : index"))
        index = value(f"tensor.extract %ix[{', '.join(at)}] : {into}")
        unsigned = str(indices.element_type).startswith("ui")
        cast = "index_castui" if unsigned else "index_cast"
        kind = signless(str(indices.element_type))
        place[d] = value(f"arith.{cast} {index} : {kind} to index")
    batching = list(numbers.input_batching_dims)
    for d, s in zip(batching, numbers.scatter_indices_batching_dims, strict=True):
        place[d] = batch[s]
    inserted = [*numbers.inserted_window_dims, *batching]
    free = [d for d in range(operand.rank) if d not in inserted]
    for d, w in zip(free, window, strict=True):
        offset = f"%i{w}"
        place[d] = (
            value(f"arith.addi {place[d]}, {offset} : index") if d in place else offset
        )
    inside = value("arith.constant true")
    for d in range(operand.rank):  # unsigned, so that negative ones are outside, too
        fits = value(f"arith.cmpi ult, {place[d]}, %m{d} : index")
        inside = value(f"arith.andi {inside}, {fits} : i1")
    position = ", ".join(place[d] for d in range(operand.rank))
    every = ", ".join(f"%i{d}" for d in range(updates.rank))
    update = value(f"tensor.extract %up[{every}] : {what}")
    lines.append(f"%res = scf.if {inside} -> ({to}) {{")
    if combine:
        old = value(f"tensor.extract {held}[{position}] : {to}")
        update = value(f"{combine} {old}, {update} : {element}")
    new = value(f"tensor.insert {update} into {held}[{position}] : {to}")
    lines += [f"scf.yield {new} : {to}", "} else {", f"scf.yield {held} : {to}", "}"]
    result = "%res"
    for d in reversed(range(updates.rank)):
        lines += [f"scf.yield {result} : {to}", "}"]
        result = f"%r{d}"
    return "\n".join([*lines, f"return {result} : {to}", "}"])


def signless(text: str) -> str:
    """A type with integers as the other dialects have them."""
    return text.replace("ui", "i")
