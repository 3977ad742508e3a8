# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions that indices and probabilities are in range, where eager PyTorch raises.

torch-mlir checks what `gather` and `embedding` read, and nothing else: an `x[rows, a]`
out of range reads foreign memory, and the loop that a scatter becomes writes to it (see
`pasted_loops`, which keeps assertions in front of loops). One reduction over the indices, in front of the operation,
ends in an assertion; it stands outside of all loops, and costs what reading the indices
does. An operation that stays in the graph gets it there (`insert`); one that rules take
apart gets its indices through `in_range`, which is the identity until then, its
probabilities through `probability`, and variances through `not_negative`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from mlir_amp.torch.lowering.graph_module import VIEWS

aten = torch.ops.aten

_LIBRARY = torch.library.Library("mlir_amp", "DEF")
_LIBRARY.define("in_range(Tensor index, int low, int size, str of) -> Tensor")
_LIBRARY.define("probability(Tensor values, str of) -> Tensor")
_LIBRARY.define("not_negative(Tensor values, str text) -> Tensor")


def _text(low: int, size: int, of: str) -> str:
    least = f"{low} or more and " if low else "not negative and "
    return f"index out of range: expected the indices of '{of}' to be {least}below {size}"


def _in_range_eager(index: Tensor, low: int, size: int, of: str) -> Tensor:
    """Of graphs that PyTorch runs."""
    if bool(((index < low) | (index >= size)).any()):
        raise IndexError(_text(low, size, of))
    return index.clone()


_LIBRARY.impl("in_range", _in_range_eager, "CPU")
_LIBRARY.impl("in_range", lambda index, low, size, of: index.clone(), "Meta")
_IN_RANGE = torch.ops.mlir_amp.in_range.default


def in_range(index: Tensor, low: int, size: int, of: str) -> Tensor:
    """The indices, from `low` to below `size`, or an error of the step.

    Args:
        index: Of whole numbers.
        low: 0, or -size where negative ones count from the end.
        size: Of the dimension.
        of: The operation that has them, for the text of the error.
    """
    return _IN_RANGE(index, low, size, of)


def _probability_text(of: str) -> str:
    return f"all elements of {of} should be between 0 and 1"


def _probability_eager(values: Tensor, of: str) -> Tensor:
    """Of graphs that PyTorch runs."""
    if not bool(((values >= 0) & (values <= 1)).all()):
        raise RuntimeError(_probability_text(of))
    return values.clone()


_LIBRARY.impl("probability", _probability_eager, "CPU")
_LIBRARY.impl("probability", lambda values, of: values.clone(), "Meta")
_PROBABILITY = torch.ops.mlir_amp.probability.default


def probability(values: Tensor, of: str) -> Tensor:
    """The values, from 0 to 1 and not NaN, or an error of the step.

    Args:
        values: Of floating-point numbers.
        of: What they are, for the text of the error (that of eager PyTorch).
    """
    return _PROBABILITY(values, of)


def _not_negative_eager(values: Tensor, text: str) -> Tensor:
    """Of graphs that PyTorch runs."""
    if bool((values < 0).any()):
        raise ValueError(text)
    return values.clone()


_LIBRARY.impl("not_negative", _not_negative_eager, "CPU")
_LIBRARY.impl("not_negative", lambda values, text: values.clone(), "Meta")
_NOT_NEGATIVE = torch.ops.mlir_amp.not_negative.default


def not_negative(values: Tensor, text: str) -> Tensor:
    """The values, none below 0, or an error of the step; NaN is none.

    Args:
        values: Of floating-point numbers, detached: no gradient goes through.
        text: Of the error (that of eager PyTorch).
    """
    return _NOT_NEGATIVE(values, text)


