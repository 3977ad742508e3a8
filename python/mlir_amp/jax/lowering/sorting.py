# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax.lax.sort and top_k in operations that jaxlib lowers to linalg.

What is sorted is the order: a bitonic network exchanges keys, with the place that each
had, and what was asked for is gathered by these places. Each stage of the network is one
round of a loop over whole arrays; n elements take log2(n) * (log2(n) + 1) / 2 rounds.
Elements with equal keys stay in their order, by their places. As in JAX, to sort a NaN is
above all numbers, all NaNs are equal, and so are both zeros; to top_k all of them differ
by their signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.interpreters import mlir

from mlir_amp.errors import NotLowered

__all__ = ["RULES"]


def _is_below(one: Array, other: Array) -> Array:
    if one.dtype == jnp.bool_:
        return ~one & other
    below = lax.lt(one, other)
    if jnp.issubdtype(one.dtype, jnp.floating):
        below |= lax.eq(one, one) & lax.ne(other, other)
    return below


def _comes_first(ones: Sequence[Array], others: Sequence[Array]) -> Array:
    """Whether elements come before others; the last keys, places, are never equal."""
    *first, one = ones
    *second, other = others
    comes = _is_below(one, other)
    for one, other in zip(reversed(first), reversed(second), strict=True):
        comes = _is_below(one, other) | (~_is_below(other, one) & comes)
    return comes


def _stages(size: int) -> np.ndarray:
    """For each stage the length of the runs that it is to sort, and the distance of the
    elements that it compares."""
    pairs = []
    run = 2
    while run <= size:
        distance = run // 2
        while distance:
            pairs.append((run, distance))
            distance //= 2
        run *= 2
    return np.array(pairs, np.int32)


def _order(keys: Sequence[Array], descending: bool) -> Array:
    """The places of the elements of each row in their order.

    Args:
        keys: Of [rows, n], the first ones first.
        descending: Whether the largest first key comes first; equal ones stay in order.
    """
    rows, count = keys[0].shape
    if count == 1:
        return jnp.zeros((rows, 1), jnp.int32)
    size = 1 << (count - 1).bit_length()
    column = jnp.arange(size, dtype=jnp.int32)
    places = jnp.broadcast_to(column, (rows, size))
    # What fills a row up comes last, whatever its keys are.
    filling = places >= count
    padded = [jnp.pad(key, ((0, 0), (0, size - count))) for key in keys]
    stages = jnp.asarray(_stages(size))

    def exchange(number: Any, held: tuple[Array, ...]) -> tuple[Array, ...]:
        run, distance = stages[number, 0], stages[number, 1]
        across = [
            each.at[:, column ^ distance].get(mode="promise_in_bounds") for each in held
        ]
        mine, theirs = list(held), list(across)
        if descending:
            mine[1], theirs[1] = theirs[1], mine[1]
        keeps_first = ((column & run) == 0) == ((column & distance) == 0)
        keeps = _comes_first(mine, theirs) == keeps_first
        both = zip(held, across, strict=True)
        return tuple(lax.select(keeps, *pair) for pair in both)

    begun = (filling, *padded, places)
    *_, places = lax.fori_loop(0, len(stages), exchange, begun)
    return places[:, :count]


def _sort(
    operands: Sequence[Array], axis: int, keys: int, descending: bool
) -> list[Array]:
    """The operands in the order of the first of them, and the places that they had; the
    axis is the last one."""
    if any(jnp.issubdtype(key.dtype, jnp.complexfloating) for key in operands[:keys]):
        raise NotLowered("'lax.sort' of complex numbers; sort their parts or sizes")
    moved = [jnp.moveaxis(operand, axis, -1) for operand in operands]
    shape = moved[0].shape
    if 0 in shape:
        return [*moved, jnp.zeros(shape, jnp.int32)]
    flat = [operand.reshape(-1, shape[-1]) for operand in moved]
    order = _order(flat[:keys], descending)
    row = jnp.arange(order.shape[0], dtype=jnp.int32)[:, None]
    taken = [each.at[row, order].get(mode="promise_in_bounds") for each in flat]
    return [each.reshape(shape) for each in (*taken, order)]


def _sort_rule(
    *operands: Array, dimension: int, is_stable: bool, num_keys: int
) -> list[Array]:
    *sorted_, _ = _sort(operands, dimension, num_keys, descending=False)
    return [jnp.moveaxis(each, -1, dimension) for each in sorted_]


def _total_order(operand: Array) -> Array:
    """Whole numbers in the order that the bits of floats have: -NaN, -inf, ..., -0, 0,
    ..., inf, NaN. Others as they are."""
    if not jnp.issubdtype(operand.dtype, jnp.floating):
        return operand
    kind = jnp.iinfo(f"int{8 * operand.dtype.itemsize}")
    bits = lax.bitcast_convert_type(operand, kind.dtype)
    return bits ^ ((bits >> (kind.bits - 1)) & kind.max)


def _top_k_rule(operand: Array, *, k: int, axis: int) -> list[Array]:
    both = [_total_order(operand), operand]
    *_, values, places = _sort(both, axis, 1, descending=True)
    return [jnp.moveaxis(each[..., :k], -1, axis) for each in (values, places)]


# What JAX lowers these primitives by, in place of its own rules.
RULES = tuple(
    (primitive, mlir.lower_fun(rule, multiple_results=True))
    for primitive, rule in ((lax.sort_p, _sort_rule), (lax.top_k_p, _top_k_rule))
)
