# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step as a module: forward and backward pass, and torch.optim's update.

Both are PyTorch's own code, run once on copies: the loss under AOT Autograd, whose two
graphs become one function with the cotangent of the loss as an argument; what clips the
gradients and the optimizer's `step` under make_fx, with learning rates as arguments. A
third function calls the two, which is the cut where the passes put scaling, unscaling
and the skip.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import numbers
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn
from unittest import mock

import torch
from torch import Tensor, nn
from torch._functorch.aot_autograd import aot_function, make_boxed_func
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
)
from torch.func import functional_call, functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only

from mlir_amp.errors import NotLowered
from mlir_amp.step_function import Part, Role, TypedRole, call_in_turn
from mlir_amp.torch.lowering import (
    decompositions,
    draws,
    hyperparameters,
    index_checks,
)
from mlir_amp.torch.lowering.draws import Draw
from mlir_amp.torch.lowering.graph_module import (
    GraphFunction,
    simplify,
    to_text,
    widen_bytes,
)
from mlir_amp.torch.lowering.graph_program import ELEMENTS
from mlir_amp.torch.lowering.hyperparameters import Number
from mlir_amp.torch.lowering.origins import Origins
from mlir_amp.torch.lowering.python_values import MOST_ENTRIES
from mlir_amp.torch.lowering.repeated_update import (
    Own,
    append,
    placeholder,
    repeat,
    results_of,
)


class Step(NamedTuple):
    """What is captured.

    Attributes:
        model: The model.
        loss_fn: Takes the model and a batch, gives the loss.
        optimizer: A torch.optim optimizer with its states.
        parameters: By name, those that the optimizer trains.
        buffers: By name, what else the model has: buffers, and frozen parameters.
        states: (parameter, key) of the optimizer's tensors.
        clip: Takes the model and changes the gradients of its parameters; None: they
            stay.
        outside: By name, what the model or the loss may read and that is neither the
            model's nor of the batch. What is read becomes an argument.
        arrays: Of NumPy, those whose values are looked at before each step.
    """

    model: nn.Module
    loss_fn: Callable[..., Tensor]
    optimizer: torch.optim.Optimizer
    parameters: dict[str, nn.Parameter]
    buffers: dict[str, Tensor]
    states: dict[tuple[str, str], Tensor]
    clip: Callable[[nn.Module], Any] | None
    outside: Mapping[str, Tensor]
    arrays: Sequence[Any]


Begin = Callable[[Callable[[Any], bool]], Any]


class Beside(NamedTuple):
    """What a step takes beside model, optimizer and batch.

    Attributes:
        draws: What to draw before each call, for arguments of these names.
        literals: By the names of arguments behind `OUTSIDE`, tensors that were made of
            values of Python.
        looked_at: Of tensors of the model by other names than its own, and of those
            outside, what was asked for anything, if only for its shape.
    """

    draws: list[Draw]
    literals: dict[str, Tensor]
    looked_at: list[Tensor]


def _graph_of(
    module: torch.fx.GraphModule, takes_literals: bool = False
) -> torch.fx.Graph:
    """A graph, with what `torch.tensor` made of values of Python beside their nodes:
    ``meta["literal"]``.

    Args:
        module: The graph's.
        takes_literals: Whether there may be such; not of the optimizer's numbers.
    """
    for node in [node for node in module.graph.nodes if node.op == "get_attr"]:
        value = getattr(module, node.target)
        if not isinstance(value, Tensor):
            raise NotLowered(
                "the step draws from a generator of its own; draw from PyTorch's, or "
                "outside, as a part of the batch"
            )
        if not takes_literals or value.dtype not in ELEMENTS:
            raise NotLowered(
                f"the step makes a constant tensor of shape {list(value.shape)} and "
                f"{value.dtype}; make it a buffer of the model, or a part of the batch"
            )
        node.meta["literal"] = value
    return module.graph


