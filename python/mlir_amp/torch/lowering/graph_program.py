# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph as a compiled function on PyTorch's tensors.

The compiler sees what is computed. What a graph merely hands through (an input that is
an output too, None) and what it gives twice stays on this side.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from mlir_amp import compiler
from mlir_amp.errors import NotLowered
from mlir_amp.step_function import Role
from mlir_amp.torch.lowering import draws, index_checks
from mlir_amp.torch.lowering.graph_module import (
    GraphFunction,
    simplify,
    to_text,
    widen_bytes,
)
from mlir_amp.torch.lowering.origins import Origins

ELEMENTS = {
    torch.bool: "i1",
    torch.uint8: "i8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
}


# MLIR's integers have no sign: PyTorch's type of that name, where it does not matter.
DTYPES = {element: dtype for dtype, element in ELEMENTS.items()}


def fits(dtype: torch.dtype, element: str) -> bool:
    """Whether memory of this type is what a program takes for an element."""
    return ELEMENTS.get(dtype) == element


def _check(node: torch.fx.Node) -> None:
    """Refuses an argument or a result that no compiled function has."""
    value = node.meta.get("val")
    if not isinstance(value, Tensor):
        raise NotLowered(
            f"'{node.name}' is a {type(value).__name__}, not a tensor: sizes that vary "
            "between calls are not compiled; torch.compile(..., dynamic=False) compiles "
            "each size by itself"
        )
    if any(isinstance(extent, torch.SymInt) for extent in value.shape):
        raise NotLowered(
            f"'{node.name}' has a size that varies between calls; "
            "torch.compile(..., dynamic=False) compiles each size by itself"
        )
    if value.device.type != "cpu":
        raise NotLowered(f"'{node.name}' is on device '{value.device}', not on the CPU")
    if value.dtype not in ELEMENTS or value.layout is not torch.strided:
        raise NotLowered(f"'{node.name}' is a {value.layout} tensor of {value.dtype}")


def _take_out_constants(
    module: torch.fx.GraphModule, graph: torch.fx.Graph
) -> list[Tensor]:
    """Makes tensors that a graph holds its last placeholders, and gives them."""
    last = graph._root
    for node in graph.nodes:
        last = node if node.op == "placeholder" else last
    constants: list[Tensor] = []
    for node in [node for node in graph.nodes if node.op == "get_attr"]:
        value = getattr(module, node.target)
        if not isinstance(value, Tensor):
            continue  # a graph of its own, which is refused
        with graph.inserting_after(last):
            last = graph.placeholder(f"constant{len(constants)}")
        last.meta["val"] = node.meta.get("val", value)
        constants.append(value)
        node.replace_all_uses_with(last)
        graph.erase_node(node)
    return constants


def _shaped(dense: Tensor, strides: tuple[int, ...]) -> Tensor:
    """A copy with other strides; those that are 0 repeat one element."""
    repeated = [
        stride == 0 and extent > 1 for stride, extent in zip(strides, dense.shape)
    ]
    source = dense[tuple(slice(0, 1) if r else slice(None) for r in repeated)]
    made = torch.empty_strided(source.shape, strides, dtype=dense.dtype).copy_(source)
    return made.expand(dense.shape) if any(repeated) else made


def _narrow(placeholder: torch.fx.Node, dtype: torch.dtype) -> None:
    """Lets an input be of type `dtype`, and widens it for its users."""
    value = placeholder.meta["val"]
    graph = placeholder.graph
    with graph.inserting_after(placeholder):
        wide = graph.call_function(
            torch.ops.aten._to_copy.default, (placeholder,), {"dtype": value.dtype}
        )
    placeholder.replace_all_uses_with(
        wide, delete_user_cb=lambda user: user is not wide
    )
    wide.meta["val"] = value
    placeholder.meta["val"] = value.to(dtype)
    placeholder.meta.pop("tensor_meta", None)  # which torch-mlir would read first


