# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of torch that are written in Python, and what they call.

Such a function asks first whether its call is overridden, and hands it to the function
mode that is on. `get_inside` has its code without that question, to be run with the mode
on: where torch's namespaces are patched, as Apex does it, the functions that it calls are
cast as well. Most of `torch.nn.functional` calls one function of C++ that is on no list
(`relu`, `layer_norm`): `may_call_listed` reads their code, and where it says no, nothing
has to be seen of what they call. What is computed in FP32 alone (losses, `softmax`) has to be
seen only where `may_call_half` says so.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import torch

from mlir_amp import policy

#: What asks whether a call is overridden, at the head of torch's Python functions.
_OVERRIDE_CHECKS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")

#: Backward passes are entered for what is called again in them, by checkpoints, hooks
#: and functions of the user's.
_ENTERED_MODULES = ("torch.nn.functional", "torch.functional", "torch._tensor", "torch.autograd")

#: Where a name in a function's code may be found: of attributes the code has no more than the name.
_NAMESPACES = (torch, torch.nn.functional, torch.functional, torch.Tensor)

#: Operators, each a method of tensors that is on a list.
_OPERATIONS = ("BINARY_OP", "COMPARE_OP", "UNARY_NEGATIVE", "UNARY_INVERT")

#: Those that are computed in half, as `dis` shows them.
_HALF_OPERATORS = ("@", "@=")


@functools.cache
def get_inside(func: Callable) -> Callable | None:
    """The code of a Python function of torch behind its check for overrides.

    None for a function that is not written in Python, or not in one of the
    modules whose functions call listed ones.
    """
    if not isinstance(func, types.FunctionType):
        return None
    wrapped = getattr(func, "__wrapped__", None)
    if func.__module__ == "torch._tensor" and func is not torch.Tensor.backward:
        return wrapped  # the operators: __rdiv__ calls reciprocal
    if func.__module__ not in _ENTERED_MODULES or wrapped is not None:
        return None
    clone = types.FunctionType(
        func.__code__,
        _get_unchecked_globals(func.__module__),
        func.__name__,
        func.__defaults__,
        func.__closure__,
    )
    clone.__kwdefaults__ = func.__kwdefaults__
    return clone


@functools.cache
def _get_unchecked_globals(module: str) -> dict[str, Any]:
    """A copy of a module's names, in which nothing is overridden."""
    names = dict(vars(sys.modules[module]))
    for check in _OVERRIDE_CHECKS:
        if check in names:
            names[check] = lambda *args: False
    return names


@functools.cache
def may_call_listed(func: types.FunctionType, others: frozenset[str] = frozenset()) -> bool:
    """Whether a function that `get_inside` has code of may call one on a list.

    Args:
        func: a Python function of torch.
        others: names that count as listed, without their modules.

    Returns:
        False by the names in its code, and in that of the Python functions behind
        them; True may be wrong.
    """
    if func.__name__ in others:
        return True
    return _may_call(func, _get_listed_names() | others, lambda operation: True)


@functools.cache
def may_call_half(func: types.FunctionType) -> bool:
    """Whether it may call one that is listed to be computed in half; True may be wrong.

    Where it does not, nothing that it computes of FP32 alone is cast: promotions and
    casts to FP32 leave that as it is.
    """
    return _may_call(func, _get_listed_names("half"), lambda operation: operation.argrepr in _HALF_OPERATORS)


def _may_call(
    func: types.FunctionType, listed: frozenset[str], is_listed: Callable[[dis.Instruction], bool]
) -> bool:
    if func.__module__ != "torch.nn.functional":
        return True
    names = _get_called_names(func, is_listed)
    return names is None or not names.isdisjoint(listed)


def _get_called_names(func: types.FunctionType, is_listed: Callable[[dis.Instruction], bool]) -> set[str] | None:
    """All names in the code of a function and of what it calls.

    None where code does not tell: operators that are listed, closures, functions that are
    passed.
    """
    names: set[str] = set()
    waiting, seen = [func], {func}
    while waiting:
        function = waiting.pop()
        takes_function = any("Callable" in str(note) for note in function.__annotations__.values())
        operations = [i for i in dis.get_instructions(function) if i.opname in _OPERATIONS]
        if function.__closure__ or takes_function or any(map(is_listed, operations)):
            return None
        own = set(function.__code__.co_names).difference(_OVERRIDE_CHECKS, _get_own_name(function), ["handle_torch_function"])
        names |= own
        found = [function.__globals__.get(name) for name in own]
        found += [getattr(place, name, None) for name in own for place in _NAMESPACES]
        for called in found:
            if isinstance(called, types.FunctionType) and called not in seen:
                seen.add(called)
                waiting.append(called)
    return names


def _get_own_name(function: types.FunctionType) -> list[str]:
    """The function's name as it tells it the mode, if no other function has it that is listed."""
    name = function.__name__
    is_listed = any(policy.lookup(f"{place}.{name}") for place in ("torch", "torch.Tensor"))
    return [] if is_listed else [name]


@functools.cache
def _get_listed_names(list_class: str | None = None) -> frozenset[str]:
    """The last part of each listed name, or of those of one class."""
    return frozenset(
        function.name.rsplit(".", 1)[-1]
        for function in policy.listed_functions()
        if list_class in (None, function.list_class)
    )
