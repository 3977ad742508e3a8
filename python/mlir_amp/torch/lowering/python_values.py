# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of Python that a captured step may have read.

Capturing runs the model and the loss once: `self.p` of a dropout, a weight of the loss in
a global or a closure, and what decides an `if`, are constants afterwards. They are read
before each step, and a step with others is another one. Attributes of modules that the
capture itself sets are put back: they would hold tensors of a trace.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from torch import Tensor, nn

_PLAIN = (bool, int, float, str, type(None))
# A larger container is data, not what configures a step.
_MOST_ENTRIES = 64
_UNSEEN = "..."
# Of modules, by the numbers of their handles: capturing runs them as well.
_HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
)


def _frozen(value: Any, depth: int = 2) -> Any:
    """What of a value can be compared: numbers, strings, and containers of them."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if depth and kind in (list, tuple) and len(value) <= _MOST_ENTRIES:
        return tuple(_frozen(part, depth - 1) for part in value)
    if depth and isinstance(value, dict) and len(value) <= _MOST_ENTRIES:
        return tuple((str(k), _frozen(part, depth - 1)) for k, part in value.items())
    return _UNSEEN


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
        entries: What can be compared, with its names.
    """

    module: nn.Module
    names: list[str]
    values: list[Any]
    containers: list[tuple[Any, Any]]
    hooks: list[dict[int, Any]]
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
        parts = [self._read_module(path, module) for path, module in modules]
        code: dict[str, Any] = {}
        seen: set[int] = set()
        for function in self._functions:
            self._read_code(function, code, seen)
        for kind in {type(module): None for _, module in modules}:
            if not _is_library(kind.__module__):
                self._read_code(kind.forward, code, seen)
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

    def _read_module(self, path: str, module: nn.Module) -> tuple[tuple[str, Any], ...]:
        """What of a module's attributes can be compared."""
        now = vars(module)
        known = self._modules.get(path)
        if known and known.is_current(module, now):
            return known.entries
        entries, containers, hooks = [], [], []
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
                if type(value) is not tuple or any(
                    type(v) not in _PLAIN for v in value
                ):
                    containers.append((value, frozen))
        values = list(now.values())
        self._modules[path] = _Attributes(
            module, list(now), values, containers, hooks, tuple(entries)
        )
        return self._modules[path].entries

    def _read_code(self, code: Any, values: dict[str, Any], seen: set[int]) -> None:
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
            if id(code.__func__) in seen:
                return
            names = _names_of(code.__func__)
            self._read_code(code.__func__, values, seen)
            self._read_value("self", code.__self__, values, seen, names)
        elif isinstance(code, types.FunctionType) and not _is_library(code.__module__):
            names = _names_of(code)
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
        seen: set[int],
        names: frozenset[str],
    ) -> None:
        """What code that has these names may read of a value."""
        if value is self._model or isinstance(value, (type, types.ModuleType, Tensor)):
            return
        if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
            self._read_code(value, values, seen)
            return
        frozen = _frozen(value)
        if frozen != _UNSEEN:
            _add(values, name, frozen)
        elif hasattr(value, "__dict__"):  # a configuration, a trainer, a criterion
            # Of the user's classes what the code names: a trainer counts steps, too.
            is_whole = _is_library(type(value).__module__)
            for key, part in vars(value).items():
                if (is_whole or key in names) and (part := _frozen(part)) != _UNSEEN:
                    _add(values, f"{name}.{key}", part)
            for key in () if is_whole else names:
                method = inspect.getattr_static(type(value), key, None)
                method = method.fget if isinstance(method, property) else method
                if isinstance(method, types.FunctionType) and id(method) not in seen:
                    self._read_code(types.MethodType(method, value), values, seen)

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

    def attributes(self) -> list[dict[str, Any]]:
        """Each module's attributes, without parameters, buffers and parts."""
        return [dict(vars(module)) for module in self._model.modules()]
