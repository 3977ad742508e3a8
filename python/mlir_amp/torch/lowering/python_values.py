# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of Python that a captured step may have read.

Capturing runs the model and the loss: `self.p` of a dropout, a weight of the loss in
a global or a closure, and what decides an `if`, are constants afterwards, and so is which
function or module is called. They are read before each step, and a step with others is
another one. What objects, classes and modules of a script hold is followed by the names
that the code has, to a depth. Attributes of modules that the capture itself sets, and
lists and dictionaries that it changes, are put back: they would hold tensors of a trace.
"""

from __future__ import annotations

import collections
import dis
import enum
import functools
import numbers
import operator
import random
import sys
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

_PLAIN = (bool, int, float, str, type(None))
# Compared as they are, too: numbers of NumPy are numbers, but for its bool.
_SINGLE = (numbers.Number, enum.Enum, str, bytes, torch.dtype, torch.device)
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_MUTABLE = (list, dict, set, collections.deque)
# A larger container is data, not what configures a step.
MOST_ENTRIES = 512
MOST_INSIDE = 2048
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


# What a module has before its class gives it anything.
_INTERNALS = frozenset(vars(nn.Module()))
# A dead one raises whatever is asked.
_PROXIES = (weakref.ProxyType, weakref.CallableProxyType)
_FUNCTIONS = (types.FunctionType, types.MethodType)
# Code of C++: the same function is the same object.
_BUILTINS = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    torch._ops.OpOverload,
    torch._ops.OpOverloadPacket,
)


class _Exact(NamedTuple):
    """What is equal to no other type: True is no 1, which is no 1.0.

    Attributes:
        kind: A type, the code of a function, a function of C++, or a module.
        text: The value, or the function's name.
    """

    kind: Any
    text: str

    def __repr__(self) -> str:
        return self.text


class _Array(NamedTuple):
    """An array of NumPy, as `_Exact`.

    Attributes:
        kind: Its type.
        text: Type and shape.
        bytes: Its elements.
    """

    kind: Any
    text: str
    bytes: bytes

    def __repr__(self) -> str:
        return f"an array of {self.text}"


@functools.cache
def _is_single(kind: type) -> bool:
    return issubclass(kind, _SINGLE) or (
        kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
    )


def _exact(value: Any) -> Any:
    """What can be compared of what is no container."""
    kind = type(value)
    if kind is int or kind is str or value is None:
        return value
    if kind in _PLAIN or _is_single(kind):
        return _Exact(kind, str(value))
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        is_plain = value.size <= MOST_INSIDE and not value.dtype.hasobject
        text = f"{value.dtype} of shape {value.shape}"
        return _Array(kind, text, value.tobytes()) if is_plain else _UNSEEN
    if isinstance(value, types.MethodType):
        return _exact(value.__func__)
    if isinstance(value, types.FunctionType):
        # A closure that is made again is the same code.
        return _Exact(value.__code__, value.__qualname__)
    if isinstance(value, type):
        is_hashable = type(value).__hash__ is not None
        return _Exact(value if is_hashable else kind, value.__qualname__)
    if isinstance(value, _BUILTINS):
        return _Exact(value, str(getattr(value, "__name__", value)))
    if isinstance(value, nn.Module):
        return _Exact(value, kind.__name__)
    return _UNSEEN


def _frozen(value: Any, depth: int = _DEPTH, room: list[int] | None = None) -> Any:
    """What of a value can be compared: numbers, strings, which function or class it is,
    and containers of them."""
    if type(value) in _PROXIES:
        return _UNSEEN
    if not depth or not isinstance(value, _CONTAINERS):
        return _exact(value)
    if not value:
        return ()
    room = room or [MOST_INSIDE]
    room[0] -= len(value)
    if len(value) > MOST_ENTRIES or room[0] < 0:
        return _UNSEEN
    if isinstance(value, dict):
        return tuple(
            (_exact(k), _frozen(part, depth - 1, room))
            for k, part in value.items()
        )
    if isinstance(value, (set, frozenset)):
        return frozenset(_frozen(part, depth - 1, room) for part in value)
    return tuple(_frozen(part, depth - 1, room) for part in value)


def _is_followed(value: Any, frozen: Any) -> bool:
    """Whether a value holds more than what is compared of itself."""
    if type(value) in _PROXIES:
        return False
    if isinstance(value, _CONTAINERS):
        parts = value.values() if isinstance(value, dict) else value
        return _has_unseen(frozen) or any(
            isinstance(part, (*_FUNCTIONS, nn.Module)) for part in parts
        )
    return frozen is _UNSEEN or isinstance(value, (*_FUNCTIONS, type, nn.Module))


def _has_unseen(frozen: Any) -> bool:
    if isinstance(frozen, (_Exact, _Array)):
        return False
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
def _globals_of(code: types.CodeType, *operations: str) -> frozenset[str]:
    """The globals that a function names in such operations, with those of functions
    inside; not attributes, which may be called as a script's globals are."""
    found = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in operations
    }
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _globals_of(constant, *operations)
    return frozenset(found)


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
    classes. What calls `super` brings that of the next class."""
    found = []
    for name in names:
        for base in kind.__mro__:
            if name not in vars(base):
                continue
            method = vars(base)[name]
            if isinstance(method, property):
                method = method.fget
            if isinstance(method, (staticmethod, classmethod)):
                method = method.__func__
            if isinstance(method, functools._lru_cache_wrapper):
                method = method.__wrapped__
            if not isinstance(method, types.FunctionType) or _is_installed(
                base.__module__
            ):
                break
            found.append(method)
            if "super" not in _names_of(method):
                break
    return tuple(found)


# Special methods that no loss calls, and those that dataclasses have of all their fields.
_NOT_CALLED = (
    "__init__ __post_init__ __new__ __del__ __repr__ __str__ __format__ __eq__ __hash__ "
    "__reduce__ __reduce_ex__ __getstate__ __setstate__ __replace__ __dir__ __sizeof__"
).split()


@functools.cache
def _operators(kind: type) -> frozenset[str]:
    """The names of a class's special methods that code calls without naming them."""
    names = {name for base in kind.__mro__ for name in vars(base)}
    special = {name for name in names if name[:2] == name[-2:] == "__"}
    return frozenset(special.difference(_NOT_CALLED))


