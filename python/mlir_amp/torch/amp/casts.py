# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts around torch's functions and methods, as O1 and O4 make them.

A torch function mode sees each call of a torch function on its thread, finds its
entry in the op lists of the C++ library, casts the arguments, and calls it. No
attribute of torch is replaced. The mode lies at the bottom of the thread's stack
of modes, so that it can be taken out again whatever was entered around it.

A function of torch that is written in Python and on no list is run with the mode
on, so that the functions that it calls are cast, as they are where torch's
namespaces are patched (multi-head attention is one).

Casts of FP32 parameters to half are kept until `scale_loss` ends, one for each
parameter and state of its values. Other casts are not kept.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from mlir_amp import policy

from .python_functions import get_inside, may_call_half, may_call_listed
from .state import _amp_state
from .values import is_half

#: Names of types in printed casts, as in Apex.
_TYPE_NAMES = {
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float32: "Float",
    torch.float64: "Double",
}

_RNN_MODULES = (torch.nn.RNNBase, torch.nn.RNNCellBase)


def _is_floating(value: Any) -> bool:
    """True for a floating tensor, and for a list or tuple of nothing else."""
    if isinstance(value, torch.Tensor):
        return value.is_floating_point()
    return isinstance(value, (list, tuple)) and bool(value) and all(map(_is_floating, value))


def _floating_types(values: Iterable[Any], found: set[torch.dtype] | None = None) -> set[torch.dtype]:
    found = set() if found is None else found
    for value in values:
        if isinstance(value, torch.Tensor):
            if value.is_floating_point():
                found.add(value.dtype)
        elif _is_floating(value):
            _floating_types(value, found)
    return found


def _has_containers(args: Iterable[Any], kwargs: dict) -> bool:
    """Whether an argument may have tensors inside, which a cast does not always reach."""
    return any(isinstance(value, (list, tuple, dict)) for value in (*args, *kwargs.values()))


class CastCache:
    """Half casts of FP32 parameters.

    An entry counts only for the values that were cast (the parameter's version
    and storage), and only while the cast can carry the gradient that is asked
    for.
    """

    def __init__(self) -> None:
        #: By its number a parameter, its cast, and version and address of what was cast.
        self._casts: dict[int, tuple[torch.nn.Parameter, torch.Tensor, int, int]] = {}

    def get(self, parameter: torch.nn.Parameter, dtype: torch.dtype) -> torch.Tensor | None:
        """The cast that was kept of these values, if it counts."""
        kept = self._casts.get(id(parameter))
        if kept is None:
            return None
        _, result, version, address = kept
        if version != parameter._version or address != parameter.data_ptr() or result.dtype is not dtype:
            return None
        # A constant where a graph is traced.
        return result if result.requires_grad is parameter.requires_grad and not torch._C._is_tracing() else None

    def keep(self, parameter: torch.nn.Parameter, result: torch.Tensor) -> None:
        # Without gradients nothing tells when the values change behind the
        # version counter (parameter.data), and no scale_loss ends the cast.
        if result.requires_grad and not torch._C._is_tracing():
            self._casts[id(parameter)] = (parameter, result, parameter._version, parameter.data_ptr())

    def clear(self) -> None:
        self._casts.clear()

    def __len__(self) -> int:
        return len(self._casts)


@dataclass(frozen=True)
class Rule:
    """What is done to the arguments of one function."""

    #: A list class of the C++ library: "half", "float32", "promote",
    #: "sequence-promote", "banned"; or "enter" for Python code of torch.
    list_class: str
    #: None, "refuse-half", "refuse-half-self", "match-self".
    in_place: str | None
    name: str
    #: Code of a Python function of torch that is run with the mode on, if something that it
    #: calls may be cast.
    inside: Callable | None = None
    #: Whether that is so where all tensors are in FP32.
    enters_wide: bool = True

    @functools.cached_property
    def is_plain_half(self) -> bool:
        """Whether arguments are cast to half and nothing else is done."""
        return self.list_class == "half" and self.in_place is None and self.inside is None


class ThreadState(threading.local):
    """What a mode knows of each thread."""

    def __init__(self) -> None:
        #: Above 0: nothing is cast.
        self.disabled = 0
        #: Python functions of torch that are being run with the mode on.
        self.entered: list[Callable] = []


