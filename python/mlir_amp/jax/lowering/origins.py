# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where each operation of a captured step came from: what the passes decide types by.

JAX names an operation by a path, ``jit(f)/transpose(jvp(scope))/.../primitive``, and keeps
the position in the user's program. The path has named scopes, and while a step is traced
the library functions that it calls are put there too (`watching`). Of this every operation
of StableHLO gets one short location before it is lowered, which the lowering inside jaxlib
and our inliner keep, and which becomes attributes of linalg operations at the end:

    amp.scope     the innermost library function ("jax.nn.softmax"), else the primitive
                  ("lax.dot_general"); of a backward operation the forward one
    amp.function  the outermost library function
    amp.layer     the named scopes of the program, joined by "."
    amp.phase     "forward", "backward" (what JAX transposed), "optimizer"
    amp.scope_id  the place in the program: one number for forward and backward

A backward operation has a primitive of its own in its path, not the forward one's. It is
paired by its place, position and scopes: what ran forward there. So a place that several
primitives share (an expression in a loop without a named scope) may give the first one's.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
from jaxlib.mlir import ir

from mlir_amp import origin_attributes
from mlir_amp.policy import listed_functions

_FUNCTION = "fn:"  # a scope that is a library function
_PREFIX = "amp|"
_CALLEE = "callee|"

# Of jax.numpy, beside those on the op lists: formulas of several primitives.
_NUMPY = ("logaddexp", "mean", "std", "var", "where")
# What a formula brings along beside its arithmetic: moved, not computed.
_MOVES = frozenset(
    "broadcast_in_dim concatenate convert_element_type copy copy_p expand_dims iota jit "
    "pad pjit reshape rev select_n slice split squeeze transpose".split()
)
# Modules that hand jax.nn's functions on under names of their own.
_FORWARDING = ("flax.linen", "flax.linen.activation", "flax.nnx")

_patching = threading.RLock()


class Origin(NamedTuple):
    """What an operation was part of.

    Attributes:
        scope: The library function or the primitive; None where none is known.
        phase: ``"forward"``, ``"backward"`` or ``"optimizer"``.
        number: Of its place; None for what has none.
        layer: Named scopes; may be empty.
        function: The outermost library function; may be empty.
    """

    scope: str | None
    phase: str
    number: int | None
    layer: str
    function: str


def _library_functions() -> dict[str, tuple[Any, Callable[..., Any]]]:
    """The functions that are put into paths, by full name: their module, and they."""
    import optax

    def is_function(name: str, value: Any) -> bool:
        return (
            not name.startswith("_")
            and callable(value)
            and not inspect.isclass(value)
            and not inspect.ismodule(value)
        )

    listed = {function.name for function in listed_functions()}
    numpy = {name for name in vars(jax.numpy) if f"jax.numpy.{name}" in listed}
    numpy.update(_NUMPY)
    found = {}
    for module, names in (
        (jax.nn, list(vars(jax.nn))),
        (optax, list(vars(optax))),
        (jax.numpy, sorted(numpy)),
    ):
        for name in names:
            value = getattr(module, name)
            if not is_function(name, value):
                continue
            origin = getattr(value, "__module__", None) or ""
            if module is not optax or origin.startswith("optax.losses"):
                found[f"{module.__name__}.{name}"] = module, value
    return found