@functools.cache
def _constants(kind: type, names: frozenset[str]) -> tuple[tuple[type, str], ...]:
    """The attributes of a script's class, and where they stand, that are no methods."""
    found = []
    for name in names:
        for base in kind.__mro__:
            if name in vars(base):
                value = vars(base)[name]
                if not (_is_installed(base.__module__) or hasattr(value, "__get__")):
                    found.append((base, name))
                break
    return tuple(found)


def _is_source(value: Any) -> bool:
    """Whether a value gives others at each call."""
    kind = type(value)
    if kind.__module__.startswith("numpy.random"):
        return hasattr(value, "bit_generator") or hasattr(value, "get_state")
    return isinstance(value, random.Random) or (
        hasattr(kind, "__next__") and hasattr(kind, "__iter__")
    )


def _state_of(source: Any) -> Any:
    """What changes where a source is drawn from, as far as it shows."""
    if isinstance(source, random.Random):
        return source.getstate()
    if hasattr(source, "bit_generator"):
        return source.bit_generator.state
    if hasattr(source, "get_state"):
        return source.get_state(legacy=False)
    if isinstance(source, types.GeneratorType):
        return source.gi_frame and source.gi_frame.f_lasti
    if type(source).__module__ != "itertools":
        return None
    return repr(source)


def _set_state(source: Any, state: Any) -> None:
    """Puts back what `_state_of` gave; iterators stay where they are."""
    if isinstance(source, random.Random):
        source.setstate(state)
    elif hasattr(source, "bit_generator"):
        source.bit_generator.state = state
    elif hasattr(source, "set_state"):
        source.set_state(state)


_NOTHING = object()


def _attribute(value: Any, name: str) -> Any:
    """An attribute that no code is run for, of an object, a class or a module."""
    own = getattr(value, "__dict__", None)
    if own is not None and name in own:
        found = own[name]
        if type(found) in _PROXIES:
            return _NOTHING
        return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
    if isinstance(value, nn.Module) and name in value._modules:
        return value._modules[name]
    for base in value.__mro__ if isinstance(value, type) else type(value).__mro__:
        if name in vars(base):
            found = vars(base)[name]
            if type(found) in _PROXIES:
                return _NOTHING
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


# What a training has beside the loss.
_SKIPPED = (torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler)
# Of a torch.autograd.Function, whose `apply` calls them.
_AUTOGRAD_METHODS = ("forward", "setup_context", "backward")


