# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``torch.compile(model, backend="amp")``.

    model = torch.compile(model, backend="amp", options={"opt_level": "O1"})

The name is known where the package is installed; in a checkout, give the function:
``backend=mlir_amp.torch.backend.amp``.

Forward and backward graphs are compiled for the CPU with the types that a level gives
their operations, or the model (O2, O3, O5); parameters and gradients stay FP32, and loss
scaling stays where the script has it (``torch.amp.GradScaler``, say). A graph is compiled
for each size of its inputs, with a warning from the second on; one that cannot be is run
by PyTorch, with a warning that says which and why.
"""

from __future__ import annotations

import contextlib
import copy
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch.nn.attention import SDPBackend, sdpa_kernel

from mlir_amp import CompileError, compiler
from mlir_amp.errors import NotLowered, RecompileWarning
from mlir_amp.step_function import Role
from mlir_amp.torch.lowering import decompositions
from mlir_amp.torch.lowering.cast_model import cast_model
from mlir_amp.torch.lowering.graph_program import GraphProgram
from mlir_amp.torch.lowering.index_checks import Checked
from mlir_amp.torch.lowering.loss_rules import Restated
from mlir_amp.torch.lowering.origins import Origins

__all__ = ["FallbackWarning", "RecompileWarning", "amp"]

# The half type of levels that cast the model, not functions, and whether their batch
# normalisations stay FP32.
_CASTS = {
    "O2": (torch.float16, True),
    "O3": (torch.float16, False),
    "O5": (torch.bfloat16, True),
}


class FallbackWarning(UserWarning):
    """A graph runs in PyTorch, because it could not be compiled."""


def _read_options(options: Mapping[str, Any] | None) -> tuple[str, str]:
    """The level, and the passes that the options ask for."""
    given = {"opt_level": "O1", **(options or {})}
    level = given.pop("opt_level")
    if given:
        raise ValueError(
            f"backend 'amp': expected the option 'opt_level', but got {sorted(given)}"
        )
    passes = compiler.mixed_precision(level)
    if level in _CASTS:  # which stand in the graph before the compiler has it
        passes = compiler.mixed_precision(level, enabled=False)
    return level, passes


_TRACING = threading.RLock()


@contextlib.contextmanager
def plain_kernels() -> Iterator[None]:
    """While inside, attention and LSTM are traced as simple operations: PyTorch's fused
    kernels for CPUs have no decomposition; indices that no graph shows are checked; and
    what PyTorch takes apart wrongly is stated by other functions. One thread is inside at a
    time: that PyTorch has oneDNN is said for all of them."""
    with _TRACING:
        fused = torch._C._get_mkldnn_enabled()
        torch._C._set_mkldnn_enabled(False)
        try:
            with sdpa_kernel(SDPBackend.MATH), Checked(), Restated():
                yield
        finally:
            torch._C._set_mkldnn_enabled(fused)


class _Compilation:
    """The graphs of one call of the backend: a forward and, perhaps, a backward one."""

    def __init__(self, passes: str, roles: list[Role], narrows: bool) -> None:
        self._passes = passes
        # Whether the compiler decides what of a graph is half.
        self._narrows = narrows
        self._roles = roles
        self._origins = Origins()
        # Types of what is kept for the backward graph, where they are half.
        self._narrowed: dict[str, torch.dtype] = {}

    def forward(
        self, module: torch.fx.GraphModule, _: Sequence[Any]
    ) -> Callable[..., Any]:
        self._origins.read_forward(module.graph)
        context = torch._guards.TracingContext.try_get()
        metadata = context.fw_metadata if context else None
        visible = metadata.num_forward_returns if metadata else None
        inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
        roles = self._roles
        if len(roles) != len(inputs):  # inputs that AOT Autograd merged or added
            roles = [Role("batch", node.name) for node in inputs]
        return self._compile("forward", module, roles, visible)

    def backward(
        self, module: torch.fx.GraphModule, _: Sequence[Any]
    ) -> Callable[..., Any]:
        inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
        roles = [Role("batch", node.name) for node in inputs]
        return self._compile("backward", module, roles, None)

    def _compile(
        self,
        which: str,
        module: torch.fx.GraphModule,
        roles: list[Role],
        visible: int | None,
    ) -> Callable[..., Any]:
        name = f"{which} graph of {len(module.graph.nodes)} nodes"
        try:
            program = GraphProgram(
                module,
                roles,
                self._origins,
                self._to_program,
                visible,
                self._narrowed,
                which == "forward",
            )
            self._narrowed.update(program.narrowed)
            return program
        except (NotLowered, CompileError) as error:
            reason = str(error).splitlines()[0]
            warnings.warn(
                f"backend 'amp': the {name} runs in PyTorch: {reason}",
                FallbackWarning,
                stacklevel=2,
            )
            return self._run_in_pytorch(module)

    def _run_in_pytorch(self, module: torch.fx.GraphModule) -> Callable[..., Any]:
        """The graph as it is; what the forward graph kept in half is widened."""
        inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
        wide = {
            index: node.meta["val"].dtype
            for index, node in enumerate(inputs)
            if node.name in self._narrowed
        }

        def run(*values: Any) -> Any:
            return module(
                *(
                    value.to(wide[index]) if index in wide else value
                    for index, value in enumerate(values)
                )
            )

        return make_boxed_func(run if wide else module.forward)

    def _to_program(self, text: str, may_be_half: list[int]) -> compiler.Program:
        passes = self._passes
        if may_be_half and self._narrows:
            passes += (
                f",amp-narrow-results{{results={','.join(map(str, may_be_half))}}}"
            )
        return compiler.compile_for_host(
            text, passes, name="graph.mlir", threads=torch.get_num_threads()
        )


def _role(index: int, value: Any) -> Role:
    kind = "param" if isinstance(value, nn.Parameter) else "batch"
    return Role(kind, f"x{index}")


def _varies(value: Any) -> bool:
    """Whether a graph's input stands for values of several sizes."""
    if isinstance(value, Tensor):
        return any(isinstance(extent, torch.SymInt) for extent in value.shape)
    return isinstance(value, torch.SymInt)


