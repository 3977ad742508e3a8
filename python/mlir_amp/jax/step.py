# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole training step of JAX as one native call, with its state as a value.

    step = capture_step(loss_fn, optax.adamw(1e-3), params, batch, opt_level="O1")
    state = step.init(params)
    for batch in data:
        state, loss = step(state, batch)

where ``loss_fn(params, batch)`` gives the loss. Forward and backward pass, loss scaling,
the check for overflows and optax's update are compiled together, for the CPU. The state
is a pytree with parameters, optimizer state and loss scale; the step is a function, also
for `jax.jit`, where a donated state is updated in place.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import threading
import warnings
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from mlir_amp import compiler
from mlir_amp.errors import InvalidArgument, RecompileWarning, StorageWarning
from mlir_amp.jax import xla_call
from mlir_amp.jax.loss_scale import LossScaleState
from mlir_amp.jax.lowering import step_capture
from mlir_amp.jax.lowering.step_capture import ELEMENTS, names_of, roles_of
from mlir_amp.jax.policy import name_types, select_level

__all__ = ["CapturedStep", "TrainState", "capture_step"]

_LEAVES = (Array, np.ndarray, np.generic, bool, int, float)

Tree = Any  # a pytree of arrays
_DTYPES = {
    "f16": jnp.float16,
    "bf16": jnp.bfloat16,
    "f32": jnp.float32,
    "f64": jnp.float64,
}


# What a step is not told, because something else is: by the keyword that asks for it.
_ELSEWHERE = {
    "micro_batches": "accumulate with optax.MultiSteps(optimizer, number)",
    "clip": "clip with optax.chain(optax.clip_by_global_norm(bound), optimizer)",
}
_SEVERAL = (
    "capture a step for each, whose batch has the parameters that the other one trains"
)


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise InvalidArgument(f"capture_step: {text}", "invalid argument")


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TrainState:
    """All that a step changes; a pytree. Made by :meth:`CapturedStep.init`.

    Attributes:
        params: What the optimizer trains: float32, at O3 the level's half type.
        opt_state: The optimizer's state.
        loss_scale: The loss scale and its counters.
        buffers: What the loss has beside parameters, and updates; None without.
        half_params: At O2 and O5 the parameters as the model gets them, by name, of
            those that are cast; see :meth:`CapturedStep.model_params`.
    """

    params: Tree
    opt_state: Tree
    loss_scale: LossScaleState
    buffers: Tree = None
    half_params: dict[str, Array] = dataclasses.field(default_factory=dict)


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _to_data(tree: Tree) -> Tree:
    """The tree with random keys as the numbers that they are."""
    return jax.tree.map(lambda x: jax.random.key_data(x) if _is_key(x) else x, tree)


def _from_data(tree: Tree, like: Tree) -> Tree:
    """The tree with random keys where `like` has some."""

    def restore(data: Any, given: Any) -> Any:
        if not _is_key(given):
            return data
        kind = jax.random.key_impl(jnp.empty((), given.dtype))
        return jax.random.wrap_key_data(data, impl=kind)

    return jax.tree.map(restore, tree, like)


def _shapes(tree: Tree) -> Tree:
    """Shapes and types of a tree, as JAX would take it."""
    return jax.eval_shape(lambda tree: tree, tree)


def _spell(leaf: Any) -> str:
    return f"{leaf.dtype.name}{list(leaf.shape)}"


def _check_types(tree: Tree, what: str) -> None:
    """Refuses arrays that no compiled function has."""
    for name, leaf in zip(names_of(tree), jax.tree.leaves(tree), strict=True):
        _require(
            leaf.dtype.name in ELEMENTS,
            f"expected {what} to be of real numbers, integers or booleans, but '{name}' "
            f"is {_spell(leaf)}",
        )


def _check_alike(given: Tree, expected: Tree, what: str, remedy: str) -> None:
    """Refuses a tree with another structure, shape or type."""
    structures = jax.tree.structure(given), jax.tree.structure(expected)
    _require(
        structures[0] == structures[1],
        f"expected {what} of the structure {structures[1]}, but got {structures[0]}; "
        f"{remedy}",
    )
    for name, one, other in zip(
        names_of(given), jax.tree.leaves(given), jax.tree.leaves(expected), strict=True
    ):
        _require(
            (one.shape, one.dtype) == (other.shape, other.dtype),
            f"expected '{name}' of {what} to be {_spell(other)}, but it is "
            f"{_spell(one)}; {remedy}",
        )


class _Entry(NamedTuple):
    """The step for batches of one size."""

    module: str
    function: compiler.Function
    program: compiler.Program
    batch: Tree  # shapes and types, keys among them