def _own_role(step: Step, role: str, name: str) -> Role:
    """The role of a parameter or buffer of the model."""
    owner = step.model.get_submodule(name.rpartition(".")[0])
    is_norm = isinstance(owner, nn.modules.batchnorm._BatchNorm)
    return Role(role, name, kind="batch_norm" if is_norm else None)


def _state_role(name: str, key: str) -> Role:
    """The role of one of the optimizer's tensors; only counters belong to no
    parameter."""
    return Role("opt_state", f"{name}.{key}", of="" if key == "step" else name)


class _DataWrites(TorchFunctionMode):
    """Makes `tensor.data = value` a write to the tensor, which a graph shows."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func != Tensor.data.__set__:
            return func(*args, **(kwargs or {}))
        tensor, value = args
        if (tensor.shape, tensor.dtype) != (value.shape, value.dtype):
            raise NotLowered(
                f"the model or the loss gives a tensor of shape {list(tensor.shape)} and "
                f"{tensor.dtype} the data of one of {list(value.shape)} and {value.dtype}"
            )
        with torch.no_grad():
            tensor.detach().copy_(value)


# What makes tensors of numbers; all but the first share the memory of an array.
_OF_NUMBERS = (torch.tensor, torch.as_tensor, torch.asarray)
# What hands values to Python.
_TO_PYTHON = (Tensor.tolist, Tensor.numpy, Tensor.__array__, Tensor.__deepcopy__)
# Of memory alone, before modes are asked.
_OF_MEMORY = ("from_numpy", "frombuffer", "from_dlpack")


@contextlib.contextmanager
def _without_foreign_memory() -> Iterator[None]:
    """While inside, this thread makes no tensor of the memory of something else."""
    thread = threading.get_ident()

    def refuse_here(function: Callable[..., Any]) -> Callable[..., Any]:
        def make(data: Any, *rest: Any, **options: Any) -> Any:
            if threading.get_ident() == thread:
                _refuse_data(data)
            return function(data, *rest, **options)

        return make

    with contextlib.ExitStack() as stack:
        for name in _OF_MEMORY:
            made = refuse_here(getattr(torch, name))
            stack.enter_context(mock.patch.object(torch, name, made))
        yield


def _refuse_data(data: Any) -> NoReturn:
    raise NotLowered(
        f"the model or the loss makes a tensor of a {type(data).__name__} whose values a "
        "step does not look at; make the tensor outside, as a buffer of the model or a "
        "part of the batch"
    )


def _writes(function: Any) -> bool:
    """Whether a function of PyTorch writes to its first argument."""
    name = getattr(function, "__name__", "")
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place or name == "__setitem__" or name.startswith("__i")


class _Substitution(TorchFunctionMode):
    """Lets PyTorch's functions take other tensors than they are called with, and make
    tensors only of numbers that are looked at before each step (`PythonValues`).

    Attributes:
        asked: The numbers, in `of`, of the tensors that any function was called with: it
            may have asked for no more than a shape.
        made: The tensors that were made of numbers.

    Args:
        of: What is given.
        by: What is taken for it.
        arrays: Of NumPy, those that are looked at.
    """

    def __init__(
        self,
        of: Sequence[Tensor],
        by: Sequence[Tensor],
        arrays: Sequence[Any],
    ) -> None:
        super().__init__()
        # By their handles, what depends on what a step is given, and what is computed.
        self._given: dict[int, Tensor] = {}
        self._kept = of, arrays  # so that no other object gets their handles
        self._by = {id(old): new for old, new in zip(of, by)}
        self._numbers = {id(old): number for number, old in enumerate(of)}
        self._arrays = {id(array) for array in arrays}
        self.asked: set[int] = set()
        self.made: list[Tensor] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func in _OF_NUMBERS and args and not isinstance(args[0], Tensor):
            self._require_numbers(args[0], func is torch.tensor)
            with _disable_current_modes():
                self.made.append(func(*args, **(kwargs or {})))
        if func in _TO_PYTHON and id(args[0]) in self._by:
            raise NotLowered(
                f"the model or the loss takes the values of a tensor to Python "
                f"('{func.__name__}'), which are known at each step only"
            )
        if func in (torch.as_strided, Tensor.as_strided) and id(args[0]) in self._by:
            raise NotLowered(
                "as_strided of a tensor of the model or from outside reads the memory around "
                "it, which a step does not have; take a view of the whole tensor"
            )
        # A torch.Size is no tuple of numbers to `Tensor.new`.
        args, kwargs = tree_map_only(
            Tensor, self._take, (args, kwargs or {}), lambda x: isinstance(x, torch.Size)
        )
        result = func(*args, **kwargs)
        if self.depends((args, kwargs)):
            self.give(tree_leaves((result, kwargs.get("out"))))
            if _writes(func):
                self.give(args[:1])
        return result

    def give(self, values: Iterable[Any]) -> None:
        """Notes that these depend on what a step is given."""
        for value in values:
            if isinstance(value, Tensor):
                self._given[id(value)] = value

    def depends(self, value: Any) -> bool:
        """Whether a tensor, or a part of a container, depends on what a step is given."""
        return any(id(part) in self._given for part in tree_leaves(value))

    def _take(self, value: Tensor) -> Tensor:
        if id(value) not in self._by:
            return value
        self.asked.add(self._numbers[id(value)])
        return self._by[id(value)]

    def _require_numbers(self, data: Any, is_copied: bool) -> None:
        """Refuses data that a step could not see changed."""
        is_single = getattr(data, "shape", None) == ()  # a number of NumPy
        is_number = isinstance(data, numbers.Number) or is_single
        if is_number and not isinstance(data, Tensor):
            return
        if isinstance(data, list | tuple) and len(data) <= MOST_ENTRIES:
            for part in data:
                self._require_numbers(part, is_copied)
            return
        if not is_copied or id(data) not in self._arrays:
            _refuse_data(data)


class _Loss(nn.Module):
    """The loss as a module, whose parameters can be replaced for a call."""

    def __init__(self, model: nn.Module, loss_fn: Callable[..., Tensor]) -> None:
        super().__init__()
        self.model = model
        self.loss_fn = loss_fn

    def forward(self, *batch: Tensor) -> Tensor:
        given = dict(self.model.named_buffers())
        loss = self.loss_fn(self.model, *batch)
        # `self.mean = 0.9 * self.mean + ...` is written as `self.mean.copy_(...)` is.
        for name, buffer in self.model.named_buffers():
            old = given.get(name)
            if old is buffer:
                continue
            if old is None or (old.shape, old.dtype) != (buffer.shape, buffer.dtype):
                raise NotLowered(
                    f"the forward pass replaces the buffer '{name}' by one of another "
                    "shape or type"
                )
            with torch.no_grad():
                old.copy_(buffer)
        return loss


class _Clip(nn.Module):
    """What changes gradients as a module, whose parameters can be replaced for a
    call."""

    def __init__(self, model: nn.Module, clip: Callable[[nn.Module], Any]) -> None:
        super().__init__()
        self.model = model
        self.clip = clip

    def forward(self) -> None:
        self.clip(self.model)


def _call_with(module: nn.Module, values: Mapping[str, Tensor], *inputs: Any) -> Any:
    """Calls `module`, whose part `model` has these parameters and buffers by name.

    Each of them stands where the model has it, under all names that it has there; a part
    that stands at two places is one. (What `tie_weights` finds by itself it puts back
    wrongly where a part is shared.)
    """
    names: dict[Tensor, str] = {}
    for name, value in (
        *module.model.named_parameters(),
        *module.model.named_buffers(),
    ):
        names.setdefault(value, name)
    named: dict[str, Tensor] = {}
    for path, part in module.model.named_modules():  # each once
        for own in (part._parameters, part._buffers):
            for key, value in own.items():
                if value is not None and names[value] in values:
                    full = f"{path}.{key}" if path else key
                    named[f"model.{full}"] = values[names[value]]
    return functional_call(module, named, inputs, tie_weights=False)


def _clip_gradients(
    step: Step, trained: Mapping[str, Tensor], others: Mapping[str, Tensor]
) -> None:
    """Runs the step's `clip` on parameters that have gradients, and others."""
    if step.clip is None:
        return
    # Who clips may ask for it.
    values = {name: value.requires_grad_() for name, value in trained.items()}
    try:
        with _DataWrites():
            _call_with(_Clip(step.model, step.clip), {**others, **values})
    except (DataDependentOutputException, GuardOnDataDependentSymNode) as error:
        raise NotLowered(
            "'clip' reads the value of a tensor (.item(), float(), an `if`, "
            "error_if_nonfinite=True), which is known at each step only"
        ) from error
    for value in trained.values():
        value.requires_grad_(False)


