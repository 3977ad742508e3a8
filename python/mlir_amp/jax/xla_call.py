# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions inside jitted ones, through XLA's foreign function
interface: no Python runs, and what is donated is updated in place.

In place, each result that is the new value of an argument shares its memory. XLA copies
the argument before where it was not donated, so that it stays as it was.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from mlir_amp import compiler

__all__ = ["call", "is_available"]

_TARGET: Final = "mlir_amp_program"


@functools.cache
def is_available() -> bool:
    """Whether this package was built with the interface; registers it."""
    entry = compiler.xla_entry()
    if entry is None:
        return False
    jax.ffi.register_ffi_target(_TARGET, entry, platform="cpu")
    return True


def call(
    function: compiler.Function,
    arguments: Sequence[Array],
    results: Sequence[jax.ShapeDtypeStruct],
    scaler: tuple[Array, Array] | None,
    in_place: bool,
) -> tuple[list[Array], tuple[Array, ...]]:
    """Calls a function, inside `jax.jit` or outside of it.

    Args:
        function: Of a program that the caller holds as long as the jitted function.
        arguments: One for each of `function.arguments`.
        results: Shapes and types, one for each of `function.results`.
        scaler: Scale (float32) and clean steps (int32) to begin with, where the program
            has a scaler.
        in_place: Whether results take the memory of arguments.

    Returns:
        The results; and of the scaler scale, clean steps, and whether the step was
        skipped and had an overflow (as counts, 0 or 1).
    """
    places = {(v.role, v.name): i for i, v in enumerate(function.arguments)}
    aliases = {}
    for j, (value, result) in enumerate(zip(function.results, results, strict=True)):
        i = places.get((value.role, value.name)) if in_place else None
        if i is not None and arguments[i].dtype == result.dtype:
            aliases[i] = j
    if scaler and in_place:  # the first two of what is counted
        aliases |= {len(arguments) + i: len(results) + i for i in range(2)}
    count = jax.ShapeDtypeStruct((), jnp.int32)
    scale = jax.ShapeDtypeStruct((), jnp.float32)
    counted = (scale, count, count, count) if scaler else ()
    outcome = jax.ffi.ffi_call(
        _TARGET,
        (*results, *counted),
        input_output_aliases=aliases,
        vmap_method="sequential",
    )(
        *arguments,
        *(scaler or ()),
        **{key: np.int64(number) for key, number in function.xla_attributes.items()},
    )
    return list(outcome[: len(results)]), tuple(outcome[len(results) :])