class CastMode(TorchFunctionMode):
    """The casts of one `initialize` or `init`.

    Args:
        half: torch.float16 or torch.bfloat16.
        enable_caching: keep casts of parameters until `scale_loss` ends.
        verbose: print each cast.
        allow_banned: run banned functions in FP32 instead of refusing them.
        user_rules: "half", "float32" or "promote" for functions of torch that the
            user registered.
    """

    def __init__(
        self,
        half: torch.dtype = torch.float16,
        enable_caching: bool = True,
        verbose: bool = False,
        allow_banned: bool = False,
        user_rules: dict[Callable, str] | None = None,
    ) -> None:
        super().__init__()
        self.half = half
        self.half_name = str(half).removeprefix("torch.")
        self.cache = CastCache() if enable_caching else None
        self.verbose = verbose
        self.allow_banned = allow_banned
        self.thread = ThreadState()
        #: Ended for good; it may still lie on threads that did not end it.
        self.is_over = False
        self._rules: dict[Callable, Rule | None] = {}
        self._user_names = frozenset(function.__name__ for function in user_rules or {})
        for function, list_class in (user_rules or {}).items():
            name = resolve_name(function) or function.__name__
            self._rules[function] = Rule(list_class, None, name, *self._get_inside(function))

    # -- on and off ---------------------------------------------------------------

    def install(self) -> None:
        """Puts the mode under all modes of this thread."""
        modes = _pop_all()
        # torch wants the default device's own mode to be the lowest.
        default = getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None)
        lowest = getattr(default, "device_context", None)
        place = 1 if modes and modes[0] is lowest else 0
        _push_all([*modes[:place], self, *modes[place:]])

    def remove(self) -> None:
        """Takes the mode out of this thread's stack, if it is there."""
        _push_all([mode for mode in _pop_all() if mode is not self])

    def end(self) -> None:
        """Ends the casts on all threads."""
        self.is_over = True
        remove_ended_modes()

    def is_installed(self) -> bool:
        """True if calls on this thread are cast."""
        count = torch._C._len_torch_function_stack()
        return any(torch._C._get_function_stack_at(i) is self for i in range(count))

    @contextmanager
    def disable(self):
        """Calls inside are not cast. May be nested."""
        self.thread.disabled += 1
        try:
            yield
        finally:
            self.thread.disabled -= 1

    def step_aside(self) -> _Aside:
        """A context in which calls are not cast, and do not pass through here: for code that
        calls many functions, none of them the user's."""
        return _Aside(self)

    # -- casts --------------------------------------------------------------------

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.is_over or self.thread.disabled:
            return func(*args, **kwargs)
        try:
            rule = self._rules[func]
        except KeyError:
            rule = self._rules[func] = self._find_rule(func)
        if rule is None:
            return func(*args, **kwargs)
        if rule.is_plain_half and not kwargs and not self.verbose:
            return func(*self._cast_to_half(args))
        return self.call(func, rule, args, kwargs)

    def _cast_to_half(self, args: tuple) -> list[Any]:
        """Positional arguments as `call` casts them, in few steps: most products come by here."""
        half, cache = self.half, self.cache
        cast = []
        for value in args:
            kind = type(value)
            if kind is torch.nn.Parameter and cache is not None and value.dtype is torch.float32:
                kept = cache.get(value, half)
                if kept is None:
                    kept = value.to(half)
                    cache.keep(value, kept)
                value = kept
            elif kind is torch.Tensor or kind is torch.nn.Parameter:
                if value.dtype is not half and value.dtype.is_floating_point:
                    value = value.to(half)
            elif value is not None and kind is not int:
                value = self._apply(self._cast, value, half, "")
            cast.append(value)
        return cast

    def _find_rule(self, func: Callable) -> Rule | None:
        name = resolve_name(func)
        entry = policy.lookup(name, self.half_name) if name else None
        if entry is None and name and name.startswith("torch.nn.functional."):
            entry = self._find_promotion(func, name)
        inside, enters_wide = self._get_inside(func)
        if entry is not None:
            return Rule(entry.list_class, entry.in_place, name, inside, enters_wide)
        if inside is not None:
            return Rule("enter", None, name or func.__name__, inside)
        return None

    def _get_inside(self, func: Callable) -> tuple[Callable | None, bool]:
        """The two last fields of a rule."""
        inside = get_inside(func)
        if inside is None or not may_call_listed(func, self._user_names):
            return None, False
        # Of functions that the user registered code does not show each form.
        return inside, bool(self._user_names) or may_call_half(func)

    def _find_promotion(self, func: Callable, name: str) -> policy.ListEntry | None:
        """The entry of the same function under torch, if it promotes.

        A function of both namespaces is seen under one name. To promote what would
        be refused does no harm; a cast to half or FP32 is left to the listed name.
        """
        short = name.rsplit(".", 1)[1]
        if getattr(torch, short, None) is not func:
            return None
        entry = policy.lookup(f"torch.{short}", self.half_name)
        return entry if entry is not None and entry.list_class == "promote" else None

    def call(self, func: Callable, rule: Rule, args: tuple, kwargs: dict) -> Any:
        """Calls `func` on arguments cast by `rule`."""
        if isinstance(out := kwargs.get("out"), torch.Tensor) and rule.list_class != "enter":
            # A cast copy of `out` would get the result.
            others = {key: value for key, value in kwargs.items() if key != "out"}
            result = self.call(func, rule, args, others)
            if out.shape != result.shape:
                out.resize_(result.shape)
            return out.copy_(result)
        if rule.in_place is not None:
            return self._call_in_place(func, rule, args, kwargs)
        match rule.list_class:
            case "half":
                args, kwargs = self._cast_all(self.half, args, kwargs, rule.name, cached=True)
            case "float32":
                args, kwargs = self._cast_all(torch.float32, args, kwargs, rule.name)
            case "promote":
                if len(found := _floating_types([*args, *kwargs.values()])) > 1:
                    self._check_promotion(found)
                    args, kwargs = self._cast_all(torch.float32, args, kwargs, rule.name)
            case "sequence-promote":
                if args and isinstance(args[0], (list, tuple)):
                    if _floating_types(args[0]) == {self.half, torch.float32} and _is_floating(args[0]):
                        sequence = [self._cast(value, torch.float32, rule.name) for value in args[0]]
                        args = (sequence, *args[1:])
            case "banned":
                if not self.allow_banned and self.half in _floating_types([*args, *kwargs.values()]):
                    raise NotImplementedError(policy.refusal(rule.name, self.half_name))
                args, kwargs = self._cast_all(torch.float32, args, kwargs, rule.name)
        inside = rule.inside
        if inside is None or func in self.thread.entered:
            return func(*args, **kwargs)
        if rule.list_class == "float32" and not rule.enters_wide and not _has_containers(args, kwargs):
            return func(*args, **kwargs)
        # What it calls may name it again: variants of pooling do.
        self.thread.entered.append(func)
        try:
            with self:
                return inside(*args, **kwargs)
        finally:
            self.thread.entered.pop()

    def _call_in_place(self, func: Callable, rule: Rule, args: tuple, kwargs: dict) -> Any:
        if not args:
            return func(*args, **kwargs)
        target, *others = args
        if rule.in_place == "refuse-half":
            if self.half in _floating_types([*args, *kwargs.values()]):
                raise NotImplementedError(policy.refusal(rule.name, self.half_name))
            return func(*args, **kwargs)
        if rule.in_place == "refuse-half-self":
            if target.dtype == self.half:
                raise NotImplementedError(policy.refusal(rule.name, self.half_name))
            dtype = torch.float32
        elif target.dtype == self.half:
            dtype = self.half
        elif target.dtype == torch.float32:
            dtype = torch.float32
        else:
            return func(*args, **kwargs)
        others, kwargs = self._cast_all(dtype, others, kwargs, rule.name)
        return func(target, *others, **kwargs)

    def _check_promotion(self, found: set[torch.dtype]) -> None:
        if found != {self.half, torch.float32}:
            names = {f"{_TYPE_NAMES.get(dtype, str(dtype))}Tensor" for dtype in found}
            raise NotImplementedError(f"Do not know how to handle these types to promote: {names}")

    def _cast_all(self, dtype: torch.dtype, args: Iterable, kwargs: dict, name: str, cached: bool = False):
        cast = self._cast_parameter if cached and self.cache is not None else self._cast
        others = {key: self._apply(cast, value, dtype, name) for key, value in kwargs.items()} if kwargs else kwargs
        return [self._apply(cast, value, dtype, name) for value in args], others

    def _apply(self, cast: Callable, value: Any, dtype: torch.dtype, name: str) -> Any:
        if isinstance(value, torch.Tensor):
            return cast(value, dtype, name)
        if isinstance(value, (list, tuple)) and _is_floating(value):
            inside = [self._apply(cast, element, dtype, name) for element in value]
            return inside if isinstance(value, list) else tuple(inside)
        return value

    def _cast_parameter(self, tensor: torch.Tensor, dtype: torch.dtype, name: str) -> torch.Tensor:
        if tensor.dtype != torch.float32 or not isinstance(tensor, torch.nn.Parameter):
            return self._cast(tensor, dtype, name)
        result = self.cache.get(tensor, dtype)
        if result is None:
            result = self._cast(tensor, dtype, name)
            self.cache.keep(tensor, result)
        return result

    def _cast(self, tensor: torch.Tensor, dtype: torch.dtype, name: str) -> torch.Tensor:
        if tensor.dtype == dtype or not tensor.dtype.is_floating_point:
            return tensor
        if self.verbose:
            print(f"{_TYPE_NAMES.get(tensor.dtype, tensor.dtype)}->{_TYPE_NAMES[dtype]} ({name.rsplit('.', 1)[-1]})")
        return tensor.to(dtype)


