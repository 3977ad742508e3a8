# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss scalers.

The state machine is the runtime library's, the one that compiled steps use. With
its defaults it gives what NVIDIA Apex's LossScaler gives, bit for bit, but for
two faults: a scale is held at 5e-324 where Apex halves it to 0 and divides by
it, and a counter that was loaded past the interval grows at the next clean step
where in Apex it never does. The preset ``"torch"`` is torch.amp.GradScaler's
machine, with the same two exceptions (there the scale is held at 2**-149).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict

from mlir_amp import _native

__all__ = [
    "Checkpoint",
    "Health",
    "LossScaler",
    "ScalerConfig",
    "ScalerState",
    "Verdict",
    "restore",
]

Verdict = Literal[
    "healthy", "backing-off", "stuck-at-floor", "stuck-at-bottom", "static-overflow"
]


class Health(NamedTuple):
    """What to make of a scaler's state.

    Attributes:
        verdict: ``"healthy"``: the latest update was clean. ``"backing-off"``:
            it was skipped, and the scale can still fall; ordinary at the start
            and after each growth. ``"stuck-at-floor"``: the gradients are not
            finite whatever the scale. ``"stuck-at-bottom"``: so, and the scale
            is held at the smallest number above 0. ``"static-overflow"``: a static scaler was given
            overflows, and none was skipped.
        text: The verdict explained, with what to do.
    """

    verdict: Verdict
    text: str


class ScalerState(TypedDict):
    """All that a scaler remembers; counts are of updates."""

    scale: float
    hysteresis: int
    unskipped: int
    steps: int
    skipped: int
    overflows: int
    skipped_in_a_row: int
    steps_at_floor: int
    last_skipped_step: int
    at_floor: bool
    held_at_bottom: bool
    found_inf: bool


class ScalerConfig(TypedDict):
    """The numbers that a scaler was made with."""

    name: str
    dynamic: bool
    initial_scale: float
    min_scale: float
    max_scale: float
    growth_interval: int
    growth_factor: float
    backoff_factor: float
    apex_bounds: bool
    preset: Literal["apex", "torch"]


class Checkpoint(TypedDict):
    """A scaler's entry in Apex's checkpoints."""

    loss_scale: float
    unskipped: int


