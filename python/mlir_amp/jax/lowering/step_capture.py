# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step of JAX as a module: the loss with its gradients, and optax's update.

Both halves are traced as JAX traces any function, the first one by jax.vjp, with the
cotangent of the loss as an argument; jaxlib lowers them to linalg. jaxlib's copy of MLIR
is another one than the compiler's: what passes between them is text. Helper functions of
JAX are inlined by the compiler, which is why origins are made in between: as locations
before, as attributes after.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from mlir_amp import compiler, origin_attributes
from mlir_amp.canonical import CANONICALIZE
from mlir_amp.errors import NotLowered
from mlir_amp.jax.lowering import (
    control_flow,
    empty_arrays,
    origins,
    refusals,
    scatter,
    select_and_scatter,
    sorting,
)
from mlir_amp.step_function import Part, Role, TypedRole, call_in_turn

# Signs go last: an operation's form depends on them.
_PASSES = (
    f"builtin.module(symbol-dce,{CANONICALIZE},cse,func.func(chlo-legalize-to-stablehlo),"
    f"{CANONICALIZE},stablehlo-legalize-to-linalg,stablehlo-convert-to-signless)"
)
_SIMPLER = f"builtin.module({CANONICALIZE},cse)"
_INLINED = f"builtin.module(inline{{default-pipeline={CANONICALIZE}}},symbol-dce,{CANONICALIZE},cse)"
# What a module for the compiler may have; all else is left over from StableHLO.
_DIALECTS = frozenset("arith builtin cf func linalg math scf tensor".split())

