# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss scale as a value: a pytree that goes through `jax.jit` with the rest of the
training state.

The rules are those of the runtime library's scaler. A jitted function cannot call it, so
they stand here once more, in jax.numpy; which numbers they run with (start, factors,
interval, bounds) is asked of the library, and tests compare the two at every step of
Apex's recorded runs and of random histories.

The library counts in f64, this state in f32. As long as factors are powers of two that
is no difference: rounding to f32 commutes with them, and with the bounds because it is
monotone. So `loss_scale` is the library's scale rounded to f32, which is what compiled
steps multiply by, from 2**-126 to 2**126; where the library's goes beyond, this one is
held.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from mlir_amp import scaler
from mlir_amp.errors import InvalidArgument
from mlir_amp.jax.policy import select_level

__all__ = ["LossScaleState", "ScaleRules", "all_finite", "select"]

Tree = TypeVar("Tree")

# Between these a scale and its inverse are normal numbers of f32; what a count may be.
_BOTTOM: Final = 2.0**-126
_TOP: Final = 2.0**126
_MOST: Final = 2**31 - 1


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise InvalidArgument(text, "invalid argument")


def _is_floating(leaf: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(leaf), jnp.floating)


def _multiply(leaf: Any, factor: Array) -> Array:
    """In f32 where the leaf is narrower: a scale of 2**16 is no number of f16."""
    wide = jnp.promote_types(jnp.result_type(leaf), jnp.float32)
    return jnp.asarray(leaf, wide) * factor.astype(wide)


def all_finite(tree: Any) -> Array:
    """Whether no floating or complex array of the tree has an infinity or NaN.

    Args:
        tree: Any pytree; whole numbers and booleans count as finite.

    Returns:
        bool of rank 0; true for a tree without arrays.
    """
    leaves = [
        jnp.all(jnp.isfinite(x))
        for x in jax.tree.leaves(tree)
        if jnp.issubdtype(jnp.result_type(x), jnp.inexact)
    ]
    return jnp.all(jnp.stack(leaves)) if leaves else jnp.asarray(True)


def select(take_new: Any, new: Tree, old: Tree) -> Tree:
    """`new` where `take_new` holds, else `old`: how a step is skipped inside `jax.jit`.

    Args:
        take_new: bool of rank 0, what :func:`all_finite` or
            :meth:`LossScaleState.takes_step` gave.
        new: A tree.
        old: One of the same structure, with the same shapes and types.

    Returns:
        One of the two, as a whole.

    Raises:
        mlir_amp.InvalidArgument: The trees differ in structure, shape or type, or
            `take_new` is not one boolean.
    """
    decision = jnp.asarray(take_new)
    _require(
        decision.shape == () and decision.dtype == jnp.bool_,
        f"select: expected one boolean, but got {decision.dtype}{list(decision.shape)}",
    )
    structures = jax.tree.structure(new), jax.tree.structure(old)
    _require(
        structures[0] == structures[1],
        f"select: expected trees of one structure, but got {structures[0]} and "
        f"{structures[1]}",
    )

    def choose(path: Any, one: Any, other: Any) -> Array:
        types = [(jnp.shape(x), jnp.result_type(x).name) for x in (one, other)]
        _require(
            types[0] == types[1],
            f"select: expected 'new' and 'old' alike, but "
            f"'{jax.tree_util.keystr(path)}' is {types[0][1]}{list(types[0][0])} and "
            f"{types[1][1]}{list(types[1][0])}",
        )
        return jnp.where(decision, one, other)

    return jax.tree_util.tree_map_with_path(choose, new, old)