class Checked(TorchFunctionMode):
    """While inside, functions that PyTorch takes apart before there is a graph get
    indices that are checked."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if function is functional.one_hot:
            return self._one_hot(*args, **kwargs)
        return function(*args, **kwargs)

    @staticmethod
    def _one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
        # Without a number of classes their number depends on values: refused.
        if num_classes > 0 and input.numel():
            input = in_range(input, 0, num_classes, "aten.one_hot")
        return functional.one_hot(input, num_classes)


# What hands on numbers that it got, and no others, if their type holds them.
_MOVES = (*VIEWS, aten.clone.default, aten._to_copy.default)


def _holds(dtype: torch.dtype, least: int, most: int) -> bool:
    """Whether all whole numbers from `least` to `most` stay what they are in a type."""
    if dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
        return False  # halves round them
    limits = torch.iinfo(dtype)
    return limits.min <= least and most <= limits.max


def _bounds(node: torch.fx.Node) -> tuple[int, int] | None:
    """The least and the largest that the numbers of a node can be, where it is known."""
    dtypes = [node.meta["val"].dtype]
    while node.target in _MOVES:
        node = node.args[0]
        dtypes.append(node.meta["val"].dtype)
    bounds = None
    if node.target is _IN_RANGE:
        _, low, size, _ = node.args
        bounds = low, size - 1
    elif node.target is aten.arange.start_step:
        start, end, step = (*node.args, 1)[:3]
        if all(type(number) is int for number in (start, end, step)) and step > 0:
            bounds = start, max(start, end - 1)
    return bounds if bounds and all(_holds(of, *bounds) for of in dtypes) else None


def _insert_before(
    node: torch.fx.Node,
    checked: torch.fx.Node,
    least: float,
    most: float | None,
    text: str,
) -> None:
    """Inserts an assertion about the numbers of `checked`; without `most` none of them is
    below `least`, which NaN is not. Bounds are of their kind: torch-mlir compares a float
    that is a constant with a whole number the other way round."""
    value = checked.meta["val"]
    meta = {k: v for k, v in node.meta.items() if k not in ("val", "tensor_meta")}

    def insert(target: Any, *arguments: Any, **options: Any) -> torch.fx.Node:
        made = node.graph.call_function(target, arguments, options)
        given = [a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in arguments]
        made.meta = {**meta, "val": target(*given, **options)}
        return made

    with node.graph.inserting_before(node), value.fake_mode:
        if most is None:
            each = insert(
                aten.logical_not.default, insert(aten.lt.Scalar, checked, least)
            )
        else:
            above = insert(aten.ge.Scalar, checked, least)
            below = insert(aten.le.Scalar, checked, most)
            each = insert(aten.logical_and.default, above, below)
        holds = insert(aten.all.default, each)
        number = insert(aten._to_copy.default, holds, dtype=torch.int64)
        # Whose value at hand is only of the type that the assertion takes.
        item = node.graph.call_function(aten.item.default, (number,))
        item.meta = {**meta, "val": 1}
        check = node.graph.call_function(aten._assert_scalar.default, (item, text))
        check.meta = {**meta, "val": None}


def _indices_of(node: torch.fx.Node) -> Iterator[tuple[torch.fx.Node, int]]:
    """The indices of an `aten.index`, and the sizes of what they index."""
    x, indices = node.args
    for index, size in zip(indices, x.meta["val"].shape):
        if index is not None and not index.meta["val"].dtype == torch.bool:
            yield index, size


def insert(graph: torch.fx.Graph) -> None:
    """Inserts the assertions of a graph, each one once.

    Args:
        graph: With fake tensors in ``meta["val"]``; changed.
    """
    known: set[tuple[torch.fx.Node, int, int]] = set()

    def require(
        node: torch.fx.Node, index: torch.fx.Node, low: int, size: int, of: str
    ) -> None:
        bounds = _bounds(index)
        if (index, low, size) in known or not index.meta["val"].numel():
            return
        if bounds is None or bounds[0] < low or bounds[1] >= size:
            _insert_before(node, index, low, size - 1, _text(low, size, of))
            known.add((index, low, size))

    for node in list(graph.nodes):
        if node.target is aten.gather.default:  # whose gradient is a scatter_add
            x, dim, index = node.args[:3]
            if x.meta["val"].dim():
                known.add((index, 0, x.meta["val"].shape[dim]))
        elif node.target is aten.embedding.default:
            weight, index = node.args[:2]
            known.add((index, 0, weight.meta["val"].shape[0]))
        elif node.target is aten.index.Tensor:
            for index, size in _indices_of(node):
                require(node, index, -size, size, "aten.index")
        elif node.target is _IN_RANGE:
            require(node, *node.args)
        elif node.target is _PROBABILITY and node.meta["val"].numel():
            values, of = node.args
            _insert_before(node, values, 0.0, 1.0, _probability_text(of))
        elif node.target is _NOT_NEGATIVE and node.meta["val"].numel():
            values, text = node.args
            _insert_before(node, values, 0.0, None, text)
    # Only now: until then they tell what is known.
    for node in list(graph.nodes):
        if node.target in (_IN_RANGE, _PROBABILITY, _NOT_NEGATIVE):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