class _Attributes(NamedTuple):
    """A module's attributes as they were read.

    Attributes:
        module: The module.
        names: Of all its attributes.
        values: Theirs.
        containers: Of those the ones that can change inside: path, value, what was read.
        hooks: Its dictionaries of hooks.
        tensors: Its own, beside parameters and buffers: path, value.
        objects: What holds more than can be compared by itself: path, name, value; the
            name is None for what is called whatever the code names.
        entries: What can be compared, with its names.
    """

    module: nn.Module
    names: list[str]
    values: list[Any]
    containers: list[tuple[str, Any, Any]]
    hooks: list[dict[int, Any]]
    tensors: list[tuple[str, Tensor]]
    objects: list[tuple[str, str | None, Any]]
    entries: tuple[tuple[str, Any], ...]

    def is_current(self, module: nn.Module, now: dict[str, Any]) -> bool:
        """Whether a module with these attributes would be read as this."""
        return (
            self.module is module
            and self.names == list(now)
            and all(map(operator.is_, self.values, now.values()))
            and not any(self.hooks)
            and all(_frozen(value) == frozen for _, value, frozen in self.containers)
        )


class Snapshot(NamedTuple):
    """What `PythonValues.snapshot` gives.

    Attributes:
        values: What `read` gave.
        attributes: Each module's, without parameters, buffers and parts.
        objects: Of a script's classes: name, object, attributes.
        scopes: Globals that are set: name, the globals, value.
        containers: Lists, dictionaries and sets: name, object, entries.
        caches: Functions that keep results.
        holders: Classes and functions of a script, which may keep results as attributes:
            name, object, attributes.
        sources: Generators of random numbers, and iterators: name, object, state.
    """

    values: tuple[tuple[str, Any], ...]
    attributes: list[dict[str, Any]]
    objects: list[tuple[str, Any, dict[str, Any]]]
    scopes: list[tuple[str, dict[str, Any], Any]]
    containers: list[tuple[str, Any, list[Any]]]
    caches: list[Any]
    holders: list[tuple[str, Any, dict[str, Any]]]
    sources: list[tuple[str, Any, Any]]

    def clear_caches(self) -> None:
        """Lets functions compute what they kept: tensors of a capture are none later, and
        others none in a capture. No single entry can be taken out."""
        for cache in self.caches:
            cache.cache_clear()

    def find_drawn(self) -> list[str]:
        """The names of sources that something was drawn from since; what can be put back
        is."""
        drawn = []
        for name, source, state in self.sources:
            if repr(_state_of(source)) != repr(state):  # arrays among them
                drawn.append(name)
                _set_state(source, state)
        return drawn


def _entries(container: Any) -> list[Any]:
    return list(container.items() if isinstance(container, dict) else container)


def _refill(container: Any, entries: list[Any]) -> None:
    """By the base class, whatever a subclass makes of it: a Counter counts."""
    bases = (collections.OrderedDict, dict, list, set, collections.deque)
    base = next(base for base in bases if isinstance(container, base))
    base.clear(container)
    fill = base.extend if base in (list, collections.deque) else base.update
    fill(container, entries)


def _nested(name: str, value: Any, depth: int = _DEPTH) -> Iterator[tuple[str, Any]]:
    """What can change inside of a container, itself included."""
    if isinstance(value, _MUTABLE):
        yield name, value
    if depth and isinstance(value, _CONTAINERS):
        for part in value.values() if isinstance(value, dict) else value:
            if type(part) not in _PROXIES and isinstance(part, _CONTAINERS):
                yield from _nested(name, part, depth - 1)


def _holds_tensor(value: Any, depth: int = _DEPTH) -> bool:
    """Whether a value is a tensor, or a container that has one inside."""
    if type(value) in _PROXIES:
        return False
    if isinstance(value, Tensor):
        return True
    if not depth or not isinstance(value, _CONTAINERS):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return any(_holds_tensor(part, depth - 1) for part in parts)


def list_module(module: nn.Module, seen: list[Any]) -> None:
    """Appends what a module is made of, with names: modules and tensors."""
    for parts in (module._parameters, module._buffers):
        if parts:
            seen += parts
            seen += parts.values()
    for name, part in module._modules.items():
        seen += (name, part)
        if part is not None:
            list_module(part, seen)