class GraphProgram:
    """A compiled graph; called with the list of its inputs, which it empties.

    Attributes:
        program: The compiled program, with one function; None where nothing is
            computed.
        narrowed: Types of outputs by name, where they are half and the graph's are not.
    """

    def __init__(
        self,
        module: torch.fx.GraphModule,
        roles: Sequence[Role],
        origins: Origins,
        compile_text: Callable[[str, list[int]], compiler.Program],
        num_visible: int | None = None,
        narrow_inputs: Mapping[str, torch.dtype] | None = None,
        draws_numbers: bool = True,
    ) -> None:
        """Compiles a graph.

        Args:
            module: Of functional ATen operations; left as it is.
            roles: A role for each input.
            origins: Those of its nodes.
            compile_text: Makes a program of MLIR text. It may give results half types
                whose numbers it is told.
            num_visible: How many of the outputs a user sees, of types and strides as
                PyTorch would give them; the others may be half, and are dense. None:
                all.
            narrow_inputs: Types of inputs by name, where they are not those of the
                graph.
            draws_numbers: Whether its random numbers are drawn before each call. Those
                of a backward graph are its forward graph's, handed on.

        Raises:
            NotLowered: The graph has no form for the compiler.
            CompileError: The compiler refused it.
        """
        # How AOT Autograd knows a callable that takes a list and may empty it.
        self._boxed_call = True
        graph = torch.fx.GraphModule(module, copy.deepcopy(module.graph)).graph
        (output,) = (node for node in graph.nodes if node.op == "output")
        # What a backward graph calls what this one keeps for it.
        names = [node and node.name for node in output.args[0]]
        if draws_numbers:
            self._draws = draws.take_out(graph)
        else:
            self._draws = []
            draws.drop_unused(graph)
        self._constants = _take_out_constants(module, graph)
        added = [draw.name for draw in self._draws]
        added += [f"constant{i}" for i in range(len(self._constants))]
        roles = [*roles, *(Role("batch", name) for name in added)]
        placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        for node in placeholders:
            _check(node)
        strides = [node and node.meta["val"].stride() for node in output.args[0]]
        handed = [node if node in placeholders else None for node in output.args[0]]
        for node in output.args[0]:
            if node is not None:
                _check(node)
        simplify(graph)
        index_checks.insert(graph)
        widen_bytes(graph)
        outputs = list(output.args[0])
        visible = len(outputs) if num_visible is None else num_visible

        # Where each output comes from: an input, a result, or nowhere (None).
        computed: list[torch.fx.Node] = []
        self._sources: list[tuple[str, int] | None] = []
        for index, node in enumerate(outputs):
            if node is None:
                self._sources.append(None)
            elif handed[index] is not None:
                self._sources.append(("input", placeholders.index(handed[index])))
            elif node in computed and index >= visible:
                self._sources.append(("result", computed.index(node)))
            else:  # the memory of two that a user sees is never one
                self._sources.append(("result", len(computed)))
                computed.append(node)
        self._strides = {
            source[1]: strides[index]
            for index, source in enumerate(self._sources[:visible])
            if source and source[0] == "result"
            if not outputs[index].meta["val"].is_contiguous()
            or strides[index] != outputs[index].meta["val"].stride()
        }
        self.program: compiler.Program | None = None
        self.narrowed: dict[str, torch.dtype] = {}
        self._results: list[tuple[tuple[int, ...], torch.dtype]] = []
        self._was_called = False
        if not computed:
            return
        output.args = (tuple(computed),)
        for node in placeholders:
            if node.name in (narrow_inputs or {}):
                _narrow(node, narrow_inputs[node.name])
        seen = {source[1] for source in self._sources[:visible] if source}
        results = [Role("output", f"y{i}") for i in range(len(computed))]
        self.program = compile_text(
            to_text([GraphFunction("main", graph, roles, results)], origins),
            [i for i in range(len(computed)) if i not in seen],
        )
        (self._function,) = self.program.functions.values()
        for node, value in zip(placeholders, self._function.arguments, strict=True):
            expected = node.meta["val"]  # as addresses are all that a call passes
            if (tuple(expected.shape), ELEMENTS[expected.dtype]) != (
                value.shape,
                value.element,
            ):
                raise NotLowered(f"torch-mlir changed the type of '{node.name}'")
        self._results = [
            (
                value.shape,
                node.meta["val"].dtype
                if fits(node.meta["val"].dtype, value.element)
                else DTYPES[value.element],
            )
            for node, value in zip(computed, self._function.results)
        ]
        for name, source in zip(names, self._sources):
            if source and source[0] == "result":
                dtype = self._results[source[1]][1]
                if dtype != computed[source[1]].meta["val"].dtype:
                    self.narrowed[name] = dtype

    def __call__(self, inputs: list[Any]) -> list[Any]:
        """Runs the graph.

        Args:
            inputs: Its tensors, on the CPU, of the types that it was compiled for.

        Returns:
            Its outputs; None where the graph has None.
        """
        values = [*inputs, *(draw.take() for draw in self._draws), *self._constants]
        inputs.clear()
        results = [torch.empty(shape, dtype=dtype) for shape, dtype in self._results]
        if self.program is not None:
            dense = [
                tensor if tensor.is_contiguous() else tensor.contiguous()
                for tensor in values
            ]
            if not self._was_called:
                self._require_types(dense)
            self._function.call_addresses(
                [tensor.data_ptr() for tensor in dense],
                [tensor.data_ptr() for tensor in results],
            )
        for index, strides in self._strides.items():
            results[index] = _shaped(results[index], strides)
        return [
            None
            if source is None
            else (values if source[0] == "input" else results)[source[1]]
            for source in self._sources
        ]

    def _require_types(self, inputs: list[Tensor]) -> None:
        """Once, as addresses are all that a call passes: what two graphs agreed on."""
        for index, (tensor, value) in enumerate(zip(inputs, self._function.arguments)):
            if (tuple(tensor.shape), ELEMENTS[tensor.dtype]) != (
                value.shape,
                value.element,
            ):
                raise TypeError(
                    f"input {index} of a compiled graph is to be {list(value.shape)} of "
                    f"{value.element}, but it is {list(tensor.shape)} of {tensor.dtype}"
                )
        self._was_called = True