def _is_among(value: Tensor, made: Sequence[Tensor]) -> bool:
    """Whether one of these tensors has the type, the shape and the bits of another."""

    def bits(tensor: Tensor) -> bytes:
        return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()

    return any(
        (value.dtype, value.shape) == (other.dtype, other.shape)
        and (not value.numel() or bits(value) == bits(other))
        for other in made
    )


_NO_PARAMETER = (
    "the loss reaches no parameter that the optimizer trains: what lies between is "
    "detached, or computed under torch.no_grad()"
)
# Of tensors that are neither the model's nor of the batch: no level makes them half.
OUTSIDE_ROLE = "hyper"
# What their names begin with.
OUTSIDE = "outside."


def _without_unread(graph: torch.fx.Graph, arguments: Sequence[Role]) -> list[Role]:
    """The arguments without tensors from outside that nothing reads, which the graph
    loses."""
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    kept = []
    for node, role in zip(placeholders, arguments, strict=True):
        if role.role == OUTSIDE_ROLE and not node.users:
            graph.erase_node(node)
        else:
            kept.append(role)
    return kept


def _capture_loss(
    step: Step, batch: Sequence[Tensor], origins: Origins, begin: Begin
) -> tuple[GraphFunction, list[str], Beside]:
    """Forward and backward pass, the names of the parameters with a gradient, and what
    it takes beside model and batch."""
    graphs: dict[str, torch.fx.Graph] = {}

    def keep(which: str) -> Callable[..., Any]:
        def compile_graph(module: torch.fx.GraphModule, _: Any) -> Any:
            graphs[which] = _graph_of(module, takes_literals=True)
            return make_boxed_func(module.forward)

        return compile_graph

    names = [*step.parameters, *step.buffers]
    wrapped = _Loss(step.model, step.loss_fn)
    originals = [
        *step.parameters.values(),
        *step.buffers.values(),
        *step.outside.values(),
    ]
    end = len(originals)
    runs: list[_Substitution] = []

    def run(*values: Tensor) -> Tensor:
        # It is run more than once. Of what the last one set, what it computes anew each
        # time is not there; what it hands on to the next is, and is refused.
        begin(runs[-1].depends if runs else lambda _: False)
        given = _Substitution(originals, values[:end], step.arrays)
        given.give(values)
        runs.append(given)
        with _DataWrites(), _without_foreign_memory(), given:
            return _call_with(wrapped, dict(zip(names, values)), *values[end:])

    parameters = [
        value.detach().clone().requires_grad_() for value in step.parameters.values()
    ]
    buffers = [value.detach().clone() for value in step.buffers.values()]
    outside = [
        value.detach().clone().requires_grad_(value.requires_grad)
        for value in step.outside.values()
    ]
    batch = [value.detach().clone() for value in batch]
    versions = [value._version for value in (*buffers, *outside, *batch)]
    try:
        loss = aot_function(
            run,
            fw_compiler=keep("forward"),
            bw_compiler=keep("backward"),
            decompositions=decompositions.table(),
        )(*parameters, *buffers, *outside, *batch)
    except DynamicOutputShapeException as error:
        if "ctc_loss" in str(error.func):
            raise NotLowered(
                "ctc_loss has no form here: its paths depend on lengths; train by eager "
                "PyTorch under amp.initialize"
            ) from error
        if "pack_padded_sequence" in str(error.func):
            raise NotLowered(
                "the sizes of a packed sequence depend on values; give the layer the "
                "padded batch, and mask the loss"
            ) from error
        raise NotLowered(
            f"the size of what '{error.func}' gives depends on values; select by "
            "torch.where"
        ) from error
    except DataDependentOutputException as error:
        raise NotLowered(
            f"the model or the loss reads the value of a tensor ('{error.func}': .item(), "
            "float(), an `if`), which is known at each step only"
        ) from error
    if not isinstance(loss, Tensor) or loss.dim() or loss.dtype != torch.float32:
        said = type(loss).__name__
        if isinstance(loss, Tensor):
            said = f"of shape {list(loss.shape)} and {loss.dtype}"
        raise NotLowered(f"the loss is to be one float32 number, but it is {said}")
    if not loss.requires_grad:
        raise NotLowered(_NO_PARAMETER)
    loss.backward()
    for name, value in zip(step.parameters, parameters):
        if value._version:
            raise NotLowered(
                f"the forward pass writes to the parameter '{name}'; write to it between "
                "steps"
            )
    written = [
        name
        for name, buffer, version in zip(step.buffers, buffers, versions)
        if buffer._version != version
    ]
    rest = iter(versions[len(buffers) :])
    for name, value, version in zip(step.outside, outside, rest):
        if value._version != version:
            raise NotLowered(
                f"the model or the loss writes to '{name}', which is neither the model's "
                "nor of the batch; make it a buffer of the model"
            )
    for index, (value, version) in enumerate(zip(batch, rest)):
        if value._version != version:
            raise NotLowered(
                f"the model or the loss writes to the tensor {index} of the batch; let it "
                "write to a clone, or make it a buffer of the model"
            )

    forward, backward = graphs["forward"], graphs["backward"]
    given = sum(node.op == "placeholder" for node in forward.nodes)
    if given != end + len(batch):
        raise NotLowered(
            "the model or the loss checks values where it computes them, as torch.linalg "
            "does with what it factors (inv, solve, cholesky), which has no form here; "
            "compute it outside of the step, and hand it in with the batch"
        )
    origins.read_forward(forward)
    drawn = draws.take_out(forward)
    draws.drop_unused(backward)
    graph = torch.fx.Graph()
    values: dict[torch.fx.Node, torch.fx.Node] = {}

    literals: dict[str, Tensor] = {}
    placed: dict[int, torch.fx.Node] = {}

    def take_over(source: torch.fx.Graph) -> None:
        for node in source.nodes:
            if node.op == "get_attr":
                values[node] = placed[id(node.meta["literal"])]
            elif node.op not in ("placeholder", "output"):
                values[node] = graph.node_copy(node, values.__getitem__)

    for node in forward.nodes:
        if node.op == "placeholder":
            values[node] = graph.node_copy(node, values.__getitem__)
    made = [value for run in runs for value in run.made]
    fake_mode = next(iter(forward.nodes)).meta["val"].fake_mode
    for node in (*forward.nodes, *backward.nodes):
        if node.op == "get_attr" and not _is_among(node.meta["literal"], made):
            raise NotLowered(
                "the model or the loss makes a tensor of values that a step does not look "
                "at; make it by torch.tensor of numbers, or outside"
            )
        if node.op == "get_attr" and id(node.meta["literal"]) not in placed:
            literal, number = node.meta["literal"], len(literals)
            literals[f"literal {number}"] = literal  # no name of Python
            placed[id(literal)] = argument = graph.placeholder(f"literal{number}")
            argument.meta["val"] = fake_mode.from_tensor(literal)
    inputs = [node for node in backward.nodes if node.op == "placeholder"]
    seed = graph.node_copy(inputs[-1], values.__getitem__)
    take_over(forward)
    results = results_of(forward)
    visible = len(written) + 1
    for node, kept in zip(inputs, results[visible:]):
        values[node] = values[kept]
    values[inputs[-1]] = seed
    take_over(backward)
    gradients = results_of(backward)[: len(parameters)]
    first = len(names)
    for name, node in zip(step.outside, results_of(backward)[first:end]):
        if node is not None:
            raise NotLowered(
                f"the loss has a gradient with respect to '{name}', which is neither the "
                "model's nor of the batch; make it a parameter of the model, detach it, or "
                "switch it off by requires_grad_(False)"
            )
    trained = [
        name for name, node in zip(step.parameters, gradients) if node is not None
    ]
    if not trained:
        raise NotLowered(_NO_PARAMETER)
    graph.output(
        (
            values[results[visible - 1]],
            *(values[node] for node in gradients if node is not None),
            *(values[node] for node in results[: visible - 1]),
        )
    )
    simplify(graph)
    index_checks.insert(graph)
    widen_bytes(graph)
    arguments = [
        *(_own_role(step, "param", name) for name in step.parameters),
        *(_own_role(step, "buffer", name) for name in step.buffers),
        *(Role(OUTSIDE_ROLE, OUTSIDE + name) for name in step.outside),
        *(Role("batch", f"x{i}") for i in range(len(batch))),
        *(Role("batch", draw.name) for draw in drawn),
        *(Role(OUTSIDE_ROLE, OUTSIDE + name) for name in literals),
        Role("loss_seed", "loss"),
    ]
    arguments = _without_unread(graph, arguments)
    outputs = [
        Role("loss", "loss"),
        *(Role("grad", name) for name in trained),
        *(_own_role(step, "buffer", name) for name in written),
    ]
    function = GraphFunction("forward_backward", graph, arguments, outputs)
    asked = sorted(set().union(*(run.asked for run in runs)))
    looked_at = [originals[number] for number in asked]
    return function, trained, Beside(drawn, literals, looked_at)


