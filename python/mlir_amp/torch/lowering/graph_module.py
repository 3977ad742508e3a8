# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of ATen operations as MLIR text: linalg on tensors, with roles and origins.

torch-mlir's copy of MLIR is another one than the compiler's: what passes between them is
text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from mlir_amp import origin_attributes
from mlir_amp.canonical import without_wrong_patterns
from mlir_amp.errors import NotLowered
from mlir_amp.step_function import Role
from mlir_amp.torch.lowering import pasted_loops, running_loops
from mlir_amp.torch.lowering.origins import Origin, Origins

aten = torch.ops.aten

# What says nothing about values.
_IDENTITIES = (
    aten.alias.default,
    aten.clone.default,
    aten.detach.default,
    aten.lift_fresh.default,
    aten.lift_fresh_copy.default,
    torch.ops.prims.copy_strided.default,
)
# What hands on numbers of one tensor as they are, some of them or several times.
VIEWS = (
    aten.expand.default,
    aten.permute.default,
    aten.select.int,
    aten.slice.Tensor,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.t.default,
    aten.transpose.int,
    aten.unsqueeze.default,
    aten.view.default,
    aten._unsafe_view.default,
)
# What moves numbers, of whatever type.
_MOVES = (
    *_IDENTITIES,
    *VIEWS,
    aten.cat.default,
    aten.constant_pad_nd.default,
    aten.flip.default,
)
_CHECKS = (aten._assert_async.msg, aten._assert_tensor_metadata.default)

# Operations without a form in linalg, by name. torch-mlir makes another dialect's of
# those that write by index, and of some of them ends the process (rules make a
# `scatter_rows` of what has a form); it forgets the weights of a bag's samples; numbers
# at random would come from a state of its own.
_NO_FORM = frozenset(
    "bernoulli cummax cummin cumprod cumsum embedding_bag embedding_bag_forward_only "
    "index_put index_reduce masked_scatter multinomial native_dropout "
    "normal_functional rand rand_like randint randint_like randn randn_like randperm "
    "scatter scatter_add scatter_reduce sort topk unsafe_index_put".split()
)

_PASSES = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=},"
    "torch-backend-to-linalg-on-tensors-backend-pipeline,canonicalize,cse)"
)


class GraphFunction(NamedTuple):
    """A graph that becomes a function.

    Attributes:
        name: Of the function.
        graph: Functional ATen operations with fake tensors in ``meta["val"]``, whose
            output is a list of tensors; see :func:`simplify`.
        arguments: A role for each placeholder.
        results: A role for each output.
    """

    name: str
    graph: torch.fx.Graph
    arguments: Sequence[Role]
    results: Sequence[Role]


def to_text(functions: Sequence[GraphFunction], origins: Origins) -> str:
    """Graphs as the functions of one module.

    Args:
        functions: The graphs; what becomes loops is cut out of them.
        origins: Those of their nodes.

    Returns:
        MLIR text.

    Raises:
        NotLowered: torch-mlir is missing, or has no form for an operation.
    """
    try:
        from torch_mlir import ir
        from torch_mlir.dialects import torch as torch_dialect
        from torch_mlir.extras.fx_importer import FxImporter
        from torch_mlir.passmanager import PassManager
    except ImportError as error:
        raise NotLowered(
            f"torch-mlir is not installed ({error}); install the extra 'compile'"
        ) from error

    for function in functions:
        for node in function.graph.nodes:
            operation = getattr(node.target, "_schema", None)
            base = operation and operation.name.partition("::")[2].strip("_")
            if base in _NO_FORM:
                raise NotLowered(f"'{node.target}' has no form in linalg")
    for function in functions:
        running_loops.turn_around(function.graph)
    loops = {
        function.name: pasted_loops.cut(function.graph, origins.of)
        for function in functions
    }
    context = ir.Context()
    torch_dialect.register_dialect(context)
    messages: list[str] = []
    context.attach_diagnostic_handler(
        lambda diagnostic: messages.append(diagnostic.message) or True
    )
    importer = FxImporter(context=context)
    is_imported = False
    try:
        with _locations(origins, ir):
            for function in functions:
                if function.graph.owning_module is None:
                    # Where the importer keeps constants of its own.
                    torch.fx.GraphModule({}, function.graph)
                importer.import_stateless_graph(function.graph, func_name=function.name)
        is_imported = True
        with context:
            passes = without_wrong_patterns(str(PassManager.parse(_PASSES)))
            PassManager.parse(passes).run(importer.module.operation)
    except Exception as error:  # torch-mlir raises whatever its importer met
        # Where the place of the failure tells no operation, one that is left does.
        if origin := Origin.from_location("\n".join([*messages, str(error)])):
            raise NotLowered(_say_no_form(origin.scope, origin)) from error
        if is_imported:
            _refuse_remaining(importer.module, ir)
        lines = messages or str(error).splitlines() or [type(error).__name__]
        reason = next((line for line in lines if "error:" in line), lines[0])
        raise NotLowered(f"torch-mlir: {reason.strip()}") from error
    module = importer.module
    _refuse_remaining(module, ir)
    with context, ir.Location.unknown():
        _narrow_constants(module, ir)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func" and (
                found := loops[operation.name.value]
            ):
                pasted_loops.paste(operation, found, ir)
        origin_attributes.attach(module, ir, Origin.from_location)
        named = {function.name: function for function in functions}
        for operation in module.body.operations:
            if operation.operation.name != "func.func":
                continue  # what the compiler is going to refuse
            function = named[operation.name.value]
            operation.attributes["arg_attrs"] = _roles(function.arguments, ir)
            operation.attributes["res_attrs"] = _roles(function.results, ir)
        module.operation.verify()
        return module.operation.get_asm(large_elements_limit=None)