class _Aside:
    """The context of `CastMode.step_aside`; not a generator, for each step enters some."""

    def __init__(self, mode: CastMode) -> None:
        self._mode = mode
        self._place: int | None = None

    def __enter__(self) -> None:
        mode = self._mode
        mode.thread.disabled += 1
        if torch.compiler.is_compiling():
            return
        modes = _pop_all()
        self._place = modes.index(mode) if mode in modes else None
        _push_all(other for other in modes if other is not mode)

    def __exit__(self, *failure: Any) -> None:
        mode = self._mode
        mode.thread.disabled -= 1
        if self._place is not None and not mode.is_over and not mode.is_installed():
            now = _pop_all()
            _push_all([*now[: self._place], mode, *now[self._place :]])


def remove_ended_modes() -> None:
    """Takes modes that another thread ended out of this thread's stack."""
    _push_all([mode for mode in _pop_all() if not (isinstance(mode, CastMode) and mode.is_over)])


def _pop_all() -> list[TorchFunctionMode]:
    """The thread's modes, taken off, the lowest first."""
    count = torch._C._len_torch_function_stack()
    return [torch._C._pop_torch_function_stack() for _ in range(count)][::-1]


def _push_all(modes: Iterable[TorchFunctionMode]) -> None:
    for mode in modes:
        torch._C._push_on_torch_function_stack(mode)