def _trace(run: Callable[..., list[Tensor | None]], *examples: Tensor) -> torch.fx.Graph:
    """What `run` computes of tensors like these, which it may write to."""
    # As it is first: functionalize refuses what an update does to its rates.
    as_written = make_fx(run, tracing_mode="fake")(*examples)
    module = make_fx(
        functionalize(as_written, remove="mutations"),
        tracing_mode="fake",
        decomposition_table=decompositions.table(),
    )(*examples)
    graph = _graph_of(module)
    simplify(graph)
    return graph


def _trace_clip(step: Step, trained: Sequence[str]) -> torch.fx.Graph:
    """What clips gradients: parameters and gradients, to the same; None for a gradient
    that it takes away."""
    # Gradients that the user's tensors have are none of this step's.
    without_gradient = {
        name: value.detach()
        for name, value in {**step.parameters, **step.buffers}.items()
        if name not in trained
    }

    def run(*values: Tensor) -> list[Tensor | None]:
        rest = iter(values)
        parameters = {name: next(rest).clone() for name in trained}
        for parameter in parameters.values():
            parameter.grad = next(rest).clone()
        _clip_gradients(step, parameters, without_gradient)
        return [
            *(value.detach() for value in parameters.values()),
            *(value.grad for value in parameters.values()),
        ]

    values = [step.parameters[name].detach() for name in trained]
    return _trace(run, *values, *(torch.zeros_like(value) for value in values))


