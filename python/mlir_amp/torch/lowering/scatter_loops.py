# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scatter as a loop over its updates that carries the tensor (`pasted_loops`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir_amp.torch.lowering import combining


def to_text(
    types: Sequence[Any], numbers: Sequence[Any], combine: str, location: str
) -> str:
    """A module of one function, from tensor, places and rows to the tensor.

    Args:
        types: Those of the arguments.
        numbers: The first is what all elements of the tensor are, where they are one
            number: they are stored in front of the loop, as a constant would be memory
            that is copied.
        combine: As `scatter_rows` takes it.
        location: As text.
    """
    tensor, places, rows = types
    number = numbers[0]
    (count, width), element = rows.shape, tensor.element_type
    update = _update_element if width == 1 else _update_row
    filled = (
        ""
        if number is None
        else f"""
  %number = arith.constant {number}
  %empty = tensor.empty() : {tensor}
  %filled = linalg.fill ins(%number : {element}) outs(%empty : {tensor})
    -> {tensor} {location}"""
    )
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
    {update(tensor, rows, combine, location)}
    scf.yield %next : {tensor}
  }}
  return %done : {tensor}
}}"""


def _update_element(tensor: Any, rows: Any, combine: str, _: str) -> str:
    element = tensor.element_type
    lines = [f"%new = tensor.extract %rows[%i, %zero] : {rows}"]
    value = "%new"
    if combine != "write":
        value = "%both"
        lines += [
            f"%old = tensor.extract %held[%place, %zero] : {tensor}",
            f"%both = {combining.operation(combine, element)} %old, %new : {element}",
        ]
    lines.append(f"%next = tensor.insert {value} into %held[%place, %zero] : {tensor}")
    return "\n    ".join(lines)


def _update_row(tensor: Any, rows: Any, combine: str, location: str) -> str:
    width, element = rows.shape[1], tensor.element_type
    row = combining.tensor_of((1, width), element)
    at = f"[1, {width}] [1, 1]"
    lines = [f"%new = tensor.extract_slice %rows[%i, 0] {at} : {rows} to {row}"]
    value = "%new"
    if combine != "write":
        value = "%sum"
        lines += [
            f"%old = tensor.extract_slice %held[%place, 0] {at} : {tensor} to {row}",
            f"%sum = linalg.generic {combining.on_each_element(2, 2)}",
            f"    ins(%new : {row}) outs(%old : {row}) {{",
            f"^bb0(%in: {element}, %out: {element}):",
            f"  %both = {combining.operation(combine, element)} %out, %in : {element}",
            f"  linalg.yield %both : {element}",
            f"}} -> {row} {location}",
        ]
    lines.append(
        f"%next = tensor.insert_slice {value} into %held[%place, 0] {at} : "
        f"{row} into {tensor}"
    )
    return "\n    ".join(lines)