# -- hooks of modules -----------------------------------------------------------------
#
# Functions, so that models that have them can be pickled. Where no casts are on, they do
# nothing.


def _get_mode() -> CastMode | None:
    return None if _amp_state.handle is None else _amp_state.handle.mode


def prepare_model(model: torch.nn.Module) -> None:
    """Has the casts follow a model to other threads, and take half keywords of its RNNs."""
    model.register_forward_pre_hook(_enter_thread, prepend=True)
    model.register_forward_hook(_leave_thread, always_call=True)
    for module in model.modules():
        if isinstance(module, _RNN_MODULES):
            module.register_forward_pre_hook(_widen_keywords, with_kwargs=True)


class _Visit(threading.local):
    """A mode on a thread that is not its own, while models are called there."""

    mode: CastMode | None = None
    depth = 0


_visit = _Visit()


def _enter_thread(module: torch.nn.Module, args: tuple) -> None:
    if _visit.mode is None:
        mode = _get_mode()
        if mode is None or mode.is_installed():
            return
        mode.install()
        _visit.mode = mode
    _visit.depth += 1


def _leave_thread(module: torch.nn.Module, args: tuple, output: Any) -> None:
    if _visit.mode is None:
        return
    _visit.depth -= 1
    if not _visit.depth:
        _visit.mode.remove()
        _visit.mode = None


def widen_rnn_inputs() -> torch.utils.hooks.RemovableHandle:
    """Has recurrent modules, all there are, take half inputs by position; until the handle is removed.

    They refuse an input that is not of their weights' type before they call the
    function that is cast. An exact widening takes the refusal away: the function
    narrows it again.
    """
    return torch.nn.modules.module.register_module_forward_pre_hook(widen_positional)


def widen_positional(module: torch.nn.Module, args: tuple) -> tuple | None:
    return _widen(args) if isinstance(module, _RNN_MODULES) and _is_cast(module) else None


def _widen_keywords(module: torch.nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    if not kwargs or not _is_cast(module):
        return None
    return args, {key: _widen(value) for key, value in kwargs.items()}


def _is_cast(module: torch.nn.Module) -> bool:
    """Whether the function behind a recurrent module casts FP32 weights now."""
    mode = _get_mode()
    if mode is None or mode.thread.disabled or not mode.is_installed():
        return False
    weight = next(module.parameters(), None)
    return weight is not None and weight.dtype == torch.float32


def _widen(value: Any) -> Any:
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        return value._replace(data=_widen(value.data))
    if isinstance(value, torch.Tensor):
        return value.float() if is_half(value) else value
    return tuple(map(_widen, value)) if isinstance(value, tuple) else value