class _Update(NamedTuple):
    """The optimizer's own step, of some parameters.

    Attributes:
        graph: Parameters, gradients, states, learning rates and what else schedules
            change, to parameters and states.
        states: Which, in order.
        own: What of these is each parameter's.
        numbers: The last placeholders.
    """

    graph: torch.fx.Graph
    states: Sequence[tuple[str, str]]
    own: Sequence[Own]
    numbers: Sequence[Number]


def _trace_update(step: Step, trained: Sequence[str]) -> _Update:
    optimizer = step.optimizer
    names = {value: name for name, value in step.parameters.items()}
    states = [key for key in step.states if key[0] in trained]
    numbers = hyperparameters.find_numbers(optimizer.param_groups)

    def run(groups: Sequence[Mapping[str, Any]], *values: Tensor) -> list[Tensor | None]:
        rest = iter(values)
        parameters = {name: next(rest).clone() for name in trained}
        for parameter in parameters.values():
            parameter.grad = next(rest).clone()
        # Steps are counted in f64, as eager PyTorch takes powers of Python's floats.
        kept = {
            key: next(rest).double() if key[1] == "step" else next(rest).clone()
            for key in states
        }
        twin = copy.copy(optimizer)
        twin.state = type(optimizer.state)(dict)
        twin.param_groups = []
        for group in groups:
            # Without those that were frozen after the optimizer got them.
            members = [names.get(p) for p in group["params"]]
            members = [name for name in members if name in parameters]
            # A rate that a gradient could reach is added as a tensor, not as a number.
            rate = next(rest).requires_grad_()
            own = {"params": [parameters[name] for name in members], "lr": rate}
            plain = {"foreach": False, "fused": False}
            if "capturable" in group:
                plain["capturable"] = True
            twin.param_groups.append({**group, **plain, **own})
        for (name, key), value in kept.items():
            twin.state[parameters[name]][key] = value
        update = type(optimizer).step.__wrapped__  # without the hooks around it
        with torch.no_grad(), mock.patch("torch.compiler._is_compiling_flag", True):
            update(twin)
        return [
            *(value.detach() for value in parameters.values()),
            *(
                twin.state[parameters[name]][key].to(step.states[name, key].dtype)
                for name, key in states
            ),
        ]

    values = [step.parameters[name].detach() for name in trained]
    examples = [
        *values,
        *(torch.zeros_like(value) for value in values),
        *(step.states[key] for key in states),
        *(torch.tensor(1.0, dtype=torch.float64) for _ in optimizer.param_groups),
        *(torch.tensor(1.0, dtype=torch.float64) for _ in numbers),
    ]

    def trace_with(values: Sequence[Number]) -> torch.fx.Graph:
        groups = hyperparameters.replace(optimizer.param_groups, values)
        return _trace(functools.partial(run, groups), *examples)

    count = len(trained)
    own = []
    for number, name in enumerate(trained):
        kept = [place for place, key in enumerate(states) if key[0] == name]
        own.append(
            Own(
                [number, count + number, *(2 * count + place for place in kept)],
                [number, *(count + place for place in kept)],
            )
        )
    return _Update(hyperparameters.trace(numbers, trace_with), states, own, numbers)


