# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of Python that a captured step may have read.

Capturing runs the model and the loss once: `self.p` of a dropout, a weight of the loss in
a global or a closure, and what decides an `if`, are constants afterwards. They are read
before each step, and a step with others is another one. What objects, classes and
modules of a script hold is followed by the names that the code has, to a depth.
Attributes of modules that the capture itself sets are put back: they would hold tensors
of a trace.
"""

from __future__ import annotations

import enum
import functools
import numbers
import operator
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

_PLAIN = (bool, int, float, str, type(None))
# Compared as they are, too: numbers of NumPy are numbers, but for its bool.
_SINGLE = (numbers.Number, enum.Enum, bytes, torch.dtype, torch.device)
_CONTAINERS = (list, tuple, dict, set, frozenset)
# A larger container is data, not what configures a step.
_MOST_ENTRIES = 64
_MOST_INSIDE = 512
# How deep containers and objects hold what configures a step.
_DEPTH = 4
_UNSEEN = "..."
# Of modules, by the numbers of their handles: capturing runs them as well.
_HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
)


@functools.cache
def _is_single(kind: type) -> bool:
    return issubclass(kind, _SINGLE) or (
        kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
    )


def _frozen(value: Any, depth: int = _DEPTH, room: list[int] | None = None) -> Any:
    """What of a value can be compared: numbers, strings, and containers of them."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if not depth or not isinstance(value, _CONTAINERS):
        return value if _is_single(kind) else _UNSEEN
    if not value:
        return ()
    room = room or [_MOST_INSIDE]
    room[0] -= len(value)
    if len(value) > _MOST_ENTRIES or room[0] < 0:
        return _UNSEEN
    if isinstance(value, dict):
        return tuple(
            (str(k), _frozen(part, depth - 1, room)) for k, part in value.items()
        )
    if isinstance(value, (set, frozenset)):
        return frozenset(_frozen(part, depth - 1, room) for part in value)
    return tuple(_frozen(part, depth - 1, room) for part in value)


def _has_unseen(frozen: Any) -> bool:
    if isinstance(frozen, (tuple, frozenset)):
        return any(_has_unseen(part) for part in frozen)
    return frozen is _UNSEEN