def _say_no_form(operation: str, origin: Origin | None) -> str:
    phase = f" in the {origin.phase} pass" if origin else ""
    return f"torch-mlir has no form for '{operation}' with these arguments{phase}"


def _refuse_remaining(module: Any, ir: Any) -> None:
    """Names an operation that has not become one of linalg, where there is one."""
    for operation in origin_attributes.walk(module.operation, ir):
        name = operation.name
        if name == "torch.operator":
            name = ir.StringAttr(operation.attributes["name"]).value
        if name.startswith("torch.aten.") or name.startswith("tm_tensor."):
            origin = Origin.from_location(str(operation.location))
            operation = origin.scope if origin else name.removeprefix("torch.")
            raise NotLowered(_say_no_form(operation, origin))


def simplify(graph: torch.fx.Graph) -> None:
    """Takes out what computes nothing: copies, aliases, checks, and what nobody uses.
    What was a copy of an input is that input afterwards."""
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if node.target in _IDENTITIES:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
        elif node.target is aten.copy.default:
            to, source = node.args[:2]
            if to.meta["val"].shape == source.meta["val"].shape and (
                to.meta["val"].dtype == source.meta["val"].dtype
            ):
                node.replace_all_uses_with(source)
                graph.erase_node(node)
        elif node.target in _CHECKS:
            graph.erase_node(node)
        elif _is_empty(node):
            _replace_empty(node)
    graph.eliminate_dead_code()


