# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the user's that are to be cast.

A decorated function casts its own arguments. A registered one is looked up by name
when casts begin: a function of torch gets a rule in the cast mode; a function of any
other module is replaced in that module until the casts end.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from .casts import Rule
from .state import _amp_state

if TYPE_CHECKING:
    from .handle import AmpHandle

_registered: dict[tuple[int, str], tuple[Any, str, str]] = {}


def _wrap(function: Callable, list_class: str, get_handle: Callable[[], AmpHandle | None]) -> Callable:
    rule = Rule(list_class, None, getattr(function, "__name__", str(function)))

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        handle = get_handle()
        if handle is None or not handle.is_active():
            return function(*args, **kwargs)
        return handle.mode.call(function, rule, args, kwargs)

    return wrapper


def _decorate(function: Callable, list_class: str) -> Callable:
    return _wrap(function, list_class, lambda: _amp_state.handle)


def half_function(function: Callable) -> Callable:
    """A decorator: the function's floating arguments are cast to half at O1."""
    return _decorate(function, "half")


def float_function(function: Callable) -> Callable:
    """A decorator: the function's floating arguments are cast to FP32 at O1."""
    return _decorate(function, "float32")


def promote_function(function: Callable) -> Callable:
    """A decorator: floating arguments are cast to the widest type among them at O1."""
    return _decorate(function, "promote")


def _register(module: Any, name: str, list_class: str) -> None:
    if not hasattr(module, name):
        raise ValueError(f"No function named {name} in module {module}.")
    _registered[id(module), name] = (module, name, list_class)


def register_half_function(module: Any, name: str) -> None:
    """Has `module.name` cast its floating arguments to half; before `initialize`."""
    _register(module, name, "half")


def register_float_function(module: Any, name: str) -> None:
    """Has `module.name` cast its floating arguments to FP32; before `initialize`."""
    _register(module, name, "float32")


def register_promote_function(module: Any, name: str) -> None:
    """Has `module.name` cast to the widest type among its arguments; before `initialize`."""
    _register(module, name, "promote")


@functools.cache
def _get_torch_functions() -> frozenset[Callable]:
    overridable = torch.overrides.get_overridable_functions()
    return frozenset(function for functions in overridable.values() for function in functions)


def _is_of_torch(function: Any) -> bool:
    try:
        return function in _get_torch_functions()
    except TypeError:
        return False


def get_rules() -> dict[Callable, str]:
    """Registered functions of torch, with their list class."""
    rules = {}
    for module, name, list_class in _registered.values():
        if _is_of_torch(function := getattr(module, name)):
            rules[function] = list_class
    return rules


_ABSENT = object()


def replace_functions(handle: AmpHandle) -> list[tuple[Any, str, Any]]:
    """Wraps registered functions of other modules and of classes; returns what stood there."""
    replaced = []
    for module, name, list_class in _registered.values():
        if _is_of_torch(getattr(module, name)):
            continue
        # As it stands there: a class has static methods in a wrapper, and others' not at all.
        replaced.append((module, name, vars(module).get(name, _ABSENT)))
        raw = inspect.getattr_static(module, name)
        if isinstance(raw, (staticmethod, classmethod)):
            wrapped: Any = type(raw)(_wrap(raw.__func__, list_class, lambda: handle))
        else:
            wrapped = _wrap(getattr(module, name), list_class, lambda: handle)
        setattr(module, name, wrapped)
    return replaced


def restore_functions(replaced: list[tuple[Any, str, Any]]) -> None:
    for module, name, stood in reversed(replaced):
        if stood is _ABSENT:
            delattr(module, name)
        else:
            setattr(module, name, stood)


def forget() -> None:
    """Forgets all registered functions."""
    _registered.clear()
