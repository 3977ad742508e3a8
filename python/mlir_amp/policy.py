# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Levels, properties and op lists.

A level is a row of defaults; what the user gives overrides them. Which
combinations are refused, in which order and in which words, is NVIDIA Apex's.
Nothing here imports PyTorch: types are strings (``"float16"``), and values of
``torch.dtype`` are taken as they come.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, SupportsFloat, SupportsIndex

from mlir_amp import _native

__all__ = [
    "FloatType",
    "HalfType",
    "ListEntry",
    "ListedFunction",
    "Properties",
    "Selection",
    "is_loss",
    "keeps_type_of_self",
    "listed_functions",
    "lookup",
    "refusal",
    "select",
    "spell",
]

FloatType = Literal["float32", "float16", "bfloat16"]
"""A type that a policy can name, as ``torch.dtype`` without ``torch.``."""

HalfType = Literal["float16", "bfloat16"]
"""The low type of a policy."""


@dataclasses.dataclass(frozen=True)
class Properties:
    """The properties in force, under Apex's names.

    Attributes:
        enabled: False where the user asked for ``enabled=False``; the rest is
            then Apex's bare properties.
        opt_level: ``"O0"`` to ``"O5"``; None if not enabled.
        cast_model_type: Type that the model is cast to; None or False: it is
            not cast. ``"float32"`` names the type that it has.
        patch_torch_functions: Whether listed functions get casts.
        patch_torch_functions_type: Low type of those casts.
        keep_batchnorm_fp32: Whether batch norms stay float32 in a cast model.
        master_weights: Whether the optimizer works on float32 copies.
        loss_scale: ``"dynamic"``, or the constant factor on the loss (no unit).
        cast_model_outputs: Type of the model's outputs; None: float32 where the
            model is cast, untouched elsewhere.
        num_losses: Number of loss scalers, at least 1.
        min_loss_scale: Floor of a dynamic scale (no unit); None: no floor.
        max_loss_scale: Ceiling of a dynamic scale (no unit).
        verbosity: Above 0: the selection is printed.
    """

    enabled: bool
    opt_level: str | None
    cast_model_type: FloatType | Literal[False] | None
    patch_torch_functions: bool | None
    patch_torch_functions_type: FloatType | None
    keep_batchnorm_fp32: bool | None
    master_weights: bool | None
    loss_scale: float | Literal["dynamic"]
    cast_model_outputs: FloatType | None
    num_losses: int
    min_loss_scale: float | None
    max_loss_scale: float
    verbosity: int


@dataclasses.dataclass(frozen=True)
class Selection:
    """What a level and the user's overrides came to.

    Attributes:
        properties: The properties in force.
        defaults: The level's own, before the overrides.
        model_cast: The half type that the model is cast to, if it is.
        function_cast: The type that listed functions are patched to, if they
            are.
        initial_scale: Factor on the loss at the first step (no unit).
        text: What Apex prints: level, defaults, options after the overrides.
            With verbosity 0 only warnings; empty if not enabled.
        remarks: About what was accepted although it has no effect; Apex is
            silent there.
    """

    properties: Properties
    defaults: Properties
    model_cast: HalfType | None
    function_cast: FloatType | None
    initial_scale: float
    text: str
    remarks: tuple[str, ...]


