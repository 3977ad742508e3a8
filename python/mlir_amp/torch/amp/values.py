# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts of tensors inside containers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch

HALF_TYPES = (torch.float16, torch.bfloat16)


def is_half(tensor: torch.Tensor) -> bool:
    return tensor.dtype in HALF_TYPES


def to_type(dtype: torch.dtype, value: Any) -> Any:
    """`value` in `dtype`: a floating tensor, or a batch class with a method `to`."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    return value.to(dtype)


def map_tensors(value: Any, function: Callable[[Any], Any]) -> Any:
    """`value` with `function` applied to the tensors in it.

    Goes into mappings and iterables and keeps their types, namedtuples and
    ordered dictionaries included. Strings, NumPy arrays, iterators (a generator, a zip) and
    what has neither elements nor a method `to` stay as they are.
    """
    if isinstance(value, (torch.nn.utils.rnn.PackedSequence, torch.Tensor)):
        return function(value)
    if isinstance(value, (str, bytes)) or type(value).__module__ == "numpy":
        return value
    if hasattr(value, "to"):
        return function(value)
    if isinstance(value, Mapping):
        items = {map_tensors(key, function): map_tensors(element, function) for key, element in value.items()}
        return _rebuild(value, items)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(element, function) for element in value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(map_tensors(element, function) for element in value)
    if isinstance(value, Iterable) and not isinstance(value, (Iterator, torch.nn.Module, type)):
        try:
            return type(value)(map_tensors(element, function) for element in value)
        except TypeError:
            return value  # a range: no container that can be made again
    return value


def _rebuild(original: Mapping, items: dict) -> Mapping:
    if type(original) is dict:
        return items
    try:
        return type(original)(items)
    except TypeError:  # a defaultdict takes its factory first
        copy = original.copy() if hasattr(original, "copy") else dict(original)
        copy.update(items)
        return copy
