# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.amp.GradScaler's interface over the runtime library's scaler.

The same numbers as torch's own, transition by transition; docs/Python.md lists what
is refused here and taken there. It belongs to `torch.autocast`, not to
`amp.initialize`, which scales losses itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from mlir_amp import scaler as runtime

from .amp.optimizers import is_initialized
from .amp.scaling import multiply_and_look

__all__ = ["GradScaler"]


@dataclass
class _Progress:
    """What an optimizer went through since the last update."""

    is_unscaled: bool = False
    has_stepped: bool = False
    #: Above 0 on a device whose gradients were not all finite.
    found_inf: dict[torch.device, torch.Tensor] = field(default_factory=dict)

    def has_overflow(self) -> bool:
        return any(bool(found.item()) for found in self.found_inf.values())


class GradScaler:
    """The scale of a loss, and its way from step to step.

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    Works on every device, the CPU included.

    Args:
        device: of torch's interface. Gradients say themselves where they are.
        init_scale: the first factor on the loss; rounded to float32, as every scale.
        growth_factor: multiplies the scale after `growth_interval` updates in a row
            without overflow; above 1.
        backoff_factor: multiplies the scale at an overflow; between 0 and 1.
        growth_interval: counted in updates; at least 1.
        enabled: False: `scale` returns what it is given, `step` only steps.

    Raises:
        mlir_amp.InvalidArgument: a number out of its range; the text says which.
        TypeError: `device` is a number, as in torch's older interface.
    """

    def __init__(
        self,
        device: str | torch.device | None = None,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if device is not None:
            if not isinstance(device, (str, torch.device)):
                raise TypeError(
                    f"device must be a string such as 'cpu', but got {device!r}. The first argument is the device, as "
                    "in torch.amp.GradScaler: name the others (init_scale=...)."
                )
            torch.device(device)
        self._enabled = enabled
        self._machine = runtime.LossScaler(
            "dynamic",
            _round(init_scale),
            growth_factor,
            growth_interval,
            max_loss_scale=math.inf,
            backoff_factor=backoff_factor,
            name="grad_scaler",
            preset="torch",
        )
        #: Whether a loss was ever scaled: what torch asks before anything else.
        self._has_scaled = False
        self._progress: dict[torch.optim.Optimizer, _Progress] = {}

    # -- a step ---------------------------------------------------------------------

    def scale(self, outputs: Any) -> Any:
        """`outputs` times the scale.

        Args:
            outputs: a tensor, or an iterable of them, nested or not. A half tensor
                without dimensions becomes FP32; others keep their types.

        Returns:
            Lists and tuples as such, other iterables as an iterator.

        Raises:
            ValueError: something else in `outputs`.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            self._has_scaled = True
            return outputs * torch.full((), self._machine.program_scale, dtype=torch.float32, device=outputs.device)
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        if isinstance(outputs, tuple) and hasattr(outputs, "_make"):
            return outputs._make(scaled)
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        """Divides the optimizer's gradients by the scale, in place, and looks at them.

        For what has to see them before the step, clipping for example; `step` does
        it otherwise. Once for each optimizer between two updates.

        Raises:
            RuntimeError: called twice, or after `step`; an optimizer that
                `amp.initialize` prepared.
            ValueError: a float16 gradient.
            AssertionError: no loss was ever scaled.
        """
        if not self._enabled:
            return
        self._check_scaled("unscale_")
        progress = self._get_progress(optimizer)
        if progress.has_stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if progress.is_unscaled:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any(grad.dtype == torch.float16 for grad in grads):
            raise ValueError(
                "Attempting to unscale FP16 gradients. Leave the model's parameters in FP32 (torch.autocast casts "
                "inside), or train it with amp.initialize at opt_level='O2', which keeps FP32 masters."
            )
        multiply_and_look(grads, 1.0 / self._machine.program_scale, progress.found_inf)
        progress.is_unscaled = True

    def step(self, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(*args, **kwargs)`, unless a gradient is not finite.

        Unscales the gradients first, where `unscale_` did not. Waits for the device.

        Returns:
            What the optimizer's step returned; None where it was skipped.

        Raises:
            RuntimeError: called twice between updates, or with a closure.
            AssertionError: no loss was ever scaled, or no parameter has a gradient.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs or (args and callable(args[0])):
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scaled("step")
        progress = self._get_progress(optimizer)
        if progress.has_stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if not progress.is_unscaled:
            self.unscale_(optimizer)
        if not progress.found_inf:
            raise AssertionError(
                "No inf checks were recorded for this optimizer. None of its parameters has a gradient: call "
                "scaler.scale(loss).backward() first, with a loss that depends on them."
            )
        result = None if progress.has_overflow() else optimizer.step(*args, **kwargs)
        progress.has_stepped = True
        return result

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Ends an iteration, after the steps of all its optimizers.

        The scale backs off if one of them overflowed.

        Args:
            new_scale: sets the scale, and leaves the count of updates without
                overflow as it is. A number above 0, or a tensor with one element.

        Raises:
            AssertionError: no loss was ever scaled, no gradients were looked at since
                the last update, or `new_scale` is a tensor of another kind.
            mlir_amp.InvalidArgument: `new_scale` is not above 0 and finite.
        """
        if not self._enabled:
            return
        self._check_scaled("update")
        if new_scale is not None:
            if isinstance(new_scale, torch.Tensor):
                if new_scale.numel() != 1 or new_scale.requires_grad:
                    raise AssertionError(
                        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                        "requires_grad=False."
                    )
                new_scale = new_scale.item()
            self._load(new_scale, self._machine.unskipped)
        else:
            looked = [progress for progress in self._progress.values() if progress.found_inf]
            if not looked:
                raise AssertionError(
                    "No inf checks were recorded prior to update. Call step() or unscale_() with the optimizers of "
                    "this iteration before update()."
                )
            self._machine.update(any(progress.has_overflow() for progress in looked))
        self._progress = {}

    def _check_scaled(self, name: str) -> None:
        if not self._has_scaled:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def _get_progress(self, optimizer: torch.optim.Optimizer) -> _Progress:
        if is_initialized(optimizer):
            raise RuntimeError(
                f"This {type(optimizer).__name__} was passed through amp.initialize, which scales its losses. Use "
                "'with amp.scale_loss(loss, optimizer) as scaled_loss', or leave amp.initialize out."
            )
        return self._progress.setdefault(optimizer, _Progress())

    # -- numbers --------------------------------------------------------------------

    def is_enabled(self) -> bool:
        return self._enabled

    def get_scale(self) -> float:
        """The factor on the loss; 1.0 where scaling is disabled."""
        return self._machine.scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        return self._machine.config["growth_factor"]

    def set_growth_factor(self, new_factor: float) -> None:
        self._machine.configure(growth_factor=new_factor)

    def get_backoff_factor(self) -> float:
        return self._machine.config["backoff_factor"]

    def set_backoff_factor(self, new_factor: float) -> None:
        self._machine.configure(backoff_factor=new_factor)

    def get_growth_interval(self) -> int:
        """Updates in a row without overflow before the scale grows."""
        return self._machine.config["growth_interval"]

    def set_growth_interval(self, new_interval: int) -> None:
        self._machine.configure(growth_interval=new_interval)

    # -- checkpoints ----------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """torch's five entries, which either class loads; empty where disabled.

        Call it after `update`.
        """
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self.get_growth_factor(),
            "backoff_factor": self.get_backoff_factor(),
            "growth_interval": self.get_growth_interval(),
            "_growth_tracker": self._machine.unskipped,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state of this class or of torch's. Nothing where disabled.

        Raises:
            RuntimeError: the state is empty, that of a disabled scaler.
            KeyError: an entry is missing.
            mlir_amp.InvalidArgument: a number out of its range.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        numbers = {name: state_dict[name] for name in ("growth_factor", "backoff_factor", "growth_interval")}
        self._load(state_dict["scale"], state_dict["_growth_tracker"])
        self._machine.configure(**numbers)

    def _load(self, scale: float, growth_tracker: int) -> None:
        self._machine.load_state_dict({"loss_scale": _round(scale), "unskipped": growth_tracker})

    def __getstate__(self) -> dict[str, Any]:
        if self._progress:
            raise AssertionError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                "scaler.update()."
            )
        return {**self.__dict__, "_has_scaled": False}


def _round(scale: float) -> float:
    """`scale` in float32."""
    return torch.tensor(scale, dtype=torch.float32).item()