def _names(code: types.CodeType) -> Iterator[str]:
    """Globals and attributes that a function names, with those of functions inside."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


@functools.cache
def _all_names(code: types.CodeType) -> frozenset[str]:
    return frozenset(_names(code))


def _names_of(function: Any) -> frozenset[str]:
    """The globals and attributes that a function names; of others none."""
    code = getattr(function, "__code__", None)
    return _all_names(code) if code else frozenset()


def _is_library(name: str | None) -> bool:
    return (name or "").partition(".")[0] in ("torch", "mlir_amp", "builtins")


@functools.cache
def _is_installed(name: str) -> bool:
    """Whether a module is a library's: its functions are not a script's."""
    top = name.partition(".")[0]
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return (
        _is_library(name)
        or top in sys.stdlib_module_names
        and top != "__main__"
        or "site-packages" in file
        or "dist-packages" in file
    )


@functools.cache
def _methods(kind: type, names: frozenset[str]) -> tuple[types.FunctionType, ...]:
    """The methods, and the getters of properties, of these names: of a script's
    classes."""
    found = []
    for name in names:
        for base in kind.__mro__:
            if name not in vars(base):
                continue
            method = vars(base)[name]
            if isinstance(method, property):
                method = method.fget
            if isinstance(method, types.FunctionType) and not _is_installed(
                base.__module__
            ):
                found.append(method)
            break
    return tuple(found)


_NOTHING = object()


def _attribute(value: Any, name: str) -> Any:
    """An attribute that no code is run for, of an object, a class or a module."""
    own = getattr(value, "__dict__", None)
    if own is not None and name in own:
        return own[name]
    if isinstance(value, nn.Module) and name in value._modules:
        return value._modules[name]
    for base in value.__mro__ if isinstance(value, type) else type(value).__mro__:
        if name in vars(base):
            found = vars(base)[name]
            if isinstance(found, types.MemberDescriptorType):  # of __slots__
                return getattr(value, name, _NOTHING)
            if isinstance(found, (staticmethod, classmethod)):
                return found.__func__
            plain = isinstance(value, type) or not callable(found)
            return found if plain and not hasattr(found, "__get__") else _NOTHING
    return _NOTHING


def _add(values: dict[str, Any], name: str, value: Any) -> None:
    """Two functions may have another value under one name: neither hides the other."""
    while name in values and values[name] != value:
        name += "'"
    values[name] = value


class _Attributes(NamedTuple):
    """A module's attributes as they were read.

    Attributes:
        module: The module.
        names: Of all its attributes.
        values: Theirs.
        containers: Of those the ones that can change inside, with what was read.
        hooks: Its dictionaries of hooks.
        objects: What holds more than can be compared by itself: path, name, value.
        entries: What can be compared, with its names.
    """

    module: nn.Module
    names: list[str]
    values: list[Any]
    containers: list[tuple[Any, Any]]
    hooks: list[dict[int, Any]]
    objects: list[tuple[str, str, Any]]
    entries: tuple[tuple[str, Any], ...]

    def is_current(self, module: nn.Module, now: dict[str, Any]) -> bool:
        """Whether a module with these attributes would be read as this."""
        return (
            self.module is module
            and self.names == list(now)
            and all(map(operator.is_, self.values, now.values()))
            and not any(self.hooks)
            and all(_frozen(value) == frozen for value, frozen in self.containers)
        )


class PythonValues:
    """What a model's code, and that of functions of it, may read of Python."""

    def __init__(self, model: nn.Module, *functions: Callable[..., Any]) -> None:
        self._model, self._functions = model, functions
        # By name, what a capture changed although it was put back: no constants.
        self._changing: set[str] = set()
        # Of the last time: by path what was read of a module, and all of it.
        self._modules: dict[str, _Attributes] = {}
        # What the code that was read names, by the number of its handle, and all of it
        # at the last time.
        self._named: dict[int, frozenset[str]] = {}
        self._codes: set[int] = set()
        self._all: frozenset[str] = frozenset()
        # What of tensors it reads beside the model's.
        self._tensors: dict[str, Tensor] = {}
        self._listed: Any = None
        self._own: set[int] = set()
        self._inputs: Any = None
        self._values: tuple[tuple[str, Any], ...] = ()

    def read(
        self, modules: Sequence[tuple[str, nn.Module]] | None = None
    ) -> tuple[tuple[str, Any], ...]:
        """Names and values, in an order that stays; hashable.

        Args:
            modules: The model's, with their names, where the caller knows them.
        """
        if modules is None:
            modules = list(self._model.named_modules())
        # What is read of modules that did not change is one object each time, so that a
        # comparison with the last time is short.
        attributes = [self._read_module(path, module) for path, module in modules]
        parts = [read.entries for read in attributes]
        objects = [entry for read in attributes for entry in read.objects]
        if modules is not self._listed:
            self._listed, self._own = modules, {id(module) for _, module in modules}
        code: dict[str, Any] = {}
        seen: set[Any] = set()
        self._named, self._tensors = {}, {}
        for function in self._functions:
            self._read_code(function, code, seen)
        kinds = [
            kind
            for kind in {type(module): None for _, module in modules}
            if not _is_library(kind.__module__)
        ]
        for kind in kinds:
            self._read_code(kind.forward, code, seen)
        # The model's methods that code names, which may name others.
        done = 0
        while kinds and done < len(self._named):
            new = list(self._named.values())[done:]
            done += len(new)
            for kind in kinds:
                for names in new:
                    for method in _methods(kind, names):
                        self._read_code(method, code, seen)
        for full, name, value in objects:
            naming = [names for names in self._named.values() if name in names]
            if naming:
                names = frozenset().union(*naming)
                self._read_value(full, value, code, seen, names)
        if self._named.keys() != self._codes:
            # Objects may have been handed to functions that were not known yet.
            self._codes = set(self._named)
            self._all = frozenset().union(*self._named.values())
            return self.read(modules)
        inputs = (parts, code, len(self._changing))
        if inputs != self._inputs:
            values = {name: value for part in parts for name, value in part}
            for name, value in code.items():
                _add(values, name, value)
            self._inputs = inputs
            self._values = tuple(
                (name, value)
                for name, value in values.items()
                if name not in self._changing
            )
        return self._values

    def _read_module(self, path: str, module: nn.Module) -> _Attributes:
        """What of a module's attributes can be compared."""
        now = vars(module)
        known = self._modules.get(path)
        if known and known.is_current(module, now):
            return known
        entries, containers, hooks, objects = [], [], [], []
        for name, value in now.items():
            full = f"{path}.{name}" if path else name
            # Modules and tensors stand in dictionaries of their own.
            if type(value) in _PLAIN:
                if name != "training":
                    entries.append((full, value))
            elif name in _HOOKS:
                hooks.append(value)
                if value:
                    entries.append((full, tuple(value)))
            elif name[0] != "_" and not isinstance(value, Tensor):
                frozen = _frozen(value)
                if frozen != _UNSEEN:
                    entries.append((full, frozen))
                if _has_unseen(frozen) and not callable(value):
                    objects.append((full, name, value))
                if type(value) is not tuple or any(
                    type(v) not in _PLAIN for v in value
                ):
                    containers.append((value, frozen))
        values = list(now.values())
        read = self._modules[path] = _Attributes(
            module, list(now), values, containers, hooks, objects, tuple(entries)
        )
        return read

    def _read_code(
        self, code: Any, values: dict[str, Any], seen: set[Any], depth: int = _DEPTH
    ) -> None:
        """What a callable may read, and the functions that it may call."""
        if id(code) in seen:
            return
        if not isinstance(code, types.MethodType):  # made at each access
            seen.add(id(code))
        if isinstance(code, functools.partial):
            given = (code.args, code.keywords)
            self._read_value("partial", given, values, seen, frozenset())
            self._read_code(code.func, values, seen)
        elif isinstance(code, types.MethodType):
            pair = id(code.__func__), id(code.__self__)
            if pair in seen:
                return
            seen.add(pair)
            names = _names_of(code.__func__)
            self._read_code(code.__func__, values, seen)
            self._read_value("self", code.__self__, values, seen, names, depth)
        elif isinstance(code, types.FunctionType) and not _is_library(code.__module__):
            names = self._named[id(code.__code__)] = _names_of(code)
            defaults = (code.__defaults__, code.__kwdefaults__)
            _add(values, f"{code.__qualname__}'s defaults", _frozen(defaults))
            for name, cell in zip(code.__code__.co_freevars, code.__closure__ or ()):
                try:
                    self._read_value(name, cell.cell_contents, values, seen, names)
                except ValueError:  # an empty cell
                    continue
            for name in names:
                if name in code.__globals__:
                    self._read_value(name, code.__globals__[name], values, seen, names)
        elif callable(code) and not isinstance(code, (type, types.FunctionType)):
            call = type(code).__call__
            names = frozenset()
            if not _is_library(type(code).__module__):
                names = _names_of(call)
                self._read_code(call, values, seen)
            self._read_value(type(code).__name__, code, values, seen, names)

    def _read_value(
        self,
        name: str,
        value: Any,
        values: dict[str, Any],
        seen: set[Any],
        names: frozenset[str],
        depth: int = _DEPTH,
    ) -> None:
        """What code that has these names may read of a value."""
        if isinstance(value, Tensor):
            self._tensors[name] = value
            return
        if id(value) in self._own:
            return
        is_scope = isinstance(value, (type, types.ModuleType))
        if is_scope and _is_installed(
            (value.__module__ if isinstance(value, type) else value.__name__) or ""
        ):
            return
        if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
            self._read_code(value, values, seen)
            return
        frozen = _frozen(value)
        if frozen is not _UNSEEN:
            _add(values, name, frozen)
            is_set = isinstance(value, (set, frozenset))
            if depth and _has_unseen(frozen) and not is_set:
                parts = value.items() if isinstance(value, dict) else enumerate(value)
                for key, part in parts:
                    if _frozen(part) is _UNSEEN or _has_unseen(_frozen(part)):
                        key = f"{name}[{key!r}]"
                        self._read_value(key, part, values, seen, names, depth - 1)
            return
        if not depth:
            return

        def follow(key: str, part: Any) -> None:
            self._read_value(f"{name}.{key}", part, values, seen, names, depth - 1)

        if is_scope:
            for key in names:
                part = _attribute(value, key)
                if part is not _NOTHING and not isinstance(part, types.ModuleType):
                    follow(key, part)
            return
        kind = type(value)
        if _is_library(kind.__module__):
            for key, part in getattr(value, "__dict__", {}).items():
                if (part := _frozen(part)) != _UNSEEN:
                    _add(values, f"{name}.{key}", part)
            if isinstance(value, nn.Module):
                for key, part in (*value._modules.items(), *value._buffers.items()):
                    follow(key, part)
            return
        # Of the user's classes what the code names: a trainer counts steps, too. What
        # it names nothing of, it hands on.
        found = [(key, _attribute(value, key)) for key in names]
        found = [(key, part) for key, part in found if part is not _NOTHING]
        if not found and not _methods(kind, names):
            names = self._all
            found = [(key, _attribute(value, key)) for key in names]
        for key, part in found:
            if part is not _NOTHING:
                follow(key, part)
        called = ("forward",) if isinstance(value, nn.Module) else ("__call__",)
        for method in _methods(kind, names.union(called)):
            self._read_code(types.MethodType(method, value), values, seen, depth - 1)

    def restore(
        self, before: tuple[tuple[str, Any], ...], attributes: list[dict[str, Any]]
    ) -> list[str]:
        """Puts attributes of modules back to what they were before a capture.

        Args:
            before: What `read` gave then.
            attributes: What `attributes` gave then.

        Returns:
            The names of what the capture set, or changed in place: from now on that is
            not among what `read` gives.
        """
        names = []
        for (path, module), old in zip(self._model.named_modules(), attributes):
            now = vars(module)
            for name in {*now, *old}:
                if name in now and name in old and now[name] is old[name]:
                    continue
                if name not in old and not isinstance(now[name], Tensor):
                    # Made at the first call; a constant from then on.
                    continue
                # PyTorch's own modules keep books, and set old weight norms' weights.
                if name not in old or not _is_library(type(module).__module__):
                    names.append(f"{path}.{name}" if path else name)
                if name in old:
                    now[name] = old[name]
                else:
                    del now[name]
        known = dict(before)
        for name, value in self.read():
            if name in known and known[name] != value:
                self._changing.add(name)
                names.append(name)
        return sorted(set(names))

    def other_tensors(self) -> dict[str, Tensor]:
        """By name, the tensors that code may use and that are no parameter or buffer of
        the model."""
        self.read()
        found = dict(self._tensors)
        for path, module in self._model.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Tensor):
                    found[f"{path}.{name}" if path else name] = value
        own = {id(t) for t in (*self._model.parameters(), *self._model.buffers())}
        return {name: value for name, value in found.items() if id(value) not in own}

    def attributes(self) -> list[dict[str, Any]]:
        """Each module's attributes, without parameters, buffers and parts."""
        return [dict(vars(module)) for module in self._model.modules()]