# Types of arrays that a step can have, by name, as MLIR spells them without signs.
ELEMENTS = {
    "bool": "i1",
    "int8": "i8",
    "uint8": "i8",
    "int16": "i16",
    "uint16": "i16",
    "int32": "i32",
    "uint32": "i32",
    "int64": "i64",
    "uint64": "i64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}


class Step(NamedTuple):
    """What is captured.

    Attributes:
        loss_fn: ``loss_fn(params, buffers, batch)`` gives the loss and new buffers.
        update: The optimizer's: ``update(gradients, opt_state, params)`` gives what is
            added to the parameters, and the new state.
        params: Tree of shapes and types, as the others.
        buffers: What the loss has beside parameters, and updates.
        opt_state: The optimizer's state.
        batch: The batch.
        batch_norm: Names of the parameters and buffers of batch normalisations.
    """

    loss_fn: Callable[..., Any]
    update: Callable[..., Any]
    params: Any
    buffers: Any
    opt_state: Any
    batch: Any
    batch_norm: Collection[str]


def names_of(tree: Any) -> list[str]:
    """The names of a tree's leaves: their paths, ``"['dense']['w']"``."""
    paths = jax.tree_util.tree_flatten_with_path(tree)[0]
    return [jax.tree_util.keystr(path) for path, _ in paths]


def roles_of(tree: Any, role: str) -> list[Role]:
    """A role for each leaf of a tree; those of a batch are numbered."""
    names = names_of(tree)
    if role == "batch":
        names = [f"x{i}" for i in range(len(names))]
    return [Role(role, name) for name in names]


def _lower(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A function as StableHLO for the CPU, whatever device JAX would take."""
    with origins.watching():
        traced = jax.jit(function, keep_unused=True).trace(*arguments)
    refusals.check(traced.jaxpr.jaxpr)
    rules = mlir.LoweringParameters(override_lowering_rules=sorting.RULES)
    lowered = traced.lower(lowering_platforms=("cpu",), _private_parameters=rules)
    return lowered.compiler_ir("stablehlo")


def _needs_loops(operation: Any) -> bool:
    if operation.name == "stablehlo.select_and_scatter":
        return select_and_scatter.overlaps(operation)
    return operation.name == "stablehlo.scatter"


def _replace_scatters(module: Any, prefix: str) -> list[str]:
    """Each scatter becomes a call; the functions' texts."""
    texts: list[str] = []
    for operation in origin_attributes.walk(module.operation, ir):
        if not _needs_loops(operation):
            continue
        kind = scatter if operation.name == "stablehlo.scatter" else select_and_scatter
        name = f"{prefix}_scatter_{len(texts)}"
        texts.append(kind.to_function(name, operation))
        operands = list(operation.operands)
        result = operation.results[0]
        kind = ir.FunctionType.get([v.type for v in operands], [result.type])
        ir.Operation.create(
            "func.func",
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "function_type": ir.TypeAttr.get(kind),
                "sym_visibility": ir.StringAttr.get("private"),
            },
            ip=ir.InsertionPoint.at_block_begin(module.body),
        )
        call = ir.Operation.create(
            "func.call",
            results=[result.type],
            operands=operands,
            attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
            ip=ir.InsertionPoint(operation),
            loc=operation.location,
        )
        result.replace_all_uses_with(call.results[0])
        operation.erase()
    return texts


def _check_dialects(module: Any) -> None:
    for operation in origin_attributes.walk(module.operation, ir):
        if operation.name.partition(".")[0] in _DIALECTS:
            continue
        name = operation.name
        if name == "stablehlo.custom_call":
            called = ir.StringAttr(operation.attributes["call_target_name"]).value
            name = f"{name}' of '{called}"
        raise NotLowered(f"'{name}' has no form in linalg")


def _prefix_helpers(module: Any, main: str) -> None:
    """The halves' helpers may share names (relu, _where): each gets its half's."""
    own = {origins.name_of(f.operation) for f in module.body.operations} - {main}
    for function in module.body.operations:
        operation = function.operation
        if origins.name_of(operation) in own:
            renamed = f"{main}_{origins.name_of(operation)}"
            operation.attributes["sym_name"] = ir.StringAttr.get(renamed)
        for inner in origin_attributes.walk(operation, ir):
            if inner.name != "func.call":
                continue
            called = ir.FlatSymbolRefAttr(inner.attributes["callee"]).value
            if called in own:
                renamed = f"{main}_{called}"
                inner.attributes["callee"] = ir.FlatSymbolRefAttr.get(renamed)


def _text(operation: Any) -> str:
    return operation.get_asm(
        use_local_scope=True, large_elements_limit=None, enable_debug_info=True
    )


def _half(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    takes: Sequence[Role],
    gives: Sequence[Role],
    batch_norm: Collection[str],
    optimizer: bool,
) -> tuple[Part, str, Any]:
    """One function of the step: its signature, the text of it and its helpers, and a
    context that knows their dialects."""
    name = function.__name__
    module = _lower(function, arguments)
    with module.context as context, ir.Location.unknown():
        stablehlo.register_stablehlo_passes()
        for operation in module.body.operations:
            if origins.name_of(operation.operation) == "main":
                operation.operation.attributes["sym_name"] = ir.StringAttr.get(name)
        _prefix_helpers(module, name)
        origins.annotate(module, name, function.__qualname__, optimizer)
        reasons: list[str] = []
        handler = context.attach_diagnostic_handler(
            lambda diagnostic: reasons.append(diagnostic.message) or True
        )
        try:
            symbols = "builtin.module(symbol-dce)"
            passmanager.PassManager.parse(symbols).run(module.operation)
            empty_arrays.replace(module)
            texts = _replace_scatters(module, name)
            passmanager.PassManager.parse(_PASSES).run(module.operation)
            control_flow.convert(module)
            passmanager.PassManager.parse(_SIMPLER).run(module.operation)
        except ir.MLIRError as error:
            reason = reasons[0] if reasons else str(error).splitlines()[0]
            raise NotLowered(f"jaxlib: {reason}") from error
        finally:
            handler.detach()
        _check_dialects(module)
        for operation in module.body.operations:
            half = operation.operation
            for key in ("arg_attrs", "res_attrs"):
                if key in half.attributes:
                    del half.attributes[key]
            if origins.name_of(half) == name and "sym_visibility" in half.attributes:
                del half.attributes["sym_visibility"]
            if origins.name_of(half) == name:
                types = ir.FunctionType(
                    ir.TypeAttr(half.attributes["function_type"]).value
                )
            if half.regions[0].blocks:
                texts.append(_text(half))

    def typed(roles: Sequence[Role], types: Sequence[Any]) -> list[TypedRole]:
        return [
            TypedRole(
                role._replace(kind="batch_norm")
                if role.role in ("param", "buffer") and role.name in batch_norm
                else role,
                str(kind),
            )
            for role, kind in zip(roles, types, strict=True)
        ]

    part = Part(name, typed(takes, types.inputs), typed(gives, types.results))
    return part, "\n".join(texts), module.context


def _put_roles(module: Any, parts: Sequence[Part]) -> None:
    for operation in module.body.operations:
        function = operation.operation
        (part,) = [p for p in parts if p.name == origins.name_of(function)]
        for key, values in (("arg_attrs", part.arguments), ("res_attrs", part.results)):
            dictionaries = []
            for value in values:
                fields = value.role.attributes
                texts = {k: ir.StringAttr.get(text) for k, text in fields.items()}
                dictionaries.append(ir.DictAttr.get(texts))
            function.attributes[key] = ir.ArrayAttr.get(dictionaries)


def capture(step: Step) -> str:
    """The step for batches of one size.

    Args:
        step: What to capture. The loss is traced, not run.

    Returns:
        MLIR text with the functions ``@forward_backward``, ``@optimizer_step`` and
        ``@train_step``, which calls the two.

    Raises:
        NotLowered: A part of it has no form for the compiler.
    """
    import optax

    def forward_backward(params: Any, buffers: Any, batch: Any, seed: Any) -> Any:
        def loss_of(params: Any) -> Any:
            return step.loss_fn(params, buffers, batch)

        loss, pull, new = jax.vjp(loss_of, params, has_aux=True)
        (gradients,) = pull(seed)
        return loss, gradients, new

    def optimizer_step(params: Any, gradients: Any, state: Any) -> Any:
        updates, state = step.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    params, buffers = roles_of(step.params, "param"), roles_of(step.buffers, "buffer")
    gradients = roles_of(step.params, "grad")
    state = roles_of(step.opt_state, "opt_state")
    seed = jax.ShapeDtypeStruct((), jnp.float32)
    halves = [
        _half(
            forward_backward,
            (step.params, step.buffers, step.batch, seed),
            [
                *params,
                *buffers,
                *roles_of(step.batch, "batch"),
                Role("loss_seed", "loss"),
            ],
            [Role("loss", "loss"), *gradients, *buffers],
            step.batch_norm,
            optimizer=False,
        ),
        _half(
            optimizer_step,
            (step.params, step.params, step.opt_state),
            [*params, *gradients, *state],
            [*params, *state],
            step.batch_norm,
            optimizer=True,
        ),
    ]
    parts = [part for part, _, _ in halves]
    whole = "module {\n" + "\n".join(text for _, text, _ in halves) + "\n}\n"
    inlined = compiler.run(whole, _INLINED, name="step", output="text-with-locations")
    with halves[0][-1], ir.Location.unknown():
        module = ir.Module.parse(inlined)
        origin_attributes.attach(module, ir, origins.read_location)
        _put_roles(module, parts)
        text = module.operation.get_asm(large_elements_limit=None)
    return compiler.run(call_in_turn(text, parts), name="step")