def _is_empty(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and 0 in value.shape and not _is_byte(node)


def _replace_empty(node: torch.fx.Node) -> None:
    """States a tensor without elements as such: of some of their reshapes torch-mlir ends
    the process."""
    value = node.meta["val"]
    with node.graph.inserting_before(node):
        made = node.graph.call_function(
            aten.full.default, (list(value.shape), False), {"dtype": value.dtype}
        )
    made.meta = dict(node.meta)
    node.replace_all_uses_with(made)
    node.graph.erase_node(node)


def _is_byte(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype == torch.uint8


def widen_bytes(graph: torch.fx.Graph) -> None:
    """Converts numbers of 8 bits without sign, as images have, before they are computed
    with: torch-mlir forgets that they have none. int16 holds them all, and gives with
    other types what they give.

    Raises:
        NotLowered: An operation has such numbers for a result, and computes them.
    """
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target in _MOVES:
            continue
        if _is_byte(node):
            raise NotLowered(
                f"'{node.target}' computes 8-bit numbers without sign; convert them "
                "first: x.float()"
            )
        for source in [node for node in node.all_input_nodes if _is_byte(node)]:
            with graph.inserting_before(node):
                wide = graph.call_function(
                    aten._to_copy.default, (source,), {"dtype": torch.int16}
                )
            wide.meta["val"] = source.meta["val"].to(torch.int16)
            node.replace_input_with(source, wide)
    _widen_signed_bytes(graph)


def _widen_signed_bytes(graph: torch.fx.Graph) -> None:
    """Computes numbers of 8 bits in int32, and takes the lower 8 bits of results, which
    are those of PyTorch: of some operations with a number torch-mlir ends the process.

    Raises:
        NotLowered: An operation has several results, and some of 8 bits.
    """

    def is_signed_byte(node: torch.fx.Node) -> bool:
        value = node.meta.get("val")
        return isinstance(value, torch.Tensor) and value.dtype == torch.int8

    def converted(node: torch.fx.Node, dtype: torch.dtype) -> torch.fx.Node:
        made = graph.call_function(aten._to_copy.default, (node,), {"dtype": dtype})
        made.meta["val"] = node.meta["val"].to(dtype)
        return made

    plain = (*_MOVES, aten._to_copy.default)
    for node in list(graph.nodes):
        sources = [source for source in node.all_input_nodes if is_signed_byte(source)]
        if node.op != "call_function" or node.target in plain or not sources:
            continue
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            raise NotLowered(
                f"'{node.target}' of 8-bit numbers has several results; convert them "
                "first: x.int()"
            )
        for source in sources:
            with graph.inserting_before(node):
                node.replace_input_with(source, converted(source, torch.int32))
        if value.dtype != torch.int8:
            continue
        node.meta["val"] = value.to(torch.int32)
        node.meta.pop("tensor_meta", None)  # which torch-mlir would read first
        users = list(node.users)
        with graph.inserting_after(node):
            narrow = converted(node, torch.int8)
        for user in users:
            user.replace_input_with(node, narrow)


@contextlib.contextmanager
def _locations(origins: Origins, ir: Any) -> Iterator[None]:
    """While inside, torch-mlir's importer gives operations their origin as location."""
    from torch_mlir.extras import fx_importer

    cache = fx_importer.ContextCache
    theirs = cache.get_node_location

    def get_node_location(self: Any, node: torch.fx.Node) -> Any:
        origin = origins.of(node)
        if origin is None:
            return ir.Location.unknown(self._c)
        return ir.Location.name(origin.to_name(), context=self._c)

    cache.get_node_location = get_node_location
    try:
        yield
    finally:
        cache.get_node_location = theirs


def _roles(roles: Sequence[Role], ir: Any) -> Any:
    return ir.ArrayAttr.get(
        [
            ir.DictAttr.get(
                {
                    name: ir.StringAttr.get(value)
                    for name, value in role.attributes.items()
                }
            )
            for role in roles
        ]
    )


def _narrow_constants(module: Any, ir: Any) -> None:
    """Numbers of Python arrive as f64 constants inside the bodies of f32 operations:
    they are restated in f32."""
    f32, f64 = ir.F32Type.get(), ir.F64Type.get()

    def constant(value: Any) -> float | None:
        owner = getattr(value.owner, "operation", value.owner)
        if isinstance(owner, ir.Operation) and owner.name == "arith.constant":
            attribute = owner.attributes["value"]
            if isinstance(attribute, ir.FloatAttr):
                return ir.FloatAttr(attribute).value
        return None

    def make(before: Any, number: float) -> Any:
        return ir.Operation.create(
            "arith.constant",
            results=[f32],
            attributes={"value": ir.FloatAttr.get(f32, number)},
            ip=ir.InsertionPoint(before),
        ).result

    def narrowed(before: Any, value: Any) -> Any:
        """The f64 value as an f32 one, if it is one in truth."""
        number = constant(value)
        if number is not None:
            return make(before, number)
        owner = getattr(value.owner, "operation", value.owner)
        wide = isinstance(owner, ir.Operation) and owner.name == "arith.extf"
        return owner.operands[0] if wide and owner.operands[0].type == f32 else None

    for operation in origin_attributes.walk(module.operation, ir):
        if operation.name == "arith.truncf":
            number = constant(operation.operands[0])
            if operation.result.type == f32 and number is not None:
                operation.result.replace_all_uses_with(make(operation, number))
                operation.erase()
        elif operation.name == "arith.cmpf" and operation.operands[0].type == f64:
            operands = [narrowed(operation, value) for value in operation.operands]
            if all(value is not None for value in operands):
                compared = ir.Operation.create(
                    "arith.cmpf",
                    results=[operation.result.type],
                    operands=operands,
                    attributes={"predicate": operation.attributes["predicate"]},
                    ip=ir.InsertionPoint(operation),
                )
                operation.result.replace_all_uses_with(compared.result)
                operation.erase()
