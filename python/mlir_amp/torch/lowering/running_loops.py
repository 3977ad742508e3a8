# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums and products: a loop along one dimension that carries where it is.

What it carries of f32 is f64, as PyTorch's kernels for a CPU add up: the sum of a long
line is wrong in its last digits, and where it comes near 0 that is all of it.
PyTorch's gradient of a running sum turns it around, adds, and turns it back;
`turn_around` makes that one loop from the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp.torch.lowering import combining
from mlir_amp.torch.lowering.constants import wide

aten = torch.ops.aten

_LIBRARY = torch.library.Library("mlir_amp", "FRAGMENT")
_LIBRARY.define("running(Tensor x, int dim, str combine, bool from_end) -> Tensor")


def _running_eager(x: Tensor, dim: int, combine: str, from_end: bool) -> Tensor:
    """Of graphs that PyTorch runs."""
    run = {"add": torch.cumsum, "mul": torch.cumprod}[combine]
    if from_end:
        return run(x.flip(dim), dim, dtype=x.dtype).flip(dim)
    return run(x, dim, dtype=x.dtype)


_LIBRARY.impl("running", _running_eager, "CPU")
_LIBRARY.impl(
    "running",
    lambda x, dim, combine, from_end: torch.empty_like(
        x, memory_format=torch.contiguous_format
    ),
    "Meta",
)
RUNNING = torch.ops.mlir_amp.running.default

# Elements side by side from which a row of them is worth an operation: a vector.
_LEAST_ROW = 16


def running(x: Tensor, dim: int, combine: str) -> Tensor:
    """What the elements of each line make together up to each of them, it included.

    Those of halves are rounded once.

    Args:
        x: Not of booleans.
        dim: The dimension along which lines are.
        combine: "add" or "mul".
    """
    if not x.dim() or not x.numel():
        return x.clone()
    return RUNNING(wide(x), dim % x.dim(), combine, False).to(x.dtype)


def turn_around(graph: torch.fx.Graph) -> None:
    """Lets loops begin at the end whose operand and results are turned around."""
    for node in list(graph.nodes):
        if node.target is not RUNNING or node.args[3]:
            continue
        x, dim, combine, _ = node.args
        flips = [x, *node.users]
        if not all(_turns(flip, dim) for flip in flips):
            continue
        with graph.inserting_before(node):
            whole = graph.call_function(RUNNING, (x.args[0], dim, combine, True))
        whole.meta = dict(node.meta)
        for flip in list(node.users):
            flip.replace_all_uses_with(whole)
            graph.erase_node(flip)
        graph.erase_node(node)
        if not x.users:
            graph.erase_node(x)


def _turns(node: torch.fx.Node, dim: int) -> bool:
    """Whether a node turns this dimension around and no other."""
    if node.target is not aten.flip.default:
        return False
    rank = node.meta["val"].dim()
    return [d % rank for d in node.args[1]] == [dim]


def to_text(
    types: Sequence[Any],
    _: Sequence[Any],
    dim: int,
    combine: str,
    from_end: bool,
    location: str,
) -> str:
    """A module of one function, from a tensor to what runs along it.

    Where the line is the only dimension with neighbours in memory, the tensor is turned,
    so that each step of the loop takes a row.

    Args:
        types: That of the tensor.
        dim: The dimension of lines.
        combine: "add" or "mul".
        from_end: Whether lines begin at their ends.
        location: As text.
    """
    (tensor,) = types
    shape, element = list(tensor.shape), tensor.element_type
    rank = len(shape)
    is_turned = math.prod(shape[dim + 1 :]) < _LEAST_ROW and math.prod(shape[:dim]) > 1
    order = [dim, *(d for d in range(rank) if d != dim)] if is_turned else range(rank)
    shape, along = [shape[d] for d in order], 0 if is_turned else dim
    count = shape[along]
    line = [1 if d == along else extent for d, extent in enumerate(shape)]
    held, row = (combining.tensor_of(each, element) for each in (shape, line))
    at = (
        f"[{', '.join('%at' if d == along else '0' for d in range(rank))}] "
        f"[{', '.join(map(str, line))}] [{', '.join(['1'] * rank)}]"
    )
    start = int(combine == "mul")
    number = f"{start}.0" if "f" in str(element) else str(start)
    carried = "f64" if str(element) == "f32" else element
    until = combining.tensor_of(line, carried)
    place = "arith.subi %last, %i" if from_end else "arith.addi %i, %zero"
    turned, back = "%x", "%all"
    there = again = ""
    if is_turned:
        turned, back = "%turned", "%back"
        inverse = sorted(range(rank), key=list(order).__getitem__)
        there = _transpose("%turned", "%x", tensor, held, order, location)
        again = _transpose("%back", "%all", held, tensor, inverse, location)
    return f"""
func.func @running(%x: {tensor}) -> {tensor} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.constant {count - 1} : index
  %count = arith.constant {count} : index
  %number = arith.constant {number} : {carried}{there}
  %nothing = tensor.empty() : {held}
  %none = tensor.empty() : {until}
  %start = linalg.fill ins(%number : {carried}) outs(%none : {until})
    -> {until} {location}
  %all, %end = scf.for %i = %zero to %count step %one
      iter_args(%held = %nothing, %until = %start) -> ({held}, {until}) {{
    %at = {place} : index
    %new = tensor.extract_slice {turned}{at} : {held} to {row}
    %old = tensor.extract_slice %held{at} : {held} to {row}
    {_step(combine, line, element, carried)} {location}
    %next = tensor.insert_slice %given into %held{at} : {row} into {held}
    scf.yield %next, %sum : {held}, {until}
  }}{again}
  return {back} : {tensor}
}}"""


def _step(combine: str, line: Sequence[int], element: Any, carried: Any) -> str:
    """Of `%new` and `%until` the `%sum`, which is carried, and what is `%given` for it at
    the place of `%old`."""
    one = combining.operation(combine, carried)
    row, until = (combining.tensor_of(line, each) for each in (element, carried))
    is_wider = carried != element
    wide = f"arith.extf %in : {element} to {carried}" if is_wider else ""
    narrow = f"arith.truncf %both : {carried} to {element}" if is_wider else ""
    new, given = ("%wide", "%narrow") if is_wider else ("%in", "%both")
    return f"""%sum, %given = linalg.generic {combining.on_each_element(len(line), 3)}
        ins(%new : {row}) outs(%until, %old : {until}, {row}) {{
    ^bb0(%in: {element}, %u: {carried}, %out: {element}):
      {wide and f"%wide = {wide}"}
      %both = {one} %u, {new} : {carried}
      {narrow and f"%narrow = {narrow}"}
      linalg.yield %both, {given} : {carried}, {element}
    }} -> ({until}, {row})"""


def _transpose(
    result: str, source: str, old: Any, new: Any, order: Sequence[int], location: str
) -> str:
    empty = f"{result}_empty"
    permutation = ", ".join(map(str, order))
    return f"""
  {empty} = tensor.empty() : {new}
  {result} = linalg.transpose ins({source} : {old}) outs({empty} : {new})
    permutation = [{permutation}] {location}"""