def _find_kinds(step: Step, trained: Sequence[str]) -> list[int]:
    """For each parameter the number of a kind: the optimizer does the same with all of
    it."""
    group_of = {
        parameter: number
        for number, group in enumerate(step.optimizer.param_groups)
        for parameter in group["params"]
    }

    def describe(value: Tensor) -> tuple[Any, ...]:
        return value.dtype, tuple(value.shape)

    kinds: dict[Any, int] = {}
    found = []
    for name in trained:
        parameter = step.parameters[name]
        states = tuple(
            (key, describe(value))
            for (of, key), value in step.states.items()
            if of == name
        )
        kind = group_of.get(parameter), describe(parameter), states
        found.append(kinds.setdefault(kind, len(kinds)))
    return found


def _capture_update(step: Step, trained: Sequence[str]) -> GraphFunction:
    """The optimizer's own step, behind what clips gradients: parameters, gradients,
    states, learning rates and what else schedules change, to parameters and states."""
    kinds = _find_kinds(step, trained)
    firsts = [trained[kinds.index(kind)] for kind in range(max(kinds) + 1)]
    update = _trace_update(step, firsts)
    states = [key for key in step.states if key[0] in trained]
    likes = [node for node in update.graph.nodes if node.op == "placeholder"]
    count, groups = len(firsts), len(step.optimizer.param_groups)

    graph = torch.fx.Graph()
    parameters = [placeholder(graph, likes[kind]) for kind in kinds]
    gradients = [placeholder(graph, likes[count + kind]) for kind in kinds]
    kind_of = dict(zip(trained, kinds))
    kept = {
        (name, key): placeholder(
            graph,
            likes[2 * count + update.states.index((firsts[kind_of[name]], key))],
        )
        for name, key in states
    }
    first_shared = 2 * count + len(update.states)
    shared = {
        number: placeholder(graph, likes[number])
        for number in range(first_shared, len(likes))
    }
    if step.clip is not None:
        clip = _trace_clip(step, trained)
        clipped = append(graph, clip, [*parameters, *gradients])
        parameters, gradients = clipped[: len(trained)], clipped[len(trained) :]
    # Who clips may take gradients away: the optimizer leaves those parameters alone.
    moved = [place for place, value in enumerate(gradients) if value is not None]
    inputs = []
    for place in moved:
        own = [node for key, node in kept.items() if key[0] == trained[place]]
        inputs.append((kinds[place], [parameters[place], gradients[place], *own]))
    for place, (parameter, *rest) in zip(
        moved, repeat(graph, update.graph, update.own, shared, inputs)
    ):
        parameters[place] = parameter
        keys = [key for key in kept if key[0] == trained[place]]
        kept.update(zip(keys, rest, strict=True))
    graph.output([*parameters, *kept.values()])

    roles = [_own_role(step, "param", name) for name in trained]
    kept_roles = [_state_role(name, key) for name, key in states]
    arguments = [
        *roles,
        *(Role("grad", name) for name in trained),
        *kept_roles,
        *(Role("hyper", f"lr{i}") for i in range(groups)),
        *(Role("hyper", number.name) for number in update.numbers),
    ]
    return GraphFunction("optimizer_step", graph, arguments, [*roles, *kept_roles])