@contextlib.contextmanager
def watching() -> Iterator[None]:
    """While inside, paths of operations have the library functions that were called.

    The functions of jax.nn, optax's losses and those of jax.numpy that are on the op
    lists, and a few more, are replaced by ones that open a scope and call them, wherever
    a module of JAX, optax or flax holds them; other threads that call them meanwhile get
    the scope, too, and the same values. What the user's modules imported by name is not
    seen: its primitives remain.
    """

    def scoped(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            with jax.named_scope(_FUNCTION + name):
                return function(*arguments, **options)

        for attribute in dir(function):  # jnp.add.reduce, jax.nn.relu.lower
            if not attribute.startswith("_"):
                setattr(call, attribute, getattr(function, attribute))
        return functools.update_wrapper(call, function)

    with _patching:
        functions = _library_functions()
        # Of two names of one function the first; by identity, some compare elements.
        names: dict[int, str] = {}
        for full, (_, function) in functions.items():
            names.setdefault(id(function), full)
        held = [
            (module, full.rpartition(".")[2]) for full, (module, _) in functions.items()
        ]
        forwarding = [sys.modules[name] for name in _FORWARDING if name in sys.modules]
        for module in (sys.modules["optax"].losses, *forwarding):
            held += [(module, k) for k, v in vars(module).items() if id(v) in names]
        before = [(module, name, getattr(module, name)) for module, name in held]
        try:
            for module, name, function in before:
                full = f"{module.__name__}.{name}"
                full = full if full in functions else names[id(function)]
                setattr(module, name, scoped(function, full))
            yield
        finally:
            for module, name, function in before:
                setattr(module, name, function)


class _Path(NamedTuple):
    """A name of JAX's, taken apart."""

    scopes: tuple[str, ...]  # the program's own
    functions: tuple[str, ...]  # the library's, outermost first
    primitive: str


_TRANSFORMED = re.compile(
    r"(?:checkpoint|custom_jvp|custom_vjp|jvp|remat|transpose|vmap)\((.*)\)"
)


def _split(name: str) -> _Path:
    *parts, primitive = name.split("/")
    scopes = []
    for part in parts:
        while inside := _TRANSFORMED.fullmatch(part):
            part = inside.group(1)
        if part and not part.startswith(("jit(", "pjit", "custom_")):
            scopes.append(part)
    return _Path(
        tuple(s for s in scopes if not s.startswith(_FUNCTION)),
        tuple(s[len(_FUNCTION) :] for s in scopes if s.startswith(_FUNCTION)),
        primitive,
    )


def _read(operation: Any, entry: str) -> tuple[str, tuple[Any, ...]]:
    """The name of an operation, and its position in the program: the frames inside of
    the function `entry`. Nothing where JAX gave none."""
    try:
        name, child = operation.location.name_str, str(operation.location.child_loc)
    except Exception:  # of the bindings' own kind, for other locations
        return "", ()
    frames = re.findall(r'"([^"]*)"\("[^"]*":(\d+:\d+ to [^)]*)\)', child)
    names = [function for function, _ in frames]
    return name, tuple(frames[: names.index(entry)] if entry in names else frames)


def name_of(function: Any) -> str:
    """The symbol of a function."""
    return ir.StringAttr(function.attributes["sym_name"]).value


def annotate(module: Any, main: str, entry: str, optimizer: bool) -> None:
    """Gives each operation of a StableHLO module its origin as location.

    Args:
        module: As JAX lowered it.
        main: The function that is the step's half; the others are helpers of JAX, whose
            operations get their primitive, as the call has the rest.
        entry: The Python function around the user's, as locations name it.
        optimizer: Whether it is the optimizer's half.
    """
    functions = {name_of(f.operation): f.operation for f in module.body.operations}

    def callee(call: Any) -> str:
        return ir.FlatSymbolRefAttr(call.attributes["callee"]).value

    def primitives(name: str, seen: tuple[str, ...] = ()) -> list[str]:
        found = []
        for operation in origin_attributes.walk(functions[name], ir):
            if operation.name == "func.call":
                if callee(operation) not in seen:
                    found += primitives(callee(operation), (*seen, name))
            elif not operation.name.endswith(".return"):
                primitive = _split(_read(operation, entry)[0]).primitive
                found += [primitive] if primitive else []
        return found

    class Named(NamedTuple):
        operation: Any
        place: Any
        path: _Path
        backward: bool

    places: dict[Any, int] = {}
    forward: dict[Any, list[str]] = {}  # primitives by place
    named = []
    for operation in origin_attributes.walk(functions[main], ir):
        name, position = _read(operation, entry)
        if not name:
            continue
        path = _split(name)
        place = position, path.scopes, path.functions
        backward = "transpose(" in name
        named.append(Named(operation, place, path, backward))
        places.setdefault(place, len(places))
        if not backward:
            calls = operation.name == "func.call"
            forward.setdefault(place, []).extend(
                primitives(callee(operation)) if calls else [path.primitive]
            )
    for operation, place, path, backward in named:
        calls = operation.name == "func.call"
        own = f"lax.{path.primitive}"
        if path.primitive == "add_any":  # of two gradients of one value: nobody's
            candidates = [own]
        elif path.functions:
            candidates = [path.functions[-1]]
        else:
            ran = list(dict.fromkeys(forward.get(place, []))) if backward else []
            ran = ran or ([] if calls or backward else [path.primitive])
            computing = [p for p in ran if p not in _MOVES]
            if "gather" in computing:  # what else is there checks its indices
                computing = ["gather"]
            candidates = [f"lax.{p}" for p in computing or ran]
        if (backward or calls) and len(candidates) > 1 and own in candidates:
            candidates = [own]
        phase = "optimizer" if optimizer else "backward" if backward else "forward"
        nowhere = optimizer or path.primitive == "add_any"
        fields = (
            ",".join(candidates),
            phase,
            "" if nowhere else str(places[place]),
            ".".join(path.scopes),
            path.functions[0] if path.functions else "",
        )
        # What would end a field or a text; scopes have the user's words.
        text = _PREFIX + "|".join(re.sub(r'[|"\\]', "_", field) for field in fields)
        operation.location = ir.Location.name(text, context=module.context)
    for name, function in functions.items():
        if name == main:
            continue
        for operation in origin_attributes.walk(function, ir):
            primitive = _split(_read(operation, entry)[0]).primitive
            operation.location = (
                ir.Location.name(f"{_CALLEE}lax.{primitive}", context=module.context)
                if primitive
                else ir.Location.unknown(module.context)
            )


def read_location(text: str) -> Origin | None:
    """The origin in a printed location; inside an inlined helper the call gives all of
    it but the primitive. None where there is none."""
    found = re.findall(r'"(amp|callee)\|([^"]*)"', text)
    outer = [fields for kind, fields in found if kind == "amp"]
    if not outer:
        return None
    scopes, phase, number, layer, function = outer[-1].split("|")
    candidates = scopes.split(",") if scopes else []
    inner = [primitive for kind, primitive in found if kind == "callee"]
    scope = candidates[0] if candidates else None
    if inner and not (scope or "").startswith(("jax.", "optax.")):
        pairs = phase != "backward" or inner[0] in candidates or not candidates
        scope = inner[0] if pairs else scope
    return Origin(scope, phase, int(number) if number else None, layer, function)