def spell(value: object) -> str:
    """Python's repr of a property's value, as the native modules read it: also for
    numbers of NumPy and tensors with one element."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        # Whatever stands between the quotes; repr would escape some of it.
        return f"'{value}'"
    # Whatever Apex's float() takes.
    if isinstance(value, SupportsIndex):
        try:
            return repr(value.__index__())
        except TypeError:
            pass  # a tensor of floats has the method and refuses
    if isinstance(value, SupportsFloat):
        return repr(float(value))
    return repr(value)


def select(
    opt_level: str,
    overrides: Mapping[str, Any] | None = None,
    /,
    **more: Any,
) -> Selection:
    """Selects a level and applies the user's overrides.

    With ``enabled=False`` Apex's bare properties come back and nothing else is
    looked at, the level included. Otherwise the first check that fails decides.

    Args:
        opt_level: ``"O0"`` to ``"O5"``.
        overrides: Values for properties by name; None stands for the level's
            default. Types are values of ``torch.dtype`` (or anything whose
            ``repr`` is ``torch.float16`` and the like), ``loss_scale`` is
            ``"dynamic"``, a number, or its text. ``hard_override=True`` is none:
            with it, properties that the level does not go with are in force, and
            `text` warns of them.
        **more: The same as keyword arguments.

    Returns:
        The selection.

    Raises:
        RuntimeError: An unknown level, or a property that the level does not
            go with.
        AssertionError: ``keep_batchnorm_fp32`` is no boolean.
        TypeError: ``loss_scale`` is of a type that ``float`` does not take.
        ValueError: A property out of its range, or an unknown one.

    The texts are Apex's where the check is Apex's.

    Example:
        >>> select("O2", loss_scale=128.0).properties.master_weights
        True
    """
    given = {**(overrides or {}), **more}
    selection = _native.select(
        str(opt_level), {name: spell(value) for name, value in given.items()}
    )
    return Selection(
        properties=Properties(**selection.properties),
        defaults=Properties(**selection.defaults),
        model_cast=selection.model_cast,
        function_cast=selection.function_cast,
        initial_scale=selection.initial_scale,
        text=selection.text,
        remarks=tuple(selection.remarks),
    )


ListClass = Literal["half", "float32", "promote", "sequence-promote", "banned"]
InPlaceRule = Literal["refuse-half", "refuse-half-self", "match-self"]


class ListEntry(NamedTuple):
    """How a listed function is treated.

    Attributes:
        list_class: What is done to its floating arguments: ``"half"`` and
            ``"float32"`` cast them, ``"promote"`` casts to the widest among
            them, ``"sequence-promote"`` does so for the elements of the first
            argument, ``"banned"`` refuses half arguments.
        in_place: For an in-place form: ``"refuse-half"`` refuses any half
            argument, ``"refuse-half-self"`` refuses a half self and casts the
            others to float32, ``"match-self"`` casts the others to the type of
            self. None: it is no such form.
        origin: ``"apex"``, or ``"ours"`` for counterparts in JAX and in later PyTorch.
    """

    list_class: ListClass
    in_place: InPlaceRule | None
    origin: Literal["apex", "ours"]


class ListedFunction(NamedTuple):
    """A name on the lists, with its entry (see :class:`ListEntry`)."""

    name: str
    list_class: ListClass
    in_place: InPlaceRule | None
    origin: Literal["apex", "ours"]


def listed_functions() -> list[ListedFunction]:
    """Every listed function, in-place forms too, each once.

    Returns:
        Full names (``"torch.nn.functional.linear"``) with their entries for
        float16; prelu, bmm, addbmm and baddbmm are on no list for bfloat16. Some
        in-place forms are of functions for which torch has none.
    """
    return [ListedFunction(*row) for row in _native.lists()]


def lookup(function: str, half: HalfType = "float16") -> ListEntry | None:
    """The entry of a function.

    Args:
        function: Full name, or the one under which PyTorch reports it
            (``"torch.Tensor.sub"`` for ``"torch.Tensor.__sub__"``).
        half: The low type; the lists for bfloat16 are shorter.

    Returns:
        The entry; None for a function on no list, which runs in the types of
        its arguments.

    Raises:
        ValueError: `half` is another type.
    """
    entry = _native.lookup(function, half)
    return None if entry is None else ListEntry(*entry)


def refusal(function: str, half: HalfType = "float16") -> str | None:
    """Apex's text for refusing a function on half arguments.

    Args:
        function: As for :func:`lookup`.
        half: The type of the arguments.

    Returns:
        The text; None for functions that are never refused.

    Raises:
        ValueError: `half` is another type.
    """
    return _native.refusal(function, half)


def is_loss(function: str) -> bool:
    """Whether the function computes a loss, listed or not."""
    return _native.is_loss(function)


def keeps_type_of_self(function: str) -> bool:
    """Whether the result has the type of the first argument whatever the others
    have: in-place forms of torch, listed or not, and ``huber_loss``."""
    return _native.keeps_type_of_self(function)