def _type(value: Tensor) -> str:
    extents = "".join(f"{extent}x" for extent in value.shape)
    return f"tensor<{extents}{ELEMENTS[value.dtype]}>"


def _signature(function: GraphFunction) -> Part:
    placeholders = [node for node in function.graph.nodes if node.op == "placeholder"]

    def typed(
        roles: Sequence[Role], nodes: Sequence[torch.fx.Node | None]
    ) -> list[TypedRole]:
        return [
            TypedRole(role, _type(node.meta["val"])) for role, node in zip(roles, nodes)
        ]

    return Part(
        function.name,
        typed(function.arguments, placeholders),
        typed(function.results, results_of(function.graph)),
    )


def capture(
    step: Step, batch: Sequence[Tensor], begin: Begin
) -> tuple[str, Beside]:
    """The step for batches of one size.

    Args:
        step: What to capture; left as it is.
        batch: Tensors like those that the step is going to get.
        begin: Called before each run of the loss: it is run more than once. Takes what
            says of a value that the last one set whether it stays.

    Returns:
        MLIR text with the function ``@train_step``, and what its other arguments are.

    Raises:
        NotLowered: A part of it has no form for the compiler.
    """
    origins = Origins()
    forward_backward, trained, beside = _capture_loss(step, batch, origins, begin)
    parts = [forward_backward, _capture_update(step, trained)]
    signatures = [_signature(part) for part in parts]
    return call_in_turn(to_text(parts, origins), signatures), beside