class CapturedStep:
    """What :func:`capture_step` gives; calling it takes a step.

    It holds compiled code and nothing of a training: two trainings may share it, and
    threads may call it.
    """

    def __init__(
        self,
        loss_fn: Callable[..., Any],
        optimizer: Any,
        params: Tree,
        buffers: Tree,
        has_buffers: bool,
        batch_norm: Collection[str],
        passes: str,
        loss_scale: LossScaleState,
    ) -> None:
        self._loss_fn, self._optimizer = loss_fn, optimizer
        self._params, self._buffers = params, buffers
        self._has_buffers = has_buffers
        self._opt_state = jax.eval_shape(optimizer.init, params)
        self._batch_norm = batch_norm
        self._passes = passes
        self._loss_scale = loss_scale
        self._entries: dict[Any, _Entry] = {}
        self._latest: _Entry | None = None
        self._lock = threading.RLock()
        # Alone it is given nothing to keep: results of their own spare the copies.
        self._alone = jax.jit(functools.partial(self._take_in_xla, in_place=False))
        _check_types(jax.eval_shape(_to_data, buffers), "buffers")
        _check_types(jax.eval_shape(_to_data, self._opt_state), "the optimizer's state")

    def init(
        self, params: Tree, buffers: Tree = None, opt_state: Tree = None
    ) -> TrainState:
        """The state to begin with.

        Args:
            params: Float32 parameters, as those that the step was captured with.
            buffers: Where it was captured with some.
            opt_state: Of the optimizer for these parameters; made by its ``init`` if
                None.

        Returns:
            The state, in the types of the level; arrays of its own, which may be donated.

        Raises:
            InvalidArgument: Other structures, shapes or types.
        """
        remedy = "the level makes its own types of float32 ones"
        params = jax.tree.map(jnp.asarray, params)
        _check_alike(params, self._params, "params", remedy)
        if opt_state is None:
            opt_state = self._optimizer.init(params)
        remedy = "give what the optimizer's init gives"
        _check_alike(opt_state, self._opt_state, "opt_state", remedy)
        buffers = jax.tree.map(jnp.asarray, buffers)
        remedy = "the step was captured with those"
        _check_alike(buffers, self._buffers, "buffers", remedy)

        elements = {
            (v.role, v.name): v.element for v in self._latest.function.arguments
        }

        def cast(tree: Tree, *roles: str) -> Tree:
            """Leaves as the first of the roles has them that the function knows."""

            def one(path: Any, leaf: Array) -> Array:
                name = jax.tree_util.keystr(path)
                found = [
                    elements[role, name] for role in roles if (role, name) in elements
                ]
                floating = jnp.issubdtype(leaf.dtype, jnp.floating)
                return leaf.astype(_DTYPES[found[0]]) if found and floating else leaf

            return jax.tree_util.tree_map_with_path(one, tree)

        half = cast(params, "param")
        state = TrainState(
            cast(params, "master", "param"),
            cast(opt_state, "opt_state"),
            self._loss_scale,
            cast(buffers, "buffer"),
            {
                name: leaf
                for name, leaf in zip(
                    names_of(half), jax.tree.leaves(half), strict=True
                )
                if ("master", name) in elements
            },
        )
        return jax.tree.map(jnp.copy, state)

    def __call__(self, state: TrainState, batch: Tree) -> tuple[TrainState, Array]:
        """Takes one step; a function of its arguments, inside `jax.jit` as outside.

        The first call with another size of batch compiles.

        Args:
            state: What :meth:`init` or the step before gave. It stays as it is, but
                where a jitted function donates it.
            batch: What ``loss_fn`` takes after the parameters.

        Returns:
            The new state, and the loss of this batch before the update, not scaled;
            float32 of rank 0. Where a level scales dynamically and a gradient was not
            finite, parameters, optimizer state and buffers are as before, and the scale is
            lower; with a static scale, as at O0 and O3 to O5, steps are always taken.

        Raises:
            InvalidArgument: A state of another step, or one that was donated.
            NotLowered, CompileError: The step has no form for the compiler.
        """
        for leaf in jax.tree.leaves((state, batch)):
            _require(
                isinstance(leaf, _LEAVES),
                f"expected arrays of JAX or NumPy, but got a {type(leaf).__module__}."
                f"{type(leaf).__name__}; numpy.asarray makes one of it",
            )
            _require(
                not (
                    isinstance(leaf, Array)
                    and not _is_traced(leaf)
                    and leaf.is_deleted()
                ),
                "expected a state and a batch that exist, but an array of them was "
                "donated to a call before; go on from what that call gave",
            )
        traced = any(map(_is_traced, jax.tree.leaves((state, batch))))
        if xla_call.is_available():
            if traced:
                return self._take_in_xla(state, batch, in_place=True)
            return self._alone(state, batch)
        _require(
            not traced,
            "this build of mlir-amp has no entry for XLA, so that steps are not called "
            "inside jax.jit; call the step outside of it, or build with jaxlib installed",
        )
        return self._take_in_python(state, batch)

    def model_params(self, state: TrainState) -> Tree:
        """The parameters as the model gets them: those of the state, at O2 and O5 half
        ones but for batch normalisations."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: state.half_params.get(jax.tree_util.keystr(path), leaf),
            state.params,
        )

    @property
    def module(self) -> str:
        """The step as it was captured, before the passes: MLIR text, of the latest size
        of batch."""
        return self._latest.module

    #
    # Compiling
    #

    def _find(self, batch: Tree) -> _Entry:
        leaves, structure = jax.tree.flatten(batch)
        key = structure, tuple((leaf.shape, leaf.dtype) for leaf in leaves)
        with self._lock:
            if key not in self._entries:
                if self._latest:
                    sizes = ", ".join(map(_spell, leaves))
                    warnings.warn(
                        f"capture_step: compiling once more: the batch is {sizes}, not "
                        + ", ".join(map(_spell, jax.tree.leaves(self._latest.batch))),
                        RecompileWarning,
                        stacklevel=4,
                    )
                self._entries[key] = self._latest = self._compile(batch)
            return self._entries[key]

    def _compile(self, batch: Tree) -> _Entry:
        batch_data = jax.eval_shape(_to_data, batch)
        _check_types(batch_data, "the batch")
        buffers = jax.eval_shape(_to_data, self._buffers)
        opt_state = jax.eval_shape(_to_data, self._opt_state)

        def loss_fn(params: Tree, buffer_data: Tree, data: Tree) -> tuple[Array, Tree]:
            given = _from_data(data, batch)
            if not self._has_buffers:
                return self._loss_fn(params, given), buffer_data
            held = _from_data(buffer_data, self._buffers)
            both = self._loss_fn(params, held, given)
            _require(
                isinstance(both, tuple) and len(both) == 2,
                "with buffers, expected loss_fn to give (loss, new buffers), but it "
                f"gives a {type(both).__name__}",
            )
            return both[0], _to_data(both[1])

        self._check_loss(loss_fn, buffers, batch_data)

        def update(gradients: Tree, data: Tree, params: Tree) -> tuple[Tree, Tree]:
            held = _from_data(data, self._opt_state)
            updates, new = self._optimizer.update(gradients, held, params)
            return updates, _to_data(new)

        try:
            _, new = jax.eval_shape(update, self._params, opt_state, self._params)
        except TypeError as error:
            _require(
                "required keyword-only argument" not in str(error),
                "expected an optimizer that takes gradients, state and parameters, but it "
                f"asks for more: {error}; a compiled step has no loss to tell it",
            )
            raise
        remedy = "a compiled step keeps the state's structure"
        _check_alike(new, opt_state, "the state after an update", remedy)
        step = step_capture.Step(
            loss_fn,
            update,
            self._params,
            buffers,
            opt_state,
            batch_data,
            self._batch_norm,
        )
        module = step_capture.capture(step)
        program = compiler.compile_for_host(
            module,
            self._passes,
            name="step.mlir",
            threads=len(os.sched_getaffinity(0)),  # as many as XLA has itself
            in_place=True,  # what is donated; other states are copied first
        )
        if not self._entries:
            for said in program.storage_remarks():
                warnings.warn(f"capture_step: {said}", StorageWarning, stacklevel=5)
        return _Entry(module, program.functions["train_step"], program, batch)

    def _check_loss(
        self, loss_fn: Callable[..., Any], buffers: Tree, batch: Tree
    ) -> None:
        loss, new = jax.eval_shape(loss_fn, self._params, buffers, batch)
        leaves = jax.tree.leaves(loss)
        is_one = len(leaves) == 1 and leaves[0] is loss
        _require(
            is_one and loss.shape == () and loss.dtype == jnp.float32,
            "expected loss_fn to give one float32 number, but it gives "
            f"{', '.join(map(_spell, leaves)) or 'nothing'}"
            + ("" if is_one else f" in a {type(loss).__name__}")
            + ("" if len(leaves) < 2 else f"; of several losses {_SEVERAL}"),
        )
        remedy = "a compiled step keeps their types"
        _check_alike(new, buffers, "the new buffers", remedy)

    #
    # Calling
    #

    def _gather(
        self, entry: _Entry, state: TrainState, batch: Tree
    ) -> tuple[list[Any], list[jax.ShapeDtypeStruct]]:
        """What the function takes, and the shapes of what it gives."""
        trees = {
            "param": state.params,
            "opt_state": _to_data(state.opt_state),
            "buffer": _to_data(state.buffers),
            "batch": _to_data(batch),
        }
        values: dict[tuple[str, str], Any] = {("loss_seed", "loss"): np.float32(1)}
        for role, tree in trees.items():
            names = ((r.role, r.name) for r in roles_of(tree, role))
            values.update(zip(names, jax.tree.leaves(tree), strict=True))
        remedy = "give what this step's init or its call before gave"
        for name, half in state.half_params.items():
            _require(
                ("param", name) in values,
                f"expected a state with '{name}' (param), as it has a half copy; {remedy}",
            )
            values["master", name] = values["param", name]
            values["param", name] = half

        arguments = []
        for value in entry.function.arguments:
            given = values.get((value.role, value.name))
            _require(
                given is not None,
                f"expected a state with '{value.name}' ({value.role}); {remedy}",
            )
            _require(
                (given.shape, ELEMENTS.get(given.dtype.name))
                == (value.shape, value.element),
                f"expected '{value.name}' ({value.role}) to be "
                f"{value.element}{list(value.shape)}, but it is {_spell(given)}; {remedy}",
            )
            arguments.append(given)
        shapes = [
            jax.ShapeDtypeStruct(
                value.shape,
                jnp.float32
                if value.role == "loss"
                else values[value.role, value.name].dtype,
            )
            for value in entry.function.results
        ]
        return arguments, shapes

    def _scatter(
        self,
        entry: _Entry,
        state: TrainState,
        results: list[Any],
        scale: LossScaleState,
    ) -> tuple[TrainState, Any]:
        """The new state of a call's results, and the loss."""
        roles = ((v.role, v.name) for v in entry.function.results)
        values = dict(zip(roles, results, strict=True))

        def new(tree: Tree, role: str) -> Tree:
            data = _to_data(tree)
            leaves = [
                values.get((role, name), old)
                for name, old in zip(names_of(data), jax.tree.leaves(data), strict=True)
            ]
            return _from_data(
                jax.tree.unflatten(jax.tree.structure(data), leaves), tree
            )

        half = {name: values["param", name] for name in state.half_params}
        values.update({("param", name): values["master", name] for name in half})
        state = TrainState(
            new(state.params, "param"),
            new(state.opt_state, "opt_state"),
            scale,
            new(state.buffers, "buffer"),
            half,
        )
        return state, values["loss", "loss"]

    def _prepare(
        self, state: Any, batch: Tree
    ) -> tuple[_Entry, list[Any], list[jax.ShapeDtypeStruct]]:
        _require(
            isinstance(state, TrainState),
            f"expected a state that init gave, but got a {type(state).__name__}",
        )
        _require(
            state.loss_scale.rules == self._loss_scale.rules,
            f"expected a state with the loss scale's rules {self._loss_scale.rules}, but "
            f"it has {state.loss_scale.rules}; they are properties of the step",
        )
        batch = jax.tree.map(jnp.asarray, batch)
        entry = self._find(jax.tree.map(_as_shape, batch))
        arguments, shapes = self._gather(entry, state, batch)
        return entry, arguments, shapes

    def _count(self, scale: LossScaleState, counted: tuple[Any, ...]) -> LossScaleState:
        """The state after a step; what a program without a scaler does not count is
        clean."""
        if not counted:
            counted = (scale.loss_scale, scale.unskipped + 1, 0, 0)
        return scale.count(*counted)

    def _take_in_xla(
        self, state: TrainState, batch: Tree, in_place: bool
    ) -> tuple[TrainState, Array]:
        entry, arguments, shapes = self._prepare(state, batch)
        scale = state.loss_scale
        given = (scale.loss_scale, scale.unskipped) if entry.program.scalers else None
        arguments = [jnp.asarray(argument) for argument in arguments]
        results, counted = xla_call.call(
            entry.function, arguments, shapes, given, in_place
        )
        return self._scatter(entry, state, results, self._count(scale, counted))

    def _take_in_python(
        self, state: TrainState, batch: Tree
    ) -> tuple[TrainState, Array]:
        """Without XLA: on the arrays' own memory."""
        entry, arguments, shapes = self._prepare(state, batch)
        given = [np.ascontiguousarray(np.asarray(argument)) for argument in arguments]
        results = [np.empty(shape.shape, shape.dtype) for shape in shapes]
        addresses = [
            [array.ctypes.data for array in arrays] for arrays in (given, results)
        ]
        scale, counted = state.loss_scale, ()
        with self._lock:
            scalers = list(entry.program.scalers.values())
            for scaler in scalers:
                scaler.load(float(scale.loss_scale), int(scale.unskipped))
            before = [scaler.state for scaler in scalers]
            entry.function.call_addresses(*addresses)
            for scaler, old in zip(scalers, before, strict=True):
                new = scaler.state
                counted = (
                    jnp.float32(min(max(new.scale, 2.0**-126), 2.0**126)),
                    jnp.int32(new.unskipped),
                    jnp.int32(new.skipped - old.skipped),
                    jnp.int32(new.overflows - old.overflows),
                )
        arrays = [jnp.asarray(result) for result in results]
        return self._scatter(entry, state, arrays, self._count(scale, counted))