class LossScaler:
    """The factor on the loss, and the counters that move it.

    An update that found an overflow multiplies the scale by `backoff_factor` and
    asks to skip the optimizer's step; after `growth_interval` clean updates in a
    row it is multiplied by `growth_factor`. A static scaler stays and, as in
    Apex, never skips.

    Scales are factors without a unit. A scaler may be used by one thread at a
    time.

    Args:
        loss_scale: ``"dynamic"``, or the constant factor.
        init_scale: Start of a dynamic scale; at most `max_loss_scale`.
        scale_factor: Growth factor, above 1; its inverse is the factor for
            backing off unless `backoff_factor` is given.
        scale_window: Clean updates in a row before the scale grows.
        min_loss_scale: Floor of a dynamic scale; None: no floor.
        max_loss_scale: Ceiling of a dynamic scale; infinity: no ceiling.
        backoff_factor: Between 0 and 1, both excluded.
        apex_bounds: Accept, as Apex does in silence, a floor above the ceiling
            or above the start.
        name: What texts call the scaler.
        preset: Whose machine it is. ``"torch"`` rounds the scale to float32 at
            each transition, has neither static scales nor bounds
            (`max_loss_scale` infinity), and does not grow past float32.

    Raises:
        mlir_amp.InvalidArgument: A number out of its range; the text says which.

    Example:
        >>> scaler = LossScaler()
        >>> scaler.scale, scaler.update(True), scaler.scale
        (65536.0, True, 32768.0)
    """

    __slots__ = ("_scaler",)

    def __init__(
        self,
        loss_scale: float | Literal["dynamic"] = "dynamic",
        init_scale: float = 2.0**16,
        scale_factor: float = 2.0,
        scale_window: int = 2000,
        min_loss_scale: float | None = None,
        max_loss_scale: float = 2.0**24,
        *,
        backoff_factor: float | None = None,
        apex_bounds: bool = True,
        name: str = "loss_scaler0",
        preset: Literal["apex", "torch"] = "apex",
    ) -> None:
        dynamic = loss_scale == "dynamic"
        if backoff_factor is None:
            backoff_factor = 1.0 / scale_factor if scale_factor else 0.0
        self._scaler = _native.Scaler(
            name,
            dynamic,
            init_scale if dynamic else float(loss_scale),
            0.0 if min_loss_scale is None else min_loss_scale,
            max_loss_scale,
            growth_interval=scale_window,
            growth_factor=scale_factor,
            backoff_factor=backoff_factor,
            apex_bounds=apex_bounds,
            preset=preset,
        )

    @property
    def name(self) -> str:
        """What texts call the scaler."""
        return self._scaler.name

    @property
    def dynamic(self) -> bool:
        """Whether the scale follows the overflows."""
        return self.config["dynamic"]

    @property
    def scale(self) -> float:
        """The factor on the loss, exact (no unit)."""
        return self._scaler.scale

    @property
    def program_scale(self) -> float:
        """The factor as a compiled step uses it: rounded to float32 and kept
        within [2**-126, largest float32]."""
        return self._scaler.program_scale

    @property
    def unskipped(self) -> int:
        """Clean updates since the scale last changed."""
        return self._scaler.unskipped

    @property
    def config(self) -> ScalerConfig:
        """The numbers that the scaler was made with."""
        config: ScalerConfig = self._scaler.config
        return config

    def configure(self, **numbers: Any) -> None:
        """Changes numbers that the scaler was made with; its state stays.

        Args:
            numbers: Entries of :attr:`config`, for example ``growth_interval=100``.

        Raises:
            TypeError: An entry that `config` does not have.
            mlir_amp.InvalidArgument: A number out of its range; nothing changed.
        """
        scaler = _native.Scaler(**{**self.config, **numbers})
        scaler.set_state(self.state)
        self._scaler = scaler

    def update(self, found_inf: bool = False) -> bool:
        """Ends a step.

        The step overflowed if `found_inf` is true or an overflow was accumulated
        before; the accumulated one is consumed.

        Args:
            found_inf: Whether a gradient of this step was not finite.

        Returns:
            True if the optimizer's step must be left out.
        """
        return self._scaler.update(found_inf)

    def accumulate(self, found_inf: bool) -> None:
        """Remembers an overflow until the next update, for several backward
        passes in one step.

        Args:
            found_inf: Whether a gradient of this pass was not finite. False
                takes nothing back.
        """
        self._scaler.accumulate(found_inf)

    def clear(self) -> None:
        """Forgets what was accumulated."""
        self._scaler.clear()

    def state_dict(self) -> Checkpoint:
        """Apex's checkpoint entry: ``{"loss_scale": ..., "unskipped": ...}``."""
        return {"loss_scale": self.scale, "unskipped": self.unskipped}

    def load_state_dict(self, state_dict: Checkpoint) -> None:
        """Loads Apex's checkpoint entry. As in Apex, the bounds are not applied.

        Args:
            state_dict: What :meth:`state_dict` gave.

        Raises:
            KeyError: An entry is missing.
            mlir_amp.InvalidArgument: A scale that is not above 0 and finite
                (Apex saves 0 after a collapse), or a negative counter.
        """
        self._scaler.load(state_dict["loss_scale"], state_dict["unskipped"])

    @property
    def state(self) -> ScalerState:
        """All that the scaler remembers, statistics included."""
        state: ScalerState = self._scaler.state
        return state

    @state.setter
    def state(self, state: ScalerState) -> None:
        self._scaler.set_state(state)

    def health(self, patience: int = 50) -> Health:
        """What to make of the state.

        Args:
            patience: Overflows in a row at the floor that count as stuck, at
                least 1.

        Returns:
            The verdict, and a text with the scaler's numbers and what to do.

        Raises:
            mlir_amp.InvalidArgument: `patience` is below 1.
        """
        return Health(*self._scaler.health(patience))

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self.config, self.state)

    def __repr__(self) -> str:
        kind = "dynamic" if self.dynamic else "static"
        return (
            f"<LossScaler {self.name!r}: {kind}, scale {self.scale!r}, "
            f"{self.unskipped} clean>"
        )


def restore(config: ScalerConfig, state: ScalerState) -> LossScaler:
    """A scaler as another one was, with its statistics.

    Args:
        config: The other's :attr:`LossScaler.config`.
        state: Its :attr:`LossScaler.state`.

    Raises:
        mlir_amp.InvalidArgument: Numbers that no scaler has.
    """
    scaler = LossScaler.__new__(LossScaler)
    scaler._scaler = _native.Scaler(**config)
    scaler.state = state
    return scaler
