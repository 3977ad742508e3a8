# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of a graph as inputs, which PyTorch draws before each call.

A compiled function has no generator. Its dropout masks and noise come from the caller's
(`torch.manual_seed`, `torch.get_rng_state`), in the order and by the operations of eager
PyTorch: with the same seed both compute the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mlir_amp.errors import NotLowered

aten = torch.ops.aten


class Draw(NamedTuple):
    """One input at random.

    Attributes:
        name: Of the placeholder.
        shape: Its extents.
        strides: Of the memory that is drawn, in the order of which numbers come.
        dtype: torch.bool for a mask, else torch.float32.
        method: The in-place method of a float32 tensor that draws it.
        arguments: What the method takes: ``(0.9,)`` for ``bernoulli_``.
    """

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    method: str
    arguments: tuple[float, ...]

    def take(self) -> Tensor:
        """Draws it from PyTorch's generator."""
        memory = torch.empty_strided(self.shape, self.strides, dtype=torch.float32)
        drawn = getattr(memory, self.method)(*self.arguments)
        return drawn if self.dtype == torch.float32 else drawn.to(self.dtype)


# How PyTorch itself draws each, by the operation's arguments.
_METHODS: dict[Any, Callable[..., tuple[str, tuple[float, ...]]]] = {
    aten.native_dropout.default: lambda x, p, train: ("bernoulli_", (1 - p,)),
    aten.bernoulli.p: lambda x, p=0.5: ("bernoulli_", (p,)),
    aten.rand.default: lambda size: ("uniform_", ()),
    aten.rand_like.default: lambda x: ("uniform_", ()),
    aten.uniform.default: lambda x, low=0.0, high=1.0: ("uniform_", (low, high)),
    aten.randn.default: lambda size: ("normal_", ()),
    aten.randn_like.default: lambda x: ("normal_", ()),
    aten.exponential.default: lambda x, rate=1.0: ("exponential_", (rate,)),
    aten.normal_functional.default: lambda x, mean=0.0, std=1.0: (
        "normal_",
        (mean, std),
    ),
}


# Of what PyTorch draws one mask for all types.
_MASKED = (torch.float32, torch.float16, torch.bfloat16)


def _is_drawn(node: torch.fx.Node) -> bool:
    if node.op != "call_function" or node.target not in _METHODS:
        return False
    if node.target is aten.native_dropout.default:
        return bool(node.args[2]) and node.args[0].meta["val"].dtype in _MASKED
    if node.target is aten.bernoulli.p:
        return node.meta["val"].dtype in _MASKED
    return node.meta["val"].dtype == torch.float32


def _strides(node: torch.fx.Node) -> tuple[int, ...]:
    """Those of what PyTorch draws: of a tensor like the one that it is for."""
    if isinstance(node.args[0], torch.fx.Node):
        return torch.empty_like(node.args[0].meta["val"]).stride()
    return node.meta["val"].stride()


def _require_form(node: torch.fx.Node) -> None:
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return
    if node.target is aten.native_dropout.default and not node.args[2]:
        return
    raise NotLowered(
        f"'{node.target}' has no form: it draws random numbers in a way, or of a type, "
        "that is not compiled"
    )


def _replace_dropout(node: torch.fx.Node, mask: torch.fx.Node) -> None:
    """x * (mask / (1 - p)), in the order of eager PyTorch, and the mask."""
    x, p, _ = node.args
    graph, value = node.graph, node.args[0].meta["val"]

    def insert(target: Any, arguments: tuple[Any, ...], **options: Any) -> Any:
        made = graph.call_function(target, arguments, options)
        made.meta = {**node.meta, "val": value}
        return made

    with graph.inserting_before(node):
        wide = insert(aten._to_copy.default, (mask,), dtype=value.dtype)
        factor = insert(aten.mul.Tensor, (wide, 1 / (1 - p) if p < 1 else 0.0))
        product = insert(aten.mul.Tensor, (x, factor))
    for user in list(node.users):
        assert user.target is operator.getitem
        user.replace_all_uses_with((product, mask)[user.args[1]])
        graph.erase_node(user)


def take_out(graph: torch.fx.Graph) -> list[Draw]:
    """Replaces what a forward graph draws by placeholders behind those that it has.

    Args:
        graph: With fake tensors in ``meta["val"]``; changed.

    Returns:
        What to draw before each call, in this order, for the new placeholders. Draws
        that nothing uses are among them: PyTorch takes them as well.

    Raises:
        NotLowered: An operation draws in another way.
    """
    # The root stands before the first node.
    last = graph._root
    for node in graph.nodes:
        last = node if node.op == "placeholder" else last
    draws: list[Draw] = []
    for node in [node for node in graph.nodes if _is_drawn(node)]:
        value = node.meta["val"]
        is_dropout = isinstance(value, (tuple, list))
        value = value[1] if is_dropout else value
        method, arguments = _METHODS[node.target](*node.args)
        with graph.inserting_after(last):
            last = graph.placeholder(f"draw{len(draws)}")
        last.meta["val"] = value
        draws.append(
            Draw(
                last.name,
                tuple(value.shape),
                _strides(node),
                value.dtype,
                method,
                arguments,
            )
        )
        if is_dropout:
            _replace_dropout(node, last)
        else:
            node.replace_all_uses_with(last)
        graph.erase_node(node)
    for node in graph.nodes:
        _require_form(node)
    return draws


def drop_unused(graph: torch.fx.Graph) -> None:
    """Takes out the draws of a backward graph that nothing uses: copies of those in the
    forward graph, which AOT Autograd leaves because they have an effect."""
    for node in list(graph.nodes):
        if _is_drawn(node) and not node.users:
            graph.erase_node(node)