def _cache_of(value: Any) -> Any:
    """What keeps results, of an attribute of a class; None where nothing does."""
    value = getattr(value, "__func__", value)
    return value if isinstance(value, functools._lru_cache_wrapper) else None


def _is_same(entry: Any, before: Any) -> bool:
    """Whether an entry is the same object, or one of a dictionary with its key."""
    if isinstance(before, tuple) and isinstance(entry, tuple):
        return len(entry) == len(before) and all(map(operator.is_, entry, before))
    return entry is before


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
        # By name, the tensors that it may use, as `read` found them last: those of the
        # model where code has them by other names than the model.
        self.tensors: dict[str, Tensor] = {}
        # Of networks outside of the model, by their numbers: what they consisted of, and
        # their tensors with names.
        self._networks: dict[int, tuple[list[Any], list[tuple[str, Tensor]]]] = {}
        # Arrays of NumPy whose elements are among what `read` gave.
        self.arrays: list[Any] = []
        # What gives another value at each call, by name: generators of random numbers
        # and iterators.
        self._sources: dict[str, Any] = {}
        # Functions that keep results, by `functools.cache`.
        self._caches: list[Any] = []
        # Functions that are called.
        self._called: list[types.FunctionType] = []
        # Objects whose attributes it may set, and globals that it sets.
        self._objects: list[tuple[str, Any]] = []
        self._scopes: list[tuple[str, dict[str, Any]]] = []
        # Lists and dictionaries that it may change.
        self._containers: list[tuple[str, Any]] = []
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
        self._named, self.tensors, self._sources = {}, {}, {}
        for read in attributes:
            for full, value in read.tensors:
                self._add_tensor(full, value)
        self.arrays = [
            value
            for read in attributes
            for _, value, frozen in read.containers
            if isinstance(frozen, _Array)
        ]
        self._caches, self._containers, self._objects, self._scopes = [], [], [], []
        self._called = []
        for function in self._functions:
            self._read_code(function, code, seen)
        kinds = [
            kind
            for kind in {type(module): None for _, module in modules}
            if not _is_library(kind.__module__)
        ]
        for kind in kinds:
            for method in _methods(kind, frozenset({"forward"})):
                self._read_code(method, code, seen)
        # The model's methods that code names, which may name others.
        done = 0
        while kinds and done < len(self._named):
            new = list(self._named.values())[done:]
            done += len(new)
            for kind in kinds:
                for names in new:
                    for method in _methods(kind, names):
                        self._read_code(method, code, seen)
                    for base, name in _constants(kind, names):
                        full = f"{base.__name__}.{name}"
                        value = vars(base).get(name)
                        self._read_value(full, value, code, seen, names)
        for full, name, value in objects:
            if name is None:
                self._read_value(full, value, code, seen, frozenset())
                continue
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
        kind = type(module)
        entries: list[tuple[str, Any]] = [(path or "the model", _exact(kind))]
        containers, hooks, tensors, objects = [], [], [], []
        is_library = _is_library(kind.__module__)
        for name, value in now.items():
            full = f"{path}.{name}" if path else name
            # Modules and tensors stand in dictionaries of their own.
            if type(value) in _PLAIN:
                if name != "training":
                    entries.append((full, _exact(value)))
            elif name in _HOOKS:
                hooks.append(value)
                if value:
                    entries.append((full, _frozen(list(value.values()))))
                    objects += [(full, None, hook) for hook in value.values()]
            elif name in _INTERNALS or is_library and name[0] == "_":
                continue
            elif isinstance(value, Tensor):
                tensors.append((f"{path or 'the model'}.{name}", value))
            else:
                frozen = _frozen(value)
                if frozen is not _UNSEEN:
                    entries.append((full, frozen))
                if _is_followed(value, frozen):
                    called = name == "forward"
                    objects.append((full, None if called else name, value))
                is_tuple = isinstance(value, tuple) and _is_followed(value, frozen)
                is_array = isinstance(frozen, _Array)
                if is_tuple or is_array or isinstance(value, _MUTABLE):
                    containers.append((full, value, frozen))
        values = list(now.values())
        read = self._modules[path] = _Attributes(
            module,
            list(now),
            values,
            containers,
            hooks,
            tensors,
            objects,
            tuple(entries),
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
            self._called.append(code)
            names = self._named[id(code.__code__)] = _names_of(code)
            _add(values, code.__qualname__, _exact(code))
            defaults = (code.__defaults__, code.__kwdefaults__)
            _add(values, f"{code.__qualname__}'s defaults", _frozen(defaults))
            given = [*(defaults[0] or ()), *(defaults[1] or {}).values()]
            for value in given:
                if _is_followed(value, _frozen(value)):
                    name = f"a default of {code.__qualname__}"
                    self._read_value(name, value, values, seen, names)
            for name, cell in zip(code.__code__.co_freevars, code.__closure__ or ()):
                try:
                    self._read_value(name, cell.cell_contents, values, seen, names)
                except ValueError:  # an empty cell
                    continue
            for name in _globals_of(code.__code__, "STORE_GLOBAL"):
                self._scopes.append((name, code.__globals__))
            for name in _globals_of(code.__code__, "LOAD_GLOBAL", "LOAD_NAME"):
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
        if type(value) in _PROXIES:
            return
        if isinstance(value, Tensor):
            self._add_tensor(name, value)
            return
        if id(value) in self._own or isinstance(value, _SKIPPED):
            return
        if type(value).__module__ == "mlir_amp.torch.step":  # the step itself
            return
        is_scope = isinstance(value, (type, types.ModuleType))
        if isinstance(value, type):
            _add(values, name, _exact(value))
        if is_scope and _is_installed(
            (value.__module__ if isinstance(value, type) else value.__name__) or ""
        ):
            return
        if isinstance(value, (*_FUNCTIONS, functools.partial)):
            _add(values, name, _frozen(value))
            self._read_code(value, values, seen)
            return
        if isinstance(value, functools._lru_cache_wrapper):
            self._caches.append(value)
            self._read_value(name, value.__wrapped__, values, seen, names, depth)
            return
        if _is_source(value):
            self._sources[name] = value
            if _is_installed(type(value).__module__):
                return
        frozen = _frozen(value)
        if isinstance(frozen, _Array):
            self.arrays.append(value)
        if isinstance(value, nn.Module):
            self._read_network(name, value, seen)
            _add(values, name, frozen)
        elif frozen is not _UNSEEN and not is_scope:
            _add(values, name, frozen)
            if isinstance(value, _MUTABLE):
                self._containers.append((name, value))
            is_set = isinstance(value, (set, frozenset))
            if depth and not is_set and _is_followed(value, frozen):
                parts = value.items() if isinstance(value, dict) else enumerate(value)
                for key, part in parts:
                    if _is_followed(part, _frozen(part)):
                        key = key if type(key) in _PLAIN else f"<{type(key).__name__}>"
                        full = f"{name}[{key!r}]"
                        self._read_value(full, part, values, seen, names, depth - 1)
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
            if isinstance(value, type) and issubclass(value, torch.autograd.Function):
                for key in _AUTOGRAD_METHODS:
                    follow(key, _attribute(value, key))
            return
        kind = type(value)
        if not isinstance(value, nn.Module):
            _add(values, name, _exact(kind))
        # What an installed criterion's code names is not known.
        is_called = callable(value) and _is_installed(kind.__module__)
        if is_called or _is_library(kind.__module__):
            for key, part in getattr(value, "__dict__", {}).items():
                if (part := _frozen(part)) != _UNSEEN:
                    _add(values, f"{name}.{key}", part)
            if isinstance(value, nn.Module):
                for key, part in value._modules.items():
                    follow(key, part)
            return
        if isinstance(getattr(value, "__dict__", None), dict):
            self._objects.append((name, value))
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
        is_module = isinstance(value, nn.Module)
        called = {"forward"} if is_module else _operators(kind)
        for method in _methods(kind, names.union(called)):
            self._read_code(types.MethodType(method, value), values, seen, depth - 1)

    def _add_tensor(self, name: str, value: Tensor) -> None:
        """Each place that has it by a name of its own: another one may be put there."""
        while name in self.tensors:
            name += "'"
        self.tensors[name] = value

    def _read_network(self, name: str, network: nn.Module, seen: set[Any]) -> None:
        """All tensors of a network that is not the model's, however deep they are."""
        if ("network", id(network)) in seen:
            return
        parts: list[Any] = []
        list_module(network, parts)
        before, tensors = self._networks.get(id(network), ([], []))
        if len(parts) != len(before) or not all(map(operator.is_, parts, before)):
            tensors = [*network.named_parameters(), *network.named_buffers()]
            self._networks[id(network)] = parts, tensors
        for path, value in tensors:
            self._add_tensor(f"{name}.{path}", value)
        for module in (part for part in parts if isinstance(part, nn.Module)):
            seen.add(("network", id(module)))
        seen.add(("network", id(network)))

    def snapshot(self) -> Snapshot:
        """What a capture may change of Python's, for `restore`."""
        values = self.read()
        numpy_random = getattr(sys.modules.get("numpy"), "random", None)
        sources = {"Python's random": random._inst, **self._sources}
        if numpy_random is not None:
            sources["NumPy's random"] = numpy_random.mtrand._rand
        tops = [*self._containers]
        for read in self._modules.values():
            tops += [(path, held) for path, held, _ in read.containers]
        held_inside = [pair for top in tops for pair in _nested(*top)]
        kinds = {type(module): None for module in self._model.modules()}
        kinds = [kind for kind in kinds if not _is_library(kind.__module__)]
        of_classes = (_cache_of(value) for kind in kinds for value in vars(kind).values())
        caches = [*self._caches, *(cache for cache in of_classes if cache is not None)]
        holders = [(holder.__qualname__, holder) for holder in (*kinds, *self._called)]
        containers = [(name, held, _entries(held)) for name, held in held_inside]
        return Snapshot(
            values,
            [dict(vars(module)) for module in self._model.modules()],
            [(name, held, dict(vars(held))) for name, held in self._objects],
            [(name, scope, scope.get(name)) for name, scope in self._scopes],
            containers,
            caches,
            [(name, holder, dict(vars(holder))) for name, holder in holders],
            [(name, source, _state_of(source)) for name, source in sources.items()],
        )

    def restore(
        self, before: Snapshot, stays: Callable[[Any], bool] = lambda _: False
    ) -> list[str]:
        """Puts attributes of modules, and what lists and dictionaries hold, back to what
        they were before a capture.

        Args:
            before: What `snapshot` gave.
            stays: Says of a value that was set whether it is left.

        Returns:
            The names of what the capture set, or changed in place: from now on that is
            not among what `read` gives.
        """
        names = []
        for (path, module), old in zip(self._model.named_modules(), before.attributes):
            now = vars(module)
            for name in {*now, *old}:
                if name in now and name in old and now[name] is old[name]:
                    continue
                if stays(now.get(name)):
                    continue
                if name not in old and not _holds_tensor(now[name]):
                    # Made at the first call; a constant from then on.
                    continue
                # PyTorch's own modules keep books, and set old weight norms' weights.
                if name not in old or not _is_library(type(module).__module__):
                    names.append(f"{path}.{name}" if path else name)
                    self._changing.add(names[-1])
                if name in old:
                    now[name] = old[name]
                else:
                    del now[name]
        known = dict(before.values)
        for name, value in self.read():
            if name in known and known[name] == value:
                continue
            self._changing.add(name)
            if name in known:
                names.append(name)
        # Under all names of an object, and then once.
        changed = [
            (f"{name}.{key}", vars(held), key, old)
            for name, held, old in before.objects
            for key in {*vars(held), *old}
            if vars(held).get(key) is not old.get(key)
            and not stays(vars(held).get(key))
        ]
        changed += [
            (name, scope, name, {name: value})
            for name, scope, value in before.scopes
            if scope.get(name) is not value and not stays(scope.get(name))
        ]
        for name, now, key, old in changed:
            names.append(name)
            self._changing.add(name)
            if key in old:
                now[key] = old[key]
            else:
                now.pop(key, None)
        for name, holder, old in before.holders:
            now = dict(vars(holder))
            for key in {*now, *old}:
                same = now.get(key, _NOTHING) is old.get(key, _NOTHING)
                if same or stays(now.get(key)):
                    continue
                names.append(f"{name}.{key}")
                self._changing.add(names[-1])
                if key in old:
                    setattr(holder, key, old[key])
                else:
                    delattr(holder, key)
        for name, held, entries in before.containers:
            now = _entries(held)
            if stays(now):
                continue
            if len(now) != len(entries) or not all(map(_is_same, now, entries)):
                names.append(name)
                _refill(held, entries)
        before.clear_caches()
        return sorted(set(names))