def _is_traced(leaf: Any) -> bool:
    return isinstance(leaf, jax.core.Tracer)


def _as_shape(leaf: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)


def capture_step(
    loss_fn: Callable[..., Any],
    optimizer: Any,
    params: Tree,
    batch: Tree,
    opt_level: str = "O1",
    *,
    buffers: Tree = None,
    batch_norm: Collection[str] | Callable[[str], bool] = (),
    **properties: Any,
) -> CapturedStep:
    """Captures and compiles a training step.

    Args:
        loss_fn: ``loss_fn(params, batch)`` gives the loss, one float32 number; with
            buffers ``loss_fn(params, buffers, batch)`` gives the loss and new buffers.
            It is traced, as by `jax.jit`.
        optimizer: Of optax: whatever has ``init`` and ``update``.
        params: A tree of float32 arrays, or of their shapes.
        batch: A tree of arrays, or of their shapes; random keys may be among them.
        opt_level: ``"O0"`` to ``"O5"``.
        buffers: Running statistics and the like, which the loss updates without
            gradients.
        batch_norm: Names of the parameters and buffers of batch normalisations
            (``"['norm']['scale']"``), or what tells by a name; O2 and O5 keep them in
            float32.
        **properties: Apex's, for example ``loss_scale``.

    Returns:
        The step.

    Raises:
        InvalidArgument: Parameters that are not float32, a loss that is not one float32
            number, several optimizers, one that asks for the loss, without ``init`` and
            ``update`` or with a state that is not of arrays, unknown names of batch
            normalisations.
        NotLowered, CompileError: A part of the step has no form for the compiler.
        RuntimeError, AssertionError, TypeError, ValueError: As
            :func:`mlir_amp.policy.select`.
    """
    for keyword, remedy in _ELSEWHERE.items():
        _require(
            keyword not in properties, f"there is no '{keyword}' in JAX; {remedy}"
        )
    selected = select_level(opt_level, properties).properties
    _require(
        selected.num_losses == 1,
        f"expected one loss, but num_losses is {selected.num_losses}; {_SEVERAL}",
    )
    _require(
        not isinstance(optimizer, (list, tuple)) or hasattr(optimizer, "init"),
        f"expected one optimizer, but got a {type(optimizer).__name__}; {_SEVERAL}, or "
        "join them with optax.multi_transform",
    )
    _require(
        callable(getattr(optimizer, "init", None))
        and callable(getattr(optimizer, "update", None)),
        f"expected an optimizer of optax, but got a {type(optimizer).__name__}",
    )
    has_buffers = buffers is not None
    params, buffers, batch = map(_shapes, (params, buffers, batch))
    _require(bool(jax.tree.leaves(params)), "expected parameters, but there are none")
    for name, leaf in zip(names_of(params), jax.tree.leaves(params), strict=True):
        _require(
            leaf.dtype == jnp.float32,
            f"expected parameters of float32, but '{name}' is {_spell(leaf)}; the level "
            "makes its own types of float32 ones",
        )
    known = [*names_of(params), *names_of(buffers)]
    if callable(batch_norm):
        norms = frozenset(name for name in known if batch_norm(name))
    else:
        norms = frozenset(batch_norm)
        unknown = ", ".join(f"'{name}'" for name in sorted(norms.difference(known)))
        _require(
            not unknown,
            f"expected batch_norm to have names of parameters or buffers, but {unknown} "
            f"is none; they are like '{known[0]}'",
        )
    passes = compiler.mixed_precision(opt_level, **name_types(properties))
    scale = LossScaleState.for_level(opt_level, **properties)
    step = CapturedStep(
        loss_fn, optimizer, params, buffers, has_buffers, norms, passes, scale
    )
    step._find(batch)
    return step