@dataclasses.dataclass(frozen=True)
class ScaleRules:
    """The numbers that a scale moves by; the same for all states of a training.

    Attributes:
        dynamic: Whether the scale follows the overflows.
        min_scale: Floor; 0: none.
        max_scale: Ceiling; infinity: none.
        growth_interval: Clean steps in a row before the scale grows.
        growth_factor: A power of two above 1.
        backoff_factor: A power of two below 1.
    """

    dynamic: bool
    min_scale: float
    max_scale: float
    growth_interval: int
    growth_factor: float
    backoff_factor: float


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class LossScaleState:
    """A loss scale and what it has counted. Every method gives a new value.

    Made by :meth:`dynamic`, :meth:`static` or :meth:`for_level`.

    Attributes:
        loss_scale: The factor on the loss (no unit); float32 of rank 0.
        unskipped: Clean steps since it last changed; int32 of rank 0, as the others.
        steps: Steps so far.
        skipped: Of those, how many were skipped.
        overflows: Of those, how many had a gradient that was not finite.
        rules: What it moves by; not an array.

    Example:
        >>> state = LossScaleState.dynamic()
        >>> float(state.loss_scale), float(state.update(False).loss_scale)
        (65536.0, 32768.0)
    """

    loss_scale: Array
    unskipped: Array
    steps: Array
    skipped: Array
    overflows: Array
    rules: ScaleRules = dataclasses.field(metadata={"static": True})

    @staticmethod
    def _start(library: scaler.LossScaler) -> LossScaleState:
        config = library.config
        factors = (
            (config["growth_factor"], config["backoff_factor"])
            if config["dynamic"]
            else ()
        )
        for factor in factors:
            _require(
                math.frexp(factor)[0] == 0.5,
                f"loss scale: expected factors that are powers of two, but got {factor}: "
                "others round in float32",
            )
        _require(
            config["growth_interval"] <= _MOST,
            f"loss scale: expected an interval of at most {_MOST} steps, but got "
            f"{config['growth_interval']}",
        )
        _require(
            _BOTTOM <= library.scale <= _TOP,
            "loss scale: expected a scale that float32 holds, from 2**-126 to 2**126, "
            f"but got {library.scale}",
        )
        rules = ScaleRules(
            config["dynamic"],
            config["min_scale"],
            config["max_scale"],
            config["growth_interval"],
            config["growth_factor"],
            config["backoff_factor"],
        )
        # Arrays of their own, for none may be donated twice.
        counts = [jnp.array(0, jnp.int32) for _ in range(4)]
        return LossScaleState(jnp.array(library.scale, jnp.float32), *counts, rules)

    @staticmethod
    def dynamic(**numbers: Any) -> LossScaleState:
        """A scale that falls at an overflow and grows after clean steps.

        Args:
            **numbers: As of :class:`mlir_amp.scaler.LossScaler`, whose defaults are
                Apex's: ``init_scale``, ``scale_factor``, ``scale_window``,
                ``min_loss_scale``, ``max_loss_scale``, ``backoff_factor``.

        Raises:
            mlir_amp.InvalidArgument: A number out of its range, or a factor that is no
                power of two.
            TypeError: Another name.
        """
        return LossScaleState._start(scaler.LossScaler("dynamic", **numbers))

    @staticmethod
    def static(loss_scale: float = 1.0) -> LossScaleState:
        """A constant scale. As in Apex, it never skips.

        Raises:
            mlir_amp.InvalidArgument: It is not above 0 and finite.
        """
        return LossScaleState._start(scaler.LossScaler(loss_scale))

    @staticmethod
    def for_level(opt_level: str, **properties: Any) -> LossScaleState:
        """The scale that a level begins with.

        Args:
            opt_level: ``"O0"`` to ``"O5"``.
            **properties: Apex's: ``loss_scale``, ``min_loss_scale``,
                ``max_loss_scale`` and the others.

        Raises:
            RuntimeError, AssertionError, TypeError, ValueError: As
                :func:`mlir_amp.policy.select`.
            mlir_amp.InvalidArgument: As above.
        """
        selected = select_level(opt_level, properties).properties
        if selected.loss_scale != "dynamic":
            return LossScaleState.static(selected.loss_scale)
        return LossScaleState.dynamic(
            min_loss_scale=selected.min_loss_scale,
            max_loss_scale=selected.max_loss_scale,
        )

    def scale(self, tree: Tree) -> Tree:
        """The loss, or a tree of losses, times the scale; half ones in float32.

        Raises:
            mlir_amp.InvalidArgument: One is not floating.
        """

        def scaled(path: Any, leaf: Any) -> Array:
            _require(
                _is_floating(leaf),
                f"scale: expected losses to be floating, but "
                f"'{jax.tree_util.keystr(path)}' is {jnp.result_type(leaf).name}",
            )
            return _multiply(leaf, self.loss_scale)

        return jax.tree_util.tree_map_with_path(scaled, tree)

    def unscale(self, tree: Tree) -> Tree:
        """Gradients times the inverse of the scale: half ones in float32, for what is
        divided by 2**16 in half is often nothing. Whole numbers stay (gradients of such
        parameters, which have no values)."""
        inverse = 1 / self.loss_scale
        return jax.tree.map(
            lambda leaf: _multiply(leaf, inverse) if _is_floating(leaf) else leaf, tree
        )

    def takes_step(self, grads_finite: Any) -> Array:
        """Whether the optimizer's step counts: :func:`select`'s first argument. Always
        with a static scale.

        Args:
            grads_finite: What :func:`all_finite` gave for the gradients.

        Returns:
            bool of rank 0.
        """
        finite = jnp.asarray(grads_finite, jnp.bool_)
        return finite if self.rules.dynamic else jnp.ones_like(finite)

    def update(self, grads_finite: Any) -> LossScaleState:
        """The state after a step.

        Args:
            grads_finite: What :func:`all_finite` gave for the gradients; bool of rank 0.

        Returns:
            A new state; an optimizer's step that overflowed is to be left out, see
            :meth:`takes_step`.

        Raises:
            InvalidArgument: ``grads_finite`` has dimensions.
        """
        rules = self.rules
        finite = jnp.asarray(grads_finite, jnp.bool_)
        _require(
            not finite.ndim,
            f"expected one truth value of all gradients, but got {list(finite.shape)}; "
            "all_finite(grads) gives one",
        )
        skips = ~self.takes_step(finite)
        scale, unskipped = self.loss_scale, jnp.where(skips, 0, self.unskipped + 1)
        if rules.dynamic:
            floor = max(rules.min_scale, _BOTTOM)
            lowered = jnp.maximum(scale * rules.backoff_factor, floor)
            scale = jnp.where(skips, lowered, scale)
            grows = unskipped >= rules.growth_interval
            grown = jnp.minimum(scale * rules.growth_factor, rules.max_scale)
            scale = jnp.where(grows & (grown <= _TOP), grown, scale)
            unskipped = jnp.where(grows, 0, unskipped)
        return self.count(scale, unskipped, skips, ~finite)

    def count(
        self, loss_scale: Any, unskipped: Any, skipped: Any, overflows: Any
    ) -> LossScaleState:
        """The state after a step that somebody else decided about.

        Args:
            loss_scale: The scale for the next one.
            unskipped: Clean steps since it last changed.
            skipped: 1 if the step was skipped, else 0.
            overflows: 1 if it found an infinity or NaN, else 0.
        """
        return dataclasses.replace(
            self,
            loss_scale=loss_scale,
            unskipped=unskipped,
            steps=self.steps + 1,
            skipped=self.skipped + skipped,
            overflows=self.overflows + overflows,
        )

    def adjust(self, grads_finite: Any) -> LossScaleState:
        """:meth:`update`, by the name that jmp gives it."""
        return self.update(grads_finite)

    def to_scaler(self, name: str = "loss_scaler0") -> scaler.LossScaler:
        """The library's scaler at this scale, for its words on the state
        (:meth:`mlir_amp.scaler.LossScaler.health`); not inside `jax.jit`."""
        rules = self.rules
        library = scaler.LossScaler(
            "dynamic" if rules.dynamic else float(self.loss_scale),
            scale_factor=rules.growth_factor,
            backoff_factor=rules.backoff_factor,
            scale_window=rules.growth_interval,
            min_loss_scale=rules.min_scale,
            max_loss_scale=rules.max_scale,
            name=name,
        )
        library.load_state_dict(self.state_dict())
        return library

    def state_dict(self) -> scaler.Checkpoint:
        """Apex's checkpoint entry, ``{"loss_scale": 65536.0, "unskipped": 0}``; not
        inside `jax.jit`."""
        return {"loss_scale": float(self.loss_scale), "unskipped": int(self.unskipped)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> LossScaleState:
        """The state with an entry of Apex's checkpoints; statistics stay. As in Apex,
        the bounds are not applied.

        Raises:
            KeyError: An entry is missing.
            mlir_amp.InvalidArgument: A scale that float32 does not hold, or a negative
                counter.
        """
        scale, unskipped = state_dict["loss_scale"], state_dict["unskipped"]
        _require(
            _BOTTOM <= scale <= _TOP and 0 <= unskipped <= _MOST,
            "loss scale: expected a scale from 2**-126 to 2**126 and a counter from 0 to "
            f"{_MOST}, but the state has {scale} and {unskipped}",
        )
        return dataclasses.replace(
            self,
            loss_scale=jnp.asarray(scale, jnp.float32),
            unskipped=jnp.asarray(unskipped, jnp.int32),
        )
