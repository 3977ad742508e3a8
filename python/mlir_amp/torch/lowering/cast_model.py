# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of Dynamo's whose model is cast, as the levels O2, O3 and O5 cast it.

In PyTorch `model.half()` comes before the graph, and the script trains half parameters.
Here the script keeps its FP32 ones, which are the master weights: casts stand in the
graph, on what goes into the model's modules (parameters, buffers, inputs) and on what
comes out. Autograd widens the gradients on their way back. What stands outside of all
modules, and the modules of losses, compute what they did.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def _modules(node: torch.fx.Node) -> list[type]:
    """The types of the modules that a node is part of, the outermost first."""
    kinds = []
    for _, kind in (node.meta.get("nn_module_stack") or {}).values():
        if isinstance(kind, type):
            kinds.append(kind)
    return kinds


def _is_model(node: torch.fx.Node) -> bool:
    """Whether a node is part of what a level casts."""
    kinds = _modules(node)
    return (
        node.op not in ("placeholder", "output", "get_attr")
        and bool(kinds)
        and not any(issubclass(kind, nn.modules.loss._Loss) for kind in kinds)
    )


def _is_batch_norm(node: torch.fx.Node) -> bool:
    return any(issubclass(k, nn.modules.batchnorm._BatchNorm) for k in _modules(node))


def _is_single(node: torch.fx.Node) -> bool:
    value = node.meta.get("example_value")
    return isinstance(value, Tensor) and value.dtype == torch.float32


def _is_written(node: torch.fx.Node) -> bool:
    """Whether something writes to an input: its copy would get what it should have."""

    def writes(user: torch.fx.Node) -> bool:
        name = getattr(user.target, "__name__", user.target)
        in_place = isinstance(name, str) and name[-1:] == "_" and name[-2:] != "__"
        of_operator = getattr(user.target, "__module__", "") == "_operator"
        return (in_place or (of_operator and name in _IN_PLACE)) and (
            user.args[:1] == (node,)
        )

    return any(writes(user) for user in node.users)


_IN_PLACE = frozenset(f"i{name}" for name in "add sub mul truediv pow".split()) | {
    "setitem"
}


def cast_model(
    module: torch.fx.GraphModule, half: torch.dtype, keep_batchnorm: bool
) -> torch.fx.GraphModule:
    """Casts the model of a graph.

    Args:
        module: What Dynamo captured; changed.
        half: The type.
        keep_batchnorm: Whether the parameters of batch normalisations stay FP32. Their
            statistics always do: a step writes to them.

    Returns:
        The graph, which takes and gives what it did.
    """
    graph = module.graph
    narrow: dict[torch.fx.Node, torch.fx.Node] = {}
    wide: dict[torch.fx.Node, torch.fx.Node] = {}
    nodes = list(graph.nodes)
    inside = {node for node in nodes if _is_model(node)}

    def cast(
        source: torch.fx.Node,
        known: dict[torch.fx.Node, torch.fx.Node],
        dtype: torch.dtype,
    ) -> torch.fx.Node:
        if source not in known:
            after = source
            if source.op == "placeholder":
                after = [node for node in nodes if node.op == "placeholder"][-1]
            with graph.inserting_after(after):
                known[source] = graph.call_method("to", (source, dtype))
        return known[source]

    for node in nodes:
        is_norm = node in inside and _is_batch_norm(node)
        for source in node.all_input_nodes:
            if not _is_single(source):
                continue
            if node not in inside:
                if source in inside:
                    node.replace_input_with(source, cast(source, wide, torch.float32))
                continue
            if source in inside:
                continue
            is_data = not is_norm or node.args[:1] == (source,)
            is_parameter = isinstance(
                source.meta.get("example_value"), nn.Parameter
            ) or "_parameters_" in str(source.target)
            kept = not is_data and (keep_batchnorm or not is_parameter)
            if not kept and not (source.op == "placeholder" and _is_written(source)):
                node.replace_input_with(source, cast(source, narrow, half))
    module.recompile()
    return module