def _is_number(node: torch.fx.Node) -> bool:
    """Whether an input is a number of Python's, which Dynamo hands over as a tensor."""
    return bool(node.users) and all(
        user.op == "call_method" and user.target == "item" for user in node.users
    )


def _replace(node: torch.fx.Node, value: Any) -> None:
    """Puts a constant where a node was."""

    def replace(argument: Any) -> Any:
        return value if argument is node else argument

    for user in list(node.users):
        user.args = torch.fx.node.map_arg(user.args, replace)
        user.kwargs = torch.fx.node.map_arg(user.kwargs, replace)
    node.graph.erase_node(node)


def _specialize(
    module: torch.fx.GraphModule, inputs: Sequence[Any]
) -> torch.fx.GraphModule:
    """The graph with its numbers as constants, and tensors as its only inputs.

    Args:
        module: The graph; left as it is.
        inputs: Its inputs, numbers as Python has them.
    """
    module = copy.deepcopy(module)
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for node, value in zip(placeholders, inputs):
        if isinstance(value, Tensor):
            continue
        if _is_number(node):
            for item in list(node.users):
                _replace(item, value)
            module.graph.erase_node(node)
        else:
            _replace(node, value)
    module.recompile()
    return module


def _compile_each_size(
    module: torch.fx.GraphModule, options: Mapping[str, Any] | None
) -> Callable[..., Any]:
    """Dynamo saw a second size, or a second value of a number, and made a graph for all of
    them; we compile one for each, and say so."""
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    names = [node.name for node in placeholders]
    numbers = [_is_number(node) for node in placeholders]
    compiled: dict[tuple[Any, ...], Callable[..., Any]] = {}
    # Of the latest compilation; at first those that do not vary.
    sizes = {
        node.name: tuple(
            None if isinstance(extent, torch.SymInt) else extent
            for extent in getattr(node.meta.get("example_value"), "shape", ())
        )
        for node in placeholders
    }

    def run(*given: Any) -> Any:
        inputs = [
            value.item() if is_number else value
            for value, is_number in zip(given, numbers)
        ]
        tensors = [value for value in inputs if isinstance(value, Tensor)]
        # -0.0 is another number than 0.0, and NaN is itself.
        key = tuple(
            tuple(value.shape) if isinstance(value, Tensor) else repr(value)
            for value in inputs
        )
        if key not in compiled:
            now = dict(zip(names, key))
            new = [
                f"'{name}' is {list(size) if isinstance(size, tuple) else size}"
                for name, size in now.items()
                if size != sizes[name]
            ]
            sizes.update(now)
            warnings.warn(
                "backend 'amp': compiling for sizes or numbers that are new: "
                + ", ".join(new),
                RecompileWarning,
                stacklevel=2,
            )
            compiled[key] = amp(_specialize(module, inputs), tensors, options=options)
        return compiled[key](*tensors)

    return run


def amp(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """The backend; ``torch.compile`` calls it for each graph.

    Args:
        module: The graph that Dynamo captured.
        example_inputs: Its inputs: parameters and buffers, then the user's.
        options: ``{"opt_level": "O0"}`` to ``"O5"``; O1 unless given.

    Returns:
        A callable with the graph's inputs and outputs.

    Raises:
        ValueError: Another option.
        RuntimeError: No level.
    """
    level, passes = _read_options(options)
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    if any(map(_varies, example_inputs)) or any(map(_is_number, placeholders)):
        return _compile_each_size(module, options)
    roles = [_role(i, value) for i, value in enumerate(example_inputs)]
    if level in _CASTS:
        module = cast_model(copy.deepcopy(module), *_CASTS[level])
    compilation = _Compilation(passes, roles, level not in _CASTS)
    compile_graph = aot_autograd(
        fw_compiler=compilation.forward,
        bw_compiler=compilation.backward,
        inference_compiler=compilation.forward,
        decompositions=decompositions.table(),
    )
    with plain_kernels():
        return compile_graph(module, example_inputs)
